#!/usr/bin/env python3
"""Reference of the tree: equations of motion in the rates of its joints, without constraints (tools/reference/jointed_tree.py).

    make_reference.py [n ...]
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/reference"))

import numpy as np

import floats
from jointed_tree import Body, Tree
from output import write_csv

S, L, J, g = 4.0, 1.0, [0.2, 0.5, 0.6], 9.81
TURNING = [1.2, 0.8, -0.6]


def binary_tree(n):
    bodies = []
    for k in range(1, n + 1):
        level = k.bit_length() - 1
        side = 0 if k == 1 else S / 2 ** (level + 1) * (1 if k % 2 else -1)
        bodies.append(Body(k // 2 - 1, [side, -L if k > 1 else 0, 0], [0, 0, 0], [0, -L / 2, 0], 1, J,
                           axis=[0, 0, 1] if k % 2 and k > 1 else None))
    return Tree(bodies, [0, -g, 0])


for n in [int(a) for a in sys.argv[1:]] or (7, 15):
    tree = binary_tree(n)
    start = tree.start(TURNING)
    fine, coarse = (floats.integrate(tree.rate, start, 0.01, 500, columns=c) for c in (6, 5))
    near = floats.integrate(tree.rate, np.concatenate([start[: 4 * n], start[4 * n :] + 1e-7]), 0.01, 500, columns=5)
    print("n = %d: orders 12 and 10 differ by %.1e, energy drifts by %.1e J, errors of the start grow %.0f-fold" %
          (n, np.max(abs(fine - coarse)), np.ptp([tree.energy(y) for y in fine[::10]]), np.max(abs(near - coarse)) / 1e-7))
    left = 2 ** ((n + 1).bit_length() - 2) - 1
    rows = []
    for i, y in enumerate(fine):
        r = tree.centers(y)
        rows.append([i / 100, *r[-1], *r[left], *tree.ground_force(y)])
    name = "reference.csv" if n == 7 else f"reference-n{n}.csv"
    write_csv(__file__, name, ["time", "x_last", "y_last", "z_last", "x_left", "y_left", "z_left", "F1x", "F1y", "F1z"], rows)
