#!/usr/bin/env python3
"""Which reactions are unique: random over-constrained mechanisms against a singular value decomposition of their wrenches, which
is set up here from points and axes alone; a planar loop in space.

Usage: test_self_stress.py PROGRAM SOURCE_ROOT
"""
import json
import random
import subprocess
import sys
import tempfile

import numpy

from built import sanitized

PROGRAM = sys.argv[1]
FAULTS = []


def check(condition, text):
    if not condition:
        FAULTS.append(text)
        print("FAULT:", text)


def report(text, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([PROGRAM, "check", file.name, "--json", *options], capture_output=True, text=True)
    return json.loads(done.stdout)


def vector(x):
    return "[" + ", ".join(repr(float(c)) for c in x) + "]"


def model(bodies, joints):
    """`joints`: (a, b, point, axis, kind), bodies from 0, the ground; all bodies stand as the world does."""
    text = "sarrus: 1\nname: random\ndimension: 3\nbodies:\n"
    for b, place in enumerate(bodies, 1):
        text += f"  b{b}: {{mass: 1, inertia: [1, 1, 1], position: {vector(place)}}}\n"
    text += "joints:\n"
    for k, (a, b, point, axis, kind) in enumerate(joints):
        names = ["ground" if i == 0 else f"b{i}" for i in (a, b)]
        text += f"  j{k}: {{type: {kind}, between: [{names[0]}, {names[1]}], at: {vector(point)}, axis: {vector(axis)}}}\n"
    return text


def frame(axis):
    z = numpy.array(axis) / numpy.linalg.norm(axis)
    x = numpy.cross(z, [1.0, 0, 0] if abs(z[0]) < 0.8 else [0, 1.0, 0])
    x /= numpy.linalg.norm(x)
    return numpy.array([x, numpy.cross(z, x), z])


def self_stresses(bodies, joints):
    """Orthonormal states of self-stress, and the wrench (force, torque at the point) of each row of each joint."""
    rows, wrenches = [], []
    for k, (a, b, point, axis, kind) in enumerate(joints):
        x, y, z = frame(axis)
        zero = numpy.zeros(3)
        for force, torque in ([(x, zero), (y, zero), (z, zero), (zero, x), (zero, y)] if kind == "revolute" else
                              [(x, zero), (y, zero), (zero, x), (zero, y), (zero, z)]):
            row = numpy.zeros(6 * len(bodies))
            for body, sign in ((a, -1), (b, 1)):
                if body:
                    arm = numpy.array(point) - bodies[body - 1]
                    row[6 * body - 6:6 * body - 3] = sign * force
                    row[6 * body - 3:6 * body] = sign * (numpy.cross(arm, force) + torque)
            rows.append(row)
            wrenches.append((k, force, torque))
    U, s, _ = numpy.linalg.svd(numpy.array(rows))
    rank = int((s > 1e-9 * s[0]).sum())
    return U[:, rank:], wrenches


def compare(name, bodies, joints):
    N, wrenches = self_stresses(bodies, joints)
    found = report(model(bodies, joints))
    if "unique_reactions" not in found:
        check(False, f"{name}: {found.get('failure', found)}")
        return 0
    check(found["self_stresses"] == N.shape[1], f"{name}: {found['self_stresses']} states instead of {N.shape[1]}")
    count = 0
    for k in range(len(joints)):
        u = found["unique_reactions"][f"j{k}"]
        G = sum(numpy.outer(numpy.concatenate((w[1], w[2])), N[r]) for r, w in enumerate(wrenches) if w[0] == k)
        axes = numpy.array(u["axes"]).reshape(3, 3)
        free = [bool(numpy.linalg.norm(axes[i] @ G[part:part + 3]) < 1e-7) for part in (0, 3) for i in range(3)]
        check(u["force"] + u["torque"] == free, f"{name}, joint {k}: {u['force'] + u['torque']} instead of {free}")
        directions = int((numpy.linalg.svd(G, compute_uv=False) > 1e-7).sum()) if N.shape[1] else 0
        check(u["directions_not_unique"] == directions, f"{name}, joint {k}: {u['directions_not_unique']} directions instead of {directions}")
        count += free.count(False)
    return count


def draw(rng):
    """A tree of joints, and some more; axes are often parallel, so that loops are movable and reactions partly unique."""
    def point():
        return numpy.array([rng.uniform(-1, 1) for _ in range(3)])
    common = point()
    bodies = [point() for _ in range(rng.randint(1, 5))]

    def joint(a, b):
        axis = common if rng.random() < 0.6 else point()
        return a, b, point(), axis / numpy.linalg.norm(axis), "revolute" if rng.random() < 0.8 else "prismatic"
    joints = [joint(rng.randrange(b), b) for b in range(1, len(bodies) + 1)]
    for _ in range(rng.randint(0, 3)):
        a, b = rng.sample(range(len(bodies) + 1), 2)
        joints.append(joint(min(a, b), max(a, b)))
    return bodies, joints


# Hinges on one axis, of a body that is drawn turned: in joint coordinates their conditions are nothing but rounding.
GATE = """
sarrus: 1
name: gate
dimension: 3
bodies:
  gate: {mass: 24, inertia: [3, 3, 5], position: [0.6, 0.3, 0], rotation: {rpy: [0.1, 0.2, 0.5]}}
joints:
  low: {type: revolute, between: [ground, gate], at: [0.1, 0, -0.9], axis: [0.1, 0.2, 1]}
  mid: {type: revolute, between: [ground, gate], at: [0.2, 0.2, 0.1], axis: [0.1, 0.2, 1]}
  top: {type: revolute, between: [ground, gate], at: [0.27, 0.34, 0.8], axis: [0.1, 0.2, 1]}
start: {low.rate: 1}
"""


def hinges_on_one_axis():
    for coordinates in ("relative", "natural", "cartesian", "increments"):
        rank = report(GATE, "--coordinates", coordinates)["rank"]
        check((rank["dof"], rank["redundant"]) == (1, 10), f"gate, {coordinates}: {rank}")
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(GATE)
        file.flush()
        for method in ("nullspace/rk4", "dae/ida", "chart/dop853"):
            formulation, integrator = method.split("/")
            done = subprocess.run([PROGRAM, "run", file.name, "--json", "--certify=no", "--end", "1", "--coordinates", "relative", "--formulation", formulation,
                                   "--integrator", integrator], capture_output=True, text=True)
            run = json.loads(done.stdout or "{}")
            drift = run.get("energy", {}).get("max_drift", 1.0)
            check(done.returncode == 0 and abs(drift) < 1e-9, f"gate, {method}: {done.returncode}, energy drifts by {drift}: {done.stderr}")


def main():
    hinges_on_one_axis()
    rng, mixed = random.Random(5), 0
    for k in range(10 if sanitized(PROGRAM) else 100):
        bodies, joints = draw(rng)
        mixed += 0 < compare(f"random {k}", bodies, joints)
    print(f"{mixed} of the random ones have reactions that are not unique")
    check(mixed >= (3 if sanitized(PROGRAM) else 30), "too few random mechanisms are over-constrained")
    z = [0, 0, 1]
    four_bar = [(0, 1, [0, 0, 0], z, "revolute"), (1, 2, [0, 1, 0], z, "revolute"), (2, 3, [2, 1.5, 0], z, "revolute"), (0, 3, [2.5, 0, 0], z, "revolute")]
    check(compare("four-bar in space", [numpy.array(x) for x in ([0, 0.5, 0.0], [1, 1.2, 0.0], [2.2, 0.7, 0.0])], four_bar) == 12,
          "four-bar in space: out-of-plane force and two torques of each joint")


main()
sys.exit(1 if FAULTS else 0)
