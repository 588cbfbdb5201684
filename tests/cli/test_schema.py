#!/usr/bin/env python3
"""The published JSON Schema accepts every model of this repository, refuses broken ones, and names what the program knows.

Usage: test_schema.py PROGRAM SOURCE_ROOT
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema
import yaml


class ModelLoader(yaml.SafeLoader):
    """YAML as the program and editors read it: yes, no and the old key `on` are words, not truth values."""


ModelLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith((":bool", ":timestamp"))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}

PLANAR = """
sarrus: 1
name: test
dimension: 2
bodies: {a: {mass: 1, angle: 0}, b: {mass: 1, angle: 0}}
joints: {J: {type: revolute, between: [ground, a]}}
"""
SPATIAL = """
sarrus: 1
name: test
dimension: 3
bodies: {a: {mass: 1, rotation: {rpy: [0, 0, 0]}}, b: {mass: 1, rotation: {rpy: [0, 0, 0]}}}
joints: {J: {type: spherical, between: [ground, a]}}
"""

# Each turns the good model before it into one that the schema and the program refuse.
BROKEN = [
    ("unknown top key", PLANAR, "dimension: 2", "dimension: 2\nouputs: {a: 1}"),
    ("version", PLANAR, "sarrus: 1", "sarrus: 2"),
    ("no name", PLANAR, "name: test", ""),
    ("dimension", PLANAR, "dimension: 2", "dimension: 4"),
    ("no bodies", PLANAR, "bodies:", "parameters: {}\n#"),
    ("gravity in the plane", PLANAR, "dimension: 2", "dimension: 2\ngravity: [0, 0, -9.81]"),
    ("gravity in space", SPATIAL, "dimension: 3", "dimension: 3\ngravity: [0, -9.81]"),
    ("body without mass", PLANAR, "b: {mass: 1, angle: 0}", "b: {angle: 0}"),
    ("body key", PLANAR, "b: {mass: 1,", "b: {mass: 1, colour: red,"),
    ("body name", PLANAR, "b: {mass", "b-1: {mass"),
    ("rotation in the plane", PLANAR, "b: {mass: 1, angle: 0}", "b: {mass: 1, rotation: {rpy: [0, 0, 0]}}"),
    ("angle in space", SPATIAL, "b: {mass: 1,", "b: {mass: 1, angle: 1,"),
    ("inertia in the plane", PLANAR, "b: {mass: 1,", "b: {mass: 1, inertia: [1, 1, 1],"),
    ("inertia in space", SPATIAL, "b: {mass: 1,", "b: {mass: 1, inertia: [1, 1],"),
    ("two rotations", SPATIAL, "b: {mass: 1, rotation: {rpy: [0, 0, 0]", "b: {mass: 1, rotation: {rpy: [0, 0, 0], x: [1, 0, 0]"),
    ("joint type", PLANAR, "revolute", "revolut"),
    ("spatial joint in the plane", PLANAR, "revolute", "spherical"),
    ("joint with one end", PLANAR, "[ground, a]", "[ground]"),
    ("planar revolute with axis", PLANAR, "[ground, a]", "[ground, a], axis: [0, 1]"),
    ("spherical with axis", SPATIAL, "[ground, a]", "[ground, a], axis: [0, 0, 1]"),
    ("screw without pitch", SPATIAL, "spherical, between: [ground, a]", "screw, between: [ground, a], axis: [0, 0, 1]"),
    ("revolute without axis", SPATIAL, "spherical", "revolute"),
    ("gear without ratio", PLANAR, "[ground, a]}", "[ground, a]}, K: {type: gear, joints: [J, J]}"),
    ("coupler with one term", PLANAR, "[ground, a]}", "[ground, a]}, K: {type: coupler, sum: {J.angle: 1}}"),
    ("cut that is no answer", PLANAR, "[ground, a]", "[ground, a], cut: here"),
    ("cut on a gear", PLANAR, "[ground, a]}", "[ground, a]}, H: {type: revolute, between: [a, b]}, "
                                              "K: {type: gear, joints: [J, H], ratio: 2, cut: yes}"),
    ("cut on a coupler", PLANAR, "[ground, a]}", "[ground, a]}, H: {type: revolute, between: [a, b]}, "
                                                 "K: {type: coupler, sum: {J.angle: 1, H.angle: 1}, cut: yes}"),
    ("rolling ball in the plane", PLANAR, "revolute, between: [ground, a]",
     "rolling-sphere, between: [ground, a], axis: ground.y, radius: 1"),
    ("wheel without radius", PLANAR, "revolute, between: [ground, a]", "rolling-disc, between: [ground, a], axis: ground.y"),
    ("wheel without axis", PLANAR, "revolute, between: [ground, a]", "rolling-disc, between: [ground, a], radius: 1"),
    ("wheel with a normal", PLANAR, "revolute, between: [ground, a]",
     "rolling-disc, between: [ground, a], axis: ground.y, normal: ground.x, radius: 1"),
    ("disc with one axis", SPATIAL, "spherical, between: [ground, a]", "rolling-disc, between: [ground, a], axis: ground.z, radius: 1"),
    ("disc with one direction", SPATIAL, "spherical, between: [ground, a]",
     "rolling-disc, between: [ground, a], axis: [0, 0, 1], radius: 1"),
    ("rolling ball that attaches", SPATIAL, "spherical, between: [ground, a]",
     "rolling-sphere, between: [ground, a], axis: ground.z, radius: 1, active: no, attach: here"),
    ("edge with a radius", SPATIAL, "spherical, between: [ground, a]", "knife-edge, between: [ground, a], axis: a.x, radius: 1"),
    ("edge with one direction", SPATIAL, "spherical, between: [ground, a]", "knife-edge, between: [ground, a], axis: [1, 0, 0]"),
    ("shafts without axis", SPATIAL, "spherical", "constant-velocity"),
    ("shafts in the plane", PLANAR, "revolute, between: [ground, a]", "constant-velocity, between: [ground, a], axis: [1, 0]"),
    ("point without a curve", PLANAR, "revolute", "point-on-curve"),
    ("revolute with a curve", PLANAR, "[ground, a]", "[ground, a], curve: {x: s, y: s, from: 0, to: 1}"),
    ("curve without an end", PLANAR, "revolute, between: [ground, a]", "point-on-curve, between: [ground, a], curve: {x: s, y: s, from: 0}"),
    ("curve by both", PLANAR, "revolute, between: [ground, a]",
     "point-on-curve, between: [ground, a], curve: {x: s, y: s, from: 0, to: 1, points: [[0, 0], [1, 1]]}"),
    ("planar curve with axis", PLANAR, "revolute, between: [ground, a]",
     "point-on-curve, between: [ground, a], axis: ground.x, curve: {points: [[0, 0], [1, 1]]}"),
    ("spatial curve without axis", SPATIAL, "spherical, between: [ground, a]",
     "point-on-curve, between: [ground, a], curve: {points: [[0, 0], [1, 1]]}"),
    ("revolute with a radius", PLANAR, "[ground, a]", "[ground, a], radius: 1"),
    ("revolute with one named axis", SPATIAL, "spherical, between: [ground, a]", "revolute, between: [ground, a], axis: a.x"),
    ("constraint without velocity", PLANAR, "joints:", "constraints: {c: {active: no}}\njoints:"),
    ("constraint with a value", PLANAR, "joints:", "constraints: {c: {velocity: a.rate, value: 1}}\njoints:"),
    ("drive of two things", PLANAR, "joints:", "drives: {d: {joint: J, between: [a, b], value: t}}\njoints:"),
    ("drive without value", PLANAR, "joints:", "drives: {d: {joint: J}}\njoints:"),
    ("force without point", PLANAR, "joints:", "forces: {f: {type: force, force: [1, 0]}}\njoints:"),
    ("force in space", SPATIAL, "joints:", "forces: {f: {type: force, acts_on: a, force: [1, 0]}}\njoints:"),
    ("torque in the plane", PLANAR, "joints:", "forces: {f: {type: torque, acts_on: a, torque: [0, 0, 1]}}\njoints:"),
    ("spring without law", PLANAR, "joints:", "forces: {f: {type: spring, between: [a, b]}}\njoints:"),
    ("spring with angle", PLANAR, "joints:", "forces: {f: {type: spring, between: [a, b], stiffness: 1, angle: 0}}\njoints:"),
    ("spring of two things", PLANAR, "joints:", "forces: {f: {type: spring, joint: J, between: [a, b], stiffness: 1}}\njoints:"),
    ("spring between points with a coordinate", PLANAR, "joints:",
     "forces: {f: {type: spring, between: [a, b], coordinate: displacement, stiffness: 1}}\njoints:"),
    ("spring about an angle", PLANAR, "joints:", "forces: {f: {type: spring, joint: J, coordinate: angle, stiffness: 1}}\njoints:"),
    ("rotational spring along a displacement", PLANAR, "joints:",
     "forces: {f: {type: rotational-spring, joint: J, coordinate: displacement, stiffness: 1}}\njoints:"),
    ("drive of a third angle", PLANAR, "joints:", "drives: {d: {joint: J, coordinate: angle3, value: t}}\njoints:"),
    ("normal of a point on a line", SPATIAL, "spherical, between: [ground, a]",
     "point-on-line, between: [ground, a], axis: [0, 0, 1], normal: [1, 0, 0]"),
    ("bushing of five", PLANAR, "joints:", "forces: {f: {type: bushing, between: [a, b], K: [1, 1, 1, 1, 1]}}\njoints:"),
    ("tyre without radius", PLANAR, "joints:", "forces: {f: {type: tyre, acts_on: a, stiffness: 1}}\njoints:"),
    ("tyre with length", PLANAR, "joints:", "forces: {f: {type: tyre, acts_on: a, radius: 1, stiffness: 1, length: 1}}\njoints:"),
    ("tyre with a direction", PLANAR, "joints:", "forces: {f: {type: tyre, acts_on: a, radius: 1, stiffness: 1, normal: [0, 1]}}\njoints:"),
    ("stop without limits", PLANAR, "joints:", "forces: {f: {type: stop, joint: J, stiffness: 1}}\njoints:"),
    ("stop between points", PLANAR, "joints:", "forces: {f: {type: stop, between: [a, b], upper: 1, stiffness: 1}}\njoints:"),
    ("spring with a limit", PLANAR, "joints:", "forces: {f: {type: spring, between: [a, b], stiffness: 1, upper: 0}}\njoints:"),
    ("friction without law", PLANAR, "joints:", "forces: {f: {type: friction, joint: J, speed: 1}}\njoints:"),
    ("friction between points", PLANAR, "joints:", "forces: {f: {type: friction, between: [a, b], level: 1, speed: 1}}\njoints:"),
    ("spring with a road", PLANAR, "joints:", "forces: {f: {type: spring, between: [a, b], stiffness: 1, road: 0}}\njoints:"),
    ("output called e", PLANAR, "joints:", "outputs: {e: t}\njoints:"),
    ("parameter called v", PLANAR, "joints:", "parameters: {v: 1}\njoints:"),
    ("output that is a map", PLANAR, "joints:", "outputs: {f: {sum: t}}\njoints:"),
    ("breakpoint that is no list", PLANAR, "joints:", "breakpoints: 3\njoints:"),
    ("table without values", PLANAR, "joints:", "tables: {f: {x: [0, 1]}}\njoints:"),
    ("table of one point", PLANAR, "joints:", "tables: {f: {x: [0], y: [0]}}\njoints:"),
    ("table of columns without file", PLANAR, "joints:", "tables: {f: {x: t, y: u}}\njoints:"),
    ("table interpolation", PLANAR, "joints:", "tables: {f: {x: [0, 1], y: [0, 1], interpolation: square}}\njoints:"),
    ("start of a word", PLANAR, "joints:", "start: {angle: 1}\njoints:"),
    ("repeat without index", PLANAR, "joints:", "repeat: [{from: 1, to: 2}]\njoints:"),
    ("method option", PLANAR, "joints:", "method: {stepp: 1}\njoints:"),
]


def load(text):
    return yaml.load(text, Loader=ModelLoader)


def all_keys(node):
    """Every key of a document, on all levels."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield key
            yield from all_keys(value)
    elif isinstance(node, list):
        for value in node:
            yield from all_keys(value)


def good_models(root):
    yield from sorted((root / "problems").glob("*/model.yaml"))
    yield from sorted((root / "tests" / "models").glob("*.yaml"))
    yield from sorted((root / "tests" / "models" / "shapes").glob("*.yaml"))
    yield from sorted((root / "examples" / "models").glob("*.yaml"))
    yield from sorted((root / "tests" / "fuzz" / "corpus-model").iterdir())


def list_of(root, header, macro):
    """First words of an X-macro list of a public header."""
    text = (root / "include" / "sarrus" / header).read_text()
    body = re.search(rf"#define {macro}\(X\)((?:.*\\\n)+.*)", text)[1]
    return re.findall(r"\bX\(\s*(\w+),\s*(?:\"([^\"]+)\")?", body)


class Report:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, good, why=""):
        self.passed += good
        self.failed += not good
        if not good:
            print(f"FAILED {what}: {why}")


def program_refuses(program, text):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        return subprocess.run([program, "check", file.name], capture_output=True).returncode == 3


def main():
    program, root = sys.argv[1], pathlib.Path(sys.argv[2])
    schema = json.loads((root / "sarrus.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    report = Report()

    def first_error(model):
        error = next(validator.iter_errors(model), None)
        return f"{list(error.absolute_path)}: {error.message}"[:300] if error else None

    for path in good_models(root):
        error = first_error(load(path.read_text()))
        report.check(path.relative_to(root), error is None, error)
        # YAML 1.1 has words for true: no key of the format may be one
        keys = [key for key in all_keys(yaml.safe_load(path.read_text())) if isinstance(key, bool)]
        report.check(path.relative_to(root), not keys, f"keys that YAML 1.1 takes for truth values: {keys}")
    manual = (root / "docs" / "model-format.md").read_text()
    error = first_error(load(re.search(r"```yaml\n(.*?)```", manual, re.S)[1]))
    report.check("the example of docs/model-format.md", error is None, error)

    for base in (PLANAR, SPATIAL):
        report.check("the model that the broken ones start from", first_error(load(base)) is None)
    for what, base, old, new in BROKEN:
        text = base.replace(old, new, 1)
        assert text != base, what
        report.check(what, first_error(load(text)) is not None, "the schema accepts it")
        report.check(what, program_refuses(program, text), "the program accepts it")

    current = subprocess.run([sys.executable, root / "tools/schema.py", "--program", program, "--check"], capture_output=True, text=True)
    report.check("joints, forces and keys of method", current.returncode == 0, current.stderr)
    joints = {name.lower().replace("_", "-") for name, _ in list_of(root, "mechanism.h", "SAR_JOINT_LIST")}
    described = set(schema["$defs"]["joint"]["properties"]["type"]["enum"])
    report.check("joints", described == joints | {"gear", "coupler", "rack", "belt", "bevel", "planetary", "differential", "rotor"}, f"differ: {described ^ joints}")

    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
