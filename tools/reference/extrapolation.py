"""High-precision integration of y' = f(y) for the reference solutions.

Gragg's modified midpoint rule with polynomial extrapolation (Bulirsch-Stoer), in decimal arithmetic of as many
digits as wanted. It shares nothing with the library: no constraints, no C code, no floating point.

The right-hand sides use only + - * / and square roots (an angle is carried as its cosine and sine besides its
value), so that Python's decimal module, which is fast, can do all of the work.
"""

import decimal
from decimal import Decimal

DIGITS = 34


def set_digits(digits):
    decimal.getcontext().prec = digits


def _midpoint(f, y, f0, interval, n):
    """Gragg's rule over `interval` with n (even) substeps; its error is a series in (interval/n)^2."""
    h = interval / n
    before = y
    now = [a + h * b for a, b in zip(y, f0)]
    for _ in range(n - 1):
        twice = 2 * h
        before, now = now, [a + twice * b for a, b in zip(before, f(now))]
    return now


def step(f, y, interval, columns):
    """One step: midpoint results with 2, 4, ... 2*columns substeps, extrapolated to zero substep size."""
    f0 = f(y)
    row = []
    for j in range(1, columns + 1):
        new = [_midpoint(f, y, f0, interval, 2 * j)]
        for i in range(1, j):  # Aitken-Neville in (1/n)^2
            ratio = Decimal(j * j) / Decimal((j - i) * (j - i)) - 1
            new.append([a + (a - b) / ratio for a, b in zip(new[i - 1], row[i - 1])])
        row = new
    return row[-1]


def integrate(f, y0, spacing, count, substeps=1, columns=11, digits=DIGITS):
    """States at 0, spacing, ..., count*spacing. `spacing` is a string or Decimal, exact in decimal."""
    set_digits(digits)
    interval = Decimal(spacing) / substeps
    y = [Decimal(v) for v in y0]
    states = [y]
    for _ in range(count):
        for _ in range(substeps):
            y = step(f, y, interval, columns)
        states.append(y)
    return states


def largest_difference(a, b):
    """Largest absolute difference between two lists of states."""
    return max(abs(float(p - q)) for u, v in zip(a, b) for p, q in zip(u, v))
