"""Motions in as few coordinates as there are degrees of freedom: what is right, for many mechanisms at once.

Each coordinate q_i is an angle, and each mass is at a place

    p_k = sum_i P_ki (cos q_i, sin q_i)                                (1)

with constant 2 x 2 matrices P_ki: on the branch where its rod mirrors the crank, a slider-crank of equal lengths has its
slider at 2 (cos q, 0). No constraint is left, so nothing is singular here. With J_ki = P_ki (-sin q_i, cos q_i) and
b_k = -sum_i P_ki (cos q_i, sin q_i) qd_i^2,

    (I + sum_k m_k J_ki.J_kj) qdd_j = sum_k J_ki.(m_k (g - b_k) + F_k)    (2)

With W_ij = sum_k m_k P_ki' P_kj, c_i = (cos q_i, sin q_i) and its derivative t_i this is

    (I + t_i' W_ij t_j) qdd_j = t_i' (sum_j W_ij c_j qd_j^2 + sum_k m_k P_ki' g + ..)    (3)

which is integrated by Gauss' collocation of order 16, with steps so short that the last coefficients of the accelerations, as a
series of Legendre polynomials, say so. A second solution beside the first one tells how errors grow.
"""
import dataclasses
import math

import numpy as np

STAGES = 8
TAIL = 1e-6      # the last two coefficients of a step, relative to the largest; they fall to 1e-16 where the order is 16
SETTLED = 4e-15  # change of the accelerations in the last iteration, relative to them
BESIDE = 1e-7    # how far the second solution starts from the first
FINEST = 12      # how often an interval of samples is halved at most


@dataclasses.dataclass
class Motions:
    """Mechanisms of one kind, `lanes` of them; all numbers in units of length, mass and time of each."""
    masses: np.ndarray      # lanes x points
    places: np.ndarray      # lanes x points x d x 2 x 2: (1)
    inertia: np.ndarray     # lanes x d
    gravity: np.ndarray     # lanes x 2
    q: np.ndarray           # lanes x d, at the start
    v: np.ndarray           # lanes x d
    spring: np.ndarray      # lanes x d x 2 x 2: its span, as (1)
    offset: np.ndarray      # lanes x 2: and what is constant of it
    stiffness: np.ndarray   # lanes
    length: np.ndarray      # lanes
    push: np.ndarray        # lanes x d x 2: x of the point that is pushed, as (1)
    force: np.ndarray       # lanes
    frequency: np.ndarray   # lanes
    phase: np.ndarray       # lanes

    def __post_init__(self):
        """What of (3) does not change; pairs[:, j, i] is W_ij'."""
        if np.ndim(self.stiffness):
            heavy = self.masses[..., None, None, None] * self.places
            self.pairs = np.einsum("nkjxy,nkixz->njiyz", self.places, heavy)
            self.weight = np.einsum("nkixy,nx->niy", heavy, self.gravity)
            self.spring_t = self.spring.swapaxes(-1, -2)

    def part(self, lanes):
        return Motions(*(getattr(self, f.name)[lanes] for f in dataclasses.fields(self)))

    @property
    def forced(self):
        return self.force != 0

    def beside(self):
        """The same mechanisms, started a little off."""
        return dataclasses.replace(self, q=self.q + BESIDE, v=self.v + BESIDE)


def stacked(motions):
    """One of many; those with fewer masses get some of nothing."""
    points = max(len(m.masses) for m in motions)
    padded = [dataclasses.replace(m, masses=filled(m.masses, points), places=filled(m.places, points)) for m in motions]
    return Motions(*(np.array([getattr(m, f.name) for m in padded]) for f in dataclasses.fields(Motions)))


def filled(array, count):
    return np.concatenate([array, np.zeros((count - len(array),) + array.shape[1:])])


def joined(one, other):
    return Motions(*(np.concatenate([getattr(one, f.name), getattr(other, f.name)]) for f in dataclasses.fields(Motions)))


def spring_span(m, circle):
    """Vector and length of the spring; `circle`: lanes x stages x d x 2, (cos, sin)."""
    span = m.offset[:, None] + np.einsum("nixy,nsiy->nsx", m.spring, circle)
    return span, np.sqrt((span**2).sum(-1))


def accelerations(m, t, q, v):
    """(3); t: lanes x stages, q and v: lanes x stages x d."""
    count = q.shape[-1]
    circle = [np.stack([np.cos(q[..., i]), np.sin(q[..., i])], -1) for i in range(count)]
    tangent = [np.stack([-c[..., 1], c[..., 0]], -1) for c in circle]
    span = m.offset[:, None] + sum(circle[i] @ m.spring_t[:, i] for i in range(count))
    pull = m.stiffness[:, None] * (m.length[:, None] / np.sqrt((span**2).sum(-1)) - 1)
    span *= pull[..., None]
    pushed = m.force[:, None] * np.sin(m.frequency[:, None] * t + m.phase[:, None])
    matrix, load = [], []
    for i in range(count):
        along = m.weight[:, None, i] + span @ m.spring[:, i] + m.push[:, None, i] * pushed[..., None]
        along += sum((circle[j] * v[..., j, None] ** 2) @ m.pairs[:, j, i] for j in range(count))
        load.append((tangent[i] * along).sum(-1))
        row = [(tangent[i] * (tangent[j] @ m.pairs[:, j, i])).sum(-1) for j in range(i + 1)]
        row[i] += m.inertia[:, None, i]
        matrix.append(row)
    return np.stack(solved(matrix, load), -1)


def solved(matrix, load):
    """By Cholesky's method; matrix: lower rows, their entries arrays. Both are used up."""
    count = len(load)
    for i in range(count):
        for j in range(i):
            matrix[i][j] = (matrix[i][j] - sum(matrix[i][k] * matrix[j][k] for k in range(j))) / matrix[j][j]
        matrix[i][i] = np.sqrt(matrix[i][i] - sum(matrix[i][k] ** 2 for k in range(i)))
        load[i] = (load[i] - sum(matrix[i][k] * load[k] for k in range(i))) / matrix[i][i]
    for i in reversed(range(count)):
        load[i] = (load[i] - sum(matrix[k][i] * load[k] for k in range(i + 1, count))) / matrix[i][i]
    return load


def energies(m, q, v):
    """Kinetic and potential energy; q and v: lanes x samples x d."""
    cos, sin = np.cos(q), np.sin(q)
    circle, tangent = np.stack([cos, sin], -1), np.stack([-sin, cos], -1)
    speed = np.einsum("nkixy,nsiy->nskx", m.places, tangent * v[..., None])
    place = np.einsum("nkixy,nsiy->nskx", m.places, circle)
    kinetic = 0.5 * (m.masses[:, None] * (speed**2).sum(-1)).sum(-1) + 0.5 * (m.inertia[:, None] * v**2).sum(-1)
    weight = -np.einsum("nk,nskx,nx->ns", m.masses, place, m.gravity)
    return kinetic, weight + 0.5 * m.stiffness[:, None] * (spring_span(m, circle)[1] - m.length[:, None]) ** 2


class Collocation:
    """Coefficients of Gauss' method; polynomials of the time theta = 0..1 within a step."""

    def __init__(self, stages=STAGES):
        from numpy.polynomial import legendre, polynomial
        nodes, weights = legendre.leggauss(stages)
        self.c, self.b = (nodes + 1) / 2, weights / 2
        basis = [polynomial.polyfromroots(np.delete(self.c, j)) / np.prod(self.c[j] - np.delete(self.c, j)) for j in range(stages)]
        self.basis = basis
        self.once = [polynomial.polyint(p) for p in basis]
        self.twice = [polynomial.polyint(p, 2) for p in basis]
        self.speed = np.array([polynomial.polyval(self.c, p) for p in self.once]).T     # stages of v from those of a
        self.place = np.array([polynomial.polyval(self.c, p) for p in self.twice]).T    # stages of q
        self.ahead = np.array([polynomial.polyval(self.c + 1, p) for p in basis]).T     # stages of the next step
        orders = np.arange(stages)
        self.series = ((2 * orders[:, None] + 1) * legendre.legvander(nodes, stages - 1).T) * self.b  # coefficients of Legendre's

    def place_at(self, theta):
        from numpy.polynomial import polynomial
        return np.array([polynomial.polyval(theta, p) for p in self.twice])


GAUSS = Collocation()


def one_step(m, t, h, q, v, guess):
    """Stages of the accelerations, by fixed-point iteration; lanes where it does not converge are not smooth enough."""
    times, a = t[:, None] + h[:, None] * GAUSS.c, guess
    step = h[:, None, None]
    for _ in range(16):
        stages_q = q[:, None] + step * v[:, None] * GAUSS.c[:, None] + step**2 * (GAUSS.place @ a)
        new = accelerations(m, times, stages_q, v[:, None] + step * (GAUSS.speed @ a))
        change = np.abs(new - a).max((1, 2)) / np.maximum(np.abs(new).max((1, 2)), 1e-9)
        a = new
        if not (change > SETTLED).any():
            break
    return a, change <= 10 * SETTLED


def smooth(a):
    """Whether the series of the accelerations has ended within a step, for each lane."""
    series = np.abs(GAUSS.series @ a)
    return series[:, -2:].max((1, 2)) <= TAIL * np.maximum(series.max((1, 2)), 1e-3)


@dataclasses.dataclass
class Solution:
    """Samples: lanes x times x d; `right`: whether steps could be made short enough; crossings of singular sets, by lane."""
    q: np.ndarray
    v: np.ndarray
    right: np.ndarray
    crossings: list
    grazing: np.ndarray


class Run:
    """All lanes in one loop, each with its own time and step: an interval of samples halved `level` times."""

    def __init__(self, m, interval, count, sets):
        lanes = len(interval)
        self.m, self.interval, self.count, self.sets = m, interval, count, sets
        self.m_running, self.running = m, lanes
        self.q, self.v = m.q.copy(), m.v.copy()
        self.level, self.part, self.sample = np.zeros(lanes, int), np.zeros(lanes, int), np.zeros(lanes, int)
        self.solution = Solution(np.zeros((lanes, count + 1) + m.q.shape[1:]), np.zeros((lanes, count + 1) + m.q.shape[1:]),
                                 np.ones(lanes, bool), [[] for _ in range(lanes)], np.zeros(lanes, bool))
        self.solution.q[:, 0], self.solution.v[:, 0] = self.q, self.v
        first = accelerations(m, np.zeros((lanes, 1)), self.q[:, None], self.v[:, None])
        self.guess = np.repeat(first, STAGES, axis=1)

    def go(self):
        while True:
            lanes = np.flatnonzero(self.sample < self.count)
            if not len(lanes):
                return self.solution
            self.step(lanes)

    def step(self, lanes):
        h = self.interval[lanes] / 2.0 ** self.level[lanes]
        t = self.interval[lanes] * self.sample[lanes] + h * self.part[lanes]
        q, v = self.q[lanes], self.v[lanes]
        if len(lanes) < self.running:  # fewer than the last time
            self.m_running, self.running = self.m.part(lanes), len(lanes)
        a, settled = one_step(self.m_running, t, h, q, v, self.guess[lanes])
        good = settled & smooth(a)
        finest = self.level[lanes] >= FINEST
        self.solution.right[lanes[finest & ~good]] = False
        done = good | finest
        self.halve(lanes[~done])
        self.accept(lanes[done], t[done], h[done], q[done], v[done], np.nan_to_num(a[done]))

    def halve(self, lanes):
        self.level[lanes] += 1
        self.part[lanes] *= 2
        self.guess[lanes] = self.guess[lanes][:, :1]

    def accept(self, lanes, t, h, q, v, a):
        step = h[:, None]
        new_q = q + step * v + step**2 * np.einsum("s,nsi->ni", GAUSS.b * (1 - GAUSS.c), a)
        new_v = v + step * np.einsum("s,nsi->ni", GAUSS.b, a)
        self.crossings(lanes, t, h, q, v, a, new_q, new_v)
        self.q[lanes], self.v[lanes], self.guess[lanes] = new_q, new_v, GAUSS.ahead @ a
        self.part[lanes] += 1
        coarser = lanes[(self.part[lanes] % 2 == 0) & (self.level[lanes] > 0)]
        coarser = coarser[self.part[coarser] < 2 ** self.level[coarser]]
        ends = lanes[self.part[lanes] == 2 ** self.level[lanes]]
        self.sample[ends] += 1
        self.solution.q[ends, self.sample[ends]], self.solution.v[ends, self.sample[ends]] = self.q[ends], self.v[ends]
        self.part[ends] = 0
        for lower in (coarser, ends[self.level[ends] > 0]):  # a longer step is tried where one can begin
            self.level[lower] -= 1
            self.part[lower] //= 2
            self.guess[lower] = self.guess[lower][:, :1]

    def crossings(self, lanes, t, h, q, v, a, new_q, new_v):
        """Steps that cross a singular set, or turn back so near to one that none can say whether they do."""
        for k, lane in enumerate(lanes):
            for i, place in self.sets[lane]:
                away = [math.sin(x - place) for x in (q[k, i], new_q[k, i])]
                started = t[k] == 0 and abs(away[0]) < 1e-9
                if started:
                    self.solution.crossings[lane].append(Passage(i, 0.0, abs(float(v[k, i]))))
                elif away[0] * away[1] < 0:
                    wall = place + math.pi * round((new_q[k, i] - place) / math.pi)
                    self.solution.crossings[lane].append(root(q[k, i] - wall, v[k, i], a[k, :, i], h[k], t[k], i))
                if v[k, i] * new_v[k, i] < 0:
                    near = max(0.02, h[k] ** 2 * np.abs(a[k, :, i]).max())
                    self.solution.grazing[lane] |= min(abs(away[0]), abs(away[1])) < near


@dataclasses.dataclass
class Passage:
    coordinate: int
    t: float
    speed: float


def root(distance, speed, a, h, t, coordinate):
    """By bisection of the polynomial of one step that starts at t."""
    value = lambda x: distance + h * speed * x + h * h * (a @ GAUSS.place_at(x))  # noqa: E731
    low, high, rising = 0.0, 1.0, value(1.0) > distance
    for _ in range(45):
        middle = (low + high) / 2
        low, high = (middle, high) if (value(middle) < 0) == rising else (low, middle)
    return Passage(coordinate, float(t + h * low), abs(float(speed)))


@dataclasses.dataclass
class Truth:
    q: np.ndarray        # samples x d
    v: np.ndarray
    growth: np.ndarray   # samples: by which errors of the start have grown until then, at least 1
    passages: list
    grazing: bool
    right: bool


def truths(m, interval, count, sets):
    """Of every lane; sets: for every lane its singular ones."""
    lanes = len(interval)
    with np.errstate(all="ignore"):
        solution = Run(joined(m, m.beside()), np.tile(interval, 2), count, sets + [[]] * lanes).go()
    return [truth_of(solution, k, lanes + k) for k in range(lanes)]


def truth_of(solution, lane, beside):
    apart = np.maximum(np.abs(solution.q[lane] - solution.q[beside]).max(-1), np.abs(solution.v[lane] - solution.v[beside]).max(-1))
    growth = np.maximum(np.maximum.accumulate(apart) / BESIDE, 1)
    return Truth(solution.q[lane], solution.v[lane], growth, sorted(solution.crossings[lane], key=lambda p: p.t),
                 bool(solution.grazing[lane]), bool(solution.right[lane] and solution.right[beside]))
