"""One row's run: in this process, by the library's trial of a model with a method, which times the steps alone."""
from __future__ import annotations

import ctypes
import math
import os
import pathlib
import re
import signal
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Callable

import numpy
from numpy.typing import NDArray

from .. import _abi
from .._library import library, text
from ..errors import ModelError
from ..model import Compiled
from .document import StudyError, folders
from .studies import NAN, Row, Study, problem_file

Array = NDArray[numpy.float64]
LONG_ENOUGH, MOST_RUNS = 0.2, 20  # [s] of steps for a fair time
MEASURES = [library.sar_measure_at(k) for k in range(_abi.SAR_MEASURES)]  #: numbers of a whole run
NAMES = [text(measure.name) for measure in MEASURES]
_WATCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_double, ctypes.c_long)
_SAMPLED = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
interrupted = False  #: by Ctrl-C: what is done is kept


class NotAvailable(Exception):
    """This build or machine has not what the row wants."""


def catch_signals() -> None:
    """The first Ctrl-C ends the runs, the second one the program."""
    def note(_number: int, _frame: Any) -> None:
        global interrupted
        if interrupted:
            os._exit(130)
        interrupted = True

    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, note)


def processor() -> str:
    """Name of the processor and number of its cores."""
    try:
        found = re.search(r"^model name\s*:\s*(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        found = None
    return f"{found[1] if found else 'unknown processor'}, {os.cpu_count()} core{'s' * (os.cpu_count() != 1)}"


class Table:
    """A result of the library: time and named columns."""

    def __init__(self, handle: int | None) -> None:
        self.handle, self.rows = handle, library.sar_result_rows(handle)
        self.time = self._array(library.sar_result_time(handle))

    def __del__(self) -> None:
        library.sar_result_destroy(self.handle)

    @classmethod
    def read(cls, path: pathlib.Path) -> Table:
        """A result file."""
        handle, error = ctypes.c_void_p(), _abi.sar_error()
        if library.sar_result_read(os.fsencode(path), ctypes.byref(handle), ctypes.byref(error)) != _abi.SAR_OK:
            raise StudyError(text(error.message))
        return cls(handle.value)

    def _array(self, address: int) -> Array:
        return numpy.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctypes.c_double)), (self.rows,)).copy() if self.rows else numpy.zeros(0)

    def column(self, name: str) -> Array | None:
        """The numbers of a column; None: there is none."""
        k = library.sar_result_find(self.handle, name.encode())
        return self._array(library.sar_result_column(self.handle, k)) if k >= 0 else None


@dataclass
class Run:
    """What a row came to."""

    status: int
    failure: str
    numbers: dict[str, float]  #: by NAMES
    runs: int = 1  #: whose least is the time
    wall: float = 0.0  #: of all of them [s]
    stopped: bool = False
    branch_changed: float = NAN  #: [s]
    correction_time: float = NAN  #: of all steps [s], where the method has `profile`
    projection_time: float = NAN
    bodies: int = 0
    span: float = NAN  #: end less start [s]
    value: float = NAN  #: of the row's own measure
    history: Table | None = None
    reference: Table | None = None
    sketches: list[tuple[float, Array]] = field(default_factory=list)  #: times, and the mechanism as lines

    @property
    def completed(self) -> bool:
        """Whether it reached its end."""
        return bool(self.status == _abi.SAR_OK)


# ---- one run ------------------------------------------------------------------------------------


def model_file(name: str) -> str:
    """Path of the model that a row names: a file, a problem or an example."""
    paths = [pathlib.Path(name), pathlib.Path(name, "model.yaml"), problem_file(name, "model.yaml")]
    paths += [folder / f"{name}{ending}" for folder in folders("examples/models") for ending in (".yaml", "/model.yaml")]
    found = next((path for path in paths if path and path.is_file()), None)
    if found is None:
        raise StudyError(f"no model file or problem '{name}'")
    return str(found)


def _set_options(options: Any, given: dict[str, str]) -> None:
    """Put a row's method over `options`; a preset brings options of its own: the others come after it."""
    axes, error = ["preset", *(text(library.sar_axis_name(k)) for k in range(_abi.SAR_AXES))], _abi.sar_error()
    for name in (name for name in given if name in axes):
        if library.sar_options_set(ctypes.byref(options), name.encode(), given[name].encode(), None) != _abi.SAR_OK:
            raise NotAvailable(f'no {name} "{given[name]}"')
    if library.sar_methods_conflict(options.coordinates, options.formulation, options.integrator, options.solver):
        raise NotAvailable(f"no {text(options.formulation)} with {text(options.integrator)}")
    for name in (name for name in given if name not in axes):
        if library.sar_options_set(ctypes.byref(options), name.encode(), given[name].encode(), ctypes.byref(error)) != _abi.SAR_OK:
            raise StudyError(text(error.message))


def comparison(metric: SimpleNamespace, linear: bool) -> Any:
    """What eps_T is made of, for the library."""
    names, count = (ctypes.c_char_p * (len(metric.columns) + 1))(*(name.encode() for name in metric.columns)), len(metric.columns)
    weights = (ctypes.c_double * (count + 1))(*metric.weights)
    found = _abi.sar_comparison_def(names=ctypes.addressof(names) if count else None, weights=ctypes.addressof(weights), count=count,
                                    relative=metric.relative, linear=linear)
    found.kept = names, weights
    return found


class Task:
    """A model, a method, a reference and a metric, ready to run any number of times."""

    def __init__(self, model: Compiled, options: Any, reference: Table | None, metric: Any, seconds: float = 0.0) -> None:
        self.model, self.options, self.reference, self.metric, self.seconds = model, options, reference, metric, seconds

    @classmethod
    def of(cls, row: Row, study: Study, given: dict[str, str] | None = None) -> Task:
        """Of a row, or of other options than the row's."""
        try:
            model = Compiled(None, model_file(row.problem), row.parameters, {})
        except ModelError as error:
            raise StudyError(str(error)) from None
        options = library.sar_options_default()
        for name in ("start", "end", "equilibrium"):  # of the model's own method only these count
            setattr(options, name, getattr(model.options, name))
        _set_options(options, row.options if given is None else given)
        if options.threads > (os.cpu_count() or 1):
            raise NotAvailable(f"{os.cpu_count()} cores here")
        path = problem_file(row.problem, row.reference)
        reference = Table.read(path) if path else None
        if study.linear:
            options.sample = 0.0  # the steps themselves
        elif not math.isnan(row.metric.sample):
            options.sample = row.metric.sample
        elif reference and reference.rows > 1:
            options.sample = reference.time[1] - reference.time[0]
        else:
            options.sample = 1e-3 * (options.end - options.start)
        return cls(model, options, reference, comparison(row.metric, study.linear), 0.0 if math.isnan(row.time_limit) else row.time_limit)

    def run(self, watch: Callable[[], bool], columns: list[str] | None = None, certify: float = 0.0, sampled: Any = None) -> Run:
        """Run while `watch` agrees. With a list of more `columns` the history is kept and compared with the reference; without, for the time alone."""
        extra = [name.encode() for name in columns or [] if name not in self.model.names("outputs")]
        names, keeps = (ctypes.c_char_p * (len(extra) + 1))(*extra), columns is not None
        calls = _WATCH(lambda *_: watch()), _SAMPLED(lambda _, s: sampled(s))
        trial, history, error = _abi.sar_trial(), ctypes.c_void_p(), _abi.sar_error()
        definition = _abi.sar_trial_def(
            model=self.model.handle, options=self.options, metric=ctypes.addressof(self.metric) if self.metric.count else None, certify=certify,
            max_seconds=self.seconds, reference=self.reference.handle if self.reference and keeps else None, extra=ctypes.addressof(names),
            extra_count=len(extra), watch=ctypes.cast(calls[0], ctypes.c_void_p), sampled=ctypes.cast(calls[1], ctypes.c_void_p) if sampled else None)
        if library.sar_trial_run(ctypes.byref(definition), ctypes.byref(trial), ctypes.byref(history) if keeps else None, ctypes.byref(error)) != _abi.SAR_OK:
            raise StudyError(text(error.message))
        z, profile = trial.statistics, bool(self.options.profile)
        return Run(trial.status, text(trial.failure), {name: library.sar_measure_get(k, ctypes.byref(trial)) for k, name in enumerate(NAMES)},
                   wall=trial.wall, stopped=bool(trial.stopped), branch_changed=trial.branch_changed, correction_time=z.correction_time if profile else NAN,
                   projection_time=z.projection_time if profile else NAN, bodies=len(self.model.names("bodies")) - 1,
                   span=self.options.end - self.options.start, history=Table(history.value) if history else None, reference=self.reference)


class _Sketch:
    """The mechanism as lines at some times: every joint tied to the centres of its two bodies."""

    def __init__(self, model: Compiled, interval: float) -> None:
        self.interval, self.lines = interval, []
        self.drawn: list[tuple[float, Array]] = []
        for joint in range(library.sar_model_joints(model.handle)):
            a, b = _abi.sar_end(), _abi.sar_end()
            if library.sar_model_joint_ends(model.handle, joint, ctypes.byref(a), ctypes.byref(b)):
                self.lines.append([(a.body, self._centre(model, a)), (a.body, a.point), (b.body, self._centre(model, b))])

    @staticmethod
    def _centre(model: Compiled, end: Any) -> Any:
        """Of a body; of the ground, the joint itself."""
        centre = (ctypes.c_double * 3)(*end.point)
        if end.body.i:
            library.sar_model_find_point(model.handle, end.body, b"center", 6, centre)
        return centre

    def take(self, s: int) -> None:
        """Draw the present position if it is time."""
        t = library.sar_simulation_time(s)
        if self.drawn and t < self.drawn[0][0] + self.interval * (len(self.drawn) - 1e-6):
            return
        points, p, q = [], (ctypes.c_double * 3)(), (ctypes.c_double * 4)()
        for line in self.lines:
            for body, (x, y, z) in line:
                library.sar_simulation_pose(s, body, p, q)
                w, i, j, k = q
                points.append((p[0] + (1 - 2 * (j * j + k * k)) * x + 2 * (i * j - w * k) * y + 2 * (i * k + w * j) * z,
                               p[1] + 2 * (i * j + w * k) * x + (1 - 2 * (i * i + k * k)) * y + 2 * (j * k - w * i) * z))
            points.append((NAN, NAN))
        self.drawn.append((t, numpy.array(points)))


# ---- a row --------------------------------------------------------------------------------------


def _go_on() -> bool:
    return not interrupted


def _repeat(task: Task, best: Run) -> float:
    """Run again for the time: what disturbs a run only adds to it, so that the least counts. Returns CPU time [s]."""
    again = task.run(_go_on)
    if again.completed:
        best.runs, best.wall = best.runs + 1, best.wall + again.wall
        best.numbers["wall_s"] = min(best.numbers["wall_s"], again.numbers["wall_s"])
        if again.numbers["seconds"] < best.numbers["seconds"]:
            best.numbers.update({name: again.numbers[name] for name in ("seconds", "step_us")})
            best.correction_time, best.projection_time = again.correction_time, again.projection_time
    return again.numbers["seconds"]


def _take_mean(run: Run) -> None:
    """The mean time on the clock in the place of the least CPU time."""
    mean = run.wall / run.runs
    run.numbers["step_us"] *= mean / run.numbers["seconds"] if run.numbers["seconds"] > 0 else 1.0
    run.numbers["seconds"] = run.numbers["wall_s"] = mean


def _outside(row: Row, outside: SimpleNamespace) -> Run:
    """Results of another code, held against the reference like a run of ours."""
    path = problem_file(row.problem, row.reference)
    history, reference = Table.read(outside.file), Table.read(path) if path else None
    run = Run(_abi.SAR_R_NO_CONV if outside.failure else _abi.SAR_OK, outside.failure, dict.fromkeys(NAMES, 0.0), len(outside.times), history=history,
              reference=reference)
    run.numbers.update(dict.fromkeys(("estimate", "trusted", "total_error", "max_error", "step_us"), NAN), seconds=outside.mean, wall_s=outside.mean,
                       reached=float(history.time[-1]) if history.rows else 0.0)
    if reference and run.completed:
        found, error, metric = _abi.sar_comparison(), _abi.sar_error(), comparison(row.metric, False)
        if library.sar_result_compare(history.handle, reference.handle, ctypes.byref(metric), ctypes.byref(found), None, ctypes.byref(error)) != _abi.SAR_OK:
            raise StudyError(text(error.message))
        run.numbers.update(total_error=found.total, max_error=found.max_error)
    return run


def run_row(row: Row, study: Study, columns: list[str], repeat: int, certify: float) -> None:
    """Run a row; if it has been run already, for its time."""
    if row.outside:
        row.run = row.run or _outside(row, row.outside)
        return
    if row.verdict == "not available" or (row.run and not row.run.completed):
        return  # in an earlier round, and another would not change it
    task = Task.of(row, study)
    if row.run:
        _repeat(task, row.run)
        return
    sketch = next((_Sketch(task.model, plot.snapshots) for plot in study.plots if plot.snapshots > 0), None)
    row.run = task.run(_go_on, columns, certify, sketch and sketch.take)
    row.run.sketches, spent = sketch.drawn if sketch else [], row.run.numbers["seconds"]
    repeat = 1 if study.rounds else repeat or study.mean_of
    while row.run.completed and _go_on() and (row.run.runs < repeat if repeat else spent <= LONG_ENOUGH and row.run.runs < MOST_RUNS):
        spent += _repeat(task, row.run)
    if study.mean_of and not study.rounds and row.run.completed:
        _take_mean(row.run)
