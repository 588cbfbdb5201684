"""sarrus tune: finds the edge, says how near it is, gives a command that keeps its word.

    python3 test_tune.py PROGRAM SOURCE_ROOT
"""
import json
import os
import shlex
import subprocess
import sys

import every_test

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
CRANK = ["slider-crank-1", "--end", "2", "--threshold", "eps_T=1e-3", "--over", "step=5e-4:2e-2"]


def sarrus(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=ROOT, text=True, capture_output=True, timeout=3600)


def code(wanted, *arguments):
    done = sarrus(*arguments)
    assert done.returncode == wanted, (f"sarrus {' '.join(map(str, arguments))}: exit {done.returncode}, wanted {wanted}\n"
                                       f"{done.stdout}{done.stderr}")
    return done


def tune(*arguments):
    return json.loads(code(0, "tune", *arguments, "--json").stdout)


def message(text, *arguments):
    done = code(2, "tune", *arguments)
    assert done.stderr.splitlines()[0] == "sarrus tune: error: " + text, done.stderr


def error_at(step, *more):
    """eps_T of a step, by a sweep of one point."""
    done = code(0, "sweep", "slider-crank-1", "--end", 2, "--vary", f"step={step}", *more, "--json")
    return json.loads(done.stdout)["results"][0]["total_error"]


def test_finds_the_largest_step():
    found = tune(*CRANK)
    step = found["setting"]["step"]
    assert found["schema"] == "sarrus.tune/1" and found["status"] == "found"
    assert found["outcome"]["total_error"] <= 1e-3 and found["margin"] >= 1
    assert error_at(step) == found["outcome"]["total_error"]
    assert error_at(1.05 * step) > 1e-3, "a step 5 % larger passes too"
    beside = {n["setting"]["step"] > step: n for n in found["neighbours"]}
    assert not beside[True]["passes"] and beside[False]["passes"], found["neighbours"]


def test_two_variables():
    one, two = tune(*CRANK), tune(*CRANK, "--over", "alpha=1e7:1e12", "--points", 3)
    assert two["outcome"]["passes"] and set(two["setting"]) == {"step", "alpha"}
    assert two["outcome"]["cost"] <= 1.05 * one["outcome"]["cost"], "more freedom, yet dearer"
    assert {n["variable"] for n in two["neighbours"]} == {"step", "alpha"}


def test_the_same_every_time_and_at_any_width():
    first = tune(*CRANK, "--over", "alpha=1e7:1e12", "--points", 3, "--jobs", 1)
    second = tune(*CRANK, "--over", "alpha=1e7:1e12", "--points", 3, "--jobs", 3)
    for key in ("setting", "tried", "margin", "command"):
        assert first[key] == second[key], (key, first[key], second[key])


def test_the_command_keeps_its_word():
    found = tune("pendulum", "--end", 2, "--best-effort", "--set", "L=2", "--threshold", "drift=0.01", "--over",
                 "step=1e-3:1e-1")
    words = shlex.split(found["command"])
    assert words[:3] == ["sarrus", "run", "pendulum"] and "--best-effort" in words and "L=2" in words, words
    run = json.loads(code(0, *words[1:], "--json").stdout)
    assert run["energy"]["max_drift"] == found["outcome"]["energy"]["max_drift"] <= 0.01
    assert run["time"]["steps"] == found["outcome"]["steps"]


def test_no_setting_is_good_enough():
    done = code(1, "tune", "slider-crank-1", "--end", 1, "--threshold", "eps_T=1e-12", "--over", "step=5e-3:1e-2")
    assert "is accurate enough" in done.stderr and "The nearest has total_error" in done.stderr and done.stdout == "", done.stderr


def test_words_for_people():
    text = code(0, "tune", *CRANK).stdout
    for word in ("slider-crank-1: step=", "threshold 0.001: margin 1.", "beside it", "passes", "fails", "CPU time",
                 "sarrus run slider-crank-1 --end 2 --step 0.00"):
        assert word in text, (word, text)


def test_messages():
    message("which accuracy? Give --threshold eps_T=2e-3, or drift=0.1", "pendulum", "--over", "step=1e-3:1e-2")
    message("which option may vary? Give --over step=1e-5:1e-2 at least once", "pendulum", "--threshold", "drift=1")
    end = ["--threshold", "drift=1", "--over"]
    message("--over stp=1e-3:1e-2: 'stp' is not an option of a method; did you mean 'step'?", "pendulum", *end,
            "stp=1e-3:1e-2")
    message("--over step=1e-3: expected NAME=LOW:HIGH, as in step=1e-5:1e-2", "pendulum", *end, "step=1e-3")
    message("--over step=1e-2:1e-3: the low end is not below the high end", "pendulum", *end, "step=1e-2:1e-3")
    message("--over step=-1:1: step goes from 1e-15 to 1e+300", "pendulum", *end, "step=-1:1")
    message("--over formulation=1:2: only numbers can be tuned; try each of the words in turn", "pendulum", *end,
            "formulation=1:2")
    message("--over step: 'step' is given a fixed value too; leave one of them out", "pendulum", "--step", "1e-3", *end,
            "step=1e-3:1e-2")
    message("--threshold drfit=1: no measure is called 'drfit'; did you mean 'drift'?", "pendulum", "--threshold", "drfit=1",
            "--over", "step=1e-3:1e-2")
    message("--threshold total_error: the model's reference is for its own parameters; give another with --reference", "pendulum",
            "--set", "L=2", "--threshold", "eps_T=1", "--over", "step=1e-3:1e-2")


if __name__ == "__main__":
    sys.exit(every_test.run(globals()))
