"""Model files as data: every value text, and flat models, in which all that is constant is a number.

A flat model has no parameters, repeated parts or conditional elements left; expressions of t and signals remain as text.
"""
import copy
import os
import re

import yaml

import expressions as ex

# libyaml's are ten times as fast as those in Python, and a survey reads and writes thousands of models
LOADER, DUMPER = getattr(yaml, "CBaseLoader", yaml.BaseLoader), getattr(yaml, "CSafeDumper", yaml.SafeDumper)
SECTIONS = ["bodies", "joints", "drives", "forces", "constraints", "outputs", "start"]
WORDS = {"type", "name", "description", "file", "interpolation", "outside", "crossing", "coordinate", "between", "on", "reaction",
         "joint", "joints", "add", "remove", "up", "forward", "active", "attach", "cut", "preset", "coordinates", "formulation",
         "integrator", "solver", "index"}  # keys whose values are no expressions


def name_of(path):
    base = os.path.basename(path)
    return os.path.basename(os.path.dirname(path)) if base == "model.yaml" else base[:-5]


def load(path):
    """The file as it is: every value stays the text it was."""
    with open(path, encoding="utf-8") as file:
        return yaml.load(file, LOADER)


def plain(node):
    """Without the numbers' own types of numpy."""
    if isinstance(node, dict):
        return {k: plain(v) for k, v in node.items()}
    if isinstance(node, (list, tuple)):
        return [plain(v) for v in node]
    return node if isinstance(node, (str, int)) or node is None else float(node)


def save(model, path):
    with open(path, "w", encoding="utf-8") as file:
        yaml.dump(plain(model), file, DUMPER, sort_keys=False, width=200)


def expand(text, known):
    """Names with their {expressions} as whole numbers."""
    return re.sub(r"\{([^{}]*)\}", lambda found: str(round(ex.value(ex.read(found[1]), known))), text)


def resolve(text, known):
    """A number where all names are known, else the expression with the known ones filled in."""
    try:
        tree = ex.read(expand(text, known))
    except ValueError:
        return text
    tree = ex.rewrite(tree, lambda name: ex.number(known[name]) if name in known else None)
    try:
        return ex.value(tree, {})
    except KeyError:
        return ex.write(tree) if tree[0] != "name" else tree[1]


def resolved(node, known, key=None):
    if isinstance(node, dict):
        named = key in ("points", "axes")  # its keys are names of the model's, not of the format
        return {expand(k, known): resolved(v, known, None if named else k) for k, v in node.items()}
    if key in WORDS or (key == "axes" and isinstance(node, str)):
        return [expand(v, known) for v in node] if isinstance(node, list) else expand(node, known)
    if isinstance(node, list):
        return [resolved(v, known, key) for v in node]
    return resolve(node, known)


def present(element, known):
    return not isinstance(element, dict) or ex.value(ex.read(element.get("when", "1")), known) != 0


def add_part(flat, part, known):
    """One set of bodies, joints and so on; those whose condition `when` is zero are left out."""
    ground = {k: v for k, v in resolved(part.get("ground", {}), known).items() if k != "shape"}
    for kind, entries in ground.items():
        flat["ground"].setdefault(kind, {}).update(entries)
    for section in SECTIONS:
        for name, element in part.get(section, {}).items():
            if not present(element, known):
                continue
            new = resolved(element, known)
            if isinstance(new, dict):
                new.pop("when", None)
                new.pop("shape", None)  # what it looks like does not move it
            flat[section][expand(name, known)] = new


def resolved_tables(model, known, folder):
    tables = {}
    for name, table in model.get("tables", {}).items():
        if "file" in table:
            tables[name] = dict(table, file=os.path.abspath(os.path.join(folder, table["file"])))
        else:
            tables[name] = {k: resolved(v, known, k) for k, v in table.items()}
    return tables


def flatten(model, folder=".", settings=None):
    """The flat model; settings override parameters, folder is where files of tables are."""
    known = {}
    for name, text in model.get("parameters", {}).items():
        known[name] = ex.value(ex.read(str((settings or {}).get(name, text))), known)
    flat = {"sarrus": 1, "name": model["name"], "dimension": int(model["dimension"]), "ground": {"points": {}, "axes": {}}}
    flat["gravity"] = resolved(model.get("gravity", ["0"] * flat["dimension"]), known)
    if "tables" in model:
        flat["tables"] = resolved_tables(model, known, folder)
    if "breakpoints" in model:
        flat["breakpoints"] = resolved(model["breakpoints"], known)
    flat.update({section: {} for section in SECTIONS})
    add_part(flat, model, known)
    for part in model.get("repeat", []):
        first, last = (round(ex.value(ex.read(part[k]), known)) for k in ("from", "to"))
        for index in range(first, last + 1):
            add_part(flat, part, dict(known, **{part["index"]: index}))
    if "phases" in model:
        flat["phases"] = resolved(model["phases"], known)
    flat["method"] = copy.deepcopy(model.get("method", {}))
    return flat


def stands_alone(path):
    """Not made of other files, and no part of one: what these tools can flatten."""
    return not {"use", "ports"} & load(path).keys()


def load_flat(path, settings=None):
    return flatten(load(path), os.path.dirname(os.path.abspath(path)), settings)


ROUGH = [".fx", ".fy", ".fz", ".tx", ".ty", ".tz", ".ax", ".ay", ".az", ".force", ".torque", "energy."]


def motion_outputs(model, columns):
    """Outputs without accelerations, reactions or energies: those are rougher by 1/h^2."""
    text = {k: str(v) for part in [model] + model.get("repeat", []) for k, v in part.get("outputs", {}).items()}
    return [c for c in columns if not any(r in text.get(c, "") for r in ROUGH)]
