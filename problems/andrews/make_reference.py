#!/usr/bin/env python3
"""Reference of Andrews' squeezer in one coordinate, the crank angle beta.

The crank tip F follows from beta, then three dyads in closed form, each the intersection of two circles: E from F and B,
G from A and E, H from A and E. As jets in beta (value, first and second derivative) they give the equation of motion

    M beta'' + 1/2 M' beta'^2 + V' = mom,     M = sum m |c'|^2 + I (a')^2

over the seven bodies (centre c, angle a), V the spring's energy. A body's angle never appears, only the cosine and sine jets of it:
a' = C S' - S C', a'' = C S'' - S C''.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/reference"))

from decimal import Decimal as D

import mpmath

import extrapolation
from jets import Jet, lift
from output import write_csv

extrapolation.set_digits(extrapolation.DIGITS)
A, B, C = (D("-0.06934"), D("-0.00227")), (D("-0.03635"), D("0.03273")), (D("0.014"), D("0.072"))
d, da, ee, ea, rr, ra = D("0.028"), D("0.0115"), D("0.02"), D("0.01421"), D("0.007"), D("0.00092")
ss, sa, sb, sc, sd = D("0.035"), D("0.01874"), D("0.01043"), D("0.018"), D("0.02")
ta, tb, u, ua, ub = D("0.02308"), D("0.00916"), D("0.04"), D("0.01228"), D("0.00449")
zf, zt, fa = D("0.02"), D("0.04"), D("0.01421")
c0, l0, mom = D("4530"), D("0.07785"), D("0.033")
masses = [D(v) for v in "0.04325 0.00365 0.02373 0.00706 0.0705 0.00706 0.05498".split()]
inertias = [D(v) for v in "2.194e-6 4.41e-7 5.255e-6 5.667e-7 1.169e-5 5.667e-7 1.912e-5".split()]
beta0 = "-0.0620"


def circles(P, p, Q, q, side):
    """The point at distance p from P and q from Q, to the left (side = 1) or right of the way from P to Q."""
    x, y = Q[0] - P[0], Q[1] - P[1]
    r2 = x * x + y * y
    along = (r2 + p * p - q * q) / (2 * r2)
    across = side * (p * p / r2 - along * along).sqrt()
    return P[0] + along * x - across * y, P[1] + along * y + across * x


def placed(P, body, x, y):
    """The point (x, y) of a body whose frame is at P and has the cosine and sine `body`."""
    c, s = body
    return P[0] + x * c - y * s, P[1] + x * s + y * c


def bodies(c, s):
    """(centre, (cosine, sine)) of K1 ... K7, the point F and the spring's point D."""
    k1 = Jet(c, -s, -c), Jet(s, c, -s)
    O = lift(0), lift(0)
    a, b = (lift(A[0]), lift(A[1])), (lift(B[0]), lift(B[1]))
    F = placed(O, k1, rr, 0)
    E = circles(F, d, b, ss, 1)
    G = circles(a, zt, E, ee, 1)
    H = circles(a, u, E, zf, -1)
    k2 = (F[0] - E[0]) / d, (F[1] - E[1]) / d
    k3 = (b[1] - E[1]) / ss, (E[0] - b[0]) / ss
    k5 = (G[0] - a[0]) / zt, (G[1] - a[1]) / zt
    k4 = (G[1] - E[1]) / ee, (E[0] - G[0]) / ee
    k7 = (a[1] - H[1]) / u, (H[0] - a[0]) / u
    k6 = (E[0] - H[0]) / zf, (E[1] - H[1]) / zf
    frames = [(placed(O, k1, ra, 0), k1), (placed(F, k2, -da, 0), k2), (placed(b, k3, sb, -sa), k3),
              (placed(G, k4, 0, ea - ee), k4), (placed(a, k5, ta, tb), k5),
              (placed(H, k6, zf - fa, 0), k6), (placed(a, k7, -ub, -ua), k7)]
    return frames, F, placed(b, k3, sd, -sc)


def f(y):
    c, s, _, w = y
    frames, _, tip = bodies(c, s)
    M = H = D(0)
    for m, I, (p, (cos, sin)) in zip(masses, inertias, frames):
        for x in p:
            M += m * x.d * x.d
            H += m * x.d * x.dd
        a1, a2 = cos.v * sin.d - sin.v * cos.d, cos.v * sin.dd - sin.v * cos.dd
        M += I * a1 * a1
        H += I * a1 * a2
    x, y_ = tip[0] - C[0], tip[1] - C[1]
    length = (x * x + y_ * y_).sqrt()
    V = c0 * (length.v - l0) * length.d
    return [-s * w, c * w, w, (mom - V - H * w * w) / M]


def angle(body):
    return mpmath.atan2(mpmath.mpf(str(body[1].v)), mpmath.mpf(str(body[0].v)))


mpmath.mp.dps = extrapolation.DIGITS + 6
b0 = mpmath.mpf(beta0)
start = [D(mpmath.nstr(v, extrapolation.DIGITS + 4)) for v in (mpmath.cos(b0), mpmath.sin(b0), b0)] + [D(0)]
fine = extrapolation.integrate(f, start, "0.00005", 1000, columns=11)
coarse = extrapolation.integrate(f, start, "0.00005", 1000, columns=9)
print("orders 22 and 18 differ by at most %.1e (angle), %.1e (rate)" %
      (extrapolation.largest_difference([y[:3] for y in fine], [y[:3] for y in coarse]),
       extrapolation.largest_difference([y[3:] for y in fine], [y[3:] for y in coarse])))
rows = []
for i, y in enumerate(fine):
    frames, F, _ = bodies(y[0], y[1])
    beta = mpmath.mpf(str(y[2]))
    k = [None] + [angle(body) for _, body in frames]
    rows.append([D(i) / 20000, beta, k[2] - beta, k[3], k[4] - k[5], k[5], k[6] - k[7], k[7], F[0].v, F[1].v])
write_csv(__file__, "reference.csv", ["time", "beta", "theta", "gamma", "phi", "delta", "omega", "epsilon", "xF", "yF"], rows)
