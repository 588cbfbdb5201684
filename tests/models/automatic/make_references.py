#!/usr/bin/python3
"""Writes the *.csv of this folder: motions of its models in minimal coordinates, without constraints and without the library.

Needs numpy, scipy and mpmath. What is linear or has a closed form is in 40 digits; the rest is Dormand and Prince's method of
order 8 (scipy) with tolerances of 3e-14 and 1e-12, which have to agree to 1e-9 of each column's range, or better as printed.
"""
import os

import mpmath
import numpy as np
from mpmath import mp
from scipy.integrate import solve_ivp

HERE = os.path.dirname(os.path.abspath(__file__))
G = 9.81
mp.dps = 40


def write(name, columns, times, rows, note):
    with open(os.path.join(HERE, name + ".csv"), "w", encoding="ascii") as file:
        file.write(",".join(["time"] + columns) + "\n")
        for t, row in zip(times, rows):
            file.write(",".join(f"{float(v):.16g}" for v in [t, *row]) + "\n")
    print(f"{name}.csv: {len(rows)} rows, {note}")


def integrated(rates, start, times, breaks=()):
    """Solution at the times and how far a looser one is from it, in parts of each column's range."""
    found = []
    for tolerance in (3e-14, 1e-12):
        parts, y, edges = [], np.array(start, float), [times[0], *breaks, times[-1]]
        for a, b in zip(edges, edges[1:]):
            inside = times[(times >= a) & ((times < b) | (b == times[-1]))]
            done = solve_ivp(rates, (a, b), y, method="DOP853", rtol=tolerance, atol=tolerance * 1e-2, t_eval=np.append(inside[inside < b], b))
            parts.append(done.y.T[:len(inside)])
            y = done.y[:, -1]
        found.append(np.concatenate(parts))
    apart = np.abs(found[0] - found[1]).max(0) / np.maximum(np.ptp(found[0], axis=0), 1e-9)
    assert apart.max() < 1e-9, apart
    return found[0], f"two tolerances differ by {apart.max():.0e}"


def driven_dead_centre_pendulum():
    times = np.linspace(0, 4, 401)

    def rates(t, y):
        return [y[1], -1.5 / 0.8 * (G * np.sin(y[0]) - 8 * np.cos(np.pi / 4 + 2 * t) * np.cos(y[0]))]

    y, note = integrated(rates, [0.3, 0.0], times)
    write("driven-dead-centre-pendulum", ["angle", "rate", "x"], times,
          np.stack([y[:, 0] - np.pi / 2, y[:, 1], 2 * np.cos(np.pi / 4 + 2 * times)], 1), note)


def slider_crank_rate(theta, rate, push=0.0):
    """(2/3 + 2 sin^2) theta'' = -2 sin cos theta'^2 - g cos - 2 sin F, with the force F on the slider."""
    s, c = np.sin(theta), np.cos(theta)
    return (-2 * s * c * rate**2 - G * c - 2 * s * push) / (2 / 3 + 2 * s * s)


def two_loops():
    times, k, D = np.linspace(0, 10, 1001), 20.0, 3.0

    def rates(_, y):
        across = 2 * (np.cos(y[1]) - np.cos(y[0]))
        length = np.hypot(across, D)
        pull = k * (length - D) * across / length
        return [y[2], y[3], slider_crank_rate(y[0], y[2], pull), slider_crank_rate(y[1], y[3], -pull)]

    y, note = integrated(rates, [np.pi / 4, np.pi / 4 - 1e-3, 8**0.5, 8**0.5], times)
    write("two-loops-apart", ["theta1", "theta2", "xQ"], times, np.stack([y[:, 0], y[:, 1], 2 * np.cos(y[:, 0])], 1), note)


def slow_pass():
    """Taylor series in 40 digits would do as well: errors grow by exp(1.9 * 4) only."""
    times, slow = np.linspace(0, 4, 401), 0.01
    w = ((8 / 3 * slow**2 + 2 * G * (1 - 0.5**0.5)) / (5 / 3)) ** 0.5
    start = [mp.pi / 4, mp.sqrt((mp.mpf(8) / 3 * mp.mpf("1e-4") + 2 * mp.mpf("9.81") * (1 - mp.sqrt(mp.mpf(1) / 2))) / (mp.mpf(5) / 3))]
    assert abs(float(start[1]) - w) < 1e-14

    def rates(_, y):
        s, c = mp.sin(y[0]), mp.cos(y[0])
        return [y[1], (-2 * s * c * y[1] ** 2 - mp.mpf("9.81") * c) / (mp.mpf(2) / 3 + 2 * s * s)]

    mp.dps = 25
    solution = mpmath.odefun(rates, 0, start, tol=mp.mpf("1e-20"))
    rows = [solution(mp.mpf(k) / 100)[0] for k in range(401)]
    mp.dps = 40
    write("slow-pass", ["theta1", "xQ"], times, [[q, 2 * mp.cos(q)] for q in rows], "20 digits")


def start_folded():
    """theta = pi/2 + b, b'' = w^2 sin(b): turns over; sin of half the angle from below is Jacobi's sn."""
    w2, rate = 1.5 * mp.mpf("9.81"), mp.mpf(2)
    bottom = mp.sqrt(rate**2 + 4 * w2)                 # rate where it hangs
    m = 4 * w2 / bottom**2                             # < 1: it goes round
    quarter = mp.ellipk(m)
    times, rows = np.linspace(0, 5, 501), []
    for t in times:
        u = bottom / 2 * mp.mpf(t) - quarter           # half the angle from below is am(u); at t = 0 it is -pi/2
        turns = mp.floor((u + quarter) / (2 * quarter))
        half = mp.asin(mp.ellipfun("sn", u - 2 * quarter * turns, m=m)) + turns * mp.pi
        rows.append([-mp.pi / 2 + 2 * half + 2 * mp.pi, 0])
    write("start-folded", ["theta", "x"], times, rows, "closed form")


def tacnode():
    """One coordinate u: foot at u + d(u), turn a = asin(d); T = (x'^2 + y'^2)/2 + a'^2/24 of the middle of the rod."""
    c = 0.2

    def parts(u):
        d = u**2 * np.sqrt(2 * c - c**2 * u**4)
        return d, np.arcsin(d), 1 - c * u**4           # the rod is as high as cos(a), which is y of its head

    def derivative(f, u):
        return (f(u + 1e-30j)).imag / 1e-30

    def place(u):
        d, a, y = parts(u)
        return u + d / 2, y / 2, a

    # u^2 sqrt(..) and asin have complex steps; their second derivatives are from those of the inertia
    def inertia(u):
        dx = 1 + (4 * c * u - 4 * c**2 * u**5) / np.sqrt(2 * c - c**2 * u**4) / 2
        dy = -2 * c * u**3
        da = (4 * c * u - 4 * c**2 * u**5) / np.sqrt(2 * c - c**2 * u**4) / (1 - c * u**4)
        return dx**2 + dy**2 + da**2 / 12

    for u in (-0.7, 0.31):  # the formulas above are the derivatives of place()
        numbers = [derivative(lambda z, k=k: place(z)[k], u) for k in range(3)]
        assert abs(numbers[0] ** 2 + numbers[1] ** 2 + numbers[2] ** 2 / 12 - inertia(u)) < 1e-12

    def rates(_, y):
        return [y[1], -0.5 * derivative(inertia, y[0]) * y[1] ** 2 / inertia(y[0])]

    times = np.linspace(0, 1.6, 161)
    y, note = integrated(rates, [-0.8, 1.0], times)
    d, a, _ = parts(y[:, 0])
    write("tacnode", ["foot", "head", "angle"], times, np.stack([y[:, 0] + d, y[:, 0], a], 1), note)


BELT = {"r1": "0.1", "r2": "0.2", "J1": "0.01", "J2": "0.04", "T": "2", "fade": "0.02", "drag": "0.05", "wave": "0.5"}


def belt(name, c):
    """y = (theta1, theta2, rates, 1, sin 5t, cos 5t): y' = A y, steps of the exponential of A."""
    p = {k: mp.mpf(v) for k, v in BELT.items()}
    k, c, A = mp.mpf("1e7"), mp.mpf(c), mp.zeros(7)
    A[0, 2] = A[1, 3] = 1
    for row, (r, J, sign) in {2: (p["r1"], p["J1"], -1), 3: (p["r2"], p["J2"], 1)}.items():
        for column, other in ((0, p["r1"]), (1, -p["r2"])):
            A[row, column], A[row, column + 2] = sign * r * k * other / J, sign * r * c * other / J
    A[2, 2] -= p["fade"] / p["J1"]
    A[3, 3] -= p["drag"] / p["J2"]
    A[2, 4], A[3, 5], A[5, 6], A[6, 5] = p["T"] / p["J1"], p["wave"] / p["J2"], 5, -5
    mp.dps = 60
    small = mp.expm(A * mp.mpf(2) ** -24 / 100, method="taylor")
    for _ in range(24):
        small = small * small
    mp.dps = 40
    y, rows = mp.matrix([0, 0, 0, 0, 1, 0, 1]), []
    for _ in range(201):
        rows.append([y[0], y[1], y[2], 1000 * (p["r1"] * y[0] - p["r2"] * y[1])])
        y = small * y
    write(name, ["theta1", "theta2", "rate1", "slip"], np.linspace(0, 2, 201), rows, "matrix exponential")


def stiff_for_a_while(name, c0, c1):
    p, k, times = {key: float(v) for key, v in BELT.items()}, 1e3, np.linspace(0, 2, 201)

    def damping(t):
        s = min(max((t - 0.9) / 0.2, 0.0), 1.0)
        return c0 + (c1 - c0) * s * s * (3 - 2 * s)

    def rates(t, y):
        pull = k * (p["r1"] * y[0] - p["r2"] * y[1]) + damping(t) * (p["r1"] * y[2] - p["r2"] * y[3])
        return [y[2], y[3], (-p["r1"] * pull + p["T"] - p["fade"] * y[2]) / p["J1"],
                (p["r2"] * pull - p["drag"] * y[3] + p["wave"] * np.sin(5 * t)) / p["J2"]]

    y, note = integrated(rates, [0, 0, 0, 0], times, breaks=(0.9, 1.1))
    slip = 1e3 * (p["r1"] * y[:, 0] - p["r2"] * y[:, 1])
    write(name, ["theta1", "theta2", "rate1", "slip"], times, np.stack([y[:, 0], y[:, 1], y[:, 2], slip], 1), note)


def bushings():
    """Coordinates: crank angle, then x, y, angle of both blocks. Jacobians of the bushings' measures by complex steps."""
    r, l, kt, kr, ct, cr = 0.3, 0.8, 1e6, 2e4, 3e3, 40.0
    stiffness, damping = np.array([kt, kt, kr]), np.array([ct, ct, cr])

    def slide(f):
        return r * np.cos(f) + np.sqrt(l**2 - (r * np.sin(f)) ** 2)

    def slide_rate(f):
        return -r * np.sin(f) * (1 + r * np.cos(f) / np.sqrt(l**2 - (r * np.sin(f)) ** 2))

    def inertia(f):
        """Of crank, rod (its middle and its turn) and slider, by the rate of f."""
        turn = -r * np.cos(f) / np.sqrt(l**2 - (r * np.sin(f)) ** 2)
        middle_x, middle_y = -r * np.sin(f) / 2 + slide_rate(f) / 2, r * np.cos(f) / 2
        return 2 * r**2 / 3 + middle_x**2 + middle_y**2 + l**2 / 12 * turn**2 + 1.5 * slide_rate(f) ** 2

    def measures(q):
        """Displacement of each bushing's second point along the frame of its first body, and the turn."""
        f, x1, y1, a1, x2, y2, a2 = q
        end = [x1 - 0.1 * np.cos(a1), y1 - 0.1 * np.sin(a1)]
        one = [end[0] - slide(f) - 0.1, end[1], a1]
        gap = [x2 - 0.1 * np.cos(a2) - x1 - 0.1 * np.cos(a1), y2 - 0.1 * np.sin(a2) - y1 - 0.1 * np.sin(a1)]
        two = [np.cos(a1) * gap[0] + np.sin(a1) * gap[1], -np.sin(a1) * gap[0] + np.cos(a1) * gap[1], a2 - a1]
        return np.array(one + two)

    masses = np.array([1, 1, 0.02, 0.5, 0.5, 0.01])
    weight = np.array([0, -G, 0, 0, -G, 0]) * masses

    def rates(_, y):
        q, v = y[:7], y[7:]
        jacobian = measures(q[:, None] + 1e-30j * np.eye(7)).imag / 1e-30
        force = -jacobian.T @ (np.tile(stiffness, 2) * measures(q) + np.tile(damping, 2) * (jacobian @ v))
        slope = inertia(q[0] + 1e-30j).imag / 1e-30
        lift = -G * np.cos(q[0]) * (2 * r / 2 + 1 * r / 2)  # crank's and rod's middle are at r/2 sin(f)
        crank = (force[0] + lift - 0.5 * slope * v[0] ** 2) / inertia(q[0])
        return np.concatenate([v, [crank], (force[1:] + weight) / masses])

    f0, w = 0.5, 6.0
    x0, v0 = slide(f0), w * slide_rate(f0)
    times = np.linspace(0, 1, 101)
    y, note = integrated(rates, [f0, x0 + 0.2, 0, 0, x0 + 0.4, 0, 0, w, v0, 0, 0, v0, 0, 0], times)
    write("bushings", ["theta", "x1", "y1", "turn1", "x2", "y2", "turn2"], times, y[:, :7], note)


if __name__ == "__main__":
    driven_dead_centre_pendulum()
    two_loops()
    slow_pass()
    start_folded()
    tacnode()
    belt("belt-1e4", "5e3")
    belt("belt", "5e4")
    belt("belt-1e6", "5e5")
    stiff_for_a_while("stiff-then-soft", 5e4, 0.5)
    stiff_for_a_while("soft-then-stiff", 0.5, 5e4)
    bushings()
