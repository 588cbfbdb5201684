"""The rows of studies as a table on the terminal, printed as they are finished, as JSON and as CSV."""
from __future__ import annotations

import csv
import json
import math
import os
import sys
import textwrap
from typing import Any, TextIO

from .. import _abi
from .judge import VERDICTS, Cost, cost, digits, findings, quantity, ratio, titles
from .runs import NAMES, processor
from .studies import NAN, Row, Study

WIDTH, WRAP = 9, 118
CORES, SIZES = (2, 8, 64, 512), (64, 1024, 16384, 262144)  #: what the cost model is asked about
STYLES = {"good": "\033[32m", "bad": "\033[1;31m", "odd": "\033[33m", "none": "\033[2m", "head": "\033[1m", "": ""}
#: How verdicts look, as classes of the page.
LOOKS = {"passes": "good", "fails as published": "good", "fails (published: passes)": "bad", "fails": "bad", "passes (published: fails)": "odd",
         "differs": "odd", "completed": "", "as published": "good", "holds": "good", "does not hold": "bad", "measured": "", "not available": "none",
         "not run": "none"}
SHORT = {"step": "h", "step_min": "h_min", "step_max": "h_max", "newton_tolerance": "tol", "tolerance": "rel", "absolute_tolerance": "abs", "iterations": "its"}
SILENT = {"preset", "coordinates", "formulation", "integrator", "solver", "best_effort", "rescue", "updates", "end", "profile", "geometric"}

# ---- what all ways of telling share -------------------------------------------------------------


def show(value: float, count: int = 3) -> str:
    """2.5e-3 rather than 2.50e-03 or 0.0025; "" for NaN."""
    size = abs(value)
    if math.isnan(value):
        return ""
    if math.isfinite(value) and value != 0 and (size < 0.01 or size >= 99999.5):
        mantissa, exponent = f"{value:.{count - 1}e}".split("e")
        return f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{int(exponent)}"
    return f"{value:.0f}" if size >= 1000 else f"{value:.{count}g}"


def parameters(row: Row) -> str:
    """The numbers of a method: "h 1e-3 alpha 1e9". The label says the rest."""
    def shown(value: str) -> str:
        try:
            return show(float(value), 6)
        except ValueError:
            return value

    words = [f"{SHORT.get(name, name)} {shown(value)}" for name, value in row.own.items() if name not in SILENT]
    return " ".join(words + [f"{name}={value}" for name, value in row.parameters.items()])


def by_energy(study: Study) -> bool:
    """Whether rows are judged by their energy drift, not by eps_T."""
    return all(math.isnan(row.error_limit) for row in study.rows) and not all(
        math.isnan(row.energy_limit) and math.isnan(row.published.drift) for row in study.rows)


class Layout:
    """Which columns a table of the study needs, and what it says that rows have to keep."""

    def __init__(self, study: Study) -> None:
        self.study, self.energy, rows = study, by_energy(study), study.rows
        own = rows[0].measure if rows and all(row.measure.of for row in rows) else None
        limits = {self._limit(row) for row in rows}
        known = [limit for limit in limits if not math.isnan(limit)]
        self.each = len(known) > 0 and len(limits) > 1
        self.passes = [f"{'energy drift [J]' if self.energy else 'eps_T'} at most {show(known[0])}"] if known and not self.each else []
        if own and not math.isnan(own.within):
            self.passes.append(f"{own.title or own.of} within {show(own.within)} of {show(own.right, 4)}")
        self.columns = study.columns or (["value", "published_value", "off", "seconds", "published_seconds", "faster", "step_us"] if own else [])
        self.heads = {"value": own.title} if own and own.title else {}
        self.published = any(not math.isnan(self._published(row)) for row in rows)
        self.error = self.energy and any(row.reference for row in rows)
        self.steps = any(not math.isnan(row.published.step_us) for row in rows)
        self.times = any(not math.isnan(row.published.seconds) for row in rows)
        self.spread = any(row.outside and len(row.outside.times) > 1 for row in rows)

    def _limit(self, row: Row) -> float:
        return row.energy_limit if self.energy else row.error_limit

    def _published(self, row: Row) -> float:
        return float(abs(row.published.drift) if self.energy else row.published.error)

    def _named(self, row: Row | None, names: list[str]) -> list[tuple[str, float, int]]:
        return [(self.heads.get(name, titles(name)[1]), quantity(self.study, row, name) if row else NAN, digits(name)) for name in names]

    def cells(self, row: Row | None) -> list[tuple[str, float, int]]:
        """Head, number and its digits of every column; of no row, the heads."""
        certified = self._named(row, ["estimate", "trusted"] if self.study.certified else [])
        if self.columns:
            return self._named(row, self.columns) + certified
        numbers, time = row.run.numbers if row and row.run else dict.fromkeys(NAMES, NAN), "step_us" if self.steps else "seconds"
        wanted = [(True, "drift [J]" if self.energy else "eps_T", numbers["energy.max_drift" if self.energy else "total_error"]),
                  (self.published, "publ.", self._published(row) if row else NAN), (self.each, "limit", self._limit(row) if row else NAN),
                  (self.error, "eps_T", numbers["total_error"]), (True, "us/step" if self.steps else "time [s]", numbers[time] if row and row.done else NAN),
                  (self.spread, "spread", quantity(self.study, row, "spread") if row else NAN),
                  (self.times, "publ.", getattr(row.published, time) if row else NAN), (self.times, "faster", ratio(row) if row else NAN)]
        return [(head, value, 3) for there, head, value in wanted if there] + certified


def verdict(row: Row) -> str:
    """With what is missing where the method is not available."""
    return row.verdict + (f": {row.reason}" if row.verdict == "not available" else "")


def source(study: Study) -> str:
    """Where the rows come from, and what their times are compared with."""
    machine = study.rows[0].published.machine if study.rows else ""
    return f"[{study.source}{', Table ' + study.table if study.table else ''}]{', times on ' + machine if machine else ''}" if study.source else ""


def notes(study: Study) -> dict[str, str]:
    """The remarks, choices and reasons of a study, each once, and the rows that it is about."""
    found: dict[str, list[str]] = {}
    for row in study.wanted():
        there, numbers = row.verdict != "not available", row.run.numbers if row.run else {}
        kept = f"{numbers.get('not_converged', 0):.0f} of {numbers.get('steps', 0):.0f} steps did not converge; their best iterate was kept."
        for text in (row.reason * there, row.tuned, kept * (numbers.get("not_converged", 0) > 0),
                     f"Published as failed: {row.published.failure}." * (there and row.published.failed), row.choice * there, row.remark):
            found.setdefault(text, []).append(str(row.number))
    return {text: ", ".join(rows) for text, rows in found.items() if text}


def summary(studies: list[Study]) -> str:
    """How many rows have which verdict: "5 rows: 3 passes, 2 differs"."""
    verdicts = [row.verdict for study in studies for row in study.wanted()]
    sums = ", ".join(f"{verdicts.count(each)} {each}" for each in VERDICTS if each in verdicts)
    return f"{len(verdicts)} row{'s' * (len(verdicts) != 1)}" + (f": {sums}" if sums else "")


def cost_text(study: Study, c: Cost) -> str:
    """The cost model in words."""
    within = f"fitted to {c.points} runs within {100 * c.worst:.0f} %"
    if not c.threaded:
        return f"a step of {study.fit} on one thread: T(n) = ({show(c.fixed)} + {show(c.shared)} n) us, {within}"
    return (f"a step of {study.fit}: T(n, p) = ({show(c.fixed)} + {show(c.alone)} n + {show(c.shared)} n/p + {show(c.meet)} log2 p) us, {within}"
            + ("" if c.predicts else ": too much scatter to predict from"))


# ---- on the terminal ----------------------------------------------------------------------------


def paint(look: str, words: str) -> str:
    """Words as they look on a terminal."""
    return f"{STYLES[look]}{words}\033[0m" if STYLES[look] and sys.stdout.isatty() and not os.environ.get("NO_COLOR") else words


def _numbers(values: list[tuple[float, int]]) -> str:
    return "".join(f" {show(value, count) or '-':>{WIDTH}}" for value, count in values)


class Table:
    """Of one study on standard output, row by row."""

    def __init__(self, study: Study) -> None:
        self.study, self.layout = study, Layout(study)
        room = 8 if study.tuned else 0  # the numbers that will be found may have more digits
        self.label, self.width = max([6, *(len(row.label) for row in study.rows)]), room + max([10, *(len(parameters(row)) for row in study.rows)])

    def begin(self) -> None:
        """Where the rows come from, what they are judged by, and the heads of the columns."""
        study = self.study
        lines = [f"{paint('head', study.name)}  {study.title}", source(study), f"ours on {processor()}",
                 f"times: mean of {study.mean_of} runs, on the clock" * bool(study.mean_of), "eps_T: straight lines between steps" * study.linear]
        print("\n".join(filter(None, lines + [f"passes: {words}" for words in self.layout.passes])))
        heads = "".join(f" {head:>{WIDTH}}" for head, _, _ in self.layout.cells(None))
        print("\n" + paint("head", f" #  {'method':{self.label}}  {'parameters':{self.width}}{heads}  verdict"), flush=True)

    def row(self, row: Row) -> None:
        """One row."""
        numbers = _numbers([cell[1:] for cell in self.layout.cells(row)])
        print(f"{row.number:2}  {row.label:{self.label}}  {parameters(row):{self.width}}{numbers}  {paint(LOOKS[row.verdict], verdict(row))}", flush=True)

    def end(self) -> None:
        """Notes, statements, the cost model and the sums."""
        about = notes(self.study)
        width = min(16, max(map(len, about.values()), default=0))
        print("\n" * bool(about), end="")
        for text, rows in about.items():
            print(textwrap.fill(text, WRAP, initial_indent=f"  {rows:{width}}  ", subsequent_indent=" " * (width + 4), break_long_words=False, break_on_hyphens=False))
        self._findings()
        self._cost()
        if self.study.others:
            print(f"\n{self.study.others} more published result{'s' * (self.study.others != 1)} cannot be run: curves or ratios only")
        print(f"\n{summary([self.study])}", flush=True)

    def _findings(self) -> None:
        found = findings(self.study)
        wide, label = max([9, *(len(x.text) for x in found)]), max([6, *(len(x.label) for x in found)])
        if found:
            print("\n" + paint("head", f"    {'statement':{wide}}  {'method':{label}} {'ours':>{WIDTH}} {'publ.':>{WIDTH}}  verdict"))
        for x in found:
            numbers = _numbers([(x.value, digits(x.of)), (x.published, digits(x.of))])
            print(f"    {x.text:{wide}}  {x.label:{label}}{numbers}  {paint(LOOKS[x.verdict], x.verdict)}")

    def _cost(self) -> None:
        c = cost(self.study)
        if c:
            print(f"\n{cost_text(self.study, c)}")
        if c and c.predicts:
            print("by this the speed-up on\n" + f"{'n':>10}" + "".join(f" {p:5} cores" for p in CORES))
            for n in SIZES:
                print(f"{n:10}" + "".join(f" {show(c.speedup(n, p)) or '-':>11}" for p in CORES))


# ---- for other programs -------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """For JSON: null for what is not finite, whole numbers without a point."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if not isinstance(value, float):
        return value
    return None if not math.isfinite(value) else int(value) if value == int(value) and abs(value) < 1e15 else value


def _ours(row: Row) -> dict[str, Any]:
    run = row.run
    found: dict[str, Any] = {}
    if not run:
        return {}
    for name, value in run.numbers.items():
        group, _, last = name.rpartition(".")
        if name not in ("estimate", "trusted") or not math.isnan(value):
            (found.setdefault(group, {}) if group else found)[last] = value
    return {"status": "completed" if run.completed else "failed", **found, "value": run.value, "branch_changed": run.branch_changed, "runs": run.runs}


def _row_json(study: Study, row: Row) -> dict[str, Any]:
    p = row.published
    return {"row": row.number, "label": row.label, "problem": row.problem, "source": row.source, "table": row.table, "verdict": row.verdict,
            "reason": row.reason, "method": row.options, "parameters": row.parameters,
            "limits": {"max_energy_drift": row.energy_limit, "total_error": row.error_limit, "seconds": row.time_limit},
            "published": {"status": "failed" if p.failed else "completed", "failure": p.failure, "energy_drift": p.drift, "value": p.value,
                          "total_error": p.error, "seconds": p.seconds, "per_step_us": p.step_us},
            "ours": _ours(row), "times_faster": ratio(row), "columns": {name: quantity(study, row, name) for name in study.columns},
            "choice": row.choice, "remark": row.remark}


def put_json(studies: list[Study], out: TextIO) -> None:
    """One object."""
    found: list[dict[str, Any]] = []
    for study in studies:
        statements = [{name: getattr(x, name) for name in ("text", "label", "value", "published", "verdict")} for x in findings(study)]
        c, rows = cost(study), [_row_json(study, row) for row in study.wanted()]
        found.append({"name": study.name, "title": study.title, "source": study.source, "rows": rows, "statements": statements})
        if c:
            found[-1]["cost"] = {"label": study.fit, "fixed_us": c.fixed, "alone_us": c.alone if c.threaded else NAN, "shared_us": c.shared,
                                 "meet_us": c.meet if c.threaded else NAN, "worst": c.worst}
    answer = {"schema": "sarrus.bench/1", "version": _abi.VERSION, "machine": processor(), "studies": found}
    print(json.dumps(_plain(answer), indent=1, ensure_ascii=False), file=out)


def put_csv(studies: list[Study], out: TextIO) -> None:
    """Rows, and statements as rows s1, s2, ... with their text as the label."""
    def cells(values: list[float]) -> list[str]:
        return ["" if math.isnan(value) else f"{value:.9g}" for value in values]

    derived = ["n", "threads", "step_iterations", "wall_us", "newton_us", "projection_us", "body_us", "speedup", "efficiency", "published_drift", "off", "value"]
    numbers = ["energy_limit", "published_energy_drift", "error_limit", "published_total_error", "published_seconds", "published_per_step_us", "times_faster",
               *NAMES, *derived]
    file = csv.writer(out, lineterminator="\n")
    file.writerow(["study", "row", "problem", "source", "table", "label", "method", "verdict", "reason", *numbers, "published_value"])
    for study in studies:
        for row in study.wanted():
            p, method = row.published, " ".join(f"{name}={value}" for name, value in row.options.items())
            values = [row.energy_limit, abs(p.drift), row.error_limit, p.error, p.seconds, p.step_us, ratio(row)]
            values += [row.run.numbers[name] if row.run else NAN for name in NAMES] + [quantity(study, row, name) for name in derived]
            file.writerow([study.name, row.number, row.problem, row.source, row.table, row.label, method, row.verdict, row.reason, *cells([*values, p.value])])
        for k, x in enumerate(findings(study), 1):
            file.writerow([study.name, f"s{k}", "", study.source, "", x.text, x.label, x.verdict, "", *[""] * (len(numbers) - 1), *cells([x.value, x.published])])
