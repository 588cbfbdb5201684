#!/usr/bin/env python3
"""Reference of the rectangular Bricard mechanism in one coordinate, the angle A of joint 1.

Unit links with right twists close up when the joint angles alternate, A B A B A B, with (1 + cos A)(1 + cos B) = 1; the script
prints the closure. From the cube (A = B = -pi/2) A swings between -pi/2 and pi/2 and B stays in [-2 pi/3, -pi/2], where
cos B = -cos A/(1 + cos A), sin B = -sqrt(1 - cos^2 B).

The points P_1 ... P_6 as jets in A (value, P', P'') give the equation of motion. For a uniform slender rod from P to Q
2 T = m/3 (|P'|^2 + P'.Q' + |Q'|^2) A'^2, so with V the sum of the rods' m g y:  M A'' + 1/2 M' A'^2 + V' = 0.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/reference"))

from decimal import Decimal

import extrapolation
from jets import Jet, lift
from output import write_csv

G = Decimal("9.81")


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def points(c, s):
    """P_1 ... P_6 as jets in A, from cos A and sin A."""
    cA, sA = Jet(c, -s, -c), Jet(s, c, -s)
    cB = -cA / (1 + cA)
    sB = -(1 - cB * cB).sqrt()
    axis = [lift(0), lift(1), lift(0)]
    link = [-sA, lift(0), -cA]
    P = [[lift(0)] * 3]
    for k, sign in enumerate((1, -1, 1, -1, 1)):
        P.append([a + b for a, b in zip(P[-1], link)])
        axis = [sign * a for a in cross(link, axis)]
        cosine, sine = (cB, sB) if k % 2 == 0 else (cA, sA)
        side = cross(axis, link)
        link = [cosine * a + sine * b for a, b in zip(link, side)]
    return P


def f(y):
    c, s, w = y
    P = points(c, s)
    M = H = V = Decimal(0)
    for p, q in zip(P[:-1], P[1:]):
        for a, b in zip(p, q):
            M += (a.d * a.d + a.d * b.d + b.d * b.d) / 3
            H += (2 * a.d * a.dd + a.d * b.dd + a.dd * b.d + 2 * b.d * b.dd) / 6
        V += G * (p[1].d + q[1].d) / 2
    return [-s * w, c * w, -(V + H * w * w) / M]


start = [0, -1, 0]
fine = extrapolation.integrate(f, start, "0.01", 1000, substeps=1, columns=12)
coarse = extrapolation.integrate(f, start, "0.01", 1000, substeps=1, columns=10)
print("orders 24 and 20 differ by at most %.1e" % extrapolation.largest_difference(fine, coarse))
rows, gap = [], 0.0
for i, y in enumerate(fine):
    P = points(y[0], y[1])
    rows.append([Decimal(i) / 100] + [x.v for x in P[2]])
    gap = max(gap, *(abs(float(x.v - e)) for x, e in zip(P[5], (0, 0, 1))))
print("the loop closes to %.1e" % gap)
write_csv(__file__, "reference.csv", ["time", "x3", "y3", "z3"], rows)
