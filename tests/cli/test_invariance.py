"""What must not change a motion does not: the order of bodies and joints, and a joint said twice.

    python3 test_invariance.py PROGRAM SOURCE_ROOT
"""
import copy
import glob
import os
import random
import sys

ROOT = os.path.abspath(sys.argv[2])
sys.path.insert(0, os.path.join(ROOT, "tools", "trust"))
import built  # noqa: E402
import program  # noqa: E402
from models import load, motion_outputs, name_of  # noqa: E402

SARRUS = program.Program(sys.argv[1], timeout=3600)
random.seed(20240229)
failures = []

PROBLEMS = ["bricard", "four-bar", "spatial-double-pendulum", "chain", "ladder", "tree", "n-four-bar",
            "slider-crank-1", "slider-crank-2", "pendulum", "andrews"]
MODELS = [os.path.join(ROOT, "problems", p, "model.yaml") for p in PROBLEMS]
MODELS += sorted(glob.glob(os.path.join(ROOT, "tests", "models", "*.yaml")))

END = 0.3  # [s], 300 steps: an order that matters shows in the first of them, and what rounding does grows from then on
# Before the first singular configuration; from then on rounding is magnified (see tests/verify/simulation/test_placement.c)
DRAWN_ROUGHLY = {"slider-crank-universal"}
BEFORE_SINGULAR = {"andrews": 0.01}  # the others pass theirs after END


def shuffled(model):
    """Bodies and joints in another order, in the repeated parts too."""
    result = copy.deepcopy(model)
    for part in [result] + result.get("repeat", []):
        for section in ["bodies", "joints"]:
            keys = list(part.get(section, {}))
            random.shuffle(keys)
            if section in part:
                part[section] = {key: part[section][key] for key in keys}
    return result


def doubled(model, joint, again):
    result = copy.deepcopy(model)
    result["joints"][again] = copy.deepcopy(result["joints"][joint])
    for name, force in model.get("forces", {}).items():  # friction under the load of a joint: each has half of it
        if force.get("joint") == joint and force.get("preload") == "reaction":
            result["forces"][f"{name}_{again}"] = {**force, "joint": again}
    return result


def run(model, end, *options):
    """Columns of the outputs by name; a failed run raises."""
    done = SARRUS.run(model, "--end", str(end), *options)
    if done.code != 0:
        raise RuntimeError(done.said or done.verdict)
    return done.rows


def largest_difference(a, b, names):
    return max(abs(x - y) for name in names for x, y in zip(a[name], b[name], strict=True))


def compare(what, before, after, names, tolerance):
    got = largest_difference(before, after, names)
    if not got <= tolerance:
        failures.append(f"{what}: outputs differ by {got:.3g}, wanted at most {tolerance:g}")


def check_model(path, what, options, tolerance):
    name, model = name_of(path), load(path)
    end = BEFORE_SINGULAR.get(name, END)
    options = options + ["--step", "1e-5" if name == "andrews" else "1e-3"]
    if "constraints" in model or any(j["type"].startswith("rolling") for j in model.get("joints", {}).values()):
        options += ["--newton-tolerance", "1e-11"]  # what an iteration leaves adds up in what rolls
    before = run(model, end, *options)
    names = motion_outputs(model, before)
    compare(f"{name} {what}, reordered", before, run(shuffled(model), end, *options), names, tolerance)
    for joint in list(model.get("joints", {}))[:2]:
        if "between" not in model["joints"][joint] or name in DRAWN_ROUGHLY:
            continue  # gears and couplers; and what is said twice weighs more where a start has to be found
        twice = run(doubled(model, joint, "said_twice"), end, *options)
        compare(f"{name} {what}, {joint} twice", before, twice, names, tolerance)


def check_split_reaction(problem, joint, coordinates):
    """The reactions of a doubled joint add up to the single one's."""
    model = load(os.path.join(ROOT, "problems", problem, "model.yaml"))
    parts = ["fx", "fy"] + (["fz"] if model["dimension"] == "3" else [])
    twice = doubled(model, joint, "twin")
    for p in parts:
        model["outputs"]["sum_" + p] = f"{joint}.{p}"
        twice["outputs"]["sum_" + p] = f"{joint}.{p} + twin.{p}"
    end = BEFORE_SINGULAR.get(problem, END)
    options = ["--coordinates", coordinates, "--step", "1e-3"]
    single, both = run(model, end, *options), run(twice, end, *options)
    compare(f"{problem} {coordinates}, sum of reactions in {joint}", single, both, ["sum_" + p for p in parts], 1e-4)


METHODS = [("natural", ["--coordinates", "natural"], 1e-8), ("cartesian", ["--coordinates", "cartesian"], 1e-8),
           ("cartesian without penalty", ["--coordinates", "cartesian", "--alpha", "inf"], 1e-8)]
for path, (what, options, tolerance) in built.take_turns(sys.argv[1], MODELS, METHODS):
    try:
        check_model(path, what, options, tolerance)
    except RuntimeError as reason:
        failures.append(f"{name_of(path)} {what}: {reason}")
for problem, joint in [("spatial-double-pendulum", "J1"), ("four-bar", "J1"), ("slider-crank-1", "O"), ("chain", "J1")]:
    for kind in ["natural", "cartesian"]:
        try:
            check_split_reaction(problem, joint, kind)
        except RuntimeError as reason:
            failures.append(f"{problem} {kind}, reactions: {reason}")
for line in failures:
    print(line)
print(f"{len(MODELS)} models, {len(failures)} failures")
sys.exit(1 if failures else 0)
