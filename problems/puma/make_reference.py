#!/usr/bin/env python3
"""Reference of the manoeuvre: angles as chosen (README.md), those of the pinned hand by Newton's method, torques and the pin's force by
inverse dynamics in world axes, in 30 digits.

    omega_i = omega_(i-1) + z_i q_i',    alpha_i = alpha_(i-1) + z_i q_i'' + omega_(i-1) x z_i q_i'             (1)
    f_k = m_k a_k,    n_k = I_k alpha_k + omega_k x I_k omega_k,    tau_i = z_i . sum_(k >= i) ((c_k - p_i) x f_k + n_k)    (2)
    pinned: J q' = 0,  J q'' = -a(q'' = 0),  tau_i = (2) - (J' lambda)_i,  tau_1 = tau_2 = tau_3 = 0              (3)

Links are published ones, without what moves nothing.
"""
import os
import sys

from mpmath import mp, mpf

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/reference"))

import output

mp.dps = 30
PI = mp.pi
# d, a, alpha, mass, centre, moments of inertia about the centre
LINKS = [("0", "0", 1, "0", ("0", "0", "0"), ("0", "0.35", "0")),
         ("0", "0.4318", 0, "17.4", ("-0.3638", "0.006", "0.2275"), ("0.13", "0.524", "0.539")),
         ("0.15005", "0.0203", -1, "4.8", ("-0.0203", "-0.0141", "0.070"), ("0.066", "0.086", "0.0125")),
         ("0.4318", "0", 1, "0.82", ("0", "0.019", "0"), ("1.8e-3", "1.3e-3", "1.8e-3")),
         ("0", "0", -1, "0.34", ("0", "0", "0"), ("0.3e-3", "0.4e-3", "0.3e-3")),
         ("0", "0", 0, "0.09", ("0", "0", "0.032"), ("0.15e-3", "0.15e-3", "0.04e-3"))]
LINKS = [(mpf(d), mpf(a), turn, mpf(m), [mpf(x) for x in c], [mpf(x) for x in i]) for d, a, turn, m, c, i in LINKS]
HAND = [mpf(0), mpf(0), mpf("0.056")]
A = [mpf(0), PI / 4, PI, mpf(0), PI / 4, mpf(0)]
THERE = [mpf(x) * PI / 180 for x in (60, -20, -25, 30, 20, 45)]
WRIST = [mpf(x) * PI / 180 for x in (-40, 30, 60)]


def add(*vectors):
    return [sum(c) for c in zip(*vectors)]


def times(factor, v):
    return [factor * c for c in v]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def turned(frame, v):
    """The vector v of a frame, whose columns are its axes, in world axes."""
    return add(*(times(c, axis) for c, axis in zip(v, frame)))


def next_frame(frame, q, turn):
    """Turned by q about z, then by turn quarters about x."""
    x = add(times(mp.cos(q), frame[0]), times(mp.sin(q), frame[1]))
    y = add(times(-mp.sin(q), frame[0]), times(mp.cos(q), frame[1]))
    z = frame[2]
    return [x, y, z] if turn == 0 else [x, times(turn, z), times(-turn, y)]


def motion(q, v, a):
    """Of every link: axis and foot of its joint, frame, centre, rates and accelerations (1); last: the hand and its acceleration."""
    frame = [[mpf(i == j) for i in range(3)] for j in range(3)]
    place, speedup, omega, alpha, links = [mpf(0)] * 3, [mpf(0)] * 3, [mpf(0)] * 3, [mpf(0)] * 3, []

    def carried(arm):
        return add(speedup, cross(alpha, arm), cross(omega, cross(omega, arm)))

    for k, (d, length, turn, mass, center, inertia) in enumerate(LINKS):
        z, foot = frame[2], place
        alpha = add(alpha, times(a[k], z), times(v[k], cross(omega, z)))
        omega = add(omega, times(v[k], z))
        frame = next_frame(frame, q[k], turn)
        arm = add(times(d, z), times(length, frame[0]))
        speedup, place = carried(arm), add(place, arm)
        middle = turned(frame, center)
        links.append((z, foot, frame, add(place, middle), omega, alpha, carried(middle), mass, inertia))
    arm = turned(frame, HAND)
    return links, add(place, arm), carried(arm)


def jacobian(links, hand):
    """Columns: velocity of the hand by the rate of each joint."""
    return [cross(link[0], add(hand, times(-1, link[1]))) for link in links]


def torques(links):
    """(2)"""
    loads = []
    for _, _, frame, middle, omega, alpha, speedup, mass, inertia in links:
        spin = lambda w: turned(frame, [i * dot(w, axis) for i, axis in zip(inertia, frame)])  # noqa: E731, B023
        loads.append((middle, times(mass, speedup), add(spin(alpha), cross(omega, spin(omega)))))
    return [sum(dot(z, add(cross(add(c, times(-1, foot)), f), n)) for c, f, n in loads[i:]) for i, (z, foot, *_) in enumerate(links)]


def solved(columns, right):
    return list(mp.lu_solve(mp.matrix(columns).T, mp.matrix(right)))


def smooth(x, duration):
    """s = 10 x^3 - 15 x^4 + 6 x^5 and its derivatives by time."""
    return (x**3 * (10 - 15 * x + 6 * x * x), 30 * x * x * (1 - x) ** 2 / duration, 60 * x * (1 - x) * (1 - 2 * x) / duration**2)


def along(start, way, x, duration):
    s, rate, bend = smooth(x, duration)
    return add(start, times(s, way)), times(rate, way), times(bend, way)


def free_row(t, q, v, a):
    links, hand, _ = motion(q, v, a)
    return [t, *q, *torques(links), 0, 0, 0, *hand]


def pinned(t, guess, where):
    """(3); where: the place of the hand. Also the angles."""
    q, v, a = along(B[3:], WRIST, (t - 2) / 4, mpf(4))
    first = list(guess)
    for _ in range(12):
        links, hand, _ = motion(first + q, [mpf(0)] * 6, [mpf(0)] * 6)
        step = solved(jacobian(links, hand)[:3], add(where, times(-1, hand)))
        first = add(first, step)
    links, hand, _ = motion(first + q, [mpf(0)] * 6, [mpf(0)] * 6)
    columns = jacobian(links, hand)
    follow = lambda right: solved(columns[:3], right)  # noqa: E731
    rates = follow(times(-1, add(*(times(r, c) for r, c in zip(v, columns[3:]))))) + v
    _, _, bias = motion(first + q, rates, [mpf(0)] * 3 + a)
    links, hand, _ = motion(first + q, rates, follow(times(-1, bias)) + a)
    needed = torques(links)
    force = list(mp.lu_solve(mp.matrix(columns[:3]), mp.matrix(needed[:3])))
    wrist = [tau - dot(column, force) for tau, column in zip(needed[3:], columns[3:])]
    return [t, *first, *q, 0, 0, 0, *wrist, *force, *hand], first


B = add(A, THERE)


def rows():
    for k in range(201):
        yield free_row(mpf(k) / 100, *along(A, THERE, mpf(k) / 200, mpf(2)))
    where, first = motion(B, [mpf(0)] * 6, [mpf(0)] * 6)[1], B[:3]
    for k in range(201, 601):
        row, first = pinned(mpf(k) / 100, first, where)
        yield row
    there = first + add(B[3:], WRIST)
    for k in range(601, 801):
        yield free_row(mpf(k) / 100, *along(there, add(A, times(-1, there)), mpf(k - 600) / 200, mpf(2)))


if __name__ == "__main__":
    names = ["time", *(f"q{k}" for k in range(1, 7)), *(f"tau{k}" for k in range(1, 7)), "lamx", "lamy", "lamz", "hx", "hy", "hz"]
    output.write_csv(__file__, "reference.csv", names, list(rows()))
