#!/usr/bin/env python3
"""The state space of `sarrus modes` beside closed forms and runs: inputs, drives as inputs, and the files that hold it.

Usage: test_state_space.py PROGRAM SOURCE_ROOT
"""
import json
import math
import os
import subprocess

from modes_runs import COORDINATES2, FOLDER, PROGRAM, check, finish, modes, near, scan
# ---- state space --------------------------------------------------------------------------------------------------------------------

CART = """
sarrus: 1
name: cart
dimension: 2
gravity: [0, -9.81]
inputs: {push: 0}
parameters: {M: 2, m: 0.5, l: 0.8, wind: 0}
bodies:
  cart: {mass: M, inertia: 1, position: [0, 0], angle: 0}
  rod: {mass: m, inertia: 0, center: [0, -l], position: [0, 0], angle: 0}
joints:
  rail: {type: prismatic, between: [ground.origin, cart.origin], axis: [1, 0]}
  pin: {type: revolute, between: [cart.origin, rod.origin]}
forces:
  drive: {type: actuator, joint: rail, force: push}
  k: {type: spring, joint: rail, stiffness: 3, damping: 0.4}
  wind: {type: force, acts_on: rod.center, force: [wind, 0]}
outputs: {x: cart.origin.x, ax: cart.origin.ax, angle: pin.angle, fy: pin.fy, w: pin.rate}
"""


def space_of(*options):
    out = os.path.join(FOLDER, "cart.json")
    modes("cart", "-o", out, *options, text=CART)
    with open(out, encoding="utf-8") as file:
        return json.load(file)


def closed_form():
    M, m, l, g, k, c = 2, 0.5, 0.8, 9.81, 3, 0.4
    s = space_of()
    check(s["states"] == ["rail.displacement", "pin.angle", "rail.displacement.rate", "pin.angle.rate"], f"names {s['states']}")
    wanted = {"A": [[0, 0, 1, 0], [0, 0, 0, 1], [-k / M, m * g / M, -c / M, 0], [k / (M * l), -(M + m) * g / (M * l), c / (M * l), 0]],
              "B": [[0], [0], [1 / M], [-1 / (M * l)]],
              "C": [[1, 0, 0, 0], [-k / M, m * g / M, -c / M, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]],
              "D": [[0], [1 / M], [0], [0], [0]]}
    for name, rows in wanted.items():
        off = max(abs(x - y) for a, b in zip(s[name], rows) for x, y in zip(a, b))
        print(f"cart, {name}: {off:.1e}")
        check(off <= 1e-11, f"cart: {name} is off by {off}")


def linear_run(s, amplitude, end, steps):
    """Outputs after a ramp of the input, by the classical Runge-Kutta method."""
    n = len(s["states"])

    def rate(t, x):
        return [sum(s["A"][i][j] * x[j] for j in range(n)) + s["B"][i][0] * amplitude * t for i in range(n)]
    x, h = [0.0] * n, end / steps
    for step in range(steps):
        t = step * h
        k1 = rate(t, x)
        k2 = rate(t + h / 2, [a + h / 2 * b for a, b in zip(x, k1)])
        k3 = rate(t + h / 2, [a + h / 2 * b for a, b in zip(x, k2)])
        k4 = rate(t + h, [a + h * b for a, b in zip(x, k3)])
        x = [a + h / 6 * (p + 2 * q + 2 * r + w) for a, p, q, r, w in zip(x, k1, k2, k3, k4)]
    return [sum(row[j] * x[j] for j in range(n)) + d[0] * amplitude * end for row, d in zip(s["C"], s["D"])]


def against_runs():
    """Beside the model itself, about an equilibrium off the vertical: errors fall with the amplitude squared."""
    s = space_of("--set", "wind=2", "--at", "equilibrium")
    path, out = os.path.join(FOLDER, "cart.yaml"), os.path.join(FOLDER, "run.csv")

    def outputs(amplitude):
        done = subprocess.run([PROGRAM, "run", path, "--set", "wind=2", "--equilibrium=1", "--end", "1", "--tolerance", "1e-12",
                               "--input", f"push={amplitude}*t", "-o", out], capture_output=True, text=True, env=dict(os.environ, SARRUS_CERTIFY="no"))
        check(done.returncode == 0, f"run of cart: {done.stderr}")
        with open(out, encoding="utf-8") as file:
            rows = [line for line in file.read().splitlines() if not line.startswith("#")]
        return [float(x) for x in rows[-1].split(",")[1:]]
    rest, errors = outputs(0), []
    for amplitude in (0.4, 0.2, 0.1):
        moved, linear = outputs(amplitude), linear_run(s, amplitude, 1.0, 400)
        errors.append([abs(m - r - y) for m, r, y in zip(moved, rest, linear)])
    for o, name in enumerate(s["outputs"]):
        orders = [math.log2(errors[k][o] / errors[k + 1][o]) for k in range(2)]
        print(f"cart, {name}: orders {orders[0]:.3f} {orders[1]:.3f}")
        check(all(1.9 < order < 2.1 for order in orders), f"state space: {name} has orders {orders}, errors {[e[o] for e in errors]}")


def read_mat(path):
    """Level 5 without compression, by its description: names and real matrices or lists of texts."""
    import struct
    with open(path, "rb") as file:
        data = file.read()
    assert data[124:128] == b"\0\1IM"

    def elements(at, end):
        while at < end:
            kind, size = struct.unpack_from("<II", data, at)
            yield kind, at + 8, size
            at += 8 + size + (-size % 8 if kind != 14 else 0)

    def matrix(at, size):
        parts = list(elements(at, at + size))
        cls = struct.unpack_from("<I", data, parts[0][1])[0] & 255
        rows, cols = struct.unpack_from("<ii", data, parts[1][1])
        name = data[parts[2][1]:parts[2][1] + parts[2][2]].decode()
        if cls == 1:
            return name, [matrix(p[1], p[2])[1] for p in parts[3:]]
        if cls == 4:
            return name, data[parts[3][1]:parts[3][1] + parts[3][2]].decode()
        x = struct.unpack_from(f"<{rows * cols}d", data, parts[3][1])
        return name, [[x[j * rows + i] for j in range(cols)] for i in range(rows)]
    return dict(matrix(at, size) for _, at, size in elements(128, len(data)))


SWING = """
sarrus: 1
name: swing
dimension: 2
parameters: {speed: 3}
gravity: [0, -9.81]
bodies: {rod: {mass: 1, inertia: 0.1, center: [0.5, 0], position: [0, 0], angle: 0.3}}
joints: {O: {type: revolute, between: [ground.origin, rod.origin]}}
start: {rod.rate: speed}
"""


def rest():
    """An equilibrium is at rest, whatever the velocity of the start; with the velocity it is none."""
    wanted = math.sqrt(9.81 * 0.5 / (0.1 + 0.25))
    report = modes("swing", "--at", "equilibrium", text=SWING)
    check(report["about"] == "equilibrium", f"at rest: {report['about']}")
    near("swing at rest", report["modes"][0]["im"], wanted, 1e-9)
    path = os.path.join(FOLDER, "swing.yaml")
    for point in scan(path, "speed=1:4:3", "--at", "equilibrium")["points"]:
        near("swing at rest, scanned", point["modes"][0][1], wanted, 1e-9)
    picture = os.path.join(FOLDER, "modes.png")
    for options in (("-o", picture), ("--vary", "speed=1:4:3", "-o", path)):
        before = os.path.getsize(path)
        done = subprocess.run([PROGRAM, "modes", path, *options], capture_output=True, text=True)
        check(done.returncode == 2 and "the ending says" in done.stderr, f"{options}: {done.returncode} {done.stderr}")
        check(os.path.getsize(path) == before and not os.path.exists(picture), f"{options}: a file was written")


def files():
    out = {end: os.path.join(FOLDER, "cart" + end) for end in (".mat", ".csv", ".svg", ".h5")}
    s = space_of(*(word for path in out.values() for word in ("-o", path)))
    mat = read_mat(out[".mat"])
    for name in "ABCD":
        check(mat[name] == s[name], f"MAT: {name}")
    check(mat["states"] == s["states"] and mat["inputs"] == ["push"] and mat["outputs"] == s["outputs"], "MAT: names")
    try:
        import scipy.io
        m = scipy.io.loadmat(out[".mat"])
        check(m["A"].tolist() == s["A"] and [str(x[0][0]) for x in m["states"]] == s["states"], "MAT by SciPy")
    except ImportError:
        print("without SciPy")
    try:
        import h5py
        with h5py.File(out[".h5"]) as file:
            check(all(file[name][:].tolist() == s[name] for name in "ABCD"), "HDF5: matrices")
            check([x.decode() for x in file["states"]] == s["states"] and [x.decode() for x in file["outputs"]] == s["outputs"], "HDF5: names")
    except ImportError:
        print("without h5py")
    with open(out[".csv"], encoding="utf-8") as file:
        rows = [line.split(",") for line in file.read().splitlines()]
    check(rows[0] == ["matrix", "row", "column", "value"] and len(rows) == 1 + 16 + 4 + 20 + 5, "state space as CSV")
    check(["A", "rail.displacement.rate", "rail.displacement"] == rows[1 + 8][:3] and float(rows[9][3]) == s["A"][2][0], "entry of the CSV")
    with open(out[".svg"], encoding="utf-8") as file:
        text = file.read()
    check(text.startswith("<svg") and text.rstrip().endswith("</svg>") and "phase [deg]" in text, "Bode plot")
    done = subprocess.run([PROGRAM, "modes", "bicycle", "--set", "push=0", "-o", out[".svg"]], capture_output=True, text=True)
    check(done.returncode == 2 and "no inputs" in done.stderr, "a Bode plot without inputs is refused")


# ---- drives as inputs ---------------------------------------------------------------------------------------------------------------

# A pendulum on a pivot that a drive moves, along which the input goes: L phi'' + g phi = -u''. All joints may be doubled.
PIVOT = """
sarrus: 1
name: pivot
dimension: 2
parameters: {S: 1, turn: 0, c: cos(turn), s: sin(turn)}
gravity: [9.81*S*s, -9.81*S*c]
inputs: {move: 0}
bodies:
  cart: {mass: 1, inertia: S^2, position: [0, 0], angle: turn}
  rod: {mass: 0.5, inertia: 0, center: [0, -0.7*S], position: [0, 0], angle: turn}
joints:
  rail: {type: prismatic, between: [ground.origin, cart.origin], axis: [c, s]}
  pin: {type: revolute, between: [cart.origin, rod.origin]}
drives: {pull: {joint: rail, coordinate: displacement, value: move}}
outputs: {angle: pin.angle, x: rail.displacement, force: pull.force}
"""
PIVOT_TWICE = PIVOT.replace("drives:", "  again: {type: prismatic, between: [ground.origin, cart.origin], axis: [c, s]}\n"
                            "  more: {type: revolute, between: [cart.origin, rod.origin]}\ndrives:")

# A bead on an arm that a drive turns with W; the input is added to its angle. In the arm's axes, with a spring k to r0 and the steady
# radius r: r'' = W^2 r - k/m (r - r0) + 2 W r u_1: no function of u itself.
BEAD = """
sarrus: 1
name: bead
dimension: 2
parameters: {W: 2, k: 9, r0: 0.4, r: k*r0/(k - W^2)}
inputs: {turn: 0}
bodies:
  arm: {mass: 1, inertia: 1, position: [0, 0], angle: 0, angular_velocity: W}
  bead: {mass: 1, inertia: 0, position: [r, 0], angle: 0, velocity: [0, W*r], angular_velocity: W}
joints:
  pivot: {type: revolute, between: [ground.origin, arm.origin]}
  slide: {type: prismatic, between: [arm.origin, bead.origin], axis: [1, 0]}
drives: {motor: {joint: pivot, coordinate: angle, value: W*t + turn}}
forces: {spring: {type: spring, joint: slide, stiffness: k, length: r0}}
outputs: {radius: slide.displacement, torque: motor.torque}
"""


def space(name, text, *options):
    out = os.path.join(FOLDER, name + ".json")
    about = modes(name, "-o", out, *options, text=text)["about"]
    with open(out, encoding="utf-8") as file:
        return dict(json.load(file), about=about)


def response(s, omega):
    """C (i omega - A)^-1 B + D of the one input."""
    n = len(s["states"])
    rows = [[(1j * omega if i == j else 0) - s["A"][i][j] for j in range(n)] + [s["B"][i][0]] for i in range(n)]
    for c in range(n):
        best = max(range(c, n), key=lambda i: abs(rows[i][c]))
        rows[c], rows[best] = rows[best], rows[c]
        for i in range(n):
            if i != c:
                part = rows[i][c] / rows[c][c]
                rows[i] = [x - part * y for x, y in zip(rows[i], rows[c])]
    x = [rows[i][n] / rows[i][i] for i in range(n)]
    return [sum(a * b for a, b in zip(row, x)) + d[0] for row, d in zip(s["C"], s["D"])]


def drive_inputs():
    M, m, L, g, most = 1, 0.5, 0.7, 9.81, 0.0
    for c in COORDINATES2:
        for text, options, size in ((PIVOT, [], 1), (PIVOT_TWICE, [], 1), (PIVOT_TWICE, ["--set", "turn=0.6"], 1), (PIVOT, ["--set", "S=1e-3"], 1e-3), (PIVOT, ["--set", "S=1e3"], 1e3)):
            s = space("pivot", text, "--coordinates", c, *options)
            check(s["states"][-2:] == ["move", "move.rate"] and s["inputs"] == ["move.acceleration"], f"pivot {c}: {s['states']} {s['inputs']}")
            for omega in (1.0, 3.0, 10.0):
                angle, x, force = response(s, omega)
                wanted = (-1 / (L * size)) / (g / L - omega**2)
                # (M + m) u'' + m L phi'' = force
                push = M + m - m * L * size * omega**2 * wanted
                off = max(abs(angle / wanted - 1), abs(x * -omega**2 - 1), abs(force / push - 1))
                check(off < 1e-10, f"pivot {c} {options} at {omega} rad/s: off by {off:.1e}")
                most = max(most, off)
    print(f"pendulum on a driven pivot: {most:.1e}")
    W, k, r0 = 2, 9, 0.4
    r = k * r0 / (k - W * W)
    for c in COORDINATES2:
        s = space("bead", BEAD, "--coordinates", c)
        check(s["about"] == "steady motion", f"bead: {s['about']}")
        for omega in (1.0, 4.0):
            radius, torque = response(s, omega)
            u1 = 1 / (1j * omega)
            wanted = 2 * W * r * u1 / (k - W * W - omega**2)
            # rate of the moment of momentum (1 + r^2) (W + u_1)
            moment = (1 + r * r) + 2 * r * W * 1j * omega * wanted
            off = max(abs(radius / wanted - 1), abs(torque / moment - 1))
            print(f"bead on a driven arm, {c}: {off:.1e}")
            check(off < 1e-9, f"bead {c}: {radius} {wanted}, {torque} {moment}")
    apart = BEAD.replace("drives: {", "drives: {other: {joint: pivot, coordinate: angle, value: W*t}, ")
    with open(os.path.join(FOLDER, "apart.yaml"), "w", encoding="utf-8") as file:
        file.write(apart)
    done = subprocess.run([PROGRAM, "modes", file.name, "-o", os.path.join(FOLDER, "apart.mat")], capture_output=True, text=True)
    check(done.returncode == 1 and "'turn' moves redundant constraints apart" in done.stderr, f"an input that another drive contradicts: {done.stderr}")


finish([rest, closed_form, against_runs, files, drive_inputs])
