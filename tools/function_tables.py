#!/usr/bin/env python3
"""Writes the constants of the elementary functions, src/math/sine_coefficients.h and src/math/function_tables.h (mpmath, 450 digits).

    tools/function_tables.py sines > src/math/sine_coefficients.h
    tools/function_tables.py tables > src/math/function_tables.h

Polynomials interpolate at the nodes of Chebyshev, which is within a factor of two of the best; the error of each is printed beside
it, measured with the rounded coefficients. Tables are rounded once, to the nearest double.
"""
import struct
import sys

import mpmath as mp

mp.mp.dps = 450


def double(x):
    """The nearest double; exact again as a number of mpmath."""
    return float(mp.mpf(x))


def text(x):
    return float(x).hex() if x else "0.0"


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def leading(x, count):
    """The first `count` bits of x."""
    mantissa, exponent = mp.frexp(x)
    return mp.ldexp(mp.floor(mp.ldexp(mantissa, count)), int(exponent) - count)


def polynomial(f, low, high, degree):
    """Coefficients, as doubles, of the polynomial through f at the nodes of Chebyshev in [low, high]."""
    n = degree + 1
    at = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (k + mp.mpf(1) / 2) / n) for k in range(n)]
    powers = mp.matrix(n, n)
    for i, x in enumerate(at):
        for k in range(n):
            powers[i, k] = x**k
    return [double(c) for c in mp.lu_solve(powers, mp.matrix([f(x) for x in at]))]


def error(f, c, low, high, weight):
    """The largest weight(x) |p(x) - f(x)| in [low, high] as a power of two."""
    worst = mp.mpf(0)
    for k in range(401):
        x = low + (high - low) * (k + mp.mpf(1) / 3) / 401
        worst = max(worst, abs(weight(x) * (mp.polyval([mp.mpf(a) for a in reversed(c)], x) - f(x))))
    return f"2^{float(mp.log(worst, 2)):.1f}"


def array(name, values, note):
    print(f"/// {note}")
    print(f"static const double {name}[{len(values)}] = {{")
    for v in values:
        print(f"    {text(v)},")
    print("};\n")


def sines():
    print("""/* Constants of sari_sine_cosine. Written by tools/function_tables.py, do not edit. */
#ifndef SARI_SINE_COEFFICIENTS_H
#define SARI_SINE_COEFFICIENTS_H
""")
    half = mp.pi / 2
    first = leading(half, 33)
    second = leading(half - first, 33)
    print(f"#define SARI_TWO_BY_PI {text(double(1 / half))}")
    print("/* pi/2 in three parts; the first two have 33 bits. */")
    print(f"#define SARI_HALF_PI_1 {text(double(first))}\n#define SARI_HALF_PI_2 {text(double(second))}")
    print(f"#define SARI_HALF_PI_3 {text(double(half - first - second))}\n")
    low, high = mp.mpf("1e-30"), (mp.pi / 4 * (1 + mp.mpf(2)**-15))**2

    def s(z):
        y = mp.sqrt(z)
        return (mp.sin(y) - y) / (y * z)

    def c(z):
        return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2
    p = polynomial(s, low, high, 6)
    array("SARI_SINE", p, f"(sin y - y)/y^3 in powers of y^2, |y| <= pi/4: sines have a relative error of "
          f"{error(s, p, low, high, lambda z: z)}")
    p = polynomial(c, low, high, 5)
    array("SARI_COSINE", p, f"(cos y - 1 + y^2/2)/y^4: cosines have an error of {error(c, p, low, high, lambda z: z**2)}")
    print("#endif")


def exponentials():
    n = 128
    step = mp.log(2) / n
    first = leading(step, 35)
    print(f"enum {{ EXP_PARTS = {n} }};\n")
    print(f"static const double EXP_PARTS_BY_LN2 = {text(double(1 / step))};")
    print("/// ln 2/EXP_PARTS in two parts; the first has 35 bits.")
    print(f"static const double LN2_PART_1 = {text(double(first))}, LN2_PART_2 = {text(double(step - first))};\n")

    def f(r):
        return (mp.exp(r) - 1 - r) / r**2
    reach = step / 2 * (1 + mp.mpf(2)**-20)
    p = polynomial(f, -reach, reach, 3)
    array("EXP_POLYNOMIAL", p, f"(e^r - 1 - r)/r^2, |r| <= ln 2/{2 * n}: exponentials have a relative error of "
          f"{error(f, p, -reach, reach, lambda r: r**2)}")
    print("/// Powers 2^(i/EXP_PARTS): the nearest double, as bits, and what it lacks as a part of it.")
    print("static const struct {\n    uint64_t bits;\n    double rest;\n} EXP_TABLE[EXP_PARTS] = {")
    for i in range(n):
        exact = mp.mpf(2)**(mp.mpf(i) / n)
        near = double(exact)
        print(f"    {{0x{bits(near):x}, {text(double(exact / mp.mpf(near) - 1))}}},")
    print("};\n")


def logarithms():
    n, start = 128, mp.mpf("0.6875")
    first = leading(mp.log(2), 42)
    print(f"enum {{ LOG_PARTS = {n} }};\n")
    print("/// Numbers are 2^k z with z from here to twice as much; as bits.")
    print(f"static const uint64_t LOG_START = 0x{bits(float(start)):x};")
    print("/// ln 2 in two parts; the first has 42 bits.")
    print(f"static const double LN2_1 = {text(double(first))}, LN2_2 = {text(double(mp.log(2) - first))};\n")
    rows, least, most = [], mp.mpf(0), mp.mpf(0)
    for i in range(n):
        # z of part i: mantissas in steps of 1/128, from 0.6875 to 1 and from 1 to 1.375
        at = bits(float(start)) + (i << 45)
        low, high = [mp.mpf(struct.unpack("<d", struct.pack("<Q", b))[0]) for b in (at, at + (1 << 45))]
        inverse = mp.nint(1024 * 2 / (low + high)) / 1024
        if low == 1 or high == 1:
            inverse = mp.mpf(1)  # near 1 the logarithm is small: nothing may be left of the table
        least, most = min(least, low * inverse - 1), max(most, high * inverse - 1)
        log = -mp.log(inverse)
        short = mp.ldexp(mp.nint(mp.ldexp(log, 42)), -42)
        rows.append((inverse, short, log - short))

    def f(r):
        return (mp.log(1 + r) - r + r**2 / 2) / r**3
    p = polynomial(f, least, most, 7)
    array("LOG_POLYNOMIAL", p, f"(log(1+r) - r + r^2/2)/r^3, {float(least):.5f} <= r <= {float(most):.5f}: an error, as part of r, of "
          f"{error(f, p, least, most, lambda r: r**2)}")
    print("/// By part of the range of z: 1/c near 1/z, with 11 bits; log c in two parts, the first a multiple of 2^-42.")
    print("static const struct {\n    double inverse, log_1, log_2;\n} LOG_TABLE[LOG_PARTS] = {")
    for row in rows:
        print("    {" + ", ".join(text(double(x)) for x in row) + "},")
    print("};\n")


def pair(name, value, note):
    near = double(value)
    print(f"/// {note}, and what the nearest double lacks")
    print(f"static const double {name}[2] = {{{text(near)}, {text(double(value - mp.mpf(near)))}}};")


def arcs():
    print("\nenum { ARC_PARTS = 256 };\n\n/// atan(i/ARC_PARTS), and what it lacks")
    print("static const double ARC_TABLE[ARC_PARTS + 1][2] = {")
    for i in range(257):
        exact = mp.atan(mp.mpf(i) / 256)
        near = double(exact)
        print(f"    {{{text(near)}, {text(double(exact - mp.mpf(near)))}}},")
    print("};\n")


def hyperbolic():
    high = mp.mpf("0.125")

    def f(z):
        x = mp.sqrt(z)
        return (mp.sinh(x) - x) / (x * z)
    p = polynomial(f, mp.mpf("1e-30"), high, 5)
    array("SINH_POLYNOMIAL", p, f"(sinh x - x)/x^3 in powers of x^2 <= 1/8: a relative error of "
          f"{error(f, p, mp.mpf('1e-30'), high, lambda z: z)}")

    def g(z):
        return (mp.cosh(mp.sqrt(z)) - 1 - z / 2) / z**2
    p = polynomial(g, mp.mpf("1e-30"), high, 4)
    array("COSH_POLYNOMIAL", p, f"(cosh x - 1 - x^2/2)/x^4: an error of {error(g, p, mp.mpf('1e-30'), high, lambda z: z**2)}")


def tables():
    print("""/* Tables of elementary functions. Written by tools/function_tables.py, do not edit. */
#ifndef SARI_FUNCTION_TABLES_H
#define SARI_FUNCTION_TABLES_H

#include <stdint.h>
""")
    exponentials()
    logarithms()
    pair("LOG10_E", 1 / mp.log(10), "1/ln 10")
    pair("LOG2_E", 1 / mp.log(2), "1/ln 2")
    pair("THIRD", mp.mpf(1) / 3, "1/3")
    pair("HALF_PI", mp.pi / 2, "pi/2")
    pair("PI", mp.pi, "pi")
    arcs()
    hyperbolic()
    words = 20
    print("/// 2/pi, the bits behind the point, 64 in each number; an angle has at most 2^1024")
    print(f"static const uint64_t TWO_BY_PI[{words}] = {{")
    rest = 2 / mp.pi
    for _ in range(words):
        rest = mp.ldexp(rest, 64)
        word = int(mp.floor(rest))
        rest -= word
        print(f"    0x{word:016x},")
    print("};\n\n#endif")


if __name__ == "__main__":
    {"sines": sines, "tables": tables}[sys.argv[1] if len(sys.argv) > 1 else "tables"]()
