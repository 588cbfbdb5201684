"""The cheapest setting of a row's method that keeps the row's limit, as the tables of the papers were made.

The numbers that the row sets itself vary; all else is the row's. What is found takes the place of the row's own, and the row runs like any other. The search is
that of `sarrus tune` (sar_tune); its settings are tried in several processes, and a journal knows them after an interruption.
"""
from __future__ import annotations

import ctypes
import hashlib
import json
import math
import multiprocessing
import os
import pathlib
import sys
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from .. import _abi, _library
from .._library import library, text
from . import runs
from .document import StudyError, number
from .runs import NotAvailable, Task
from .studies import NAN, Row, Study, copies
from .tables import by_energy, parameters

DRIVER_FACTOR, OTHER_FACTOR = 30.0, 100.0  #: ranges where the study names none: of the step or a tolerance, and of others
_EVALUATE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(_abi.sar_tune_outcome))
_LEAST = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.POINTER(ctypes.c_double))
_KINDS = dict(_abi.sar_options._fields_)
_fork = multiprocessing.get_context("fork")
_stop: Any = None  # tells the workers to stop
_task: tuple[Row, Study]  # that they try settings of: both are set before they are forked


def prepare(studies: list[Study], words: str) -> None:
    """Make rows for every limit of "1e-3,1e-4", or with their own, and refuse those without any."""
    limits = [number(word) for word in words.split(",")] if words else []
    if not all(limit > 0 for limit in limits):
        raise StudyError(f"--tune={words}: expected positive numbers, as in 1e-3,1e-4", usage=True)
    for study in studies:
        copies(study, limits, by_energy(study))
        for row in (row for row in study.rows if not row.outside):
            if not math.isnan(row.error_limit) and not row.reference:
                raise StudyError(f"row {row.number}, {row.label}: there is no reference to measure eps_T against", usage=True)
            if math.isnan(row.error_limit) and math.isnan(row.energy_limit):
                raise StudyError(f"row {row.number}, {row.label}: it has no limit of eps_T or of the energy drift; give one with --tune=LIMIT", usage=True)


class Journal:
    """Outcomes of settings, in a file beside the table: an interrupted search goes on from there."""

    def __init__(self, table: pathlib.Path | None, restart: bool) -> None:
        self.path = table.with_name(table.name + ".journal") if table else None
        self.known: dict[str, dict[str, float]] = {}
        if not self.path:
            print("sarrus.bench: warning: without --csv FILE an interrupted tuning begins anew", file=sys.stderr)
        elif self.path.exists() and not restart:
            for key, _, outcome in (line.partition(" ") for line in self.path.read_text(encoding="utf-8").splitlines()):
                try:
                    self.known[key] = json.loads(outcome)
                except ValueError:  # the program ended in the middle of this line
                    continue
        if self.path:
            self.path.write_text("".join(f"{key} {json.dumps(outcome)}\n" for key, outcome in self.known.items()), encoding="utf-8")

    def add(self, key: str, outcome: dict[str, float]) -> None:
        """Keep it."""
        self.known[key] = outcome
        if self.path:
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(f"{key} {json.dumps(outcome)}\n")


def _variables(row: Row) -> dict[str, tuple[float, float]]:
    """The options that vary, and their ranges."""
    found = {name.replace("-", "_"): ends for name, ends in row.ranges.items()}
    for name in found:
        if name not in _KINDS:
            raise StudyError(f"ranges: '{name}' is not an option of a method")
    for name, value in ((name, number(value)) for name, value in row.own.items()):
        if name not in found and name not in ("start", "end", "sample") and _KINDS.get(name) is ctypes.c_double and value > 0:
            factor = DRIVER_FACTOR if name == "step" or name.endswith("tolerance") else OTHER_FACTOR
            found[name] = (value / factor, value * factor)
    return dict(list(found.items())[:_abi.SAR_TUNE_MOST])


def _try(setting: dict[str, str]) -> dict[str, float]:
    """Run one setting, in a worker; without numbers if the method refuses it."""
    row, study = _task
    try:
        task = Task.of(row, study, {**row.options, **setting})
    except (NotAvailable, StudyError):
        return {}
    task.options.threads = task.options.threads or 1  # runs share the cores
    run = task.run(lambda: not _stop.value, columns=[])
    return {"completed": float(run.completed), "stopped": float(run.stopped), **run.numbers}


class _Search:
    """Of one row."""

    def __init__(self, row: Row, study: Study, journal: Journal) -> None:
        self.row, self.journal, self.variables = row, journal, _variables(row)
        self.names = list(self.variables)
        drivers = [name for name in self.names if name == "step"] + [name for name in self.names if name.endswith("tolerance")]
        self.driver = self.names.index(drivers[0]) if drivers else -1  # the larger, the cheaper
        self.span = (task := Task.of(row, study)).options.end - task.options.start  # refused here, if at all
        self.measure = "energy.max_drift" if math.isnan(row.error_limit) else "total_error"
        self.nearest: tuple[float, dict[str, str]] = (math.inf, {})
        self.failure: BaseException | None = None
        self.identity = json.dumps([os.stat(_library.path).st_mtime_ns, row.problem, row.parameters, row.options, row.reference, vars(row.metric), study.linear,
                                    row.time_limit, pathlib.Path(runs.model_file(row.problem)).read_text(encoding="utf-8")])

    def _setting(self, x: Any) -> dict[str, str]:
        """Four digits as a rule; the ends of a range may have more."""
        return {name: f"{x[k]:g}" if float(f"{x[k]:g}") == x[k] else f"{x[k]:.17g}" for k, name in enumerate(self.names)}

    def _passes(self, x: dict[str, float]) -> bool:
        """A motion on another branch is another motion, however well it keeps its energy."""
        return bool(x.get("completed") and x["branch_changes"] == 0 and all(
            math.isnan(limit) or x[name] <= limit for name, limit in (("total_error", self.row.error_limit), ("energy.max_drift", self.row.energy_limit))))

    def _outcomes(self, settings: list[dict[str, str]]) -> list[dict[str, float]]:
        keys = [hashlib.sha256((self.identity + json.dumps(setting)).encode()).hexdigest()[:16] for setting in settings]
        fresh = {key: setting for key, setting in zip(keys, settings) if key not in self.journal.known}
        for key, found in zip(fresh, self.pool.map(_try, fresh.values())):
            if runs.interrupted:
                _stop.value = 1
                raise InterruptedError
            self.journal.add(key, found)
        return [self.journal.known[key] for key in keys]

    def _evaluate(self, _: Any, count: int, x: Any, outcomes: Any) -> int:
        settings = [self._setting(x[k * len(self.names):(k + 1) * len(self.names)]) for k in range(count)]
        try:
            found = self._outcomes(settings)
        except BaseException as error:  # noqa: BLE001  (it cannot go through C)
            self.failure = error
            return int(_abi.SAR_E_IO)
        for k, one in enumerate(found):
            passes, value = self._passes(one), one.get(self.measure, NAN)
            outcomes[k] = _abi.sar_tune_outcome(passes, sum(one.get(name, NAN) for name in ("steps", "rejected", "iterations")), value)
            if one.get("completed") and not passes and value < self.nearest[0]:
                self.nearest = value, settings[k]
        return int(_abi.SAR_OK)

    def _least(self, _: Any, x: Any) -> float:
        """Every step costs itself and one evaluation."""
        return 2 * float(self.span) / float(x[self.driver]) if self.driver >= 0 and self.names[self.driver] == "step" else 0.0

    def run(self, jobs: int) -> None:
        """Search. The row has the best setting afterwards, the nearest, or its own."""
        ends = [_abi.sar_tune_variable(low, high, low > 0, _KINDS[name] is ctypes.c_int) for name, (low, high) in self.variables.items()]
        calls, variables = (_EVALUATE(self._evaluate), _LEAST(self._least)), (_abi.sar_tune_variable * len(ends))(*ends)
        definition = _abi.sar_tune_def(variables=ctypes.addressof(variables), count=len(ends), driver=self.driver, points=5 if len(ends) <= 2 else 3,
                                       tightness=1.02, evaluate=ctypes.cast(calls[0], ctypes.c_void_p), least_cost=ctypes.cast(calls[1], ctypes.c_void_p))
        answer, error = _abi.sar_tune_answer(), _abi.sar_error()
        with ProcessPoolExecutor(jobs or os.cpu_count(), mp_context=_fork) as self.pool:
            status = library.sar_tune(ctypes.byref(definition), ctypes.byref(answer), ctypes.byref(error))
        if self.failure and not runs.interrupted:
            raise self.failure
        if status != _abi.SAR_OK and not runs.interrupted:
            raise StudyError(text(error.message))
        if status == _abi.SAR_OK:
            self._conclude(answer)

    def _conclude(self, answer: Any) -> None:
        row, before = self.row, parameters(self.row)
        own = f"; the study has {before}" if before else ""
        if answer.found:
            row.own.update(self._setting(answer.setting))
            row.tuned = f"Best of {answer.tried} settings{own}."
        elif self.nearest[1]:
            row.own.update(self.nearest[1])
            row.tuned = f"None of {answer.tried} settings keeps the limit; this is the nearest{own}."
        else:
            row.tuned = f"None of {answer.tried} settings reaches its end on its branch; this is the study's own."


def tune(row: Row, study: Study, journal: Journal, jobs: int) -> None:
    """Give a row the best setting of its method."""
    global _task, _stop
    _task, _stop, search = (row, study), _fork.Value("b", 0), _Search(row, study, journal)
    if search.names:
        search.run(jobs)
    else:
        row.tuned = "It sets no number that could be tuned."
