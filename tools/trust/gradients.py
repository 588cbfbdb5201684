#!/usr/bin/python3
"""Derivatives of runs (`sarrus sensitivity`) beside differences of whole runs, for random pairs of model and number.

    tools/trust/gradients.py [--count 300] [--seed 1] [-j 2] [--keep DIR]

Models are problems, examples and random linkages (mechanisms.py); a number of the file is taken at random. The reference knows
nothing of the command: models with that number changed in their text are run with tolerance 1e-12, each with its own steps, and
differenced with four points at two distances, which tell how good it is. Half of the pairs are asked for number by number, a
quarter backwards in time (--adjoint), and a quarter by al3 with a fixed step in random coordinates, both ways, where the
reference are runs of the same steps down to rounding.

    right      the same to 1e-7 of the larger of derivative and 0.1 of largest value/number, or within what the reference is worth
    refused    no derivative, and it is true: models on one side cannot be read, assembled or run, or differences do not settle
    cautious   refused, though differences settle
    unsure     the reference is worth less than 1e-4
    wrong      another number, and the error that is told is smaller than what it is off by
    told       another number, within ten times the error that is told
"""
import argparse
import collections
import copy
import glob
import json
import math
import os
import re
import sys
import tempfile

import numpy as np

import mechanisms
import models
import program

RIGHT, UNSURE = 1e-7, 1e-4
POINTS = ((1, 8), (-1, -8), (2, -1), (-2, 1))


def place_of(model, name):
    """The container and the key of a number by its name."""
    node, rest = model, name
    while True:
        if isinstance(node, list):
            found = re.match(r"\[(\d+)\]\.?", rest)
            key, rest = int(found[1]), rest[found.end():]
        else:
            rest = rest.removeprefix(".")
            key = max((k for k in node if rest == k or rest.startswith((k + ".", k + "["))), key=len)
            rest = rest[len(key):]
        if not rest:
            return node, key
        node = node[key]


def changed(model, name, by):
    """The model with `by` added to a number, in its text."""
    out = copy.deepcopy(model)
    node, key = place_of(out, name)
    if isinstance(node[key], dict):
        node, key = node[key], "value"
    node[key] = f"({node[key]}) + ({by!r})" if by else node[key]
    return out


class Pair:
    """`asked`: options of the derivative; `reference`: of the runs that are differenced; `beside`: numbers asked for together."""

    def __init__(self, label, model, output, end, asked, reference, beside):
        self.label, self.model, self.output, self.end = label, model, output, end
        self.asked, self.reference, self.beside = asked, reference, beside


def ways(rng, end):
    """How a derivative is asked for: its options, and those of the reference."""
    exact = ["--preset", "auto", "--tolerance", "1e-12"]
    draw = rng.random()
    if draw < 0.75:
        return (["--adjoint"] if draw < 0.25 else []), exact
    coordinates = ("natural", "cartesian", "increments", "relative")[rng.integers(4)]
    steps = ["--formulation", "al3", "--integrator", "trapezoidal", "--step", repr(end / 1000), "--coordinates", coordinates]
    return steps + (["--adjoint"] if rng.random() < 0.5 else []), [*steps, "--differentiable", "--iterations", "100"]


def value(sarrus, pair, model):
    outcome = sarrus.run(model, *pair.reference, "--end", repr(pair.end), "--sample", repr(pair.end))
    column = outcome.rows.get(pair.output, [])
    return column[-1] if outcome.code in (0, 6) and column else math.nan


def difference(sarrus, pair, name, change):
    return sum(w * value(sarrus, pair, changed(pair.model, name, k * change)) for k, w in POINTS) / (12 * change)


def judge(sarrus, pair, name, number):
    """Verdict, and words."""
    with tempfile.TemporaryDirectory(prefix="sarrus-gradients-") as folder:
        path = os.path.join(folder, "model.yaml")
        models.save(pair.model, path)
        code, text, said = sarrus.call("sensitivity", path, "--json", "--of", pair.output, "--by", ",".join([name, *pair.beside]),
                                       "--end", repr(pair.end), *pair.asked, cwd=folder)
    try:
        report = json.loads(text)
    except ValueError:
        report = {}
    if not report.get("parameters"):
        return "no run", said.strip()[-200:]
    parameter, row = next(p for p in report["parameters"] if p["name"] in (name, f"parameters.{name}")), report["rows"][0]
    scale = abs(number) or min(1.0, pair.end)
    far, near = difference(sarrus, pair, name, 2e-4 * scale), difference(sarrus, pair, name, 5e-5 * scale)
    apart = abs(far - near)
    history = sarrus.run(pair.model, *(pair.reference if "--step" in pair.reference else ["--preset", "auto"]), "--end", repr(pair.end), "--sample", repr(pair.end / 50)).rows.get(pair.output, [])
    size = max(abs(near), 0.1 * max(map(abs, history), default=abs(row["value"])) / scale, 1e-12 / scale)
    if parameter.get("refused"):
        settled = math.isfinite(near) and apart < UNSURE * size
        if settled: # what jumps to the same on both sides has differences all the same
            here, more, less = (value(sarrus, pair, changed(pair.model, name, k * 5e-5 * scale)) for k in (0, 1, -1))
            settled = abs(more + less - 2 * here) <= 1e-2 * size * scale
        return ("cautious" if settled else "refused"), parameter["refused"]
    got, told = parameter["derivatives"][0], parameter["errors"][0]
    off = abs(got - near)
    words = f"{got:.12g}, differences {near:.12g} +- {apart:.1e}, told {told if told is None else format(told, '.1e')}"
    if off > RIGHT * size: # two distances may agree by chance
        apart = max(apart, abs(near - difference(sarrus, pair, name, 1e-3 * scale)))
    if off <= RIGHT * size or off <= 3 * apart and apart <= UNSURE * size:
        return "right", words
    if not apart <= UNSURE * size:
        return "unsure", words
    return ("told" if told is not None and off <= 10 * told else "wrong"), words


def stored(root):
    for path in sorted(glob.glob(f"{root}/problems/*/model.yaml") + glob.glob(f"{root}/examples/models/*.yaml")):
        model = models.load(path)
        if "use" in model or not model.get("outputs") or re.search(r"file:", open(path, encoding="utf-8").read()):
            continue
        yield models.name_of(path), model


def pairs(sarrus, root, count, seed):
    """Models and numbers at random."""
    rng = np.random.default_rng(seed)
    files = list(stored(root))
    while count > 0:
        if rng.random() < 0.5:
            name, model = files[rng.integers(len(files))]
            end = float(re.match(r"[-+.\deE]*", str(model.get("method", {}).get("end", 1)))[0] or 1)
            end = min(end, 3.0) if name != "satellite" else end
        else:
            number = int(rng.integers(100000))
            m = mechanisms.draw(number)
            name, model, end = f"{m.kind}-{number}", models.plain(m.model()), float(1.5 * m.time)
        outputs = [k for k, v in model["outputs"].items() if isinstance(v, (str, int, float)) and not k.startswith(("gap_", "stretch_"))]
        if not outputs:
            continue
        with tempfile.TemporaryDirectory(prefix="sarrus-gradients-") as folder:
            path = os.path.join(folder, "model.yaml")
            models.save(model, path)
            lines = sarrus.call("sensitivity", path, "--list", cwd=folder)[1].splitlines()
        numbers = [line.rsplit(None, 1) for line in lines]
        numbers = [(a.strip(), float(b)) for a, b in numbers if not a.startswith(("repeat", "tables", "outputs"))]
        if not numbers:
            continue
        count -= 1
        parameter, number = numbers[rng.integers(len(numbers))]
        asked, reference = ways(rng, end)
        if "-" in name and name.rsplit("-", 1)[1].isdigit(): # exact drawings: below the precision of others small changes are none
            reference += ["--drawing", "0"]
        beside = [numbers[k][0] for k in rng.choice(len(numbers), min(3, len(numbers)), replace=False)] if "--adjoint" in asked else []
        yield Pair(name, model, outputs[rng.integers(len(outputs))], end, asked, reference, [b for b in beside if b != parameter]), parameter, number


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-v", action="store_true", help="every pair")
    program.add_options(parser)
    o = parser.parse_args()
    sarrus = program.Program(o.program, o.timeout)
    counts, shown = collections.Counter(), []
    for pair, name, number in pairs(sarrus, o.root, o.count, o.seed):
        try:
            verdict, words = judge(sarrus, pair, name, number)
        except (ValueError, KeyError, TypeError) as error:
            verdict, words = "no run", f"{type(error).__name__}: {error}"
        counts[verdict] += 1
        if o.v or verdict in ("wrong", "told", "cautious", "no run"):
            print(f"{verdict:9} {pair.label}: {pair.output} by {name} {' '.join(pair.asked)}: {words}", flush=True)
        if verdict == "wrong":
            program.keep(o.keep, f"{pair.label}-{name}", pair.model, f"{pair.output} by {name}: {words}")
    print(", ".join(f"{n} {v}" for v, n in counts.most_common()))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
