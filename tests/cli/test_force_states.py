#!/usr/bin/env python3
"""States of forces and of models, in every method: a block on a spring and a damper in series against its closed form, with the order of each integrator;
the tyre rig against the formula in Python, in all coordinates; relaxation, lift-off and standstill.

Usage: test_force_states.py PROGRAM SOURCE_ROOT
"""
import cmath
import csv
import importlib.util
import math
import pathlib
import subprocess
import sys
import tempfile

import built

MAXWELL = """sarrus: 1
name: maxwell
dimension: 3
parameters: {m: 2, k: 300, c: 40}
gravity: [0, 0, -9.81]
bodies:
  block: {mass: m, inertia: [0.1, 0.1, 0.1], position: [0, 0, -1], rotation: {rpy: [0, 0, 0]}}
joints:
  guide: {type: prismatic, between: [ground.origin, block.origin], axis: [0, 0, 1]}
forces:
  soft: {type: maxwell, between: [ground.origin, block.origin], stiffness: k, damping: c}
outputs: {z: block.origin.z, x: soft.stretch, f: soft.force}
method: {end: 1, step: 0.01}
"""

WHEEL = """sarrus: 1
name: wheel
dimension: 3
gravity: [0, 0, -9.81]
parameters: {V: 10, w: 27, z: 0.36}
bodies:
  wheel: {mass: 300, inertia: [8, 12, 8], position: [0, 0, z], rotation: {rpy: [0, 0, 0]}, velocity: [V, 0.5, 0], angular_velocity: [0, w, 0]}
forces:
  tyre: {type: magic-tyre, acts_on: wheel.origin, file: FILE, relaxation: yes}
outputs: {fx: tyre.fx, fy: tyre.fy, fz: tyre.fz, kappa: tyre.kappa, alpha: tyre.alpha, z: wheel.origin.z, total: energy.total}
method: {end: 0.5, step: 1e-3}
"""

COORDINATES = ["natural", "cartesian", "increments", "relative"][::1 if built.full(sys.argv[1]) else 3]
FIXED = [("al3", "trapezoidal", 2), ("al1", "trapezoidal", 2), ("penalty", "trapezoidal", 2), ("hamiltonian", "trapezoidal", 2),
         ("nullspace", "trapezoidal", 2), ("al1", "trapezoidal-fixed-point", 2), ("threefield", "own", 2), ("al1", "rk4", 4), ("al1", "euler", 1)]
TOLERANT = [("al3", "trapezoidal-variable", 1e-4), ("threefield", "own-variable", 1e-4), ("al1", "dop853", 1e-8), ("al1", "radau", 1e-9),
            ("chart", "dop853", 1e-9), ("chart", "radau", 1e-10), ("chart", "dop853-radau", 1e-9), ("al1", "dopri5", 1e-5), ("al1", "bdf", 1e-4), ("dae", "ida", 1e-4)]


def closed_form(t, m=2.0, k=300.0, c=40.0, g=9.81):
    """z and x at t: x'' + k/c x' + k/m x = g, v = x' + k/c x"""
    a, b, rest = k / c, k / m, m * g / k
    root = cmath.sqrt(a * a - 4 * b)
    l1, l2 = (-a + root) / 2, (-a - root) / 2
    one = l2 * rest / (l1 - l2)
    two = -rest - one
    x = rest + one * cmath.exp(l1 * t) + two * cmath.exp(l2 * t)
    integral = rest * t + one * (cmath.exp(l1 * t) - 1) / l1 + two * (cmath.exp(l2 * t) - 1) / l2
    return -1 - (x + a * integral).real, x.real


class Runner:
    def __init__(self, program, folder):
        self.program, self.folder, self.failed, self.checks = program, folder, 0, 0

    def run(self, model, *options):
        out = self.folder / "out.csv"
        done = subprocess.run([self.program, "run", str(model), "-o", str(out), *options], capture_output=True, text=True, timeout=3600)
        if done.returncode != 0:
            return None, done.stdout + done.stderr
        with open(out, encoding="utf-8") as lines:
            return list(csv.DictReader(line for line in lines if not line.startswith("#"))), done.stdout

    def check(self, good, what):
        self.checks += 1
        if not good:
            self.failed += 1
            print("FAILED", what)


def off(rows):
    z, x = closed_form(1.0)
    return max(abs(float(rows[-1]["z"]) - z), abs(float(rows[-1]["x"]) - x))


def maxwell(r, available):
    model = r.folder / "maxwell.yaml"
    model.write_text(MAXWELL)
    for c in COORDINATES:
        for form, integrator, order in FIXED:
            method = ["--coordinates", c, "--formulation", form, "--integrator", integrator]
            errors = []
            for h in ("0.005", "0.0025"):
                rows, said = r.run(model, *method, "--step", h)
                r.check(rows, f"{method}: {said}")
                if rows:
                    errors.append(off(rows))
            seen = math.log2(errors[0] / errors[1]) if len(errors) == 2 else 0.0
            r.check(abs(seen - order) < 0.35, f"{method}: order {seen:.2f}, wanted {order}")
        for form, integrator, limit in TOLERANT:
            if integrator not in available:
                continue
            method = ["--coordinates", c, "--formulation", form, "--integrator", integrator]
            rows, said = r.run(model, *method)
            r.check(rows and off(rows) < limit, f"{method}: off by {off(rows) if rows else said}")
    refused = subprocess.run([r.program, "inverse", str(model)], capture_output=True, text=True)
    r.check(refused.returncode != 0 and "states" in refused.stdout + refused.stderr, f"inverse: {refused.stderr}")


def exponential(A, x, t):
    """exp(A t) x, by steps of a Taylor series."""
    n, steps = len(x), max(1, math.ceil(10 * t * max(sum(abs(a) for a in row) for row in A)))
    for _ in range(steps):
        term, h = x, t / steps
        for k in range(1, 12):
            term = [h / k * sum(A[i][j] * term[j] for j in range(n)) for i in range(n)]
            x = [a + b for a, b in zip(x, term)]
    return x


def controller(r, root, available):
    """The drive with its controller: angle, rate, sum, current and 1 are a linear system."""
    model = root / "examples" / "models" / "drive-with-controller.yaml"
    J, c, L, R, k, target, P, I, D = 2e-3, 1e-3, 5e-3, 2, 0.1, math.pi / 2, 12, 20, 0.6
    A = [[0, 1, 0, 0, 0], [0, -c / J, 0, k / J, 0], [-1, 0, 0, 0, target], [-P / L, -(D + k) / L, I / L, -R / L, P * target / L], [0] * 5]
    end = 0.5
    wanted = exponential(A, [0.0, 0.0, 0.0, 0.0, 1.0], end)

    def away(rows):
        last = rows[-1]
        return max(abs(float(last[name]) - wanted[i]) / size for name, i, size in (("angle", 0, 1.5), ("sum", 2, 0.1), ("current", 3, 6.0)))

    for c in COORDINATES:
        rows, said = r.run(model, "--end", str(end), "--coordinates", c, "--tolerance", "1e-8")
        r.check(rows and away(rows) < 1e-7, f"controller, {c}, automatic: off by {away(rows) if rows else said}")
        for form, integrator, order in FIXED:
            method = ["--coordinates", c, "--formulation", form, "--integrator", integrator]
            runs = [r.run(model, "--end", str(end), *method, "--step", h) for h in ("0.001", "0.0005")]
            r.check(all(rows for rows, _ in runs), f"controller, {method}: {runs}")
            if all(rows for rows, _ in runs):
                seen = math.log2(away(runs[0][0]) / away(runs[1][0]))
                r.check(abs(seen - order) < 0.35, f"controller, {method}: order {seen:.2f}, wanted {order}")
        for form, integrator, limit in TOLERANT:
            if integrator not in available:
                continue
            method = ["--end", str(end), "--coordinates", c, "--formulation", form, "--integrator", integrator]
            rows, said = r.run(model, *method)
            r.check(rows and away(rows) < max(10 * limit, 1e-6), f"controller, {method}: off by {away(rows) if rows else said}")


def sizes(r):
    """A state is counted in parts of itself: the same motion whatever its unit, and one that is zero but for rounding costs nothing."""
    text = """sarrus: 1
name: sizes
dimension: 2
parameters: {u: 1, more: 0}
bodies: {a: {mass: 1, inertia: 1, position: [1, 0], angle: 0}}
joints: {O: {type: revolute, between: [ground.origin, a.origin]}}
states:
  p: {rate: u*(1 - O.angle) - 3*p, start: u*START}
  q: {rate: p/u - q, start: 0}
  noise: {rate: more*(O.angle - q - (O.angle - q)*1.0000000000000002), start: 0}
forces: {m: {type: motor, joint: O, torque: 4*p/u + 2*q - 3*v + noise}}
outputs: {angle: O.angle, p: p/u, q: q}
method: {end: 5, sample: 0.5}
"""
    for start in ("0.3", "0"):
        model = r.folder / "sizes.yaml"
        model.write_text(text.replace("START", start))
        usual, said = r.run(model, "--tolerance", "1e-8")
        r.check(usual, said)
        for unit in ("1e-9", "1e-4", "1e5", "1e12"):
            rows, said = r.run(model, "--tolerance", "1e-8", "--set", f"u={unit}")
            off = max(abs(float(a[k]) - float(b[k])) for a, b in zip(rows, usual) for k in ("angle", "p", "q")) if rows and usual else said
            r.check(rows and usual and off < 1e-7, f"sizes, {unit}, start {start}: {off}")
        _, with_noise = r.run(model, "--tolerance", "1e-8", "--set", "more=1")
        steps = [int(text.split("steps")[1].split(",")[0].split()[0]) for text in (said, with_noise)]
        r.check(steps[1] < 2 * steps[0], f"sizes: {steps[1]} steps with a state of noise, {steps[0]} without")


def rig(r, root):
    folder = root / "examples" / "models" / "tyre-rig"
    spec = importlib.util.spec_from_file_location("formula", folder / "formula.py")
    formula = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(formula)
    tyre = formula.read(folder / "185-80-R14.tir")
    sweeps = [[], ["--set", "sweep=0", "--set", "alpha=-0.2", "--set", "alpha1=0.2"], ["--set", "camber=0.03", "--set", "alpha=-0.05", "--set", "load=2500"]]
    for sweep in sweeps:
        for c in COORDINATES:
            rows, said = r.run(folder / "model.yaml", "--coordinates", c, "--set", "T=1", *sweep)
            r.check(rows, f"rig, {c}: {said}")
            if not rows:
                continue
            off_by, largest, _ = formula.compare(tyre, r.folder / "out.csv")
            r.check(max(off_by) < 1e-11 and largest[0] > 50, f"rig, {c}, {sweep}: off by {off_by}")


def wheel(r, root):
    """A wheel runs into a side slip: methods agree; it lifts off and comes down; it stands still."""
    model = r.folder / "wheel.yaml"
    model.write_text(WHEEL.replace("FILE", str(root / "examples" / "models" / "tyre-rig" / "185-80-R14.tir")))
    wanted, said = r.run(model, "--coordinates", "increments", "--formulation", "chart", "--integrator", "dop853", "--sample", "0.01")
    r.check(wanted, f"wheel: {said}")
    for c in COORDINATES:
        for form, integrator in (("al3", "trapezoidal"), ("threefield", "own"), ("al1", "rk4"), ("nullspace", "trapezoidal")):
            rows, said = r.run(model, "--coordinates", c, "--formulation", form, "--integrator", integrator, "--step", "5e-4", "--sample", "0.01")
            r.check(rows and len(rows) == len(wanted), f"wheel, {c}, {form}: {said}")
            if rows and wanted:
                for name, limit in (("fx", 5.0), ("fy", 5.0), ("alpha", 1e-4), ("kappa", 1e-4)):
                    most = max(abs(float(a[name]) - float(b[name])) for a, b in zip(rows, wanted))
                    r.check(most < limit, f"wheel, {c}, {form}, {integrator}: {name} off by {most:.3g}")
    for start in (["V=10", "z=0.6", "w=27"], ["V=0", "z=0.36", "w=0"], ["V=-3", "z=0.36", "w=5"]):
        sets = [word for value in start for word in ("--set", value)]
        rows, said = r.run(model, "--coordinates", "increments", *sets)
        r.check(rows and all(math.isfinite(float(x)) for row in rows for x in row.values()), f"wheel, {start}: {said}")
        if rows and start[1] == "z=0.6":
            loads = [float(row["fz"]) for row in rows]
            r.check(min(loads) == 0.0 and max(loads) > 3000, f"wheel falls: loads {min(loads)} to {max(loads)}")
            jumps = max(abs(b - a) for a, b in zip(loads, loads[1:]))
            r.check(jumps < 0.2 * max(loads), f"wheel falls: the load jumps by {jumps}")


def main():
    program, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    available = subprocess.run([program, "methods"], capture_output=True, text=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        r = Runner(program, pathlib.Path(folder))
        maxwell(r, available)
        controller(r, root, available)
        sizes(r)
        rig(r, root)
        wheel(r, root)
    print(f"{r.checks - r.failed} passed, {r.failed} failed")
    return 1 if r.failed or r.checks < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
