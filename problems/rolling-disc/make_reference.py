#!/usr/bin/env python3
"""Reference of the rolling disc: its steady turn in closed form, 40 digits. [neimark1972]

Unit vectors: e along the axis of the disc, d from the contact to the centre, z upwards; n = (z x e) x z / cos(b) is horizontal, outwards. With the lean b

    z = d cos b + e sin b,   d x e = z x n

The disc turns at the rate W about z and p about e. Its angular velocity and momentum, with s = p + W sin b (C about e, A about a diameter):

    w = W cos b d + s e,   L = A W cos b d + C s e,   L' = W z x L = W cos b (C s - A W sin b) z x n

It rolls, so that the centre has v = w x R d = -s R z x n: a circle of radius Q = -R s/W, where it needs the contact force m (g z - W^2 Q n), whose moment about the
centre, -R d x F = -m R (g sin b - W^2 Q cos b) z x n, has to be L':

    s = (A W^2 sin b - m g R tan b)/((C + m R^2) W)

The mark on the rim is at the angle p t in the disc, from the direction z x n on.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/reference"))

import mpmath as mp

from output import write_csv

mp.mp.dps = 40
R, m, b, W, g = mp.mpf("0.25"), mp.mpf(1), mp.pi / 9, mp.pi / 2, mp.mpf("9.81")
A, C = m * R**2 / 4, m * R**2 / 2
s = (A * W**2 * mp.sin(b) - m * g * R * mp.tan(b)) / ((C + m * R**2) * W)
Q, p = -R * s / W, s - W * mp.sin(b)
rows = []
for i in range(801):
    t = mp.mpf(i) / 100
    n, h = (mp.cos(W * t), mp.sin(W * t), 0), (-mp.sin(W * t), mp.cos(W * t), 0)
    d = (-mp.sin(b) * n[0], -mp.sin(b) * n[1], mp.cos(b))
    center = (Q * n[0], Q * n[1], R * mp.cos(b))
    mark = [x + R * (mp.cos(p * t) * y + mp.sin(p * t) * k) for x, y, k in zip(center, h, d)]  # e x h = d
    rows.append([t, *center, *mark, -m * W**2 * Q * n[0], m * g])
print("s = %s rad/s, p = %s rad/s, radius %s m, speed %s m/s" % tuple(mp.nstr(v, 12) for v in (s, p, Q, -s * R)))
write_csv(__file__, "reference.csv", ["time", "x", "y", "z", "x_mark", "y_mark", "z_mark", "fx", "fz"], rows)
