#!/usr/bin/env python3
"""The forces `contact` and `buoyancy` against closed forms, in all coordinates.

Usage: test_contacts.py PROGRAM SOURCE_ROOT
"""
import math

from runs import COORDINATES, finish, near, run


# A ball flies against a wall that is a linear spring: half an oscillation later it flies back as fast.
BOUNCE = """
sarrus: 1
name: bounce
dimension: %d
bodies: {ball: {mass: 2, inertia: %s, position: %s, velocity: %s}}
forces: {wall: {type: contact, between: [ground.origin, ball.origin], axis: %s, radius: 0.3, stiffness: 8000, exponent: 1}}
outputs: {x: ball.origin.x, v: ball.origin.vx}
method: {end: 0.3, sample: 0.01, tolerance: 1e-9}
"""


def check_bounce():
    w, v, gap = math.sqrt(8000 / 2), 3.0, 0.2

    def way(t):
        t -= gap / v
        x = -v * t if t < 0 else -v / w * math.sin(w * t) if t < math.pi / w else v * (t - math.pi / w)
        return 0.3 + x

    for dimension, inertia, at, speed, axis in ((2, "0.1", "[0.5, 0.1]", "[-3, 0]", "[ground.x, ball.x]"),
                                                (3, "[0.1, 0.1, 0.1]", "[0.5, 0.1, 0]", "[-3, 0, 0]", "[ground.x, ball.z]")):
        for coordinates in COORDINATES:
            for row in run(BOUNCE % (dimension, inertia, at, speed, axis), "--coordinates", coordinates):
                near(row["x"], way(row["time"]), 1e-7, f"bounce, {dimension}, {coordinates} at {row['time']}")



# Attempts at long steps in flight end deep in the floor and turn the ball by revolutions. They are rejected, and leave nothing behind: the spin of the flight stays.
SPIN = """
sarrus: 1
name: spin
dimension: 3
gravity: [0, 0, -9.81]
ground: {axes: {n: [-0.3, 0.2, 1]}}
bodies: {ball: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.5], velocity: [0.3, 0.2, 0]}}
forces: {floor: {type: contact, between: [ground.origin, ball.origin], axis: [ground.n, ball.x], radius: 0.3, stiffness: 2e4, damping: 0.1, friction: 0.4, speed: 0.02}}
outputs: {wx: ball.wx, wy: ball.wy, wz: ball.wz, total: energy.total}
method: {end: 1, sample: 0.25}
"""


def check_spin():
    truth = run(SPIN, "--coordinates", "cartesian", "--tolerance", "1e-9")[-1]
    for coordinates in ("increments", "relative"):
        for tolerance in ("1e-6", "1e-7", "1e-8"):
            last = run(SPIN, "--coordinates", coordinates, "--tolerance", tolerance)[-1]
            for name in ("wx", "wy", "wz", "total"):
                near(last[name], truth[name], 1e-3, f"{coordinates} at {tolerance}: {name}")


# A ball that slides begins to roll: its momentum about the contact stays.
ROLL = """
sarrus: 1
name: roll
dimension: 3
gravity: [0, 0, -9.81]
parameters: {m: 2, r: 0.3, k: 1e5, depth: (m*9.81/k)^(2/3)}
bodies: {ball: {mass: m, inertia: [0.4*m*r^2, 0.4*m*r^2, 0.4*m*r^2], position: [0, 0, r - depth], velocity: [1.2, 0.5, 0]}}
forces: {floor: {type: contact, between: [ground.origin, ball.origin], axis: [ground.z, ball.z], radius: r, stiffness: k, friction: 0.4, speed: 0.02}}
outputs: {vx: ball.origin.vx, vy: ball.origin.vy, wx: ball.wx, wy: ball.wy, z: ball.origin.z}
method: {end: 3, sample: 0.5, tolerance: 1e-8}
"""


def check_roll():
    m, r = 2.0, 0.3
    arm = r - (m * 9.81 / 1e5) ** (2 / 3) / 2
    part = 1 / (1 + 0.4 * r * r / arm ** 2)
    for coordinates in COORDINATES:
        last = run(ROLL, "--coordinates", coordinates)[-1]
        near(last["vx"], 1.2 * part, 1e-6, f"{coordinates}: rolls along")
        near(last["vy"], 0.5 * part, 1e-6, f"{coordinates}: and across")
        near(last["wy"], last["vx"] / arm, 1e-5, f"{coordinates}: without slipping")
        near(last["wx"], -last["vy"] / arm, 1e-5, f"{coordinates}: without slipping")


# A cylinder rolls down a slope. It slips by as much as friction needs, a part of `speed`.
SLOPE = """
sarrus: 1
name: slope
dimension: 3
parameters: {m: 2, r: 0.1, alpha: 0.2, k: 1e6}
gravity: [9.81*sin(alpha), 0, -9.81*cos(alpha)]
bodies: {roller: {mass: m, inertia: [0.02, m*r^2/2, 0.02], position: [0, 0, r - m*9.81*cos(alpha)/(2*k)]}}
forces:
  floor: {type: contact, between: [ground.origin, roller.origin], axis: [ground.z, roller.y], radius: r, length: 0.4, stiffness: k, exponent: 1,
          friction: 0.5, speed: 1e-3}
outputs: {x: roller.origin.x, vx: roller.origin.vx, w: roller.wy, z: roller.origin.z}
method: {end: 1, sample: 0.1, tolerance: 1e-8}
"""


def check_slope():
    m, r, alpha, mu, speed = 2.0, 0.1, 0.2, 0.5, 1e-3
    T, N = m * 9.81 * math.sin(alpha) / 3, m * 9.81 * math.cos(alpha)
    slip = speed * T / math.sqrt((mu * N) ** 2 - T * T)
    for coordinates in ("cartesian", "relative"):
        last = run(SLOPE, "--coordinates", coordinates)[-1]
        near(last["vx"], 9.81 * math.sin(alpha) * 2 / 3 + slip / 3, 1e-6, f"{coordinates}: rolls down")
        near(last["vx"] - r * last["w"], slip, 1e-6, f"{coordinates}: slip")


# Two balls of one mass meet in the line of their middles: they change their velocities.
BALLS = """
sarrus: 1
name: balls
dimension: 3
bodies:
  a: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0], velocity: [1, 2, 0.5]}
  b: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [1, 2, 0.5]}
forces: {hit: {type: contact, between: [a.origin, b.origin], radius: 0.3, other_radius: 0.5, stiffness: 2e4, friction: 0.3, speed: 0.01}}
outputs: {ax: a.origin.vx, ay: a.origin.vy, bx: b.origin.vx, by: b.origin.vy, bz: b.origin.vz}
method: {end: 1.5, sample: 0.5, tolerance: 1e-9}
"""


def check_balls():
    for coordinates in COORDINATES:
        last = run(BALLS, "--coordinates", coordinates)[-1]
        for name, wanted in {"ax": 0, "ay": 0, "bx": 1, "by": 2, "bz": 0.5}.items():
            near(last[name], wanted, 1e-7, f"{coordinates}: {name}")


# A ball of half the density of the fluid floats half below the surface, and swings about that.
FLOAT = """
sarrus: 1
name: float
dimension: 3
gravity: [0, 0, -9.81]
parameters: {r: 0.2, rho: 1000}
bodies: {ball: {mass: rho*2/3*pi*r^3, inertia: [1, 1, 1], position: [0, 0, 0.5 + 1e-4]}}
forces: {water: {type: buoyancy, acts_on: ball.origin, radius: r, weight: rho*9.81, level: 0.5}}
outputs: {z: ball.origin.z - 0.5, total: energy.total}
method: {end: 2, sample: 0.1, tolerance: 1e-10}
"""


def check_float():
    w = math.sqrt(9.81 * math.pi * 0.2 ** 2 / (2 / 3 * math.pi * 0.2 ** 3))
    rows = run(FLOAT)
    for row in rows:  # small: the surface of the cut changes by the square of the height
        near(row["z"], 1e-4 * math.cos(w * row["time"]), 1e-9, f"float at {row['time']}")
        near(row["total"], rows[0]["total"], 1e-8 * abs(rows[0]["total"]), "energy")


check_bounce()
check_spin()
check_roll()
check_slope()
check_balls()
check_float()
finish()
