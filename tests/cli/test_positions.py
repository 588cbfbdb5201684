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

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
COORDINATES = ("natural", "cartesian", "increments", "relative")
VERDICTS = {0: "valid", 1: "failed", 4: "cannot assemble"}


def sarrus(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=120, check=False)


def models():
    return sorted(glob.glob(os.path.join(ROOT, "problems", "*", "model.yaml")) +
                  glob.glob(os.path.join(ROOT, "tests", "models", "*.yaml")))


def look(model, coordinates):
    """A little way into the run, where everything moves. The text needs its own pass: it shows rates in columns."""
    arguments = ("check", model, "--coordinates", coordinates, "--at", "0.002", "--step", "0.001")
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
    every = [(m, c) for m in models() for c in COORDINATES]
    assert len(every) > 200
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


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok", name)
