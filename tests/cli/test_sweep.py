"""sarrus sweep: the table, its independence of who computed it, interruption in every way, messages, pictures.

    python3 test_sweep.py PROGRAM SOURCE_ROOT
"""
import csv
import json
import math
import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import every_test

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
TEMP = tempfile.TemporaryDirectory(prefix="sarrus-sweep-")
HERE = pathlib.Path(TEMP.name)
MODULE = os.path.join(os.path.dirname(PROGRAM), "sarrus-mpi.so")

# enough work that there is time to interfere, little enough to do it again
SLOW = ["n-four-bar", "--formulation", "al1", "--integrator", "trapezoidal-fixed-point", "--best-effort", "--step", "2e-4",
        "--end", "2", "--vary", "alpha=log:1e6:1e8:4", "--vary", "omega=20,30,40,50,60,80", "--valid", "drift<0.125"]
QUICK = ["n-four-bar", "--formulation", "al1", "--integrator", "trapezoidal-fixed-point", "--best-effort", "--step", "5e-3",
         "--end", "3", "--vary", "alpha=log:1e6:1e8.5:3", "--vary", "omega=2,20,50,400", "--valid", "drift<0.125"]


def sarrus(*arguments, **more):
    # from where the problems are
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=ROOT, text=True, capture_output=True, timeout=3600, **more)


def code(wanted, *arguments, **more):
    done = sarrus(*arguments, **more)
    assert done.returncode == wanted, (f"sarrus {' '.join(map(str, arguments))}: exit {done.returncode}, wanted {wanted}\n"
                                       f"{done.stdout}{done.stderr}")
    return done


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def message(text, *arguments, wanted=2):
    done = code(wanted, "sweep", *arguments)
    assert done.stderr.splitlines()[0] == "sarrus sweep: error: " + text, done.stderr
    assert done.stdout == "", done.stdout


def whole_table(name="whole", arguments=SLOW):
    """The table of SLOW, or another, undisturbed; computed once."""
    path = HERE / f"{name}.csv"
    if not path.exists():
        code(0, "sweep", *arguments, "-o", path)
    return path.read_bytes()


def journal_lines(path):
    try:
        return pathlib.Path(f"{path}.journal").read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


HEAD = 6  # lines of a journal before the points


def begin(path, points):
    """A sweep that has finished at least so many points and is still at work."""
    process = subprocess.Popen([PROGRAM, "sweep", *SLOW, "-o", str(path), "--jobs", "1"], cwd=ROOT, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    while journal_lines(path) < HEAD + points:
        assert process.poll() is None, "the sweep is over before it could be disturbed"
        time.sleep(0.002)
    return process


def children(pid):
    return [int(p) for p in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def gone(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


# ---- the table ------------------------------------------------------------------------------------------------------

def test_a_point_is_a_run():
    """Numbers of the table are those of `sarrus run` with the same settings."""
    out = HERE / "one.csv"
    code(0, "sweep", *QUICK, "-o", out)
    rows = table(out)
    assert len(rows) == 12
    assert [(r["alpha"], r["omega"]) for r in rows[:5]] == [
        ("1e+06", "2"), ("1e+06", "20"), ("1e+06", "50"), ("1e+06", "400"), ("17782794.1003892", "2")]
    for row in rows:
        done = sarrus("run", *QUICK[:8], "--end", 3, "--alpha", row["alpha"], "--omega", row["omega"], "--json")
        run = json.loads(done.stdout)
        assert row["status"] == run["status"], (row, run["status"])
        assert int(row["steps"]) == run["time"]["steps"] and int(row["iterations"]) == run["time"]["iterations"]
        assert float(row["energy.max_drift"]) == run["energy"]["max_drift"], (row, run["energy"])
        assert int(row["singular_passes"]) == len(run["singular_passes"])
        assert int(row["branch_changes"]) == len(run["branch_changes"])
        assert row["valid"] == str(int(row["status"] == "completed" and float(row["energy.max_drift"]) < 0.125))


def test_errors_are_those_of_compare():
    out, result = HERE / "steps.csv", HERE / "run.csv"
    code(0, "sweep", "slider-crank-1", "--vary", "step=1e-2,5e-3", "--end", 2, "-o", out)
    for row in table(out):
        code(0, "run", "slider-crank-1", "--step", row["step"], "--end", 2, "--sample", 0.01, "-o", result)
        done = code(0, "compare", result, f"{ROOT}/problems/slider-crank-1/reference.csv", "--json", "--columns",
                    "theta1,xQ")
        wanted = json.loads(done.stdout)["total_error"]
        assert math.isclose(float(row["total_error"]), wanted, rel_tol=1e-6), (row["total_error"], wanted)


def test_the_reference_is_for_the_models_own_parameters():
    out = HERE / "reference.csv"
    done = code(0, "sweep", "pendulum", "--vary", "m=1,2", "--end", 0.5, "-o", out)
    assert "total_error" not in table(out)[0] and "for its own parameters" in done.stdout, done.stdout
    code(0, "sweep", "pendulum", "--vary", "m=1,2", "--end", 0.5, "-o", out, "--reference",
         f"{ROOT}/problems/pendulum/reference.csv")
    first, second = (float(r["total_error"]) for r in table(out))
    assert math.isclose(first, second, rel_tol=1e-6), "the mass of a pendulum does not matter"


def test_points_without_a_method_are_results():
    out = HERE / "words.csv"
    code(0, "sweep", "pendulum", "--vary", "formulation=al3,al1", "--vary", "integrator=trapezoidal,rk4", "--end", 0.5, "-o",
         out)
    assert [r["status"] for r in table(out)] == ["completed", "no such method", "completed", "completed"]
    assert all(r["verdict"] for r in table(out))


def test_json():
    found = json.loads(code(0, "sweep", *QUICK, "--json").stdout)
    assert found["schema"] == "sarrus.sweep/1" and found["status"] == "completed" and found["points"] == 12
    assert found["axes"][1] == {"name": "omega", "scale": "log", "values": [2, 20, 50, 400]}
    assert len(found["results"]) == 12 and found["valid"] == sum(r["valid"] for r in found["results"])
    assert all(r["seconds"] > 0 for r in found["results"])


def test_times_are_last():
    out = HERE / "times.csv"
    code(0, "sweep", *QUICK, "-o", out, "--times")
    timed = table(out)
    assert list(timed[0])[-3:] == ["seconds", "wall_s", "step_us"] and float(timed[0]["step_us"]) > 0
    code(0, "sweep", *QUICK, "-o", out)
    assert list(table(out)[0]) == list(timed[0])[:-3]


def test_standard_output():
    out = HERE / "stdout.csv"
    code(0, "sweep", *QUICK, "-o", out)
    assert code(0, "sweep", *QUICK, "-o", "-").stdout == out.read_text()


# ---- whoever computed it ---------------------------------------------------------------------------------------------

def test_number_of_processes():
    for jobs in (1, 2, 5):
        out = HERE / f"jobs{jobs}.csv"
        code(0, "sweep", *QUICK, "-o", out, "--jobs", jobs)
        assert out.read_bytes() == whole_table("quick", QUICK), f"--jobs {jobs} gives another table"


def mpirun(count, *arguments):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       ASAN_OPTIONS="detect_leaks=0")  # those of MPI are not ours
    return subprocess.run(["mpirun", "--oversubscribe", "-n", str(count), PROGRAM, *map(str, arguments)], cwd=ROOT,
                          text=True, capture_output=True, timeout=3600, env=environment)


def test_mpi():
    if not os.path.exists(MODULE):
        print("skipped: this build has no MPI")
        return
    for count in (2, 3):
        out = HERE / f"ranks{count}.csv"
        done = mpirun(count, "sweep", *SLOW, "-o", out)
        assert done.returncode == 0, done.stderr
        assert f"with {count} processes" in done.stdout, done.stdout
        assert out.read_bytes() == whole_table(), "ranks of an MPI job give another table"
    done = mpirun(2, "sweep", "pendulum", "--vary", "alph=1")
    assert done.returncode == 2 and done.stderr.count("did you mean 'alpha'?") == 1, done.stderr


def test_mpi_goes_on_where_one_machine_stopped():
    if not os.path.exists(MODULE):
        print("skipped: this build has no MPI")
        return
    out = HERE / "mixed.csv"
    process = begin(out, 3)
    process.kill()
    process.wait()
    assert mpirun(2, "sweep", *SLOW, "-o", out).returncode == 0
    assert out.read_bytes() == whole_table()


def test_without_the_module_ranks_are_refused():
    lonely = HERE / "bin"
    lonely.mkdir()
    shutil.copy(PROGRAM, lonely / "sarrus")
    done = subprocess.run([lonely / "sarrus", "sweep", *QUICK], cwd=ROOT, text=True, capture_output=True, timeout=3600,
                          env=dict(os.environ, OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_RANK="0"))
    assert done.returncode == 2 and "this build of Sarrus has no MPI" in done.stderr, done.stderr


# ---- interruption ----------------------------------------------------------------------------------------------------

def test_killed_and_continued():
    wanted, out = whole_table(), HERE / "killed.csv"
    process = begin(out, 3)
    workers = children(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not out.exists(), "no table before all points are done"
    while not all(map(gone, workers)):  # workers that outlive the sweep are ended by CTest
        time.sleep(0.01)
    kept = journal_lines(out) - HEAD
    assert 3 <= kept < 24, kept
    done = code(0, "sweep", *SLOW, "-o", out)
    assert f"{kept} were in {out}.journal" in done.stdout, done.stdout
    assert out.read_bytes() == wanted, "the continued sweep gives another table"


def test_damaged_journals():
    """Lines cut off, or changed, are computed again."""
    wanted, out = whole_table("quick", QUICK), HERE / "damaged.csv"
    whole = (HERE / "quick.csv.journal").read_bytes().splitlines(keepends=True)
    assert whole[-1] == b"finished\n" and len(whole) == HEAD + 12 + 1
    digit = max(k for k, byte in enumerate(whole[9]) if byte in b"12345678")
    changed = whole[9][:digit] + bytes([whole[9][digit] + 1]) + whole[9][digit + 1:]
    for journal in (b"", b"".join(whole[:2]), b"".join(whole[:6]), b"".join(whole[:9]) + whole[9][:40],
                    b"".join(whole[:9]) + changed + whole[10], b"".join(whole[:-1])):
        pathlib.Path(f"{out}.journal").write_bytes(journal)
        code(0, "sweep", *QUICK, "-o", out)
        assert out.read_bytes() == wanted


def test_nothing_is_computed_twice():
    whole_table()
    out = HERE / "whole.csv"
    done = code(0, "sweep", *SLOW[:-2], "-o", out, "--valid", "drift<1e-9", "--json")
    found = json.loads(done.stdout)
    assert found["computed"] == 0 and found["valid"] == 0, "another --valid is another look at the same points"
    found = json.loads(code(0, "sweep", *SLOW, "-o", out, "--json", "--restart").stdout)
    assert found["computed"] == 24 and out.read_bytes() == whole_table()


def test_another_sweep_is_refused():
    out = HERE / "other.csv"
    process = begin(out, 1)
    process.kill()
    process.wait()
    before = pathlib.Path(f"{out}.journal").read_bytes()
    head = f"{out}.journal holds unfinished runs that differ in "
    message(head + "--vary", *SLOW, "--vary", "xi=1,2", "-o", out)
    message(head + "the options of the method", *SLOW, "--iterations", "30", "-o", out)
    message(head + "the model or its --set, the reference", *SLOW, "--set", "m=2", "-o", out)
    assert pathlib.Path(f"{out}.journal").read_bytes() == before
    code(0, "sweep", *QUICK, "-o", out, "--restart")
    assert len(table(out)) == 12
    code(0, "sweep", "pendulum", "--vary", "step=1e-2,1e-3", "--end", 1, "-o", out)  # the other one is finished
    assert len(table(out)) == 2


def test_two_at_once():
    out = HERE / "twice.csv"
    process = begin(out, 1)
    message(f"another sarrus is writing {out}.journal; wait for it, or choose another file", *SLOW, "-o", out, wanted=1)
    process.kill()
    process.wait()


def test_ctrl_c_keeps_finished_points():
    out = HERE / "interrupted.csv"
    process = begin(out, 2)
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=3600)[1]
    assert process.returncode == 130, process.returncode
    assert "of 24 points are done" in errors and "the same command continues" in errors, errors
    code(0, "sweep", *SLOW, "-o", out)
    assert out.read_bytes() == whole_table()


def test_a_crash_costs_one_point():
    out = HERE / "crash.csv"
    process = begin(out, 1)
    os.kill(children(process.pid)[0], signal.SIGSEGV)
    process.communicate(timeout=3600)
    assert process.returncode == 0
    rows = table(out)
    crashed = [r for r in rows if r["status"] == "crashed"]
    # the sanitizer turns the signal into an exit code
    assert len(crashed) == 1 and crashed[0]["verdict"].startswith("the program "), crashed
    assert sum(r["status"] == "completed" for r in rows) == 23


# ---- points side by side ---------------------------------------------------------------------------------------------

CRANKS = ["slider-crank-1", "--preset", "ALi3p", "--step", "1e-3", "--vary", "m1=lin:1:3:21"]


def test_points_side_by_side_are_single_runs():
    tables = []
    for jobs in ["1", "3"]:
        code(0, "sweep", *CRANKS, "--end", "0.4", "--jobs", jobs, "-o", HERE / f"side{jobs}.csv")
        tables.append((HERE / f"side{jobs}.csv").read_bytes())
    assert tables[0] == tables[1]
    for row in table(HERE / "side1.csv")[::7]:
        alone = json.loads(code(0, "run", "slider-crank-1", "--preset", "ALi3p", "--step", "1e-3", "--end", "0.4", "--set", f"m1={row['m1']}",
                                "--json", "-o", HERE / "alone.csv").stdout)
        for name in ["initial", "max_drift", "final_drift"]:
            assert float(row[f"energy.{name}"]) == alone["energy"][name], (name, row, alone["energy"])
        for name in ["position", "velocity", "acceleration"]:
            assert float(row[f"violation.{name}"]) == alone["violation"][name], (name, row, alone["violation"])
        assert int(row["iterations"]) == alone["time"]["iterations"]


EVERYWHERE = {"world.yaml": """
sarrus: 1
name: everywhere
dimension: 2
parameters: {L: 1, m: 1, k: 20, n: 2, w: 0.5, h: 1e-3, s0: 0.2, g: 9.81, far: 0}
gravity: [0, -g]
tables: {f: {file: points.csv, x: x, y: y}}
ground: {points: {hub: [3, 0], end: [L + far, 0]}}
bodies:
  arm: {mass: m, center: [L/2, 0], inertia: m*L^2/12, points: {O: [0, 0], P: [L, 0]}, position: [0, 0], angle: s0}
  wheel: {mass: 1, inertia: 1, points: {C: [0, 0]}, position: [3, 0], angle: 0}
joints:
  O: {type: revolute, between: [ground.origin, arm.O]}
  C: {type: revolute, between: [ground.hub, wheel.C]}
  reach: {type: distance, between: [ground.end, arm.P], distance: L}
drives: {turn: {joint: C, value: 'w*t + 0.1*sin(L*t)'}}
forces: {S: {type: spring, between: [ground.hub, arm.P], stiffness: k, force: f(x)}}
repeat:
  - {index: i, from: 1, to: n, use: {'leg{i}': {file: leg.yaml, with: {a: 'L + i'}}}}
outputs: {angle: O.angle}
method: {step: h, end: 50*h}
""", "leg.yaml": """
sarrus: 1
name: leg
dimension: 2
parameters: {a: 1, c: 2}
ground: {points: {foot: [0, -a]}}
bodies: {b: {mass: c, inertia: 1, points: {P: [0, 0]}, center: [a/2, 0], position: [0, -a], angle: 0.3}}
joints: {J: {type: revolute, between: [ground.foot, b.P]}}
""", "points.csv": "x,y\n0,0\n1,2\n9,4\n"}


def test_parameters_in_every_place():
    """Of dimensions, masses, springs, starts, drives, steps, files that are used, and how often they are: each point is a single run."""
    folder = HERE / "everywhere"
    folder.mkdir(exist_ok=True)
    for name, text in EVERYWHERE.items():
        if name == "world.yaml":  # without what holds the arm
            text = "".join(line for line in text.splitlines(keepends=True) if "reach" not in line)
        (folder / name).write_text(text, encoding="utf-8")
    for name, values in {"L": "0.8,1,1.3", "m": "0.5,2,3", "k": "1,7", "n": "1,3", "w": "-1,2", "h": "5e-4,2e-3", "s0": "-0.4,1", "g": "1.62,9",
                         "leg1.c": "1,5"}.items():
        code(0, "sweep", folder / "world.yaml", "--vary", f"{name}={values}", "--preset", "ALi3p", "--jobs", "1", "-o", HERE / "where.csv", "--restart")
        rows = table(HERE / "where.csv")
        assert len({row["energy.final_drift"] for row in rows}) == len(rows) == values.count(",") + 1, (name, rows)
        for row in rows:
            alone = json.loads(code(0, "run", folder / "world.yaml", "--set", f"{name}={row[name]}", "--preset", "ALi3p", "--json").stdout)
            assert float(row["energy.max_drift"]) == alone["energy"]["max_drift"], (name, row, alone["energy"])
            assert int(row["steps"]) == alone["time"]["steps"] and int(row["iterations"]) == alone["time"]["iterations"]


def test_points_that_fail_among_others():
    """An invalid number is told with its point and line, a start that cannot be assembled with its point; the others run."""
    folder = HERE / "failing"
    folder.mkdir(exist_ok=True)
    for name, text in EVERYWHERE.items():
        (folder / name).write_text(text, encoding="utf-8")
    done = code(0, "sweep", folder / "world.yaml", "--vary", "m=-1,1,2", "--vary", "far=0,5", "--jobs", "1", "-o", HERE / "fails.csv")
    rows = {(row["m"], row["far"]): row for row in table(HERE / "fails.csv")}
    for m in "1", "2":
        assert rows[m, "0"]["status"] == "completed", rows
        assert rows[m, "5"]["status"] == "cannot assemble" and "reach" in rows[m, "5"]["verdict"], rows
    for far in "0", "5":
        assert rows["-1", far]["status"] == "invalid model" and "world.yaml:10:15: error: the mass is negative" in rows["-1", far]["verdict"], rows
    assert "2 cannot assemble; the first at m=1, far=5: " in done.stdout, done.stdout
    assert "2 invalid model; the first at m=-1, far=0: " in done.stdout, done.stdout


# ---- what it says ----------------------------------------------------------------------------------------------------

def test_messages():
    message("what is to vary? Give --vary NAME=VALUES at least once", "pendulum")
    message("--vary alph: 'alph' is neither an option of the method nor a parameter of the model; did you mean 'alpha'?",
            "pendulum", "--vary", "alph=1,2")
    message("--vary alpha=lgo:1:2:3: unknown kind of range \"lgo\"; did you mean \"log\"?", "pendulum", "--vary",
            "alpha=lgo:1:2:3")
    message("--vary alpha: 'alpha' is given a fixed value too; leave one of them out", "pendulum", "--alpha", "1", "--vary",
            "alpha=1,2")
    message("--vary model.alpha: 'model.alpha' is not a parameter of the model", "pendulum", "--vary", "model.alpha=1,2")
    message("--vary sped: 'sped' is neither an option of the method nor a parameter of the model; did you mean 'speed'?",
            "n-four-bar", "--vary", "sped=1,2")
    message("--valid drft<1: no measure is called 'drft'; did you mean 'drift'?", "pendulum", "--vary", "m=1,2", "--valid",
            "drft<1")
    message("--valid drift<x: 'x' is not a number", "pendulum", "--vary", "m=1,2", "--valid", "drift<x")
    message("--jobs 0: expected a whole number from 1 to 1024", "pendulum", "--vary", "m=1,2", "--jobs", "0")
    done = code(2, "sweep", "pendulum", "--vary", "omega=1,2")
    assert "has no option \"omega\"" in done.stderr, done.stderr
    done = code(2, "sweep", "pendulum", "--vary", "formulation=al3,al11")
    assert "did you mean \"al1\"?" in done.stderr, done.stderr
    code(3, "sweep", "pendulun", "--vary", "m=1,2")


def test_map_of_letters():
    lines = code(0, "sweep", *QUICK).stdout.splitlines()
    assert lines[0] == "n-four-bar: valid 6 of 12 (drift<0.125)", lines[0]
    rows = [line.split("|")[1].split() for line in lines if " |" in line]
    assert len(rows) == 4 and rows[1] == rows[2] == ["#", "#", "#"], rows  # omega 50 and 20
    assert rows[0] == ["x", "x", "x"] and rows[3] == [".", ".", "."], rows


def test_pictures():
    if not shutil.which("gnuplot"):
        print("skipped: no gnuplot")
        return
    for name, arguments in (("map.svg", QUICK), ("curve.svg", ["pendulum", "--end", "1", "--vary", "step=log:1e-3:1e-2:4"]),
                            ("words.svg", ["pendulum", "--end", "1", "--vary", "preset=ALi3p,hybrid", "--vary", "m=1,2"])):
        picture = HERE / name
        code(0, "sweep", *arguments, "--plot", picture)
        text = picture.read_text()
        assert text.startswith("<?xml") and "</svg>" in text and len(text) > 5000, name
    done = code(1, "sweep", "pendulum", "--vary", "m=1,2", "--vary", "L=1,2", "--vary", "g=1,2", "--end", "0.1", "--plot",
                HERE / "three.svg")
    assert "one or two varied axes can be drawn, not 3" in done.stderr


def shown_on_a_terminal(arguments):
    controller, terminal = pty.openpty()
    process = subprocess.Popen([PROGRAM, "sweep", *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=terminal,
                               env=dict(os.environ, TERM="xterm"))
    os.close(terminal)
    shown = b""
    while True:
        if select.select([controller], [], [], 60)[0]:
            try:
                piece = os.read(controller, 4096)
            except OSError:  # the other side is closed
                break
            shown += piece
            if not piece:
                break
    process.wait(timeout=3600)
    return shown


def test_progress_on_a_terminal_only():
    assert sarrus("sweep", *SLOW).stderr == ""
    shown = b""
    for step in ["2e-4", "5e-5", "1e-5"]:  # the bar appears when there is something to wait for
        shown = shown or shown_on_a_terminal([step if word == "2e-4" else word for word in SLOW])
    assert b"of 24" in shown and b"valid" in shown and b" left" in shown, shown


if __name__ == "__main__":
    sys.exit(every_test.run(globals()))
