#!/usr/bin/env python3
"""Points on surfaces and balls on height fields, against closed forms, other elements and an integration by itself, in all coordinates.

Usage: test_surfaces.py PROGRAM SOURCE_ROOT
"""
import math
import os

import numpy as np

from runs import COORDINATES, MODELS, failures, finish, near, run


def same(a, b, tolerance, text):
    if not a or len(a) != len(b):
        failures.append(f"{text}: {len(a)} rows and {len(b)}")
    for one, other in zip(a, b):
        for name in one:
            near(one[name], other[name], tolerance, f"{text}: {name} at {one['time']}")


# A sphere by an expression and by a rod: on a body that is turned and driven, and with t in it.
SPHERE = """
sarrus: 1
name: sphere
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  dome: {mass: 3, inertia: [1, 1, 1], points: {C: [0.1, 0.2, 0.3]}, position: [0, 0, 0], rotation: {rpy: [0.3, 0.4, 0.5]}}
  bead: {mass: 0.5, inertia: [0.1, 0.1, 0.1], points: {P: [0, 0.1, 0]}, position: [1.2, 0, 0.2], rotation: {rpy: [0, 0, 0]}, velocity: [0, 0.6, 0]}
joints: {turn: {type: revolute, between: [ground.origin, dome.origin], axis: [0, 0, 1]}%s}
drives: {spin: {joint: turn, value: 0.4*t^2}}
%s
outputs: {x: bead.origin.x, y: bead.origin.y, z: bead.origin.z, f: spin.torque}
method: {end: 0.6, sample: 0.2, tolerance: 1e-9}
"""


def check_sphere():
    c, s = np.cos([0.3, 0.4, 0.5]), np.sin([0.3, 0.4, 0.5])
    x, y = np.array([[1, 0, 0], [0, c[0], -s[0]], [0, s[0], c[0]]]), np.array([[c[1], 0, s[1]], [0, 1, 0], [-s[1], 0, c[1]]])
    z = np.array([[c[2], -s[2], 0], [s[2], c[2], 0], [0, 0, 1]])
    r = np.linalg.norm(np.array([1.2, 0.1, 0.2]) - z @ y @ x @ [0.1, 0.2, 0.3])  # as drawn
    rod = run(SPHERE % (", rod: {type: distance, between: [dome.C, bead.P], distance: %.17g}" % r, ""))
    for coordinates in COORDINATES:
        surface = run(SPHERE % ("", "constraints: {on: {surface: x^2 + y^2 + z^2 - %.17g, between: [dome.C, bead.P]}}" % r ** 2), "--coordinates", coordinates)
        same(surface, rod, 2e-7, f"sphere and rod, {coordinates}")


def check_hills():
    """On a paraboloid of parameter a a bead goes round in circles with the rate sqrt(g/a), and its constraint pushes with m g."""
    w = math.sqrt(9.81 / 0.5)
    for coordinates in ("natural", "relative"):
        rows = run(os.path.join(MODELS, "hills.yaml"), "--coordinates", coordinates)
        for row in rows:
            near(row["bead_x"], 0.4 * math.cos(w * row["time"]), 1e-6, f"paraboloid, {coordinates}: x at {row['time']}")
            near(row["bead_y"], 2 + 0.4 * math.sin(w * row["time"]), 1e-6, f"paraboloid, {coordinates}: y at {row['time']}")
            near(row["push"], 0.2 * 9.81, 1e-4, f"paraboloid, {coordinates}: force at {row['time']}")
        if not rows or rows[-1]["ball_x"] < 1.0:
            failures.append("hills: the ball does not get over the first hill")


# A tilted plane as a height field and as a half-space.
TILTED = """
sarrus: 1
name: tilted
dimension: %d
gravity: %s
ground: {axes: {n: %s, e: %s}}
bodies: {ball: {mass: 2, inertia: %s, position: %s, velocity: %s}}
forces: {floor: {type: contact, between: [ground.origin, ball.origin], axis: [%s, ball.x]%s, radius: 0.3, stiffness: 2e4, damping: 0.1, friction: 0.4, speed: 0.02}}
outputs: {x: ball.origin.x, y: ball.origin.y, v: ball.origin.vx, total: energy.total}
method: {end: 1, sample: 0.25, tolerance: 1e-9}
"""


def check_tilted():
    for coordinates in COORDINATES:
        space = (3, "[0, 0, -9.81]", "[-0.3, 0.2, 1]", "[1, 0, 0]", "[0.1, 0.11, 0.12]", "[0, 0, 0.5]", "[0.3, 0.2, 0]")
        plane = run(TILTED % (*space, "ground.n", ""), "--coordinates", coordinates)
        field = run(TILTED % (*space, "ground.z", ", surface: 0.3*x - 0.2*y"), "--coordinates", coordinates)
        turned = run(TILTED % (*space, "ground.z", ", normal: [ground.y, ball.y], surface: -0.2*x - 0.3*y"), "--coordinates", coordinates)
        same(field, plane, 1e-6, f"tilted plane, {coordinates}")
        same(turned, plane, 1e-6, f"tilted plane, x direction turned, {coordinates}")
        flat = (2, "[0, -9.81]", "[-0.3, 1]", "[1, 0]", "0.1", "[0, 0.5]", "[0.3, 0]")
        plane = run(TILTED % (*flat, "ground.n", ""), "--coordinates", coordinates)
        field = run(TILTED % (*flat, "ground.y", ", surface: 0.3*x"), "--coordinates", coordinates)
        same(field, plane, 1e-6, f"tilted line, {coordinates}")


# A ball in a round bowl: without friction the bowl is a field of forces towards its middle.
BOWL = """
sarrus: 1
name: bowl
dimension: 3
gravity: [0, 0, -9.81]
bodies: {ball: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.3, 0, 0.43], velocity: [0, 0.8, 0]}}
forces: {bowl: {type: contact, between: [ground.origin, ball.origin], axis: [ground.z, ball.z], radius: 0.2, surface: 1 - sqrt(1 - x^2 - y^2), stiffness: 1e4}}
outputs: {x: ball.origin.x, y: ball.origin.y, z: ball.origin.z, total: energy.total}
method: {end: 0.8, sample: 0.2, tolerance: 1e-9}
"""


def check_bowl():
    def rate(y):
        d = np.array([0, 0, 1.0]) - y[:3]
        far = math.sqrt(d @ d)
        depth = far - 0.8
        N = 1e4 * depth ** 1.5 if depth > 0 else 0.0
        return np.concatenate([y[3:], N / 2 * d / far - np.array([0, 0, 9.81])])

    y, h = np.array([0.3, 0, 0.43, 0, 0.8, 0]), 1e-4
    for _ in range(8000):
        k1 = rate(y)
        k2 = rate(y + h / 2 * k1)
        k3 = rate(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(y + h * k3))
    for coordinates in COORDINATES:
        rows = run(BOWL, "--coordinates", coordinates)
        for k, name in enumerate("xyz"):
            near(rows[-1][name], y[k], 1e-6, f"bowl, {coordinates}: {name}")
        near(rows[-1]["total"], rows[0]["total"], 1e-6 * abs(rows[0]["total"]), f"bowl, {coordinates}: energy")


# A ball bounces on a slope that is a surface with a bound.
BOUNCE = """
sarrus: 1
name: bounce
dimension: 2
gravity: [0, -9.81]
bodies: {ball: {particle: yes, mass: 2, position: [0, 1]}}
constraints: {slope: {surface: y - 0.5*x, between: [ground.origin, ball.origin], lower: 0, restitution: 1}}
outputs: {x: ball.origin.x, y: ball.origin.y}
method: {end: 0.8, sample: 0.1, tolerance: 1e-9}
"""


def check_bounce():
    first, g = math.sqrt(2 / 9.81), 9.81
    speed = g * first
    n = np.array([-0.5, 1]) / math.sqrt(1.25)
    v = np.array([0, -speed]) - 2 * (np.array([0, -speed]) @ n) * n
    for row in run(BOUNCE):
        t = row["time"] - first
        p = np.array([0, 1 - g * row["time"] ** 2 / 2]) if t < 0 else v * t - np.array([0, g * t * t / 2])
        near(row["x"], p[0], 1e-7, f"bounce: x at {row['time']}")
        near(row["y"], p[1], 1e-7, f"bounce: y at {row['time']}")


# A bicubic spline is exact for bicubic polynomials: the same surface by a table of x and y and by an expression.
GRID = """
sarrus: 1
name: grid
dimension: 3
gravity: [0, 0, -9.81]
tables:
  hill: {x: %s, y: %s, z: %s, interpolation: cubic, outside: extend}
bodies:
  bead: {particle: yes, mass: 1, position: [0.3, 0.2, %.17g], velocity: [0.5, 0.2, 0]}
  ball: {mass: 1, inertia: [0.01, 0.011, 0.012], position: [-0.4, 0.3, 0.5]}
constraints: {on: {surface: "z - %s", between: [ground.origin, bead.origin]}}
forces: {road: {type: contact, between: [ground.origin, ball.origin], axis: [ground.z, ball.z], surface: "%s", radius: 0.1, stiffness: 1e4, damping: 0.2, friction: 0.3, speed: 0.05}}
outputs: {x: bead.origin.x, y: bead.origin.y, z: bead.origin.z, h: "2*hill(bead.origin.x, (bead.origin.y)) - hill(bead.origin.x, bead.origin.y)", bx: ball.origin.x, bz: ball.origin.z}
method: {end: 0.6, sample: 0.1, tolerance: 1e-9}
"""


def check_grid():
    def hill(x, y):
        return 0.1 * x ** 3 * y ** 2 - 0.2 * x * y ** 3 + 0.3 * x ** 2 - 0.1 * x * y + 0.2 * y

    text = "(0.1*x^3*y^2 - 0.2*x*y^3 + 0.3*x^2 - 0.1*x*y + 0.2*y)"
    xs, ys = [-2, -1.2, -0.5, 0, 0.7, 1.5, 2], [-1.5, -0.8, 0, 0.5, 1.4]
    z = [[float(hill(x, y)) for x in xs] for y in ys]
    by_table = run(GRID % (xs, ys, z, hill(0.3, 0.2), "hill(x, y)", "hill(x, y)"))
    by_text = run(GRID % (xs, ys, z, hill(0.3, 0.2), text, text))
    same(by_table, by_text, 1e-7, "surface by a table and by an expression")
    for row in by_table:
        near(row["h"], hill(row["x"], row["y"]), 1e-12, f"bicubic table at {row['time']}")


for check in (check_sphere, check_hills, check_tilted, check_bowl, check_bounce, check_grid):
    check()
finish()
