#!/usr/bin/env python3
"""Bounds of constraints, phases that repeat, and forces that jump, against closed forms.

Usage: test_events.py PROGRAM SOURCE_ROOT

The examples bouncing-ball and stick-slip run as they are, by the automatic method at 1e-8. Smaller models go through all coordinates
with methods of several kinds.
"""
import math
import os

from runs import COORDINATES, MODELS, answer as run, expect, finish, near

METHODS = (("--integrator", "dop853", "--formulation", "chart", "--tolerance", "1e-10"),
           ("--formulation", "al3", "--integrator", "trapezoidal", "--step", "1e-4"),
           ("--formulation", "al1", "--integrator", "rk4", "--step", "1e-3"))


def everywhere(model, check):
    for coordinates in COORDINATES:
        for method in METHODS:
            check(*run(model, "--coordinates", coordinates, *method), f"{coordinates} {' '.join(method)}",
                  1e-9 if "dop853" in method else 2e-5)


def happenings(answer, what):
    return [i for i in answer["impacts"] if i["what"] == what]


# ---- a ball that bounces ----------------------------------------------------------------------

def check_ball():
    g, h, r, e = 9.81, 1.0, 0.1, 0.8
    answer, rows = run(os.path.join(MODELS, "bouncing-ball.yaml"))
    end = math.sqrt(2 * h / g) * (1 + e) / (1 - e)
    times, speeds = [math.sqrt(2 * h / g)], [math.sqrt(2 * g * h)]
    while 2 * e * speeds[-1] / g > 1e-3:
        speeds.append(e * speeds[-1])
        times.append(times[-1] + 2 * speeds[-1] / g)
    found = happenings(answer, "impact")
    for k, (t, v) in enumerate(zip(times, speeds)):
        near(found[k]["t"], t, 1e-10, f"impact {k}")
        near(found[k]["rate_before"], -v, 1e-7 * v, f"speed of impact {k}")
        near(found[k]["impulse"], 0.5 * (1 + e) * v, 1e-7 * v, f"impulse {k}")
    near(happenings(answer, "impacts end")[0]["t"], end, 1e-8, "end of the impacts")
    expect(len(happenings(answer, "contact closes")) == 1, "the contact closes once")
    near(abs(answer["energy"]["max_drift"]), 0, 1e-10, "what impacts take is in the balance")
    for row in rows:
        t = row["time"]
        k = sum(one <= t for one in times)
        y = h - g * t * t / 2 if k == 0 else 0.0
        if 0 < k < len(times):
            y = e * speeds[k - 1] * (t - times[k - 1]) - g * (t - times[k - 1]) ** 2 / 2
        near(row["y"], r + y, 1e-8 if k < len(times) else 1e-6, f"height at {t}")
        near(row["x"], 0.3 * t, 1e-8, f"way at {t}")
        if t > end:
            near(row["push"], 0.5 * g, 1e-8, "weight on the floor")


# ---- contacts that open -----------------------------------------------------------------------

TABLE = """
sarrus: 1
name: a ball on a table that shakes
dimension: 3
gravity: [0, 0, -9.81]
parameters: {A: 0.05, w: 20}
bodies:
  ball: {mass: 2, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0], velocity: [0.1, 0, A*w]}
constraints:
  table: {position: ball.origin.z - A*sin(w*t), lower: 0}
outputs: {z: ball.origin.z, push: table.force}
method: {end: 0.3, sample: 0.05}
"""


def check_table(answer, rows, how, tolerance):
    A, w, g = 0.05, 20.0, 9.81
    away = math.asin(g / (A * w * w)) / w
    near(happenings(answer, "contact opens")[0]["t"], away, 1e3 * tolerance, f"{how}: lifts off")
    flight = (lambda t: A * math.sin(w * away) + A * w * math.cos(w * away) * (t - away) - g * (t - away) ** 2 / 2)
    a, b = away + 0.05, 0.3
    while b - a > 1e-14:
        c = (a + b) / 2
        a, b = (c, b) if flight(c) > A * math.sin(w * c) else (a, c)
    impact = happenings(answer, "impact")[0]
    near(impact["t"], a, 20 * tolerance, f"{how}: comes back")
    rate = A * w * math.cos(w * away) - g * (a - away) - A * w * math.cos(w * a)
    near(impact["rate_before"], rate, 200 * tolerance, f"{how}: with this rate")
    expect(happenings(answer, "contact closes")[-1]["t"] == impact["t"], f"{how}: and stays")


# ---- a pendulum between two stops, in space, with a loop ---------------------------------------

STOPS = """
sarrus: 1
name: pendulum between stops
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.02], center: [0, 0, -0.5], position: [0, 0, 0], rotation: {rpy: [0, 0, 0]}}
joints:
  pin: {type: revolute, between: [ground.origin, rod.origin], axis: [1, 0, 0]}
constraints:
  stop: {position: pin.angle, lower: -0.25, upper: 0.3, restitution: 0.6}
start: {pin.angle: 0, pin.rate: 2}
outputs: {angle: pin.angle, rate: pin.rate}
method: {end: 1.2, sample: 0.1}
"""


def check_stops(answer, rows, how, tolerance):
    J, c = 0.1 + 0.25, 9.81 * 0.5
    energy, bound, e = 0.5 * J * 4, 0.3, 0.6
    for impact in happenings(answer, "impact")[:4]:  # energy from bound to bound
        expect(impact["bound"] == ("upper" if bound > 0 else "lower"), f"{how}: the other bound")
        rate = math.sqrt(2 * (energy - c * (1 - math.cos(bound))) / J)
        near(abs(impact["rate_before"]), rate, 200 * tolerance, f"{how}: rate at {bound}")
        near(abs(impact["impulse"]), J * (1 + e) * rate, 200 * tolerance, f"{how}: impulse at {bound}")
        energy = c * (1 - math.cos(bound)) + 0.5 * J * (e * rate) ** 2
        bound = -0.25 if bound > 0 else 0.3
        if energy <= c * (1 - math.cos(bound)):
            break
    expect(all(-0.25 - 1e-8 < row["angle"] < 0.3 + 1e-8 for row in rows), f"{how}: stays between the stops")


# ---- several impacts at one time ---------------------------------------------------------------

CRADLE = """
sarrus: 1
name: cradle
dimension: 2
parameters: {n: 4, L: 1, d: 0.1}
gravity: [0, -9.81]
repeat:
  - index: i
    from: 1
    to: n
    ground: {points: {"P{i}": [i*d, 0]}}
    bodies:
      "b{i}": {mass: 1, inertia: 0.001, points: {top: [0, L]}, position: [i*d - 0.5*(i == 1), -L*(i > 1) - sqrt(0.75)*(i == 1)], angle: -(i == 1)*pi/6}
    joints:
      "J{i}": {type: revolute, between: ["ground.P{i}", "b{i}.top"]}
  - index: i
    from: 1
    to: n - 1
    constraints:
      "c{i}": {position: "b{i+1}.origin.x - b{i}.origin.x", lower: d, restitution: 1}
outputs: {first: J1.angle, last: J4.angle, second: J2.angle}
method: {end: 3, sample: 0.05, tolerance: 1e-8}
"""


def check_cradle():
    answer, rows = run(CRADLE)
    near(max(row["last"] for row in rows), math.pi / 6, 2e-3, "the last ball swings as far as the first")
    near(max(abs(row["second"]) for row in rows), 0, 1e-8, "those between stay")
    impacts = happenings(answer, "impact")
    expect(len(impacts) == 9 and len({round(i["t"], 9) for i in impacts}) == 3, "three blows through three contacts")


STACK = """
sarrus: 1
name: a stack of balls
dimension: 2
parameters: {n: 9, d: 0.1, bounce: %s}
gravity: [0, -9.81]
repeat:
  - index: i
    from: 1
    to: n
    bodies: {b{i}: {mass: i, inertia: 0.001, position: [0, 0.2 + i*d + 0.01*(i - 1)], angle: 0}}
    joints: {J{i}: {type: prismatic, between: [ground.origin, b{i}.origin], axis: [0, 1]}}
  - index: i
    from: 1
    to: n - 1
    constraints: {c{i}: {position: b{i+1}.origin.y - b{i}.origin.y, lower: d, restitution: bounce}}
    outputs: {f{i}: c{i}.force}
constraints: {floor: {position: b1.origin.y, lower: d, restitution: bounce}}
outputs: {top: b{n}.origin.y, f0: floor.force}
method: {end: 1.2, sample: 0.1, tolerance: 1e-8}
"""


def check_stack():
    """Nine contacts, more sets than are made before a run. Each carries what is above it in the end."""
    for bounce, coordinates in ((0, "relative"), (0.3, "natural"), (0.3, "relative")):
        answer, rows = run(STACK % bounce, "--coordinates", coordinates)
        expect(len(happenings(answer, "contact closes")) >= 9, f"{bounce}: all contacts close")
        for k in range(9):
            near(rows[-1][f"f{k}"], 9.81 * sum(range(k + 1, 10)), 1e-6, f"{bounce} {coordinates}: force of contact {k}")
        near(rows[-1]["top"], 0.9, 1e-8, f"{bounce} {coordinates}: height of the stack")


# ---- a table on four legs: its forces are not determined, its rest is ---------------------------------

LEGS = """
sarrus: 1
name: table
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  top: {mass: 4, inertia: [0.5, 0.6, 1], points: {A: [1, 1, -1], B: [-1, 1, -1], C: [-1, -1, -1], D: [1, -1, -1]}, position: [0, 0, 1.05], rotation: {axis: [1, 2, 0], angle: 0.02}}
constraints:
  a: {position: top.A.z, lower: 0}
  b: {position: top.B.z, lower: 0}
  c: {position: top.C.z, lower: 0}
  d: {position: top.D.z, lower: 0}
outputs: {all: a.force + b.force + c.force + d.force, a: a.force, b: b.force, c: c.force, d: d.force, z: top.center.z}
method: {end: 1, sample: 0.1, tolerance: 1e-8}
"""


def check_table_on_legs():
    for coordinates in COORDINATES:
        answer, rows = run(LEGS, "--coordinates", coordinates)
        near(rows[-1]["all"], 4 * 9.81, 1e-6, f"{coordinates}: the legs carry the table")
        near(rows[-1]["z"], 1, 1e-7, f"{coordinates}: it stands")
        expect(min(rows[-1][leg] for leg in "abcd") > -1e-8, f"{coordinates}: no leg pulls")


# ---- phases that repeat, forces that come and go ------------------------------------------------

def check_stick_slip():
    m, k, N, mu_s, mu_k, belt = 1, 100, 10, 0.6, 0.4, 0.2
    w, xk, u = math.sqrt(k / m), mu_k * N / k, (mu_s - mu_k) * N / k
    slip = 2 * (math.pi - math.atan(u * w / belt)) / w
    first, period = mu_s * N / k / belt, slip + 2 * u / belt

    def way(t):
        if t < first:
            return belt * t
        t = (t - first) % period
        return xk + u * math.cos(w * t) + belt / w * math.sin(w * t) if t < slip else xk - u + belt * (t - slip)

    for options in ((), ("--coordinates", "natural"), ("--coordinates", "cartesian"), ("--coordinates", "increments")):
        answer, rows = run(os.path.join(MODELS, "stick-slip.yaml"), *options)
        expect(len(answer["phases"]) == 15, f"{options}: phases")
        for j, phase in enumerate(answer["phases"]):
            near(phase["t"], first + (j // 2) * period + (slip if j % 2 else 0), 1e-9, f"{options}: phase {j}")
        for row in rows:
            near(row["x"], way(row["time"]), 1e-9, f"{options}: place at {row['time']}")


# ---- forces that jump or have kinks --------------------------------------------------------------

PUSH = """
sarrus: 1
name: push
dimension: 2
tables:
  bent: {x: [-10, 0, 10], y: [-40, 0, 90]}
bodies: {m: {mass: 1, inertia: 1, position: [0.7, 0], angle: 0}}
joints: {guide: {type: prismatic, between: [ground.origin, m.origin], axis: [1, 0]}}
forces: {f: {type: actuator, joint: guide, force: '%s'%s}}
outputs: {px: m.origin.x, pv: m.origin.vx}
method: {end: 3, sample: 0.125, tolerance: 1e-10}
"""


def between_two(t, x, left, right):
    """From rest at x > 0; `left` and `right` are (time from one end of a side to the other, way at a time)."""
    (t1, way1), (t2, way2) = left, right
    t = (t + t2 / 2) % (t1 + t2)
    return way2(t) if t < t2 else way1(t - t2)


def hills(force):
    """From rest at 0.7 with forces that are constant between whole numbers."""
    answer, rows = run(PUSH % (force, ""), "--end", "1.5")
    x, v, t = 0.7, 0.0, 0.0
    law = {"2*": lambda n: 2 * n + 1, "5 ": lambda n: 1 - 4 * (-n % 2)}[force[:2]]
    n, motion = 0, []
    while t < 1.5:
        a = law(n)
        motion.append((t, x, v, a))
        ends = [(end, -v / a + s * math.sqrt(v * v / (a * a) - 2 * (x - end) / a)) for end in (n, n + 1) for s in (-1, 1) if v * v >= 2 * a * (x - end)]
        end, h = min((e for e in ends if e[1] > 1e-9), key=lambda e: e[1])
        x, v, t = end, v + a * h, t + h
        n = end if v > 0 else end - 1
    for row in rows:
        t, x, v, a = max(m for m in motion if m[0] <= row["time"])
        h = row["time"] - t
        near(row["px"], x + v * h + a * h * h / 2, 1e-8, f"{force} at {row['time']}")
    expect(answer["time"]["rejected"] <= 3, f"{force}: {answer['time']['rejected']} steps were rejected")


def check_jumps():
    x0 = 0.7
    a, b = 3.0, 5.0  # constant forces towards 0 on both sides
    v = math.sqrt(2 * a * x0)
    constant = ((2 * v / b, lambda t: -v * t + b * t * t / 2), (2 * v / a, lambda t: v * t - a * t * t / 2))
    w1, w2 = 2.0, 3.0
    bent = ((math.pi / w1, lambda t: -x0 * w2 / w1 * math.sin(w1 * t)), (math.pi / w2, lambda t: x0 * math.sin(w2 * t)))
    cases = (("x > 0 ? -3 : 5", constant), ("1 - 4*sign(x)", constant), ("x < 0 and 1 ? 5 : -3", constant), ("-bent(x)", bent),
             ("-6.5*x - 2.5*abs(x)", bent), ("-max(4*x, 9*x)", bent), ("-min(x, 0)*4 - 9*max(0, x)", bent))
    for force, sides in cases:
        answer, rows = run(PUSH % (force, ""))
        for row in rows:
            near(row["px"], between_two(row["time"], x0, *sides), 1e-8, f"{force} at {row['time']}")
        expect(answer["time"]["rejected"] <= 3, f"{force}: {answer['time']['rejected']} steps were rejected")
        expect(not answer["warnings"], f"{force}: {answer['warnings']}")
    for force in ("2*floor(x) + 1", "2*x - 2*mod(x, 1) + 1", "5 - 4*mod(-floor(x), 2) - 4"):
        hills(force)
    smooth, _ = run(PUSH % ("x > 0 ? -3 : 5", ", smooth: yes"))
    expect(smooth["time"]["rejected"] > 10, "smooth: yes goes across")
    text, _ = run(PUSH % ("-3 - 5*sign(v + 1)", ""), code=1)
    expect("jumps to and fro" in text, f"a force that chatters is named: {text}")


# ---- edges --------------------------------------------------------------------------------------

FALL = """
sarrus: 1
name: fall
dimension: 2
gravity: [0, -2]
bodies: {a: {mass: 1, inertia: 1, position: [0, %s]}}
constraints: {floor: {position: a.origin.y, lower: 0, restitution: 0.5}}
outputs: {y: a.origin.y, vy: a.origin.vy}
method: {end: 1, sample: 0.5}
"""


RESTING = """
sarrus: 1
name: on a spring over a floor
dimension: 2
gravity: [0, -10]
bodies: {bob: {particle: yes, mass: 1, position: [0, 0.3]}}
joints: {guide: {type: point-on-line, between: [ground.origin, bob.origin], axis: ground.y}}
forces: {spring: {type: spring, joint: guide, stiffness: 10, length: 0.5}}
constraints: {floor: {position: bob.origin.y, lower: 0}}
"""


def check_edges():
    answer, rows = run(FALL % 1)
    expect("impacts" not in answer and rows[-1]["vy"] < -1.99, "an impact at the very end is after it")
    text, _ = run(FALL % -0.1, code=4)
    expect('the start violates "floor"' in text, f"a start beyond a bound is refused: {text}")
    text, _ = run(RESTING, "--equilibrium", code=4)
    expect('forces are balanced where "floor" is violated: bob.origin.y is -0.5' in text, f"an equilibrium beyond a bound is refused as one: {text}")
    answer, rows = run(FALL % 0)
    near(max(abs(row["y"]) for row in rows), 0, 1e-12, "what lies on the floor stays there")


# ---- small and far away --------------------------------------------------------------------------

FAR = """
sarrus: 1
name: a small ball far away
dimension: 2
gravity: [0, -9.81]
parameters: {r: 0.1 mm, h: %s}
bodies: {ball: {mass: 1e-6, inertia: 1e-15, position: [1000, h + 1.5*r], angle: 0}}
constraints: {floor: {position: ball.origin.y - h, lower: r, restitution: 0.5}}
outputs: {y: ball.origin.y - h}
method: {end: 0.02, sample: 0.002}
"""


def check_far():
    for h, method in ((h, method) for h in (0, 1000) for method in (["--formulation", "al1", "--integrator", "dop853"], ["--tolerance", "1e-6"])):
        answer, rows = run(FAR % h, *method)
        closes, ends = happenings(answer, "contact closes"), happenings(answer, "impacts end")
        fall = math.sqrt(2 * 0.5e-4 / 9.81)
        expect(len(closes) == 1 and len(ends) == 1, f"{h} m away: the contact closes once: {answer['impacts'][-3:]}")
        near(ends[0]["t"] if ends else math.nan, 3 * fall, 1e-5 if h else 1e-8, f"{h} m away: end of the impacts")
        near(rows[-1]["y"], 1e-4, 1e-11 if h else 1e-15, f"{h} m away: it lies on the floor")
        times = [i["t"] for i in answer["impacts"]]
        expect(times == sorted(times), f"{h} m away: what happens is told in order: {times[-3:]}")


check_ball()
check_far()
everywhere(TABLE, check_table)
everywhere(STOPS, check_stops)
check_cradle()
check_stack()
check_table_on_legs()
check_stick_slip()
check_jumps()
check_edges()
finish()
