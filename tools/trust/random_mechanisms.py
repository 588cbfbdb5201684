#!/usr/bin/python3
"""Random mechanisms in all coordinates, by default settings: what the program says of them is true.

    tools/trust/random_mechanisms.py [--count 200] [--seed 1] [--seeds 17,42] [-j 2] [--keep DIR]

Each of mechanisms.py's is drawn exactly, with noise of 1e-9 of its size, and rounded to nine decimals of it; run for 1.5
characteristic times. Wrong is: a crash; a run that fails; "impossible" of what fits together; a gap or a stretched body of
more than 1e-6 of the size in a run that completed; other degrees of freedom than it has; a large drift of energy without
a warning, or a warning without drift; a motion that differs between coordinates. Failures are grouped by message.
"""
import argparse
import collections
import os
import re
import sys

import numpy as np

import mechanisms
import program

COORDINATES = ["natural", "cartesian", "increments", "relative"]
VARIANTS = ["exact", "noise", "digits"]
VIOLATED = 1e-6   # of the size
DRIFT = 0.05      # of mass times gravity times size: more wants a warning
STILL = 1e-4      # less than this wants none
AGREE = 1e-3      # of the size: the step is a 500th of the characteristic time


def shape_of(message):
    """A message without its numbers and names."""
    message = re.sub(r"[-+]?\d+\.?\d*(e[-+]?\d+)?", "#", message)
    message = re.sub(r"\bJ#[^,;)]*", "J#", message)
    return re.sub(r"((?:left over|residual): ).*", r"\1..", message)[:110]


def worst_gap(rows):
    gaps = [(max(map(abs, v)), k) for k, v in rows.items() if k.startswith(("gap_", "stretch_"))]
    return max(gaps, default=(0.0, ""))


def energy_verdict(m, outcome):
    total = sum(p.mass for p in m.parts.values()) * m.unit_mass
    drift = abs(outcome.report["energy"]["max_drift"]) / (total * mechanisms.G * m.size)
    warned = any("energy" in w for w in outcome.report["warnings"])
    if drift > DRIFT and not warned:
        return f"energy drifts by {drift:.1e} m g L without a warning"
    if warned and drift < STILL:
        return f"warning about energy, but the drift is {drift:.1e} m g L"
    return None


DOUBTFUL = 6  # completed, and said not to be trusted


def faults_of(m, outcome):
    """What is wrong with one run, in words."""
    if outcome.code is None or outcome.code < 0:
        return [outcome.verdict]
    if outcome.code not in (0, DOUBTFUL):
        return [f"{outcome.verdict}: {outcome.message()}"]
    found, (gap, where) = [], worst_gap(outcome.rows)
    if not gap <= VIOLATED:
        found.append(f"completed with {where.split('_')[0]} {gap:.1e} of the size")
    rank = outcome.report["rank"]
    if m.dof is not None and rank["dof"] != m.dof:
        found.append(f"dof is {m.dof}, told {rank['dof']}")
    energy = energy_verdict(m, outcome)
    return found + ([energy] if energy else [])


def apart(one, other):
    names = [k for k in one.rows if k.startswith("x_")]
    return max(float(np.abs(np.array(one.rows[k]) - np.array(other.rows[k])).max()) for k in names)


def disagreement(sarrus, m, model, runs):
    """Between coordinates, where it does not fall with the step."""
    done = [(kind, o) for kind, o in runs.items() if o.code == 0 and not faults_of(m, o)]
    for kind, outcome in done[1:]:
        first, base = done[0]
        difference = apart(base, outcome)
        if difference <= AGREE:
            continue
        finer = [sarrus.run(model, "--coordinates", k, *grid(m), "--step", repr(float(m.time / 2000))) for k in (first, kind)]
        if finer[0].code == finer[1].code == 0 and apart(*finer) > difference / 4:
            return kind, f"{first} and {kind} differ by {difference:.1e}, with a quarter of the step by {apart(*finer):.1e}"
    return None


def grid(m):
    return ["--sample", repr(float(m.time / 50))]


def survey_one(sarrus, seed, variants, coordinates):
    """(seed, kind of mechanism, variant, coordinates, fault) of every fault; the model as well."""
    m, found = mechanisms.draw(seed), []
    for variant in variants:
        model, runs = m.model(variant), {}
        for kind in coordinates:
            if kind == "increments" and m.dimension == 2:
                continue
            runs[kind] = sarrus.run(model, "--coordinates", kind, *grid(m))
            found += [(seed, m.kind, variant, kind, fault, model) for fault in faults_of(m, runs[kind])]
        worse = disagreement(sarrus, m, model, runs)
        if worse:
            found.append((seed, m.kind, variant, worse[0], worse[1], model))
    return found


def grouped(faults):
    groups = collections.defaultdict(list)
    for fault in faults:
        groups[shape_of(fault[4])].append(fault)
    return sorted(groups.items(), key=lambda item: -len(item[1]))


def show(faults):
    for shape, members in grouped(faults):
        kinds = collections.Counter(f"{m[1]}" for m in members)
        where = collections.Counter(f"{m[2]}/{m[3]}" for m in members)
        print(f"\n{len(members):5}  {shape}")
        print("       of " + ", ".join(f"{k} {n}" for k, n in kinds.most_common(8)))
        print("       in " + ", ".join(f"{k} {n}" for k, n in where.most_common(12)))
        print("       seeds " + ", ".join(sorted({str(m[0]) for m in members}, key=int)[:12]))
        print(f"       e.g. seed {members[0][0]} {members[0][2]} {members[0][3]}: {members[0][4][:220]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    program.add_options(parser)
    parser.add_argument("--count", type=int, default=200, help="mechanisms (default 200)")
    parser.add_argument("--seed", type=int, default=1, help="of the first one; the next ones count up (default 1)")
    parser.add_argument("--seeds", default="", help="these alone, by commas")
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--coordinates", default=",".join(COORDINATES))
    options = parser.parse_args()
    sarrus = program.Program(options.program, options.timeout)
    os.nice(10)
    seeds = [int(s) for s in options.seeds.split(",") if s] or range(options.seed, options.seed + options.count)
    work = lambda seed: survey_one(sarrus, seed, options.variants.split(","), options.coordinates.split(","))  # noqa: E731
    faults, done = [], 0
    try:
        for part in program.in_parallel(options.jobs, work, seeds):
            faults, done = faults + part, done + 1
    except KeyboardInterrupt:
        print("interrupted: what was found so far")
    show(faults)
    for seed, kind, variant, coordinates, fault, model in faults:
        program.keep(options.keep, f"{seed}-{kind}-{variant}-{coordinates}", model, f"--coordinates {coordinates}: {fault}")
    print(f"\n{done} mechanisms, {len({f[0] for f in faults})} with faults, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
