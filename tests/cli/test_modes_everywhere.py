#!/usr/bin/env python3
"""Modes are the same in all coordinates, with all joints doubled, of a model that is turned, mirrored, 1e-3 and 1e3 the size: to 1e-9 of the largest.

Models are rewritten by tools/trust/similarity.py; mirror images are the program's own (`use`).

Usage: test_modes_everywhere.py PROGRAM SOURCE_ROOT [--all]
"""
import copy
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

import built
from linkages import SINGULAR

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path.insert(0, os.path.join(ROOT, "tools", "trust"))
import models  # noqa: E402
import similarity as sim  # noqa: E402

FOLDER = tempfile.TemporaryDirectory(prefix="sarrus-modes-")
LIMIT = 1e-9
FAULTS = []
# model, where modes are, settings
MODELS = [("problems/rolling-disc/model.yaml", "start", {}), ("tests/models/n-four-bar-spatial.yaml", "equilibrium", {}),
          *((f"problems/{name}/model.yaml", "equilibrium", {}) for name in ("puma", "bricard", "iltis-suspension", "tree", "spatial-double-pendulum", "n-four-bar")),
          ("singular", "start", {}), ("hanging", "equilibrium", {}), ("governor", "start", {})]

# A chain of three in space, askew, with springs and dampers in its hinges.
HANGING = """
sarrus: 1
name: hanging
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 2, inertia: [0.2, 0.3, 0.1], position: [0.5, 0, 0], points: {in: [-0.5, 0, 0], out: [0.5, 0.1, 0]}}
  b: {mass: 1, inertia: [0.1, 0.1, 0.2], position: [1.5, 0.1, 0], points: {in: [-0.5, 0, 0], out: [0.5, 0, 0.2]}}
  c: {mass: 0.7, inertia: [0.05, 0.1, 0.1], position: [2.5, 0.1, 0.2], points: {in: [-0.5, 0, 0], end: [0.4, 0, 0]}}
joints:
  p: {type: revolute, between: [ground.origin, a.in], axis: [0, 1, 0]}
  q: {type: revolute, between: [a.out, b.in], axis: [0.2, 1, 0.3]}
  r: {type: revolute, between: [b.out, c.in], axis: [0, 1, 0.4]}
forces:
  sp: {type: rotational-spring, joint: p, stiffness: 40, damping: 0.5}
  sr: {type: rotational-spring, joint: r, stiffness: 5, damping: 0.02}
"""
# Two arms on a shaft that spins freely.
GOVERNOR = """
sarrus: 1
name: governor
dimension: 3
parameters: {W: 6, J: 0.3, m: 0.5, l: 0.4, i: 0.01, th: acos(9.81/(l*W^2))}
gravity: [0, 0, -9.81]
bodies:
  shaft: {mass: 1, inertia: [1, 1, J], position: [0, 0, 0], angular_velocity: [0, 0, W]}
  right: {mass: m, inertia: [i, i, i], center: [0, 0, -l], position: [0, 0, 0], rotation: {axis: [0, 1, 0], angle: -th}, angular_velocity: [0, 0, W]}
  left: {mass: m, inertia: [i, i, i], center: [0, 0, -l], position: [0, 0, 0], rotation: {axis: [0, 1, 0], angle: th}, angular_velocity: [0, 0, W]}
joints:
  bearing: {type: revolute, between: [ground.origin, shaft.origin], axis: [0, 0, 1]}
  a: {type: revolute, between: [shaft.origin, right.origin], axis: [0, 1, 0]}
  b: {type: revolute, between: [shaft.origin, left.origin], axis: [0, 1, 0]}
start: {bearing.rate: W, a.rate: 0, b.rate: 0}
"""
TEXTS = {"singular": SINGULAR, "hanging": HANGING, "governor": GOVERNOR}


def modes(path, at, coordinates):
    done = subprocess.run([PROGRAM, "modes", path, "--json", "--at", at, "--coordinates", coordinates], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 6):
        return None, (done.stderr or done.stdout).strip().splitlines()[-1:]
    report = json.loads(done.stdout)
    values = []
    for m in report["modes"]:
        values += [complex(m["re"], m["im"])] + ([complex(m["re"], -m["im"])] if m["im"] > 0 else [])
    return (report["about"], report["freedoms"], report["zeros"], values), None


def distance(found, wanted):
    """Of two sets of as many numbers, in parts of the largest."""
    if len(found) != len(wanted):
        return math.inf
    left, most = list(found), 0.0
    for w in wanted:
        k = min(range(len(left)), key=lambda i: abs(left[i] - w))
        most = max(most, abs(left.pop(k) - w))
    return most / max((abs(w) for w in wanted), default=1.0)


def doubled(model):
    twice = copy.deepcopy(model)
    for name, joint in model["joints"].items():
        twice["joints"][name + "_again"] = copy.deepcopy(joint)
    return twice


def write(name, model):
    path = os.path.join(FOLDER.name, name + ".yaml")
    models.save(model, path)
    return path


def variants(flat):
    """Names and paths."""
    dimension = flat["dimension"]
    turn = sim.axis_angle([0, 0, 1], 0.7)[:2, :2] if dimension == 2 else sim.axis_angle([0.3, -0.8, 0.5], 2.1)
    yield "doubled", write("doubled", doubled(flat))
    for name, what in (("1e-3", sim.Similarity("s", length=1e-3)), ("1e3", sim.Similarity("l", length=1e3)), ("turned", sim.Similarity("t", turn=turn))):
        try:
            yield name, write("v" + name, sim.transformed(flat, what))
        except sim.Unsupported as reason:
            print(f"  {name}: {reason}")
    image = {"sarrus": 1, "name": "image", "dimension": dimension, "gravity": [c if k != 1 else -c for k, c in enumerate(flat["gravity"])] if "gravity" in flat else [0] * dimension,
             "use": {"part": {"file": "plain.yaml", "mirror": "y"}}}
    if not flat.get("tables"):
        yield "mirrored", write("image", image)


def check(name, what, path, at, coordinates, wanted):
    found, refused = modes(path, at, coordinates)
    label = f"{name}, {what}, {coordinates}"
    if refused:
        FAULTS.append(f"{label}: {refused}")
        return 0.0
    off = distance(found[3], wanted[3]) if wanted[3] else float(found[3] != [])
    if found[:3] != wanted[:3] or not off <= LIMIT:
        FAULTS.append(f"{label}: {found[:3]} instead of {wanted[:3]}, off by {off:.1e}")
    return off


def compare(path, at, settings):
    name = os.path.basename(path if not path.endswith("model.yaml") else os.path.dirname(path)).removesuffix(".yaml")
    if path in TEXTS:
        with open(os.path.join(FOLDER.name, "text.yaml"), "w", encoding="utf-8") as file:
            file.write(TEXTS[path])
        path = file.name
    flat = models.load_flat(os.path.join(ROOT, path), settings)
    flat["outputs"] = {}
    for body in flat["bodies"].values() if flat["dimension"] == 3 and flat["name"] in TEXTS else ():
        body.setdefault("rotation", {"axis": [0, 0, 1], "angle": 0.0})  # it turns with the model
    plain = write("plain", flat)
    wanted, refused = modes(plain, at, "relative")
    if refused:
        FAULTS.append(f"{name}: {refused}")
        return
    kinds = ["relative", "natural", "cartesian"] + (["increments"] if flat["dimension"] == 3 else [])
    offs = [check(name, "plain", plain, at, c, wanted) for c in kinds[1:]]
    for k, (what, other) in enumerate(variants(flat)):
        for c in kinds if "--all" in sys.argv or built.full(PROGRAM) else [kinds[k % len(kinds)]]:
            offs.append(check(name, what, other, at, c, wanted))
    print(f"{name}: {wanted[0]}, {len(wanted[3])} eigenvalues, {len(offs)} variants, off by {max(offs):.1e}", flush=True)


for model in MODELS[-3:] if built.sanitized(PROGRAM) else MODELS:
    compare(*model)
for fault in FAULTS:
    print("FAULT:", fault)
sys.exit(1 if FAULTS else 0)
