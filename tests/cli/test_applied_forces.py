"""forces/NAME of --all: what forces exert, held against the motion of bodies that nothing else moves.

    python3 test_applied_forces.py PROGRAM SOURCE_ROOT
"""
import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np

import every_test

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory(prefix="sarrus-applied-")
MASS, INERTIA, CENTER, GRAVITY = {"a": 2.0, "b": 1.5}, {"a": 0.1, "b": 0.08}, {"a": [0.1, 0.05, -0.02], "b": [-0.06, 0.03, 0.04]}, np.array([0, 0, -9.81])
POINTS = {"P": [0.2, 0.1, 0], "Q": [0, -0.15, 0.1], "W": [0.05, 0, -0.1]}

# every kind of force that needs no joint; inertias are spheres', so that the angular momentum is I w
FREE = f"""
sarrus: 1
name: free
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  a: {{mass: 2, inertia: [0.1, 0.1, 0.1], center: {CENTER['a']}, position: [0, 0, 0.5], rotation: {{rpy: [0.3, -0.2, 0.5]}}, angular_velocity: [1, 2, -1], points: {POINTS}}}
  b: {{mass: 1.5, inertia: [0.08, 0.08, 0.08], center: {CENTER['b']}, position: [0.4, 0.1, 0.6], rotation: {{rpy: [-0.4, 0.1, 0.9]}}, angular_velocity: [0, -1, 3], points: {POINTS}}}
forces:
  coil: {{type: spring, between: [a.P, b.Q], stiffness: 300, damping: 5, length: 0.2}}
  rubber: {{type: bushing, between: [a.Q, b.P], axis: [1, 0, 0], normal: [0, 1, 0], K: [200, 300, 400, 5, 6, 7], C: [1, 2, 3, 0.1, 0.2, 0.3]}}
  series: {{type: maxwell, between: [a.Q, b.Q], stiffness: 150, damping: 9}}
  pull: {{type: force, acts_on: b.Q, force: [3*cos(5*t), 1, -2], axes: body, reaction: a}}
  twist: {{type: torque, acts_on: a, torque: [0.2, 0.3*sin(9*t), -0.1]}}
  wheel: {{type: tyre, acts_on: a.W, radius: 0.5, stiffness: 500, damping: 3, road: 0.1*sin(4*x)}}
outputs: {{z: a.origin.z}}
method: {{coordinates: increments, formulation: al3, integrator: trapezoidal, step: 2e-4, end: 0.08}}
"""
BETWEEN = {"coil": "Q", "rubber": "P", "series": "Q", "pull": "Q"}  # on b at this point, and the opposite on a
ON_A = {"twist": [0, 0, 0], "wheel": POINTS["W"]}


def run(text, name, *options):
    path = os.path.join(FOLDER.name, name)
    done = subprocess.run([PROGRAM, "run", "-", "--all", "-q", "-o", path, *options], input=text, capture_output=True, text=True, timeout=3600, check=False)
    assert done.returncode in (0, 6), done.stderr
    return h5py.File(path)


def turned(quaternion, vector):
    w, v = quaternion[:, :1], quaternion[:, 1:]
    t = 2 * np.cross(v, vector)
    return vector + w * t + np.cross(v, t)


def place(file, body, point):
    return file[f"bodies/{body}/position"][:] + turned(file[f"bodies/{body}/quaternion"][:], np.array(point, float))


def wrench(file, name, at):
    """Force and moment about the origin of the world."""
    force = file[f"forces/{name}/force"][:]
    return np.hstack([force, file[f"forces/{name}/torque"][:] + np.cross(at, force)])


def momentum(file, body):
    center, spin = place(file, body, CENTER[body]), file[f"bodies/{body}/angular_velocity"][:]
    speed = file[f"bodies/{body}/velocity"][:] + np.cross(spin, center - file[f"bodies/{body}/position"][:])
    linear = MASS[body] * speed
    return np.hstack([linear, INERTIA[body] * spin + np.cross(center, linear)]), np.hstack([np.tile(MASS[body] * GRAVITY, (len(speed), 1)), np.cross(center, MASS[body] * GRAVITY)])


def test_momenta_change_by_what_the_forces_exert():
    with run(FREE, "free.h5") as file:
        t, total = file["time"][:], {}
        for body in "ab":
            moment, total[body] = momentum(file, body)
            total[body] = total[body], (moment[2:] - moment[:-2]) / (t[2:] - t[:-2])[:, None]
        applied = {"a": total["a"][0].copy(), "b": total["b"][0].copy()}
        for name, point in BETWEEN.items():
            on_b = wrench(file, name, place(file, "b", POINTS[point]))
            assert np.abs(on_b).max() > 0.1, name
            applied["b"] += on_b
            applied["a"] -= on_b
        for name, point in ON_A.items():
            applied["a"] += wrench(file, name, place(file, "a", point))
        assert set(file["forces"]) == {*BETWEEN, *ON_A}
        for body in "ab":
            wanted, got = total[body][1], applied[body][1:-1]
            assert np.abs(wanted - got).max() < 2e-4 * np.abs(wanted).max(), (body, np.abs(wanted - got).max(axis=0), np.abs(wanted).max(axis=0))


def test_signals_are_what_the_forces_exert_and_their_powers_change_the_energy():
    names = [*BETWEEN, *ON_A]
    lines = [f"  {n}_{s}{k}: {n}.{s}{k}" for n in names for s in "ft" for k in "xyz"] + [f"  {n}_power: {n}.power" for n in names]
    lines += ["  kinetic: energy.kinetic", "  pull_own: pull.fx@b", "  coil_force: coil.force", "  length: coil.length", "  speed: coil.speed"]
    lines += [f"  {b}_v: {b}.center.vz" for b in "ab"]
    text = FREE.replace("outputs: {z: a.origin.z}", "outputs:\n" + "\n".join(lines))
    with run(text, "signals.h5") as file:
        out = {name: file[f"outputs/{name}"][:] for name in file["outputs"]}
        for n in names:
            for s, word in (("f", "force"), ("t", "torque")):
                signal = np.column_stack([out[f"{n}_{s}{k}"] for k in "xyz"])
                assert np.abs(signal - file[f"forces/{n}/{word}"][:]).max() < 1e-12 * (1 + np.abs(signal).max()), (n, word)
        t = file["time"][:]
        power = sum(out[f"{n}_power"] for n in names) + sum(MASS[b] * GRAVITY[2] * out[f"{b}_v"] for b in "ab")
        change = (out["kinetic"][2:] - out["kinetic"][:-2]) / (t[2:] - t[:-2])
        assert np.abs(change - power[1:-1]).max() < 2e-4 * np.abs(change).max(), np.abs(change - power[1:-1]).max()
        assert all(np.abs(out[f"{n}_power"]).max() > 0.1 for n in names)
        assert np.abs(out["pull_own"] - 3 * np.cos(5 * t)).max() < 1e-12
        assert np.abs(out["coil_force"] - (300 * (out["length"] - 0.2) + 5 * out["speed"])).max() < 1e-10 * np.abs(out["coil_force"]).max()


def test_a_force_on_a_joint_is_that_of_its_law():
    with open(os.path.join(ROOT, "tests/models/stop.yaml"), encoding="utf-8") as file:
        text = file.read()
    with run(text, "stop.h5", "--end", "0.5") as file:  # k = 200 beyond 0.6 rad, about z
        angle, torque = file["outputs/angle"][:], file["forces/stops/torque"][:]
        wanted = -200 * np.clip(angle - 0.6, 0, None)
        assert np.abs(wanted).max() > 10 and np.abs(torque[:, 2] - wanted).max() < 1e-6 * np.abs(wanted).max()
        assert np.abs(torque[:, :2]).max() < 1e-9 and np.abs(file["forces/stops/force"][:]).max() < 1e-9


if __name__ == "__main__":
    sys.exit(every_test.run(globals()))
