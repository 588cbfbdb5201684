"""Random mechanisms, each from a configuration in which it fits together.

Geometry is made in units of the mechanism's size, in the world; bodies get frames of their own at random. Every joint is put
at one place and direction of the world for both of its sides, so that loops close. Times are in units of sqrt(size/9.81 m/s^2).
Outputs: x.. the motion in units of the size; gap_JOINT, stretch_BODY: what is violated, in the same units, from the points of
the bodies and not from the program's own equations.
"""
import dataclasses

import numpy as np

import similarity as sim

G = 9.81


def floats(values):
    return [float(v) for v in np.asarray(values).ravel()]


@dataclasses.dataclass
class Part:
    """A body: its frame in the world, its points and axes in the world, in units of the size."""
    origin: np.ndarray
    frame: np.ndarray
    mass: float = 0.0
    inertia: float = 0.0
    center: np.ndarray | None = None
    points: dict = dataclasses.field(default_factory=dict)
    axes: dict = dataclasses.field(default_factory=dict)
    velocity: np.ndarray | None = None
    spin: np.ndarray | None = None
    bent: float = 0.0   # drawn turned by this angle about its origin: the start asks for another configuration


class Mechanism:
    def __init__(self, rng, dimension, kind):
        self.rng, self.dimension, self.kind = rng, dimension, kind
        self.size, self.unit_mass = 10.0 ** rng.uniform(-3, 3), 10.0 ** rng.uniform(-4, 4)
        self.time = np.sqrt(self.size / G)
        far = rng.choice([0.0, 1.0, 10.0, 1000.0])
        self.place = far * self.size * self.direction()
        self.gravity = self.direction()
        self.parts = {"ground": Part(np.zeros(dimension), np.eye(dimension))}
        self.joints, self.forces, self.drives, self.start, self.checks = {}, {}, {}, {}, {}
        self.watched, self.dof = [], None

    # -- chance --

    def direction(self):
        v = self.rng.normal(size=self.dimension)
        return v / np.linalg.norm(v)

    def across(self, axis):
        v = np.cross(axis, self.direction())
        return v / np.linalg.norm(v)

    def spot(self, spread=1.0):
        return self.rng.uniform(-spread, spread, self.dimension)

    def frame(self):
        if self.dimension == 2:
            a = self.rng.uniform(-3, 3)
            return np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        return sim.axis_angle(self.direction(), self.rng.uniform(0.2, 3))

    # -- parts --

    def body(self, name, *spots, frame=None, origin=None):
        """A body around the given places of the world."""
        middle = np.mean(spots, axis=0) if spots else self.spot()
        spread = max([0.2] + [np.linalg.norm(s - middle) for s in spots])
        mass = self.rng.uniform(0.5, 2)
        self.parts[name] = Part(middle + self.spot(0.1) if origin is None else np.array(origin, float),
                                self.frame() if frame is None else frame, mass, mass * spread**2, middle + 0.1 * spread * self.spot())
        self.watched.append(name)
        return name

    def point(self, body, name, spot):
        self.parts[body].points[name] = np.array(spot, float)
        return f"{body}.{name}"

    def axis(self, body, name, direction):
        self.parts[body].axes[name] = np.array(direction, float)
        return f"{body}.{name}"

    def joint(self, type, a, b, spot, axis=None, second=None, other_spot=None, **more):
        """Between the bodies a and b at a place of the world; second: the axis of b of a universal joint."""
        name = f"J{len(self.joints) + 1}"
        spots = [spot, spot if other_spot is None else other_spot]
        joint = {"type": type, "between": [self.point(x, f"{name}{s}", p) for x, s, p in zip((a, b), "ab", spots)], **more}
        if axis is not None:
            axes = [axis, axis if second is None else second]
            joint["axis"] = [self.axis(x, f"{name}{s}_", d) for x, s, d in zip((a, b), "ab", axes)]
            for x, s, p, d in zip((a, b), "ab", spots, axes):
                self.point(x, f"{name}{s}q", p + d)
            if self.dimension == 3 and type in ("prismatic", "revolute", "cylindrical"):
                self.normals(joint, name, a, b, spot, axis)
        self.joints[name] = joint
        self.checks[name] = self.gap(name, type, spots)
        return name

    def normals(self, joint, name, a, b, spot, axis):
        normal = self.across(axis)
        joint["normal"] = [self.axis(x, f"{name}{s}n_", normal) for x, s in ((a, "a"), (b, "b"))]
        for x, s in ((a, "a"), (b, "b")):
            self.point(x, f"{name}{s}n", spot + normal)

    # -- what is violated, as text --

    def vector(self, from_, to):
        return [f"({to}.{c} - {from_}.{c})" for c in "xyz"[:self.dimension]]

    def gap(self, name, type, spots):
        a, b = self.joints[name]["between"]
        if type == "distance":
            length = np.linalg.norm(spots[1] - spots[0]) * self.size
            return [f"(sqrt({' + '.join(d + '^2' for d in self.vector(a, b))}) - {length!r})"]
        if type in ("rolling-sphere", "knife-edge"):
            return []
        apart = self.vector(a, b)
        if "axis" not in self.joints[name]:
            return apart
        first, second = self.vector(a, a + "q"), self.vector(b, b + "q")
        same = [f"({p} - {q})" for p, q in zip(first, second)]
        if type == "revolute":
            return apart + same
        if type == "universal":
            return apart + [self.by_size(" + ".join(f"{p}*{q}" for p, q in zip(first, second)))]
        if type == "cylindrical":
            return same + self.cross(first, apart)
        if type == "prismatic":
            turned = [f"({p} - {q})" for p, q in zip(self.vector(a, a + "n"), self.vector(b, b + "n"))] if self.dimension == 3 else []
            return same + turned + self.cross(first, apart)
        if type == "planar":
            return same + [self.by_size(" + ".join(f"{p}*{q}" for p, q in zip(first, apart)))]
        return []

    def by_size(self, text):
        return f"(({text})/{self.size!r})"

    def cross(self, u, v):
        pairs = [(0, 1)] if self.dimension == 2 else [(0, 1), (1, 2), (2, 0)]
        return [self.by_size(f"{u[i]}*{v[j]} - {u[j]}*{v[i]}") for i, j in pairs]

    # -- the model --

    def model(self, variant="exact"):
        """As a dictionary. Variants: exact; noise: drawn places off by 1e-9 of the size; digits: all with 9 decimals of the size."""
        noise = np.random.default_rng(1)
        local = lambda v: np.round(v, 9) if variant == "digits" else v  # noqa: E731
        bodies, outputs = {}, {}
        for name, part in self.parts.items():
            entry = self.body_entry(part, name, local, 1e-9 * noise.normal(size=(2, 3)) if variant == "noise" else None)
            bodies[name] = entry
        ground = bodies.pop("ground")
        for name in self.watched[-2:]:
            place = self.place + self.size * self.parts[name].origin
            for k, c in enumerate("xyz"[:self.dimension]):
                outputs[f"x_{name}_{c}"] = f"({name}.origin.{c} - {float(place[k])!r})/{self.size!r}"
        for name, texts in self.checks.items():
            if texts:
                outputs[f"gap_{name}"] = f"sqrt({' + '.join(t + '^2' for t in texts)})/{self.size!r}"
        outputs.update(self.stretches(bodies))
        method = {"end": float(1.5 * self.time), "step": float(self.time / 500)}
        return {"sarrus": 1, "name": self.kind, "dimension": self.dimension, "gravity": floats(G * self.gravity),
                "ground": {"points": ground["points"], "axes": ground["axes"]}, "bodies": bodies, "joints": self.joints,
                "drives": self.drives, "forces": self.forces, "outputs": outputs, "start": self.start, "method": method}

    def body_entry(self, part, name, rounded, noise):
        L, M = self.size, self.unit_mass
        offset = self.place if name == "ground" else np.zeros(self.dimension)
        inside = lambda p: floats(rounded(part.frame.T @ (p - part.origin)) * L + offset)  # noqa: E731
        entry = {"points": {k: inside(p) for k, p in part.points.items()},
                 "axes": {k: floats(rounded(part.frame.T @ d)) for k, d in part.axes.items()}}
        if name == "ground":
            return entry
        entry.update(mass=part.mass * M, center=inside(part.center))
        origin = rounded(part.origin) + (0 if noise is None else noise[0][:self.dimension])
        entry["position"] = floats(origin * L + self.place)
        if self.dimension == 2:
            angle = float(np.arctan2(part.frame[1, 0], part.frame[0, 0])) + part.bent + (0 if noise is None else noise[1][0])
            entry.update(inertia=0.3 * part.inertia * M * L**2, angle=float(rounded(np.array(angle))))
        else:
            bent = sim.axis_angle([1, 2, 3], part.bent)
            turn = bent @ (part.frame if noise is None else sim.axis_angle(noise[1], np.linalg.norm(noise[1])) @ part.frame)
            entry["rotation"] = {"x": floats(rounded(turn[:, 0])), "y": floats(rounded(turn[:, 1]))}
            entry["inertia"] = floats(np.array([0.2, 0.25, 0.3]) * part.inertia * M * L**2)
        if part.velocity is not None:
            entry["velocity"] = floats(part.velocity * L / self.time)
        if part.spin is not None:
            entry["angular_velocity"] = floats(part.spin / self.time) if self.dimension == 3 else float(part.spin / self.time)
        return entry

    def stretches(self, bodies):
        """How much bodies are longer than drawn, between up to four of their points."""
        found = {}
        for name, body in bodies.items():
            marks = list(body["points"].items())[:4]
            texts = []
            for (p, u), (q, v) in zip(marks, marks[1:]):
                length = float(np.linalg.norm(np.array(u) - np.array(v)))
                if length > 1e-3 * self.size:
                    texts.append(f"abs(sqrt({' + '.join(d + '^2' for d in self.vector(f'{name}.{p}', f'{name}.{q}'))}) - {length!r})")
            if texts:
                found[f"stretch_{name}"] = f"({' + '.join(texts)})/{self.size!r}"
        return found

    # -- forces --

    def maybe_forces(self):
        """A spring, a damper, or neither."""
        r, names = self.rng, [n for n in self.parts if n != "ground"]
        unit = self.unit_mass / self.time**2
        if r.random() < 0.4:
            body = names[r.integers(len(names))]
            ends = [self.point("ground", "spring", self.spot(1.5)), self.point(body, "spring", self.parts[body].center + self.spot(0.3))]
            length = np.linalg.norm(self.parts["ground"].points["spring"] - self.parts[body].points["spring"])
            self.forces["spring"] = {"type": "spring", "between": ends, "stiffness": float(unit * r.uniform(0.5, 20)),
                                     "length": float(length * r.uniform(0.5, 1.2) * self.size)}
            if r.random() < 0.5:
                self.forces["spring"]["damping"] = float(unit * self.time * r.uniform(0.1, 2))
        hinges = [n for n, j in self.joints.items() if j["type"] == "revolute"]
        if hinges and r.random() < 0.3:
            self.forces["friction"] = {"type": "rotational-spring", "joint": hinges[0],
                                       "damping": float(unit * self.time * self.size**2 * r.uniform(0.05, 0.5))}


# ---- the kinds ----

def planar_four_bar(rng):
    m = Mechanism(rng, 2, "four-bar")
    o, c, a, b = m.spot(), m.spot(), m.spot(), m.spot()
    crank, coupler, rocker = m.body("crank", o, a), m.body("coupler", a, b), m.body("rocker", b, c)
    m.joint("revolute", "ground", crank, o)
    m.joint("revolute", crank, coupler, a)
    m.joint("revolute", coupler, rocker, b)
    m.joint("revolute", rocker, "ground", c)
    m.dof = 1
    return m


def six_bar(rng):
    m = planar_four_bar(rng)
    m.kind = "six-bar"
    p, q, end = m.spot(), m.spot(), m.spot()
    base = ["coupler", "rocker"][rng.integers(2)]
    first, second = m.body("first", p, q), m.body("second", q, end)
    m.joint("revolute", base, first, p)
    m.joint("revolute", first, second, q)
    m.joint("revolute", second, "ground", end)
    return m


def slider_crank(rng):
    m = Mechanism(rng, 2, "slider-crank")
    o, a, b, line = m.spot(), m.spot(), m.spot(), m.direction()
    crank, rod, slider = m.body("crank", o, a), m.body("rod", a, b), m.body("slider", b)
    m.joint("revolute", "ground", crank, o)
    m.joint("revolute", crank, rod, a)
    m.joint("revolute", rod, slider, b)
    m.joint("prismatic", "ground", slider, b - line * rng.uniform(0.2, 1), axis=line, other_spot=b)
    m.dof = 1
    return m


def parallel_cranks(rng):
    m = Mechanism(rng, 2, "parallel-cranks")
    count, arm = rng.integers(2, 5), m.direction() * rng.uniform(0.4, 1)
    feet = [m.spot() for _ in range(count)]
    plate = m.body("plate", *[f + arm for f in feet])
    for k, foot in enumerate(feet):
        crank = m.body(f"crank{k}", foot, foot + arm)
        m.joint("revolute", "ground", crank, foot)
        m.joint("revolute", crank, plate, foot + arm)
    m.dof = 1
    return m


def folding(rng):
    """Opposite sides of a four-bar are equal, or neighbours, or crank and rod of a slider-crank: turned through its flat positions,
    which a drawing with finite digits does not quite have."""
    m = Mechanism(rng, 2, "folding")
    along, turn, sort = m.direction(), rng.uniform(0.5, 2.5), rng.integers(3)
    arm = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ along
    o, short, long = m.spot(), rng.uniform(0.3, 0.6), rng.uniform(0.8, 1.2)
    if sort == 0:  # parallelogram
        c, a, b = o + long * along, o + short * arm, o + long * along + short * arm
    elif sort == 1:  # kite: two short sides meet at o
        c, a = o + short * along, o + short * arm
        middle, half = (a + c) / 2, np.linalg.norm(a - c) / 2
        b = middle + np.sqrt(long**2 - half**2) * (middle - o) / np.linalg.norm(middle - o)
    else:  # slider-crank whose rod is as long as the crank
        a, b = o + short * arm, o + 2 * short * (arm @ along) * along
    m.body("crank", o, a), m.body("rod", a, b)
    m.joint("revolute", "ground", "crank", o)
    m.joint("revolute", "crank", "rod", a)
    if sort < 2:
        m.body("rocker", b, c)
        m.joint("revolute", "rod", "rocker", b)
        m.joint("revolute", "rocker", "ground", c)
    else:
        m.body("slider", b)
        m.joint("revolute", "rod", "slider", b)
        m.joint("prismatic", "ground", "slider", o - along * rng.uniform(0.2, 1), axis=along, other_spot=b)
    m.start["J1.rate"] = float(rng.choice([-1, 1]) * rng.uniform(2, 4) / m.time)
    m.dof = 1
    return m


def planar_arm(rng):
    """Open, drawn otherwise than the start asks."""
    m = Mechanism(rng, 2, "arm")
    place, last = m.spot(), "ground"
    for k in range(rng.integers(2, 6)):
        tip = place + m.direction() * rng.uniform(0.2, 0.6)
        body = m.body(f"link{k}", place, tip, origin=place)
        name = m.joint("revolute", last, body, place)
        angle = [0.0 if n == "ground" else np.arctan2(*m.parts[n].frame[::-1, 0]) for n in (last, body)]
        m.start[f"{name}.angle"] = float(np.angle(np.exp(1j * (angle[1] - angle[0]))))
        m.start[f"{name}.rate"] = float(rng.uniform(-1, 1) / m.time)
        m.parts[body].bent = rng.uniform(-0.3, 0.3)
        place, last = tip, body
        m.dof = k + 1
    return m


def planar_wheel(rng):
    m = Mechanism(rng, 2, "planar-wheel")
    normal = m.direction()
    m.gravity = -normal + 0.3 * m.gravity
    m.gravity /= np.linalg.norm(m.gravity)
    radius, spot = rng.uniform(0.1, 0.5), m.spot()
    wheel = m.body("wheel", spot + radius * normal, origin=spot + radius * normal)
    m.parts[wheel].center = m.parts[wheel].origin + (0.3 * radius * m.spot() if rng.random() < 0.5 else 0)
    m.joint("rolling-disc", "ground", wheel, spot, other_spot=spot + radius * normal, radius=float(radius * m.size))
    m.joints["J1"]["axis"] = m.axis("ground", "up", normal)
    m.checks["J1"] = []
    m.dof = 1
    return m


def in_space(points, m):
    """Places of a plane, somewhere in space, and its normal."""
    frame, origin = m.frame(), m.spot(0.3)
    return [origin + frame[:, :2] @ p for p in points], frame[:, 2]


def spatial_four_bar(rng):
    """A plane four-bar by revolute joints in space: three equations too many."""
    m = Mechanism(rng, 3, "four-bar-in-space")
    (o, a, b, c), z = in_space(rng.uniform(-1, 1, (4, 2)), m)
    bodies = [m.body("crank", o, a), m.body("coupler", a, b), m.body("rocker", b, c)]
    loop(m, ["ground"] + bodies + ["ground"], [o, a, b, c], ["revolute"] * 4, [z] * 4)
    m.dof = 1
    return m


def loop(m, bodies, spots, types, axes):
    for k, (spot, type, axis) in enumerate(zip(spots, types, axes)):
        second = m.across(axis) if type == "universal" else None
        m.joint(type, bodies[k], bodies[k + 1], spot, axis=None if type == "spherical" else axis, second=second)


LOOPS = {"RSSR": 2, "RSUR": 1, "RUSR": 1, "RCCC": 1, "RRRRRRR": 1, "RSRRR": 1, "RCRCR": 1, "PSSR": 2, "RUUSR": 3, "CCCR": 1}
JOINT_OF = {"R": "revolute", "S": "spherical", "U": "universal", "C": "cylindrical", "P": "prismatic"}


def spatial_loop(rng):
    """Single loops in space whose count of motions is the general one."""
    word = list(LOOPS)[rng.integers(len(LOOPS))]
    m = Mechanism(rng, 3, word)
    spots = [m.spot() for _ in word]
    bodies = ["ground"] + [m.body(f"b{k}", *spots[k:k + 2]) for k in range(len(word) - 1)] + ["ground"]
    loop(m, bodies, spots, [JOINT_OF[c] for c in word], [m.direction() for _ in word])
    free = sum({"R": 1, "S": 3, "U": 2, "C": 2, "P": 1}[c] for c in word)
    m.dof = free - 6
    return m


def bennett(rng):
    import drawings
    m = Mechanism(rng, 3, "bennett")
    drawn = drawings.bennett(rng.uniform(0.5, 1), rng.uniform(0.3, 0.5), rng.uniform(0.4, 1.2), rng.uniform(0.5, 2.5))
    spots = [np.array(drawn["ground"]["points"]["first"])] + [
        np.array(b["position"]) for b in list(drawn["bodies"].values())[1:]] + [np.array(drawn["ground"]["points"]["last"])]
    axes = [np.array(j["axis"]) for j in drawn["joints"].values()]
    bodies = ["ground"] + [m.body(f"b{k}", *spots[k:k + 2]) for k in range(3)] + ["ground"]
    loop(m, bodies, spots, ["revolute"] * 4, axes)
    m.dof = 1
    return m


def spherical_four_bar(rng):
    """All hinges meet in one point."""
    m = Mechanism(rng, 3, "spherical-four-bar")
    middle, axes = m.spot(), [m.direction() for _ in range(4)]
    spots = [middle + a * rng.uniform(0.3, 1) for a in axes]
    bodies = ["ground"] + [m.body(f"b{k}", *spots[k:k + 2]) for k in range(3)] + ["ground"]
    loop(m, bodies, spots, ["revolute"] * 4, axes)
    m.dof = 1
    return m


def cardan(rng):
    """Two shafts and a universal joint where they meet."""
    m = Mechanism(rng, 3, "cardan")
    middle, first = m.spot(), m.direction()
    second = sim.axis_angle(m.across(first), rng.uniform(0.1, 0.9)) @ first
    pin = m.across(first)
    other = np.cross(second, pin) / np.linalg.norm(np.cross(second, pin))
    one, two = m.body("one", middle, middle - first), m.body("two", middle, middle + second)
    m.joint("revolute", "ground", one, middle - first, axis=first)
    m.joint("universal", one, two, middle, axis=pin, second=other)
    m.joint("revolute", two, "ground", middle + second, axis=second)
    m.dof = 1
    return m


def platform(rng):
    m = Mechanism(rng, 3, "platform")
    legs = rng.integers(3, 6)
    heads = [m.spot(0.6) for _ in range(legs)]
    plate = m.body("plate", *heads)
    for head in heads:
        foot = head + m.direction() * rng.uniform(0.5, 1.5)
        m.joint("distance", "ground", plate, foot, other_spot=head, distance=float(m.size * np.linalg.norm(head - foot)))
    m.dof = 6 - legs
    return m


def spatial_arm(rng):
    """Open; one of hinges alone is drawn otherwise than the start asks: nothing is left to what is nearest."""
    m = Mechanism(rng, 3, "arm-in-space")
    types = ["revolute"] * 6 if rng.random() < 0.5 else ["revolute", "universal", "spherical", "cylindrical", "prismatic", "spherical"]
    place, last, m.dof = m.spot(), "ground", 0
    for k in range(rng.integers(2, 5)):
        tip = place + m.direction() * rng.uniform(0.2, 0.6)
        body = m.body(f"link{k}", place, tip, origin=place)
        type = types[rng.integers(6)]
        axis = m.direction()
        name = m.joint(type, last, body, place, axis=None if type == "spherical" else axis,
                       second=m.across(axis) if type == "universal" else None)
        m.dof += {"universal": 2, "spherical": 3, "cylindrical": 2}.get(type, 1)
        if types[1] == "revolute":
            m.start[f"{name}.angle"] = 0.0
            m.parts[body].bent = rng.uniform(-0.1, 0.1)
        place, last = tip, body
    return m


def crank_can_turn(m, by):
    """Whether the rest of a four-bar can follow its crank to both sides, well before it is stretched or folded."""
    o, a, b, c = (m.parts["ground" if k in (1, 4) else "coupler"].points[f"J{k}{s}"] for k, s in ((1, "a"), (2, "b"), (3, "a"), (4, "b")))
    arm, span = np.linalg.norm(a - o), c - o
    across = (a - o) @ span / np.linalg.norm(span)
    here = np.arccos(np.clip(across / arm, -1, 1))
    rod, rocker = np.linalg.norm(b - a), np.linalg.norm(c - b)
    for angle in (here - by, here, here + by):
        reach = np.sqrt(arm**2 + span @ span - 2 * arm * np.linalg.norm(span) * np.cos(angle))
        if not abs(rod - rocker) + 0.05 < reach < rod + rocker - 0.05:
            return False
    return True


def driven_four_bar(rng):
    m = None
    while m is None or not crank_can_turn(m, 0.15):
        m = spatial_four_bar(rng) if rng.random() < 0.5 else planar_four_bar(rng)
    m.kind, rate = "driven " + m.kind, rng.uniform(0.5, 2) / m.time
    frame = m.parts["crank"].frame
    zero = float(np.arctan2(frame[1, 0], frame[0, 0])) if m.dimension == 2 else 0.0
    m.drives["motor"] = {"joint": "J1", "value": f"{zero!r} + 0.1*sin({rate!r}*t)"}
    m.dof = 0
    return m


def ground_plane(m):
    """A frame whose third axis is up, and a place on the plane."""
    frame = m.frame()
    m.gravity = -frame[:, 2]
    m.axis("ground", "up", frame[:, 2])
    return frame, m.spot(0.5)


def disc(m, name, frame, foot, radius, lean):
    """A disc that touches the plane in the place `foot` and rolls along the frame's x; y of its frame is its axis."""
    tilt = frame @ sim.axis_angle([1, 0, 0], lean)
    center = foot + radius * tilt[:, 2]
    m.body(name, center, origin=center, frame=tilt)
    part = m.parts[name]
    part.center, part.inertia = center, part.mass * radius**2 * 2
    m.point(name, "rim", center + radius * tilt[:, 0])
    return name, center, tilt[:, 1]


def rolls(m, name, foot, center, axis, radius):
    joint = m.joint("rolling-disc", "ground", name, foot, other_spot=center, radius=float(m.size * radius))
    m.joints[joint]["axis"] = ["ground.up", m.axis(name, "axle", axis)]
    m.checks[joint] = []


def rolling_disc(rng):
    m = Mechanism(rng, 3, "rolling-disc")
    frame, foot = ground_plane(m)
    radius = rng.uniform(0.1, 0.4)
    name, center, axis = disc(m, "disc", frame, foot, radius, rng.uniform(-0.4, 0.4))
    rolls(m, name, foot, center, axis, radius)
    m.parts[name].velocity, m.parts[name].spin = rng.uniform(0.2, 1) * frame[:, 0], None
    m.dof = 3
    return m


def rolling_ball(rng):
    m = Mechanism(rng, 3, "rolling-ball")
    frame, foot = ground_plane(m)
    radius = rng.uniform(0.1, 0.4)
    center = foot + radius * frame[:, 2]
    ball = m.body("ball", center, origin=center)
    m.parts[ball].center, m.parts[ball].velocity = center, frame[:, 0] * rng.uniform(0.2, 1)
    joint = m.joint("rolling-sphere", "ground", ball, foot, other_spot=center, radius=float(m.size * radius))
    m.joints[joint]["axis"] = "ground.up"
    m.dof = 3
    return m


def sled(rng):
    m = Mechanism(rng, 3, "sled")
    frame, foot = ground_plane(m)
    body = m.body("sled", foot, origin=foot, frame=frame)
    m.joint("planar", "ground", body, foot, axis=frame[:, 2])
    blade = m.joint("knife-edge", "ground", body, foot)
    m.joints[blade]["axis"] = ["ground.up", m.axis(body, "ahead", frame[:, 0])]
    m.gravity = m.gravity + 0.3 * m.direction()
    m.gravity /= np.linalg.norm(m.gravity)
    m.parts[body].velocity, m.parts[body].spin = frame[:, 0] * rng.uniform(0.2, 1), frame[:, 2] * rng.uniform(-1, 1)
    m.dof = 2
    return m


def axle(rng):
    """Two wheels on one axle that is held level, one equation too many: neither goes sideways."""
    m = Mechanism(rng, 3, "axle")
    frame, foot = ground_plane(m)
    radius, half = rng.uniform(0.1, 0.4), rng.uniform(0.2, 0.6)
    middle = foot + radius * frame[:, 2]
    shaft = m.body("shaft", middle, origin=middle, frame=frame)
    m.joint("planar", "ground", shaft, middle, axis=frame[:, 2])
    speed, turn = rng.uniform(0.2, 1), rng.uniform(-1, 1)
    for side, name in ((half, "left"), (-half, "right")):
        wheel, center, axis = disc(m, name, frame, foot + side * frame[:, 1], radius, 0.0)
        m.joint("revolute", shaft, wheel, center, axis=axis)
        rolls(m, wheel, foot + side * frame[:, 1], center, axis, radius)
    m.parts[shaft].velocity, m.parts[shaft].spin = speed * frame[:, 0], turn * frame[:, 2]
    along = int(np.argmax(np.abs(frame[:, 0])))
    m.start = {f"shaft.origin.v{'xyz'[along]}": float(speed * frame[along, 0] * m.size / m.time), "J1.rate": float(turn / m.time)}
    m.dof = 2
    return m


KINDS = [planar_four_bar, six_bar, slider_crank, parallel_cranks, planar_arm, planar_wheel, spatial_four_bar, spatial_loop,
         spatial_loop, spatial_loop, bennett, spherical_four_bar, cardan, platform, spatial_arm, driven_four_bar, rolling_disc,
         rolling_ball, sled, axle, folding, folding]
NO_MORE_FORCES = {"axle", "sled", "rolling-disc", "rolling-ball", "planar-wheel"}


def draw(seed):
    """The mechanism of a seed."""
    rng = np.random.default_rng(seed)
    m = KINDS[rng.integers(len(KINDS))](rng)
    if m.kind not in NO_MORE_FORCES:
        m.maybe_forces()
    return m
