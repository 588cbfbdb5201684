"""sarrus kinematics and sarrus inverse as users meet them.

    python3 test_motion.py PROGRAM SOURCE_ROOT
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
CRANK = "tests/models/driven-crank.yaml"


def sarrus(wanted, *arguments, text=None):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=3600, check=False,
                          input=text)
    assert done.returncode == wanted, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def table(text):
    return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(io.StringIO(text))]


def model(old="", new=""):
    with open(os.path.join(ROOT, CRANK), encoding="utf-8") as file:
        text = file.read()
    assert old in text
    return text.replace(old, new)


PISTON = ("motor: {joint: O, coordinate: angle, value: th0 + w*t}",
          "motor: {joint: guide, coordinate: displacement, value: r + l - 0.05*(t - 1)^2}")


def test_kinematics_is_exact_at_any_interval():
    r, l, w, th0 = 0.3, 0.8, 4, 0.5
    for coordinates in ("natural", "cartesian"):
        rows = table(sarrus(0, "kinematics", CRANK, "--sample", "0.3", "--coordinates", coordinates, "-o", "-").stdout)
        assert list(rows[0]) == ["time", "theta", "x", "vx"]
        assert [round(row["time"], 9) for row in rows] == [0, 0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2]
        for row in rows:
            th = th0 + w * row["time"]
            assert abs(row["theta"] - th) < 1e-12
            assert abs(row["x"] - (r * math.cos(th) + math.sqrt(l**2 - (r * math.sin(th))**2))) < 1e-12


def test_inverse_has_a_column_per_drive_and_reactions_on_request():
    plain = table(sarrus(0, "inverse", CRANK, "--step", "0.1", "-o", "-").stdout)
    assert list(plain[0]) == ["time", "theta", "x", "vx", "motor.torque"] and len(plain) == 21
    full = table(sarrus(0, "inverse", CRANK, "--step", "0.1", "--reactions", "-o", "-").stdout)
    assert list(full[0])[5:8] == ["O.fx", "O.fy", "O.tz"] and "guide.fy" in full[0] and "O.fz" not in full[0]
    assert all(abs(a["motor.torque"] - b["motor.torque"]) == 0 for a, b in zip(plain, full))
    # the piston's guide bears its weight and the rod
    assert all(abs(row["guide.fx"]) < 1e-9 for row in full)


def test_the_torque_is_that_of_a_run():
    text = model("  theta: O.angle", "  theta: O.angle\n  torque: motor.torque")
    run = table(sarrus(0, "run", "-", "--step", "1e-4", "--end", "0.5", "--sample", "0.1", "-o", "-", text=text).stdout)
    inverse = table(sarrus(0, "inverse", "-", "--end", "0.5", "--sample", "0.1", "-o", "-", text=text).stdout)
    assert len(run) == len(inverse) == 6
    for a, b in zip(run, inverse):
        assert b["torque"] == b["motor.torque"]
        assert abs(a["torque"] - b["torque"]) < 1e-4, (a, b)


def test_json_and_files():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "torque.csv")
        got = json.loads(sarrus(0, "inverse", CRANK, "--sample", "1e-3", "--json", "-o", path).stdout)
        assert got["schema"] == "sarrus.inverse/1" and got["status"] == "completed"
        assert got["rank"] == {"coordinates": 3, "constraints": 3, "rank": 3, "dof": 0, "redundant": 0, "on_velocities": 0}
        assert got["rows"] == 2001 and got["output"] == path and got["undriven"] == 0
        drive, = got["drives"]
        assert drive["name"] == "motor" and drive["kind"] == "torque"
        with open(path, encoding="utf-8") as file:
            rows = table(file.read())
        assert len(rows) == 2001
        assert max(abs(row["motor.torque"]) for row in rows) == abs(drive["largest"])
        # work of the only drive is the change of the energy
        text = model("  theta: O.angle", "  energy: energy.total")
        rows = table(sarrus(0, "kinematics", "-", "--sample", "1", "-o", "-", text=text).stdout)
        assert abs(rows[-1]["energy"] - rows[0]["energy"] - drive["work"]) < 1e-4


def test_missing_drives_are_told():
    done = sarrus(1, "inverse", "bricard")
    assert "1 degree of freedom has no drive; free to move: J1, J2, J3, J4, J5, J6" in done.stderr, done.stderr
    got = json.loads(sarrus(1, "kinematics", "bricard", "--json").stdout)
    assert got["status"] == "not determined" and got["undriven"] == 1
    assert got["free_joints"] == ["J1", "J2", "J3", "J4", "J5", "J6"] and "rod3" in got["free_bodies"]


def test_singular_configurations_are_told_and_can_be_left_out():
    text = model(*PISTON)
    done = sarrus(1, "inverse", "-", "--sample", "0.25", "-o", "-", text=text)
    assert "at t = 1 s the mechanism is in a singular configuration" in done.stderr, done.stderr
    assert len(table(done.stdout)) == 4  # those before it
    done = sarrus(0, "inverse", "-", "--sample", "0.25", "--best-effort", "-o", "-", text=text)
    rows = table(done.stdout)
    assert [row["time"] for row in rows] == [0, 0.25, 0.5, 0.75, 1.25, 1.5, 1.75, 2]
    assert rows[3]["theta"] > 0 > rows[4]["theta"] and "1 singular configuration left out" in done.stderr


def test_out_of_reach_and_contradictions():
    text = model(PISTON[0], "motor: {joint: guide, coordinate: displacement, value: 1 + 0.2*t}")
    done = sarrus(1, "kinematics", "-", "--step", "0.4", text=text)
    assert "cannot follow its drives beyond t = 0.5 s" in done.stderr, done.stderr
    text = model("drives:\n", "drives:\n  other: {joint: O, coordinate: angle, value: 3*t + th0}\n")
    done = sarrus(4, "inverse", "-", text=text)
    assert "contradict each other" in done.stderr and "other" in done.stderr, done.stderr


def test_bad_input():
    assert "which model?" in sarrus(2, "inverse").stderr
    assert "one model" in sarrus(2, "kinematics", CRANK, CRANK).stderr
    assert "did you mean" in sarrus(2, "inverse", CRANK, "--raections").stderr
    assert "end" in sarrus(2, "kinematics", CRANK, "--end", "-1").stderr
    assert "polar" in sarrus(2, "kinematics", CRANK, "--coordinates", "polar").stderr
    sarrus(2, "kinematics", CRANK, "--formulation", "al3")
    sarrus(2, "kinematics", CRANK, "--reactions")
    sarrus(2, "kinematics", CRANK, "-o", "-", "--json")
    sarrus(2, "inverse", CRANK, "-o", "rows.xlsx")
    sarrus(3, "inverse", "nowhere.yaml")
    done = sarrus(3, "inverse", "-", text=model("  theta: O.angle", "  theta: O.force"))
    assert "only drives have a force" in done.stderr, done.stderr
    assert "phases" in sarrus(3, "kinematics", "puma").stderr
    for command in ("kinematics", "inverse"):
        assert "Exit codes" in sarrus(0, "help", command, "--all").stdout


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok", name)
