#!/usr/bin/env python3
"""A file that is used turned, moved or mirrored moves as the turned, moved or mirrored original, with every joint and every force.

Usage: test_assemblies.py PROGRAM SOURCE_ROOT

A file of two bodies is used twice: as it is, and with a placement, under a gravity that is placed too. Its outputs, which are in the
frame of the file, must be the same; world positions, which the outer file sees, must be those that the placement says. The types
come from `sarrus describe elements`: one without a case fails.
"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

import built

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
TOLERANCE = 1e-7  # of values about one, after 100 steps of six corrections
failures = []


def multiply(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def apply(A, v):
    return [sum(A[i][k] * v[k] for k in range(3)) for i in range(3)]


def transposed(A):
    return [list(row) for row in zip(*A)]


def rotation(rpy):
    (cx, cy, cz), (sx, sy, sz) = [math.cos(a) for a in rpy], [math.sin(a) for a in rpy]
    return [[cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
            [-sy, cy * sx, cy * cx]]


class Placement:
    def __init__(self, mirror=None, position=(0, 0, 0), rpy=(0, 0, 0)):
        self.mirror, self.position, self.rpy = mirror, position, rpy
        self.A = rotation(rpy)
        if mirror:
            for row in self.A:
                row["xyz".index(mirror)] *= -1

    def keys(self, dimension):
        words = [f"position: {list(self.position[:dimension])}"]
        words.append(f"angle: {self.rpy[2]!r}" if dimension == 2 else f"rotation: {{rpy: {list(self.rpy)}}}")
        if self.mirror:
            words.append(f"mirror: {self.mirror}")
        return ", ".join(words)

    def __str__(self):
        return f"mirror {self.mirror}, position {self.position}, rpy {self.rpy}"


HALF = math.pi / 2
SPACE = [Placement("y"), Placement("x"), Placement("z", (0.5, -0.2, 0.3)), Placement(None, (1, 2, -3), (0.4, 0.5, -0.6)),
         Placement("y", (1, 2, -3), (0.4, 0.5, -0.6)), Placement("z", (0, 1, 0), (-0.3, 1.1, 2.2))]
PLANE = [Placement("y"), Placement("x"), Placement(None, (1, 2, 0), (0, 0, 0.7)), Placement("y", (1, 2, 0), (0, 0, 0.7)),
         Placement("x", (-1, 2, 0), (0, 0, 2.7))]
ON_ROAD = [Placement("y"), Placement("x", (1, 2, 0.5)), Placement("y", (1, 2, 0.5), (0, 0, HALF)), Placement(None, (0, 1, 2), (0, 0, math.pi))]
ON_ROAD_IN_PLANE = [Placement(None, (1, 2, 0)), Placement("x", (0.5, 0, 0))]

TURN = [0.3, -0.4, 0.5]  # of body b, as drawn
U, N = [0.36, 0.48, 0.8], [0.8, -0.6, 0.0]  # an axis and a normal, perpendicular


def in_b(v):
    return [round(x, 16) for x in apply(transposed(rotation(TURN)), v)]


# joint: (the ends, keys, what it lets one observe)
JOINTS3 = {
    "revolute": ("[a.P, b.origin]", f"axis: {U}", ["angle", "rate"]),
    "prismatic": ("[a.P, b.origin]", f"axis: {U}, normal: {N}", ["displacement", "speed"]),
    "spherical": ("[a.P, b.origin]", "", []),
    "universal": ("[a.P, b.origin]", "axis: [a.u, b.n]", ["angle", "angle2", "rate2"]),
    "cylindrical": ("[a.P, b.origin]", f"axis: {U}", ["angle", "rate", "displacement", "speed"]),
    "planar": ("[a.P, b.origin]", f"axis: {U}", ["angle", "displacement", "displacement2", "speed2"]),
    "screw": ("[a.P, b.origin]", f"axis: {U}, pitch: 0.2", ["angle", "displacement"]),
    "fixed": ("[a.P, b.origin]", "", []),
    "point-on-line": ("[a.P, b.origin]", f"axis: {U}", ["displacement"]),
    "point-on-plane": ("[a.P, b.origin]", f"axis: {U}", ["displacement", "displacement2"]),
    "distance": ("[a.origin, b.origin]", "distance: sqrt(0.0525)", ["distance"]),
    "rolling-sphere": ("[ground.floor, b.origin]", "axis: ground.z, radius: 0.3", []),
    "rolling-disc": ("[ground.floor, b.origin]", "axis: [ground.z, b.n], radius: 0.3", []),
    "knife-edge": ("[ground.floor, b.origin]", "axis: [ground.z, b.n]", []),
    "constant-velocity": ("[a.P, b.origin]", "axis: [a.u, b.bent]", []),
    "point-on-curve": ("[a.P, b.origin]", "axis: a.u, curve: {x: s, y: s^2 + 0.3*s, from: -1, to: 1}", []),
    "orientation": ("[a.P, b.origin]", "", []),
    "parallel-axes": ("[a, b]", f"at: [0.2, 0.15, 0.6], axis: {U}", ["angle", "rate"]),
    "general": ("[a.P, b.origin]", f"axis: {U}, normal: {N}, locked: [x, z, rx, ry]", []),
    "perpendicular-axes": ("[a.P, b.origin]", "axis: [a.u, b.n]", []),
}
JOINTS2 = {
    "revolute": ("[a.P, b.origin]", "", ["angle", "rate"]),
    "prismatic": ("[a.P, b.origin]", "axis: [0.6, 0.8]", ["displacement", "speed"]),
    "fixed": ("[a.P, b.origin]", "", []),
    "point-on-line": ("[a.P, b.origin]", "axis: [0.6, 0.8]", ["displacement"]),
    "distance": ("[a.origin, b.origin]", "distance: sqrt(0.05)", ["distance"]),
    "rolling-disc": ("[ground.floor, b.origin]", "axis: ground.y, radius: 0.3", []),
    "knife-edge": ("[ground.floor, b.origin]", "axis: b.u", []),
    "point-on-curve": ("[a.P, b.origin]", "curve: {x: s, y: s^2 + 0.3*s, from: -1, to: 1}", []),
    "orientation": ("[a, b]", "at: [0.3, 0.5]", []),
    "general": ("[a.P, b.origin]", "axis: [0.6, 0.8], locked: [y, rz]", []),
}
K = [[900, 20, 30, 4, 5, 6], [20, 800, 10, 3, 2, 1], [30, 10, 700, 7, 8, 9], [4, 3, 7, 50, 2, 3], [5, 2, 8, 2, 60, 4], [6, 1, 9, 3, 4, 70]]
C = [[k / 100 for k in row] for row in K]
K2, C2 = [[900, 20, 30], [20, 800, 10], [30, 10, 70]], [[9, 1, 2], [0, 8, 1], [1, 2, 3]]
# force: (the joint that it needs, its keys)
FORCES3 = {
    "force": [(None, 'acts_on: b.Q, force: [2 + 3*b.Q.y, -4*b.Q.vx, 1 + t], reaction: a'), (None, 'acts_on: b.Q, axes: body, force: [2, 3*t, 1]')],
    "torque": [(None, 'acts_on: b, torque: [0.1, -0.2*a.center.x, 0.3]'), (None, 'acts_on: b, axes: body, torque: [0.1, 0.2, 0.3], reaction: a')],
    "spring": [(None, "between: [a.P, b.Q], stiffness: 100, damping: 2, length: 0.1, force: 3*x^2 + v"),
               ("cylindrical", "joint: J, stiffness: 50, length: 0.1, force: x^2 + v"),
               ("planar", "joint: J, coordinate: displacement2, stiffness: 50, table: [[-1, -3], [0, 1], [1, 9]]")],
    "rotational-spring": [(kind, "joint: J, stiffness: 5, damping: 0.1, angle: 0.3, torque: x^2 + 0.1*v, table: [[-1, -3], [0, 1], [1, 9]]")
                          for kind in ("revolute", "cylindrical", "planar")] + [("universal", "joint: J, coordinate: angle2, stiffness: 5, angle: 0.2")],
    "bushing": [(None, f"between: [a.P, b.origin], K: {K}, C: {C}"), (None, f"between: [a.P, b.origin], axis: {U}, K: {K}, C: {C}"),
                (None, f"between: [ground.floor, b.Q], axis: {U}, normal: {N}, K: {K}")],
    "tyre": [(None, "acts_on: b.Q, radius: 0.8, stiffness: 300, damping: 3, road: 0.1*x + 0.2*sin(3*x), normal: yes"),
             (None, "acts_on: b.Q, radius: 0.8, stiffness: 300, forward: y, along: 2*x + t, road: 0.1*x")],
    "stop": [("revolute", "joint: J, lower: -0.02, upper: 0.01, stiffness: 500, exponent: 1.5, damping: 0.1"),
             ("cylindrical", "joint: J, coordinate: angle, lower: -0.02, upper: 0.01, stiffness: 500, damping: 0.1")],
    "maxwell": [(None, "between: [a.P, b.Q], stiffness: 100, damping: 3")],
    "friction": [("revolute", "joint: J, level: 0.5, speed: 0.1, viscous: 0.1"), ("screw", "joint: J, coordinate: angle, level: 0.5, speed: 0.1")],
    "actuator": [(None, "between: [a.P, b.Q], force: 3*x^2 - v + t"), ("cylindrical", "joint: J, force: 2 + x^2 + v")],
    "motor": [(kind, "joint: J, torque: 0.5 + x^2 + 0.1*v") for kind in ("revolute", "cylindrical")],
    "attraction": [(None, "between: [a.P, b.Q], strength: 0.3")],
    "potential": [(None, "energy: 5*(a.P.x - b.Q.x)*(a.P.y - b.Q.y)")],
    "drag": [(None, "acts_on: b.Q, linear: 2, quadratic: 3")],
    "contact": [(None, f"between: [a.P, b.Q], axis: {U}, radius: 0.8, stiffness: 300, damping: 0.1, friction: 0.4, speed: 0.3"),
                (None, "between: [a.P, b.Q], radius: 0.8, other_radius: 0.5, stiffness: 100, friction: 0.3, speed: 0.3"),
                (None, f"between: [ground.floor, b.Q], axis: {U}, radius: 0.8, length: 0.4, stiffness: 300, friction: 0.3, speed: 0.3"),
                (None, f"between: [a.P, b.Q], axis: {U}, surface: 0.1*x^2 + 0.3*y - 0.2*x*y, radius: 0.8, stiffness: 100, damping: 0.1, friction: 0.3, speed: 0.3")],
    "buoyancy": [(None, "acts_on: b.Q, radius: 0.8, weight: 30, level: 0.2")],
    "large-bushing": [(None, f"between: [a.P, b.origin], K: {K}, C: {C}"), (None, f"between: [a.P, b.origin], axis: {U}, frame: a, K: {K}, C: {C}"),
                      (None, f"between: [a.P, b.origin], axis: {U}, normal: {N}, frame: b, force: [x^2, 9*v + x, x*t], torque: [x^2, v + x^3, 3*x + x^2]")],
    "elastic-cable": [(None, "over: [ground.floor, b.Q, a.Q, ground.G, ground.H], length: 0.3, stiffness: 30, damping: 0.2")],
}
FORCES2 = {
    "force": [(None, 'acts_on: b.Q, force: [2 + 3*b.Q.y, -4*b.Q.vx + b.angle], reaction: a'), (None, 'acts_on: b.Q, axes: body, force: [2, 3*t]')],
    "torque": [(None, 'acts_on: b, torque: 0.3 - 0.1*b.rate')],
    "spring": [(None, "between: [a.P, b.Q], stiffness: 100, damping: 2, length: 0.1"), ("prismatic", "joint: J, stiffness: 50, length: 0.1, force: x^2 + v")],
    "rotational-spring": [("revolute", "joint: J, stiffness: 5, damping: 0.1, angle: 0.3, torque: x^2 + 0.1*v, table: [[-1, -3], [0, 1], [1, 9]]")],
    "bushing": [(None, f"between: [a.P, b.origin], K: {K2}, C: {C2}"), (None, f"between: [a.P, b.origin], axis: [0.6, 0.8], K: {K2}, C: {C2}")],
    "tyre": [(None, "acts_on: b.Q, radius: 0.8, stiffness: 300, damping: 3, road: 0.1*x + 0.2*sin(3*x), normal: yes")],
    "stop": [("revolute", "joint: J, lower: -0.02, upper: 0.01, stiffness: 500, exponent: 1.5, damping: 0.1")],
    "maxwell": [(None, "between: [a.P, b.Q], stiffness: 100, damping: 3")],
    "friction": [("revolute", "joint: J, level: 0.5, speed: 0.1, viscous: 0.1")],
    "actuator": [(None, "between: [a.P, b.Q], force: 3*x^2 - v + t"), ("prismatic", "joint: J, force: 2 + x^2 + v")],
    "motor": [(kind, "joint: J, torque: 0.5 + x^2 + 0.1*v") for kind in ("revolute",)],
    "attraction": [(None, "between: [a.P, b.Q], strength: 0.3")],
    "potential": [(None, "energy: 5*(a.P.x - b.Q.x)*(a.P.y - b.Q.y)")],
    "drag": [(None, "acts_on: b.Q, linear: 2, quadratic: 3")],
    "contact": [(None, "between: [a.P, b.Q], axis: [0.6, 0.8], radius: 0.8, stiffness: 300, damping: 0.1, friction: 0.4, speed: 0.3"),
                (None, "between: [a.P, b.Q], radius: 0.8, other_radius: 0.5, stiffness: 100, friction: 0.3, speed: 0.3"),
                (None, "between: [a.P, b.Q], axis: [0.6, 0.8], surface: 0.1*x^2 + 0.3*x, radius: 0.8, stiffness: 100, friction: 0.3, speed: 0.3")],
    "buoyancy": [(None, "acts_on: b.Q, radius: 0.8, weight: 30, level: 0.2")],
    "large-bushing": [(None, f"between: [a.P, b.origin], K: {K2}, C: {C2}"), (None, f"between: [a.P, b.origin], axis: [0.6, 0.8], frame: a, K: {K2}"),
                      (None, "between: [a.P, b.origin], axis: [0.6, 0.8], frame: b, force: [x^2, 9*v + x^2], torque: x^2 + 3*x")],
    "elastic-cable": [(None, "over: [ground.floor, b.Q, a.Q, ground.G, ground.H], length: 0.3, stiffness: 30, damping: 0.2")],
}
# Between J and K or a rotor.
BETWEEN_JOINTS = {
    "shaft": ["joints: [J, K], ratio: 2, stiffness: 3, damping: 0.2, twist: 0.1", "joints: [R, J], ratio: -3, torque: 2*x + x^2 + 0.1*v",
              "joints: [G, J], stiffness: 3, play: 0.01"],
    "clutch": ["joints: [J, R], capacity: 2 + t + 0.1*x, speed: 0.3"],
    "elastic-belt": ["joints: [J, K], radii: [0.1, 0.3], stiffness: 300, damping: 2, tension: 5", "joints: [K, R], radii: [0.1, 0.3], crossed: yes, stiffness: 300, tension: 1"],
}


def part(dimension, joint, force, more=""):
    """The file that is used; `joint` is (type, ends, keys, signals)."""
    outputs = {}
    vectors = ["x", "y", "z"][:dimension]
    for k in vectors:
        outputs.update({f"{p}_{b}_{k}": f"{b}.{p}.{k}" for b in "ab" for p in ("origin", "Q")})
        outputs[f"v_{k}"], outputs[f"a_{k}"] = f"b.Q.v{k}", f"b.center.a{k}"
        if dimension == 3:
            outputs[f"w_{k}"] = f"b.w{k}"
    if dimension == 2:
        outputs.update(angle="b.angle", rate="b.rate")
    if joint:
        outputs.update({f"J_{s}": f"J.{s}" for s in joint[3]})
        outputs.update({f"J_f{k}": f"J.f{k}" for k in vectors})
        outputs.update({f"J_t{k}": f"J.t{k}" for k in ("xyz" if dimension == 3 else "z")})
    if dimension == 3:
        bodies = f"""
  a: {{mass: 3, inertia: [0.5, 0.4, 0.3, 0.05, -0.04, 0.03], center: [0.05, -0.02, 0.03], points: {{P: [0.2, 0.1, 0.05], Q: [0.1, 0.2, 0.3]}}, axes: {{u: {U}}}, position: [0, 0, 0.5], rotation: {{rpy: [0, 0, 0]}}, velocity: [0.1, 0.2, 0], angular_velocity: [0.2, -0.1, 0.3]}}
  b: {{mass: 2, inertia: [0.3, 0.4, 0.5, -0.02, 0.05, 0.04], center: [0.1, 0.05, -0.02], points: {{Q: [0.3, -0.2, 0.1]}}, axes: {{u: {in_b(U)}, n: {in_b(N)}, bent: {in_b([0.5, 0.4, 0.7])}}}, position: [0.2, 0.1, 0.55], rotation: {{rpy: {TURN}}}, velocity: [0.3, -0.2, 0.1], angular_velocity: [0.5, 0.7, -0.6]}}"""
    else:
        bodies = """
  a: {mass: 3, inertia: 0.4, center: [0.05, -0.02], points: {P: [0.2, 0.1], Q: [0.1, 0.2]}, position: [0, 0.5], angle: 0, velocity: [0.1, 0.2], angular_velocity: 0.3}
  b: {mass: 2, inertia: 0.3, center: [0.1, 0.05], points: {Q: [0.3, -0.2]}, axes: {u: [0.6, 0.8]}, position: [0.2, 0.6], angle: 0.4, velocity: [0.3, -0.2], angular_velocity: 0.6}"""
    floor = "[0.1, 0.2, 0.25]" if dimension == 3 else "[0.1, 0.3]"
    places = "G: [0.2, 0.1, 0.55], H: [0, 0, 0.5]" if dimension == 3 else "G: [0.2, 0.6], H: [0, 0.5]"
    axes = f", axes: {{u: {U}}}" if dimension == 3 else ""
    lines = [f"sarrus: 1\nname: part\ndimension: {dimension}\nground: {{points: {{floor: {floor}, {places}}}{axes}}}\nbodies:{bodies}"]
    if joint:
        lines.append(f"joints:\n  J: {{type: {joint[0]}, between: {joint[1]}{', ' if joint[2] else ''}{joint[2]}}}")
    if force:
        lines.append(f"forces:\n  F: {{type: {force[0]}, {force[1]}}}")
    lines.append(more)
    lines.append("outputs:\n" + "\n".join(f"  {name}: {text}" for name, text in outputs.items()))
    return "\n".join(lines) + "\n"


def outer(dimension, gravity, use):
    seen = "\n".join(f"  seen_{k}: part.b.Q.{k}" for k in "xyz"[:dimension])
    return (f"sarrus: 1\nname: outer\ndimension: {dimension}\ngravity: {gravity[:dimension]}\n"
            f"use:\n  part: {{file: part.yaml{', ' if use else ''}{use}}}\noutputs:\n{seen}\n")


def run(folder, text, coordinates):
    path, out = os.path.join(folder, "outer.yaml"), os.path.join(folder, "out.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([PROGRAM, "run", path, "--end", "0.1", "--step", "1e-3", "--sample", "0.1", "--coordinates", coordinates, "--iterations", "fixed:6", "-o", out],
                          capture_output=True, text=True, timeout=3600)
    if done.returncode != 0:
        return None, done.stdout + done.stderr
    with open(out, newline="", encoding="utf-8") as file:
        return {name: float(x) for name, x in list(csv.DictReader(file))[-1].items()}, None


def compare(folder, what, dimension, text, placements, coordinates):
    with open(os.path.join(folder, "part.yaml"), "w", encoding="utf-8") as file:
        file.write(text)
    gravity = [0.3, -2.0, -9.0 if dimension == 3 else 0.0]
    original, why = run(folder, outer(dimension, gravity, ""), coordinates)
    if original is None:
        failures.append(f"{what}: {why}")
        return
    for p in placements[::1 if built.full(PROGRAM) else 2]:
        where = f"{what}, {p}"
        placed, why = run(folder, outer(dimension, apply(p.A, gravity), p.keys(dimension)), coordinates)
        if placed is None:
            failures.append(f"{where}: {why}")
            continue
        scale = max(1.0, max(abs(x) for x in original.values()))
        for name, x in original.items():
            if not name.startswith("seen") and not abs(placed[name] - x) <= TOLERANCE * scale:
                failures.append(f"{where}: {name} is {placed[name]!r}, not {x!r}")
        world = [x + d for x, d in zip(apply(p.A, [original.get(f"seen_{k}", 0.0) for k in "xyz"]), p.position)]
        for k, x in zip("xyz"[:dimension], world):
            if not abs(placed[f"seen_{k}"] - x) <= TOLERANCE * scale:
                failures.append(f"{where}: the outer file sees b.Q.{k} at {placed[f'seen_{k}']!r}, not {x!r}")


def listed(section, dimension):
    rows = [line.split("\t") for line in subprocess.run([PROGRAM, "describe", "elements"], capture_output=True, text=True, check=True).stdout.splitlines()]
    return {row[1] for row in rows if row[0] == section and not row[2] and row[3 if dimension == 2 else 4]}


def on_ground(case):
    """The same joint with the ground in the place of body a."""
    ends, keys, signals = case
    return ends.replace("a.P", "ground.G").replace("a.origin", "ground.H"), keys, signals


def cases(dimension):
    """What, the text, where it is placed."""
    joints, forces = (JOINTS3, FORCES3) if dimension == 3 else (JOINTS2, FORCES2)
    for section, table in (("joint", joints), ("force", forces)):
        # roads of magic tyres are in world axes, so that they are the same wherever a file is placed
        for missing in sorted((listed(section, dimension) - {"magic-tyre"} - set(BETWEEN_JOINTS)) ^ set(table)):
            failures.append(f"the {section} {missing} of dimension {dimension} has no case here, or is no {section}")
    places = SPACE if dimension == 3 else PLANE
    for kind, (ends, keys, signals) in joints.items():
        yield kind, part(dimension, (kind, ends, keys, signals), None), places
        coordinate = next((s for s in signals if s in ("angle", "displacement", "angle2")), None)
        if coordinate:
            drive = f"drives:\n  D: {{joint: J, coordinate: {coordinate}, value: 0.2*t + 0.5*t^2}}"
            yield f"driven {kind}", part(dimension, (kind, ends, keys, signals), None, drive), places[1:5:2]
            at_ground = on_ground((ends, keys.replace("a.u", "ground.u"), signals))
            yield f"{kind} on the ground", part(dimension, (kind, *at_ground), None), places[:5:2]
            yield f"started {kind}", part(dimension, (kind, ends, keys, signals), None, f"start:\n  J.{coordinate}: 0.1"), places[:2]
    axis = f", axis: {U}" if dimension == 3 else ""
    for what, second in (("gear", "type: gear, joints: [J, K], ratio: -2"), ("coupler", "type: coupler, sum: {J.angle: 1, K.angle: 0.7}")):
        keys = f"cut: no{axis}}}\n  K: {{type: revolute, between: [ground.H, a.origin]{axis}}}\n  g: {{{second}"
        yield what, part(dimension, ("revolute", "[a.P, b.origin]", keys, ["angle", "rate"]), None), places
    rotors = f"  R: {{type: rotor, inertia: 0.2, carrier: a.P{axis}}}\n  G: {{type: rotor, inertia: 0.01, drives: J, ratio: 5"
    keys = f"cut: no{axis}}}\n  K: {{type: revolute, between: [ground.H, a.origin]{axis}}}\n{rotors}"
    shown = "start: {R.rate: 7}\noutputs:\n  R: R.angle\n  G: G.angle"
    for kind, variants in BETWEEN_JOINTS.items():
        for force in variants:
            text = part(dimension, ("revolute", "[a.P, b.origin]", keys, ["angle", "rate"]), (kind, force))
            yield f"{kind} ({force})", text.replace("outputs:", shown + "\n  F_f: F.transmitted\n  F_x: F.twist"), places
    condition = "b.Q.vx + 0.3*b.wz - 0.2*b.Q.y*b.origin.vy" if dimension == 3 else "b.Q.vx - 0.3*b.rate + 0.1*b.angle"
    surface = "surface: x^2 + 2*y*z - 0.3*y + 0.1*z, between: [a.P, b.origin]" if dimension == 3 else "surface: x^2 + 2*y - 0.3*x*y, between: [a.P, b.origin]"
    yield "surface", part(dimension, None, None, f"constraints:\n  c: {{{surface}}}"), places
    yield "constraint", part(dimension, None, None, f"constraints:\n  c: {{velocity: {condition}}}"), places
    states = "states:\n  lag: {rate: (J.angle - lag)/0.02, start: 0.1}\n  sum: b.Q.vx + 2*lag"
    servo = ("motor", "joint: J, torque: 3*sum - lag*x")
    yield "states", part(dimension, ("revolute", "[a.P, b.origin]", axis.lstrip(", "), ["angle", "rate"]), servo, states), places
    seen = ", ".join(f"b.Q.v{k}@b + b.Q.{k}@a" for k in "xyz"[:dimension])
    yield "along axes", part(dimension, None, ("force", f"acts_on: b.Q, axes: body, force: [{seen}]")), places
    if dimension == 3:
        spin = ", ".join(f"-b.w{k}@b" for k in "xyz")
        yield "own spin", part(dimension, None, ("torque", f"acts_on: b, axes: body, torque: [{spin}]")), places
        spin = ", ".join(f"-b.w{k}" for k in "xyz")
        yield "spin", part(dimension, None, ("torque", f"acts_on: b, torque: [{spin}]")), places
    pair = part(dimension, ("revolute", "[a.P, b.origin]", axis.lstrip(", "), ["angle", "rate"]), None)
    turned = pair.replace("rpy: [0, 0, 0]", "rpy: [0.2, -0.3, 0.4]").replace("position: [0, 0.5], angle: 0,", "position: [0, 0.5], angle: 0.7,")
    drawn = turned.replace("position: [0.2, 0.1, 0.55]", "drawn_on: a, position: [0.2, 0.1, 0.05]").replace("position: [0.2, 0.6]", "drawn_on: a, position: [0.2, 0.1]")
    yield "drawn on a body", drawn, places
    for kind, variants in forces.items():
        for joint, keys in variants:
            road = ON_ROAD if dimension == 3 else ON_ROAD_IN_PLANE
            full = (joint, *joints[joint]) if joint else None
            turns = kind in ("rotational-spring", "motor") or "coordinate: angle" in keys or (kind in ("stop", "friction") and joint == "revolute")
            signals = [f"F.{s}{k}" for s in "ft" for k in ("xyz" if dimension == 3 else "xy" if s == "f" else "z")] + ["F.power"]
            if kind not in ("force", "torque", "bushing", "drag", "tyre", "contact", "buoyancy", "large-bushing", "elastic-cable", "potential"):
                signals.append("F.torque" if turns else "F.force")
            text = part(dimension, full, (kind, keys)) + "".join(f"  {s.replace('.', '_')}: {s}\n" for s in signals)
            yield f"{kind} ({keys})", text, road if kind in ("tyre", "buoyancy") else places


def example(folder):
    """The axle of two sides stays symmetric, and its springs carry it: a beam of 500 kg and two sides of 44 kg."""
    model, out = os.path.join(ROOT, "examples", "models", "axle.yaml"), os.path.join(folder, "axle.csv")
    for coordinates in ("natural", "cartesian", "increments", "relative"):
        done = subprocess.run([PROGRAM, "run", model, "--end", "1", "--coordinates", coordinates, "-o", out], capture_output=True, text=True, timeout=3600)
        if done.returncode != 0:
            failures.append(f"axle.yaml, {coordinates}: {done.stdout}{done.stderr}")
            continue
        with open(out, newline="", encoding="utf-8") as file:
            last = {name: float(x) for name, x in list(csv.DictReader(file))[-1].items()}
        pairs = [("left", -last["right"]), ("left.swing", last["right.swing"]), ("left.track", last["right.track"]), ("aside", 0.0), ("roll", 0.0)]
        for name, x in pairs:
            if not abs(last[name] - x) <= 1e-9:
                failures.append(f"axle.yaml, {coordinates}: {name} is {last[name]!r}, not {x!r}")
        if not 0.3 < last["height"] < 0.7:
            failures.append(f"axle.yaml, {coordinates}: the beam is at {last['height']!r}")


def robot():
    """Drawn by its joint angles: the tip is where the angles say, and the masses are those of the shapes."""
    model = os.path.join(ROOT, "examples", "models", "robot.yaml")
    done = subprocess.run([PROGRAM, "check", model, "--json"], capture_output=True, text=True, timeout=3600)
    if done.returncode != 0:
        failures.append(f"robot.yaml: {done.stdout}{done.stderr}")
        return
    seen = json.loads(done.stdout)["outputs"]
    turn, shoulder, elbow, length = math.radians(30), math.radians(40), math.radians(-60), 0.5
    reach = length * (math.cos(shoulder) + math.cos(shoulder + elbow))
    tip = {"x": reach * math.cos(turn), "y": reach * math.sin(turn),
           "z": 0.4 + length * (math.sin(shoulder) + math.sin(shoulder + elbow))}
    for name, x in tip.items():
        if not abs(seen[name] - x) <= 1e-14:
            failures.append(f"robot.yaml: {name} is {seen[name]!r}, not {x!r}")


def main():
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for dimension in (2, 3):
            for what, text, places in cases(dimension):
                compare(folder, f"dimension {dimension}: {what}", dimension, text, places, "natural" if count % 2 else "cartesian")
                count += 1
        example(folder)
        robot()
    for line in failures[:40]:
        print("FAILED", line)
    print(f"{count} files, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
