#!/usr/bin/python3
"""Drawings of mechanisms that pass singular configurations: right to the precision of the drawing, or reported as doubtful.

    tools/trust/crossings.py [--count 10] [--seed 1] [--kinds parallelogram,spherical] [--digits 5,6,7,9,12] [-j 2]
    tools/trust/crossings.py --exact [--count 34] [--seed 1] [--methods auto,fixed]

Linkages of random lengths and masses are placed at a random angle; each body has a frame of its own, in which its points and axes
are written, and all of that is rounded. Runs are compared with the motion of the exact drawing, which is found in two kinds of
coordinates that have to agree. With --exact all digits are written: runs with and without the option `drawing` must have the same bits.

    right      the motion of the exact drawing, to 1000 units of the last digit, or three times what units of centres of mass,
               which no joint feels, make of it, and the method's own error
    told       another motion, and the exit code or a warning about singular configurations says so
    rough      off by more than that, and by less than the accuracy of 0.01 that the verdict is about
    wrong      another motion, and nothing says so
    alarm      the motion of the exact drawing, said not to be trusted
    fails      it does not run
"""
import argparse
import collections
import copy
import math
import os
import sys

import numpy as np

import mechanisms
import program
import similarity as sim

COORDINATES = ["natural", "cartesian", "increments", "relative"]
METHODS = {"auto": [], "auto-8": ["--tolerance", "1e-8"], "fixed": ["--formulation", "al3", "--integrator", "trapezoidal", "--step", "5e-4"]}
MAGNIFIED = 1e3   # an error of the drawing may grow so much and still be its own precision
RANGE = 0.01      # of a metre: what a verdict is about
END = 3.0


# ---- linkages: bodies in the frame of the world, joints between points of them ----

class Linkage:
    def __init__(self, generator, space):
        self.random, self.space = generator, space
        self.ground, self.bodies, self.joints = {}, {}, []
        self.start, self.drives, self.watched = {}, {}, []
        self.normal, self.end = np.array([0.0, 0.0, 1.0]), END

    def rod(self, name, points):
        """A body of random mass; points by name, in the world."""
        places = np.array(list(points.values()))
        middle = places.mean(axis=0)
        reach = max(np.linalg.norm(places - middle, axis=1).max(), 0.1)
        mass = self.random.uniform(0.5, 3)
        center = middle + reach * self.random.uniform(-0.2, 0.2) * np.array([1.0, 0.7, 0.0])
        self.bodies[name] = (mass, mass * reach**2 * self.random.uniform(0.2, 0.6), center, points)

    def pin(self, name, one, other, axis=None, kind="revolute"):
        self.joints.append((name, kind, one, other, self.normal if axis is None else axis))


def vector(length, angle):
    return length * np.array([math.cos(angle), math.sin(angle), 0.0])


def four_bar(link, lengths, angle, side):
    """Crank, coupler and rocker on pivots at a distance; `side`: +1 or -1, which of the two ways it closes."""
    ground, crank, coupler, rocker = lengths
    A, D = np.zeros(3), vector(ground, 0)
    B = A + vector(crank, angle)
    span = D - B
    distance = np.linalg.norm(span)
    along = (coupler**2 - rocker**2 + distance**2) / (2 * distance)
    across = math.sqrt(max(coupler**2 - along**2, 0))
    e = span / distance
    C = B + along * e + side * across * np.array([-e[1], e[0], 0])
    link.ground.update(A=A, D=D)
    link.rod("crank", {"a": A, "b": B})
    link.rod("coupler", {"b": B, "c": C})
    link.rod("rocker", {"d": D, "c": C})
    link.pin("A", "ground.A", "crank.a")
    link.pin("B", "crank.b", "coupler.b")
    link.pin("C", "coupler.c", "rocker.c")
    link.pin("D", "ground.D", "rocker.d")
    link.watched += ["coupler.b", "coupler.c"]
    link.start["A.rate"] = float(link.random.choice([-1, 1]) * link.random.uniform(7, 10))


def parallelogram(link):
    a, g = link.random.uniform(0.3, 0.5), link.random.uniform(0.7, 1.2)
    angle = link.random.uniform(0.8, 2.2)
    four_bar(link, (g, a, g, a), angle, 1)


def antiparallelogram(link):
    a, g = link.random.uniform(0.3, 0.5), link.random.uniform(0.7, 1.2)
    four_bar(link, (g, a, g, a), link.random.uniform(0.8, 2.2), -1)


def kite(link):
    a, b = link.random.uniform(0.3, 0.5), link.random.uniform(0.6, 1.0)
    four_bar(link, (a, a, b, b), link.random.uniform(0.8, 2.2), link.random.choice([-1, 1]))


def driven(link):
    parallelogram(link)
    link.drives["turn"] = link.start.pop("A.rate") / 2


def row(link):
    a, g, angle = link.random.uniform(0.3, 0.5), link.random.uniform(0.4, 0.7), link.random.uniform(0.8, 2.2)
    count = int(link.random.integers(2, 4))
    for k in range(count + 1):
        foot = vector(g * k, 0)
        link.ground[f"A{k}"] = foot
        link.rod(f"crank{k}", {"a": foot, "b": foot + vector(a, angle)})
        link.pin(f"A{k}", f"ground.A{k}", f"crank{k}.a")
    for k in range(count):
        link.rod(f"coupler{k}", {"l": vector(g * k, 0) + vector(a, angle), "r": vector(g * (k + 1), 0) + vector(a, angle)})
        link.pin(f"L{k}", f"crank{k}.b", f"coupler{k}.l")
        link.pin(f"R{k}", f"crank{k + 1}.b", f"coupler{k}.r")
    link.watched += ["coupler0.l", f"coupler{count - 1}.r"]
    link.start["A0.rate"] = float(link.random.choice([-1, 1]) * link.random.uniform(7, 10))


def pendulum(link):
    """A parallelogram that carries another motion."""
    parallelogram(link)
    C = link.bodies["coupler"][3]["c"]
    tip = C + vector(link.random.uniform(0.2, 0.4), link.random.uniform(-2.0, -1.0))
    link.rod("bob", {"c": C, "e": tip})
    link.pin("E", "coupler.c", "bob.c")
    link.start["E.rate"] = 0.0
    link.watched.append("bob.e")
    link.end = 1.0  # errors grow fast


def slider(link):
    """Crank and rod of the same length: the slider passes the pivot."""
    a, angle = link.random.uniform(0.3, 0.6), link.random.uniform(0.4, 1.2)
    B, C = vector(a, angle), vector(2 * a * math.cos(angle), 0)
    link.ground.update(A=np.zeros(3))
    link.rod("crank", {"a": np.zeros(3), "b": B})
    link.rod("rod", {"b": B, "c": C})
    link.rod("block", {"c": C})
    link.pin("A", "ground.A", "crank.a")
    link.pin("B", "crank.b", "rod.b")
    link.pin("C", "rod.c", "block.c")
    link.pin("S", "ground.A", "block.c", np.array([1.0, 0.0, 0.0]), "prismatic")
    link.watched += ["crank.b", "rod.c"]
    link.start["A.rate"] = float(link.random.choice([-1, 1]) * link.random.uniform(7, 10))


def braced(link):
    """One coupler on three equal cranks: a crank more than the plane needs."""
    a, g, angle = link.random.uniform(0.3, 0.5), link.random.uniform(0.4, 0.7), link.random.uniform(0.8, 2.2)
    for k in range(3):
        foot = vector(g * k, 0)
        link.ground[f"A{k}"] = foot
        link.rod(f"crank{k}", {"a": foot, "b": foot + vector(a, angle)})
        link.pin(f"A{k}", f"ground.A{k}", f"crank{k}.a")
    link.rod("coupler", {f"b{k}": vector(g * k, 0) + vector(a, angle) for k in range(3)})
    for k in range(3):
        link.pin(f"B{k}", f"crank{k}.b", f"coupler.b{k}")
    link.watched += ["coupler.b0", "coupler.b2"]
    link.start["A0.rate"] = float(link.random.choice([-1, 1]) * link.random.uniform(7, 10))


def folding(link):
    """Sarrus's linkage, whose plate passes the plane of its feet: both arms of each leg lie on each other there."""
    arm, low, height = link.random.uniform(0.7, 1.2), link.random.uniform(0.3, 0.5), link.random.uniform(0.3, 0.5)
    legs = {"A": ([1.0, 0, 0], [0, 1.0, 0]), "B": ([0, 1.0, 0], [1.0, 0, 0])}
    knees = {leg: np.array(out) * (low + math.sqrt(arm**2 - height**2 / 4)) + [0, 0, height / 2] for leg, (out, _) in legs.items()}
    link.rod("plate", {leg: low * np.array(out) + [0, 0, height] for leg, (out, _) in legs.items()})
    for leg, (out, hinge) in legs.items():
        foot = low * np.array(out)
        link.ground[leg] = foot
        link.rod("low" + leg, {"a": foot, "b": knees[leg]})
        link.rod("up" + leg, {"a": knees[leg], "b": foot + [0, 0, height]})
        ends = [f"ground.{leg}", f"low{leg}.a", f"low{leg}.b", f"up{leg}.a", f"up{leg}.b", f"plate.{leg}"]
        for k in range(3):
            link.pin(f"{leg}{k + 1}", ends[2 * k], ends[2 * k + 1], np.array(hinge))
    link.watched += ["plate.A", "lowB.b"]
    link.start["A1.rate"] = float(link.random.uniform(0.5, 0.9))  # down: about y, from x to -z
    link.end = 1.0


def spherical(link, arcs=None, side=None):
    """Four axes through a point, by arcs of ground, crank, coupler and rocker; opposite ones are equal."""
    if arcs is None:
        small, large = link.random.uniform(0.4, 0.6), link.random.uniform(0.8, 1.2)
        arcs = (large, small, large, small)
    turn = link.random.uniform(0.8, 2.2)

    def arc(axis, angle):
        return sim.axis_angle(axis, angle)
    a = np.array([0.0, 0.0, 1.0])
    d = arc([0, 1, 0], arcs[0]) @ a
    b = arc(a, turn) @ arc([0, 1, 0], arcs[1]) @ a
    # c: at the coupler's arc from b and at the rocker's from d
    bd = b @ d
    x = (math.cos(arcs[2]) - math.cos(arcs[3]) * bd) / (1 - bd**2)
    y = (math.cos(arcs[3]) - math.cos(arcs[2]) * bd) / (1 - bd**2)
    z = math.sqrt(max(1 - (x * b + y * d) @ (x * b + y * d), 0)) / np.linalg.norm(np.cross(b, d))
    c = max((x * b + y * d + s * z * np.cross(b, d) for s in (-1, 1)), key=lambda c: (c - d) @ (b - a) * (side or 1))
    link.ground.update(A=a, D=d)
    link.rod("crank", {"a": a, "b": b})
    link.rod("coupler", {"b": b, "c": c})
    link.rod("rocker", {"d": d, "c": c})
    for name, one, other, axis in (("A", "ground.A", "crank.a", a), ("B", "crank.b", "coupler.b", b),
                                   ("C", "coupler.c", "rocker.c", c), ("D", "ground.D", "rocker.d", d)):
        link.pin(name, one, other, axis)
    link.watched += ["coupler.b", "coupler.c"]
    link.start["A.rate"] = float(link.random.choice([-1, 1]) * link.random.uniform(8, 11))


def spherical_kite(link):
    short, long = link.random.uniform(0.4, 0.6), link.random.uniform(0.8, 1.1)
    spherical(link, (short, short, long, long), link.random.choice([-1, 1]))


def spherical_driven(link):
    spherical(link)
    link.drives["turn"] = link.start.pop("A.rate") / 2


PLANE = {"parallelogram": parallelogram, "antiparallelogram": antiparallelogram, "kite": kite, "driven": driven, "row": row,
         "pendulum": pendulum, "slider": slider}
KINDS = dict(PLANE, spherical=spherical, **{name + "-space": make for name, make in PLANE.items()})
KINDS = {name: KINDS[name] for name in sorted(KINDS)}  # new kinds come behind: the others keep their numbers
KINDS |= {"braced": braced, "braced-space": braced, "folding": folding, "spherical-kite": spherical_kite, "spherical-driven": spherical_driven}


def made(kind, number, seed):
    generator = np.random.default_rng([seed, number, list(KINDS).index(kind)])
    space = kind.endswith("-space") or kind.startswith("spherical") or kind == "folding"
    link = Linkage(generator, space)
    KINDS[kind](link)
    return link


# ---- the drawing ----

def plain(values):
    return [float(v) for v in values]


def model_of(link, digits):
    """All numbers of places and directions with this number of decimals; None: all."""
    generator = np.random.default_rng(int(link.random.bit_generator.state["state"]["state"]) % 2**32)  # the same for all digits
    dimension = 3 if link.space else 2
    if link.space:
        world = sim.axis_angle(generator.normal(size=3), generator.uniform(0.3, 3))
    else:
        world = sim.axis_angle([0, 0, 1], generator.uniform(0.2, 6))

    def draw(values):
        values = plain(np.asarray(values)[:dimension])
        return values if digits is None else [round(v, digits) for v in values]
    ground = {"points": {k: draw(world @ p) for k, p in link.ground.items()}}
    frames, bodies = {"ground": (np.zeros(3), np.eye(3))}, {}
    for name, (mass, inertia, center, points) in link.bodies.items():
        turn = generator.uniform(-3, 3)
        own = sim.axis_angle(generator.normal(size=3), turn) if link.space else sim.axis_angle([0, 0, 1], turn)
        origin = world @ next(iter(points.values())) + generator.uniform(-0.1, 0.1, 3) * ([1, 1, 1] if link.space else [1, 1, 0])
        frames[name] = (origin, own)
        body = {"mass": mass, "center": draw(own.T @ (world @ center - origin)),
                "points": {k: draw(own.T @ (world @ p - origin)) for k, p in points.items()}, "position": draw(origin)}
        if link.space:
            body.update(inertia=[inertia] * 3, rotation={"x": draw(own[:, 0]), "y": draw(own[:, 1])})
        else:
            body.update(inertia=inertia, angle=turn if digits is None else round(turn, digits))
        bodies[name] = body
    return assembled(link, dimension, world, draw, ground, frames, bodies)


def assembled(link, dimension, world, draw, ground, frames, bodies):
    joints = {}
    for name, kind, one, other, axis in link.joints:
        joints[name] = {"type": kind, "between": [one, other]}
        if dimension == 3 or kind == "prismatic":
            pair = []
            for end in (one, other):
                body = end.split(".")[0]
                part = ground if body == "ground" else bodies[body]
                part.setdefault("axes", {})[name] = draw(frames[body][1].T @ world @ axis)
                pair.append(f"{body}.{name}")
            joints[name]["axis"] = pair
    gravity = plain((world @ np.array([0, -9.81, 0] if not link.space else [2.0, -9.0, 1.0]))[:dimension])
    model = {"sarrus": 1, "name": "crossing", "dimension": dimension, "gravity": gravity, "ground": ground, "bodies": bodies,
             "joints": joints, "start": dict(link.start),
             "outputs": {f"{w.replace('.', '_')}_{c}": f"{w}.{c}" for w in link.watched for c in "xyz"[:dimension]},
             "method": {"end": link.end}}
    for name, rate in link.drives.items():
        model["drives"] = {name: {"joint": "A", "value": f"{drawn_angle(model, frames)} + {rate} * t"}}
    return model


def drawn_angle(model, frames):
    """Of the joint A as the model counts it: from axes of the bodies."""
    if model["dimension"] == 2:
        own = frames["crank"][1]
        return float(math.atan2(own[1, 0], own[0, 0]))
    return 0.0


# ---- verdicts ----

def distance(rows, wanted):
    return max(np.abs(np.array(rows[k]) - np.array(wanted[k])).max() for k in wanted if k != "time") if rows else math.inf


def options_of(coordinates, method):
    return ["--coordinates", coordinates, *METHODS[method], "--sample", "0.02"]


class Case:
    """A linkage, and the runs of its exact drawing."""

    def __init__(self, sarrus, kind, number, seed):
        self.name, self.link = f"{kind}-{seed}-{number}", made(kind, number, seed)
        self.exact = model_of(self.link, None)
        fine = ["--tolerance", "1e-11", "--drawing", "0", "--sample", "0.02", "--certify=no"]
        runs = [sarrus.run(self.exact, "--coordinates", c, *fine) for c in ("natural", "relative")]
        self.truth = runs[0].rows if runs[0].code == 0 == runs[1].code and distance(runs[1].rows, runs[0].rows) < 1e-5 else None
        self.why = runs[0].message() or runs[1].message() or f"exit {runs[0].code} {runs[1].code}"
        self.own = {}
        self.magnified = max(MAGNIFIED, 3 * self.growth(sarrus, fine)) if self.truth else MAGNIFIED

    def growth(self, sarrus, fine):
        """What the motion makes of a unit of the last digit, at random in centres of mass."""
        generator, most = np.random.default_rng(1), 0.0
        for _ in range(3):
            model = copy.deepcopy(self.exact)
            for body in model["bodies"].values():
                body["center"] = [c + float(generator.uniform(-5e-7, 5e-7)) for c in body["center"]]
            got = sarrus.run(model, "--coordinates", "relative", *fine)
            most = max(most, distance(got.rows, self.truth) / 1e-6 if got.code == 0 else 0.0)
        return most

    def own_error(self, sarrus, coordinates, method):
        key = (coordinates, method)
        if key not in self.own:
            got = sarrus.run(self.exact, *options_of(coordinates, method), "--drawing", "0")
            self.own[key] = distance(got.rows, self.truth) if got.code in (0, 6) else math.inf
        return self.own[key]


def verdict(sarrus, case, digits, coordinates, method):
    got = sarrus.run(model_of(case.link, digits), *options_of(coordinates, method), "--certify")
    told = [w for w in got.report.get("warnings", []) if "taken as drawn" in w]
    if got.code not in (0, 6):
        known = got.code == 4 and got.conflicts() or "contradict" in got.message() or "drawing misses" in got.message()
        return ("told" if known else "fails"), got.message()
    error, allowed = distance(got.rows, case.truth), case.magnified * 10.0**-digits + 1e-6
    gap = got.report.get("crossing_gap", 0)
    text = f"exit {got.code} off by {error:.1e}, gap {gap:.1e}"
    if error <= allowed + 3 * case.own_error(sarrus, coordinates, method):
        return ("right" if got.code == 0 else "alarm"), text
    if got.code == 6 or told:
        return "told", text
    return ("rough" if error < RANGE else "wrong"), text


def survey(options, sarrus, kinds):
    count = collections.Counter()
    per_kind = collections.defaultdict(collections.Counter)
    tasks = [(kind, number) for number in range(options.count) for kind in kinds]
    digits = [int(d) for d in options.digits.split(",")]

    def judge(task):
        kind, number = task
        case = Case(sarrus, kind, number, options.seed)
        if case.truth is None:
            return case, [("no truth", case.why, "", None)]
        return case, [(*verdict(sarrus, case, d, c, m), f"{d} digits {c} {m}", d) for d in digits
                      for c in options.coordinates.split(",") for m in options.methods.split(",")]
    for (kind, _), (case, results) in zip(tasks, program.in_parallel(options.jobs, judge, tasks)):
        for word, text, label, d in results:
            count[word] += 1
            per_kind[kind][word] += 1
            if word not in ("right", "told"):
                print(f"{word:9} {case.name} {label}: {text[:150]}", flush=True)
                program.keep(options.keep, f"{case.name} {label}", model_of(case.link, d), f"{word}: {text}")
        print(f"{case.name}: {dict(collections.Counter(r[0] for r in results))}", flush=True)
    for kind in kinds:
        print(f"  {kind:24}", dict(per_kind[kind]))
    print(", ".join(f"{n} {word}" for word, n in count.most_common()))
    return 1 if count["wrong"] or count["fails"] else 0


def same_bits(sarrus, model, coordinates, method, unit=1.0):
    """Of the exact drawing for a unit of time, in which linkages pass a few singular configurations, as it is and with --drawing 0; and how many it passed."""
    more = [*options_of(coordinates, method), "--certify=no", "--end", repr(unit), "--sample", repr(0.02 * unit)]
    more += ["--step", repr(1e-3 * unit)] if "--step" in METHODS[method] else []
    a, b = sarrus.run(model, *more), sarrus.run(model, *more, "--drawing", "0")
    gap = a.report.get("crossing_gap") or 0.0
    same = a.rows == b.rows and a.code == b.code and gap == 0
    return "same" if same else "differs", f"exit {a.code} {b.code}, gap {gap:.1e}", a.report.get("singular_pass_count", 0)


def exact_models(options, kinds):
    """(name, model, coordinates, unit of time): one kind of coordinates for each linkage, at random; as many of mechanisms.py, from
    1 mm to 1 km and far away, which pass none or are on their way to one."""
    for number in range(options.count):
        for kind in kinds:
            chance = np.random.default_rng([options.seed, number, list(KINDS).index(kind), 1])
            coordinates, seed = str(chance.choice(options.coordinates.split(","))), int(chance.integers(10**6, 10**9))
            other = mechanisms.draw(seed)
            yield f"{kind}-{options.seed}-{number}", model_of(made(kind, number, options.seed), None), coordinates, 1.0
            yield f"{other.kind}-{seed}", other.model(), coordinates, float(other.time)


def keeps_bits(options, sarrus, kinds):
    count, passed = collections.Counter(), 0

    def judge(task):
        name, model, coordinates, unit = task
        return [(*same_bits(sarrus, model, coordinates, m, unit), f"{name} {coordinates} {m}", model) for m in options.methods.split(",")]
    for results in program.in_parallel(options.jobs, judge, exact_models(options, kinds)):
        for word, text, passages, name, model in results:
            count[word] += 1
            passed += passages > 0
            if word != "same":
                print(word, name, text, flush=True)
                program.keep(options.keep, name, model, text)
    print(", ".join(f"{n} {word}" for word, n in count.most_common()) + f"; {passed} passed singular configurations")
    return 1 if count["differs"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    program.add_options(parser)
    parser.add_argument("--count", type=int, default=3, help="linkages of each kind (default 3)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--digits", default="5,6,7,9,12")
    parser.add_argument("--coordinates", default=",".join(COORDINATES))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--exact", action="store_true", help="all digits: are the bits those of --drawing 0?")
    options = parser.parse_args()
    sarrus = program.Program(options.program, options.timeout)
    os.nice(10)
    return (keeps_bits if options.exact else survey)(options, sarrus, options.kinds.split(","))


if __name__ == "__main__":
    sys.exit(main())
