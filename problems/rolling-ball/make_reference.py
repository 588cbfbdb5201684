#!/usr/bin/env python3
"""Reference of the ball on a turntable: closed form, 40 digits.

The contact point of the ball has the velocity of the table there, v - R z x w = W z x r (the component along z apart). The friction F moves the centre
and turns the ball: m v' = F, 2/5 m R^2 w' = -R z x F. The derivative of the first with w' = -5/(2 m R) z x F gives

    v' + 5/2 v' = W z x v,   that is   v' = u z x v   with   u = 2/7 W:   [weltner1979]

a circle at a constant speed, whatever radius, mass and vertical spin are:

    r(t) = r0 + (sin(u t) v0 + (1 - cos(u t)) z x v0)/u,   F = m u z x v
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/reference"))

import mpmath as mp

from output import write_csv

mp.mp.dps = 40
u = 4 * mp.pi / 7
R = mp.mpf("0.025")
m = 7800 * 4 * mp.pi * R**3 / 3
vx, vy = mp.mpf("0.5"), mp.mpf("-0.5")
rows = []
for i in range(701):
    t = mp.mpf(i) / 100
    s, c = mp.sin(u * t), mp.cos(u * t)
    rows.append([t, (s * vx - (1 - c) * vy) / u, (s * vy + (1 - c) * vx) / u, mp.sqrt("0.5"), -m * u * (s * vx + c * vy), m * u * (c * vx - s * vy)])
print("radius %s m, period %s s" % (mp.nstr(mp.sqrt("0.5") / u, 12), mp.nstr(2 * mp.pi / u, 12)))
write_csv(__file__, "reference.csv", ["time", "x", "y", "speed", "fx", "fy"], rows)
