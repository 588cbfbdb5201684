#!/usr/bin/env python3
"""Free flights and rotors take steps by their error alone, motions that grow without bound are named, contacts without load end, drives of 1e-80 m
run, and equilibria of forces without a potential are found: in all coordinates, against closed forms.

Usage: test_far_and_fast.py PROGRAM SOURCE_ROOT
"""
import csv
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
COORDINATES = ["natural", "cartesian", "increments", "relative"]

FLY = """sarrus: 1
name: fly
dimension: 2
bodies:
  puck: {mass: 1, inertia: 1, position: [0, 0], angle: 0, velocity: [1e5, 0]}
outputs: {x: puck.origin.x}
method: {end: 10}
"""
ROTOR = """sarrus: 1
name: rotor
dimension: 3
gravity: [0, -9.81, 0]
bodies:
  r: {mass: 1, inertia: [0.1, 0.1, 0.2], position: [0, 0, 0]}
joints:
  h: {type: revolute, between: [ground.origin, r.origin], axis: [ground.z, r.z]}
start: {h.rate: 1e4}
outputs: {q: h.angle}
method: {end: 10}
"""
ECCENTRIC = ROTOR.replace("position: [0, 0, 0]", "center: [0.1, 0, 0], position: [0, 0, 0]").replace("1e4", "100").replace("end: 10", "end: 1")
WRONG_SIGN = """sarrus: 1
name: wrong
dimension: 2
bodies:
  a: {mass: 1, inertia: 0.1, position: [1, 0], angle: 0, velocity: [1, 0]}
joints: {g: {type: prismatic, between: [ground.origin, a.origin], axis: [ground.x, a.x]}}
forces: {k: {type: spring, joint: g, stiffness: -1000}}
outputs: {x: a.origin.x}
method: {end: 3}
"""
FORCE = "f: {type: force, acts_on: a.origin, force: [\"%s\", 0]}"
SPRING = "k: {type: spring, joint: g, stiffness: -1000}"
WRONG = {"wrong sign": ("", ""), "wrong damping": (SPRING, SPRING.replace("stiffness: -1000", "stiffness: 10, damping: -30")),
         "wrong law": (SPRING, FORCE % "1000*g.displacement"), "cubic law": (SPRING, FORCE % "1000*g.displacement^3"),
         "wrong spring": (SPRING, "k: {type: spring, between: [ground.origin, a.origin], stiffness: -1000}")}
# x'' = x: it grows by as much as the run asks for, and no more
SADDLE = WRONG_SIGN.replace("-1000", "-1").replace("velocity: [1, 0]", "velocity: [0, 0]").replace("end: 3", "end: 10")
DOOR = """sarrus: 1
name: door
dimension: 2
bodies:
  leaf: {mass: 20, center: [0.4, 0], inertia: 1, position: [0, 0], angle: 0}
joints:
  hinge: {type: revolute, between: [ground.origin, leaf.origin]}
constraints:
  stop: {position: hinge.angle, upper: 90 deg}
start: {hinge.rate: 1}
outputs: {q: hinge.angle}
method: {end: 4}
"""
TINY = """sarrus: 1
name: tiny
dimension: 2
gravity: [0, -9.81]
bodies:
  base: {mass: 1, inertia: 0.1, position: [0, 0], angle: 0}
  bob: {mass: 1, center: [0, -1], inertia: 0.01, position: [0, 0], angle: 0}
joints:
  rail: {type: prismatic, between: [ground.origin, base.origin], axis: [ground.x, base.x]}
  pin: {type: revolute, between: [base.origin, bob.origin]}
drives: {d: {joint: rail, value: "0.025*(1+tanh((t-5)/0.01))"}}
outputs: {q: pin.angle, x: rail.displacement}
method: {end: 6}
"""
CRANE = """sarrus: 1
name: crane
dimension: 2
gravity: [0, -9.81]
bodies:
  trolley: {mass: 10, inertia: 1, position: [0, 0], angle: 0}
  load: {mass: 5, inertia: 0.1, center: [0, -2], position: [0, 0], angle: 0}
joints:
  rail: {type: prismatic, between: [ground.origin, trolley.origin], axis: [ground.x, trolley.x]}
  swing: {type: revolute, between: [trolley.origin, load.origin]}
forces:
  control: {type: actuator, joint: rail, force: "100*(5 - rail.displacement) + 800*swing.angle"}
start: {swing.angle: 0.3}
outputs: {x: rail.displacement, q: swing.angle}
method: {end: 1}
"""


# an ellipse about the earth: after its period the satellite is where it began
GM, PERIGEE, ECCENTRICITY = 3.986004418e14, 7e6, 0.3
PERIOD = 2 * math.pi * math.sqrt((PERIGEE / (1 - ECCENTRICITY))**3 / GM)
ORBIT = f"""sarrus: 1
name: orbit
dimension: 2
bodies:
  sat: {{mass: 500, inertia: 100, position: [{PERIGEE!r}, 0], angle: 0, points: {{P: [0.5, 0]}}, velocity: [0, {math.sqrt(GM * (1 + ECCENTRICITY) / PERIGEE)!r}]}}
forces: {{pull: {{type: attraction, between: [ground.origin, sat.origin], strength: {GM * 500!r}}}}}
outputs: {{x: sat.origin.x, y: sat.origin.y}}
method: {{end: {PERIOD!r}}}
"""
# past something that turns it by 90 degrees, 100 m beside it, from 1000 km away: tan(turn/2) = GM/(b v^2)
FLYBY = """sarrus: 1
name: flyby
dimension: 2
bodies:
  probe: {mass: 1, inertia: 1, position: [-1e6, 100], angle: 0, velocity: [1e4, 0]}
forces: {pull: {type: attraction, between: [ground.origin, probe.origin], strength: 1e10}}
outputs: {vx: probe.origin.vx, vy: probe.origin.vy}
method: {end: 200}
"""


def cradle(count=5, restitution=1.0):
    """Balls at 0.1 m from each other; the first one is released from -30 degrees."""
    points = ", ".join(f"g{i}: [{0.1 * i:.1f}, 0]" for i in range(count))
    lines = ["sarrus: 1", "name: cradle", "dimension: 2", "gravity: [0, -9.81]", f"ground: {{points: {{{points}}}}}", "bodies:"]
    lines += [f"  b{i}: {{mass: 1, inertia: 0.001, center: [0, -1], points: {{c: [0, -1]}}, position: [{0.1 * i:.1f}, 0], angle: 0}}" for i in range(count)]
    lines += ["joints:"] + [f"  h{i}: {{type: revolute, between: [ground.g{i}, b{i}.origin]}}" for i in range(count)]
    lines += ["constraints:"] + [f"  k{i}: {{position: b{i + 1}.c.x - b{i}.c.x - 0.1, lower: 0, restitution: {restitution}}}" for i in range(count - 1)]
    lines += ["start: {h0.angle: -30 deg}", "outputs: {" + ", ".join(f"q{i}: h{i}.angle" for i in range(count)) + "}", "method: {end: 1.5}", ""]
    return "\n".join(lines)


def run(folder, text, *options, command="run"):
    """Exit code, report, the last row, stderr."""
    path, out = pathlib.Path(folder, "model.yaml"), pathlib.Path(folder, "out.csv")
    path.write_text(text, encoding="utf-8")
    out.unlink(missing_ok=True)
    more = ["-o", str(out)] if command == "run" else []
    done = subprocess.run([PROGRAM, command, str(path), "--json", *options, *more], capture_output=True, text=True, check=False)
    rows = list(csv.DictReader(out.open(encoding="utf-8"))) if out.exists() else []
    report = json.loads(done.stdout) if done.stdout.startswith("{") else {}
    return done.returncode, report, {k: float(v) for k, v in rows[-1].items()} if rows else {}, done.stderr


def steps_of(report):
    return report.get("time", {}).get("steps", math.inf)


def check(name, good, *what):
    if not good:
        print(f"{name}: ", *what)
    return not good


def first_words(folder, model, *options):
    """What it says first while it runs; then it is stopped."""
    path = pathlib.Path(folder, "slow.yaml")
    path.write_text(model, encoding="utf-8")
    with subprocess.Popen([PROGRAM, "run", str(path), *options], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as runs:
        said = runs.stderr.readline()
        runs.terminate()
        runs.stderr.read()
    return said


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for c in COORDINATES:
            code, report, last, said = run(folder, FLY, "--coordinates", c)
            wrong += check(f"flight, {c}", code == 0 and abs(last.get("x", 0) - 1e6) < 1e-3 and steps_of(report) < 1000, code, steps_of(report), last, said)
            code, report, last, said = run(folder, DOOR, "--coordinates", c)
            wrong += check(f"door, {c}", code == 0 and abs(last.get("q", 0) - math.pi / 2) < 1e-8 and steps_of(report) < 1000, code, steps_of(report), last, said)
            code, report, last, said = run(folder, TINY, "--coordinates", c, "--step-max", "2e-3")
            wrong += check(f"tiny drive, {c}", code == 0 and abs(last.get("x", 0) - 0.05) < 1e-9, code, last, said)
            code, report, last, said = run(folder, cradle(), "--coordinates", c)
            good = code == 0 and all(abs(last.get(f"q{i}", 9)) < 1e-4 for i in (1, 2, 3))
            wrong += check(f"cradle, {c}", good, code, last, said)
            for name, law in WRONG.items():
                code, report, last, said = run(folder, WRONG_SIGN.replace(*law), "--coordinates", c)
                told = report.get("failure") or said
                wrong += check(f"{name}, {c}", code == 1 and '"a"' in told and "grows without bound" in told and steps_of(report) < 2000, code, steps_of(report), told)
            code, report, last, said = run(folder, SADDLE, "--coordinates", c)
            wrong += check(f"saddle, {c}", code == 0 and abs(last.get("x", 0) / math.cosh(10) - 1) < 1e-3, code, last, said)
            # laws by polynomials hide nothing, however far a step goes
            code, report, last, said = run(folder, SADDLE.replace("{type: spring, joint: g, stiffness: -1}", "{type: actuator, joint: g, force: x}"), "--coordinates", c)
            good = code == 0 and abs(last.get("x", 0) / math.cosh(10) - 1) < 1e-3 and steps_of(report) < 500
            wrong += check(f"saddle by a law, {c}", good, code, steps_of(report), last, said)
        for c in COORDINATES[1:]:  # in natural ones a body of 1 m is lost in the rounding of 1e7 m
            code, report, last, said = run(folder, ORBIT, "--coordinates", c)
            good = code == 0 and math.hypot(last.get("x", 0) - PERIGEE, last.get("y", 9e9)) < 1e-5 * PERIGEE and steps_of(report) < 500
            wrong += check(f"orbit, {c}", good, code, steps_of(report), last, said)
            code, report, last, said = run(folder, FLYBY, "--coordinates", c)
            good = code == 0 and abs(last.get("vx", 9e9)) < 10 and abs(last.get("vy", 0) + 1e4) < 10
            wrong += check(f"flyby, {c}", good, code, steps_of(report), last, said)
        for law in ("1/(t - 4)", "1/(t - 4)^2"):  # told where it is, long before it has been followed there
            code, report, last, said = run(folder, TINY.replace("0.025*(1+tanh((t-5)/0.01))", law))
            told = report.get("failure") or said
            wrong += check(f"drive by {law}", code == 1 and "pole" in told and abs(float(re.search(r"towards t = ([.\d]+)", told)[1]) - 4) < 1e-3, code, told)
        code, report, last, said = run(folder, ROTOR)
        wrong += check("rotor", code == 0 and abs(last.get("q", 0) - 1e5) < 1e-3 and steps_of(report) < 1000, code, steps_of(report), last, said)
        code, report, last, said = run(folder, ECCENTRIC)  # its weight is felt: at least a step for each radian
        wrong += check("eccentric rotor", code == 0 and steps_of(report) > 90, code, steps_of(report), said)
        said = first_words(folder, FLY, "--coordinates", "natural", "--formulation", "al1", "--integrator", "euler", "--step", "1e-8", "--end", "1", "--certify=no")
        wrong += check("1e8 steps", "100000 steps so far" in said and "1e+08 more" in said and "--coordinates relative" in said, said)
        path = pathlib.Path(folder, "crane.yaml")
        path.write_text(CRANE, encoding="utf-8")
        done = subprocess.run([PROGRAM, "equilibrium", str(path)], capture_output=True, text=True, check=False)
        values = dict(line.replace("outputs", "").split() for line in done.stdout.splitlines() if line.split()[-2:-1] in (["x"], ["q"]))
        # (100 - 15 m)(98.1 - 20.1 m) = 10 m (800 + 10 m) has two positive roots m: vibrations without damping
        good = done.returncode == 0 and "crane: marginal" in done.stdout and abs(float(values.get("x", 0)) - 5) < 1e-6 and abs(float(values.get("q", 9))) < 1e-6
        wrong += check("crane", good, done.returncode, done.stdout, done.stderr)
    print(f"{wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
