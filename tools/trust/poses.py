#!/usr/bin/env python3
"""Poses of four robots against an exhaustive search: 1000 random targets each of a hexapod's leg with stops, a six-axis arm, a delta robot and a
Stewart platform with limited legs.

Kinematics are written here, and share nothing with the program. A target that some configuration reaches must be reached; of any other the pose must be
at least as near as the nearest configuration of a dense grid or sample, and be said to miss. Values of a pose are computed again from its joint coordinates.
"""
import argparse
import json
import math
import os
import sys
import tempfile

import numpy as np

import program


class Survey:
    """Targets of one robot, by a seed; what is wrong is in `faults`."""

    def __init__(self, sarrus, count, seed=33, jobs=1):
        self.sarrus, self.count, self.jobs, self.faults = sarrus, count, jobs, []
        self.random = np.random.default_rng(seed)
        self.folder = tempfile.TemporaryDirectory(prefix="sarrus-pose-")

    def check(self, condition, text):
        if not condition:
            self.faults.append(text)

    def path_of(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def pose(self, model, *options):
        code, out, said = self.sarrus.call("pose", model, "--json", *options)
        if code not in (0, 6):
            raise SystemExit(f"{model} {options}: {code} {out[:400]} {said}")
        return json.loads(out)

    def table(self, model, heads, values, *options):
        """Rows of all targets, in parts that several processes share."""
        parts = [values[k:k + 50] for k in range(0, len(values), 50)]

        def solve(k):
            path = self.path_of(f"table{k}.csv", ",".join(heads) + "\n" + "\n".join(",".join(f"{v:.17g}" for v in row) for row in parts[k]) + "\n")
            return self.pose(model, "--table", path, *options)
        found = list(program.in_parallel(self.jobs, solve, range(len(parts))))
        return {"names": found[0]["names"], "missed": sum(f["missed"] for f in found), "rows": [row for f in found for row in f["rows"]]}


def nearest(points, targets, scale):
    """Of each target the distance to the nearest of many points, in the measure of the search."""
    p, t, least = points * scale, targets * scale, np.empty(len(targets))
    square = (p * p).sum(axis=1)
    for k in range(0, len(t), 50):
        part = t[k:k + 50]
        i = (square[None, :] - 2.0 * part @ p.T).argmin(axis=1)
        least[k:k + 50] = np.linalg.norm(p[i] - part, axis=1)
    return least


def compare(survey, name, found, values, reachable, least, forward, scale):
    """forward: joint coordinates to what was wanted."""
    missed = worst = 0
    for k, row in enumerate(found["rows"]):
        there = forward(dict(zip(found["names"], row["start"])))
        off = np.linalg.norm((there - values[k]) * scale)
        worst = max(worst, abs(off - row["distance"]))
        if reachable[k]:
            missed += not row["met"]
        else:
            survey.check(row["distance"] <= least[k] + 1e-9, f"{name} {k}: {row['distance']} from the target, the search {least[k]}")
            survey.check(not row["met"] or off < 1e-8, f"{name} {k}: said to be met, {off} away")
    survey.check(missed == 0, f"{name}: {missed} targets that can be reached are missed")
    survey.check(worst < 1e-8, f"{name}: distances are off by {worst}")
    return f"{name}: {len(values)} targets, {int(reachable.sum())} surely in reach, {found['missed']} missed; distances to {worst:.0e}"


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


def hexapod_leg(survey):
    model = survey.path_of("leg.yaml", LEG)
    low, high = np.radians([-60, -50, 0]), np.radians([60, 80, 0])
    low[2], high[2] = -2.6, 0.1
    inside = low + (high - low) * survey.random.random((survey.count // 2, 3))
    anywhere = survey.random.uniform(-0.35, 0.35, (survey.count - survey.count // 2, 3))
    values = np.concatenate([leg_forward(*inside.T), anywhere])
    grid = np.meshgrid(*[np.linspace(low[k], high[k], 60) for k in range(3)])
    size = survey.pose(model, "--want", "tibia.foot.x=0.2")["size"]
    found = survey.table(model, ["tibia.foot.x", "tibia.foot.y", "tibia.foot.z"], values)
    least = nearest(leg_forward(*[g.ravel() for g in grid]), values, 1.0 / size)

    def forward(at):
        angles = np.array([at["hip.angle"], at["knee.angle"], at["ankle.angle"]])
        survey.check(np.all(angles >= low - 1e-8) and np.all(angles <= high + 1e-8), f"leg: beyond its stops, {angles}")
        return leg_forward(*angles)
    return compare(survey, "hexapod leg", found, values, np.arange(survey.count) < survey.count // 2, least, forward, 1.0 / size)


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


def six_axes(survey):
    reachable = np.arange(survey.count) < survey.count * 4 // 5
    values = puma_forward(survey.random.uniform(-math.pi, math.pi, (survey.count, 6)))
    values[~reachable, :3] = survey.random.uniform(-1.5, 1.5, (int((~reachable).sum()), 3))
    heads = [f"link6.{w}.{c}" for w in ("hand", "x", "z") for c in "xyz"]
    size = survey.pose("puma", "--want", "q1.angle=0.1")["size"]
    scale = np.array([1.0 / size] * 3 + [1.0] * 6)
    found = survey.table("puma", heads, values)
    least = nearest(puma_forward(survey.random.uniform(-math.pi, math.pi, (200000, 6))), values, scale)
    return compare(survey, "six axes", found, values, reachable, least, lambda at: puma_forward(np.array([[at[f"q{k}.angle"] for k in range(1, 7)]]))[0], scale)


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


def delta_robot(survey):
    near = survey.random.uniform([-0.6, -0.6, -1.1], [0.6, 0.6, 1.1], (20 * survey.count, 3))
    values = survey.random.uniform([-0.9, -0.9, -1.3], [0.9, 0.9, 0.2], (survey.count, 3))
    values[:survey.count // 2] = near[delta_reaches(near)][:survey.count // 2]
    found = survey.table("delta-robot", [f"plate.origin.{c}" for c in "xyz"], values, "--want", "plate.rx=0", "--want", "plate.ry=0", "--want", "plate.rz=0")
    size = survey.pose("delta-robot", "--want", "plate.origin.x=0")["size"]
    reachable = delta_reaches(values)
    sample = survey.random.uniform([-1.3, -1.3, -1.3], [1.3, 1.3, 1.3], (400000, 3))
    least = nearest(sample[delta_reaches(sample)], values, 1.0 / size)
    missed = 0
    for k, row in enumerate(found["rows"]):
        missed += reachable[k] and not row["met"]
        survey.check(reachable[k] or row["distance"] <= least[k] + 1e-9, f"delta {k}: {row['distance']} from the target, the search {least[k]}")
        survey.check(not row["met"] or delta_reaches(values[k:k + 1] * (1 - 1e-9))[0] or least[k] < 0.05, f"delta {k}: out of reach and said to be met")
    survey.check(missed == 0, f"delta robot: {missed} targets that can be reached are missed")
    return f"delta robot: {survey.count} targets, {int(reachable.sum())} in reach, {found['missed']} missed"


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


def stewart_platform(survey):
    centre, spread = np.array([0, 0, 1.0]), np.array([0.35, 0.35, 0.35])
    many = 20 * survey.count
    values, reachable = stewart(centre + spread * survey.random.uniform(-1, 1, (many, 3)), survey.random.uniform(-0.5, 0.5, (many, 3)))
    first = np.concatenate([np.flatnonzero(reachable)[:survey.count // 2], np.arange(many)])[:survey.count]
    values, reachable = values[first], reachable[first]
    limits = [x for k in range(1, 7) for x in ("--limit", f"leg{k}.slide.displacement={SHORT}:{LONG}")]
    heads = [f"platform.{w}.{c}" for w in ("origin", "x", "z") for c in "xyz"]
    size = survey.pose("stewart-platform", "--want", "platform.origin.x=0")["size"]
    scale = np.array([1.0 / size] * 3 + [1.0] * 6)
    found = survey.table("stewart-platform", heads, values, *limits)
    sample, fine = stewart(centre + 1.6 * spread * survey.random.uniform(-1, 1, (300000, 3)), survey.random.uniform(-0.9, 0.9, (300000, 3)))
    least = nearest(sample[fine], values, scale)
    missed = 0
    for k, row in enumerate(found["rows"]):
        missed += reachable[k] and not row["met"]
        survey.check(reachable[k] or (not row["met"] and row["distance"] <= least[k] + 1e-9), f"stewart {k}: {row['distance']}, the search {least[k]}, met {row['met']}")
        length = [v for n, v in zip(found["names"], row["start"]) if n.endswith("slide.displacement")]
        survey.check(min(length) > SHORT - 1e-8 and max(length) < LONG + 1e-8, f"stewart {k}: legs {min(length)} to {max(length)}")
    survey.check(missed == 0, f"stewart platform: {missed} targets that can be reached are missed")
    return f"Stewart platform: {survey.count} targets, {int(reachable.sum())} in reach, {found['missed']} missed"


ROBOTS = {"hexapod leg": hexapod_leg, "six axes": six_axes, "delta robot": delta_robot, "Stewart platform": stewart_platform}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    program.add_options(parser)
    parser.add_argument("--count", type=int, default=1000, help="targets of each robot (default 1000)")
    parser.set_defaults(timeout=3600)
    parser.add_argument("--seed", type=int, default=33, help="of the targets")
    parser.add_argument("--only", choices=list(ROBOTS), help="one of the robots")
    options = parser.parse_args()
    sarrus, wrong = program.Program(options.program, options.timeout), 0
    for name, robot in ROBOTS.items():
        if options.only not in (None, name):
            continue
        survey = Survey(sarrus, options.count, options.seed, options.jobs)
        print(robot(survey), flush=True)
        for fault in survey.faults:
            print("WRONG:", fault)
        wrong += len(survey.faults)
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
