#!/usr/bin/env python3
"""Reference of the ladder: Lagrange's equations in its n + 1 degrees of freedom.

In the plane of the ladder (X sideways, Y up), which is turned by th about the top bar, the rungs stay parallel to the bar and both
links of a section to each other, at the angle ph_j. With the constants c_bj (0, L/2 or L) every centre b lies at

    X_b = sum_j c_bj sin ph_j (+ a constant),   Y_b = -sum_j c_bj cos ph_j,   x = X, y = Y cos th, z = Y sin th

    A_jk = sum_b m_b c_bj c_bk,  G_j = sum_b m_b c_bj,  I(ph) = sum_jk A_jk cos ph_j cos ph_k + moments of inertia about the bar
    T = 1/2 sum_jk A_jk cos(ph_j - ph_k) ph_j' ph_k' + 1/2 sum_j 2 Jt ph_j'^2 + 1/2 I th'^2,    V = -g cos th sum_j G_j cos ph_j

A link turns with th' about the bar and ph' across the plane; about the bar its moment is Jt cos^2 ph + Jl sin^2 ph.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/reference"))

import numpy as np

import floats
from output import write_csv

g, L, m, M, Jt, Jl = 9.81, 1.0, 1.0, 2.0, 0.1, 0.02
LEAN, SWING = 0.35, 0.5


class Ladder:
    """State: ph_1 ... ph_n, th and their rates."""

    def __init__(self, n):
        self.n, self.A, self.G = n, np.zeros((n, n)), np.zeros(n)
        for section in range(n):
            c = np.array(section * [L] + [L / 2] + (n - section - 1) * [0])
            self.add(2 * m, c)
            c[section] = L
            self.add(M, c)
        self.mass = M + n * (2 * m + M)

    def add(self, mass, c):
        self.A += mass * np.outer(c, c)
        self.G += mass * c

    def moment(self, ph):
        """I and its gradient."""
        c, s = np.cos(ph), np.sin(ph)
        I = c @ self.A @ c + 2 * np.sum(Jt * c * c + Jl * s * s) + (self.n + 1) * Jl
        return I, -2 * s * (self.A @ c) + 4 * (Jl - Jt) * s * c

    def rate(self, y):
        n, A, G = self.n, self.A, self.G
        ph, th, w, o = y[:n], y[n], y[n + 1 : -1], y[-1]
        difference = ph[:, None] - ph
        I, dI = self.moment(ph)
        dw = np.linalg.solve(A * np.cos(difference) + 2 * Jt * np.eye(n),
                             -(A * np.sin(difference)) @ (w * w) + dI * o * o / 2 - g * np.cos(th) * G * np.sin(ph))
        do = -(dI @ w * o + g * np.sin(th) * (G @ np.cos(ph))) / I
        return np.concatenate([w, [o], dw, [do]])

    def energy(self, y):
        n = self.n
        ph, th, w, o = y[:n], y[n], y[n + 1 : -1], y[-1]
        kinetic = w @ (self.A * np.cos(ph[:, None] - ph)) @ w + 2 * Jt * w @ w + self.moment(ph)[0] * o * o
        return kinetic / 2 - g * np.cos(th) * (self.G @ np.cos(ph))

    def row(self, t, y):
        """time, centre of the last rung, force of the ground: mass times acceleration and weight."""
        n, G = self.n, self.G
        ph, th, w, o = y[:n], y[n], y[n + 1 : -1], y[-1]
        dw, do = np.split(self.rate(y)[n + 1 :], [n])
        c, s, ct, st = np.cos(ph), np.sin(ph), np.cos(th), np.sin(th)
        ax = G @ (c * dw - s * w * w)
        Y, vY, aY = -G @ c, G @ (s * w), G @ (s * dw + c * w * w)  # of all masses together
        ay = aY * ct - 2 * vY * st * o - Y * (ct * o * o + st * do[0])
        az = aY * st + 2 * vY * ct * o - Y * (st * o * o - ct * do[0])
        depth = -L * np.sum(c)
        return [t, L * np.sum(s), depth * ct, depth * st, ax, ay + self.mass * g, az]


for n in (3, 10):
    ladder = Ladder(n)
    start = np.concatenate([n * [LEAN], [SWING], (n + 1) * [0.0]])
    fine, coarse = (floats.integrate(ladder.rate, start, 0.01, 500, columns=c) for c in (8, 6))
    near = floats.integrate(ladder.rate, start + 1e-7 * np.cos(np.arange(2 * n + 2)), 0.01, 500, columns=6)
    energies = [ladder.energy(y) for y in fine]
    print("n = %d: orders 16 and 12 differ by %.1e, energy drifts by %.1e J, leans up to %.3f rad, errors of the start grow %.0f-fold" %
          (n, np.max(abs(fine - coarse)), np.ptp(energies), np.max(abs(fine[:, :n])), np.max(abs(near - coarse)) / 1e-7))
    rows = [ladder.row(i / 100, y) for i, y in enumerate(fine)]
    name = "reference.csv" if n == 3 else f"reference-n{n}.csv"
    write_csv(__file__, name, ["time", "x_last", "y_last", "z_last", "Fx", "Fy", "Fz"], rows)
