"""Forces that leave their range of validity are noted once, with name and time; those within are not.

    python3 test_validity.py PROGRAM ROOT
"""
import math

from runs import COORDINATES, answer, expect, finish, near

SPIN = """sarrus: 1
name: spin
dimension: %d
bodies: {b: {mass: 1, inertia: %s, position: %s, points: {p: %s}}}
joints: {pin: {type: revolute, between: [ground.origin, b.origin]%s}}
forces: {rubber: {type: %s, between: [ground.origin, b.origin], K: %s}}
start: {pin.rate: %g}
outputs: {angle: pin.angle}
method: {end: 1}
"""


def spinning(dimension, kind, stiffness, rate):
    plane = (2, "0.1", "[0, 0]", "[1, 0]", "")
    space = (3, "[0.1, 0.1, 0.1]", "[0, 0, 0]", "[1, 0, 0]", ", axis: [ground.z, b.z]")
    return SPIN % (*(plane if dimension == 2 else space), kind, stiffness, rate)


def notes(model, *options):
    report = answer(model, *options)[0]
    found = report.get("outside_range", [])
    for note in found:
        expect(any(note["element"] in line and note["text"] in line for line in report["warnings"]), f"{note} is not in {report['warnings']}")
    return {note["element"]: note for note in found}


def noted(model, element, words, t, within, *options):
    note = notes(model, *options).get(element)
    label = f"{model.splitlines()[1]} {options}"
    if not note:
        return expect(False, f"{label}: no note of {element}")
    expect(words in note["text"], f"{label}: {note['text']}")
    return near(note["t"], t, within, label)


# a bushing of no stiffness in translation that would change the motion: turned through nine revolutions, beyond 30 degrees at 30 deg/rate
rate = 18 * math.pi
for coordinates in COORDINATES:
    options = ("--coordinates", coordinates, "--step-max", "1e-3")
    for dimension, soft in ((2, "[0, 0, 1e-9]"), (3, "[0, 0, 0, 0, 0, 1e-9]")):
        noted(spinning(dimension, "bushing", soft, rate), "rubber", "use a large-bushing", math.pi / 6 / rate, 1.1e-3, *options)
    noted(spinning(3, "large-bushing", "[0, 0, 0, 0, 0, 1e-9]", rate), "rubber", "at 180 deg", 5 * math.pi / 6 / rate, 1.1e-3, *options)
for model in (spinning(2, "bushing", "[1, 1, 0]", rate), spinning(3, "bushing", "[1, 1, 1, 0, 0, 0]", rate), spinning(2, "bushing", "[1, 1, 100]", 0.1),
              spinning(3, "bushing", "[1, 1, 1, 100, 100, 100]", 0.1), spinning(2, "large-bushing", "[1, 1, 1]", rate)):
    expect(not notes(model), f"within its range: {notes(model)}")

# a cylinder that stands on its end, one that lies, and one that stands on an edge
CYLINDER = """sarrus: 1
name: cylinder
dimension: 3
gravity: [0, 0, -9.81]
bodies: {c: {mass: 1, inertia: [0.01, 0.01, 0.005], position: [0, 0, %g], rotation: {rpy: [%g deg, 0, 0]}}}
forces: {floor: {type: contact, between: [ground.origin, c.origin], axis: [ground.z, c.z], radius: 0.1, length: 0.4, stiffness: 1e5, damping: 1}}
outputs: {z: c.origin.z}
method: {end: 0.05}
"""
noted(CYLINDER % (0.1999, 0), "floor", "stands on its end", 0, 1e-9)
expect(not notes(CYLINDER % (0.0999, 90)), "a cylinder that lies")
expect(not notes(CYLINDER % (0.2 * math.cos(math.radians(20)) + 0.1 * math.sin(math.radians(20)) - 1e-4, 20)), "a cylinder on its edge")

# a ball far in the ground, a wheel below its road, a spring without length, a spring beyond its table
FALL = """sarrus: 1
name: fall
dimension: 2
gravity: [0, -9.81]
bodies: {b: {mass: 1, inertia: 0.1, position: [0, %g], angle: 0}}
forces: {it: %s}
outputs: {y: b.origin.y}
method: {end: %g}
"""
SOFT = "{type: contact, between: [ground.origin, b.origin], axis: [ground.y, b.y], radius: 0.1, stiffness: 1e-3}"
noted(FALL % (0.1, SOFT, 0.3), "it", "times its radius", math.sqrt(0.2 / 9.81), 5e-3, "--step-max", "1e-3")
noted(FALL % (0.3, "{type: tyre, acts_on: b.origin, radius: 0.3, stiffness: 1e-3}", 0.4), "it", "below the road", math.sqrt(0.6 / 9.81), 5e-3,
      "--step-max", "1e-3")
noted(FALL % (0, "{type: spring, between: [ground.origin, b.origin], stiffness: 10, length: 0.5}", 0.01), "it", "has no length", 0, 1e-9)
noted(FALL % (1, "{type: spring, between: [ground.origin, b.origin], length: 1, table: [[-0.2, -1e-3], [0, 0], [0.2, 1e-3]]}", 0.5), "it", "beyond its table",
      math.sqrt(0.4 / 9.81), 5e-3, "--step-max", "1e-3")
expect(not notes(FALL % (0.5, "{type: spring, between: [ground.origin, b.origin], stiffness: 10, length: 0.5}", 0.1)), "a spring within its range")
finish()
