#!/usr/bin/env python3
"""Particles: masses that have no orientation. Against equations in two coordinates, in all coordinates and sizes; what would turn them is refused by name.

Usage: test_particles.py PROGRAM SOURCE_ROOT
"""
import csv
import math
import os
import subprocess
import sys
import tempfile

import every_test

PROGRAM, MODELS = os.path.abspath(sys.argv[1]), os.path.join(os.path.abspath(sys.argv[2]), "examples", "models")
FOLDER = tempfile.TemporaryDirectory(prefix="sarrus-particles-")


def sarrus(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=3600, check=False)


def rows_of(model, *options):
    out = os.path.join(FOLDER.name, "run.csv")
    done = sarrus("run", model, "-o", out, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    with open(out, encoding="utf-8") as lines:
        return [{k: float(x) for k, x in row.items()} for row in csv.DictReader(line for line in lines if not line.startswith("#"))]


def swinging(end, ratio=3.0, g=9.81, h=2e-4):
    """Length r and angle a of the swinging Atwood machine by Runge and Kutta: (M + m) r'' = m r a'^2 + g (m cos a - M), r a'' = -2 r' a' - g sin a."""

    def rates(y):
        r, a, u, w = y
        return u, w, (r * w * w + g * (math.cos(a) - ratio)) / (ratio + 1), -(2 * u * w + g * math.sin(a)) / r

    y = (1.0, math.pi / 2, 0.0, 0.0)
    for _ in range(round(end / h)):
        k1 = rates(y)
        k2 = rates([p + h / 2 * d for p, d in zip(y, k1)])
        k3 = rates([p + h / 2 * d for p, d in zip(y, k2)])
        k4 = rates([p + h * d for p, d in zip(y, k3)])
        y = [p + h / 6 * (a + 2 * b + 2 * c + d) for p, a, b, c, d in zip(y, k1, k2, k3, k4)]
    return y


def test_the_swinging_atwood_machine():
    r, a, _, _ = swinging(1.5)
    model = os.path.join(MODELS, "swinging-atwood.yaml")
    for coordinates in ("relative", "natural", "cartesian", "increments"):
        last = rows_of(model, "--end", "1.5", "--tolerance", "1e-9", "--coordinates", coordinates)[-1]
        assert abs(last["x"] - 1 - r * math.sin(a)) < 1e-7, (coordinates, last)
        assert abs(last["y"] + r * math.cos(a)) < 1e-7, (coordinates, last)
    last = rows_of(model, "--end", "1.5", "--preset", "ALi3p", "--step", "2e-4")[-1]
    assert abs(last["x"] - 1 - r * math.sin(a)) < 2e-5, last


PAIR = """sarrus: 1
name: pair
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  p: {{particle: yes, mass: 1, position: [1, 0, 0], velocity: [0, 0.3, 0]}}
  b: {{mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}
{more}
outputs: {{x: p.origin.x, z: p.origin.z}}
method: {{end: 1}}
"""


def pair(more):
    path = os.path.join(FOLDER.name, "pair.yaml")
    with open(path, "w", encoding="utf-8") as out:
        out.write(PAIR.format(more=more))
    return path


def test_joints_and_forces_at_its_place_are_welcome():
    for more, freedom in (
        ("joints: {j: {type: spherical, between: [b, p], at: [1, 0, 0]}}", 6),
        ("joints: {j: {type: distance, between: [b.origin, p.origin], distance: 1}}", 8),
        ("joints: {j: {type: point-on-line, between: [b.origin, p.origin], axis: [1, 0, 0]}}", 7),
        ("forces: {f: {type: force, acts_on: p.origin, force: [1, 0, 0]}}", 9),
        ("forces: {f: {type: spring, between: [b.origin, p.origin], stiffness: 3, length: 0.5}}", 9),
    ):
        done = sarrus("check", pair(more))
        assert done.returncode == 0 and f"{freedom} degrees of freedom" in done.stdout, (more, done.stdout, done.stderr)


def test_what_would_turn_it_is_refused_by_name():
    for more in (
        "joints: {culprit: {type: revolute, between: [b.origin, p.origin], axis: [0, 0, 1]}}",
        "joints: {culprit: {type: fixed, between: [b, p], at: [1, 0, 0]}}",
        "joints: {culprit: {type: spherical, between: [b, p], at: [2, 0, 0]}}",
        "joints: {culprit: {type: point-on-line, between: [p.origin, b.origin], axis: [1, 0, 0]}}",
        "forces: {culprit: {type: torque, acts_on: p, torque: [1, 0, 0]}}",
        "forces: {culprit: {type: force, acts_on: b.origin, force: [1, 0, 0], reaction: p}}",
        "forces: {culprit: {type: bushing, between: [b.origin, p.origin], K: [1, 1, 1, 1, 1, 1]}}",
    ):
        done = sarrus("check", pair(more))
        assert done.returncode == 3 and '"p" is a particle' in done.stderr and "culprit" in done.stderr, (more, done.returncode, done.stderr)


def test_it_goes_through_the_model_in_other_sizes_and_places():
    part = os.path.join(FOLDER.name, "part.yaml")
    with open(part, "w", encoding="utf-8") as out:
        out.write(
            "sarrus: 1\nname: part\ndimension: 3\nports: {}\nbodies: {p: {particle: yes, mass: 2, position: [0.3, 0.1, -1], velocity: [0, 0.5, 0]}}\n"
            "joints: {rod: {type: distance, between: [ground.origin, p.origin], distance: sqrt(1.1)}}\n"
        )
    whole = os.path.join(FOLDER.name, "whole.yaml")
    with open(whole, "w", encoding="utf-8") as out:
        out.write(
            "sarrus: 1\nname: whole\ndimension: 3\ngravity: [0, 0, -9.81]\nuse:\n  one: {file: part.yaml}\n  two: {file: part.yaml, position: [1000, 5, 0], mirror: y}\n"
            "outputs: {x1: one.p.origin.x, y1: one.p.origin.y, x2: two.p.origin.x, y2: two.p.origin.y}\nmethod: {end: 2}\n"
        )
    for row in rows_of(whole, "--tolerance", "1e-9"):
        assert abs(row["x1"] + 1000 - row["x2"]) < 1e-8 and abs(row["y1"] + row["y2"] - 5) < 1e-8, row


if __name__ == "__main__":
    sys.exit(every_test.run(globals()))
