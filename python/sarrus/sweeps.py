"""Many runs in several processes."""
from __future__ import annotations

import itertools
import os
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping

from .errors import SarrusError
from .model import Model
from .result import Result


@dataclass(frozen=True)
class Outcome:
    """One run of a sweep."""

    parameters: dict[str, Any]
    value: Any  #: what `measure` returned; None where the run failed
    failure: str  #: why it failed; "" if it did not


def _one(task: tuple[Model, dict[str, Any], Callable[[Result], Any], dict[str, Any]]) -> Outcome:
    model, parameters, measure, options = task
    try:
        return Outcome(parameters, measure(model.with_parameters(**parameters).run(**options)), "")
    except SarrusError as error:
        return Outcome(parameters, None, f"{type(error).__name__}: {error}")


def sweep(model: Model, parameters: Mapping[str, Iterable[Any]], measure: Callable[[Result], Any], *, processes: int | None = None,
          **options: Any) -> list[Outcome]:
    """Run a model with all combinations of parameters, and measure each run.

    `measure` takes a Result and returns what shall be kept; it is sent to other processes, so that it has to be a function
    of a module (or `processes=1`). A run that fails is an outcome too.
    """
    if not isinstance(model, Model):
        raise TypeError(f"a sweep is one of a Model, not of {model!r}: sarrus.load(path) reads a file")
    if not isinstance(parameters, Mapping):
        raise TypeError(f"parameters must be lists of values by name, as in {{'mass': [1, 2]}}, not {parameters!r}")
    if not callable(measure):
        raise TypeError(f"measure must be a function of a Result, not {measure!r}")
    for name, values in parameters.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise TypeError(f"the values of {name!r} must be a list, not {values!r}")
    model.compiled()
    names = list(parameters)
    tasks = [(model, dict(zip(names, values)), measure, options) for values in itertools.product(*parameters.values())]
    if processes == 1 or len(tasks) <= 1:
        return [_one(task) for task in tasks]
    try:
        pickle.dumps((model, measure, options))
    except Exception as error:
        raise TypeError(f"measure={measure!r} cannot be sent to other processes: it has to be a function of a module (def, not lambda, and not inside "
                        f"another function), or use processes=1 ({error})") from error
    with ProcessPoolExecutor(processes or os.cpu_count()) as pool:
        return list(pool.map(_one, tasks))
