#!/usr/bin/python3
"""Is what certificates say true? Random mechanisms by several methods, with steps from good to far too long.

    tools/trust/certificates.py [--count 40] [--seed 1] [--seeds 17,42] [--quick] [-j 2] [--list]

Each of mechanisms.py's is run for 10 characteristic times with --certify (--quick: as runs are certified that nobody asked for), by every method and step of CASES. The truth is the
automatic method with a tolerance of 1e-11 and short steps in Cartesian coordinates, which no certificate uses; where joint coordinates give
another one by more than 1e-4 of a range, there is no truth and the mechanism is left out. Errors are parts of an output's
range (at least a thousandth of the largest). Counted are:

    told      of runs that are wrong by more than 1 %, those whose certificate says so
    alarms    of runs that are right to 0.1 %, those that are called untrustworthy
    factor    certificates whose largest error is within a factor of 5 of the true one (above 1e-9)
    time      of runs that are wrong, those whose trusted time is within 10 % of the run of the true one

Runs that fail or have no certificate are listed by number. Exit code 1 when a figure misses its limit.
"""
import argparse
import collections
import os
import sys

import numpy as np

import mechanisms
import program

PERIODS, SAMPLES = 10, 100
LIMITS = {"told": 0.98, "alarms": 0.02, "factor": 0.90, "time": 0.90}
FIXED = {"al3": ["--formulation", "al3", "--integrator", "trapezoidal"],
         "al1 rk4": ["--formulation", "al1", "--integrator", "rk4"],
         "threefield": ["--preset", "LMD-midpoint"]}
STEPS = [500, 100, 40, 20, 10]   # in a characteristic time; each divides the interval of the samples
TOLERANCES = ["1e-3", "1e-6", "1e-9"]
CASES = [(f"{name} 1/{n}", options, n) for name, options in FIXED.items() for n in STEPS]
CASES += [(f"auto {t}", ["--tolerance", t], 0) for t in TOLERANCES]


def times(m):
    end = PERIODS * m.time
    return ["--end", repr(float(end)), "--sample", repr(float(end / SAMPLES))]


def columns(outcome):
    return [k for k in outcome.rows if k.startswith("x_")]


def ranges(truth):
    widths = {k: max(truth.rows[k]) - min(truth.rows[k]) for k in columns(truth)}
    return {k: max(w, 1e-3 * max(widths.values())) for k, w in widths.items()}


def errors(outcome, truth):
    """The largest error of all outputs at every sample; None: other samples."""
    width = ranges(truth)
    if len(outcome.rows["time"]) != len(truth.rows["time"]):
        return None
    parts = [np.abs(np.array(outcome.rows[k]) - np.array(truth.rows[k])) / width[k] for k in width]
    return np.max(parts, axis=0)


def truth_of(sarrus, m, model):
    """None: there is none to this accuracy."""
    # Drives alone leave steps without a limit, and values within such a step may be those of another assembly.
    limit = ["--tolerance", "1e-11", "--step-max", repr(float(m.time / 10))]
    runs = [sarrus.run(model, *limit, "--coordinates", kind, *times(m)) for kind in ("cartesian", "relative")]
    if any(r.code != 0 or not columns(r) for r in runs):
        return None
    apart = errors(runs[1], runs[0])
    return runs[0] if apart is not None and apart.max() < 1e-4 else None


def trusted_time(true, t):
    """When the error reaches 1 %, between two samples by its logarithm."""
    k = int(np.argmax(true > 1e-2))
    if k == 0:
        return t[0]
    before = max(true[:k].max(), 1e-5)
    return t[k - 1] + (t[k] - t[k - 1]) * np.log(1e-2 / before) / np.log(true[k] / before)


def judge(outcome, truth):
    """What is said beside what is true, as a dictionary of verdicts; None: nothing can be said."""
    certificate = outcome.report.get("certificate")
    true = errors(outcome, truth) if outcome.code in (0, 6) else None
    if certificate is None or true is None:
        return None
    outputs, t = certificate["outputs"], outcome.rows["time"]
    largest, said = true.max(), max(outputs[k]["error"] / outputs[k]["range"] for k in columns(outcome))
    verdict = {"true": largest, "said": said, "trusted": certificate["trusted"]}
    if largest > 1e-2:
        verdict["told"] = not certificate["trusted"]
        verdict["time"] = abs(certificate["trusted_until"] - trusted_time(true, t)) < 0.1 * (t[-1] - t[0])
    if largest < 1e-3:
        verdict["alarms"] = not certificate["trusted"]
    if 1e-9 < largest < 0.3:
        verdict["factor"] = largest / 5 < said < largest * 5
    return verdict


def survey_one(sarrus, seed, cases, certify="yes"):
    m = mechanisms.draw(seed)
    model = m.model("exact")
    truth = truth_of(sarrus, m, model)
    if truth is None:
        return [(seed, m.kind, "", "no truth", None)]
    found = []
    for name, options, n in cases:
        step = ["--step", repr(float(m.time / n))] if n else []
        outcome = sarrus.run(model, *options, *step, *times(m), f"--certify={certify}")
        verdict = judge(outcome, truth)
        what = outcome.verdict if outcome.code not in (0, 6) else "judged" if verdict else "no certificate"
        found.append((seed, m.kind, name, what, verdict))
    return found


def figures(found):
    """Of each figure: how often, of how many."""
    verdicts = [v for *_, v in found if v]
    return {key: (sum(v[key] for v in verdicts if key in v), sum(key in v for v in verdicts)) for key in LIMITS}


def is_met(key, count, total):
    share = count / total if total else LIMITS[key]
    return share <= LIMITS[key] if key == "alarms" else share >= LIMITS[key]


def show(found, listed):
    for what, count in collections.Counter(f[3] for f in found).most_common():
        print(f"{count:6}  {what}")
    for seed, kind, name, what, v in found:
        wrong = v and [k for k in LIMITS if k in v and v[k] == (k == "alarms")]
        if listed and wrong:
            print(f"  {seed} {kind}, {name}: {', '.join(wrong)}: true {v['true']:.1e}, said {v['said']:.1e}")
    for key, (count, total) in figures(found).items():
        print(f"{key:8} {count:5} of {total:5}  {100 * count / max(total, 1):5.1f} %  limit {100 * LIMITS[key]:g} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    program.add_options(parser)
    parser.add_argument("--count", type=int, default=40, help="mechanisms (default 40)")
    parser.add_argument("--seed", type=int, default=1, help="of the first one (default 1)")
    parser.add_argument("--seeds", default="", help="these alone, by commas")
    parser.add_argument("--quick", action="store_true", help="certificates of --certify=short")
    parser.add_argument("--list", action="store_true", help="every case that is judged wrongly")
    options = parser.parse_args()
    sarrus = program.Program(options.program, options.timeout)
    os.nice(10)
    seeds = [int(s) for s in options.seeds.split(",") if s] or range(options.seed, options.seed + options.count)
    found = []
    for part in program.in_parallel(options.jobs, lambda seed: survey_one(sarrus, seed, CASES, "short" if options.quick else "yes"), seeds):
        found += part
    show(found, options.list)
    sys.exit(0 if all(is_met(key, *counts) for key, counts in figures(found).items()) else 1)


if __name__ == "__main__":
    main()
