#!/usr/bin/env python3
"""Angular accelerations as outputs: Euler's equations of a free body, and the pendulum, in all coordinates.

Usage: test_angular_acceleration.py PROGRAM SOURCE_ROOT
"""
from runs import COORDINATES, finish, near, run

FREE = """
sarrus: 1
name: free
dimension: 3
bodies: {b: {mass: 1, inertia: [2, 3, 4], position: [0, 0, 0], rotation: {rpy: [0.4, 0.2, 0]}, angular_velocity: [1, 2, 3]}}
outputs: {p: b.wx@b, q: b.wy@b, r: b.wz@b, dp: b.alphax@b, dq: b.alphay@b, dr: b.alphaz@b, x: b.alphax, y: b.alphay, z: b.alphaz}
method: {end: 1, sample: 0.1, tolerance: 1e-9}
"""
PENDULUM = """
sarrus: 1
name: pendulum
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 1, inertia: 0.02, center: [0.4, 0], position: [0, 0], angle: 0.3}}
joints: {pin: {type: revolute, between: [ground, rod.origin]}}
outputs: {alpha: rod.alpha, wanted: -9.81*0.4*cos(rod.angle)/(0.02 + 0.16)}
method: {end: 1, sample: 0.1, tolerance: 1e-9}
"""

for coordinates in COORDINATES:
    for row in run(FREE, "--coordinates", coordinates):
        p, q, r = row["p"], row["q"], row["r"]
        where = f"free, {coordinates} at {row['time']}"
        near(row["dp"], (3 - 4) / 2 * q * r, 1e-8, where)
        near(row["dq"], (4 - 2) / 3 * r * p, 1e-8, where)
        near(row["dr"], (2 - 3) / 4 * p * q, 1e-8, where)
        near(row["x"] ** 2 + row["y"] ** 2 + row["z"] ** 2, row["dp"] ** 2 + row["dq"] ** 2 + row["dr"] ** 2, 1e-8, where)
    for row in run(PENDULUM, "--coordinates", coordinates):
        near(row["alpha"], row["wanted"], 1e-8, f"pendulum, {coordinates} at {row['time']}")
finish()
