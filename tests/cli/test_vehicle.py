"""The car of problems/vehicle: where it rests, how it answers the steering wheel, and that methods agree.

    python3 test_vehicle.py PROGRAM SOURCE_ROOT

Wanted are the figures of an independent program, printed to about 1 % of the peaks; limits on them are 2 %.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

import built

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
VEHICLE = os.path.join(ROOT, "problems", "vehicle")
WHEELS = ("fl", "fr", "rl", "rr")


def sarrus(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=3600, check=False,
                          env={**os.environ, "SARRUS_CERTIFY": "no"})  # the methods are held against each other here
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done.stdout


def run(end, *options):
    """The report, and the outputs by time."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "run.csv")
        report = json.loads(sarrus("run", VEHICLE, "--end", str(end), "--sample", "0.01", "-o", file, "--json", *options))
        with open(file, encoding="utf-8") as table:
            return report, {round(float(row["time"]), 6): {k: float(v) for k, v in row.items()} for row in csv.DictReader(table)}


def test_counts():
    for coordinates in ("natural", "cartesian", "increments", "relative"):
        got = json.loads(sarrus("check", VEHICLE, "--set", "held=0", "--equilibrium=0", "--json", "--coordinates", coordinates))
        assert got["bodies"] == 53 and got["joints"] == 49, got
        assert got["rank"]["dof"] == 134 and got["rank"]["redundant"] == 0, (coordinates, got["rank"])


def test_equilibrium():
    got = json.loads(sarrus("check", VEHICLE, "--json"))["outputs"]
    for wheel, load, strut in zip(WHEELS, (4478.2, 4465.9, 3995.3, 3985.8), (0.52110, 0.52127, 0.49983, 0.50016)):
        assert abs(got[f"Fz_{wheel}"] - load) < 0.5, (wheel, got[f"Fz_{wheel}"], load)
        assert abs(got[f"strut_{wheel}"] - strut) < 2e-5, (wheel, got[f"strut_{wheel}"], strut)
    assert abs(got["z"] - 0.60168) < 1e-5, got["z"]
    assert abs(sum(got[f"Fz_{wheel}"] for wheel in WHEELS) - 1725.303 * 9.81) < 1.0  # the damper of the tyres sees the speed


def test_one_equilibrium():
    """The same in all coordinates, found in about ten iterations."""
    wanted = None
    for coordinates in ("increments", "natural", "cartesian", "relative"):
        found = json.loads(sarrus("equilibrium", VEHICLE, "--json", "--coordinates", coordinates))
        got = found["outputs"]
        wanted = wanted or got
        assert found["iterations"] <= 20 and found["undetermined"] == 12, (coordinates, found)
        for wheel in WHEELS:
            assert abs(got[f"Fz_{wheel}"] - wanted[f"Fz_{wheel}"]) < 1e-5, (coordinates, wheel, got, wanted)
            assert abs(got[f"strut_{wheel}"] - wanted[f"strut_{wheel}"]) < 1e-10, (coordinates, wheel, got, wanted)


def near(manoeuvre, rows, wanted, peaks):
    for t, values in wanted.items():
        for name, value in values.items():
            assert abs(rows[t][name] - value) < 0.02 * peaks[name], (manoeuvre, t, name, rows[t][name], value)


def test_manoeuvres():
    """Within 2 % of the peaks, and the balance of energy, what tyres and dampers take and the engine gives included, to 1e-4 of the kinetic energy."""
    peaks = {"y": 1.99, "yaw": 0.12, "roll": 0.044, "vy": 0.25, "yaw_rate": 0.205, "Fz_fr": 5700, "Fy_fr": 1603, "Fy_rr": 1320}
    report, rows = run(1.5, "--step", "2e-3")
    near("lane change", rows, {
        1.25: {"y": 0.0158, "yaw": 0.01288, "roll": 0.01432, "vy": -0.0602, "yaw_rate": 0.1329, "Fz_fr": 5006, "Fy_fr": 1025, "Fy_rr": 108},
        1.5: {"y": 0.1193, "yaw": 0.05894, "roll": 0.04148, "vy": -0.2360, "yaw_rate": 0.2042, "Fz_fr": 5681, "Fy_fr": 1579, "Fy_rr": 1053}},
        peaks)
    assert abs(report["energy"]["max_drift"]) < 1e-4 * 0.5 * 1725 * 16.67**2, report["energy"]
    peaks = {"y": 3.09, "yaw": 0.12, "roll": 0.025, "vy": 0.2, "yaw_rate": 0.17, "Fz_fr": 4960, "Fy_fr": 678, "Fy_rr": 1000}
    report, rows = run(4.0, "--step", "2e-3", "--set", "manoeuvre=2")
    near("swept steer", rows, {
        2.0: {"y": 0.1744, "yaw": 0.03766, "roll": 0.01655, "vy": -0.0689, "yaw_rate": 0.0782, "Fz_fr": 4940, "Fy_fr": 678, "Fy_rr": 233},
        3.0: {"y": 1.4342, "yaw": 0.11455, "roll": 0.01109, "vy": -0.0290, "yaw_rate": 0.0275, "Fz_fr": 4712, "Fy_fr": 276, "Fy_rr": 85},
        4.0: {"y": 3.0948, "yaw": 0.05927, "roll": -0.02098, "vy": 0.0776, "yaw_rate": -0.0691, "Fz_fr": 3932, "Fy_fr": -483, "Fy_rr": -782}},
        peaks)
    assert abs(report["energy"]["max_drift"]) < 1e-4 * 0.5 * 1725 * 16.67**2, report["energy"]


def test_methods_agree():
    """From the drawing. Second order in the step, and one motion, by methods that share little: index 3, three fields, ordinary and differential-algebraic solvers."""
    names = {"x": 1e-6, "z": 1e-6, "Fz_fr": 2.0}  # regression limits at 1 ms
    _, exact = run(0.01, "--equilibrium=0", "--coordinates", "relative", "--formulation", "nullspace", "--integrator", "dopri5", "--tolerance", "1e-7")

    def errors(*options):
        _, rows = run(0.01, "--equilibrium=0", *options)
        return {n: abs(rows[0.01][n] - exact[0.01][n]) for n in names}

    for coordinates, steps in (("increments", ("2e-3", "1e-3")), ("relative", ("2e-3", "1e-3")), ("natural", ("1e-3", "5e-4")), ("cartesian", ("1e-3", "5e-4"))):
        for preset in ((), ("--preset", "LMD-midpoint")):
            coarse, fine = (errors("--coordinates", coordinates, *preset, "--step", step) for step in steps)
            for name, limit in names.items():
                assert fine[name] < coarse[name] / 3.0, (coordinates, preset, name, coarse[name], fine[name])
                assert fine[name] < limit, (coordinates, preset, name, fine[name])
    for name, error in errors("--coordinates", "increments", "--preset", "BDF-DAE", "--tolerance", "1e-5").items():
        assert error < names[name], (name, error)


test_counts()
test_equilibrium()
if not built.sanitized(PROGRAM):
    test_one_equilibrium()
    test_manoeuvres()
if built.full(PROGRAM):
    test_methods_agree()
