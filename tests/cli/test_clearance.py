#!/usr/bin/env python3
"""Clearances over a run against closed forms: a ball that falls past a plate, a rod that turns past a ball, in any coordinates, at any size and place.

Usage: test_clearance.py PROGRAM SOURCE_ROOT
"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
FOLDER = tempfile.mkdtemp(prefix="sarrus-clearance-")
FAULTS = []

MODEL = """
sarrus: 1
name: gaps
dimension: 3
parameters: {S: 1, FAR: 0}
gravity: [0, 0, -9.81*S]
ground:
  shape: {type: box, size: [4*S, 4*S, 0.2*S], center: [FAR, 0, -0.1*S]}
bodies:
  ball: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [FAR - 1.2*S, 0, 2*S], shape: {type: sphere, radius: 0.3*S}}
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [FAR + S, 0, 2*S], rotation: {rpy: [0, 0, 0]}, shape: {type: capsule, radius: 0.1*S, from: [0, 0, 0], to: [0.8*S, 0, 0]}}
  post: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [FAR + S, 0, S], rotation: {rpy: [0, 0, 0]}, shape: {type: cylinder, radius: 0.15*S, from: [0, 0, -0.1*S], to: [0, 0, 0.1*S]}}
joints:
  pin: {type: revolute, between: [ground, rod], at: [FAR + S, 0, 2*S], axis: [0, 1, 0]}
  stand: {type: fixed, between: [ground, post], at: [FAR + S, 0, S]}
drives:
  turn: {joint: pin, value: 3*t}
outputs:
  height: distance(ball, ground)
  gap: 2*distance(rod, post) - distance(rod,post)
"""


def check(condition, text):
    if not condition:
        FAULTS.append(text)
        print("FAULT:", text)


def call(command, *options, codes=(0, 6)):
    done = subprocess.run([PROGRAM, command, path, *options], capture_output=True, text=True, check=False)
    check(done.returncode in codes, f"{command} {options}: {done.returncode} {done.stderr}")
    return done


path = os.path.join(FOLDER, "gaps.yaml")
with open(path, "w", encoding="utf-8") as file:
    file.write(MODEL)

for size, far, coordinates in ((1, 0, "natural"), (1, 0, "cartesian"), (1, 0, "increments"), (1, 0, "relative"), (1e-3, 0, "relative"), (1e3, 0, "natural"), (1, 1000, "relative")):
    done = call("clearance", "--between", "ball,ground", "--between", "rod,post", "--end", "0.7", "--json", "-s", f"S={size}", "-s", f"FAR={far}", "--coordinates", coordinates)
    fall, turn = json.loads(done.stdout)["pairs"]
    what = f"{size} {far} {coordinates}"
    check(done.returncode == 6, f"{what}: exit code {done.returncode}")
    # the ball is deepest where its centre is in the middle of the plate, or at the end of the run
    check(abs(fall["distance"] + 0.4 * size) < 1e-7 * size, f"{what}: ball {fall['distance']}")
    check(abs(fall["t"] - math.sqrt(2.1 / 4.905)) < 1e-5, f"{what}: at {fall['t']}")
    check(len(fall["overlaps"]) == 1 and abs(fall["overlaps"][0][0] - math.sqrt(1.7 / 4.905)) < 1e-8, f"{what}: overlaps {fall['overlaps']}")
    # the rod points down at 3 t = 90 degrees: its end is 1 - 0.8 - 0.1 above the middle of the post, whose top is 0.1 above it
    check(abs(turn["distance"]) < 1e-6 * size and abs(turn["t"] - math.pi / 6) < 1e-3, f"{what}: rod {turn}")

rows = os.path.join(FOLDER, "rows.csv")
call("run", "--end", "0.5", "-q", "-o", rows, "--certify=no")
with open(rows, encoding="utf-8") as file:
    for row in csv.DictReader(line for line in file if not line.startswith("#")):
        t, height = float(row["time"]), float(row["height"])
        check(abs(height - (1.7 - 4.905 * t * t)) < 1e-6, f"height at {t}: {height}")
check("no body is called" in call("clearance", "--between", "ball,pin", codes=(2,)).stderr, "an unknown body")
with open(path, "w", encoding="utf-8") as file:
    file.write(MODEL.replace("distance(ball, ground)", "distance(ball, pin)"))
check("no body and no frame" in call("check", codes=(3,)).stderr, "a distance from a joint")
# round and equally near all around: concentric discs, coaxial cylinders, a disc on the line of a capsule
path = os.path.join(FOLDER, "round.yaml")
for dimension, shapes, depths in (
    (2, ("type: cylinder, radius: 0.5", "type: cylinder, radius: 0.3", "type: capsule, radius: 0.05, from: [-1, -1], to: [1, 1]"), (0.8, 0.55, 0.35)),
    (3, ("type: cylinder, radius: 0.5, from: [0, 0, -2], to: [0, 0, 2]", "type: cylinder, radius: 0.3, from: [0, 0, -2], to: [0, 0, 2]", "type: sphere, radius: 0.2"), (0.8, 0.7, 0.5)),
):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"sarrus: 1\nname: round\ndimension: {dimension}\nbodies:\n" + "".join(f"  b{i}: {{mass: 1, inertia: {1 if dimension == 2 else [1, 1, 1]}, shape: {{{shape}}}}}\n" for i, shape in enumerate(shapes)))
    found = json.loads(call("clearance", "--end", "0.01", "--json").stdout)["pairs"]
    for pair in found:
        depth = depths[{("b0", "b1"): 0, ("b0", "b2"): 1, ("b1", "b2"): 2}[pair["a"], pair["b"]]]
        check(abs(pair["distance"] + depth) < 1e-12, f"round: {pair}")
        check(abs(math.dist(pair["point_a"], pair["point_b"]) - depth) < 1e-12, f"round: points of {pair}")
print(f"{len(FAULTS)} faults")
sys.exit(1 if FAULTS else 0)
