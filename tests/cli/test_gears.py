#!/usr/bin/env python3
"""Gears, belts, cables against closed forms, in all coordinates.

Usage: test_gears.py PROGRAM SOURCE_ROOT
"""
import math
import os

from runs import COORDINATES, MODELS, finish, near, run


def solve(A, b):
    """Gauss, with pivots."""
    A = [row[:] + [x] for row, x in zip(A, b)]
    n = len(A)
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(A[i][k]))
        A[k], A[p] = A[p], A[k]
        for i in range(k + 1, n):
            f = A[i][k] / A[k][k]
            A[i] = [x - f * y for x, y in zip(A[i], A[k])]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (A[k][n] - sum(A[k][j] * x[j] for j in range(k + 1, n))) / A[k][k]
    return x


def accelerations(J, T, couplings):
    """J_i a_i + sum_c lambda_c g_ci = T_i, sum_i g_ci a_i = 0."""
    n, m = len(J), len(couplings)
    A = [[0.0] * (n + m) for _ in range(n + m)]
    for i in range(n):
        A[i][i] = J[i]
        for c, g in enumerate(couplings):
            A[i][n + c] = A[n + c][i] = g[i]
    return solve(A, list(T) + [0.0] * m)[:n]


def everywhere(model, ways):
    """`ways`: name -> function of time."""
    for coordinates in COORDINATES:
        for row in run(model, "--coordinates", coordinates):
            for name, way in ways.items():
                wanted = way(row["time"])
                near(row[name], wanted, 1e-8 * (1 + abs(wanted)), f"{coordinates}: {name} at {row['time']}")


def uniformly(names, values):
    return {name: (lambda t, a=a: a * t * t / 2) for name, a in zip(names, values)}


def check_planetary():
    zs, zr, i = 24, 66, 5
    a = accelerations([2e-4, 1e-3, 0.02, 0.05], [-0.4, 0, 1.5, -3], [[1, i, 0, 0], [0, zs, zr, -(zs + zr)]])
    everywhere(os.path.join(MODELS, "planetary-gear.yaml"), uniformly(("motor", "sun", "ring", "carrier"), a))


def check_belt():
    r1, r2, drum, m = 0.04, 0.2, 0.08, 20
    a = accelerations([4e-4, 0.03, m], [4, 0, -9.81 * m], [[r1, -r2, 0], [0, drum, -1]])
    ways = uniformly(("small", "large"), a)
    ways["height"] = lambda t: -1 + a[2] * t * t / 2
    everywhere(os.path.join(MODELS, "belt-drive.yaml"), ways)


DIFFERENTIAL = """
sarrus: 1
name: differential with bevel gears
dimension: 3
parameters: {zp: 12, zc: 36, zside: 20, zplanet: 14}
bodies:
  shaft: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [-0.2, 0, 0], rotation: {rpy: [0, 0, 0]}}
  case: {mass: 1, inertia: [0.04, 0.04, 0.04], position: [0, 0, 0], rotation: {rpy: [0, 0, 0]}}
  left: {mass: 1, inertia: [0.02, 0.02, 0.02], position: [0, 0.3, 0], rotation: {rpy: [0, 0, 0]}}
  right: {mass: 1, inertia: [0.03, 0.03, 0.03], position: [0, -0.3, 0], rotation: {rpy: [0, 0, 0]}}
joints:
  prop: {type: revolute, between: [ground, shaft], at: [-0.2, 0, 0], axis: [1, 0, 0]}
  crown: {type: revolute, between: [ground, case], at: [0, 0.1, 0], axis: [0, 1, 0]}
  a: {type: revolute, between: [ground, left], at: [0, 0.3, 0], axis: [0, 1, 0]}
  b: {type: revolute, between: [ground, right], at: [0, -0.3, 0], axis: [0, 1, 0]}
  final: {type: bevel, joints: [prop, crown], teeth: [zp, zc]}
  split: {type: differential, input: crown, outputs: [a, b]}
forces:
  engine: {type: motor, joint: prop, torque: 2}
  road: {type: motor, joint: a, torque: -1}
outputs: {prop: prop.angle, crown: crown.angle, a: a.angle, b: b.angle}
method: {end: 1, sample: 0.25, tolerance: 1e-9}
"""


def check_differential():
    # the pinion is against its axis as seen from where the axes meet, the crown along it: they turn in the same sense
    a = accelerations([0.01, 0.04, 0.02, 0.03], [2, 0, -1, 0], [[12, -36, 0, 0], [0, -2, 1, 1]])
    everywhere(DIFFERENTIAL, uniformly(("prop", "crown", "a", "b"), a))


CABLE = """
sarrus: 1
name: cable
dimension: 3
gravity: [0, 0, -9.81]
parameters: {m1: 2, m2: 3}
ground: {points: {left: [0, 0, 0], right: [0.4, 0, 0]}}
bodies:
  a: {mass: m1, inertia: [0.1, 0.1, 0.1], position: [0, 0, -1], rotation: {rpy: [0, 0, 0]}}
  b: {mass: m2, inertia: [0.1, 0.1, 0.1], position: [0.4, 0, -0.6], rotation: {rpy: [0, 0, 0]}}
constraints:
  rope: {cable: [a.origin, ground.left, ground.right, b.origin], length: 2%s}
outputs: {za: a.origin.z, zb: b.origin.z}
method: {end: 0.5, sample: 0.1, tolerance: 1e-9}
"""


def check_cable():
    """Atwood's machine; with a rope that may be slack the same, as it stays taut."""
    a = 9.81 * (3 - 2) / (3 + 2)
    for more in ("", ", one_sided: yes"):
        everywhere(CABLE % more, {"za": lambda t: -1 + a * t * t / 2, "zb": lambda t: -0.6 - a * t * t / 2})


check_planetary()
check_belt()
check_differential()
check_cable()
finish()
