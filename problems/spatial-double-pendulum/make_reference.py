#!/usr/bin/env python3
"""Reference of the spatial double pendulum, in the directions u, v of the two bodies.

Equal moments of inertia, and joint forces that act on the bodies' lines through their centres: nothing ever turns a body about its
own line, so that its angular velocity is u x u' and T follows from u', v' alone. With r_A = u/2, r_B = u + v/2:

    T = 1/2 a |u'|^2 + 1/2 b |v'|^2 + c u'.v',    a = 1/4 + 1 + 1,  b = 1/4 + 1,  c = 1/2,    V = g (3/2 u_y + 1/2 v_y)

The lengths |u| = |v| = 1 are kept by two forces p u, q v, which u.u'' = -|u'|^2, v.v'' = -|v'|^2 determine in closed form.
Extrapolation in 34 digits leaves no drift to speak of: it is printed.

With moments of inertia (0.2, 0.5, 0.6) about their axes the bodies do turn about their lines: reference-inertia.csv is
integrated in their angular velocities and quaternions, in double precision (tools/reference/jointed_tree.py). Without the term
w x J w, which equal moments hide, that motion would be another.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/reference"))

from decimal import Decimal

import numpy as np

import extrapolation
import floats
from jointed_tree import Body, Tree
from output import write_csv

G = Decimal("9.81")
a, b, c = Decimal("2.25"), Decimal("1.25"), Decimal("0.5")
det = a * b - c * c


def dot(x, y):
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


def accelerations(y):
    u, v, du, dv = y[0:3], y[3:6], y[6:9], y[9:12]
    # a u'' + c v'' = fu + p u,  c u'' + b v'' = fv + q v
    fu, fv = -G * 3 / 2, -G / 2
    gu, gv = (b * fu - c * fv) / det, (a * fv - c * fu) / det  # y parts of the free accelerations
    uv = dot(u, v)
    # u.u'' = gu u_y + (b p - c q uv)/det = -|u'|^2;  v.v'' = gv v_y + (a q - c p uv)/det = -|v'|^2
    r1 = det * (-dot(du, du) - gu * u[1])
    r2 = det * (-dot(dv, dv) - gv * v[1])
    d = a * b - c * c * uv * uv
    p = (a * r1 + c * uv * r2) / d
    q = (b * r2 + c * uv * r1) / d
    ddu = [(b * p * u[i] - c * q * v[i]) / det for i in range(3)]
    ddv = [(a * q * v[i] - c * p * u[i]) / det for i in range(3)]
    ddu[1] += gu
    ddv[1] += gv
    return ddu, ddv


def f(y):
    ddu, ddv = accelerations(y)
    return y[6:12] + ddu + ddv


start = [1, 0, 0, 0, 0, 1] + 6 * [0]
fine = extrapolation.integrate(f, start, "0.01", 1000, substeps=2, columns=12)
coarse = extrapolation.integrate(f, start, "0.01", 1000, substeps=1, columns=12)
print("steps of 5 and 10 ms differ by at most %.1e" % extrapolation.largest_difference(fine, coarse))
print("lengths drift by at most %.1e" % max(abs(dot(y[0:3], y[0:3]) - 1) for y in fine))
rows = []
for i, y in enumerate(fine):
    u, v = y[0:3], y[3:6]
    ddu, ddv = accelerations(y)
    force = [ddu[j] / 2 + ddu[j] + ddv[j] / 2 + (2 * G if j == 1 else 0) for j in range(3)]
    rows.append([Decimal(i) / 100] + [x / 2 for x in u] + [x + z / 2 for x, z in zip(u, v)] + force)
columns = ["time", "xA", "yA", "zA", "xB", "yB", "zB", "F1x", "F1y", "F1z"]
write_csv(__file__, "reference.csv", columns, rows)


def tree(J):
    return Tree([Body(-1, [0, 0, 0], [-0.5, 0, 0], [0, 0, 0], 1, J), Body(0, [0.5, 0, 0], [0, 0, -0.5], [0, 0, 0], 1, J)],
                [0, -9.81, 0])


def table(pendulum, states):
    return np.array([[i / 100, *pendulum.centers(y).ravel(), *pendulum.ground_force(y)] for i, y in enumerate(states)])


same = tree([1, 1, 1])
states = floats.integrate(same.rate, same.start(), 0.01, 200)
print("equal moments: angular velocities and directions differ by %.1e up to 2 s" %
      np.max(abs(table(same, states) - np.array(rows[:201], float))))
unequal = tree([0.2, 0.5, 0.6])
fine, coarse = (floats.integrate(unequal.rate, unequal.start(), 0.01, 1000, columns=c) for c in (8, 7))
print("unequal moments: orders 16 and 14 differ by at most %.1e" % np.max(abs(fine - coarse)))
write_csv(__file__, "reference-inertia.csv", columns, table(unequal, fine))
