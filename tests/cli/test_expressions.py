"""Expressions of model files: units that a number may have, conditions inside of lists, parameters in any order.

    python3 test_expressions.py PROGRAM SOURCE_ROOT
"""
import json
import math
import os
import random
import subprocess
import sys

import every_test

PROGRAM = os.path.abspath(sys.argv[1])
MODEL = """sarrus: 1
name: rod
dimension: 2
parameters: {%(parameters)s}
bodies:
  rod: {mass: %(mass)s, center: [0.1, 0], inertia: %(inertia)s, position: [0, 0], angle: 0}
joints: {pin: {type: revolute, between: [ground.origin, rod.origin]}}
forces:
  spring: {type: torque, acts_on: rod, torque: "%(torque)s"}
  push: {type: force, acts_on: rod.origin, force: %(force)s}
outputs: {angle: pin.angle, rate: pin.rate, value: %(value)s}
method: {end: 0.5, tolerance: 1e-10}
"""
USUAL = {"parameters": "c: 200 mm", "mass": "0.3", "inertia": "1e-3", "torque": "0", "force": "[0, 0]", "value": "t"}


def ask(command, **parts):
    return subprocess.run([PROGRAM, command, "-", "--json"], input=MODEL % {**USUAL, **parts}, capture_output=True, text=True, check=False)


def last(**parts):
    done = subprocess.run([PROGRAM, "run", "-", "-o", "-", "-q", "--certify=no"], input=MODEL % {**USUAL, **parts}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [float(x) for x in done.stdout.splitlines()[-1].split(",")], done.stderr


def refused(**parts):
    done = ask("check", **parts)
    assert done.returncode == 3, done.stdout
    return done.stderr


def test_angles_count_as_numbers():
    """A torsional spring towards 200 degrees: phi = phi0 (1 - cos(w t)), by the stiffness 10 N m/rad."""
    row, said = last(torque="10*(200 deg - pin.angle)")
    inertia, w = 1e-3 + 0.3 * 0.1**2, 0
    w = math.sqrt(10 / inertia)
    assert abs(row[1] - math.radians(200) * (1 - math.cos(w * 0.5))) < 1e-6, row
    assert "note" not in said, said
    assert last(torque="2 Nm - 10*(pin.angle - 3 deg)")[0] == last(torque="2 - 10*(pin.angle - 3*pi/180)")[0]


def test_a_plain_factor_may_have_a_unit():
    row, said = last(inertia="0.3*c^2/12", torque="1 mNm")
    plain, silent = last(inertia="0.001", torque="0.001")
    assert row == plain and silent == ""
    assert "note: inertia: '0.3*c^2/12' is an area [m^2] times a number, which is taken in [kg]: a moment of inertia [kg m^2]" in said, said
    row, said = last(torque="0.001*c/(0.2 m) + 2 mNm - 0.002*c/(200 mm)", inertia="0.001")
    assert abs(row[2] - plain[2]) < 1e-9 * abs(plain[2]), (row, plain)
    assert last(parameters="c: 200 mm, J: 0.3*c^2/12", inertia="J", torque="1 mNm")[0] == plain


def test_values_of_another_kind_are_refused_with_what_they_lack():
    said = refused(inertia="c^2")
    assert "a moment of inertia [kg m^2] expected, 'c^2' is an area [m^2]" in said and "it lacks a factor in [kg]" in said, said
    said = refused(mass="200 deg")
    assert "a mass [kg] expected" in said, said
    assert "cannot be added" in refused(torque="c + 3 N")
    assert "sin takes a number" in refused(torque="sin(c)")


def test_conditions_in_lists_need_quotes_and_the_message_says_so():
    said = refused(force="[t > 0.1 ? 1 : 2, 0]")
    assert "here is a map" in said and "put quotes around an expression with '? :': \"t > 0.1 ? 1 : 2\"" in said, said
    assert ask("check", force='["t > 0.1 ? 1 : 2", 0]').returncode == 0


def test_parameters_in_any_order():
    wanted = {"a": "3", "b": "2*a", "c1": "b + a", "d": "c1*b", "m": "30 kN/m", "L": "5 m", "s": "m*L/(1 N)"}
    expected = 3 * 6 * (6 + 3) + 150000.0
    for seed in range(20):
        names = list(wanted)
        random.Random(seed).shuffle(names)
        row, _ = last(parameters=", ".join(f"{name}: {wanted[name]}" for name in names), value="a*d + s")
        assert row[3] == expected, (names, row)


def test_parameters_that_depend_on_themselves_are_named():
    assert "the parameter 'a' depends on itself: a -> a" in refused(parameters="a: 2*a")
    said = refused(parameters="a: 2*b, b: c1 + 1, c1: a, d: 2*c1", value="d")
    assert "the parameter 'a' depends on itself: a -> b -> c1 -> a" in said and said.count("error:") == 1, said


def test_settings_may_use_later_parameters():
    model = MODEL % {**USUAL, "parameters": "b: 2*a, a: 3", "value": "a + b"}
    done = subprocess.run([PROGRAM, "check", "-", "--json", "--set", "a=5"], input=model, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert any(value == 15 for value in json.loads(done.stdout)["outputs"].values()) or "15" in done.stdout, done.stdout


if __name__ == "__main__":
    sys.exit(every_test.run(globals()))
