#!/usr/bin/env python3
"""Named frames: in joints, forces, signals and drawings, as what they stand for; in all coordinates.

Usage: test_frames.py PROGRAM SOURCE_ROOT
"""
import math
import os
import tempfile

import numpy as np

from runs import COORDINATES, answer, expect, finish, near, run


def rotation(sequence, angles):
    R = np.eye(3)
    for axis, a in zip(sequence, angles):
        c, s = math.cos(a), math.sin(a)
        k = "xyz".index(axis)
        turn = np.eye(3)
        i, j = (k + 1) % 3, (k + 2) % 3
        turn[i, i] = turn[j, j] = c
        turn[i, j], turn[j, i] = -s, s
        R = R @ turn
    return R


# ---- signals -------------------------------------------------------------------------------------

WORDS = [f"{body}.{axis}.{c}" for body in ("one", "two") for axis in "xyz" for c in "xyz"]
PLACES = [f"{point}.{c}" for point in ("one.origin", "two.P") for c in ("x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az")]
SEEN = [f"two.P.{c}@f" for c in ("x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az")] + ["two.P.x@g", "two.P.vy@g", "two.P.az@g"]
TURNS = ["two.yaw@f", "h.zxz2@f", "h.rx@f", "h.qy@f", "h.roll", "f.origin.x", "f.origin.vy", "f.y.z", "two.wx@h", "h.wy@h", "ball.fx@f"]


def column(name):
    return name.replace(".", "_").replace("@", "_in_")


SIGNALS = """
sarrus: 1
name: signals of frames
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  one: {mass: 2, inertia: [0.7, 0.9, 0.8], points: {A: [0.5, 0.2, -0.4]}, position: [3.1, 0.2, 0.3], rotation: {rpy: [0.2, 0.5, -0.4]}, angular_velocity: [1, 2, -1]}
  two: {mass: 3, inertia: [1.1, 0.9, 0.8], points: {B: [0.1, 0.5, -0.6], P: [0.7, 0, 0.2]}, position: [1.5, -0.4, 0.2], rotation: {sequence: xzx, angles: [0.6, 0.8, 0.9]}}
frames:
  f: {body: one, position: [0.3, -0.2, 0.1], rotation: {sequence: zxz, angles: [0.3, 0.7, -0.4]}}
  g: {position: [1, 2, 3], rotation: {sequence: yxz, angles: [0.2, -0.5, 1.1]}}
  h: {body: two, position: P, rotation: {rpy: [0.1, 0.2, 0.3]}}
joints: {ball: {type: spherical, between: [one.A, two.B]}}
outputs:
%s
method: {end: 0.5, sample: 0.25, tolerance: 1e-9}
""" % "".join(f"  {column(w)}: {w}\n" for w in WORDS + PLACES + SEEN + TURNS + ["two.wx", "two.wy", "two.wz", "ball.fx", "ball.fy", "ball.fz"])


def check_signals():
    Rf, Rg, Rh = rotation("zxz", (0.3, 0.7, -0.4)), rotation("yxz", (0.2, -0.5, 1.1)), rotation("zyx", (0.3, 0.2, 0.1))
    for coordinates in COORDINATES:
        for row in run(SIGNALS, "--coordinates", coordinates):
            at = f"{coordinates} at {row['time']}"
            body = {b: np.array([[row[f"{b}_{axis}_{c}"] for axis in "xyz"] for c in "xyz"]) for b in ("one", "two")}
            place = {p: [np.array([row[f"{p}_{level}{c}"] for c in "xyz"]) for level in ("", "v", "a")] for p in ("one_origin", "two_P")}
            F, H = body["one"] @ Rf, body["two"] @ Rh
            origin = place["one_origin"][0] + body["one"] @ (0.3, -0.2, 0.1)
            seen = [F.T @ (place["two_P"][0] - origin), F.T @ place["two_P"][1], F.T @ place["two_P"][2]]
            for level, vector in zip(("", "v", "a"), seen):
                for k, c in enumerate("xyz"):
                    near(row[f"two_P_{level}{c}_in_f"], vector[k], 1e-11, f"{level}{c}@f, {at}")
            near(row["two_P_x_in_g"], (Rg.T @ (place["two_P"][0] - (1, 2, 3)))[0], 1e-11, f"x@g, {at}")
            near(row["two_P_vy_in_g"], (Rg.T @ place["two_P"][1])[1], 1e-11, f"vy@g, {at}")
            near(row["two_P_az_in_g"], (Rg.T @ place["two_P"][2])[2], 1e-10, f"az@g, {at}")
            near(row["f_origin_x"], origin[0], 1e-11, f"f.origin.x, {at}")
            near(row["f_y_z"], F[2, 1], 1e-11, f"f.y.z, {at}")
            R = F.T @ body["two"]
            near(math.remainder(row["two_yaw_in_f"] - math.atan2(R[1, 0], R[0, 0]), 2 * math.pi), 0, 1e-11, f"yaw@f, {at}")
            R = F.T @ H
            near(row["h_zxz2_in_f"], math.acos(R[2, 2]), 1e-10, f"h.zxz2@f, {at}")
            angle = math.acos((np.trace(R) - 1) / 2)
            near(row["h_rx_in_f"], angle / (2 * math.sin(angle)) * (R[2, 1] - R[1, 2]), 1e-9, f"h.rx@f, {at}")
            near(abs(row["h_qy_in_f"]), abs((R[0, 2] - R[2, 0]) / (4 * math.cos(angle / 2))), 1e-9, f"h.qy@f, {at}")
            near(math.remainder(row["h_roll"] - math.atan2(H[2, 1], H[2, 2]), 2 * math.pi), 0, 1e-11, f"h.roll, {at}")
            w = H.T @ [row[f"two_w{c}"] for c in "xyz"]
            near(row["two_wx_in_h"], w[0], 1e-11, f"wx@h, {at}")
            near(row["h_wy_in_h"], w[1], 1e-11, f"wy@h, {at}")
            force = F.T @ [row[f"ball_f{c}"] for c in "xyz"]
            near(row["ball_fx_in_f"], force[0], 1e-9, f"reaction@f, {at}")


# ---- joints, forces, drawings --------------------------------------------------------------------

ROBOT = """
sarrus: 1
name: robot of frames
dimension: 3
gravity: [0, 0, -9.81]
ground: {points: {O: [0.1, 0.2, 0.3]}}
bodies:
  arm: {mass: 2, inertia: [0.1, 0.2, 0.3], center: [0.3, 0, 0], points: {E: [0.6, 0.1, 0]}, axes: {u: [0.6, 0, 0.8], n: [0, 1, 0]}, %s}
  hand: {mass: 1, inertia: [0.02, 0.03, 0.04], center: [0.1, 0, 0], %s}
%s
joints:
  shoulder: {type: revolute, between: %s, axis: %s, normal: %s}
  wrist: {type: spherical, between: %s}
forces:
  jet: {type: force, acts_on: %s, force: ['3 + t', 1, hand.origin.vz], axes: %s}
  twist: {type: torque, acts_on: hand, torque: [0.1, -0.2, 0.3*t], axes: %s, reaction: arm}
outputs: {angle: shoulder.angle, x: hand.center.x, y: hand.center.y, z: hand.center.z}
method: {end: 1, sample: 0.25, tolerance: 1e-9}
"""


def check_use():
    # tool: in arm at E, with x along u (0.6, 0, 0.8) and y along n
    frames = """frames:
  tool: {body: arm, position: E, rotation: {x: [0.6, 0, 0.8], y: [0, 1, 0]}}
  base: {position: O, rotation: {x: [0, 1, 0], y: [0, 0, 1]}}
  nozzle: {body: tool, position: [0.05, 0, 0.02], rotation: {axis: [0, 0, 1], angle: 0.4}}
"""
    by_frames = ROBOT % ("drawn_on: base, position: [0, 0, 0], rotation: {axis: [0, 0, 1], angle: 0.3}", "drawn_on: tool, position: [0, 0, 0], rotation: {rpy: [0.1, 0, 0]}",
                         frames, "[base, arm.origin]", "[base.z, arm.z]", "[base.x, arm.x]", "[tool.origin, hand.origin]", "nozzle", "nozzle", "tool")
    T = np.array([[0.6, 0, -0.8], [0, 1, 0], [0.8, 0, 0.6]])
    B = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    arm = B @ rotation("z", (0.3,))
    hand = arm @ T @ rotation("x", (0.1,))
    N = T @ rotation("z", (0.4,))
    tip = np.array([0.6, 0.1, 0]) + T @ (0.05, 0, 0.02)

    def pose(place, R):
        return f"position: [{', '.join('%.17g' % p for p in place)}], rotation: {{x: [{', '.join('%.17g' % x for x in R[:, 0])}], y: [{', '.join('%.17g' % x for x in R[:, 1])}]}}"

    by_hand = ROBOT % (pose((0.1, 0.2, 0.3), arm), pose(np.array([0.1, 0.2, 0.3]) + arm @ (0.6, 0.1, 0), hand), "", "[ground.O, arm.origin]", "[ground.x, arm.z]",
                       "[ground.y, arm.x]", "[arm.E, hand.origin]", "arm.tip", "arm", "world")
    components = ("(3 + t)", "1", "(hand.origin.vz)")
    texts = ", ".join("'" + " + ".join(f"{N[i, k]:.17g}*{components[k]}" for k in range(3)) + "'" for i in range(3))
    by_hand = by_hand.replace("['3 + t', 1, hand.origin.vz], axes: arm", f"[{texts}], axes: body").replace("points: {E: [0.6, 0.1, 0]}", "points: {E: [0.6, 0.1, 0], tip: [%.17g, %.17g, %.17g]}" % tuple(tip))
    torque = ("0.1", "-0.2", "0.3*t")
    axes = [[f"({T[0, k]:.17g}*arm.x.{c} + {T[1, k]:.17g}*arm.y.{c} + {T[2, k]:.17g}*arm.z.{c})" for k in range(3)] for c in "xyz"]
    texts = ", ".join("'" + " + ".join(f"{axes[i][k]}*({torque[k]})" for k in range(3)) + "'" for i in range(3))
    by_hand = by_hand.replace("[0.1, -0.2, 0.3*t]", f"[{texts}]")
    wanted = run(by_hand)
    expect(wanted and abs(wanted[-1]["angle"] - wanted[0]["angle"]) > 0.1, "it moves")
    for coordinates in COORDINATES:
        for row, other in zip(run(by_frames, "--coordinates", coordinates), wanted):
            for name in ("angle", "x", "y", "z"):
                near(row[name], other[name], 1e-8, f"{coordinates}: {name} at {row['time']}")


PLANE = """
sarrus: 1
name: jet in the plane
dimension: 2
bodies:
  one: {mass: 2, inertia: 0.5, position: [1, 2], angle: 0.3}
  two: {mass: 1, inertia: 0.1, position: [3, 2], angle: 0, angular_velocity: 2}
frames:
  nozzle: {body: one, position: [0, 0], angle: 0.7}
  sight: {body: two, position: [0.1, 0], angle: 0.2}
forces:
  jet: {type: force, acts_on: one.center, force: [4, 0], axes: nozzle}
  aim: {type: force, acts_on: one.center, force: [0, 3], axes: two}
outputs: {x: one.center.x, y: one.center.y, seen: one.angle@sight, way: one.center.x@nozzle, u: sight.x.y, a: nozzle.angle}
method: {end: 1, sample: 0.25, tolerance: 1e-10}
"""


def check_plane():
    for coordinates in COORDINATES:
        for row in run(PLANE, "--coordinates", coordinates):
            t = row["time"]
            # 4/2 along the nozzle, and 3/2 along y of a body that turns with 2 rad/s
            x = 1 + math.cos(1.0) * t * t + 1.5 * (math.sin(2 * t) / 4 - t / 2)
            y = 2 + math.sin(1.0) * t * t + 1.5 * (1 - math.cos(2 * t)) / 4
            for name, wanted in (("x", x), ("y", y), ("seen", 0.3 - 2 * t - 0.2), ("way", 0), ("u", math.sin(2 * t + 0.2)), ("a", 1.0)):
                near(row[name], wanted, 1e-9, f"{coordinates}: {name} at {t}")


# ---- files that are placed and mirrored ------------------------------------------------------------

PART = """
sarrus: 1
name: part
dimension: 3
gravity: [0, 0, 0]
ground: {points: {O: [0.1, 0.4, 0.2]}}
bodies:
  arm: {mass: 2, inertia: [0.2, 0.2, 0.3, 0.02, 0, 0.01], center: [0.3, 0.1, 0], points: {E: [0.6, 0.1, 0.1]}, axes: {u: [0, 0.6, 0.8]}, drawn_on: base, position: [0, 0, 0], rotation: {axis: [0, 0, 1], angle: 0.1}}
  hand: {mass: 1, inertia: [0.02, 0.03, 0.04], drawn_on: tool, position: [0.1, 0.05, 0], rotation: {rpy: [0.1, 0.4, 0]}}
frames:
  base: {position: O, rotation: {rpy: [0.5, -0.3, 0.2]}}
  tool: {body: arm, position: E, rotation: {sequence: zxz, angles: [0.3, 0.7, -0.4]}}
  tip: {body: tool, position: [0.1, 0.05, 0], rotation: {rpy: [0, 0.2, 0.3]}}
joints:
  shoulder: {type: revolute, between: [base, arm.origin], axis: [base.z, arm.z]}
  wrist: {type: spherical, between: [tip, hand.origin]}
forces:
  jet: {type: force, acts_on: tip, force: [1, 2, 3], axes: tool}
  push: {type: force, acts_on: hand.center, force: ['hand.center.y@tool', 'tool.y.z', 'hand.yaw@tip'], axes: base}
  twist: {type: torque, acts_on: hand, torque: [0.1, 0.2, 0.3], axes: tip}
outputs: {angle: shoulder.angle, y: hand.center.y@base, x: hand.center.x@tip, yaw: hand.yaw@tool, h: hand.center.z, u: tool.y.z, ux: arm.u.x, w: arm.wx@tool}
"""
BOTH = """
sarrus: 1
name: both
dimension: 3
bodies: {none: {mass: 1, inertia: [1, 1, 1], position: [9, 9, 9]}}
use:
  one: {file: part.yaml}
  two: {file: part.yaml, %s position: [4, 1, 2], rotation: {rpy: [0.3, 0.5, 0.7]}}
outputs: {near: one.tip.origin.x@one.base}
method: {end: 1, sample: 0.25, tolerance: 1e-9}
"""


def check_files():
    with tempfile.TemporaryDirectory(prefix="sarrus-frames-") as folder:
        with open(os.path.join(folder, "part.yaml"), "w", encoding="utf-8") as file:
            file.write(PART)
        for mirror in ("", "mirror: x,", "mirror: y,", "mirror: z,"):
            path = os.path.join(folder, "both.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(BOTH % mirror)
            rows = run(path)
            expect(rows and abs(rows[-1]["one.angle"] - rows[0]["one.angle"]) > 0.01, "it moves")
            for row in rows:
                for word in ("angle", "x", "y", "yaw", "h", "u", "ux", "w"):
                    near(row["two." + word], row["one." + word], 1e-7, f"{mirror} {word} at {row['time']}")


# ---- messages --------------------------------------------------------------------------------------

def check_messages():
    model = """
sarrus: 1
name: wrong
dimension: 3
bodies: {b: {mass: 1, inertia: [1, 1, 1], points: {P: [1, 0, 0]}, position: [0, 0, 0], rotation: {rpy: [0, 0, 0]}}}
frames: {f: {body: b%s}}
joints: {j: {type: revolute, between: [ground.origin, %s], axis: [ground.z, %s]}}
forces: {p: {type: force, acts_on: b.P, force: [1, 0, 0], axes: %s}}
outputs: {o: %s}
"""
    good = ("", "f", "f.z", "f", "b.P.x@f")
    for k, bad, text in ((0, ", position: Q", "'b' has no point 'Q'"), (0, ", spin: 3", "frame has no key 'spin'"), (1, "f.P", "the frame 'f' has no point 'P'"),
                         (2, "f.w", "the frame 'f' has no axis 'w'"), (3, "g", "g"), (4, "b.P.x@q", "after @ is no body and no frame"),
                         (4, "f.P.x", 'the frame f has no "P"'), (4, "f.x.q", 'f.x has no "q"'), (0, ", rotation: {sequence: xyx, angle: 3}", "did you mean 'angles'"),
                         (0, ", rotation: {sequence: xxy, angles: [1, 2, 3]}", "xxy")):
        values = list(good)
        values[k] = bad
        message, _ = answer(model % tuple(values), code=3)
        expect(text in message and "model.yaml:" in message, f"{bad}: {message}")


check_signals()
check_use()
check_plane()
check_files()
check_messages()
finish()
