"""The automatic method from the command line: who gets it, what it says of itself, how many rows it writes.

    python3 test_automatic.py PROGRAM SOURCE_ROOT
"""
import json
import os
import subprocess
import sys
import tempfile

import every_test

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory(prefix="sarrus-auto-")
ROD = """\
sarrus: 1
name: rod
dimension: 2
gravity: [0, -9.81]
bodies:
  rod: {mass: 2, center: [1/2, 0], inertia: 1/6, points: {tip: [1, 0]}, position: [0, 0], angle: 0}
joints:
  pin: {type: revolute, between: [ground.origin, rod.origin]}
outputs: {angle: pin.angle, y: rod.tip.y}
"""


def path(method=""):
    name = os.path.join(FOLDER.name, "rod.yaml")
    with open(name, "w", encoding="ascii") as file:
        file.write(ROD + (f"method: {method}\n" if method else ""))
    return name


def sarrus(*arguments):
    return subprocess.run([PROGRAM, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=3600)


def method_of(*arguments):
    got = sarrus("run", *arguments, "--end", "0.2", "--json")
    assert got.returncode == 0, got.stderr
    report = json.loads(got.stdout)
    return report["method"], report["warnings"]


def is_automatic(method):
    return method.get("preset") == "auto" and method["integrator"] == "dop853-radau" and method["reason"]


def test_who_names_no_method_gets_it():
    for given in ([], ["--tolerance", "1e-9"], ["--coordinates", "natural"], ["--step-max", "0.1"], ["--preset", "auto"]):
        method, warnings = method_of(path(), *given)
        assert is_automatic(method) and not warnings, (given, method, warnings)
    method, _ = method_of(path("{tolerance: 1e-9}"))
    assert is_automatic(method) and method["tolerance"] == 1e-9
    method, _ = method_of(path("{coordinates: natural}"))
    assert is_automatic(method) and method["coordinates"] == "natural"


def test_who_names_one_gets_that():
    for given in (["--step", "1e-2"], ["--alpha", "1e9"], ["--formulation", "al3"], ["--integrator", "rk4", "--formulation", "al1"],
                  ["--preset", "LMD-midpoint"], ["--newton-tolerance", "1e-8"]):
        method, _ = method_of(path(), *given)
        assert "reason" not in method and method.get("preset") != "auto", (given, method)
    for given in ("{step: 1e-2}", "{preset: hybrid}", "{formulation: al1}"):
        method, _ = method_of(path(given))
        assert "reason" not in method, (given, method)


def test_a_tolerance_alone_asks_for_it_whatever_the_model_names():
    for given in ("{step: 1e-2}", "{preset: hybrid, step: 1e-3}", "{formulation: al3, alpha: 1e9, coordinates: cartesian}"):
        method, warnings = method_of(path(given), "--tolerance", "1e-7")
        assert is_automatic(method) and method["coordinates"] == "relative" and not warnings, (given, method, warnings)
    method, _ = method_of(path("{step: 1e-2}"), "--tolerance", "1e-7", "--integrator", "dopri5", "--formulation", "al1")
    assert method["integrator"] == "dopri5"
    method, _ = method_of(path("{step: 1e-2}"), "--tolerance", "1e-7", "--preset", "ALi3p")
    assert method["integrator"] == "trapezoidal-variable"


def test_results_have_a_thousand_intervals():
    result = os.path.join(FOLDER.name, "rod.csv")
    for given, rows in (([], 1001), (["--sample", "0.01"], 201)):
        got = sarrus("run", path(), "--end", "2", *given, "-o", result, "--quiet")
        assert got.returncode == 0, got.stderr
        with open(result, encoding="ascii") as file:
            assert len(file.readlines()) == rows + 1


def test_real_time_has_a_fixed_step():
    got = sarrus("run", path(), "--realtime=1000", "--end", "0.1", "--json")
    assert got.returncode in (0, 5), got.stderr
    assert json.loads(got.stdout)["method"]["integrator"] == "trapezoidal"


def test_the_report_says_what_and_why():
    text = sarrus("run", path()).stdout
    assert "auto: relative, chart, dop853-radau" in text and "joint coordinates: 1" in text
    assert "coordinates relative" in sarrus("check", path()).stdout


def test_driven_mechanisms_are_where_their_drives_are():
    """Beside `sarrus kinematics`, which integrates nothing; drives that begin at rest, and others."""
    for name in ("driven-crank", "driven-cross", "driven-distance"):
        model = os.path.join(ROOT, "tests", "models", name + ".yaml")
        files = [os.path.join(FOLDER.name, f) for f in ("run.csv", "kinematics.csv")]
        for command, file, more in (("run", files[0], ["--tolerance", "1e-6"]), ("kinematics", files[1], [])):
            got = sarrus(command, model, "--sample", "0.01", "--quiet", "-o", file, *more)
            assert got.returncode == 0, got.stderr
        got = json.loads(sarrus("compare", *files, "--json").stdout)
        assert got["total_error"] < 1e-12, (name, got)


FLAT = """\
sarrus: 1
name: flat
dimension: 3
parameters: {a: 1.2, b: 0.9, c: 0.7}
bodies:
  crank: {mass: 1, center: [0.5, 0.2, 0.1], inertia: [0.1, 0.2, 0.15], position: [0, 0, 0]}
  coupler: {mass: 1, center: [0.3, 0.4, 0.1], inertia: [0.1, 0.2, 0.15], position: [0, 0, 0]}
  rocker: {mass: 1, center: [0.2, 0.5, 0.3], inertia: [0.1, 0.2, 0.15], position: [0, 0, 0]}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [1, 0, 0]}
  B: {type: revolute, between: [crank, coupler], at: [0, 0, 0], axis: [cos(a), sin(a), 0]}
  C: {type: revolute, between: [coupler, rocker], at: [0, 0, 0], axis: [cos(a + b), sin(a + b), 0]}
  D: {type: revolute, between: [rocker, ground], at: [0, 0, 0], axis: [cos(a + b - c), sin(a + b - c), 0]}
outputs: {A: A.angle, B: B.angle, D: D.angle, energy: energy.total}
"""


def test_a_start_where_motions_meet_is_as_accurate_as_others():
    """A spherical four-bar begins flat, on each of its two motions: nothing acts on it, so its energy stays."""
    model, result = os.path.join(FOLDER.name, "flat.yaml"), os.path.join(FOLDER.name, "flat.csv")
    with open(model, "w", encoding="ascii") as file:
        file.write(FLAT + "start: {A.rate: 1}\nmethod: {end: 4}\n")
    branches = json.loads(sarrus("check", model, "--at", "0", "--json").stdout)["position"]["branches"]
    assert len(branches) == 2, branches
    for branch in branches:
        rate = branch["directions"][0]["outputs"]
        with open(model, "w", encoding="ascii") as file:
            file.write(FLAT + f"start: {{A.rate: {rate['A']!r}, B.rate: {rate['B']!r}}}\nmethod: {{end: 4}}\n")
        ends = []
        for coordinates in ("relative", "natural", "cartesian", "increments"):
            got = sarrus("run", model, "--coordinates", coordinates, "--tolerance", "1e-9", "-o", result)
            assert got.returncode == 0 and "1 passage" in got.stdout, got.stdout + got.stderr
            with open(result, encoding="ascii") as file:
                rows = [[float(x) for x in line.split(",")] for line in file if line[0].isdigit()]
            assert max(abs(row[4] - rows[0][4]) for row in rows) < 1e-9 * rows[0][4], (coordinates, rate)
            ends.append(rows[-1])
        assert all(abs(x - y) < 1e-7 for end in ends for x, y in zip(end, ends[0])), ends


def test_long_chains_in_coordinates_that_were_asked_for():
    """Charts of many degrees of freedom would take minutes: index 1 in their place, with the same motion."""
    result, ends = os.path.join(FOLDER.name, "chain.csv"), {}
    for coordinates in ("relative", "natural", "cartesian", "increments"):
        got = sarrus("run", "chain", "--set", "n=64", "--preset", "auto", "--coordinates", coordinates, "--end", "1", "--json", "-o", result)
        method = json.loads(got.stdout)["method"]
        assert got.returncode == 0 and method["coordinates"] == coordinates and method["formulation"] == "al1", got.stdout
        with open(result, encoding="ascii") as file:
            ends[coordinates] = [float(x) for x in list(file)[-1].split(",")]
    for end in ends.values():
        assert all(abs(x - y) < 1e-6 * (1 + abs(y)) for x, y in zip(end, ends["relative"])), ends
    said = sarrus("run", "chain", "--set", "n=16", "--formulation", "chart", "--integrator", "dop853", "--coordinates", "natural", "--end", "0.01")
    assert said.returncode == 0 and "degrees of freedom takes long" in said.stderr, said.stderr


if __name__ == "__main__":
    sys.exit(every_test.run(globals()))
