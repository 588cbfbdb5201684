#!/usr/bin/env python3
"""Poses against kinematics written here: random targets of four robots, reachable and not, beside an exhaustive search.

A target that some configuration reaches must be reached; of any other the pose must be at least as near as the nearest of all
configurations of a dense grid or sample, and be said to miss. Values of a pose are computed again from its joint coordinates.

Usage: test_pose.py PROGRAM SOURCE_ROOT [TARGETS]: 12 of each robot unless told; the survey of docs/poses.md has 1000
"""
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

from built import sanitized

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 4 if sanitized(PROGRAM) else 12
FOLDER = tempfile.mkdtemp(prefix="sarrus-pose-")
FAULTS = []
RANDOM = np.random.default_rng(33)


def check(condition, text):
    if not condition:
        FAULTS.append(text)
        print("FAULT:", text)


def path_of(name, text):
    path = os.path.join(FOLDER, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def pose(model, *options, codes=(0, 6)):
    done = subprocess.run([PROGRAM, "pose", model, "--json", *options], capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        raise SystemExit(f"{model} {options}: {done.returncode} {done.stdout[:400]} {done.stderr}")
    return json.loads(done.stdout) if done.stdout else done.stderr


def table(model, heads, values, *options):
    path = path_of("table.csv", ",".join(heads) + "\n" + "\n".join(",".join(f"{v:.17g}" for v in row) for row in values) + "\n")
    return pose(model, "--table", path, *options)


def nearest(points, targets, scale):
    """Of each target the distance to the nearest of many points, in the measure of the search."""
    p, t, least = points * scale, targets * scale, np.empty(len(targets))
    square = (p * p).sum(axis=1)
    for k in range(0, len(t), 50):
        part = t[k:k + 50]
        i = (square[None, :] - 2.0 * part @ p.T).argmin(axis=1)
        least[k:k + 50] = np.linalg.norm(p[i] - part, axis=1)
    return least


def compare(name, found, values, reachable, least, forward, scale):
    """forward: joint coordinates to what was wanted."""
    missed = worst = 0
    for k, row in enumerate(found["rows"]):
        there = forward(dict(zip(found["names"], row["start"])))
        off = np.linalg.norm((there - values[k]) * scale)
        worst = max(worst, abs(off - row["distance"]))
        if reachable[k]:
            missed += not row["met"]
        else:
            check(row["distance"] <= least[k] + 1e-9, f"{name} {k}: {row['distance']} from the target, the search {least[k]}")
            check(not row["met"] or off < 1e-8, f"{name} {k}: said to be met, {off} away")
    check(missed == 0, f"{name}: {missed} targets that can be reached are missed")
    check(worst < 1e-8, f"{name}: distances are off by {worst}")
    print(f"{name}: {len(values)} targets, {int(reachable.sum())} surely in reach, {found['missed']} missed; distances to {worst:.0e}")


# ---- a leg of a hexapod: three hinges with stops ------------------------------------------------

LEG = """
sarrus: 1
name: leg
dimension: 3
bodies:
  coxa: {mass: 0.1, inertia: [1e-4, 1e-4, 1e-4], position: [0, 0, 0], rotation: {rpy: [0, 0, 0]}}
  femur: {mass: 0.2, inertia: [1e-4, 1e-4, 1e-4], position: [0.05, 0, 0], rotation: {rpy: [0, 0, 0]}}
  tibia: {mass: 0.2, inertia: [1e-4, 1e-4, 1e-4], position: [0.15, 0, 0], rotation: {rpy: [0, 0, 0]}, points: {foot: [0.16, 0, 0]}}
joints:
  hip: {type: revolute, between: [ground, coxa], at: [0, 0, 0], axis: [0, 0, 1]}
  knee: {type: revolute, between: [coxa, femur], at: [0.05, 0, 0], axis: [0, -1, 0]}
  ankle: {type: revolute, between: [femur, tibia], at: [0.15, 0, 0], axis: [0, -1, 0]}
forces:
  hip_stop: {type: stop, joint: hip, lower: -60 deg, upper: 60 deg, stiffness: 100}
  knee_stop: {type: stop, joint: knee, lower: -50 deg, upper: 80 deg, stiffness: 100}
constraints:
  ankle_stop: {position: ankle.angle, lower: -2.6, upper: 0.1}
"""


def leg_forward(hip, knee, ankle):
    r = 0.05 + 0.1 * np.cos(knee) + 0.16 * np.cos(knee + ankle)
    return np.stack([r * np.cos(hip), r * np.sin(hip), 0.1 * np.sin(knee) + 0.16 * np.sin(knee + ankle)], axis=-1)


def hexapod_leg():
    model = path_of("leg.yaml", LEG)
    low, high = np.radians([-60, -50, 0]), np.radians([60, 80, 0])
    low[2], high[2] = -2.6, 0.1
    inside = low + (high - low) * RANDOM.random((COUNT // 2, 3))
    anywhere = RANDOM.uniform(-0.35, 0.35, (COUNT - COUNT // 2, 3))
    values = np.concatenate([leg_forward(*inside.T), anywhere])
    grid = np.meshgrid(*[np.linspace(low[k], high[k], 60) for k in range(3)])
    size = pose(model, "--want", "tibia.foot.x=0.2")["size"]
    found = table(model, ["tibia.foot.x", "tibia.foot.y", "tibia.foot.z"], values)
    least = nearest(leg_forward(*[g.ravel() for g in grid]), values, 1.0 / size)

    def forward(at):
        angles = np.array([at["hip.angle"], at["knee.angle"], at["ankle.angle"]])
        check(np.all(angles >= low - 1e-8) and np.all(angles <= high + 1e-8), f"leg: beyond its stops, {angles}")
        return leg_forward(*angles)
    compare("hexapod leg", found, values, np.arange(COUNT) < COUNT // 2, least, forward, 1.0 / size)


# ---- PUMA 560: six axes, position and orientation of the hand -----------------------------------

DH = ((0, 0, math.pi / 2), (0, 0.4318, 0), (0.15005, 0.0203, -math.pi / 2), (0.4318, 0, math.pi / 2), (0, 0, -math.pi / 2), (0, 0, 0))


def puma_forward(q):
    """Hand, then x and z of the last link; q: six numbers each."""
    R, p = np.broadcast_to(np.eye(3), (len(q), 3, 3)), np.zeros((len(q), 3))
    for k, (d, a, alpha) in enumerate(DH):
        c, s, ca, sa = np.cos(q[:, k]), np.sin(q[:, k]), math.cos(alpha), math.sin(alpha)
        step = np.stack([np.stack([c, -s * ca, s * sa], -1), np.stack([s, c * ca, -c * sa], -1), np.stack([0 * c, sa + 0 * c, ca + 0 * c], -1)], 1)
        p = p + np.einsum("nij,nj->ni", R, np.stack([a * c, a * s, d + 0 * c], -1))
        R = R @ step
    return np.concatenate([p + 0.056 * R[:, :, 2], R[:, :, 0], R[:, :, 2]], axis=1)


def six_axes():
    reachable = np.arange(COUNT) < COUNT * 4 // 5
    values = puma_forward(RANDOM.uniform(-math.pi, math.pi, (COUNT, 6)))
    values[~reachable, :3] = RANDOM.uniform(-1.5, 1.5, (int((~reachable).sum()), 3))
    heads = [f"link6.{w}.{c}" for w in ("hand", "x", "z") for c in "xyz"]
    size = pose("puma", "--want", "q1.angle=0.1")["size"]
    scale = np.array([1.0 / size] * 3 + [1.0] * 6)
    found = table("puma", heads, values)
    least = nearest(puma_forward(RANDOM.uniform(-math.pi, math.pi, (200000, 6))), values, scale)
    compare("six axes", found, values, reachable, least, lambda at: puma_forward(np.array([[at[f"q{k}.angle"] for k in range(1, 7)]]))[0], scale)


# ---- delta robot --------------------------------------------------------------------------------

R_BASE, R_PLATE, ARM, ROD = 0.2, 0.1, 0.3, 0.8


def delta_reaches(p):
    """Each arm: is some elbow of its circle as far from the foot as the rod is long?"""
    fine = np.ones(len(p), dtype=bool)
    for k in range(3):
        a = 2 * math.pi * k / 3
        x, y, z = p[:, 0] * math.cos(a) + p[:, 1] * math.sin(a) + R_PLATE - R_BASE, -p[:, 0] * math.sin(a) + p[:, 1] * math.cos(a), p[:, 2]
        rho, flat = np.hypot(x, z), np.sqrt(np.maximum(0.0, ROD**2 - y * y))
        fine &= (np.abs(y) < ROD) & (rho < ARM + flat - 1e-6) & (rho > np.abs(ARM - flat) + 1e-6)
    return fine


def delta_robot():
    values = RANDOM.uniform([-0.9, -0.9, -1.3], [0.9, 0.9, 0.2], (COUNT, 3))
    found = table("delta-robot", [f"plate.origin.{c}" for c in "xyz"], values, "--want", "plate.rx=0", "--want", "plate.ry=0", "--want", "plate.rz=0")
    size = pose("delta-robot", "--want", "plate.origin.x=0")["size"]
    reachable = delta_reaches(values)
    sample = RANDOM.uniform([-1.3, -1.3, -1.3], [1.3, 1.3, 1.3], (400000, 3))
    least = nearest(sample[delta_reaches(sample)], values, 1.0 / size)
    missed = 0
    for k, row in enumerate(found["rows"]):
        missed += reachable[k] and not row["met"]
        check(reachable[k] or row["distance"] <= least[k] + 1e-9, f"delta {k}: {row['distance']} from the target, the search {least[k]}")
        check(not row["met"] or delta_reaches(values[k:k + 1] * (1 - 1e-9))[0] or least[k] < 0.05, f"delta {k}: out of reach and said to be met")
    check(missed == 0, f"delta robot: {missed} targets that can be reached are missed")
    print(f"delta robot: {COUNT} targets, {int(reachable.sum())} in reach, {found['missed']} missed")


# ---- Stewart platform with limits of its legs ---------------------------------------------------

FEET = np.radians([-15, 15, 105, 135, 225, 255])
HEADS = np.radians([-45, 45, 75, 165, 195, 285])
SHORT, LONG = 1.0, 1.6


def rotations(yaw, pitch, roll):
    cy, sy, cp, sp, cr, sr = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch), np.cos(roll), np.sin(roll)
    return np.stack([np.stack([cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr], -1),
                     np.stack([sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr], -1), np.stack([-sp, cp * sr, cp * cr], -1)], 1)


def legs(p, R):
    """Lengths of the six legs."""
    feet = 1.2 * np.stack([np.cos(FEET), np.sin(FEET), 0 * FEET], -1)
    heads = 0.7 * np.stack([np.cos(HEADS), np.sin(HEADS), 0 * HEADS], -1)
    return np.linalg.norm(p[:, None, :] + np.einsum("nij,kj->nki", R, heads) - feet[None], axis=2)


def stewart(p, angles):
    R = rotations(*angles.T)
    length = legs(p, R)
    return np.concatenate([p, R[:, :, 0], R[:, :, 2]], axis=1), np.all((length > SHORT) & (length < LONG), axis=1)


def stewart_platform():
    centre, spread = np.array([0, 0, 1.0]), np.array([0.35, 0.35, 0.35])
    p = centre + spread * RANDOM.uniform(-1, 1, (COUNT, 3))
    values, reachable = stewart(p, RANDOM.uniform(-0.5, 0.5, (COUNT, 3)))
    limits = [x for k in range(1, 7) for x in ("--limit", f"leg{k}.slide.displacement={SHORT}:{LONG}")]
    heads = [f"platform.{w}.{c}" for w in ("origin", "x", "z") for c in "xyz"]
    size = pose("stewart-platform", "--want", "platform.origin.x=0")["size"]
    scale = np.array([1.0 / size] * 3 + [1.0] * 6)
    found = table("stewart-platform", heads, values, *limits)
    sample, fine = stewart(centre + 1.6 * spread * RANDOM.uniform(-1, 1, (300000, 3)), RANDOM.uniform(-0.9, 0.9, (300000, 3)))
    least = nearest(sample[fine], values, scale)
    missed = 0
    for k, row in enumerate(found["rows"]):
        missed += reachable[k] and not row["met"]
        check(reachable[k] or (not row["met"] and row["distance"] <= least[k] + 1e-9), f"stewart {k}: {row['distance']}, the search {least[k]}, met {row['met']}")
        length = [v for n, v in zip(found["names"], row["start"]) if n.endswith("slide.displacement")]
        check(min(length) > SHORT - 1e-8 and max(length) < LONG + 1e-8, f"stewart {k}: legs {min(length)} to {max(length)}")
    check(missed == 0, f"stewart platform: {missed} targets that can be reached are missed")
    print(f"stewart platform: {COUNT} targets, {int(reachable.sum())} in reach, {found['missed']} missed")


# ---- choices, starts, faults --------------------------------------------------------------------

CHAIN = """
sarrus: 1
name: chain
dimension: 2
bodies:
  a: {mass: 1, inertia: 0.1, position: [FAR, 0], angle: 0.3, points: {end: [S, 0]}}
  b: {mass: 1, inertia: 0.1, angle: 0.5, points: {end: [S, 0]}}
  c: {mass: 1, inertia: 0.1, angle: 0.7, points: {end: [S, 0]}}
joints:
  J1: {type: revolute, between: [ground.O, a.origin]}
  J2: {type: revolute, between: [a.end, b.origin]}
  J3: {type: revolute, between: [b.end, c.origin]}
ground: {points: {O: [FAR, 0]}}
parameters: {S: 1, FAR: 0}
start: {J1.rate: 2}
"""


def choices():
    """Three hinges, a point wanted: what is preferred decides, exactly where it can be had; the same at any size and place."""
    model = path_of("chain.yaml", CHAIN)
    for size, far in ((1.0, 0.0), (1e-3, 0.0), (1e3, 0.0), (1.0, 1000.0)):
        found = pose(model, "-s", f"S={size}", "-s", f"FAR={far}", "--want", f"c.end.x={far} + 1.5*S", "--want", "c.end.y=1.2*S", "--prefer", "c.angle=-20deg")
        check(found["verdict"] == "reached", f"chain {size} {far}: {found['verdict']}")
        angle = sum(found["start"][f"J{k}.angle"] for k in (1, 2, 3))
        check(abs(angle + math.radians(20)) < 1e-6, f"chain {size} {far}: c turned to {angle}")
    kept = pose(model, "--want", "c.end=[1.5, 1.2]", "--keep", "J1.angle")
    check(abs(kept["start"]["J1.angle"] - 0.3) < 1e-12 and kept["verdict"] == "reached", f"kept: {kept}")
    far = pose(model, "--want", "c.end.x=5")
    check(far["verdict"] == "not reached" and abs(far["rows"][0]["miss"] + 2) < 1e-9, f"stretched: {far['rows']}")
    there = os.path.join(FOLDER, "there.yaml")
    pose(model, "--want", "J1.angle=200deg", "--want", "J2.angle=400deg", "-o", there)
    run = subprocess.run([PROGRAM, "check", there, "--json"], capture_output=True, text=True, check=False)
    check(run.returncode == 0, f"the start that was written: {run.stderr}")
    again = pose(there, "--want", "J1.angle=200deg", "--want", "J2.angle=400deg")
    check(again["verdict"] == "reached" and again["iterations"] <= 3, f"the start that was written is elsewhere: {again}")


def faults():
    model = os.path.join(FOLDER, "chain.yaml")
    for options, text in (((), "what is wanted"), (("--want", "c.end.x"), "SIGNAL=VALUE"), (("--want", "c.end.vx=1"), "positions alone"),
                          (("--want", "c.edn.x=1"), "edn"), (("--want", "c.end=[1, 2, 3, 4]"), "numbers, as in"), (("--want", "c.end=[1, 2"), "numbers, as in"), (("--want", "pi=3"), "same in every pose"),
                          (("--want", "J1.angle=1, weight=-2"), "weight"), (("--want", "J1.angle=1", "--limit", "J2.angle=2:1"), "between"),
                          (("--want", "J1.angle=1", "--table", "nowhere.csv"), "nowhere.csv")):
        said = pose(model, *options, codes=(2,))
        said = said if isinstance(said, str) else json.dumps(said)
        done = subprocess.run([PROGRAM, "pose", model, *options], capture_output=True, text=True, check=False)
        check(done.returncode == 2 and text in done.stderr, f"{options}: {done.returncode} {done.stderr}")


def interrupted():
    """Ctrl-C keeps the poses that were found."""
    count, out = 100000, os.path.join(FOLDER, "found.csv")
    path = path_of("many.csv", "q1.angle\n" + "\n".join(str(0.5 * math.sin(k)) for k in range(count)) + "\n")
    begun = subprocess.Popen([PROGRAM, "pose", "puma", "--table", path, "-o", out, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.0)
    begun.send_signal(signal.SIGINT)
    found, said = begun.communicate()
    check(begun.returncode == 130 and "interrupted after" in said, f"interrupted: {begun.returncode} {said}")
    report = json.loads(found)
    with open(out, encoding="utf-8") as file:
        rows = len(file.read().splitlines()) - 1
    check(report["verdict"] == "interrupted" and 0 < report["poses"] == len(report["rows"]) == rows < count, f"interrupted: {rows} poses of {count}, {report['poses']}")
    print(f"interrupted after {rows} poses")


hexapod_leg()
six_axes()
delta_robot()
stewart_platform()
choices()
faults()
interrupted()
print(f"{len(FAULTS)} faults")
sys.exit(1 if FAULTS else 0)
