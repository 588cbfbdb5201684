#!/usr/bin/env python3
"""Models of examples/models against closed forms and independent integrations, by the automatic method at 1e-8.

Usage: test_example_models.py PROGRAM SOURCE_ROOT
"""
import csv
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

import every_test

PROGRAM, MODELS = os.path.abspath(sys.argv[1]), os.path.join(os.path.abspath(sys.argv[2]), "examples", "models")
FOLDER = tempfile.TemporaryDirectory(prefix="sarrus-examples-")


def run(name, *options):
    out = os.path.join(FOLDER.name, name + ".csv")
    done = subprocess.run([PROGRAM, "run", os.path.join(MODELS, name + ".yaml"), "--tolerance", "1e-8", "-o", out, *options], capture_output=True, text=True, timeout=3600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stdout, done.stdout
    with open(out, encoding="utf-8") as lines:
        rows = [{k: float(x) for k, x in row.items()} for row in csv.DictReader(line for line in lines if not line.startswith("#"))]
    assert len(rows) > 500
    return rows


def near(rows, name, wanted, limit):
    most = max(abs(row[name] - wanted(row["time"])) for row in rows)
    assert most < limit, (name, most)


def test_the_stewart_platform_moves_as_its_rams_ask():
    w, turn = math.pi, math.radians(15)
    for coordinates in ("relative", "cartesian"):
        rows = run("stewart-platform", "--coordinates", coordinates, *(["--end", "1"] if coordinates == "cartesian" else []))
        near(rows, "x", lambda t: 0.08 * math.sin(w * t), 1e-9)
        near(rows, "y", lambda t: 0.0, 1e-9)
        near(rows, "z", lambda t: 1.1 + 0.1 * math.sin(2 * w * t), 1e-9)
        near(rows, "yaw", lambda t: turn * math.sin(w * t), 1e-9)
        near(rows, "tilt", lambda t: 0.0, 1e-9)


def test_the_cam_lifts_its_follower_and_the_spring_keeps_it_pressed():
    r, d, w, m, k, free, top, g = 0.03, 0.012, 10 * math.pi, 0.2, 4000.0, 0.09, 0.1, 9.81

    def lift(t):
        return d * math.sin(w * t) + math.sqrt(r * r - (d * math.cos(w * t)) ** 2)

    def press(t, h=1e-4):
        """m y'' = -m g - k (y - (top - free)) + press"""
        acceleration = (lift(t + h) - 2 * lift(t) + lift(t - h)) / (h * h)
        return m * (acceleration + g) + k * (lift(t) - (top - free))

    rows = run("cam-follower")
    near(rows, "lift", lift, 1e-10)
    near(rows, "press_y", press, 2e-3)
    assert min(row["press_y"] for row in rows) > 5.0


def test_the_satellite_keeps_its_orbit():
    mu, a, c, slope = 3.986004418e14, 2.656e7, 0.74, math.radians(63.4)
    rows = run("satellite")

    def place(t):
        M = math.sqrt(mu / a**3) * t
        E = M
        for _ in range(50):  # Kepler's equation, by Newton's method
            E -= (E - c * math.sin(E) - M) / (1 - c * math.cos(E))
        along = a * math.sqrt(1 - c * c) * math.sin(E)
        return a * (math.cos(E) - c), along * math.cos(slope), along * math.sin(slope)

    for k, name in enumerate("xyz"):
        near(rows, name, lambda t, k=k: place(t)[k], 1e-7 * a)
    assert max(abs(row["energy"] - rows[0]["energy"]) for row in rows) < 1e-10 * abs(rows[0]["energy"])


def test_the_buoy_comes_to_rest_upright():
    r, weight, water = 0.3, (30 + 25) * 9.81, 9810.0
    last = run("buoy")[-1]
    depth = r
    for _ in range(60):  # of the ball below the surface: its segment weighs as much in water
        depth -= (math.pi * depth**2 * (3 * r - depth) / 3 - weight / water) / (math.pi * depth * (2 * r - depth))
    assert abs(last["z"] - (r - depth)) < 1e-9 and abs(last["lift"] - weight) < 1e-6
    assert abs(last["keel"] - (r - depth - 0.5 - 25 * 9.81 / 4000)) < 1e-9 and last["lean"] < 1e-6


def test_the_ball_rolls_down_the_slope():
    m, r, slope, mu, speed, g = 0.5, 0.05, math.radians(10), 0.4, 0.02, 9.81
    N = m * g * math.cos(slope)
    arm = r - N / 2e5 / 2  # to the middle of what it sinks in
    share = 0.4 * r * r / arm**2 / (1 + 0.4 * r * r / arm**2)  # of the weight along the slope that makes it turn: 2/7
    T = share * m * g * math.sin(slope)
    slip = speed * T / math.sqrt((mu * N) ** 2 - T * T)
    last = run("ball-on-slope")[-1]
    assert abs(last["along"] - arm * last["spin"] - slip) < 1e-7, (last, slip)
    assert abs(last["along"] - ((1 - share) * g * math.sin(slope) + share * slip)) < 1e-6
    assert abs(last["press"] - N) < 1e-5 * N


def test_the_gripper_is_a_double_pendulum_that_its_jet_pushes():
    m, n, I, J, L, c, d, tip, F, g = 3.0, 1.0, 0.1, 0.004, 0.6, 0.3, 0.1, 0.2, 2.0, 9.81
    a = math.radians(25 - 20)
    b = a + math.radians(-40)

    def rates(a, b, va, vb):
        """Of the slopes a and b of arm and hand, in the plane."""
        M, N, P = I + m * c * c + n * L * L, n * L * d * math.cos(a - b), J + n * d * d
        jet = b + math.radians(60)
        fa = -g * (m * c + n * L) * math.cos(a) - n * L * d * math.sin(a - b) * vb * vb + F * L * math.sin(jet - a)
        fb = -g * n * d * math.cos(b) + n * L * d * math.sin(a - b) * va * va + F * tip * math.sin(jet - b)
        D = M * P - N * N
        return va, vb, (P * fa - N * fb) / D, (M * fb - N * fa) / D

    rows = run("gripper", "--sample", "0.0025")
    x, h, k = [a, b, 0.0, 0.0], 2.5e-4, 0
    for row in rows:
        while k < round(row["time"] / h):
            r1 = rates(*x)
            r2 = rates(*(p + h / 2 * r for p, r in zip(x, r1)))
            r3 = rates(*(p + h / 2 * r for p, r in zip(x, r2)))
            r4 = rates(*(p + h * r for p, r in zip(x, r3)))
            x = [p + h / 6 * (s + 2 * t + 2 * u + v) for p, s, t, u, v in zip(x, r1, r2, r3, r4)]
            k += 1
        place = [0.2 + L * math.cos(x[0]) + tip * math.cos(x[1]), 0.5 + L * math.sin(x[0]) + tip * math.sin(x[1])]
        assert abs(row["up"] - place[1]) < 1e-6 and abs(row["turned"] - (x[1] - x[0])) < 1e-5, (row, x)
        lean = math.radians(10)  # the camera looks back along x, and down
        assert abs(row["seen_x"] + math.cos(lean) * (place[0] - 2) + math.sin(lean) * (place[1] - 1)) < 1e-6
        assert abs(row["seen_y"] - 1) < 1e-9 and abs(row["across"]) < 1e-9


def test_the_bicycle_has_the_eigenvalues_of_the_benchmark():
    """Small motions are sums of exp(lambda t) with M lambda^2 + v C1 lambda + g K0 + v^2 K2 singular, matrices by Meijaard et al. (2007), section 4(c). What is left of both angles
    after the best such sum is rounding, tolerance and what is of second order in the push; with an eigenvalue off by a percent it is ten times more at least."""
    M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
    C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
    K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
    K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])

    def eigenvalues(v):
        A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, 9.81 * K0 + v * v * K2), -np.linalg.solve(M, v * C1)]])
        values = np.linalg.eigvals(A)
        real = sorted(x.real for x in values if x.imag == 0)
        weave = next(x for x in values if x.imag > 0)
        return real[0], weave.real, weave.imag, real[1]

    def left_over(rows, values):
        caster, weave, frequency, capsize = values
        t = np.array([row["time"] for row in rows])
        basis = np.array([np.exp(caster * t), np.exp(weave * t) * np.cos(frequency * t), np.exp(weave * t) * np.sin(frequency * t), np.exp(capsize * t)]).T
        angles = np.array([[row["steer"], row["lean"]] for row in rows])
        left = angles - basis @ np.linalg.lstsq(basis, angles, rcond=None)[0]
        return np.abs(left).max() / np.abs(angles).max()

    for speed, coordinates in ((4, "relative"), (5, "relative"), (5, "increments"), (6, "natural")):
        rows = run("bicycle", "--set", f"speed={speed}", "--set", "push=1e-4", "--end", "3", "--coordinates", coordinates)
        values = eigenvalues(speed)
        assert left_over(rows, values) < 2e-7, (speed, coordinates, left_over(rows, values))
        for k in range(4):
            other = [x * (1 + 1e-2 * (j == k)) for j, x in enumerate(values)]
            assert left_over(rows, other) > 2e-6, (speed, k, left_over(rows, other))


def test_the_ball_joint_swings_back_about_the_axis_it_was_turned_about():
    I, k, c, start, n = 0.4, 30.0, 0.4, math.radians(100), math.sqrt(6)
    d = c / (2 * I)
    w = math.sqrt(k / I - d * d)

    def angle(t):
        return start * math.exp(-d * t) * (math.cos(w * t) + d / w * math.sin(w * t))

    for coordinates in ("relative", "increments"):
        rows = run("ball-joint", "--coordinates", coordinates)
        for name, along in (("rx", 1), ("ry", 2), ("rz", -1)):
            near(rows, name, lambda t, along=along: along / n * angle(t), 1e-7)
        fast = math.sqrt(4 * 50 / 2)  # without a free length a cable over two pegs pulls back with 4 k z
        near(rows, "z", lambda t: 0.2 * math.cos(fast * t), 1e-7)
        near(rows, "pull", lambda t: 100 * math.hypot(1, 0.2 * math.cos(fast * t)), 1e-5)


def test_three_stars_come_back_on_their_figure_of_eight():
    """After a period all are where they began, after a third of it each where the next one began; digits of the start are eight."""
    for coordinates in ("relative", "natural", "cartesian", "increments"):
        rows = run("figure-eight", "--coordinates", coordinates)
        first, last = rows[0], rows[-1]
        for name in ("xa", "ya", "xb", "yb", "xc", "yc"):
            assert abs(last[name] - first[name]) < 2e-7, (coordinates, name, last[name] - first[name])
        assert max(abs(row["energy"] - first["energy"]) for row in rows) < 1e-8
    third = run("figure-eight", "--end", "2.1086379933333333")[-1]
    assert all(abs(third[now] - first[then]) < 2e-7 for now, then in (("xa", "xc"), ("ya", "yc"), ("xb", "xa"), ("yb", "ya"), ("xc", "xb"), ("yc", "yb"))) or \
        all(abs(third[now] - first[then]) < 2e-7 for now, then in (("xa", "xb"), ("ya", "yb"), ("xb", "xc"), ("yb", "yc"), ("xc", "xa"), ("yc", "ya"))), third


def test_the_delta_robot_keeps_its_plate_level_and_is_nowhere_singular():
    """Its constraints have singular values from 0.03 to 400: a small one is none that goes to zero."""
    motions = [run("delta-robot", "--coordinates", coordinates, "--end", "1") for coordinates in ("relative", "cartesian")]
    for one, other in zip(*motions):
        assert abs(one["turn"]) < 1e-8 and abs(one["tilt"]) < 1e-8, one
        assert all(abs(one[name] - other[name]) < 1e-7 for name in "xyz"), (one, other)
    model = os.path.join(MODELS, "delta-robot.yaml")
    done = subprocess.run([PROGRAM, "run", model, "--coordinates", "natural", "--formulation", "al3", "--integrator", "trapezoidal", "--step", "1e-3", "-o", os.path.join(FOLDER.name, "out.csv")], capture_output=True, text=True, timeout=3600, check=False)
    assert done.returncode == 0 and "singular    none" in done.stdout, done.stdout + done.stderr


def corners(fold, n, a, b, gamma):
    """Corners of the Miura fold, n x n panels, in the axes of its first panel; these axes."""
    tilt = math.cos(fold) * math.tan(gamma)
    S, V = b * tilt / math.hypot(1, tilt), b / math.hypot(1, tilt)
    L, H = a * math.sqrt(1 - (math.sin(fold) * math.sin(gamma)) ** 2), a * math.sin(fold) * math.sin(gamma)
    x = np.array([S, V, 0]) / b
    z = np.cross(x, [0, L, H]) / (a * math.sin(gamma))
    axes = np.array([x, np.cross(z, x), z])
    return np.array([[axes @ [i * S, j * L + i % 2 * V, j % 2 * H] for j in range(n + 1)] for i in range(n + 1)]), axes


def test_the_sheet_of_paper_folds_through_its_flat_position():
    """Nothing acts on it: kinetic energy, of parallelograms, gives the fold as a function of time."""
    n, first, h = 3, 0.3, 1e-5

    def sheet(fold):
        return corners(fold, n, 0.1, 0.1, math.radians(60))

    def crease(fold):  # angle between panels 0 and 3
        P = sheet(fold)[0]
        normal = np.cross(P[1, 1] - P[0, 1], P[0, 2] - P[0, 1])
        return math.atan2(-normal[1], normal[2])

    def root_of_mass(fold):
        v = (sheet(fold + h)[0] - sheet(fold - h)[0]) / (2 * h)
        A, B, C, D = v[:-1, :-1], v[1:, :-1], v[1:, 1:], v[:-1, 1:]
        return math.sqrt(0.05 * np.sum(((A + B + C + D) / 4) ** 2 + ((B - A) ** 2 + (D - A) ** 2) / 12))

    slope = abs(crease(first + h) - crease(first - h)) / (2 * h)
    momentum = -4 / slope * root_of_mass(first)  # speed of the file, unfolding
    for coordinates in ("relative", "natural", "cartesian"):
        fold, t, axes, worst = first, 0.0, sheet(first)[1], 0.0
        for row in run("miura-fold", "--coordinates", coordinates)[::20]:
            dt = row["time"] - t
            k1 = momentum / root_of_mass(fold)
            k2 = momentum / root_of_mass(fold + dt / 2 * k1)
            k3 = momentum / root_of_mass(fold + dt / 2 * k2)
            k4 = momentum / root_of_mass(fold + dt * k3)
            fold, t = fold + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4), row["time"]
            worst = max(worst, np.max(np.abs(axes @ [row["x"], row["y"], row["z"]] - sheet(fold)[0][n, n])))
        assert fold < -0.5 and worst < 1e-7, (coordinates, fold, worst)


def test_the_flat_sheet_at_rest_is_refused_and_its_ways_of_folding_are_listed():
    """Both straight creases on their own (two degrees of freedom), one zigzag crease or the other, and the Miura fold."""
    flat = [os.path.join(MODELS, "miura-fold.yaml"), "--set", "fold=0", "--set", "speed=0"]
    for solver in ("dense", "sparse"):
        refused = subprocess.run([PROGRAM, "run", *flat, "--preset", "auto", "--solver", solver], capture_output=True, text=True, timeout=3600, check=False)
        assert refused.returncode != 0 and "where 4 motions meet" in refused.stderr, (solver, refused.stdout, refused.stderr)
    shown = subprocess.run([PROGRAM, "check", *flat, "--at", "0"], capture_output=True, text=True, timeout=3600, check=False)
    assert shown.returncode == 0 and "4 motions meet here" in shown.stdout, shown.stdout + shown.stderr


if __name__ == "__main__":
    sys.exit(every_test.run(globals()))
