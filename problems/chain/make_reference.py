#!/usr/bin/env python3
"""Reference of the chain: Lagrange's equations in the absolute angles th_i of the links, which stay in the x-y plane.

    sum_j M_ij th_j'' = -sum_j (n - max(i, j) + 1/2) sin(th_i - th_j) th_j'^2 - (n - i + 1/2) g cos th_i
    M_ij = (n - max(i, j) + 1/2) cos(th_i - th_j),   M_ii = n - i + 1/4 + 1          (unit links, masses, inertias)

Force of the ground on the first link: what moves the centre of mass, F1 = sum_j (n - j + 1/2) (e_j'' as a vector) + n g y.
Up to n = 8 in 34 digits, longer chains in double precision.

    make_reference.py [n ...]
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/reference"))

from decimal import Decimal

import numpy as np

import extrapolation
import floats
from output import write_csv

G = Decimal("9.81")


def right_hand_side(n):
    """State: cosines, sines and rates of the n angles."""
    weight = [[Decimal(n - max(i, j) - 1) + Decimal("0.5") for j in range(n)] for i in range(n)]
    diagonal = [Decimal(n - i - 1) + Decimal("1.25") for i in range(n)]

    def solve(A, b):  # symmetric positive definite: elimination without pivoting
        for k in range(n):
            for i in range(k + 1, n):
                factor = A[i][k] / A[k][k]
                for j in range(k + 1, n):
                    A[i][j] -= factor * A[k][j]
                b[i] -= factor * b[k]
        for k in reversed(range(n)):
            b[k] = (b[k] - sum(A[k][j] * b[j] for j in range(k + 1, n))) / A[k][k]
        return b

    def f(y):
        c, s, w = y[:n], y[n : 2 * n], y[2 * n :]
        squares = [x * x for x in w]
        A, b = [], []
        for i in range(n):
            row = [weight[i][j] * (c[i] * c[j] + s[i] * s[j]) for j in range(n)]
            row[i] = diagonal[i]
            A.append(row)
            b.append(-sum(weight[i][j] * (s[i] * c[j] - c[i] * s[j]) * squares[j] for j in range(n))
                     - weight[i][i] * G * c[i])
        return [-x * r for x, r in zip(s, w)] + [x * r for x, r in zip(c, w)] + solve(A, b)

    return f


def table_row(n, t, y, dw):
    """time, centre of the last link, force of the ground, kinetic energy (the total energy is zero)."""
    c, s, w = y[:n], y[n : 2 * n], y[2 * n :]
    arm = [n - j - 1 + type(t)(0.5) for j in range(n)]  # of link j in the sum of the centres' coordinates
    fx = sum(a * (-si * q - ci * r * r) for a, ci, si, q, r in zip(arm, c, s, dw, w))
    fy = sum(a * (ci * q - si * r * r) for a, ci, si, q, r in zip(arm, c, s, dw, w)) + n * type(t)(G)
    kinetic = -type(t)(G) * sum(a * si for a, si in zip(arm, s))
    return [t, sum(c[: n - 1]) + c[n - 1] / 2, sum(s[: n - 1]) + s[n - 1] / 2, 0, fx, fy, kinetic]


def exact_motion(n):
    """34 digits."""
    start = n * [1] + 2 * n * [0]
    f = right_hand_side(n)
    fine = extrapolation.integrate(f, start, "0.01", 1000, substeps=2, columns=12)
    coarse = extrapolation.integrate(f, start, "0.01", 1000, substeps=1, columns=12)
    print("n = %d: steps of 5 and 10 ms differ by at most %.1e" %
          (n, extrapolation.largest_difference(fine, coarse)))
    return [table_row(n, Decimal(i) / 100, y, f(y)[2 * n :]) for i, y in enumerate(fine)]


def float_right_hand_side(n):
    """State: angles and rates."""
    k = np.arange(n)
    weight = n - np.maximum(k[:, None], k) - 0.5
    arm = np.diag(weight).copy()

    def f(y):
        th, w = y[:n], y[n:]
        difference = th[:, None] - th
        M = weight * np.cos(difference)
        np.fill_diagonal(M, n - k + 0.25)
        b = -(weight * np.sin(difference)) @ (w * w) - float(G) * arm * np.cos(th)
        return np.concatenate([w, np.linalg.solve(M, b)])

    return f


def float_motion(n):
    f = float_right_hand_side(n)
    substeps = 4 if n <= 16 else 2  # short chains whip faster
    fine, coarse = (floats.integrate(f, np.zeros(2 * n), 0.01, 1000, substeps, c) for c in (8, 7))
    print("n = %d: orders 16 and 14 differ by at most %.1e" % (n, np.max(abs(fine - coarse))))
    rows, drift = [], 0.0
    for i in range(1001):
        th, w = fine[i][:n], fine[i][n:]
        row = table_row(n, i / 100, np.concatenate([np.cos(th), np.sin(th), w]), f(fine[i])[n:])
        vx, vy = -np.sin(th) * w, np.cos(th) * w  # of a link's end against its beginning
        kinetic = 0.5 * np.sum((np.cumsum(vx) - vx / 2) ** 2 + (np.cumsum(vy) - vy / 2) ** 2 + w**2)
        drift = max(drift, abs(kinetic - row[-1]))
        rows.append(row)
    print("n = %d: kinetic and potential energy add up to zero within %.1e J" % (n, drift))
    return rows


columns = ["time", "x_last", "y_last", "z_last", "F1x", "F1y", "kinetic"]
for n in [int(a) for a in sys.argv[1:]] or (2, 4, 8, 16, 128):
    rows = exact_motion(n) if n <= 8 else float_motion(n)
    write_csv(__file__, f"reference-n{n}.csv", columns, rows)
    if n == 4:
        write_csv(__file__, "reference.csv", columns, rows)
