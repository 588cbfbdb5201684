#!/usr/bin/env python3
"""Writes src/integrators/radau_table.h: Radau IIA with five stages, computed with 60 digits (mpmath).

Definitions: Hairer and Wanner, Solving Ordinary Differential Equations II (1996), IV.5 and IV.8.

    tools/radau_table.py > src/integrators/radau_table.h
"""
import mpmath as mp

mp.mp.dps = 60
STAGES = 5

HEAD = """/* Radau IIA with five stages, order 9 [hairer1996, IV.5], and what its implementation needs
 * [hairer1996, IV.8]. Written by tools/radau_table.py, do not edit.
 *
 * The inverse of the coefficients is A^-1 = T Lambda T^-1, where Lambda has the real eigenvalue
 * `real` and blocks (alpha, -beta; beta, alpha) of the two complex pairs. */
#ifndef SARI_RADAU_TABLE_H
#define SARI_RADAU_TABLE_H

enum { RADAU_STAGES = 5, RADAU_PAIRS = 2 };
"""


def nodes():
    """Zeros of the derivative that defines the right Radau points: d^(s-1)/dx^(s-1) of x^(s-1) (x-1)^s."""
    s = STAGES
    whole = [mp.binomial(s, k) * (-1) ** k for k in range(s + 1)] + [mp.mpf(0)] * (s - 1)
    for _ in range(s - 1):
        degree = len(whole) - 1
        whole = [a * (degree - k) for k, a in enumerate(whole[:-1])]
    return sorted(mp.re(x) for x in mp.polyroots(whole, maxsteps=500, extraprec=400))


def coefficients(c):
    """a_ij and b_j: sum_j a_ij c_j^(k-1) = c_i^k / k."""
    s = STAGES
    powers = mp.matrix(s, s)
    for k in range(s):
        for j in range(s):
            powers[k, j] = c[j] ** k
    A = mp.matrix(s, s)
    for i in range(s):
        row = mp.lu_solve(powers, mp.matrix([c[i] ** (k + 1) / (k + 1) for k in range(s)]))
        for j in range(s):
            A[i, j] = row[j]
    return A, powers


def transformation(inverse):
    """The real eigenvalue, (alpha, beta) of the pairs, and T."""
    values, vectors = mp.eig(inverse)
    order = sorted((k for k in range(STAGES) if mp.im(values[k]) > -mp.mpf(10) ** -40), key=lambda k: abs(mp.im(values[k])))
    T = mp.matrix(STAGES, STAGES)
    column, pairs, real = 0, [], None
    for k in order:
        x = vectors[:, k] / vectors[STAGES - 1, k]  # last entries (1, 0) of a pair
        for i in range(STAGES):
            T[i, column] = mp.re(x[i])
            if column:
                T[i, column + 1] = -mp.im(x[i])
        if column:
            pairs.append((mp.re(values[k]), mp.im(values[k])))
        else:
            real = mp.re(values[k])
        column += 2 if column else 1
    return real, pairs, T


def embedded(c, powers, inverse, real, A):
    """Order s with the weight 1/real of the begin: error = h/real f_0 + sum_i e_i z_i; these e_i times real."""
    s = STAGES
    weight = 1 / real
    right = mp.matrix([mp.mpf(1) / (k + 1) - (weight if k == 0 else 0) for k in range(s)])
    hat = mp.lu_solve(powers, right)
    difference = mp.matrix([[hat[j] - A[s - 1, j] for j in range(s)]])
    e = difference * inverse
    return [e[j] * real for j in range(s)]


def number(x):
    return mp.nstr(x, 20, strip_zeros=False, min_fixed=-5, max_fixed=5)


def row(name, values):
    return f"static const double {name}[RADAU_STAGES] = {{\n" + "".join(f"    {number(x)},\n" for x in values) + "};\n"


def square(name, M):
    lines = "".join("    {" + ",\n     ".join(number(M[i, j]) for j in range(STAGES)) + "},\n" for i in range(STAGES))
    return f"static const double {name}[RADAU_STAGES][RADAU_STAGES] = {{\n{lines}}};\n"


def main():
    c = nodes()
    A, powers = coefficients(c)
    inverse = A ** -1
    real, pairs, T = transformation(inverse)
    back = T ** -1
    Lambda = back * inverse * T
    assert abs(Lambda[1, 1] - pairs[0][0]) < mp.mpf(10) ** -40 and abs(Lambda[2, 1] - pairs[0][1]) < mp.mpf(10) ** -40
    print(HEAD)
    print(row("radau_time", c))
    print(f"static const double radau_real = {number(real)};\n")
    print("static const double radau_alpha[RADAU_PAIRS] = {" + ", ".join(number(p[0]) for p in pairs) + "};")
    print("static const double radau_beta[RADAU_PAIRS] = {" + ", ".join(number(p[1]) for p in pairs) + "};\n")
    print(square("radau_T", T))
    print(square("radau_T_inverse", back))
    print("/// (f_0 + sum_i error_i z_i / h): the difference of the embedded formula, times real / h\n"
          + row("radau_error", embedded(c, powers, inverse, real, A)))
    print("#endif")


main()
