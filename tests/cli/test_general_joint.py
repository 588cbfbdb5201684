#!/usr/bin/env python3
"""A general joint moves as the joint whose freedoms it leaves, in all coordinates.

Usage: test_general_joint.py PROGRAM SOURCE_ROOT

The frame of the general joint is x along the axis, y along the normal: it is compared with joints about that axis.
"""
import csv
import os
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
COORDINATES = ("natural", "cartesian", "increments", "relative")
os.environ["SARRUS_CERTIFY"] = "no"
SPACE = """
sarrus: 1
name: general
dimension: 3
gravity: [1, -2, -9.81]
bodies:
  a: {mass: 2, inertia: [0.2, 0.3, 0.4], center: [0.1, 0.2, -0.1], points: {P: [0.3, -0.2, 0.1]}, position: [0, 0, 0], rotation: {rpy: [0, 0, 0]},
      velocity: [0.3, 0.1, 0], angular_velocity: [0.4, -0.2, 0.7]}
  b: {mass: 1, inertia: [0.1, 0.2, 0.15], center: [0.3, 0, 0.1], position: [0.3, -0.2, 0.1], rotation: {rpy: [0.4, 0.1, -0.2]}, angular_velocity: [1, 0.5, -0.4]}
joints:
  J: {between: [a.P, b.origin], %s}
outputs: {x: b.center.x, y: b.center.y, z: b.center.z, u: a.center.x, w: a.wz}
method: {end: 0.4, sample: 0.1, tolerance: 1e-9}
"""
PLANE = """
sarrus: 1
name: general
dimension: 2
gravity: [1, -9.81]
bodies:
  a: {mass: 2, inertia: 0.2, center: [0.1, 0.2], points: {P: [0.3, -0.2]}, position: [0, 0], angle: 0, angular_velocity: 1.2}
  b: {mass: 1, inertia: 0.1, center: [0.3, 0], position: [0.3, -0.2], angle: -0.2, velocity: [1, 0.3]}
joints:
  J: {between: [a.P, b.origin], %s}
outputs: {x: b.center.x, y: b.center.y, u: a.center.x, w: a.rate}
method: {end: 0.4, sample: 0.1, tolerance: 1e-9}
"""
U = "axis: [0.6, 0, 0.8], normal: [0, 1, 0]"
CASES = [(SPACE, f"type: revolute, {U}", f"type: general, {U}, locked: [x, y, z, ry, rz]"),
         (SPACE, f"type: prismatic, {U}", f"type: general, {U}, locked: [y, z, rx, ry, rz]"),
         (SPACE, f"type: cylindrical, {U}", f"type: general, {U}, locked: [y, z, ry, rz]"),
         (SPACE, f"type: planar, {U}", f"type: general, {U}, locked: [x, ry, rz]"),
         (SPACE, "type: spherical", f"type: general, {U}, locked: [x, y, z]"),
         (SPACE, "type: fixed", f"type: general, {U}, locked: [x, y, z, rx, ry, rz]"),
         (SPACE, "type: point-on-line, axis: [0.6, 0, 0.8]", f"type: general, {U}, locked: [y, z]"),
         (SPACE, "type: orientation", f"type: general, {U}, locked: [rx, ry, rz]"),
         (SPACE.replace("[0.4, 0.1, -0.2]", "[0, 0.3, 0]"), "type: universal, axis: [a.y, b.z]", "type: general, axis: [a.x, b.x], normal: [a.y, b.y], locked: [x, y, z, rx]"),
         (PLANE, "type: revolute", "type: general, axis: [0.6, 0.8], locked: [x, y]"),
         (PLANE, "type: prismatic, axis: [0.6, 0.8]", "type: general, axis: [0.6, 0.8], locked: [y, rz]"),
         (PLANE, "type: orientation", "type: general, axis: [0.6, 0.8], locked: [rz]")]


def run(text, *options):
    with tempfile.TemporaryDirectory(prefix="sarrus-general-") as folder:
        path, result = os.path.join(folder, "model.yaml"), os.path.join(folder, "out.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([PROGRAM, "run", path, "-q", "-o", result, *options], capture_output=True, text=True, timeout=3600)
        if done.returncode:
            return done.stderr
        with open(result, encoding="utf-8") as file:
            return [[float(x) for x in row] for row in list(csv.reader(file))[1:]]


failures = 0
for model, known, general in CASES:
    wanted = run(model % known)
    for coordinates in COORDINATES:
        got = run(model % general, "--coordinates", coordinates)
        bad = isinstance(wanted, str) or isinstance(got, str) or len(got) != len(wanted)
        off = None if bad else max(abs(x - y) for a, b in zip(got, wanted) for x, y in zip(a, b))
        if bad or off > 1e-7:
            failures += 1
            print(f"FAILED {general}, {coordinates}: {off} {got if isinstance(got, str) else ''} {wanted if isinstance(wanted, str) else ''}")
print(f"{len(CASES)} joints, {failures} failures")
sys.exit(1 if failures else 0)
