"""Runs of the program that tests look at: models are paths or texts, answers are rows."""
import csv
import json
import os
import subprocess
import sys
import tempfile

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
MODELS = os.path.join(ROOT, "examples", "models")
COORDINATES = ("natural", "cartesian", "increments", "relative")
os.environ["SARRUS_CERTIFY"] = "no"
failures = []


def near(got, wanted, tolerance, text):
    if not abs(got - wanted) <= tolerance:
        failures.append(f"{text}: {got}, wanted {wanted} within {tolerance}")


def expect(condition, text):
    if not condition:
        failures.append(text)


def answer(model, *options, code=0):
    """What --json says of a run, and its rows; of one that shall fail its messages."""
    with tempfile.TemporaryDirectory(prefix="sarrus-run-") as folder:
        path, result = model, os.path.join(folder, "out.csv")
        if "\n" in model:
            path = os.path.join(folder, "model.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(model)
        done = subprocess.run([PROGRAM, "run", path, "--json", "-o", result, *options], capture_output=True, text=True, timeout=3600, check=False)
        if done.returncode != code:
            failures.append(f"{model if path == model else model.split(chr(10))[2]} {options}: exit code {done.returncode}, wanted {code}\n{done.stderr}")
        if code or done.returncode:
            return (done.stderr if code else {}), []
        with open(result, encoding="utf-8") as file:
            rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(line for line in file if not line.startswith("#"))]
        return json.loads(done.stdout), rows


def run(model, *options):
    """The rows of a run."""
    return answer(model, *options)[1]


def finish():
    for line in failures:
        print(line)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)
