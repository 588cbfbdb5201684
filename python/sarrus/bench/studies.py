"""Studies: rows to run, what they are judged by and what was published for them.

A study file has rows of its own, or names problems and the table of a source, whose rows are in the problems' published.json:

    {"label": "ALi3p", "source": "ruggiu2023", "table": "4", "precision": "low",
     "method": {"preset": "ALi3p", "step": 0.0035, "alpha": 1e12}, "wall_s": 3.13, "total_error": 0.00167}

`method` holds options by their names, `parameters` those of the model. Lists in them make several rows: the k-th takes the k-th value of each list.
Rows may share a method, which the file names once in `methods`, as in {"use": "mAL-ode4", "step": 1e-3}. In the place of `method` a row may have `results`
of another code, which are judged alike.
"""
from __future__ import annotations

import math
import pathlib
import re
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from .document import Map, StudyError, folders, nearest, number, read

if TYPE_CHECKING:
    from .runs import Run

NAN = math.nan
TAKEN = ("least", "most", "mean", "last", "time of least", "time of most", "slope")  # one number of a history, or of several runs
STUDY = ("study name group title source table metric measure problems plots rows remarks columns rounds statements fit methods spread timing interpolation "
         "ranges")
ROW = ("label problem source table figure section text method results precision status equations parameters choice failure remark reference "
       "max_energy_drift energy_drift wall_s total_error per_step_us max_total_error value ranges")


@dataclass
class Row:
    """One run of a study. Numbers that are not given are NaN, texts ""."""

    number: int
    problem: str
    label: str  #: what the source calls the method
    source: str
    table: str
    inherited: dict[str, str]  #: options from a method that the file names
    own: dict[str, str]  #: options of the row itself
    parameters: dict[str, str]  #: of the model
    ranges: dict[str, tuple[float, float]]  #: for tuning
    reference: str
    energy_limit: float  #: largest energy drift that passes [J]
    error_limit: float  #: largest eps_T that passes
    time_limit: float  #: [s]
    metric: SimpleNamespace  #: columns, weights, sample, relative
    measure: SimpleNamespace  #: a number of the history that the source measures by: title, take, of, minus, right, within
    published: SimpleNamespace  #: failed, failure, error, drift, seconds, step_us, value, machine; relative, absolute: how far they are from each other
    outside: SimpleNamespace | None  #: results of another code: file, about, failure, times, mean, spread
    choice: str  #: which parameters are not the source's, and why
    remark: str
    wanted: bool = True
    tuned: str = ""  #: what a search did
    run: Run | None = None
    verdict: str = "not run"
    reason: str = ""

    @property
    def options(self) -> dict[str, str]:
        """All options, those of the named method first."""
        return {**{name: value for name, value in self.inherited.items() if name not in self.own}, **self.own}

    def setting(self, name: str) -> float:
        """The number that an option or a parameter has; NaN: none."""
        return number(self.options.get(name, self.parameters.get(name)))

    @property
    def done(self) -> bool:
        """Whether it was run to its end."""
        return self.run is not None and self.run.completed


@dataclass
class Study:
    """The head of a study, and its rows."""

    name: str
    title: str
    group: str = ""
    source: str = ""
    table: str = ""
    fit: str = ""  #: label of the rows that the cost model is fitted to
    problems: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)  #: quantities that the table shows
    plots: list[SimpleNamespace] = field(default_factory=list)
    statements: list[SimpleNamespace] = field(default_factory=list)
    relative: float = NAN
    absolute: float = NAN
    rounds: int = 0  #: all rows in turn, so that a disturbance hits all alike
    mean_of: int = 0  #: times are the mean wall time of that number of runs; 0: the least CPU time
    linear: bool = False  #: straight lines between steps
    rows: list[Row] = field(default_factory=list)
    others: int = 0  #: published results without a run
    certified: bool = False
    tuned: bool = False

    def wanted(self) -> list[Row]:
        """The rows that were not filtered out."""
        return [row for row in self.rows if row.wanted]


# ---- the head -----------------------------------------------------------------------------------


def _check_taken(entry: Map, word: str) -> None:
    if word not in TAKEN:
        raise entry.wrong(f"a statement cannot take '{word}'{nearest(word, TAKEN)}")


def _plot(entry: Map) -> SimpleNamespace:
    plot = entry.read("a plot", "title x y by scale orbit", "from until most snapshots")
    if plot.snapshots <= 0:
        raise entry.wrong("'snapshots' must be an interval > 0")
    if not plot.y and math.isnan(plot.snapshots):
        raise entry.wrong("a plot needs a 'y'")
    if plot.scale not in ("", "linear", "log"):
        raise entry.wrong("'scale' is linear or log")
    plot.x, plot.by, plot.logarithmic = plot.x or "t", plot.by or "label", plot.scale == "log"
    return plot


def _statement(entry: Map) -> SimpleNamespace:
    x = entry.read("a statement", "text take of over label against", "from published within at_least at_most", "where")
    _check_taken(entry, x.take)
    x.where = _settings(entry.map("where"), 0)
    if not math.isnan(x.within):
        x.at_least, x.at_most = x.published - x.within, x.published + x.within
        if math.isnan(x.published):
            raise entry.wrong("'within' needs 'published'")
    if not x.text or not x.of or (x.take == "slope" and not x.over):
        raise entry.wrong("a statement needs 'text' and 'of', a slope 'over' as well")
    return x


def _head(root: Map) -> Study:
    root.check("a study", STUDY)
    spread, rounds = root.map("spread").read("a spread", "", "relative absolute"), root.number("rounds")
    mean = re.fullmatch(r"mean of ([1-9]\d*) wall", root.text("timing"))
    for good, message in ((root.text("study") == "1", "a study begins with 'study: 1', the version of the format"), (root.text("name"), "the study has no name"),
                          ("spread" not in root or spread.relative > 0 or spread.absolute > 0, "'spread' needs 'relative' or 'absolute', a number > 0"),
                          (mean or "timing" not in root, "'timing' is 'mean of N wall'"),
                          (root.text("interpolation", "linear") == "linear", "'interpolation' is 'linear'")):
        if not good:
            raise root.wrong(message)
    texts: dict[str, Any] = {key: root.text(key) for key in ("name", "title", "group", "source", "table", "fit")}
    return Study(**texts, problems=root.list("problems", "names"), columns=root.list("columns", "names"),
                 plots=[_plot(Map(values, root.where, "a plot")) for values in root.list("plots")],
                 statements=[_statement(Map(values, root.where, "a statement")) for values in root.list("statements")], relative=spread.relative,
                 absolute=spread.absolute, rounds=int(rounds) if 1 <= rounds <= 1000 else 0, mean_of=int(mean[1]) if mean else 0,
                 linear="interpolation" in root)


# ---- rows ---------------------------------------------------------------------------------------


def _settings(values: Map, k: int) -> dict[str, str]:
    """Names and texts; a list gives its k-th."""
    found = {name: value[k] if isinstance(value, list) and k < len(value) else value for name, value in values.values.items()}
    for name, value in found.items():
        if not isinstance(value, str):
            raise values.wrong(f"'{name}': expected a word or a number")
    return found


def _measure(root: Map) -> SimpleNamespace:
    entry = root.map("measure")
    measure = entry.read("a measure", "title take of minus", "right within")
    if "measure" in root:
        _check_taken(entry, measure.take)
        if not measure.of or measure.take == "slope":
            raise entry.wrong("a measure needs 'of', a column, and takes no slope")
        if not math.isnan(measure.within) and math.isnan(measure.right):
            raise entry.wrong("'within' needs 'right'")
    return measure


def _outside(entry: Map, path: pathlib.Path) -> SimpleNamespace | None:
    results = entry.map("results")
    if "results" not in entry:
        return None
    times = results.values.pop("seconds", [])
    x = results.read("results", "file code version machine author failure")
    x.times = [number(text) for text in (times if isinstance(times, list) else [times])]
    if not all(time > 0 for time in x.times):
        raise entry.wrong("'seconds' is a positive number, or a list of them")
    if not x.file or not x.code:
        raise entry.wrong("results of another code need 'file' and 'code'")
    x.mean, x.spread = (sum(x.times) / len(x.times), max(x.times) - min(x.times)) if x.times else (NAN, NAN)
    words = [f"{x.code} {x.version}".strip(), x.machine and f"on {x.machine}", x.author and f"by {x.author}"]
    x.about = ", ".join(filter(None, words)) + (f"; mean of {len(x.times)} times, spread {x.spread:.3g} s" if len(x.times) > 1 else "")
    x.file = path.parent / x.file
    return x


def _ranges(root: Map, entry: Map, said: dict[str, str], own: dict[str, str]) -> dict[str, tuple[float, float]]:
    """Where options may be tuned: the row's own ranges, then those of the file that are about it."""
    given = list(entry.map("ranges").values.items())
    found: dict[str, tuple[float, float]] = {}
    for values in root.list("ranges"):
        about = Map(values, root.where, "a member of 'ranges'")
        if all(said.get(key) == about.values[key] for key in ("source", "label", "preset", "formulation", "integrator", "coordinates") if key in about):
            given += [(name, ends) for name, ends in about.values.items() if isinstance(ends, list) and name in own]
    for name, ends in given:
        low, high = map(number, ends) if isinstance(ends, list) and len(ends) == 2 else (NAN, NAN)
        if not low < high:
            raise entry.wrong("a range is two numbers, [LOW, HIGH], the first below the second")
        found.setdefault(name, (low, high))
    return found


def _published(study: Study, root: Map, entry: Map, source: str) -> SimpleNamespace:
    status = entry.text("status", "completed")
    failed, machine = status != "completed", root.map("sources").map(source).text("machine")
    return SimpleNamespace(failed=failed, failure=entry.text("failure", status if failed else ""), error=entry.number("total_error"),
                           drift=entry.number("energy_drift"), seconds=entry.number("wall_s"), step_us=entry.number("per_step_us"),
                           value=entry.number("value"), machine=machine, relative=study.relative, absolute=study.absolute)


def _remark(root: Map, entry: Map, what: str) -> str:
    key, remarks = entry.text(what), root.map("remarks")
    if key and key not in remarks:
        raise entry.wrong(f"there is no remark '{key}' in 'remarks'")
    return remarks.text(key)


def _row(study: Study, root: Map, entry: Map, path: pathlib.Path, k: int) -> Row:
    problem = entry.text("problem", root.text("problem", study.problems[0] if len(study.problems) == 1 else ""))
    label, source, metric, methods = entry.text("label"), entry.text("source", study.source), root.map("metric"), root.map("methods")
    own, precision, error_limit = _settings(entry.map("method"), k), entry.text("precision"), entry.number("max_total_error")
    use = own.pop("use", "")
    for good, message in ((label and problem, "a row needs a label and a problem"), (not use or use in methods, f"'methods' of this file has no method '{use}'"),
                          (not precision or "metric" in root, "'precision' needs the file's 'metric', which says what it means"),
                          (not precision or f"{precision}_precision" in metric, f"the metric has no '{precision}_precision'")):
        if not good:
            raise entry.wrong(message)
    inherited, columns = _settings(methods.map(use), 0), metric.list("variables", "names")
    weights = [*(number(x) for x in metric.list("weights", "numbers")), *[1.0] * len(columns)][:len(columns)]
    relative = metric.number("relative")
    said = {"source": source, "label": label, **inherited, **own}
    return Row(len(study.rows) + 1, problem, label, source, entry.text("table"), inherited, own, _settings(entry.map("parameters"), k),
               _ranges(root, entry, said, own), entry.text("reference", "" if "parameters" in entry else "reference.csv"), entry.number("max_energy_drift"),
               metric.number(f"{precision}_precision") if precision else error_limit, metric.number("time_limit_s") if precision else NAN,
               SimpleNamespace(columns=columns, weights=weights, sample=metric.number("sample"), relative=0.0 if math.isnan(relative) else relative),
               _measure(root), _published(study, root, entry, source), _outside(entry, path), _remark(root, entry, "choice"), _remark(root, entry, "remark"))


def _add(study: Study, root: Map, entry: Map, path: pathlib.Path) -> None:
    """The rows that one entry means."""
    lengths = {len(value) for key in ("method", "parameters") for value in entry.map(key).values.values() if isinstance(value, list)}
    if "method" not in entry and "results" not in entry:
        study.others += 1
        return
    if "method" in entry and "results" in entry:
        raise entry.wrong("a row has a 'method' to run or 'results' of another code, not both")
    if len(lengths) > 1 or 0 in lengths:
        raise entry.wrong("the lists of a row must be of one length")
    for k in range(max(lengths, default=1)):
        study.rows.append(_row(study, root, entry, path, k))


def _add_published(study: Study, problem: str, source: str | None = None, table: str | None = None) -> None:
    path = problem_file(problem, "published.json")
    if path is None:
        raise StudyError(f"the problem '{problem}' has no published.json")
    root = Map(read(path), str(path), "the file")
    for k, values in enumerate(root.list("results"), 1):
        entry = Map(values, f"{path}: result {k}", "a row")
        if source in (None, entry.text("source")) and table in (None, entry.text("table")):
            _add(study, root, entry, path)


# ---- which there are ----------------------------------------------------------------------------


def problem_file(problem: str, name: str) -> pathlib.Path | None:
    """A file of a problem; None: there is none."""
    return next((folder / problem / name for folder in folders("problems") if name and (folder / problem / name).is_file()), None)


def _order(name: str) -> list[Any]:
    """By letters, and by value where there are digits: table-9 before table-10."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.findall(r"\d+|\D", name)]


def study_names() -> list[str]:
    """All studies that are found."""
    return sorted({path.stem for folder in folders("studies") for path in folder.glob("*.yaml")}, key=_order)


def problem_names() -> list[str]:
    """All problems that are found."""
    return sorted({path.parent.name for folder in folders("problems") for path in folder.glob("*/model.yaml")}, key=_order)


def study(name: str, rows: bool = True) -> Study:
    """Read a study by its name or its file; its head alone without `rows`."""
    path = pathlib.Path(name)
    if path.suffix not in (".yaml", ".json"):
        path = next((folder / f"{name}.yaml" for folder in folders("studies") if (folder / f"{name}.yaml").is_file()), path)
    root = Map(read(path), str(path), "the file")
    found = _head(root)
    for k, values in enumerate(root.list("rows") if rows else [], 1):
        entry = Map(values, f"{path}: row {k}", "a row")
        entry.check("a row", ROW)
        _add(found, root, entry, path)
    for problem in found.problems if found.table and rows else []:
        _add_published(found, problem, found.source, found.table)
    return found


def find(name: str) -> list[Study]:
    """What a name means: one study, all of a group, or a problem's published rows."""
    names, problems = study_names(), problem_names()
    if name.endswith((".yaml", ".json")) or name in names:
        return [study(name)]
    if name in problems:
        found = Study(name, f"all published results of the problem {name}")
        _add_published(found, name)
        return [found]
    group = [study(each) for each in names if study(each, rows=False).group == name]
    if not group:
        raise StudyError(f"no study and no problem '{name}'{nearest(name, names + problems)}\n'sarrus.bench' without a name lists what there is.", usage=True)
    return group


# ---- a part of the rows -------------------------------------------------------------------------


def _matches(row: Row, word: str) -> bool:
    numbers = re.fullmatch(r"(\d+)(?:-(\d+))?", word)
    if numbers:
        return int(numbers[1]) <= row.number <= int(numbers[2] or numbers[1])
    return any(word.lower() in text.lower() for text in [row.label, *(value for value in row.own.values() if value[:1].isalpha())])


def keep(studies: list[Study], words: str) -> None:
    """Want the rows that `words` name: "1,3-5,al3"."""
    for row in (row for each in studies for row in each.rows):
        row.wanted = any(_matches(row, word) for word in words.split(",") if word)
    if not any(each.wanted() for each in studies):
        raise StudyError(f"--rows {words}: no row matches", usage=True)


def copies(study: Study, limits: list[float], energy: bool) -> None:
    """Wanted rows for every limit, in the order of the limits. What was published is for the published limit, and another setting may differ."""
    rows: list[Row] = []
    for limit, row in ((limit, row) for limit in limits or [NAN] for row in study.wanted()):
        published = SimpleNamespace(**{**vars(row.published), "relative": NAN, "absolute": NAN})
        if not math.isnan(limit):
            published.__dict__.update(failed=False, **dict.fromkeys(("error", "drift", "seconds", "step_us", "value"), NAN))
            row = replace(row, energy_limit=limit if energy else NAN, error_limit=NAN if energy else limit)
        rows.append(replace(row, number=len(rows) + 1, published=published, own=dict(row.own)))
    study.rows, study.tuned = rows, True
