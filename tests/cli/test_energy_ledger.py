#!/usr/bin/env python3
"""Where the energy went: closed forms, sums that close, orders of what integrator and projections add, and the same bits with and without.

Usage: test_energy_ledger.py PROGRAM SOURCE_ROOT [--all]

--all, and in `make soak`: every problem and example with every integrator. It takes some minutes.
"""
import csv
import io
import json
import math
import os
import subprocess
import sys
import tempfile

from built import full, sanitized

PROGRAM, ROOT = sys.argv[1], sys.argv[2]
FOLDER = tempfile.mkdtemp(prefix="sarrus-energy-")
FAULTS = []
CLOSES = 1e-10  # of the largest term

# pairs of formulation and integrator, and whether the step is fixed
METHODS = [
    ("al3", "trapezoidal", 1), ("al3", "newmark", 1), ("al3", "generalised-alpha", 1), ("al3", "trapezoidal-variable", 0), ("al1", "rk4", 1),
    ("al1", "trapezoidal-fixed-point", 1), ("al1", "euler", 1), ("al1", "semi-implicit-euler", 1), ("al1", "dopri5", 0), ("al1", "bdf", 0),
    ("penalty", "dop853", 0), ("al1", "dop853-ida", 0), ("nullspace", "rk4", 1), ("nullspace", "trapezoidal", 1), ("hamiltonian", "trapezoidal", 1),
    ("threefield", "own", 1), ("threefield", "own-variable", 0), ("chart", "dop853", 0), ("chart", "radau", 0), ("chart", "dop853-radau", 0), ("dae", "ida", 0)]


def check(condition, text):
    if not condition:
        FAULTS.append(text)
        print("FAULT:", text)


def run(model, *options):
    done = subprocess.run([PROGRAM, "run", model, "--json", "--certify=no", "--energy-ledger", *options], capture_output=True, text=True, cwd=ROOT)
    return json.loads(done.stdout) if done.stdout else {"failure": done.stderr}


def accounts(report):
    out = {}
    for a in report["ledger"]["accounts"]:
        out[a["kind"] + ("." + a["name"] if "name" in a else "")] = a["value"]
    return out


def write(name, text):
    path = os.path.join(FOLDER, name + ".yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def closes(name, report):
    """The largest term: of the accounts, or the energy that is there from the start on."""
    values = [a["value"] for a in report["ledger"]["accounts"]]
    if None in values:
        check(report["status"] != "completed", f"{name}: an account without a value")
        return 0.0
    off = abs(report["ledger"]["left_over"]) / max([abs(v) for v in values] + [abs(report["energy"]["initial"]), 1e-30])
    check(off < CLOSES, f"{name}: the sums differ by {off:.1e} of the largest term")
    return off


STIFF = {"andrews": "0.01", "vehicle": "0.02"}  #: ends: explicit methods take short steps there


def survey(models, methods, end):
    worst, runs = 0.0, 0
    for model in models:
        for form, integrator, fixed in methods:
            step = ["--step", "1e-5" if model == "andrews" else "1e-3"] if fixed else []
            method = ["--formulation", form, "--integrator", integrator] if form else []
            report = run(model, *method, *step, "--end", STIFF.get(model, end) if form or model == "andrews" else end)
            if "ledger" in report:
                worst, runs = max(worst, closes(f"{model} {form} {integrator}", report)), runs + 1
    print(f"sums close to {worst:.1e} of the largest term in {runs} runs")
    check(runs > 0.7 * len(models) * len(methods), "most of the runs are refused")


# A mass on a spring with a damper, that a force pushes and a drive pulls along.
OSCILLATOR = """sarrus: 1
name: oscillator
dimension: 2
gravity: [0, 0]
bodies: {m: {mass: 2, inertia: 1, position: [0.4, 0], angle: 0}}
joints: {g: {type: prismatic, between: [ground.origin, m.origin], axis: [1, 0]}}
forces:
  s: {type: spring, joint: g, stiffness: 50}
  d: {type: spring, joint: g, stiffness: 0, damping: 3}
start: {g.displacement: 0.4, g.speed: 2}
outputs: {t_d: d.work, t_s: s.work, i: energy.integrator, all: energy.total}
method: {end: 2, sample: 0.01}
"""
DRIVEN = """sarrus: 1
name: driven
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 2, inertia: 0.1, position: [0, 0], angle: 0}
  b: {mass: 1, inertia: 0.1, points: {top: [0, 0.5]}, position: [0, -0.5], angle: 0}
joints:
  g: {type: prismatic, between: [ground.origin, a.origin], axis: [1, 0]}
  p: {type: revolute, between: [a.origin, b.top]}
drives: {pull: {joint: g, coordinate: displacement, value: "0.3*sin(2*t)"}}
outputs: {w: pull.work}
method: {end: 1.7}
"""


def closed_forms():
    """x of the damped oscillator; the damper takes what is lost, the spring gives what its potential says."""
    model = write("oscillator", OSCILLATOR)
    table = os.path.join(FOLDER, "oscillator.csv")
    report = run(model, "--tolerance", "1e-11", "-o", table)
    m, c, k, x0, v0 = 2.0, 3.0, 50.0, 0.4, 2.0
    a = c / (2 * m)
    w = math.sqrt(k / m - a * a)
    worst = 0.0
    for row in csv.DictReader(open(table, encoding="utf-8")):
        t = float(row["time"])
        b = (v0 + a * x0) / w
        x = math.exp(-a * t) * (x0 * math.cos(w * t) + b * math.sin(w * t))
        v = math.exp(-a * t) * ((b * w - a * x0) * math.cos(w * t) - (x0 * w + a * b) * math.sin(w * t))
        lost = 0.5 * (k * x * x + m * v * v) - 0.5 * (k * x0 * x0 + m * v0 * v0)
        gave = 0.5 * k * (x0 * x0 - x * x)
        worst = max(worst, abs(float(row["t_d"]) - lost), abs(float(row["t_s"]) - gave), abs(float(row["i"])))
    print(f"damped oscillator: works off by {worst:.1e} J")
    check(worst < 1e-9, f"works of the oscillator are off by {worst:.1e}")
    check(closes("oscillator", report) < 1e-13, "oscillator: rounding")


def drive():
    """All energy of a driven pendulum comes from its drive."""
    report = run(write("driven", DRIVEN), "--tolerance", "1e-11")
    a = accounts(report)
    total = a["kinetic"] + a["potential.gravity"]
    check(abs(a["drive.pull"] - total) < 1e-8 * abs(total), f"the drive gave {a['drive.pull']} J of {total} J")
    check(abs(a["integrator"]) < 1e-8 * abs(total), f"integrator {a['integrator']}")


def impacts():
    """A ball that falls by h and keeps e of its speed loses (1 - e^2) m g h, and all of it in the end."""
    report = run("bouncing-ball", "--end", "1")
    first = [i for i in report["impacts"] if i["t"] < 1]
    lost = sum(0.5 * (i["rate_after"] ** 2 - i["rate_before"] ** 2) for i in first)
    a = accounts(report)
    mass = first[0]["impulse"] / (first[0]["rate_after"] - first[0]["rate_before"])
    check(abs(a["impacts"] - mass * lost) < 1e-9, f"impacts took {a['impacts']} J, not {mass * lost} J")


PHASE = """sarrus: 1
name: phase
dimension: 2
gravity: [0, 0]
bodies:
  a: {mass: 1, inertia: 1, position: [0, 0], angle: 0}
  b: {mass: 3, inertia: 1, position: [2, 0], angle: 0}
joints:
  ga: {type: prismatic, between: [ground.origin, a.origin], axis: [1, 0]}
  gb: {type: prismatic, between: [ground.origin, b.origin], axis: [1, 0]}
  lock: {type: revolute, between: [a.origin, b.origin], active: no, attach: here}
phases: [{at: 0.5, add: [lock]}]
start: {ga.speed: 2, gb.displacement: 2, gb.speed: 0}
method: {end: 1}
"""


def events():
    """A plastic impact loses m1 m2/(m1 + m2) v^2/2; a drive whose speed jumps from 1 to 3 m/s gives 4 m."""
    report = run(write("phase", PHASE))
    a = accounts(report)
    check(abs(a["phases"] + 1.5) < 1e-9, f"the phase took {a['phases']} J")
    closes("phase", report)
    jump = DRIVEN.replace('"0.3*sin(2*t)"', '"t + 2*max(t - 0.5, 0)"').replace("[0, -9.81]", "[0, 0]").replace("end: 1.7", "end: 1")
    lone = "\n".join(line for line in jump.splitlines() if not line.startswith(("  b:", "  p:")))
    report = run(write("jump", lone))
    a = accounts(report)
    check(abs(a["jumps"] - 0.5 * 2 * (9 - 1)) < 1e-9, f"the jump gave {a['jumps']} J")
    closes("jump", report)


def orders():
    """The integrator's part falls with the square of the step, that of projections with its third power; with the tolerance for dop853."""
    parts = []
    for steps in (200, 400, 800):
        a = accounts(run("four-bar", "--formulation", "al3", "--integrator", "trapezoidal", "--coordinates", "natural", "--step", str(0.8 / steps), "--end", "0.8"))
        parts.append((a["integrator"], a["projections"]))
    order = [math.log2(parts[1][k] / parts[2][k]) for k in range(2)]
    print(f"trapezoidal: integrator {parts[2][0]:.1e} J, order {order[0]:.2f}; projections {parts[2][1]:.1e} J, order {order[1]:.2f}")
    check(1.8 < order[0] < 2.2, f"order of the integrator's part {order[0]}")
    check(2.5 < order[1] < 3.5, f"order of the projections' part {order[1]}")
    fine = [abs(accounts(run(write("driven", DRIVEN), "--formulation", "chart", "--integrator", "dop853", "--tolerance", tol))["integrator"]) for tol in ("1e-4", "1e-7", "1e-10")]
    print("dop853, tolerance 1e-4, 1e-7, 1e-10:", *(f"{x:.1e}" for x in fine))
    check(fine[2] < 1e-9 and fine[2] < 1e-3 * fine[0], f"the integrator's part does not follow the tolerance: {fine}")
    rk4 = [accounts(run(write("oscillator", OSCILLATOR), "--formulation", "al1", "--integrator", "rk4", "--step", h))["integrator"] for h in ("0.02", "0.01", "0.005")]
    order = math.log2(rk4[1] / rk4[2])
    print(f"rk4: order {order:.2f}")
    check(3.5 < order < 5.5, f"order of rk4's part {order}")


def same_bits():
    """Who asks changes nothing: the same bits at the end; between steps, where charts iterate, the same to rounding."""
    for model, *options in (["slider-crank-1"], ["suspension"], ["bouncing-ball"], ["bricard", "--end", "2"], ["rolling-disc", "--end", "1"]):
        tables = [list(csv.reader(io.StringIO(subprocess.run(
            [PROGRAM, "run", model, "--certify=no", "-q", "-o", "-", "--sample", "0.01", *options, *extra], capture_output=True, text=True, cwd=ROOT).stdout)))
            for extra in ([], ["--energy-ledger"])]
        check(tables[0][-1] == tables[1][-1] and len(tables[0]) == len(tables[1]) > 50, f"{model}: the ledger changes the run")
        off = max(abs(float(x) - float(y)) for a, b in zip(tables[0][1:], tables[1][1:]) for x, y in zip(a, b))
        check(off < 1e-12, f"{model}: the ledger changes samples by {off:.1e}")


def files():
    """Columns of a file, a picture, and what is refused."""
    path, picture = os.path.join(FOLDER, "andrews.h5"), os.path.join(FOLDER, "andrews.svg")
    a = accounts(run("andrews", "--end", "0.01", "-o", path, "--plot", picture))
    with open(path, "rb") as file:
        content = file.read()
    check(b"ledger" in content and b"integrator" in content, "the file has no ledger")
    check(not os.path.exists(picture) or "work of motor" in open(picture, encoding="utf-8").read(), "the picture shows no work")
    check(a["work.motor"] > 0, "the motor does no work")
    model = write("wrong", OSCILLATOR.replace("d.work", "g.work"))
    refused = subprocess.run([PROGRAM, "run", model], capture_output=True, text=True)
    check(refused.returncode == 3 and "does no work" in refused.stderr, f"g.work: {refused.stderr}")


closed_forms()
drive()
impacts()
events()
orders()
same_bits()
files()
if "--all" in sys.argv or full(PROGRAM):
    everything = sorted(d for d in os.listdir(os.path.join(ROOT, "problems")) if os.path.isdir(os.path.join(ROOT, "problems", d)))
    everything += sorted(f[:-5] for f in os.listdir(os.path.join(ROOT, "examples", "models")) if f.endswith(".yaml"))
    survey(everything, [("", "", 0)] + METHODS, "1")
elif not sanitized(PROGRAM):
    survey(["slider-crank-1", "bricard", "n-four-bar", "suspension", "stick-slip"], METHODS, "0.2")
    survey(["bouncing-ball", "rolling-disc", "cam-follower", "vehicle", "gripper", "ladder", "andrews"], [("", "", 0)], "0.5")
sys.exit(1 if FAULTS else 0)
