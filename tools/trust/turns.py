#!/usr/bin/python3
"""One angle for everything: every element with an angle, drawn and started at -1000 to 1000 degrees, in all coordinates.

    tools/trust/turns.py [--elements spring,stop] [--angles -1000,200] [--coordinates ..] [--count 9] [-j 2]

Each element is a model that knows an angle A only as a shift of where it begins and of what the element calls zero: its motion is that of A = 0, and
angles are A more. Wrong is a run that fails, or an output that differs by more than 1e-10 (of its size) from that of A = 0, drawn there (with steps of a
given length: from that of A between -180 and 180 degrees); or from that in other coordinates, where steps are chosen by the tolerance. Exit code 1 when something is wrong.
"""
import argparse
import dataclasses
import itertools
import math
import random
import sys

import program

COORDINATES = ["natural", "cartesian", "increments", "relative"]
METHODS = {"auto": ["--tolerance", "1e-13"], "fixed": ["--formulation", "al3", "--integrator", "trapezoidal", "--step", "2e-3"],
           "rk4": ["--formulation", "al1", "--integrator", "rk4", "--step", "2e-3"]}
SAME = 1e-10
ACROSS = 1e-9   # other coordinates, other steps
DEGREE = math.pi / 180


@dataclasses.dataclass
class Element:
    """What it adds to a model whose joint `pin` begins at A, and outputs whose values are those of A = 0 but for multiples of A."""
    name: str
    parts: object                   # function of A [rad]: sections of a model
    outputs: dict                   # name: (expression, multiple of A that is in it)
    dimensions: tuple = (2, 3)
    joint: str = "revolute"
    driven: bool = False
    events: bool = False            # rows beside events are as accurate as their times


def wheel(dimension, angle, velocity=0.0, drawn="angle"):
    """A body about z through the origin. Its orientation is written as angles, or as numbers that know no revolutions."""
    body = {"mass": 1.0, "position": [0.0] * dimension, "points": {"rim": [0.2, 0.0] if dimension == 2 else [0.2, 0.0, 0.0]}}
    if dimension == 2:
        return dict(body, inertia=0.1, angle=angle, angular_velocity=velocity)
    rotation = {"angle": {"axis": [0, 0, 1], "angle": angle}, "rpy": {"rpy": [0, 0, angle]},
                "sequence": {"sequence": "zxz", "angles": [angle, 0, 0]},
                "quaternion": {"quaternion": [math.cos(angle / 2), 0, 0, math.sin(angle / 2)]}}[drawn]
    return dict(body, inertia=[0.1, 0.1, 0.1], rotation=rotation, angular_velocity=[0, 0, velocity])


def pin(dimension, kind="revolute", a="ground", b="wheel"):
    joint = {"type": kind, "between": [f"{a}.origin", f"{b}.origin"]}
    if dimension == 3:
        joint.update(axis=[f"{a}.z", f"{b}.z"], normal=[f"{a}.x", f"{b}.x"])
    if kind == "screw":
        joint["pitch"] = 0.05
    return joint


def force(name="it", **keys):
    return lambda A: {"forces": {name: {k: v(A) if callable(v) else v for k, v in keys.items()}}}


def text(pattern):
    """Of an expression: @ is A."""
    return lambda A: pattern.replace("@", f"({A!r})")


def shifted(*pairs):
    return lambda A: [[A + x, y] for x, y in pairs]


def second(A, rate=0.0):
    """Another wheel on the ground, at rest where the first one is."""
    return {"bodies": {"other": ("wheel", A, rate)}, "joints": {"axle": ("pin", "ground", "other")}}


def with_second(make, rate=0.0):
    def parts(A):
        more = make(A)
        for section, entries in second(A, rate).items():
            more.setdefault(section, {}).update(entries)
        return more
    return parts


ANGLE = {"angle": ("pin.angle", 1), "rate": ("pin.rate", 0)}
TORQUE = dict(ANGLE, torque=("it.torque", 0))


def elements():
    yield Element("spring", force(type="rotational-spring", joint="pin", stiffness=10, damping=0.1, angle=lambda A: A + 0.5), TORQUE)
    yield Element("spring of t", force(type="rotational-spring", joint="pin", stiffness=10, angle=text("@ + 0.3*sin(7*t)")), TORQUE)
    yield Element("spring by a law", force(type="rotational-spring", joint="pin", torque=text("4*(x - @) + (x - @)^3 + 0.1*v")), ANGLE)
    yield Element("spring by a table", force(type="rotational-spring", joint="pin", angle=lambda A: A, table=[[-40, -80], [0, 0], [40, 80]]), ANGLE)
    yield Element("spring along", force(type="rotational-spring", along=text("pin.angle - @"), stiffness=10, angle=0.3), TORQUE)
    yield Element("motor", force(type="motor", joint="pin", torque=text("-5*(x - @) - 0.2*v")), TORQUE)
    yield Element("motor by signals", force(type="motor", joint="pin", torque=text("-5*(pin.angle - @) - 0.1*pin.rate")), TORQUE)
    yield Element("torque by signals", lambda A: {"forces": {"it": {"type": "torque", "acts_on": "wheel",
                  "torque": text("-5*(pin.angle - @)")(A), "_spatial": {"torque": [0, 0, text("-5*(pin.angle - @)")(A)]}}}}, ANGLE)
    yield Element("stop", force(type="stop", joint="pin", lower=lambda A: A - 0.3, upper=lambda A: A + 0.4, stiffness=200, exponent=2.5), TORQUE)
    yield Element("friction", lambda A: {"forces": {"it": {"type": "friction", "joint": "pin", "level": 0.2, "speed": 0.5},
                  "k": {"type": "rotational-spring", "joint": "pin", "stiffness": 20, "angle": A}}}, TORQUE)
    yield Element("potential", force(type="potential", energy=text("3*(pin.angle - @)^2 + (pin.angle - @)^4")), ANGLE)
    yield Element("table of an angle", lambda A: {"tables": {"f": {"x": [A - 30, A - 0.4, A, A + 0.5, A + 30], "y": [200, 3, 0, -4, -250],
                  "interpolation": "cubic"}}, "forces": {"it": {"type": "motor", "joint": "pin", "torque": "f(pin.angle)"}}}, ANGLE)
    yield Element("state", lambda A: {"states": {"z": {"rate": text("5*(pin.angle - @) - z")(A)}},
                  "forces": {"it": {"type": "motor", "joint": "pin", "torque": "-3*z"}}}, dict(ANGLE, z=("z", 0)))
    yield Element("bound", lambda A: {"constraints": {"it": {"position": "pin.angle", "lower": A - 0.3, "upper": A + 0.4, "restitution": 0.7}}},
                  ANGLE, events=True)
    yield Element("phase", lambda A: {"phases": [{"when": text("pin.angle - @ - 0.5")(A), "add": ["it"]}],
                  "forces": {"it": {"type": "rotational-spring", "joint": "pin", "stiffness": 30, "angle": A, "active": "no"}}}, ANGLE, events=True)
    yield Element("drive", lambda A: {"drives": {"it": {"joint": "pin", "value": text("@ + 3*t + 0.2*sin(5*t)")(A)}}}, dict(ANGLE, torque=("it.torque", 0)),
                  driven=True)
    yield Element("drive along", lambda A: {"drives": {"it": {"along": "pin.angle", "value": text("@ + 3*t")(A)}}}, ANGLE, driven=True)
    yield Element("condition", lambda A: {"constraints": {"it": {"position": text("pin.angle - @ - 3*t - t^2")(A)}}}, ANGLE, driven=True)
    yield Element("gear", with_second(lambda A: {"joints": {"it": {"type": "gear", "joints": ["pin", "axle"], "ratio": -3}},
                  "forces": {"k": {"type": "rotational-spring", "joint": "axle", "stiffness": 5, "angle": A + 0.4}}}, -12.0),
                  dict(ANGLE, other=("axle.angle", 1)))
    yield Element("coupler", with_second(lambda A: {"joints": {"it": {"type": "coupler", "sum": {"pin.angle": 2, "axle.angle": 1}, "offset": 3 * A}},
                  "forces": {"k": {"type": "rotational-spring", "joint": "axle", "stiffness": 5, "angle": A + 0.4}}}, -8.0),
                  dict(ANGLE, other=("axle.angle", 1)))
    yield Element("shaft", with_second(lambda A: {"forces": {"it": {"type": "shaft", "joints": ["pin", "axle"], "ratio": 2, "stiffness": 5, "damping": 0.01,
                  "twist": A}}}), dict(ANGLE, other=("axle.angle", 1), twist=("it.twist", 0)))
    yield Element("clutch", with_second(lambda A: {"forces": {"it": {"type": "clutch", "joints": ["pin", "axle"], "capacity": 0.5, "speed": 1}}}),
                  dict(ANGLE, other=("axle.angle", 1)))
    yield Element("elastic belt", with_second(lambda A: {"forces": {"it": {"type": "elastic-belt", "joints": ["pin", "axle"], "radii": [0.1, 0.1],
                  "stiffness": 400, "tension": 500}}}), dict(ANGLE, other=("axle.angle", 1)))
    yield Element("rotor", lambda A: {"joints": {"it": {"type": "rotor", "inertia": 0.01, "drives": "pin", "ratio": 3}},
                  "forces": {"k": {"type": "rotational-spring", "joint": "pin", "stiffness": 5, "angle": A}}}, ANGLE)
    yield Element("angle of the body", force(type="motor", joint="pin", torque=text("-5*(wheel.angle - @)")), dict(ANGLE, body=("wheel.angle", 1)), (2,))
    yield Element("yaw of the body", force(type="motor", joint="pin", torque=text("-5*(wheel.yaw - @)")), dict(ANGLE, body=("wheel.yaw", 1)), (3,))
    yield Element("outputs", lambda A: {}, dict(ANGLE, turned=("pin.angle/2 + sin(pin.angle - @)", 0.5)))
    yield Element("integral", lambda A: {}, dict(ANGLE, sum=({"integral": "pin.angle - @"}, 0)))
    coil = force(type="rotational-spring", joint="pin", stiffness=10, angle=lambda A: A + 0.5)
    yield Element("screw", coil, TORQUE, (3,), "screw")
    yield Element("cylindrical", coil, TORQUE, (3,), "cylindrical")
    yield Element("planar", coil, TORQUE, (3,), "planar")
    yield Element("parallel axes", coil, TORQUE, (3,), "parallel-axes")
    yield Element("universal", lambda A: {"forces": {"it": {"type": "rotational-spring", "joint": "pin", "stiffness": 10, "angle": A + 0.2},
                  "k": {"type": "rotational-spring", "joint": "pin", "coordinate": "angle2", "stiffness": 6, "angle": A + 0.1}}},
                  dict(ANGLE, angle2=("pin.angle2", 1), rate2=("pin.rate2", 0)), (3,), "universal")


def universal(model, angle, drawn):
    """Its second axis is x of the wheel, which is y of the ground after a rotation by `angle` about z and as far about itself."""
    model["joints"]["pin"] = {"type": "universal", "between": ["ground.origin", "wheel.origin"], "axis": ["ground.z", "wheel.x"],
                              "normal": ["ground.x", "wheel.z"]}
    model["bodies"]["wheel"].update(rotation={"sequence": "zxz", "angles": [angle, angle if drawn else 0, 0]}, angular_velocity=[0, 0, 2.0])


def build(element, dimension, angle, way, drawn="angle"):
    """`way`: drawn at the angle, started there from another drawing, or both."""
    at = {"drawn": angle, "both": angle, "started": 0.0}[way]
    if way == "drawn" and drawn == "quaternion":
        raise ValueError("a quaternion knows no revolutions")
    model = {"sarrus": 1, "name": element.name, "dimension": dimension, "bodies": {"wheel": wheel(dimension, at, 0.0 if element.driven else 4.0, drawn)},
             "joints": {"pin": pin(dimension, element.joint)}, "forces": {}, "outputs": {}, "start": {}, "method": {"end": 0.6}}
    for section, entries in element.parts(angle).items():
        if isinstance(entries, list):
            model[section] = entries
            continue
        for name, entry in entries.items():
            if isinstance(entry, dict) and "_spatial" in entry:
                more = entry.pop("_spatial")
                entry.update(more if dimension == 3 else {})
            if isinstance(entry, tuple) and entry[0] == "wheel":
                entry = wheel(dimension, at, entry[2])
            elif isinstance(entry, tuple):
                entry = pin(dimension, "revolute", entry[1], entry[2])
            model.setdefault(section, {})[name] = entry
    if element.joint == "universal":
        universal(model, at, way != "started")
    for name, (expression, _) in element.outputs.items():
        fill = (lambda e: e.replace("@", f"({angle!r})"))
        model["outputs"][name] = fill(expression) if isinstance(expression, str) else {k: fill(v) for k, v in expression.items()}
    if way != "drawn":
        model["start"] = {"pin.angle": angle}
        if "axle" in model["joints"]:
            model["start"]["axle.angle"] = angle
        if element.joint == "universal":
            model["start"]["pin.angle2"] = angle
    return {k: v for k, v in model.items() if v or k in ("name", "dimension")}


def without_shift(element, rows, angle):
    return {name: [x - multiple * angle for x in rows[name]] for name, (_, multiple) in element.outputs.items() if name in rows}


def difference(a, b):
    """The largest of all outputs, relative to the largest value of each, or absolute where that is below one."""
    most, which = 0.0, ""
    for name in a:
        if len(a[name]) != len(b[name]):
            return math.inf, f"{name}: {len(a[name])} rows, not {len(b[name])}"
        size = max(1.0, max(map(abs, b[name]), default=0.0))
        apart = max((abs(x - y) for x, y in zip(a[name], b[name])), default=0.0) / size
        if not apart <= most:
            most, which = apart, name
    return most, which


def angles_of(count, seed):
    chance = random.Random(seed)
    fixed = [200, -200, 180, -180, 225, 360, 720, -1000, 1000]
    return (fixed + [round(chance.uniform(-1000, 1000), 3) for _ in range(count)])[:max(count, 1)]


def cases(options):
    for element, dimension in itertools.product(elements(), (2, 3)):
        if dimension not in element.dimensions or (options.elements and element.name not in options.elements):
            continue
        for coordinates, method in itertools.product(options.coordinates, options.methods):
            if method == "rk4" and (element.driven or element.events):
                continue
            yield element, dimension, coordinates, method


def ways_of(dimension, index):
    """Two ways for each angle, in turn."""
    kinds = ["angle"] if dimension == 2 else ["angle", "rpy", "sequence"]
    yield "drawn", kinds[index % len(kinds)]
    yield ("started" if index % 2 else "both"), ("angle" if dimension == 2 or index % 3 else "quaternion")


def run(sarrus, case, angle, way, drawn="angle"):
    element, dimension, coordinates, method = case
    if element.joint == "universal":
        drawn = "angle"
    model = build(element, dimension, angle, way, drawn)
    outcome = sarrus.run(model, "--coordinates", coordinates, *METHODS[method], "--sample", "0.05")
    return model, outcome, without_shift(element, outcome.rows, angle)


def trial(sarrus, case, angles):
    """All angles of a case. Returns the runs, the rows of A = 0, and the wrong ones as (sentence, model)."""
    element, dimension, _, method = case
    model, outcome, first = run(sarrus, case, 0.0, "drawn")
    if outcome.code not in (0, 6) or not first:
        return 1, {}, [(f"A = 0: {outcome.verdict}: {outcome.message()}", model)]
    runs, wrong = 1, []
    for index, degrees in enumerate(angles):
        truth = first
        if method != "auto":  # steps of a given length have errors that depend on the orientation
            truth = run(sarrus, case, (degrees - 360 * round(degrees / 360)) * DEGREE, "drawn")[2]
            runs += 1
        for way, drawn in ways_of(dimension, index):
            model, outcome, rows = run(sarrus, case, degrees * DEGREE, way, drawn)
            runs += 1
            apart, which = difference(rows, truth) if rows else (math.inf, "")
            if outcome.code not in (0, 6):
                wrong.append((f"{way} at {degrees}: {outcome.verdict}: {outcome.message()}", model))
            elif not apart <= (ACROSS if element.events and method == "auto" else SAME):
                wrong.append((f"{way} at {degrees}: {which} is {apart:.1e} off", model))
    return runs, first, wrong


def survey(sarrus, options, say=lambda *line: None):
    """The number of runs, and the wrong ones as (label, sentence, model)."""
    runs, wrong, first, tasks = 0, [], {}, list(cases(options))
    results = program.in_parallel(options.jobs, lambda case: trial(sarrus, case, options.angles), tasks)
    for (element, dimension, coordinates, method), (count, truth, found) in zip(tasks, results):
        label = f"{element.name}, {dimension}D, {coordinates}, {method}"
        runs += count
        wrong += [(label, sentence, model) for sentence, model in found]
        if method == "auto" and truth:
            like = first.setdefault((element.name, dimension), (coordinates, truth))
            apart, which = difference(truth, like[1])
            if not apart <= ACROSS:
                wrong.append((label, f"A = 0: {which} is {apart:.1e} off that in {like[0]}", build(element, dimension, 0.0, "drawn")))
        say(label, runs, len(wrong))
    return runs, wrong


def parse(arguments=None):
    words = (lambda text: text.split(","))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    program.add_options(parser)
    parser.add_argument("--elements", type=words, help="some of: " + ", ".join(e.name for e in elements()))
    parser.add_argument("--angles", type=lambda text: [float(x) for x in text.split(",")], help="in degrees (default: by chance)")
    parser.add_argument("--count", type=int, default=9, help="angles (default 9)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--coordinates", type=words, default=COORDINATES)
    parser.add_argument("--methods", type=words, default=list(METHODS))
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args(arguments)
    options.angles = options.angles or angles_of(options.count, options.seed)
    return options


def main():
    options = parse()
    say = (lambda *line: print(*line, flush=True)) if options.verbose else (lambda *line: None)
    runs, wrong = survey(program.Program(options.program, options.timeout), options, say)
    for number, (label, sentence, model) in enumerate(wrong):
        print(f"{label}: {sentence}")
        program.keep(options.keep, f"{number}-{label}", model, sentence)
    print(f"{runs} runs, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
