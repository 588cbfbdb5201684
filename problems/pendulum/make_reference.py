#!/usr/bin/env python3
"""Reference of the pendulum: closed form with Jacobi's elliptic functions, 40 digits.

Angle p from the downward vertical, (x, y) = (sin p, -cos p), released at rest from p = -pi/2:

    sin(p/2) = k sn(w t - K | k^2),   cos(p/2) = dn(w t - K | k^2),   k = sin(pi/4),  w = sqrt(g/L)
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/reference"))

import mpmath as mp

from output import write_csv

mp.mp.dps = 40
g = mp.mpf("9.81")
m = mp.mpf(1) / 2
quarter = mp.ellipk(m)


def row(t):
    u = mp.sqrt(g) * t - quarter
    sine, cosine = mp.sqrt(m) * mp.ellipfun("sn", u, m=m), mp.ellipfun("dn", u, m=m)
    return [t, 2 * sine * cosine, sine**2 - cosine**2] if t else [t, -1, 0]


print("period %s s" % mp.nstr(4 * quarter / mp.sqrt(g), 17))
write_csv(__file__, "reference.csv", ["time", "x", "y"], [row(mp.mpf(i) / 100) for i in range(1001)])
write_csv(__file__, "reference-100s.csv", ["time", "x", "y"], [row(mp.mpf(i) / 20) for i in range(2001)])
