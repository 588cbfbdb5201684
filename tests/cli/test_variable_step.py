#!/usr/bin/env python3
"""Methods that choose their step, from the command line: rows at the times asked for, tolerance in reports, clean failures.

Usage: test_variable_step.py PROGRAM SOURCE_ROOT
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import every_test

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory()


def sarrus(*arguments):
    return subprocess.run([PROGRAM, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=3600)


def rows(*arguments):
    path = pathlib.Path(FOLDER.name, "out.csv")
    got = sarrus("run", *arguments, "-o", str(path), "--quiet")
    assert got.returncode == 0, got.stderr
    return np.loadtxt(path, delimiter=",", skiprows=1)


def reference(problem):
    return np.loadtxt(ROOT / "problems" / problem / "reference.csv", delimiter=",", skiprows=1)


METHOD = ("--formulation", "nullspace", "--integrator")


def test_rotations_between_steps():
    """Positions that are no vectors: the step is chosen and rows are interpolated along rotations, with joints and free."""
    wanted = reference("spatial-double-pendulum")
    step = wanted[1, 0] - wanted[0, 0]
    errors = []
    for tolerance in ("1e-6", "1e-8"):
        got = rows("spatial-double-pendulum", "--coordinates", "increments", "--integrator", "trapezoidal-variable",
                   "--tolerance", tolerance, "--sample", repr(step), "--end", "4")
        same = wanted[:len(got)]
        assert np.allclose(got[:, 0], same[:, 0], atol=1e-12)
        errors.append(np.abs(got[:, 1:7] - same[:, 1:7]).max())
    assert errors[1] < 1e-4 and errors[1] < 0.1 * errors[0], errors


def test_rows_are_at_the_sample_times():
    wanted = reference("pendulum")
    for integrator, most in (("dopri5", 1e-6), ("bdf", 1e-4)):
        got = rows("pendulum", *METHOD, integrator, "--tolerance", "1e-8", "--sample", "0.01")
        assert got.shape == wanted.shape and np.allclose(got[:, 0], wanted[:, 0], atol=1e-12)
        assert np.max(np.abs(got - wanted)) < most, integrator
    fine = rows("pendulum", *METHOD, "dopri5", "--tolerance", "1e-8", "--sample", "0.001", "--end", "1")
    assert len(fine) == 1001 and np.allclose(fine[::10], wanted[:101], atol=1e-6)


def test_rows_at_steps_without_a_sample_interval():
    summary = json.loads(sarrus("run", "pendulum", *METHOD, "dopri5", "--json").stdout)
    assert summary["status"] == "completed" and summary["time"]["steps"] < 1000
    got = rows("pendulum", *METHOD, "dopri5")
    assert len(got) == summary["time"]["steps"] + 1 and got[-1, 0] == 10
    many = rows("pendulum", *METHOD, "dopri5", "--step-max", "2e-4")  # 50 000 steps
    assert 5000 < len(many) <= 10002 and many[-1, 0] == 10 and np.all(np.diff(many[:, 0]) > 0)


def test_fixed_steps_are_interpolated():
    got = rows("pendulum", "--sample", "0.0025", "--end", "1")
    assert np.allclose(got[:, 0], 0.0025 * np.arange(401), atol=1e-12)
    assert np.max(np.abs(got[::4] - reference("pendulum")[:101])) < 1e-4


def test_all_quantities_are_those_of_steps():
    path = pathlib.Path(FOLDER.name, "all.h5")
    got = sarrus("run", "pendulum", *METHOD, "dopri5", "--sample", "0.1", "--all", "-o", str(path), "--json")
    import h5py
    if "no HDF5" in got.stderr:
        return
    assert got.returncode == 0, got.stderr
    with h5py.File(path) as file:
        t = np.ravel(file["time"])
        position = np.reshape(file["bodies/bob/quaternion"], (len(t), 4))
        x = np.ravel(file["outputs/x"])
    assert 50 < len(t) <= 102
    assert np.allclose(x, position[:, 0] ** 2 - position[:, 3] ** 2, atol=1e-4)  # tip of a unit rod: the same instant


def test_report_says_tolerance():
    got = sarrus("run", "slider-crank-2", "--preset", "mNS", "--tolerance", "1e-5")
    assert got.returncode == 0 and "tolerance 1e-05" in got.stdout and "rejected" in got.stdout
    method = json.loads(sarrus("run", "pendulum", "--preset", "mNS", "--json").stdout)
    assert method["method"]["tolerance"] == 1e-6 and method["time"]["rejected"] >= 0


def test_failures_are_ours():
    got = sarrus("run", "slider-crank-1", "--preset", "mNS", "--tolerance", "1e-10", "--end", "1.3")
    assert got.returncode == 1 and "singular configuration" in got.stderr and "al3" in got.stderr
    assert all(line.startswith(("sarrus run:", "The last good time")) for line in got.stderr.splitlines()), got.stderr
    rough = ["--formulation", "penalty", "--integrator", "dopri5", "--alpha", "1e12", "--omega", "10"]
    got = sarrus("run", "slider-crank-1", *rough, "--tolerance", "1e-13")  # below the rounding of the rates
    assert got.returncode == 1 and "the step became too small at t = " in got.stderr
    assert "ARK" not in got.stderr and "CVODE" not in got.stderr
    got = sarrus("run", "pendulum", "--integrator", "trapezoidal", "--tolerance", "1e-5")  # not an option of that rule
    assert got.returncode == 2 and "dopri5" in got.stderr


def test_a_tolerance_asks_for_steps_that_are_chosen():
    for preset, integrator in (("ALi3p", "trapezoidal-variable"), ("LMD-midpoint", "own-variable")):
        got = sarrus("run", "pendulum", "--preset", preset, "--tolerance", "1e-6", "--json")
        assert json.loads(got.stdout)["method"]["integrator"] == integrator, got.stdout


def main():
    if "dopri5" not in sarrus("methods").stdout:
        print("built without SUNDIALS: nothing to test")
        return 0
    return every_test.run(globals())


if __name__ == "__main__":
    sys.exit(main())
