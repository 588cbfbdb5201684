"""Simulations: assemble, step, run, observe."""
from __future__ import annotations

import ctypes
import threading
import warnings
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Mapping

import numpy
from numpy.typing import NDArray

from . import _abi
from .analysis import Modes, SelfStress, StateSpace, Tolerances, modes_of, self_stress_of, split_of, state_space_of, tolerances_of
from ._library import library, pointer, text
from .errors import AssemblyError, BusyError, ClosedError, MethodError, ModelError, SarrusWarning, SimulationError, StateError
from .model import Compiled, Model
from .result import Account, Energy, Event, Recorder, Result

Array = NDArray[numpy.float64]
_ACCOUNTS = ("kinetic", "potential", "work", "drive", "impacts", "phases", "jumps", "corrections", "projections", "integrator")
_INTERPOLATES = {text(library.sar_axis_member(_abi.SAR_AXIS_INTEGRATOR, k).name): bool(
    library.sar_axis_member(_abi.SAR_AXIS_INTEGRATOR, k).interpolates) for k in range(library.sar_axis_members(_abi.SAR_AXIS_INTEGRATOR))}


@dataclass(frozen=True)
class Assembly:
    """The start that satisfies the joints and the start conditions."""

    verdict: str
    iterations: int
    moved: float  #: largest displacement of a centre of mass from the drawing [m]
    turned: float  #: largest rotation of a body from the drawing [rad]
    residual: float  #: largest remaining violation
    size: float  #: the model's size, about the length of its longest body [m]
    singular: bool  #: reactions there are not unique
    branches: int  #: number of motions that meet there; -1: not resolved
    conflicts: dict[str, float] = field(default_factory=dict)  #: joints or conditions, and what they miss


@dataclass(frozen=True)
class Check:
    """What a mechanism is."""

    assembly: Assembly
    coordinates: int
    constraints: int
    rank: int
    degrees_of_freedom: int
    redundant: int
    redundant_joints: list[str]
    indeterminate_joints: list[str]


@dataclass(frozen=True)
class Equilibrium:
    """Where a mechanism rests: applied forces at rest and reactions are balanced."""

    verdict: str  #: "stable", "undetermined", "unstable" or "not found"
    iterations: int
    degrees_of_freedom: int
    unstable: int  #: motions that lead away
    undetermined: int  #: motions that meet neither force nor stiffness
    residual: float  #: [N] force that is not balanced
    moved: float  #: [m] largest displacement of a centre of mass from the assembled position
    frequency: float  #: [Hz] lowest one of small undamped vibrations
    outputs: dict[str, float] = field(default_factory=dict)
    q: Any = None  #: poses of all bodies there, as Simulation.q
    reactions: dict[str, Any] = field(default_factory=dict)  #: force and torque of every joint


_REST = {_abi.SAR_EQUILIBRIUM_STABLE: "stable", _abi.SAR_EQUILIBRIUM_UNDETERMINED: "undetermined",
         _abi.SAR_EQUILIBRIUM_UNSTABLE: "unstable", _abi.SAR_EQUILIBRIUM_NOT_FOUND: "not found",
         _abi.SAR_EQUILIBRIUM_MARGINAL: "marginal", _abi.SAR_EQUILIBRIUM_SINGULAR: "singular"}
_VERDICTS = {_abi.SAR_ASSEMBLED: "assembled", _abi.SAR_ASSEMBLY_IMPOSSIBLE: "impossible",
             _abi.SAR_ASSEMBLY_NOT_CONVERGED: "not converged", _abi.SAR_ASSEMBLY_AS_GIVEN: "as given"}


def _number(value: Any, what: str) -> float:
    """A number, or a message that says what is wrong."""
    if isinstance(value, bool) or isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"{what} must be a number, not {value!r}")
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what} must be a number, not {value!r}") from error


def _option_text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, str):
        return value
    if isinstance(value, (int, numpy.integer)):
        return str(int(value))
    return repr(_number(value, f"the option {name!r}"))


def _options_over(compiled: Compiled, given: Mapping[str, Any]) -> tuple[Any, str]:
    """Options of the model with those given here over them, as the program does, and why they are what they are."""
    options = type(compiled.options).from_buffer_copy(compiled.options)
    names = [name.encode() for name, value in given.items() if value is not None]
    values = [_option_text(name, value).encode() for name, value in given.items() if value is not None]
    error, dropped = _abi.sar_error(), ctypes.c_uint64()
    status = library.sar_options_apply(ctypes.byref(options), (ctypes.c_char_p * (len(names) + 1))(*names),
                                       (ctypes.c_char_p * (len(names) + 1))(*values), len(names), 0, ctypes.byref(dropped), ctypes.byref(error))
    reason = ctypes.create_string_buffer(512)
    if status == _abi.SAR_OK:
        status = library.sar_options_choose(ctypes.byref(options), compiled.handle, reason, len(reason), ctypes.byref(error))
    if status != _abi.SAR_OK:
        raise MethodError(text(error.message) or text(library.sar_status_text(status)), verdict="wrong method", status=status)
    for k in range(63):
        if dropped.value >> k & 1:
            warnings.warn(f"the model's {text(library.sar_option_name(k))!r} is not used: the chosen method has no such option",
                          SarrusWarning, stacklevel=4)
    return options, text(reason.value)


class _Use:
    """The simulation for one call: of one thread, and not after its end."""

    __slots__ = ("of",)

    def __init__(self, of: Simulation) -> None:
        self.of = of

    def __enter__(self) -> int:
        if not self.of._lock.acquire(False):
            raise BusyError("another thread is using this simulation: give each thread its own", verdict="busy")
        if self.of._handle is None:
            self.of._lock.release()
            raise ClosedError("this simulation is closed", verdict="closed")
        return self.of._handle

    def __exit__(self, *_: object) -> None:
        self.of._lock.release()


class Simulation:
    """A model with a method, step by step.

    Options are those of `sarrus methods`: end, step, tolerance, preset, coordinates, formulation, integrator, ...; without
    a method the automatic one is used. A simulation belongs to one thread at a time; different ones may run at the same
    time, and the library releases Python's lock while it works.

        with Simulation(model, end=5) as s:
            while not s.done:
                s.step()
                print(s.time, s.outputs["x"])
    """

    def __init__(self, model: Model, *, _state: bytes | None = None, **options: Any) -> None:
        self._handle: int | None = None
        if not isinstance(model, Model):
            raise TypeError(f"a simulation is one of a Model, not of {model!r}: sarrus.load(path) reads a file")
        self._lock = threading.Lock()
        self._use = _Use(self)
        self._model = model.compiled()  # keeps it alive
        self.model = model
        self._asked = options
        self.options, self.reason = _options_over(self._model, options)
        handle, error = ctypes.c_void_p(), _abi.sar_error()
        if _state is None:
            status = library.sar_simulation_create(self._model.handle, ctypes.byref(self.options), ctypes.byref(handle), ctypes.byref(error))
        else:
            status = library.sar_simulation_load(self._model.handle, ctypes.byref(self.options), _state, len(_state), ctypes.byref(handle),
                                                 ctypes.byref(error))
        if status != _abi.SAR_OK:
            kind = ModelError if status == _abi.SAR_E_MODEL else MethodError if _state is None else StateError
            raise kind(text(error.message) or text(library.sar_status_text(status)), verdict="invalid", status=status)
        self._handle = handle.value
        self.assembly: Assembly | None = None if _state is None else Assembly("as saved", 0, 0, 0, 0, 0, False, 0)
        self._output_names = self._model.names("outputs")
        self._values = numpy.full(max(1, len(self._output_names)), numpy.nan)
        self._ids = {kind: {name: k for k, name in enumerate(self._model.names(kind))} for kind in ("bodies", "joints", "forces")}
        self._inputs = {name: k for k, name in enumerate(self._model.names("inputs"))}
        self.steered = False  #: inputs were set: a reference run could not know of it

    def __reduce__(self) -> Any:
        raise TypeError("a simulation cannot be copied or sent to another process: send the Model")

    @classmethod
    def load(cls, model: Model, state: bytes, **options: Any) -> Simulation:
        """Go on from a state that `save` returned, with the bits of the simulation that was saved.

        Model and options have to be those of that simulation, else StateError; build and machine may be others.
        """
        return cls(model, _state=bytes(state), **options)

    def restore(self, state: bytes) -> None:
        """Go back to a state of this simulation, or to that of another one of the same model and options."""
        error = _abi.sar_error()
        with self._use as s:
            status = library.sar_simulation_restore(s, state, len(state), ctypes.byref(error))
            if status != _abi.SAR_OK:
                raise StateError(text(error.message), verdict="not restored", status=status)
            self.assembly = self.assembly or Assembly("as saved", 0, 0, 0, 0, 0, False, 0)

    def save(self) -> bytes:
        """Return the whole state, to go on from in this or another process."""
        error, length = _abi.sar_error(), ctypes.c_size_t()
        with self._use as s:
            self._assemble(s)
            status = library.sar_simulation_save(s, None, 0, ctypes.byref(length), ctypes.byref(error))
            block = ctypes.create_string_buffer(max(1, length.value))
            if status == _abi.SAR_OK:
                status = library.sar_simulation_save(s, block, length, ctypes.byref(length), ctypes.byref(error))
        if status != _abi.SAR_OK:
            raise StateError(text(error.message), verdict="not saved", status=status)
        return block.raw[:length.value]

    # -- its life ----------------------------------------------------------------------------------

    def close(self) -> None:
        """Release its memory. Further use raises ClosedError; closing it again does nothing."""
        if not self._lock.acquire(False):
            raise BusyError("another thread is using this simulation: it cannot be closed now", verdict="busy")
        try:
            if self._handle is not None:
                library.sar_simulation_destroy(self._handle)
                self._handle = None
        finally:
            self._lock.release()

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            library.sar_simulation_destroy(self._handle)
            self._handle = None

    # -- steps -------------------------------------------------------------------------------------

    def assemble(self) -> Assembly:
        """Find the start. The first step does this too."""
        with self._use as s:
            return self._assemble(s)

    def _assemble(self, s: int) -> Assembly:
        if self.assembly is not None:
            return self.assembly
        report = _abi.sar_assembly()
        status = library.sar_simulation_assemble(s, ctypes.byref(report))
        found = Assembly(_VERDICTS[report.verdict], report.iterations, report.moved, report.turned, report.residual, report.size,
                         bool(report.singular), report.branches,
                         {text(c.name): c.residual for c in report.conflict[:report.conflicts]})
        if status != _abi.SAR_OK:
            why = text(library.sar_simulation_failure(s)) or text(library.sar_status_text(status))
            raise AssemblyError(why, verdict=f"cannot be assembled: {found.verdict}", status=status)
        self.assembly = found
        return found

    def advance_to(self, t: float) -> float:
        """Take as many steps as lead to the time t; the last one ends there. Returns the time.

        For controllers and couplings that meet the motion at times of their own.
        """
        with self._use as s:
            if self.assembly is None:
                self._assemble(s)
            status = library.sar_simulation_advance_to(s, float(t))
            if status == _abi.SAR_E_ARG:
                raise ValueError(f"t = {t!r} is not after the present time, {library.sar_simulation_time(s):.9g} s")
            if status != _abi.SAR_OK:
                raise self._failed(s, status)
            return float(library.sar_simulation_time(s))

    def step(self, count: int = 1) -> float:
        """Take some steps; fewer at the end. Returns the time.

        SimulationError: a step failed; the simulation is where it was before that step. SarrusWarning: it is at its end
        already, and no step was taken (see `done`).
        """
        if isinstance(count, bool) or not isinstance(count, (int, numpy.integer)):
            raise TypeError(f"the number of steps must be a whole number, not {count!r}")
        with self._use as s:
            if self.assembly is None:
                self._assemble(s)
            if count > 0 and library.sar_simulation_done(s):
                warnings.warn(f"the simulation is at its end, t = {library.sar_simulation_time(s):.9g} s: no step was taken. A later end: "
                              "model.simulation(end=...)", SarrusWarning, stacklevel=2)
            for _ in range(count):
                if library.sar_simulation_done(s):
                    break
                status = library.sar_simulation_advance(s)
                if status != _abi.SAR_OK and not (status > 0 and self.options.best_effort):
                    raise self._failed(s, status)
            return float(library.sar_simulation_time(s))

    def _failed(self, s: int, status: int, result: Result | None = None) -> SimulationError:
        why = text(library.sar_simulation_failure(s)) or text(library.sar_status_text(status))
        at = float(library.sar_simulation_time(s))
        return SimulationError(f"at t = {at:.9g} s: {why}", verdict=f"failed at t = {at:.9g} s", status=status, result=result)

    @property
    def done(self) -> bool:
        """Whether it is at the end."""
        with self._use as s:
            return bool(library.sar_simulation_done(s))

    @property
    def time(self) -> float:
        """Time after the last step [s]."""
        with self._use as s:
            return float(library.sar_simulation_time(s))

    def run(self, *, all: bool = True, certify: bool | float = False, control: Callable[[float, dict[str, float]], Mapping[str, float]] | None = None,
            progress: Callable[[float], object] | None = None) -> Result:
        """Simulate from here to the end and return what happened.

        all: keep poses, reactions, energies and violations too, not the outputs alone.
        certify: estimate the errors of the outputs by a reference run; a number is the accuracy that is asked for.
        control: a controller in the loop: called as control(t, outputs) before every step, with the time [s] and the outputs by
            their names; returns the inputs that it sets, by their names, or None. They hold until it sets them again.
                s.run(control=lambda t, outputs: {"torque": -5*outputs["angle"]})
        progress: called after every step with the time. Exceptions of both end the run and leave the simulation usable.
        """
        for name, value in (("control", control), ("progress", progress)):
            if value is not None and not callable(value):
                raise TypeError(f"{name} must be a function, not {value!r}")
        with self._use as s:
            self._assemble(s)
            plan = library.sar_sampling_of(ctypes.byref(self.options), 10000)
            plan.at_steps = int(all and not _INTERPOLATES.get(text(self.options.integrator), False))
            plan.start = library.sar_simulation_time(s)
            run = library.sar_run_begin(s, ctypes.byref(plan))
            recorder = Recorder(self._model, s, all)
            at = ctypes.c_double()
            while True:
                while library.sar_run_sample(ctypes.byref(run), ctypes.byref(at)):
                    recorder.sample(at.value)
                if control is not None:
                    self._control(s, control)
                if not library.sar_run_step(ctypes.byref(run)):
                    break
                if progress is not None:
                    progress(run.t)
            result = recorder.result(self, run.status)
            if run.status != _abi.SAR_OK:
                raise self._failed(s, run.status, result)
            for note in result.warnings:
                warnings.warn(note, SarrusWarning, stacklevel=3)
        if certify:
            result.certify(certify if not isinstance(certify, bool) else 0.01)
        return result

    def _control(self, s: int, control: Callable[[float, dict[str, float]], Mapping[str, float]]) -> None:
        library.sar_simulation_outputs(s, pointer(self._values))
        wanted = control(float(library.sar_simulation_time(s)), dict(zip(self._output_names, self._values.tolist())))
        if wanted is not None and not isinstance(wanted, Mapping):
            raise TypeError(f"control must return the values of inputs by their names, as in {{'torque': 1.0}}, or None, not {wanted!r}")
        for name, value in (wanted or {}).items():
            self._set_input(s, name, value)

    def _set_input(self, s: int, name: str, value: float, rate: float = 0.0) -> None:
        if name not in self._inputs:
            raise KeyError(f"there is no {name!r} among the inputs: {', '.join(self._inputs) or 'the model has none'}")
        value, rate = _number(value, f"the input {name!r}"), _number(rate, f"the rate of the input {name!r}")
        if library.sar_simulation_set_input(s, self._inputs[name], value, rate) != _abi.SAR_OK:
            raise ValueError(f"the input {name!r} cannot be {value!r}: a finite number is wanted")
        self.steered = True

    def set_input(self, name: str, value: float, rate: float = 0.0) -> None:
        """Set an input from now on: value + rate (t - now), until it is set again."""
        with self._use as s:
            self._set_input(s, name, value, rate)

    @property
    def inputs(self) -> dict[str, float]:
        """Present values of the inputs."""
        with self._use as s:
            return {name: float(library.sar_simulation_input(s, k)) for name, k in self._inputs.items()}

    def steps(self, inputs: Any) -> tuple[Array, Array]:
        """Take a step for each row of `inputs`, with the inputs of the row (an array of one number per input).

        Returns the times and a row of outputs for each step: fewer at the end. All of it is one call of the library.
        """
        table = numpy.ascontiguousarray(inputs, dtype=numpy.float64)
        if table.ndim == 1 and len(self._inputs) == 1:
            table = table[:, None]
        if table.ndim != 2 or table.shape[1] != len(self._inputs):
            raise ValueError(f"inputs has the shape {table.shape}: wanted are rows of {len(self._inputs)} numbers")
        times, outputs, done = numpy.empty(len(table)), numpy.empty((len(table), len(self._output_names))), ctypes.c_int()
        with self._use as s:
            self._assemble(s)
            self.steered = True
            status = library.sar_simulation_steps(s, len(table), pointer(table), pointer(times), pointer(outputs), ctypes.byref(done))
            if status == _abi.SAR_E_ARG and not numpy.isfinite(table).all():
                raise ValueError("an input is not finite")
            if status != _abi.SAR_OK:
                raise self._failed(s, status)
        return times[:done.value], outputs[:done.value]

    def stepper(self) -> Stepper:
        """Return what takes one step after the other with little ado."""
        return Stepper(self)

    # -- observation -------------------------------------------------------------------------------

    @property
    def outputs(self) -> dict[str, float]:
        """Present values of the outputs."""
        with self._use as s:
            self._assemble(s)
            library.sar_simulation_outputs(s, pointer(self._values))
            return dict(zip(self._output_names, self._values.tolist()))

    def _id(self, kind: str, name: str) -> Any:
        ids = self._ids[kind]
        if name not in ids:
            raise KeyError(f"there is no {name!r} among the {kind}: {', '.join(ids)}")
        return {"bodies": _abi.sar_body_id, "joints": _abi.sar_joint_id, "forces": _abi.sar_force_id}[kind](ids[name])

    def _two(self, function: Any, kind: str, name: str, second: int) -> tuple[Array, Array]:
        one, two = numpy.zeros(3), numpy.zeros(second)
        which = self._id(kind, name)
        with self._use as s:
            self._assemble(s)
            status = function(s, which, pointer(one), pointer(two))
            if isinstance(status, int) and status < 0:
                raise self._failed(s, status)
        return one, two

    def pose(self, body: str) -> tuple[Array, Array]:
        """Position of a body's origin [m] and its unit quaternion (w, x, y, z), from body to world axes."""
        return self._two(library.sar_simulation_pose, "bodies", body, 4)

    def velocity(self, body: str) -> tuple[Array, Array]:
        """Velocity of a body's origin [m/s] and its angular velocity [rad/s], world axes."""
        return self._two(library.sar_simulation_velocity, "bodies", body, 3)

    def reaction(self, joint: str) -> tuple[Array, Array]:
        """Force [N] and torque [N m] of a joint on its second body, at its point, world axes."""
        return self._two(library.sar_simulation_reaction, "joints", joint, 3)

    def applied(self, force: str) -> tuple[Array, Array]:
        """Force [N] and torque [N m] that a force of the model exerts on its body, world axes."""
        return self._two(library.sar_simulation_applied, "forces", force, 3)

    # -- the state -----------------------------------------------------------------------------------

    @property
    def q(self) -> Array:
        """Positions: a row for every body of `model.bodies`, of its origin [m] and its unit quaternion (w, x, y, z)."""
        return self._table(library.sar_simulation_pose, 3, 4)

    @property
    def v(self) -> Array:
        """Velocities: a row for every body of `model.bodies`, of its origin [m/s] and its angular velocity [rad/s], world axes."""
        return self._table(library.sar_simulation_velocity, 3, 3)

    def _table(self, function: Any, one: int, two: int) -> Array:
        count = len(self._model.names("bodies")) - 1  # without the ground
        table = numpy.zeros((count, one + two))
        with self._use as s:
            self._assemble(s)
            for k in range(count):
                row = pointer(table[k])
                function(s, _abi.sar_body_id(k + 1), row, row + 8 * one)
        return table

    def set_state(self, q: Any = None, v: Any = None) -> float:
        """Go on from another state at the present time: arrays as `q` and `v`; None leaves them as they are.

        The nearest state that satisfies joints and drives is taken. Returns how far it is from the one that was wanted: the
        largest distance of a centre of mass [m]. AssemblyError: there is none; the simulation is where it was.
        """
        wanted = [numpy.ascontiguousarray(self.q if q is None else q, dtype=numpy.float64),
                  numpy.ascontiguousarray(self.v if v is None else v, dtype=numpy.float64)]
        count, moved = len(self._model.names("bodies")) - 1, ctypes.c_double()
        for name, table, width in (("q", wanted[0], 7), ("v", wanted[1], 6)):
            if table.shape != (count, width):
                raise ValueError(f"{name} has the shape {table.shape}: wanted is a row of {width} numbers for each of {count} bodies, {(count, width)}")
            if not numpy.isfinite(table).all():
                raise ValueError(f"{name} has numbers that are not finite")
        with self._use as s:
            self._assemble(s)
            status = library.sar_simulation_set_state(s, pointer(wanted[0]), pointer(wanted[1]), ctypes.byref(moved))
            if status == _abi.SAR_E_ARG:
                raise ValueError("q has a quaternion of zeros")
            if status != _abi.SAR_OK:
                raise AssemblyError(text(library.sar_simulation_failure(s)) or text(library.sar_status_text(status)), verdict="no such state", status=status)
            self.steered = True
        return moved.value

    @property
    def energy(self) -> Energy:
        """Energies [J]."""
        with self._use as s:
            self._assemble(s)
            e = library.sar_simulation_energy(s)
        return Energy(e.kinetic, e.potential, e.work)

    @property
    def ledger(self) -> list[Account]:
        """Where the energy went, with the option `energy_ledger`: the sum of what is stored is the sum of what came in."""
        with self._use as s:
            self._assemble(s)
            count = library.sar_simulation_accounts(s, None, 0)
            rows = (_abi.sar_account * max(1, count))()
            library.sar_simulation_accounts(s, rows, count)
            return [Account(_ACCOUNTS[a.kind], text(a.name), bool(library.sar_account_is_stored(a.kind)), a.value) for a in rows[:count]]

    @property
    def statistics(self) -> dict[str, Any]:
        """Counts, drifts and violations of the steps so far, with the names of sar_statistics."""
        with self._use as s:
            return _as_dict(library.sar_simulation_statistics(s))

    @property
    def passages(self) -> list[Event]:
        """Singular configurations that were passed."""
        with self._use as s:
            return list(events(s, library.sar_simulation_singular_passes))

    @property
    def branch_changes(self) -> list[Event]:
        """Jumps to another branch of motion."""
        with self._use as s:
            return list(events(s, library.sar_simulation_branch_changes))

    def equilibrium(self) -> Equilibrium:
        """Say how the equilibrium at the start was found: of simulations with the option equilibrium=True."""
        with self._use as s:
            failure = None
            try:
                self._assemble(s)
            except AssemblyError as error:
                failure = error
            e = library.sar_simulation_equilibrium(s)
        if e.verdict not in _REST:
            raise failure or MethodError("no equilibrium was looked for: use model.equilibrium(), or the option equilibrium=True", verdict="not sought")
        if failure:
            return Equilibrium(_REST[e.verdict], e.iterations, e.freedoms, e.unstable, e.undetermined, e.residual, e.moved, e.frequency)
        return Equilibrium(_REST[e.verdict], e.iterations, e.freedoms, e.unstable, e.undetermined, e.residual, e.moved, e.frequency,
                           self.outputs, self.q, {name: self.reaction(name) for name in self._ids["joints"]})

    def modes(self) -> Modes:
        """Eigenvalues of small motions about the present state: frequencies, damping, stability, shapes."""
        with self._use as s:
            self._assemble(s)
            return modes_of(s, self._ids)

    def state_space(self, path: Any = None) -> StateSpace:
        """Linear equations about the present state, from the model's inputs to its outputs. `path`: write them to a .mat, .h5, .csv or .json file too."""
        with self._use as s:
            self._assemble(s)
            return state_space_of(s, path)

    def self_stress(self) -> SelfStress:
        """States of self-stress at the present position, and which reactions they leave unique."""
        with self._use as s:
            self._assemble(s)
            return self_stress_of(s, self._ids["joints"])

    def tolerances(self) -> Tolerances:
        """What tolerances of the model's numbers do at the present position: how far loops open, and forces of assembly."""
        with self._use as s:
            self._assemble(s)
            return tolerances_of(s, *self.model._text(), self._ids["joints"])

    def split_reactions(self, compliance: Mapping[str, Any]) -> dict[str, tuple[Array, Array]]:
        """Reactions of all joints with those that are not unique split by compliances.

        `compliance`: joint -> ([m/N] three numbers or one, [rad/(N m)] likewise), along the axes of its Uniqueness; joints without one are rigid;
        inf in all six: it carries only what others cannot.
        """
        with self._use as s:
            self._assemble(s)
            return split_of(s, self._ids["joints"], compliance)

    def check(self) -> Check:
        """Say what the mechanism is at its start."""
        with self._use as s:
            assembly = self._assemble(s)
            rank = library.sar_simulation_rank(s)
            joints = [self._joint_names(s, function) for function in
                      (library.sar_simulation_redundant_joints, library.sar_simulation_indeterminate_joints)]
        return Check(assembly, rank.coordinates, rank.constraints, rank.rank, rank.dof, rank.redundant, joints[0], joints[1])

    def _joint_names(self, s: int, function: Any) -> list[str]:
        names = (ctypes.c_char_p * max(1, len(self._ids["joints"])))()
        count = function(s, names, len(self._ids["joints"]))
        return [text(name) for name in names[:max(0, count)]]

    def __repr__(self) -> str:
        state = "closed" if self._handle is None else f"{text(self.options.formulation)}, {text(self.options.integrator)}"
        return f"<sarrus.Simulation: {state}>"


_exchange_step = library.sar_exchange_step


class Stepper:
    """Steps of a simulation with inputs and outputs in arrays: the least that a step can cost from Python.

        step = simulation.stepper()
        while step():
            step.inputs[0] = -2 * step.outputs[0]
    """

    def __init__(self, simulation: Simulation) -> None:
        simulation.assemble()
        self.simulation = simulation
        self.inputs = numpy.array(list(simulation.inputs.values()), dtype=numpy.float64)  #: for the next step
        self.outputs = simulation._values  #: after the last step
        self._time = numpy.full(1, simulation.time)
        self._exchange = _abi.sar_exchange(simulation._handle, pointer(self.inputs) if len(self.inputs) else None, pointer(self._time),
                                           pointer(self.outputs) if simulation._output_names else None)
        self._address = ctypes.addressof(self._exchange)
        self._acquire, self._release = simulation._lock.acquire, simulation._lock.release
        simulation.steered = True

    def __call__(self) -> bool:
        """Take a step with the present inputs; False at the end."""
        if not self._acquire(False):
            raise BusyError("another thread is using this simulation: give each thread its own", verdict="busy")
        try:
            if self.simulation._handle is not None and _exchange_step(self._address) == 0:
                return True
            return self._ended()
        finally:
            self._release()

    def _ended(self) -> bool:
        """Why there was no step."""
        s = self.simulation._handle
        if s is None:
            raise ClosedError("this simulation is closed", verdict="closed")
        if not numpy.isfinite(self.inputs).all():
            raise ValueError("an input is not finite")
        if not library.sar_simulation_done(s):
            raise self.simulation._failed(s, _abi.SAR_R_NO_CONV)
        return False

    @property
    def time(self) -> float:
        """Time after the last step [s]."""
        return float(self._time[0])


def _as_dict(structure: Any) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, kind in structure._fields_:
        value = getattr(structure, name)
        if isinstance(value, bytes):
            out[name] = text(value)
        elif hasattr(kind, "_fields_"):
            out[name] = _as_dict(value)
        else:
            out[name] = value
    return out


def events(s: int, function: Any) -> Iterator[Event]:
    """List the events of a simulation."""
    found = ctypes.c_void_p()
    count = function(s, ctypes.byref(found))
    if count > 0:
        for e in ctypes.cast(found, ctypes.POINTER(_abi.sar_event))[:count]:
            yield Event(e.t, e.rank, [name for name in text(e.joints).split(", ") if name])
