#!/usr/bin/env python3
"""Robots from files: forward dynamics beside an independent recursive program; the same robot in URDF, SDFormat and MJCF, and with
its loops in files beside it, moves the same way; loops assemble, and welds of bodies that were cut run as they are.

Usage: test_import_motion.py PROGRAM SOURCE_ROOT
"""
import os
import subprocess
import tempfile

import numpy as np

from robot_dynamics import Tree
from runs import COORDINATES, PROGRAM, ROOT, answer, expect, failures, finish, near, run

FOLDER = os.path.join(ROOT, "tests", "models", "robots")
TREES = ["six_axis_arm", "mobile_base", "humanoid", "hexapod"]
LOOPS = ["five_bar", "delta", "stewart", "cassie_leg", "digit_toe", "gripper_mimic", "gripper_loops", "parallel_leg"]
SLIDES = {"lift"}


def imported(path):
    done = subprocess.run([PROGRAM, "import", path, "--quiet"], capture_output=True, text=True, timeout=600, check=False)
    expect(done.returncode == 0, f"import {path}: {done.stderr}")
    return done.stdout


def bodies_of(model):
    inside = model.split("\nbodies:\n")[1].split("\n\n")[0]
    return [line.split(":")[0].strip() for line in inside.splitlines() if line.startswith("  ") and not line.startswith(("   ", "  #"))]


def with_outputs(model, extra):
    outputs = "" if "\noutputs:\n" in model else "\noutputs:\n"
    for body in bodies_of(model):
        for c in "xyz":
            outputs += f"  {body}_al{c}: {body}.alpha{c}\n  {body}_ac{c}: {body}.origin.a{c}\n"
            outputs += f"  {body}_p{c}: {body}.origin.{c}\n  {body}_v{c}: {body}.origin.v{c}\n  {body}_w{c}: {body}.w{c}\n"
            outputs += "".join(f"  {body}_{axis}{c}: {body}.{axis}.{c}\n" for axis in "xyz")
    return model + outputs + extra


def vector(row, name):
    return np.array([row[name + c] for c in "xyz"])


def compare(name, tree, model, row, q, v):
    floating = [link for link, joint in tree.order if joint and joint[1] == "floating"]
    base = None
    if floating:
        base = np.eye(4)
        base[:3, :3] = np.array([vector(row, f"{floating[0]}_{axis}") for axis in "xyz"]).T
        base[:3, 3] = vector(row, f"{floating[0]}_p")
        v[:3], v[3:6] = vector(row, f"{floating[0]}_v"), vector(row, f"{floating[0]}_w")
    alpha, origin = tree.accelerations(q, v, base)
    bodies = [b for b in bodies_of(model) if b in tree.mass]
    size = max(1.0, *(np.abs(np.r_[alpha[b], origin[b]]).max() for b in bodies))
    worst = max(np.abs(np.r_[vector(row, f"{b}_al") - alpha[b], vector(row, f"{b}_ac") - origin[b]]).max() for b in bodies) / size
    print(f"{name}: accelerations of {len(bodies)} bodies beside the recursive program: {worst:.1e} of the largest")
    near(worst, 0.0, 1e-10, f"{name}: accelerations")


def check_dynamics(name, moving):
    path = os.path.join(FOLDER, f"{name}.urdf")
    tree, model, random = Tree(path), imported(path), np.random.default_rng(len(name))
    q, v, start = {}, np.zeros(tree.n), "start:\n"
    for joint, (k, width) in tree.at.items():
        if width != 1 or not moving:
            continue
        q[joint], v[k] = 0.2 * random.uniform(-0.4, 0.4), random.uniform(-2, 2)
        words = ("displacement", "speed") if joint in SLIDES else ("angle", "rate")
        start += f"  {joint}.{words[0]}: {q[joint]!r}\n  {joint}.{words[1]}: {v[k]!r}\n"
    rows = run(with_outputs(model, start if moving else ""), "--end", "1e-3", "--tolerance", "1e-10")
    if rows:
        compare(name, tree, model, rows[0], q, v)


END = {"delta": "0.1", "humanoid": "0.05", "stewart": "0.15", "gripper_mimic": "0.05"}  # before they reach their stops, which the formats do not say alike


def motion(path, *options):
    end = next((END[name] for name in END if name in path[:400]), "0.3")
    return run(path, "--end", end, "--sample", "0.05", "--tolerance", "1e-11", *options)


def difference(a, b):
    common = [k for k in a[0] if k in b[0] and k != "time"]
    expect(len(common) > 0 and len(a) == len(b), "motions that can be compared")
    return max(abs(x[k] - y[k]) for x, y in zip(a, b) for k in common) if common and len(a) == len(b) else np.inf


def check_formats(name):
    rows = {}
    for ending in ("urdf", "sdf", "xml"):
        path = os.path.join(FOLDER, f"{name}.{ending}")
        if name in TREES:  # what falls freely moves no joint: it starts with rates
            model = imported(path)
            joints = [line.split(":")[0].strip() for line in model.split("\noutputs:\n")[1].splitlines()]
            start = "".join(f"  {joint}.{'speed' if joint in SLIDES else 'rate'}: {0.5 + 0.1 * k}\n" for k, joint in enumerate(sorted(joints)))
            path = model + "start:\n" + start
        rows[ending] = motion(path)
    if not all(rows.values()):
        return
    worst = max(difference(rows["urdf"], rows[other]) for other in ("sdf", "xml"))
    moved = max(abs(row[k] - rows["urdf"][0][k]) for row in rows["urdf"] for k in row if k != "time")
    print(f"{name}: URDF, SDFormat and MJCF differ by {worst:.1e} in a motion of {moved:.2g}")
    near(worst, 0.0, 1e-9, f"{name}: the same motion in all formats")
    expect(moved > 1e-3, f"{name}: moves")


def check_side_files():
    for side, plain in (("cassie_side/robot", "cassie_leg"), ("digit_side/digit", "digit_toe"), ("gripper_side/gripper", "gripper_loops"),
                        ("leg_side/leg", "parallel_leg")):
        a, b = motion(os.path.join(FOLDER, f"{side}.urdf")), motion(os.path.join(FOLDER, f"{plain}.urdf"))
        if a and b:
            worst = difference(a, b)
            print(f"{side}: loops beside the file, {worst:.1e}")
            near(worst, 0.0, 1e-9, f"{side}: the same motion with loops beside the file")


def check_welds():
    """'6d': as many rows as were drawn, redundant ones too, in every kind of coordinates."""
    path = os.path.join(FOLDER, "gripper_side", "gripper.urdf")
    reference = motion(path)
    for coordinates in COORDINATES:
        about, rows = answer(path, "--coordinates", coordinates, "--end", "0.3", "--sample", "0.05", "--tolerance", "1e-11")
        if not rows:
            continue
        expect(about.get("redundant", 0) or "redundant" in str(about), f"welds, {coordinates}: redundant rows are there")
        near(difference(rows, reference), 0.0, 1e-7, f"welds in {coordinates} coordinates")


def main():
    for name in TREES:
        check_dynamics(name, moving=True)
    for name in LOOPS:
        check_dynamics(name, moving=False)
    for name in TREES + LOOPS:
        check_formats(name)
    check_side_files()
    check_welds()


main()
finish()
