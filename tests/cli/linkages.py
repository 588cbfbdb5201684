"""Linkages for tests of maps: drawn in a closed configuration, at any size, anywhere in space."""
import math
import numpy as np


class Linkage:
    """Bodies and joints by the points at which they are drawn."""

    def __init__(self, name, dimension=2):
        self.name, self.dimension = name, dimension
        self.bodies, self.joints, self.extra = {}, [], ""

    def joint(self, name, a, b, point, axis=(0, 0, 1), kind="revolute"):
        point = np.array(list(point) + [0] * (3 - len(point)), float)
        for body in (a, b):
            self.bodies.setdefault(body, []).append(point)
        self.joints.append((name, kind, a, b, point, np.array(axis, float)))
        return self

    def bar(self, name, a, b, c, d):
        """A body with two revolute joints: to `a` at the point b, to c at d."""
        return self.joint(f"{name}_1", a, name, b).joint(f"{name}_2", c, name, d)

    def text(self, scale=1.0, rotation=None, shift=(0, 0, 0), space=False):
        three = self.dimension == 3 or space
        n = 3 if three else 2
        R = np.eye(3) if rotation is None else rotation
        shift = np.array(shift, float)

        def numbers(v):
            return "[" + ", ".join(repr(float(x)) for x in v[:n]) + "]"

        origin = {body: points[0] for body, points in self.bodies.items()}
        origin["ground"] = np.zeros(3)
        points = {body: {} for body in self.bodies}
        for name, _, a, b, p, _ in self.joints:
            for body in (a, b):
                points[body][name] = scale * (p - origin[body])
        lines = ["sarrus: 1", f"name: {self.name}", f"dimension: {n}"]
        of = points.pop("ground")
        lines.append("ground: {points: {" + ", ".join(f"{k}: {numbers(R @ v + shift)}" for k, v in of.items()) + "}}")
        lines.append("bodies:")
        for body, of in points.items():
            center = sum(of.values()) / len(of)
            inertia = scale**2 * 0.1
            place = f"position: {numbers(scale * (R @ origin[body]) + shift)}"
            if three:
                place += f", rotation: {{x: {numbers(R[:, 0])}, y: {numbers(R[:, 1])}}}"
            moment = f"[{inertia}, {inertia}, {inertia}]" if three else repr(inertia)
            lines.append(f"  {body}: {{mass: 1, center: {numbers(center)}, inertia: {moment}, points: {{"
                         + ", ".join(f"{k}: {numbers(v)}" for k, v in of.items()) + f"}}, {place}}}")
        lines.append("joints:")
        for name, kind, a, b, _, axis in self.joints:
            line = f"  {name}: {{type: {kind}, between: [{a}.{name}, {b}.{name}]"
            if three or kind == "prismatic":
                line += f", axis: {numbers(R @ axis)}"
            lines.append(line + "}")
        return "\n".join(lines) + "\n" + self.extra


def meet(a, r, b, s, side=1):
    """The point at the distance r from a and s from b."""
    a, b = np.array(a, float), np.array(b, float)
    d = np.linalg.norm(b - a)
    x = (d * d + r * r - s * s) / (2 * d)
    h = math.sqrt(max(0.0, r * r - x * x))
    e = (b - a) / d
    return a + x * e + side * h * np.array([-e[1], e[0]])


def four_bar(g, a, b, c, angle=None, name="four-bar"):
    """Ground, crank, coupler, follower."""
    for k in range(721):
        t = angle if angle is not None else 0.3 + k * math.pi / 360
        tip = np.array([a * math.cos(t), a * math.sin(t)])
        d = math.hypot(g - tip[0], tip[1])
        if abs(b - c) <= d * (1 + 1e-15) and d <= (b + c) * (1 + 1e-15):
            break
    else:
        raise ValueError("it does not close")
    top = meet(tip, b, (g, 0), c)
    return (Linkage(name).joint("J1", "ground", "crank", (0, 0)).joint("J2", "crank", "coupler", tip)
            .joint("J3", "coupler", "follower", top).joint("J4", "ground", "follower", (g, 0)))


def slider_crank(r, l, name="slider-crank"):
    t = 0.7
    p = (r * math.cos(t), r * math.sin(t))
    q = (p[0] + math.sqrt(l * l - p[1]**2), 0)
    return (Linkage(name).joint("J1", "ground", "crank", (0, 0)).joint("J2", "crank", "rod", p)
            .joint("J3", "rod", "slider", q).joint("J4", "ground", "slider", q, (1, 0, 0), "prismatic"))


def parallelograms(n, rod=1.0, spacing=1.0):
    m = Linkage(f"parallelograms-{n}")
    t = 1.2
    tip = [(i * spacing + rod * math.cos(t), rod * math.sin(t)) for i in range(n + 1)]
    for i in range(n + 1):
        m.joint(f"A{i}", "ground", f"crank{i}", (i * spacing, 0))
    for i in range(n):
        m.joint(f"B{i}", f"crank{i}", f"coupler{i}", tip[i]).joint(f"C{i}", f"crank{i + 1}", f"coupler{i}", tip[i + 1])
    return m


def peaucellier(a=1.0, long=2.0, short=0.9):
    """Q moves on a line: O and C on the ground, |OC| = |CP| = a, arms `long`, rhombus `short`."""
    o, c = np.zeros(2), np.array([a, 0.0])
    p = c + a * np.array([math.cos(0.6), math.sin(0.6)])
    A, B = meet(o, long, p, short, 1), meet(o, long, p, short, -1)
    q = A + B - p
    m = Linkage("peaucellier")
    m.joint("O1", "ground", "armA", o).joint("O2", "ground", "armB", o).joint("C", "ground", "crank", c)
    m.joint("P1", "crank", "AP", p).joint("P2", "crank", "BP", p)
    m.joint("A1", "armA", "AP", A).joint("A2", "armA", "AQ", A)
    m.joint("B1", "armB", "BP", B).joint("B2", "armB", "BQ", B)
    return m.joint("Q", "AQ", "BQ", q)


def common_slider(cranks):
    """Slider-cranks r = l = 1 on one slider."""
    m = Linkage("common-slider")
    q = (2 * math.cos(0.6), 0)
    p = (math.cos(0.6), math.sin(0.6))
    for i in range(cranks):
        m.joint(f"O{i}", "ground", f"crank{i}", (0, 0)).joint(f"P{i}", f"crank{i}", f"rod{i}", p)
        m.joint(f"Q{i}", f"rod{i}", "slider", q)
    return m.joint("S", "ground", "slider", q, (1, 0, 0), "prismatic")


def sarrus_linkage(offsets=(0.6, 0.6), rod=1.0, plate=0.3):
    """Two chains of three parallel hinges across each other hold a plate, which moves straight up."""
    m, height = Linkage("sarrus-linkage", 3), 1.4
    for k, axis in enumerate(((0, 1, 0), (1, 0, 0))):
        foot, top = np.array([offsets[k], 0.0]), np.array([plate, height])
        knee = meet(foot, rod, top, rod, -1)

        def at(p):
            return (p[0], 0, p[1]) if k == 0 else (0, p[0], p[1])
        m.joint(f"A{k}", "ground", f"lower{k}", at(foot), axis)
        m.joint(f"B{k}", f"lower{k}", f"upper{k}", at(knee), axis).joint(f"C{k}", f"upper{k}", "plate", at(top), axis)
    return m


def rotation_about(axis, angle):
    axis = np.array(axis, float) / np.linalg.norm(axis)
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def random_rotation(random):
    q = np.array([random.gauss(0, 1) for _ in range(4)])
    w, x, y, z = q / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def _chain(angles, twists, lengths, offsets):
    """Lines of the joints of a chain by Denavit and Hartenberg, and its last frame."""
    R, p, lines = np.eye(3), np.zeros(3), []
    for th, al, a, d in zip(angles, twists, lengths, offsets):
        lines.append((p.copy(), R[:, 2].copy()))
        p = p + d * R[:, 2]
        R = R @ rotation_about((0, 0, 1), th)
        p = p + a * R[:, 0]
        R = R @ rotation_about((1, 0, 0), al)
    return R, p, lines


def closed_loop(name, twists, lengths, offsets, random, tries=200):
    """A loop of revolute joints that closes, from a start at random."""
    def residual(x):
        R, p, _ = _chain(x, twists, lengths, offsets)
        return np.concatenate(((R - np.eye(3)).ravel(), p))
    for _ in range(tries):
        x = np.array([random.uniform(-math.pi, math.pi) for _ in twists])
        mu = 0.1
        f = residual(x)
        for _ in range(200):
            J = np.array([(residual(x + 1e-6 * e) - residual(x - 1e-6 * e)) / 2e-6 for e in np.eye(len(x))]).T
            step = np.linalg.solve(J.T @ J + mu * np.eye(len(x)), -J.T @ f)
            g = residual(x + step)
            if g @ g < f @ f:
                x, f, mu = x + step, g, max(mu / 10, 1e-14)
            else:
                mu *= 10
            if f @ f < 1e-29 or mu > 1e8:
                break
        s = np.linalg.svd(J, compute_uv=False)
        if f @ f < 1e-26 and sum(s < 1e-6) == 1:  # it moves, and is not singular there
            break
    else:
        raise ValueError("it does not close")
    _, _, lines = _chain(x, twists, lengths, offsets)
    n = len(lines)
    m = Linkage(name, 3)
    names = ["ground"] + [f"link{i}" for i in range(1, n)]
    for i, (p, z) in enumerate(lines):
        m.joint(f"J{i + 1}", names[i - 1], names[i], p, z)
    return m


def bennett(random, a=0.7, b=1.3):
    return closed_loop("bennett", [a, b, a, b], [math.sin(a), math.sin(b)] * 2, [0] * 4, random)


def bricard_line(random, offsets=(0.2, 0.5, 0.3)):
    return closed_loop("bricard-line", [1, 0.6, 1.4] * 2, [1, 1.3, 0.8] * 2, list(offsets) * 2, random)


def spherical(random, arcs):
    return closed_loop("spherical", list(arcs), [0] * 4, [0] * 4, random)


SAMPLES = 6000


def circuits(g, a, b, c):
    """Of a four-bar: closed sequences of its points A (end of the crank) and B (end of the follower)."""
    def reach(t):
        return math.sqrt(g * g + a * a - 2 * g * a * math.cos(t))

    def angle(d):
        return math.acos(max(-1, min(1, (g * g + a * a - d * d) / (2 * g * a))))

    low, high = abs(b - c), b + c
    least = angle(low) if reach(0) < low else 0.0
    most = angle(high) if reach(math.pi) > high else math.pi
    phi = np.linspace(0, math.pi, SAMPLES // 2)
    pieces = []
    if least == 0 and most == math.pi:
        full = np.linspace(0, 2 * math.pi, SAMPLES, endpoint=False)
        pieces = [[(t, 1) for t in full], [(t, -1) for t in full]]
    elif least == 0:
        t = most * np.cos(phi)
        pieces = [[(x, 1) for x in t] + [(x, -1) for x in t[::-1]]]
    elif most == math.pi:
        t = math.pi + (math.pi - least) * np.cos(phi)
        pieces = [[(x, 1) for x in t] + [(x, -1) for x in t[::-1]]]
    else:
        t = 0.5 * (least + most) + 0.5 * (most - least) * np.cos(phi)
        pieces = [[(s * x, 1) for x in t] + [(s * x, -1) for x in t[::-1]] for s in (1, -1)]
    out = []
    for piece in pieces:
        t, side = np.array([p[0] for p in piece]), np.array([p[1] for p in piece])
        A = a * np.stack((np.cos(t), np.sin(t)), 1)
        e = np.array([g, 0]) - A
        d = np.linalg.norm(e, axis=1)
        x = (d * d + b * b - c * c) / (2 * d)
        h = side * np.sqrt(np.maximum(0, b * b - x * x))
        e = e / d[:, None]
        out.append((A, A + x[:, None] * e + h[:, None] * np.stack((-e[:, 1], e[:, 0]), 1)))
    return out


def point_on(body, local, g, A, B):
    """A point of a body of the four-bar, in coordinates along and across its line."""
    n = len(A)
    ends = {"ground": (np.zeros((n, 2)), np.tile([g, 0.0], (n, 1))), "crank": (np.zeros((n, 2)), A),
            "coupler": (A, B), "follower": (np.tile([g, 0.0], (n, 1)), B)}[body]
    e = ends[1] - ends[0]
    e = e / np.linalg.norm(e, axis=1)[:, None]
    return ends[0] + local[0] * e + local[1] * np.stack((-e[:, 1], e[:, 0]), 1)


def three_rrr(random):
    """A planar robot with three legs, its inputs locked; and in how many ways the platform can be put on the cranks."""
    while True:
        ends = [np.array([random.uniform(-1, 1), random.uniform(-1, 1)]) for _ in range(3)]
        feet = [e + np.array([random.uniform(-.5, .5), random.uniform(-.5, .5)]) for e in ends]
        at, turn = np.array([random.uniform(-.3, .3), random.uniform(-.3, .3)]), random.uniform(-3, 3)
        corner = [at + random.uniform(.3, .6) * np.array([math.cos(turn + 2.1 * k), math.sin(turn + 2.1 * k)]) for k in range(3)]
        bars = [float(np.linalg.norm(c - e)) for c, e in zip(corner, ends)]
        base, side = ends[1] - ends[0], corner[1] - corner[0]
        g, c = float(np.linalg.norm(base)), float(np.linalg.norm(side))
        along = (corner[2] - corner[0]) @ side / c
        across = (corner[2] - corner[0]) @ np.array([-side[1], side[0]]) / c
        third = np.array([(ends[2] - ends[0]) @ base, (ends[2] - ends[0]) @ np.array([-base[1], base[0]])]) / g
        count, doubt = 0, 1.0
        for A, B in circuits(g, bars[0], c, bars[1]):  # the four-bar of two legs and the platform
            f = np.linalg.norm(point_on("coupler", (along, across), g, A, B) - third, axis=1) - bars[2]
            count += int(np.sum((f > 0) != (np.roll(f, 1) > 0)))
            turns = f[((f >= np.roll(f, 1)) & (f >= np.roll(f, -1))) | ((f <= np.roll(f, 1)) & (f <= np.roll(f, -1)))]
            doubt = min([doubt, *np.abs(turns)])
        if doubt > 1e-3:
            break
    m = Linkage("three-rrr")
    for k in range(3):
        m.joint(f"A{k}", "ground", f"crank{k}", feet[k]).joint(f"B{k}", f"crank{k}", f"bar{k}", ends[k])
        m.joint(f"C{k}", f"bar{k}", "platform", corner[k])
    m.extra = "drives:\n" + "".join(f"  D{k}: {{joint: A{k}, value: 0}}\n" for k in range(3))
    return m, count


def five_bar(g, a, b, c, d):
    """Ground, crank, bar, bar, crank: two degrees of freedom."""
    A, B = a * np.array([math.cos(1.7), math.sin(1.7)]), np.array([g, 0]) + d * np.array([math.cos(1.3), math.sin(1.3)])
    top = meet(A, b, B, c)
    return (Linkage("five-bar").joint("J1", "ground", "crank1", (0, 0)).joint("J2", "crank1", "bar1", A)
            .joint("J3", "bar1", "bar2", top).joint("J4", "bar2", "crank2", B).joint("J5", "ground", "crank2", (g, 0)))


def hexapod_points(random):
    """Ends of six legs, on the ground and on the platform, and their lengths as drawn."""
    base = [[random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-.3, .3)] for _ in range(6)]
    top = [[random.uniform(-.6, .6), random.uniform(-.6, .6), random.uniform(-.2, .2)] for _ in range(6)]
    points = [(np.array(b), np.array(p)) for b, p in zip(base, top)]
    return points, [float(np.linalg.norm(np.array([0.1, 0.05, 0.8]) + p - b)) for b, p in points]


def hexapod(random):
    """A platform on six legs of constant length."""
    points, lengths = hexapod_points(random)
    lines = ["sarrus: 1", "name: hexapod", "dimension: 3",
             "ground: {points: {" + ", ".join(f"B{k}: {b.tolist()}" for k, (b, _) in enumerate(points)) + "}}",
             "bodies:", "  platform: {mass: 1, inertia: [.1, .1, .1], points: {"
             + ", ".join(f"P{k}: {p.tolist()}" for k, (_, p) in enumerate(points))
             + "}, position: [0.1, 0.05, 0.8], rotation: {x: [1, 0, 0], y: [0, 1, 0]}}", "joints:"]
    for k, length in enumerate(lengths):
        lines.append(f"  L{k}: {{type: distance, between: [ground.B{k}, platform.P{k}], distance: {length!r}}}")
    return "\n".join(lines) + "\n"


def bricard_plane(random):
    """Six revolute joints: two axes in a plane, two anywhere, and the mirror images of these; and its circuits.

    With the link between the second and third axis at rest the first turns about the second by a, the fourth about the third
    by c. Both have to be in one plane: f(a, c) = A(a) + B(a) cos c + C(a) sin c = 0 has two roots c, or none.
    """
    def anywhere(inside):
        numbers = [random.uniform(-1, 1) for _ in range(6)]
        point, axis = np.array(numbers[:3]), np.array(numbers[3:])
        if inside:
            point[2] = axis[2] = 0.0
        return point, axis / np.linalg.norm(axis)

    mirror = np.array([1, 1, -1])
    lines = [anywhere(True), anywhere(False), anywhere(False), anywhere(True)]
    lines += [(mirror * p, mirror * u) for p, u in (lines[2], lines[1])]
    (p1, u1), (p2, u2), (p3, u3), (p4, u4) = lines[:4]

    def coplanar(a, c):
        R, S = rotation_about(u2, a), rotation_about(u3, c)
        return np.cross(R @ u1, S @ u4) @ (p3 + S @ (p4 - p3) - p2 - R @ (p1 - p2))

    reach = []
    for a in np.linspace(0, 2 * math.pi, 500, endpoint=False):
        at = [coplanar(a, c) for c in (0, math.pi / 2, math.pi)]
        A = (at[0] + at[2]) / 2
        reach.append((at[0] - A)**2 + (at[1] - A)**2 - A * A)
    inside = np.array(reach) > 0
    count = 2 if inside.all() else int(np.sum(inside & ~np.roll(inside, 1)))
    m = Linkage("bricard-plane", 3)
    names = ["ground"] + [f"link{i}" for i in range(1, 6)]
    for i, (p, u) in enumerate(lines):
        m.joint(f"J{i + 1}", names[i - 1], names[i], p, u)
    return m, count


def rccc(random, ball):
    """A revolute and three cylindrical joints with the directions of a spherical linkage, anywhere."""
    m, names = Linkage("rccc", 3), ["ground", "a", "b", "c"]
    for i, (*_, axis) in enumerate(ball.joints):
        m.joint(f"J{i + 1}", names[i - 1], names[i], [random.uniform(-1, 1) for _ in range(3)], axis, "cylindrical" if i else "revolute")
    return m


def geared_five_bar(g, a, b, c, d, first, second, ratio):
    """A five-bar whose cranks, drawn at two angles, a gear couples, as text (None: it does not close), and the distance of their tips."""
    A, B = a * np.array([math.cos(first), math.sin(first)]), np.array([g, 0]) + d * np.array([math.cos(second), math.sin(second)])
    t = np.linspace(0, 2 * math.pi * ratio.denominator, 6000 * ratio.denominator, endpoint=False)
    x, y = first + t, second + float(ratio) * t
    distance = np.hypot(g + d * np.cos(y) - a * np.cos(x), d * np.sin(y) - a * np.sin(x))
    if not abs(b - c) + .02 < np.linalg.norm(B - A) < b + c - .02:
        return None, distance
    m = (Linkage("five-bar").joint("J1", "ground", "crank1", (0, 0)).joint("J2", "crank1", "bar1", A)
         .joint("J3", "bar1", "bar2", meet(A, b, B, c)).joint("J4", "bar2", "crank2", B).joint("J5", "ground", "crank2", (g, 0)))
    gear = f"  G: {{type: gear, joints: [J1, J5], ratio: {float(ratio)!r}}}"
    return m.text() + gear + "\n", distance

# A slider-crank of equal rods, upright: two motions meet, and a spring holds one of them.
SINGULAR = """
sarrus: 1
name: singular
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 1/12, center: [0.5, 0], points: {end: [1, 0]}, position: [0, 0], angle: pi/2}
  coupler: {mass: 1.3, inertia: 1.3/12, center: [0.5, 0], points: {end: [1, 0]}, position: [0, 1], angle: -pi/2}
  slider: {mass: 0.6, inertia: 0.1, position: [0, 0], angle: 0}
joints:
  O: {type: revolute, between: [ground.origin, crank.origin]}
  A: {type: revolute, between: [crank.end, coupler.origin]}
  B: {type: revolute, between: [coupler.end, slider.origin]}
  guide: {type: prismatic, between: [ground.origin, slider.origin], axis: [1, 0]}
forces:
  spring: {type: spring, joint: guide, stiffness: 30}
"""
