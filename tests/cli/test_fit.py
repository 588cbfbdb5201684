#!/usr/bin/env python3
"""Fits of models to data that this script makes from closed forms: numbers, standard deviations, bounds, numbers that cannot be
told apart, offsets of clocks, weights, Ctrl-C and states.

Usage: test_fit.py PROGRAM SOURCE_ROOT
"""
import json
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from built import full, sanitized

PROGRAM = sys.argv[1]
FOLDER = tempfile.mkdtemp(prefix="sarrus-fit-")
FAULTS = []
MODEL = """sarrus: 1
name: spring
dimension: 2
parameters: {m: 1.5, k: 70, c: 1, l: 2, s0: 0.4, half: 0.5}
bodies:
  block: {mass: m, inertia: 0.2, position: [l + s0, 0], angle: 0}
joints:
  rail: {type: prismatic, between: [ground.origin, block.origin], axis: [ground.x, block.x]}
forces:
  coil: {type: spring, between: [ground.origin, block.origin], stiffness: 2*half*k, damping: c, length: l}
outputs: {stretch: rail.displacement - l, speed: rail.speed}
start: {rail.displacement: 2.4}
"""
TRUTH = {"m": 1.5, "k": 40.0, "c": 3.0, "s0": 0.5}


def check(condition, text):
    if not condition:
        FAULTS.append(text)
        print("FAULT:", text)


def write(name, text):
    path = os.path.join(FOLDER, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def swing(t):
    """Stretch and speed of the damped spring: a closed form, no code of the library."""
    m, k, c, s0 = (TRUTH[name] for name in ("m", "k", "c", "s0"))
    w, z = math.sqrt(k/m), c/(2*math.sqrt(k*m))
    d = w*math.sqrt(1 - z*z)
    decay = s0*math.exp(-z*w*t)
    return decay*(math.cos(d*t) + z*w/d*math.sin(d*t)), -decay*(w*w/d)*math.sin(d*t)


def data(name, noise, seed=1, rows=121, late=0.0, columns=("stretch",)):
    """Samples over 2 s, whose clock shows 0 when the model's shows `late`."""
    rng = random.Random(seed)
    lines = ["time," + ",".join(columns)]
    for i in range(rows):
        t = 2.0*i/(rows - 1)
        values = dict(zip(("stretch", "speed"), swing(t + late)))
        lines.append(f"{t!r}," + ",".join(repr(values[c] + rng.gauss(0, noise)) for c in columns))
    return write(name, "\n".join(lines) + "\n")


def fit(path, *options, codes=(0,)):
    done = subprocess.run([PROGRAM, "fit", SPRING, path, "--json", *options], capture_output=True, text=True)
    if done.returncode not in codes:
        raise SystemExit(f"{options}: {done.returncode} {done.stdout} {done.stderr}")
    report = json.loads(done.stdout)
    report["number"] = {n["name"]: n for n in report["numbers"]}
    return report


SPRING = write("spring.yaml", MODEL)


def exact_data():
    """Without noise the numbers come back, by derivatives and by differences."""
    path = data("exact.csv", 0.0)
    for extra in ([], ["--differences"], ["--coordinates", "natural"], ["--coordinates", "cartesian"]):
        found = fit(path, "--free", "k=1:1e3", "--free", "c=0:", "--free", "rail.displacement", *extra)
        for name, value in (("k", 40.0), ("c", 3.0), ("rail.displacement", 2.5)):
            got = found["number"][name]["value"]
            check(abs(got - value) < 1e-6*value, f"{name} = {got} by {extra}, made with {value}")
        check(found["search"]["found"], f"no minimum found by {extra}")
    check(fit(path, "--free", "k")["search"]["slopes"] == "derivatives of runs", "slopes are not derivatives")


def deviations():
    """The scatter of fits to many draws of noise is the standard deviation that each of them reports. The scatter of n draws is
    itself known to 1/sqrt(2n): 400 draws within 15 %, a sample within three of these."""
    draws = 400 if "--all" in sys.argv or full(PROGRAM) and not sanitized(PROGRAM) else 40
    limit = 0.15 if draws == 400 else 3/math.sqrt(2*draws)
    values, reported = {}, {}
    for seed in range(draws):
        found = fit(data("draw.csv", 0.01, seed, rows=61), "--set", "k=41", "--set", "c=2.9", "--set", "s0=0.5",
                    "--free", "k", "--free", "c", "--free", "rail.displacement=2.3:2.7:2.5")
        for name, number in found["number"].items():
            values.setdefault(name, []).append(number["value"])
            reported.setdefault(name, []).append(number["deviation"])
    for name, got in values.items():
        mean = sum(got)/draws
        scatter = math.sqrt(sum((v - mean)**2 for v in got)/(draws - 1))
        said = sum(reported[name])/draws
        print(f"{name}: scatter {scatter:.4g}, reported {said:.4g}, ratio {said/scatter:.3f}, {draws} draws")
        check(abs(said/scatter - 1) < limit, f"{name}: deviation {said} reported, scatter {scatter}")
        truth = {"k": 40.0, "c": 3.0, "rail.displacement": 2.5}[name]
        check(abs(mean - truth) < 5*scatter/math.sqrt(draws), f"{name}: mean {mean}, made with {truth}")


def bounds():
    found = fit(data("noisy.csv", 0.01), "--free", "k=50:100", "--free", "c=0:2:1", "--free", "rail.displacement")
    check(found["number"]["k"]["value"] == 50.0 and found["number"]["k"]["at_bound"], "k is not at its bound")
    check(found["number"]["k"]["deviation"] is None, "a number at its bound has a deviation")
    check(found["number"]["rail.displacement"]["deviation"] > 0, "a number within its bounds has no deviation")


def stays_sensible():
    """Numbers that cannot be negative stay positive; one that data push away for ever, or say nothing about, is in doubt."""
    pendulum = write("pendulum.yaml", "sarrus: 1\nname: pendulum\ndimension: 2\nparameters: {m: 1, L: 1, J: 0.05, d: 0.02}\ngravity: [0, -9.81]\n"
                     "bodies: {p: {mass: m, center: [0, -L], inertia: J, points: {O: [0, 0]}, position: [0, 0], angle: 0.8}}\n"
                     "joints: {A: {type: revolute, between: [ground.origin, p.O]}}\n"
                     "forces: {f: {type: rotational-spring, joint: A, damping: d}}\noutputs: {phi: A.angle}\nstart: {A.angle: 0.8}\n")
    swings = os.path.join(FOLDER, "swings.csv")
    subprocess.run([PROGRAM, "run", pendulum, "--set", "J=0", "--set", "L=0.99", "--set", "d=0", "--end", "2", "--sample", "0.05", "-o", swings], capture_output=True, check=True)
    for free, code, words in (("J", 0, "at its bound"), ("m", 6, "grows without end")):
        done = subprocess.run([PROGRAM, "fit", pendulum, swings, "--free", free], capture_output=True, text=True)
        check(done.returncode == code and words in done.stdout, f"{free}: {done.returncode} {done.stdout} {done.stderr}")
    free = [word for name in ("J", "d", "L") for word in ("--free", name)]
    done = subprocess.run([PROGRAM, "fit", pendulum, swings, *free, "--differences"], capture_output=True, text=True)
    check(done.returncode == 6 and "not told" in done.stdout, f"not told by differences: {done.returncode} {done.stdout}")


def input_that_is_wrong():
    path = data("exact.csv", 0.0)
    blank = write("blank.csv", open(path, encoding="utf-8").read().replace("\n", "\n0.001,\n", 2).replace("\n0.001,\n", "\n", 1))
    check(abs(fit(blank, "--free", "k", "--free", "c", "--free", "rail.displacement")["number"]["k"]["value"] - 40) < 1e-4, "a blank field is no value")
    unknown = write("unknown.csv", "time,height\n0,1\n1,2\n")
    state = write("bad-state", "k much\n")
    for options, words in (([path, "--free", "k=9:1"], "is above the upper one"), ([path, "--free", "k=1:9:20"], "outside of the bounds"),
                           ([path, "--free", "k", "--free", "parameters.k"], "free already"), ([path, "--free", "k", "--state", state], "or damaged"),
                           ([path, "--free", "k", "--state", "/nowhere/state"], "cannot write"),
                           ([unknown, "--free", "k"], "neither an output of the model (stretch, speed)")):
        done = subprocess.run([PROGRAM, "fit", SPRING, *options], capture_output=True, text=True)
        check(done.returncode in (1, 2, 3) and words in done.stderr, f"{options}: {done.returncode} {done.stderr}")
    state = os.path.join(FOLDER, "with-offset")
    late = data("late.csv", 0.0, late=0.05)
    asked = (late, "--free", "k=20:80", "--free", "c", "--free", "rail.displacement", "--free", "offset=0:0.2:0.01", "--state", state)
    first, again = fit(*asked, codes=(0, 6)), fit(*asked, codes=(0, 6))
    check(first["number"]["offset"]["start"] == 0.01 and again["number"]["offset"]["start"] == first["number"]["offset"]["value"], "an offset is not kept")


def not_told():
    """k and half only as their product; m, k and c only by their ratios."""
    found = fit(data("noisy.csv", 0.01), "--free", "k", "--free", "half", "--free", "c", "--free", "rail.displacement", codes=(6,))
    check(len(found["not_told"]) == 1, "one combination is not told")
    v = found["not_told"][0]
    check(abs(v["k"] + v["half"]) < 1e-3 and abs(v["c"]) < 1e-3, f"the combination is {v}")
    check(found["number"]["k"]["deviation"] is None and found["number"]["c"]["deviation"] > 0, "deviations of what is not told")
    product = found["number"]["k"]["value"]*found["number"]["half"]["value"]*2
    check(abs(product - 40) < 1, f"the product is {product}")
    text = subprocess.run([PROGRAM, "fit", SPRING, data("noisy.csv", 0.01), "--free", "k", "--free", "half"], capture_output=True, text=True)
    check("not told" in text.stdout and "k (" in text.stdout and "half (" in text.stdout, f"not named:\n{text.stdout}")


def offset_and_weights():
    path = data("late.csv", 0.0, late=0.3)
    found = fit(path, "--free", "k=20:80:45", "--free", "c=1:5", "--free", "offset=0:0.6", "--set", "s0=0.5", "--free", "rail.displacement=2.3:2.7:2.5")
    check(abs(found["number"]["offset"]["value"] - 0.3) < 1e-5, f"offset {found['number']['offset']}")
    check(abs(found["number"]["k"]["value"] - 40) < 1e-3, "k with an offset")
    both = data("both.csv", 0.001, columns=("stretch", "speed"))
    found = fit(both, "--free", "k", "--weight", "stretch=1000", "--weight", "speed=1000", "--free", "c", "--free", "rail.displacement")
    check(abs(found["number"]["k"]["value"] - 40) < 0.2, "k of two columns")
    check([c["weight"] for c in found["columns"]] == [1000, 1000], "weights")
    text = open(both, encoding="utf-8").read().replace("stretch", "gauge")
    found = fit(write("gauge.csv", text), "--free", "k", "--column", "gauge=rail.displacement - l", "--free", "c", "--free", "rail.displacement")
    check(abs(found["number"]["k"]["value"] - 40) < 0.2 and len(found["columns"]) == 1, "a column by its expression")


def files_and_states():
    path, state = data("noisy.csv", 0.01), os.path.join(FOLDER, "state")
    picture, numbers = os.path.join(FOLDER, "fit.svg"), os.path.join(FOLDER, "fit.csv")
    options = ("--free", "k=1:1e3", "--free", "c=0:", "--free", "s0", "--free", "rail.displacement")
    found = fit(path, "--iterations", "2", "--state", state, *options, codes=(6,))
    kept = dict(line.split() for line in open(state, encoding="utf-8") if not line.startswith("#"))
    check(float(kept["k"]) == found["number"]["k"]["value"], "the state is not what was found")
    resumed = fit(path, "--state", state, "-o", picture, "-o", numbers, *options, codes=(0, 6))
    check(resumed["number"]["k"]["start"] == float(kept["k"]), "it did not go on from the state")
    check(open(picture, encoding="utf-8").read().startswith("<svg"), "no picture")
    check(open(numbers, encoding="utf-8").readline() == "column,time,measured,start,fitted\n", "no numbers")
    done = subprocess.run([PROGRAM, "fit", SPRING, path, "--free", "k", "--free", "m", "--state", state], capture_output=True, text=True)
    check(done.returncode == 2 and "other numbers" in done.stderr, f"a state of other numbers: {done.stderr}")


def interrupted():
    """Ctrl-C keeps the best numbers."""
    state = os.path.join(FOLDER, "slow-state")
    path = data("noisy.csv", 0.01)
    running = subprocess.Popen([PROGRAM, "fit", SPRING, path, "--json", "--free", "k", "--free", "c", "--step", "1e-4", "--differences",
                                "--state", state], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(1200):
        if os.path.exists(state) or running.poll() is not None:
            break
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=300)
    if running.returncode == 0:
        return  # it was faster
    check(running.returncode == 130, f"interrupted: {running.returncode}")
    kept = dict(line.split() for line in open(state, encoding="utf-8") if not line.startswith("#"))
    check(abs(json.loads(out)["numbers"][0]["value"] - float(kept["k"])) < 1e-12, "the best numbers are not told")


def bad_input():
    path = data("noisy.csv", 0.01)
    for options, code, words in (([], 2, "--free"), (["--free", "zz"], 2, "no number of the model"), (["--free", "k=5:1"], 2, "above the upper one"),
                                 (["--free", "k", "--weight", "nn=1"], 2, "no such column"), (["--free", "k", "--weight", "stretch=-1"], 2, "above 0"),
                                 (["--free", "k", "--column", "stretch=nobody.x"], 3, "nobody"), (["--free", "m=-5:-1"], 3, "negative")):
        done = subprocess.run([PROGRAM, "fit", SPRING, path, *options], capture_output=True, text=True)
        check(done.returncode == code and words in done.stderr, f"{options}: {done.returncode} {done.stderr}")
    early = write("early.csv", "time,stretch\n-1,0.1\n0,0.2\n")
    done = subprocess.run([PROGRAM, "fit", SPRING, early, "--free", "k"], capture_output=True, text=True)
    check(done.returncode == 2 and "before the run" in done.stderr, f"data before the start: {done.stderr}")


for test in (exact_data, deviations, bounds, not_told, stays_sensible, input_that_is_wrong, offset_and_weights, files_and_states, interrupted, bad_input):
    began = time.monotonic()
    test()
    print(f"{test.__name__}: {time.monotonic() - began:.1f} s")
sys.exit(len(FAULTS) > 0)
