"""Numbers of a model that fit measurements, and numbers that make its motion best: `sarrus fit` and `sarrus optimise`."""
from __future__ import annotations

import csv
import json
import math
import os
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Any, Iterable, Mapping, Sequence

import numpy

from ._library import program
from .errors import ModelError, SarrusError
from .model import Model
from .result import Array

Free = Mapping[str, Any] | Iterable[str]


@dataclass(frozen=True)
class Fit:
    """What `fit` found."""

    values: dict[str, float]  #: of the numbers that were free
    deviations: dict[str, float]  #: standard deviations; NaN: at a bound, or not told by the data
    correlations: Array
    not_told: list[dict[str, float]]  #: combinations of numbers along which nothing changes
    found: bool  #: at a minimum
    report: dict[str, Any]  #: all that `sarrus fit --json` says


@dataclass(frozen=True)
class Design:
    """What `optimise` found."""

    values: dict[str, float]
    before: float  #: the objective
    after: float
    limits: dict[str, float]  #: largest A - B of each limit: negative where it holds
    found: bool
    report: dict[str, Any]


def _number(value: float) -> str:
    return "" if value is None or math.isinf(value) else repr(float(value))


def _free(free: Free) -> list[str]:
    words = []
    for name in free:
        bounds = free[name] if isinstance(free, Mapping) else None
        words.append("--free=" + (name if bounds is None else f"{name}=" + ":".join(_number(x) for x in bounds)))
    return words


def _run(name: str, model: Any, operands: list[str], words: list[str], options: Mapping[str, Any]) -> dict[str, Any]:
    path = program()
    if path is None:
        raise SarrusError("the program 'sarrus' was not found: install Sarrus, or build it in the clone (make build)", verdict="no program")
    source, folder = None, None
    if isinstance(model, Model):
        if model._functions:
            raise ModelError("inputs that are functions of time are not known to the program: write them into the model", verdict="invalid")
        raw, where, settings = model._text()
        source, folder = raw, os.path.dirname(os.fsdecode(where)) or None
        words = [*words, *(f"--set={key}={value}" for key, value in settings.items())]
    words += [f"--{key.replace('_', '-')}" if value is True else f"--{key.replace('_', '-')}={value}"
              for key, value in options.items() if value is not None and value is not False]
    done = subprocess.run([path, name, "-" if source is not None else os.fspath(model), *operands, "--json", *words], input=source,
                          capture_output=True, cwd=folder if folder and os.path.isdir(folder) else None, check=False)
    if done.returncode not in (0, 6):
        raise SarrusError(done.stderr.decode().strip() or f"'sarrus {name}' ended with exit code {done.returncode}", verdict="failed", status=done.returncode)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def fit(model: Model | str | os.PathLike[str], data: Any, free: Free, *, weights: Mapping[str, float] | None = None,
        columns: Mapping[str, str] | None = None, **options: Any) -> Fit:
    """Least squares between runs of a model and measurements.

        found = sarrus.fit(model, {"time": t, "stretch": x}, free={"k": (1e3, 1e5), "c": (0, math.inf), "J.angle": None})
        found.values["k"], found.deviations["k"], found.not_told

    `data`: a file (.csv, .h5), or a mapping of columns with "time". `free`: names, or a mapping to (low, high) or (low, high, start).
    `columns`: what columns are, as expressions. Options are those of `sarrus help fit`, with '_' for '-'.
    """
    words = _free(free) + [f"--weight={name}={value!r}" for name, value in (weights or {}).items()]
    words += [f"--column={name}={expression}" for name, expression in (columns or {}).items()]
    with tempfile.TemporaryDirectory(prefix="sarrus-fit-") as folder:
        path = data
        if isinstance(data, Mapping):
            path = os.path.join(folder, "data.csv")
            names = ["time", *(name for name in data if name != "time")]
            with open(path, "w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(names)
                writer.writerows(zip(*([repr(float(x)) for x in data[name]] for name in names)))
        report = _run("fit", model, [os.path.abspath(path)], words, options)
    numbers = report["numbers"]
    correlations = numpy.array([[math.nan if x is None else x for x in row] for row in report["correlations"]])
    return Fit({n["name"]: n["value"] for n in numbers}, {n["name"]: math.nan if n["deviation"] is None else n["deviation"] for n in numbers},
               correlations, report["not_told"], report["search"]["found"], report)


def optimise(model: Model | str | os.PathLike[str], minimise: str | Sequence[str], free: Free, *, limits: Sequence[str] = (),
             **options: Any) -> Design:
    """Numbers of a model that make something of its motion least, within limits.

        found = sarrus.optimise(model, "rms(coupler.P.y - height)", {"crank": (0.2, 2)}, kinematics=True,
                                limits=["end(coupler.P.x) - start(coupler.P.x) >= 1.2"])

    Texts and options are those of `sarrus help optimise`.
    """
    words = [f"--minimise={text}" for text in ([minimise] if isinstance(minimise, str) else minimise)]
    words += [f"--limit={text}" for text in limits] + _free(free)
    report = _run("optimise", model, [], words, options)
    nan = math.nan
    return Design({n["name"]: n["value"] for n in report["numbers"]}, nan if report["before"] is None else report["before"], report["after"],
                  {limit["text"]: limit["after"] for limit in report["limits"]}, report["search"]["found"], report)
