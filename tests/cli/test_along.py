#!/usr/bin/env python3
"""Forces and drives along expressions of positions, against closed forms, in all coordinates.

Usage: test_along.py PROGRAM SOURCE_ROOT
"""
import math
import os
import tempfile

from runs import COORDINATES, MODELS, answer, expect, finish, near, run

SPHERE = """
sarrus: 1
name: sphere
dimension: 3
bodies: {b: {mass: 2, inertia: [0.3, 0.3, 0.3], position: [0, 0, 0], rotation: {axis: %s, angle: %s}}}
joints: {ball: {type: spherical, between: [ground.origin, b.origin]}}
%s
outputs: {s: ball.%s, w: sqrt(b.wx^2 + b.wy^2 + b.wz^2)}
method: {end: 2, sample: 0.25, tolerance: 1e-9}
"""
I, k, a0 = 0.3, 1.2, 0.4
w = math.sqrt(k / I)


def check_angles():
    """A sphere that turns about the first axis of a sequence, or about the second one of a sequence with two equal axes."""
    axes = {"x": "[1, 0, 0]", "y": "[0, 1, 0]", "z": "[0, 0, 1]"}
    cases = [(s + "1", axes[s[0]]) for s in ("xyz", "yzx", "zxy", "xzy", "yxz", "zyx")]
    cases += [("yaw", axes["z"]), ("rx", axes["x"]), ("pitch", axes["y"])]
    for word, axis in cases:
        for coordinates in COORDINATES:
            spring = f"forces: {{f: {{type: rotational-spring, along: ball.{word}, stiffness: {k}}}}}"
            for row in run(SPHERE % (axis, a0, spring, word), "--coordinates", coordinates):
                near(row["s"], a0 * math.cos(w * row["time"]), 1e-8, f"{coordinates}: {word} at {row['time']}")
    for word, axis in (("zxz2", "x"), ("zyz2", "y"), ("xyx2", "y"), ("yzy2", "z")):
        spring = f"forces: {{f: {{type: rotational-spring, along: ball.{word}, stiffness: {k}, angle: 1}}}}"
        for row in run(SPHERE % (axes[axis], 1 + a0, spring, word), "--coordinates", COORDINATES[ord(axis) % 4]):
            near(row["s"], 1 + a0 * math.cos(w * row["time"]), 1e-8, f"{word} at {row['time']}")


def check_vector():
    """Springs along all components of the rotation vector: k angle^2/2, about any axis, from the straight position on."""
    springs = "forces:\n" + "".join(f"  f{c}: {{type: rotational-spring, along: ball.r{c}, stiffness: {k}}}\n" for c in "xyz")
    for coordinates in COORDINATES:
        for row in run(SPHERE % ("[1, -2, 0.5]", 2.5, springs, "rx"), "--coordinates", coordinates):
            angle = 2.5 * math.cos(w * row["time"])
            near(row["s"], angle / math.sqrt(5.25), 1e-7, f"{coordinates}: rotation vector at {row['time']}")
            near(row["w"], abs(2.5 * w * math.sin(w * row["time"])), 1e-7, f"{coordinates}: rate at {row['time']}")


def check_others():
    z = "[0, 0, 1]"
    for coordinates in COORDINATES:
        more = ("--coordinates", coordinates)
        for row in run(SPHERE % (z, 0, "forces: {f: {type: motor, along: ball.yaw, torque: 0.6}}", "yaw"), *more):
            near(row["s"], row["time"] ** 2, 1e-8, f"{coordinates}: motor at {row['time']}")
        rubs = "forces: {f: {type: friction, along: 2*ball.yaw, viscous: 0.075}}\nstart: {ball.yaw_rate: 1}"
        for row in run(SPHERE % (z, 0, rubs, "yaw"), *more):  # the rate of 2 yaw is 2, and so is its arm
            near(row["s"], 1 - math.exp(-row["time"]), 1e-8, f"{coordinates}: friction at {row['time']}")
        stop = "forces: {f: {type: stop, along: ball.yaw, upper: 0.5, stiffness: 120}}\nstart: {ball.yaw_rate: 1}"
        for row in run(SPHERE % (z, 0, stop, "yaw"), *more):
            t, back = row["time"] - 0.5, math.pi / 20
            way = t if t < 0 else math.sin(20 * t) / 20 if t < back else back - t
            near(row["s"], 0.5 + way, 1e-7, f"{coordinates}: stop at {row['time']}")
        for row in run(SPHERE % (z, 0.1, "drives: {f: {along: ball.yaw, value: 0.1 + 0.3*sin(2*t)}}", "yaw"), *more):
            near(row["s"], 0.1 + 0.3 * math.sin(2 * row["time"]), 1e-9, f"{coordinates}: drive at {row['time']}")


CABLE = """
sarrus: 1
name: elastic cable
dimension: 2
bodies: {p: {mass: 2, inertia: 0.1, position: [0, 0.3], angle: 0.2}}
forces: {cable: {type: spring, along: 'hypot(p.center.x - 1, p.center.y) + hypot(p.center.x + 1, p.center.y)', stiffness: 8, length: %s}}
outputs: {y: p.center.y, x: p.center.x, pull: cable.force, fy: cable.fy, power: cable.power, v: p.center.vy, total: energy.total}
method: {end: 2, sample: 0.25, tolerance: 1e-9}
"""


def check_cable():
    """Over two pegs at -1 and 1: without a free length the force across is 4 k y."""
    rate = math.sqrt(4 * 8 / 2)
    for coordinates in COORDINATES:
        for row in run(CABLE % 0, "--coordinates", coordinates):
            y = 0.3 * math.cos(rate * row["time"])
            near(row["y"], y, 1e-8, f"{coordinates}: cable at {row['time']}")
            near(row["x"], 0, 1e-8, f"{coordinates}: straight at {row['time']}")
            near(row["pull"], 16 * math.hypot(1, y), 1e-6, f"{coordinates}: its force at {row['time']}")
            near(row["fy"], -32 * y, 1e-6, f"{coordinates}: on the body at {row['time']}")
            near(row["power"], row["fy"] * row["v"], 1e-8, f"{coordinates}: its power at {row['time']}")
    rows = run(CABLE % 1.5)
    near(max(row["total"] for row in rows) - min(row["total"] for row in rows), 0, 1e-8, "energy of the cable")


PULLED = """
sarrus: 1
name: a spring whose free length grows
dimension: %d
inputs: {pull: 0.2}
bodies: {m: {mass: 2, inertia: %s, position: %s, %s}}
joints: {guide: {type: prismatic, between: [ground.origin, m.origin], axis: %s}}
forces: {s: {type: spring, %s, stiffness: 8, length: '%s'}}
outputs: {x: guide.displacement, total: energy.total, work: {integral: -8*(guide.displacement - (%s))*(%s)}}
method: {end: 2, sample: 0.25, tolerance: 1e-10}
"""


def check_free_length():
    """m x'' = -k (x - L(t)), with L = 1 + 0.3 sin(3 t); what pulls does the work k (x - L) dL/dt, and the balance of energy has it."""
    L, rate, w, W = "1 + 0.3*sin(3*t)", "0.9*cos(3*t)", 2.0, 3.0
    for on in ("joint: guide", "between: [ground.origin, m.origin]", "along: guide.displacement"):
        for dimension, inertia, place, turn, axis in ((2, "1", "[1, 0]", "angle: 0", "[1, 0]"), (3, "[1, 1, 1]", "[0, 1, 0]", "rotation: {rpy: [0, 0, 0]}", "[0, 1, 0]")):
            for coordinates in COORDINATES:
                found, rows = answer(PULLED % (dimension, inertia, place, turn, axis, on, L, L, rate), "--coordinates", coordinates)
                steady = 0.3 * w * w / (w * w - W * W)
                for row in rows:
                    t = row["time"]
                    near(row["x"], 1 + steady * (math.sin(W * t) - W / w * math.sin(w * t)), 1e-8, f"{on} {coordinates}: at {t}")
                    near(row["total"] - rows[0]["total"], row["work"], 1e-8, f"{on} {coordinates}: work at {t}")
                near(found["energy"]["max_drift"], 0, 1e-8, f"{on} {coordinates}: balance")
    rows = run(PULLED % (2, "1", "[1, 0]", "angle: 0", "[1, 0]", "joint: guide", "1 + pull", "1 + pull", "0"))
    for row in rows:
        near(row["x"], 1.2 - 0.2 * math.cos(w * row["time"]), 1e-8, f"an input at {row['time']}")
    message, _ = answer(PULLED % (2, "1", "[1, 0]", "angle: 0", "[1, 0]", "joint: guide", "t + guide.speed", "1", "0"), code=3)
    expect("model.yaml:8:" in message and "free lengths can use t and parameters only" in message, message)


ARM = """
sarrus: 1
name: arm
dimension: 3
bodies:
  root: {mass: 1, inertia: [1, 2, 3], position: [0, 1, 0], rotation: {rpy: [0.2, 0, 0.1]}, angular_velocity: [1, 2, 3]}
  tip: {mass: 2, inertia: [0.3, 0.2, 0.5], drawn_on: root, position: [0, 0, 0], rotation: {rpy: [0.3, -0.2, 0.4]}}
joints: {ball: {type: spherical, between: [root.origin, tip.origin]}}
forces:
  f: {type: rotational-spring, along: ball.yaw, stiffness: 3, angle: 0.1, torque: 'x^2 + ball.roll'}
  g: {type: motor, along: ball.ry, torque: 0.3 - v}
outputs: {yaw: ball.yaw, roll: ball.roll, ry: ball.ry, qz: ball.qz}
"""
BOTH = """
sarrus: 1
name: both
dimension: 3
bodies: {none: {mass: 1, inertia: [1, 1, 1], position: [9, 9, 9]}}
use:
  one: {file: arm.yaml}
  two: {file: arm.yaml, mirror: %s, position: [4, 1, 2], rotation: {rpy: [0.3, 0.5, 0.7]}}
method: {end: 1, sample: 0.25, tolerance: 1e-9}
"""


def check_mirrors():
    """What a file says of angles holds for its mirror image."""
    with tempfile.TemporaryDirectory(prefix="sarrus-along-") as folder:
        with open(os.path.join(folder, "arm.yaml"), "w", encoding="utf-8") as file:
            file.write(ARM)
        for mirror in "xyz":
            path = os.path.join(folder, "both.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(BOTH % mirror)
            rows = run(path)
            expect(rows and abs(rows[-1]["one.yaw"] - rows[0]["one.yaw"]) > 0.01, "it moves")
            for row in rows:
                for word in ("yaw", "roll", "ry", "qz"):
                    near(row["two." + word], row["one." + word], 1e-7, f"mirror {mirror}: {word} at {row['time']}")


def check_messages():
    z = "[0, 0, 1]"
    for force, text in (("{type: rotational-spring, along: ball.yaw_rate, stiffness: 1}", '"yaw_rate" is a rate: a force can act along positions only'),
                        ("{type: spring, along: ball.yaw, stiffness: 1}", "use 'type: rotational-spring'"),
                        ("{type: motor, along: b.origin.x, torque: 1}", "use 'type: actuator'"),
                        ("{type: motor, along: ball.yaw, joint: ball, torque: 1}", "has both 'along' and 'joint'"),
                        ("{type: motor, along: ball.yaw + t, torque: 1}", "the time cannot be used here"),
                        ("{type: motor, along: ball.jaw, torque: 1}", 'ball has no "jaw"'),
                        ("{type: friction, along: ball.yaw, coefficient: 1, preload: 3, speed: 1}", "has a level or is viscous"),
                        ("{type: motor, torque: 1}", "lacks the key 'joint'")):
        message, _ = answer(SPHERE % (z, 0, f"forces: {{f: {force}}}", "yaw"), code=3)
        expect(text in message and "model.yaml:7:" in message, f"{force}: {message}")
    message, _ = answer(SPHERE % (z, 0, "drives: {f: {along: ball.jaw, value: t}}", "yaw"), code=3)
    expect('ball has no "jaw"' in message and "model.yaml:7:21" in message, message)


check_angles()
check_vector()
check_others()
check_cable()
check_free_length()
check_mirrors()
check_messages()
finish()
