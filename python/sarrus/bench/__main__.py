"""python3 -m sarrus.bench: run published tables again."""
from __future__ import annotations

import argparse
import math
import os
import pathlib
import sys
from typing import Callable, TextIO

from . import judge, page, runs, studies, tables, tune
from .document import StudyError, number
from .studies import Row, Study

EPILOG = """examples:
  python3 -m sarrus.bench                          list all studies
  python3 -m sarrus.bench 000-table-2              one table
  python3 -m sarrus.bench 003 --html report.html   all of a paper, with plots, in one file
  python3 -m sarrus.bench n-four-bar --rows al3    what was published about a problem, some of it

Every row is run with the published method and parameters and judged by the limit of the paper: docs/benchmarks.md.
Exit codes: 0 all rows were run, whatever their results, 1 a file cannot be read or written, 2 wrong usage,
130 interrupted: finished rows are kept."""


def _accuracy(word: str) -> float:
    value = number(word)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{word}: expected an accuracy between 0 and 1")
    return value


def _count(word: str) -> int:
    if not word.isdigit() or not 1 <= int(word) <= 1000:
        raise argparse.ArgumentTypeError(f"{word}: expected a number, 1 to 1000")
    return int(word)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser("sarrus.bench", description="Run published tables again, and show both results side by side. NAME is a study, the number "
                                     "of a paper, a problem, or the file of a study.", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME")
    add("--rows", metavar="FILTER", help="only these rows: numbers (1,3-5) or words of their methods (al3)")
    add("--repeat", type=_count, default=0, metavar="K", help="report the least time of K runs; default: as the study says, else as many as fit into 0.2 s")
    add("--certify", type=_accuracy, nargs="?", const=0.01, default=0.0, metavar="ACCURACY", help="estimate the errors by reference runs (default 0.01)")
    add("--tune", nargs="?", const="", metavar="LIMIT,...", help="search the cheapest setting of every row that keeps its limit, or each of these")
    add("-j", "--jobs", type=_count, default=0, metavar="N", help="number of parallel runs of --tune (default: one per core)")
    add("--restart", action="store_true", help="forget what an interrupted --tune has found")
    add("--csv", type=pathlib.Path, metavar="FILE", help="write the rows as a table")
    add("--html", type=pathlib.Path, metavar="FILE", help="write a report with tables and plots, in one file")
    add("--json", action="store_true", help="print one JSON object on standard output and nothing else")
    add("--plugin", action="append", default=[], metavar="FILE", help="methods of others: a shared object, or classes in Python")
    return parser.parse_args()


def _show_list() -> None:
    """What there is to ask for."""
    group = None
    for head in (studies.study(name, rows=False) for name in studies.study_names()):
        if head.group != group:
            print(f"{'' if group is None else chr(10)}{tables.paint('head', head.group)}  all of [{head.source}]")
            group = head.group
        print(f"  {head.name:14} {head.title}")
    print("\nor a problem, for all that was published about it:\n " + "".join(f" {name}" for name in studies.problem_names()))


def _columns(study: Study, row: Row) -> list[str]:
    """What the history of a row needs beside the outputs of its model."""
    names = [row.measure.of, row.measure.minus, *(x.of for x in study.statements if not judge.is_quantity(x.of))]
    names += [name for plot in study.plots if plot.x == "t" for name in (plot.y, plot.orbit)]
    return list(dict.fromkeys(filter(None, names)))


def _run_row(row: Row, study: Study, wanted: argparse.Namespace, journal: tune.Journal | None) -> None:
    """Tune it where that is wanted, run it and judge it."""
    again = row.run is not None
    try:
        if journal and not again and not row.outside:
            tune.tune(row, study, journal, wanted.jobs)
        if not runs.interrupted:
            runs.run_row(row, study, _columns(study, row), wanted.repeat, wanted.certify)
    except runs.NotAvailable as error:
        row.verdict, row.reason = "not available", str(error)
    except StudyError as error:
        raise StudyError(f"row {row.number}, {row.label}: {error}") from None
    if row.run and not again:
        row.run.value = judge.measured(row.measure, row.run.history) if row.done else math.nan
        judge.judge(row, row.run)


def _run_study(study: Study, wanted: argparse.Namespace, journal: tune.Journal | None) -> None:
    """All rows, as often in turn as the study says, and its table."""
    study.certified = wanted.certify > 0
    table, rounds = None if wanted.json else tables.Table(study), (wanted.repeat or study.rounds) if study.rounds else 1
    if table:
        table.begin()
    for turn in range(rounds):
        for row in study.wanted():
            if not runs.interrupted:
                _run_row(row, study, wanted, journal)
            if table and turn == rounds - 1:
                table.row(row)
    if table:
        table.end()


def _write(path: pathlib.Path | None, put: Callable[[TextIO], object]) -> None:
    """A whole file, or the one that was there."""
    part = path.with_name(path.name + ".part") if path else None
    if not path or not part:
        return
    try:
        with open(part, "w", encoding="utf-8", newline="") as file:
            put(file)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise StudyError(f"cannot write '{path}': {error.strerror}") from None


def _check(found: list[Study], wanted: argparse.Namespace) -> None:
    """What would be seen too late, after hours of runs: files that cannot be written, plots over what no row has."""
    for path in (path for path in (wanted.csv, wanted.html) if path):
        if path.is_dir() or not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
            raise StudyError(f"cannot write '{path}'")
    for study, plot in ((study, plot) for study in found for plot in study.plots):
        if plot.x != "t" and not judge.is_quantity(plot.x) and all(math.isnan(row.setting(plot.x)) for row in study.rows):
            raise StudyError(f"{study.name}: a plot over '{plot.x}', which is no quantity, option or parameter of a row", usage=True)


def _load_plugins(paths: list[str]) -> None:
    from ..__main__ import _register
    from ..methods import load_plugin

    for path in paths:
        try:
            (_register if path.endswith(".py") else load_plugin)(path)
        except Exception as error:  # whatever a user's file does
            raise StudyError(f"--plugin {path}: {type(error).__name__}: {error}", usage=True) from None


def _carry_out(wanted: argparse.Namespace) -> None:
    _load_plugins(wanted.plugin)
    if not wanted.names:
        _show_list()
        return
    found = [study for name in wanted.names for study in studies.find(name)]
    _check(found, wanted)
    if wanted.rows:
        studies.keep(found, wanted.rows)
    journal = None
    if wanted.tune is not None:
        tune.prepare(found, wanted.tune)
        journal = tune.Journal(wanted.csv, wanted.restart)
    runs.catch_signals()
    for k, study in enumerate(found):
        print("\n" * (k > 0 and not wanted.json), end="")
        _run_study(study, wanted, journal)
    if wanted.json:
        tables.put_json(found, sys.stdout)
    elif len(found) > 1:
        print(f"\n{len(found)} studies: {tables.summary(found)}")
    _write(wanted.csv, lambda file: tables.put_csv(found, file))
    _write(wanted.html, lambda file: file.write(page.page(found, journal is not None)))
    if runs.interrupted and wanted.csv and journal:
        print("sarrus.bench: interrupted; the same command goes on from here", file=sys.stderr)


def main() -> int:
    """The command; an exit code."""
    try:
        _carry_out(arguments())
        sys.stdout.flush()
    except StudyError as error:
        print(f"sarrus.bench: error: {error}", file=sys.stderr)
        return 2 if error.usage else 1
    except OSError as error:
        print(f"sarrus.bench: error: cannot write to standard output: {error.strerror}", file=sys.stderr)
        sys.stdout = None  # type: ignore[assignment]  # nor at the end
        return 1
    return 130 if runs.interrupted else 0


if __name__ == "__main__":
    sys.exit(main())
