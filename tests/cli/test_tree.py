"""`sarrus check --coordinates relative` shows the spanning tree, and `cut` in the model moves where loops are opened.

    python3 test_tree.py PROGRAM SOURCE_ROOT
"""
import json
import os
import re
import subprocess
import sys

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
failures = []

# a slider-crank with a flywheel that a gear turns, and a body that nothing holds
LOOP = """
sarrus: 1
name: loop
dimension: 2
gravity: [0, -9.81]
ground: {points: {O: [0, 0], F: [-1, 0]}}
bodies:
  crank: {mass: 1, inertia: 0.1, center: [0.5, 0], points: {O: [0, 0], P: [1, 0]}, position: [0, 0], angle: pi/4}
  rod: {mass: 1, inertia: 0.1, center: [0.5, 0], points: {P: [0, 0], Q: [1, 0]},
        position: [cos(pi/4), sin(pi/4)], angle: -pi/4}
  slider: {mass: 1, inertia: 0.1, points: {Q: [0, 0]}, position: [2*cos(pi/4), 0], angle: 0}
  wheel: {mass: 1, inertia: 0.1, position: [-1, 0], angle: 0}
  stone: {mass: 1, inertia: 0.1, position: [3, 3], angle: 0}
joints:
  O: {type: revolute, between: [ground.O, crank.O]}
  P: {type: revolute, between: [crank.P, rod.P]CUT_P}
  Q: {type: revolute, between: [rod.Q, slider.Q]}
  guide: {type: prismatic, between: [ground.O, slider.Q], axis: [ground.x, slider.x]CUT_GUIDE}
  axle: {type: revolute, between: [ground.F, wheel.origin]CUT_AXLE}
  mesh: {type: gear, joints: [O, axle], ratio: -2}
outputs: {angle: O.angle, x: slider.Q.x, turn: axle.angle}
start: {O.rate: -1}
method: {end: 0.5, step: 1e-3}
"""


def expect(condition, text):
    if not condition:
        failures.append(text)


def equal(got, wanted, text):
    expect(got == wanted, f"{text}: {got}, wanted {wanted}")


def sarrus(*arguments, model=None):
    done = subprocess.run([PROGRAM, *arguments], input=model, capture_output=True, text=True, timeout=3600, cwd=ROOT)
    expect(done.returncode == 0, f"sarrus {' '.join(arguments)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def loop(*cuts):
    text = LOOP
    for name in ("P", "GUIDE", "AXLE"):
        text = text.replace("CUT_" + name, ", cut: yes" if name in cuts else "")
    return text


def tree(*cuts):
    return json.loads(sarrus("check", "-", "--coordinates", "relative", "--json", model=loop(*cuts)))


def names(list_of_joints):
    return [joint["joint"] for joint in list_of_joints]


def check_loop():
    got = tree()
    joints = {joint["body"]: joint for joint in got["tree"]["joints"]}
    equal(set(joints), {"crank", "rod", "slider", "wheel", "stone"}, "every body is in the tree")
    equal(joints["crank"], {"joint": "O", "parent": "ground", "body": "crank", "motions": ["turn"], "coordinates": 1,
                            "constraints": 0}, "the crank's joint")
    equal(joints["slider"]["motions"], ["slide"], "the slider's joint")
    equal(joints["stone"], {"joint": None, "parent": "ground", "body": "stone", "motions": ["slide", "slide", "turn"],
                            "coordinates": 3, "constraints": 0}, "a body without joints")
    equal(len(got["tree"]["cut"]), 1, "one loop, one cut")
    equal(got["tree"]["relations"], [{"joint": "mesh", "constraints": 1}], "the gear")
    equal(got["rank"]["coordinates"], 7, "coordinates")
    equal(sum(joint["coordinates"] for joint in joints.values()), 7, "coordinates of the joints")
    equal(got["rank"]["constraints"], 3, "constraints")


def check_cut():
    equal(tree("P")["tree"]["cut"], [{"joint": "P", "from": "crank", "to": "rod", "constraints": 2}], "P is cut")
    equal(tree("P")["tree"]["joints"][-1]["motions"], ["slide", "slide", "turn"], "the stone comes last")
    equal(names(tree("GUIDE")["tree"]["cut"]), ["guide"], "the guide is cut")
    equal(tree("GUIDE")["rank"], tree("P")["rank"], "three turns and two rows: the same count")
    equal(names(tree("AXLE", "P")["tree"]["cut"]), ["P"], "what is in no loop stays in the tree")
    both = names(tree("P", "GUIDE")["tree"]["cut"])
    expect(both in (["P"], ["guide"]), f"one of two wishes is enough: {both}")


def check_other_coordinates():
    """Where loops are cut changes neither the motion nor, in other coordinates, a bit of it."""
    def final(coordinates, *cuts):
        answer = json.loads(sarrus("run", "-", "--coordinates", coordinates, "--json", model=loop(*cuts)))
        return answer["energy"], answer["rank"]

    for coordinates in ("natural", "cartesian"):
        plain = json.loads(sarrus("check", "-", "--coordinates", coordinates, "--json", model=loop()))
        cut = json.loads(sarrus("check", "-", "--coordinates", coordinates, "--json", model=loop("P", "GUIDE")))
        equal(cut, plain, f"check in {coordinates}")
        expect("tree" not in plain, f"no tree in {coordinates}")
        equal(final(coordinates, "P"), final(coordinates), f"run in {coordinates}")
    starts = [tree(*cuts)["outputs"] for cuts in ((), ("P",), ("GUIDE",))]
    for start in starts[1:]:
        for name, value in start.items():
            expect(abs(value - starts[0][name]) < 1e-9, f"{name} does not depend on the cut")


def check_text():
    text = sarrus("check", "-", "--coordinates", "relative", model=loop("P"))
    lines = text.splitlines()
    expect(re.search(r"^  tree +O +ground -> crank +1 coordinate: +turn$", text, re.M), f"first joint in\n{text}")
    expect(re.search(r"^ +- +ground -> stone +3 coordinates: floats freely, slide, slide, turn$", text, re.M),
           f"what floats in\n{text}")
    expect(re.search(r"^  cut +P +crank +-- rod +2 constraints$", text, re.M), f"cut in\n{text}")
    expect(re.search(r"^  relations +mesh +1 constraint$", text, re.M), f"gear in\n{text}")
    arrows = {line.index(" -> ") for line in lines if " -> " in line}
    colons = {line.index("coordinate") for line in lines if " -> " in line}
    expect(len(arrows) == 1 and len(colons) == 1, f"columns are aligned in\n{text}")
    text = sarrus("check", "chain", "--set", "n=30", "--coordinates", "relative")
    equal(text.count(" -> "), 20, "lines of a long tree")
    expect("and 10 more; --json lists all of them" in text and "3 coordinates: ball" in text, f"the rest in\n{text}")
    expect("slide, turn; 1 constraint" in sarrus("check", "tests/models/screw-jack.yaml", "--coordinates", "relative"),
           "a screw's advance is a constraint")
    expect("0 coordinates: fixed" in sarrus("check", "tests/models/fixed.yaml", "--coordinates", "relative"),
           "a weld has no coordinates")


def check_problems():
    """Coordinates and constraints of the tree are those of the equations."""
    for name in ("four-bar", "n-four-bar", "bricard", "andrews", "ladder", "tree", "iltis-suspension",
                 "tests/models/universal-shaft.yaml", "tests/models/screw-jack.yaml", "tests/models/distance.yaml"):
        got = json.loads(sarrus("check", name, "--coordinates", "relative", "--json"))
        parts = got["tree"]
        equal(sum(joint["coordinates"] for joint in parts["joints"]), got["rank"]["coordinates"],
              f"coordinates of {name}")
        equal(sum(joint["constraints"] for part in parts.values() for joint in part), got["rank"]["constraints"],
              f"constraints of {name}")
        equal(len(parts["joints"]), got["bodies"], f"bodies of {name}")


check_loop()
check_cut()
check_other_coordinates()
check_text()
check_problems()
print("\n".join(failures) or "all right")
sys.exit(1 if failures else 0)
