"""Integration of y' = f(y) in double precision, for references of systems that are too large for decimal arithmetic.

The same rule as in extrapolation.py (Gragg's modified midpoint rule, extrapolated), on numpy arrays: rounding and what the
motion makes of it is all that remains, and the difference between two step sizes tells how much that is.
"""

import numpy as np


def step(f, y, interval, columns):
    f0 = f(y)
    row = []
    for j in range(1, columns + 1):
        h = interval / (2 * j)
        before, now = y, y + h * f0
        for _ in range(2 * j - 1):
            before, now = now, before + 2 * h * f(now)
        new = [now]
        for i in range(1, j):  # Aitken-Neville in (1/n)^2
            new.append(new[i - 1] + (new[i - 1] - row[i - 1]) / (j * j / ((j - i) * (j - i)) - 1))
        row = new
    return row[-1]


def integrate(f, y0, spacing, count, substeps=1, columns=7):
    """States at 0, spacing, ..., count*spacing, one per row."""
    y = np.array(y0, float)
    states = [y]
    for _ in range(count):
        for _ in range(substeps):
            y = step(f, y, spacing / substeps, columns)
        states.append(y)
    return np.array(states)
