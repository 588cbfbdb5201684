#!/usr/bin/python3
"""Nothing depends on size or place: the same mechanism larger, heavier, elsewhere and turned makes the same motion.

    tools/trust/size_and_place.py [--problems a,b] [--methods ..] [--coordinates ..] [--changes ..] [-j 2]

Every problem is written anew with other lengths, masses, place and orientation (similarity.py), run by every method, and
compared with the run of the original: verdict, singular passes, branch changes, kinds of warnings, and the error against the
problem's reference (within a factor of 2). Exit code 1 when something differs.
"""
import argparse
import collections
import csv
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

METHODS = {
    "default": [],
    "LMD-midpoint": ["--preset", "LMD-midpoint"],
    "hybrid": ["--preset", "hybrid"],
    "variable": ["--integrator", "trapezoidal-variable", "--tolerance", "1e-6"],
    "ALi3pvs": ["--preset", "ALi3pvs"],
}
FLOOR = 1e-7   # differences below this part of an output's size are rounding, and what iterations leave
FACTOR = 2.0   # of the original's error


def changes(dimension):
    """All changes of size and place, by name."""
    found = [sim.Similarity(f"length {s}", length=float(s)) for s in ("1e-3", "1e-2", "1e2", "1e3")]
    found += [sim.Similarity(f"mass {s}", mass=float(s)) for s in ("1e-6", "1e-3", "1e3", "1e6")]
    away = [("1000 m along x", [1000, 0, 0]), ("1000 m along -y", [0, -1000, 0]), ("1000 m askew", [600, -640, 480])]
    found += [sim.Similarity(name, shift=np.array(d, float)) for name, d in away]
    if dimension == 2:
        found += [sim.Similarity("quarter turn", turn=np.array([[0.0, -1.0], [1.0, 0.0]])),
                  sim.Similarity("turned", turn=sim.axis_angle([0, 0, 1], 0.7)[:2, :2])]
    else:
        found += [sim.Similarity("axes exchanged", turn=np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])),
                  sim.Similarity("turned", turn=sim.axis_angle([0.3, -0.8, 0.5], 2.1))]
    quarter = found[-2].turn
    found += [sim.Similarity("all: small", 1e-2, 1e4, quarter, np.array([200.0, -300.0, 100.0])),
              sim.Similarity("all: large", 5e2, 1e-5, quarter, np.array([-2e5, 1e5, 3e5]))]
    return found


@dataclasses.dataclass
class Reference:
    rows: dict
    interval: float
    end: float

    @staticmethod
    def of(folder):
        path = os.path.join(folder, "reference.csv")
        if not os.path.exists(path):
            return None
        with open(path, newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file))
        rows = {name: np.array([float(line[k]) for line in lines[1:]]) for k, name in enumerate(lines[0])}
        return Reference(rows, float(rows["time"][1] - rows["time"][0]), float(rows["time"][-1]))


def relative_error(rows, wanted, names):
    """Largest difference of an output, as a part of its largest value (or of a thousandth of the largest of all)."""
    worst, time = 0.0, np.array(rows["time"])
    largest = max((np.abs(wanted[name]).max() for name in names), default=0)
    for name in names:
        right = np.interp(time, wanted["time"], wanted[name])
        got = np.array(rows[name])
        got -= whole_turns(got[0] - right[0])
        difference = np.abs(got - right).max() / max(np.abs(right).max(), 1e-3 * largest, 1e-300)
        worst = max(worst, difference) if math.isfinite(difference) else math.inf
    return worst


def whole_turns(offset):
    """An angle that is drawn at a half turn may be counted from either side."""
    turns = round(offset / (2 * math.pi))
    return 2 * math.pi * turns if abs(offset - 2 * math.pi * turns) < 1e-6 else 0.0


def kind_of(warning):
    return re.sub(r"[-+]?\d[\d.]*(e[-+]?\d+)?", "#", warning)[:40]


@dataclasses.dataclass
class Case:
    problem: str
    method: str
    coordinates: str
    change: sim.Similarity | None
    model: dict | None
    why_not: str = ""


@dataclasses.dataclass
class Study:
    """What one problem needs: its flat model and its reference."""
    path: str
    model: dict
    reference: Reference | None
    end: float

    def options(self, method, coordinates):
        end = ["--end", repr(self.end)]
        sample = ["--sample", repr(self.reference.interval if self.reference else self.end / 1000)]
        return METHODS[method] + (["--coordinates", coordinates] if coordinates else []) + end + sample


def study_of(path, longest):
    model, reference = models.load_flat(path), Reference.of(os.path.dirname(path))
    end = min(float(model["method"].get("end", 10)), longest)
    if reference:
        end = min(end, reference.end)
    return Study(path, model, reference, end)


def passes(outcome):
    return [p["t"] for p in outcome.report.get("singular_passes", [])]


def differences(study, base, got):
    """What differs between the run of the original and that of its likeness, in words."""
    found = []
    if got.code != base.code:
        return [f"{base.verdict} -> {got.verdict}: {got.message()[:150]}"]
    if got.code != 0:
        return []
    before, after = passes(base), passes(got)
    if len(before) != len(after):
        found.append(f"{len(before)} -> {len(after)} singular passes")
    elif before and max(abs(a - b) for a, b in zip(before, after)) > 1e-3 * study.end:
        found.append(f"singular passes shift by {max(abs(a - b) for a, b in zip(before, after)):.2g} s")
    branches = [len(o.report.get("branch_changes", [])) for o in (base, got)]
    if branches[0] != branches[1]:
        found.append(f"{branches[0]} -> {branches[1]} branch changes")
    warnings = [{kind_of(w) for w in o.report.get("warnings", [])} for o in (base, got)]
    if warnings[0] != warnings[1]:
        found.append("warnings differ: " + "; ".join(sorted(warnings[0] ^ warnings[1])))
    return found + error_difference(study, base, got)


def error_difference(study, base, got):
    names = models.motion_outputs(study.model, [n for n in base.rows if n != "time"])
    if not study.reference:
        error = relative_error(got.rows, base.rows, names)
        return [f"differs by {error:.1e}"] if error > 1e-5 else []
    names = [n for n in names if n in study.reference.rows]
    errors = [relative_error(o.rows, study.reference.rows, names) for o in (base, got)]
    low, high = min(errors), max(errors)
    return [f"error {errors[0]:.1e} -> {errors[1]:.1e}"] if not high <= FACTOR * low + FLOOR else []


def cases_of(study, options):
    name = models.name_of(study.path)
    for method in options.methods:
        for coordinates in options.coordinates:
            yield Case(name, method, coordinates, None, study.model)
            for change in changes(study.model["dimension"]):
                if options.changes and not any(c in change.name for c in options.changes):
                    continue
                try:
                    yield Case(name, method, coordinates, change, sim.transformed(study.model, change))
                except sim.Unsupported as reason:
                    yield Case(name, method, coordinates, change, None, str(reason))


def survey(sarrus, paths, options):
    """(case, list of differences) of every run; differences is None where a change cannot be said."""
    studies = {models.name_of(p): study_of(p, options.longest) for p in paths}
    cases = [c for s in studies.values() for c in cases_of(s, options)]

    def go(case):
        if case.model is None:
            return None
        return sarrus.run(case.model, *studies[case.problem].options(case.method, case.coordinates))

    base = None
    for case, outcome in zip(cases, program.in_parallel(options.jobs, go, cases)):
        if case.change is None:
            base = outcome
            yield case, [] if base.code in (0, 2) else [f"the original: {base.verdict}: {base.message()[:150]}"], base
        elif outcome is None:
            yield case, None, None
        else:
            yield case, differences(studies[case.problem], base, outcome), outcome


def report(results, options):
    """Prints a line for every difference and a summary; the number of differences."""
    bad, ran, skipped = collections.Counter(), 0, collections.Counter()
    for case, found, _ in results:
        if found is None:
            skipped[f"{case.problem}, {case.change.name}: {case.why_not}"] += 1
            continue
        ran += 1
        change = case.change.name if case.change else "as it is"
        where = f"{case.problem:24} {case.method:9} {case.coordinates or '-':10} {change:16}"
        for text in found:
            print(where, text, flush=True)
            bad[f"{case.method:9} {change}"] += 1
        if found and case.change:
            program.keep(options.keep, f"{case.problem}-{case.method}-{change}", case.model, "\n".join(found))
    print(f"\n{ran} runs, {sum(bad.values())} differences" + ("" if not bad else ", by method and change:"))
    for key, count in sorted(bad.items()):
        print(f"{count:6}  {key}")
    for key in skipped:
        print(f"left out: {key}")
    return sum(bad.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    program.add_options(parser)
    parser.add_argument("--problems", default="", help="names, by commas (default: all)")
    parser.add_argument("--models", nargs="*", default=[], help="model files besides")
    parser.add_argument("--methods", default=",".join(METHODS), help=f"of {', '.join(METHODS)}")
    parser.add_argument("--coordinates", default="", help="by commas (default: those of the method)")
    parser.add_argument("--changes", default="", help="parts of names of changes, by commas: length, 1e3, askew, turned ...")
    parser.add_argument("--longest", type=float, default=math.inf, help="end runs at this time [s] at the latest")
    options = parser.parse_args()
    for key in ("methods", "coordinates", "changes"):
        setattr(options, key, [w for w in getattr(options, key).split(",") if w])
    options.coordinates = options.coordinates or [""]
    paths = [p for p in sorted(glob.glob(os.path.join(options.root, "problems", "*", "model.yaml")))
             if models.stands_alone(p) and (not options.problems or models.name_of(p) in options.problems.split(","))]
    if options.models and not options.problems:
        paths = []
    sarrus = program.Program(options.program, options.timeout)
    os.nice(10)
    return 1 if report(survey(sarrus, paths + options.models, options), options) else 0


if __name__ == "__main__":
    sys.exit(main())
