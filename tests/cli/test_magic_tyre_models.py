"""Magic-Formula tyres in model files: mirrored ones, at rest, in the air, and property files that are not right.

    python3 test_magic_tyre_models.py PROGRAM SOURCE_ROOT
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
TYRE = (ROOT / "problems" / "vehicle" / "185-80-R14.tir").read_text(encoding="utf-8")
WHEEL = """sarrus: 1
name: wheel
dimension: 3
parameters: {V: 10}
gravity: [0, 0, -9.81]
bodies:
  hub: {mass: 380, inertia: [6, 9, 6], position: [0, 0.7, HEIGHT], rotation: {rpy: [0.03, 0, 0.02]}, velocity: [V, 0.3, 0], angular_velocity: [0, V/0.38, 0]}
forces:
  tyre: {type: magic-tyre, acts_on: hub.origin, file: tyre.tir, relaxation: yes}
outputs: {fx: tyre.fx, fy: tyre.fy, fz: tyre.fz, mz: tyre.mz, alpha: tyre.alpha, x: hub.origin.x, y: hub.origin.y, z: hub.origin.z}
method: {end: 0.1, step: 1e-3, coordinates: increments}
"""
PAIR = """sarrus: 1
name: pair
dimension: 3
gravity: [0, 0, -9.81]
bodies: {}
use:
  left: {file: wheel.yaml}
  right: {file: wheel.yaml, mirror: y}
outputs: OUTPUTS
method: {end: 0.1, step: 1e-3, coordinates: increments}
"""
SIGNS = {"tyre.fx": 1, "tyre.fz": 1, "tyre.kappa": 1, "tyre.fy": -1, "tyre.mz": -1, "tyre.alpha": -1, "tyre.gamma": -1,
         "hub.origin.x": 1, "hub.origin.z": 1, "hub.origin.y": -1}


def sarrus(folder, *arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=folder, timeout=3600, check=False)


def write(folder, tyre=TYRE, height="0.36"):
    (folder / "tyre.tir").write_text(tyre, encoding="utf-8")
    (folder / "wheel.yaml").write_text(WHEEL.replace("HEIGHT", height), encoding="utf-8")
    outputs = ", ".join(f"{side}_{name.replace('.', '_')}: {side}.{name}" for side in ("left", "right") for name in SIGNS)
    (folder / "pair.yaml").write_text(PAIR.replace("OUTPUTS", "{" + outputs + "}"), encoding="utf-8")


def run(folder, model, *options):
    done = sarrus(folder, "run", model, "-o", "run.csv", *options)
    assert done.returncode == 0, (model, options, done.stderr)
    with open(folder / "run.csv", encoding="utf-8") as table:
        return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(table)]


def test_a_mirrored_tyre_sees_all_in_a_mirror(folder):
    write(folder)
    rows = run(folder, "pair.yaml")
    assert max(abs(row["left_tyre_fy"]) for row in rows) > 100.0  # it slips
    for name, sign in SIGNS.items():
        left, right = ([row[f"{side}_{name.replace('.', '_')}"] for row in rows] for side in ("left", "right"))
        size = 1e-9 * max(map(abs, left))
        assert all(abs(a - sign * b) <= size for a, b in zip(left, right)), (name, left[-1], right[-1])


def test_at_rest_and_in_the_air(folder):
    write(folder)
    rows = run(folder, "wheel.yaml", "--set", "V=0")
    assert all(abs(row["fx"]) < 2000 and row["fz"] > 0 for row in rows)
    write(folder, height="0.9")
    rows = run(folder, "wheel.yaml")
    assert all(row["fz"] == row["fx"] == row["fy"] == row["mz"] == 0.0 for row in rows)


def test_wrong_property_files(folder):
    lines = TYRE.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("FNOMIN"))

    def changed(line):
        return "\n".join(lines[:at] + ([line] if line else []) + lines[at + 1:]) + "\n"

    for line, said in (("", "the coefficient FNOMIN is missing"), ("FNOMIN = 38x0", f"tyre.tir:{at + 1}: FNOMIN must be a number, here is '38x0'"),
                       ("FNOMIN = -3800", "FNOMIN must be positive, here is -3800")):
        write(folder, changed(line))
        done = sarrus(folder, "check", "wheel.yaml")
        assert done.returncode == 3 and said in done.stderr and "wheel.yaml:9:" in done.stderr, (line, done.stderr)
        done = sarrus(folder, "check", "pair.yaml")  # the place is in the file that is used
        assert done.returncode == 3 and "wheel.yaml:9:" in done.stderr, (line, done.stderr)


for name, check in list(globals().items()):
    if name.startswith("test_"):
        with tempfile.TemporaryDirectory() as place:
            check(pathlib.Path(place))
