#!/usr/bin/env python3
"""Robot files: what is read, repaired and refused; SDFormat's and MJCF's own elements by closed forms; files that they name; the
same through the program, the model file that it writes, and Python.

Usage: test_import.py PROGRAM SOURCE_ROOT
"""
import math
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import yaml

from runs import PROGRAM, ROOT, expect, finish, near, run

FEATURES = os.path.join(ROOT, "tests", "models", "robots", "features")


def program(*arguments, **keys):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=600, check=False, **keys)


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def imported(path, *options, code=0):
    """The model file as data, and what was said."""
    done = program("import", path, *options)
    expect(done.returncode == code, f"import {path}: exit code {done.returncode}, wanted {code}\n{done.stderr}")
    return (yaml.safe_load(done.stdout) if code == 0 and done.stdout else {}), done.stderr


def imported_text(text, name="robot.urdf", code=0):
    with tempfile.TemporaryDirectory(prefix="sarrus-import-") as folder:
        return imported(write(folder, name, text), code=code)


# ---- faults ---------------------------------------------------------------------------------------

def check_repaired():
    model, said = imported(os.path.join(FEATURES, "faults.urdf"))
    for words in ("version other than 1", "2 x tags that are not read (first: <sensor>)", "2 x meshes that are left out", "without <limit>: no stops",
                  "without effort or velocity", "lower one is above the upper one", "below zero", "name occurs twice", "without a range", "further roots",
                  "not within their limits", "left-handed", "kept as measured", "there is no inertia: locked", "2 x roots with a mass", "names that a model cannot have"):
        expect(words in said, f"what was repaired: '{words}' is missing in\n{said}")
    expect(all(re.match(r"^\S*faults\.urdf:\d+:\d+: note: \d+ x ", line) for line in said.splitlines()), f"a line, a kind and a count each: {said}")
    expect(model["joints"]["slide"]["between"] == ["arm.slide", "thin.origin"], f"slide: {model['joints']['slide']}")
    near(model["bodies"]["thin"]["position"][0], 0.1, 1e-15, "a joint outside of its limits begins at the nearer one")
    expect(model["bodies"]["arm"]["inertia"][3] == -0.004, "products of the other sign")
    expect("tip" in model["frames"], "a link without mass is a frame")
    expect("arm_joint_torque" in model["inputs"] or "arm_torque" in model["inputs"], f"a transmission is an input: {model['inputs']}")


BODY = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
REFUSED = [
    ("<robot name='r'>\n<link name='a'/>\n<link name='a'/>\n</robot>", ":3:1: error: there is a link 'a' already, at line 2"),
    ("<robot name='r'><link name='arm'/>\n<joint name='j' type='fixed'><parent link='am'/><child link='arm'/></joint></robot>", ":2:30: error: j: there is no link 'am'"),
    ("<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='hinge'><parent link='a'/><child link='b'/></joint></robot>", "no type 'hinge'"),
    ("<robot name='r'><link name='a'/>\n<joint name='j' type='fixed'><parent link='a'/></joint></robot>", ":2:1: error: joint 'j' lacks <child"),
    ("<robot name='r'><link name='a'><inertial>\n<mass value='${m}'/></inertial></link></robot>", ":2:1: error: value is an expression of xacro"),
    ("<robot name='r' xmlns:xacro='x'>\n<xacro:macro name='m'/><link name='a'/></robot>", ":2:1: error: <xacro:macro>"),
    ("<robot name='r'><link name='a'><inertial><mass value='-1'/></inertial></link></robot>", "the mass is negative"),
    ("<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='-1' iyy='1' izz='1'/></inertial></link></robot>", "negative principal moment"),
    ("<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/>\n<axis xyz='0 0 0'/></joint></robot>", ":2:1: error: joint 'j': the axis is zero"),
    ("<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 1'/></joint></robot>", "expected 3 numbers, here are 2"),
    ("<robot name='r'>\n <link name='a'>\n</robot>", ":3:3: error: this is not XML: mismatched tag"),
    ("<robot name='r'><!-- a -- b --><link name='a'/></robot>", "error: this is not XML"),
    ("<urdf/>", "<urdf> is not a robot"),
    ("<robot name='r'/>", "the robot has no links"),
    ("<sdf version='1.9'><model name='m'>\n<link name='a'><pose relative_to='b'/></link><link name='b'><pose relative_to='a'/></link></model></sdf>", ":2:1: error: the pose of 'a' depends on itself"),
    ("<sdf version='1.9'><model name='m'><link name='a'><pose>1 2 3</pose></link></model></sdf>", "expected 6 numbers"),
    ("<sdf version='1.9'><model name='m'><link name='a'/><joint name='j' type='ball'><parent>a</parent><child>b</child></joint></model></sdf>", "no link or frame 'b'"),
    ("<sdf version='1.9'><model name='m'><link name='a'/>\n<include><uri>../../outside</uri></include></model></sdf>", ":2:1: error: cannot include"),
    ("<mujoco><compiler coordinate='global'/></mujoco>", "global coordinates are not read"),
    ("<mujoco><worldbody><body name='a'/>\n<body name='a'/></worldbody></mujoco>", ":2:1: error: there is a body 'a' already, at line 1"),
    ("<mujoco><worldbody><body name='a'><joint type='wheel'/></body></worldbody></mujoco>", "no type 'wheel'"),
    ("<mujoco><worldbody><body name='a'/></worldbody>\n<equality><connect body1='b'/></equality></mujoco>", ":2:11: error: connect: there is no link 'b'"),
    ("<mujoco><worldbody><body name='a'>\n<geom size='-1'/></body></worldbody></mujoco>", ":2:1: error: size is negative: -1"),
    ("<mujoco>\n<include file='/etc/passwd'/></mujoco>", ":2:1: error: cannot include '/etc/passwd': it lies outside"),
    ("<mujoco>\n<include file='robot.urdf'/></mujoco>", "error"),  # itself
]


def check_refused():
    for text, words in REFUSED:
        _, said = imported_text(text, code=3)
        expect(words in said, f"{text}\nshall be refused with '{words}', said\n{said}")
    done = program("run", "-", input="<robot name='r'>\n<link name='a'/>\n<link name='a'/></robot>")
    expect(done.returncode == 3 and ":3:1: error" in done.stderr, f"run of a wrong robot: {done.returncode} {done.stderr}")


def check_entities():
    """Nothing is expanded, nothing is fetched."""
    laughs = '<!DOCTYPE r [<!ENTITY a "ha">' + "".join(f'<!ENTITY a{k} "{("&a%s;" % (k - 1 if k else "")) * 10}">' for k in range(12)) + ']><robot name="&a11;"/>'
    with tempfile.TemporaryDirectory(prefix="sarrus-import-") as folder:
        secret = write(folder, "secret.txt", "secret")
        for text in (laughs, f'<!DOCTYPE r [<!ENTITY x SYSTEM "file://{secret}">]><robot name="&x;"><link name="a"/></robot>',
                     f'<!DOCTYPE r SYSTEM "file://{secret}"><robot name="r"><link name="&y;"/></robot>'):
            done = program("import", write(folder, "robot.urdf", text))
            expect(done.returncode == 3 and "entit" in done.stderr and "secret" not in done.stdout, f"entities: {done.returncode} {done.stderr}")


# ---- files ----------------------------------------------------------------------------------------

TETRAHEDRON = "solid t\n" + "".join("facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {x} {y} {z}\n" for x, y, z in f) + "endloop\nendfacet\n" for f in (
    [(0, 0, 0), (0, 1, 0), (1, 0, 0)], [(0, 0, 0), (1, 0, 0), (0, 0, 1)], [(0, 0, 0), (0, 0, 1), (0, 1, 0)], [(1, 0, 0), (0, 1, 0), (0, 0, 1)])) + "endsolid t\n"


def check_files():
    with tempfile.TemporaryDirectory(prefix="sarrus-import-") as folder:
        mesh = '<visual><geometry><mesh filename="%s" scale="0.1 0.1 0.1"/></geometry></visual>'
        names = ["package://bot/meshes/a.stl", "../meshes/a.stl", "package://bot/meshes/a.dae", "../../other/a.stl", "http://x/a.stl", "package://bot/../../other/a.stl"]
        path = write(folder, "bot/urdf/bot.urdf", f"<robot name='bot'><link name='a'>{BODY}{''.join(mesh % n for n in names)}</link></robot>")
        for name in ("bot/meshes/a.stl", "bot/meshes/a.dae", "other/a.stl"):
            write(folder, name, TETRAHEDRON)
        write(folder, "bot/package.xml", "<package/>")
        model, said = imported(path)
        shapes = model["bodies"]["a"]["shape"]
        expect([s["type"] for s in shapes] == ["mesh", "mesh"] and shapes[0]["scale"] == 0.1, f"meshes: {shapes}")
        expect("3 x meshes that are left out" in said and "1 x meshes that are neither STL nor OBJ" in said, said)
        outside, said = imported(path, "--packages", folder)
        expect(len(outside["bodies"]["a"]["shape"]) == 3, "the search path allows more")
        target = os.path.join(folder, "elsewhere.yaml")
        done = program("import", path, "-o", target)
        expect(done.returncode == 0 and program("check", target).returncode == 0, f"the model file elsewhere finds its meshes: {done.stderr}")
        # bodies of one density: the tetrahedron has 1/6 of the cube, its centre at a quarter
        path = write(folder, "m/robot.xml", "<mujoco><asset><mesh name='t' file='a.stl'/></asset><worldbody><body name='b'><freejoint/>"
                     "<geom type='mesh' mesh='t'/></body></worldbody></mujoco>")
        write(folder, "m/a.stl", TETRAHEDRON)
        body = imported(path)[0]["bodies"]["b"]
        near(body["mass"], 1000 / 6, 1e-10, "mass of a tetrahedron")
        near(body["center"][1], 0.25, 1e-14, "centre of a tetrahedron")
        near(body["inertia"][0], 1000 / 80, 1e-11, "inertia of a tetrahedron")  # 2 (1/60 - 1/96)
        near(body["inertia"][3], 1000 / 480, 1e-11, "product of inertia of a tetrahedron")  # -(1/120 - 1/96)


# ---- SDFormat -------------------------------------------------------------------------------------

def turn(axis, a):
    c, s = math.cos(a), math.sin(a)
    k = "xyz".index(axis)
    R = np.eye(3)
    i, j = (k + 1) % 3, (k + 2) % 3
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R


def check_sdf():
    path = os.path.join(FEATURES, "frames.sdf")
    model, _ = imported(path)
    base, R = np.array([0.5, 0, 0.2]), turn("z", 90.0)
    wheel = base + R @ [0.1, 0.3, 0.3]  # corner at (0.1, 0.2, 0.3), turned by 90 degrees
    near(np.abs(np.array(model["bodies"]["wheel"]["position"]) - wheel).max(), 0, 1e-14, "a pose relative to a frame")
    eye = wheel + R @ turn("z", math.pi / 2) @ [0.05, 0, 0]
    bar = model["bodies"]["hook__bar"]
    on_wheel = np.array(bar["position"])
    near(np.abs(wheel + R @ turn("z", math.pi / 2) @ on_wheel + [0, 0, 0.1] - eye).max(), 0, 1e-14, "a model placed by one of its frames")
    near(bar["mass"], 2700 * math.pi * 1e-4 * 0.2, 1e-12, "mass from collision shapes")
    rows = run(path, "--end", "0.3", "--sample", "0.1", "--tolerance", "1e-9")
    for row in rows:
        near(row["pinion_axle"], -2.5 * row["axle"], 1e-9, "a gearbox")
        near(row["spindle_2"], 0.01 * row["spindle"] / (2 * math.pi), 1e-9, "a screw")
        near(row["slide"], 0.02 * (row["pinion_axle"] - 0.05) + 0.001, 1e-9, "mimic of SDFormat")
    expect(abs(rows[-1]["axle"]) > 1e-3 and abs(rows[-1]["spindle"]) > 1e-3, "it moves")
    screw = ("<sdf version='1.%d'><model name='m'><link name='a'/><link name='b'><pose>0 0 0.1 1.57 0 0</pose></link><joint name='s' type='%s'><parent>a</parent>"
             "<child>b</child>%s<axis><xyz>0 0 1</xyz>%s</axis></joint></model></sdf>")
    pitches = [imported_text(screw % (9, "screw", words, ""), "r.sdf")[0]["joints"]["s"]["pitch"] for words in
               ("<screw_thread_pitch>0.02</screw_thread_pitch>", "<thread_pitch>-314.15926535897931</thread_pitch>", "<thread_pitch>314.15926535897931</thread_pitch>")]
    near(pitches[0], 0.02, 0, "metres per revolution")
    near(pitches[1], 0.02, 1e-16, "radians per metre, left-handed")
    near(pitches[2], -0.02, 1e-16, "radians per metre, left-handed")
    # the axis is in the model's frame in version 1.4 and where old versions say so, else in the joint's
    for version, extra, in_model in ((4, "", True), (5, "", False), (6, "<use_parent_model_frame>1</use_parent_model_frame>", True), (9, "", False)):
        axis = imported_text(screw % (version, "revolute", "", extra), "r.sdf")[0]["joints"]["s"]["axis"][1]
        expect((axis != "b.z") == in_model, f"axis in version 1.{version}: {axis}")
    with tempfile.TemporaryDirectory(prefix="sarrus-import-") as folder:
        write(folder, "part/model.sdf", "<sdf version='1.7'><model name='part'><link name='l'><inertial><mass>2</mass></inertial></link></model></sdf>")
        path = write(folder, "all.sdf", "<sdf version='1.9'><model name='all'><link name='base'/><joint name='w' type='fixed'><parent>world</parent><child>base</child></joint>"
                     "<include><uri>part</uri><name>one</name><pose>1 0 0 0 0 0</pose></include><include><uri>model://part</uri><name>two</name></include>"
                     "<joint name='j' type='revolute'><parent>base</parent><child>one::l</child></joint>"
                     "<joint name='k' type='revolute'><parent>one</parent><child>two::l</child></joint></model></sdf>")
        model, _ = imported(path)
        expect(set(model["bodies"]) == {"one__l", "two__l"} and model["bodies"]["one__l"]["mass"] == 2, f"included models: {model['bodies']}")
        near(model["bodies"]["one__l"]["position"][0], 1.0, 0, "place of an included model")


# ---- MJCF -----------------------------------------------------------------------------------------

def check_mjcf():
    model, said = imported(os.path.join(FEATURES, "compiler.xml"))
    bodies, r = model["bodies"], 0.02
    near(bodies["cart"]["mass"], 800 * 0.2 * 0.1 * 0.1, 1e-12, "mass of a box by its density")
    near(bodies["thigh"]["mass"], 300 * (math.pi * r * r * 0.3 + 4 / 3 * math.pi * r ** 3), 1e-12, "mass of a capsule, density of its class")
    near(bodies["trunk"]["mass"], 800 * 0.2 * 0.3 * 0.4 + 0.4, 1e-12, "a box and an ellipsoid")
    near(model["forces"]["hip_x_stop"]["upper"], math.radians(40), 1e-15, "degrees")
    near(model["forces"]["hip_z_spring"]["angle"], math.radians(10), 1e-15, "springref, class in a class")
    near(model["joints"]["knee_armature"]["inertia"], 0.001, 0, "armature")
    expect({"finger_0", "finger_1", "finger_2"} <= set(bodies), "copies")
    expect("soft parameters" in said and "muscle" in said and "not active" in said, said)
    # capsule: numbers of 2e6 points would do; here its parts
    L, m_c, m_s = 0.3, 300 * math.pi * r * r * 0.3, 300 * 4 / 3 * math.pi * r ** 3
    across = m_c * (L * L / 12 + r * r / 4) + m_s * (2 * r * r / 5 - (3 * r / 8) ** 2 + (L / 2 + 3 * r / 8) ** 2)
    near(bodies["thigh"]["inertia"][0], across, 1e-15, "inertia of a capsule")
    # a motor with a gear, its control limited: 2 kg, 30 N
    cart = ("<mujoco><worldbody><body name='c'><joint name='rail' type='slide' axis='1 0 0'/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body></worldbody>"
            "<actuator><motor name='u' joint='rail' gear='30' ctrlrange='-1 1'/></actuator></mujoco>")
    with tempfile.TemporaryDirectory(prefix="sarrus-import-") as folder:
        rows = run(write(folder, "cart.xml", cart), "--input", "u=3", "--end", "0.5", "--sample", "0.5")
        near(rows[-1]["rail"], 0.5 * 15 * 0.25, 1e-9, "a motor behind a gear, with limited control")
        # the pole on a slide: a position servo holds it against its weight; x = u + g m l/kp ...
        servo = ("<mujoco><option gravity='0 0 -10'/><worldbody><body name='c'><joint name='rail' type='slide' axis='0 0 1' damping='5'/>"
                 "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body></worldbody><actuator><position name='u' joint='rail' kp='400'/></actuator></mujoco>")
        rows = run(write(folder, "servo.xml", servo), "--input", "u=0.3", "--end", "20", "--sample", "20", "--tolerance", "1e-9")
        near(rows[-1]["rail"], 0.3 - 2 * 10 / 400, 1e-7, "a servo under a weight")
        # three hinges of one body are three joints with links without mass between them
        hinges = ("<mujoco><compiler angle='radian'/><worldbody><body name='b' pos='0 0 1'><joint name='q1' axis='1 0 0'/><joint name='q2' axis='0 1 0'/>"
                  "<joint name='q3' axis='0 0 1'/><inertial pos='0.1 0.2 -0.3' mass='2' diaginertia='0.1 0.2 0.25'/></body></worldbody></mujoco>")
        link = "<link name='%s'/>" * 2 % ("p", "q")
        joints = "".join(f"<joint name='q{k + 1}' type='continuous'><parent link='{a}'/><child link='{b}'/><origin xyz='0 0 {1 if k == 0 else 0}'/><axis xyz='{u}'/></joint>"
                         for k, (a, b, u) in enumerate((("world", "p", "1 0 0"), ("p", "q", "0 1 0"), ("q", "b", "0 0 1"))))
        urdf = ("<robot name='h'>" + link + "<link name='b'><inertial><origin xyz='0.1 0.2 -0.3'/><mass value='2'/><inertia ixx='0.1' iyy='0.2' izz='0.25' ixy='0' ixz='0' iyz='0'/>"
                "</inertial></link>" + joints + "</robot>")
        a, b = (run(write(folder, name, text), "--end", "0.4", "--sample", "0.1", "--tolerance", "1e-11") for name, text in (("h.xml", hinges), ("h.urdf", urdf)))
        worst = max(abs(x[k] - y[k]) for x, y in zip(a, b) for k in ("q1", "q2", "q3"))
        near(worst, 0, 1e-9, "several joints in one body")
        expect(abs(a[-1]["q1"]) > 0.05, "it moves")


def check_followers():
    """Damping ratios, of what a joint moves as drawn; ranges of joints for the control; a follower with a lag is left out."""
    text = """<mujoco><default><default class="s"><position kp="20" dampratio="0.7" inheritrange="0.9"/><joint armature="0.01"/></default></default><worldbody>
      <body name="a" pos="0 0 1" euler="10 20 30"><joint name="turn" class="s" axis="0 1 0" range="-30 60" pos="0.1 0 0"/><inertial pos=".3 0 .1" mass="2" diaginertia=".1 .2 .3"/>
      <body name="b" pos=".5 0 0" euler="0 40 0"><joint name="slide" class="s" type="slide" axis="0 .6 .8" range="-1 1"/>
      <inertial pos="0 0 -.2" mass="1.5" fullinertia=".1 .2 .25 .01 .02 .03"/></body></body></worldbody>
      <actuator><position class="s" joint="turn" gear="3"/><position class="s" name="held" joint="slide" kv="0.3" ctrlrange="-1 1"/>
      <general name="ratio" joint="slide" gainprm="50" biastype="affine" biasprm="0 -50 0.5"/><position name="slow" joint="slide" timeconst="0.1"/></actuator></mujoco>"""
    model, said = imported_text(text, "followers.xml")
    forces = model["forces"]

    def damping(name, key):
        return -float(re.search(r"\(([-+.e0-9]+)\)\*v", forces[name][key]).group(1))
    axis, back = np.array([0, 1, 0]), turn("y", math.radians(40))
    tensor = back @ np.array([[.1, .01, .02], [.01, .2, .03], [.02, .03, .25]]) @ back.T
    moment = 0.01
    for mass, centre, inertia in ((2, [.3, 0, .1], np.diag([.1, .2, .3])), (1.5, [.5, 0, 0] + back @ [0, 0, -.2], tensor)):
        arm = np.cross(axis, np.array(centre) - [.1, 0, 0])
        moment += mass * arm @ arm + axis @ inertia @ axis
    near(damping("turn_position_motor", "torque"), 1.4 * math.sqrt(20 * moment / 9), 1e-12, "a damping ratio behind a gear")
    near(damping("ratio_motor", "force"), math.sqrt(50 * 1.51), 1e-12, "a ratio in biasprm")
    near(damping("held_motor", "force"), 0.3, 0, "its own kv comes before the ratio of its class")
    limits = [float(x) for x in re.findall(r"-?[.0-9]+", forces["turn_position_motor"]["torque"].split(",", 1)[1])[:2]]
    near(limits[0], math.radians(15 - 0.9 * 45), 1e-14, "range of the joint")
    near(limits[1], math.radians(15 + 0.9 * 45), 1e-14, "range of the joint")
    expect("slow_motor" not in forces and "<position> 'slow'" in said, f"a lag: {said}")


# ---- places, the ground, and what is drawn --------------------------------------------------------

def check_places():
    """Sites and frames are places of their names. A hand's breadth along a leaning arm, and computed here."""
    arm = ("<mujoco><worldbody><site name='mark' pos='1 2 3'/><body name='arm' pos='0 0 1' euler='0 90 0'><joint name='j' axis='0 1 0'/>"
           "<inertial pos='0 0 0.1' mass='2' diaginertia='1 1 1'/><site name='tip' pos='0.1 0 0.3' euler='0 0 90'/><site name='arm' pos='9 9 9'/></body></worldbody></mujoco>")
    model, _ = imported_text(arm, "arm.xml")
    expect(set(model["frames"]) == {"mark", "tip"} and model["frames"]["tip"]["body"] == "arm", f"sites: {model['frames']}")
    with tempfile.TemporaryDirectory(prefix="sarrus-import-") as folder:
        path = write(folder, "arm.xml", arm)
        for wanted, code in (([0.3, 0, 0.9], 0), ([0.3, 0.1, 0.9], 6)):  # R_y(90): (0.1, 0, 0.3) lies at (0.3, 0, -0.1); the hinge leaves y alone
            done = program("pose", path, "--want", f"tip.origin={wanted}", "--starts", "2")
            expect(done.returncode == code, f"tip at {wanted}: {done.returncode} {done.stdout} {done.stderr}")
    sdf = ("<sdf version='1.9'><model name='m'><pose>0 0 1 0 0 0</pose><link name='a'><pose>0 0 0 0 0 1.5707963267948966</pose></link>"
           "<frame name='tip' attached_to='a'><pose>0.2 0 0 0 0 0</pose></frame><frame name='stand'><pose relative_to='tip'>0 0 -1 0 0 0</pose></frame></model></sdf>")
    frames = imported_text(sdf, "r.sdf")[0]["frames"]
    near(np.abs(np.array(frames["tip"]["position"]) - [0.2, 0, 0]).max(), 0, 1e-15, "a frame that is attached to a link")
    near(np.abs(np.array(frames["stand"]["position"]) - [0.2, 0, -1]).max(), 0, 1e-15, "a frame of the model is one of its canonical link")
    _, said = imported_text("<sdf version='1.9'><model name='m'><static>true</static><link name='a'/></model></sdf>", "r.sdf")
    expect("1 kg" not in said, f"what is static needs no mass: {said}")


def check_ground():
    """A root called world without mass is the ground, also where a link with mass is fixed to it."""
    tree = ("<robot name='r'><link name='world'/>%s<link name='arm'>%s</link><joint name='w' type='fixed'><parent link='world'/><child link='base'/><origin xyz='0 0 2'/></joint>"
            "<joint name='j' type='continuous'><parent link='base'/><child link='arm'/><origin xyz='0 0 0.5'/></joint></robot>")
    model, said = imported_text(tree % (f"<link name='base'>{BODY}</link>", BODY))
    expect(set(model["bodies"]) == {"arm"} and "base_free" not in model.get("parameters", {}) and "roots with a mass" not in said, f"world: {model} {said}")
    near(model["frames"]["base"]["position"][2], 2.0, 0, "the base is a place of the ground")
    near(model["bodies"]["arm"]["position"][2], 2.5, 0, "and the arm stands on it")
    # a picture that is not there: the collision shape is drawn
    shapes = ("<visual><geometry><mesh filename='none.dae'/></geometry></visual><collision><origin xyz='0 0 0.1'/><geometry><sphere radius='0.3'/></geometry></collision>")
    model, _ = imported_text(tree % (f"<link name='base'>{BODY}</link>", BODY + shapes))
    expect([s["type"] for s in model["bodies"]["arm"]["shape"]] == ["sphere"], f"shapes: {model['bodies']['arm']}")
    model, _ = imported_text(tree % (f"<link name='base'>{BODY}</link>", BODY + shapes + "<visual><geometry><box size='1 1 1'/></geometry></visual>"))
    expect([s["type"] for s in model["bodies"]["arm"]["shape"]] == ["box"], f"shapes: {model['bodies']['arm']}")


# ---- one robot, every way in ----------------------------------------------------------------------

def check_ways():
    path = os.path.join(ROOT, "tests", "models", "robots", "five_bar.urdf")
    with tempfile.TemporaryDirectory(prefix="sarrus-import-") as folder:
        target = os.path.join(folder, "five_bar.yaml")
        done = program("import", path, "-o", target)
        expect(done.returncode == 0 and not done.stdout, f"import -o: {done.stderr}")
        a, b = (run(p, "--end", "0.2", "--sample", "0.1") for p in (path, target))
        expect(a == b, "the robot file and the model file that it becomes run with the same bits")
        expect(program("import", path, "-o", path).returncode == 2, "a robot file is not written over")
        expect(program("import", target).returncode == 3, "a model file is not imported")
        free = run(path, "--end", "0.2", "--sample", "0.1", "--set", "base_free=1")
        expect(free and abs(free[-1]["left_motor"] - a[-1]["left_motor"]) > 1e-6, "without the ground it falls")
        script = f"import sarrus, warnings\nwarnings.simplefilter('ignore')\nr = sarrus.load({path!r}).run(end=0.2, sample=0.1)\nprint(repr(float(r['left_motor'][-1])))\n"
        environment = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "python"), SARRUS_LIBRARY=os.path.join(os.path.dirname(PROGRAM), "libsarrus.so"))
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, timeout=600, check=False)
        if "No module" not in done.stderr and os.path.exists(environment["SARRUS_LIBRARY"]):
            expect(done.returncode == 0, f"Python: {done.stderr}")
            if done.returncode == 0:
                near(float(done.stdout), a[-1]["left_motor"], 1e-15, "the same in Python")
        chain = "".join(f"<link name='l{k}'>{BODY}</link>" for k in range(500)) + "".join(
            f"<joint name='j{k}' type='continuous'><parent link='l{k}'/><child link='l{k + 1}'/><origin xyz='0 0 1'/><axis xyz='0 1 0'/></joint>" for k in range(499))
        model, _ = imported(write(folder, "chain.urdf", f"<robot name='chain'>{chain}</robot>"), "-q")
        expect(len(model["bodies"]) == 500 and len(model["joints"]) == 500, "500 links")


def main():
    check_repaired()
    check_refused()
    check_entities()
    check_files()
    check_sdf()
    check_mjcf()
    check_followers()
    check_places()
    check_ground()
    check_ways()


main()
finish()
