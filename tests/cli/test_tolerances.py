#!/usr/bin/env python3
"""Tolerances: a table on four legs in closed form; doors, four-bars and the Bricard linkage beside perturbed elastic assemblies that are
computed here; dimensions that close all loops; a singular configuration.

Usage: test_tolerances.py PROGRAM SOURCE_ROOT [--all]

--all, and in `make soak`: 10 000 assemblies with random dimensions each; else 100.
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

import numpy

import built

PROGRAM, ROOT = sys.argv[1], sys.argv[2]
FOLDER = tempfile.mkdtemp(prefix="sarrus-tolerances-")
FAULTS = []
TOLERANCE, C, CR = 1e-4, 1e-6, 1e-5


def check(condition, text):
    if not condition:
        FAULTS.append(text)
        print("FAULT:", text)


def tolerances(name, text, *options):
    path = os.path.join(FOLDER, name + ".yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([PROGRAM, "tolerances", path, "--json", *options], capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise SystemExit(f"{name}: {done.returncode} {done.stdout} {done.stderr}")
    return json.loads(done.stdout)


def close(a, b, part, text):
    check(abs(a - b) <= part * abs(b), f"{text}: {a} instead of {b}")


CORNERS = [(0.5, 0.3), (-0.5, 0.3), (-0.5, -0.3), (0.5, -0.3)]


def table():
    """Legs of +-1 mm and 1e6 N/m: 4 mm and 1.1547 mm, 1000 N and 288.675 N."""
    for size, unit in ((1.0, 1.0), (1e-3, 1e-3), (1e3, 1e3)):
        feet = ", ".join(f"g{k}: [{x * size}, {y * size}, 0]" for k, (x, y) in enumerate(CORNERS))
        tops = ", ".join(f"p{k}: [{x * size}, {y * size}, {{value: 0, tolerance: {1e-3 * unit}}}]" for k, (x, y) in enumerate(CORNERS))
        legs = "".join(f"  leg{k}: {{type: point-on-plane, between: [ground.g{k}, top.p{k}], axis: [0, 0, 1], compliance: [0, 0, 1e-6]}}\n" for k in range(4))
        r = tolerances("table", f"""sarrus: 1
name: table
dimension: 3
ground: {{points: {{{feet}}}}}
bodies: {{top: {{mass: 10, inertia: [1, 1, 1], position: [0, 0, 0], points: {{{tops}}}}}}}
joints:
  place: {{type: general, between: [ground, top], at: [0, 0, 0], axis: [1, 0, 0], normal: [0, 1, 0], locked: [x, y, rz]}}
{legs}""", "--samples", "0")
        close(r["worst"], 4e-3 * unit, 1e-6, f"table {size}, worst")
        close(r["statistical"], 2e-3 / math.sqrt(3) * unit, 1e-6, f"table {size}, statistical")
        for k in range(4):
            f = r["assembly_forces"][f"leg{k}"]
            close(f["worst"], 1000 * unit, 1e-6, f"table {size}, force")
            close(f["statistical"], 500 / math.sqrt(3) * unit, 1e-6, f"table {size}, force, statistical")
            close(r["dimensions"][k]["share"], 0.25, 1e-6, f"table {size}, share")
    print("table: opening", r["worst"] / unit, r["statistical"] / unit)


# ---- elastic assemblies ---------------------------------------------------------------------------------------


def rotation(w):
    angle = numpy.linalg.norm(w)
    if angle < 1e-15:
        return numpy.eye(3)
    K = numpy.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]) / angle
    return numpy.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


class Linkage:
    """Bodies as drawn; joints (a, b, point, axis), body 0 is the ground. Dimensions: numbers of points of joints in their second bodies."""

    def __init__(self, name, bodies, joints, dimensions):
        self.name, self.bodies, self.joints, self.dimensions = name, bodies, joints, dimensions
        self.origin = [numpy.zeros(3)] + [numpy.array(b, dtype=float) for b in bodies]
        self.axes = []
        for _, _, _, axis in joints:
            z = numpy.array(axis, dtype=float) / numpy.linalg.norm(axis)
            x = numpy.cross(z, [1.0, 0, 0] if abs(z[0]) < 0.8 else [0, 1.0, 0])
            x /= numpy.linalg.norm(x)
            self.axes.append((x, numpy.cross(z, x), z))
        n = 6 * len(bodies)
        J = numpy.zeros((5 * len(joints), n))
        for k in range(n):
            d = numpy.zeros(n)
            d[k] = 1e-6
            J[:, k] = (self.misfit(d, []) - self.misfit(-d, [])) / 2e-6
        self.back = numpy.linalg.pinv(J, rcond=1e-9)

    def misfit(self, d, changes):
        """Of all joints, in sqrt(energy): 3 displacements and 2 rotations each; changes: (dimension, by how much)."""
        out = []
        moved = {}
        for which, by in changes:
            moved.setdefault(self.dimensions[which][0], numpy.zeros(3))[self.dimensions[which][1]] += by
        R = [numpy.eye(3)] + [rotation(d[6 * b + 3:6 * b + 6]) for b in range(len(self.bodies))]
        x = [numpy.zeros(3)] + [self.origin[b + 1] + d[6 * b:6 * b + 3] for b in range(len(self.bodies))]
        for k, (a, b, point, _) in enumerate(self.joints):
            local = numpy.array(point) - self.origin[b] + moved.get(k, 0.0)
            gap = x[b] + R[b] @ local - x[a] - R[a] @ (numpy.array(point) - self.origin[a])
            frame = [R[a] @ e for e in self.axes[k]]
            tilt = numpy.cross(frame[2], R[b] @ self.axes[k][2])
            out += [frame[i] @ gap / math.sqrt(C) for i in range(3)] + [frame[i] @ tilt / math.sqrt(CR) for i in range(2)]
        return numpy.array(out)

    def assemble(self, changes):
        """Forces of all joints, joints x 3, with dimensions changed: where the elastic energy is least."""
        d = numpy.zeros(6 * len(self.bodies))
        for _ in range(4):
            e = self.misfit(d, changes)
            d = d - self.back @ e
        e = self.misfit(d, changes).reshape(len(self.joints), 5)
        return e[:, :3] / math.sqrt(C)

    def text(self):
        out = f"sarrus: 1\nname: {self.name}\ndimension: 3\ngravity: [0, 0, 0]\nbodies:\n"
        ground = []
        for b, place in enumerate(self.bodies, 1):
            points = []
            for k, (first, second, point, _) in enumerate(self.joints):
                if b not in (first, second):
                    continue
                numbers = []
                for i in range(3):
                    value = point[i] - place[i]
                    numbers.append(f"{{value: {value!r}, tolerance: {TOLERANCE}}}" if b == second and (k, i) in self.dimensions else repr(value))
                points.append(f"P{k}: [{', '.join(numbers)}]")
            out += f"  b{b}: {{mass: 1, inertia: [1, 1, 1], position: {list(map(float, place))}, points: {{{', '.join(points)}}}}}\n"
        for k, (first, _, point, _) in enumerate(self.joints):
            if first == 0:
                ground.append(f"P{k}: {list(map(float, point))}")
        out = out.replace("bodies:\n", f"ground: {{points: {{{', '.join(ground)}}}}}\nbodies:\n") + "joints:\n"
        for k, (a, b, _, axis) in enumerate(self.joints):
            names = ["ground" if i == 0 else f"b{i}" for i in (a, b)]
            out += (f"  j{k}: {{type: revolute, between: [{names[0]}.P{k}, {names[1]}.P{k}], axis: {list(map(float, axis))}, "
                    f"compliance: {C}, rotational_compliance: {CR}}}\n")
        return out

    def compare(self, draws):
        r = tolerances(self.name, self.text(), "--samples", "0")
        check(len(r["dimensions"]) == len(self.dimensions), f"{self.name}: {len(r['dimensions'])} dimensions")
        single = numpy.array([self.assemble([(p, TOLERANCE)]) for p in range(len(self.dimensions))])
        worst = numpy.linalg.norm(numpy.abs(single).sum(axis=0), axis=1)
        spread = numpy.sqrt((single ** 2).sum(axis=(0, 2)) / 3)
        size = spread.max()
        for k in range(len(self.joints)):
            f = r["assembly_forces"][f"j{k}"]
            check(abs(f["worst"] - worst[k]) <= 0.02 * worst.max(), f"{self.name}, joint {k}: worst {f['worst']} instead of {worst[k]}")
            check(abs(f["statistical"] - spread[k]) <= 0.02 * size, f"{self.name}, joint {k}: {f['statistical']} instead of {spread[k]}")
        off = max(abs(r["assembly_forces"][f"j{k}"]["statistical"] - spread[k]) for k in range(len(self.joints))) / size
        print(f"{self.name}: {r['self_stresses']} states, forces off by {off:.1e} of {size:.4g} N")
        if draws:
            rng, square, most, bent = random.Random(3), 0.0, 0.0, 0.0
            for _ in range(draws):
                changes = [(p, rng.uniform(-TOLERANCE, TOLERANCE)) for p in range(len(self.dimensions))]
                F = self.assemble(changes)
                bent = max(bent, abs(F - sum(by / TOLERANCE * single[p] for p, by in changes)).max() / size)
                square, most = square + (F ** 2).sum(axis=1), numpy.maximum(most, numpy.linalg.norm(F, axis=1))
            found = numpy.array([r["assembly_forces"][f"j{k}"]["statistical"] for k in range(len(self.joints))])
            drawn = numpy.sqrt(square / draws)
            print(f"  {draws} assemblies: {abs(drawn - found).max() / size:.1e}, each off from the linear answer by {bent:.1e}")
            check(bent < 0.02, f"{self.name}: an assembly is off by {bent:.1e} from the linear answer")
            # a scatter of few draws is not known to 2 %
            check(draws < 10000 or abs(drawn - found).max() < 0.02 * size, f"{self.name}: {found} instead of {drawn}")
            check((most <= 1.02 * worst + 1e-6 * size).all(), f"{self.name}: worst {worst}, drawn {most}")
        return r


Z = (0.0, 0.0, 1.0)


def linkages(draws):
    Linkage("door", [(0.45, 0.0, 0.0)], [(0, 1, (0.0, 0.0, -0.85), Z), (0, 1, (0.0, 0.0, 0.85), Z)],
            [(k, i) for k in range(2) for i in range(3)]).compare(draws)
    bar = [(0.0, 0.5, 0.1), (1.0, 1.2, 0.0), (2.2, 0.7, 0.0)]
    joints = [(0, 1, (0.0, 0.0, 0.0), Z), (1, 2, (0.0, 1.0, 0.0), Z), (2, 3, (2.0, 1.5, 0.0), Z), (0, 3, (2.5, 0.0, 0.0), Z)]
    r = Linkage("four-bar", bar, joints, [(k, i) for k in range(4) for i in range(3)]).compare(draws)
    for d, (_, i) in zip(r["dimensions"], sorted([(k, i) for k in range(4) for i in range(3)])):
        check(d["keeps"] == (i != 2), f"four-bar: {d}, only offsets along z open it")
    cube = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1)]  # the six joints of a Bricard linkage
    axes = [(0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)]
    places = [tuple((a + b) / 2 for a, b in zip(cube[k], cube[k + 1])) for k in range(5)]
    chain = [(k, k + 1, tuple(map(float, cube[k])), axes[k]) for k in range(5)] + [(0, 5, tuple(map(float, cube[5])), axes[5])]
    r = Linkage("bricard", places, chain, [(k, i) for k in range(6) for i in range(3)]).compare(draws)
    check(r["self_stresses"] >= 1, "bricard: no self-stress")


def others():
    """Nothing is redundant: other dimensions make another mechanism. A slider-crank with r = l: two motions meet where it is stretched over its guide."""
    crank = """sarrus: 1
name: crank
dimension: 2
parameters: {r: {value: 1, tolerance: 1e-4}, l: {value: 1, tolerance: 1e-4}, m: {value: 1, tolerance: 0.1}}
bodies:
  crank: {mass: m, inertia: 0.1, position: [0, 0], angle: 90 deg, points: {end: [r, 0]}}
  rod: {mass: 1.3, inertia: 0.1, position: [0, 1], angle: -90 deg, points: {end: [l, 0]}}
  slider: {mass: 0.6, inertia: 0.1, position: [0, 0], angle: 0}
joints:
  A: {type: revolute, between: [ground.origin, crank.origin]}
  B: {type: revolute, between: [crank.end, rod.origin]}
  C: {type: revolute, between: [rod.end, slider.origin]}
  G: {type: prismatic, between: [ground.origin, slider.origin], axis: [1, 0]}
"""
    r = tolerances("crank", crank, "--samples", "0")
    effect = {d["name"].split(",")[0]: d for d in r["dimensions"]}
    check(r["self_stresses"] == 1 and r["singular"] == 1, f"crank: {r['self_stresses']} {r['singular']}")
    close(effect["r"]["opening"], -effect["l"]["opening"], 1e-6, "crank: r and l together keep it")
    close(abs(effect["r"]["opening"]), 1.0, 1e-6, "crank: r opens it by as much")
    # x = r cos phi + sqrt(l^2 - r^2 sin^2 phi): for l - r = 2e-4 the slider stays at +-sqrt(l^2 - r^2) with the crank upright. The nearest points
    # are those of least kinetic energy between them, some per cent apart from these; and the distance grows with the root of the tolerance
    print("crank: the motions miss each other by", r["miss"])
    close(r["miss"], 2 * math.sqrt(2 * 2e-4), 0.05, "crank: the motions miss each other")
    wide = tolerances("wide", crank.replace("tolerance: 1e-4", "tolerance: 4e-4"), "--samples", "0")
    close(wide["miss"], 2 * r["miss"], 1e-6, "crank: with four times the tolerance")
    check(effect["m"]["keeps"] and not effect["r"]["keeps"] and not effect["l"]["keeps"], f"crank: {effect}")
    apart = crank.replace("angle: 90 deg", "angle: 60 deg").replace("position: [0, 1], angle: -90 deg", "position: [0.5, 0.8660254037844386], angle: -60 deg").replace("slider: {mass: 0.6, inertia: 0.1, position: [0, 0]", "slider: {mass: 0.6, inertia: 0.1, position: [1, 0]")
    r = tolerances("apart", apart, "--samples", "0")
    check(r["self_stresses"] == 0 and r["worst"] == 0, f"crank elsewhere: {r}")
    done = subprocess.run([PROGRAM, "tolerances", "four-bar"], capture_output=True, text=True, cwd=ROOT)
    check("four-bar: no tolerances" in done.stdout and "3 states of self-stress" in done.stdout, f"four-bar without tolerances: {done.stdout}")


def refused():
    path = os.path.join(FOLDER, "bad.yaml")
    for number, words in (("{value: 1, tolerance: -1}", "negative"), ("{value: 0, tolerance: 1}", "not valid with mass"), ("{value: 1 kg, tolerance: 1 N}", "a mass [kg] expected"), ("{tolerance: 1}", "value: NUMBER"), ("{value: 1, tolerance: 1, more: 2}", "value: NUMBER")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"sarrus: 1\nname: bad\ndimension: 2\nbodies: {{b: {{mass: {number}, inertia: 1}}}}\njoints: {{j: {{type: revolute, between: [ground.origin, b.origin]}}}}\n")
        done = subprocess.run([PROGRAM, "tolerances", path], capture_output=True, text=True)
        check(done.returncode in (1, 3) and words in done.stderr, f"{number}: {done.returncode} {done.stderr}")


def settings():
    text = ("sarrus: 1\nname: beam\ndimension: 2\nparameters: {r: {value: 1 m, tolerance: 1 mm}}\nground: {points: {B: [r, 0]}}\n"
            "bodies: {b: {mass: 1, inertia: 1, points: {B: [2, 0]}, position: [0, 0], angle: 0}}\n"
            "joints: {i: {type: revolute, between: [ground.origin, b.origin]}, j: {type: revolute, between: [ground.B, b.B]}}\n")
    path = os.path.join(FOLDER, "beam.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([PROGRAM, "tolerances", path, "--set", "r=2", "--json"], capture_output=True, text=True)
    check([d["tolerance"] for d in json.loads(done.stdout)["dimensions"]] == [1e-3], f"a setting keeps the tolerance: {done.stdout}{done.stderr}")
    done = subprocess.run([PROGRAM, "tolerances", path, "--set", "r=2 kg"], capture_output=True, text=True)
    check(done.returncode == 3 and "is a length [m]" in done.stderr, f"a setting of another kind: {done.stderr}")


table()
settings()
linkages(10000 if "--all" in sys.argv or built.full(PROGRAM) else 100)
others()
refused()
sys.exit(1 if FAULTS else 0)
