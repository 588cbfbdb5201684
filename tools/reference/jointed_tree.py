"""Bodies in space that hang on each other as a tree, by spherical and revolute joints: equations of motion without constraints.

Unknown are the rates u of the joints: the angular velocity w_k of a body on a spherical joint, the turning rate about the axis n of
one on a revolute joint, w_k = w_parent + n u_k. Hence w = T u and w' = T u' + b. The centre of body i lies at

    r_i = sum_k e_ki     over the bodies k from the root to i,    r_i'' = sum_k w_k' x e_ki + w_k x (w_k x e_ki)

e_ki being fixed in k: from its own joint to that of the next body, at last to the centre of i. With B_i = d r_i'/dw,

    T' [sum_i B_i' m_i (r_i'' - g) + (I_k w_k' + w_k x I_k w_k)_k] = 0                         (d'Alembert)

Orientations are carried as quaternions (world from body). All in world axes, double precision.
"""

import numpy as np


def cross_matrix(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def rotation(p):
    w, v = p[0], p[1:]
    return (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * cross_matrix(v)


class Body:
    """`joint` and `center` in body axes; `seat`: the joint's place in the parent's axes; `axis` in the parent's axes, None: spherical."""

    def __init__(self, parent, seat, joint, center, mass, inertia, axis=None):
        self.parent, self.mass, self.inertia = parent, mass, np.diag(np.array(inertia, float))
        self.seat, self.joint, self.center = (np.array(v, float) for v in (seat, joint, center))
        self.axis = None if axis is None else np.array(axis, float)


class Tree:
    """Parents come before their children; parent -1 is the ground."""

    def __init__(self, bodies, gravity):
        self.bodies, self.gravity = bodies, np.array(gravity, float)
        self.first, rates = [], 0
        for body in bodies:
            self.first.append(rates)
            rates += 3 if body.axis is None else 1
        self.rates = rates

    def start(self, angular_velocity=(0, 0, 0)):
        """All frames parallel to the world's, the whole turning like one body."""
        rates = [list(angular_velocity) if b.axis is None else [0] for b in self.bodies]
        for b, u in zip(self.bodies, rates):
            if b.parent < 0 and b.axis is not None:
                u[0] = np.dot(b.axis, angular_velocity)
        return np.concatenate([np.tile([1.0, 0, 0, 0], len(self.bodies)), np.concatenate(rates)])

    def _kinematics(self, y):
        """R, w, T, b, and the levers e_ki as lists of pairs (k, e)."""
        n = len(self.bodies)
        R = [rotation(y[4 * k : 4 * k + 4]) for k in range(n)]
        u, T, bias = y[4 * n :], np.zeros((3 * n, self.rates)), np.zeros(3 * n)
        w, levers, path = np.zeros((n, 3)), [], []
        for k, body in enumerate(self.bodies):
            own, p, at = slice(3 * k, 3 * k + 3), body.parent, self.first[k]
            if body.axis is None:
                T[own, at : at + 3] = np.eye(3)
                w[k] = u[at : at + 3]
            else:
                up = slice(3 * p, 3 * p + 3)
                axis = R[p] @ body.axis if p >= 0 else body.axis
                turning = w[p] if p >= 0 else np.zeros(3)
                if p >= 0:
                    T[own], bias[own] = T[up], bias[up]
                T[own, at] = axis
                bias[own] = bias[own] + cross_matrix(turning) @ axis * u[at]
                w[k] = turning + axis * u[at]
            path.append([] if p < 0 else path[p] + [(p, R[p] @ (body.seat - self.bodies[p].joint))])
            levers.append(path[k] + [(k, R[k] @ (body.center - body.joint))])
        return R, w, T, bias, levers

    def _accelerations(self, y):
        """Angular accelerations (one vector) and those of the centres."""
        n = len(self.bodies)
        R, w, T, bias, levers = self._kinematics(y)
        spin = [cross_matrix(v) for v in w]
        square = [s @ s for s in spin]
        M, c = np.zeros((3 * n, 3 * n)), np.zeros(3 * n)
        B, centripetal = np.zeros((n, 3, 3 * n)), np.zeros((n, 3))
        for i, body in enumerate(self.bodies):
            for k, e in levers[i]:
                B[i, :, 3 * k : 3 * k + 3] = -cross_matrix(e)
                centripetal[i] += square[k] @ e
            M += body.mass * B[i].T @ B[i]
            c += body.mass * B[i].T @ (centripetal[i] - self.gravity)
            own = slice(3 * i, 3 * i + 3)
            inertia = R[i] @ body.inertia @ R[i].T
            M[own, own] += inertia
            c[own] += spin[i] @ (inertia @ w[i])
        du = np.linalg.solve(T.T @ M @ T, -T.T @ (M @ bias + c))
        dw = T @ du + bias
        return w, du, B @ dw + centripetal

    def rate(self, y):
        w, du, _ = self._accelerations(y)
        p = y[: 4 * len(w)].reshape(-1, 4)
        dp = np.empty_like(p)  # p' = 1/2 (0, w) p
        dp[:, 0] = -0.5 * np.sum(w * p[:, 1:], 1)
        dp[:, 1:] = 0.5 * (w * p[:, :1] + np.cross(w, p[:, 1:]))
        return np.concatenate([dp.ravel(), du])

    def centers(self, y):
        root = np.array([b.seat if b.parent < 0 else np.zeros(3) for b in self.bodies])
        for k, body in enumerate(self.bodies):
            if body.parent >= 0:
                root[k] = root[body.parent]
        return root + np.array([sum(e for _, e in path) for path in self._kinematics(y)[4]])

    def ground_force(self, y):
        """Of the ground on the whole."""
        mass = np.array([b.mass for b in self.bodies])
        return mass @ (self._accelerations(y)[2] - self.gravity)

    def energy(self, y):
        R, w, _, _, levers = self._kinematics(y)
        total = 0.0
        for i, (body, r) in enumerate(zip(self.bodies, self.centers(y))):
            v = sum(np.cross(w[k], e) for k, e in levers[i])
            inertia = R[i] @ body.inertia @ R[i].T
            total += 0.5 * body.mass * v @ v + 0.5 * w[i] @ inertia @ w[i] - body.mass * self.gravity @ r
        return total
