#!/usr/bin/env python3
"""Write the robots of this folder: structures that real robots have, with numbers of our own, the way real files write them.

    make_robots.py [FOLDER]

A robot is drawn here once and written as URDF, SDFormat and MJCF. What the formats cannot say alike is written by hand
beside them (README.md).
"""
import pathlib
import sys

import numpy as np

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)


def rotation(rpy):
    (cx, cy, cz), (sx, sy, sz) = np.cos(rpy), np.sin(rpy)
    return np.array([[cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx], [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
                     [-sy, cy * sx, cy * cx]])


def pose(p=(0, 0, 0), rpy=(0, 0, 0)):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = rotation(np.array(rpy, float)), p
    return X


def angles(R):
    yaw = np.arctan2(R[1, 0], R[0, 0])
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([np.arctan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1]), np.arctan2(-R[2, 0], c * R[0, 0] + s * R[1, 0]), yaw])


def text(values):
    return " ".join(f"{0.0 if abs(v) < 1e-16 else v:.16g}" for v in np.ravel(values))


class Robot:
    """Links with poses in the world, joints of the tree, and joints that close loops."""

    def __init__(self, name):
        self.name, self.links, self.joints, self.loops, self.mimics = name, {}, [], [], []

    def link(self, name, at, mass=0.0, com=(0, 0, 0), inertia=(0, 0, 0), shape=None):
        """`at`: pose, or position; `inertia`: about the centre, diagonal or xx yy zz xy xz yz."""
        I = list(inertia) + [0, 0, 0] if len(inertia) == 3 else list(inertia)
        self.links[name] = (at if np.shape(at) == (4, 4) else pose(at), mass, np.array(com, float), I, shape)

    def joint(self, name, kind, parent, child, axis=(0, 0, 1), limits=None, damping=0.0):
        """The axis is in the child's frame."""
        self.joints.append((name, kind, parent, child, np.array(axis, float), limits, damping))

    def loop(self, name, kind, a, b, point, axis=(0, 0, 1)):
        """Point and axis are in the world."""
        self.loops.append((name, kind, a, b, np.array(point, float), np.array(axis, float)))

    def mimic(self, follower, leader, multiplier, offset=0.0):
        self.mimics.append((follower, leader, multiplier, offset))

    def of(self, name):
        return self.links[name][0] if name in self.links else np.eye(4)

    # -- URDF ---------------------------------------------------------------------------------

    def urdf(self, loops=True):
        out = ['<?xml version="1.0"?>', f'<robot name="{self.name}">']
        for name, (_, mass, com, I, shape) in self.links.items():
            out.append(f'  <link name="{name}">')
            if mass or any(I):
                out += ["    <inertial>", f'      <origin xyz="{text(com)}" rpy="0 0 0"/>', f'      <mass value="{mass:.16g}"/>',
                        f'      <inertia ixx="{I[0]:.16g}" ixy="{I[3]:.16g}" ixz="{I[4]:.16g}" iyy="{I[1]:.16g}" iyz="{I[5]:.16g}" izz="{I[2]:.16g}"/>',
                        "    </inertial>"]
            if shape:
                word, p, size = shape
                keys = f'size="{text(size)}"' if word == "box" else f'radius="{text(size)}"' if word == "sphere" else ""
                keys = keys or f'radius="{size[0]:.16g}" length="{size[1]:.16g}"'
                out += ["    <visual>", f'      <origin xyz="{text(p)}" rpy="0 0 0"/>', f"      <geometry><{word} {keys}/></geometry>", "    </visual>"]
            out.append("  </link>")
        for name, kind, parent, child, axis, limits, damping in self.joints:
            X = np.linalg.inv(self.of(parent)) @ self.of(child)
            word = {"revolute": "revolute" if limits else "continuous", "ball": "spherical"}.get(kind, kind)
            out += [f'  <joint name="{name}" type="{word}">', f'    <parent link="{parent}"/>', f'    <child link="{child}"/>',
                    f'    <origin xyz="{text(X[:3, 3])}" rpy="{text(angles(X[:3, :3]))}"/>']
            if kind not in ("fixed", "floating", "ball"):
                out.append(f'    <axis xyz="{text(axis)}"/>')
            if limits:
                out.append(f'    <limit lower="{limits[0]:.16g}" upper="{limits[1]:.16g}" effort="50" velocity="5"/>')
            if damping:
                out.append(f'    <dynamics damping="{damping:.16g}"/>')
            for follower, leader, multiplier, offset in self.mimics:
                if follower == name:
                    out.append(f'    <mimic joint="{leader}" multiplier="{multiplier:.16g}" offset="{offset:.16g}"/>')
            out.append("  </joint>")
        for name, kind, a, b, point, axis in self.loops if loops else ():
            out.append(f'  <loop_joint name="{name}" type="{"spherical" if kind == "ball" else kind}">')
            for word, link in (("link1", a), ("link2", b)):
                X = np.linalg.inv(self.of(link)) @ pose(point)
                out.append(f'    <{word} link="{link}" xyz="{text(X[:3, 3])}" rpy="{text(angles(X[:3, :3]))}"/>')
            out += [f'    <axis xyz="{text(axis)}"/>', "  </loop_joint>"]
        return "\n".join(out + ["</robot>", ""])

    # -- SDFormat -----------------------------------------------------------------------------

    def sdf(self):
        def place(X, extra=""):
            return f"<pose{extra}>{text(X[:3, 3])} {text(angles(X[:3, :3]))}</pose>"

        out = ['<?xml version="1.0"?>', '<sdf version="1.9">', f'  <model name="{self.name}">']
        for name, (X, mass, com, I, shape) in self.links.items():
            out += [f'    <link name="{name}">', "      " + place(X), "      <inertial>", f"        <pose>{text(com)} 0 0 0</pose>",
                    f"        <mass>{mass:.16g}</mass>", "        <inertia>"]
            out += [f"          <{word}>{v:.16g}</{word}>" for word, v in zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), I)]
            out += ["        </inertia>", "      </inertial>", "    </link>"]

        def joint(name, kind, parent, child, point, axis, limits=None, damping=0.0, mimic=None):
            out.extend([f'    <joint name="{name}" type="{kind}">', f"      <parent>{parent}</parent>", f"      <child>{child}</child>"])
            if point is not None:
                out.append("      " + place(np.linalg.inv(self.of(child)) @ pose(point)))
            if kind not in ("ball", "fixed"):
                out.extend(["      <axis>", f"        <xyz>{text(axis)}</xyz>"])
                if limits:
                    out.append(f"        <limit><lower>{limits[0]:.16g}</lower><upper>{limits[1]:.16g}</upper><effort>50</effort></limit>")
                if damping:
                    out.append(f"        <dynamics><damping>{damping:.16g}</damping></dynamics>")
                if mimic:
                    out.append(f'        <mimic joint="{mimic[1]}"><multiplier>{mimic[2]:.16g}</multiplier><offset>{mimic[3]:.16g}</offset>'
                               "<reference>0</reference></mimic>")
                out.append("      </axis>")
            out.append("    </joint>")

        for name, kind, parent, child, axis, limits, damping in self.joints:
            if kind == "floating":
                continue
            mimic = next((m for m in self.mimics if m[0] == name), None)
            joint(name, kind, parent if parent in self.links else "world", child, None, axis, limits, damping, mimic)
        for name, kind, a, b, point, axis in self.loops:
            joint(name, kind, a, b, point, axis)
        if not any(parent not in self.links for _, _, parent, _, *_ in self.joints):  # the root stands
            root = next(name for name in self.links if all(child != name for _, _, _, child, *_ in self.joints))
            joint("root", "fixed", "world", root, None, None)
        return "\n".join(out + ["  </model>", "</sdf>", ""])

    # -- MJCF ---------------------------------------------------------------------------------

    def mjcf(self):
        sites = {}
        equality = []
        for name, kind, a, b, point, axis in self.loops:
            # two points of the axis make a hinge; frames that coincide a weld
            for k in range(2 if kind == "revolute" else 1):
                at = point + 0.1 * k * axis
                for side, link in (("a", a), ("b", b)):
                    sites.setdefault(link, []).append((f"{name}_{side}{k}", np.linalg.inv(self.of(link)) @ pose(at)))
                word = "weld" if kind == "fixed" else "connect"
                equality.append(f'    <{word} name="{name}{k or ""}" site1="{name}_a{k}" site2="{name}_b{k}" solref="0.005 1"/>')
        for follower, leader, multiplier, offset in self.mimics:
            equality.append(f'    <joint joint1="{follower}" joint2="{leader}" polycoef="{offset:.16g} {multiplier:.16g} 0 0 0"/>')
        out = [f'<mujoco model="{self.name}">', '  <compiler angle="radian" eulerseq="XYZ"/>', "  <worldbody>"]

        def body(name, parent, indent):
            X, mass, com, I, shape = self.links[name]
            X = np.linalg.inv(self.of(parent)) @ X if parent in self.links else X
            blank = "  " * indent
            out.append(f'{blank}<body name="{name}" pos="{text(X[:3, 3])}" euler="{text(angles(X[:3, :3]))}">')
            if mass or any(I):
                out.append(f'{blank}  <inertial pos="{text(com)}" mass="{mass:.16g}" fullinertia="{text(I)}"/>')
            for jname, kind, jparent, child, axis, limits, damping in self.joints:
                if child != name or kind == "fixed":
                    continue
                if kind == "floating":
                    out.append(f"{blank}  <freejoint/>")
                    continue
                word = {"revolute": "hinge", "prismatic": "slide", "ball": "ball"}[kind]
                extra = f' range="{limits[0]:.16g} {limits[1]:.16g}"' if limits else ""
                extra += f' damping="{damping:.16g}"' if damping else ""
                extra += f' axis="{text(axis)}"' if kind != "ball" else ""
                out.append(f'{blank}  <joint name="{jname}" type="{word}"{extra}/>')
            out.extend(f'{blank}  <site name="{site}" pos="{text(S[:3, 3])}" euler="{text(angles(S[:3, :3]))}"/>' for site, S in sites.get(name, ()))
            for _, _, jparent, child, *_ in self.joints:
                if jparent == name:
                    body(child, name, indent + 1)
            out.append(f"{blank}</body>")

        children = {child for _, _, parent, child, *_ in self.joints if parent in self.links}
        out.extend(f'    <site name="{site}" pos="{text(S[:3, 3])}"/>' for site, S in sites.get("world", ()))
        for name in self.links:
            if name not in children:
                body(name, None, 2)
        out.append("  </worldbody>")
        if equality:
            out += ["  <equality>", *equality, "  </equality>"]
        return "\n".join(out + ["</mujoco>", ""])


def rod(mass, length, radius=0.01):
    """Inertia of a rod along z."""
    across = mass * (length ** 2 / 12 + radius ** 2 / 4)
    return across, across, mass * radius ** 2 / 2


def along(p, q):
    """The pose at p with z towards q, and the distance."""
    z = np.subtract(q, p).astype(float)
    length = np.linalg.norm(z)
    z /= length
    x = np.cross([0.0, 1.0, 0.0], z)
    x = x / np.linalg.norm(x) if np.linalg.norm(x) > 1e-6 else np.array([1.0, 0, 0])
    X = np.eye(4)
    X[:3, 0], X[:3, 1], X[:3, 2], X[:3, 3] = x, np.cross(z, x), z, p
    return X, length


def add_rod(robot, name, p, q, mass):
    X, length = along(p, q)
    robot.link(name, X, mass, (0, 0, length / 2), rod(mass, length), ("cylinder", (0, 0, length / 2), (0.01, length)))
    return length


# ---- robots -------------------------------------------------------------------------------------

def six_axis_arm():
    r = Robot("six_axis_arm")
    r.link("base_link", (0, 0, 0), 4, (0, 0, 0.05), (0.02, 0.02, 0.03), ("cylinder", (0, 0, 0.05), (0.09, 0.1)))
    r.link("shoulder_link", pose((0, 0, 0.16), (0, 0, 0.3)), 3.7, (0.01, -0.02, 0.03), (0.0102, 0.011, 0.0066, 0.0002, -0.0001, 0.0003))
    r.link("upper_arm_link", r.of("shoulder_link") @ pose((0, 0.13, 0), (0, 1.5707963267948966, 0)), 8.4, (0, 0, 0.28), (0.22, 0.22, 0.015, 0, 0.001, 0))
    r.link("forearm_link", r.of("upper_arm_link") @ pose((0, -0.11, 0.42), (0, -0.8, 0)), 2.3, (0, 0, 0.25), (0.049, 0.049, 0.004))
    r.link("wrist_1_link", r.of("forearm_link") @ pose((0, 0, 0.39), (0, 1.2, 0)), 1.2, (0, 0.1, 0), (0.11, 0.11, 0.2))
    r.link("wrist_2_link", r.of("wrist_1_link") @ pose((0, 0.09, 0)), 1.2, (0, 0, 0.09), (0.11, 0.2, 0.11))
    r.link("wrist_3_link", r.of("wrist_2_link") @ pose((0, 0, 0.09)), 0.19, (0, 0.08, 0), (0.017, 0.033, 0.017))
    r.link("tool0", r.of("wrist_3_link") @ pose((0, 0.08, 0), (-1.5707963267948966, 0, 0)))
    chain = ["base_link", "shoulder_link", "upper_arm_link", "forearm_link", "wrist_1_link", "wrist_2_link", "wrist_3_link"]
    for k, axis in enumerate([(0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0)]):
        r.joint(f"joint_{k + 1}", "revolute", chain[k], chain[k + 1], axis, (-6.28, 6.28), 0.05 * k)
    r.joint("flange", "fixed", "wrist_3_link", "tool0")
    return r


def mobile_base():
    r = Robot("mobile_base")
    r.link("base_link", (0, 0, 0.15), 12, (-0.02, 0, 0.05), (0.3, 0.5, 0.6), ("box", (0, 0, 0.05), (0.5, 0.35, 0.15)))
    r.joint("world_to_base", "floating", "world", "base_link")
    for side, y in (("left", 0.2), ("right", -0.2)):
        r.link(f"{side}_wheel", (0.1, y, 0.1), 0.8, (0, 0, 0), (0.0022, 0.004, 0.0022), ("sphere", (0, 0, 0), 0.1))
        r.joint(f"{side}_wheel_joint", "revolute", "base_link", f"{side}_wheel", (0, 1, 0), None, 0.02)
    r.link("caster", (-0.2, 0, 0.08), 0.3, (-0.02, 0, -0.02), (0.0003, 0.0003, 0.0003))
    r.joint("caster_swivel", "revolute", "base_link", "caster", (0, 0, 1))
    r.link("mast", (0, 0, 0.3), 2, (0, 0, 0.3), rod(2, 0.6, 0.03))
    r.joint("lift", "prismatic", "base_link", "mast", (0, 0, 1), (-0.1, 0.5), 30)
    r.link("camera", (0.05, 0, 0.9))
    r.joint("camera_mount", "fixed", "mast", "camera")
    return r


def humanoid():
    r = Robot("humanoid")
    r.link("pelvis", (0, 0, 0.9), 9, (0, 0, 0.03), (0.08, 0.07, 0.06), ("box", (0, 0, 0), (0.15, 0.25, 0.12)))
    r.joint("root", "floating", "world", "pelvis")
    r.link("torso", (0, 0, 1.05), 18, (0.01, 0, 0.18), (0.5, 0.45, 0.2, 0, 0.01, 0))
    r.joint("waist", "revolute", "pelvis", "torso", (0, 0, 1), (-1, 1))
    r.link("head", (0, 0, 1.45), 4, (0, 0, 0.1), (0.03, 0.03, 0.02))
    r.joint("neck", "revolute", "torso", "head", (0, 1, 0), (-0.7, 0.7))
    for side, s in (("l", 1), ("r", -1)):
        y = 0.09 * s
        r.link(f"{side}_hip_yaw_link", (0, y, 0.85), 0.4, (0, 0, -0.02), (0.001, 0.001, 0.0008))
        r.link(f"{side}_hip_roll_link", (0, y, 0.82), 0.6, (0, 0.01 * s, 0), (0.0012, 0.001, 0.001))
        r.link(f"{side}_thigh", (0, y, 0.82), 5.5, (0.01, 0.01 * s, -0.18), (0.08, 0.082, 0.015, 0, 0.001 * s, 0))
        r.link(f"{side}_shin", (0, y, 0.45), 3, (0, 0, -0.16), (0.04, 0.04, 0.005))
        r.link(f"{side}_foot", (0, y, 0.07), 1.1, (0.04, 0, -0.03), (0.002, 0.005, 0.005), ("box", (0.04, 0, -0.04), (0.22, 0.09, 0.03)))
        r.link(f"{side}_upper_arm", (0, 0.2 * s, 1.38), 2, (0, 0.03 * s, -0.12), (0.012, 0.012, 0.002))
        r.link(f"{side}_forearm", (0, 0.24 * s, 1.12), 1.3, (0.02, 0, -0.1), (0.008, 0.008, 0.001))
        r.link(f"{side}_hand", (0, 0.24 * s, 0.9))
        r.joint(f"{side}_hip_yaw", "revolute", "pelvis", f"{side}_hip_yaw_link", (0, 0, 1), (-0.8, 0.8))
        r.joint(f"{side}_hip_roll", "revolute", f"{side}_hip_yaw_link", f"{side}_hip_roll_link", (1, 0, 0), (-0.5, 0.5))
        r.joint(f"{side}_hip_pitch", "revolute", f"{side}_hip_roll_link", f"{side}_thigh", (0, 1, 0), (-2, 1))
        r.joint(f"{side}_knee", "revolute", f"{side}_thigh", f"{side}_shin", (0, 1, 0), (-0.1, 2.4), 0.1)
        r.joint(f"{side}_ankle", "revolute", f"{side}_shin", f"{side}_foot", (0, 1, 0), (-0.8, 0.8))
        r.joint(f"{side}_shoulder", "revolute", "torso", f"{side}_upper_arm", (0, 1, 0.2 * s), (-3, 1.5))
        r.joint(f"{side}_elbow", "revolute", f"{side}_upper_arm", f"{side}_forearm", (0, 1, 0), (-2.3, 0.1))
        r.joint(f"{side}_wrist", "fixed", f"{side}_forearm", f"{side}_hand")
    return r


def hexapod():
    r = Robot("hexapod")
    r.link("body", (0, 0, 0.12), 2.4, (0, 0, 0), (0.015, 0.02, 0.03), ("box", (0, 0, 0), (0.3, 0.16, 0.05)))
    r.joint("root", "floating", "world", "body")
    for k in range(6):
        a = np.pi / 6 + k * np.pi / 3
        base = r.of("body") @ pose((0.15 * np.cos(a), 0.1 * np.sin(a), 0), (0, 0, a))
        r.link(f"coxa_{k}", base, 0.08, (0.02, 0, 0), (2e-5, 3e-5, 3e-5))
        r.link(f"femur_{k}", base @ pose((0.05, 0, 0), (0, -0.4, 0)), 0.12, (0.04, 0, 0.002), (2e-5, 9e-5, 9e-5))
        r.link(f"tibia_{k}", base @ pose((0.05, 0, 0), (0, -0.4, 0)) @ pose((0.08, 0, 0), (0, 1.6, 0)), 0.09, (0.06, 0, 0), (1e-5, 1.1e-4, 1.1e-4))
        r.joint(f"coxa_joint_{k}", "revolute", "body", f"coxa_{k}", (0, 0, 1), (-1, 1), 0.002)
        r.joint(f"femur_joint_{k}", "revolute", f"coxa_{k}", f"femur_{k}", (0, 1, 0), (-1.5, 1.5), 0.002)
        r.joint(f"tibia_joint_{k}", "revolute", f"femur_{k}", f"tibia_{k}", (0, 1, 0), (-2, 2), 0.002)
    return r


def five_bar():
    r = Robot("five_bar")
    A, E, B, D, C = (-0.1, 0, 0), (0.1, 0, 0), (-0.22, 0, 0.18), (0.2, 0, 0.2), (0.02, 0, 0.42)
    r.link("base", (0, 0, 0), 5, (0, 0, -0.05), (0.05, 0.06, 0.04))
    for name, p, q, mass in (("left_arm", A, B, 0.5), ("left_rod", B, C, 0.3), ("right_arm", E, D, 0.5), ("right_rod", D, C, 0.35)):
        add_rod(r, name, p, q, mass)
    for name, parent, child in (("left_motor", "base", "left_arm"), ("left_elbow", "left_arm", "left_rod"), ("right_motor", "base", "right_arm"),
                                ("right_elbow", "right_arm", "right_rod")):
        r.joint(name, "revolute", parent, child, np.linalg.inv(r.of(child))[:3, :3] @ [0, 1, 0], None, 0.01)
    r.loop("tip", "revolute", "left_rod", "right_rod", C, (0, 1, 0))
    return r


def delta():
    r = Robot("delta")
    r.link("base", (0, 0, 0.6), 8, (0, 0, 0.02), (0.1, 0.1, 0.15))
    center = np.array([0.01, -0.02, 0.22])
    for k in range(3):
        a = 2 * np.pi * k / 3 + 0.1
        u, w = np.array([np.cos(a), np.sin(a), 0]), np.array([-np.sin(a), np.cos(a), 0])
        shoulder, elbow = 0.12 * u + [0, 0, 0.6], 0.3 * u + [0, 0, 0.53]
        add_rod(r, f"arm_{k}", shoulder, elbow, 0.3)
        r.joint(f"motor_{k}", "revolute", "base", f"arm_{k}", np.linalg.inv(r.of(f"arm_{k}"))[:3, :3] @ w, (-2, 2), 0.01)
        for side, s in (("l", 1), ("r", -1)):
            p, q = elbow + 0.04 * s * w, center + 0.05 * u + 0.04 * s * w
            add_rod(r, f"rod_{k}{side}", p, q, 0.06)
            r.joint(f"ball_{k}{side}", "ball", f"arm_{k}", f"rod_{k}{side}")
            if "platform" not in r.links:
                r.link("platform", q, 0.4, center - q, (0.0006, 0.0006, 0.001))
                r.joint("wrist", "ball", f"rod_{k}{side}", "platform")
            else:
                r.loop(f"wrist_{k}{side}", "ball", f"rod_{k}{side}", "platform", q)
    return r


def stewart():
    r = Robot("stewart")
    r.link("base", (0, 0, 0), 20, (0, 0, 0), (1, 1, 2))
    top = pose((0.03, -0.02, 0.6), (0.1, -0.05, 0.2))
    legs = []
    for k in range(6):
        a, b = np.pi / 3 * (k // 2 * 2) + (0.2 if k % 2 else -0.2), np.pi / 3 * (k // 2 * 2) + (0.9 if k % 2 else -0.9)
        legs.append((np.array([0.5 * np.cos(b), 0.5 * np.sin(b), 0]), (top @ [0.3 * np.cos(a), 0.3 * np.sin(a), 0, 1])[:3]))
    for k, (p, q) in enumerate(legs):
        X, length = along(p, q)
        r.link(f"cross_{k}", X, 0.05, (0, 0, 0), (1e-4, 1e-4, 1e-4))
        r.link(f"cylinder_{k}", X, 1.1, (0, 0, 0.12), rod(1.1, 0.25, 0.03))
        r.link(f"rod_{k}", X @ pose((0, 0, 0.5 * length)), 0.5, (0, 0, 0.15), rod(0.5, 0.3))
        r.joint(f"u1_{k}", "revolute", "base", f"cross_{k}", (1, 0, 0))
        r.joint(f"u2_{k}", "revolute", f"cross_{k}", f"cylinder_{k}", (0, 1, 0))
        r.joint(f"actuator_{k}", "prismatic", f"cylinder_{k}", f"rod_{k}", (0, 0, 1), (-0.2, 0.3), 20)
        if k == 0:
            X = np.array(top)
            X[:3, 3] = q
            r.link("platform", X, 6, np.linalg.inv(X)[:3, :3] @ (top[:3, 3] - q), (0.12, 0.12, 0.22))
            r.joint("ball_0", "ball", "rod_0", "platform")
        else:
            r.loop(f"ball_{k}", "ball", f"rod_{k}", "platform", q)
    return r


def cassie_leg():
    """A leg with a leaf spring as a joint, an achilles rod and a plantar rod: two loops."""
    r = Robot("cassie_leg")
    r.link("pelvis", (0, 0, 1), 10, (0.05, 0, 0.03), (0.09, 0.08, 0.05))
    hip, knee, tarsus, heel, toe = (0.02, 0.13, 0.95), (0.15, 0.13, 0.6), (0.05, 0.13, 0.35), (-0.06, 0.13, 0.4), (0.12, 0.13, 0.08)
    r.link("hip_link", (0, 0.13, 0.98), 1.8, (0.02, 0, 0), (0.003, 0.004, 0.004))
    r.joint("hip_roll", "revolute", "pelvis", "hip_link", (1, 0, 0), (-0.3, 0.4))
    for name, p, q, mass, parent, joint in (("thigh", hip, knee, 4, "hip_link", "hip_pitch"), ("shin", knee, tarsus, 1.5, "thigh", "knee"),
                                            ("tarsus", tarsus, toe, 0.8, "shin", "ankle"), ("heel_spring", tarsus, heel, 0.15, "tarsus", "spring"),
                                            ("toe", toe, (0.2, 0.13, 0.05), 0.2, "tarsus", "toe_pitch"),
                                            ("plantar_crank", (0.06, 0.13, 0.3), (0.1, 0.13, 0.27), 0.05, "tarsus", "toe_motor")):
        add_rod(r, name, p, q, mass)
        r.joint(joint, "revolute", parent, name, np.linalg.inv(r.of(name))[:3, :3] @ [0, 1, 0], None, 0.3 if name == "heel_spring" else 0.02)
    add_rod(r, "achilles_rod", (0.0, 0.13, 0.93), heel, 0.16)
    r.joint("achilles", "ball", "thigh", "achilles_rod")
    add_rod(r, "plantar_rod", (0.1, 0.13, 0.27), (0.16, 0.13, 0.1), 0.1)
    r.joint("plantar", "revolute", "plantar_crank", "plantar_rod", np.linalg.inv(r.of("plantar_rod"))[:3, :3] @ [0, 1, 0])
    r.loop("achilles_end", "ball", "achilles_rod", "heel_spring", heel)
    r.loop("plantar_end", "ball", "plantar_rod", "toe", (0.16, 0.13, 0.1))
    return r


def digit_toe():
    """A toe with pitch and roll, moved by two cranks with rods that have balls at both ends."""
    r = Robot("digit_toe")
    r.link("shin", (0, 0, 0.4), 2, (0, 0, -0.15), (0.03, 0.03, 0.003))
    r.link("toe_pitch_link", (0, 0, 0.05), 0.1, (0, 0, 0), (1e-4, 1e-4, 1e-4))
    r.link("toe_roll_link", (0, 0, 0.05), 0.7, (0.03, 0, -0.02), (0.001, 0.003, 0.003))
    r.joint("toe_pitch", "revolute", "shin", "toe_pitch_link", (0, 1, 0), (-0.7, 0.7), 0.05)
    r.joint("toe_roll", "revolute", "toe_pitch_link", "toe_roll_link", (1, 0, 0), (-0.5, 0.5), 0.05)
    for side, s in (("a", 1), ("b", -1)):
        crank, elbow, end = (0, 0.03 * s, 0.3), (-0.06, 0.04 * s, 0.31), (-0.06, 0.035 * s, 0.06)
        add_rod(r, f"crank_{side}", crank, elbow, 0.12)
        r.joint(f"toe_motor_{side}", "revolute", "shin", f"crank_{side}", np.linalg.inv(r.of(f"crank_{side}"))[:3, :3] @ [0, 1, 0], None, 0.02)
        add_rod(r, f"rod_{side}", elbow, end, 0.08)
        r.joint(f"rod_ball_{side}", "ball", f"crank_{side}", f"rod_{side}")
        r.loop(f"toe_ball_{side}", "ball", f"rod_{side}", "toe_roll_link", end)
    return r


def gripper_mimic():
    r = Robot("gripper_mimic")
    r.link("palm", (0, 0, 0), 1, (0, 0, 0.03), (0.001, 0.001, 0.001))
    r.link("wrist", (0, 0, -0.1), 0.5, (0, 0, 0.02), (5e-4, 5e-4, 4e-4))
    r.joint("wrist_roll", "revolute", "wrist", "palm", (1, 0, 0), None, 0.01)
    for side, s in (("left", 1), ("right", -1)):
        r.link(f"{side}_knuckle", (0, 0.04 * s, 0.06), 0.1, (0, 0.01 * s, 0.03), (5e-5, 5e-5, 2e-5))
        r.link(f"{side}_finger", (0, 0.06 * s, 0.12), 0.06, (0, -0.01 * s, 0.03), (3e-5, 3e-5, 1e-5))
        r.joint(f"{side}_knuckle_joint", "revolute", "palm", f"{side}_knuckle", (s, 0, 0), (-0.8, 0.8), 0.002)
        r.joint(f"{side}_finger_joint", "revolute", f"{side}_knuckle", f"{side}_finger", (s, 0, 0))
    r.mimic("left_finger_joint", "left_knuckle_joint", -1)
    r.mimic("right_knuckle_joint", "left_knuckle_joint", 1)
    r.mimic("right_finger_joint", "left_knuckle_joint", -1)
    return r


def gripper_loops():
    """Fingers on parallelograms that are cut through the fingers: welds of two halves, redundant as drawn."""
    r = Robot("gripper_loops")
    r.link("palm", (0, 0, 0), 1, (0, 0, 0.03), (0.001, 0.001, 0.001))
    for side, s in (("left", 1), ("right", -1)):
        p, q = np.array([0, 0.05 * s, 0.05]), np.array([0, 0.02 * s, 0.06])
        d = np.array([0, 0.02 * s, 0.06])
        add_rod(r, f"{side}_outer", p, p + d, 0.08)
        add_rod(r, f"{side}_inner", q, q + d, 0.07)
        r.link(f"{side}_finger", p + d, 0.1, (0, -0.01 * s, 0.03), (1e-4, 1e-4, 4e-5))
        r.link(f"{side}_finger_half", q + d, 0.02, (0, 0.005 * s, 0.01), (1e-5, 1e-5, 1e-5))
        for joint, parent, child in (("outer_joint", "palm", f"{side}_outer"), ("inner_joint", "palm", f"{side}_inner"),
                                     ("finger_joint", f"{side}_outer", f"{side}_finger"), ("half_joint", f"{side}_inner", f"{side}_finger_half")):
            r.joint(f"{side}_{joint}", "revolute", parent, child, np.linalg.inv(r.of(child))[:3, :3] @ [1, 0, 0], None, 0.003)
        r.loop(f"{side}_weld", "fixed", f"{side}_finger", f"{side}_finger_half", q + d)
    return r


def parallel_leg():
    """A leg of a hexapod walker: a four-bar in space whose last hinge is cut."""
    r = Robot("parallel_leg")
    r.link("frame", (0, 0, 0), 3, (0, 0, 0), (0.02, 0.02, 0.03))
    p = [(0.0, 0.05, 0.0), (0.12, 0.05, 0.1), (0.3, 0.05, 0.08), (0.08, 0.05, -0.06)]
    for name, a, b, mass, parent in (("crank", p[0], p[1], 0.3, "frame"), ("coupler", p[1], p[2], 0.4, "crank"), ("rocker", p[3], p[2], 0.35, "frame")):
        add_rod(r, name, a, b, mass)
        r.joint(f"{name}_joint", "revolute", parent, name, np.linalg.inv(r.of(name))[:3, :3] @ [0, 1, 0])
    r.link("foot", (0.38, 0.05, -0.2), 0.1, (0, 0, 0.05), (1e-4, 1e-4, 1e-4))
    r.joint("foot_joint", "fixed", "coupler", "foot")
    r.loop("last_hinge", "revolute", "coupler", "rocker", p[2], (0, 1, 0))
    return r


ROBOTS = [six_axis_arm, mobile_base, humanoid, hexapod, five_bar, delta, stewart, cassie_leg, digit_toe, gripper_mimic, gripper_loops, parallel_leg]


def side_files():
    """The loops of some robots in the files that tools keep beside a URDF."""
    leg, toe, grip, four = cassie_leg(), digit_toe(), gripper_loops(), parallel_leg()
    frames = []
    for name, kind, a, b, point, axis in leg.loops:  # frames at the ends, as links without mass
        for side, link in (("A", a), ("B", b)):
            X = np.linalg.inv(leg.of(link)) @ pose(point)
            frames.append(f'  <link name="{name}_{side}"/>\n  <joint name="{name}_{side}_fixed" type="fixed">\n    <parent link="{link}"/>\n'
                          f'    <child link="{name}_{side}"/>\n    <origin xyz="{text(X[:3, 3])}" rpy="{text(angles(X[:3, :3]))}"/>\n  </joint>\n')
    yield "cassie_side/robot.urdf", leg.urdf(loops=False).replace("</robot>", "".join(frames) + "</robot>")
    yield "cassie_side/robot.yaml", ("closed_loop: [" + ", ".join(f"[{n}_A, {n}_B]" for n, *_ in leg.loops) + "]\ntype: ['3d', '3d']\n"
                                     "name_mot: [hip_roll, hip_pitch, knee, toe_motor]\n")
    yield "gripper_side/gripper.urdf", grip.urdf(loops=False).replace("</robot>", "".join(
        f'  <link name="{n}_A"/>\n  <joint name="{n}_A_fixed" type="fixed">\n    <parent link="{a}"/>\n    <child link="{n}_A"/>\n'
        f'    <origin xyz="{text((np.linalg.inv(grip.of(a)) @ pose(p))[:3, 3])}" rpy="0 0 0"/>\n  </joint>\n' for n, _, a, _, p, _ in grip.loops) + "</robot>")
    yield "gripper_side/robot.yaml", "closed_loop:\n" + "".join(f"  - [{n}_A, {b}]\n" for n, _, _, b, *_ in grip.loops) + "type: ['6d', '6d']\n"
    loops = "ball_loops:\n"
    for name, _, a, b, point, _ in toe.loops:
        pa, pb = ((np.linalg.inv(toe.of(k)) @ pose(point))[:3, 3] for k in (a, b))
        loops += f"  - name: {name}\n    parent: {a}\n    child: {b}\n    parent_xyz: [{', '.join(map(repr, map(float, pa)))}]\n    child_xyz: [{', '.join(map(repr, map(float, pb)))}]\n"
    yield "digit_side/digit.urdf", toe.urdf(loops=False)
    yield "digit_side/loop_closures.yaml", loops + "actuated_joints: [toe_motor_a, toe_motor_b]\n"
    name, _, a, b, point, axis = four.loops[0]
    yield "leg_side/leg.urdf", four.urdf(loops=False)
    yield "leg_side/loop_closures.yaml", (f"closures:\n  - {{link_a: {a}, link_b: {b}, point: [{', '.join(repr(float(v)) for v in point)}], axis: [0.0, 1.0, 0.0]}}\n"
                                          "dependent: [coupler_joint, rocker_joint]\nindependent: [crank_joint]\n")


def main():
    for make in ROBOTS:
        robot = make()
        for ending, writer in (("urdf", robot.urdf), ("sdf", robot.sdf), ("xml", robot.mjcf)):
            (FOLDER / f"{robot.name}.{ending}").write_text(writer())
    for name, content in side_files():
        path = FOLDER / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)


if __name__ == "__main__":
    main()
