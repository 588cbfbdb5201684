"""Derivatives of runs by numbers of the model file."""
from __future__ import annotations

import ctypes
from typing import Any, Mapping, Sequence

import numpy

from . import _abi
from ._library import library, text
from .errors import AssemblyError, ModelError, SimulationError
from .model import Model, _pairs
from .result import Array
from .simulation import _options_over

_KINDS = {"end": _abi.SAR_OBJECTIVE_END, "integral": _abi.SAR_OBJECTIVE_INTEGRAL, "mean": _abi.SAR_OBJECTIVE_MEAN, "max": _abi.SAR_OBJECTIVE_MAX,
          "min": _abi.SAR_OBJECTIVE_MIN, "time": _abi.SAR_OBJECTIVE_TIME}


def _fail(status: int, error: Any) -> Exception:
    kind = AssemblyError if status == _abi.SAR_E_ASSEMBLY else ModelError if status in (_abi.SAR_E_ARG, _abi.SAR_E_MODEL, _abi.SAR_E_INCOMPAT) else SimulationError
    return kind(text(error.message) or text(library.sar_status_text(status)), verdict="failed", status=status)


def _pointer(array: Array) -> Any:
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


class Sensitivity:
    """What numbers of a model file do to results of a run, as `sarrus sensitivity` finds it.

        s = model.sensitivity(of=["rod.x", "max: A.fx"], by=["L", "bodies.rod.mass"], end=2)
        s.values, s.jacobian(), s.refused
        s.gradient([1, 0]), s.along([1, 0])
        s.at([1.2, 0.5]).values        # with other values of the numbers

    `of`: outputs or expressions; "max: ...", "min:", "mean:", "integral:", "time:" before them. With `times` values at these times:
    rows are objective by objective. Columns of numbers without a derivative are NaN; `refused` says why.
    """

    def __init__(self, model: Model, of: Any, by: Sequence[str], times: Any = None, values: Any = None, points: int = 4, **options: Any) -> None:
        if model._functions:
            raise ModelError("inputs that are functions of time are not differentiated: write them into the model", verdict="invalid")
        self._again: Any = (model, of, list(by), times, points, options)
        self.of = [of] if isinstance(of, str) else list(of)
        self.by = list(by)
        raw, path, settings = model._text()
        error, source, handle = _abi.sar_error(), ctypes.c_void_p(), ctypes.c_void_p()
        self._source = self._handle = None
        self._differentiated = False
        status = library.sar_source_open(raw, len(raw), path, ctypes.byref(source))
        if status != _abi.SAR_OK:
            raise _fail(status, error)
        self._source = source.value
        chosen = _options_over(model.compiled(), {"preset": "auto", **options})[0]
        definition = library.sar_sensitivity_def_default()
        pairs, names, objectives = _pairs(settings), (ctypes.c_char_p * (len(self.by) + 1))(), (_abi.sar_objective * (len(self.of) + 1))()
        for k, name in enumerate(self.by):
            names[k] = name.encode()
        for k, given in enumerate(self.of):
            kind, colon, rest = given.partition(":")
            known = bool(colon) and kind.strip() in _KINDS
            objectives[k].expression = (rest.strip() if known else given).encode()
            objectives[k].kind = _KINDS[kind.strip()] if known else _abi.SAR_OBJECTIVE_SAMPLES if times is not None else _abi.SAR_OBJECTIVE_END
        sample = numpy.ascontiguousarray([] if times is None else times, dtype=numpy.float64)
        given_values = numpy.full(len(self.by), numpy.nan) if values is None else numpy.ascontiguousarray(values, dtype=numpy.float64)
        if given_values.shape != (len(self.by),):
            raise ModelError(f"wanted {len(self.by)} values, one for each number", verdict="invalid")
        definition.source, definition.settings, definition.settings_count = source, ctypes.cast(pairs, ctypes.c_void_p), len(settings)
        definition.options = ctypes.cast(ctypes.pointer(chosen), ctypes.c_void_p)
        definition.parameter, definition.parameters = ctypes.cast(names, ctypes.c_void_p), len(self.by)
        definition.value = ctypes.cast(_pointer(given_values), ctypes.c_void_p)
        definition.objective, definition.objectives = ctypes.cast(objectives, ctypes.c_void_p), len(self.of)
        definition.sample, definition.samples = ctypes.cast(_pointer(sample), ctypes.c_void_p), len(sample)
        definition.points = points
        status = library.sar_sensitivity_create(ctypes.byref(definition), ctypes.byref(handle), ctypes.byref(error))
        if status != _abi.SAR_OK:
            raise _fail(status, error)
        self._handle = handle.value
        status = library.sar_sensitivity_run(self._handle, ctypes.byref(error))
        if status != _abi.SAR_OK:
            raise _fail(status, error)
        rows = [_abi.sar_sensitivity_row() for _ in range(library.sar_sensitivity_rows(self._handle))]
        for k, row in enumerate(rows):
            library.sar_sensitivity_get_row(self._handle, k, ctypes.byref(row))
        self.values: Array = numpy.array([row.value for row in rows])  #: of all rows
        self.times: Array = numpy.array([row.t for row in rows])  #: [s] of all rows

    def __repr__(self) -> str:
        return f"<sarrus.Sensitivity: {', '.join(self.of)} by {', '.join(self.by)}>"

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library.sar_sensitivity_destroy(self._handle)
            self._handle = None
        if getattr(self, "_source", None):
            library.sar_source_close(self._source)
            self._source = None

    def _parameters(self) -> list[Any]:
        found = [_abi.sar_sensitivity_parameter() for _ in self.by]
        for k, p in enumerate(found):
            library.sar_sensitivity_get_parameter(self._handle, k, ctypes.byref(p))
        return found

    @property
    def parameters(self) -> dict[str, float]:
        """Whole names of the numbers, and their values."""
        return {text(p.name): float(p.value) for p in self._parameters()}

    @property
    def refused(self) -> dict[str, str]:
        """Numbers that have no derivative, and why."""
        if not self._differentiated:
            self.jacobian()
        return {text(p.name): text(p.refused) for p in self._parameters() if p.refused}

    def jacobian(self) -> Array:
        """All derivatives: a row for each value, a column for each number."""
        out, error = numpy.empty((len(self.values), len(self.by))), _abi.sar_error()
        status = library.sar_sensitivity_jacobian(self._handle, _pointer(out), ctypes.byref(error))
        if status != _abi.SAR_OK:
            raise _fail(status, error)
        self._differentiated = True
        return out

    def gradient(self, weights: Any = None) -> Array:
        """Return weights' J: the gradient of the weighted sum of all rows. Without weights: of the only row."""
        given = numpy.ascontiguousarray([1.0] if weights is None else weights, dtype=numpy.float64)
        if given.shape != self.values.shape:
            raise ModelError(f"wanted {len(self.values)} weights, one for each row", verdict="invalid")
        out, error = numpy.empty(len(self.by)), _abi.sar_error()
        status = library.sar_sensitivity_gradient(self._handle, _pointer(given), _pointer(out), ctypes.byref(error))
        if status != _abi.SAR_OK:
            raise _fail(status, error)
        self._differentiated = True
        return out

    def along(self, direction: Any) -> Array:
        """Return J x: the change of all rows along a change of all numbers."""
        given = numpy.ascontiguousarray(direction, dtype=numpy.float64)
        if given.shape != (len(self.by),):
            raise ModelError(f"wanted {len(self.by)} numbers", verdict="invalid")
        out, error = numpy.empty(len(self.values)), _abi.sar_error()
        status = library.sar_sensitivity_along(self._handle, _pointer(given), _pointer(out), ctypes.byref(error))
        if status != _abi.SAR_OK:
            raise _fail(status, error)
        return out

    def at(self, values: Any) -> Sensitivity:
        """Return the same with other values of the numbers."""
        model, of, by, times, points, options = self._again
        return Sensitivity(model, of, by, times=times, values=values, points=points, **options)


def numbers_of(model: Model) -> dict[str, float]:
    """All numbers of the model file by their names."""
    raw, path, settings = model._text()
    source, found, count = ctypes.c_void_p(), ctypes.POINTER(_abi.sar_number)(), ctypes.c_int()
    if library.sar_source_open(raw, len(raw), path, ctypes.byref(source)) != _abi.SAR_OK:
        return {}
    try:
        library.sar_source_numbers(source, _pairs(settings), len(settings), ctypes.byref(found), ctypes.byref(count))
        return {text(found[k].name): float(found[k].value) for k in range(count.value) if found[k].name}
    finally:
        library.sar_source_close(source)
