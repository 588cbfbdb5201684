#!/usr/bin/python3
"""Nested functions of place and angle: remainders, waves, tables, folds and conditions inside of each other; nothing is stepped over.

    tools/trust/nested.py [--count 40] [--seed 1] [--kinds place,angle,wheel,integral,state,path,potential] [-j 2]

As forcing.py, for functions of what moves: a field through which a slider flies or in which a rotor turns (work and time by
quadrature), a force by the angle of a wheel that spins evenly (two integrals), integrals and states of a uniform motion, actuators along
smooth paths and potentials (work is a difference). Exit code 1 when a motion is wrong and trusted.
"""
import argparse
import math
import sys

import numpy as np

import forcing
import program
from forcing import Case, Function, number, survey  # noqa: F401

BEYOND = 1.3   # spans: as far as a motion may get that gains energy

# Integrals from the begin of a panel to its Gauss points.
CUMULATIVE = np.array([[np.polynomial.polynomial.polyval((c + 1) / 2, np.polynomial.polynomial.polyint(p)) for p in
                        [np.polynomial.polynomial.polyfit((forcing.GAUSS[0] + 1) / 2, row, 5) for row in np.eye(6)]] for c in forcing.GAUSS[0]])


# ---- arguments: functions on [0, span] that go back and forth, with their range ----

class Argument:
    """text and value of an expression of `name`, what it reaches, and where its slope jumps or is zero."""

    def __init__(self, text, value, low, high, marks):
        self.text, self.value, self.low, self.high, self.marks = text, value, low, high, sorted(marks)

    def where(self, levels, span):
        """Places at which it takes these values: it is monotonous between its marks."""
        found, ends = [], np.unique(np.clip([0.0, *self.marks, BEYOND * span], 0.0, BEYOND * span))
        for a, b in zip(ends[:-1], ends[1:]):
            inset = 1e-13 * (b - a)
            fa, fb = self.value(np.array([a + inset, b - inset]))
            for level in levels:
                if not min(fa, fb) < level < max(fa, fb):
                    continue
                x, y, rises = a + inset, b - inset, fb > fa
                for _ in range(70):
                    c = 0.5 * (x + y)
                    x, y = (c, y) if (self.value(np.array([c]))[0] < level) == rises else (x, c)
                found.append(0.5 * (x + y))
        return found


def remainder(rng, a, span):
    p = (a.high - a.low) / rng.uniform(1.1, 5)
    levels = [a.low + k * p for k in range(-6, 10)]
    return Argument(f"mod({a.text} - {number(a.low)}, {number(p)})", lambda x: np.mod(a.value(x) - a.low, p), 0.0, p, a.marks + a.where(levels, span))


def wave(rng, a, span):
    w, shift = math.pi * rng.uniform(1, 8) / (a.high - a.low), rng.uniform(0, 6)
    levels = [a.low + (math.pi * (k + 0.5) - shift) / w for k in range(-10, 20)]
    return Argument(f"sin({number(w)}*({a.text} - {number(a.low)}) + {number(shift)})", lambda x: np.sin(w * (a.value(x) - a.low) + shift), -1.0, 1.0,
                    a.marks + a.where(levels, span))


def fold(rng, a, span):
    c = rng.uniform(a.low, a.high)
    return Argument(f"abs({a.text} - {number(c)})", lambda x: np.abs(a.value(x) - c), 0.0, max(c - a.low, a.high - c), a.marks + a.where([c], span))


def turned(rng, a, span):
    """Goes back from a place on, or jumps there."""
    c, s = a.low + rng.uniform(0.2, 0.8) * (a.high - a.low), rng.choice([1.0, -1.0])
    to = a.low if s > 0 else a.high
    return Argument(f"(({a.text}) < {number(c)} ? ({a.text}) : {number(to)} + {number(s)}*(({a.text}) - {number(c)}))",
                    lambda x: np.where(a.value(x) < c, a.value(x), to + s * (a.value(x) - c)), a.low, a.high, a.marks + a.where([c], span))


def clipped(rng, a, span):
    c, d = np.sort(rng.uniform(a.low, a.high, 2))
    return Argument(f"min({number(d)}, max({number(c)}, {a.text}))", lambda x: np.clip(a.value(x), c, d), c, d, a.marks + a.where([c, d], span))


def squared(rng, a, span):
    size = max(abs(a.low), abs(a.high))
    return Argument(f"({a.text})^2/{number(size)}", lambda x: a.value(x) ** 2 / size, 0.0, size, a.marks + a.where([0.0], span))


SMOOTH, ALL = [wave, squared], [remainder, wave, fold, turned, clipped, squared]


def argument(rng, span, name, depth, kinds):
    a = Argument(name, lambda x: x, 0.0, span, [])
    for _ in range(depth):
        next_one = rng.choice(kinds)(rng, a, span)
        if next_one.high - next_one.low > 0.05 * (a.high - a.low) and len(next_one.marks) < 400:
            a = next_one
    return a


def table(rng, width, name):
    return forcing.table(rng, width, name)


OUTER = [forcing.pulse, forcing.gaussian, forcing.bump, table, forcing.comparison, forcing.folded]


def nested(rng, span, name):
    """A function of a nested argument."""
    a = argument(rng, span, name, rng.integers(1, 4), ALL)
    width = a.high - a.low
    f = rng.choice(OUTER)(rng, width, f"({a.text} - {number(a.low)})")
    marks = a.marks + a.where([a.low + m for m in f.marks], span)
    return Function(f.text, lambda x: f.value(a.value(x) - a.low), marks, f.tables)


def rise(rng, span, name):
    """A smooth step of a nested smooth argument."""
    a = argument(rng, span, name, rng.integers(0, 3), SMOOTH)
    at, width = rng.uniform(a.low, a.high), (a.high - a.low) * 10 ** rng.uniform(-3, -0.5)
    levels = [at + k * width for k in range(-20, 21)]
    return Function(f"tanh(({a.text} - {number(at)})/{number(width)})", lambda x: np.tanh((a.value(x) - at) / width), a.marks + a.where(levels, span))


# ---- models with their solutions ----

def through(work, inertia, speed, span, marks):
    """Time and speed as functions of the place, from the work done up to there; a function of panels."""
    def until(at):
        ends = forcing.panels(marks, max(at, 1e-12 * span), span / 200)
        x, weight = forcing.nodes(ends)
        v = np.sqrt(np.maximum(speed**2 + 2 * work(ends, x)[0] / inertia, 1e-30))
        return float(np.dot(weight, 1 / v)), math.sqrt(max(speed**2 + 2 * work(ends, x)[1] / inertia, 0.0))
    return until


def by_quadrature(f, size):
    def work(ends, x):
        force = size * f.value(x)
        per_panel = force.reshape(-1, 6) * np.diff(ends)[:, None]
        sums = per_panel @ (forcing.GAUSS[1] / 2)
        before = np.concatenate([[0.0], np.cumsum(sums)[:-1]])
        return (before[:, None] + per_panel @ CUMULATIVE.T).ravel(), float(np.sum(sums))
    return work


def by_difference(f, size):
    """Of an actuator along f; of a potential -size f."""
    return lambda ends, x: (size * (f.value(x) - f.value(ends[:1])), float(size * (f.value(ends[-1:]) - f.value(ends[:1]))[0]))


def rotor(end, speed, inertia, forces, tables):
    model = {"sarrus": 1, "name": "angle", "dimension": 2, "bodies": {"a": {"mass": 1.0, "inertia": inertia, "position": [0.0, 0.0], "angle": 0.0}},
             "joints": {"pin": {"type": "revolute", "between": ["ground.origin", "a.origin"]}},
             "forces": forces, "start": {"pin.rate": speed}, "outputs": {"x": "pin.angle", "v": "pin.rate"}, "method": {"end": end}}
    if tables:
        model["tables"] = tables
    return model


def flight(rng, kind):
    """Through a field, about an axis, along a path, over a potential: speed and time at the place where the run is in the end."""
    turns = kind == "angle" or (kind != "place" and rng.integers(0, 2))
    speed, span = 10 ** rng.uniform(-2, 3), (2 * math.pi * rng.integers(1, 4) if turns else 10 ** rng.uniform(-2, 2))
    end, mass = span / speed, 10 ** rng.uniform(-2, 2)
    name = "pin.angle" if turns else "a.origin.x"
    f = (nested if kind in ("place", "angle") else rise)(rng, span, name)
    work = by_quadrature(f, 1.0) if kind in ("place", "angle") else by_difference(f, 1.0)
    ends = forcing.panels(f.marks, span, span / 200)
    most = max(np.max(np.abs(work(ends, forcing.nodes(ends)[0])[0])), 1e-12)
    size = 0.5 * mass * speed**2 * min(0.5, 10 ** rng.uniform(-1.3, 0)) / most   # it gets through
    work = by_quadrature(f, size) if kind in ("place", "angle") else by_difference(f, size)
    if kind == "potential":
        law = {"type": "potential", "energy": f"{number(-size)}*{f.text}"}
    elif kind == "path":
        law = {"type": "motor" if turns else "actuator", "along": f"{f.text}" if turns else f"{number(span)}*{f.text}",
               "torque" if turns else "force": float(size if turns else size / span)}
    else:
        law = {"type": "motor", "joint": "pin", "torque": f"{number(size)}*{f.text}"} if turns else {"type": "actuator", "joint": "g", "force": f"{number(size)}*{f.text}"}
    model = rotor(end, speed, mass, {"f": law}, f.tables) if turns else forcing.slider(kind, end, {"f": law}, v0=speed, tables=f.tables, mass=mass)
    model["outputs"]["left"] = f"{number(end)} - t"
    until = through(work, mass, speed, span, f.marks)

    def truth(rows):
        t, v = until(rows["x"][-1])
        return {"v": v, "left": end - t}
    return Case(kind, model, truth, [None, 0.05 * speed, 0.05 * end])


def wheel(rng, kind):
    """A slider that is pushed by a function of the angle of a wheel which spins evenly."""
    rate, span = 10 ** rng.uniform(-2, 3), 2 * math.pi * rng.integers(1, 5)
    end, mass = span / rate, 10 ** rng.uniform(-2, 2)
    f = nested(rng, span, "w.angle" if rng.integers(0, 2) else "pin.angle")
    size = mass / end**2
    model = forcing.slider("wheel", end, {"f": {"type": "actuator", "joint": "g", "force": f"{number(size)}*{f.text}"}}, tables=f.tables, mass=mass)
    model["bodies"]["w"] = {"mass": 1.0, "inertia": 1.0, "position": [0.0, 0.0], "angle": 0.0}
    model["joints"]["pin"] = {"type": "revolute", "between": ["ground.origin", "w.origin"]}
    model["start"] = {"g.speed": 0.0, "pin.rate": rate}
    x, weight = forcing.nodes(forcing.panels(f.marks, span, span / 200))
    impulse, t = size / mass * f.value(x) * weight / rate, x / rate
    v, s = float(np.sum(impulse)), float(np.dot(impulse, end - t))
    return Case(kind, model, {"x": s, "v": v}, [max(np.sum(np.abs(impulse)), 1e-3 * size / mass * end) * end, max(np.sum(np.abs(impulse)), 1e-3 * size / mass * end)])


def summed(rng, kind):
    """The integral over time of a function of a place that moves evenly, as an output or as a state."""
    speed, span = 10 ** rng.uniform(-2, 3), 10 ** rng.uniform(-2, 2)
    end = span / speed
    f = nested(rng, span, "a.origin.x")
    model = forcing.slider(kind, end, {}, v0=speed, tables=f.tables)
    del model["forces"]
    if kind == "state":
        model["states"] = {"total": {"rate": f.text, "scale": end}}
        model["outputs"] = {"y": "total"}
    else:
        model["outputs"] = {"y": {"integral": f.text}, "z": {"integral": f.text, "over": "a.origin.x"}}
    x, weight = forcing.nodes(forcing.panels(f.marks, span, span / 200))
    total, most = float(np.dot(f.value(x), weight)), float(np.dot(np.abs(f.value(x)), weight))
    truth = {"y": total / speed} if kind == "state" else {"y": total / speed, "z": total}
    return Case(kind, model, truth, [max(most, 1e-3 * span) / speed, max(most, 1e-3 * span)])


MAKERS = {"place": flight, "angle": flight, "wheel": wheel, "integral": summed, "state": summed, "path": flight, "potential": flight}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    forcing.add_survey_options(parser, MAKERS)
    options = parser.parse_args()
    return forcing.report(program.Program(options.program, options.timeout), MAKERS, options)


if __name__ == "__main__":
    sys.exit(main())
