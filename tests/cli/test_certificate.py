"""Certificates of runs: what they say is true, is said by the same rule every time, and never changes the result.

    python3 test_certificate.py PROGRAM SOURCE_ROOT
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

import built
import every_test

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory(prefix="sarrus-certificate-")
DOUBTFUL = 6


def sarrus(*arguments, code=0):
    done = subprocess.run([PROGRAM, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == code, (arguments, done.returncode, done.stderr, done.stdout)
    return done.stdout


def certificate(*arguments, code=0):
    return json.loads(sarrus("run", *arguments, "--certify", "--json", code=code))["certificate"]


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    return {name: [float(line[k]) for line in lines[1:]] for k, name in enumerate(lines[0])}


def file(name):
    return os.path.join(FOLDER.name, name)


def test_an_estimate_is_the_error():
    """Beside the references of the problems, which share no code with the library."""
    for name, step in (("bricard", "1e-3"), ("bricard", "1e-2"), ("slider-crank-1", "2e-3"), ("pendulum", "1e-2")):
        reference = rows(os.path.join(ROOT, "problems", name, "reference.csv"))
        interval = repr(reference["time"][1] - reference["time"][0])
        sarrus("run", name, "--step", step, "--sample", interval, "--end", repr(reference["time"][-1]), "-q", "--errors", "-o", file("run.csv"))
        run = rows(file("run.csv"))
        for column in (k for k in reference if k in run and k != "time"):
            true = [abs(a - b) for a, b in zip(run[column], reference[column])]
            said = run[column + ".error"]
            assert max(map(lambda a, b: abs(a - b), true, said)) <= 1e-3 * max(true) + 1e-9, (name, column)


def test_a_step_that_is_too_long_is_told():
    good = certificate("slider-crank-1", "--step", "1e-3")
    assert good["trusted"] and good["independent"] and good["trusted_until"] == 10.0 and good["ended_by"] is None
    bad = certificate("slider-crank-1", "--step", "2e-2", code=DOUBTFUL)
    assert not bad["trusted"] and 0 < bad["trusted_until"] < 10 and bad["ended_by"] in bad["outputs"]
    strict = json.loads(sarrus("run", "slider-crank-1", "--step", "1e-3", "--certify=1e-6", "--json", code=DOUBTFUL))["certificate"]
    assert strict["accuracy"] == 1e-6 and strict["trusted_until"] < 1


def test_the_result_has_the_same_bits():
    for name, *options in (("slider-crank-1",), ("bricard", "--end", "2"), ("andrews", "--tolerance", "1e-6"), ("n-four-bar", "--tolerance", "1e-7"),
                           ("rolling-disc", "--preset", "LMD", "--end", "1")):
        texts = []
        for certify in ("no", "yes"):
            subprocess.run([PROGRAM, "run", name, *options, "-q", f"--certify={certify}", "-o", file("run.csv")], cwd=ROOT, check=False)
            with open(file("run.csv"), encoding="utf-8") as out:
                texts.append(out.read())
        assert texts[0] == texts[1] and len(texts[0]) > 1000, name


def test_the_same_command_says_the_same():
    said = {tuple(re.findall(r"^  error .*\n.*", sarrus("run", "slider-crank-1", "--certify"), re.M)) for _ in range(3)}
    assert len(said) == 1 and len(said.pop()) == 1


def test_who_gets_one():
    assert "\n  error " in sarrus("run", "pendulum", "--certify")
    assert "\n  error " in sarrus("run", "pendulum", "--certify=short")
    assert "\n  error " not in sarrus("run", "pendulum", "--certify=no")
    assert "\n  error " not in sarrus("run", "pendulum")
    assert "certificate" not in json.loads(sarrus("run", "pendulum", "--json"))
    assert "\n  error " not in sarrus("run", "pendulum", "--step", "1e-5", "--certify=short"), "a million steps are no short run"
    sarrus("run", "pendulum", "--certify=maybe", code=2)
    sarrus("run", "pendulum", "--errors", code=2)
    sarrus("run", "pendulum", "--errors", "--certify=no", "-o", file("no.csv"), code=2)


def test_without_the_automatic_method_half_the_step_tells():
    """A start beside the constraints has no other equations to compare with."""
    got = certificate("pendulum", "--assemble=0", "--step", "1e-2")
    assert not got["independent"] and "step 0.005" in got["companion"] and got["order_measured"] and 1.5 < got["order"] < 2.5, got
    true = certificate("pendulum", "--step", "1e-2")
    assert true["largest"] / 1.5 < got["largest"] < 1.5 * true["largest"], (true, got)


def test_columns_of_errors_are_not_compared():
    sarrus("run", "pendulum", "-q", "--errors", "-o", file("a.csv"))
    assert ".error" in open(file("a.csv"), encoding="utf-8").readline()
    assert ".error" not in sarrus("compare", file("a.csv"), file("a.csv"))


def test_chaos_is_told():
    """A chain of 16 links: the horizon, and errors below the limit before it."""
    if built.sanitized(PROGRAM):
        return
    got = json.loads(sarrus("run", "chain", "--set", "n=16", "--step", "1e-3", "--certify", "--json", code=DOUBTFUL))["certificate"]
    assert 0 < got["trusted_until"] < 10 and got["tenfold_s"] and got["tenfold_s"] < 5, got


if __name__ == "__main__":
    sys.exit(every_test.run(globals()))
