#!/usr/bin/python3
"""Every verdict is true: models that cannot do what is asked, that rest, or that start on no branch, by all presets.

    tools/trust/verdicts.py [--trials conflict,rest] [--presets ..] [--coordinates ..] [-j 2]

Wrong is: exit code 0 with demands missed by more than 1e-6 of the size (angles: radians) or with values that are not finite;
an alarm about what rests; silence about a velocity that no branch of motion has. Exit code 1 when something is wrong.
"""
import argparse
import collections
import copy
import dataclasses
import math
import os
import re
import sys

import models
import program

COORDINATES = ["natural", "cartesian", "increments", "relative"]
METHODS = ["", "LMD-midpoint", "hybrid", "ALi3pvs"]
# methods without a preset
OTHERS = {"limit": ["--alpha", "inf"],
          "stabilised": ["--formulation", "al1", "--integrator", "rk4", "--alpha", "1e10", "--omega", "100", "--xi", "1", "--updates", "10"]}
MISSED = 1e-6


@dataclasses.dataclass
class Trial:
    """A model, options, which presets it is for, and a function that says what is wrong with an outcome."""
    name: str
    model: dict
    judge: object
    options: list = dataclasses.field(default_factory=list)
    presets: list | None = None   # None: all


def presets_of(sarrus):
    text = re.sub(r"\s+", " ", sarrus.call("run", "--help-all")[1])
    return re.search(r"a named method of the literature: ([^.]*)\.", text)[1].replace(" ", "").split(",")


# ---- models ----

def bar(length=1.0, angle=0.0, position=(0.0, 0.0), mass=1.0, ends=("A", "B")):
    return {"mass": mass, "center": [length / 2, 0.0], "inertia": mass * length**2 / 12,
            "points": {ends[0]: [0.0, 0.0], ends[1]: [length, 0.0]}, "position": list(position), "angle": angle}


def planar(name, ground, bodies, joints, outputs, **more):
    pairs = {k: {"type": "revolute", "between": list(v)} if isinstance(v, tuple) else v for k, v in joints.items()}
    model = {"sarrus": 1, "name": name, "dimension": 2, "gravity": [0.0, -9.81], "ground": {"points": ground}, "bodies": bodies,
             "joints": pairs, "outputs": outputs, "method": {"end": 1.0}}
    model.update(more)
    return model


def two_drives():
    """They contradict each other from half a second on."""
    later = "(t < 0.5 ? t : 2*t - 0.5)"
    return planar("two drives", {"O": [0.0, 0.0]}, {"a": bar()}, {"J": ("ground.O", "a.A")},
                  {"missed": "max(abs(J.angle - t), abs(J.angle - " + later + "))"},
                  drives={"d1": {"joint": "J", "value": "t"}, "d2": {"joint": "J", "value": later}})


def apart(a, b):
    return f"hypot({a}.x - {b}.x, {a}.y - {b}.y)"


def drive_out_of_reach():
    """The crank of a slider-crank is longer than the rod: it cannot turn so far."""
    joints = apart("crank.B", "rod.A") + ", " + apart("rod.B", "slider.origin") + ", abs(" + apart("rod.A", "rod.B") + " - 0.5)"
    return planar("out of reach", {"O": [0.0, 0.0]},
                  {"crank": bar(1.0), "rod": bar(0.5, 0.0, (1.0, 0.0)),
                   "slider": {"mass": 1.0, "inertia": 0.1, "position": [1.5, 0.0], "angle": 0.0}},
                  {"J": ("ground.O", "crank.A"), "P": ("crank.B", "rod.A"), "Q": ("rod.B", "slider"),
                   "guide": {"type": "prismatic", "between": ["ground.O", "slider"], "axis": ["ground.x", "slider.x"]}},
                  {"missed": f"max(abs(J.angle - t), abs(slider.origin.y), {joints})"}, drives={"motor": {"joint": "J", "value": "t"}})


def contradicting_gears():
    """Two gears between the same axles, at rest both right; a torque turns one of them."""
    return planar("gears", {"O": [0.0, 0.0], "P": [1.0, 0.0]},
                  {"a": {"mass": 1.0, "inertia": 0.1, "position": [0.0, 0.0], "angle": 0.0},
                   "b": {"mass": 1.0, "inertia": 0.1, "position": [1.0, 0.0], "angle": 0.0}},
                  {"A": ("ground.O", "a"), "B": ("ground.P", "b"), "one": {"type": "gear", "joints": ["A", "B"], "ratio": -1.0},
                   "two": {"type": "gear", "joints": ["A", "B"], "ratio": -2.0}},
                  {"missed": "max(abs(B.angle + A.angle), abs(B.angle + 2*A.angle))"},
                  forces={"motor": {"type": "torque", "on": "a", "torque": 5.0}})


def stretched_rope():
    """A point is driven away from its anchor, which a distance joint keeps."""
    return planar("rope", {"O": [0.0, 0.0], "P": [0.0, 0.0]},
                  {"a": {"mass": 1.0, "inertia": 0.1, "position": [1.0, 0.0], "angle": 0.0}},
                  {"rope": {"type": "distance", "between": ["ground.O", "a"], "distance": 1.0},
                   "rail": {"type": "prismatic", "between": ["ground.P", "a"], "axis": ["ground.x", "a.x"]}},
                  {"missed": "max(abs(rail.displacement - (t < 0.5 ? 1 : 0.5 + t)), abs(rope.distance - 1))"},
                  drives={"pull": {"joint": "rail", "value": "t < 0.5 ? 1 : 0.5 + t"}})


def truss():
    return planar("truss", {"O": [0.0, 0.0], "P": [1.0, 0.0]}, {"a": bar(1.0, 1.047), "b": bar(1.0, -1.047, (0.5, 0.866))},
                  {"A": ("ground.O", "a.A"), "B": ("a.B", "b.A"), "C": ("b.B", "ground.P")}, {"x": "a.B.x", "y": "a.B.y"})


def hanging():
    return planar("hanging", {"O": [0.0, 0.0]}, {"a": bar(1.0, -math.pi / 2), "b": bar(0.7, -math.pi / 2, (0.0, -1.0))},
                  {"A": ("ground.O", "a.A"), "B": ("a.B", "b.A")}, {"x": "b.B.x", "y": "b.B.y"})


def on_a_spring():
    return planar("on a spring", {"O": [0.0, 0.0]}, {"a": {"mass": 2.0, "inertia": 0.1, "position": [0.0, -1.0], "angle": 0.0}},
                  {"guide": {"type": "prismatic", "between": ["ground.O", "a"], "axis": ["ground.y", "a.y"]}},
                  {"x": "a.origin.x", "y": "a.origin.y"},
                  forces={"s": {"type": "spring", "between": ["ground.O", "a"], "stiffness": 100.0, "length": 1 - 2 * 9.81 / 100}})


def hanging_parallelogram():
    return planar("hanging parallelogram", {"O": [0.0, 0.0], "P": [1.0, 0.0]},
                  {"a": bar(1.0, -math.pi / 2), "b": bar(1.0, -math.pi / 2, (1.0, 0.0)), "k": bar(1.0, 0.0, (0.0, -1.0))},
                  {"A": ("ground.O", "a.A"), "B": ("ground.P", "b.A"), "C": ("a.B", "k.A"), "D": ("b.B", "k.B")},
                  {"x": "a.B.x", "y": "a.B.y"})


def tripod():
    """A platform on six legs that do not yield."""
    feet = [[1.0, 0.0, 0.0], [0.9, 0.3, 0.0], [-0.5, 0.8, 0.0], [-0.6, 0.6, 0.0], [-0.4, -0.9, 0.0], [-0.2, -0.9, 0.0]]
    heads = [[0.3, -0.2, 0.0], [0.2, 0.3, 0.0], [0.1, 0.4, 0.0], [-0.4, 0.1, 0.0], [-0.3, -0.1, 0.0], [0.1, -0.4, 0.0]]
    joints = {}
    for k, (foot, head) in enumerate(zip(feet, heads)):
        length = math.dist(foot, [head[0], head[1], 1.0])
        joints[f"leg{k}"] = {"type": "distance", "between": [f"ground.F{k}", f"plate.H{k}"], "distance": length}
    plate = {"mass": 3.0, "inertia": [0.1, 0.1, 0.2], "points": {f"H{k}": h for k, h in enumerate(heads)},
             "position": [0.0, 0.0, 1.0], "rotation": {"rpy": [0.0, 0.0, 0.0]}}
    return {"sarrus": 1, "name": "tripod", "dimension": 3, "gravity": [0.0, 0.0, -9.81],
            "ground": {"points": {f"F{k}": f for k, f in enumerate(feet)}}, "bodies": {"plate": plate}, "joints": joints,
            "outputs": {c: f"plate.origin.{c}" for c in "xyz"}, "method": {"end": 1.0}}


def three_cranks(eps):
    """Parallel cranks, the third longer by eps."""
    feet, lengths = {"O": [0.0, 0.0], "P": [1.0, 0.0], "Q": [2.0, 0.0]}, {"a": 1.0, "b": 1.0, "c": 1.0 + eps}
    bodies = {n: bar(lengths[n], 1.57, f) for n, f in zip("abc", feet.values())}
    bodies["k"] = dict(bar(2.0, 0.0, (0.0, 1.0)), points={"A": [0.0, 0.0], "B": [1.0, 0.0], "C": [2.0, 0.0]})
    joints = {"A": ("ground.O", "a.A"), "B": ("ground.P", "b.A"), "C": ("ground.Q", "c.A"), "D": ("a.B", "k.A"), "E": ("b.B", "k.B"),
              "F": ("c.B", "k.C")}
    return planar("three cranks", feet, bodies, joints, {"angle": "A.angle"}, method={"end": 0.5})


def flat_rhombus():
    """All links on one line; the cranks turn at rates that belong to no motion."""
    return planar("flat rhombus", {"O": [0.0, 0.0], "P": [1.0, 0.0]},
                  {"a": bar(1.0, 0.0), "b": bar(1.0, 0.0, (1.0, 0.0)), "k": bar(1.0, 0.0, (1.0, 0.0))},
                  {"A": ("ground.O", "a.A"), "B": ("ground.P", "b.A"), "C": ("a.B", "k.A"), "D": ("b.B", "k.B")},
                  {"one": "A.rate", "two": "B.rate"}, start={"A.angle": 0.0, "B.angle": 0.0, "A.rate": 1.0, "B.rate": 0.3})


# ---- judges: what is wrong, or None ----

def honest_end(outcome):
    if outcome.code is None or outcome.code < 0:
        return outcome.verdict
    if outcome.code == 0 and any(not math.isfinite(v) for column in outcome.rows.values() for v in column):
        return "completed with values that are not finite"
    return None


def meets_demands(outcome):
    """Those that the trial measures itself; where they are met, the joints."""
    worst = max(outcome.rows.get("missed", [0.0]))
    if outcome.code == 0 and not worst <= MISSED:
        return f"completed, demands missed by {worst:.1e}"
    return small_violation(outcome)


def small_violation(outcome):
    """By the program's own measure."""
    if outcome.code != 0 or "violation" not in outcome.report:
        return None
    violation = outcome.report["violation"]["position"]
    return f"completed with a violation of {violation:.1e}" if not violation <= MISSED else None


def rests(outcome):
    if outcome.code != 0:
        return f"{outcome.verdict}: {outcome.message()}"
    if outcome.report["warnings"]:
        return "alarm: " + outcome.report["warnings"][0]
    moved = max(max(c) - min(c) for name, c in outcome.rows.items() if name != "time")
    return f"what rests moves by {moved:.1e}" if moved > 1e-3 else None


def tells_of_no_branch(outcome):
    """Refused, or completed with a word about it."""
    return "completed without a word" if outcome.code == 0 and not outcome.report["warnings"] else None


def one_crank_motion(sarrus, coordinates):
    """As without eps, or refused by name: a judge for drawings that are not quite parallel."""
    exact = sarrus.run(three_cranks(0.0), "--sample", "0.01", *(["--coordinates", coordinates] if coordinates else []))

    def judge(outcome):
        if outcome.code == 4:
            return None if outcome.conflicts() else "refused without a name"
        if outcome.code != 0:
            return f"{outcome.verdict}: {outcome.message()}"
        moved = outcome.report["assembly"]["moved"]
        if moved > 1e-2:
            return f"assembled by moving {moved:.2g} m"
        off = max(abs(a - b) for a, b in zip(outcome.rows["angle"], exact.rows["angle"]))
        if outcome.report["rank"]["dof"] != 1:
            return f"dof is 1, told {outcome.report['rank']['dof']}"
        return f"another motion: off by {off:.1e} rad" if off > 1e-3 else None

    return judge


# ---- the trials ----

def trials(sarrus, root, coordinates):
    for model in (two_drives(), drive_out_of_reach(), contradicting_gears(), stretched_rope()):
        yield Trial("conflict " + model["name"], model, meets_demands)
    for problem in ("slider-crank-1", "four-bar", "bricard", "n-four-bar"):
        model = models.load_flat(os.path.join(root, "problems", problem, "model.yaml"))
        for alpha in ("1e-300", "1e-6"):
            yield Trial(f"alpha {alpha} {problem}", model, small_violation, ["--alpha", alpha, "--end", "0.5"], ["", "hybrid", "AL", "stabilised"])
    for model in (truss(), hanging(), on_a_spring(), hanging_parallelogram(), tripod()):
        yield Trial("rest " + model["name"], model, rests, presets=METHODS)
    yield Trial("branch flat rhombus", flat_rhombus(), tells_of_no_branch, presets=METHODS)
    path = os.path.join(root, "problems", "slider-crank-singular", "model.yaml")
    for ratio in (1.0, -0.5):
        model = models.load_flat(path, {"eta1": 1.0, "eta2": ratio})
        yield Trial(f"branch slider-crank eta2 {ratio:g}", model, tells_of_no_branch, ["--end", "0.5"], METHODS)
    for eps in (1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-4):
        yield Trial(f"cranks eps {eps:g}", three_cranks(eps), one_crank_motion(sarrus, coordinates), presets=METHODS)


@dataclasses.dataclass
class Run:
    trial: Trial
    preset: str
    coordinates: str

    def options(self):
        method = OTHERS.get(self.preset) or (["--preset", self.preset] if self.preset else [])
        return method + ["--coordinates", self.coordinates] + self.trial.options

    def go(self, sarrus):
        sample = [] if "--sample" in self.trial.options else ["--sample", "0.01"]
        outcome = sarrus.run(self.trial.model, *self.options(), *sample)
        if outcome.code == 2:
            return None  # these do not go together
        return honest_end(outcome) or self.trial.judge(outcome) or ""


def runs_of(sarrus, root, wanted, presets, coordinates):
    known = [""] + presets_of(sarrus) + list(OTHERS)
    for kind in coordinates:
        for trial in trials(sarrus, root, kind):
            if wanted and not any(trial.name.startswith(w) for w in wanted):
                continue
            for preset in trial.presets or known:
                if not presets or (preset or "default") in presets:
                    yield Run(trial, preset, kind)


def survey(sarrus, root, wanted=(), presets=(), coordinates=tuple(COORDINATES), jobs=1):
    """(run, what is wrong or "") of all that go together."""
    runs = list(runs_of(sarrus, root, wanted, presets, coordinates))
    for run, fault in zip(runs, program.in_parallel(jobs, lambda r: r.go(sarrus), runs)):
        if fault is not None:
            yield run, fault


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    program.add_options(parser)
    parser.add_argument("--trials", default="", help="beginnings of names, by commas: conflict, alpha, rest, branch, cranks")
    parser.add_argument("--presets", default="", help="by commas; 'default' is none (default: all)")
    parser.add_argument("--coordinates", default=",".join(COORDINATES))
    options = parser.parse_args()
    sarrus = program.Program(options.program, options.timeout)
    os.nice(10)
    lists = [[w for w in text.split(",") if w] for text in (options.trials, options.presets, options.coordinates)]
    count, bad = 0, collections.Counter()
    for run, fault in survey(sarrus, options.root, *lists, options.jobs):
        count += 1
        if fault:
            bad[run.trial.name] += 1
            print(f"{run.trial.name:32} {run.preset or 'default':14} {run.coordinates:10} {fault[:160]}", flush=True)
            program.keep(options.keep, run.trial.name, copy.deepcopy(run.trial.model), " ".join(run.options()))
    print(f"\n{count} runs, {sum(bad.values())} wrong" + (", by trial:" if bad else ""))
    for name, number in bad.most_common():
        print(f"{number:6}  {name}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
