#!/usr/bin/env python3
"""Reference of the four-bar: closed form with Jacobi's elliptic functions, 40 digits.

A and C stay parallel and B vertical, so that there is one pendulum. With unit links, masses and inertias

    (2 (1 + 1/4) + 1) ph'' = -(1/2 + 1 + 1/2) g cos ph,    i.e. 7/2 ph'' = -2 g cos ph

(A and C turn about an end, B only translates with the tip of A). With a = ph + pi/2 it is a'' = -w^2 sin a, w^2 = 4 g/7,
and released from a = 3 pi/4:  sin(a/2) = k sn(w t + K | k^2), cos(a/2) = dn, k = sin(3 pi/8).

Force of the ground on A at joint 1: by symmetry A and C carry half of B each, so
F1 = m a_A + m g y + 1/2 (m a_B + m g y).
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/reference"))

import mpmath as mp

from output import write_csv

mp.mp.dps = 40
g = mp.mpf("9.81")
w = mp.sqrt(4 * g / 7)
k = mp.sin(3 * mp.pi / 8)
m = k**2
quarter = mp.ellipk(m)
rows = []
for i in range(3001):
    t = mp.mpf(i) / 100
    u = w * t + quarter
    sn, cn, dn = (mp.ellipfun(f, u, m=m) for f in ("sn", "cn", "dn"))
    c, s = 2 * k * sn * dn, (k * sn) ** 2 - dn**2  # cos ph = sin a, sin ph = -cos a
    rate = 2 * k * w * cn  # a' = 2 k w cn(u)
    accel = -(w**2) * c
    ax, ay = -s * accel - c * rate**2, c * accel - s * rate**2  # of the tip of A, and of B
    ph = 2 * mp.atan2(k * sn, dn) - mp.pi / 2
    rows.append([t, ph, c / 2, s / 2, ax / 2 + ax / 2, ay / 2 + ay / 2 + g + g / 2])
rows[0][1] = mp.pi / 4
print("period %s s" % mp.nstr(4 * quarter / w, 17))
write_csv(__file__, "reference.csv", ["time", "phi", "xA", "yA", "F1x", "F1y"], rows)
