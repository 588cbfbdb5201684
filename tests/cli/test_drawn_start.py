#!/usr/bin/env python3
"""Where a drawing is incomplete or inexact, the start is the same in all coordinates and of every size.

Usage: test_drawn_start.py PROGRAM SOURCE_ROOT
"""
import json
import os
import subprocess
import tempfile

import runs
from runs import COORDINATES, expect, near

KITE = """sarrus: 1
name: kite
dimension: 2
parameters: {s: 1}
ground: {points: {A: [0, 0], D: [2*s, 0]}}
bodies:
  crank: {mass: 1, inertia: 0.1*s^2, points: {B: [s, 0]}, position: [0, 0], angle: 1}
  coupler: {mass: 2, inertia: 0.1*s^2, points: {C: [s, 0]}, position: [s*cos(1), s*sin(1)]}
  rocker: {mass: 1, inertia: 0.1*s^2, points: {C: [2*s, 0]}, position: [2*s, 0]}
joints:
  A: {type: revolute, between: [ground.A, crank.origin]}
  B: {type: revolute, between: [crank.B, coupler.origin]}
  C: {type: revolute, between: [coupler.C, rocker.C]}
  D: {type: revolute, between: [ground.D, rocker.origin]}
outputs: {crank: A.angle, x: coupler.C.x/s, y: coupler.C.y/s}
"""

STONE = """sarrus: 1
name: stone
dimension: 3
parameters: {s: 1, a: 0.2*s, b: 0.03*s, c: 0.02*s}
bodies:
  stone: {mass: 1, inertia: [2e-4*s^2, 16e-4*s^2, 17e-4*s^2], position: [0, 0, 1.3*c], rotation: {rpy: [0.3, 0.2, 0]}}
constraints:
  touch: {position: "stone.origin.z - sqrt((a*stone.x.z)^2 + (b*stone.y.z)^2 + (c*stone.z.z)^2)"}
outputs: {z: stone.origin.z/s, roll: stone.roll, pitch: stone.pitch}
"""

ARM = """sarrus: 1
name: arm
dimension: 2
parameters: {s: 1}
bodies:
  upper: {mass: 1, inertia: 0.1*s^2, points: {tip: [s, 0]}, position: [0, 0], angle: 0}
  lower: {mass: 1, inertia: 0.1*s^2, points: {tip: [s, 0]}, position: [s, 0], angle: 0.2}
joints:
  shoulder: {type: revolute, between: [ground, upper.origin]}
  elbow: {type: revolute, between: [upper.tip, lower.origin]}
outputs: {shoulder: upper.angle, elbow: lower.angle - upper.angle}
start: {upper.angle: 1}
"""


def start(text, *options):
    with tempfile.TemporaryDirectory(prefix="sarrus-start-") as folder:
        path = os.path.join(folder, "model.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([runs.PROGRAM, "check", path, "--json", *options], capture_output=True, text=True, timeout=3600, check=False)
        expect(done.returncode == 0, f"{text.split(chr(10))[1]} {options}: {done.stderr}")
        return json.loads(done.stdout)["outputs"] if done.returncode == 0 else {}


def check(text, limit, about):
    """`about`: outputs by name that are known, to within `limit`."""
    name = text.split("\n")[1]
    first = start(text)
    for key, value in about.items():
        near(first.get(key, float("nan")), value, limit, f"{name}: {key}")
    for coordinates in COORDINATES:
        for size in ("1", "1e-3", "1e3"):
            other = start(text, "--coordinates", coordinates, "--set", f"s={size}")
            for key, value in first.items():
                near(other.get(key, float("nan")), value, 1e-9, f"{name} in {coordinates} coordinates, size {size}: {key}")


check(KITE, 0.15, {"crank": 1, "y": 3 ** 0.5})  # the crank is drawn, the others follow
check(STONE, 0.05, {"roll": 0.3})
check(ARM, 1e-12, {"shoulder": 1, "elbow": 0.2})  # what no condition asks for keeps its angle
runs.finish()
