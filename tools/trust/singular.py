#!/usr/bin/python3
"""Random mechanisms through their singular configurations: on the right branch, every passage counted, as accurate as asked.

    tools/trust/singular.py [--count 50] [--seed 1] [--kinds sc,scf] [--tolerance 1e-8] [--coordinates natural] [-j 2]

Kinds, scales and starts are those of singular_mechanisms.py, what is right those of minimal.py: the motion in minimal
coordinates, which no equation of the program is in. Every run is judged by the samples of its own outputs:

    failed      it did not complete
    alarm       it completed and said not to be trusted; what else is wrong says whether that is true
    branch      a sample is on another branch of the geometry, or of the motion, than the start
    gap         a loop is open by more than 1e-9 of its crank, whatever the branch
    passes      singular_passes has not the passages of the true coordinate, at their times
    off         the motion is off by more than 1000 times what the tolerance allows, with the growth of errors that is the motion's own
    drift       conservative ones: the balance of energy is off by more than 1000 tolerances of the largest kinetic energy

Exit code 1 when a run is wrong. Models that fail go to --keep, with the options that show it.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import math
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import minimal
import singular_mechanisms as mechanisms

OPEN = 1e-9           # a gap, in units of the crank
NEAR = 0.05           # nearer than this to a crossing [rad] branches are not told apart
FACTOR = 1000.0       # of the tolerance
ROUNDING = 1e-12      # errors that grow from this are nobody's fault
DOUBTFUL = 6          # exit code
BATCH = 64            # references are made for so many at once


@dataclasses.dataclass
class Task:
    kind: str
    seed: int
    numbers: list
    tolerances: list
    coordinates: list
    method: list
    program: str
    timeout: float


@dataclasses.dataclass
class Verdict:
    kind: str
    number: int
    tolerance: float
    coordinates: str
    faults: list           # (word, text)
    drift: float = math.nan
    error: float = math.nan     # largest, of angles and rates in units of time
    ratio: float = math.nan     # error by tolerance and growth
    timing: float = math.nan    # of passages, in radians
    steps: int = 0
    passes: int = 0
    seconds: float = math.nan

    @property
    def options(self):
        return self.coordinates or "-"


# ---- running: no more of Python than has to be ----

def call(task, path, folder, mechanism, tolerance, coordinates):
    """Exit code, report, samples by name, what it said."""
    out = os.path.join(folder, "out.csv")
    if os.path.exists(out):
        os.unlink(out)
    arguments = [task.program, "run", path, "--json", "--tolerance", repr(tolerance), *task.method,
                 "--sample", repr(float(mechanism.interval * mechanism.time)), "-o", out]
    if coordinates:
        arguments += ["--coordinates", coordinates]
    try:
        done = subprocess.run(arguments, capture_output=True, timeout=task.timeout, env={"OMP_NUM_THREADS": "1", "SARRUS_CERTIFY": "no"}, cwd=folder, check=False)
    except subprocess.TimeoutExpired:
        return None, {}, {}, f"not done after {task.timeout:g} s"
    try:
        report = json.loads(done.stdout)
    except ValueError:
        report = {}
    return done.returncode, report, read(out), report.get("failure") or done.stderr.decode().replace(folder, "").strip()


def read(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding="ascii") as file:
        names = file.readline().strip().split(",")
        values = np.array(file.read().replace("\n", ",").split(",")[:-1], float)
    return dict(zip(names, values.reshape(-1, len(names)).T))


# ---- judging ----

def wrapped(angle):
    return (angle + np.pi) % (2 * np.pi) - np.pi


def motion_of(mechanism, rows):
    """q and v of the samples."""
    return tuple(np.stack([rows[names[k]] for names in mechanism.outputs], -1) for k in (0, 1))


def branch_faults(mechanism, rows, q):
    """By the geometry alone: where each loop is, at every sample."""
    for loop in mechanism.loops:
        angle = q[:, loop.coordinate]
        far = np.abs(np.sin(angle - loop.place)) > NEAR
        if loop.slide:
            moving, folded = np.abs(rows[loop.slide] - 2 * np.cos(angle)), np.abs(rows[loop.slide])
            own, other = (moving, folded) if loop.branch == mechanisms.MOVING else (folded, moving)
        else:
            own = np.max([np.abs(wrapped(rows[c] - angle)) for c in loop.cranks], axis=0)
            other = np.where(own > NEAR, 0.0, np.inf)
        left = far & (own > other)
        if left.any():
            return [("branch", f"changed at sample {int(np.argmax(left))}")]
        if loop.slide and not (np.minimum(moving, folded) <= OPEN).all():
            return [("gap", f"{np.minimum(moving, folded).max():.1e} of the crank")]
    return []


def pass_faults(mechanism, truth, report, tolerance, verdict):
    """Number and times of passages; a loop that turns back where it is singular is not judged."""
    told = sorted(p["t"] / mechanism.time for p in report.get("singular_passes", []))
    true = [p for p in truth.passages if p.t < mechanism.interval * mechanism.count * (1 - 1e-9)]
    verdict.passes = len(true)
    grown = np.interp([p.t for p in true], np.arange(len(truth.growth)) * mechanism.interval, truth.growth) if true else []
    if truth.grazing or (len(grown) and max(grown) * max(FACTOR * tolerance, 1e-8) > 1):
        return []  # no count can be right when the motion itself is beyond the tolerance
    if len(merged(told)) != len(merged([p.t for p in true])):
        return [("passes", f"{len(true)} passages, told {len(told)}")]
    if len(told) != len(true):
        return []
    offsets = [abs(t - p.t) * max(p.speed, 1e-3) for t, p in zip(told, true)]
    verdict.timing = max(offsets, default=0.0)
    late = [o for o, g in zip(offsets, grown) if o > FACTOR * tolerance * g + 1e-6]
    return [("passes", f"time off by {max(late):.1e} rad")] if late else []


def merged(times, apart=1e-6):
    """Two loops that pass at once may count as one."""
    return [t for k, t in enumerate(times) if k == 0 or t - times[k - 1] > apart]


def accuracy_faults(mechanism, truth, q, v, tolerance, verdict):
    count = len(q)
    off = np.maximum(np.abs(wrapped(q - truth.q[:count])).max(-1), np.abs(v - truth.v[:count]).max(-1))
    verdict.error = float(off.max())
    allowed = tolerance * truth.growth[:count]
    known = truth.growth[:count] * max(FACTOR * tolerance, 1e-7) < 1   # beyond that the motion is not known to anybody
    if not known.any():
        return []
    verdict.ratio = float((off / allowed)[known].max())
    bad = known & ~(off <= FACTOR * allowed + ROUNDING * truth.growth[:count])
    return [("off", f"by {off[bad][0]:.1e} at sample {int(np.argmax(bad))}, growth {truth.growth[np.argmax(bad)]:.1e}")] if bad.any() else []


def energy_faults(mechanism, q, v, tolerance, verdict):
    one = minimal.stacked([mechanism.motion])
    if one.forced[0]:
        return []
    kinetic, potential = (e[0] for e in minimal.energies(one, q[None], v[None]))
    total, largest = kinetic + potential, max(kinetic.max(), 1e-12)
    verdict.drift = float(np.abs(total - total[0]).max() / largest)
    return [("drift", f"{verdict.drift:.1e} of the kinetic energy")] if not verdict.drift <= FACTOR * tolerance + ROUNDING else []


def judge(mechanism, truth, verdict, code, report, rows, said):
    verdict.steps = report.get("time", {}).get("steps", 0)
    verdict.seconds = report.get("time", {}).get("total_s", math.nan)
    if code not in (0, DOUBTFUL):
        words = "out of time" if code is None else f"signal {-code}" if code < 0 else f"exit {code}"
        return [("failed", f"{words}: {said}"[:300])]
    alarm = [("alarm", "; ".join(report.get("warnings", [])))] if code == DOUBTFUL else []
    q, v = motion_of(mechanism, rows)
    if not (np.isfinite(q).all() and np.isfinite(v).all()) or len(q) != mechanism.count + 1:
        return [("failed", f"completed with {len(q)} samples of {mechanism.count + 1}, or values that are not finite")]
    faults = alarm + branch_faults(mechanism, rows, q)
    if not truth.right:
        return faults
    tolerance = verdict.tolerance
    return (faults + pass_faults(mechanism, truth, report, tolerance, verdict) + accuracy_faults(mechanism, truth, q, v, tolerance, verdict)
            + energy_faults(mechanism, q, v, tolerance, verdict))


def work(task, truth=None):
    """Verdicts of one batch of mechanisms, and seconds of references and runs. `truth`: what is right, if that is known."""
    drawn = [mechanisms.draw(task.kind, task.seed, n) for n in task.numbers]
    begin = time.perf_counter()
    truth = truth or minimal.truths(minimal.stacked([m.motion for m in drawn]), np.array([m.interval for m in drawn]), drawn[0].count,
                                    [m.sets for m in drawn])
    between, found = time.perf_counter(), []
    with tempfile.TemporaryDirectory(prefix="sarrus-singular-") as folder:
        path = os.path.join(folder, "model.json")
        for number, mechanism, right in zip(task.numbers, drawn, truth):
            with open(path, "w", encoding="ascii") as file:
                json.dump(mechanism.model, file)
            for coordinates in task.coordinates:
                for tolerance in task.tolerances:
                    verdict = Verdict(task.kind, number, tolerance, coordinates, [])
                    verdict.faults = judge(mechanism, right, verdict, *call(task, path, folder, mechanism, tolerance, coordinates))
                    found.append(verdict)
    return found, between - begin, time.perf_counter() - between


# ---- telling ----

WORDS = ["failed", "alarm", "branch", "gap", "passes", "off", "drift"]


def spread(values):
    values = [v for v in values if math.isfinite(v)]
    return f"{np.median(values):8.1e} {max(values):8.1e}" if values else f"{'-':>8} {'-':>8}"


def table(verdicts):
    """One line for each kind, tolerance and coordinates."""
    groups = collections.defaultdict(list)
    for v in verdicts:
        groups[(v.kind, v.coordinates, v.tolerance)].append(v)
    lines = [f"{'kind':5} {'coordin.':9} {'tol':>6} {'runs':>6} {'passes':>6} " + " ".join(f"{w:>6}" for w in WORDS)
             + f" {'drift/KE':>8} {'max':>8} {'err/tol':>8} {'max':>8} {'/growth':>8} {'max':>8} {'t [rad]':>8} {'max':>8} {'steps':>6} {'ms':>6}"]
    for (kind, coordinates, tolerance), part in sorted(groups.items(), key=lambda g: (list(mechanisms.KINDS).index(g[0][0]), g[0][1], -g[0][2])):
        wrong = collections.Counter(word for v in part for word in {f[0] for f in v.faults})
        counts = " ".join(f"{wrong[w]:6}" for w in WORDS)
        lines.append(f"{kind:5} {coordinates or 'auto':9} {tolerance:6.0e} {len(part):6} {sum(v.passes for v in part):6} {counts} "
                     f"{spread([v.drift for v in part])} {spread([v.error / v.tolerance for v in part])} {spread([v.ratio for v in part])} "
                     f"{spread([v.timing for v in part])} {np.median([v.steps for v in part]):6.0f} {1e3 * np.nanmedian([v.seconds for v in part]):6.1f}")
    return "\n".join(lines)


def keep(options, verdict):
    if not options.keep:
        return
    os.makedirs(options.keep, exist_ok=True)
    mechanism = mechanisms.draw(verdict.kind, options.seed, verdict.number)
    shown = " ".join(["--tolerance", repr(verdict.tolerance), *options.method.split()] +
                     (["--coordinates", verdict.coordinates] if verdict.coordinates else []))
    name = f"{verdict.kind}-{options.seed}-{verdict.number}-{verdict.coordinates or 'auto'}-{verdict.tolerance:g}.yaml"
    with open(os.path.join(options.keep, name), "w", encoding="ascii") as file:
        file.write("".join(f"# {word}: {text}\n".replace("\n", " ").strip() + "\n" for word, text in verdict.faults))
        file.write(f"# sarrus run THIS {shown} --sample {float(mechanism.interval * mechanism.time)!r}\n")
        json.dump(mechanism.model, file, indent=1)


def tasks_of(options):
    for kind in options.kinds:
        for first in range(options.first, options.first + options.count, BATCH):
            numbers = list(range(first, min(first + BATCH, options.first + options.count)))
            yield Task(kind, options.seed, numbers, options.tolerances, options.coordinates, options.method.split(),
                       os.path.abspath(options.program), options.timeout)


def survey(options):
    """Verdicts of all runs."""
    found, references, runs = [], 0.0, 0.0
    with concurrent.futures.ProcessPoolExecutor(max_workers=options.jobs) as pool:
        for part, before, after in pool.map(work, tasks_of(options)):
            references, runs = references + before, runs + after
            found += part
            for verdict in part:
                if verdict.faults:
                    keep(options, verdict)
                    if not options.quiet:
                        text = "; ".join(f"{w}: {t}" for w, t in verdict.faults)
                        print(f"{verdict.kind} {verdict.number} {verdict.options} {verdict.tolerance:g}: {text[:240]}", flush=True)
    return found, references, runs


def parser_of():
    import program
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    program.add_options(parser)
    parser.add_argument("--count", type=int, default=50, help="mechanisms of each kind (default 50)")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    parser.add_argument("--first", type=int, default=0, help="number of the first one (default 0)")
    parser.add_argument("--kinds", default=",".join(mechanisms.KINDS),
                        help="; ".join(f"{k}: {d}" for k, d in mechanisms.DESCRIPTIONS.items()))
    parser.add_argument("--tolerance", default="1e-8", help="by commas (default 1e-8)")
    parser.add_argument("--coordinates", default="", help="by commas; none: the method's own choice")
    parser.add_argument("--method", default="--preset auto", help="options of the runs (default: --preset auto)")
    parser.add_argument("-q", "--quiet", action="store_true", help="the table alone")
    return parser


def main():
    options = parser_of().parse_args()
    options.kinds = [k for k in options.kinds.split(",") if k]
    options.tolerances = [float(t) for t in options.tolerance.split(",")]
    options.coordinates = options.coordinates.split(",") if options.coordinates else [""]
    os.nice(10)
    begin = time.perf_counter()
    found, references, runs = survey(options)
    wrong = sum(1 for v in found if v.faults)
    print("\n" + table(found))
    print(f"\n{len(found)} runs, {wrong} wrong; {time.perf_counter() - begin:.0f} s, of one core {references:.0f} s for references, {runs:.0f} s for runs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
