"""The sarrus program as its users meet it: help, exit codes, JSON, files, sampling, interruption.

    python3 test_program.py PROGRAM SOURCE_ROOT
"""
import csv
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

import built
import every_test

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
TEMP = tempfile.TemporaryDirectory(prefix="sarrus-cli-")
COMMANDS = ["run", "check", "methods", "compare", "sweep", "tune", "cite"]

# longer than any test; it passes a singular configuration every second or so, hence best effort
ENDLESS = ["run", "n-four-bar", "--end", "1e6", "--best-effort"]

# a rod of length 1 that hangs on a pin and starts horizontally; energies count from y = 0
PENDULUM = """\
sarrus: 1
name: rod
dimension: 2
parameters: {L: 1, m: 2}
gravity: [0, -9.81]
bodies:
  rod:
    mass: m
    center: [L/2, 0]
    inertia: m*L^2/12
    points: {tip: [L, 0]}
    position: [0, 0]
    angle: 0
joints:
  pin: {type: revolute, between: [ground.origin, rod.origin]}
outputs:
  angle: pin.angle
  y: rod.tip.y
method: {step: 1e-3}
"""

# the pin twice, and a bar between points whose distance is not its length
REDUNDANT = PENDULUM.replace("outputs:", "  again: {type: revolute, between: [ground.origin, rod.origin]}\noutputs:")
IMPOSSIBLE = PENDULUM.replace("outputs:", "  far: {type: revolute, between: [ground.P, rod.tip]}\noutputs:").replace(
    "bodies:", "ground: {points: {P: [5, 0]}}\nbodies:")
MISSPELT = PENDULUM.replace("mass: m", "mas: m")


def path(name, text=None):
    full = os.path.join(TEMP.name, name)
    if text is not None:
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
    return full


def sarrus(*arguments, cwd=None, stdin=None, environment=None, timeout=3600):
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd or TEMP.name, text=True, input=stdin,
                          capture_output=True, timeout=timeout, env=environment)


def code(wanted, *arguments, **more):
    done = sarrus(*arguments, **more)
    assert done.returncode == wanted, (
        f"sarrus {' '.join(map(str, arguments))}: exit {done.returncode}, wanted {wanted}\n{done.stdout}{done.stderr}")
    return done


def run_json(*arguments, wanted=0, **more):
    done = code(wanted, *arguments, "--json", **more)
    return json.loads(done.stdout)  # fails on anything but one object


def read_csv(name):
    with open(path(name), encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], np.array(rows[1:], dtype=float)


def model():
    return path("rod.yaml", PENDULUM)


# ---- help and usage --------------------------------------------------------------------------

def test_overview_names_every_command():
    for arguments in ([], ["--help"], ["-h"], ["help"]):
        text = code(0, *arguments).stdout
        for command in COMMANDS:
            assert re.search(rf"^  {command} ", text, re.M), f"{command} missing from {arguments}"


def test_values_of_options_are_numbers_as_a_whole():
    for words in (["view", "four-bar", "--mode", "3x"], ["export", "four-bar", "--fmu", "x.fmu", "--fmi", "3.0"], ["tune", "four-bar", "--points", "1"],
                  ["map", "four-bar", "--starts", ""], ["draw", "four-bar", "--width", "800px"], ["pose", "four-bar", "--starts", "-1"],
                  ["tolerances", "four-bar", "--samples", "1e3"], ["optimise", "four-bar", "--samples", "0"], ["fit", "four-bar", "--iterations", "ten"]):
        text = code(2, *words).stderr
        assert f"sarrus {words[0]}: error: {words[-2]} {words[-1]}: expected a whole number from " in text, text
    for words, limit in ((["check", "four-bar", "--at", "3s"], ""), (["compare", "a", "b", "--interval", "0"], " above 0"),
                         (["draw", "four-bar", "--amplitude", "11"], " from 1e-06 to 10"), (["run", "four-bar", "--speed", "nan"], "")):
        text = code(2, *words).stderr
        assert f"{words[-2]} {words[-1]}: expected a number{limit}\n" in text, text


def test_help_of_a_command_starts_with_examples():
    for command in COMMANDS:
        text = code(0, command, "--help").stdout
        assert text == code(0, "help", command).stdout == code(0, command, "-h").stdout
        assert 0 < text.index("Examples") < text.index("Usage") < text.index("Options")
        assert text.count("\n  sarrus ") >= 2, f"{command}: too few examples"
        assert max(map(len, text.splitlines())) <= 92, f"{command}: lines too long"
        assert text.count("\n") <= 40, f"{command}: more than a screen"
        whole = code(0, "help", command, "--all").stdout
        if "--help-all" in text:
            assert whole == code(0, command, "--help-all").stdout and whole.count("\n") > text.count("\n")
            shown = re.findall(r"^  (?:-\w, |    )--([a-z-]+)", text, re.M)
            assert len(shown) >= 3 and all(re.search(rf"^  (?:-\w, |    )--{name}\b", whole, re.M) for name in shown), shown
        else:
            assert whole == text


def test_help_lists_problems_and_examples():
    for text in (code(0, "help").stdout, code(0, "run", "--help").stdout):
        names = set(re.split(r"[,\s]+", text[text.index("Models that come with Sarrus"):]))
        assert {entry for entry in os.listdir(os.path.join(ROOT, "problems")) if "." not in entry} <= names
        assert {entry.replace(".yaml", "") for entry in os.listdir(os.path.join(ROOT, "examples", "models"))} <= names


def test_defaults_in_the_help_are_those_of_runs():
    text = re.sub(r"\s+", " ", code(0, "run", "--help-all").stdout)
    got = json.loads(code(0, "run", "robot", "--end", "0.01", "--json").stdout)["method"]
    assert got["formulation"] == "chart" and "threefield, chart, dae, auto (default auto; al3 with --step" in text, got
    fixed = json.loads(code(0, "run", "robot", "--end", "0.01", "--step", "1e-3", "--json").stdout)["method"]
    for axis in ("coordinates", "formulation", "integrator"):
        shown = re.search(rf"--{axis} NAME .*?\((default[^)]*)\)", text)[1]
        assert f"; {fixed[axis]} with --step or another option of a fixed-step method" in shown, (axis, shown)


def test_models_are_found_by_their_names():
    folder = path("models")
    os.makedirs(folder, exist_ok=True)
    for name, ending in (("wiper", ".yaml"), ("washer", ".yml"), ("door", ".json")):
        with open(os.path.join(folder, name + ending), "w", encoding="utf-8") as file:
            file.write(PENDULUM)
        assert "valid" in code(0, "check", name, cwd=folder).stdout
    for name in ("four-bar", "robot", "tyre-rig"):
        assert "valid" in code(0, "check", name, cwd=folder).stdout
    done = code(3, "check", "robt", cwd=folder)
    assert "no problem or example of that name; did you mean 'robot'?" in done.stderr, done.stderr


def test_help_of_run_lists_the_methods_options():
    text = code(0, "run", "--help-all").stdout
    for option in ("step", "end", "sample", "alpha", "penalty-ratio", "newton-tolerance", "iterations", "preset",
                   "coordinates", "formulation", "integrator", "solver", "best-effort", "set", "all", "plot"):
        assert f"--{option}" in text, option
    assert "natural" in text and "al3" in text


def test_version():
    assert re.match(r"sarrus \d+\.\d+\.\d+\n", code(0, "--version").stdout)


def test_unknown_command_suggests_the_nearest():
    assert "'run'" in code(2, "rnu").stderr
    assert "sarrus run" in code(2, model()).stderr
    code(2, "help", "nothing-like-it")


def test_unknown_option_suggests_the_nearest():
    done = code(2, "run", model(), "--stpe", "1e-3")
    assert "--step" in done.stderr and done.stdout == ""
    assert "-z" in code(2, "run", model(), "-qz").stderr
    assert "value" in code(2, "run", model(), "--step").stderr
    assert "takes no value" in code(2, "run", model(), "--json=1").stderr
    assert "several" in code(2, "run", model(), "--s", "1").stderr


def test_usage_errors():
    code(2, "run")
    code(2, "run", model(), model())
    code(2, "check")
    code(2, "compare", "only-one.csv")
    code(2, "cite")
    code(2, "methods", "surplus")
    code(2, "run", model(), "--set", "m")
    code(2, "run", model(), "--json", "-o", "-")


def test_wrong_values_of_options():
    assert "step" in code(2, "run", model(), "--step", "minus").stderr
    code(2, "run", model(), "--step", "-1")
    code(2, "run", model(), "--iterations", "0")
    assert "natural" in code(2, "run", model(), "--coordinates", "naturel").stderr
    code(2, "run", model(), "--preset", "no-such-preset")


def test_an_option_that_the_method_lacks_is_an_error():
    done = code(2, "run", model(), "--integrator", "trapezoidal", "--beta", "0.3")
    assert "beta" in done.stderr


# ---- run -------------------------------------------------------------------------------------

def test_json_of_a_run():
    got = run_json("run", model(), "--end", "1", "--step", "1e-3", "-o", "json.csv")
    assert got["schema"] == "sarrus.run/1" and got["status"] == "completed" and got["model"] == "rod"
    assert set(got["method"]) >= {"coordinates", "formulation", "integrator", "solver", "step", "alpha"}
    assert got["method"]["step"] == 1e-3
    assert got["time"]["start"] == 0 and got["time"]["end"] == 1 and got["time"]["steps"] == 1000
    assert set(got["time"]) >= {"rejected", "iterations", "wall_s", "per_step_us"}
    per_step = got["time"]["per_step_us"]
    assert 0 < per_step["mean"] <= per_step["max"] and per_step["p999"] <= per_step["max"]
    assert abs(got["time"]["wall_s"] - 1e-6 * 1000 * per_step["mean"]) < 1e-6
    assert set(got["energy"]) == {"initial", "max_drift", "final_drift"} and abs(got["energy"]["initial"]) < 1e-9
    assert set(got["violation"]) == {"position", "velocity", "acceleration"}
    assert got["rank"]["dof"] == 1 and got["rank"]["redundant"] == 0
    assert got["rank"]["coordinates"] - got["rank"]["rank"] == 1
    for key in ("singular_passes", "branch_changes", "warnings"):
        assert got[key] == [], key
    assert got["output"] == "json.csv"


def test_without_output_no_file_is_written():
    before = set(os.listdir(TEMP.name)) | {"rod.yaml"}
    done = code(0, "run", model(), "--end", "0.01")
    assert set(os.listdir(TEMP.name)) <= before
    assert "-o" in done.stdout and "completed" in done.stdout
    assert run_json("run", model(), "--end", "0.01")["output"] is None


def test_summary_for_people():
    text = code(0, "run", model(), "--end", "0.1", "-o", "summary.csv").stdout
    assert re.search(r"\d+ coordinates, \d+ constraints?, rank \d+: 1 degree of freedom, 0 redundant", text)
    for word in ("rod", "natural", "al3", "steps", "energy", "violations", "singular", "summary.csv", "times real time"):
        assert word in text, word
    assert "\033" not in text


def test_quiet_says_nothing():
    done = code(0, "run", model(), "--end", "0.1", "--quiet")
    assert done.stdout == "" and done.stderr == ""


def test_motion_of_the_rod():
    # a quarter period from rest at the horizontal: w^2 = 3 g sin(phi) / L when it has fallen by phi
    code(0, "run", model(), "--end", "0.5", "--step", "1e-4", "-o", "rod.h5", "--all", "--quiet")
    with h5py.File(path("rod.h5")) as file:
        angle = np.ravel(file["outputs/angle"])
        rate = np.reshape(file["bodies/rod/angular_velocity"], (-1, 3))[:, 2]
    assert angle[-1] < -0.5
    assert np.max(np.abs(rate**2 - 3 * 9.81 * np.sin(-angle))) < 1e-3


def test_set_changes_a_parameter():
    one = run_json("run", model(), "--end", "0.3", "-o", "one.csv")
    two = run_json("run", model(), "--end", "0.3", "--set", "L=2", "-s", "m=1", "-o", "two.csv")
    assert one["status"] == two["status"] == "completed"
    short, long = read_csv("one.csv")[1], read_csv("two.csv")[1]
    assert short[-1, 1] < long[-1, 1] - 0.1  # the longer rod falls through a smaller angle


def test_model_from_standard_input_and_from_a_folder():
    assert run_json("run", "-", "--end", "0.01", stdin=PENDULUM)["model"] == "rod"
    os.makedirs(path("folder"), exist_ok=True)
    path("folder/model.yaml", PENDULUM)
    assert run_json("run", "folder", "--end", "0.01")["model"] == "rod"


def test_problem_by_name():
    assert run_json("run", "pendulum", "--end", "0.01", cwd=ROOT)["status"] == "completed"
    assert "did you mean 'pendulum'" in code(3, "run", "pendulom", cwd=ROOT).stderr
    assert code(3, "view", "pendulom", cwd=ROOT).stderr.startswith("sarrus view: error"), "the command that was given speaks, not the one that it calls"


def test_best_effort_and_failure():
    hard = ["--iterations", "1", "--newton-tolerance", "1e-300", "--end", "0.1"]
    got = run_json("run", model(), *hard, "-o", "hard.csv", wanted=1)
    assert got["status"] == "failed" and got["failure"] and got["time"]["end"] == 0
    assert len(read_csv("hard.csv")[1]) == 1
    done = code(1, "run", model(), *hard, "-o", "hard.csv")
    assert "last good time" in done.stderr and "hard.csv" in done.stderr
    got = run_json("run", model(), *hard, "--best-effort")
    assert got["status"] == "completed" and got["time"]["not_converged"] > 0 and got["warnings"]


# ---- models that cannot run ------------------------------------------------------------------

def test_missing_and_invalid_models():
    assert "nowhere.yaml" in code(3, "run", "nowhere.yaml").stderr
    wrong = path("wrong.yaml", MISSPELT)
    for command in ("run", "check"):
        done = code(3, command, wrong)
        assert re.search(r"wrong\.yaml:8:\d+: error", done.stderr), done.stderr
        assert "mass" in done.stderr  # the hint
        got = run_json(command, wrong, wanted=3)
        assert got["status"] == "invalid"
    code(3, "run", path("empty.yaml", ""))
    code(3, "run", path("noise.yaml", "\x01{]"))


def test_json_escapes_every_name():
    name = 'a"b\\c\td\x7f\u00e9\u20ac\U0001f600'
    assert run_json("run", name, wanted=3)["model"] == name
    done = subprocess.run([PROGRAM, "run", b"\xff\xc0\xafx", "--json"], capture_output=True, check=False)
    assert json.loads(done.stdout)["model"] == "\ufffd" * 3 + "x"


def test_impossible_assembly():
    wrong = path("far.yaml", IMPOSSIBLE)
    for command in ("run", "check"):
        done = code(4, command, wrong)
        assert "assembled" in done.stderr and "contradict" in done.stdout + done.stderr
        got = run_json(command, wrong, wanted=4)
        assert got["status"] == "cannot assemble"
        assert got["assembly"]["verdict"] == "impossible"
        assert {"far", "pin", "rod"} & {entry["name"] for entry in got["assembly"]["conflicts"]}


def test_check():
    text = code(0, "check", model()).stdout
    assert "1 degree of freedom, 0 redundant" in text and "angle" in text
    got = run_json("check", model())
    assert got["schema"] == "sarrus.check/1" and got["status"] == "valid"
    assert (got["dimension"], got["bodies"], got["joints"]) == (2, 1, 1)
    assert abs(got["outputs"]["y"]) < 1e-9 and got["redundant_joints"] == []
    assert run_json("check", model(), "--coordinates", "cartesian")["rank"] == {
        "coordinates": 3, "constraints": 2, "rank": 2, "dof": 1, "redundant": 0, "on_velocities": 0}


def test_check_names_redundant_joints():
    got = run_json("check", path("twice.yaml", REDUNDANT), "--coordinates", "cartesian")
    assert got["rank"]["redundant"] == 2 and got["rank"]["dof"] == 1
    assert set(got["redundant_joints"]) & {"pin", "again"}
    assert "again" in code(0, "check", path("twice.yaml"), "--coordinates", "cartesian").stdout


# ---- files -----------------------------------------------------------------------------------

def test_unwritable_output():
    done = code(1, "run", model(), "-o", "/nonexistent/folder/out.csv", "--end", "0.1")
    assert "out.csv" in done.stderr
    code(1, "run", model(), "-o", "/nonexistent/folder/out.h5", "--end", "0.1")
    code(2, "run", model(), "-o", "out.unknown", "--end", "0.1")


def test_csv():
    code(0, "run", model(), "--end", "0.1", "-o", "plain.csv", "--quiet")
    head, rows = read_csv("plain.csv")
    assert head == ["time", "angle", "y"] and rows.shape == (101, 3)
    assert rows[0, 0] == 0 and rows[-1, 0] == 0.1 and np.all(np.diff(rows[:, 0]) > 0)
    assert np.allclose(rows[:, 2], np.sin(rows[:, 1]), atol=1e-9)
    done = code(0, "run", model(), "--end", "0.1", "-o", "-")
    lines = done.stdout.splitlines()
    assert lines[0] == "time,angle,y" and len(lines) == 102
    assert [float(x) for x in lines[-1].split(",")] == list(rows[-1])


def test_hdf5():
    code(0, "run", model(), "--end", "0.1", "-o", "all.h5", "--all", "--set", "L=1", "--quiet")
    with h5py.File(path("all.h5")) as file:
        rows = len(file["time"])
        assert rows == 101
        for name, width in (("outputs/angle", 1), ("bodies/rod/position", 3), ("bodies/rod/quaternion", 4),
                            ("bodies/rod/velocity", 3), ("bodies/rod/angular_velocity", 3), ("joints/pin/force", 3),
                            ("joints/pin/torque", 3), ("energy/kinetic", 1), ("energy/potential", 1),
                            ("energy/work", 1), ("energy/total", 1), ("energy/drift", 1), ("violation/position", 1)):
            assert np.asarray(file[name]).size == rows * width, name
        text = {key: value.decode() if isinstance(value, bytes) else str(value) for key, value in file.attrs.items()}
        force = np.reshape(file["joints/pin/force"], (rows, 3))
        total = np.ravel(file["energy/total"])
    assert text["model"] == "rod" and text["model_text"] == PENDULUM and text["verdict"] == "completed"
    assert json.loads(text["json"])["schema"] == "sarrus.run/1"
    assert text["command"].startswith("sarrus run ") and "--set L=1" in text["command"]
    assert re.match(r"\d+\.\d+\.\d+", text["version"]) and text["cite"]
    assert abs(force[0, 1] - 2 * 9.81 / 4) < 1e-6  # a rod let go at the horizontal: a quarter of its weight
    assert np.max(np.abs(total)) < 1e-5
    code(0, "run", model(), "--end", "0.1", "-o", "few.h5", "--quiet")
    with h5py.File(path("few.h5")) as file:
        assert "bodies" not in file and set(file["outputs"]) == {"angle", "y"}


def times(*arguments):
    code(0, "run", model(), "-o", "times.csv", "--quiet", *arguments)
    return read_csv("times.csv")[1][:, 0]


def test_sampling():
    t = times("--end", "1", "--sample", "0.01")
    assert len(t) == 101 and np.allclose(t, 0.01 * np.arange(101), atol=1e-12)
    t = times("--end", "0.1", "--sample", "0.0025")  # not a multiple of the step: between two of them
    assert len(t) == 41 and t[-1] == 0.1 and np.allclose(t, 0.0025 * np.arange(41), atol=1e-12)
    t = times("--end", "0.1", "--sample", "1e-4")  # finer than the step: none twice
    assert len(t) == 1001 and np.allclose(t, 1e-4 * np.arange(1001), atol=1e-12)
    t = times("--end", "0.1", "--sample", "0.03")  # the end is stored although it is off the raster
    assert np.allclose(t, [0, 0.03, 0.06, 0.09, 0.1], atol=1e-12)
    t = times("--end", "0.0105")  # so is a last step that is cut
    assert len(t) == 12 and t[-1] == 0.0105
    t = times("--start", "1", "--end", "2", "--sample", "0.5")
    assert np.allclose(t, [1, 1.5, 2], atol=1e-12)


def test_many_steps_are_thinned():
    assert len(times("--end", "10")) == 10001
    t = times("--end", "25")  # 25 000 steps: every third, and the last
    assert len(t) == 8335 and t[-1] == 25 and np.allclose(np.diff(t)[:-1], 0.003, atol=1e-9)


def test_plot():
    got = run_json("run", model(), "--end", "1", "--plot", "rod.svg")
    assert got["plot"] == "rod.svg"
    with open(path("rod.svg"), encoding="utf-8") as file:
        text = file.read()
    assert "<svg" in text and "</svg>" in text and "angle" in text
    code(1, "run", model(), "--end", "0.1", "--plot", "/nonexistent/folder/rod.svg")
    for ending, magic in (("png", b"\x89PNG"), ("PDF", b"%PDF")):
        run_json("run", model(), "--end", "1", "--plot", f"rod.{ending}")
        with open(path(f"rod.{ending}"), "rb") as file:
            assert file.read(4) == magic, ending
    code(2, "run", model(), "--end", "0.1", "--plot", "rod.bmp")


# ---- what is read, and what is said about it ---------------------------------------------------


def test_an_endless_file_is_refused_at_the_limit():
    """Nothing beyond the largest model is read: what the program took is counted."""
    process = subprocess.Popen([PROGRAM, "check", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    piece, taken = b"# never ends\n" * 80000, 0
    try:
        while taken < 1 << 30:
            taken += os.write(process.stdin.fileno(), piece)
    except BrokenPipeError:
        pass
    said = process.stderr.read().decode()
    process.stdin.close()
    assert process.wait() == 3 and "larger than 64 MiB" in said, said
    assert 64 << 20 < taken < 66 << 20, taken  # and what a pipe holds


def test_notes_are_said_and_change_nothing():
    short = PENDULUM.replace("rod.origin]", "rod]").replace(
        "outputs:", "forces: {f: {type: torque, acts_on: rod, torque: 0}}\noutputs:")
    for command in ("check", "run"):
        done = subprocess.run([PROGRAM, command, "-", "--json", "--end", "0.01"], input=short, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "note: 'rod' alone is taken as its origin, rod.origin" in done.stderr, done.stderr
        assert json.loads(done.stdout)["warnings"] == [], done.stdout


# ---- interruption and terminal ---------------------------------------------------------------

def rows_now(name):
    """Rows of a file that a run is writing."""
    try:
        if name.endswith(".h5"):
            with h5py.File(name, "r", locking=False) as file:
                return len(file["time"])
        return pathlib.Path(name).read_text().count("\n") - 1
    except (OSError, RuntimeError, KeyError, ValueError):
        return 0  # not there yet, or exchanged just now


def interrupt(number, name):
    running = subprocess.Popen([PROGRAM, *ENDLESS, "--sample", "0.5", "-o", path(name), "--json"], cwd=ROOT, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while rows_now(path(name)) < 2:  # those older than a second are there
        assert running.poll() is None, running.communicate()
        time.sleep(0.02)
    running.send_signal(number)
    out, err = running.communicate(timeout=3600)
    assert running.returncode == 130, (running.returncode, err)
    return json.loads(out), err


def test_interruption_keeps_the_results():
    for number, name in ((signal.SIGINT, "cut.h5"), (signal.SIGTERM, "cut.csv")):
        got, err = interrupt(number, name)
        assert got["status"] == "interrupted" and 0 < got["time"]["end"] < 1e6 and got["time"]["steps"] > 0
        assert "interrupted" in err
        if name.endswith(".h5"):
            with h5py.File(path(name)) as file:
                t = np.ravel(file["time"])
                assert b"interrupted" in np.bytes_(file.attrs["verdict"])
        else:
            t = read_csv(name)[1][:, 0]
        assert len(t) == got["rows"] > 1 and t[0] == 0 and t[-1] == got["time"]["end"]


def on_terminal(*arguments, environment=None, enough=None):
    """stderr and stdout of a run on a terminal, and how long it took [s]; stopped when `enough` says so of the text."""
    master, slave = pty.openpty()
    began = time.monotonic()
    running = subprocess.Popen([PROGRAM, *arguments], cwd=ROOT, stdout=slave, stderr=slave, stdin=slave,
                               env={**os.environ, "TERM": "xterm", **(environment or {})})
    os.close(slave)
    text = b""
    while running.poll() is None or select.select([master], [], [], 0)[0]:
        if enough and enough(text.decode(errors="replace")) and running.poll() is None:
            running.send_signal(signal.SIGINT)
            enough = None
        if select.select([master], [], [], 0.1)[0]:
            try:
                text += os.read(master, 65536)
            except OSError:
                break
    os.close(master)
    running.wait()
    return text.decode(), time.monotonic() - began


def lines_over_each_other(text):
    return text.count("\r") - text.count("\r\n")


def test_progress_only_on_a_terminal():
    text, seconds = on_terminal(*ENDLESS, enough=lambda text: lines_over_each_other(text) >= 5)
    assert "real time" in text and "steps/s" in text and "left" in text
    assert 5 <= lines_over_each_other(text) <= 10 * seconds + 3  # at most ten a second
    file = path("quiet.csv")
    text, _ = on_terminal(*ENDLESS, "--quiet", "--sample", "0.5", "-o", file, enough=lambda _: rows_now(file) > 1)
    assert "steps/s" not in text


def test_colour_only_where_wanted():
    short = ("run", "pendulum", "--end", "0.01")
    assert "\033[" in on_terminal(*short)[0]
    assert "\033[" not in on_terminal(*short, environment={"NO_COLOR": "1"})[0]
    assert "\033[" not in on_terminal(*short, environment={"TERM": "dumb"})[0]


# ---- methods, compare, cite ------------------------------------------------------------------

def test_methods():
    text = code(0, "methods").stdout
    got = run_json("methods")
    assert got["schema"] == "sarrus.methods/1"
    assert set(got["axes"]) == {"coordinates", "formulation", "integrator", "solver"}
    size = 1
    for axis, members in got["axes"].items():
        size *= len(members)
        for member in members:
            assert member["name"] in text and member["text"], (axis, member)
    assert len(got["combinations"]) == size
    for entry in got["combinations"]:
        assert entry["allowed"] == (entry["reason"] is None)
    assert any(entry["allowed"] for entry in got["combinations"])
    assert {"natural", "cartesian"} <= {member["name"] for member in got["axes"]["coordinates"]}
    names = {entry["name"] for entry in got["options"]}
    assert {"start", "end", "step", "sample", "alpha", "newton_tolerance"} <= names
    for preset in got["presets"]:
        assert preset["name"] in text
        reasons = [entry["reason"] for entry in got["combinations"]
                   if all(entry[axis] == preset[axis] for axis in got["axes"])]
        assert reasons in ([None], []), preset  # a preset may leave the solver to the model's size


def test_allowed_combinations_run_and_others_are_refused():
    """A sample with every member of every axis, by the program; tests/contract/test_methods.c walks all of them in the library."""
    got = run_json("methods")
    sample = got["combinations"][::7 if built.full(PROGRAM) else 31]  # prime to the numbers of members
    for axis, members in got["axes"].items():
        assert {member["name"] for member in members} <= {entry[axis] for entry in sample}, axis
    for entry in sample:
        options = [f"--{axis}={entry[axis]}" for axis in ("coordinates", "formulation", "integrator", "solver")]
        code(0 if entry["allowed"] else 2, "run", model(), "--end", "0.05", *options)


def test_compare():
    code(0, "run", model(), "--end", "1", "-o", "a.h5", "--coordinates", "natural", "--quiet")
    code(0, "run", model(), "--end", "1", "-o", "b.csv", "--coordinates", "cartesian", "--quiet")
    same = run_json("compare", "a.h5", "a.h5")
    assert same["schema"] == "sarrus.compare/1" and same["total_error"] == 0
    assert same["max_error"] == {"angle": 0, "y": 0} and same["variables"] == 2 and same["samples"] == 1001
    got = run_json("compare", "a.h5", "b.csv")
    assert got["total_error"] < 1e-5 and max(got["max_error"].values()) < 1e-4
    got = run_json("compare", "a.h5", "b.csv", "--columns", "y", "--interval", "0.1")
    assert set(got["max_error"]) == {"y"} and got["samples"] == 11
    assert "total error" in code(0, "compare", "a.h5", "b.csv").stdout
    assert "'angle'" in code(2, "compare", "a.h5", "b.csv", "--columns", "angel").stderr
    code(2, "compare", "a.h5", "b.csv", "--interval", "-1")
    code(1, "compare", "a.h5", "nowhere.csv")
    code(1, "compare", "a.h5", path("other.csv", "time,else\n0,1\n1,1\n"))


def test_compare_finds_the_largest_difference():
    path("p.csv", "time,u,w\n0,0,0\n1,1,0\n2,2,0\n")
    path("q.csv", "time,u,w\n0,0,0\n1,1.5,0\n2,2,-0.25\n")
    got = run_json("compare", "p.csv", "q.csv")
    assert got["max_error"] == {"u": 0.5, "w": 0.25}
    assert got["largest"] == {"name": "u", "error": 0.5, "t": 1}


def test_compare_plots():
    path("p.csv", "time,u\n0,0\n1,1\n2,2\n")
    run_json("compare", "p.csv", "p.csv", "--plot", "pp.svg")
    with open(path("pp.svg"), encoding="utf-8") as file:
        assert "<svg" in file.read()


def test_cite():
    code(0, "run", model(), "--end", "0.01", "-o", "cite.h5", "--quiet")
    of_file = code(0, "cite", "cite.h5").stdout
    assert of_file.lstrip().startswith("@") and of_file.count("@") >= 1
    got = run_json("methods")
    preset = got["presets"][0]
    text = code(0, "cite", preset["name"]).stdout
    for key in preset["cite"]:
        assert f"{{{key}," in text and f"{{{key}," in code(0, "cite", key).stdout
    assert "did you mean" in code(2, "cite", preset["name"] + "x").stderr
    code(1, "cite", "nowhere.h5")
    for axis in got["axes"].values():
        for member in axis:
            for key in member["cite"]:
                code(0, "cite", key)


if __name__ == "__main__":
    sys.exit(every_test.run(globals()))
