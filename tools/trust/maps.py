#!/usr/bin/env python3
"""Maps of random linkages against counts that share no code with the library.

Four-bars: Grashof's rule gives circuits, closed forms ranges and dead points of the crank. Six-bars are a four-bar with two
more bars between points of two of its bodies: along each circuit of the four-bar the distance of these points says where the
two bars reach, and in how many pieces.

    tools/trust/maps.py [--four 1000] [--six 300] [--program build/sarrus] [--seed 1]
"""
import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))
from linkages import circuits, four_bar, meet, point_on, random_rotation  # noqa: E402


def pieces_of(distance, r, s):
    """Closed curves over one circuit, and how near it is to another number."""
    low, high = abs(r - s), r + s
    inside = (distance > low) & (distance < high)
    doubt = min(abs(x - y) for x in extremes(distance) for y in (low, high))
    if inside.all():
        return 2, doubt
    return int(np.sum(inside & ~np.roll(inside, 1))), doubt


def extremes(x):
    turn = ((x >= np.roll(x, 1)) & (x >= np.roll(x, -1))) | ((x <= np.roll(x, 1)) & (x <= np.roll(x, -1)))
    return x[turn]


def random_lengths(rng):
    while True:
        lengths = [rng.uniform(.2, 1) for _ in range(4)]
        if max(lengths) < .98 * (sum(lengths) - max(lengths)) and abs(2 * (min(lengths) + max(lengths)) - sum(lengths)) > 1e-3:
            return lengths


def random_six_bar(rng):
    """The linkage, the number of its circuits."""
    while True:
        g, a, b, c = random_lengths(rng)
        bodies = rng.choice([("ground", "coupler"), ("crank", "follower"), ("crank", "coupler"), ("coupler", "follower"),
                             ("ground", "crank"), ("ground", "follower")])
        local = [(rng.uniform(-1, 1), rng.uniform(-1, 1)) for _ in bodies]
        r, s = rng.uniform(.2, 1.2), rng.uniform(.2, 1.2)
        count, doubt, start = 0, 1.0, None
        for A, B in circuits(g, a, b, c):
            P, Q = point_on(bodies[0], local[0], g, A, B), point_on(bodies[1], local[1], g, A, B)
            distance = np.linalg.norm(Q - P, axis=1)
            n, near = pieces_of(distance, r, s)
            count, doubt = count + n, min(doubt, near)
            k = int(np.argmin(np.abs(distance - math.hypot(r, s))))
            if abs(r - s) + .02 < distance[k] < r + s - .02:
                start = (A[k], B[k], P[k], Q[k])
        if count and doubt > 1e-3 and start is not None:
            break
    A, B, P, Q = start
    m = four_bar(g, a, b, c)
    m.joints, m.bodies = [], {}
    m.joint("J1", "ground", "crank", (0, 0)).joint("J2", "crank", "coupler", A)
    m.joint("J3", "coupler", "follower", B).joint("J4", "ground", "follower", (g, 0))
    top = meet(P, r, Q, s)
    m.joint("J5", bodies[0], "bar1", P).joint("J6", "bar1", "bar2", top).joint("J7", bodies[1], "bar2", Q)
    m.name = "six-bar"
    return m, count


def place(rng, k):
    where = {"scale": 10**rng.uniform(-3, 3)}
    if k % 2:
        where |= {"rotation": random_rotation(rng), "space": True}
    return where


def mapped(program, text, folder):
    path = pathlib.Path(folder) / "model.yaml"
    path.write_text(text, encoding="utf-8")
    run = subprocess.run([program, "map", str(path), "--json"], capture_output=True, text=True, check=False)
    return json.loads(run.stdout)


def check_four_bar(found, lengths):
    """What is wrong, in words, or nothing."""
    g, a, b, c = lengths
    expected = 2 if 2 * (min(lengths) + max(lengths)) < sum(lengths) else 1
    if len(found["arcs"]) != expected or found["nodes"] or not all(x["closed"] for x in found["arcs"]):
        return f"{len(found['arcs'])} curves, {len(found['nodes'])} nodes; expected {expected}"
    low, high = math.sqrt(g * g + a * a - 2 * g * a), g + a
    turns = low >= abs(b - c) and high <= b + c
    for arc in found["arcs"]:
        r = arc["ranges"]["J1.angle"]
        if bool(r["turns"]) != turns:
            return "the crank turns, or does not"
        if turns:
            continue
        limit = [math.acos((g * g + a * a - d * d) / (2 * g * a)) for d in (abs(b - c), b + c) if low < d < high]
        width = 2 * limit[0] if len(limit) == 1 and high > b + c else 2 * (math.pi - limit[0]) if len(limit) == 1 \
            else abs(limit[1] - limit[0])
        if abs(r["greatest"] - r["least"] - width) > 1e-9:
            return f"range {r['greatest'] - r['least']} and not {width}"
        dead = [d for d in arc["dead_points"] if d["quantity"] == "J1.angle"]
        if len(dead) != 2:
            return f"{len(dead)} dead points"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=str(ROOT / "build" / "sarrus"))
    parser.add_argument("--four", type=int, default=1000)
    parser.add_argument("--six", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    wrong = unsure = 0
    seconds = {"four-bars": [], "six-bars": []}
    with tempfile.TemporaryDirectory() as folder:
        for k in range(args.four + args.six):
            began = time.time()
            if k < args.four:
                lengths = random_lengths(rng)
                text = four_bar(*lengths).text(**place(rng, k))
                found = mapped(args.program, text, folder)
                what = check_four_bar(found, lengths)
            else:
                linkage, count = random_six_bar(rng)
                text = linkage.text(**place(rng, k))
                found = mapped(args.program, text, folder)
                what = None if len(found["arcs"]) == count and not found["nodes"] else \
                    f"{len(found['arcs'])} curves, {len(found['nodes'])} nodes; expected {count}"
            del began
            sure = found["verdict"] == "mapped" and found["unseen"] <= .05
            unsure += not sure
            seconds["four-bars" if k < args.four else "six-bars"].append(found["seconds"])
            if what:
                wrong += sure
                print(f"{k}: {what}{'' if sure else ' (said to be unsure)'}", flush=True)
                pathlib.Path(f"/tmp/wrong-map-{k}.yaml").write_text(text, encoding="utf-8")
    for kind, times in seconds.items():
        if times:
            print(f"{kind}: {len(times)}, median {1e3 * np.median(times):.1f} ms, most {1e3 * max(times):.1f} ms")
    print(f"{args.four + args.six} maps: {wrong} wrong, {unsure} unsure")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
