#!/usr/bin/python3
"""One tolerance and nothing else: every problem is as accurate as asked, whatever its size and place.

    tools/trust/automatic.py [--problems a,b] [--tolerance 1e-4,1e-6,1e-8,1e-10] [--changes length,turned] [-j 2]

Runs `sarrus run NAME --tolerance T`, with the samples of the problem's reference, and compares all columns that both have. An
error is the largest difference of a column as a part of its range (of its largest value where it hardly moves, and at least of
a thousandth of the largest range). Wrong is: a run that does not complete; an error above 10 T (1000 T where the problem itself lets errors
grow, as its README says); an error that grows when T is made smaller. Below what the reference itself is right to, errors
are not judged. With --changes (default: all; none: '-') every problem is also written larger, heavier, elsewhere and turned
(similarity.py), and has to take as many steps, within one in a hundred, with the same error within a factor of 2. Exit code 1 when something is wrong.
"""
import argparse
import collections
import dataclasses
import glob
import math
import os
import re
import sys

import numpy as np

import models
import program
import similarity as sim
import size_and_place

ALLOWED = 10.0
GROWING = {"slider-crank-2": 1000.0, "slider-crank-3": 1000.0, "andrews": 1000.0, "iltis-suspension": 1000.0}
FACTOR = 2.0
# What two calculations of a reference differ by, where that is more than its last digit: see the problems' READMEs.
REFERENCE = {"flyball-governor": 3e-12, "iltis-suspension": 3e-8, "ladder": 1e-12, "tree": 1e-12,
             "puma": 1e-10}  # puma: its torques are splines
ROUNDING = 1e-12   # of a column's range: what a run in double precision may leave


@dataclasses.dataclass
class Problem:
    name: str
    path: str
    reference: size_and_place.Reference
    end: float            # of the model
    digits: int           # printed ones
    model: dict | None = None

    @property
    def floor(self):
        """Errors below this say nothing, relative to a column's range."""
        return max(10.0 * 10.0**-self.digits, REFERENCE.get(self.name, 0.0), ROUNDING)

    @property
    def allowed(self):
        return GROWING.get(self.name, ALLOWED)

    def options(self, tolerance, method):
        end = ["--end", repr(self.reference.end)] if abs(self.end - self.reference.end) > 1e-12 else []
        return ["--tolerance", repr(tolerance), *method, "--sample", repr(self.reference.interval), *end]


def digits_of(path):
    """Significant digits of the numbers of a file: the most that any of its first rows has."""
    with open(path, encoding="ascii") as file:
        rows = [line for _, line in zip(range(40), file)][1:]
    numbers = [re.sub(r"e.*", "", n).replace("-", "").replace(".", "").lstrip("0") for row in rows for n in row.strip().split(",")[1:]]
    return min(17, max(len(n) for n in numbers))


def problem_of(path):
    folder = os.path.dirname(path)
    reference = size_and_place.Reference.of(folder)
    if reference is None:
        return None
    flat = models.load_flat(path)
    return Problem(models.name_of(path), path, reference, float(flat["method"].get("end", 10)), digits_of(os.path.join(folder, "reference.csv")), flat)


@dataclasses.dataclass
class Measured:
    """Largest errors of a run: absolute and relative, of motion and of all columns."""
    fault: str = ""
    absolute: float = math.nan
    motion: float = math.nan
    relative: float = math.nan
    column: str = ""
    steps: int = 0
    evaluations: int = 0
    milliseconds: float = math.nan
    method: str = ""


def ranges(reference, names):
    """What errors of a column are a part of: its range, its largest value, a thousandth of the largest of its sort."""
    found = {n: float(max(np.ptp(reference.rows[n]), np.abs(reference.rows[n]).max())) for n in names}
    largest = max(found.values(), default=1.0)
    return {n: max(r, 1e-3 * largest, 1e-300) for n, r in found.items()}


def measured(problem, outcome):
    report = outcome.report
    if outcome.code != 0:
        warnings = "; ".join(report.get("warnings", []))
        return Measured(f"{outcome.verdict}: {outcome.message() or warnings}")
    common = [n for n in problem.reference.rows if n != "time" and n in outcome.rows]
    motion, found = models.motion_outputs(problem.model, common), Measured()
    times = np.array(outcome.rows["time"])
    if len(times) != len(problem.reference.rows["time"]):
        return Measured(f"{len(times)} samples of {len(problem.reference.rows['time'])}")
    for sort in (motion, [n for n in common if n not in motion]):
        for name, span in ranges(problem.reference, sort).items():
            got, right = np.array(outcome.rows[name]), problem.reference.rows[name]
            got = got - size_and_place.whole_turns(got[0] - right[0])
            off = float(np.abs(got - right).max())
            off = off if math.isfinite(off) else math.inf
            if not off / span <= found.relative:
                found.absolute, found.relative, found.column = off, off / span, name
        if sort is motion:
            found.motion = found.relative
    time, chosen = report["time"], report["method"]
    found.steps, found.evaluations, found.milliseconds = time["steps"], time["iterations"], 1e3 * time["total_s"]
    found.method = " ".join(str(chosen.get(k, "")) for k in ("coordinates", "formulation", "integrator"))
    return found


def accuracy_faults(problem, by_tolerance):
    """What is wrong with the runs of one problem, by tolerance (the largest first)."""
    faults, before = {}, None
    for tolerance, run in by_tolerance.items():
        found = [run.fault] if run.fault else []
        if not run.fault and run.relative > max(problem.allowed * tolerance, problem.floor):
            found.append(f"error {run.relative:.1e} of {run.column}, allowed {problem.allowed * tolerance:.0e}")
        if not run.fault and before is not None and run.relative > max(before, problem.floor):
            found.append(f"error grows from {before:.1e} to {run.relative:.1e} with a smaller tolerance")
        before = run.relative if not run.fault else before
        faults[tolerance] = found
    return faults


def accuracy(sarrus, problems, tolerances, options):
    """Prints the table; the number of faults."""
    tasks = [(p, t) for p in problems for t in tolerances]
    method = options.method.split()
    go = lambda task: measured(task[0], sarrus.run(task[0].path, *task[0].options(task[1], method)))  # noqa: E731
    results, bad = collections.defaultdict(dict), 0
    print(f"{'problem':24} {'tol':>6} {'error':>8} {'/tol':>8} {'motion':>8} {'absolute':>8} {'steps':>6} {'evals':>7} {'ms':>7}  column, method, faults")
    for (problem, tolerance), run in zip(tasks, program.in_parallel(options.jobs, go, tasks)):
        results[problem.name][tolerance] = run
        if tolerance != tolerances[-1]:
            continue
        faults = accuracy_faults(problem, results[problem.name])
        for tol, one in results[problem.name].items():
            bad += len(faults[tol])
            words = "".join(f"  BAD: {f[:150]}" for f in faults[tol])
            print(f"{problem.name:24} {tol:6.0e} {one.relative:8.1e} {one.relative / tol:8.1e} {one.motion:8.1e} {one.absolute:8.1e} {one.steps:6} "
                  f"{one.evaluations:7} {one.milliseconds:7.1f}  {one.column}, {one.method}{words}", flush=True)
        print(f"{'':24} reference: {problem.digits} digits printed, errors below {problem.floor:.0e} are not judged")
    return bad


def changed(problem, options):
    """(change, model) of every likeness; the model is None where the format cannot say it."""
    for change in size_and_place.changes(problem.model["dimension"]):
        if options.changes and not any(c in change.name for c in options.changes):
            continue
        try:
            yield change, sim.transformed(problem.model, change)
        except sim.Unsupported:
            yield change, None


def likeness_fault(problem, base, run):
    if run.fault or base.fault:
        return "" if run.fault == base.fault else run.fault or "completes, the original does not"
    found = []
    if abs(run.steps - base.steps) > max(1, 0.01 * base.steps):
        found.append(f"steps {base.steps} -> {run.steps}")
    low, high = sorted((base.motion, run.motion))
    if high > FACTOR * low + problem.floor:
        found.append(f"error {base.motion:.1e} -> {run.motion:.1e}")
    return ", ".join(found)


def sizes_and_places(sarrus, problems, options):
    """Compares every likeness with the original; the number of faults."""
    bad, count, left_out = 0, 0, 0
    for problem in problems:
        given = problem.options(options.likeness, options.method.split())
        tasks = [(None, problem.model)] + [(c, m) for c, m in changed(problem, options) if m is not None]
        left_out += sum(1 for _, m in changed(problem, options) if m is None)
        runs = list(program.in_parallel(options.jobs, lambda task: measured(problem, sarrus.run(task[1], *given)), tasks))
        for (change, model), run in list(zip(tasks, runs))[1:]:
            count += 1
            fault = likeness_fault(problem, runs[0], run)
            if fault:
                bad += 1
                print(f"{problem.name:24} {change.name:16} {fault[:180]}", flush=True)
                program.keep(options.keep, f"{problem.name}-{change.name}", model, " ".join(given) + "\n" + fault)
    print(f"{count} likenesses at tolerance {options.likeness:g}, {bad} differ; {left_out} cannot be said in the format")
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    program.add_options(parser)
    parser.add_argument("--problems", default="", help="names, by commas (default: all)")
    parser.add_argument("--tolerance", default="1e-4,1e-6,1e-8,1e-10", help="by commas, falling")
    parser.add_argument("--likeness", type=float, default=1e-8, help="tolerance of the runs in other sizes and places (default 1e-8)")
    parser.add_argument("--changes", default="", help="parts of names of changes, by commas: length, mass, askew, turned ..; '-': none")
    parser.add_argument("--method", default="", help="more options of all runs (default: none)")
    options = parser.parse_args()
    options.changes = [c for c in options.changes.split(",") if c]
    paths = [p for p in sorted(glob.glob(os.path.join(options.root, "problems", "*", "model.yaml")))
             if models.stands_alone(p) and (not options.problems or models.name_of(p) in options.problems.split(","))]
    problems = [p for p in map(problem_of, paths) if p]
    sarrus = program.Program(options.program, options.timeout)
    os.nice(10)
    bad = accuracy(sarrus, problems, sorted((float(t) for t in options.tolerance.split(",")), reverse=True), options)
    print()
    bad += sizes_and_places(sarrus, problems, options) if options.changes != ["-"] else 0
    print(f"\n{bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
