"""Signs and conventions are what docs/conventions.md says, each by a small run."""
import csv
import io
import math
import subprocess
import sys

program = sys.argv[1]
# What a file means does not depend on the coordinates: all of it is asked for in each of them.
if len(sys.argv) < 4:
    for coordinates in ("natural", "cartesian", "increments", "relative"):
        subprocess.run([sys.executable, __file__, *sys.argv[1:3], coordinates], check=True)
    sys.exit(0)
METHOD = ["--coordinates", sys.argv[3], "--end", "1e-4", "--step", "1e-4"]
BLOCK = "block: {mass: 2, inertia: 3, position: [2, 0], angle: 0}"


def rows(dimension, body):
    """The first and the last row: `body` is the model without its head."""
    model = f"sarrus: 1\nname: test\ndimension: {dimension}\n{body}"
    done = subprocess.run([program, "run", "-", "-q", "-o", "-", *METHOD], input=model, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(io.StringIO(done.stdout))]


def outputs(dimension, body):
    """At the start."""
    return rows(dimension, body)[0]


def near(got, *wanted):
    assert len(got) == len(wanted) and all(abs(a - b) < 1e-6 * (1 + abs(b)) for a, b in zip(got, wanted)), (got, wanted)


def accelerations(force, *, joint=""):
    """ax, ay, rate of change of the angle's rate, of the block under one force."""
    model = (f"bodies: {{{BLOCK}}}\n{joint}forces: {{f: {force}}}\n"
             "outputs: {ax: block.center.ax, ay: block.center.ay, rate: block.rate}\n")
    first, last = rows(2, model)
    return first["ax"], first["ay"], last["rate"] / 1e-4


# ---- forces --------------------------------------------------------------------------------------
SPRING = "{type: spring, between: [ground.origin, block.center], %s}"  # 2 m long
near(accelerations("{type: force, acts_on: block.center, force: [4, -6]}"), 2, -3, 0)
near(accelerations("{type: torque, acts_on: block, torque: 6}"), 0, 0, 2)  # counterclockwise
near(accelerations(SPRING % "force: 4"), -2, 0, 0)  # positive pulls the ends together
near(accelerations(SPRING % "force: x"), -1, 0, 0)  # x is the length, not the extension
near(accelerations(SPRING % "stiffness: 10, length: 1.5"), -2.5, 0, 0)
near(accelerations(SPRING % "table: [[0, 0], [1, 8]], length: 1.5"), -2, 0, 0)  # x - length
near(accelerations(SPRING % "stiffness: 10, length: 3"), 5, 0, 0)  # too short: it pushes
PIN = "ground: {points: {P: [2, 0]}}\njoints: {pin: {type: revolute, between: [ground.P, block.center]}}\n"
for law, wanted in [("torque: 6", -2), ("stiffness: 3, angle: 0.5", 0.5), ("torque: 3*x, angle: 0.5", 0),
                    ("table: [[-1, -6], [1, 6]], angle: 0.5", 1)]:
    near(accelerations("{type: rotational-spring, joint: pin, %s}" % law, joint=PIN), 0, 0, wanted)
SLIDE = "joints: {s: {type: prismatic, between: [ground.origin, block.center], axis: [ground.x, block.x]}}\n"
near(accelerations("{type: spring, joint: s, force: 4}", joint=SLIDE), -2, 0, 0)
for limit, wanted in [("upper: 1.5", -2), ("lower: 2.5", 2), ("lower: 1.5, upper: 2.5", 0)]:  # it is at 2
    near(accelerations("{type: stop, joint: s, stiffness: 8, %s}" % limit, joint=SLIDE), wanted, 0, 0)
near(accelerations("{type: stop, joint: pin, upper: -0.5, stiffness: 24, exponent: 2}", joint=PIN), 0, 0, -2)
for speed in (-3, 3):  # friction is against the motion: 4 N and 0.5 N s/m of 2 kg
    near(accelerations("{type: friction, joint: s, level: 4, speed: 1e-3, viscous: 0.5}",
                       joint=SLIDE + "start: {s.speed: %g}\n" % speed), -(4 + 0.5 * 3) / 2 * speed / 3, 0, 0)
near(accelerations("{type: bushing, between: [ground.origin, block.center], K: [10, 0, 0]}"), -10, 0, 0)

# ---- reactions -----------------------------------------------------------------------------------
HANGS = """gravity: [0, -10]
bodies: {rod: {mass: 2, inertia: 1, center: [0.5, 0], points: {A: [0, 0]}, position: [0, 0], angle: -pi/2}}
joints: {pin: {type: revolute, between: %s}}
outputs: {fx: pin.fx, fy: pin.fy, angle: pin.angle, rod: rod.angle}
"""
got = outputs(2, HANGS % "[ground.origin, rod.A]")
near([got["fy"], got["angle"], got["rod"]], 20, -math.pi / 2, -math.pi / 2)  # on the second side, the rod
got = outputs(2, HANGS % "[rod.A, ground.origin]")
near([got["fy"], got["angle"]], -20, math.pi / 2)  # on the second side, the ground
got = outputs(2, """gravity: [0, -10]
bodies: {arm: {mass: 2, inertia: 1, center: [0.5, 0], position: [0, 0], angle: 0}}
joints: {pin: {type: fixed, between: [ground.origin, arm.origin]}}
outputs: {fy: pin.fy, tz: pin.tz}
""")
near([got["fy"], got["tz"]], 20, 10)  # at the joint's point
DRIVEN = """gravity: [0, -10]
bodies: {arm: {mass: 2, inertia: 1, center: [0.5, 0], position: [0, 0], angle: 0}}
joints: {pin: {type: revolute, between: [ground.origin, arm.origin]}}
drives: {motor: {joint: pin, value: 0}}
outputs: {torque: motor.torque}
"""
near([outputs(2, DRIVEN)["torque"]], 10)  # positive pushes the coordinate up
FALLS = """gravity: [0, -10]
bodies: {block: {mass: 2, inertia: 3, position: [2, 0], angle: 0}}
constraints: {floor: {velocity: %s}}
outputs: {force: floor.force, ay: block.center.ay}
"""
for velocity, wanted in [("block.center.vy", 20), ("-block.center.vy", -20), ("2*block.center.vy", 10)]:
    got = outputs(2, FALLS % velocity)
    near([got["force"], got["ay"]], wanted, 0)  # the multiplier: M a = Q + A' lambda

# ---- inertia -------------------------------------------------------------------------------------
# Two points of 1 kg at (1, 1, 0) and (-1, -1, 0) on a small ball: as one body, and as three
ONE = """bodies: {b: {mass: 3, inertia: [2.1, 2.1, 4.1, -2, 0, 0], position: [0, 0, 0], rotation: {rpy: [0, 0, 0]}}}
"""
THREE = """bodies:
  b: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {P: [1, 1, 0], Q: [-1, -1, 0]}, position: [0, 0, 0], rotation: {rpy: [0, 0, 0]}}
  p: {mass: 1, position: [1, 1, 0], rotation: {rpy: [0, 0, 0]}}
  q: {mass: 1, position: [-1, -1, 0], rotation: {rpy: [0, 0, 0]}}
joints: {P: {type: fixed, between: [b.P, p.origin]}, Q: {type: fixed, between: [b.Q, q.origin]}}
"""
PUSH = """forces: {f: {type: torque, acts_on: b, torque: [1, 0, 0]}}
outputs: {x: b.center.x, wx: b.wx, wy: b.wy}
"""


def spins(model):
    last = rows(3, model + PUSH)[-1]
    return last["wx"] / 1e-4, last["wy"] / 1e-4


for model in (ONE, THREE):
    got = spins(model)
    assert all(abs(a - b) < 1e-3 for a, b in zip(got, (2.1 / 0.41, 2 / 0.41))), got  # I^-1 (1, 0, 0)

# ---- angles and rotations --------------------------------------------------------------------------
BODY = "bodies: {b: {mass: 1, inertia: [1, 1, 1], points: {P: [1, 2, 3]}, position: [0, 0, 0], rotation: %s%s}}\n"
POINT = "outputs: {x: b.P.x, y: b.P.y, z: b.P.z, wx: b.wx, wy: b.wy, wz: b.wz}\n"
HALF = math.sqrt(0.5)
for rotation, wanted in [("{axis: [0, 0, 1], angle: pi/2}", (-2, 1, 3)), (f"{{quaternion: [{HALF}, 0, 0, {HALF}]}}", (-2, 1, 3)),
                         ("{rpy: [0, 0, pi/2]}", (-2, 1, 3)), ("{rpy: [pi/2, 0, pi/2]}", (3, 1, 2)),
                         ("{x: [0, 1, 0], y: [-1, 0, 0]}", (-2, 1, 3))]:
    got = outputs(3, BODY % (rotation, "") + POINT)
    near([got["x"], got["y"], got["z"]], *wanted)
got = outputs(3, BODY % ("{rpy: [pi/2, 0, 0]}", ", angular_velocity: [0, 0, 5]") + POINT)
near([got["wx"], got["wy"], got["wz"]], 0, 0, 5)  # world axes
got = outputs(2, """bodies: {b: {mass: 1, inertia: 1, center: [1, 0], position: [0, 0], angle: 0, velocity: [3, 0], angular_velocity: 2}}
outputs: {vx: b.origin.vx, vy: b.origin.vy, cy: b.center.vy, rate: b.rate}
""")
near([got["vx"], got["vy"], got["cy"], got["rate"]], 3, 0, 2, 2)  # of the body's origin; counterclockwise

# ---- joints ----------------------------------------------------------------------------------------
got = outputs(3, """bodies: {nut: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], rotation: {rpy: [0, 0, 0]}}}
joints: {screw: {type: screw, between: [ground.origin, nut.origin], axis: [ground.z, nut.z], pitch: 0.1}}
start: {screw.angle: pi, screw.rate: 2*pi}
outputs: {z: nut.origin.z, v: nut.origin.vz, wz: nut.wz}
""")
near([got["z"], got["v"], got["wz"]], 0, 0.1, 2 * math.pi)  # per turn, right-handed; counted from the start
got = outputs(2, """bodies: {a: {mass: 1, inertia: 1, position: [0, 0], angle: 0}, b: {mass: 1, inertia: 1, position: [0, 0], angle: 0}}
joints:
  A: {type: revolute, between: [ground.origin, a.origin]}
  B: {type: revolute, between: [ground.origin, b.origin]}
  gear: {type: gear, joints: [A, B], ratio: -2}
start: {A.rate: 3}
outputs: {b: B.rate}
""")
near([got["b"]], -6)
got = outputs(2, """gravity: [0, -10]
bodies: {b: {mass: 2, inertia: 1, position: [0, 3], angle: 0, velocity: [1, 0]}}
outputs: {kinetic: energy.kinetic, potential: energy.potential}
""")
near([got["kinetic"], got["potential"]], 1, 60)  # zero at the world's origin
print("all as described")
