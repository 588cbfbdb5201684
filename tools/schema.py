#!/usr/bin/env python3
"""Write what follows from tables of the program: joints, gears, drives, constraints, states, forces and `method:` in
sarrus.schema.json, and tables of docs/model-format.md.

    tools/schema.py [--program build/sarrus] [--check]

`sarrus describe elements` lists types and keys (sar_model_format), `sarrus methods --json` options. Everything else is written by
hand and kept. --check changes nothing, and exits with 1 if a file is not current.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = ROOT / "sarrus.schema.json"
MANUAL = ROOT / "docs" / "model-format.md"
DIMENSIONS = ("planar", "spatial")
ANSWER = {"enum": [True, False, "yes", "no", "true", "false"]}
LOCKED = {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"enum": ["x", "y", "z", "rx", "ry", "rz"]}}
SHARED = {
    "at": {"$ref": "#/$defs/vector", "description": "Where the joint is, world axes as drawn [m]; between then names two bodies."},
    "when": {"$ref": "#/$defs/number", "description": "Leaves this element out when it is 0."},
    "active": {**ANSWER, "description": "no: not there at first, until a phase adds it."},
    "smooth": {**ANSWER, "description": "yes: jumps and kinks of its expressions are no events; steps go across them."},
    "compliance": {"anyOf": [{"$ref": "#/$defs/number"}, {"type": "array", "minItems": 3, "maxItems": 3, "items": {"$ref": "#/$defs/number"}}, {"const": "free"}],
                   "description": "How the joint yields along normal, across and axis of its first end [m/N]: reactions that are not unique are split by it. free: "
                                  "it carries only what others cannot."},
    "rotational_compliance": {"anyOf": [{"$ref": "#/$defs/number"}, {"type": "array", "minItems": 3, "maxItems": 3, "items": {"$ref": "#/$defs/number"}}],
                              "description": "About the same axes [rad/(N m)]."},
    "cut": {**ANSWER, "description": "yes: relative coordinates open the loops of which this joint is a part here, and close them by its "
                                     "conditions. Without effect in other coordinates and where there is no loop."},
}
AXES = {"coordinates": "Kind of coordinates. See `sarrus methods`.",
        "formulation": "How constraints enter the equations of motion. See `sarrus methods`.",
        "integrator": "The time-stepping rule. See `sarrus methods`.",
        "solver": "The linear solver. See `sarrus methods`."}
COMMON = {"joint": ["at", "compliance", "rotational_compliance", "when", "active", "cut"], "gear": ["when", "active"], "force": ["when", "active", "smooth"],
          "drive": ["when", "active"], "constraint": ["when", "active"], "state": ["when"]}
CHOICES = ("joint", "force")  # sections whose elements have a type
NAME = "^[A-Za-z_]([A-Za-z0-9_]|\\{[^{}]+\\})*(\\.[A-Za-z_]([A-Za-z0-9_]|\\{[^{}]+\\})*)*$"
WIDTH = 140


def ref(name, **more):
    return {"$ref": f"#/$defs/{name}", **more}


def numbers(count):
    return {"type": "array", "items": ref("number"), "minItems": count, "maxItems": count}


def shape(kind, dimension):
    """The schema of a value."""
    return {
        "between": ref("between"), "line": ref("between"), "number": ref("number"), "along": ref("number"), "reference": ref("reference"),
        "matrix": ref("matrix"), "directions": ref("direction"),
        "two-directions": ref("direction", maxItems=2),
        "direction": {"anyOf": [ref("direction"), ref("reference")]},
        "one-or-two-directions": {"anyOf": [ref("direction", maxItems=2), ref("reference")]},
        "vector": numbers(2 if dimension == "planar" else 3), "slides": {"enum": ["displacement", "displacement2"]},
        "turns": {"enum": ["angle", "angle2"]}, "moves": {"enum": ["angle", "angle2", "displacement", "displacement2"]},
        "axes": ref("reference"), "axis": {"enum": ["x", "y", "z"]},
        "answer": ANSWER, "curve": ref("curve"), "locked": LOCKED, "here": {"enum": ["here"]},
        "table": {"type": "array", "items": numbers(2), "minItems": 2},
        "file": {"type": "string"}, "numbers": {"type": "object", "additionalProperties": ref("number")},
        "side": {"enum": ["left", "right"]}, "end": {"enum": ["a", "b", "middle"]},
        "joints": {"type": "array", "items": ref("reference"), "minItems": 2, "maxItems": 2},
        "cable": {"type": "array", "items": ref("reference"), "minItems": 2},
        "sum": {"type": "object", "minProperties": 2, "maxProperties": 8, "propertyNames": {"pattern": NAME},
                "additionalProperties": ref("number")},
        "pair": numbers(2), "points": {"type": "array", "items": ref("reference"), "minItems": 2, "maxItems": 8},
    }[kind.rstrip("!?")]


def sentence(text, unit=""):
    return text[0].upper() + text[1:] + (f" [{unit}]." if unit else ".")


def method_keys(methods):
    keys = {"preset": {"type": "string", "description": "A named method; the other keys refine it. See `sarrus methods`."}}
    keys.update({axis: {"type": "string", "description": text} for axis, text in AXES.items()})
    for option in methods["options"]:
        keys[option["option"]] = {"$ref": "#/$defs/number", "description": sentence(option["text"], option["unit"])}
    return keys


def ask(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def read_rows(program):
    """section -> type -> (its row, rows of its keys)"""
    types = {section: {} for section in COMMON}
    for line in ask(program, "describe", "elements").splitlines():
        section, kind, key, planar, spatial, text = line.split("\t")
        row = {"kind": kind, "key": key, "planar": planar, "spatial": spatial, "text": text}
        if not key:
            types[section][kind] = (row, [])
        else:
            types[section][kind][1].append(row)
    return types


def shared_texts(types):
    """Keys that mean the same in all types that have them, and more than one has."""
    texts = {}
    for _, keys in types.values():
        for row in keys:
            texts.setdefault(row["key"], []).append(row["text"])
    return {key: found[0] for key, found in texts.items() if len(found) > 1 and len(set(found)) == 1}


def property_of(row, shared):
    shapes = [shape(row[d], d) for d in DIMENSIONS if row[d]]
    value = shapes[0] if all(s == shapes[0] for s in shapes) else {"anyOf": shapes}
    return value if row["key"] in shared else {**value, "description": sentence(row["text"])}


def rules(own, keys):
    """What must be there in every dimension that the type exists in."""
    here = [d for d in DIMENSIONS if own[d]]
    words = {row["key"] for row in keys}
    must = [row["key"] for row in keys if all(row[d].endswith("!") for d in here)]
    found = {}
    if "on" in words:
        must.remove("acts_on")
        found["oneOf"] = [{"required": ["acts_on"]}, {"required": ["on"]}]
    if any(row[here[0]] == "line" for row in keys):
        found["oneOf"] = [{"required": ["joint"]}, {"required": ["between"], "properties": {"coordinate": False}}]
    if any(row[here[0]] == "along" for row in keys):
        found["oneOf"] = [*found.get("oneOf", [{"required": ["joint"]}]), {"required": ["along"], "properties": {"coordinate": False}}]
    alone = [{"required": [row["key"]]} for row in keys if row[here[0]].endswith("?")]
    if alone:
        found["anyOf"] = alone
    return {"required": must, **found} if must else found


def definition(section, own, keys, shared):
    common = [key for key in COMMON[section] if key != "active" or own["kind"] != "rotor"]
    properties = {key: True for key in ["type", *common]}
    properties.update((row["key"], property_of(row, shared)) for row in keys)
    return {"description": sentence(own["text"]), "properties": properties, "additionalProperties": False, **rules(own, keys)}


def alone(section, own, keys):
    """A section whose elements have no type."""
    properties = {row["key"]: property_of(row, {}) for row in keys}
    properties.update((key, SHARED[key]) for key in COMMON[section])
    return {"type": "object", "description": sentence(own["text"]), "additionalProperties": False, "properties": properties,
            **rules(own, keys)}


def when_type(kind, then):
    return {"if": {"properties": {"type": {"const": kind}}, "required": ["type"]}, "then": then}


def choice(section, types, more, description):
    """An element: its type decides what it is."""
    texts = " ".join(f"{kind}: {own['text']}." for kind, (own, _) in types.items())
    words = [*types, *more]
    return {"type": "object", "description": description, "required": ["type"],
            "properties": {"type": {"enum": words, "description": texts}, **{key: SHARED[key] for key in COMMON[section]},
                           **{key: {"description": sentence(text)} for key, text in shared_texts(types).items()}},
            "allOf": [when_type(kind, ref(f"{section}-{kind}" if kind in types else kind)) for kind in words]}


def special(types, dimension, more=()):
    """What is different in models of this dimension."""
    found = []
    for kind, (own, keys) in types.items():
        if not all(own[d] for d in DIMENSIONS):
            continue
        differ = [row for row in keys if row["planar"] != row["spatial"] or shape_differs(row)]
        then = {"properties": {row["key"]: shape(row[dimension], dimension) if row[dimension] else False for row in differ}}
        must = [row["key"] for row in differ if row[dimension].endswith("!")]
        if must:
            then["required"] = must
        if differ:
            found.append(when_type(kind, then))
    here = [kind for kind, (own, _) in types.items() if own[dimension]]
    type_rule = {} if len(here) == len(types) else {"properties": {"type": {"enum": [*here, *more]}}}
    return {"additionalProperties": {**type_rule, "allOf": found}}


def shape_differs(row):
    return shape(row["planar"], "planar") != shape(row["spatial"], "spatial")


def update(schema, types, methods):
    defs = schema["$defs"]
    defs["method"]["properties"] = method_keys(methods)
    more = list(types["gear"])
    for key in [key for key in defs if key.startswith(("joint-", "force-"))]:
        del defs[key]
    defs["joint"] = choice("joint", types["joint"], more, "A joint between two bodies, a gear, a coupler or a rotor.")
    defs["force"] = choice("force", types["force"], [], "A force on bodies.")
    for section in CHOICES:
        for kind, (own, keys) in types[section].items():
            defs[f"{section}-{kind}"] = definition(section, own, keys, shared_texts(types[section]))
    for kind, (own, keys) in types["gear"].items():
        defs[kind] = definition("gear", own, keys, {})
    defs["rotor"]["dependentRequired"] = {"ratio": ["drives"], "coordinate": ["drives"], "axis": ["carrier"]}
    defs["drive"] = alone("drive", *types["drive"]["drive"])
    ways = [["position"], ["velocity"], ["cable"], ["surface", "between"]]
    defs["constraint"] = {**alone("constraint", *types["constraint"]["constraint"]), "oneOf": [{"required": way} for way in ways]}
    defs["states"]["additionalProperties"]["anyOf"][1] = alone("state", *types["state"]["state"])
    for dimension in DIMENSIONS:
        defs[dimension]["properties"]["joints"] = special(types["joint"], dimension, more)
        defs[dimension]["properties"]["forces"] = special(types["force"], dimension)


def key_words(row, own):
    """A key in the manual, with what is special about it."""
    here = [d for d in DIMENSIONS if own[d]]
    kinds = {row[d] for d in here}
    must = [d for d in here if row[d].endswith("!")]
    only = [d for d in here if row[d]]
    notes = [] if len(only) == len(here) else only
    if must:
        notes.append("required" if must == only else f"required in {must[0]} models")
    if all(kind.endswith("?") for kind in kinds):
        notes.append("one of these")
    return f"`{row['key']}`" + (f" ({', '.join(notes)})" if notes else "")


def table(section, types):
    rows = [f"| {section} | models | what it is | keys |", "| --- | --- | --- | --- |"]
    for kind, (own, keys) in types.items():
        models = " and ".join(d for d in DIMENSIONS if own[d])
        words = ", ".join(key_words(row, own) for row in keys if section == "force" or row["key"] not in ("between", "attach"))
        rows.append(f"| `{kind}` | {models} | {own['text']} | {words} |")
    return "\n".join(rows) + "\n"


def manual_with(types):
    text = MANUAL.read_text(encoding="utf-8")
    for section in CHOICES:
        mark = f"<!-- {section}s, written by tools/schema.py -->\n"
        text, found = re.subn(f"{mark}(?:\\|.*\\n)*", lambda _: mark + table(section, types[section]), text)
        assert found == 1, f"{MANUAL.name} has no place for {section}s"
    return text


def write(value, indent=0):
    """JSON with everything that fits on one line on one."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= WIDTH or not isinstance(value, (dict, list)) or not value:
        return flat
    pad = " " * (indent + 2)
    if isinstance(value, list):
        return "[\n" + ",\n".join(pad + write(v, indent + 2) for v in value) + "\n" + " " * indent + "]"
    rows = [f"{pad}{json.dumps(k)}: {write(v, indent + 2)}" for k, v in value.items()]
    return "{\n" + ",\n".join(rows) + "\n" + " " * indent + "}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/sarrus")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    schema = json.loads(FILE.read_text(encoding="utf-8"))
    types = read_rows(options.program)
    update(schema, types, json.loads(ask(options.program, "methods", "--json")))
    stale = False
    for path, text in ((FILE, write(schema) + "\n"), (MANUAL, manual_with(types))):
        if text == path.read_text(encoding="utf-8"):
            continue
        stale = True
        if options.check:
            print(f"{path.name} is not what the program says: run tools/schema.py", file=sys.stderr)
        else:
            path.write_text(text, encoding="utf-8")
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
