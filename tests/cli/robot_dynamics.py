"""Forward dynamics of robots, independent of the library: it reads URDF by itself and is recursive (Newton-Euler outwards and
inwards [featherstone1987]), in world axes. The mass matrix has a recursion for each of its columns; loops are rows of a saddle-point
system that is solved by least squares, as they may be redundant."""
import xml.etree.ElementTree as ET

import numpy as np


def numbers(text):
    return np.array([float(v) for v in text.split()])


def rotation(rpy):
    (cx, cy, cz), (sx, sy, sz) = np.cos(rpy), np.sin(rpy)
    return np.array([[cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx], [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
                     [-sy, cy * sx, cy * cx]])


def origin_of(node):
    X = np.eye(4)
    if node is not None:
        X[:3, 3] = numbers(node.get("xyz", "0 0 0"))
        X[:3, :3] = rotation(numbers(node.get("rpy", "0 0 0")))
    return X


def about(axis, angle):
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


WIDTH = {"fixed": 0, "revolute": 1, "continuous": 1, "prismatic": 1, "spherical": 3, "floating": 6}


class Tree:
    """Links in the order of the tree, each with the joint above it."""

    def __init__(self, path):
        root = ET.parse(path).getroot()
        self.mass = {}
        for link in root.findall("link"):
            inertial = link.find("inertial")
            if inertial is None:
                self.mass[link.get("name")] = (0.0, np.zeros(3), np.zeros((3, 3)))
                continue
            I = {k: float(v) for k, v in inertial.find("inertia").attrib.items()}
            X = origin_of(inertial.find("origin"))
            tensor = np.array([[I["ixx"], I["ixy"], I["ixz"]], [I["ixy"], I["iyy"], I["iyz"]], [I["ixz"], I["iyz"], I["izz"]]])
            self.mass[link.get("name")] = (float(inertial.find("mass").get("value")), X[:3, 3], X[:3, :3] @ tensor @ X[:3, :3].T)
        joints = {}
        for joint in root.findall("joint"):
            axis = joint.find("axis")
            u = numbers(axis.get("xyz")) if axis is not None else np.array([1.0, 0, 0])
            damping = joint.find("dynamics")
            joints[joint.find("child").get("link")] = (joint.get("name"), joint.get("type"), joint.find("parent").get("link"),
                                                       origin_of(joint.find("origin")), u / np.linalg.norm(u),
                                                       float(damping.get("damping", 0)) if damping is not None else 0.0)
        self.order, self.at, self.n = [], {}, 0
        names, placed = [n for n in self.mass if n not in joints], {"world"}
        self.order += [(name, None) for name in names]
        placed |= set(names)
        left = dict(joints)
        while left:
            for child, joint in list(left.items()):
                if joint[2] in placed:
                    self.order.append((child, joint))
                    self.at[joint[0]] = (self.n, WIDTH[joint[1]])
                    self.n += WIDTH[joint[1]]
                    placed.add(child)
                    del left[child]
        self.loops = [(j.get("type"), [(j.find(w).get("link"), origin_of(j.find(w))) for w in ("link1", "link2")], numbers(j.find("axis").get("xyz")))
                      for j in root.findall("loop_joint")]
        self.mimics = [(j.get("name"), j.find("mimic").get("joint"), float(j.find("mimic").get("multiplier"))) for j in root.findall("joint")
                       if j.find("mimic") is not None]
        self.damping = np.zeros(self.n)
        for _, joint in self.order:
            if joint and WIDTH[joint[1]] == 1:
                self.damping[self.at[joint[0]][0]] = joint[5]

    def poses(self, q, base=None):
        """World poses of links; q of joints with one coordinate by name, `base`: pose of a floating link."""
        X = {"world": np.eye(4)}
        for name, joint in self.order:
            if joint is None:
                X[name] = np.eye(4)
                continue
            jname, kind, parent, origin, axis, _ = joint
            T = np.eye(4)
            if kind in ("revolute", "continuous"):
                T[:3, :3] = about(axis, q.get(jname, 0.0))
            elif kind == "prismatic":
                T[:3, 3] = axis * q.get(jname, 0.0)
            X[name] = base if kind == "floating" and base is not None else X[parent] @ origin @ T
        return X

    def outward(self, X, v, a):
        """Angular velocity, angular acceleration and acceleration of the origin of every link."""
        zero = np.zeros(3)
        w, alpha, acc = {"world": zero}, {"world": zero}, {"world": zero}
        for name, joint in self.order:
            if joint is None:
                w[name], alpha[name], acc[name] = zero, zero, zero
                continue
            jname, kind, parent, _, axis, _ = joint
            k, width = self.at[jname]
            z = X[name][:3, :3] @ axis
            d = X[name][:3, 3] - X[parent][:3, 3]
            wp, ap = w[parent], alpha[parent]
            w[name], alpha[name] = wp, ap
            acc[name] = acc[parent] + np.cross(ap, d) + np.cross(wp, np.cross(wp, d))
            if kind in ("revolute", "continuous"):
                w[name] = wp + z * v[k]
                alpha[name] = ap + np.cross(wp, z * v[k]) + z * a[k]
            elif kind == "prismatic":
                acc[name] = acc[name] + 2 * np.cross(wp, z * v[k]) + z * a[k]
            elif kind == "floating":
                w[name], alpha[name], acc[name] = v[k + 3:k + 6], a[k + 3:k + 6], a[k:k + 3]
            elif kind == "spherical":
                w[name], alpha[name] = wp + v[k:k + 3], ap + np.cross(wp, v[k:k + 3]) + a[k:k + 3]
        return w, alpha, acc

    def inverse(self, X, v, a, gravity):
        """Generalised forces of a motion, and the accelerations of the links."""
        w, alpha, acc = self.outward(X, v, a)
        f, n = {}, {}
        for name, _ in self.order:
            mass, c, I = self.mass[name]
            R, wc = X[name][:3, :3], w[name]
            c, I = R @ c, R @ I @ R.T
            centre = acc[name] + np.cross(alpha[name], c) + np.cross(wc, np.cross(wc, c))
            f[name] = mass * (centre - gravity)
            n[name] = I @ alpha[name] + np.cross(wc, I @ wc) + np.cross(c, f[name])
        tau = np.zeros(self.n)
        for name, joint in reversed(self.order):
            if joint is None:
                continue
            jname, kind, parent, _, axis, _ = joint
            k, width = self.at[jname]
            z = X[name][:3, :3] @ axis
            if kind in ("revolute", "continuous"):
                tau[k] = z @ n[name]
            elif kind == "prismatic":
                tau[k] = z @ f[name]
            elif kind == "floating":
                tau[k:k + 3], tau[k + 3:k + 6] = f[name], n[name]
            elif kind == "spherical":
                tau[k:k + 3] = n[name]
            if parent in f:
                f[parent] = f[parent] + f[name]
                n[parent] = n[parent] + n[name] + np.cross(X[name][:3, 3] - X[parent][:3, 3], f[name])
        return tau, alpha, acc

    def rows(self, X, a):
        """Accelerations that loops and mimics forbid, at rest: linear in a."""
        _, alpha, acc = self.outward(X, np.zeros(self.n), a)
        out = []
        for kind, ((la, xa), (lb, xb)), axis in self.loops:
            for sign, link, x in ((1, la, xa), (-1, lb, xb)):
                at = X[link][:3, :3] @ x[:3, 3]
                row = [acc[link] + np.cross(alpha[link], at), alpha[link] if kind != "spherical" else np.zeros(3)]
                if kind in ("revolute", "continuous"):
                    u = X[la][:3, :3] @ xa[:3, :3] @ axis
                    row[1] = row[1] - u * (u @ row[1])
                out.append(sign * np.concatenate(row))
        sums = [out[k] + out[k + 1] for k in range(0, len(out), 2)]
        sums += [np.array([a[self.at[f][0]] - m * a[self.at[lead][0]]]) for f, lead, m in self.mimics]
        return np.concatenate(sums) if sums else np.zeros(0)

    def accelerations(self, q, v, base=None, gravity=(0, 0, -9.81)):
        """Angular accelerations and accelerations of origins, by link."""
        g, X, none = np.array(gravity), self.poses(q, base), np.zeros(self.n)
        bias, _, _ = self.inverse(X, v, none, g)
        M = np.array([self.inverse(X, none, e, np.zeros(3))[0] for e in np.eye(self.n)]).T
        J = np.array([self.rows(X, e) for e in np.eye(self.n)]).T
        K = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
        rhs = np.concatenate([-self.damping * v - bias, np.zeros(len(J))])
        a = np.linalg.solve(M, rhs) if len(J) == 0 else np.linalg.lstsq(K, rhs, rcond=1e-13)[0][:self.n]
        _, alpha, acc = self.inverse(X, v, a, g)
        return alpha, acc
