"""Random mechanisms that pass singular configurations, each with its motion in minimal coordinates (minimal.py).

A slider-crank of equal lengths has two motions: in one the rod mirrors the crank and the slider goes to and fro, in the other
crank and rod turn as one about the pivot and the slider rests there. They meet where crank and rod are across the slide. A
row of parallelograms has its motion of parallel cranks, and others that leave it where all links are on one line. Units: the
length of the crank, the mass of all, one time; the model file has them as metres, kilograms and seconds.
"""
import dataclasses
import math

import numpy as np

import minimal

MOVING, FOLDED = "moving", "folded"


@dataclasses.dataclass
class Loop:
    """One closed loop: which coordinate moves it, and outputs that show its branch."""
    coordinate: int
    place: float          # singular where sin(q - place) = 0
    branch: str
    slide: str = ""       # output: where the slider is, in units of the crank; parallelograms: none
    cranks: tuple = ()    # outputs: angles of the other cranks


@dataclasses.dataclass
class Mechanism:
    kind: str
    model: dict
    motion: minimal.Motions
    loops: list
    outputs: list         # names of (angle, rate) of each coordinate
    interval: float       # of samples, in units of time
    count: int
    length: float
    time: float

    @property
    def sets(self):
        """(coordinate, place) of the singular sets, each once."""
        return sorted({(loop.coordinate, loop.place) for loop in self.loops})


class Draft:
    """A plane model that is drawn in units of its own, turned and put anywhere, beside its motion in minimal coordinates."""

    def __init__(self, rng, kind, unknowns):
        self.rng, self.kind, self.unknowns = rng, kind, unknowns
        self.length, self.mass = 10.0 ** rng.uniform(-3, 3), 10.0 ** rng.uniform(-6, 6)
        self.time = 10.0 ** rng.uniform(-2, 2)
        self.turn = rng.choice([0.0, math.pi / 2, rng.uniform(-math.pi, math.pi)])
        self.axes = np.array([[math.cos(self.turn), -math.sin(self.turn)], [math.sin(self.turn), math.cos(self.turn)]])
        self.place = rng.choice([0.0, 0.0, 10.0]) * rng.normal(size=2)
        self.gravity = rng.choice([0.0, 1.0, 1.0, 1.0]) * rng.uniform(0.5, 2) * self.direction()
        self.bodies, self.joints, self.forces, self.start, self.outputs = {}, {}, {}, {}, {}
        self.points = {}
        self.masses, self.places, self.inertia = [], [], np.zeros(unknowns)
        self.spring, self.offset, self.stiffness, self.free = np.zeros((unknowns, 2, 2)), np.array([1.0, 0.0]), 0.0, 1.0
        self.push, self.force, self.frequency, self.phase = np.zeros((unknowns, 2)), 0.0, 0.0, 0.0
        self.loops, self.names = [], []

    def direction(self):
        v = self.rng.normal(size=2)
        return v / np.linalg.norm(v)

    def shares(self, count, massless=()):
        """Masses that sum to one, with ratios up to 1000; `massless` may be without."""
        masses = 10.0 ** self.rng.uniform(-1.5, 1.5, count)
        for k in massless:
            masses[k] *= self.rng.integers(2)
        return masses / masses.sum()

    def world(self, p):
        return [float(c) for c in self.length * (self.place + self.axes @ np.asarray(p, float))]

    def heavy(self, mass, matrices, turning=None):
        """A mass at sum P_i (cos, sin); turning: coordinate and moment of inertia."""
        place = np.zeros((self.unknowns, 2, 2))
        for i, matrix in matrices.items():
            place[i] = matrix
        self.masses.append(mass)
        self.places.append(place)
        if turning:
            self.inertia[turning[0]] += turning[1]

    def body(self, name, mass, inertia, angle, rate, position, velocity, points, center=(0.0, 0.0)):
        unit = self.mass * self.length**2
        self.bodies[name] = {
            "mass": float(mass * self.mass), "inertia": float(inertia * unit), "center": [float(self.length * c) for c in center],
            "points": {k: [float(self.length * c) for c in p] for k, p in points.items()},
            "position": self.world(position), "angle": float(angle + self.turn),
            "velocity": [float(c) for c in self.length / self.time * (self.axes @ np.asarray(velocity, float))],
            "angular_velocity": float(rate / self.time)}

    def output(self, name, text, unit=1.0):
        self.outputs[name] = f"({text})/{float(unit)!r}"
        return name

    def coordinate(self, angle, rate):
        """Outputs of the next coordinate: an angle as drawn, and its rate in units of the time."""
        k = len(self.names)
        self.names.append((self.output(f"q{k}", f"{angle} - {float(self.turn)!r}"), self.output(f"v{k}", rate, 1 / self.time)))

    def finished(self, q, v, samples):
        interval, count = samples
        model = {"sarrus": 1, "name": self.kind, "dimension": 2,
                 "gravity": [float(c) for c in self.length / self.time**2 * (self.axes @ self.gravity)],
                 "ground": {"points": self.points, "axes": {"slide": [float(c) for c in self.axes[:, 0]]}}, "bodies": self.bodies,
                 "joints": self.joints, "forces": self.forces, "outputs": self.outputs, "start": self.start,
                 "method": {"end": float(interval * count * self.time), "step": float(1e-3 * self.time)}}
        motion = minimal.Motions(np.array(self.masses), np.array(self.places), self.inertia, self.gravity, np.array(q, float),
                                 np.array(v, float), self.spring, self.offset, self.stiffness, self.free, self.push, self.force,
                                 self.frequency, self.phase)
        return Mechanism(self.kind, model, motion, self.loops, self.names, interval, count, self.length, self.time)


CIRCLE, MIRROR, ALONG = np.eye(2), np.diag([1.0, -1.0]), np.diag([1.0, 0.0])


def slider_crank(d, coordinate, q, v, branch=MOVING, shift=(0.0, 0.0), share=1.0, exact=False):
    """Crank and rod of length one; `exact`: it starts in a singular configuration, and all its speeds are demanded."""
    c, tag, shift = coordinate, str(coordinate), np.asarray(shift, float)
    masses = share * d.shares(3, massless=[2])
    centers = d.rng.uniform(0.2, 0.8, 2)
    inertias = masses[:2] * d.rng.uniform(0.02, 0.3, 2)
    rod = (CIRCLE - centers[1] * CIRCLE) if branch == FOLDED else CIRCLE + centers[1] * MIRROR
    slide = 0 * ALONG if branch == FOLDED else 2 * ALONG
    for mass, place, inertia in ((masses[0], centers[0] * CIRCLE, inertias[0]), (masses[1], rod, inertias[1]), (masses[2], slide, 0.0)):
        d.heavy(mass, {c: place}, (c, inertia))
    circle, tangent = np.array([math.cos(q), math.sin(q)]), np.array([-math.sin(q), math.cos(q)])
    angle, rate = (q + math.pi, v) if branch == FOLDED else (-q, -v)
    d.points["O" + tag] = d.world(shift)
    d.body("crank" + tag, masses[0], inertias[0], q, v, shift, [0, 0], {"O": [0, 0], "P": [1, 0]}, [centers[0], 0])
    d.body("rod" + tag, masses[1], inertias[1], angle, rate, shift + circle, v * tangent, {"P": [0, 0], "Q": [1, 0]}, [centers[1], 0])
    d.body("slider" + tag, masses[2], 0.0, 0.0, 0.0, shift + slide @ circle, v * (slide @ tangent), {"Q": [0, 0]})
    ends = {"O": (f"ground.O{tag}", f"crank{tag}.O"), "P": (f"crank{tag}.P", f"rod{tag}.P"), "Q": (f"rod{tag}.Q", f"slider{tag}.Q")}
    d.joints.update({k + tag: {"type": "revolute", "between": list(pair)} for k, pair in ends.items()})
    d.joints["guide" + tag] = {"type": "prismatic", "between": [f"ground.O{tag}", f"slider{tag}.Q"], "axis": ["ground.slide", f"slider{tag}.x"]}
    d.start.update({f"O{tag}.angle": float(q + d.turn), f"O{tag}.rate": float(v / d.time)})
    if exact:
        d.start[f"guide{tag}.speed"] = float((v * (slide @ tangent))[0] * d.length / d.time)
    d.coordinate(f"O{tag}.angle", f"O{tag}.rate")
    d.loops.append(Loop(c, math.pi / 2, branch, d.output("s" + tag, f"guide{tag}.displacement", d.length)))
    return slide


def pendulums(d, count, base, on, q, v, share):
    """A chain of pendulums on a point of the slider-crank whose place is `base` (cos q_0, sin q_0)."""
    masses, chain, at = share * d.shares(count), {0: base}, on
    place, speed = place_of(chain, q), speed_of(chain, q, v)
    for k in range(count):
        c, length = k + 1, d.rng.uniform(0.3, 1.2)
        center, inertia, name = length * d.rng.uniform(0.4, 0.9), masses[k] * length**2 * d.rng.uniform(0.02, 0.2), f"pendulum{k + 1}"
        d.heavy(masses[k], {**chain, c: center * CIRCLE}, (c, inertia))
        d.body(name, masses[k], inertia, q[c], v[c], place, speed, {"A": [0, 0], "B": [length, 0]}, [center, 0])
        d.joints[f"hinge{c}"] = {"type": "revolute", "between": [at, f"{name}.A"]}
        d.start.update({f"{name}.angle": float(q[c] + d.turn), f"{name}.rate": float(v[c] / d.time)})
        d.coordinate(f"{name}.angle", f"{name}.rate")
        chain[c] = length * CIRCLE
        place, speed, at = place_of(chain, q), speed_of(chain, q, v), f"{name}.B"


def place_of(chain, q):
    return sum(m @ [math.cos(q[i]), math.sin(q[i])] for i, m in chain.items())


def speed_of(chain, q, v):
    return sum(m @ [-math.sin(q[i]), math.cos(q[i])] * v[i] for i, m in chain.items())


# ---- starts ----

def apart(rng, place, margin=0.1):
    """An angle at least so far from place + k pi."""
    return place + rng.integers(2) * math.pi + rng.uniform(margin, math.pi - margin)


def fast(rng):
    return rng.choice([-1, 1]) * rng.uniform(0.3, 3)


def crossing(rng):
    return rng.choice([-1, 1]) * math.pi / 2


SAMPLES = (0.05, 200)  # interval and number, in units of time


# ---- the kinds ----

def plain(rng, kind="sc"):
    d, q, v = Draft(rng, kind, 1), apart(rng, math.pi / 2), fast(rng)
    slider_crank(d, 0, q, v)
    return d.finished([q], [v], SAMPLES)


def forced(rng):
    d, q, v = Draft(rng, "scf", 1), apart(rng, math.pi / 2), fast(rng)
    slider_crank(d, 0, q, v)
    d.push[0], d.force = [2.0, 0.0], rng.uniform(0.3, 3)
    d.frequency, d.phase = rng.uniform(1.5, 6), rng.uniform(0, 2 * math.pi)
    size = d.force * d.mass * d.length / d.time**2
    law = f"sin({float(d.frequency / d.time)!r}*t + {float(d.phase)!r})"
    d.forces["push"] = {"type": "force", "acts_on": "slider0.Q", "force": [f"{float(size * c)!r}*{law}" for c in d.axes[:, 0]]}
    return d.finished([q], [v], SAMPLES)


def singular_start(rng):
    d, q, v = Draft(rng, "scx", 1), crossing(rng), rng.choice([-1, 1]) * 10.0 ** rng.uniform(-3, 1)
    slider_crank(d, 0, q, v, branch=str(rng.choice([MOVING, FOLDED])), exact=True)
    return d.finished([q], [v], (min(0.05, 0.2 / abs(v)), 200))


def at_rest(rng):
    d, q = Draft(rng, "scr", 1), apart(rng, math.pi / 2)
    d.gravity = rng.uniform(0.5, 2) * d.direction()  # always: something has to set it going
    slider_crank(d, 0, q, 0.0)
    return d.finished([q], [0.0], SAMPLES)


def with_pendulums(rng, kind, count, exact=False):
    d = Draft(rng, kind, 1 + count)
    first = crossing(rng) if exact else apart(rng, math.pi / 2)
    branch = str(rng.choice([MOVING, FOLDED])) if exact else MOVING
    q = [first] + list(rng.uniform(-math.pi, math.pi, count))
    v = [fast(rng)] + list(rng.uniform(-2, 2, count))
    share = rng.uniform(0.05, 0.6)
    slide = slider_crank(d, 0, q[0], v[0], branch, share=1 - share, exact=exact)
    base, on = [(CIRCLE, "crank0.P"), (slide, "slider0.Q")][rng.integers(2)]
    pendulums(d, count, base, on, q, v, share)
    return d.finished(q, v, SAMPLES)


def coupled(rng, kind="sc2", exact=False):
    """Two slider-cranks on parallel slides, a spring between the sliders."""
    d = Draft(rng, kind, 2)
    q = [crossing(rng) if exact else apart(rng, math.pi / 2) for _ in range(2)]
    v, across, share = [fast(rng), fast(rng)], rng.uniform(2, 4), rng.uniform(0.05, 0.95)
    slides = [slider_crank(d, k, q[k], v[k], shift=[0.0, k * across], share=s, exact=exact) for k, s in enumerate((share, 1 - share))]
    d.spring[0], d.spring[1], d.offset = -slides[0], slides[1], np.array([0.0, across])
    d.stiffness, d.free = 10.0 ** rng.uniform(-1, 0.7), across * rng.uniform(0.7, 1.3)
    d.forces["spring"] = {"type": "spring", "between": ["slider0.Q", "slider1.Q"], "stiffness": float(d.stiffness * d.mass / d.time**2),
                          "length": float(d.free * d.length)}
    return d.finished(q, v, SAMPLES)


def parallelograms(rng, kind="fb", exact=False):
    """Two to ten in a row, each as wide as its cranks are long, or not."""
    d, count = Draft(rng, kind, 1), int(rng.integers(2, 11))
    q, v = (rng.integers(2) * math.pi if exact else apart(rng, 0.0)), fast(rng)
    feet = np.concatenate([[0.0], np.cumsum(np.ones(count) if rng.integers(2) else rng.uniform(0.5, 2, count))])
    masses, tip = d.shares(2 * count + 1), np.array([math.cos(q), math.sin(q)])
    speed = v * np.array([-math.sin(q), math.cos(q)])
    for k, foot in enumerate(feet):
        center, inertia = rng.uniform(0.2, 0.8), masses[k] * rng.uniform(0.02, 0.3)
        d.heavy(masses[k], {0: center * CIRCLE}, (0, inertia))
        d.points[f"A{k}"] = d.world([foot, 0])
        d.body(f"crank{k}", masses[k], inertia, q, v, [foot, 0], [0, 0], {"A": [0, 0], "B": [1, 0]}, [center, 0])
        d.joints[f"A{k}"] = {"type": "revolute", "between": [f"ground.A{k}", f"crank{k}.A"]}
        d.start[f"A{k}.angle"] = float(q + d.turn)
        if exact or k == 0:
            d.start[f"A{k}.rate"] = float(v / d.time)
    for k in range(count):
        mass, wide = masses[count + 1 + k], feet[k + 1] - feet[k]
        d.heavy(mass, {0: CIRCLE})
        d.body(f"rod{k}", mass, mass * wide**2 / 12, 0.0, 0.0, [feet[k] + tip[0], tip[1]], speed, {"B": [0, 0], "C": [wide, 0]}, [wide / 2, 0])
        d.joints[f"B{k}"] = {"type": "revolute", "between": [f"crank{k}.B", f"rod{k}.B"]}
        d.joints[f"C{k}"] = {"type": "revolute", "between": [f"crank{k + 1}.B", f"rod{k}.C"]}
    d.coordinate("A0.angle", "A0.rate")
    others = tuple(d.output(f"c{k}", f"A{k}.angle - {float(d.turn)!r}") for k in range(1, count + 1))
    d.loops.append(Loop(0, 0.0, MOVING, cranks=others))
    return d.finished([q], [v], SAMPLES)


KINDS = {
    "sc": plain, "scf": forced, "scx": singular_start, "scr": at_rest,
    "scp": lambda rng: with_pendulums(rng, "scp", 1), "scpp": lambda rng: with_pendulums(rng, "scpp", 2),
    "scpx": lambda rng: with_pendulums(rng, "scpx", 1, exact=True), "sc2": coupled,
    "sc2x": lambda rng: coupled(rng, "sc2x", exact=True), "fb": parallelograms,
    "fbx": lambda rng: parallelograms(rng, "fbx", exact=True),
}
DESCRIPTIONS = {
    "sc": "slider-crank of equal lengths", "scf": "the same, the slider pushed and pulled",
    "scx": "started exactly singular, on one of its two branches", "scr": "from rest", "scp": "with a pendulum on its pin or slider",
    "scpp": "with a double pendulum", "scpx": "with a pendulum, started exactly singular", "sc2": "two of them, coupled by a spring",
    "sc2x": "two, both started exactly singular", "fb": "2 to 10 parallelograms in a row", "fbx": "the same, started flat",
}


def draw(kind, seed, number):
    """The mechanism of a kind, a seed and a number: always the same."""
    return KINDS[kind](np.random.default_rng([seed, list(KINDS).index(kind), number]))
