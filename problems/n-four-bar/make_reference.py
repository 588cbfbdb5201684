#!/usr/bin/env python3
"""Reference of the N-four-bar: closed form with Jacobi's elliptic functions, 40 digits.

While the couplers stay horizontal the mechanism is one pendulum. With th the angle of the cranks from +x:

    J th'' = -C cos th,   J = (n + 1)/3 + n,   C = ((n + 1)/2 + n) g

From th = pi/2, th' = -1 it turns over and over. With k = C/J, W = sqrt(1 + 4 k)/2 and the modulus m = 4 k/(1 + 4 k),
the angle from the lowest position a = th + pi/2 obeys (a'/2)^2 = W^2 (1 - m sin^2(a/2)), so that

    a/2 = am(K(m) - W t | m)         (a starts at pi and falls)

Released at rest from th = pi/4 it swings to and fro, up to a = 3 pi/4 on both sides: with kappa = sin(3 pi/8)

    sin(a/2) = kappa sn(K(kappa^2) - sqrt(k) t | kappa^2),   cos(a/2) = dn(the same)
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/reference"))

import mpmath as mp

from output import write_csv

mp.mp.dps = 40


def motion(n):
    J, C = mp.mpf(n + 1) / 3 + n, (mp.mpf(n + 1) / 2 + n) * mp.mpf("9.81")
    k = C / J
    W, m = mp.sqrt(1 + 4 * k) / 2, 4 * k / (1 + 4 * k)
    quarter = mp.ellipk(m)
    print("n = %d: one turn takes %s s" % (n, mp.nstr(2 * quarter / W, 16)))
    rows = []
    for i in range(1001):
        t = mp.mpf(i) / 100
        u = quarter - W * t
        sine, cosine = mp.ellipfun("sn", u, m=m), mp.ellipfun("cn", u, m=m)
        turns = mp.floor((u + 2 * quarter) / (4 * quarter))  # am(u + 4 K) = am(u) + 2 pi
        half = mp.atan2(sine, cosine) + 2 * mp.pi * turns
        th = 2 * half - mp.pi / 2
        rows.append([t, th, 2 * sine * cosine, sine**2 - cosine**2])  # cos th, sin th
    rows[0][1:] = [mp.pi / 2, 0, 1]
    return rows


def swing(n):
    J, C = mp.mpf(n + 1) / 3 + n, (mp.mpf(n + 1) / 2 + n) * mp.mpf("9.81")
    w, kappa = mp.sqrt(C / J), mp.sin(3 * mp.pi / 8)
    m = kappa**2
    quarter = mp.ellipk(m)
    print("n = %d, from rest at 45 degrees: period %s s" % (n, mp.nstr(4 * quarter / w, 16)))
    rows = []
    for i in range(1001):
        t = mp.mpf(i) / 100
        u = quarter - w * t
        sine, cosine = kappa * mp.ellipfun("sn", u, m=m), mp.ellipfun("dn", u, m=m)
        th = 2 * mp.asin(sine) - mp.pi / 2
        rows.append([t, th, 2 * sine * cosine, sine**2 - cosine**2])
    return rows


for n, name in ((2, "reference.csv"), (1, "reference-n1.csv"), (40, "reference-n40.csv")):
    write_csv(__file__, name, ["time", "theta", "x1", "y1"], motion(n))
write_csv(__file__, "reference-rest.csv", ["time", "theta", "x1", "y1"], swing(2))
