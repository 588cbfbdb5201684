#!/usr/bin/env python3
"""Write the parts of sarrus.schema.json that follow from tables of the program: the keys of `method:`.

    tools/schema.py [--program build/sarrus] [--check]

Everything else of the schema is written by hand and kept. --check changes nothing, and exits with 1 if the file is not current.
"""
import argparse
import json
import pathlib
import subprocess
import sys

SCHEMA = pathlib.Path(__file__).resolve().parent.parent / "sarrus.schema.json"
AXES = {"coordinates": "Kind of coordinates. See `sarrus methods`.",
        "formulation": "How constraints enter the equations of motion. See `sarrus methods`.",
        "integrator": "The time-stepping rule. See `sarrus methods`.",
        "solver": "The linear solver. See `sarrus methods`."}


def sentence(option):
    text = option["text"][0].upper() + option["text"][1:]
    return text + (f" [{option['unit']}]." if option["unit"] else ".")


def method_keys(methods):
    keys = {"preset": {"type": "string", "description": "A named method; the other keys refine it. See `sarrus methods`."}}
    keys.update({axis: {"type": "string", "description": text} for axis, text in AXES.items()})
    for option in methods["options"]:
        keys[option["option"]] = {"$ref": "#/$defs/number", "description": sentence(option)}
    return keys


def replaced(text, part, keys):
    """The text with other properties of a part of $defs; all else keeps its layout."""
    at = text.index("{", text.index('"properties"', text.index(f'\n    "{part}": {{', text.index('"$defs"'))))
    _, length = json.JSONDecoder().raw_decode(text[at:])
    return text[:at] + json.dumps(keys, indent=2, ensure_ascii=False).replace("\n", "\n      ") + text[at + length:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/sarrus")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    told = subprocess.run([options.program, "methods", "--json"], capture_output=True, text=True, check=True)
    text = SCHEMA.read_text(encoding="utf-8")
    current = replaced(text, "method", method_keys(json.loads(told.stdout)))
    if current == text:
        return 0
    if options.check:
        print("sarrus.schema.json is not what the program says: run tools/schema.py", file=sys.stderr)
        return 1
    SCHEMA.write_text(current, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
