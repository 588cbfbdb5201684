#!/usr/bin/env python3
"""The Magic Formula, PAC2002, written down once more: shares nothing with the library but the file of coefficients.

    formula.py FILE.tir Fz kappa alpha gamma      prints Fx, Fy, Mz
    formula.py FILE.tir RESULT.csv                compares columns kappa, alpha, gamma, fz with fx, fy, mz"""

import csv
import re
import sys
from math import atan, cos, exp, fabs, pi, sin, sqrt, tan


def read(path):
    """Numbers of a tyre property file; what is not in it is 0, scale factors are 1."""
    values = {}
    for line in open(path, encoding="utf-8"):
        found = re.match(r"\s*(\w+)\s*=\s*([-+.\deE]+)\s*(?:[$!].*)?$", line)
        if found:
            values[found[1]] = float(found[2])
    return lambda name: values.get(name, 1.0 if name.startswith("L") and name != "LONGVL" else 0.0)


def sgn(x):
    return (x > 0) - (x < 0)


def curve(b, c, e, x):
    return c * atan(b * x - e * (b * x - atan(b * x)))


def evaluate(p, fz, kappa, alpha, gamma):
    """Fx, Fy, Mz"""
    fz0 = p("LFZO") * p("FNOMIN")
    df = (fz - fz0) / fz0
    r0 = p("UNLOADED_RADIUS")

    kx = kappa + (p("PHX1") + p("PHX2") * df) * p("LHX")
    cx = p("PCX1") * p("LCX")
    dx = (p("PDX1") + p("PDX2") * df) * (1 - p("PDX3") * (gamma * p("LGAX")) ** 2) * p("LMUX") * fz
    ex = min(1.0, (p("PEX1") + p("PEX2") * df + p("PEX3") * df**2) * (1 - p("PEX4") * sgn(kx)) * p("LEX"))
    stiff_x = fz * (p("PKX1") + p("PKX2") * df) * exp(p("PKX3") * df) * p("LKX")
    fx0 = dx * sin(curve(stiff_x / (cx * dx), cx, ex, kx)) + fz * (p("PVX1") + p("PVX2") * df) * p("LVX") * p("LMUX")

    gy = gamma * p("LGAY")
    cy = p("PCY1") * p("LCY")
    mu_y = (p("PDY1") + p("PDY2") * df) * (1 - p("PDY3") * gy**2) * p("LMUY")
    dy = mu_y * fz
    stiff_y = p("PKY1") * p("FNOMIN") * sin(2 * atan(fz / (p("PKY2") * fz0))) * p("LFZO") * p("LKY") * (1 - p("PKY3") * fabs(gy))
    by = stiff_y / (cy * dy)
    shy = (p("PHY1") + p("PHY2") * df) * p("LHY") + p("PHY3") * gy
    svy = fz * ((p("PVY1") + p("PVY2") * df) * p("LVY") + (p("PVY3") + p("PVY4") * df) * gy) * p("LMUY")
    ay = alpha + shy
    ey = min(1.0, (p("PEY1") + p("PEY2") * df) * (1 - (p("PEY3") + p("PEY4") * gy) * sgn(ay)) * p("LEY"))
    fy0 = dy * sin(curve(by, cy, ey, ay)) + svy

    def weight(b, c, e, x, shift):
        return cos(curve(b, c, e, x + shift)) / cos(curve(b, c, e, shift))

    bxa = p("RBX1") * cos(atan(p("RBX2") * kappa)) * p("LXAL")
    fx = fx0 * weight(bxa, p("RCX1"), min(1.0, p("REX1") + p("REX2") * df), alpha, p("RHX1"))
    byk = p("RBY1") * cos(atan(p("RBY2") * (alpha - p("RBY3")))) * p("LYKA")
    dvyk = mu_y * fz * (p("RVY1") + p("RVY2") * df + p("RVY3") * gamma) * cos(atan(p("RVY4") * alpha))
    svyk = dvyk * sin(p("RVY5") * atan(p("RVY6") * kappa)) * p("LVYKA")
    fy = fy0 * weight(byk, p("RCY1"), min(1.0, p("REY1") + p("REY2") * df), kappa, p("RHY1") + p("RHY2") * df) + svyk

    gz = gamma * p("LGAZ")
    at = alpha + p("QHZ1") + p("QHZ2") * df + (p("QHZ3") + p("QHZ4") * df) * gz
    ar = alpha + shy + svy / stiff_y
    bt = (p("QBZ1") + p("QBZ2") * df + p("QBZ3") * df**2) * (1 + p("QBZ4") * gz + p("QBZ5") * fabs(gz)) * p("LKY") / p("LMUY")
    ct = p("QCZ1")
    dt = fz * (p("QDZ1") + p("QDZ2") * df) * (1 + p("QDZ3") * gz + p("QDZ4") * gz**2) * r0 / fz0 * p("LTR")
    et = min(1.0, (p("QEZ1") + p("QEZ2") * df + p("QEZ3") * df**2) * (1 + (p("QEZ4") + p("QEZ5") * gz) * 2 / pi * atan(bt * ct * at)))
    br = p("QBZ9") * p("LKY") / p("LMUY") + p("QBZ10") * by * cy
    dr = fz * ((p("QDZ6") + p("QDZ7") * df) * p("LRES") + (p("QDZ8") + p("QDZ9") * df) * gz) * r0 * p("LMUY")
    at_eq = atan(sqrt(tan(at) ** 2 + (stiff_x / stiff_y * kappa) ** 2)) * sgn(at)
    ar_eq = atan(sqrt(tan(ar) ** 2 + (stiff_x / stiff_y * kappa) ** 2)) * sgn(ar)
    trail = dt * cos(curve(bt, ct, et, at_eq)) * cos(alpha)
    arm = (p("SSZ1") + p("SSZ2") * fy / fz0 + (p("SSZ3") + p("SSZ4") * df) * gamma) * r0 * p("LS")
    mz = -trail * (fy - svyk) + dr * cos(atan(br * ar_eq)) * cos(alpha) + arm * fx
    return fx, fy, mz


def compare(p, path):
    """The largest difference from the formula, in parts of the largest force or moment."""
    rows = list(csv.DictReader(line for line in open(path, encoding="utf-8") if not line.startswith("#")))
    worst = [0.0, 0.0, 0.0]
    largest = [0.0, 0.0, 0.0]
    for row in rows:
        wanted = evaluate(p, *(float(row[name]) for name in ("fz", "kappa", "alpha", "gamma")))
        for k, name in enumerate(("fx", "fy", "mz")):
            worst[k] = max(worst[k], fabs(float(row[name]) - wanted[k]))
            largest[k] = max(largest[k], fabs(wanted[k]))
    return [w / l for w, l in zip(worst, largest)], largest, len(rows)


def main():
    p = read(sys.argv[1])
    if len(sys.argv) == 3:
        off, largest, count = compare(p, sys.argv[2])
        for name, o, l in zip(("Fx", "Fy", "Mz"), off, largest):
            print(f"{name}: off by {o:.1e} of {l:.6g} at most, in {count} rows")
        sys.exit(max(off) > 1e-9)
    print(*(f"{x:.7g}" for x in evaluate(p, *map(float, sys.argv[2:6]))))


if __name__ == "__main__":
    main()
