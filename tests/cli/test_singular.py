"""Singular configurations as users meet them: `sarrus check --at`, starts on such a position and starts as given.

    python3 test_singular.py PROGRAM SOURCE_ROOT
"""
import csv
import io
import json
import math
import os
import subprocess
import sys
import tempfile

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])

sys.path.insert(0, os.path.join(ROOT, "tools", "trust"))
import numpy as np

import crossings
import drawings
import program

BESIDE = """\
sarrus: 1
name: beside
dimension: 2
gravity: [0, -9.81]
ground: {points: {A: [0, 0], D: [1, 0]}}
bodies:
  crank: {mass: 1, center: [0.2, 0], inertia: 0.02, points: {a: [0, 0], b: [0.4, 0]}, position: [0, 0], angle: pi/2}
  rod: {mass: 1, center: [0.5, 0], inertia: 0.1, points: {b: [0, 0], c: [1, 0]}, position: [0, 0.4], angle: 0}
  rocker: {mass: 1, center: [0.2, 0], inertia: 0.02, points: {d: [0, 0], c: [0.4, 0]}, position: [1, 0], angle: pi/2 - 0.2}
joints:
  A: {type: revolute, between: [ground.A, crank.a]}
  B: {type: revolute, between: [crank.b, rod.b]}
  C: {type: revolute, between: [rod.c, rocker.c]}
  D: {type: revolute, between: [ground.D, rocker.d]}
outputs: {angle: A.angle}
method: {step: 1e-3, end: 0.2}
"""  # the rocker is drawn beside its place


def sarrus(wanted, *arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=3600, check=False)
    assert done.returncode == wanted, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def check(*arguments):
    return json.loads(sarrus(0, "check", *arguments, "--json").stdout)


def near(got, wanted, tolerance=1e-6):
    assert abs(got - wanted) <= tolerance, (got, wanted)


def rows(*arguments, code=0):
    return [{k: float(v) for k, v in row.items()}
            for row in csv.DictReader(io.StringIO(sarrus(code, "run", *arguments, "-o", "-").stdout))]


def test_two_motions_meet_in_the_slider_crank():
    for coordinates in ("natural", "cartesian"):
        got = check("slider-crank-1", "--at", "singular", "--coordinates", coordinates)["position"]
        near(got["t"], 0.391732, 1e-4)  # of the reference
        assert got["singular"] and got["rank_elsewhere"] - got["rank"] == 1 and got["dof"] == 2
        assert len(got["branches"]) == 2 and len(got["singular_values"]) == got["rank"] + 1
        first, second = (b["directions"][0]["outputs"] for b in got["branches"])
        near(first["xQ"], 2 * first["xP"], 1e-5)
        near(second["xQ"], 0, 1e-5)
        near(got["branches"][0]["share"], 1)
        near(abs(got["branches"][1]["share"]), 0.75)  # x'My of (1, 0, 2), (1, 0, 0) by their norms
        near(got["branches"][1]["eta"], 0)
        near(abs(got["velocity"]["admissible"]["outputs"]["theta1"]), 1.687, 1e-3)
        assert got["velocity"]["constrained_energy"] < 1e-12
        # nothing but the crank and the rod moves on the second branch
        bodies = got["branches"][1]["directions"][0]["bodies"]
        assert max(map(abs, bodies["slider"])) < 1e-5 < max(map(abs, bodies["rod"]))


def test_text_of_a_singular_configuration():
    text = sarrus(0, "check", "slider-crank-1", "--at", "singular").stdout
    for words in ("singular configuration: rank 1, elsewhere 2", "2 motions meet here", "rests: slider",
                  "the velocity follows 1", "violation"):
        assert words in text, (words, text)
    text = sarrus(0, "check", "n-four-bar", "--at", "singular").stdout
    assert "3 motions meet here" in text and "moves: crank2, coupler2" in text, text


def test_text_of_a_regular_position():
    text = sarrus(0, "check", "slider-crank-1", "--at", "1").stdout
    assert "regular position: rank 2, 1 degree of freedom" in text and "at t = 1 s" in text, text
    near(check("slider-crank-1", "--at", "1")["outputs"]["theta1"], 3.36275015648419, 1e-4)  # 34 digits
    text = sarrus(0, "check", "slider-crank-1", "--at", "0.3917").stdout
    assert "near a singular one" in text, text
    text = sarrus(0, "check", "slider-crank-1", "--at", "0.3917", "--rank-tolerance", "1e-3").stdout
    assert "2 motions meet here" in text, text


def test_a_singular_start_is_told():
    text = sarrus(0, "check", "slider-crank-singular").stdout
    assert "the start is a singular configuration" in text and "motion is unique" not in text, text
    got = check("slider-crank-singular", "--at", "0", "--set", "eta2=0.5")["position"]
    outputs = [b["directions"][0]["outputs"]["xP"] * b["eta"] for b in got["branches"]]
    near(outputs[0], -2)
    near(outputs[1], 0.5)
    text = sarrus(0, "check", "slider-crank-singular", "--at", "0", "--set", "eta2=0.5").stdout
    assert "is on none of them" in text, text


def test_where_it_cannot_be_gone_to():
    assert "no singular configuration" in sarrus(1, "check", "pendulum", "--at", "singular").stderr
    sarrus(2, "check", "pendulum", "--at", "never")
    sarrus(2, "check", "pendulum", "--at", "-1")
    got = json.loads(sarrus(1, "check", "slider-crank-3", "--at", "3", "--step", "0.05", "--alpha", "1e3",
                            "--rescue=0", "--json").stdout)
    assert got["status"] == "failed" and "converge" in got["failure"] and "position" not in got


def test_start_as_given():
    wanted = ["slider-crank-singular", "--set", "eps=0.01", "--end", "0.01", "--step", "1e-3", "--best-effort"]
    failed = sarrus(4, "run", *wanted)  # the constraints cannot be satisfied with these demands
    assert "cannot be assembled" in failed.stderr
    first = rows(*wanted, "--assemble=0", code=6)[0]  # the energy of the gap is gone at once
    assert first["xP"] == -0.01 and first["xQ"] == 0.01 and first["yP"] == 1, first
    got = json.loads(sarrus(6, "run", *wanted, "--assemble=0", "--json").stdout)
    assert got["assembly"]["verdict"] == "as given"
    near(got["assembly"]["residual"], 0.08)  # 2 (xP - xQ) (xP' - xQ')
    assert any("started as given" in w for w in got["warnings"]), got["warnings"]
    assert any("do not trust" in w for w in got["warnings"]), got["warnings"]
    soft = ["slider-crank-singular", "--coordinates", "natural", "--formulation", "penalty", "--integrator", "trapezoidal", "--alpha", "1e7", "--step", "1e-3", "--end", "0.1"]
    given = json.loads(sarrus(0, "run", *soft, "--assemble=0", "--json").stdout)  # on the constraints, which a penalty leaves later
    assert not any("do not trust" in w for w in given["warnings"]), given["warnings"]
    assert got["method"]["assemble"] == 0
    assert "starts as given" in sarrus(0, "check", "slider-crank-singular", "--assemble=0").stdout


def test_start_beside_the_constraints():
    """Taken as given it is on no branch: it is reported that an impact decides which one is taken, and methods that need one say so."""
    with tempfile.TemporaryDirectory(prefix="sarrus-beside-") as folder:
        path = os.path.join(folder, "beside.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(BESIDE)
        for coordinates in ("natural", "cartesian", "increments", "relative"):
            asked = ["run", path, "--assemble=0", "--end", "0.2", "--coordinates", coordinates]
            got = json.loads(sarrus(6, *asked, "--preset", "ALi3p", "--json").stdout)
            assert any("on no branch" in w for w in got["warnings"]) and not got["trusted"], got["warnings"]
            assert "misses the constraints by" in sarrus(1, *asked, "--preset", "auto").stderr
            assert json.loads(sarrus(0, *asked[:2], *asked[3:], "--preset", "ALi3p", "--json").stdout)["trusted"]


def test_steps_that_are_kept_where_nothing_is_singular():
    got = json.loads(sarrus(0, "run", "bricard", "--preset", "LMD", "--coordinates", "cartesian", "--step", "1e-2", "--end", "1", "--json").stdout)
    assert got["time"]["not_converged"] > 0 and not any("singular" in w for w in got["warnings"]), got["warnings"]


def test_drawing_that_is_rigid():
    """An octahedron of hinged plates with four digits, every corner in one place: it closes as drawn, and nowhere else."""
    runs = program.Program(PROGRAM)
    model = drawings.drawn(drawings.exact("octahedron", ROOT), "common", np.random.default_rng(7))
    for digits in (4, 9):
        got = runs.run(drawings.with_digits(model, digits), "--coordinates", "natural", "--end", "0.02")
        assert got.code == 0 and any("no motion leads out" in w for w in got.report["warnings"]) == (digits == 4), (digits, got.report["warnings"])


def test_axis_that_is_a_little_askew():
    """A Bricard linkage moves with exact axes only. What holds it, holds it weakly: that counts for the freedoms told."""
    text = open(os.path.join(ROOT, "problems", "bricard", "model.yaml"), encoding="utf-8").read()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "askew.yaml")
        for askew in (0, 1e-5, 1e-2):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace("rod4.a], axis: [0, 1, 0]", f"rod4.a], axis: [{askew}, 1, 0]"))
            got = json.loads(sarrus(0, "run", path, "--preset", "auto", "--end", "1", "--json").stdout)
            assert got["rank"]["dof"] == (0 if askew else 1), (askew, got["rank"])
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("rod4.a], axis: [0, 1, 0]", "rod4.a], axis: [1e-3, 1, 0]"))
        refused = sarrus(1, "run", path, "--end", "1").stderr
        assert "contradict each other" in refused and "()" not in refused, refused


def test_crank_that_is_one_too_many():
    """Three cranks drawn with six digits contradict each other everywhere, and most in the singular configurations that they miss: 10 passages."""
    runs, braced = program.Program(PROGRAM), crossings.made("braced", 0, 6007)
    truth = runs.run(crossings.model_of(braced, None), "--tolerance", "1e-10", "--sample", "0.02").rows
    for k, coordinates in enumerate(crossings.COORDINATES):
        for method in ("auto", "fixed"):
            got = runs.run(crossings.model_of(braced, 6 + k % 2), *crossings.options_of(coordinates, method))
            error = crossings.distance(got.rows, truth) if got.code == 0 else got.message()
            assert got.code == 0 and error < 1e-3 and got.report["singular_pass_count"] == 10, (coordinates, method, error)


def test_start_with_velocity_on_both_branches():
    given = ["slider-crank-singular", "--set", "eta2=-0.5", "--end", "0.001"]
    assert "along none of them" in sarrus(4, "run", *given).stderr
    first = rows(*given, "--best-effort")[0]
    near(first["theta1"], math.pi / 2, 1e-12)
    got = check("slider-crank-singular", "--at", "0", "--set", "eta2=-0.5")["position"]["velocity"]
    near(got["admissible"]["outputs"]["xP"], -2.5, 1e-9)
    near(got["admissible"]["outputs"]["xQ"], -4, 1e-9)
    near(got["constrained_energy"], 0, 1e-12)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok", name)
