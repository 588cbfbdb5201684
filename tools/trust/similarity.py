"""A model of another size and mass, elsewhere and turned: the same motion, exactly.

Lengths times L, masses times m, times as they are: so accelerations (gravity) times L, forces m L, torques and energies
m L^2, stiffness and damping m, those of rotations m L^2. Points of the world go from p to L R p + d. Outputs are written so
that they give the values of the original, in its units and axes: results compare directly.
"""
import copy
import dataclasses

import numpy as np

import expressions as ex


class Unsupported(Exception):
    """The format cannot say the transformed model; the text says why."""


@dataclasses.dataclass
class Similarity:
    name: str
    length: float = 1
    mass: float = 1
    turn: np.ndarray | None = None   # a rotation matrix, 2 x 2 or 3 x 3
    shift: np.ndarray | None = None  # of the origin [m]

    def rotation(self, dimension):
        return np.eye(dimension) if self.turn is None else np.asarray(self.turn)

    def moved(self, dimension):
        return np.zeros(dimension) if self.shift is None else np.asarray(self.shift)[:dimension]


FIRST_COORDINATE = {"revolute": "angle", "prismatic": "displacement", "point-on-line": "displacement", "cylindrical": "angle",
                    "screw": "angle", "universal": "angle", "planar": "angle", "point-on-plane": "displacement",
                    "distance": "distance"}


def rotation_matrix(rotation):
    """Of the four ways to draw one in space."""
    if "axis" in rotation:
        return axis_angle(rotation["axis"], rotation["angle"])
    if "quaternion" in rotation:
        w, x, y, z = np.array(rotation["quaternion"]) / np.linalg.norm(rotation["quaternion"])
        return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
    if "rpy" in rotation:
        roll, pitch, yaw = rotation["rpy"]
        return axis_angle([0, 0, 1], yaw) @ axis_angle([0, 1, 0], pitch) @ axis_angle([1, 0, 0], roll)
    x = np.array(rotation["x"], float) / np.linalg.norm(rotation["x"])
    y = np.array(rotation["y"], float)
    y -= x * (x @ y)
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def axis_angle(axis, angle):
    x, y, z = np.array(axis, float) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def numbers(values):
    return [float(v) for v in values]


def as_tree(value):
    return ex.read(value) if isinstance(value, str) else ex.number(value)


class Transformer:
    """Rewrites one flat model; each section has a function of its own."""

    def __init__(self, model, similarity):
        self.model, self.dimension = copy.deepcopy(model), model["dimension"]
        self.L, self.m = similarity.length, similarity.mass
        self.R, self.d = similarity.rotation(self.dimension), similarity.moved(self.dimension)
        self.turned = bool(np.abs(self.R - np.eye(self.dimension)).max() > 0)
        self.angle = float(np.arctan2(self.R[1, 0], self.R[0, 0])) if self.dimension == 2 else 0.0

    # -- values --

    def direction(self, vector, factor=1.0):
        if not any(isinstance(c, str) for c in vector):
            return numbers(factor * (self.R @ np.array(vector, float)) if self.turned else np.array(vector, float) * factor)
        trees = [as_tree(c) for c in vector]
        return [ex.write(ex.times(ex.combination(row, trees), factor)) for row in self.R]

    def point(self, vector):
        return numbers(np.array(self.direction(vector, self.L)) + self.d)

    def scaled(self, value, factor):
        """A constant or an expression, its signals in the new units, times the factor."""
        if isinstance(value, list):
            return [self.scaled(v, factor) for v in value]
        if not isinstance(value, str):
            return value * factor
        return ex.write(ex.times(self.rewritten(value), factor))

    # -- signals --

    def rewritten(self, text, own=None):
        """The tree of an expression with every signal in the original's units; own: names like x and v of a force."""
        return ex.rewrite(ex.read(text), lambda name: (own or {}).get(name) or self.signal(name))

    def signal(self, name):
        owner, _, last = name.rpartition(".")
        if not owner:
            return None
        if owner.count(".") == 1 or last in ("wx", "wy", "wz"):
            return self.component(owner, last)
        if owner == "energy":
            if last != "kinetic" and (self.turned or self.d.any()):
                raise Unsupported("potential energy counts from the origin")
            return ex.times(("name", name), 1 / (self.m * self.L**2))
        if owner in self.model["joints"]:
            return self.joint_signal(owner, last, name)
        if owner in self.model["drives"] or owner in self.model["constraints"]:
            return ex.times(("name", name), 1 / self.conjugate_scale(owner, last))
        if owner in self.model["bodies"] and last == "angle":
            return ex.plus(("name", name), -self.angle)
        if owner in self.model["forces"]:  # length, speed
            return ex.times(("name", name), 1 / self.L)
        return None  # rates

    def component(self, owner, last):
        """One of the components of a vector in world axes."""
        kind, axis = last[:-1], "xyz".index(last[-1])
        factor = {"": self.L, "v": self.L, "a": self.L, "w": 1, "f": self.m * self.L, "t": self.m * self.L**2}[kind]
        offsets = self.d if kind == "" else np.zeros(3)
        parts = [ex.plus(("name", f"{owner}.{kind}{'xyz'[k]}"), -float(offsets[k])) for k in range(self.dimension)]
        if self.dimension == 2 and axis == 2:
            return ex.times(("name", f"{owner}.{last}"), 1 / factor)  # a torque in the plane
        return ex.times(ex.combination(self.R[:, axis], parts), 1 / factor)

    def joint_signal(self, joint, last, name):
        if last[0] in "ft" and last[1:] in ("x", "y", "z"):
            return self.component(joint, last)
        if last in ("displacement", "displacement2", "distance", "speed", "speed2"):
            return ex.times(("name", name), 1 / self.L)
        if last == "angle":
            return ex.plus(("name", name), -self.angle_offset(joint))
        return None

    def angle_offset(self, joint):
        """By how much the angle of a plane joint grows when the model turns against the ground, whose angle is zero."""
        if self.dimension == 3:
            return 0.0
        first, second = (end.split(".")[0] == "ground" for end in self.model["joints"][joint]["between"])
        return self.angle * (int(first) - int(second))

    def conjugate_scale(self, owner, last):
        """Of the force of a drive or constraint: energy by its coordinate."""
        drive = self.model["drives"].get(owner)
        length = self.drive_power(drive) if drive else self.row_power(self.model["constraints"][owner]["velocity"])
        return self.m * self.L**2 / self.L**length

    def drive_power(self, drive):
        """Which power of the length its coordinate has."""
        if "between" in drive:
            return 1
        joint = self.model["joints"][drive["joint"]]
        return 0 if drive.get("coordinate", FIRST_COORDINATE[joint["type"]]).startswith("angle") else 1

    @staticmethod
    def row_power(text):
        speeds = ("vx", "vy", "vz", "speed", "speed2")
        return int(any(name.rpartition(".")[2] in speeds for name in ex.names(ex.read(text))))

    # -- references --

    def end(self, text):
        if self.turned or self.d.any():
            return "ground.trust_origin" if text in ("ground", "ground.origin") else text
        return text

    def axis(self, value):
        """A pair of references, one reference, or a direction of the world."""
        if isinstance(value, str):
            head, _, tail = value.partition(".")
            return f"ground.trust_{tail}" if self.turned and head == "ground" and tail in ("x", "y", "z") else value
        if any(isinstance(v, str) for v in value):
            return [self.axis(v) if isinstance(v, str) else v for v in value]
        return self.direction(value)

    # -- sections --

    def ground(self):
        ground = self.model["ground"]
        ground["points"] = {name: self.point(p) for name, p in ground.get("points", {}).items()}
        ground["axes"] = {name: self.direction(a) for name, a in ground.get("axes", {}).items()}
        if self.turned or self.d.any():
            ground["points"]["trust_origin"] = numbers(self.d)
        if self.turned:
            for k in range(self.dimension):
                ground["axes"]["trust_" + "xyz"[k]] = numbers(self.R[:, k])

    def body(self, body):
        body["mass"] *= self.m
        for key, factor in (("inertia", self.m * self.L**2), ("center", self.L)):
            if key in body:
                body[key] = self.scaled(body[key], factor)
        body["points"] = {name: self.scaled(p, self.L) for name, p in body.get("points", {}).items()}
        if "position" in body:
            body["position"] = self.point(body["position"])
        if "velocity" in body:
            body["velocity"] = self.direction(body["velocity"], self.L)
        if "angle" in body:
            body["angle"] += self.angle
        if self.dimension == 3 and self.turned:
            if "rotation" in body:
                matrix = self.R @ rotation_matrix(body["rotation"])
                body["rotation"] = {"x": numbers(matrix[:, 0]), "y": numbers(matrix[:, 1])}
            if "angular_velocity" in body:
                body["angular_velocity"] = self.direction(body["angular_velocity"])

    def joint(self, name, joint):
        if "between" in joint:
            first = joint["between"][0].split(".")[0]
            uses = f"{name}.displacement" in str(self.model) or f"'joint': '{name}'" in str(self.model)
            if self.turned and first == "ground" and joint["type"] in ("planar", "point-on-plane") and "normal" not in joint and uses:
                raise Unsupported(f"{name}: its displacements are along axes of the ground")
            joint["between"] = [self.end(e) for e in joint["between"]]
        for key in ("axis", "normal"):
            if key in joint:
                joint[key] = self.axis(joint[key])
        for key in ("pitch", "distance", "radius"):
            if key in joint:
                joint[key] *= self.L
        if joint["type"] == "gear":
            powers = [self.drive_power({"joint": j}) for j in joint["joints"]]
            joint["ratio"] *= self.L ** (powers[1] - powers[0])
        if joint["type"] == "coupler":
            self.coupler(joint)

    def coupler(self, joint):
        for signal, factor in joint["sum"].items():
            owner, last = signal.split(".")
            if last == "angle" and "offset" in joint:
                joint["offset"] += factor * self.angle_offset(owner)
            joint["sum"][signal] = factor / (1 if last.startswith("angle") else self.L)

    def drive(self, drive):
        power = self.drive_power(drive)
        drive["value"] = self.scaled(drive["value"], self.L**power)
        if "between" in drive:
            drive["between"] = [self.end(e) for e in drive["between"]]
        elif power == 0 and drive.get("coordinate", "angle") == "angle":
            drive["value"] = ex.write(ex.plus(as_tree(drive["value"]), self.angle_offset(drive["joint"])))

    def force(self, name, force):
        if "between" in force:
            force["between"] = [self.end(e) for e in force["between"]]
        for key in ("axis", "normal"):
            if key in force and force["type"] == "bushing":
                force[key] = self.axis(force[key])
        {"force": self.load, "torque": self.load, "spring": self.spring, "rotational-spring": self.rotational_spring,
         "bushing": self.bushing, "tyre": self.tyre, "stop": self.stop, "friction": self.friction}[force["type"]](force)

    def load(self, force):
        key = force["type"]
        factor = self.m * self.L ** (1 if key == "force" else 2)
        force[key] = self.scaled(force[key], factor)
        if self.turned and isinstance(force[key], list) and force.get("axes", "world") == "world":
            force[key] = self.direction(force[key])

    def spring(self, force):
        for key, factor in (("stiffness", self.m), ("damping", self.m), ("length", self.L)):
            if key in force:
                force[key] = self.scaled(force[key], factor)
        if "force" in force:
            own = {name: ex.times(("name", name), 1 / self.L) for name in ("x", "v")}
            force["force"] = ex.write(ex.times(self.rewritten(str(force["force"]), own), self.m * self.L))
        if "table" in force:
            force["table"] = [[x * self.L, f * self.m * self.L] for x, f in force["table"]]

    def rotational_spring(self, force):
        factor = self.m * self.L**2
        offset = self.angle_offset(force["joint"]) if force.get("coordinate", "angle") == "angle" else 0.0
        for key in ("stiffness", "damping"):
            if key in force:
                force[key] = self.scaled(force[key], factor)
        if "stiffness" in force and offset:
            force["angle"] = force.get("angle", 0.0) + offset
        if "torque" in force:
            tree = self.rewritten(str(force["torque"]), {"x": ex.plus(("name", "x"), -offset)})
            force["torque"] = ex.write(ex.times(tree, factor))
        if "table" in force:
            force["table"] = [[x + offset, f * factor] for x, f in force["table"]]

    def bushing(self, force):
        if self.turned and "axis" not in force and force["between"][0].split(".")[0] == "ground":
            raise Unsupported("a bushing along the axes of the ground")
        linear = self.dimension
        units = np.array([1.0] * linear + [self.L] * (3 if linear == 3 else 1))
        for key in ("K", "C"):
            if key in force:
                rows = np.array(force[key], float)
                scale = units**2 if rows.ndim == 1 else np.outer(units, units)
                force[key] = (self.m * scale * rows).tolist()

    def tyre(self, force):
        up, forward = force.get("up", "z" if self.dimension == 3 else "y"), force.get("forward", "x")
        turned = [self.image(axis) for axis in (up, forward)]
        shift = [float(self.d["xyz".index(axis)]) for axis in turned]
        place = ex.times(ex.plus(("name", "x"), -shift[1]), 1 / self.L)
        along = ex.read(str(force["along"])) if "along" in force else ("name", "x")
        road = ex.read(str(force.get("road", 0)))
        force["road"] = ex.write(ex.plus(ex.times(road, self.L), shift[0]))
        force["along"] = ex.write(ex.rewrite(along, lambda name: place if name == "x" else None))
        force["up"], force["forward"] = turned
        for key, factor in (("radius", self.L), ("stiffness", self.m), ("damping", self.m)):
            if key in force:
                force[key] = self.scaled(force[key], factor)

    def stop(self, force):
        power = self.drive_power(force)
        length, exponent = self.L**power, float(force.get("exponent", 1))
        turned = power == 0 and force.get("coordinate", "angle") == "angle"
        for key in ("lower", "upper"):
            if key in force:
                force[key] = self.scaled(force[key], length)
                if turned:
                    force[key] = ex.write(ex.plus(as_tree(force[key]), self.angle_offset(force["joint"])))
        force["stiffness"] = self.scaled(force["stiffness"], self.m * self.L**2 / length ** (1 + exponent))
        if "damping" in force:
            force["damping"] = self.scaled(force["damping"], 1 / length)

    def friction(self, force):
        length = self.L ** self.drive_power(force)
        unit = self.m * self.L**2 / length
        for key, factor in (("level", unit), ("preload", self.m * self.L), ("radius", self.L), ("viscous", unit / length), ("speed", length)):
            if key in force and force[key] != "reaction":
                force[key] = self.scaled(force[key], factor)

    def image(self, axis):
        """The world axis into which another one turns."""
        column = self.R[:, "xyz".index(axis)]
        place = int(np.argmax(column))
        if column[place] != 1:
            raise Unsupported("a tyre's road is along the axes of the world")
        return "xyz"[place]

    def start(self):
        start = {}
        for signal, value in self.model["start"].items():
            owner, _, last = signal.rpartition(".")
            if owner.count(".") == 1:
                new, value = self.start_component(owner, last, value)
                start[new] = value
                continue
            lengths = ("displacement", "displacement2", "distance", "speed", "speed2", "length")
            value = self.scaled(value, self.L if last in lengths else 1)
            if last == "angle":
                value += self.angle if owner in self.model["bodies"] else self.angle_offset(owner)
            start[signal] = value
        self.model["start"] = start

    def start_component(self, owner, last, value):
        column = self.R[:, "xyz".index(last[-1])]
        place = int(np.argmax(np.abs(column)))
        if abs(column[place]) != 1:
            raise Unsupported(f"the start demands {owner}.{last}")
        offset = float(self.d[place]) if last in ("x", "y", "z") else 0.0
        return f"{owner}.{last[:-1]}{'xyz'[place]}", float(column[place] * value * self.L + offset)

    def outputs(self):
        for name, value in self.model["outputs"].items():
            if isinstance(value, dict):
                self.model["outputs"][name] = {k: self.scaled(v, 1) for k, v in value.items()}
            else:
                self.model["outputs"][name] = self.scaled(value, 1)

    def whole(self):
        model = self.model
        self.outputs()  # first: they ask what drives and joints were
        for constraint in model["constraints"].values():
            constraint["velocity"] = self.scaled(constraint["velocity"], self.L ** self.row_power(constraint["velocity"]))
        for phase in model.get("phases", []):
            if "when" in phase:
                phase["when"] = self.scaled(phase["when"], 1)
        self.start()
        for drive in model["drives"].values():
            self.drive(drive)
        for name, force in model["forces"].items():
            self.force(name, force)
        for name, joint in model["joints"].items():
            self.joint(name, joint)
        for body in model["bodies"].values():
            self.body(body)
        self.ground()
        model["gravity"] = self.direction(model["gravity"], self.L)
        return model


def transformed(model, similarity):
    """A flat model like the given one but for size, mass and place."""
    return Transformer(model, similarity).whole()
