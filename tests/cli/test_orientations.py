#!/usr/bin/env python3
"""Orientations and components along axes, in all coordinates: the twelve sequences of angles, quaternions and rotation vectors give the
rotation that the axes show; SIGNAL@BODY is the vector along these axes; starts by angles and angular velocities are met.

Usage: test_orientations.py PROGRAM
"""
import csv
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

SEQUENCES = "zyx xyz yzx zxy xzy yxz zxz zyz xyx xzx yxy yzy".split()
VECTORS = {"u": "b.u.{}", "w": "b.w{}", "w_own": "b.w{}@b", "w_a": "b.w{}@a", "p": "b.P.{}", "p_a": "b.P.{}@a", "v": "b.P.v{}", "v_a": "b.P.v{}@a", "acc": "b.P.a{}",
           "acc_a": "b.P.a{}@a", "f": "J.f{}", "f_a": "J.f{}@a", "o": "a.origin.{}", "ax": "a.x.{}", "ay": "a.y.{}", "az": "a.z.{}", "bx": "b.x.{}", "by": "b.y.{}", "bz": "b.z.{}"}
MODEL = """sarrus: 1
name: orientations
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 2, inertia: [0.3, 0.4, 0.5], position: [0.1, 0.2, 0.3], rotation: {rpy: [0.3, 0.4, 0.5]}, angular_velocity: [0.5, -0.3, 0.7], velocity: [1, 2, 3]}
  b: {mass: 1, inertia: [0.1, 0.2, 0.15], points: {P: [0.3, -0.2, 0.5]}, axes: {u: [0.6, 0, 0.8]}, drawn_on: a, position: [0.5, 0.1, 0], rotation: {rpy: [-0.6, 0.5, 0.8]}}
joints:
  J: {type: spherical, between: [a, b], at: [0.5, 0.3, 0.4]}
start: {J.yaw: 0.9, J.roll: -0.4, b.wx: -1.25, b.wz: 2.5}
method: {end: 0.3, sample: 0.1}
outputs:
"""
failures = []


def turn(axis, angle):
    i = "xyz".index(axis)
    j, k = (i + 1) % 3, (i + 2) % 3
    R = np.eye(3)
    R[j, j] = R[k, k] = np.cos(angle)
    R[j, k], R[k, j] = -np.sin(angle), np.sin(angle)
    return R


def of_vector(r):
    angle = np.linalg.norm(r)
    x, y, z = r / angle
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def of_quaternion(w, x, y, z):
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def outputs():
    lines = {}
    for of, name in (("b", "b"), ("J", "j")):
        lines.update({f"{name}_{s}{n}": f"{of}.{s}{n}" for s in SEQUENCES for n in "123"})
        lines.update({f"{name}_{k}": f"{of}.{k}" for k in ("qw", "qx", "qy", "qz", "rx", "ry", "rz", "yaw", "pitch", "roll")})
    for name, text in VECTORS.items():
        lines.update({f"{name}_{k}": text.format(k) for k in "xyz"})
    return "".join(f"  {name}: {text}\n" for name, text in lines.items())


def check(what, got, wanted):
    off = np.max(np.abs(np.asarray(got) - np.asarray(wanted)))
    if not off < 1e-12:
        failures.append(f"{what}: off by {off:.3g}")


def check_row(where, row):
    def vector(name):
        return np.array([row[f"{name}_{k}"] for k in "xyz"])

    A, B = (np.column_stack([vector(f"{body}{k}") for k in "xyz"]) for body in "ab")
    for name, R in (("b", B), ("j", A.T @ B)):
        for s in SEQUENCES:
            angles = [row[f"{name}_{s}{n}"] for n in "123"]
            check(f"{where}, {name} {s}", turn(s[0], angles[0]) @ turn(s[1], angles[1]) @ turn(s[2], angles[2]), R)
        check(f"{where}, {name} vector", of_vector(np.array([row[f"{name}_r{k}"] for k in "xyz"])), R)
        check(f"{where}, {name} quaternion", of_quaternion(*(row[f"{name}_q{k}"] for k in "wxyz")), R)
        check(f"{where}, {name} yaw", [row[f"{name}_{k}"] for k in ("yaw", "pitch", "roll")], [row[f"{name}_zyx{n}"] for n in "123"])
    check(f"{where}, axis", vector("u"), B @ [0.6, 0, 0.8])
    check(f"{where}, own spin", vector("w_own"), B.T @ vector("w"))
    check(f"{where}, spin", vector("w_a"), A.T @ vector("w"))
    check(f"{where}, place", vector("p_a"), A.T @ (vector("p") - vector("o")))
    for name, limit in (("v", 1.0), ("acc", 1e-2), ("f", 1e-2)):
        check(f"{where}, {name}", limit * vector(name + "_a"), limit * (A.T @ vector(name)))


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        model, out = pathlib.Path(folder) / "model.yaml", pathlib.Path(folder) / "out.csv"
        model.write_text(MODEL + outputs())
        for coordinates in ("natural", "cartesian", "increments", "relative"):
            done = subprocess.run([program, "run", str(model), "--coordinates", coordinates, "--tolerance", "1e-8", "-o", str(out)], capture_output=True, text=True)
            if done.returncode != 0:
                failures.append(f"{coordinates}: {done.stdout}{done.stderr}")
                continue
            with open(out, encoding="utf-8") as lines:
                rows = [{k: float(x) for k, x in row.items()} for row in csv.DictReader(line for line in lines if not line.startswith("#"))]
            for row in rows:
                check_row(f"{coordinates}, {row['time']}", row)
            first = rows[0]
            check(f"{coordinates}, start", [first["j_yaw"], first["j_roll"], first["w_x"], first["w_z"]], [0.9, -0.4, -1.25, 2.5])
    for line in failures[:20]:
        print("FAILED", line)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
