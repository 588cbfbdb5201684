"""Runs of `sarrus modes` for tests, and what is compared of them."""
import cmath
import json
import math
import os
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
FOLDER = tempfile.mkdtemp(prefix="sarrus-modes-")
FAULTS = []


def check(condition, text):
    if not condition:
        FAULTS.append(text)
        print("FAULT:", text)


def modes(model, *options, text=None):
    """The report of a model, of a text if there is one."""
    if text is not None:
        model = os.path.join(FOLDER, model + ".yaml")
        with open(model, "w", encoding="utf-8") as file:
            file.write(text)
    done = subprocess.run([PROGRAM, "modes", model, "--json", *options], capture_output=True, text=True)
    if done.returncode not in (0, 6):
        raise SystemExit(f"{model} {options}: {done.returncode} {done.stdout} {done.stderr}")
    return json.loads(done.stdout)


def eigenvalues(report):
    """All of them but zeros: both of a pair."""
    out = []
    for m in report["modes"]:
        out += [complex(m["re"], m["im"])] + ([complex(m["re"], -m["im"])] if m["im"] > 0 else [])
    return out


def worst(found, wanted):
    """The largest distance between two sets of as many numbers, each taken once."""
    if len(found) != len(wanted):
        return math.inf
    left, most = list(found), 0.0
    for w in wanted:
        k = min(range(len(left)), key=lambda i: abs(left[i] - w))
        most = max(most, abs(left.pop(k) - w))
    return most


def same(name, report, wanted, limit):
    off = worst(eigenvalues(report), wanted) / max(abs(w) for w in wanted)
    print(f"{name}: {off:.1e}")
    check(off <= limit, f"{name}: off by {off:.1e} of the largest, found {eigenvalues(report)} instead of {wanted}")


def roots(*squares):
    """Both roots of each."""
    return [sign * cmath.sqrt(s) for s in squares for sign in (1, -1)]


def quadratic(a, b, c):
    d = cmath.sqrt(b * b - 4 * a * c)
    return [(-b + d) / (2 * a), (-b - d) / (2 * a)]

COORDINATES3 = ["relative", "natural", "cartesian", "increments"]
COORDINATES2 = ["relative", "natural", "cartesian"]


def scan(model, vary, *options):
    done = subprocess.run([PROGRAM, "modes", model, "--json", "--vary", vary, *options], capture_output=True, text=True)
    check(done.returncode == 0, f"{model} --vary {vary}: {done.returncode} {done.stderr}")
    return json.loads(done.stdout)


def near(name, found, wanted, limit):
    print(f"{name}: {abs(found - wanted):.1e}")
    check(abs(found - wanted) <= limit, f"{name}: {found!r} instead of {wanted!r}")


def finish(tests):
    """Run them, remove what they wrote, and exit."""
    for test in tests:
        test()
    for name in os.listdir(FOLDER):
        os.remove(os.path.join(FOLDER, name))
    os.rmdir(FOLDER)
    sys.exit(1 if FAULTS else 0)
