#!/usr/bin/env python3
"""Modes against closed forms and published tables, in all coordinates, of doubled, rotated, mirrored and scaled models.

Usage: test_modes.py PROGRAM SOURCE_ROOT
"""
import math
import os
import subprocess

from built import sanitized
from linkages import SINGULAR
from modes_runs import COORDINATES2, COORDINATES3, FOLDER, PROGRAM, check, eigenvalues, finish, modes, near, quadratic, roots, same, scan

# ---- the benchmark bicycle ----------------------------------------------------------------------------------------------------------

# M x'' + v C1 x' + (g K0 + v^2 K2) x = 0 [meijaard2007], eigenvalues of these matrices in 50 digits: weave, capsize, caster
BICYCLE = {
    1: (3.52696170990068, 0.80774027519931, -3.13423125066578, -7.11008014637434),
    2: (2.68234517512745, 1.68066296590675, -3.07158645641514, -8.67387984831728),
    3: (1.70675605663975, 2.31582447384323, -2.63366137253667, -10.3510146724591),
    4: (0.41325331521127, 3.07910818603203, -1.42944427361329, -12.1586142657643),
    5: (-0.77534188219581, 4.46486771378819, -0.32286642900411, -14.0783896927981),
    6: (-1.52644486584138, 5.87673060598704, -0.00406690076972, -16.0853712309801),
    7: (-2.13875644258360, 7.19525913329799, 0.10268170574766, -18.1578846612518),
    8: (-2.69348683581091, 8.46037971396929, 0.14327879765713, -20.2794089439454),
    9: (-3.21675402252486, 9.69377351531778, 0.15790184030917, -22.4378855904083),
    10: (-3.72016840437282, 10.90681139476282, 0.16105338653171, -24.6245963501736),
}


def bicycle():
    for coordinates in COORDINATES3[:1] if sanitized(PROGRAM) else COORDINATES3:
        limit = 2e-13 if coordinates == "relative" else 1e-10
        r = modes("bicycle", "--set", "push=0", "--set", "speed=0", "--coordinates", coordinates)
        check(r["zeros"] == 6 and r["about"] == "equilibrium", "bicycle at rest: zeros, about")
        same(f"bicycle, {coordinates}, 0 m/s", r, [3.13164324790656, -3.13164324790656, 5.5309437176539, -5.5309437176539], limit)
        for v, (re, im, capsize, caster) in BICYCLE.items():
            r = modes("bicycle", "--set", "push=0", "--set", f"speed={v}", "--coordinates", coordinates)
            check(r["zeros"] == 6 and r["about"] == "steady motion", f"bicycle, {coordinates}, {v} m/s: zeros, about")
            same(f"bicycle, {coordinates}, {v} m/s", r, [complex(re, im), complex(re, -im), capsize, caster], limit)


# ---- closed forms -------------------------------------------------------------------------------------------------------------------

# An arm that spins about the vertical, a rod that hinges about it: J1 arm about its axis, L1 to the hinge, rod m with centre at
# l and J about it (no inertia about its own axis). With th from hanging, W the rate of the arm:
#   (J + m l^2) th'' = sin th (W^2 (J + m l^2) cos th - m g l) coupled by m L1 l cos th with the arm
FURUTA = """
sarrus: 1
name: furuta
dimension: 3
parameters: {W: 3, up: 0, J1: 0.05, L1: 0.3, m: 0.4, l: 0.2, J: 0.01}
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1, center: [0, 0, 0], inertia: [1, 1, J1], points: {tip: [L1, 0, 0]}, position: [0, 0, 0], angular_velocity: [0, 0, W]}
  rod: {mass: m, center: [0, 0, -l], inertia: [J, J, 1e-3], position: [L1, 0, 0], rotation: {axis: [1, 0, 0], angle: up*pi}, angular_velocity: [0, 0, W]}
joints:
  shaft: {type: revolute, between: [ground.origin, arm.origin], axis: [0, 0, 1]}
  hinge: {type: revolute, between: [arm.tip, rod.origin], axis: [1, 0, 0]}
start: {shaft.rate: W, hinge.rate: 0}
"""


def furuta():
    J1, L1, m, l, J, g = 0.05, 0.3, 0.4, 0.2, 0.01, 9.81
    thin = 1e-3  # about the rod's own axis
    for W, up in ((3, 0), (3, 1), (12, 0)):
        sign = -1 if up else 1
        # [[A, B], [B, D]] (phi'', th'') = (0, -k th): A = J1 + m L1^2 + thin, |B| = m L1 l, D = J + m l^2
        A, B, D = J1 + m * L1**2 + thin, m * L1 * l, J + m * l**2
        k = sign * m * g * l - W**2 * (J + m * l**2 - thin)
        square = -k * A / (A * D - B * B)
        for c in COORDINATES3:
            r = modes("furuta", "--set", f"W={W}", "--set", f"up={up}", "--coordinates", c, text=FURUTA)
            check(r["zeros"] == 2 and r["about"] == "steady motion", f"furuta {c} {W} {up}: {r['zeros']} {r['about']}")
            same(f"furuta, {c}, {W} rad/s, {'up' if up else 'down'}", r, roots(square), 1e-10)


# A governor: two arms of length l with masses m, hinged on the axis of a shaft that spins freely with W.
GOVERNOR = """
sarrus: 1
name: governor
dimension: 3
parameters: {W: 6, J: 0.3, m: 0.5, l: 0.4, i: 0.01, th: acos(9.81/(l*W^2))}
gravity: [0, 0, -9.81]
bodies:
  shaft: {mass: 1, inertia: [1, 1, J], position: [0, 0, 0], angular_velocity: [0, 0, W]}
  right: {mass: m, inertia: [i, i, i], center: [0, 0, -l], position: [0, 0, 0], rotation: {axis: [0, 1, 0], angle: -th}, angular_velocity: [0, 0, W]}
  left: {mass: m, inertia: [i, i, i], center: [0, 0, -l], position: [0, 0, 0], rotation: {axis: [0, 1, 0], angle: th}, angular_velocity: [0, 0, W]}
joints:
  bearing: {type: revolute, between: [ground.origin, shaft.origin], axis: [0, 0, 1]}
  again: {type: revolute, between: [ground, shaft], at: [0, 0, -0.3], axis: [0, 0, 1]}
  a: {type: revolute, between: [shaft.origin, right.origin], axis: [0, 1, 0]}
  b: {type: revolute, between: [shaft.origin, left.origin], axis: [0, 1, 0]}
start: {bearing.rate: W, a.rate: 0, b.rate: 0}
"""


def governor():
    W, J, m, l, i = 6, 0.3, 0.5, 0.4, 0.01
    c = 9.81 / (l * W * W)
    s2, k = 1 - c * c, m * l * l / (m * l * l + i)
    # both arms together change the spin by the moment of momentum, against each other they do not
    together = -W * W * k * (s2 + 8 * m * l * l * s2 * c * c / (J + 2 * i + 2 * m * l * l * s2))
    for coordinates in COORDINATES3:
        r = modes("governor", "--at", "steady", "--coordinates", coordinates, text=GOVERNOR)
        check(r["zeros"] == 2, f"governor {coordinates}: {r['zeros']} zeros")
        same(f"governor, {coordinates}", r, roots(together, -W * W * k * s2), 1e-10)


# A mass on a shaft that a drive turns with W, held in the shaft's axes by springs of wx^2 and wy^2.
SHAFT = """
sarrus: 1
name: shaft
dimension: 2
parameters: {W: 1, wx: 3, wy: 4}
bodies:
  shaft: {mass: 1, inertia: 1, position: [0, 0], angle: 0, angular_velocity: W}
  slide: {mass: 0.1, inertia: 0.05, position: [0, 0], angle: 0, angular_velocity: W}
  mass: {mass: 1, inertia: 0.1, position: [0, 0], angle: 0, angular_velocity: W}
joints:
  bearing: {type: revolute, between: [ground.origin, shaft.origin]}
  x: {type: prismatic, between: [shaft.origin, slide.origin], axis: [1, 0]}
  y: {type: prismatic, between: [slide.origin, mass.origin], axis: [0, 1]}
drives:
  motor: {joint: bearing, coordinate: angle, value: W*t}
forces:
  kx: {type: spring, joint: x, stiffness: wx^2}
  ky: {type: spring, joint: y, stiffness: wy^2}
"""


def shaft():
    for W in (1, 3.5, 6):
        # x: 1.1 (x'' - W^2 x) - 2 W y' + 9 x = 0, y: y'' - W^2 y + 2 W x' + 16 y = 0; S = lambda^2
        a, b = 9 - 1.1 * W**2, 16 - W**2
        wanted = roots(*quadratic(1.1, 1.1 * b + a + 4 * W**2, a * b))
        for c in COORDINATES2:
            r = modes("shaft", "--set", f"W={W}", "--coordinates", c, text=SHAFT)
            check(r["about"] == "steady motion", f"shaft {c} {W}: {r['about']}")
            same(f"shaft, {c}, {W} rad/s", r, wanted, 1e-10)


def unbalanced():
    """The mass's centre is off the shaft: the steady deflection has to be found, and modes are those of the balanced one."""
    text = SHAFT.replace("mass: {mass: 1, inertia: 0.1,", "mass: {mass: 1, inertia: 0.1, center: [0.05, 0.02],")
    for W in (1, 3.5, 6):
        a, b = 9 - 1.1 * W**2, 16 - W**2
        wanted = roots(*quadratic(1.1, 1.1 * b + a + 4 * W**2, a * b))
        for c in COORDINATES2:
            check(modes("unbalanced", "--set", f"W={W}", "--coordinates", c, text=text)["about"] == "frozen", "an unbalanced shaft at rest in its axes")
            r = modes("unbalanced", "--set", f"W={W}", "--at", "steady", "--coordinates", c, text=text)
            check(r["about"] == "steady motion" and r["found_near_the_start"], f"unbalanced {c} {W}: {r['about']}")
            same(f"unbalanced shaft, {c}, {W} rad/s", r, wanted, 1e-10)


def governor_search():
    """From arms drawn elsewhere, and over speeds."""
    W, J, m, l, i = 6, 0.3, 0.5, 0.4, 0.01
    c = 9.81 / (l * W * W)
    s2, k = 1 - c * c, m * l * l / (m * l * l + i)
    together = -W * W * k * (s2 + 8 * m * l * l * s2 * c * c / (J + 2 * i + 2 * m * l * l * s2))
    for coordinates in COORDINATES3:
        for th in (0.5, 1.2):
            r = modes("governor", "--at", "steady", "--set", f"th={th}", "--coordinates", coordinates, text=GOVERNOR)
            check(r["about"] == "steady motion" and r["found_near_the_start"], f"governor from {th}, {coordinates}: {r['about']}")
            same(f"governor, {coordinates}, drawn at {th}", r, roots(together, -W * W * k * s2), 1e-9)
    points = scan(os.path.join(FOLDER, "governor.yaml"), "W=5.8:6.4:3", "--at", "steady", "--set", "th=0.8")["points"]
    for p in points:
        c = 9.81 / (l * p["value"]**2)
        slow = min(abs(complex(*x)) for x in p["modes"])
        check(abs(slow - p["value"] * math.sqrt(k * (1 - c * c))) < 1e-9, f"governor over speeds: {p}")
    path = os.path.join(FOLDER, "fall.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("sarrus: 1\nname: fall\ndimension: 2\ngravity: [0, -9.81]\nbodies: {b: {mass: 1, inertia: 1, velocity: [1, 0]}}\n")
    done = subprocess.run([PROGRAM, "modes", path, "--at", "steady"], capture_output=True, text=True)
    check(done.returncode == 1 and "no steady motion" in done.stderr, f"a body that falls: {done.returncode} {done.stderr}")


def leaning_disc():
    """A disc that rolls on a circle, by moments about its centre in axes (along its path, up in its plane, its own): angular velocity
    (-th', W cos th, n), that of the axes (-th', W cos th, W sin th), velocity of the centre (-R n, 0, -R th')."""
    m, R, g, lean, W = 1, 0.25, 9.81, math.pi / 9, math.pi / 2
    A, C = m * R * R / 4, m * R * R / 2
    n = (A * W**2 * math.sin(lean) - m * g * R * math.tan(lean)) / ((C + m * R * R) * W)

    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

    def rates(x):
        th, d, W, n = x
        s, c = math.sin(th), math.cos(th)
        axes, H, v = [-d, W * c, W * s], [-A * d, A * W * c, C * n], [-R * n, 0, -R * d]
        turn, carried = cross(axes, H), cross(axes, v)
        # -A th'' + turn_1 + m R (-R th'' + carried_3 + g s) = 0 and so on
        return [d, (turn[0] + m * R * (carried[2] + g * s)) / (A + m * R * R), (A * W * s * d - turn[1]) / (A * c),
                -(turn[2] - m * R * carried[0]) / (C + m * R * R)]
    at, h = [lean, 0.0, W, n], 1e-4
    check(max(abs(x) for x in rates(at)) < 1e-12, f"leaning disc: {rates(at)}")
    slope = [[(8 * (rates([x + h * (k == j) for k, x in enumerate(at)])[i] - rates([x - h * (k == j) for k, x in enumerate(at)])[i])
               - (rates([x + 2 * h * (k == j) for k, x in enumerate(at)])[i] - rates([x - 2 * h * (k == j) for k, x in enumerate(at)])[i])) / (12 * h)
              for j in range(4)] for i in range(4)]
    # th'' = a th + b W + c n, W' = e th', n' = f th': th''' = (a + b e + c f) th'
    square = slope[1][0] + slope[1][2] * slope[2][1] + slope[1][3] * slope[3][1]
    for coordinates in COORDINATES3:
        r = modes("rolling-disc", "--coordinates", coordinates)
        check(r["about"] == "steady motion", f"leaning disc {coordinates}: {r['about']}")
        # +-iW are those of the plane: the circle may be elsewhere
        same(f"leaning disc, {coordinates}", r, roots(square, -W * W), 1e-10)
        r = modes("rolling-disc", "--at", "steady", "--set", "n=-6.2", "--coordinates", coordinates)
        check(r["about"] == "steady motion" and r["found_near_the_start"], f"leaning disc, found, {coordinates}: {r['about']}")


# Two rods of length 1 with masses 2 and 1 at their ends, torsion springs k, a force P along the second.
ZIEGLER = """
sarrus: 1
name: ziegler
dimension: 2
parameters: {P: 2, k: 1}
bodies:
  low: {mass: 2, inertia: 0, center: [1, 0], points: {end: [1, 0]}, position: [0, 0], angle: 0}
  high: {mass: 1, inertia: 0, center: [1, 0], points: {end: [1, 0]}, position: [1, 0], angle: 0}
joints:
  foot: {type: revolute, between: [ground.origin, low.origin]}
  knee: {type: revolute, between: [low.end, high.origin]}
forces:
  s1: {type: rotational-spring, joint: foot, stiffness: k}
  s2: {type: rotational-spring, joint: knee, stiffness: k}
  follower: {type: force, acts_on: high.end, force: [-P, 0], axes: body}
"""
DOUBLED = ZIEGLER.replace("forces:", "  again: {type: revolute, between: [ground.origin, low.origin]}\n"
                          "  more: {type: revolute, between: [low.end, high.origin]}\nforces:")


def ziegler_roots(P):
    """[3 1; 1 1] a'' + k [2 -1; -1 1] a + P [-1 1; 0 0] a = 0: 2 L^2 + L (7 - 2 P) + 1 = 0 with L = lambda^2."""
    return roots(*quadratic(2, 7 - 2 * P, 1))


def ziegler():
    for P in (0, 1.5, 2.05, 2.2, 5):
        for c in COORDINATES2:
            for text in (ZIEGLER, DOUBLED):
                same(f"ziegler, {c}, P = {P}", modes("ziegler", "--set", f"P={P}", "--coordinates", c, text=text), ziegler_roots(P), 1e-10)


# Three cranks of a parallelogram, one of which is redundant, with a spring at the coupler. The crank's mass is at its middle.
PARALLELOGRAM = """
sarrus: 1
name: parallelogram
dimension: 2
parameters: {S: 1, turn: 0, mirror: 1, third: 1, c: cos(turn), s: sin(turn)}
gravity: [9.81*S*s, -9.81*S*c]
bodies:
  crank1: {mass: 0.7, inertia: 0.7*S^2/12, center: [0, -S/2], points: {end: [0, -S]}, position: [0, 0], angle: turn}
  crank2: {mass: 0.7, inertia: 0.7*S^2/12, center: [0, -S/2], points: {end: [0, -S]}, position: [mirror*S*c, mirror*S*s], angle: turn}
  crank3: {mass: 0.7, inertia: 0.7*S^2/12, center: [0, -S/2], points: {end: [0, -S]}, position: [mirror*2*S*c, mirror*2*S*s], angle: turn}
  coupler: {mass: 1.3, inertia: 0.2*S^2, points: {a: [0, 0], b: [mirror*S, 0], c: [mirror*2*S, 0]}, position: [S*s, -S*c], angle: turn}
joints:
  A1: {type: revolute, between: [ground.origin, crank1.origin]}
  A2: {type: revolute, between: [ground, crank2], at: [mirror*S*c, mirror*S*s]}
  A3: {type: revolute, between: [ground, crank3], at: [mirror*2*S*c, mirror*2*S*s]}
  B1: {type: revolute, between: [crank1.end, coupler.a]}
  B2: {type: revolute, between: [crank2.end, coupler.b]}
  B3: {type: revolute, between: [crank3.end, coupler.c]}
forces:
  spring: {type: rotational-spring, joint: A1, stiffness: 20*S^2, angle: turn}
"""


def parallelogram():
    # (3 m/3 + mc) S^2 a'' + (3 m/2 + mc) g S a + k a = 0
    m, mc, g = 0.7, 1.3, 9.81
    square = -((1.5 * m + mc) * g + 20) / (m + mc)
    variants = {"plain": [], "turned": ["--set", "turn=0.7"], "mirrored": ["--set", "mirror=-1"], "small": ["--set", "S=1e-3"],
                "large": ["--set", "S=1e3"]}
    for c in COORDINATES2:
        for name, options in variants.items():
            r = modes("parallelogram", "--coordinates", c, *options, text=PARALLELOGRAM)
            check(r["freedoms"] == 1 and r["conservative"] and r["modes"][0]["re"] == 0.0, f"parallelogram {c} {name}: one undamped mode")
            same(f"parallelogram, {c}, {name}", r, roots(square), 1e-10)


# A slider-crank with r = l, upright: crank and coupler coincide, two motions meet. m 1 and 1.3, slider 0.6, k 30 N/m.


def singular():
    # motion 1: isosceles, x = 2 sin(a) with a from the vertical; motion 2: the coupler turns with the crank, the slider rests
    m1, m2, m3, k, g = 1, 1.3, 0.6, 30, 9.81
    # coupler's centre at (1.5 sin a, 0.5 cos a), slider at 2 sin a: T = a'^2/2 (m1/3 + m2 (2.25 + 1/12) + 4 m3) at a = 0
    one = (-(m1 + m2) * g / 2 + 4 * k) / (m1 / 3 + m2 * (2.25 + 1 / 12) + 4 * m3)
    two = -(m1 / 2 + m2 / 2) * g / (m1 / 3 + m2 / 3)
    for c in COORDINATES2:
        r = modes("singular", "--coordinates", c, text=SINGULAR)
        check(r["motions_that_meet"] == 2, f"singular {c}: {r['motions_that_meet']} motions meet")
        same(f"singular, {c}", r, roots(-one, -two), 1e-8)


def frozen():
    r = modes("ziegler", "--set", "P=0", text=ZIEGLER.replace("angle: 0}", "angle: 0.3}", 1).replace("[1, 0], angle: 0", "[cos(0.3), sin(0.3)], angle: 0"))
    check(r["about"] == "frozen", f"a pendulum that falls is no equilibrium: {r['about']}")
    refused = subprocess.run([PROGRAM, "modes", os.path.join(FOLDER, "ziegler.yaml"), "--at", "soon"], capture_output=True, text=True)
    check(refused.returncode == 2 and "equilibrium" in refused.stderr, "--at soon is refused")


# ---- over a parameter ---------------------------------------------------------------------------------------------------------------

def vary():
    picture, table = os.path.join(FOLDER, "speeds.svg"), os.path.join(FOLDER, "speeds.csv")
    r = scan("bicycle", "speed=1:10:19", "--set", "push=0", "-o", picture, "-o", table)
    changes = r["changes"]
    check([(c["before"], c["after"]) for c in changes] == [(1, 0), (0, 1)], f"bicycle: changes {changes}")
    near("weave speed", changes[0]["value"], 4.29238253634, 1e-11)
    near("capsize speed", changes[1]["value"], 6.02426201539, 1e-10)
    with open(picture, encoding="utf-8") as file:
        text = file.read()
    check(text.startswith("<svg") and text.rstrip().endswith("</svg>") and "Root locus" in text and ".a{stroke:#666;fill:none}" in text, "root locus as SVG")
    with open(table, encoding="utf-8") as file:
        rows = file.read().splitlines()
    check(rows[0] == "speed,re,im,frequency,damping,stability" and len(rows) == 1 + sum(len(p["modes"]) for p in r["points"]), "root locus as CSV")
    path = os.path.join(FOLDER, "flutter.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(DOUBLED)
    changes = scan(path, "P=0:4:9")["changes"]
    check(len(changes) == 1, f"ziegler: changes {changes}")
    near("flutter load", changes[0]["value"], 3.5 - math.sqrt(2), 1e-10)
    for text in ("speed", "speed=1", "speed=1:2", "speed=1:2:1", "=1:2:3"):
        done = subprocess.run([PROGRAM, "modes", "bicycle", "--vary", text], capture_output=True, text=True)
        check(done.returncode == 2 and "FROM:TO:POINTS" in done.stderr, f"--vary {text} is refused")


finish([bicycle, furuta, governor, governor_search, shaft, unbalanced, leaning_disc, ziegler, parallelogram, singular, frozen, vary])
