#!/usr/bin/env python3
"""Writes reference.csv: the Iltis quarter car in two coordinates, the height z of the block and the angle a of the A-arm.

    make_reference.py [STEP]

The A-arm turns about x; the carrier's place beside the block is a function of a alone, found by Newton's method at Chebyshev points and
interpolated there to rounding. Then, with M the whole mass, b(a) = dS/da of the static moment S and m(a) the inertia of a,

    M z'' + b a'' + b' a'^2 = Q_z,      b z'' + m a'' + m'/2 a'^2 = Q_a.

Classical Runge-Kutta steps end where a force has a kink (contact of the tyre, the leaf's stop, the pieces of the damping) and where the road
drops. Needs numpy.
"""
import math
import sys

import numpy as np
from numpy.polynomial import chebyshev as cheb

G, M_BLOCK, M_ARM, M_WHEEL, Z0 = 9.81, 325.0, 6.0, 57.35, 0.57
A, B = np.array([0.97, 0.259, -0.268]), np.array([0.97, 0.572, -0.341])
L, U = np.array([0.97, 0.1585, 0.030]), np.array([0.97, 0.488, -0.039])
T0, T = np.array([0.83, 0.070, 0.030]), np.array([0.83, 0.448, -0.039])
W = np.array([0.97, 0.615, -0.214])
D0, D = np.array([1.045, 0.297, 0.062]), np.array([1.045, 0.500, -0.329])
STOP = 0.137
I_ARM = 0.052099
J_WHEEL = np.diag([1.2402, 1.908, 1.2402])
HIGH, DEGREE = 0.45, 28


def about_x(point, a):
    y, z = point[1] - A[1], point[2] - A[2]
    return np.array([point[0], A[1] + math.cos(a) * y - math.sin(a) * z, A[2] + math.sin(a) * y + math.cos(a) * z])


def rotation(r):
    """exp of the rotation vector r, by Rodrigues' formula."""
    angle = math.sqrt(r @ r)
    K = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    if angle < 1e-8:
        return np.eye(3) + K + K @ K / 2
    return np.eye(3) + math.sin(angle) / angle * K + (1 - math.cos(angle)) / angle**2 * K @ K


def carrier(a, r):
    """Rotation of the carrier for the arm's angle a, from the guess r."""
    ball = about_x(B, a)

    def residual(r):
        R = rotation(r)
        u, t = ball + R @ (U - B), ball + R @ (T - B)
        return np.array([u[0] - L[0], (u - L) @ (u - L) - (U - L) @ (U - L), (t - T0) @ (t - T0) - (T - T0) @ (T - T0)])

    for _ in range(12):
        f, h = residual(r), 1e-6
        jacobian = np.array([(residual(r + h * e) - residual(r - h * e)) / (2 * h) for e in np.eye(3)]).T
        r = r - np.linalg.solve(jacobian, f)
    return r, rotation(r)


def place_functions():
    """Polynomials in s = a/HIGH, -1 ... 1: heights and inertia of what hangs on the block."""
    s = np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))
    order = np.argsort(np.abs(s))
    vectors = {}
    for k in order:  # from the drawn position outwards
        near = min(vectors, key=lambda j: abs(s[j] - s[k]), default=None)
        vectors[k] = carrier(HIGH * s[k], np.zeros(3) if near is None else vectors[near])[0]
    R = np.array([rotation(vectors[k]) for k in range(DEGREE + 1)])
    balls = np.array([about_x(B, HIGH * x) for x in s])
    wheel, upper = balls + R @ (W - B), balls + R @ (U - B)

    def fit(values):
        return cheb.chebfit(s, values, DEGREE)

    def slope(values):
        return cheb.chebval(s, cheb.chebder(fit(values))).T / HIGH

    dR = slope(R.reshape(-1, 9)).reshape(-1, 3, 3)
    spin = np.einsum("kji,kjl->kil", R, dR)  # R' dR/da
    w = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
    dW = slope(wheel)
    m = M_WHEEL * np.sum(dW**2, axis=1) + np.einsum("ki,ij,kj->k", w, J_WHEEL, w)
    power = {}
    for name, values in (("wheel", wheel[:, 2]), ("upper_y", upper[:, 1]), ("upper_z", upper[:, 2]), ("m", m)):
        c = fit(values)
        assert np.max(np.abs(c[-4:])) < 1e-12 * max(1, np.max(np.abs(c))), name
        power[name] = c
    return power


class Taylor:
    """A series as Taylor polynomials around the points of a fine grid, right to rounding."""

    PIECES = 4000

    def __init__(self, c):
        s = np.linspace(-1, 1, self.PIECES + 1)
        d = [cheb.chebval(s, cheb.chebder(c, k) if k else c) / HIGH**k / math.factorial(k) for k in range(6)]
        self.c = np.array(d).T.tolist()

    def __call__(self, a):
        k = int(round((a / HIGH + 1) * self.PIECES / 2))
        x, (c0, c1, c2, c3, c4, c5) = a - HIGH * (2 * k / self.PIECES - 1), self.c[k]
        return (c0 + x * (c1 + x * (c2 + x * (c3 + x * (c4 + x * c5)))), c1 + x * (2 * c2 + x * (3 * c3 + x * (4 * c4 + x * 5 * c5))),
                2 * c2 + x * (6 * c3 + x * (12 * c4 + x * 20 * c5)))


def damping(v):
    if v < -0.2:
        return -416.42 + 1844.3 * v
    if v > 0.21:
        return 1919.1638 + 1634.727 * v
    return 9945.627 * v + 33955.72 * v**2 - 59832.25 * v**3 - 395651 * v**4


class Car:
    def __init__(self):
        f = place_functions()
        self.wheel, self.upper_y, self.upper_z, self.m = (Taylor(f[k]) for k in ("wheel", "upper_y", "upper_z", "m"))
        p, q = D0[1:] - A[1:], D[1:] - A[1:]
        self.sum, self.product = p @ p + q @ q, 2 * math.hypot(*p) * math.hypot(*q)
        self.gap = math.atan2(p[1], p[0]) - math.atan2(q[1], q[0])
        c = (B - A) / 2  # the arm's centre, from the hinge
        self.arm, self.arm_angle = math.hypot(c[1], c[2]), math.atan2(c[2], c[1])
        self.road = 0.0

    def damper(self, a, rate):
        """Length, its slope by a, its rate."""
        length = math.sqrt(self.sum - self.product * math.cos(self.gap - a))
        slope = -self.product * math.sin(self.gap - a) / (2 * length)
        return length, slope, slope * rate

    def switches(self, y):
        """What has a kink where it changes its sign."""
        z, a, _, rate, _ = y
        v = self.damper(a, rate)[2]
        return (0.364325 - (z + self.wheel(a)[0] - self.road), STOP - self.upper_z(a)[0] - 0.106, v + 0.2, v - 0.21)

    def rates(self, y):
        z, a, vz, va, _ = y
        wheel, d_wheel, dd_wheel = self.wheel(a)
        upper, d_upper, _ = self.upper_z(a)
        m, dm, _ = self.m(a)
        leaf = STOP - upper - 0.1
        pull = 35906 * (leaf - 0.152) + (1e7 * (leaf - 0.006) if leaf < 0.006 else 0)
        x, dx, v = self.damper(a, va)
        loss = damping(v)
        tension = -4.0092e6 + 2.8397e7 * x - 6.7061e7 * x**2 + 5.2796e7 * x**3 + loss
        load = max(0.0, 460000 * (0.364325 - (z + wheel - self.road)))
        arm = self.arm * math.cos(self.arm_angle + a)  # slope of the arm's centre by a
        b = M_ARM * arm + M_WHEEL * d_wheel
        db = -M_ARM * self.arm * math.sin(self.arm_angle + a) + M_WHEEL * dd_wheel
        M, m = M_BLOCK + M_ARM + M_WHEEL, m + I_ARM + M_ARM * self.arm**2
        Qz = load - M * G - db * va**2
        Qa = load * d_wheel + pull * d_upper - tension * dx - G * b - dm / 2 * va**2
        det = M * m - b * b
        return (vz, va, (m * Qz - b * Qa) / det, (M * Qa - b * Qz) / det, loss * v)

    def step(self, y, h):
        k1 = self.rates(y)
        k2 = self.rates([u + h / 2 * k for u, k in zip(y, k1)])
        k3 = self.rates([u + h / 2 * k for u, k in zip(y, k2)])
        k4 = self.rates([u + h * k for u, k in zip(y, k3)])
        return [u + h / 6 * (p + 2 * q + 2 * r + s) for u, p, q, r, s in zip(y, k1, k2, k3, k4)]

    def advance(self, y, h):
        """A step that is cut at every kink on its way."""
        left = h
        while left > 0:
            before, new = self.switches(y), self.step(y, left)
            crossed = [k for k, (p, q) in enumerate(zip(before, self.switches(new))) if (p > 0) != (q > 0)]
            if not crossed:
                return new
            low, high = 0.0, left  # ends just beyond the first kink
            while high - low > 1e-13:
                middle = (low + high) / 2
                at = self.switches(self.step(y, middle))
                if any((before[k] > 0) != (at[k] > 0) for k in range(4)):
                    high = middle
                else:
                    low = middle
            y = self.step(y, high)
            left -= high
        return y

    def row(self, t, y):
        z, a, vz, va, lost = y
        uy, duy, _ = self.upper_y(a)
        uz, duz, _ = self.upper_z(a)
        rise, run = L[2] - uz, uy - L[1]
        link_rate = (run * -duz - rise * duy) * va / (rise**2 + run**2)
        return (t, z, math.atan2(rise, run), vz, link_rate, lost, z + self.wheel(a)[0])


def solve(step):
    car, y = Car(), [Z0, 0.0, 0.0, 0.0, 0.0]
    rows, per_row = [car.row(0, y)], round(0.01 / step)
    for k in range(700):
        car.road = -0.1 if k >= 300 else 0.0
        for _ in range(per_row):
            y = car.advance(y, step)
        rows.append(car.row((k + 1) / 100, y))
    return rows


def main():
    step = float(sys.argv[1]) if len(sys.argv) > 1 else 2.5e-5
    coarse, fine = solve(2 * step), solve(step)
    names = ("time", "z", "link_angle", "z_rate", "link_rate", "dissipated", "z_wheel")
    for k, name in enumerate(names[1:], 1):
        print(f"{name}: {max(abs(p[k] - q[k]) for p, q in zip(coarse, fine)):.1e} between the steps {2 * step:g} and {step:g}")
    with open("reference.csv", "w", encoding="ascii") as file:
        file.write(",".join(names) + "\n")
        for row in fine:
            file.write(f"{row[0]:.9g}," + ",".join(f"{x:.12g}" for x in row[1:]) + "\n")


if __name__ == "__main__":
    main()
