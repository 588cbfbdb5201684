"""Random impacts at bounds, loaded and unloaded, restitution 0 to 1, against an event-driven script.

Masses on one line (sliders, or free bodies in the plane) between walls and each other, and doors between stops: constant
accelerations, so that every flight is a parabola and every impact the root of a quadratic. The script and the program share
the law of an impact alone: the fastest contact first, until none is left in a forbidden direction."""
import argparse
import math
import random
import sys

import program

SAME = 1e-4  # of the range of all places
COORDINATES = ["natural", "cartesian", "increments", "relative"]
TOUCH, SLOW = 1e-11, 1e-12


class Row:
    """Masses x_0 < x_1 < ... with constant accelerations; contacts (i, j, gap, e): x_j - x_i >= gap, i or j = None: a wall at 0."""

    def __init__(self, masses, x, v, a, contacts):
        self.m, self.x, self.v, self.a, self.contacts = masses, list(x), list(v), list(a), contacts
        self.closed = set()

    def along(self, values, contact):
        i, j = contact[:2]
        return (values[j] if j is not None else 0.0) - (values[i] if i is not None else 0.0)

    def gap(self, contact):
        return self.along(self.x, contact) - contact[2]

    def accelerations(self):
        """Masses at rest against each other move together, if they push: by trial, few contacts."""
        a = list(self.a)
        closed = sorted(self.closed)
        for _ in range(len(closed) + 1):
            group = list(range(len(a)))
            wall = set()
            for k in closed:
                i, j = self.contacts[k][:2]
                if i is None or j is None:
                    wall.add(group[j if i is None else i])
                else:
                    old, new = group[j], group[i]
                    group = [new if g == old else g for g in group]
                    wall = {new if g == old else g for g in wall}
            a = [0.0] * len(a)
            for g in set(group):
                inside = [k for k in range(len(a)) if group[k] == g]
                total = 0.0 if g in wall else sum(self.m[k] * self.a[k] for k in inside) / sum(self.m[k] for k in inside)
                for k in inside:
                    a[k] = total
            pulls = [(self.push(k, a), k) for k in closed]
            worst = min(pulls, default=(0.0, None))
            if worst[0] >= -1e-12:
                break
            closed.remove(worst[1])
        self.closed = set(closed)
        return a

    def push(self, k, a):
        """The force in contact k, from all masses on its upper side up to the next gap or wall."""
        i, j, _, _ = self.contacts[k]
        chain = {(c[0], c[1]): n for n, c in enumerate(self.contacts)}
        force, at = 0.0, j
        if j is None:  # an upper wall: from below
            force, at = 0.0, i
            while True:
                force += self.m[at] * (self.a[at] - a[at])
                below = chain.get((at - 1, at))
                if below is None or below not in self.closed:
                    return force
                at -= 1
        while True:
            force += self.m[at] * (a[at] - self.a[at])
            above = chain.get((at, at + 1))
            if above is None or above not in self.closed:
                return force
            at += 1

    def strike(self):
        touching = [k for k, c in enumerate(self.contacts) if self.gap(c) <= TOUCH]
        for number in range(20000):
            rates = [(self.along(self.v, self.contacts[k]), k) for k in touching]
            rate, k = min(rates, default=(0.0, None))
            if rate >= -SLOW:
                break
            i, j, _, e = self.contacts[k]
            e = e if number < 2000 else 0.0
            mobility = (1 / self.m[i] if i is not None else 0.0) + (1 / self.m[j] if j is not None else 0.0)
            impulse = -(1 + e) * rate / mobility
            if i is not None:
                self.v[i] -= impulse / self.m[i]
            if j is not None:
                self.v[j] += impulse / self.m[j]
        for k in touching:
            rate = self.along(self.v, self.contacts[k])
            fall = -self.along(self.a, self.contacts[k])
            if abs(rate) <= 100 * SLOW or (self.contacts[k][3] < 1 and fall > 0 and 0 < rate and rate * rate / (2 * fall) < 1e-10):
                self.closed.add(k)
        for _ in range(60):
            for k in self.closed:
                self.join(k)

    def join(self, k):
        i, j = self.contacts[k][:2]
        if i is None or j is None:
            self.v[j if i is None else i] = 0.0
        else:
            mean = (self.m[i] * self.v[i] + self.m[j] * self.v[j]) / (self.m[i] + self.m[j])
            self.v[i] = self.v[j] = mean

    def next(self, a, limit):
        """Time until a contact that is open closes."""
        first = limit
        for k, c in enumerate(self.contacts):
            if k in self.closed:
                continue
            g, r, b = max(self.gap(c), 0.0), self.along(self.v, c), self.along(a, c)
            if g <= TOUCH and (r > SLOW or (abs(r) <= SLOW and b >= 0)):  # it leaves
                g = 0.0
                if b < 0:
                    first = min(first, 2 * r / -b)
                continue
            root = root_of(0.5 * b, r, g)
            if root is not None:
                first = min(first, root)
        return first

    def go(self, times):
        """Places at the times."""
        t, out = 0.0, []
        self.strike()
        for end in times:
            while t < end:
                a = self.accelerations()
                h = self.next(a, end - t)
                self.x = [x + h * (v + 0.5 * h * b) for x, v, b in zip(self.x, self.v, a)]
                self.v = [v + h * b for v, b in zip(self.v, a)]
                t = end if h >= end - t else t + h
                self.closed = set()
                self.strike()
            out.append(list(self.x))
        return out


def root_of(a, b, c):
    """The least t > 0 of a t^2 + b t + c = 0 where it falls."""
    if a == 0:
        return -c / b if b < 0 else None
    d = b * b - 4 * a * c
    if d < 0:
        return None
    q = -0.5 * (b + math.copysign(math.sqrt(d), b))
    roots = [x for x in (q / a, c / q if q else None) if x is not None and x > 0 and 2 * a * x + b <= 0]
    return min(roots, default=None)


def restitution(rng):
    return rng.choice([0.0, 0.0, 1.0, round(rng.uniform(0.1, 0.9), 3)])


def single(rng, kind):
    """A mass or a door between two bounds."""
    lower, upper = -round(rng.uniform(0.2, 2), 3), round(rng.uniform(0.2, 2), 3)
    loaded = rng.random() < 0.5
    acceleration = round(rng.uniform(-5, 5), 3) if loaded else 0.0
    mass, speed = round(10 ** rng.uniform(-1, 1), 3), round(rng.choice([-1, 1]) * rng.uniform(0.3, 3), 3)
    e, end = restitution(rng), round(rng.uniform(1, 5), 2)
    truth = Row([mass], [0.0], [speed], [acceleration], [(None, 0, lower, e), (0, None, -upper, e)])
    model = {"sarrus": 1, "name": kind, "dimension": 2, "method": {"end": end}}
    place = "h.angle" if kind == "door" else "g.displacement" if kind == "slider" else "b.origin.x"
    model["bodies"] = {"b": {"mass": mass, "inertia": mass, "position": [0, 0], "angle": 0}}
    if kind == "door":
        model["joints"] = {"h": {"type": "revolute", "between": ["ground.origin", "b.origin"]}}
        model["start"] = {"h.rate": speed}
    elif kind == "slider":
        model["joints"] = {"g": {"type": "prismatic", "between": ["ground.origin", "b.origin"], "axis": ["ground.x", "b.x"]}}
        model["start"] = {"g.speed": speed}
    else:
        model["bodies"]["b"]["velocity"] = [speed, 0]
    if loaded and kind != "door":
        model["gravity"] = [acceleration, 0]
    if loaded and kind == "door":
        model["forces"] = {"f": {"type": "torque", "acts_on": "b", "torque": mass * acceleration}}
    model["constraints"] = {"k": {"position": place, "lower": lower, "upper": upper, "restitution": e}}
    model["outputs"] = {"x0": place}
    return model, truth


def row(rng, kind):
    """Several masses on a line, with walls at none, one or both ends."""
    count = rng.randint(2, 5)
    free = kind == "row of bodies"
    masses = [round(10 ** rng.uniform(-0.5, 0.5), 3) for _ in range(count)]
    x, at = [], 0.5
    for _ in range(count):
        x.append(round(at, 4))
        at += 0.2 + rng.choice([0.0, round(rng.uniform(0.05, 1), 3)])
    v = [round(rng.uniform(-2, 2), 3) if rng.random() < 0.7 else 0.0 for _ in range(count)]
    e = restitution(rng)
    loaded = e in (0.0, 1.0) and rng.random() < 0.3 and count < 4
    g = -round(rng.uniform(1, 10), 2) if loaded else 0.0
    contacts = [(i, i + 1, 0.2, e) for i in range(count - 1)]
    model = {"sarrus": 1, "name": "row", "dimension": 2, "gravity": [g, 0], "method": {"end": round(rng.uniform(0.5, 2), 2)},
             "bodies": {}, "joints": {}, "constraints": {}, "outputs": {}, "start": {}}
    for i in range(count):
        body = {"mass": masses[i], "inertia": 0.1, "position": [x[i], 0], "angle": 0}
        if free:
            body["velocity"] = [v[i], 0]
        else:
            model["joints"][f"g{i}"] = {"type": "prismatic", "between": ["ground.origin", f"b{i}.origin"], "axis": ["ground.x", f"b{i}.x"]}
            model["start"][f"g{i}.speed"] = v[i]
        model["bodies"][f"b{i}"] = body
        model["outputs"][f"x{i}"] = f"b{i}.origin.x"
    for i in range(count - 1):
        model["constraints"][f"k{i}"] = {"position": f"b{i + 1}.origin.x - b{i}.origin.x", "lower": 0.2, "restitution": e}
    if loaded or rng.random() < 0.5:
        contacts.append((None, 0, 0.0, e))
        model["constraints"]["floor"] = {"position": "b0.origin.x", "lower": 0, "restitution": e}
    if rng.random() < 0.3:
        top = round(x[-1] + 1.0, 3)
        contacts.append((count - 1, None, -top, e))
        model["constraints"]["top"] = {"position": f"b{count - 1}.origin.x", "upper": top, "restitution": e}
    for word in ("joints", "start"):
        if not model[word]:
            del model[word]
    return model, Row(masses, x, v, [g] * count, contacts)


KINDS = {"door": single, "slider": single, "puck": single, "row of sliders": row, "row of bodies": row}


def problem(seed):
    rng = random.Random(f"impacts {seed}")
    kind = list(KINDS)[seed % len(KINDS)]
    model, truth = KINDS[kind](rng, kind)
    return f"{kind} {seed}", model, truth, COORDINATES[(seed // len(KINDS)) % len(COORDINATES)]


def trial(sarrus, seed):
    """What is wrong, and the verdict."""
    name, model, truth, coordinates = problem(seed)
    outcome = sarrus.run(model, "--coordinates", coordinates, "--sample", str(model["method"]["end"] / 50))
    if outcome.code not in (0, 6) or not outcome.rows:
        return name, model, f"{coordinates}: {outcome.verdict}: {outcome.message()}", outcome.verdict
    times = outcome.rows["time"]
    places = truth.go(times)
    names = [n for n in outcome.rows if n.startswith("x")]
    everything = [place for line in places for place in line]
    span = max(max(everything) - min(everything), 1e-3)
    for n in names:
        for t, line, x in zip(times, places, outcome.rows[n]):
            if not abs(x - line[int(n[1:])]) <= SAME * span:
                return name, model, f"{coordinates}: {n} = {x:.9g} at t = {t:.6g}, {line[int(n[1:])]:.9g} is right ({outcome.verdict})", outcome.verdict
    return name, model, None, outcome.verdict


def survey(sarrus, seeds, jobs=1):
    """The wrong ones as (name, sentence, model), and how many were doubtful without a reason."""
    wrong, alarms = [], 0
    for name, model, sentence, verdict in program.in_parallel(jobs, lambda seed: trial(sarrus, seed), seeds):
        if sentence:
            wrong.append((name, sentence, model))
        elif verdict == "doubtful":
            alarms += 1
    return wrong, alarms


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    program.add_options(parser)
    parser.add_argument("--count", type=int, default=1000, help="problems (default 1000)")
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.count)
    wrong, alarms = survey(program.Program(options.program, options.timeout), seeds, options.jobs)
    for name, sentence, model in wrong:
        print(f"{name}: {sentence}")
        program.keep(options.keep, name, model, sentence)
    loaded = sum(any(problem(seed)[2].a) for seed in seeds)
    print(f"{options.count} problems, {loaded} of them loaded, {len(wrong)} wrong, {alarms} right but doubtful")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
