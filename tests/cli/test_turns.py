"""One angle for everything: what springs, stops, bounds, drives and outputs see counts from the drawing and the start, over any number of revolutions.

    python3 test_turns.py PROGRAM ROOT
"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

from runs import COORDINATES, PROGRAM, ROOT, answer, expect, finish, near, run

sys.path.insert(0, os.path.join(ROOT, "tools", "trust"))
import program  # noqa: E402
import turns  # noqa: E402

DEGREE = math.pi / 180
METHODS = (["--tolerance", "1e-10"], ["--formulation", "al3", "--integrator", "trapezoidal", "--step", "1e-3"])


def model(dimension=2, drawn="0", joint="", sections=""):
    where = f"angle: {drawn}" if dimension == 2 else f"rotation: {{axis: [0, 0, 1], angle: {drawn}}}"
    axes = "" if dimension == 2 else ", axis: [ground.z, bar.z], normal: [ground.x, bar.x]"
    inertia, place = ("0.1", "[0, 0]") if dimension == 2 else ("[0.1, 0.1, 0.1]", "[0, 0, 0]")
    return f"""sarrus: 1
name: turns
dimension: {dimension}
bodies: {{bar: {{mass: 1, inertia: {inertia}, position: {place}, {where}}}}}
joints: {{pin: {{type: revolute, between: [ground.origin, bar.origin]{axes}{joint}}}}}
{sections}
"""


def command(word, text, *options):
    """JSON and rows of another command than run."""
    with tempfile.TemporaryDirectory(prefix="sarrus-turns-") as folder:
        path, result = os.path.join(folder, "model.yaml"), os.path.join(folder, "out.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        more = ["-o", result] if word in ("kinematics", "inverse") else []
        done = subprocess.run([PROGRAM, word, path, "--json", *more, *options], capture_output=True, text=True, timeout=120, check=False)
        expect(done.returncode in (0, 6), f"{word}: exit code {done.returncode}\n{done.stderr}")
        rows = []
        if os.path.exists(result):
            with open(result, encoding="utf-8") as file:
                rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(line for line in file if not line.startswith("#"))]
        return json.loads(done.stdout or "{}"), rows


# drawn at 225 degrees shows 225 degrees, and a spring swings about its own zero: A + x0 cos(w t)
for dimension in (2, 3):
    for degrees in (225, -200, 1000, -180, 180):
        text = model(dimension, f"{degrees} deg", sections=f"""forces: {{coil: {{type: rotational-spring, joint: pin, stiffness: 10, angle: {degrees - 30} deg}}}}
outputs: {{angle: pin.angle, torque: coil.torque}}
method: {{end: 0.5}}""")
        for coordinates in COORDINATES:
            for method in METHODS:
                rows = run(text, "--coordinates", coordinates, *method)
                label = f"spring at {degrees}, {dimension}D, {coordinates}, {method[:2]}"
                expect(rows and rows[0]["angle"] * rows[0]["torque"] != 0, label)
                for row in rows[:1] + rows[-1:]:
                    x = 30 * DEGREE * math.cos(10 * row["time"])
                    near(row["angle"], (degrees - 30) * DEGREE + x, 1e-9 if "--tolerance" in method else 1e-4, label)
                    near(row["torque"], 10 * x, 1e-8 if "--tolerance" in method else 1e-3, label)

# the same by a start condition, from a drawing at zero; the body's angle is that of its joint
text = model(2, "0", sections="""forces: {coil: {type: rotational-spring, joint: pin, stiffness: 10, angle: 970 deg}}
start: {pin.angle: 1000 deg}
outputs: {angle: pin.angle, body: bar.angle, torque: coil.torque}
method: {end: 0.1}""")
for coordinates in COORDINATES:
    first = run(text, "--coordinates", coordinates)[0]
    near(first["angle"], 1000 * DEGREE, 1e-9, f"started, {coordinates}")
    near(first["body"], 1000 * DEGREE, 1e-9, f"started, body, {coordinates}")
    near(first["torque"], 300 * DEGREE, 1e-8, f"started, torque, {coordinates}")

# a screw that starts two revolutions on, a stop and a bound around the drawing, one of them drawn by a quaternion
screw = model(3, "0", sections="""forces: {k: {type: rotational-spring, joint: pin, stiffness: 1, angle: 0}}
start: {pin.angle: 4*pi}
outputs: {torque: k.torque}
method: {end: 0.01}""").replace("type: revolute", "type: screw").replace("normal:", "pitch: 10 mm, normal:")
stop = model(2, "200 deg", sections="""forces: {s: {type: stop, joint: pin, lower: 0, upper: 270 deg, stiffness: 100}}
outputs: {angle: pin.angle, torque: s.torque}
method: {end: 0.1}""")
bound = """constraints: {s: {position: pin.angle, lower: 0, upper: 270 deg, restitution: 0.5}}
start: {pin.rate: 2}
outputs: {angle: pin.angle}
method: {end: 1.2}"""
quaternion = model(3, "0", sections=bound).replace("{axis: [0, 0, 1], angle: 0}", f"{{quaternion: [{math.cos(100 * DEGREE)!r}, 0, 0, {math.sin(100 * DEGREE)!r}]}}")
stood = quaternion.replace(bound, '''forces: {s: {type: stop, joint: pin, lower: 0, upper: 270 deg, stiffness: 100}}
outputs: {angle: pin.angle, torque: s.torque}
method: {end: 0.1}''')
beyond = model(2, "-5 deg", sections='''constraints: {s: {position: pin.angle, lower: 0}}
outputs: {angle: pin.angle}''')
answer(beyond, code=4)  # one bound does not choose: it is refused
hit = 70 * DEGREE / 2
for coordinates in COORDINATES:
    near(run(screw, "--coordinates", coordinates)[0]["torque"], 4 * math.pi, 1e-8, f"screw, {coordinates}")
    last = run(stop, "--coordinates", coordinates)[-1]
    near(last["angle"], 200 * DEGREE, 1e-9, f"stop, {coordinates}")
    near(last["torque"], 0, 1e-9, f"stop, {coordinates}")
    last = run(stood, "--coordinates", coordinates)[-1]
    near(last["angle"], 200 * DEGREE, 1e-9, f"stop, drawn by a quaternion, {coordinates}")
    for text in (model(2, "200 deg", sections=bound), model(3, "200 deg", sections=bound), quaternion):
        rows = run(text, "--coordinates", coordinates)
        expect(rows and abs(rows[0]["angle"] - 200 * DEGREE) < 1e-9, f"bound, {coordinates}: begins at {rows[0]['angle'] if rows else None}")
        near(rows[-1]["angle"], 270 * DEGREE - (1.2 - hit), 1e-6, f"bound, {coordinates}")

# a drive says where it begins, in all commands
for value, dimension in (("20 + 3*t", 2), ("-1000 deg + 2*t", 3)):
    sections = f"drives: {{turn: {{joint: pin, value: {value}}}}}\noutputs: {{angle: pin.angle, goal: {value}}}\nmethod: {{end: 5}}"
    text = model(dimension, "0", sections=sections)
    for coordinates in COORDINATES:
        for row in run(text, "--coordinates", coordinates):
            near(row["angle"], row["goal"], 1e-8, f"drive {value}, {coordinates}")
    for word in ("kinematics", "inverse"):
        rows = command(word, text, "--sample", "2.5")[1]
        expect(len(rows) == 3, f"{word}: {len(rows)} rows")
        for row in rows:
            near(row["angle"], row["goal"], 1e-8, f"{word}, drive {value}")

# rest, three revolutions on
found = command("equilibrium", model(2, "1000 deg", sections="""forces: {k: {type: rotational-spring, joint: pin, stiffness: 1, angle: 1100 deg}}
outputs: {angle: pin.angle}"""))[0]
near(found.get("outputs", {}).get("angle", math.nan), 1100 * DEGREE, 1e-6, "equilibrium")

# many revolutions in one step where the coordinates are angles, and a spring after them: torque -k (angle - zero)
fast = model(2, "0", sections="""forces: {m: {type: motor, joint: pin, torque: 0.6*t}}
outputs: {angle: pin.angle, turned: pin.angle - t^3}
method: {end: 20}""")
for coordinates in ("cartesian", "increments", "relative"):
    rows = run(fast, "--coordinates", coordinates, "--formulation", "al1", "--integrator", "rk4", "--step", "0.05")
    near(max(abs(row["turned"]) for row in rows), 0, 1e-6, f"60 radians in a step, {coordinates}")

# phases: a spring that comes after two revolutions has its zero at none; a drive that comes then goes on from where the angle is, whole revolutions off
phases = model(2, "0", sections="""forces: {k: {type: rotational-spring, joint: pin, stiffness: 0.1, angle: 0, active: no}}
drives: {turn: {joint: pin, value: 10*t, active: no}}
start: {pin.rate: 10}
phases: [{at: 1.5, add: [k]}, {at: 1.6, remove: [k], add: [turn], move: yes}]
outputs: {angle: pin.angle, torque: k.torque, k: 0.1*pin.angle}
method: {end: 2}""")
off = phases.replace("value: 10*t", "value: 10*t - 4*pi - x0").replace("bodies:", "parameters: {x0: 0}\nbodies:")
for coordinates in COORDINATES:
    rows = run(phases, "--coordinates", coordinates, "--sample", "0.01")
    at = {round(row["time"], 6): row for row in rows}
    near(at[1.55]["torque"], at[1.55]["k"], 1e-9, f"spring of a phase, {coordinates}")
    expect(at[1.55]["torque"] > 1.5, f"spring of a phase, {coordinates}: {at[1.55]['torque']}")
    near(at[2.0]["angle"], 20, 0.02, f"drive of a phase, {coordinates}")
    rows = run(off, "--coordinates", coordinates, "--sample", "0.01")
    near(rows[-1]["angle"], 20, 0.02, f"drive of a phase, two revolutions off, {coordinates}")

# the reference run of the certificate counts alike
report = answer(model(3, "1000 deg", sections="""forces: {k: {type: rotational-spring, joint: pin, stiffness: 10, angle: 940 deg}}
outputs: {angle: pin.angle, torque: k.torque}
method: {end: 1}"""), "--certify")[0]
expect(report.get("certificate", {}).get("trusted", True) and report.get("status") == "completed", f"certificate: {report.get('certificate')}")

# a sample of the survey
options = turns.parse(["--program", PROGRAM, "--angles=-1000,225", "--coordinates", "natural,relative", "--methods", "auto",
                       "--elements", "spring along,motor by signals,stop,table of an angle,phase,drive along,gear,shaft,rotor,yaw of the body,universal"])
runs, wrong = turns.survey(program.Program(PROGRAM), options)
expect(runs > 100, f"{runs} runs")
for label, sentence, _ in wrong:
    expect(False, f"{label}: {sentence}")
finish()
