"""A problem as the IFToMM library of computational benchmark problems asks for it.

    python3 -m sarrus.bench.iftomm slider-crank-1 slider-crank --preset ALi3p --step 1e-3

writes a folder: a description, a file of results in the columns that the description defines, the reference, figures, and a sheet with two numbers, the error and
the CPU time. What only people know, why the problem is worth solving, is taken from the README beside the model.
"""
from __future__ import annotations

import argparse
import ctypes
import pathlib
import sys
import time
from types import SimpleNamespace

import numpy

from .. import _abi
from .._library import library, text
from ..errors import SarrusError
from ..model import Compiled
from ..program import command
from ..simulation import _options_over
from . import svg
from .document import Map, StudyError, number, read
from .runs import Run, Table, Task, comparison, model_file, processor

RUNS, ORDER = 5, 500
DESCRIPTION = """# {name}

{author}![The mechanism](mechanism.svg)

## Problem

{readme}
## Data

`model.yaml` has all of it, in SI units; its text is below.

| parameter | value |
| --- | --- |
{parameters}| gravity [m/s^2] | {gravity} |

| body | mass [kg] |
| --- | --- |
{masses}
Joints and drives: {joints}.

## Motion

From {start:g} to {end:g} s. Start and forces are those of the model file.

## Error

Samples every {sample:.15g} s, variables {columns}.

    eps_T = sqrt(1/n sum_j w_j/m sum_i (y_j(t_i) - y_j,ref(t_i))^2)

with n variables, m samples and the weights w {weights}.

## Conditions

{conditions} The objective is the least CPU time.

## Results file

Text, a row per sample, columns separated by tabulators, a first row that begins with %:

    time [s], {plain}

## Reference

`reference.txt`, {rows} rows.

![The reference](curves.svg)

## The model file

```yaml
{model}```
"""
SOLUTION = """# {name}: solution by Sarrus {version}

| | |
| --- | --- |
| accuracy, eps_T | {error:.4g} |
| efficiency, CPU time [s] | {mean:.4g}, mean of {runs} runs, spread {spread:.2g} |
| machine | {machine} |
| machine index | {index:.0f} |
| CPU time x index / 1000 | {product:.4g} |
| method | coordinates {coordinates}, formulation {formulation}, integrator {integrator} |
{options}| steps, iterations | {steps:.0f}, {iterations:.0f} |
| largest energy drift [J] | {drift:.3g} |
| results | `results.txt`, columns as in `description.md` |

The machine index is million multiply-adds a second of Gaussian elimination by NumPy, row by row, on a full matrix of order {order}: times on other machines
compare by the product with their index.
"""


def machine_index() -> float:
    """Million multiply-adds a second of Gaussian elimination on a full matrix: the faster the machine the larger."""
    full, best = 1.0 / (1.0 + numpy.add.outer(numpy.arange(ORDER), numpy.arange(ORDER))) + ORDER * numpy.eye(ORDER), 0.0
    for _ in range(RUNS):
        a, began = full.copy(), time.process_time()
        for k in range(ORDER - 1):
            a[k + 1:, k:] -= numpy.outer(a[k + 1:, k] / a[k, k], a[k, k:])
        best = max(best, 1e-6 * sum((ORDER - 1 - k) * (ORDER - k) for k in range(ORDER)) / (time.process_time() - began))
    return best


def _metric(path: pathlib.Path, model: Compiled, reference: Table) -> SimpleNamespace:
    """Of the problem's published.json, else of the outputs that the reference has too."""
    published = path.parent / "published.json"
    entry = Map(read(published) if published.exists() else {}, str(published), "the file").map("metric")
    columns = entry.list("variables", "names") or [name for name in model.names("outputs") if reference.column(name) is not None]
    weights = [number(x) for x in entry.list("weights", "numbers")] or [1.0] * len(columns)
    if not columns:
        raise StudyError("the model and its reference have no output in common", usage=True)
    sample = entry.number("sample") if "sample" in entry else float(reference.time[1] - reference.time[0])
    return SimpleNamespace(columns=columns, weights=weights, sample=sample, relative=0.0, low=entry.number("low_precision"), high=entry.number("high_precision"))


def _task(wanted: argparse.Namespace, path: pathlib.Path, given: dict[str, str]) -> tuple[Task, SimpleNamespace]:
    settings = dict(word.split("=", 1) for word in wanted.set)
    model, own = Compiled(None, str(path), settings, {}), path.parent / "reference.csv"
    if not wanted.reference and (settings or not own.exists()):
        raise StudyError("a benchmark needs a reference: give a result, CSV or HDF5, with --reference FILE", usage=True)
    reference = Table.read(wanted.reference or own)
    metric, options = _metric(path, model, reference), _options_over(model, given)[0]
    options.sample = metric.sample
    return Task(model, options, reference, comparison(metric, False)), metric


def _columns(table: Table, names: list[str]) -> str:
    """Time and variables, a tabulator between them, in all their digits."""
    columns = [table.column(name) for name in names]
    numbers = numpy.column_stack([table.time, *(numpy.full(table.rows, numpy.nan) if column is None else column for column in columns)])
    return "\n".join(["\t".join(["% time [s]", *names]), *("\t".join(f"{x:.15g}" for x in row) for row in numbers)]) + "\n"


def _curves(reference: Table, names: list[str]) -> str:
    plots = [svg.draw(svg.Plot(name, "t [s]", "", [svg.Series(name, reference.time, reference.column(name))], width=900, height=260)) for name in names]
    shifted = "".join(f'<g transform="translate(0 {260 * k})">{plot}</g>' for k, plot in enumerate(plots))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="{260 * len(names)}"><style>{svg.STYLE}</style><rect width="900" '
            f'height="{260 * len(names)}" fill="white"/>{shifted}</svg>\n')


def _readme(path: pathlib.Path) -> str:
    """The README beside the model without its title and pictures; without one, what is to be said there."""
    if not (path.parent / "README.md").exists():
        return "(Why this problem? What is hard about it?)\n"
    lines = [line for line in (path.parent / "README.md").read_text(encoding="utf-8").splitlines() if not line.startswith(("# ", "!["))]
    return "\n".join("#" * line.startswith("#") + line for line in lines).strip() + "\n"


def _description(task: Task, metric: SimpleNamespace, path: pathlib.Path, author: str) -> str:
    handle, gravity = task.model.handle, (ctypes.c_double * 3)()
    library.sar_model_gravity(handle, gravity)
    values = [f"| {name} | {library.sar_model_parameter_value(handle, k):.15g} |\n" for k, name in enumerate(task.model.names("parameters"))]
    masses = [f"| {name} | {library.sar_model_body_mass(handle, k):.15g} |\n" for k, name in enumerate(task.model.names("bodies")) if k]
    conditions = (f"A solution is acceptable with eps_T at most {metric.low:g} (low precision) or {metric.high:g} (high precision)." if metric.low > 0
                  else "(Which eps_T is acceptable?)")
    return DESCRIPTION.format(
        name=text(library.sar_model_name(handle)), author=f"Proposed by {author}.\n\n" if author else "", readme=_readme(path), parameters="".join(values),
        gravity=", ".join(f"{x:g}" for x in gravity), masses="".join(masses), joints=", ".join(task.model.names("joints")), start=task.options.start,
        end=task.options.end, sample=metric.sample, columns=", ".join(f"`{name}`" for name in metric.columns),
        weights=", ".join(f"{x:g}" for x in metric.weights), conditions=conditions, plain=", ".join(metric.columns),
        rows=task.reference.rows if task.reference else 0, model=path.read_text(encoding="utf-8"))


def _solution(task: Task, run: Run, times: list[float], index: float, given: dict[str, str]) -> str:
    mean, o = sum(times) / len(times), task.options
    return SOLUTION.format(
        name=text(library.sar_model_name(task.model.handle)), version=_abi.VERSION, error=run.numbers["total_error"], mean=mean, runs=len(times),
        spread=max(times) - min(times), machine=processor(), index=index, product=mean * index / 1000, coordinates=text(o.coordinates),
        formulation=text(o.formulation), integrator=text(o.integrator), options="".join(f"| {name} | {value} |\n" for name, value in given.items()),
        steps=run.numbers["steps"], iterations=run.numbers["iterations"], drift=run.numbers["energy.max_drift"], order=ORDER)


def _carry_out(wanted: argparse.Namespace, given: dict[str, str]) -> None:
    path = pathlib.Path(model_file(wanted.model))
    task, metric = _task(wanted, path, given)
    run = task.run(lambda: True, columns=[])
    times = [run.numbers["seconds"]] + [task.run(lambda: True).numbers["seconds"] for _ in range(RUNS - 1) if run.completed]
    if not run.completed or not run.history or not task.reference:
        raise StudyError(run.failure)
    index = machine_index()
    wanted.folder.mkdir(exist_ok=True)
    for name, words in (("description.md", _description(task, metric, path, wanted.author)), ("solution.md", _solution(task, run, times, index, given)),
                        ("reference.txt", _columns(task.reference, metric.columns)), ("results.txt", _columns(run.history, metric.columns)),
                        ("curves.svg", _curves(task.reference, metric.columns)), ("model.yaml", path.read_text(encoding="utf-8"))):
        (wanted.folder / name).write_text(words, encoding="utf-8")
    command("draw", path, set=wanted.set, labels=True, output=str(wanted.folder / "mechanism.svg"))
    print(f"{text(library.sar_model_name(task.model.handle))}: eps_T {run.numbers['total_error']:.3g}, CPU time {sum(times) / RUNS:.3g} s, machine index {index:.0f}")


def main() -> int:
    """The command; an exit code."""
    parser = argparse.ArgumentParser("sarrus.bench.iftomm", description="Write a problem for the IFToMM library of benchmark problems. All other options are "
                                     "those of the method, as of 'sarrus run': --preset ALi3p --step 1e-3.")
    parser.add_argument("model", metavar="MODEL", help="a model with a reference")
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER", help="that the files are written to; it is made")
    parser.add_argument("--author", default="", metavar="TEXT", help="who proposes it")
    parser.add_argument("--reference", type=pathlib.Path, metavar="FILE", help="a result (default: the reference.csv beside the model)")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="set a parameter of the model; may be repeated")
    wanted, rest = parser.parse_known_args()
    words = [part for word in rest for part in word.split("=", 1)]
    if len(words) % 2 or not all(word.startswith("--") for word in words[::2]):
        parser.error(f"expected options of a method, --NAME VALUE, not {' '.join(rest)}")
    try:
        _carry_out(wanted, {name[2:].replace("-", "_"): value for name, value in zip(words[::2], words[1::2])})
        return 0
    except (StudyError, SarrusError, OSError) as error:
        print(f"sarrus.bench.iftomm: error: {error}", file=sys.stderr)
        return 2 if isinstance(error, StudyError) and error.usage else 1


if __name__ == "__main__":
    sys.exit(main())
