#!/usr/bin/python3
"""Forces in time, in angles and in space, and contacts: nothing is stepped over, and what is trusted is right.

    tools/trust/forcing.py [--count 200] [--seed 1] [--kinds time,input,angle,place,contact,stop] [-j 2]

Every model is made at random, run by default settings with a certificate, and compared with a solution that shares
no code with the program: oscillators under any function of time by the convolution with their impulse response, motions
through a field by the balance of energy, contacts by small steps of Runge-Kutta's method. Reported are motions that are
wrong by more than 1 % of their range and trusted all the same, right ones that are doubted, and errors that do not fall
with the tolerance. Exit code 1 when a motion is wrong and trusted.
"""
import argparse
import math
import sys

import numpy as np

import models
import program

WRONG, RIGHT = 1e-2, 1e-3   # of the range: not to be trusted beyond, and not to be doubted below
SMALL = 100                 # tolerances: errors below need not fall any more
GAUSS = np.polynomial.legendre.leggauss(6)


# ---- random functions of one variable: text, value on arrays, places where something happens, tables ----

class Function:
    """An expression of `name` on [0, span]."""

    def __init__(self, text, value, marks, tables=None):
        self.text, self.value, self.marks, self.tables = text, value, list(marks), tables or {}


def number(x):
    return f"({x:.17g})"


def pulse(rng, span, name):
    width = span * 10 ** rng.uniform(-4, -1)
    a = rng.uniform(0.05, 0.9) * span
    b = a + width
    return Function(f"pulse({name}, {number(a)}, {number(b)})", lambda x: ((x >= a) & (x < b)) * 1.0, [a, b])


def gaussian(rng, span, name):
    s, a = span * 10 ** rng.uniform(-4, -1), rng.uniform(0.1, 0.9) * span
    return Function(f"exp(-(({name} - {number(a)})/{number(s)})^2)", lambda x: np.exp(-np.minimum(((x - a) / s) ** 2, 700)),
                    [a + k * s for k in np.linspace(-8, 8, 33)])


def bump(rng, span, name):
    """Up and down again by the smooth step."""
    w, a = span * 10 ** rng.uniform(-4, -1), rng.uniform(0.1, 0.8) * span

    def rise(x, at):
        s = np.clip((x - at) / w, 0, 1)
        return s * s * (3 - 2 * s)
    text = f"(step({name}, {number(a)}, 0, {number(a + w)}, 1) - step({name}, {number(a + w)}, 0, {number(a + 2 * w)}, 1))"
    return Function(text, lambda x: rise(x, a) - rise(x, a + w), [a, a + w, a + 2 * w])


def spline(x, y):
    """Not-a-knot cubic through the points, as the program's: polynomial pieces on each interval."""
    n, h = len(x), np.diff(x)
    A, b = np.zeros((n, n)), np.zeros(n)
    m = np.diff(y) / h
    for k in range(1, n - 1):
        A[k, k - 1], A[k, k], A[k, k + 1] = h[k], 2 * (h[k - 1] + h[k]), h[k - 1]
        b[k] = 3 * (h[k] * m[k - 1] + h[k - 1] * m[k])
    A[0, 0], A[0, 1] = h[1], h[0] + h[1]
    b[0] = ((3 * h[0] + 2 * h[1]) * h[1] * m[0] + h[0] ** 2 * m[1]) / (h[0] + h[1])
    A[-1, -1], A[-1, -2] = h[-2], h[-1] + h[-2]
    b[-1] = ((3 * h[-1] + 2 * h[-2]) * h[-2] * m[-1] + h[-1] ** 2 * m[-2]) / (h[-1] + h[-2])
    d = np.linalg.solve(A, b)

    def value(t):
        k = np.clip(np.searchsorted(x, t, side="right") - 1, 0, n - 2)
        s = np.clip(t, x[0], x[-1]) - x[k]
        c2, c3 = (3 * m[k] - 2 * d[k] - d[k + 1]) / h[k], (d[k] + d[k + 1] - 2 * m[k]) / h[k] ** 2
        return y[k] + s * (d[k] + s * (c2 + s * c3))
    return value


def table(rng, span, name, label="T"):
    """Points far apart and close together."""
    middle, width = rng.uniform(0.2, 0.8) * span, span * 10 ** rng.uniform(-4, -1)
    inner = np.sort(rng.uniform(0, 1, rng.integers(2, 5))) * width + middle
    x = np.unique(np.concatenate([[0, middle - 1e-3 * width], inner, [middle + 1.01 * width, span * 1.01]]))
    y = np.where((x > middle - 0.5e-3 * width) & (x < middle + width), rng.uniform(-1, 1, len(x)), 0.0)
    how = rng.choice(["linear", "cubic", "constant"])
    values = {"linear": lambda t: np.interp(t, x, y), "cubic": spline(x, y),
              "constant": lambda t: y[np.clip(np.searchsorted(x, t, side="right") - 1, 0, len(x) - 2)] * (t < x[-1]) + y[-1] * (t >= x[-1])}
    tables = {label: {"x": [float(v) for v in x], "y": [float(v) for v in y], "interpolation": str(how)}}
    return Function(f"{label}({name})", values[how], x, tables)


def comparison(rng, span, name):
    w, c = 2 * math.pi * rng.integers(1, 6) / span, 1 - 10 ** rng.uniform(-5, -0.5)
    marks = [(2 * math.pi * k + s) / w for k in range(-1, 8) for s in (math.asin(c), math.pi - math.asin(c))]
    return Function(f"(sin({number(w)}*{name}) > {number(c)})", lambda x: (np.sin(w * x) > c) * 1.0, marks)


def periodic(rng, span, name):
    """A function of the remainder."""
    p = span / rng.integers(1, 6) * rng.uniform(0.8, 1.2)
    inner = rng.choice([pulse, gaussian, table])(rng, p, f"mod({name}, {number(p)})")
    marks = [k * p + m for k in range(-1, 8) for m in list(inner.marks) + [0.0]]
    return Function(inner.text, lambda x: inner.value(np.mod(x, p)), marks, inner.tables)


def folded(rng, span, name):
    """abs, min, max, floor, conditions."""
    a, b = sorted(rng.uniform(0.1, 0.9, 2) * span)
    w = span * 10 ** rng.uniform(-3, -1)
    choice = rng.integers(0, 4)
    if choice == 0:
        return Function(f"max(0, 1 - abs({name} - {number(a)})/{number(w)})", lambda x: np.maximum(0, 1 - np.abs(x - a) / w), [a - w, a, a + w])
    if choice == 1:
        return Function(f"({name} > {number(a)} and {name} < {number(a + w)} ? 1 : 0)", lambda x: ((x > a) & (x < a + w)) * 1.0, [a, a + w])
    if choice == 2:
        n = int(rng.integers(2, 9))
        return Function(f"(floor({n}*{name}/{number(span)})/{n})", lambda x: np.floor(n * x / span) / n, [k * span / n for k in range(n + 1)])
    return Function(f"min(1, max(-1, ({name} - {number(a)})/{number(w)}))*({name} < {number(b)})",
                    lambda x: np.clip((x - a) / w, -1, 1) * (x < b), [a - w, a, a + w, b])


KINDS = [pulse, gaussian, bump, table, comparison, periodic, folded]


def random_function(rng, span, name):
    """A sum or product of one or two of them, some with a smooth part."""
    f = rng.choice(KINDS)(rng, span, name)
    choice = rng.integers(0, 4)
    if choice == 0:
        w = rng.uniform(1, 20) / span
        return Function(f"({f.text} + 0.1*sin({number(w)}*{name}))", lambda x: f.value(x) + 0.1 * np.sin(w * x), f.marks, f.tables)
    if choice == 1 and not f.tables:
        g = rng.choice([pulse, gaussian, bump, comparison, folded])(rng, span, name)
        return Function(f"({f.text} - {g.text})", lambda x: f.value(x) - g.value(x), f.marks + g.marks, {})
    return f


def panels(marks, end, shortest):
    """Ends of intervals between marks, none longer than `shortest`."""
    marks = np.unique(np.clip([0.0, *marks, end], 0.0, end))
    parts = [np.linspace(a, b, max(2, int(math.ceil((b - a) / shortest)) + 1, 9))[:-1] for a, b in zip(marks[:-1], marks[1:]) if b > a]
    return np.concatenate([*parts, [end]])


def nodes(ends):
    """Gauss points and weights between the ends."""
    half, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
    return (middle[:, None] + half[:, None] * GAUSS[0]).ravel(), (half[:, None] * GAUSS[1]).ravel()


# ---- models with their solutions ----

class Case:
    """A model, options, outputs and their true values at the end, and the ranges that errors are parts of."""

    def __init__(self, kind, model, truth, ranges, options=()):
        self.kind, self.model, self.truth, self.ranges, self.options = kind, model, truth, ranges, list(options)


def slider(name, end, forces, x0=0.0, v0=0.0, tables=None, inputs=None, mass=1.0):
    model = {"sarrus": 1, "name": name, "dimension": 2,
             "bodies": {"a": {"mass": mass, "inertia": 0.1, "position": [x0, 0.0], "angle": 0.0}},
             "joints": {"g": {"type": "prismatic", "between": ["ground.origin", "a.origin"], "axis": ["ground.x", "a.x"]}},
             "forces": forces, "start": {"g.speed": v0},
             "outputs": {"x": "a.origin.x", "v": "a.origin.vx"}, "method": {"end": end}}
    if tables:
        model["tables"] = tables
    if inputs:
        model["inputs"] = inputs
    return model


def oscillator(rng, kind):
    """m x'' + c x' + k x = A f(t): x by its impulse response."""
    end, mass = 10 ** rng.uniform(-2, 2), 10 ** rng.uniform(-2, 2)
    w = rng.uniform(0.0, 20.0) / end
    damping = rng.uniform(0, 0.3) * w
    f = random_function(rng, end, "t")
    wd = math.sqrt(max(w * w - damping**2, 0.0))
    size = 10 ** rng.uniform(-3, 1) * mass * max(w, 1 / end) / (end * 1e-2)   # of the force: moves by some lengths

    def response(tau):
        """Of x and v to a unit impulse."""
        d = np.exp(-damping * tau)
        if wd * end < 1e-6:
            return tau * d / mass, (1 - damping * tau) * d / mass
        s, c = np.sin(wd * tau), np.cos(wd * tau)
        return d * s / wd / mass, d * (c - damping / wd * s) / mass
    v0 = rng.choice([0.0, 0.1 * size * end / mass])
    t, weight = nodes(panels(f.marks, end, end / 200))
    impulses = size * f.value(t) * weight
    states = []
    for now in np.linspace(0, end, 41)[1:]:
        x, v = response(now - t[t <= now])
        x1, v1 = response(now)
        states.append((np.dot(x, impulses[t <= now]) + mass * v0 * x1, np.dot(v, impulses[t <= now]) + mass * v0 * v1))
    states = np.array(states)
    forces = {}
    if w > 0:
        forces["k"] = {"type": "spring", "joint": "g", "stiffness": float(mass * w * w), "damping": float(2 * mass * damping)}
    if kind == "input":
        forces["f"] = {"type": "actuator", "joint": "g", "force": f"{number(size)}*u"}
        model = slider("input", end, forces, v0=v0, inputs={"u": 0}, tables=f.tables, mass=mass)
        options = ["--input", f"u={f.text}"]
    else:
        forces["f"] = {"type": "actuator", "joint": "g", "force": f"{number(size)}*{f.text}"}
        model, options = slider("time", end, forces, v0=v0, tables=f.tables, mass=mass), []
    ranges = [max(np.ptp(np.append(states[:, i], [0.0, v0][i])), 1e-300) for i in range(2)]
    return Case(kind, model, {"x": states[-1, 0], "v": states[-1, 1]}, ranges, options)


def field(rng, kind):
    """A force of the place, or a torque of the angle: the speed at the end follows from the work."""
    speed, span = 10 ** rng.uniform(-2, 3), (10 ** rng.uniform(-2, 2) if kind == "place" else 2 * math.pi * rng.integers(1, 4))
    end, mass = span / speed, 10 ** rng.uniform(-2, 2)
    inertia = mass if kind == "place" else 0.1
    name = "a.origin.x" if kind == "place" else "pin.angle"
    f = random_function(rng, span, name)
    work = 0.2 * 0.5 * inertia * speed**2 / span * 10 ** rng.uniform(0, 2)
    x, weight = nodes(panels(f.marks, span, span / 200))
    total = np.cumsum(f.value(x) * weight)
    work = min(work, 0.3 * 0.5 * inertia * speed**2 / max(np.max(np.abs(total)), 1e-12))   # it gets through
    law = f"{number(work)}*{f.text}"
    if kind == "place":
        model = slider("place", end, {"f": {"type": "actuator", "joint": "g", "force": law}}, v0=speed, tables=f.tables, mass=mass)
    else:
        model = {"sarrus": 1, "name": "angle", "dimension": 2, "bodies": {"a": {"mass": mass, "inertia": inertia, "position": [0.0, 0.0], "angle": 0.0}},
                 "joints": {"pin": {"type": "revolute", "between": ["ground.origin", "a.origin"]}},
                 "forces": {"f": {"type": "motor", "joint": "pin", "torque": law}}, "start": {"pin.rate": speed},
                 "outputs": {"x": "pin.angle", "v": "pin.rate"}, "method": {"end": end}}
        if f.tables:
            model["tables"] = f.tables
    def truth(rows):
        """v at the place where the run is in the end."""
        at = rows["x"][-1]
        x, weight = nodes(panels(f.marks, max(at, 1e-12), span / 200))
        gained = work * np.dot(f.value(x), weight)
        return {"v": math.sqrt(max(speed**2 + 2 * gained / inertia, 0.0))}
    return Case(kind, model, truth, [None, 0.05 * speed])


def contact(rng, kind):
    """Two balls in the plane, one at rest, or a ball and a wall; speeds from 1e-2 to 1e4."""
    speed, far = 10 ** rng.uniform(-2, 4), 10 ** rng.uniform(0, 2)
    a, b, m1, m2 = 0.1, 0.1 * 10 ** rng.uniform(-1, 1), 10 ** rng.uniform(0, 3), 1.0
    far = max(far, 1.1 * (a + b))                # it begins apart
    aside = rng.uniform(0, 0.97) * (a + b)
    exponent = float(rng.choice([1.0, 1.5, 2.0]))
    reduced = m1 * m2 / (m1 + m2)
    depth = 0.3 * min(a, b)                      # about as deep as it gets
    stiffness = 0.5 * reduced * speed**2 * (exponent + 1) / depth ** (exponent + 1)
    end = 1.5 * far / speed
    model = {"sarrus": 1, "name": "contact", "dimension": 2,
             "bodies": {"w": {"mass": m1, "inertia": m1, "position": [0.0, 0.0], "angle": 0.0},
                        "b": {"mass": m2, "inertia": 0.1, "position": [-far, aside], "angle": 0.0, "velocity": [speed, 0.0]}},
             "forces": {"hit": {"type": "contact", "between": ["w.origin", "b.origin"], "radius": b, "other_radius": a,
                                "stiffness": stiffness, "exponent": exponent}},
             "outputs": {"vx": "b.origin.vx", "vy": "b.origin.vy"}, "method": {"end": end}}

    def force(x):
        dx, dy = x[2] - x[0], x[3] - x[1]
        r = math.hypot(dx, dy)
        d = a + b - r
        F = stiffness * d**exponent if d > 0 else 0.0
        return np.array([x[4], x[5], x[6], x[7], -F * dx / r / m1, -F * dy / r / m1, F * dx / r / m2, F * dy / r / m2])
    entry = math.sqrt((a + b) ** 2 - aside**2)
    x = np.array([0, 0, -entry, aside, 0, 0, speed, 0.0])
    h = 0.002 * depth / speed
    for _ in range(100000):
        k1 = force(x)
        k2 = force(x + h / 2 * k1)
        k3 = force(x + h / 2 * k2)
        k4 = force(x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        if math.hypot(x[2] - x[0], x[3] - x[1]) > a + b and np.dot(x[2:4] - x[0:2], x[6:8] - x[4:6]) > 0:
            break
    return Case(kind, model, {"vx": x[6], "vy": x[7]}, [speed, speed])


def stop(rng, kind):
    """A mass that flies against an elastic stop: half an oscillation, then back."""
    speed, gap, mass = 10 ** rng.uniform(-2, 4), 10 ** rng.uniform(-2, 2), 10 ** rng.uniform(-1, 1)
    k = mass * (speed / (gap * 10 ** rng.uniform(-4, -1))) ** 2
    end = 2.5 * gap / speed + math.pi * math.sqrt(mass / k)
    forces = {"s": {"type": "stop", "joint": "g", "upper": gap, "stiffness": k}}
    model = slider("stop", end, forces, v0=speed, mass=mass)
    back = end - gap / speed - math.pi * math.sqrt(mass / k)
    return Case(kind, model, {"x": gap - speed * back, "v": -speed}, [gap, speed])


MAKERS = {"time": oscillator, "input": oscillator, "angle": field, "place": field, "contact": contact, "stop": stop}


# ---- judgement ----

def error_of(case, outcome):
    """The largest error at the end in parts of the ranges; infinite where the run did not get there."""
    rows = outcome.rows
    if outcome.code not in (0, 6) or not rows or len(rows["time"]) < 2:
        return math.inf
    truth = case.truth(rows) if callable(case.truth) else case.truth
    names = [n for n in rows if n != "time"]
    return max(abs(rows[n][-1] - truth[n]) / case.ranges[names.index(n)] for n in truth)


def judge(sarrus, case):
    """Errors by default settings and at other tolerances, and what is wrong with them."""
    outcome = sarrus.run(case.model, *case.options, "--certify=short")
    errors = {1e-6: error_of(case, outcome)}
    for tolerance in (1e-4, 1e-8):
        errors[tolerance] = error_of(case, sarrus.run(case.model, *case.options, "--tolerance", str(tolerance), "--certify=no"))
    e = errors[1e-6]
    faults = []
    if outcome.code == 0 and not e <= WRONG:
        faults.append("wrong and trusted")
    if outcome.code == 6 and e <= RIGHT:
        faults.append("doubted")
    if outcome.code not in (0, 6):
        faults.append("failed")
    if not errors[1e-8] <= max(SMALL * 1e-8, errors[1e-6]) or not errors[1e-6] <= max(SMALL * 1e-6, errors[1e-4]):
        faults.append("does not fall")
    return faults, errors, outcome


def survey(sarrus, count, seed, kinds, jobs=1, makers=None):
    """(name, case, faults, errors, outcome) of `count` models of every kind."""
    makers = makers or MAKERS
    tasks = [(kind, seed + i) for i in range(count) for kind in kinds]

    def one(task):
        kind, number_of = task
        rng = np.random.default_rng([sum(kind.encode()), number_of])
        case = makers[kind](rng, kind)
        return (f"{kind}-{number_of}", case, *judge(sarrus, case))
    yield from program.in_parallel(jobs, one, tasks)


def add_survey_options(parser, makers):
    parser.add_argument("--count", type=int, default=40, help="models of every kind (default 40)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default=",".join(makers))
    program.add_options(parser)


def report(sarrus, makers, options):
    """Prints what is wrong; 1: a motion that is wrong is trusted."""
    counts, total = {}, 0
    for name, case, faults, errors, outcome in survey(sarrus, options.count, options.seed, options.kinds.split(","), options.jobs, makers):
        total += 1
        for fault in faults:
            counts[fault] = counts.get(fault, 0) + 1
            print(f"{name}: {fault}: {outcome.verdict}, errors " + ", ".join(f"{e:.1e} at {t:.0e}" for t, e in sorted(errors.items())), outcome.message()[:200])
            program.keep(options.keep, name, case.model, f"{fault} {' '.join(case.options)}")
    print(f"{total} models: " + ", ".join(f"{counts.get(f, 0)} {f}" for f in ("wrong and trusted", "doubted", "does not fall", "failed")))
    return 1 if counts.get("wrong and trusted") else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_survey_options(parser, MAKERS)
    options = parser.parse_args()
    return report(program.Program(options.program, options.timeout), MAKERS, options)


if __name__ == "__main__":
    sys.exit(main())
