#!/usr/bin/env python3
"""Designs with closed forms, limits over whole runs, the examples of examples/design, sizes, several starts and bad input.

Usage: test_optimise.py PROGRAM SOURCE_ROOT
"""
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FOLDER = tempfile.mkdtemp(prefix="sarrus-optimise-")
FAULTS = []
SPRING = """sarrus: 1
name: spring
dimension: 2
parameters: {m: 1.5, k: 40, c: 3, l: 2, s0: 0.4, q: 0.2}
bodies:
  block: {mass: m, inertia: 0.2, position: [l + s0, 0], angle: 0}
joints:
  rail: {type: prismatic, between: [ground.origin, block.origin], axis: [ground.x, block.x]}
forces:
  coil: {type: spring, between: [ground.origin, block.origin], stiffness: k, damping: c, length: l}
outputs: {stretch: rail.displacement - l}
method: {end: 6}
"""


def check(condition, text):
    if not condition:
        FAULTS.append(text)
        print("FAULT:", text)


def write(name, text):
    path = os.path.join(FOLDER, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def optimise(model, *options, codes=(0,)):
    done = subprocess.run([PROGRAM, "optimise", model, "--json", *options], capture_output=True, text=True)
    if done.returncode not in codes:
        raise SystemExit(f"{model} {options}: {done.returncode} {done.stdout} {done.stderr}")
    report = json.loads(done.stdout)
    report["number"] = {n["name"]: n["value"] for n in report["numbers"]}
    return report


def example(name):
    return os.path.join(ROOT, "examples", "design", name + ".yaml")


def damping():
    """Integral of the squared stretch: s0^2 (c/2k + m/2c), least at c = sqrt(k m)."""
    model = write("spring.yaml", SPRING)
    best = math.sqrt(40*1.5)
    for extra in ([], ["--differences"], ["--coordinates", "natural"]):
        found = optimise(model, "-m", "integral((rail.displacement - l)^2)", "--free", "c=0.5:50", "--samples", "400", *extra)
        check(abs(found["number"]["c"] - best) < 2e-3*best, f"c = {found['number']['c']}, closed form {best}")
        check(abs(found["after"] - 0.16*(best/80 + 1.5/(2*best))) < 1e-5, f"objective {found['after']}")
    check(found["search"]["solver"] == "bfgs", "one number without limits is not by BFGS")


def limits_over_a_run():
    """The least damping that overshoots by 5 % at most: exp(-pi z/sqrt(1 - z^2)) = 0.05."""
    model = write("spring.yaml", SPRING)
    log = math.log(20)
    best = 2*math.sqrt(40*1.5)*log/math.sqrt(math.pi**2 + log**2)
    found = optimise(model, "-m", "c", "--limit", "rail.displacement - l >= -0.02", "--free", "c=0.5:50", "--samples", "600", "--end", "2")
    check(abs(found["number"]["c"] - best) < 1e-3*best, f"c = {found['number']['c']}, closed form {best}")
    check(found["limits"][0]["active"], "the limit is not active")
    found = optimise(model, "-m", "c", "--limit", "min(rail.displacement) - l >= -0.02", "--free", "c=0.5:50", "--samples", "600", "--end", "2", codes=(0, 6))
    check(abs(found["number"]["c"] - best) < 1e-3*best, f"c = {found['number']['c']} by min(), closed form {best}")
    found = optimise(model, "-m", "rms(0)", "--limit", "end(rail.displacement) = l + 0.1", "--limit", "c = 3", "--free", "c=0.5:50", "--free", "k=10:80",
                     "--end", "0.3", codes=(0, 6))
    check(found["violation"] < 1e-7 and abs(found["number"]["c"] - 3) < 1e-6, f"equalities: {found['violation']}")


def largest():
    """The best constant for t^2 on 0 ... 1 is 1/2, off by 1/2; of parameters alone there is one limit, not one for each sample."""
    model = write("spring.yaml", SPRING)
    found = optimise(model, "-m", "max(abs(t^2 - q))", "--free", "q=0:1", "--end", "1")
    check(abs(found["number"]["q"] - 0.5) < 1e-6 and abs(found["after"] - 0.5) < 1e-6, f"q = {found['number']['q']}")
    found = optimise(model, "-m", "rms(t - q)", "--limit", "q <= 0.25", "--free", "q", "--end", "1")
    check(abs(found["number"]["q"] - 0.25) < 1e-7, f"a limit of a parameter: {found['number']['q']}")


LINE = ["--kinematics", "-m", "rms(coupler.P.y - height)", "--limit", "end(coupler.P.x) - start(coupler.P.x) <= -1.2",
        "--limit", "abs(sin(C.angle)) >= 0.5", "--samples", "20"]
DIMENSIONS = ["crank=0.2:2", "coupler=0.2:3", "rocker=0.2:3", "ground_x=-3:3", "ground_y=-2:2", "point_x=-3:3", "point_y=-3:3"]


def free(names):
    return [word for name in names for word in ("--free", name)]


def straight_line():
    """A line of 1.2 m from a bad four-bar, below 1e-4 m: between the samples too."""
    found = optimise(example("straight-line"), *LINE, *free(DIMENSIONS + ["height", "from", "to"]))
    check(found["before"] > 0.1 and found["after"] < 1e-4, f"line: {found['before']} -> {found['after']}")
    check(found["violation"] < 1e-8, f"line: the limits are broken by {found['violation']}")
    out = os.path.join(FOLDER, "line.csv")
    settings = [f"--set={name}={value!r}" for name, value in found["number"].items()]
    subprocess.run([PROGRAM, "kinematics", example("straight-line"), "--sample", "0.002", "-o", out, *settings], check=True, capture_output=True)
    rows = [list(map(float, line.split(","))) for line in open(out, encoding="utf-8") if line[0].isdigit()]
    mean = sum((row[2] - found["number"]["height"])**2 for row in rows)/len(rows)
    check(math.sqrt(mean) < 1e-4, f"line at 500 places: {math.sqrt(mean)}")
    check(abs(rows[0][1] - rows[-1][1]) > 1.2 - 1e-7, "the line is too short")
    print(f"line: {found['before']:.3g} m -> {found['after']:.3g} m, {found['search']['iterations']} steps")


def sizes():
    """The same in millimetres and kilometres: tolerances are in units of the problem. 0.05 is a regression limit: a narrow valley is
    followed by 40 steps, and rounding decides which."""
    text = open(example("straight-line"), encoding="utf-8").read()
    objectives = []
    for unit in (1.0, 1e-3, 1e3):
        scaled = re.sub(r"^(  (?:crank|coupler|rocker|ground_x|ground_y|point_x|point_y|height): )([\d.]+)",
                        lambda m: f"{m[1]}{float(m[2])*unit!r}", text, flags=re.M)
        names = [re.sub(r"[-\d.]+(?=:|$)", lambda m: repr(float(m[0])*unit), name) if "=" in name else name for name in DIMENSIONS]
        line = [word.replace("-1.2", repr(-1.2*unit)) for word in LINE]
        found = optimise(write("scaled.yaml", scaled), *line, *free(names + ["height", "from", "to"]), "--iterations", "40", codes=(0, 6))
        objectives.append(found["after"]/unit)
    print("sizes:", objectives)
    check(max(objectives) < 0.05, f"sizes: {objectives}")


def examples():
    found = optimise(example("double-wishbone"), "--kinematics", "-m", "rms(upright.roll - 0.35*(upright.origin.z - 0.3))", "-m", "rms(upright.yaw)",
                     *free(["upper_y=0.3:0.6", "upper_z=0.4:0.6", "rod_y=0.3:0.5", "rod_z=0.2:0.4"]), "--samples", "40")
    check(found["before"] > 0.04 and found["after"] < 1e-4, f"wishbone: {found['after']}")
    found = optimise(example("constant-force"), "--kinematics", "-m", "rms(press.force - 100)",
                     *free(["k=500:20000", "free=0.1:0.5", "anchor_x=-0.5:0.6", "anchor_y=-0.3:0.8", "arm=0.1:0.3"]), "--samples", "40",
                     "--starts", "6", "--iterations", "200", codes=(0, 6))
    check(found["before"] > 50 and found["after"] < 0.1, f"constant force: {found['after']}")
    check(len(found["starts"]) == 6 and min(found["starts"]) == found["after"], f"the best start was not kept: {found['starts']}")
    again = optimise(example("constant-force"), "--kinematics", "-m", "rms(press.force - 100)", *free(["k=500:20000", "free=0.1:0.5"]), "--starts", "3")
    check(again == optimise(example("constant-force"), "--kinematics", "-m", "rms(press.force - 100)", *free(["k=500:20000", "free=0.1:0.5"]),
                            "--starts", "3"), "the same search gives other bits")
    found = optimise(example("gait-leg"), "--kinematics", "-m", "rms(off_line)", "-m", "rms(0.2*(t < 0.501)*(shank.foot.x - middle - pace*(t - 0.25)))",
                     *free(["a=0.3:0.5", "l=0:0.2", "b=0.3:0.5", "c=0.3:0.5", "d=0.3:0.5", "e1=0.4:0.7", "f=0.3:0.5", "g=0.25:0.5", "h=0.5:0.8",
                            "i=0.4:0.6", "j=0.4:0.6", "k=0.5:0.7", "level", "middle", "pace", "phase"]),
                     "--limit", "max(shank.foot.y) >= level + 0.15", "--limit", "pace >= 1.1", "--samples", "60", "--iterations", "60", codes=(0, 6))
    check(found["before"] > 0.02 and found["after"] < 0.003, f"gait leg: {found['after']}")


def best_of_starts():
    """The state has the best numbers, not those of the last search."""
    model, state = write("spring.yaml", SPRING), os.path.join(FOLDER, "starts-state")
    found = optimise(model, "-m", "end(rail.speed)", "--free", "k=5:400", "--free", "c=0.1:3", "--starts", "5", "--samples", "40", "--end", "3", "--state", state)
    kept = dict(line.split() for line in open(state, encoding="utf-8") if not line.startswith("#"))
    check(all(float(kept[name]) == value for name, value in found["number"].items()), f"{kept} kept, {found['number']} found")


def no_minimum():
    """Objectives that nothing changes, that fall for ever, and whose best place is the end of what a model can be."""
    model = write("spring.yaml", SPRING)
    for options, code, words in ((["-m", "3", "--free", "c=0:9"], 6, "nothing to optimise"), (["-m", "-m", "--free", "m"], 6, "grows without end"),
                                 (["-m", "m", "--free", "m"], 0, "at its bound"), (["-m", "end(stretch^2)", "--free", "c=0:9"], 0, "")):
        done = subprocess.run([PROGRAM, "optimise", model, "--end", "0.5", *options], capture_output=True, text=True)
        check(done.returncode == code and words in done.stdout, f"{options}: {done.returncode} {done.stderr} {done.stdout}")


def files_and_bad_input():
    model = write("spring.yaml", SPRING)
    picture = os.path.join(FOLDER, "after.svg")
    optimise(model, "-m", "end(rail.speed)", "--free", "c=1:5", "--end", "0.2", "-o", picture)
    check(open(picture, encoding="utf-8").read().startswith("<svg"), "no picture")
    for options, code, words in ((["--free", "c"], 2, "minimise"), (["-m", "c"], 2, "--free"), (["-m", "c", "--free", "zz"], 2, "no number"),
                                 (["-m", "rms(rail.speed", "--free", "c"], 2, "parenthesis"), (["-m", "rms(nobody.x)", "--free", "c"], 3, "nobody"),
                                 (["-m", "c", "--free", "c", "--limit", "c"], 2, "limit"), (["-m", "c", "-m", "k", "--free", "c"], 2, "rms"),
                                 (["-m", "c", "--free", "c", "--starts", "0"], 2, "from 1 to"), (["-m", "c", "--free", "c", "--search", "best"], 2, "nlopt"),
                                 (["-m", "c", "--free", "c", "--kinematics"], 1, "every start"),
                                 (["-m", "c", "--free", "c=0:1", "--limit", "c >= 2", "--end", "0.1"], 6, "")):
        done = subprocess.run([PROGRAM, "optimise", model, *options], capture_output=True, text=True)
        check(done.returncode == code and words in done.stderr, f"{options}: {done.returncode} {done.stderr} {done.stdout}")


for test in (damping, limits_over_a_run, largest, straight_line, sizes, examples, best_of_starts, no_minimum, files_and_bad_input):
    began = time.monotonic()
    test()
    print(f"{test.__name__}: {time.monotonic() - began:.1f} s")
sys.exit(len(FAULTS) > 0)
