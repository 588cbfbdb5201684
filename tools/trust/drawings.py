#!/usr/bin/python3
"""Drawings: mechanisms whose coordinates are rounded run right to the precision of the drawing, or are refused by name.

    tools/trust/drawings.py [--linkages bricard,door] [--coordinates ..] [--digits 4,6,9] [--method '--preset auto'] [-j 2]

Each linkage is turned askew, written with all points and axes as numbers in one frame of the world ("common": both sides of a
joint have the same numbers) or in frames of the bodies ("local": each side is rounded for itself), rounded, checked, run, and
compared with the motion of the exact model. With --drawing PRECISION the program is asked to take the drawing as no more
precise than that. Exit code 1 when a verdict is wrong.
"""
import argparse
import collections
import copy
import dataclasses
import itertools
import os
import re
import sys

import numpy as np

import models
import program
import similarity as sim

COORDINATES = ["natural", "cartesian", "increments", "relative"]
MAGNIFIED = 1e3  # an error of the drawing may grow so much during a run and still be its own precision
SHORT = 0.5      # [s]: about one characteristic time of linkages of half a metre
DRAWN_WELL = 1e-6    # what the program takes for exact without being told, as a part of the size


# ---- linkages of about one metre, exact ----

def door():
    ground = {"points": {"A": [0.0, 0.0, 0.0], "B": [0.0, 0.0, 1.0]}, "axes": {"z": [0.0, 0.0, 1.0]}}
    leaf = {"mass": 10.0, "inertia": [1.0, 1.0, 1.0], "center": [0.5, 0.0, 0.5],
            "points": {"A": [0.0, 0.0, 0.0], "B": [0.0, 0.0, 1.0], "edge": [1.0, 0.0, 0.5]},
            "position": [0.0] * 3, "rotation": {"rpy": [0.0] * 3}}
    joints = {n: {"type": "revolute", "between": [f"ground.{n}", f"leaf.{n}"], "axis": [0.0, 0.0, 1.0]} for n in "AB"}
    return linkage("door", ground["points"], {"leaf": leaf}, joints, "leaf.edge", [4.0, 3.0, -9.0])


def rod(mass, length, along, across, position, thick=0.01):
    """A slender body with its frame at one end, x along it."""
    slender = mass * length**2 / 12
    return {"mass": mass, "center": [length / 2, 0.0, 0.0], "inertia": [thick * slender, slender, slender],
            "points": {"a": [0.0, 0.0, 0.0], "b": [length, 0.0, 0.0]}, "position": [float(p) for p in position],
            "rotation": {"x": [float(c) for c in along], "y": [float(c) for c in across]}}


def linkage(name, points, bodies, joints, watched, gravity):
    outputs = {axis: f"{watched}.{axis}" for axis in "xyz"}
    return {"sarrus": 1, "name": name, "dimension": 3, "gravity": [float(g) for g in gravity],
            "ground": {"points": points, "axes": {}}, "bodies": bodies, "joints": joints, "drives": {}, "forces": {},
            "constraints": {}, "outputs": outputs, "start": {}, "method": {"end": 1.0, "step": 1e-3}}


def sarrus_linkage():
    """Two pairs of hinged plates, at right angles to each other, that carry a platform straight up."""
    low, high, arm, joints, bodies = 0.4, 0.8, 0.5, {}, {}
    height = np.sqrt(arm**2 - (high / 2) ** 2)
    for leg, (out, hinge) in {"A": ((1, 0, 0), (0, 1, 0)), "B": ((0, 1, 0), (1, 0, 0))}.items():
        out = np.array(out, float)
        foot, knee = low * out, (low + height) * out + [0, 0, high / 2]
        head = low * out + [0, 0, high]
        bodies["low" + leg] = rod(1.0, arm, (knee - foot) / arm, hinge, foot)
        bodies["up" + leg] = rod(1.0, arm, (head - knee) / arm, hinge, knee)
        ends = [f"ground.{leg}", f"low{leg}.a", f"low{leg}.b", f"up{leg}.a", f"up{leg}.b", f"plate.{leg}"]
        for k in range(3):
            joints[f"{leg}{k + 1}"] = {"type": "revolute", "between": ends[2 * k:2 * k + 2], "axis": [float(c) for c in hinge]}
    bodies["plate"] = {"mass": 3.0, "inertia": [0.1, 0.1, 0.2], "points": {"A": [low, 0.0, 0.0], "B": [0.0, low, 0.0]},
                       "position": [0.0, 0.0, high], "rotation": {"rpy": [0.0] * 3}}
    points = {"A": [low, 0.0, 0.0], "B": [0.0, low, 0.0]}
    model = linkage("sarrus-linkage", points, bodies, joints, "plate.origin", [0, 0, -9.81])
    model["forces"]["lift"] = {"type": "spring", "between": ["ground", "plate"], "stiffness": 400.0, "damping": 5.0, "length": 0.8}
    return model


def hinge(turn, length, twist, offset=0.0):
    """From one hinge of a loop to the next, each the z of its frame (Denavit and Hartenberg)."""
    step = np.eye(4)
    step[:3, :3] = sim.axis_angle([0, 0, 1], turn) @ sim.axis_angle([1, 0, 0], twist)
    step[:3, 3] = sim.axis_angle([0, 0, 1], turn) @ [length, 0, 0] + [0, 0, offset]
    return step


def frames_of(steps):
    """Of the hinges of a loop that closes."""
    frames = [np.eye(4)]
    for step in steps:
        frames.append(frames[-1] @ step)
    assert np.abs(frames[-1] - np.eye(4)).max() < 1e-12, "the loop does not close"
    return frames[:-1]


def bennett_frames(first, second, twist, angle):
    other = np.arcsin(np.sin(twist) * second / first)
    half = np.arctan(np.sin((other + twist) / 2) / np.sin((other - twist) / 2) / np.tan(angle / 2))
    angles, sizes = [angle, 2 * half, -angle, -2 * half], [(first, twist), (second, other)] * 2
    return frames_of([hinge(turn, *size) for turn, size in zip(angles, sizes)])


def bennett(first=0.8, second=0.6, twist=0.9, angle=1.1):
    """Four hinges, skew and in no plane, that move since sin(twist)/length is the same for all links."""
    return loop_of_frames("bennett", bennett_frames(first, second, twist, angle))


def goldberg(first=0.8, second=0.6, third=0.45, twist=0.9, angles=(1.1, 2.0)):
    """Five hinges: two Bennett linkages on one link, which is left out after their links at one of its ends are joined."""
    one, other = (bennett_frames(first, size, twist, angle) for size, angle in zip((second, third), angles))
    turn = np.eye(4)
    turn[:3, :3] = sim.axis_angle([0, 0, 1], angles[0] - angles[1])
    return loop_of_frames("goldberg", [one[0], one[3], one[2], turn @ other[2], turn @ other[3]])


def closed(angles, steps):
    """The angles of a loop nearest to these: Gauss and Newton, with the smallest change."""
    for _ in range(50):
        product = [np.eye(4)]
        for angle, step in zip(angles, steps):
            product.append(product[-1] @ hinge(angle, *step))
        screws = np.array([np.append(np.cross(f[:3, 3], f[:3, 2]), f[:3, 2]) for f in product[:-1]]).T
        gap = product[-1]
        turned = np.array([gap[2, 1] - gap[1, 2], gap[0, 2] - gap[2, 0], gap[1, 0] - gap[0, 1]]) / 2
        angles = angles - np.linalg.lstsq(screws, np.append(gap[:3, 3], turned), rcond=1e-6)[0]
    return angles


def schatz(side=0.5, offset=0.3):
    """Six hinges at right angles, the inverted cube."""
    steps = [(0.0, np.pi / 2, offset), (side, np.pi / 2), (side, np.pi / 2), (side, np.pi / 2), (0.0, np.pi / 2),
             (np.sqrt(3) * side, 0.0, -offset)]
    angles = closed(np.array([-0.4, 2.5, 1.2, -1.8, -2.2, 0.9]), steps)
    return loop_of_frames("schatz", frames_of([hinge(angle, *step) for angle, step in zip(angles, steps)]), 0.1)


def octahedron():
    """Bricard's, of triangular plates with a hinge at every edge: opposite corners are symmetric to a line. One plate is the ground."""
    corners = {"A": np.array([0.5, 0.1, 0.3]), "B": np.array([-0.2, 0.6, 0.1]), "C": np.array([0.1, -0.4, -0.3])}
    corners.update({name.lower(): place * [-1, -1, 1] for name, place in corners.items()})
    plates = ["".join(pair) for pair in itertools.product("Aa", "Bb", "Cc")]
    bodies, joints = {}, {}
    for name in plates[1:]:
        origin, along, across = corners[name[0]], corners[name[1]] - corners[name[0]], corners[name[2]] - corners[name[0]]
        points = {corner: sim.rotation_matrix({"x": along, "y": across}).T @ (corners[corner] - origin) for corner in name}
        bodies[name] = {"mass": 1.0, "center": plain(sum(points.values()) / 3), "inertia": [0.02, 0.03, 0.05],
                        "points": {corner: plain(place) for corner, place in points.items()},
                        "position": plain(origin), "rotation": {"x": plain(along), "y": plain(across)}}
    for one, other in itertools.combinations(plates, 2):
        edge = [corner for corner in one if corner in other]
        if len(edge) == 2:
            ends = [f"{'ground' if plate == plates[0] else plate}.{edge[0]}" for plate in (one, other)]
            joints["_".join((one, other))] = {"type": "revolute", "between": ends, "axis": plain(corners[edge[1]] - corners[edge[0]])}
    return linkage("octahedron", {corner: plain(corners[corner]) for corner in plates[0]}, bodies, joints, "abc.a", [3.0, -8.0, 4.0])


def loop_of_frames(name, frames, along=0.0):
    """Hinges are the z of frames; rods meet them at this distance from their origins."""
    return loop_of_hinges(name, [f[:3, 3] + along * f[:3, 2] for f in frames], [f[:3, 2] for f in frames])


def loop_of_hinges(name, places, axes, gravity=(3.0, -8.0, 4.0)):
    """Rods from hinge to hinge; the last one is the ground."""
    bodies, joints, count = {}, {}, len(places)
    for k in range(count - 1):
        span = places[k + 1] - places[k]
        across = axes[k] if abs(axes[k] @ span) < 0.9 * np.linalg.norm(span) else axes[k + 1]
        bodies[f"rod{k}"] = rod(1.0 + 0.3 * k, np.linalg.norm(span), span / np.linalg.norm(span), across, places[k], 0.2)
    ends = ["ground.first"] + [f"rod{k}.{e}" for k in range(count - 1) for e in "ab"] + ["ground.last"]
    for k in range(count):
        joints[f"J{k}"] = {"type": "revolute", "between": ends[2 * k:2 * k + 2], "axis": [float(c) for c in axes[k]]}
    points = {"first": [float(c) for c in places[0]], "last": [float(c) for c in places[-1]]}
    return linkage(name, points, bodies, joints, "rod1.b", gravity)


def plain(values):
    return [float(v) for v in values]


PROBLEMS = {"bricard": {}, "four-bar": {}, "ladder": {"n": 2}}
BUILT = {"sarrus-linkage": sarrus_linkage, "bennett": bennett, "door": door, "goldberg": goldberg, "schatz": schatz,
         "octahedron": octahedron}
LINKAGES = list(PROBLEMS) + list(BUILT)


def exact(name, root):
    """The linkage askew, with its motion as outputs and nothing else."""
    if name in BUILT:
        model = BUILT[name]()
    else:
        model = models.load_flat(os.path.join(root, "problems", name, "model.yaml"), PROBLEMS[name])
        model["method"] = {"end": 1.0, "step": 1e-3}
    askew = sim.Similarity("askew", turn=sim.axis_angle([0.2, 0.7, -0.4], 1.234), shift=np.array([0.3, -0.2, 0.1]))
    model = sim.transformed(model, askew)
    motion = models.motion_outputs(model, list(model["outputs"]))
    model["outputs"] = {name: model["outputs"][name] for name in motion}
    return model


# ---- drawing: all coordinates as numbers ----

def inertia_matrix(body):
    i = list(body.get("inertia", [0.0, 0.0, 0.0])) + [0.0] * 3
    return np.array([[i[0], i[3], i[4]], [i[3], i[1], i[5]], [i[4], i[5], i[2]]])


def reframed(model, frames):
    """Each body in another frame, given by its place and rotation as drawn; directions of joints become axes on both sides."""
    new = copy.deepcopy(model)
    poses = {"ground": (np.zeros(3), np.eye(3), np.zeros(3), np.eye(3))}
    for name, body in new["bodies"].items():
        place, turn = np.array(body["position"]), sim.rotation_matrix(body["rotation"])
        origin, axes = frames[name]
        poses[name] = (place, turn, origin, axes)
        local = lambda p: [float(c) for c in axes.T @ (place + turn @ np.array(p) - origin)]  # noqa: E731
        body["center"] = local(body.get("center", [0.0] * 3))
        body["points"] = {k: local(p) for k, p in dict(body.get("points", {}), origin_=[0.0] * 3).items()}
        relative = axes.T @ turn
        body["axes"] = {k: [float(c) for c in relative @ a] for k, a in body.get("axes", {}).items()}
        matrix = relative @ inertia_matrix(body) @ relative.T
        body["inertia"] = [float(matrix[i]) for i in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]]
        body["position"] = [float(c) for c in origin]
        body["rotation"] = {"x": [float(c) for c in axes[:, 0]], "y": [float(c) for c in axes[:, 1]]}
        body.pop("velocity", None)
        body.pop("angular_velocity", None)
    for name, joint in new["joints"].items():
        directions_on_both_sides(new, model, poses, name, joint)
    return renamed_origins(new)


def directions_on_both_sides(new, old, poses, name, joint):
    joint["between"] = [e if "." in e or e == "ground" else e + ".origin_" for e in joint["between"]]
    for key in ("axis", "normal"):
        if key not in joint:
            continue
        pair = []
        for side, end in enumerate(joint["between"]):
            body = end.split(".")[0]
            world = world_direction(old, poses, joint[key], side)
            part = new["bodies"][body] if body != "ground" else new["ground"]
            part.setdefault("axes", {})[f"{name}_{key}"] = [float(c) for c in poses[body][3].T @ world]
            pair.append(f"{body}.{name}_{key}")
        joint[key] = pair


def world_direction(model, poses, value, side):
    if not isinstance(value[0], str):
        return np.array(value, float)
    body, axis = value[side].split(".")
    part = model["ground"] if body == "ground" else model["bodies"][body]
    local = part.get("axes", {}).get(axis)
    local = np.eye(3)["xyz".index(axis)] if local is None else np.array(local)
    return poses[body][1] @ local


def renamed_origins(model):
    """Ends and signals that meant the origin of the old frame."""
    names = list(model["bodies"])
    for section in ("joints", "forces"):
        for element in model[section].values():
            if "between" in element:
                element["between"] = [(e + ".origin_" if e in names else e).replace(".origin", ".origin_").replace("__", "_")
                                      if not e.startswith("ground") else e for e in element["between"]]
    model["outputs"] = {k: str(v).replace(".origin.", ".origin_.") for k, v in model["outputs"].items()}
    return model


def drawn(model, way, generator):
    """All bodies in the frame of the world, or each in a frame of its own."""
    frames = {}
    for name, body in model["bodies"].items():
        own = sim.axis_angle(generator.normal(size=3), generator.uniform(0.3, 2.5))
        offset = generator.uniform(-0.2, 0.2, 3)
        frames[name] = (np.zeros(3), np.eye(3)) if way == "common" else (np.array(body["position"]) + offset, own)
    return reframed(model, frames)


def rounded(value, digits):
    if isinstance(value, dict):
        return {k: rounded(v, digits) for k, v in value.items()}
    if isinstance(value, list):
        return [rounded(v, digits) for v in value]
    return round(value, digits) if isinstance(value, float) else value


def with_digits(model, digits):
    """Points, axes, positions and orientations with so many decimals."""
    new = copy.deepcopy(model)
    new["ground"] = rounded(new["ground"], digits)
    for body in new["bodies"].values():
        for key in ("center", "points", "axes", "position", "rotation"):
            if key in body:
                body[key] = rounded(body[key], digits)
    return new


# ---- verdicts ----

@dataclasses.dataclass
class Case:
    name: str
    way: str
    digits: int
    coordinates: str
    precision: float | None
    model: dict
    exact: dict

    def label(self):
        asked = f"--drawing {self.precision:g}" if self.precision else ""
        return f"{self.name} {self.way} {self.digits} digits {self.coordinates} {asked}".strip()


def distance(rows, wanted):
    return max(np.abs(np.array(rows[k]) - np.array(wanted[k])).max() for k in wanted)


EXACT = {}  # runs of the exact models, by linkage, way and coordinates


def exact_run(sarrus, case, options):
    key = (case.name, case.way, case.coordinates, *options)
    if key not in EXACT:
        EXACT[key] = sarrus.run(case.exact, *options)
    return EXACT[key]


def names_a_joint(case, outcome):
    words = re.split(r"[\s,:().]+", outcome.message())
    return any(joint in words for joint in case.model["joints"])


def verdict(sarrus, case, method=()):
    """(kind, text): right, refused, or what is wrong; method: more options of the runs."""
    options = [*method, "--coordinates", case.coordinates, "--end", str(SHORT), "--sample", "0.01"]
    asked = ["--drawing", f"{case.precision:g}"] if case.precision else []
    wanted = exact_run(sarrus, case, options)
    if wanted.code != 0:
        return "exact model fails", wanted.message()
    checked = sarrus.run(case.model, "--coordinates", case.coordinates, *asked, command="check")
    got = sarrus.run(case.model, *options, *asked)
    if checked.code is None or got.code is None or min(checked.code, got.code) < 0:
        return "crash", f"check {checked.verdict}, run {got.verdict}"
    if got.code == 6:
        return "refused", "completed, and said not to be trusted"
    if checked.code != got.code and {checked.code, got.code} != {0, 1}:
        return "check and run disagree", f"check {checked.verdict}, run {got.verdict}: {got.message()}"
    if got.code == 4:
        return ("refused", got.message()) if got.conflicts() else ("refused without a name", got.message())
    if got.code != 0:
        told = "contradict" in got.message()
        return ("stops, no joint named" if told and not names_a_joint(case, got) else "refused" if told else "fails"), got.message()
    error, allowed = distance(got.rows, wanted.rows), max(MAGNIFIED * 10.0**-case.digits, 1e-9)
    if error > allowed:
        return "another motion", f"off by {error:.1e} m, wanted {allowed:.0e}"
    if checked.report["rank"]["dof"] != wanted.report["rank"]["dof"]:
        return "degrees of freedom", f"{wanted.report['rank']['dof']} -> {checked.report['rank']['dof']}, motion off by {error:.1e} m"
    return "right", f"off by {error:.1e} m"


def wanted_of(case):
    """Verdicts that are true of this drawing."""
    unit = 10.0**-case.digits
    if case.precision:
        return {"right"} if case.precision >= 10 * unit else {"right", "refused"}
    return {"right"} if unit <= DRAWN_WELL / 10 else {"right", "refused"} if unit <= DRAWN_WELL else {"refused"}


def fits(case, kind):
    """A drawing that contradicts nothing is right whatever its digits."""
    return kind in wanted_of(case) or (kind == "right" and not case.precision)


def cases(root, names, digits, coordinates, can_ask):
    for name in names:
        whole = exact(name, root)
        for way in ("common", "local"):
            model = drawn(whole, way, np.random.default_rng(7))
            for count in digits:
                for kind in coordinates:
                    rough = with_digits(model, count)
                    yield Case(name, way, count, kind, None, rough, model)
                    if can_ask and count == 4:
                        yield Case(name, way, count, kind, 1e-3, rough, model)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    program.add_options(parser)
    parser.add_argument("--linkages", default=",".join(LINKAGES))
    parser.add_argument("--digits", default="4,6,9")
    parser.add_argument("--coordinates", default=",".join(COORDINATES))
    parser.add_argument("--method", default="", help="more options of the runs, as '--preset auto --tolerance 1e-8' (default: none)")
    options = parser.parse_args()
    sarrus, method = program.Program(options.program, options.timeout), options.method.split()
    os.nice(10)
    can_ask = sarrus.knows("--drawing")
    if not can_ask:
        print("the program has no option --drawing: not asked\n")
    every = list(cases(options.root, options.linkages.split(","), [int(d) for d in options.digits.split(",")],
                       options.coordinates.split(","), can_ask))
    count = collections.Counter()
    for case, (kind, text) in zip(every, program.in_parallel(options.jobs, lambda c: verdict(sarrus, c, method), every)):
        good = fits(case, kind)
        count["as wanted" if good else kind] += 1
        print(f"{'    ' if good else 'BAD '}{case.label():58} {kind}: {text[:150]}", flush=True)
        if not good:
            program.keep(options.keep, case.label(), case.model, f"{kind}: {text}")
    print("\n" + "\n".join(f"{n:5}  {kind}" for kind, n in count.most_common()))
    return 1 if set(count) - {"as wanted"} else 0


if __name__ == "__main__":
    sys.exit(main())
