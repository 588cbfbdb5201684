"""Verdicts on rows, and on what a source says about several of them; quantities of runs by their names; the cost of a step.

The cost of a step of n bodies on p threads (docs/scaling.md) is

    T(n, p) = fixed + alone n + shared n/p + meet log2(p)                                              (1)

fitted by least squares of the relative errors, so that a chain of 64 counts as much as one of a thousand. A cost below zero makes no sense: such a number is
taken as zero, and the others are fitted again.
"""
from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, Callable

import numpy

from .. import _abi
from .._library import library, text
from .document import number
from .runs import MEASURES, NAMES, Run, Table
from .studies import NAN, Row, Study

VERDICTS = ("passes", "fails as published", "fails (published: passes)", "passes (published: fails)", "differs", "completed", "fails", "not available", "not run")

# ---- verdicts -----------------------------------------------------------------------------------


def _first_sentence(failure: str) -> str:
    """Without the remedies that follow, which are for users who can change the method."""
    depth = 0
    for k, c in enumerate(failure):
        depth += (c == "(") - (c == ")")
        if depth <= 0 and failure[k:k + 2] in (": ", "; "):
            return failure[:k]
    return failure


def _explain(row: Row, run: Run) -> str:
    """What is wrong with a run. One that left its branch is no better for keeping its energy."""
    error, drift, off, own = run.numbers["total_error"], run.numbers["energy.max_drift"], abs(run.value - row.measure.right), row.measure
    branch, limit = f"branch change at t = {run.branch_changed:.4g} s" if run.numbers["branch_changes"] > 0 else "", ""
    if not run.completed:
        return _first_sentence(run.failure)
    if not (drift <= row.energy_limit or math.isnan(row.energy_limit)):
        limit = f"energy drift {drift:.3g} J above {row.energy_limit:g} J"
    elif math.isnan(error) and not math.isnan(row.error_limit):
        limit = "no finite error"
    elif error > row.error_limit:
        limit = f"eps_T {error:.3g} above {row.error_limit:g}"
    elif not (off <= own.within or math.isnan(own.within)):
        limit = f"{own.title:.40} {run.value:.4g}: off by {off:.3g}, above {own.within:g}"
    return "; ".join(filter(None, [branch, limit]))


def _differs(row: Row, run: Run) -> str:
    """In what a figure is farther from the published one than figures of the source are from each other."""
    published = row.published
    for ours, theirs, words in ((run.numbers["total_error"], published.error, "eps_T {:.3g}, published {:.3g}"),
                                (run.numbers["signed_drift"], published.drift, "energy drift {:.3g} J, published {:.3g} J"),
                                (run.value, published.value, f"{row.measure.title:.40} {{:.4g}}, published {{:.4g}}")):
        allowed = numpy.nanmax([0.0, published.relative * abs(theirs), published.absolute])
        if not math.isnan(theirs) and allowed > 0 and not abs(ours - theirs) <= allowed:
            return words.format(ours, theirs)
    return ""


def judge(row: Row, run: Run) -> None:
    """Hold a run against the row's limits: its verdict, and why it does not pass."""
    published = row.published
    limited = not all(map(math.isnan, (row.energy_limit, row.error_limit, row.measure.within)))
    known = published.failed or not all(map(math.isnan, (published.error, published.drift, published.seconds, published.step_us, published.value)))
    row.reason = _explain(row, run)
    if run.stopped:
        row.verdict = "not run"
    elif row.reason or not run.completed:
        row.verdict = "fails as published" if published.failed else "fails (published: passes)" if known else "fails"
    elif published.failed:
        row.verdict = "passes (published: fails)"
    else:
        row.reason = _differs(row, run)
        row.verdict = "differs" if row.reason else "passes" if limited else "completed"
    if row.outside:
        row.reason = "; ".join(filter(None, [row.reason, row.outside.about]))


# ---- quantities ---------------------------------------------------------------------------------


def _per_step(row: Row, run: Run, seconds: float) -> float:
    return 1e6 * seconds / run.numbers["steps"] if row.done and run.numbers["steps"] > 0 else NAN


def _iterations(run: Run) -> float:
    return run.numbers["iterations"] / run.numbers["steps"] if run.numbers["steps"] else NAN


def _speedup(study: Study, row: Row, run: Run) -> float:
    """Against the same run with one thread."""
    def but_threads(each: Row) -> Any:
        return each.label, {**each.options, "threads": ""}, {**each.parameters, "threads": ""}

    alone = next((each.run for each in study.rows if each.done and each.setting("threads") == 1 and but_threads(each) == but_threads(row)), None)
    return alone.numbers["wall_s"] / run.numbers["wall_s"] if alone and row.done else NAN


def ratio(row: Row) -> float:
    """How many times faster than published."""
    if not row.run or not row.done:
        return NAN
    step, ours = row.published.step_us, row.run.numbers
    return float(row.published.seconds / ours["seconds"] if math.isnan(step) else step / ours["step_us"])


# What is more than a number of one run: title of an axis, head of a column, value of a row and its run in a study.
_QUANTITIES: dict[str, tuple[str, str, Callable[[Study, Row, Run], float]]] = {
    "wall_us": ("time per step [us]", "us/step", lambda s, r, x: _per_step(r, x, x.numbers["wall_s"])),
    "newton_us": ("time per step [us]", "Newton", lambda s, r, x: _per_step(r, x, x.correction_time)),
    "projection_us": ("time per step [us]", "proj.", lambda s, r, x: _per_step(r, x, x.projection_time)),
    "newton_share": ("share of the iterations in a step", "Newton/1", lambda s, r, x: _per_step(r, x, x.correction_time) / x.numbers["step_us"]),
    "projection_share": ("share of the projections in a step", "proj./1", lambda s, r, x: _per_step(r, x, x.projection_time) / x.numbers["step_us"]),
    "step_iterations": ("iterations per step", "its/step", lambda s, r, x: _iterations(x)),
    "body_us": ("time per body and iteration [us]", "us/b-it", lambda s, r, x: _per_step(r, x, x.correction_time) / ((x.bodies or NAN) * _iterations(x))),
    "real_time": ("computing time per simulated time", "s/s", lambda s, r, x: x.numbers["wall_s"] / x.span if r.done else NAN),
    "speedup": ("speed-up against one thread", "speed-up", _speedup),
    "efficiency": ("speed-up per thread", "effic.", lambda s, r, x: _speedup(s, r, x) / r.setting("threads")),
    "value": ("what the source measures", "ours", lambda s, r, x: x.value),
    "off": ("difference to the exact motion", "off by", lambda s, r, x: x.value - float(r.measure.right)),
    "faster": ("times faster than published", "faster", lambda s, r, x: ratio(r)),
    "spread": ("largest less least time of a run [s]", "spread", lambda s, r, x: float(r.outside.spread) if r.outside else NAN)}
_PUBLISHED = {"published_drift": ("published energy drift [J]", "publ.", "drift"), "published_value": ("what the source measured", "publ.", "value"),
              "published_seconds": ("published time of a run [s]", "publ.", "seconds")}
_IN_HISTORIES = {text(_abi.sar_quantity.from_address(library.sar_quantity_at(k)).name) for k in range(library.sar_quantities())}


def is_quantity(name: str) -> bool:
    """Of runs; names that histories have too are theirs."""
    return name not in _IN_HISTORIES and (name in _QUANTITIES or name in _PUBLISHED or name in NAMES)


def titles(name: str) -> tuple[str, str]:
    """For an axis and for a column; the name itself for an option or a parameter."""
    if name in NAMES:
        measure = MEASURES[NAMES.index(name)]
        return text(measure.text) + (f" [{text(measure.unit)}]" if measure.unit else ""), text(measure.head)
    axis, head, _ = _QUANTITIES.get(name) or _PUBLISHED.get(name) or (name, name, "")
    return axis, head


def digits(name: str) -> int:
    """How many of it a table shows."""
    return 4 if name in ("value", "published_value") else 3


def quantity(study: Study, row: Row, name: str) -> float:
    """NaN: not measured, or no such thing."""
    if name in _PUBLISHED:
        return float(getattr(row.published, _PUBLISHED[name][2]))
    if name in NAMES:
        counts = MEASURES[NAMES.index(name)].kind == _abi.SAR_KIND_COUNT
        return row.run.numbers[name] if row.run and (counts or row.done) else NAN
    if name in _QUANTITIES:
        return _QUANTITIES[name][2](study, row, row.run) if row.run else NAN
    return row.setting(name)


# ---- statements ---------------------------------------------------------------------------------


def _taken(x: Any, y: Any, how: str) -> float:
    """One number of a series y over x."""
    x, y = numpy.asarray(x)[numpy.isfinite(y)], numpy.asarray(y)[numpy.isfinite(y)]
    if not len(y):
        return NAN
    if how == "slope":  # of the logarithms of magnitudes
        with numpy.errstate(divide="ignore", invalid="ignore"):
            a, b = numpy.log(x), numpy.log(abs(y))
        spread = len(a) * sum(a * a) - sum(a) ** 2
        return float((len(a) * sum(a * b) - sum(a) * sum(b)) / spread) if spread > 1e-12 else NAN
    return float({"least": y.min(), "most": y.max(), "mean": sum(y) / len(y), "last": y[-1], "time of least": x[y.argmin()],
                  "time of most": x[y.argmax()]}[how])


def measured(measure: SimpleNamespace, history: Table | None) -> float:
    """What the row's own measure is for a history; NaN: none."""
    def of(name: str) -> float:
        column = history.column(name) if history and name else None
        return _taken(history.time, column, measure.take) if history and column is not None else NAN

    return of(measure.of) - (of(measure.minus) if measure.minus else 0.0)


def _concerned(study: Study, x: SimpleNamespace, label: str) -> list[Row]:
    rows = [row for row in study.wanted() if row.label == label and all(row.setting(name) == number(value) for name, value in x.where.items())]
    return rows if x.take != "slope" or math.isnan(x.from_) else [row for row in rows if row.setting(x.over) >= x.from_]


def _value(study: Study, x: SimpleNamespace, label: str) -> float:
    """Of a quantity of the runs, or all of a column of their histories."""
    series: list[tuple[float, float]] = []
    for row in (row for row in _concerned(study, x, label) if row.done):
        column = row.run.history.column(x.of) if row.run and row.run.history and not is_quantity(x.of) else None
        if is_quantity(x.of):
            series.append((row.setting(x.over), quantity(study, row, x.of)))
        elif row.run and row.run.history and column is not None:
            series += zip(row.run.history.time, column)
    return _taken([x for x, _ in series], [y for _, y in series], x.take)


def _finding(study: Study, x: SimpleNamespace, label: str) -> SimpleNamespace:
    rows = _concerned(study, x, label)
    value = _value(study, x, label)
    if x.against:
        value /= _value(study, x, x.against) or NAN
    limited = not math.isnan(x.at_least) or not math.isnan(x.at_most)
    outside = value < x.at_least or value > x.at_most
    if not any(row.done for row in rows):
        missing = any(row.verdict == "not available" for row in rows)
        verdict = "does not hold" if limited and any(row.run for row in rows) else "not available" if missing else "not run"
    elif math.isnan(value):
        verdict = "not run"
    elif not limited:
        verdict = "measured"
    elif math.isnan(x.published):
        verdict = "does not hold" if outside else "holds"
    else:
        verdict = "differs" if outside else "as published"
    return SimpleNamespace(text=x.text, of=x.of, published=x.published, label=label, value=value, verdict=verdict)


def findings(study: Study) -> list[SimpleNamespace]:
    """The statements of a study, for each label of wanted rows that they are about: text, of, published, label, value, verdict."""
    labels = dict.fromkeys(row.label for row in study.rows)
    return [_finding(study, x, label) for x in study.statements for label in labels if x.label in ("", label) and _concerned(study, x, label)]


# ---- the cost model -----------------------------------------------------------------------------


class Cost:
    """The numbers of (1) [us], fitted to times (n, p, us)."""

    def __init__(self, x: Any, points: list[tuple[float, float, float]], threaded: bool) -> None:
        self.fixed, self.alone, self.shared, self.meet = map(float, x)
        self.threaded = threaded  #: some point has several threads; else `shared` is all work, `meet` unknown
        self.points = len(points)
        self.worst = max(abs(self.us(n, p) / us - 1) for n, p, us in points)  #: largest relative distance of a point from the model

    def us(self, n: float, p: float) -> float:
        """Time of a step of n bodies on p threads."""
        return self.fixed + self.alone * n + self.shared * n / p + self.meet * math.log2(p)

    def speedup(self, n: float, p: float) -> float:
        """Time on one thread by that on p."""
        return self.us(n, 1) / self.us(n, p)

    @property
    def predicts(self) -> bool:
        """Whether it is good enough, and knows enough, to say something about other machines."""
        return self.threaded and self.worst < 0.2


def fit(points: list[tuple[float, float, float]]) -> Cost | None:
    """Of (n, p, us); None: too few points, two numbers of bodies are needed."""
    threaded, x = any(p > 1 for _, p, _ in points), numpy.zeros(4)
    rows = numpy.array([[1 / us, n / us, n / p / us, math.log2(p) / us] for n, p, us in points]).reshape(-1, 4)
    used = [0, 1, 2, 3] if threaded else [0, 2]
    while used:
        scale = numpy.linalg.norm(rows[:, used], axis=0)
        if not scale.all() or numpy.linalg.matrix_rank(rows[:, used] / scale, 1e-6) < len(used):
            return None
        x = numpy.zeros(4)
        x[used] = numpy.linalg.lstsq(rows[:, used] / scale, numpy.ones(len(points)), rcond=None)[0] / scale
        if (x >= 0).all():
            break
        used.remove(next(k for k in used if x[k] < 0))
    return Cost(x, points, threaded)


def cost(study: Study) -> Cost | None:
    """The cost model of the rows that the study names; None: not wanted, or too few runs."""
    rows = [row for row in study.rows if row.run and study.fit and row.label == study.fit and quantity(study, row, "wall_us") > 0]
    return fit([(row.run.bodies if row.run else 0, max(1.0, row.setting("threads")), quantity(study, row, "wall_us")) for row in rows])
