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

import every_test

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
os.environ.pop("SARRUS_CERTIFY", None)  # here runs do what they do for users
FOLDER = tempfile.TemporaryDirectory(prefix="sarrus-certificate-")
DOUBTFUL = 6


def sarrus(*arguments, code=0):
    done = subprocess.run([PROGRAM, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=3600)
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


def test_both_runs_start_in_the_equilibrium():
    model = """
sarrus: 1
name: hanging
dimension: 2
gravity: [0, -9.81]
bodies:
  rod: {mass: 2, inertia: 0.2, center: [0.5, 0], points: {tip: [1, 0]}, position: [0, 0], angle: 0}
joints:
  pin: {type: revolute, between: [ground.origin, rod.origin]}
forces:
  spring: {type: rotational-spring, joint: pin, stiffness: 40, damping: 1}
  push: {type: force, acts_on: rod.tip, force: [0, "0.1*(t > 0.5)"]}
outputs: {angle: pin.angle}
start: {equilibrium: yes}
method: {formulation: al3, step: 1e-3, end: 1}
"""
    with open(file("hanging.yaml"), "w", encoding="utf-8") as out:
        out.write(model)
    said = certificate(file("hanging.yaml"))
    assert said["trusted"] and said["independent"] and said["largest"] < 1e-3, said


def test_a_step_that_is_too_long_is_told():
    good = certificate("slider-crank-1", "--step", "1e-3")
    assert good["trusted"] and good["independent"] and good["trusted_until"] == 10.0 and good["ended_by"] is None
    bad = certificate("slider-crank-1", "--step", "2e-2", code=DOUBTFUL)
    assert not bad["trusted"] and 0 < bad["trusted_until"] < 10 and bad["ended_by"] in bad["outputs"]
    strict = json.loads(sarrus("run", "slider-crank-1", "--step", "1e-3", "--certify=1e-6", "--json", code=DOUBTFUL))["certificate"]
    assert strict["accuracy"] == 1e-6 and strict["trusted_until"] < 1


def test_the_result_has_the_same_bits():
    for name, *options in (("slider-crank-1",), ("bricard", "--end", "2"), ("andrews", "--tolerance", "1e-6"), ("n-four-bar", "--tolerance", "1e-7"),
                           ("rolling-disc", "--preset", "LMD-midpoint", "--end", "1")):
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
    assert "\n  error " in sarrus("run", "pendulum"), "short runs have one"
    assert "certificate" in json.loads(sarrus("run", "pendulum", "--json"))
    long = ("run", "pendulum", "--step", "1e-5", "--end", "10")  # a million steps are no short run
    assert re.search(r"^  error +not estimated: .* add --certify$", sarrus(*long), re.M)
    said = json.loads(sarrus(*long, "--json"))
    assert "certificate" not in said and "--certify" in said["uncertified"] and said["trusted"]
    assert "uncertified" not in json.loads(sarrus(*long, "--json", "--certify=no"))
    assert "\n  error " not in sarrus(*long, "--certify=no")
    assert "\n  error " in sarrus("run", "pendulum", "--best-effort"), "steps that are kept are no reason to trust"
    assert "\n  error " not in subprocess.run([PROGRAM, "run", "pendulum", "--realtime=50", "--step", "1e-2", "--end", "1"], cwd=ROOT, capture_output=True,
                                             text=True, check=False).stdout
    for usual, has in (("no", False), ("yes", True), ("short", True)):
        done = subprocess.run([PROGRAM, "run", "pendulum"], cwd=ROOT, capture_output=True, text=True, check=True, env={**os.environ, "SARRUS_CERTIFY": usual})
        assert ("\n  error " in done.stdout) == has, usual
    sarrus("run", "pendulum", "--certify=maybe", code=2)
    sarrus("run", "pendulum", "--errors", code=2)
    sarrus("run", "pendulum", "--errors", "--certify=no", "-o", file("no.csv"), code=2)


def test_a_quick_companion_that_is_too_dear_gives_way():
    """Charts of a rolling ball take many times the work of its 5 ms steps; twice the step takes half."""
    short, full = (json.loads(sarrus("run", "rolling-ball", "--end", "2", f"--certify={how}", "--json"))["certificate"] for how in ("short", "yes"))
    assert full["independent"] and not short["independent"] and "step 0.01 s" in short["companion"]
    for output in ("x", "y", "fx", "fy"):
        true, said = (c["outputs"][output]["error"] for c in (full, short))
        assert true / 1.1 < said < 1.1 * true, (output, short, full)


def test_a_tight_reference_run_that_is_too_dear_gives_way():
    """A stiff car by fixed steps: with a tolerance of 1e-10 other equations take a thousand times the work of the run. What is enough for its
    error says the same of it as ten times less."""
    car = json.loads(sarrus("run", "vehicle", "--end", "0.02", "--certify", "--json", "-o", file("car.csv")))
    found = re.search(r"tolerance ([\d.e-]+)", car["certificate"]["companion"])
    assert car["certificate"]["independent"] and 1e-7 < float(found[1]) < 1e-4, car["certificate"]
    finer = float(found[1]) / 10
    sarrus("run", "vehicle", "--end", "0.02", "--certify=no", "--preset", "auto", "--tolerance", repr(finer), "--sample", "1e-3", "-o", file("finer.csv"))
    other, run, worst = rows(file("finer.csv")), rows(file("car.csv")), car["certificate"]["largest_output"]
    off = max(abs(a - b) for a, b in zip(run[worst], other[worst])) / car["certificate"]["outputs"][worst]["range"]
    assert off / 2 < car["certificate"]["largest"] < 2 * off, (worst, off, car["certificate"]["largest"])


def test_who_sees_no_summary_is_told_too():
    done = subprocess.run([PROGRAM, "run", "n-four-bar", "--step", "1e-2", "-q"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == DOUBTFUL and "estimated error: worst output x1" in done.stderr and "trust it until t = " in done.stderr and not done.stdout, done


def test_an_accuracy_is_reached():
    for wanted in (1e-3, 1e-6):
        said = json.loads(sarrus("run", "n-four-bar", "--accuracy", repr(wanted), "--json", "--sample", "0.01", "-o", file("to.csv")))
        reference, run = rows(os.path.join(ROOT, "problems/n-four-bar/reference.csv")), rows(file("to.csv"))
        assert said["accuracy"]["reached"] and said["trusted"] and said["certificate"]["accuracy"] == wanted
        for name in (k for k in reference if k in run and k != "time"):
            width = max(reference[name]) - min(reference[name])
            assert max(abs(a - b) for a, b in zip(run[name], reference[name])) < wanted * width, (wanted, name)
    sarrus("run", "n-four-bar", "--accuracy", "1e-6", "--tolerance", "1e-6", code=2)
    sarrus("run", "n-four-bar", "--accuracy", "1e-6", "--formulation", "al3", code=2)
    sarrus("run", "n-four-bar", "--accuracy", "1e-3", "-o", "-", code=2)
    sarrus("run", "n-four-bar", "--accuracy", "2", code=2)


@every_test.long
def test_an_accuracy_that_double_precision_cannot_reach():
    """Errors of a double pendulum grow tenfold in about five seconds: no tolerance keeps 1e-9 for 30 s."""
    said = json.loads(sarrus("run", "chain", "--set", "n=2", "--end", "30", "--accuracy", "1e-9", "--json", code=DOUBTFUL))
    assert not said["accuracy"]["reached"] and said["accuracy"]["tolerance"] == 1e-11 and said["accuracy"]["runs"] > 1, said["accuracy"]
    growth = said["certificate"]  # exponential, or by as high a power of the time, which over six digits is hardly told from it
    assert 0 < growth["trusted_until"] < 30 and (growth["tenfold_s"] < 10 if growth["tenfold_s"] else growth["power"] > 4), growth


def test_tables_have_columns_of_estimates():
    text = sarrus("sweep", "slider-crank-1", "--vary", "step=1e-3,2e-2", "--certify", "-o", "-", "-q")
    good, bad = csv.DictReader(text.splitlines())
    assert float(good["estimate"]) < 1e-3 and float(good["trusted"]) == 10 and float(bad["estimate"]) > 0.1 and float(bad["trusted"]) < 5
    assert "estimate" not in sarrus("sweep", "slider-crank-1", "--vary", "step=1e-2", "-o", "-", "-q").splitlines()[0]


def test_rates_are_those_of_the_outputs():
    """Of positions, velocities and expressions, beside differences of fourth order of the rows, at steps and between them."""
    for name, end, wanted in (("n-four-bar", 2.0, 3), ("iltis-suspension", 0.2, 4), ("rolling-disc", 1.0, 3), ("puma", 0.5, 1)):
        for method in (("--tolerance", "1e-10"), ("--step", "1e-3")):
            h = end / 400 if "--tolerance" in method else 1e-3
            sarrus("run", name, *method, "--end", repr(end), "--sample", repr(h), "-q", "--rates", "--certify=no", "-o", file("rates.csv"))
            run = rows(file("rates.csv"))
            found = [k for k in run if k + ".rate" in run]
            assert len(found) >= wanted, (name, list(run))
            most = max(abs(x) for k in found for x in run[k + ".rate"])
            for y, rate in ((run[k], run[k + ".rate"]) for k in found):
                size = max(*map(abs, rate), 1e-3 * most)  # of one that stands still: of others
                for i in range(3, len(y) - 3, 7):
                    slope = (8 * (y[i + 1] - y[i - 1]) - (y[i + 2] - y[i - 2])) / (12 * h)
                    assert abs(slope - rate[i]) < 2e-3 * size, (name, method, found, i)


def test_values_between_rows_are_as_good_as_the_rows():
    """Few rows of an accurate run: rates carry what is between them."""
    errors = {}
    for name, options in (("rates.h5", ()), ("rates.csv", ("--rates",)), ("rows.csv", ())):
        sarrus("run", "n-four-bar", "--tolerance", "1e-9", "--sample", "0.0501", "-q", *options, "-o", file(name))
        errors[name] = json.loads(sarrus("compare", file(name), "problems/n-four-bar/reference.csv", "--json"))
    largest = {name: said["largest"]["error"] for name, said in errors.items()}
    assert largest["rates.h5"] == largest["rates.csv"] < 1e-5 < 1e-4 < largest["rows.csv"], largest
    assert errors["rows.csv"]["limited"] and "that limits the comparison" in sarrus("compare", file("rows.csv"), "problems/n-four-bar/reference.csv")
    for said in errors.values():  # how much it may be off is told
        assert said["limited"] is None or said["interpolation"] > 0.1 * said["largest"]["error"]


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


COORDINATES = ("natural", "cartesian", "increments", "relative")


def written(name, text):
    with open(file(name), "w", encoding="utf-8") as out:
        out.write(text)
    return file(name)


def test_outputs_without_values_are_named_and_others_judged():
    """sqrt(1 - t) ends at 1 s, log(x - 2) with x = 1 + t begins there; x itself is right to rounding."""
    model = written("values.yaml", """
sarrus: 1
name: values
dimension: 2
bodies:
  a: {mass: 1, inertia: 0.1, position: [1, 0], angle: 0, velocity: [1, 0]}
joints: {g: {type: prismatic, between: [ground.origin, a.origin], axis: [ground.x, a.x]}}
outputs: {x: a.origin.x, y: sqrt(1 - t), l: log(a.origin.x - 2)}
method: {end: 3}
""")
    for coordinates in COORDINATES:
        for options in ((), ("--certify",), ("-o", file("values.csv"))):
            said = json.loads(sarrus("run", model, "--coordinates", coordinates, *options, "--json", code=DOUBTFUL))
            c, text = said["certificate"], " ".join(said["warnings"])
            assert not c["trusted"] and not said["trusted"] and c["undefined"] == "l" and c["undefined_time"] == 0, c
            assert 'output "l" has no finite value at t = 0 s' in text and ('output "y" has no finite value at t = 1.0' in text or "such rows" in text), text
            assert c["outputs"]["x"]["error"] < 1e-9 and abs(c["outputs"]["x"]["range"] - 3) < 0.01, c
        text = sarrus("run", model, "--coordinates", coordinates, code=DOUBTFUL)
        assert "(null)" not in text and "when l has no finite value" in " ".join(text.split()), text


def test_best_effort_is_no_reason_to_trust():
    """A penalty that leaves its branch, and al3 with steps that are too long: completed, and not trusted."""
    for options in (("slider-crank-singular", "--set", "eta2=-0.1", "--formulation", "penalty", "--integrator", "trapezoidal-fixed-point", "--alpha", "1e7",
                     "--omega", "10", "--xi", "1"),
                    ("slider-crank-1", "--preset", "AL", "--step", "2e-2")):
        for certify in ("no", "short") if "penalty" in options else ("short",):
            said = json.loads(sarrus("run", *options, "--best-effort", f"--certify={certify}", "--json", code=DOUBTFUL))
            assert said["status"] == "completed" and not said["trusted"], said


def test_there_is_one_verdict():
    """Where warnings say that the motion is not to be trusted, no line and no field says that it is."""
    text = ("run", "slider-crank-singular", "--set", "eps=0.01", "--coordinates", "natural", "--formulation", "al3", "--integrator", "trapezoidal", "--step", "1e-3", "--end", "0.01", "--best-effort", "--assemble=0")
    said = json.loads(sarrus(*text, "--json", code=DOUBTFUL))
    assert any("do not trust" in w for w in said["warnings"]) and not said["trusted"] and not said["certificate"]["trusted"], said
    shown = sarrus(*text, code=DOUBTFUL)
    assert "trusted to" not in shown and "neither is to be trusted" in " ".join(shown.split()), shown


def test_a_certificate_says_what_it_rests_on():
    """A run of few steps: the second run has others, no longer than --step-max, and equal numbers are no proof of all digits."""
    model = written("few.yaml", """
sarrus: 1
name: few
dimension: 2
bodies: {a: {mass: 1, inertia: 0.1, position: [0, 0], angle: 0, velocity: [1, 0]}}
joints: {g: {type: prismatic, between: [ground.origin, a.origin], axis: [ground.x, a.x]}}
forces: {f: {type: actuator, joint: g, force: pulse(t, 0.4, 0.6)}}
outputs: {x: a.origin.x}
method: {end: 1}
""")
    for coordinates in COORDINATES:
        for certify in ("short", "yes"):
            options = ("run", model, "--coordinates", coordinates, f"--certify={certify}")
            text, said = sarrus(*options), json.loads(sarrus(*options, "--json"))
            assert "0.0e+00 of" not in text and re.search(r"checked against a second run \(auto.* of\s+\d+ steps, at \d+ times", text, re.S), text
            assert said["certificate"]["steps"] >= 23, said["certificate"]
            limited = json.loads(sarrus(*options, "--step-max", "0.002", "--json"))
            assert limited["certificate"]["steps"] >= 500, limited["certificate"]


def test_jumps_and_constants_raise_no_alarm():
    """A spin of 250 rad/s with an error of 1e-6, and a spring at its free angle, whose torque is rounding."""
    top = written("top.yaml", """
sarrus: 1
name: top
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  top: {mass: 0.5, center: [0, 0, 0.04], inertia: [8e-4, 8e-4, 3e-4], position: [0, 0, 0], rotation: {axis: [1, 0, 0], angle: 30 deg}, angular_velocity: [0, -125, 216.5]}
joints: {tip: {type: spherical, between: [ground.origin, top.origin]}}
outputs: {x: top.center.x, spin: top.wz@top, momentum: 3e-4*(top.wz@top)}
method: {end: 2}
""")
    coil = written("coil.yaml", """
sarrus: 1
name: coil
dimension: 2
bodies: {bar: {mass: 1, inertia: 0.1, position: [0, 0], angle: 200 deg}}
joints: {pin: {type: revolute, between: [ground.origin, bar.origin]}}
forces: {coil: {type: rotational-spring, joint: pin, stiffness: 10, angle: 200 deg}}
outputs: {angle: pin.angle, torque: coil.torque}
method: {end: 1}
""")
    for coordinates in COORDINATES:
        sarrus("run", top, "--coordinates", coordinates, "--end", "0.5")
        sarrus("run", coil, "--coordinates", coordinates)


@every_test.long
def test_chaos_is_told():
    """A chain of 16 links: the horizon, and errors below the limit before it."""
    got = json.loads(sarrus("run", "chain", "--set", "n=16", "--step", "1e-3", "--certify", "--json", code=DOUBTFUL))["certificate"]
    assert 0 < got["trusted_until"] < 10 and got["tenfold_s"] and got["tenfold_s"] < 5, got


if __name__ == "__main__":
    sys.exit(every_test.run(globals()))
