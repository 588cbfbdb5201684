"""`sarrus check` in every model and all coordinates: it always has something to say, and never falls over.

    python3 test_positions.py PROGRAM SOURCE_ROOT
"""
import concurrent.futures
import glob
import json
import math
import os
import subprocess
import sys
import tempfile

import built

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
COORDINATES = ("natural", "cartesian", "increments", "relative")
VERDICTS = {0: "valid", 1: "failed", 4: "cannot assemble"}


def sarrus(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=3600, check=False)


def models():
    return sorted(glob.glob(os.path.join(ROOT, "problems", "*", "model.yaml")) +
                  glob.glob(os.path.join(ROOT, "tests", "models", "*.yaml")))


def look(model, coordinates):
    """A little way into the run, where everything moves; from the drawing, which costs less than an equilibrium. The text needs its own pass: it shows rates in columns."""
    arguments = ("check", model, "--coordinates", coordinates, "--at", "0.002", "--step", "0.001", "--equilibrium=0")
    text, done = sarrus(*arguments), sarrus(*arguments, "--json")
    for got in (text, done):
        assert got.returncode in (0, 1, 2, 4), (arguments, got.returncode, got.stderr)  # a signal is negative
    assert text.returncode == done.returncode, (arguments, text.stderr, done.stderr)
    if done.returncode == 2:  # these coordinates do not know such a joint, or the method does not take the step
        return
    got = json.loads(done.stdout)
    assert got["status"] == VERDICTS[done.returncode], (arguments, got["status"])
    if done.returncode:
        assert got["failure"] and "position" not in got, (arguments, got)
        return
    assert "position    at t = 0.002 s" in text.stdout, (arguments, text.stdout)
    for name, rate in got["position"].get("velocity", {}).get("admissible", {}).get("outputs", {}).items():
        assert isinstance(rate, (int, float)) and math.isfinite(rate), (arguments, name, rate)


def test_every_model_in_all_coordinates():
    every = built.take_turns(PROGRAM, models(), COORDINATES)
    assert len({model for model, _ in every}) > 50
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for done in [pool.submit(look, *one) for one in every]:
            done.result()


def test_rates_of_positions_alone():
    """The tip of a pendulum about the origin: x' = -y w, y' = x w, whatever the coordinates."""
    for coordinates in COORDINATES:
        done = sarrus("check", "pendulum", "--coordinates", coordinates, "--at", "0.5", "--json")
        got = json.loads(done.stdout)
        velocity, at = got["position"]["velocity"]["admissible"], got["outputs"]
        rate, spin = velocity["outputs"], velocity["bodies"]["bob"][5]
        assert abs(spin) > 0.1, rate
        assert abs(rate["x"] + at["y"] * spin) < 1e-9 * abs(spin), (coordinates, rate, at)
        assert abs(rate["y"] - at["x"] * spin) < 1e-9 * abs(spin), (coordinates, rate, at)


LINKAGE = """
sarrus: 1
name: linkage
dimension: 3
parameters: {l: 0.5, a: 0.4, m: 1, skew: 0}
gravity: [0, 0, -9.81]
ground: {points: {A1: [a, 0, 0], B1: [0, a, 0]}, axes: {hinge: [skew, 1, 0]}}
bodies:
  lowA: {mass: m, center: [l/2,0,0], inertia: [0.001, m*l^2/12, m*l^2/12], points: {E: [l,0,0]}, position: [a,0,0], rotation: {axis: [0,1,0], angle: -0.9}}
  upA:  {mass: m, center: [l/2,0,0], inertia: [0.001, m*l^2/12, m*l^2/12], points: {E: [l,0,0]}, position: [a,0,0.8], rotation: {axis: [0,1,0], angle: 0.9}}
  lowB: {mass: m, center: [0,l/2,0], inertia: [m*l^2/12, 0.001, m*l^2/12], points: {E: [0,l,0]}, position: [0,a,0], rotation: {axis: [1,0,0], angle: 0.9}}
  upB:  {mass: m, center: [0,l/2,0], inertia: [m*l^2/12, 0.001, m*l^2/12], points: {E: [0,l,0]}, position: [0,a,0.8], rotation: {axis: [1,0,0], angle: -0.9}}
  plate: {mass: 3, inertia: [0.1, 0.1, 0.2], points: {A: [a,0,0], B: [0,a,0]}, position: [0,0,0.8], rotation: {rpy: [0,0,0]}}
joints:
  A1: {type: revolute, between: [ground.A1, lowA], axis: [ground.hinge, lowA.y]}
  A2: {type: revolute, between: [lowA.E, upA.E], axis: [lowA.y, upA.y]}
  A3: {type: revolute, between: [upA, plate.A], axis: [upA.y, plate.y]}
  B1: {type: revolute, between: [ground.B1, lowB], axis: [ground.x, lowB.x]}
  B2: {type: revolute, between: [lowB.E, upB.E], axis: [lowB.x, upB.x]}
  B3: {type: revolute, between: [upB, plate.B], axis: [upB.x, plate.x]}
outputs: {z: plate.origin.z}
"""


def with_text(text, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return sarrus(arguments[0], path, *arguments[1:])


def test_redundancy_is_a_property_of_the_joints():
    """30 conditions on 30 freedoms, and it moves: one of them is implied by the others. Natural coordinates have no
    equation for it."""
    for coordinates in COORDINATES:
        got = json.loads(with_text(LINKAGE, "check", "--coordinates", coordinates, "--json").stdout)
        assert got["rank"]["dof"] == 1 and got["rank"]["redundant"] == 1, (coordinates, got["rank"])
        assert len(got["redundant_joints"]) == 1, (coordinates, got)
        assert set(got["indeterminate_joints"]) == {"A1", "A2", "A3", "B1", "B2", "B3"}, (coordinates, got)
        text = with_text(LINKAGE, "check", "--coordinates", coordinates).stdout
        assert "the split of the reactions among A1, A2, A3, B1, B2, B3 is not" in text, text
    for model, wanted in (("four-bar", 3), ("ladder", 14), ("tests/models/universal-shaft.yaml", 3), ("bricard", 1)):
        for coordinates in COORDINATES:
            got = json.loads(sarrus("check", model, "--coordinates", coordinates, "--json").stdout)
            assert got["rank"]["redundant"] == wanted, (model, coordinates, got["rank"])


def test_nothing_is_told_of_what_was_not_computed():
    """One axis far off: it cannot be assembled, so there is no rank."""
    for coordinates in COORDINATES:
        arguments = ("check", "--coordinates", coordinates, "--set", "skew=0.3")
        done = with_text(LINKAGE, *arguments, "--json")
        got = json.loads(done.stdout)
        assert done.returncode == 4 and got["status"] == "cannot assemble", (coordinates, done)
        assert got["rank"]["constraints"] > 0 and got["rank"]["dof"] is None, (coordinates, got["rank"])
        assert "indeterminate_joints" not in got and "redundant_joints" not in got
        text = with_text(LINKAGE, *arguments).stdout
        assert "freedom" not in text and "redundant" not in text and "rank" not in text, text


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok", name)
