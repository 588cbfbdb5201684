"""What `sarrus run` says when something is wrong: the element, its expression and the time; and that it says nothing when nothing is.

    python3 test_verdicts.py PROGRAM SOURCE_ROOT
"""
import json
import os
import re
import subprocess
import sys
import tempfile

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
COORDINATES = ("natural", "cartesian", "increments", "relative")

ARM = """
sarrus: 1
name: arm
dimension: 2
gravity: [0, -9.81]
parameters: {mass: 1, inertia: 0.1}
bodies:
  arm: {mass: mass, center: [0.5, 0], inertia: inertia, position: [0, 0], angle: 0.3}
joints:
  A: {type: revolute, between: [ground, arm]}
outputs: {a: A.angle}
method: {end: 1, step: 1e-2}
"""


def run(text, *arguments, command="run"):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([PROGRAM, command, path, "--json", *arguments], capture_output=True, text=True, cwd=ROOT,
                              timeout=3600, check=False)
    return done.returncode, json.loads(done.stdout)


def torque(expression):
    return ARM + "forces: {push: {type: torque, acts_on: arm, torque: \"" + expression + "\"}}\n"


def test_undefined_forces_are_named():
    for expression, time in (("1/t", 0), ("log(t)", 0), ("(t-0.5)/(t-0.5)", 0.5), ("sqrt(A.angle)", None)):
        for coordinates in COORDINATES:
            for method in ((), ("--preset", "mAL"), ("--formulation", "al1", "--integrator", "rk4")):
                if method == ("--preset", "mAL") and time == 0.5:
                    continue  # its steps need not end there
                code, got = run(torque(expression), *method, "--coordinates", coordinates)
                failure = got["failure"]
                assert code == 1 and 'the force "push" is undefined' in failure and expression in failure, (expression, got)
                assert "mass" not in failure and "stiffness" not in failure, failure
                told = float(re.search(r"t = ([-+.e\d]+):", failure)[1])
                assert time is None or abs(told - time) < 1e-9, (expression, failure)


def test_kept_steps_that_change_the_energy_are_no_success():
    """LMD-midpoint keeps steps near singular configurations that do not converge; one that changes what moves is said to. Every kind of
    coordinates ends with that warning, another branch, or a small drift."""
    with open(os.path.join(ROOT, "problems", "slider-crank-3", "model.yaml"), encoding="utf-8") as file:
        text = file.read()
    for coordinates in COORDINATES:
        code, got = run(text, "--preset", "LMD-midpoint", "--step", "1e-3", "--coordinates", coordinates)
        told = [w for w in got["warnings"] if "of the kinetic energy: do not trust" in w or "left its branch" in w]
        assert code == (6 if told else 0), (coordinates, code, got)
        assert code != 6 or got["trusted"] is False, got
        assert code != 0 or got["energy"]["max_drift"] < 0.1, (coordinates, got["energy"])
    code, got = run(text, "--preset", "LMD-midpoint", "--step", "3e-3", "--coordinates", "natural")
    assert any("of the kinetic energy: do not trust" in w for w in got["warnings"]), "no step is kept now: the test shows nothing"
    assert code == 6 and got["trusted"] is False, got


def test_undefined_drives_are_named():
    for expression in ("log(t)", "sqrt(0.5 - t)"):
        for coordinates in COORDINATES:
            code, got = run(ARM + "drives: {turn: {joint: A, value: \"" + expression + "\"}}\n", "--coordinates", coordinates)
            assert code == 1 and 'the drive "turn" is undefined' in got["failure"], got
            assert expression in got["failure"]
            for command in ("kinematics", "inverse"):
                code, got = run(ARM + "drives: {turn: {joint: A, value: \"" + expression + "\"}}\n", "--coordinates", coordinates,
                                command=command)
                assert code == 1 and 'the drive "turn" is undefined' in got["failure"] and expression in got["failure"], got


def test_undefined_constraints_are_named():
    for expression, time in (("log(t)", 0), ("sqrt(t - 0.5)", 0), ("sqrt(0.5 - t)", 0.5), ("A.rate*log(t)", 0)):
        for coordinates in COORDINATES:
            for method in ((), ("--preset", "LMD-midpoint"), ("--formulation", "al1", "--integrator", "rk4")):
                code, got = run(ARM + "constraints: {spin: {velocity: \"A.rate - " + expression + "\"}}\n", *method,
                                "--coordinates", coordinates)
                assert code == 1 and 'the constraint "spin" is undefined' in got["failure"], (expression, method, got)
                told = float(re.search(r"t = ([-+.e\d]+):", got["failure"])[1])
                assert abs(told - time) < 0.01, (expression, got["failure"])


def test_undefined_rows_are_named():
    """Steps need not meet the time, samples do: the force at a row of --all, and an output of its own."""
    with tempfile.TemporaryDirectory() as folder:
        rows = ("--sample", "0.1", "--end", "1", "-o", os.path.join(folder, "rows.csv"))
        code, got = run(torque("1e-3/(t-0.5)"), "--preset", "BDF-DAE", "--all", *rows)
        assert code == 0 and any('the force "push" is undefined at t = 0.5' in w for w in got["warnings"]), got
        code, got = run(ARM.replace("{a:", "{pole: 1/(t-0.5), a:"), *rows)
        assert code == 6 and any('output "pole" has no finite value at t = 0.5 s; there are 1 such row' in w
                                 for w in got["warnings"]), got


def test_functions_of_time_without_value_end():
    """Where a function of time has no value there is nothing that a step could pass over."""
    with tempfile.TemporaryDirectory() as folder:
        rows = ("-o", os.path.join(folder, "rows.csv"))
        code, got = run(ARM.replace("{a:", "{bad: {max: 'log(0.5 - t)'}, a:"), "--preset", "auto", "--end", "1", *rows)
    assert code == 6 and got["time"]["steps"] < 1000 and any('output "bad" has no finite value' in w for w in got["warnings"]), got


def test_what_has_no_mass_is_named():
    for coordinates in COORDINATES:
        code, got = run(ARM, "--set", "mass=0", "--set", "inertia=0", "--coordinates", coordinates)
        assert code == 1 and '"arm"' in got["failure"] and "has no mass" in got["failure"], got
    series = """
sarrus: 1
name: series
dimension: 2
bodies: {plate: {mass: 0, inertia: 0, position: [0, 1], angle: 0}, weight: {mass: 1, inertia: 1, position: [0, 2], angle: 0}}
forces:
  one: {type: bushing, between: [ground.origin, plate.origin], K: [9, 9, 1]}
  two: {type: bushing, between: [plate.origin, weight.origin], K: [9, 9, 1]}
"""
    code, got = run(series, "--end", "1")
    assert code == 1 and '"plate"' in got["failure"] and "Forces hold it" in got["failure"] and "maxwell" in got["failure"], got
    code, got = run(ARM, "--set", "mass=1e308")
    assert code == 1 and '"arm" is too large' in got["failure"], got


def test_rest_under_load_is_no_alarm():
    truss = """
sarrus: 1
name: truss
dimension: 2
parameters: {L: 1, m: 1}
gravity: [0, -9.81]
ground: {points: {P: [L, 0]}}
bodies:
  a: {mass: m, center: [L/2, 0], inertia: m*L^2/12, points: {B: [L, 0]}, position: [0, 0], angle: pi/3}
  b: {mass: m, center: [L/2, 0], inertia: m*L^2/12, points: {B: [L, 0]}, position: [L/2, L*sqrt(3)/2], angle: -pi/3}
joints:
  A: {type: revolute, between: [ground, a]}
  B: {type: revolute, between: [a.B, b]}
  C: {type: revolute, between: [b.B, ground.P]}
outputs: {f: A.fx}
method: {end: 0.5}
"""
    for coordinates in COORDINATES:
        for size in ((), ("--set", "L=1e-3", "--set", "m=1e-6"), ("--set", "L=1e3", "--set", "m=1e6")):
            code, got = run(truss, "--coordinates", coordinates, *size)
            assert code == 0 and not got["warnings"], (coordinates, size, got["warnings"])


def test_rest_without_any_load_is_no_alarm():
    with open(os.path.join(ROOT, "examples/models/stewart-leg.yaml"), encoding="utf-8") as file:
        leg = file.read()
    for coordinates in COORDINATES:
        for step in ("1e-2", "1e-4"):
            code, got = run(leg, "--coordinates", coordinates, "--step", step, "--end", "0.2")
            assert code == 0 and not got["warnings"], (coordinates, step, got["warnings"])


def test_a_wrong_motion_still_is():
    for coordinates in COORDINATES:
        code, got = run(ARM, "--formulation", "al1", "--integrator", "euler", "--step", "0.02", "--coordinates", coordinates)
        assert code == 6 and any("energy balance is off" in w for w in got["warnings"]), got["warnings"]


def test_jumps_are_named():
    for more in ("", "breakpoints: [0.4999]\n"):  # of time: steps end there
        code, got = run(torque("t < 0.4999 ? 0 : 30") + more)
        assert code == 0 and not got["warnings"], got["warnings"]
    code, got = run(torque("A.angle < 1 ? 0 : 0.3") + "start: {A.rate: 10}\n", "--preset", "ALi3p", "--step", "1e-3")
    words = " ".join(got["warnings"])
    assert '"push" jumps at t = 0.07' in words and "smooth it" in words, (code, words)
    for smooth in ("30*abs(A.rate)", "30*max(0, t - 0.5)", "30*ramp(t, 0.4, 0.6)"):  # conditions, but no jumps
        code, got = run(torque(smooth))
        assert code == 0 and not any("jumps" in w for w in got["warnings"]), (smooth, got["warnings"])


SLIDING = """
sarrus: 1
name: block
dimension: 2
bodies: {block: {mass: 1, inertia: 1, position: [0, 0], angle: 0}}
joints: {guide: {type: prismatic, between: [ground, block], axis: [ground.x, block.x]}}
forces: {dry: {type: force, acts_on: block, force: ["2*sin(3*t) + (block.vx > 0 ? -50 : 50)", 0]}}
outputs: {x: block.x}
start: {guide.speed: 1}
method: {end: 5}
"""


def test_who_crawls_is_told_so():
    """Dry friction that changes sign to and fro: steps chosen by their error become tiny and stay so."""
    for method in (("--formulation", "al1", "--integrator", "bdf"), ("--preset", "mAL")):
        code, got = run(SLIDING.replace("block.vx", "guide.speed").replace("block.x}", "guide.displacement}"), *method)
        failure = got["failure"]
        assert code == 1 and '"dry"' in failure, (method, failure)
        assert got["time"]["steps"] < 100000, got["time"]


def test_the_step_that_failed_is_told():
    """Not the time that is left; and the tolerance that it was held against."""
    for method, most in ((("--preset", "ALi3pvs", "--step-min", "0.05", "--step", "0.2"), 0.06), (("--step", "0.5"), 0.5)):
        code, got = run(ARM, *method, "--iterations", "1", "--newton-tolerance", "3e-14", "--rescue=0")
        failure = got["failure"]
        assert code == 1 and "did not converge" in failure, got
        assert float(re.search(r"h = ([-+.e\d]+)", failure)[1]) <= most, failure
        assert "tolerance 3.00e-14" in failure, failure


RUNAWAY = ARM.replace("gravity: [0, -9.81]\n", "").replace("end: 1,", "end: 3,").replace("step: 1e-2", "step: 1e-3")


def test_what_grows_is_told():
    """In a finite time, without going far: x'' = exp(x) ends at t = sqrt(2) pi/4 or so. Nobody is asked for a larger step."""
    for method in (("--tolerance", "1e-6"), (), ("--preset", "ABA"), ("--preset", "BDF-DAE")):
        code, got = run(RUNAWAY + "forces: {push: {type: torque, acts_on: arm, torque: exp(3*A.angle)}}\n", *method)
        failure = got["failure"]
        assert code == 1 and "The motion grows" in failure and 'body "arm"' in failure and "larger step" not in failure, (method, failure)


def test_steps_that_are_too_long_for_a_stiffness_are_told():
    """Explicit methods and fixed-point iteration: the step that the message names goes well."""
    for preset in ("ABA", "AL"):
        for stiffness in ("1e5", "8e5", "1e7"):
            command = [PROGRAM, "run", "flyball-governor", "--preset", preset, "--set", "k=" + stiffness, "--certify=no", "--json"]
            done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
            failure = json.loads(done.stdout)["failure"]
            assert done.returncode == 1 and "too long for" in failure and 'body "' in failure and "no mass" not in failure, failure
            step = re.search(r"Take a step of ([-+.e\d]+) s", failure)[1]
            done = subprocess.run([*command, "--step", step, "--end", "0.1"], capture_output=True, text=True, cwd=ROOT, check=False)
            got = json.loads(done.stdout)
            assert got["status"] == "completed" and float(step) > 1e-5 and got["energy"]["max_drift"] < 1, (preset, stiffness, step, got)


def test_times_that_cannot_be_told_apart_are_told():
    for method in ((), ("--preset", "AL"), ("--preset", "ABA"), ("--preset", "BDF-DAE"), ("--tolerance", "1e-6")):
        code, got = run(ARM, "--start", "1e15", "--end", "1.00000000000001e15", *method)
        assert code == 1 and "the time cannot be resolved" in got["failure"] and "mass" not in got["failure"], (method, got)
        code, got = run(ARM, "--start", "1e9", "--end", "1.00000000001e9", *method)
        assert code in (0, 6) and got["status"] == "completed", (method, got)


def test_who_was_moved_far_is_named():
    """Drawn between its two assemblies, nearer to neither."""
    text = ARM.replace("joints:", "  rod: {mass: 1, inertia: 0.1, center: [0.7, 0], points: {Q: [1.4, 0]}, position: [1, 0.3], angle: 160 deg}\njoints:\n"
                       "  B: {type: revolute, between: [arm.P, rod]}\n  C: {type: revolute, between: [rod.Q, ground.R]}")
    text = text.replace("angle: 0.3}", "angle: 0.3, points: {P: [1, 0]}}").replace("parameters:", "ground: {points: {R: [2, 0]}}\nparameters:")
    code, got = run(text)
    assert code == 0 and any("rod by " in w and " m" in w for w in got["warnings"]), got
    code, got = run(text, command="check")
    assert code == 0 and got["assembly"]["moved"] > 0.5, got


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok", name)
