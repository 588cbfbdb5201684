#!/usr/bin/python3
"""False alarms: motions whose solution is known, with outputs that are constant, tiny, zero but for rounding, or that jump.

    tools/trust/alarms.py [--count 20] [--seed 1] [--kinds spin,rest,circle,jump,crank,tiny,residue] [-j 2]

Every model is made at random and run in all coordinates, by default settings and at other tolerances, with the certificate that
every short run has. Its rows are compared with a closed form. Reported are runs that are right and doubted (exit code 6), and
runs that are wrong and trusted. Exit code 1 when there are any.
"""
import argparse
import math
import sys

import numpy as np

import program

RIGHT, WRONG = 1e-4, 3e-2  # of the scale of an output: not to be doubted below, not to be trusted beyond (1e-2, and what an estimate is off by)
COORDINATES = ("natural", "cartesian", "increments", "relative")
TOLERANCES = (None, "1e-4", "1e-9")


class Case:
    """A model, and of some outputs the true values at times t and the scale of their errors."""

    def __init__(self, model, truth, coordinates=COORDINATES, end=1.0):
        self.model, self.truth, self.coordinates = model, truth, coordinates
        self.model.update({"sarrus": 1, "name": "alarm", "method": {"end": end}})


def spin(rng):
    """A free body that spins about a principal axis: its rates, momentum and energy are constant."""
    w, (a, c), v = 10 ** rng.uniform(-1, 3), 10 ** rng.uniform(-5, 1, 2), 10 ** rng.uniform(-2, 2)
    c = min(c, 1.9 * a)
    mass = max(a, c) * 10 ** rng.uniform(0, 3)
    body = {"mass": mass, "inertia": [a, a, c], "position": [0.0, 0.0, 0.0], "rotation": {"axis": [1.0, 0.0, 0.0], "angle": rng.uniform(-3, 3)}}
    s, k = math.sin(body["rotation"]["angle"]), math.cos(body["rotation"]["angle"])
    body.update(angular_velocity=[0.0, -w * s, w * k], velocity=[v, 0.0, 0.0])
    outputs = {"spin": "b.wz@b", "momentum": f"{c!r}*(b.wz@b)", "energy": f"0.5*{c!r}*(b.wz@b)^2", "speed": "sqrt(b.origin.vx^2 + b.origin.vy^2 + b.origin.vz^2)"}
    truth = {"spin": (w, w), "momentum": (c * w, c * w), "energy": (0.5 * c * w * w, c * w * w), "speed": (v, v)}
    return Case({"dimension": 3, "gravity": [0, 0, 0], "bodies": {"b": body}, "outputs": outputs}, truth, end=30 / w)


def rest(rng):
    """Springs, soft and stiff, at their free angle and length: every force is rounding."""
    angle, k, length = rng.uniform(-20, 20), 10 ** rng.uniform(0, 6), 10 ** rng.uniform(-2, 2)
    at = [length * math.cos(angle), length * math.sin(angle)]
    model = {"dimension": 2, "gravity": [0, 0], "bodies": {"bar": {"mass": 1.0, "inertia": 0.1, "position": [0.0, 0.0], "angle": angle},
                                                          "p": {"mass": 2.0, "inertia": 0.1, "position": at, "angle": 0.0}},
             "joints": {"pin": {"type": "revolute", "between": ["ground.origin", "bar.origin"]}},
             "forces": {"coil": {"type": "rotational-spring", "joint": "pin", "stiffness": k, "angle": angle},
                        "s": {"type": "spring", "between": ["ground.origin", "p.origin"], "stiffness": k, "length": length}},
             "outputs": {"torque": "coil.torque", "force": "s.force", "rate": "pin.rate", "angle": "pin.angle", "moved": f"p.origin.x - ({at[0]!r})"}}
    small = 1e-9
    return Case(model, {"torque": (0.0, k * small), "force": (0.0, k * length * small), "rate": (0.0, math.sqrt(k / 0.1) * small), "angle": (angle, 1.0),
                        "moved": (0.0, length * small)})


def circle(rng):
    """A mass on a rod that goes round at a constant rate."""
    r, w, m = 10 ** rng.uniform(-2, 2), 10 ** rng.uniform(-1, 2), 10 ** rng.uniform(-3, 3)
    model = {"dimension": 2, "gravity": [0, 0], "bodies": {"a": {"mass": m, "inertia": 0.1 * m * r * r, "center": [r, 0.0], "position": [0.0, 0.0], "angle": 0.0}},
             "joints": {"pin": {"type": "revolute", "between": ["ground.origin", "a.origin"]}}, "start": {"pin.rate": w},
             "outputs": {"rate": "pin.rate", "speed": "sqrt(a.center.vx^2 + a.center.vy^2)", "pull": "sqrt(pin.fx^2 + pin.fy^2)",
                         "radius": "sqrt(a.center.x^2 + a.center.y^2)", "x": "a.center.x"}}
    force = m * r * w * w
    return Case(model, {"rate": (w, w), "speed": (r * w, r * w), "pull": (force, force), "radius": (r, r), "x": (lambda t: r * np.cos(w * t), r)}, end=20 / w)


def jump(rng):
    """A force that sets in at once: the acceleration jumps, now and then at a row."""
    f, m, v0 = 10 ** rng.uniform(-2, 3), 10 ** rng.uniform(-2, 2), rng.choice([0.0, 1.0])
    at = rng.choice([0.25, 0.5, float(rng.uniform(0.1, 0.9))])
    model = {"dimension": 2, "gravity": [0, 0], "bodies": {"a": {"mass": m, "inertia": 1.0, "position": [0.0, 0.0], "angle": 0.0, "velocity": [v0, 0.0]}},
             "joints": {"g": {"type": "prismatic", "between": ["ground.origin", "a.origin"], "axis": ["ground.x", "a.x"]}},
             "forces": {"f": {"type": "actuator", "joint": "g", "force": f"t < {at!r} ? {0.1 * f!r} : {f!r}*(1 + t)"}},
             "outputs": {"x": "a.origin.x", "v": "a.origin.vx", "a": "a.origin.ax"}}

    def v(t):
        late = np.maximum(t - at, 0)
        return v0 + (0.1 * f * np.minimum(t, at) + f * (1 + at) * late + f * late**2 / 2) / m

    def x(t):
        early, late = np.minimum(t, at), np.maximum(t - at, 0)
        return v0 * t + (0.05 * f * early**2 + 0.1 * f * at * late + f * (1 + at) * late**2 / 2 + f * late**3 / 6) / m
    return Case(model, {"x": (x, max(f / m, v0)), "v": (v, max(f / m, v0))})


def crank(rng):
    """A driven slider-crank through its dead points: drive and energies there."""
    r, w = 10 ** rng.uniform(-2, 1), 10 ** rng.uniform(-1, 2)
    rod = r * rng.uniform(1.5, 5)
    start = rng.uniform(0, 6)
    c, s = r * math.cos(start), r * math.sin(start)
    b = -math.asin(s / rod)
    model = {"dimension": 2, "gravity": [0, -9.81],
             "bodies": {"crank": {"mass": 1.0, "inertia": 0.1 * r * r, "position": [0.0, 0.0], "angle": start, "points": {"A": [r, 0.0]}},
                        "rod": {"mass": 1.0, "inertia": 0.1 * rod * rod, "position": [c, s], "angle": b, "points": {"B": [rod, 0.0]}},
                        "slider": {"mass": 2.0, "inertia": 0.1, "position": [c + rod * math.cos(b), 0.0], "angle": 0.0}},
             "joints": {"o": {"type": "revolute", "between": ["ground.origin", "crank.origin"]}, "a": {"type": "revolute", "between": ["crank.A", "rod.origin"]},
                        "b": {"type": "revolute", "between": ["rod.B", "slider.origin"]},
                        "g": {"type": "prismatic", "between": ["ground.origin", "slider.origin"], "axis": ["ground.x", "slider.x"]}},
             "drives": {"m": {"joint": "o", "coordinate": "angle", "value": f"{start!r} + {w!r}*t"}},
             "outputs": {"x": "slider.origin.x", "rate": "o.rate", "torque": "m.force", "side": "g.fy"}}

    def x(t):
        angle = start + w * t
        return r * np.cos(angle) + np.sqrt(rod**2 - (r * np.sin(angle)) ** 2)
    return Case(model, {"x": (x, r), "rate": (w, w)}, end=15 / w)


def tiny(rng):
    """An oscillation of a tiny part of the model's size."""
    size, w = 10 ** rng.uniform(-2, 2), 10 ** rng.uniform(-1, 2)
    amplitude = size * 10 ** rng.uniform(-6, -3)
    model = {"dimension": 2, "gravity": [0, 0], "bodies": {"a": {"mass": 1.0, "inertia": 1.0, "position": [0.0, 0.0], "angle": 0.0, "velocity": [amplitude * w, 0.0],
                                                                "points": {"end": [size, 0.0]}}},
             "joints": {"g": {"type": "prismatic", "between": ["ground.origin", "a.origin"], "axis": ["ground.x", "a.x"]}},
             "forces": {"k": {"type": "spring", "joint": "g", "stiffness": w * w}},
             "outputs": {"x": "a.origin.x", "v": "a.origin.vx", "force": "k.force", "end": "a.end.x"}}
    # what is small is a part of the size, not of the amplitude
    return Case(model, {"x": (lambda t: amplitude * np.sin(w * t), max(amplitude, 1e-5 * size)), "end": (lambda t: size + amplitude * np.sin(w * t), max(amplitude, 1e-5 * size))}, end=20 / w)


def residue(rng):
    """Differences that are zero but for rounding, in a pendulum that moves."""
    length, m, angle = 10 ** rng.uniform(-2, 2), 10 ** rng.uniform(-3, 3), rng.uniform(0.2, 2.5)
    model = {"dimension": 2, "gravity": [0, -9.81],
             "bodies": {"a": {"mass": m, "inertia": 0.0, "center": [length, 0.0], "points": {"P": [length, 0.0]}, "position": [0.0, 0.0], "angle": -math.pi / 2 + angle}},
             "joints": {"pin": {"type": "revolute", "between": ["ground.origin", "a.origin"]}},
             "outputs": {"gap": f"a.P.x - {length!r}*cos(a.angle)", "slip": f"a.P.vx + {length!r}*a.rate*sin(a.angle)", "pivot": "a.origin.x",
                         "balance": f"0.5*a.rate^2*{length!r} + 9.81*sin(a.angle)"}}
    level = 9.81 * math.sin(-math.pi / 2 + angle)
    speed = math.sqrt(2 * 9.81 * length)
    return Case(model, {"gap": (0.0, 1e-3 * length), "slip": (0.0, 1e-3 * speed), "pivot": (0.0, 1e-3 * length), "balance": (level, 9.81)}, end=5 * math.sqrt(length / 9.81))


KINDS = {"spin": spin, "rest": rest, "circle": circle, "jump": jump, "crank": crank, "tiny": tiny, "residue": residue}


def error_of(case, rows):
    t, worst = np.array(rows["time"]), 0.0
    for name, (value, scale) in case.truth.items():
        true = value(t) if callable(value) else value
        worst = max(worst, float(np.max(np.abs(np.array(rows[name]) - true))) / scale)
    return worst


def judge(sarrus, case, coordinates, tolerance):
    """What is wrong with a run, or None; its error and the outcome."""
    options = ["--coordinates", coordinates, *(["--tolerance", tolerance] if tolerance else [])]
    outcome = sarrus.run(case.model, *options, "--sample", repr(case.model["method"]["end"] / 200))
    if outcome.code not in (0, 6):
        return "failed", math.inf, outcome
    error = error_of(case, outcome.rows)
    if outcome.code == 6 and error <= RIGHT:
        return "right and doubted", error, outcome
    return ("wrong and trusted" if outcome.code == 0 and not error <= WRONG else None), error, outcome


def survey(sarrus, kinds, seeds, jobs=1, tolerances=TOLERANCES):
    """(name, case, fault, error, outcome) of every run."""
    tasks = [(kind, seed, c, tolerance) for kind in kinds for seed in seeds for c in COORDINATES for tolerance in tolerances]

    def one(task):
        kind, seed, coordinates, tolerance = task
        case = KINDS[kind](np.random.default_rng([sum(kind.encode()), seed]))
        return (f"{kind}-{seed} {coordinates} {tolerance or 'default'}", case, *judge(sarrus, case, coordinates, tolerance))
    yield from program.in_parallel(jobs, one, tasks)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20, help="models of every kind (default 20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default=",".join(KINDS))
    program.add_options(parser)
    options = parser.parse_args()
    sarrus = program.Program(options.program, options.timeout, {"SARRUS_CERTIFY": "short"})
    counts, total = {}, 0
    for name, case, fault, error, outcome in survey(sarrus, options.kinds.split(","), range(options.seed, options.seed + options.count), options.jobs):
        total += 1
        if not fault:
            continue
        counts[fault] = counts.get(fault, 0) + 1
        said = outcome.report.get("certificate") or {}
        print(f"{name}: {fault}, error {error:.1e}; {said.get('ended_by')} at {said.get('trusted_until')}, {said.get('largest')}", outcome.report.get("warnings"),
              outcome.message()[:200])
        program.keep(options.keep, name, case.model, f"{fault}, {name}")
    print(f"{total} runs: " + (", ".join(f"{n} {fault}" for fault, n in counts.items()) or "no false alarm, none wrong and trusted"))
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main())
