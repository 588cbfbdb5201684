"""python3 -m sarrus.bench.iftomm: the files of a benchmark problem are complete, agree with run and compare, and what cannot be exported is refused.

    python3 test_export.py PROGRAM SOURCE_ROOT
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import built

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()


def sarrus(*arguments, wanted=0, **more):
    done = subprocess.run([PROGRAM, *map(str, arguments)], text=True, capture_output=True, timeout=3600, check=False, **more)
    assert done.returncode == wanted, f"{arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def iftomm(*arguments, wanted=0):
    done = subprocess.run([sys.executable, "-m", "sarrus.bench.iftomm", *map(str, arguments)], text=True, capture_output=True, timeout=3600, check=False, cwd=ROOT,
                          env=built.python_environment(PROGRAM, ROOT))
    assert done.returncode == wanted, f"{arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def table(path):
    lines = path.read_text().splitlines()
    assert lines[0].startswith("% time [s]\t"), lines[0]
    return lines[0].split("\t")[1:], [[float(word) for word in line.split("\t")] for line in lines[1:]]


def test_the_files(folder):
    target = folder / "slider-crank"
    assert "eps_T 0.000103" in iftomm("slider-crank-1", target, "--preset", "ALi3p", "--step=1e-3", "--author", "A. N. Other").stdout
    assert sorted(path.name for path in target.iterdir()) == ["curves.svg", "description.md", "mechanism.svg", "model.yaml", "reference.txt", "results.txt",
                                                              "solution.md"]
    names, results = table(target / "results.txt")
    assert (names, table(target / "reference.txt")[0]) == (["theta1", "xQ"], names) and len(results) == 1001
    reference = (ROOT / "problems/slider-crank-1/reference.csv").read_text().splitlines()
    columns = [reference[0].split(",").index(name) for name in ("time", *names)]
    for row, line in zip(table(target / "reference.txt")[1], reference[1:], strict=True):
        assert all(abs(number - float(line.split(",")[c])) <= 1e-14*max(1, abs(number)) for number, c in zip(row, columns, strict=True)), line
    for name in ("curves.svg", "mechanism.svg"):
        xml.etree.ElementTree.parse(target / name)
    sheet, solution = (target / "description.md").read_text(), (target / "solution.md").read_text()
    for words in ("Proposed by A. N. Other", "What is hard about it", "eps_T at most 0.002 (low precision) or 0.0002", "| L1 | 1 |", "From 0 to 10 s", "time [s], theta1, xQ"):
        assert words in sheet, words
    sarrus("run", target / "model.yaml", "--preset", "ALi3p", "--step", "1e-3", "--sample", "0.01", "-o", folder / "run.csv", "--quiet")
    error = json.loads(sarrus("compare", folder / "run.csv", ROOT / "problems/slider-crank-1/reference.csv", "--columns", "theta1,xQ", "--json").stdout)["total_error"]
    told = float(re.search(r"eps_T \| (\S+)", solution)[1])
    assert abs(told/error - 1) < 1e-3, (told, error)
    index, mean, product = (float(re.search(pattern, solution)[1]) for pattern in (r"machine index \| (\S+)", r"CPU time \[s\] \| ([^,]+)", r"/ 1000 \| (\S+)"))
    assert index > 1 and abs(product/(mean*index/1000) - 1) < 1e-2, solution


def test_what_is_refused(folder):
    assert "needs a reference" in iftomm("examples/models/robot.yaml", folder / "robot", wanted=2).stderr
    assert "where to" in sarrus("export", "four-bar", wanted=2, cwd=ROOT).stderr
    assert "No such file" in iftomm("four-bar", folder / "none" / "deep", wanted=1).stderr
    failed = iftomm("slider-crank-1", folder / "fails", "--formulation", "penalty", "--integrator", "euler", "--step", "0.1", wanted=1)
    assert failed.stderr.startswith("sarrus.bench.iftomm: error: "), failed.stderr
    assert not (folder / "fails").exists()
    assert "stpe" in iftomm("slider-crank-1", folder / "fails", "--stpe", "0.1", wanted=1).stderr
    assert "expected options of a method" in iftomm("slider-crank-1", folder / "fails", "--step", wanted=2).stderr


with tempfile.TemporaryDirectory() as name:
    for test in (test_the_files, test_what_is_refused):
        test(pathlib.Path(name))
        print("ok", test.__name__)
