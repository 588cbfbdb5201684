"""The program tells of phases: `run` what happened in them, `check` what they will be.

    python3 test_phases.py PROGRAM SOURCE_ROOT
"""
import json
import math
import os
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
MODEL = """
sarrus: 1
name: drop
dimension: 2
gravity: [0, -9.81]
parameters: {release: 0.5}
bodies:
  a: {mass: 2, inertia: 0.1, points: {P: [0.3, 0]}, position: [0, 1]}
joints:
  pin: {type: revolute, between: [ground.origin, a.P], active: no%s}
phases:
  - {when: a.P.y - 0.5, crossing: falling, add: [pin]}
  - {at: release, remove: pin}
outputs: {y: a.P.y, vy: a.P.vy}
method: {end: 0.6, step: 0.01}
"""
failures = []


def expect(condition, text):
    if not condition:
        failures.append(text)


def near(got, wanted, tolerance, text):
    expect(abs(got - wanted) <= tolerance, f"{text}: {got}, wanted {wanted}")


def call(folder, attach, *arguments):
    path = os.path.join(folder, "drop.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(MODEL % attach)
    return subprocess.run([PROGRAM, arguments[0], path, *arguments[1:]], capture_output=True, text=True,
                          timeout=3600, cwd=folder)


def check_run(folder):
    done = call(folder, ", attach: here", "run", "--json", "-o", "out.csv")
    answer = json.loads(done.stdout)
    expect(done.returncode == 0 and answer["status"] == "completed", "the run is completed")
    first, second = answer["phases"]
    near(first["t"], math.sqrt(1 / 9.81), 1e-10, "time of the event")
    near(second["t"], 0.5, 0, "time of the release")
    expect(first["added"] == ["pin"] and second["removed"] == ["pin"], "joints that came and went")
    inertia = 0.1 + 2 * 0.09
    near(first["kinetic_before"], 9.81, 1e-9, "energy before")
    near(first["lost"], 9.81 * 0.1 / inertia, 1e-9, "energy lost")
    change = [b - a for a, b in zip(first["momentum_before"], first["momentum_after"])]
    for k in range(3):
        near(first["impulse_of_ground"][k], change[k], 1e-12, "momentum")
        near(first["impulses"]["pin"]["force"][k], change[k], 1e-12, "impulse of the pin")
    expect(first["rank"]["dof"] == 1 and second["rank"]["dof"] == 3, "degrees of freedom")
    expect(abs(answer["energy"]["max_drift"]) < 5e-2, "the loss is in the balance of energy")
    with open(os.path.join(folder, "out.csv"), encoding="utf-8") as file:
        times = [float(line.split(",")[0]) for line in file.readlines()[1:]]
    expect(times == sorted(set(times)), "times increase")
    told = call(folder, ", attach: here", "run").stdout
    expect("2 of 2 begun" in told and "adds pin" in told and "impulse of pin" in told, "the summary tells")


def check_check(folder):
    answer = json.loads(call(folder, ", attach: here", "check", "--json").stdout)
    expect([p["rank"]["dof"] for p in answer["phases"]] == [1, 3], "ranks of the phases")
    expect(answer["phases"][0]["when"] == "a.P.y - 0.5" and answer["phases"][1]["at"] == 0.5, "conditions")
    told = call(folder, ", attach: here", "check", "--set", "release=0.7").stdout
    expect("when a.P.y - 0.5 falls through 0 adds pin" in told and "at 0.7 s removes pin" in told, "check tells")


def check_correction(folder):
    """Without attach the ends are brought together, and the summary says how far."""
    answer = json.loads(call(folder, "", "run", "--json").stdout)
    first = answer["phases"][0]
    expect(0.1 < first["moved"] < 0.5, f"the body is moved: {first['moved']}")
    expect(first["potential_change"] < -1, "which costs potential energy")


TELEPORT = """
sarrus: 1
name: teleport
dimension: %d
gravity: %s
bodies:
  a: {mass: 1, inertia: %s, position: %s, %s}
joints:
  p: {type: %s, between: [ground.origin, a.origin]%s, active: no%s}
phases:
  - {at: 1, add: [p]%s}
outputs: {x: a.origin.x}
method: {end: 1.5}
"""


def teleport(folder, dimension, coordinates, attach="", move=""):
    """A body falls for a second, 4.905 m, and is pinned to where it began; in space it is welded, 90 degrees off."""
    plane = (2, "[0, -9.81]", "0.1", "[0, 0]", "angle: 0", "revolute", "")
    space = (3, "[0, -9.81, 0]", "[0.1, 0.1, 0.1]", "[0, 0, 0]", "rotation: {rpy: [0, 0, 0]}, angular_velocity: [0, 0, pi/2]", "fixed", "")
    with open(os.path.join(folder, "teleport.yaml"), "w", encoding="utf-8") as file:
        file.write(TELEPORT % (*(plane if dimension == 2 else space), attach, move))
    done = subprocess.run([PROGRAM, "run", "teleport.yaml", "--json", "--coordinates", coordinates], capture_output=True, text=True, timeout=60, cwd=folder,
                          env=dict(os.environ, SARRUS_CERTIFY="no"))
    return done.returncode, json.loads(done.stdout)


def check_displacement(folder):
    for dimension in (2, 3):
        for coordinates in ("natural", "cartesian", "increments", "relative"):
            label = f"teleport, {dimension}D, {coordinates}"
            code, answer = teleport(folder, dimension, coordinates)
            phase = answer["phases"][0]
            near(phase["moved"], 4.905, 1e-6, label)
            expect(code == 6 and phase["displaced"] and phase["moved_body"] == "a" and not answer["trusted"], f"{label}: {code}, {phase}")
            told = " ".join(answer["warnings"])
            expect("phase 1 at t = 1 s" in told and 'moves "a" by 4.9' in told and "move: yes" in told, f"{label}: {told}")
            if dimension == 3:
                near(phase["turned"], math.pi / 2, 1e-6, label)
                expect('rotates "a" by 90 deg' in told and phase["turned_body"] == "a", f"{label}: {told}")
            for more in ({"attach": ", attach: here"}, {"move": ", move: yes"}):
                code, answer = teleport(folder, dimension, coordinates, **more)
                expect(code == 0 and not answer["phases"][0]["displaced"] and not answer["warnings"], f"{label}, {more}: {code}, {answer['warnings']}")


LEVER = """
sarrus: 1
name: lever
dimension: %d
gravity: %s
bodies:
  a: {mass: 1, inertia: %s, position: %s}
  b: {mass: %g, inertia: %s, position: %s}
joints:
  s: {type: prismatic, between: [ground.origin, b.origin], axis: %s}
  q: {type: prismatic, between: [a.origin, b.origin], axis: %s, active: no}
phases:
  - {at: 0.1, add: [q], move: yes}
outputs: {ya: a.origin.y, yb: b.origin.y}
method: {end: 0.2}
"""


def check_lever(folder):
    """A light body a kilometre from what it guides: rows of very different size, none of them without mass."""
    # the later ones stopped where the violation of rows that nearly depend on others was taken for rounding
    for dimension, heavy, coordinates, lever in (
            (2, 1, "natural", 1000), (2, 1000, "natural", 1000), (2, 1000, "cartesian", 1000), (2, 1000, "increments", 1000), (2, 1, "relative", 1000),
            (3, 1, "cartesian", 1000), (3, 1000, "natural", 1000), (3, 1000, "increments", 1000), (3, 1, "natural", 1000), (3, 30, "natural", 1000),
            (3, 1, "natural", 300), (3, 1, "cartesian", 300), (3, 1, "increments", 300), (3, 1000, "natural", 100)):
        def vector(*x, n=dimension):
            return list(x[:n])
        inertia = [0.1 if dimension == 2 else [0.1] * 3, heavy if dimension == 2 else [heavy] * 3]
        with open(os.path.join(folder, "lever.yaml"), "w", encoding="utf-8") as file:
            file.write(LEVER % (dimension, vector(0, -9.81, 0), inertia[0], vector(0, 0, 0), heavy, inertia[1], vector(lever, 0, 0),
                                vector(1, 0, 0), vector(1, 0, 0)))
        done = subprocess.run([PROGRAM, "run", "lever.yaml", "-o", "lever.csv", "--coordinates", coordinates], capture_output=True, text=True, timeout=60, cwd=folder)
        label = f"lever of {lever} m, {dimension}D, {heavy} kg, {coordinates}"
        expect(done.returncode == 0, f"{label}: {done.returncode} {done.stderr}")
        with open(os.path.join(folder, "lever.csv"), encoding="utf-8") as file:
            last = [float(x) for x in file.readlines()[-1].split(",")]
        for value, wanted in zip(last, (0.2, 0.0, 0.0)):
            near(value, wanted, 1e-9, label)


WALL = """
sarrus: 1
name: pendulum at a wall
dimension: 2
gravity: [0, -9.81]
bodies:
  rod: {mass: 2, inertia: 0.17, center: [0.5, 0], points: {tip: [1, 0]}, position: [0, 0], angle: -20 deg}
joints:
  pin: {type: revolute, between: [ground.origin, rod.origin]}
  lock: {type: fixed, between: [ground.origin, rod.origin], active: no, attach: here}
constraints:
  wall: {position: pin.angle, lower: -100 deg, restitution: 0.9}
phases:
  - {%s 1.5, add: [lock]}
  - {%s 1.7, remove: [lock]}
outputs: {angle: pin.angle}
method: {end: 3}
"""


def check_bounds_before_a_time(folder):
    """Bounds are watched while the next phase waits for the clock: the motion is that of the same times as conditions."""
    for method in ([], ["--formulation", "al3", "--step", "1e-3"], ["--formulation", "nullspace", "--integrator", "rk4", "--step", "1e-3"]):
        found = {}
        for way in ("at:", "when: t -"):
            path = os.path.join(folder, "wall.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(WALL % (way, way))
            done = subprocess.run([PROGRAM, "run", path, "--json", "--certify=no", "-o", os.path.join(folder, "wall.csv"), *method], capture_output=True, text=True, check=False)
            expect(done.returncode == 0, f"wall {way} {method}: {done.stderr}")
            with open(os.path.join(folder, "wall.csv"), encoding="utf-8") as file:
                rows = [[float(x) for x in line.split(",")] for line in file.readlines()[1:]]
            expect(min(row[1] for row in rows) > math.radians(-100.01), f"wall {way} {method}: the rod goes through the wall")
            found[way] = rows[-1][1]
        near(found["at:"], found["when: t -"], 1e-6, f"wall {method}: angle at the end")


with tempfile.TemporaryDirectory(prefix="sarrus-phases-") as temp:
    check_lever(temp)
    check_run(temp)
    check_check(temp)
    check_correction(temp)
    check_displacement(temp)
    check_bounds_before_a_time(temp)
for line in failures:
    print(line)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
