#!/usr/bin/env python3
"""Reactions that are not unique: flagged, and split by compliances as an elastic solution that is set up here says; the limit of stiff bushings;
unique components in all coordinates and formulations.

Usage: test_reactions_split.py PROGRAM SOURCE_ROOT
"""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

import numpy

PROGRAM, ROOT = sys.argv[1], sys.argv[2]
FOLDER = tempfile.mkdtemp(prefix="sarrus-split-")
FAULTS = []


def check(condition, text):
    if not condition:
        FAULTS.append(text)
        print("FAULT:", text)


def write(name, text):
    path = os.path.join(FOLDER, name + ".yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def first_row(model, *options):
    done = subprocess.run([PROGRAM, "run", model, "--certify=no", "-q", "-o", "-", "--end", "0.01", *options], capture_output=True, text=True, cwd=ROOT)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    if not rows:
        check(False, f"{model} {options}: {done.stderr}")
        return {}
    return {k: float(v) for k, v in rows[0].items()}


def flags(model, *options):
    done = subprocess.run([PROGRAM, "run", model, "--certify=no", "--json", "--end", "0.01", *options], capture_output=True, text=True, cwd=ROOT)
    return json.loads(done.stdout).get("not_unique", {"joints": [], "outputs": []})


def elastic(springs, load, at):
    """Reactions on a rigid body that stands on springs: (point, direction, stiffness, is a torque). `load` acts at `at`."""
    K, rows = numpy.zeros((6, 6)), []
    for point, direction, stiffness, torque in springs:
        row = numpy.concatenate((numpy.zeros(3), direction)) if torque else numpy.concatenate((direction, numpy.cross(point, direction)))
        rows.append(row)
        K += stiffness * numpy.outer(row, row)
    w = numpy.concatenate((load, numpy.cross(at, load)))
    u = numpy.linalg.lstsq(K, w, rcond=None)[0]
    return [-k * (row @ u) for row, (_, _, k, _) in zip(rows, springs)]


X, Y, Z = numpy.eye(3)
DOOR = """sarrus: 1
name: door
dimension: 3
gravity: [0, 0, -10]
bodies: {{door: {{mass: 20, inertia: [1, 2, 3], position: [0.45, 0, 0]}}}}
joints:
  lower: {{type: revolute, between: [ground, door], at: [0, 0, -0.85], axis: [0, 0, 1]{lower}}}
  upper: {{type: revolute, between: [ground, door], at: [0, 0, 0.85], axis: [0, 0, 1]{upper}}}
outputs: {{fx: lower.fx, fy: lower.fy, fz: lower.fz, tx: lower.tx, ty: lower.ty, gx: upper.fx, gz: upper.fz, hy: upper.ty, both: lower.fz + upper.fz}}
"""
BUSHED = """sarrus: 1
name: door
dimension: 3
gravity: [0, 0, -10]
ground: {{points: {{low: [0, 0, -0.85], high: [0, 0, 0.85]}}}}
bodies:
  door: {{mass: 20, inertia: [1, 2, 3], position: [0.45, 0, 0], points: {{low: [-0.45, 0, -0.85], high: [-0.45, 0, 0.85]}}}}
forces:
  lower: {{type: bushing, between: [ground.low, door.low], K: [{k}, {k}, {k}/1000, {r}, {r}, {r}]}}
  upper: {{type: bushing, between: [ground.high, door.high], K: [{k}, {k}, {k}, {r}, {r}, {r}]}}
outputs: {{fx: lower.fx, fz: lower.fz, ty: lower.ty, gx: upper.fx, gz: upper.fz, hy: upper.ty}}
"""


def door():
    for name, lower_z, c_r in (("soft about axes", 1.0, 1.0), ("lower hinge soft vertically", 1000.0, 1e-5), ("even", 1.0, 1e-6)):
        c = 1e-6
        lower = f", compliance: [{c}, {c}, {c * lower_z}], rotational_compliance: {c_r}"
        model = write("door", DOOR.format(lower=lower, upper=f", compliance: {c}, rotational_compliance: {c_r}"))
        springs = []
        for z, vertical in ((-0.85, lower_z), (0.85, 1.0)):
            p = numpy.array([0, 0, z])
            springs += [(p, X, 1 / c, 0), (p, Y, 1 / c, 0), (p, Z, 1 / (c * vertical), 0), (p, X, 1 / c_r, 1), (p, Y, 1 / c_r, 1)]
        r = elastic(springs, numpy.array([0, 0, -200.0]), numpy.array([0.45, 0, 0]))
        wanted = {"fx": r[0], "fy": r[1], "fz": r[2], "tx": r[3], "ty": r[4], "gx": r[5], "gz": r[7], "hy": r[9], "both": 200.0}
        for options in ([], ["--coordinates", "natural"], ["--coordinates", "cartesian", "--formulation", "al3", "--integrator", "trapezoidal", "--step", "1e-3"],
                        ["--coordinates", "relative", "--formulation", "nullspace", "--integrator", "rk4", "--step", "1e-3"]):
            row = first_row(model, *options)
            off = max(abs(row[k] - wanted[k]) for k in wanted) if row else 1.0
            check(off < 1e-6, f"door, {name} {options}: off by {off:.1e} N")
        print(f"door, {name}: {wanted['fx']:.4f} {wanted['fz']:.4f}")
    found = flags(model)
    check(found["joints"] == ["lower", "upper"], f"door: {found}")
    check(found["outputs"] == ["fx", "fy", "fz", "tx", "ty", "gx", "gz", "hy"], f"door, outputs: {found['outputs']}")
    model = write("free", DOOR.format(lower=", compliance: free", upper=""))
    row = first_row(model)
    check(abs(row["fz"]) < 1e-9 and abs(row["gz"] - 200) < 1e-9 and abs(row["fx"]) < 1e-9, f"door, lower hinge free: {row}")


def bushings():
    """The lower one is 1000 times softer vertically. Both 1e6 times as stiff come as near to the split as their compliance is small."""
    c, c_r = 1e-3, 1e-2
    model = write("door", DOOR.format(lower=f", compliance: [{c}, {c}, {1000 * c}], rotational_compliance: {c_r}", upper=f", compliance: {c}, rotational_compliance: {c_r}"))
    split, off = first_row(model), []
    for stiffer in (1e3, 1e6):
        row = first_row(write("bushed", BUSHED.format(k=stiffer / c, r=stiffer / c_r)), "--equilibrium")
        off.append(max(abs(row[k] - split[k]) for k in row if k != "time"))
    print("bushings 1e3 and 1e6 times as stiff: off by", *(f"{x:.1e} N" for x in off))
    check(off[1] < 1e-4 and off[1] < 0.01 * off[0], f"bushings do not come near: {off}")


TABLE = """sarrus: 1
name: table
dimension: 3
gravity: [0, 0, 0]
bodies: {{top: {{mass: 10, inertia: [1, 1, 1], position: [0, 0, 0], points: {{load: [0.2, 0.1, 0]}}}}}}
joints:
  place: {{type: general, between: [ground, top], at: [0, 0, 0], axis: [1, 0, 0], normal: [0, 1, 0], locked: [x, y, rz]}}
{legs}forces: {{weight: {{type: force, acts_on: top.load, force: [0, 0, -100]}}}}
outputs: {{a: leg0.fz, b: leg1.fz, c: leg2.fz, d: leg3.fz, px: place.fx}}
"""
CORNERS = [(0.5, 0.3), (-0.5, 0.3), (-0.5, -0.3), (0.5, -0.3)]


def table():
    for stiffness in ((1, 1, 1, 1), (1, 2, 3, 4)):
        legs = "".join(f"  leg{k}: {{type: point-on-plane, between: [ground, top], at: [{x}, {y}, 0], axis: [0, 0, 1], compliance: [0, 0, {1e-4 / s}]}}\n"
                       for k, ((x, y), s) in enumerate(zip(CORNERS, stiffness)))
        model = write("table", TABLE.format(legs=legs))
        springs = [(numpy.array([x, y, 0]), Z, 1e4 * s, 0) for (x, y), s in zip(CORNERS, stiffness)]
        r = elastic(springs, numpy.array([0, 0, -100.0]), numpy.array([0.2, 0.1, 0]))
        row = first_row(model)
        off = max(abs(row[k] - r[i]) for i, k in enumerate("abcd")) if row else 1.0
        print(f"table {stiffness}:", *(f"{x:.4f}" for x in r), f"off by {off:.1e}")
        check(off < 1e-7, f"table {stiffness}: off by {off:.1e}")
    found = flags(model)
    check(found["joints"] == ["leg0", "leg1", "leg2", "leg3"] and found["outputs"] == list("abcd"), f"table: {found}")


FOUR_BAR = """sarrus: 1
name: four-bar
dimension: 3
gravity: [0, -9.81, 0]
bodies:
  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0.5, 0]}
  rod: {mass: 2, inertia: [0.2, 0.3, 0.3], position: [1, 1.2, 0]}
  rocker: {mass: 1.5, inertia: [0.1, 0.1, 0.2], position: [2.2, 0.7, 0]}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}
  B: {type: revolute, between: [crank, rod], at: [0, 1, 0], axis: [0, 0, 1]}
  C: {type: revolute, between: [rod, rocker], at: [2, 1.5, 0], axis: [0, 0, 1]}
  D: {type: revolute, between: [ground, rocker], at: [2.5, 0, 0], axis: [0, 0, 1]}
start: {A.rate: 2}
outputs: {ax: A.fx, ay: A.fy, az: A.fz, bx: B.fx, by: B.fy, cx: C.fx, dx: D.fx, dy: D.fy, at: A.tx}
"""


def everywhere():
    """Components that are unique are the same in all coordinates and formulations."""
    model = write("four-bar", FOUR_BAR)
    unique = ("ax", "ay", "bx", "by", "cx", "dx", "dy")
    found = flags(model)
    check(found["joints"] == list("ABCD") and found["outputs"] == ["az", "at"], f"four-bar: {found}")
    rows = []
    for coordinates in ("natural", "cartesian", "increments", "relative"):
        for form, integrator in (("chart", "dop853"), ("al3", "trapezoidal"), ("al1", "rk4"), ("penalty", "rk4"), ("nullspace", "rk4"), ("threefield", "own"), ("hamiltonian", "trapezoidal"), ("dae", "ida")):
            step = ["--step", "1e-3"] if integrator not in ("dop853", "ida") else []
            rows.append((coordinates + " " + form, first_row(model, "--coordinates", coordinates, "--formulation", form, "--integrator", integrator, *step)))
    # a penalty leaves violations of accelerations, and with them reactions, of the order of 1/alpha
    worst = max((abs(row[k] - rows[0][1][k]), name) for name, row in rows if row and "penalty" not in name for k in unique)
    print(f"unique components differ by {worst[0]:.1e} N at most ({worst[1]})")
    size = max(abs(rows[0][1][k]) for k in unique)
    check(worst[0] < 1e-8 * size, f"unique components differ by {worst}")


def only_there():
    for name, redundant in (("bricard", True), ("four-bar", True), ("slider-crank-1", False), ("andrews", False), ("puma", False), ("suspension", False), ("pendulum", False)):
        found = flags(name)
        check(bool(found["joints"]) == redundant, f"{name}: {found}")


def works():
    """Two drives of one joint share its work as they share its torque; the sum is unique."""
    model = write("twice", "sarrus: 1\nname: twice\ndimension: 2\nbodies: {b: {mass: 1, inertia: 1, position: [0, 0], angle: 0}}\n"
                  "joints: {j: {type: revolute, between: [ground.origin, b.origin]}}\ndrives: {d: {joint: j, value: t^2}, e: {joint: j, value: t^2}}\n"
                  "outputs: {one: d.work, both: d.work + e.work}\n")
    check(flags(model)["outputs"] == ["one"], f"works of two drives: {flags(model)}")


def along():
    """One of two hinges goes at half time: at the end all reactions are unique, along the run they are not."""
    gone = DOOR.format(lower="", upper="") + "phases: [{at: 0.5, remove: [upper]}]\n"
    model = write("gone", gone)
    method = ["--formulation", "al3", "--integrator", "trapezoidal", "--step", "1e-3"]
    found = flags(model, *method, "--end", "1")
    check(found["joints"] == ["lower", "upper"] and "fx" in found["outputs"] and "both" not in found["outputs"], f"a hinge that goes: {found}")
    found = flags(write("come", gone.replace("remove", "add").replace("axis: [0, 0, 1]}\noutputs", "axis: [0, 0, 1], active: no}\noutputs")), *method, "--end", "1")
    check(found["joints"] == ["lower", "upper"], f"a hinge that comes: {found}")


along()
works()
door()
table()
bushings()
everywhere()
only_there()
sys.exit(1 if FAULTS else 0)
