#!/usr/bin/env python3
"""Numbers of the pages against runs that repeat them.

    tools/figures.py PROGRAM [--write] [--quick] [PAGE...]

docs/figures.yaml ties numbers to commands: a piece of a page, with its numbers in braces, and where each comes from,

    - page: docs/formulations.md
      of: sweep slider-crank-3 --integrator rk4 --vary step=1e-3,2e-4
      text: "eps_T = {6.8e-6} at h = 1 ms and {9e-9} at h = 0.2 ms"
      take: [1 total_error, 2 total_error]

A sweep has its points as rows, `bench STUDY` (python3 -m sarrus.bench) its rows (STUDY/ROW of several studies); `compare MODEL COLUMNS OPTIONS --vary NAME=A,B` runs against the
problem's reference, `automatic` is tools/trust/automatic.py; of a list of commands rows are COMMAND:ROW. `A / B` is a ratio, `size A` without its sign, `count WORDS|WORDS` how many rows have these verdicts, `sum`, `least` and `most` are over all rows. A number
is right if it is within one unit of its last digit, or 2 %, or the factor `within`, where rounding or chaos decides. --write puts what comes out now into the pages and into the list; --quick leaves out what is
marked `long`. Exit code 1: some are wrong.
"""
import csv
import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "docs" / "figures.yaml"
BRACES = re.compile(r"\{([-+]?[\d.]+(?:e[-+]?\d+)?)\}")
_done = {}


def flat(tree, prefix=""):
    """Nested maps as one: energy.max_drift."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def environment(program):
    """The Python package of the clone with the library of the program's build."""
    library = pathlib.Path(program).resolve().parent / "libsarrus.so"
    return dict(os.environ, PYTHONPATH=str(ROOT / "python"), SARRUS_LIBRARY=str(library), PYTHONDONTWRITEBYTECODE="1")


def compare(program, words):
    """Rows of `compare MODEL COLUMNS OPTIONS --vary NAME=A,B`: every run against the problem's reference."""
    _, model, columns, *options = words
    at = options.index("--vary")
    name, values = options[at + 1].split("=")
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for k, value in enumerate(values.split(","), 1):
            made = subprocess.run([program, "run", model, *options[:at], *options[at + 2:], f"--{name}", value, "--quiet", "-o", f"{folder}/run.csv"],
                                  cwd=ROOT, capture_output=True, text=True, check=False)
            done = subprocess.run([program, "compare", f"{folder}/run.csv", f"problems/{model}/reference.csv", "--columns", columns, "--json"],
                                  cwd=ROOT, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise RuntimeError(f"{' '.join(words)}: {made.stderr}{done.stderr}")
            rows[str(k)] = dict(flat(json.loads(done.stdout)))
    return rows


def automatic(program):
    """Rows PROBLEM@TOLERANCE of tools/trust/automatic.py."""
    done = subprocess.run([sys.executable, ROOT / "tools/trust/automatic.py", "--changes", "-", "--program", program], cwd=ROOT / "tools/trust",
                          capture_output=True, text=True, check=False)
    found = re.findall(r"^([\w-]+) +(1e-\d\d) +(\S+) +\S+ +\S+ +\S+ +(\d+) ", done.stdout, re.M)
    return {f"{name}@{tolerance}": {"error": error, "steps": steps} for name, tolerance, error, steps in found if error != "nan"}


def run(program, command):
    """Rows of a sweep or of a bench by their numbers: {row: {column: value}}."""
    if command in _done:
        return _done[command]
    words = shlex.split(command)
    if words[0] in ("compare", "automatic"):
        _done[command] = compare(program, words) if words[0] == "compare" else automatic(program)
        return _done[command]
    with tempfile.TemporaryDirectory() as folder:
        if words[0] == "sweep":
            words += ["-o", f"{folder}/sweep.csv", "--quiet"]
        else:
            words = [*words[1:], "--json", "--repeat", "1"]
        start = [program] if command.startswith("sweep") else [sys.executable, "-m", "sarrus.bench"]
        done = subprocess.run([*start, *words], cwd=ROOT, capture_output=True, text=True, check=False, env=environment(program))
        if done.returncode not in (0, 6):
            raise RuntimeError(f"sarrus {command}: exit code {done.returncode}\n{done.stderr}")
        rows = {}
        if command.startswith("sweep"):
            with open(f"{folder}/sweep.csv", encoding="utf-8") as file:
                rows = {str(k): dict(row) for k, row in enumerate(csv.DictReader(file), 1)}
        else:
            studies = json.loads(done.stdout)["studies"]
            for study in studies:
                for row in study["rows"]:
                    name = str(row["row"]) if len(studies) == 1 else f"{study['name']}/{row['row']}"
                    rows[name] = {**dict(flat(row["ours"])), **row["columns"], "verdict": row["verdict"]}
                for k, statement in enumerate(study["statements"], 1):
                    rows[f"{study['name']}/s{k}"] = rows[f"s{k}"] = {"statement": statement["value"]}
    _done[command] = rows
    return rows


def take(rows, what):
    """The number that `what` means."""
    if " / " in what:
        top, bottom = what.split(" / ")
        return take(rows, top) / take(rows, bottom)
    if what.startswith("count "):
        return sum(row.get("verdict") in what[6:].split("|") for row in rows.values())
    if what.startswith("sum "):
        return sum(float(row[what[4:]] or 0) for row in rows.values())
    if what.startswith(("least ", "most ")):
        word, column = what.split(" ", 1)
        return (min if word == "least" else max)(float(row[column]) for row in rows.values() if row.get(column))
    if what == "points":
        return len(rows)
    if what == "rows":
        return sum("verdict" in row for row in rows.values())
    if what.startswith("size "):
        return abs(take(rows, what[5:]))
    row, column = what.split(" ", 1)
    return math.nan if rows.get(row, {}).get(column) in (None, "") else float(rows[row][column])


def near(shown, now, within=None):
    if math.isnan(now):  # the run fails
        return False
    if within and not re.fullmatch(r"[-+]?\d+", shown):
        return 1/within <= abs(float(shown))/abs(now) <= within
    digits = re.search(r"\.?(\d*)(?:e([-+]?\d+))?$", shown.split(".")[1] if "." in shown else "." + ("e" + shown.split("e")[1] if "e" in shown else ""))
    unit = 10.0 ** (int(digits[2] or 0) - len(digits[1]))
    if re.fullmatch(r"[-+]?\d+", shown):  # a count
        return round(now) == int(shown)
    return abs(float(shown) - now) <= max(unit, 0.02 * abs(now))


def written(shown, now):
    """The number as the page writes it: as many digits, e-3 and not e-03."""
    mantissa = shown.split("e")[0].lstrip("+-")
    digits = len(mantissa.replace(".", "").lstrip("0")) or 1
    if "e" in shown:
        text = f"{now:.{digits - 1}e}"
    elif "." in shown:
        text = f"{now:.{len(mantissa.split('.')[1])}f}"
        if digits > len(text.lstrip("-").replace(".", "").lstrip("0")) or float(text) == 0:
            text = f"{now:.{digits - 1}e}"
    else:
        text = f"{now:.0f}"
    return text if re.search(r"e[-+]0\d", shown) else re.sub(r"e([-+])0*(\d)", lambda m: "e" + ("-" if m[1] == "-" else "") + m[2], text)


def check(program, claim, write):
    """Wrong numbers of one claim; with `write` the page and the claim are corrected."""
    page = ROOT / claim["page"]
    text, plain = claim["text"], BRACES.sub(r"\1", claim["text"])
    content = page.read_text(encoding="utf-8")
    if content.count(plain) != 1:
        return [f"{claim['page']}: found {content.count(plain)} times, not once: {plain[:100]}"]
    shown = BRACES.findall(text)
    if len(shown) != len(claim["take"]):
        return [f"{claim['page']}: {len(shown)} numbers in braces, {len(claim['take'])} to take: {plain[:100]}"]
    rows = run(program, claim["of"]) if isinstance(claim["of"], str) else {
        f"{k}:{row}": numbers for k, command in enumerate(claim["of"], 1) for row, numbers in run(program, command).items()}
    now = [take(rows, what) for what in claim["take"]]
    within = claim.get("within")
    wrong = [f"{claim['page']}: {a}, now {b:.4g} ({what} of {claim['of']})" for a, b, what in zip(shown, now, claim["take"]) if not near(a, b, within)]
    if wrong and write:
        values = iter(a if near(a, b, within) or math.isnan(b) else written(a, b) for a, b in zip(shown, now))
        corrected = BRACES.sub(lambda _: "{" + next(values) + "}", text)
        page.write_text(content.replace(plain, BRACES.sub(r"\1", corrected)), encoding="utf-8")
        LIST.write_text(LIST.read_text(encoding="utf-8").replace(text, corrected), encoding="utf-8")
    return wrong


def main():
    options = [word for word in sys.argv[1:] if word.startswith("--")]
    program, *pages = [word for word in sys.argv[1:] if not word.startswith("--")]
    claims = [c for c in yaml.safe_load(LIST.read_text(encoding="utf-8")) if not (c.get("long") and "--quick" in options) and (not pages or c["page"] in pages)]
    wrong = []
    for claim in claims:
        wrong += check(str(pathlib.Path(program).resolve()), claim, "--write" in options)
    print("\n".join(wrong) or f"{sum(len(c['take']) for c in claims)} numbers of {len({c['page'] for c in claims})} pages: all right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
