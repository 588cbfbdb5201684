#!/usr/bin/env python3
"""Expected values of the models in this folder, from the closed forms in their headers: writes expected.json.

One entry per output and time: {model, end, step, output, t, value, tolerance}. `end` and `step` are those of the model's method
section. The tolerance is what a second-order method needs at that step, with a margin.
"""

import json
import math
import os

import mpmath
import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sin, cos, sqrt, exp, log, pi = math.sin, math.cos, math.sqrt, math.exp, math.log, math.pi
g = 9.81


def sn(u, m):
    return float(mpmath.ellipfun("sn", u, m=m))


def cn(u, m):
    return float(mpmath.ellipfun("cn", u, m=m))


def unwound(angle, near):
    """The angle plus the multiple of 2 pi that brings it close to `near`."""
    return angle + 2 * pi * round((near - angle) / (2 * pi))


def damped(s0, W, zW, t):
    """Free oscillation from the stretch s0 at rest: frequency W, decay zW."""
    Wd = sqrt(W * W - zW * zW)
    return s0 * exp(-zW * t) * (cos(Wd * t) + zW / Wd * sin(Wd * t))


def pendulum(a0, w, t):
    """Angle of a'' = -w^2 sin(a) from rest at a0 (less than half a period is not assumed)."""
    k = sin(a0 / 2)
    m = k * k
    return 2 * math.asin(k * sn(w * t + float(mpmath.ellipk(m)), m))


def screw_jack(t):
    p = 1.5 / (2 * pi)
    z = -0.5 * g * 2 * p * p / (0.5 + 2 * p * p) * t * t
    return {"z": z, "angle": z / p, "travel": z}


def universal_shaft(t):
    b, th = pi / 6, 2 * t
    ratio = cos(b) / (cos(th) ** 2 + (cos(b) * sin(th)) ** 2)
    return {"angle1": th, "angle2": unwound(math.atan2(cos(b) * sin(th), cos(th)), th), "rate2": 2 * ratio}


def constant_velocity(t):
    b, th = pi / 4, 2 * t + t * t
    return {"angle": th, "equal": th, "rate": 2 + 2 * t, "cross": unwound(math.atan2(cos(b) * sin(th), cos(th)), th)}


def cam(t):
    r, d, f = 0.3, 0.12, 4 * t
    root = sqrt(r * r - (d * cos(f)) ** 2)
    return {"y": d * sin(f) + root, "vy": 4 * d * cos(f) * (1 + d * sin(f) / root)}


def cam_table(t):
    return {"y": 0.25 - 0.05 * sin(4 * t)}


def bead_on_cycloid(t, gravity=g):
    a = 0.4
    s = 2 * math.asin(sin(1) * cos(sqrt(gravity / (4 * a)) * t))
    return {"x": a * (s + sin(s)), "y": a * (1 - cos(s))}


def bead_in_space(t):
    plane = bead_on_cycloid(t, g * sin(pi / 3))
    return {"x": plane["x"], "height": plane["y"] * sin(pi / 3), "across": 0.5 * g * cos(pi / 3)}


def driven_cross(t):
    b, p = pi / 6, sin(2 * t)
    ratio = cos(b) / (cos(p) ** 2 + (cos(b) * sin(p)) ** 2)
    return {"p1": p, "p2": math.atan(cos(b) * math.tan(p)), "one": math.atan(math.tan(b) * cos(p)) - b,
            "two": math.asin(sin(b) * sin(p)), "rate": 2 * cos(2 * t) * ratio}


def oscillation(x, v, w, t):
    """Position and speed of x'' = -w^2 x."""
    return x * cos(w * t) + v / w * sin(w * t), v * cos(w * t) - w * x * sin(w * t)


def universal_springs(t):
    one, rate1 = oscillation(0.9 - 0.3, 2, sqrt(3 / 0.2), t)
    two, rate2 = oscillation(-0.7 + 0.2, 3, sqrt(5 / 0.2), t)
    return {"one": 0.3 + one, "two": -0.2 + two, "rate1": rate1, "rate2": rate2}


def plane_springs(t):
    soft, hard = sqrt(9 / 0.7), sqrt(25 / 0.7)
    x, y, vy = oscillation(0.3, 0.4, soft, t)[0], *oscillation(-0.2, 0.5, hard, t)
    ball_x, ball_y = oscillation(0.3, 0.4, hard, t)[0], oscillation(-0.2, 0.5, soft, t)[0]
    return {"x": x, "y": y, "turn": 0.8 * cos(sqrt(0.5 / 0.04) * t), "vy": vy, "ball_x": ball_x, "ball_y": ball_y,
            "height": 1 - 2 / 3 * x - y / 3, "ball_height": 1 - 2 / 3 * ball_x - ball_y / 3}


def cylindrical(t):
    b = pi / 5
    s = -0.5 * g * sin(b) * t * t
    return {"travel": s, "angle": 0.5 * 1.2 / 0.4 * t * t, "x": s * cos(b), "z": s * sin(b)}


def planar_joint(t):
    b = 0.4
    s = 0.5 * g * sin(b) * t * t
    return {"x": s * cos(b), "y": 1.5 * t, "z": -s * sin(b), "wz": 3 * cos(b), "normal_force": 0.7 * g * cos(b)}


def gear_train(t):
    r = -0.4
    a = 0.5 * 1.1 * t * t / (0.2 + r * r * 1.5)
    return {"angle1": a, "angle2": r * a}


def rack(t):
    R, I, m, T = 0.25, 0.08, 1.6, 5
    s = 0.5 * (T * R - m * g * R * R) / (I + m * R * R) * t * t
    return {"angle": s / R, "lift": s}


def driven_crank(t):
    r, l, w = 0.3, 0.8, 4
    th = 0.5 + w * t
    root = sqrt(l * l - (r * sin(th)) ** 2)
    return {"theta": th, "x": r * cos(th) + root, "vx": -r * w * sin(th) * (1 + r * cos(th) / root)}


def driven_slide(t):
    a, w, W = 0.1, 3, 5
    amplitude = a * w * w / (W * W - w * w)
    return {"xc": a * sin(w * t),
            "stretch": amplitude * (sin(w * t) - w / W * sin(W * t)) - a * w / W * sin(W * t)}


def driven_distance(t):
    b, d, c = 1.2, 0.8, 1 + 0.25 * sin(2 * t)
    return {"angle": math.acos((b * b + d * d - c * c) / (2 * b * d))}


def point_on_line(t):
    L, w = 2, sqrt(3 * g / 4)
    th = pi - pendulum(pi - 0.6, w, t)
    return {"theta": th, "x": L * sin(th), "y": L * cos(th)}


def point_on_line_spatial(t):
    s = 1 - 0.5 * 2 / 3 * g * t * t
    return {"x": 1 + 2 * s / 3, "y": 2 + s / 3, "z": 3 + 2 * s / 3, "wx": 2}


def point_on_plane(t):
    v = 2 / sqrt(5)
    return {"x": 2 * v * t + g / 9 * t * t, "y": -v * t + 2 * g / 9 * t * t, "z": 1 - 5 * g / 18 * t * t,
            "wz": 4, "force": 1.5 * g * 2 / 3}


def distance(t):
    L, b = 1.3, 0.7
    w, R = sqrt(g / (L * cos(b))), L * sin(b)
    return {"x": R * cos(w * t), "y": R * sin(w * t), "z": -L * cos(b), "length": L, "tension": 0.8 * g / cos(b)}


def spherical(t):
    L, m, b, axial = 1.5, 2, 0.6, 0.02
    w = sqrt(m * g * L / 2 / ((m * L * L / 3 - axial) * cos(b)))
    return {"x": L * sin(b) * cos(w * t), "y": L * sin(b) * sin(w * t), "z": -L * cos(b), "wz": w}


def fixed(t):
    L, m1, m2, I2, a0 = 1.1, 2, 1, 0.3, 1.2
    a = pendulum(a0, sqrt((m1 / 2 + m2) * g * L / (m1 * L * L / 3 + I2 + m2 * L * L)), t)
    return {"a": a, "disc_angle": a - a0 + 0.9, "x": L * sin(a), "y": -L * cos(a)}


def spring(t):
    m, k, c, s0 = 1.5, 40, 3, 0.5
    W, zW = sqrt(k / m), c / (2 * m)
    Wd = sqrt(W * W - zW * zW)
    return {"stretch": damped(s0, W, zW, t), "speed": -s0 * exp(-zW * t) * W * W / Wd * sin(Wd * t)}


def spring_force(t):
    return {"stretch": 0.6 * cn(0.6 * sqrt(60) * t, 0.5)}


def spring_table(t):
    s0, w1, w2 = 0.8, 3, 6
    t = t % (pi / w1 + pi / w2)
    t1 = pi / (2 * w1)
    t2 = t1 + pi / w2
    if t < t1:
        return {"stretch": s0 * cos(w1 * t)}
    if t < t2:
        return {"stretch": -s0 * w1 / w2 * sin(w2 * (t - t1))}
    return {"stretch": s0 * sin(w1 * (t - t2))}


def rotational_spring(t):
    I, k, c = 0.5, 8, 0.6
    return {"angle": 0.4 + damped(1, sqrt(k / I), c / (2 * I), t)}


def rotational_drag(t):
    I, c, w0 = 0.5, 0.2, 4
    q = 1 + c * w0 * t / I
    return {"angle": I / c * log(q), "rate": w0 / q}


def rotational_table(t):
    return {"angle": 0.7 * cos(sqrt(6 / 0.5) * t)}


def bushing(t):
    m, I = 2, 0.3
    return {"x": damped(0.2, sqrt(40 / m), 4 / (2 * m), t), "y": -0.1 * cos(sqrt(60 / m) * t),
            "z": -m * g / 90 * (1 - cos(sqrt(90 / m) * t)), "wz": 0.015 * cos(sqrt(5 / I) * t)}


def bushing_planar(t):
    c1, c2, W = cos(sqrt(15) * t), cos(sqrt(40) * t), sqrt(4 / 0.3)
    return {"x": 0.15 * (c1 + c2), "y": 0.15 * (c1 - c2), "angle": sin(W * t) / W}


def follower_force(t):
    m, F, w = 2, 3, 2.5
    a = F / (m * w * w)
    return {"x": a * (1 - cos(w * t)), "y": a * (w * t - sin(w * t)), "angle": w * t}


def follower_force_spatial(t):
    plane = follower_force(t)
    u, v = plane["x"] / 3, plane["y"] / 3
    return {"x": 2 * u - 2 * v, "y": u + 2 * v, "z": -2 * u - v}


def force_reaction(t):
    a = 4 / 9 * (1 - cos(3 * t))
    return {"x1": -a, "x2": 1 + a / 2.5}


def signal_force(t):
    w = sqrt(12 + 0.75**2) - 0.75
    return {"x": 0.8 * cos(w * t), "y": 0.8 * sin(w * t)}


def torque(t):
    a = 2 / 9 * (1 - cos(3 * t))
    return {"angle1": a / 0.5, "angle2": -a / 0.8}


def free_top(t):
    A, C, b, p = 0.4, 0.7, 0.5, 3
    return {"ax": sin(b) * cos(p * t), "ay": sin(b) * sin(p * t), "az": cos(b), "x": 1.2 * t,
            "wz": p + (A / C - 1) * p * cos(b) * cos(b)}


def conditional(t):
    c = cos(sqrt(10) * t)
    return {"x1": c, "x2": 2 * c, "x3": 3 * c}


def tyre(t):
    w, W, a = 20, 10, 0.003
    return {"z": 0.4 - 2 * g / 800 + a * w * w / (w * w - W * W) * (sin(W * t) - W / w * sin(w * t))}


def tyre_bounce(t):
    m, k, R, h = 2, 3000, 0.4, 0.3
    w, s0, tf = sqrt(k / m), m * g / k, sqrt(2 * h / g)
    u = g * tf
    Tc = 2 * (pi - math.atan(u / (w * s0))) / w
    T = t % (2 * tf + Tc) - tf
    if T < 0:
        x = R + h - g / 2 * (T + tf) ** 2
    elif T < Tc:
        x = R - s0 * (1 - cos(w * T)) - u / w * sin(w * T)
    else:
        x = R + u * (T - Tc) - g / 2 * (T - Tc) ** 2
    return {"x": x, "y": 0.2}


def stop(t):
    J, k, a, w = 0.5, 200, 0.6, 3
    W = sqrt(k / J)
    half = 2 * a / w + pi / W  # from the middle of the one way to that of the other
    n, T = divmod(t + a / w, half)
    T -= 2 * a / w  # since it met the stop
    angle = a + w * T if T < 0 else a + w / W * sin(W * T)
    return {"angle": (-1) ** int(n) * angle}


def friction(t):
    m, J, F, vs, v0, c, w0 = 2, 0.5, 3, 0.05, 1.5, 0.8, 3
    return {"v": vs * math.asinh(math.sinh(v0 / vs) * math.exp(-F * t / (m * vs))), "angle": J / c * w0 * (1 - math.exp(-c * t / J))}


def friction_reaction(t):
    M, J, mu, b, r, v0, w0 = 5, 0.4, 0.3, 0.6, 0.08, 0.5, 9
    return {"x": v0 * t + g * (sin(b) - mu * cos(b)) * t * t / 2, "rate": w0 - mu * r * M * g / J * t}


def integral(t):
    w = 3
    return {"x": sin(w * t), "action": w * w * t / 2 + w * sin(2 * w * t) / 4, "cube": t**3 / 3}


def rolling_ball_tilted(t):
    m, R, speed = 1.5, 0.1, 2
    n, along = (1 / 3, 2 / 3, 2 / 3), (2 * g / 9, 4 * g / 9, -5 * g / 9)
    u, at = (2 * speed / sqrt(5), -speed / sqrt(5), 0), (0, 0, 1)
    r = [at[k] + R * n[k] + u[k] * t + 5 / 14 * along[k] * t * t for k in range(3)]
    return {"x": r[0], "y": r[1], "z": r[2], "twist": 4, "along": 2 / 7 * m * sqrt(sum(a * a for a in along))}


def turntable(t):
    w, vx, vy, x0, y0 = 2 * 3 / 7, 0.4, -0.2, 0.3, 0.1
    s, c = sin(w * t) / w, (1 - cos(w * t)) / w
    return {"x": x0 + s * vx - c * vy, "y": y0 + s * vy + c * vx, "speed": sqrt(vx * vx + vy * vy)}


def rolling_on_turntable(t):
    return turntable(t)


def turntable_rows(t):
    m, w = 0.5, 2 * 3 / 7  # the force of friction is m dv/dt
    return {**turntable(t), "push": -m * w * (0.4 * sin(w * t) - 0.2 * cos(w * t))}


def rolling_coin(t):
    m, R, b, W = 0.8, 0.2, 0.3, 3
    A, C = m * R * R / 4, m * R * R / 2
    s = (A * W * W * sin(b) - m * g * R * math.tan(b)) / ((C + m * R * R) * W)
    Q = -R * s / W
    return {"x": Q * cos(W * t), "y": Q * sin(W * t), "z": R * cos(b), "wz": W + (s - W * sin(b)) * sin(b)}


def knife_edge(t):
    w, a = 1.5, 3
    return {"x": a / (2 * w * w) * sin(w * t) ** 2, "y": a / (2 * w * w) * (w * t - sin(2 * w * t) / 2), "theta": w * t}


def knife_edge_spatial(t):
    plane = knife_edge(t)
    return {"a": plane["x"], "b": plane["y"]}


def rolling_wheel_planar(t):
    m, R, J, b, u = 2, 0.3, 0.07, 0.4, 0.5
    a = g * sin(b) / (1 + J / (m * R * R))
    way = u * t + a * t * t / 2
    return {"way": way, "angle": -way / R, "friction": m * g * sin(b) - m * a}


def satellite(t):
    a, c, m, strength = 2, 0.3, 1.5, 12
    M = sqrt(strength / m / a**3) * t
    E = M
    for _ in range(60):
        E -= (E - c * sin(E) - M) / (1 - c * cos(E))
    return {"x": a * (cos(E) - c), "y": a * sqrt(1 - c * c) * sin(E), "r": a * (1 - c * cos(E)), "total": -strength / (2 * a)}


def orientation(t):
    w, d = sqrt(15), 0.4
    return {"x": d * cos(w * t), "y": -g / w**2 * (1 - cos(w * t)), "angle": 0}


def parallel_axes(t):
    return {"x": 0.3, "z": -g * t * t / 2, "angle": 3 * t * t / 1.2}


def perpendicular_axes(t):
    angle = 2 * t * t / (2 * 0.5)
    return {"x": cos(angle), "y": sin(angle), "z": -g * t * t / 2}


def motor(t):
    inertia, T0, b, m, F, w, k = 0.5, 4, 0.7, 2, 3, 5, 1.6
    decay = exp(-b * t / inertia)
    return {"rate": T0 / b * (1 - decay), "angle": T0 / b * (t - inertia / b * (1 - decay)), "x": F / (m * w * w) * (1 - cos(w * t)),
            "gap": math.cosh(sqrt(2 * k / m) * t), "power": (T0 - T0 * (1 - decay)) * T0 / b * (1 - decay),
            "power_of_ram": F * cos(w * t) * F / (m * w) * sin(w * t)}


def drag(t):
    m, c, l = 0.3, 0.2, 0.9
    u, rest = sqrt(m * g / c), 1 - exp(-l * t / m)
    return {"v": u * math.tanh(g * t / u), "y": -u * u / g * log(math.cosh(g * t / u)), "w": m * g / l * rest,
            "depth": -m * g / l * (t - m / l * rest)}


def position_law(t):
    L, w, r0 = 0.8, 2, 0.7
    a = pendulum(1.2, sqrt(g / L), t)
    return {"x": L * sin(a), "y": -L * cos(a), "r": r0 * math.cosh(w * t) + g / (2 * w * w) * (sin(w * t) - math.sinh(w * t)),
            "drop": -0.5 / 2.5 * g * t * t / 2, "pull": -2 * 1.5 / 2.5 * g}


def peaucellier(_):
    return {"x": (2.0**2 - 0.9**2) / 2}


# Outputs whose error is not that of a position: their own tolerance.
OWN = {("universal-shaft", "angle1"): 1e-8, ("driven-crank", "theta"): 1e-8, ("driven-crank", "x"): 1e-8,
       ("driven-slide", "xc"): 1e-8, ("driven-distance", "angle"): 1e-8, ("universal-shaft", "angle2"): 1e-8,
       ("distance", "length"): 1e-8, ("driven-crank", "vx"): 1e-6, ("universal-shaft", "rate2"): 1e-6,
       ("driven-cross", "p1"): 1e-8, ("driven-cross", "p2"): 1e-8, ("driven-cross", "one"): 1e-8, ("driven-cross", "two"): 1e-8,
       ("driven-cross", "rate"): 1e-6,
       ("constant-velocity", "angle"): 1e-8, ("constant-velocity", "equal"): 1e-8, ("constant-velocity", "cross"): 1e-8,
       ("constant-velocity", "rate"): 1e-6, ("cam", "y"): 1e-8, ("cam", "vy"): 1e-6, ("cam-table", "y"): 2e-7,
       ("distance", "tension"): 1e-3, ("point-on-plane", "force"): 1e-3, ("planar-joint", "normal_force"): 1e-3,
       # natural coordinates of what turns by 0.03 rad and more in a step
       ("rolling-ball-tilted", "x"): 5e-4, ("rolling-ball-tilted", "y"): 5e-4, ("rolling-ball-tilted", "z"): 5e-4,
       ("rolling-ball-tilted", "twist"): 5e-3, ("rolling-ball-tilted", "along"): 5e-3, ("rolling-wheel-planar", "angle"): 1e-3}
USUAL = 1e-4

entries = []
for function in (screw_jack, universal_shaft, cylindrical, planar_joint, gear_train, rack, driven_crank, driven_slide, driven_distance,
                 point_on_line, point_on_line_spatial, point_on_plane, distance, spherical, fixed, spring, spring_force,
                 spring_table, rotational_spring, rotational_drag, rotational_table, bushing, bushing_planar, follower_force,
                 follower_force_spatial, force_reaction, signal_force, torque, free_top, conditional, tyre, tyre_bounce, stop, friction,
                 friction_reaction,
                 integral, driven_cross, universal_springs, plane_springs, rolling_ball_tilted, rolling_on_turntable,
                 turntable_rows, rolling_coin, knife_edge, knife_edge_spatial, rolling_wheel_planar,
                 constant_velocity, cam, cam_table, bead_on_cycloid, bead_in_space, satellite, orientation, parallel_axes, perpendicular_axes,
                 motor, drag, position_law, peaucellier):
    name = function.__name__.replace("_", "-")
    with open(os.path.join(HERE, name + ".yaml"), encoding="utf-8") as file:
        model = yaml.safe_load(file)
    end, step = float(model["method"]["end"]), float(model["method"]["step"])
    for t in (end / 4, end / 2, end):
        for output, value in function(t).items():
            entries.append({"model": name + ".yaml", "end": end, "step": step, "output": output, "t": t, "value": value,
                            "tolerance": OWN.get((name, output), USUAL)})
with open(os.path.join(HERE, "expected.json"), "w", encoding="ascii") as file:
    file.write("[\n" + ",\n".join("  " + json.dumps(e) for e in entries) + "\n]\n")
print(f"expected.json: {len(entries)} values")
