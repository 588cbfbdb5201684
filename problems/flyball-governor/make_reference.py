#!/usr/bin/env python3
"""References of the flyball governor, in the angle b of both rods below the horizontal and the height s of the slider.

The shaft is driven by nothing, so that L = I(b) w stays what it is, with I the moment of inertia about the axis:

    I(b) = shaft + slider + 2 [M (a + cos b)^2 + m (a + cos(b)/2)^2 + along sin^2 b + across cos^2 b]
    T = H b'^2 + 1/2 S s'^2 + L^2/(2 I),   V = 2 g (M + m/2)(1 - sin b) + S g s,   H = M + m/4 + across

(M ball, m rod, S slider; H for one rod about its hinge). Springs and dampers between (a, s) and the middle of the rod:

    l^2 = (cos(b)/2)^2 + (1 - sin(b)/2 - s)^2,   F = k (l - 1/2) + c l'
    2 H b'' = 1/2 I' w^2 + 2 g (M + m/2) cos b - 2 F l_b,   S s'' = -S g - 2 F l_s

reference.csv. With couplers of fixed length, 1/2 as the halves of the rods, s = 1 - sin b and one coordinate is left (reference-rigid.csv):

    (2 H + S cos^2 b) b'' - S sin b cos b b'^2 = 1/2 I' w^2 + (2 M + m + S) g cos b

Gragg's rule, extrapolated; the stiff one, whose fastest part decays at 8117 1/s, in double precision with steps of 0.1 ms, the rigid one in
34 digits, the angle carried as its cosine and sine besides its value.
"""

import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/reference"))

from decimal import Decimal

import extrapolation
from output import write_csv

a, m, M, S, g = "0.05", "0.3", "5", "3", "9.81"
k, c = 8e5, 4e4


def constants(number):
    rod, ball = number(m), number(M)
    across, along = rod * number("1.0001") / 12, rod * number("0.0002") / 12
    H = ball + rod / 4 + across
    still = along + number(S) * number("0.02") / 12  # shaft and slider
    return rod, ball, number(S), number(a), number(g), across, along, H, still


def spin(cb, sb, data):
    """I and I'/2 of the cosine and sine of b."""
    rod, ball, _, offset, _, across, along, _, still = data
    r, q = offset + cb, offset + cb / 2
    I = still + 2 * (ball * r * r + rod * q * q + along * sb * sb + across * cb * cb)
    return I, -2 * ball * r * sb - rod * q * sb + 2 * (along - across) * sb * cb


PI = Decimal("3.14159265358979323846264338327950288419716939937511")
extrapolation.set_digits(extrapolation.DIGITS)
ROOT = Decimal("0.75").sqrt()
momentum = 2 * PI * spin(ROOT, Decimal("0.5"), constants(Decimal))[0]


def stiff_rates():
    data = constants(float)
    rod, ball, slider, _, gravity, _, _, H, _ = data
    L, cos, sin, sqrt = float(momentum), math.cos, math.sin, math.sqrt
    weight = 2 * gravity * (ball + rod / 2)

    def f(y):
        b, s, db, ds, _ = y
        cb, sb = cos(b), sin(b)
        I, slope = spin(cb, sb, data)
        w = L / I
        x, z = cb / 2, 1 - sb / 2 - s
        l = sqrt(x * x + z * z)
        lb, ls = -(x * sb + z * cb) / (2 * l), -z / l
        # l - 1/2 from l^2 - 1/4 = (1 - s)(1 - s - sin b): no digits cancel
        F = k * (1 - s) * (1 - s - sb) / (l + 0.5) + c * (lb * db + ls * ds)
        return [db, ds, (slope * w * w + weight * cb - 2 * F * lb) / (2 * H), -gravity - 2 * F * ls / slider, w]

    return f, lambda b: L / spin(cos(b), sin(b), data)[0]


def float_step(f, y, interval, columns):
    """As extrapolation.step, in double precision."""
    f0, row = f(y), []
    for j in range(1, columns + 1):
        h = interval / (2 * j)
        before, now = y, [p + h * q for p, q in zip(y, f0)]
        for _ in range(2 * j - 1):
            before, now = now, [p + 2 * h * q for p, q in zip(before, f(now))]
        new = [now]
        for i in range(1, j):
            ratio = j * j / ((j - i) * (j - i)) - 1
            new.append([p + (p - q) / ratio for p, q in zip(new[i - 1], row[i - 1])])
        row = new
    return row[-1]


def stiff(substeps, columns):
    f, w = stiff_rates()
    y, rows = [math.pi / 6, 0.5, 0.0, 0.0, 0.0], []
    for i in range(1001):
        rows.append([i / 100, y[1], w(y[0]), y[0]])
        for _ in range(substeps):
            y = float_step(f, y, 0.01 / substeps, columns)
    return rows


def rigid(columns):
    data = constants(Decimal)
    rod, ball, slider, _, gravity, _, _, H, _ = data
    weight = (2 * ball + rod + slider) * gravity

    def f(y):
        cb, sb, _, db = y
        I, slope = spin(cb, sb, data)
        w = momentum / I
        rate = slope * w * w + weight * cb + slider * sb * cb * db * db
        return [-sb * db, cb * db, db, rate / (2 * H + slider * cb * cb)]

    states = extrapolation.integrate(f, [ROOT, Decimal("0.5"), PI / 6, 0], "0.01", 1000, columns=columns)
    return [[Decimal(i) / 100, 1 - y[1], momentum / spin(y[0], y[1], data)[0], y[2]] for i, y in enumerate(states)]


def main():
    names = ["time", "s", "omega", "beta"]
    fine, coarse = stiff(100, 6), stiff(80, 7)
    print("springs: 0.1 ms with order 12 and 0.125 ms with order 14 differ by %.1e" % extrapolation.largest_difference(fine, coarse))
    write_csv(__file__, "reference.csv", names, fine)
    fine, coarse = rigid(12), rigid(10)
    print("rigid: orders 24 and 20 differ by %.1e" % extrapolation.largest_difference(fine, coarse))
    write_csv(__file__, "reference-rigid.csv", names, fine)


if __name__ == "__main__":
    main()
