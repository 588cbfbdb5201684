"""Singular configurations, starts in them and stiff forces by the automatic method, as listed in tests/models/automatic/cases.json.

    python3 test_automatic_models.py PROGRAM SOURCE_ROOT [--strict] [--list]
"""
import csv
import json
import math
import os
import sys

import built
import not_yet
import program

FOLDER = os.path.join(not_yet.ROOT, "tests", "models", "automatic")
TOLERANCES = ["1e-6", "1e-9"]
FACTOR = 100.0      # of the tolerance
ROUGH = 1e-9        # references are right to this part of a range, or better
EXPLICIT = 5000     # steps: what is stiff needs more than that when it is not seen to be

# model, parameters, tolerance
NOT_YET = not_yet.names("")


def table(path):
    with open(path, newline="", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def wanted_of(case, times):
    """Right values of outputs at the times, by name; times are those of the reference where there is one."""
    wanted = {}
    if "reference" in case:
        wanted = table(os.path.normpath(os.path.join(FOLDER, case["reference"])))
        for copy, name in case.get("same", {}).items():
            wanted[copy] = wanted[name]
    for name, text in case.get("form", {}).items():
        wanted[name] = [eval(text, {"t": t, "pi": math.pi, "cos": math.cos}) for t in wanted.get("time", times)]  # noqa: S307
    return wanted


def interval_of(case):
    if "reference" not in case:
        return 0.01
    times = table(os.path.normpath(os.path.join(FOLDER, case["reference"])))["time"]
    return times[1] - times[0]


def worst(outcome, wanted):
    """The output that is off most, as a part of its range or of one radian or metre if that is more."""
    found = (0.0, "")
    for name in wanted:
        if name == "time" or name not in outcome.rows:
            continue
        got, right = outcome.rows[name], wanted[name]
        if len(got) != len(right):
            return math.inf, f"{name}: {len(got)} samples of {len(right)}"
        off = max(abs(g - r) if math.isfinite(g) else math.inf for g, r in zip(got, right))
        found = max(found, (off / max(max(right) - min(right), 1.0), name))
    return found


def passes(report):
    """Instants of passages, those of two loops at once counted once."""
    times = sorted(p["t"] for p in report.get("singular_passes", []))
    return sum(1 for k, t in enumerate(times) if k == 0 or t - times[k - 1] > 1e-7)


def refusal_fault(case, outcome):
    if outcome.code == 0 and not outcome.report.get("warnings"):
        return "completed without a word"
    told = outcome.message() + " ".join(outcome.report.get("warnings", []))
    if case.get("says", "") not in told:
        return f"does not say '{case['says']}': {told}"
    return "" if len(told) > 20 else f"no reason given: {told}"


def fault_of(case, tolerance, outcome):
    if outcome.code is None or outcome.code < 0:
        return outcome.verdict
    if case["outcome"] == "refused":
        return refusal_fault(case, outcome)
    if outcome.code != 0:
        return refusal_fault(case, outcome) if "refused" in case["outcome"] else f"{outcome.verdict}: {outcome.message()}"
    off, where = worst(outcome, wanted_of(case, outcome.rows["time"]))
    if not off <= FACTOR * float(tolerance) * case.get("growth", 1) + ROUGH:
        return f"{where} off by {off:.1e}"
    if "passes" in case and passes(outcome.report) != case["passes"]:
        return f"{case['passes']} passages, told {passes(outcome.report)}"
    drawing = [w for w in outcome.report["warnings"] if "the drawing misses" in w]
    if drawing:
        return drawing[0]  # all are exact
    if case.get("stiff") and outcome.report["time"]["steps"] > EXPLICIT:
        return f"{outcome.report['time']['steps']} steps: not seen to be stiff"
    return ""


def dear(sarrus, path, options, outcome):
    """Whether it took more than three times the evaluations of the better one of the two integrators."""
    counts = []
    for integrator in ("dop853", "radau"):
        other = sarrus.run(path, *options, "--formulation", "chart", "--integrator", integrator)
        counts += [other.report["time"]["iterations"]] if other.code == 0 else []
    own = outcome.report["time"]["iterations"]
    return f"{own} evaluations, {min(counts)} by the better integrator" if counts and own > 3 * min(counts) else ""


def results():
    sarrus = program.Program(not_yet.PROGRAM)
    with open(os.path.join(FOLDER, "cases.json"), encoding="ascii") as file:
        cases = json.load(file)
    both = sarrus.knows("radau")
    for case, tolerance in built.take_turns(not_yet.PROGRAM, cases, TOLERANCES):
        path = os.path.join(FOLDER, case["model"] + ".yaml")
        settings = [word for text in case.get("set", []) for word in ("--set", text)]
        options = ["--tolerance", tolerance, "--sample", repr(interval_of(case)), *settings]
        outcome = sarrus.run(path, "--preset", "auto", *options)
        fault = fault_of(case, tolerance, outcome)
        if both and case.get("stiff") and tolerance == TOLERANCES[0] and outcome.code == 0 and not fault:
            fault = dear(sarrus, path, options, outcome)
        yield " ".join([case["model"], *case.get("set", []), tolerance]), fault


if __name__ == "__main__":
    sys.exit(not_yet.settle(results(), NOT_YET))
