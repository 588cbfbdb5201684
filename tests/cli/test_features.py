"""Every small model against the closed form in its header, as listed in tests/models/expected.json.

    python3 test_features.py PROGRAM SOURCE_ROOT
"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

import built

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
MODELS = os.path.join(ROOT, "tests", "models")
failures = []


def run(model, end, step, coordinates, folder):
    """Rows of a run at every step, or None and the reason."""
    out = os.path.join(folder, "out.csv")
    done = subprocess.run([PROGRAM, "run", os.path.join(MODELS, model), "--end", repr(end), "--step", repr(step),
                           "--sample", repr(step), "--coordinates", coordinates, "-o", out],
                          capture_output=True, text=True, cwd=folder, timeout=3600)
    if done.returncode != 0:
        return None, done.stderr.strip()
    with open(out, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file)), None


def check(entry, rows, coordinates):
    row = min(rows, key=lambda r: abs(float(r["time"]) - entry["t"]))
    got = float(row[entry["output"]])
    where = f"{entry['model']} {coordinates}: {entry['output']}({entry['t']})"
    if abs(float(row["time"]) - entry["t"]) > 1e-9:
        failures.append(f"{where}: no row at that time")
    elif not (math.isfinite(got) and abs(got - entry["value"]) <= entry["tolerance"]):
        failures.append(f"{where} = {got:.12g}, wanted {entry['value']:.12g} +- {entry['tolerance']:g}")


with open(os.path.join(MODELS, "expected.json"), encoding="utf-8") as source:
    entries = json.load(source)
runs = sorted({(e["model"], e["end"], e["step"]) for e in entries})
with tempfile.TemporaryDirectory(prefix="sarrus-features-") as temp:
    for (model, end, step), kind in built.take_turns(PROGRAM, runs, ["natural", "cartesian"]):
        table, reason = run(model, end, step, kind, temp)
        if table is None:
            failures.append(f"{model} {kind}: {reason}")
            continue
        for e in entries:
            if (e["model"], e["end"], e["step"]) == (model, end, step):
                check(e, table, kind)

listed = {e["model"] for e in entries}
twins = {"slider-crank-spatial.yaml", "n-four-bar-spatial.yaml"}  # they have references of their own
twins |= {"axle.yaml", "cardan-shaft.yaml", "slider-crank-universal.yaml"}  # verify/test_converged_steps has theirs
for name in sorted(os.listdir(MODELS)):
    if name.endswith(".yaml") and name not in listed | twins:
        failures.append(f"{name} has no expected values")
for line in failures:
    print(line)
print(f"{len(entries)} values of {len(listed)} models in 2 coordinate types, {len(failures)} failures")
sys.exit(1 if failures else 0)
