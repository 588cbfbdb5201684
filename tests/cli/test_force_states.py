#!/usr/bin/env python3
"""States of forces, in every method: a block on a spring and a damper in series against its closed form, with the order of each integrator;
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

COORDINATES = ["natural", "cartesian", "increments", "relative"]
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
        done = subprocess.run([self.program, "run", str(model), "-o", str(out), *options], capture_output=True, text=True, timeout=300)
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
        rig(r, root)
        wheel(r, root)
    print(f"{r.checks - r.failed} passed, {r.failed} failed")
    return 1 if r.failed or r.checks < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
