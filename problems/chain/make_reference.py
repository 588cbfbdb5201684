#!/usr/bin/env python3
"""Reference of the chain: Lagrange's equations in the absolute angles th_i of the links, which stay in the x-y plane.

    sum_j M_ij th_j'' = -sum_j (n - max(i, j) + 1/2) sin(th_i - th_j) th_j'^2 - (n - i + 1/2) g cos th_i
    M_ij = (n - max(i, j) + 1/2) cos(th_i - th_j),   M_ii = n - i + 1/4 + 1          (unit links, masses, inertias)
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/reference"))

from decimal import Decimal

import extrapolation
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


def motion(n):
    start = n * [1] + 2 * n * [0]
    f = right_hand_side(n)
    fine = extrapolation.integrate(f, start, "0.01", 1000, substeps=2, columns=12)
    coarse = extrapolation.integrate(f, start, "0.01", 1000, substeps=1, columns=12)
    print("n = %d: steps of 5 and 10 ms differ by at most %.1e" %
          (n, extrapolation.largest_difference(fine, coarse)))
    return [[Decimal(i) / 100, sum(y[: n - 1]) + y[n - 1] / 2,
             sum(y[n : 2 * n - 1]) + y[2 * n - 1] / 2, 0] for i, y in enumerate(fine)]


columns = ["time", "x_last", "y_last", "z_last"]
for n in (2, 4, 8):
    rows = motion(n)
    write_csv(__file__, f"reference-n{n}.csv", columns, rows)
    if n == 4:
        write_csv(__file__, "reference.csv", columns, rows)
