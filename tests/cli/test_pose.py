#!/usr/bin/env python3
"""Poses: a sample of the targets of tools/trust/poses.py; what is preferred, kept and written; what is refused; Ctrl-C.

Usage: test_pose.py PROGRAM SOURCE_ROOT [TARGETS]: 12 of each robot unless told
"""
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time

from built import sanitized

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path.insert(0, os.path.join(ROOT, "tools", "trust"))
import poses  # noqa: E402
import program  # noqa: E402

COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 4 if sanitized(PROGRAM) else 12
FOLDER = tempfile.mkdtemp(prefix="sarrus-pose-")
FAULTS = []


def check(condition, text):
    if not condition:
        FAULTS.append(text)
        print("FAULT:", text)


def path_of(name, text):
    path = os.path.join(FOLDER, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def pose(model, *options, codes=(0, 6)):
    done = subprocess.run([PROGRAM, "pose", model, "--json", *options], capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        raise SystemExit(f"{model} {options}: {done.returncode} {done.stdout[:400]} {done.stderr}")
    return json.loads(done.stdout) if done.stdout else done.stderr


# ---- choices, starts, faults --------------------------------------------------------------------

CHAIN = """
sarrus: 1
name: chain
dimension: 2
bodies:
  a: {mass: 1, inertia: 0.1, position: [FAR, 0], angle: 0.3, points: {end: [S, 0]}}
  b: {mass: 1, inertia: 0.1, angle: 0.5, points: {end: [S, 0]}}
  c: {mass: 1, inertia: 0.1, angle: 0.7, points: {end: [S, 0]}}
joints:
  J1: {type: revolute, between: [ground.O, a.origin]}
  J2: {type: revolute, between: [a.end, b.origin]}
  J3: {type: revolute, between: [b.end, c.origin]}
ground: {points: {O: [FAR, 0]}}
parameters: {S: 1, FAR: 0}
start: {J1.rate: 2}
"""


def choices():
    """Three hinges, a point wanted: what is preferred decides, exactly where it can be had; the same at any size and place."""
    model = path_of("chain.yaml", CHAIN)
    for size, far in ((1.0, 0.0), (1e-3, 0.0), (1e3, 0.0), (1.0, 1000.0)):
        found = pose(model, "-s", f"S={size}", "-s", f"FAR={far}", "--want", f"c.end.x={far} + 1.5*S", "--want", "c.end.y=1.2*S", "--prefer", "c.angle=-20deg")
        check(found["verdict"] == "reached", f"chain {size} {far}: {found['verdict']}")
        angle = sum(found["start"][f"J{k}.angle"] for k in (1, 2, 3))
        check(abs(angle + math.radians(20)) < 1e-6, f"chain {size} {far}: c turned to {angle}")
    kept = pose(model, "--want", "c.end=[1.5, 1.2]", "--keep", "J1.angle")
    check(abs(kept["start"]["J1.angle"] - 0.3) < 1e-12 and kept["verdict"] == "reached", f"kept: {kept}")
    far = pose(model, "--want", "c.end.x=5")
    check(far["verdict"] == "not reached" and abs(far["rows"][0]["miss"] + 2) < 1e-9, f"stretched: {far['rows']}")
    there = os.path.join(FOLDER, "there.yaml")
    pose(model, "--want", "J1.angle=200deg", "--want", "J2.angle=400deg", "-o", there)
    run = subprocess.run([PROGRAM, "check", there, "--json"], capture_output=True, text=True, check=False)
    check(run.returncode == 0, f"the start that was written: {run.stderr}")
    again = pose(there, "--want", "J1.angle=200deg", "--want", "J2.angle=400deg")
    check(again["verdict"] == "reached" and again["iterations"] <= 3, f"the start that was written is elsewhere: {again}")


def faults():
    model = os.path.join(FOLDER, "chain.yaml")
    for options, text in (((), "what is wanted"), (("--want", "c.end.x"), "SIGNAL=VALUE"), (("--want", "c.end.vx=1"), "positions alone"),
                          (("--want", "c.edn.x=1"), "edn"), (("--want", "c.end=[1, 2, 3, 4]"), "numbers, as in"), (("--want", "c.end=[1, 2"), "numbers, as in"), (("--want", "pi=3"), "same in every pose"),
                          (("--want", "J1.angle=1, weight=-2"), "weight"), (("--want", "J1.angle=1", "--limit", "J2.angle=2:1"), "between"),
                          (("--want", "J1.angle=1", "--table", "nowhere.csv"), "nowhere.csv")):
        said = pose(model, *options, codes=(2,))
        said = said if isinstance(said, str) else json.dumps(said)
        done = subprocess.run([PROGRAM, "pose", model, *options], capture_output=True, text=True, check=False)
        check(done.returncode == 2 and text in done.stderr, f"{options}: {done.returncode} {done.stderr}")


def interrupted():
    """Ctrl-C keeps the poses that were found."""
    count, out = 100000, os.path.join(FOLDER, "found.csv")
    path = path_of("many.csv", "q1.angle\n" + "\n".join(str(0.5 * math.sin(k)) for k in range(count)) + "\n")
    begun = subprocess.Popen([PROGRAM, "pose", "puma", "--table", path, "-o", out, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.0)
    begun.send_signal(signal.SIGINT)
    found, said = begun.communicate()
    check(begun.returncode == 130 and "interrupted after" in said, f"interrupted: {begun.returncode} {said}")
    report = json.loads(found)
    with open(out, encoding="utf-8") as file:
        rows = len(file.read().splitlines()) - 1
    check(report["verdict"] == "interrupted" and 0 < report["poses"] == len(report["rows"]) == rows < count, f"interrupted: {rows} poses of {count}, {report['poses']}")
    print(f"interrupted after {rows} poses")


for robot in poses.ROBOTS.values():
    survey = poses.Survey(program.Program(PROGRAM), COUNT)
    print(robot(survey))
    FAULTS += survey.faults
    for fault in survey.faults:
        print("FAULT:", fault)
choices()
faults()
interrupted()
print(f"{len(FAULTS)} faults")
sys.exit(1 if FAULTS else 0)
