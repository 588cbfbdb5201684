#!/usr/bin/env python3
"""Models as robot files: exported as URDF and MJCF and imported again they move as before; what the formats cannot say is listed.

Usage: test_export_robot.py PROGRAM SOURCE_ROOT
"""
import itertools
import os
import re
import subprocess
import tempfile

import numpy as np

from runs import MODELS, PROGRAM, ROOT, answer, expect, finish, near

ROBOTS = os.path.join(ROOT, "tests", "models", "robots")
CHAIN = """sarrus: 1
name: "chain & <co>"
dimension: 3
gravity: [1, -9, 2]
bodies:
  cart: {axes: {own: [-0.182986571299987, 0.959156426655421, -0.215719410182484]}, mass: 2, inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0.03], center: [0.1, 0.2, -0.1], position: [1, 2, 3], rotation: {rpy: [0.3, -0.4, 0.5]}}
  arm: {mass: 1, inertia: [0.3, 0.2, 0.15, 0, 0.01, 0], center: [0.3, 0, 0.1], position: [1.2, 2, 3], rotation: {rpy: [1, 0.2, 0.1]}}
  ball: {mass: 0.7, inertia: [0.05, 0.06, 0.07], center: [0, 0, -0.4], position: [1.5, 2.2, 3], rotation: {rpy: [0, 0, 0.7]}}
  free: {mass: 3, inertia: [0.3, 0.4, 0.5, 0, 0, 0], position: [9, 9, 9]}
joints:
  rail: {type: prismatic, between: [ground, cart], at: [1, 2, 3], axis: [0.6, 0, 0.8]}
  hinge: {type: revolute, between: [arm, cart], at: [1.1, 2.1, 3.1], axis: [0, 0.6, 0.8]}
  socket: {type: spherical, between: [arm, ball], at: [1.5, 2.2, 3]}
method: {end: 0.6, tolerance: 1e-11}
"""
PLANE = """sarrus: 1
name: two loops
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 1, inertia: 0.1, center: [0.5, 0], position: [0, 0], angle: 1.2}
  b: {mass: 1, inertia: 0.1, center: [1, 0], position: [0.36235775447667357, 0.93203908596722629], angle: 0}
  c: {mass: 2, inertia: 0.2, center: [0.5, 0], position: [2, 0], angle: 1.2}
joints:
  A: {type: revolute, between: [ground, a], at: [0, 0]}
  B: {type: revolute, between: [a, b], at: [0.36235775447667357, 0.93203908596722629]}
  C: {type: revolute, between: [b, c], at: [2.36235775447667357, 0.93203908596722629]}
  D: {type: revolute, between: [ground, c], at: [2, 0]}
method: {end: 1, tolerance: 1e-11}
"""


# Forces, couplings and joints of several motions that both formats can say, or MJCF alone; joints in both senses.
ACTS = """sarrus: 1
name: acts
dimension: 3
gravity: [0, 0, -9.81]
parameters: {kp: 30}
inputs: {u: 3, w: {start: -2}, target: 0.4}
bodies:
  cart: {axes: {own: [-0.182986571299987, 0.959156426655421, -0.215719410182484]}, mass: 2, inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0.03], center: [0.1, 0.2, -0.1], position: [1, 2, 3], rotation: {rpy: [0.3, -0.4, 0.5]}, shape: {type: box, size: [0.2, 0.3, 0.4], colour: '#4080c0'}}
  arm: {mass: 1, inertia: [0.3, 0.2, 0.15, 0, 0.01, 0], center: [0.3, 0, 0.1], position: [1.2, 2, 3], rotation: {rpy: [1, 0.2, 0.1]}, shape: {type: capsule, radius: 0.03, from: [0, 0, 0], to: [0.4, 0, 0]}}
  quill: {mass: 0.9, inertia: [0.03, 0.02, 0.015], center: [0.1, 0, 0.1], position: [1.4, 2.1, 3.3]}
  cross: {mass: 0.7, inertia: [0.05, 0.06, 0.07], center: [0, 0, -0.4], position: [1.5, 2.2, 3], rotation: {rpy: [0, 0, 0.7]}}
  nut: {mass: 0.5, inertia: [0.02, 0.03, 0.04], position: [4, 0, 0]}
  puck: {mass: 0.5, inertia: [0.02, 0.03, 0.04], center: [0.1, 0, 0], position: [0, 4, 1]}
  wheel: {mass: 0.4, inertia: [0.02, 0.03, 0.04], position: [6, 0, 0]}
  follower: {mass: 0.4, inertia: [0.02, 0.03, 0.04], center: [0.2, 0, 0], position: [7, 0, 0]}
  third: {mass: 0.3, inertia: [0.02, 0.03, 0.04], position: [8, 0, 0]}
frames: {tool: {body: arm, position: [0.4, 0, 0]}}
joints:
  rail: {type: prismatic, between: [ground, cart], at: [1, 2, 3], axis: [0.6, 0, 0.8]}
  hinge: {type: revolute, between: [arm, cart], at: [1.1, 2.1, 3.1], axis: [0, 0.6, 0.8]}
  sleeve: {type: cylindrical, between: [quill, arm], at: [1.4, 2, 3.1], axis: [0, 0, 1]}
  cardan: {type: universal, between: [cross, cart], at: [1.3, 2.2, 3], axis: [cross.x, cart.own]}
  thread: {type: screw, between: [ground, nut], at: [4, 0, 0], axis: [0, 0.6, 0.8], pitch: 0.1}
  table: {type: planar, between: [ground, puck], at: [0, 4, 1], axis: [0, 0.6, 0.8]}
  A: {type: revolute, between: [ground, wheel], at: [6, 0, 0], axis: [0, 1, 0]}
  B: {type: revolute, between: [ground, follower], at: [7, 0, 0], axis: [0, 1, 0]}
  C: {type: revolute, between: [third, ground], at: [8, 0, 0], axis: [0, 1, 0]}
  sum: {type: coupler, sum: {A.angle: 1, B.angle: 2, C.angle: -1.5}}
  flywheel: {type: rotor, inertia: 0.02, drives: B, ratio: 5}
forces:
  rail_spring: {type: spring, joint: rail, stiffness: 40, damping: 1, length: 0.3}
  rail_friction: {type: friction, joint: rail, viscous: 0.7}
  hinge_friction: {type: friction, joint: hinge, viscous: 0.2}
  hinge_spring: {type: rotational-spring, joint: hinge, stiffness: 5, angle: 0.4}
  hinge_stop: {type: stop, joint: hinge, lower: -2, upper: 1.5 rad, stiffness: 1000}
  slide_friction: {type: friction, joint: sleeve, coordinate: displacement, viscous: 3}
  slide_spring: {type: spring, joint: sleeve, stiffness: 60}
  bend: {type: rotational-spring, joint: cardan, coordinate: angle2, stiffness: 9, damping: 0.3}
  twist: {type: rotational-spring, joint: cardan, stiffness: 8, damping: 0.2}
  push: {type: actuator, joint: table, coordinate: displacement, force: 2*u}
  across: {type: actuator, joint: table, coordinate: displacement2, force: 'min(max(3*w, -5), 5)'}
  servo: {type: motor, joint: B, torque: 'kp*(target - x) - 2*v'}
  rope: {type: spring, between: [tool.origin, follower.center], stiffness: 11, damping: 0.4, length: 0.5}
  ram: {type: actuator, between: [ground.origin, puck.origin], force: 'min(max(u, -1), 1) + 0.5'}
method: {end: 0.5, tolerance: 1e-11}
"""


def program(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=600, check=False)


def bodies_of(model):
    inside = re.search(r"^bodies:\n((?:[ #].*\n|\n)*)", model, re.M)[1]
    return re.findall(r"^  ([\w.]+):", inside, re.M)


def watched(model, bodies):
    """The model with the centres of its bodies as its only outputs."""
    model = re.sub(r"^outputs:(?:.*\n)(?:[ #].*\n|\n)*", "", model, flags=re.M)
    return model + "\noutputs:\n" + "".join(f"  {b}_{c}: {b}.center.{c}\n" for b in bodies for c in axes(model))


def axes(model):
    return "xy" if "dimension: 2" in model else "xyz"


def centres(model, bodies, *options):
    _, rows = answer(watched(model, bodies), *options)
    return np.array([[[row.get(f"{b}_{c}", 0.0) for c in "xyz"] for b in bodies] for row in rows])


def without_forces(model):
    """A robot as its bodies and joints: what the formats hold."""
    for section in ("forces", "inputs", "rotors", "gears", "couplers", "constraints"):
        model = re.sub(rf"^{section}:.*\n(?:[ #].*\n|\n)*", "", model, flags=re.M)
    return model


def check_motion(folder, name, model, end):
    path, bodies = os.path.join(folder, "model.yaml"), bodies_of(model)
    with open(path, "w", encoding="utf-8") as file:
        file.write(model)
    options = ["--preset", "auto", "--tolerance", "1e-11", "--end", str(end), "--sample", str(end / 20)]
    all_before = centres(model, bodies, *options)
    size = np.abs(all_before - all_before[0]).max()
    expect(size > 1e-3, f"{name}: it moves")
    for kind, ending in (("urdf", "urdf"), ("mjcf", "xml")):
        target = os.path.join(folder, f"robot.{ending}")
        done = program("export", path, f"--{kind}", target)
        expect(done.returncode == 0, f"{name} {kind}: {done.stderr}")
        again = program("import", target, "--quiet")
        expect(again.returncode == 0, f"{name} {kind}: {again.stderr}")
        there = [b for b in bodies if b in bodies_of(again.stdout)]  # what is fixed to another body is a part of that
        expect(len(there) >= 0.7 * len(bodies), f"{name} {kind}: bodies {there}")
        before = all_before[:, [bodies.index(b) for b in there]]
        after = centres(without_forces(again.stdout), there, *options)
        if kind == "mjcf":
            near(np.abs(after - before).max(), 0, 1e-9 * max(1, size), f"{name} as MJCF")
        for i, k in itertools.combinations(range(len(there)), 2):  # URDF turns the world so that weight points along -z
            worst = np.abs(np.linalg.norm(after[:, i] - after[:, k], axis=1) - np.linalg.norm(before[:, i] - before[:, k], axis=1)).max()
            near(worst, 0, 1e-9 * max(1, size), f"{name} as {kind}: distance of {there[i]} and {there[k]}")
        fallen = np.linalg.norm(after - after[0], axis=2) - np.linalg.norm(before - before[0], axis=2)
        near(np.abs(fallen).max(), 0, 1e-9 * max(1, size), f"{name} as {kind}: how far bodies come")


def test_robots(folder):
    for robot in ("five_bar.urdf", "delta.urdf", "stewart.sdf", "cassie_leg.xml", "humanoid.urdf", "mobile_base.xml"):
        model = program("import", os.path.join(ROBOTS, robot), "--quiet").stdout
        check_motion(folder, robot, without_forces(model), 0.2)


def again(folder, path, kind, bodies, *options):
    """Centres by the robot file, with its forces."""
    target = os.path.join(folder, "robot." + {"urdf": "urdf", "mjcf": "xml"}[kind])
    done = program("export", path, f"--{kind}", target)
    expect(done.returncode == 0, f"{path} {kind}: {done.stderr}")
    model = program("import", target, "--quiet").stdout
    for name, value in {"push": 3, "across": -2, "servo": 0.4, "ram": 3}.items():  # inputs have the names of the motors there
        model = re.sub(rf"^(  {name}): .*\n", rf"\1: {value}\n", model, flags=re.M)
    return centres(model, bodies, *options), done.stdout


def without_stops(model):
    return re.sub(r"^  \w+: \{type: stop.*\n", "", model, flags=re.M)


def test_robots_with_forces(folder):
    """All but stops, whose stiffness the formats do not have."""
    path = os.path.join(folder, "robot.yaml")
    for robot in ("gripper_loops.urdf", "cassie_leg.xml", "hexapod.urdf", "mobile_base.sdf", "gripper_mimic.xml", "six_axis_arm.sdf"):
        model = without_stops(program("import", os.path.join(ROBOTS, robot), "--quiet").stdout)
        with open(path, "w", encoding="utf-8") as file:
            file.write(model)
        target = os.path.join(folder, "robot.xml")
        expect(program("export", path, "--mjcf", target).returncode == 0, f"{robot} is exported")
        imported = without_stops(program("import", target, "--quiet").stdout)
        bodies = [b for b in bodies_of(model) if b in bodies_of(imported)]
        options = ["--preset", "auto", "--tolerance", "1e-11", "--end", "0.2", "--sample", "0.02"]
        near(np.abs(centres(imported, bodies, *options) - centres(model, bodies, *options)).max(), 0, 1e-8, f"{robot} with its forces as MJCF")


def test_acts(folder):
    path = os.path.join(folder, "acts.yaml")
    for name, model in (("acts", ACTS), ("drawn elsewhere", ACTS.replace("hinge: {type: revolute, between: [arm, cart]", "hinge: {type: revolute, between: [cart, arm]")
                                          .replace("between: [cross, cart]", "between: [cart, cross]").replace("axis: [cross.x, cart.own]", "axis: [cart.own, cross.x]").replace("between: [ground, nut]", "between: [nut, ground]")
                                          .replace("between: [quill, arm]", "between: [arm, quill]"))):
        with open(path, "w", encoding="utf-8") as file:
            file.write(model)
        bodies = bodies_of(model)
        options = ["--preset", "auto", "--tolerance", "1e-11", "--end", "0.5", "--sample", "0.05"]
        before = centres(model, bodies, *options)
        after, said = again(folder, path, "mjcf", bodies, *options)
        for k, body in enumerate(bodies):
            near(np.abs(after[:, k] - before[:, k]).max(), 0, 1e-8, f"{name}: {body} as MJCF")
        expect(said.count("\n") == 2 and "hinge_stop" in said, f"{name}: all of it is there but the stiffness of the stop: {said}")


def test_lists(folder):
    target = os.path.join(folder, "robot.urdf")
    with open(os.path.join(folder, "yields.yaml"), "w", encoding="utf-8") as file:
        file.write("sarrus: 1\nname: yields\ndimension: 2\ninputs: {u: 0}\nbodies: {a: {mass: 1, inertia: 1, position: [0, 0], angle: 0}}\n"
                   "joints: {O: {type: revolute, between: [ground.origin, a.origin], compliance: 1e-6}}\nforces: {m: {type: motor, joint: O, torque: u}}\n")
    for model, words in (("vehicle", ["force fl."]), (os.path.join(ROOT, "tests", "models", "cam.yaml"), ["joint "]), ("slider-crank-1", ["velocities at the start", "body slider: no mass"]),
                         (os.path.join(MODELS, "robot.yaml"), ["force swing", "speed below which it goes to zero of brake"]), ("andrews", ["gravity of 0 m/s^2"]),
                         ("planetary-gear", ["coupling train"]), ("bouncing-ball", ["constraint floor, with bounds"]),
                         ("drive-with-controller", ["force motor", "state sum", "state current"]), (os.path.join(folder, "yields.yaml"), ["compliance of joint O"]), ("tyre-rig", ["drive spin"])):
        said = program("export", model, "--urdf", target).stdout
        for word in words:
            expect(word in said, f"{model}: {word} is not listed: {said}")
    expect("left out" not in program("export", "bricard", "--mjcf", target).stdout, "bricard is all there")


with tempfile.TemporaryDirectory(prefix="sarrus-robot-") as place:
    # gravity of 9.81 for URDF, which cannot say another one
    check_motion(place, "chain", CHAIN.replace("[1, -9, 2]", "[5.886, -7.848, 0]"), 0.6)
    check_motion(place, "two loops", PLANE, 1.0)
    test_robots(place)
    test_robots_with_forces(place)
    test_acts(place)
    test_lists(place)
finish()
