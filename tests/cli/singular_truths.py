"""Motions in minimal coordinates that test_trust_singular.py compares with, kept in singular_truths.npz: they take most of a minute.

    python3 singular_truths.py      compute all of them again and write the file

tools/trust/minimal.py computes them, which shares no equation with the program.
"""
import os
import sys

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "trust"))
import minimal  # noqa: E402
import singular_mechanisms  # noqa: E402

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "singular_truths.npz")
COUNT, SEED = 9, 3

# kind, seed, number, coordinates, tolerance: what longer surveys found, and what it was
FOUND = [
    ("sc2", 1002, 1, "relative", 1e-10),    # two passages in a step: D is flat between them
    ("sc2", 1001, 1, "natural", 1e-6),      # the same, in the looks of the stages
    ("scpx", 1001, 2, "natural", 1e-6),     # a singular value that changes faster than two per radian
    ("fbx", 1002, 6, "cartesian", 1e-4),    # one passage too many
    ("sc2x", 1005, 0, "natural", 1e-6),     # two zero singular values at the start
    ("sc2x", 1004, 3, "relative", 1e-11),   # the nearer of two singular sets has the larger singular value
    ("sc2", 4001, 12, "natural", 1e-6),     # singular values of two parts that have nothing to do with each other
    ("scpx", 4001, 18, "natural", 1e-10),   # a bridge whose places were too far away
    ("scpp", 1005, 0, "natural", 1e-11),    # rates that change fast beside the singular configuration
    ("sc2x", 7002, 6, "natural", 1e-8),     # two zero singular values whose vectors are of different loops
    ("scpx", 4002, 16, "natural", 1e-4),    # a sample that was interpolated off the constraints
]


def members(kind):
    """Seeds and numbers of a kind."""
    return [(SEED, n) for n in range(COUNT)] + sorted({(s, n) for k, s, n, *_ in FOUND if k == kind})


def compute(kind, chosen):
    drawn = [singular_mechanisms.draw(kind, *who) for who in chosen]
    return minimal.truths(minimal.stacked([m.motion for m in drawn]), np.array([m.interval for m in drawn]), drawn[0].count, [m.sets for m in drawn])


def load():
    """Truths by kind, seed and number."""
    found = {}
    with np.load(FILE) as file:
        for kind in singular_mechanisms.KINDS:
            passages, flags = file[f"{kind}.passages"], file[f"{kind}.flags"]
            for k, who in enumerate(members(kind)):
                own = [minimal.Passage(int(i), t, speed) for lane, i, t, speed in passages if lane == k]
                found[(kind, *who)] = minimal.Truth(file[f"{kind}.q"][k], file[f"{kind}.v"][k], file[f"{kind}.growth"][k], own,
                                                    bool(flags[k, 0]), bool(flags[k, 1]))
    return found


def write():
    arrays = {}
    for kind in singular_mechanisms.KINDS:
        truths = compute(kind, members(kind))
        for name in ("q", "v", "growth"):
            arrays[f"{kind}.{name}"] = np.array([getattr(t, name) for t in truths])
        arrays[f"{kind}.passages"] = np.array([(k, p.coordinate, p.t, p.speed) for k, t in enumerate(truths) for p in t.passages]).reshape(-1, 4)
        arrays[f"{kind}.flags"] = np.array([(t.grazing, t.right) for t in truths])
    np.savez_compressed(FILE, **arrays)


if __name__ == "__main__":
    write()
