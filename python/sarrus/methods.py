"""Formulations and integrators written in Python, for prototypes, and plug-ins."""
from __future__ import annotations

import ctypes
import itertools
import os
import traceback
from typing import Any, Callable

import numpy
from numpy.typing import NDArray

from . import _abi
from ._library import library, text
from .errors import MethodError

Array = NDArray[numpy.float64]
_kept: list[Any] = []  # what the library points to
_registered: list[type] = []
_objects: dict[int, Any] = {}
_numbers = itertools.count(1)
failure: list[BaseException] = []  #: exceptions of methods, for the run that they end

_V, _D, _C, _S = ctypes.c_void_p, ctypes.c_double, ctypes.c_char_p, ctypes.c_size_t
_HESSIAN = ctypes.CFUNCTYPE(None, _V, _V, _V)
_EVALUATE = ctypes.CFUNCTYPE(ctypes.c_int, _V, _D, _V, _V)


def _array(address: int | None, count: int) -> Array:
    if not count or not address:
        return numpy.zeros(0)
    return numpy.ctypeslib.as_array((ctypes.c_double * count).from_address(address))


def _dense(a: Any) -> Array:
    out = numpy.zeros((a.rows, a.columns))
    start = numpy.ctypeslib.as_array((ctypes.c_int32 * (a.rows + 1)).from_address(a.start))
    if start[-1]:
        column = numpy.ctypeslib.as_array((ctypes.c_int32 * int(start[-1])).from_address(a.column))
        out[numpy.repeat(numpy.arange(a.rows), numpy.diff(start)), column] = _array(a.value, int(start[-1]))
    return out


class View:
    """The equations at the state of a step, as of `sarrus.Equations`; in units in which the model is about one in size and mass.

    t, q, v, M, K, C, Phi_q, Phi_q_rate, Q, Phi, Phi_t, bias; arrays are valid during the call.
    """

    def __init__(self, address: int) -> None:
        self._view = _abi.sar_equations_view.from_address(address)
        self._address = address
        size = self._view.size
        self.t = self._view.t
        self.q, self.v = _array(self._view.q, size.positions), _array(self._view.v, size.velocities)
        self.Q = _array(self._view.Q, size.velocities)
        self.Phi, self.Phi_t, self.bias = (_array(getattr(self._view, name), size.constraints) for name in ("Phi", "Phi_t", "bias"))

    def __getattr__(self, name: str) -> Array:
        if name not in ("M", "K", "C", "Phi_q", "Phi_q_rate"):
            raise AttributeError(f"the equations have no {name!r}")
        value = _dense(getattr(self._view, name))
        self.__dict__[name] = value
        return value

    def hessian(self, multipliers: Any) -> Array:
        """Return d(Phi_q' lambda)/dq."""
        n = self._view.size.velocities
        x, out = numpy.ascontiguousarray(multipliers, dtype=numpy.float64), numpy.zeros((n, n))
        _HESSIAN(self._view.hessian)(self._address, x.ctypes.data, out.ctypes.data)
        return out


def _note(error: BaseException, why: int, room: int) -> int:
    """An exception ends the run; its last line is the reason."""
    failure.append(error)
    said = "".join(traceback.format_exception_only(type(error), error)).strip().encode()[:room - 1]
    if why and room:
        ctypes.memmove(why, said + b"\0", len(said) + 1)
    return int(_abi.SAR_E_ARG)


class Formulation:
    """How constraints enter the equations of motion.

    Derive a class, give it a name, and register it:

        class Mine(sarrus.Formulation):
            name = "mine"
            def accelerations(self, at, multipliers):
                ...
                return a, multipliers

        sarrus.register(Mine)
        model.run(formulation="mine", integrator="rk4", step=1e-3)

    With `correct`, implicit integrators (trapezoidal, newmark, generalised-alpha) can drive it too.
    """

    name = ""
    text = ""
    options = ""  #: options of other formulations that it has too: "alpha"
    singular = False  #: it goes through configurations where the rank of Phi_q drops

    def __init__(self, velocities: int, constraints: int, options: dict[str, float]) -> None:
        self.velocities, self.constraints = velocities, constraints
        self.settings = options  #: the options of the run

    def accelerations(self, at: View, multipliers: Array) -> tuple[Any, Any]:
        """Return accelerations and multipliers at a state."""
        raise NotImplementedError

    correct: Callable[..., Any] | None = None  #: (at, a, multipliers, cv, ca) -> dq
    update: Callable[..., Any] | None = None  #: (at, multipliers, ca) -> multipliers
    project: Callable[..., Any] | None = None  #: (at, v, a, cv, ca) -> v, a


class Integrator:
    """A rule for steps of dy/dt = f(t, y): derive a class with a name, an order and `step`, and register it."""

    name = ""
    text = ""
    order = 1

    def step(self, t: float, h: float, y: Array, ydot: Array, f: Callable[[float, Array], Array]) -> Any:
        """Return y at t + h; ydot is f(t, y)."""
        raise NotImplementedError


def _settings(address: int) -> dict[str, float]:
    options = _abi.sar_options.from_address(address)
    return {name: getattr(options, name) for name, kind in options._fields_ if kind in (ctypes.c_double, ctypes.c_int)}


def _fill(to: int, values: Any, count: int, what: str) -> None:
    array = numpy.asarray(values, dtype=numpy.float64)
    if array.shape != (count,):
        raise ValueError(f"{what} must have {count} numbers, not the shape {array.shape}")
    if count:
        _array(to, count)[:] = array


def _formulation_table(cls: type[Formulation]) -> Any:
    def create(context: int, size: int, options: int, out: int, why: int, room: int) -> int:
        try:
            of = _abi.sar_equations_size.from_address(size)
            number = next(_numbers)
            _objects[number] = cls(of.velocities, of.constraints, _settings(options))
            _V.from_address(out).value = number
            return int(_abi.SAR_OK)
        except BaseException as error:  # noqa: BLE001  (nothing may pass through the library)
            return _note(error, why, room)

    def destroy(self: int) -> None:
        _objects.pop(self, None)

    def accelerations(self: int, at: int, a: int, multipliers: int, why: int, room: int) -> int:
        try:
            view = View(at)
            n, m = view._view.size.velocities, view._view.size.constraints
            found, forces = _objects[self].accelerations(view, _array(multipliers, m).copy())
            _fill(a, found, n, "accelerations")
            _fill(multipliers, forces, m, "multipliers")
            return int(_abi.SAR_OK)
        except BaseException as error:  # noqa: BLE001
            return _note(error, why, room)

    def correct(self: int, at: int, a: int, multipliers: int, cv: float, ca: float, dq: int, why: int, room: int) -> int:
        try:
            view = View(at)
            n, m = view._view.size.velocities, view._view.size.constraints
            _fill(dq, _objects[self].correct(view, _array(a, n).copy(), _array(multipliers, m).copy(), cv, ca), n, "the correction")
            return int(_abi.SAR_OK)
        except BaseException as error:  # noqa: BLE001
            return _note(error, why, room)

    def update(self: int, at: int, ca: float, multipliers: int) -> None:
        try:
            view = View(at)
            m = view._view.size.constraints
            _fill(multipliers, _objects[self].update(view, _array(multipliers, m).copy(), ca), m, "multipliers")
        except BaseException as error:  # noqa: BLE001  (the next correction ends the run)
            _note(error, 0, 1)
            _array(multipliers, View(at)._view.size.constraints)[:] = numpy.nan

    def project(self: int, at: int, cv: float, ca: float, v: int, a: int, why: int, room: int) -> int:
        try:
            view = View(at)
            n = view._view.size.velocities
            new_v, new_a = _objects[self].project(view, _array(v, n).copy(), _array(a, n).copy(), cv, ca)
            _fill(v, new_v, n, "velocities")
            _fill(a, new_a, n, "accelerations")
            return int(_abi.SAR_OK)
        except BaseException as error:  # noqa: BLE001
            return _note(error, why, room)

    i, call = ctypes.c_int, ctypes.CFUNCTYPE
    functions = {"create": call(i, _V, _V, _V, _V, _V, _S)(create), "destroy": call(None, _V)(destroy),
                 "accelerations": call(i, _V, _V, _V, _V, _V, _S)(accelerations)}
    if cls.correct:
        functions["correct"] = call(i, _V, _V, _V, _V, _D, _D, _V, _V, _S)(correct)
        functions["update"] = call(None, _V, _V, _D, _V)(update)
    if cls.update is None:
        functions.pop("update", None)
    if cls.correct and cls.project:
        functions["project"] = call(i, _V, _V, _D, _D, _V, _V, _V, _S)(project)
    table = _abi.sar_plugin_formulation(name=cls.name.encode(), text=(cls.text or "written in Python").encode(), cite=b"",
                                        options=cls.options.encode(), singular=int(cls.singular),
                                        **{name: ctypes.cast(f, _V).value for name, f in functions.items()})
    _kept.append((functions, table))
    return table


def _integrator_table(cls: type[Integrator]) -> Any:
    def create(context: int, count: int, options: int, out: int, why: int, room: int) -> int:
        try:
            number = next(_numbers)
            _objects[number] = cls()
            _V.from_address(out).value = number
            return int(_abi.SAR_OK)
        except BaseException as error:  # noqa: BLE001
            return _note(error, why, room)

    def destroy(self: int) -> None:
        _objects.pop(self, None)

    def step(self: int, t: float, h: float, count: int, y: int, ydot: int, rates: int) -> int:
        try:
            evaluate = _EVALUATE(_abi.sar_rates.from_address(rates).evaluate)

            def f(time: float, at: Array) -> Array:
                x, out = numpy.ascontiguousarray(at, dtype=numpy.float64), numpy.zeros(count)
                if evaluate(rates, time, x.ctypes.data, out.ctypes.data) != _abi.SAR_OK:
                    raise ArithmeticError(f"no rates at t = {time:.9g}")
                return out

            _fill(y, _objects[self].step(t, h, _array(y, count).copy(), _array(ydot, count).copy(), f), count, "y")
            return int(_abi.SAR_OK)
        except BaseException as error:  # noqa: BLE001
            return _note(error, 0, 1)

    i, call = ctypes.c_int, ctypes.CFUNCTYPE
    functions = {"create": call(i, _V, i, _V, _V, _V, _S)(create), "destroy": call(None, _V)(destroy),
                 "step": call(i, _V, _D, _D, i, _V, _V, _V)(step)}
    table = _abi.sar_plugin_integrator(name=cls.name.encode(), text=(cls.text or "written in Python").encode(), cite=b"", order=cls.order,
                                       **{name: ctypes.cast(f, _V).value for name, f in functions.items()})
    _kept.append((functions, table))
    return table


def register(cls: type[Formulation] | type[Integrator]) -> Any:
    """Add a class to the methods; usable as a decorator. Its name is that of the option `formulation` or `integrator`."""
    if not (isinstance(cls, type) and issubclass(cls, (Formulation, Integrator))):
        raise TypeError("register takes a class derived from sarrus.Formulation or sarrus.Integrator")
    plugin = _abi.sar_plugin(version=_abi.SAR_PLUGIN_VERSION if hasattr(_abi, "SAR_PLUGIN_VERSION") else 1, name=b"python")
    if issubclass(cls, Formulation):
        table = _formulation_table(cls)
        plugin.formulations, plugin.formulation_count = ctypes.addressof(table), 1
    else:
        table = _integrator_table(cls)
        plugin.integrators, plugin.integrator_count = ctypes.addressof(table), 1
    error = _abi.sar_error()
    if library.sar_plugin_register(ctypes.byref(plugin), ctypes.byref(error)) != _abi.SAR_OK:
        raise MethodError(text(error.message), verdict="invalid", status=_abi.SAR_E_ARG)
    _registered.append(cls)
    return cls


def registered(cls: type) -> bool:
    """Whether register has had the class."""
    return cls in _registered


def load_plugin(path: str | os.PathLike[str]) -> None:
    """Add the methods of a shared object (docs/plug-ins.md)."""
    error = _abi.sar_error()
    status = library.sar_plugin_load(os.fsencode(path), ctypes.byref(error))
    if status != _abi.SAR_OK:
        raise MethodError(text(error.message), verdict="invalid", status=status)


def methods() -> dict[str, list[str]]:
    """Names of the members of every axis, those of plug-ins included."""
    axes = {"coordinates": _abi.SAR_AXIS_COORDINATES, "formulation": _abi.SAR_AXIS_FORMULATION,
            "integrator": _abi.SAR_AXIS_INTEGRATOR, "solver": _abi.SAR_AXIS_SOLVER}
    return {name: [text(library.sar_axis_member(axis, k).name) for k in range(library.sar_axis_members(axis))] for name, axis in axes.items()}
