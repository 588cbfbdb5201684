#!/usr/bin/env python3
"""Forces that depend on reactions, by expressions and as friction, against closed forms and integrations by other equations: errors, orders, jams.

Usage: test_reactions_in_forces.py PROGRAM SOURCE_ROOT
"""
import math

from runs import COORDINATES, answer, expect, finish, near, run

METHODS = (("--tolerance", "1e-9"), ("--preset", "ALi3p", "--step", "1e-4"), ("--formulation", "al1", "--integrator", "rk4", "--step", "1e-3"))

# A block on a rail that is slanted: its load is constant.
BLOCK = """
sarrus: 1
name: block
dimension: %d
gravity: %s
parameters: {mu: 0.3, slope: 35 deg}
bodies: {block: {mass: 2, inertia: %s, position: %s, %s}}
frames: {rail: {%s}}
joints: {guide: {type: prismatic, between: [rail, block.origin], axis: [rail.x, block.x]}}
forces: {rubs: {%s}}
outputs: {s: guide.displacement, load: guide.fy@rail, rub: rubs.force}
method: {end: 1, sample: 0.125}
"""


def check_block():
    g, slope, mu = 9.81, math.radians(35), 0.3
    a = g * (math.sin(slope) - mu * math.cos(slope))
    plane = (2, "[0, -9.81]", "1", "[0, 0]", "angle: -slope", "angle: -slope")
    space = (3, "[0, 0, -9.81]", "[1, 1, 1]", "[0, 0, 0]", "rotation: {x: [cos(slope), 0, -sin(slope)], y: [sin(slope), 0, cos(slope)]}",
             "rotation: {x: [cos(slope), 0, -sin(slope)], y: [sin(slope), 0, cos(slope)]}")
    laws = ("type: actuator, joint: guide, force: '-mu*guide.fy@rail'", "type: actuator, joint: guide, force: '-mu*guide.fy@block'",
            "type: spring, joint: guide, force: 'mu*hypot(guide.fx, guide.fy)'" , "type: force, acts_on: block.center, force: ['-mu*guide.fy@rail', 0], axes: rail")
    for values in (plane, space):
        for law in laws:
            if values[0] == 3:
                law = law.replace("hypot(guide.fx, guide.fy)", "sqrt(guide.fx^2 + guide.fy^2 + guide.fz^2)").replace(", 0]", ", 0, 0]")
            shown = BLOCK if "force, acts_on" not in law else BLOCK.replace(", rub: rubs.force", "")
            for k, coordinates in enumerate(COORDINATES):
                method = METHODS[k % 3]
                for row in run(shown % (*values, law), "--coordinates", coordinates, *method):
                    near(row["s"], a * row["time"] ** 2 / 2, 1e-6, f"{law} {coordinates} {method}: at {row['time']}")
                    near(row["load"], 2 * g * math.cos(slope), 1e-6, f"{law} {coordinates}: load")


# A sledge that falls on a floor, lies there, and is stopped by friction on it: the force of a bound.
SLEDGE = """
sarrus: 1
name: sledge
dimension: 2
gravity: [0, -9.81]
parameters: {mu: 0.25}
bodies: {sledge: {mass: 3, inertia: 1, position: [0, 0.2], angle: 0, velocity: [2, 0]}}
joints: {upright: {type: orientation, between: [ground.origin, sledge.origin]}}
constraints: {floor: {position: sledge.origin.y, lower: 0}}
forces: {rubs: {type: actuator, along: sledge.origin.x, force: -mu*floor.force*tanh(v/1e-3)}}
outputs: {px: sledge.origin.x, push: floor.force, rub: rubs.force}
method: {end: 1.5, sample: 0.125, tolerance: 1e-8}
"""


def check_sledge():
    fall, a = math.sqrt(2 * 0.2 / 9.81), 0.25 * 9.81
    for coordinates in COORDINATES:
        _, rows = answer(SLEDGE, "--coordinates", coordinates)
        for row in rows:
            t, glides = row["time"], min(max(row["time"] - fall, 0.0), 2 / a)
            near(row["px"], 2 * min(t, fall) + 2 * glides - a * glides**2 / 2, 2e-3 if glides == 2 / a else 1e-6, f"{coordinates}: sledge at {t}")


# A pendulum whose bearing rubs by its load: the force `friction`, and the same by an expression.
BEARING = """
sarrus: 1
name: bearing
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 2, inertia: 0.2, center: [0.5, 0], position: [0, 0], angle: 0}}
joints: {pin: {type: revolute, between: [ground.origin, rod.origin]}}
forces: {rubs: {%s}}
outputs: {a: pin.angle}
method: {end: 2, sample: 0.25}
"""
FRICTION = "type: friction, joint: pin, coefficient: 0.2, radius: 0.05, preload: reaction, speed: 0.5"
BY_HAND = "type: motor, joint: pin, torque: '-0.2*0.05*hypot(pin.fx, pin.fy)*tanh(v/0.5)'"


def rub(a, w):
    """Acceleration of its angle: 0.7 a'' = -m g r cos(a) - 0.01 N tanh(w/0.5), N = m |acceleration of the centre - g|."""
    m, g, r, acceleration = 2, 9.81, 0.5, 0.0
    for _ in range(12):
        fx = m * r * (-acceleration * math.sin(a) - w * w * math.cos(a))
        fy = m * (r * (acceleration * math.cos(a) - w * w * math.sin(a)) + g)
        acceleration = (-m * g * r * math.cos(a) - 0.01 * math.hypot(fx, fy) * math.tanh(w / 0.5)) / 0.7
    return acceleration


def swing(steps, end=2.0):
    """Angles every 0.25 s, by Runge and Kutta's rule."""
    h, a, w = end / steps, 0.0, 0.0
    found = {0.0: 0.0}
    for k in range(1, steps + 1):
        k1 = w, rub(a, w)
        k2 = w + h / 2 * k1[1], rub(a + h / 2 * k1[0], w + h / 2 * k1[1])
        k3 = w + h / 2 * k2[1], rub(a + h / 2 * k2[0], w + h / 2 * k2[1])
        k4 = w + h * k3[1], rub(a + h * k3[0], w + h * k3[1])
        a += h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
        w += h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
        found[k * h] = a
    return found


def check_bearing():
    wanted = swing(4096)
    for law in (FRICTION, BY_HAND):
        for coordinates in COORDINATES:
            for row in run(BEARING % law, "--coordinates", coordinates, "--tolerance", "1e-9"):
                near(row["a"], wanted[row["time"]], 2e-8, f"bearing, {law}, {coordinates}: at {row['time']}")
    methods = {("--formulation", "al3"): 2, ("--formulation", "al1", "--integrator", "rk4"): 4, ("--formulation", "nullspace", "--integrator", "rk4"): 4,
               ("--formulation", "hamiltonian", "--integrator", "rk4"): 4, ("--formulation", "threefield", "--integrator", "own"): 2}
    for method, order in methods.items():
        errors = [max(abs(row["a"] - wanted[row["time"]]) for row in run(BEARING % FRICTION, *method, "--step", str(h))) for h in (1 / 128, 1 / 256)]
        expect(errors[0] > errors[1] > 1e-10 and math.log2(errors[0] / errors[1]) > order - 0.3, f"order {order} of {method}: errors {errors}")


# A sledge that brakes, and carries a weight that shakes up and down; it starts afresh where every period begins, when the load rises fastest.
SHAKEN = """
sarrus: 1
name: shaken
dimension: 2
gravity: [0, -9.81]
parameters: {m: 1, w: 50}
breakpoints: %s
bodies:
  sledge: {mass: 2*m, inertia: 1, position: [0, 0], angle: 0}
  weight: {mass: m, inertia: 1, position: [0, 0], angle: 0}
joints:
  guide: {type: prismatic, between: [ground.origin, sledge.origin], axis: [ground.x, sledge.x]}
  shaker: {type: prismatic, between: [sledge.origin, weight.origin], axis: [sledge.y, weight.y]}
drives: {shake: {joint: shaker, value: 0.004*sin(w*t)}}
forces: {rubs: {type: friction, joint: guide, coefficient: 0.3, preload: reaction, speed: 1e-3}}
start: {guide.speed: 10}
outputs: {speed: guide.speed}
method: {end: 2, sample: 0.125}
"""


def check_shaken():
    model = SHAKEN % [2 * math.pi * k / 50 for k in range(1, 16)]
    for coordinates in ("natural", "relative"):
        for row in run(model, "--coordinates", coordinates, "--tolerance", "1e-8"):
            t = row["time"]
            near(row["speed"], 10 - 0.3 * (9.81 * t + 0.004 * 50 / 3 * (math.cos(50 * t) - 1)), 1e-6, f"shaken, {coordinates}: at {t}")


# A puck is pushed by what a drive feels, up to 2 N.
LIMITED = """
sarrus: 1
name: limited
dimension: 2
parameters: {m: 4, w: 4}
bodies:
  sledge: {mass: m, inertia: 1, position: [0, 0], angle: 0}
  puck: {mass: 1, inertia: 1, position: [3, 0], angle: 0}
joints:
  rail: {type: prismatic, between: [ground.origin, sledge.origin], axis: [ground.x, sledge.x]}
  path: {type: prismatic, between: [ground.origin, puck.origin], axis: [ground.x, puck.x]}
drives: {shake: {joint: rail, value: 0.1*sin(w*t)}}
forces: {push: {type: actuator, joint: path, force: "max(-2, min(2, shake.force))"}}
outputs: {v: puck.origin.vx}
method: {end: 5, sample: 0.125}
"""


def check_limited():
    parts, v, t = 40000, 0.0, 0.0
    wanted = {0.0: 0.0}
    for k in range(1, parts + 1):
        v += max(-2, min(2, -4 * 0.1 * 16 * math.sin(4 * (k - 0.5) * 5 / parts))) * 5 / parts
        wanted[k * 5 / parts] = v
    for coordinates in ("natural", "relative"):
        for row in run(LIMITED, "--coordinates", coordinates):
            near(row["v"], wanted[row["time"]], 1e-6, f"limited, {coordinates}: at {row['time']}")


# A slider that is pressed onto its guide by what the guide itself carries, N = m g - k N + 1: for k = -1 there is no such N.
JAM = """
sarrus: 1
name: jam
dimension: 2
gravity: [0, -9.81]
parameters: {k: %g}
bodies: {bar: {mass: 1, inertia: 1, position: [0, 0], angle: 0, velocity: [1, 0]}}
joints: {guide: {type: prismatic, between: [ground.origin, bar.origin], axis: [ground.x, bar.x]}}
forces: {presses: {type: force, acts_on: bar.origin, force: [0, 'k*guide.fy - 1']}}
outputs: {load: guide.fy}
method: {end: 1, sample: 0.5}
"""


def check_jam():
    for k in (1.5, -0.5, -3, 20, 0):
        for coordinates in COORDINATES:
            near(run(JAM % k, "--coordinates", coordinates)[-1]["load"], 10.81 / (1 + k), 1e-9, f"pressed, k = {k}, {coordinates}")
    for method in METHODS:
        text, _ = answer(JAM % -1, *method, code=1)
        expect("no reactions agree with the forces that they cause" in text, f"{method}: {text}")


def check_messages():
    text, _ = answer(SLEDGE.replace("lower: 0}", "lower: 0}, other: {position: sledge.origin.x + upright.fx}"), code=3)
    expect('"fx" is a reaction: constraints can use positions and rates only' in text and "model.yaml:9:" in text, text)
    text, _ = answer(BEARING % BY_HAND.replace("hypot(pin.fx, pin.fy)", "rod.center.ax"), code=3)
    expect('"ax" is an acceleration: forces can use positions, rates and reactions only' in text, text)
    text, _ = answer((BEARING % BY_HAND).replace("a: pin.angle", "a: {integral: pin.fx}"), code=3)
    expect('"fx" is a reaction: phases and sums over time can use positions and rates only' in text, text)


check_block()
check_sledge()
check_bearing()
check_shaken()
check_limited()
check_jam()
check_messages()
finish()
