#!/usr/bin/env python3
"""Digests of what the program computes, to see that a change of the code changes no bit of a result.

    tools/digests.py record FILE --program build/sarrus
    tools/digests.py compare FILE --program build/sarrus [--tolerance 1e-7]

Every model of problems/, examples/models/, tests/models/ and tests/models/bad/, and every joint type by itself, is checked in all
coordinates (so that messages count too), and those that are valid run for a short time with the main methods; some are swept. A
digest stands for the rows of the outputs in full precision, the energies, violations, ranks, counts of steps and iterations, exit
code and messages; timings are left out. `compare` lists what differs and exits with 1. With a tolerance, runs whose digests differ
may differ by that much in their last row of outputs, relative to the larger of 1 and the value, and are counted; their exit codes
must be the same. Digests of one machine and compiler say nothing about another's.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import collections_of_models

os.environ.setdefault("SARRUS_CERTIFY", "no")  # reference runs have tests of their own

ROOT = pathlib.Path(__file__).resolve().parent.parent
COORDINATES = ["natural", "cartesian", "increments", "relative"]
STEPS = ["--end", "0.1", "--step", "2e-3"]
WITHIN = ["--end", "0.1", "--tolerance", "1e-8", "--sample", "1e-2"]
# name, options; those that only some coordinates have are named by their preset
METHODS = [(f"al3-{c}", ["--coordinates", c, *STEPS]) for c in COORDINATES]
METHODS += [(f"LMD-{c}", ["--formulation", "threefield", "--integrator", "own", "--coordinates", c, *STEPS]) for c in COORDINATES]
METHODS += [(p, ["--preset", p, *STEPS]) for p in
            ["hybrid", "ALi3pvs", "auto", "mNS", "topological", "ABA", "DCA", "BDF-DAE"]]
METHODS += [("generalised-alpha", ["--integrator", "generalised-alpha", *STEPS])]
METHODS += [("al3-limit", ["--preset", "ALi3p", "--alpha", "inf", *STEPS]),
            ("al3-penalty-alone", ["--preset", "ALi3p", "--rescue=0", *STEPS]),
            ("nullspace-rk4", ["--coordinates", "cartesian", "--formulation", "nullspace", "--integrator", "rk4", *STEPS])]
METHODS += [("al1", ["--formulation", "al1", "--omega", "100", "--xi", "1", *STEPS]),
            ("al1-fixed-point", ["--formulation", "al1", "--integrator", "trapezoidal-fixed-point", "--omega", "20", "--xi", "1",
                                 "--best-effort", *STEPS]),
            ("hamiltonian", ["--formulation", "hamiltonian", "--omega", "1", "--xi", "1e4", *STEPS])]
METHODS += [(f"chart-{c}", ["--preset", "auto", "--coordinates", c, *WITHIN]) for c in COORDINATES]
METHODS += [("chart-radau", ["--formulation", "chart", "--integrator", "radau", *WITHIN]),
            ("al1-dop853-ida", ["--formulation", "al1", "--coordinates", "cartesian", "--integrator", "dop853-ida", *WITHIN])]
METHODS += [(f"al1-rk4-{c}", ["--coordinates", c, "--formulation", "al1", "--integrator", "rk4", *STEPS]) for c in COORDINATES]
SMALLER = {"chain": ["--set", "n=8"], "ladder": ["--set", "n=4"], "n-four-bar": ["--set", "n=3"], "tree": ["--set", "n=15"]}
SWEEPS = {"slider-crank-1": ["--vary", "step=1e-3,2e-3,5e-3", "--end", "0.3"],
          "n-four-bar": ["--vary", "n=1,2,3", "--vary", "step=2e-3,5e-3", "--end", "0.2"],
          "bricard": ["--vary", "step=5e-3,1e-2", "--end", "0.3"]}
UNSTEADY = {"wall_s", "total_s", "per_step_us", "output", "version", "threads", "seconds"}  # of the JSON object


def models():
    """(name, file, options)"""
    for path in sorted((ROOT / "problems").glob("*/*.yaml")):
        problem = path.parent.name
        if path.name != "rows.yaml":
            yield f"{problem}/{path.stem}", path, SMALLER.get(problem, []) if path.stem == "model" else []
    for folder in ["examples/models", "tests/models"]:
        for path in sorted((ROOT / folder).glob("*.yaml")):
            yield f"{folder.replace('tests/', '').replace('/models', '')}/{path.stem}", path, []


def bad_models(folder):
    for path in collections_of_models.unpack(ROOT / "tests" / "models" / "bad", os.path.join(folder, "bad")):
        yield f"models/bad/{path.stem}", path, []


# Every joint type by itself: its keys, and its coordinates, in the plane and in space.
ALONE = {
    2: {"revolute": ("", "angle"), "prismatic": (", axis: [A.x, B.x]", "displacement"), "fixed": ("", ""),
        "point-on-line": (", axis: [A.x, B.x]", "displacement"), "distance": (", distance: 0.5", "distance"),
        "rolling-disc": (", axis: A.y, radius: 0.3", ""), "knife-edge": (", axis: B.x", ""),
        "point-on-curve": (", curve: {x: s, y: s^2, from: -1, to: 1}", "")},
    3: {"revolute": (", axis: [A.z, B.x]", "angle"), "prismatic": (", axis: [A.x, B.y]", "displacement"),
        "spherical": ("", ""), "universal": (", axis: [A.x, B.y]", "angle angle2"),
        "cylindrical": (", axis: [A.x, B.y]", "angle displacement"), "fixed": ("", ""),
        "planar": (", axis: [A.x, B.y], normal: [A.y, B.z]", "angle displacement displacement2"),
        "screw": (", axis: [A.x, B.y], pitch: 0.2", "angle displacement"),
        "point-on-line": (", axis: [A.x, B.y]", "displacement"),
        "point-on-plane": (", axis: [A.z, B.y]", "displacement displacement2"), "distance": (", distance: 0.5", "distance"),
        "rolling-sphere": (", axis: A.z, radius: 0.3", ""), "rolling-disc": (", axis: [A.z, B.y], radius: 0.3", ""),
        "knife-edge": (", axis: [A.z, B.x]", ""), "constant-velocity": (", axis: [A.x, B.y]", ""),
        "point-on-curve": (", axis: A.z, curve: {x: s, y: s^2, from: -1, to: 1}", "")}}
BODIES = {2: """  one: {mass: 3, inertia: 0.7, center: [0.1, -0.2], points: {P: [0.5, 0.4]}, position: [0.3, 0.2], angle: 0.8,
        velocity: [0.7, -0.4], angular_velocity: 0.4}
  two: {mass: 2, inertia: 0.5, points: {P: [0.2, 0.1]}, position: [0.6, 0.7], velocity: [-0.2, 0.3]}""",
          3: """  one: {mass: 3, inertia: [0.4, 0.7, 0.9, 0.02, -0.03, 0.05], center: [0.1, -0.2, 0.3], points: {P: [0.5, 0.4, -0.3]},
        position: [0.3, 0.2, 0.9], rotation: {axis: [1, -1, 2], angle: 0.8}, velocity: [0.7, -0.4, 0.2],
        angular_velocity: [1.1, -0.6, 0.9]}
  two: {mass: 2, inertia: [0.5, 0.5, 0.5], points: {P: [0.2, 0, 0.1]}, position: [0.8, 0.1, 0.4], velocity: [-0.2, 0.3, 0.1]}"""}


def alone(dimension, kind, how):
    """Two bodies on the ground, one behind the other, by two joints of one type, or two that dock in flight."""
    keys, coordinates = ALONE[dimension][kind]
    pairs = {"forth": [("ground", "one"), ("one", "two")], "back": [("one", "ground"), ("two", "one")],
             "docked": [("one", "two")], "undocked": [("two", "one")]}[how]
    bodies = BODIES[dimension]
    joints, outputs = "", "  x: two.P.x\n  y: one.P.y\n"
    for k, (a, b) in enumerate(pairs):
        ends = ", ".join(f"{body}.{'origin' if body == 'ground' or k else 'P'}" for body in (a, b))
        joints += f"  j{k}: {{type: {kind}, between: [{ends}]{keys.replace('A.', a + '.').replace('B.', b + '.')}"
        joints += ", active: no, attach: here}\n" if "dock" in how else "}\n"
        outputs += "".join(f"  {c}_{k}: j{k}.{c}\n" for c in coordinates.split()) + f"  fx{k}: j{k}.fx\n  tz{k}: j{k}.tz\n"
    phases = "phases: [{at: 0.02, add: [j0]}, {at: 0.06, remove: [j0]}]\n" if "dock" in how else ""
    gravity = "[0.3, -9.81]" if dimension == 2 else "[0.3, 1, -9.81]"
    return (f"sarrus: 1\nname: alone\ndimension: {dimension}\ngravity: {gravity}\nbodies:\n{bodies}\njoints:\n{joints}{phases}"
            f"outputs:\n{outputs}")


def made(folder):
    for dimension, kinds in ALONE.items():
        for kind in kinds:
            for how in ["forth", "back", "docked", "undocked"]:
                path = pathlib.Path(folder) / f"{kind}-{dimension}-{how}.yaml"
                path.write_text(alone(dimension, kind, how))
                yield f"alone/{path.stem}", path, []


def steady(value):
    if isinstance(value, dict):
        return {k: steady(v) for k, v in value.items() if k not in UNSTEADY}
    return [steady(v) for v in value] if isinstance(value, list) else value


def summary(text):
    try:
        return json.dumps(steady(json.loads(text)), sort_keys=True)
    except json.JSONDecodeError:
        return text


def run(program, arguments, rows=None):
    try:
        done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return 1, "too-slow"
    parts = [str(done.returncode), summary(done.stdout), done.stderr]
    if rows and os.path.exists(rows):
        with open(rows, encoding="utf-8") as f:
            parts.append(f.read())
    text = "\0".join(parts).replace(str(ROOT), "")
    for folder in filter(None, [rows, arguments[1]]):
        text = text.replace(os.path.dirname(folder), "")
    return done.returncode, hashlib.sha256(text.encode()).hexdigest()[:24] + last_row(done.returncode, rows)


def last_row(code, rows):
    """Exit code and the numbers of the last row, for comparisons with a tolerance; of runs only."""
    if not rows:
        return ""
    if not os.path.exists(rows):
        return f" {code}"
    with open(rows, encoding="utf-8") as f:
        return " ".join(["", str(code), *f.read().splitlines()[-1].split(",")[1:]])


def digests_of(program, name, path, options):
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        valid = False
        for c in COORDINATES:
            code, found[f"{name} check-{c}"] = run(program, ["check", str(path), *options, "--coordinates", c, "--json"])
            valid = valid or code == 0
        for method, chosen in METHODS if valid else []:
            rows = os.path.join(folder, method + ".csv")
            _, found[f"{name} {method}"] = run(
                program, ["run", str(path), *options, *chosen, "--threads", "1", "--json", "-o", rows], rows)
    return found


def swept(program, problem):
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "table.csv")
        done = subprocess.run([program, "sweep", str(ROOT / "problems" / problem / "model.yaml"), *SWEEPS[problem], "--preset", "ALi3p",
                               "-o", table], capture_output=True, text=True, timeout=300)
        text = str(done.returncode) + (pathlib.Path(table).read_text(encoding="utf-8") if os.path.exists(table) else done.stderr)
        return {f"{problem} sweep": hashlib.sha256(text.encode()).hexdigest()[:24]}


def collect(program, only, jobs):
    found = {}
    for problem in SWEEPS:
        if not only or any(word in problem for word in only):
            found.update(swept(program, problem))
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        chosen = [m for m in [*models(), *made(folder), *bad_models(folder)] if not only or any(word in m[0] for word in only)]
        for part in pool.map(lambda m: digests_of(program, *m), chosen):
            found.update(part)
    return found


def read(path):
    with open(path, encoding="utf-8") as f:
        return {" ".join(line.split()[:2]): " ".join(line.split()[2:]) for line in f}


def near(a, b, tolerance):
    """Two runs with the same exit code whose last rows agree."""
    a, b = a.split()[1:], b.split()[1:]
    if not a or len(a) != len(b) or a[0] != b[0]:
        return False
    pairs = [(float(x), float(y)) for x, y in zip(a[1:], b[1:])]
    return all(abs(x - y) <= tolerance * max(1, abs(x)) or x != x and y != y for x, y in pairs)


def report(before, now, tolerance):
    keys = [k for k in before if k not in now or now[k] != before[k]] + [k for k in now if k not in before]
    if tolerance:
        close = {k for k in keys if k in before and k in now and near(before[k], now[k], tolerance)}
        print(f"{len(close)} differ by at most {tolerance:g}")
        keys = [k for k in keys if k not in close]
    for key in keys:
        what = "is gone" if key not in now else "is new" if key not in before else "differs"
        print(f"{key}: {what}")
    print(f"{len(now)} digests, {len(keys)} differ")
    return 1 if keys else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("file")
    parser.add_argument("--program", required=True)
    parser.add_argument("--only", nargs="*", help="models whose name contains one of these")
    parser.add_argument("--tolerance", type=float, default=0, help="of the last rows of runs whose digests differ")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    now = collect(os.path.abspath(options.program), options.only, options.jobs)
    if options.what == "record":
        with open(options.file, "w", encoding="utf-8") as f:
            f.writelines(f"{key} {value}\n" for key, value in now.items())
        print(f"{len(now)} digests in {options.file}")
        return 0
    before = read(options.file)
    if options.only:
        before = {k: v for k, v in before.items() if any(word in k.split(" ")[0] for word in options.only)}
    return report(before, now, options.tolerance)


if __name__ == "__main__":
    sys.exit(main())
