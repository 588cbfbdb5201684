#!/usr/bin/env python3
"""Fail when a source includes a header of a layer that it must not know, knows a joint or a force by its type's name, or calls
a function of the C library whose last digits differ between processors.

    tools/check_layers.py [ROOT]

Includes go one way: a folder may include itself, what ALLOWED lists for it, and the public headers that say what
those folders are about. The two sides of the neck, coordinates and formulations, never include each other.
"""
import pathlib
import re
import sys

CORE = ["base", "math", "linalg", "expression", "model", "system"]
ALLOWED = {
    "base": [],
    "math": CORE[:1],
    "linalg": CORE[:2],
    "expression": CORE[:3],
    "model": CORE[:4],
    "system": CORE[:5],
    "elements": ["base", "math", "expression", "model", "system"],  # joint types; what they are is told by a contract below
    "coordinates": CORE,
    "formulations": CORE,
    "integrators": CORE + ["formulations"],
    "simulation": CORE + ["coordinates", "formulations", "integrators"],
    "analysis": CORE + ["coordinates", "simulation"],  # linear equations, modes: above all that moves
    "atlas": CORE + ["coordinates", "simulation"],  # all configurations of a mechanism
    "optimisation": ["base", "math", "linalg"],  # least squares and minima of any function: no mechanics
    "plugins": CORE + ["formulations", "integrators", "simulation"],
    "import": ["base", "math", "expression", "input"],  # robot files; what readers know of it is told by a contract below
    "input": ["base", "math", "expression", "model", "simulation"],
    "results": ["base", "math", "expression", "model", "simulation"],
    "sensitivity": CORE + ["coordinates", "formulations", "integrators", "simulation", "analysis", "input"],  # what parameters do to runs
    "studies": ["base", "math", "expression", "model", "simulation", "analysis", "results", "input", "optimisation", "sensitivity"],
    "pictures": ["base", "math", "expression", "model"],
    "export": ["base", "math", "expression", "model", "system", "coordinates", "simulation", "import"],  # models as robot files
    "fmu": CORE + ["formulations", "integrators", "simulation", "input", "import", "results"],  # models as archives for other programs, and their runtime
    "cli": [],  # the program is a user of the library like any other: public headers only
}
# Headers that say what a layer is about, by those who may include them though they lie below it.
CONTRACTS = {"elements/element.h": {"model", "system", "coordinates", "simulation", "atlas", "input", "pictures"},
             "elements/relation.h": {"model"}, "elements/gear.h": {"input"}, "elements/definition.h": {"input"},
             "elements/force.h": {"model", "system", "simulation", "input", "pictures", "export"},
             "import/import.h": {"input"}}
# Names of joint types and of types of forces are known to the files that say what these are, and to users of the library.
HEADER = pathlib.Path(__file__).resolve().parent.parent / "include" / "sarrus" / "forces.h"
FORCES = re.search(r"#define SAR_FORCE_LIST\(X\)((?:.*\\\n)*.*)", HEADER.read_text(encoding="utf-8"))[1]
TYPE_NAMES = re.compile(r"\bSAR_JOINT_\w*|\bSARI_FORCE_(?:" + "|".join(re.findall(r"X\((\w+),", FORCES)) + r")\b")
# The folders of the program: a command uses what is common, and no other command but where it shows the same things.
PROGRAM = {
    "common": [],
    "pictures": ["common"],
    "run": ["common", "pictures", "pages"],
    "check": ["common", "map"],
    "import": ["common"],
    "export": ["common"],
    "equilibrium": ["common"],
    "map": ["common", "pictures"],
    "modes": ["common", "pictures"],
    "fit": ["common", "pictures"],
    "tolerances": ["common"],
    "sensitivity": ["common", "pictures"],
    "pose": ["common"],
    "clearance": ["common"],
    "motion": ["common"],
    "methods": ["common"],
    "describe": ["common"],
    "compare": ["common", "pictures", "run"],
    "sweep": ["common", "pictures"],
    "draw": ["common", "pictures"],
    "pages": ["common", "pictures"],
    "view": ["common", "pictures", "pages"],
}
# Headers that are not installed, and that the program knows all the same: grids of sweeps, functions with the same bits everywhere,
# and vectors for its pictures.
INTERNAL = {"studies/sweeps.h": {"sweep"}, "math/functions.h": set(PROGRAM), "math/vec3.h": {"pictures"}}
# Public headers by the lowest layer that may include them. sarrus.h, all of them, is for programs alone.
PUBLIC = {
    "base.h": set(ALLOWED),
    "model.h": set(ALLOWED) - {"base", "math", "linalg"},
    "mechanism.h": set(ALLOWED) - {"base", "math", "linalg"},
    "forces.h": set(ALLOWED) - {"base", "math", "linalg"},
    "magic_formula.h": set(ALLOWED) - {"base", "math", "linalg"},
    "compliant.h": {"model", "elements", "input", "pictures", "cli"},
    # the options of a run: formulations and integrators read their parameters there
    "energy.h": {"simulation", "studies", "cli"},
    "analysis.h": {"analysis", "studies", "cli"},
    "pose.h": {"analysis", "cli"},
    "options.h": {"formulations", "integrators", "simulation", "plugins", "analysis", "atlas", "input", "results", "sensitivity", "studies", "fmu", "cli"},
    "simulation.h": {"simulation", "plugins", "analysis", "atlas", "input", "results", "sensitivity", "studies", "fmu", "cli"},
    "sensitivity.h": {"sensitivity", "studies", "cli"},
    "analysis.h": {"analysis", "studies", "cli"},
    "atlas.h": {"atlas", "cli"},
    "equations.h": {"simulation", "plugins", "studies", "cli"},
    "plugin.h": {"plugins", "cli"},
    "motion.h": {"simulation", "studies", "cli"},
    "optimisation.h": {"optimisation", "studies", "cli"},
    "fit.h": {"studies", "cli"},
    "quantities.h": {"studies", "cli"},
    "shape.h": {"model", "input", "pictures", "cli"},
    "drawing.h": {"pictures", "cli"},
    "run.h": {"simulation", "sensitivity", "studies", "fmu", "cli"},
    "batch.h": {"simulation"},
    "methods.h": {"simulation", "input", "results", "studies", "cli"},
    "load.h": {"analysis", "input", "sensitivity", "studies", "fmu", "cli"},
    "import.h": {"import", "input", "fmu", "cli"},
    "result.h": {"results", "studies", "fmu", "cli"},
    "certificate.h": {"simulation", "studies", "fmu", "cli"},
    "trial.h": {"studies", "cli"},
    "tune.h": {"studies", "cli"},
    "fmu.h": {"fmu", "cli"},
    "export.h": {"export", "cli"},
    "sarrus.h": {"cli"},
}
# What of the layer below is open to a layer, where that is not all of it: the neck.
ONLY = {(layer, "system"): {"equations.h", "slack.h"} for layer in ("formulations", "integrators")}
ONLY["formulations", "system"] |= {"quadratics.h", "quadratics_kernels.h"}  # rows, where they are such polynomials
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(?:"([^"]+)"|<(sarrus/[^>]+)>)', re.M)
# Functions of libm that are not exact: src/math/functions.h has them with the same bits everywhere.
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
INEXACT = re.compile(r"(?<![\w.>])(?:a?(?:sin|cos|tan)h?|atan2|sincos|exp[2m]?1?|log(?:2|10|1p)?|pow|cbrt|hypot)\(")


def complaint(layer, target, beside):
    """Why `layer` may not include `target`, or None. `beside`: does it lie beside the including file?"""
    parts = target.split("/")
    if parts[0] == "sarrus":
        layer = layer.split("/")[0]
        known = PUBLIC.get(parts[-1])
        if known is None:
            return f"{target}: this public header is not in the table of tools/check_layers.py"
        return None if layer in known else f"{layer} must not include {target}"
    if layer.startswith("cli/"):
        room = layer[4:]
        known = parts[0] == room or parts[0] in PROGRAM[room] or room in INTERNAL.get(target, ())
        return None if known else f"the program's folder '{room}' must not include {target}"
    if len(parts) == 1:
        return None if beside else f'"{target}" is not in this folder: write its folder too'
    if layer in CONTRACTS.get(target, ()):
        return None
    if parts[0] == layer or parts[0] in ALLOWED[layer]:
        open_to = ONLY.get((layer, parts[0]))
        return None if open_to is None or parts[-1] in open_to else f"{layer} sees of {parts[0]} only {', '.join(sorted(open_to))}"
    if parts[0] not in ALLOWED:
        return f"{target}: no layer '{parts[0]}'"
    return f"{layer} must not include {target}"


def line_of(text, match):
    return text.count(chr(10), 0, match.start()) + 1


def sources(root):
    for folder in sorted((root / "src").iterdir()):
        if folder.is_dir():
            yield from ((folder.name, path) for path in sorted(folder.rglob("*.[ch]")))
    for folder in sorted((root / "cli").iterdir()):
        if folder.is_dir():
            yield from ((f"cli/{folder.name}", path) for path in sorted(folder.rglob("*.[ch]")))


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    errors, files, count = [], 0, 0
    for layer, path in sources(root):
        files += 1
        if layer not in ALLOWED and layer[4:] not in PROGRAM:
            errors.append(f"{path}: the layer '{layer}' is not in the table of tools/check_layers.py")
            continue
        text = path.read_text(encoding="utf-8")
        for m in INCLUDE.finditer(text):
            count += 1
            target = m.group(1) or m.group(2)
            why = complaint(layer, target, (path.parent / target).exists())
            if why:
                errors.append(f"{path}:{line_of(text, m)}: {why}")
        for m in TYPE_NAMES.finditer(text) if layer != "elements" else ():
            errors.append(f"{path}:{line_of(text, m)}: {layer} must not know {m.group()}: ask its constant in "
                          "src/elements/")
        code = NO_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
        for m in INEXACT.finditer(code):
            errors.append(f"{path}:{line_of(code, m)}: {m.group()}...) of the C library depends on the processor: call sari_{m.group()}...) of math/functions.h")
    for error in errors:
        print(error, file=sys.stderr)
    if errors:
        return 1
    print(f"{count} includes in {files} files: all go one way")
    return 0


if __name__ == "__main__":
    sys.exit(main())
