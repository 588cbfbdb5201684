"""The slider-crank with one coordinate, the crank angle th (no constraints, hence no singular configurations).

Crank O-P of length L1, rod P-Q of length L2, slider Q on the x axis. With the rod at angle -b, sin b = (L1/L2) sin th:

    M(th) th'' + 1/2 M'(th) th'^2 + V'(th) = f(t) xQ'(th)
    M = m1 L1^2/3 + m2 |c'|^2 + I2 b'^2 + m3 xQ'^2,     c: mass centre of the rod, ' = d/dth

With equal rods the slider-crank branch is b = th; the square root of the general case would leave it at th = pi/2.
"""

from decimal import Decimal

import mpmath

import extrapolation

G = Decimal("9.81")


def right_hand_side(L1, L2, m1, m2, m3, amplitude):
    """State: cos th, sin th, th, th', sin(pi t), cos(pi t)."""
    mpmath.mp.dps = extrapolation.DIGITS + 6
    pi = Decimal(mpmath.nstr(mpmath.pi, extrapolation.DIGITS + 4))
    k, half = L1 / L2, Decimal("0.5")
    I2 = m2 * L2 * L2 / 12

    def f(y):
        c, s, _, w, sp, cp = y
        if L1 == L2:
            cb, sb, b1, b2 = c, s, Decimal(1), Decimal(0)
        else:
            sb = k * s
            cb = (1 - sb * sb).sqrt()
            b1 = k * c / cb
            b2 = (-k * s + sb * b1 * b1) / cb
        x1 = -L1 * s - L2 * sb * b1
        x2 = -L1 * c - L2 * (cb * b1 * b1 + sb * b2)
        u1 = -L1 * s - half * L2 * sb * b1
        u2 = -L1 * c - half * L2 * (cb * b1 * b1 + sb * b2)
        v1, v2 = half * L1 * c, -half * L1 * s
        M = m1 * L1 * L1 / 3 + m2 * (u1 * u1 + v1 * v1) + I2 * b1 * b1 + m3 * x1 * x1
        H = m2 * (u1 * u2 + v1 * v2) + I2 * b1 * b2 + m3 * x1 * x2
        a = (amplitude * sp * x1 - (m1 + m2) * G * half * L1 * c - H * w * w) / M
        return [-s * w, c * w, w, a, pi * cp, -pi * sp]

    return f


def solve(L1, L2, m1, m2, m3, amplitude, theta0, rate0, **settings):
    """States every 10 ms from 0 to 10 s; theta0 is a multiple of pi (string), rate0 a multiple of sqrt(2)."""
    L1, L2, m1, m2, m3, amplitude = (Decimal(v) for v in (L1, L2, m1, m2, m3, amplitude))
    digits = extrapolation.DIGITS
    extrapolation.set_digits(digits)
    mpmath.mp.dps = digits + 6
    angle = mpmath.mpf(theta0) * mpmath.pi
    decimals = [Decimal(mpmath.nstr(v, digits + 4)) for v in
                (mpmath.cos(angle), mpmath.sin(angle), angle, mpmath.mpf(rate0) * mpmath.sqrt(2))]
    f = right_hand_side(L1, L2, m1, m2, m3, amplitude)
    return extrapolation.integrate(f, decimals + [Decimal(0), Decimal(1)], "0.01", 1000, **settings)


def table(states, L1, L2):
    """time, theta1, xQ, xP, yP."""
    L1, L2 = Decimal(L1), Decimal(L2)
    rows = []
    for i, (c, s, th, *_) in enumerate(states):
        cb = c if L1 == L2 else (1 - (L1 / L2 * s) ** 2).sqrt()
        rows.append([Decimal(i) / 100, th, L1 * c + L2 * cb, L1 * c, L1 * s])
    return rows


COLUMNS = ["time", "theta1", "xQ", "xP", "yP"]


def run(script, parameters, **start):
    """Solve twice, with steps of 2.5 and 5 ms, report the difference, write reference.csv."""
    import output

    fine = solve(*parameters, **start, substeps=4, columns=12)
    coarse = solve(*parameters, **start, substeps=2, columns=12)
    print("steps of 2.5 and 5 ms differ by at most %.1e" %
          extrapolation.largest_difference(fine, coarse))
    output.write_csv(script, "reference.csv", COLUMNS, table(fine, parameters[0], parameters[1]))
