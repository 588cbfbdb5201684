"""Small motions about a state: modes, and the linear equations as a state space."""
from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from . import _abi
from ._library import library, text
from .errors import SimulationError

Array = NDArray[numpy.float64]
_ABOUT = {_abi.SAR_MODES_EQUILIBRIUM: "equilibrium", _abi.SAR_MODES_STEADY: "steady motion", _abi.SAR_MODES_FROZEN: "frozen"}


@dataclass(frozen=True)
class Mode:
    """An eigenvalue, or a conjugate pair: motions grow as exp(eigenvalue t)."""

    eigenvalue: complex  #: [1/s]; of a pair the one with a positive imaginary part
    frequency: float  #: [Hz]
    damping: float  #: ratio
    stability: int  #: -1: it decays, 0: it does neither, 1: it grows
    branch: int  #: of the motions that meet in a singular configuration
    energies: dict[str, float]  #: part of each body in the kinetic energy
    velocities: dict[str, NDArray[numpy.complex128]]  #: of each body's origin; the fastest moves by one size of the model
    angular_velocities: dict[str, NDArray[numpy.complex128]]  #: of each body
    joints: dict[str, tuple[float, float]]  #: rotation [rad] and displacement [m] of each joint


@dataclass(frozen=True)
class Modes:
    """Small motions about a state."""

    about: str  #: "equilibrium", "steady motion", or "frozen": eigenvalues are of equations that change with time
    time: float
    degrees_of_freedom: int
    zeros: int  #: eigenvalues that are zero: positions and rates that nothing holds
    zero_bodies: str  #: that move along those
    unstable: int  #: modes that grow
    marginal: int  #: that neither grow nor decay
    singular: int  #: number of motions that meet here; 0: a regular configuration
    modes: list[Mode]

    @property
    def eigenvalues(self) -> NDArray[numpy.complex128]:
        """All that are not zero, both of a pair."""
        values = [m.eigenvalue for m in self.modes]
        return numpy.array(values + [v.conjugate() for v in values if v.imag > 0], dtype=complex)


@dataclass(frozen=True)
class StateSpace:
    """dx/dt = A x + B u, y = y0 + C x + D u about a state, with u and x changes from it."""

    A: Array
    B: Array
    C: Array
    D: Array
    u0: Array
    y0: Array
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    about: str

    def response(self, frequency: Any) -> NDArray[numpy.complex128]:
        """C (i w - A)^-1 B + D at each frequency [Hz]: an array of frequencies, outputs, inputs."""
        s = 2j * numpy.pi * numpy.atleast_1d(numpy.asarray(frequency, dtype=float))
        one = numpy.eye(len(self.states))
        return numpy.array([self.C @ numpy.linalg.solve(x * one - self.A, self.B) + self.D for x in s])


@dataclass(frozen=True)
class Uniqueness:
    """Which components of a joint's reaction are unique, along its own axes."""

    force: tuple[bool, ...]
    torque: tuple[bool, ...]
    directions: int  #: independent combinations that are not
    axes: Array  #: rows: normal, across and axis of the joint's end a, in world axes


@dataclass(frozen=True)
class SelfStress:
    """Reactions that balance each other without a load, and what they leave undetermined."""

    states: list[dict[str, tuple[Array, Array]]]  #: force and torque of every joint in each state
    unique: dict[str, Uniqueness]

    @property
    def count(self) -> int:
        """How many independent states there are."""
        return len(self.states)


def _fail(status: int, error: Any) -> SimulationError:
    return SimulationError(text(error.message) or text(library.sar_status_text(status)), verdict="failed", status=status)


def _mode(handle: Any, k: int, m: Any, ids: Any) -> Mode:
    energies, velocities, angular, joints = {}, {}, {}, {}
    motion, turn, move = _abi.sar_mode_motion(), ctypes.c_double(), ctypes.c_double()
    for name, body in ids["bodies"].items():
        if body == 0 or library.sar_mode_body(handle, k, _abi.sar_body_id(body), ctypes.byref(motion)) != _abi.SAR_OK:
            continue
        energies[name] = motion.energy
        velocities[name] = numpy.array(motion.velocity[:3]) + 1j * numpy.array(motion.velocity[3:])
        angular[name] = numpy.array(motion.angular[:3]) + 1j * numpy.array(motion.angular[3:])
    for name, joint in ids["joints"].items():
        if library.sar_mode_joint(handle, k, _abi.sar_joint_id(joint), ctypes.byref(turn), ctypes.byref(move)) == _abi.SAR_OK:
            joints[name] = (turn.value, move.value)
    return Mode(complex(m.re, m.im), m.frequency, m.damping, m.stability, m.branch, energies, velocities, angular, joints)


def modes_of(s: int, ids: Any) -> Modes:
    """Modes at the present state of an assembled simulation."""
    handle, error, first = ctypes.c_void_p(), _abi.sar_error(), ctypes.c_void_p()
    status = library.sar_modes_create(s, ctypes.byref(handle), ctypes.byref(error))
    if status != _abi.SAR_OK:
        raise _fail(status, error)
    try:
        z = library.sar_modes_summarise(handle)
        count = library.sar_modes_list(handle, ctypes.byref(first))
        found = (_abi.sar_mode * count).from_address(first.value) if count else []
        return Modes(_ABOUT[z.about], z.t, z.freedoms, z.zeros, text(z.zero_bodies), z.unstable, z.marginal, z.singular,
                     [_mode(handle, k, m, ids) for k, m in enumerate(found)])
    finally:
        library.sar_modes_destroy(handle)


@dataclass(frozen=True)
class Change:
    """A value of a parameter at which the number of modes that grow changes."""

    value: float
    error: float  #: half of the interval that is left
    before: int  #: modes that grow below it
    after: int  #: and above
    eigenvalue: complex  #: there


@dataclass(frozen=True)
class Scan:
    """Modes over a parameter."""

    values: Array
    eigenvalues: list[NDArray[numpy.complex128]]  #: for each value those that are not zero, of a pair one; empty where there are none
    failures: dict[float, str]  #: values without modes, and why
    changes: list[Change]


def scan_of(source: bytes, name: bytes, settings: Any, count: int, parameter: str, values: tuple[float, float, int], equilibrium: bool) -> Scan:
    """Modes for many values of a parameter, and where stability changes."""
    opened, handle, error, first = ctypes.c_void_p(), ctypes.c_void_p(), _abi.sar_error(), ctypes.c_void_p()
    status = library.sar_source_open(source, len(source), name, ctypes.byref(opened))
    if status != _abi.SAR_OK:
        raise _fail(status, error)
    task = _abi.sar_modes_scan_task()
    task.parameter, task.points, task.settings_count, task.equilibrium = parameter.encode(), values[2], count, int(equilibrium)
    task.settings = ctypes.cast(settings, ctypes.c_void_p)
    setattr(task, "from", float(values[0]))
    task.to = float(values[1])
    try:
        status = library.sar_modes_scan_create(opened, ctypes.byref(task), ctypes.byref(handle), ctypes.byref(error))
        if status != _abi.SAR_OK:
            raise _fail(status, error)
        found, at, failures = [], [], {}
        for p in (_abi.sar_modes_point * library.sar_modes_scan_points(handle, ctypes.byref(first))).from_address(first.value or 0):
            at.append(p.value)
            modes = (_abi.sar_mode * p.summary.modes).from_address(p.mode) if p.status == _abi.SAR_OK and p.summary.modes else []
            found.append(numpy.array([complex(m.re, m.im) for m in modes], dtype=complex))
            if p.status != _abi.SAR_OK:
                failures[p.value] = text(p.failure)
        number = library.sar_modes_scan_changes(handle, ctypes.byref(first))
        listed = (_abi.sar_modes_change * number).from_address(first.value) if number else []
        changes = [Change(c.value, c.error, c.before, c.after, complex(c.re, c.im)) for c in listed]
        return Scan(numpy.array(at), found, failures, changes)
    finally:
        library.sar_modes_scan_destroy(handle)
        library.sar_source_close(opened)


def _matrix(address: int | None, rows: int, cols: int) -> Array:
    if not address or rows * cols == 0:
        return numpy.zeros((rows, cols))
    return numpy.array((ctypes.c_double * (rows * cols)).from_address(address)).reshape(rows, cols)


def _names(address: int | None, count: int) -> list[str]:
    return [text(name) for name in (ctypes.c_char_p * count).from_address(address)] if address and count else []


def state_space_of(s: int, path: str | os.PathLike[str] | None) -> StateSpace:
    """The linear equations at the present state, written to a file too if there is a path."""
    handle, error = ctypes.c_void_p(), _abi.sar_error()
    status = library.sar_state_space_create(s, ctypes.byref(handle), ctypes.byref(error))
    if status != _abi.SAR_OK:
        raise _fail(status, error)
    try:
        if path is not None:
            status = library.sar_state_space_write(handle, os.fsencode(path), ctypes.byref(error))
            if status != _abi.SAR_OK:
                raise _fail(status, error)
        z = library.sar_state_space_system(handle)
        n, m, p = z.states, z.inputs, z.outputs
        return StateSpace(_matrix(z.A, n, n), _matrix(z.B, n, m), _matrix(z.C, p, n), _matrix(z.D, p, m), _matrix(z.u_0, m, 1)[:, 0],
                          _matrix(z.y_0, p, 1)[:, 0], _names(z.state, n), _names(z.input, m), _names(z.output, p), _ABOUT[z.about])
    finally:
        library.sar_state_space_destroy(handle)


@dataclass(frozen=True)
class Dimension:
    """A number of the model with a tolerance, and what it does."""

    name: str
    tolerance: float
    opening: float  #: [m] per unit of it, with its sign
    share: float  #: of the statistical opening, squared
    keeps: bool  #: loops close with any value of it


@dataclass(frozen=True)
class Tolerances:
    """By how much tolerances open loops at a position, and forces [N] and torques [N m] of assembly by joint: (worst, statistical) of each."""

    self_stresses: int
    singular: int  #: of these only in this configuration
    worst: float  #: [m]
    statistical: float  #: [m]
    dimensions: list[Dimension]
    forces: dict[str, tuple[float, float, float, float]] | None  #: None: no compliance meets some state of self-stress


def _make_twins(twins: Any, source: ctypes.c_void_p, settings: Any, count: int, dimensions: Any) -> None:
    """Two models of each dimension, to be destroyed."""
    for k, (name, value, tolerance) in enumerate(dimensions):
        change = 1e-5 * max(abs(value), 1e3 * tolerance) or 1e-6
        twins[k].name, twins[k].tolerance, twins[k].change = name, tolerance, change
        for key, sign in (("more", 1.0), ("less", -1.0)):
            model = ctypes.c_void_p()
            library.sar_source_change(source, k, sign * change)
            status = library.sar_source_model(source, settings, count, ctypes.byref(model), None, None)
            if status != _abi.SAR_OK:
                raise SimulationError(f"the model is not valid with {text(name)} changed by {change:.2g}", verdict="failed", status=status)
            setattr(twins[k], key, model.value)


def tolerances_of(s: int, raw: bytes, path: bytes, given: Any, joints: dict[str, int]) -> Tolerances:
    """Of the model in `raw`, at the present position of its simulation."""
    source, model, handle, error = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p(), _abi.sar_error()
    settings = (_abi.sar_setting * max(1, len(given)))()
    for pair, (name, value) in zip(settings, given.items()):
        pair.name, pair.value = name.encode(), (value if isinstance(value, str) else repr(float(value))).encode()
    twins: Any = None
    known: list[tuple[bytes, float, float]] = []
    library.sar_source_open(raw, len(raw), path, ctypes.byref(source))
    try:
        if library.sar_source_model(source, settings, len(given), ctypes.byref(model), None, None) == _abi.SAR_OK:
            library.sar_model_destroy(model)
        found = ctypes.POINTER(_abi.sar_dimension)()
        count = library.sar_source_dimensions(source, ctypes.byref(found))
        known = [(bytes(found[k].name), found[k].value, found[k].tolerance) for k in range(count)]
        twins = (_abi.sar_dimension_twins * max(1, count))()
        _make_twins(twins, source, settings, len(given), known)
        status = library.sar_tolerances_create(s, twins, count, ctypes.byref(handle), ctypes.byref(error))
        if status == _abi.SAR_OK:
            status = library.sar_tolerances_look(handle)
        if status != _abi.SAR_OK:
            raise _fail(status, error)
        o, e, f = library.sar_tolerances_opening(handle), _abi.sar_dimension_effect(), _abi.sar_assembly_force()
        effects, forces = [], {}
        for k in range(count):
            library.sar_tolerances_dimension(handle, k, ctypes.byref(e))
            effects.append(Dimension(text(e.name), e.tolerance, e.opening, e.share, bool(e.keeps)))
        for name, joint in joints.items():
            library.sar_tolerances_joint(handle, _abi.sar_joint_id(joint), ctypes.byref(f))
            forces[name] = (f.worst, f.statistical, f.torque_worst, f.torque_statistical)
        return Tolerances(o.states, o.extra, o.worst, o.statistical, effects, forces if o.forces else None)
    finally:
        library.sar_tolerances_destroy(handle)
        for k in range(len(known) if twins is not None else 0):
            library.sar_model_destroy(twins[k].more)
            library.sar_model_destroy(twins[k].less)
        library.sar_source_close(source)


def _stress(s: int) -> ctypes.c_void_p:
    handle, error = ctypes.c_void_p(), _abi.sar_error()
    status = library.sar_self_stress_create(s, ctypes.byref(handle), ctypes.byref(error))
    if status != _abi.SAR_OK:
        raise _fail(status, error)
    return handle


def self_stress_of(s: int, joints: dict[str, int]) -> SelfStress:
    """States of self-stress at the present position."""
    handle, u = _stress(s), _abi.sar_uniqueness()
    force, torque = (ctypes.c_double * 3)(), (ctypes.c_double * 3)()
    try:
        states: list[dict[str, tuple[Array, Array]]] = []
        for k in range(library.sar_self_stress_count(handle)):
            states.append({})
            for name, joint in joints.items():
                library.sar_self_stress_joint(handle, k, _abi.sar_joint_id(joint), force, torque)
                states[-1][name] = (numpy.array(force), numpy.array(torque))
        unique = {}
        for name, joint in joints.items():
            library.sar_self_stress_uniqueness(handle, _abi.sar_joint_id(joint), ctypes.byref(u))
            unique[name] = Uniqueness(tuple(map(bool, u.force)), tuple(map(bool, u.torque)), u.directions, numpy.array(u.axes).reshape(3, 3))
        return SelfStress(states, unique)
    finally:
        library.sar_self_stress_destroy(handle)


def split_of(s: int, joints: dict[str, int], compliance: Any) -> dict[str, tuple[Array, Array]]:
    """Reactions split by compliances: (three displacements by forces, three rotations by torques) of each joint; others are rigid."""
    unknown = set(compliance) - set(joints)
    if unknown:
        raise SimulationError(f"no joint {', '.join(sorted(unknown))}", verdict="failed")
    given = (_abi.sar_compliance * max(1, len(joints)))()
    for name, values in compliance.items():
        linear, angular = values if isinstance(values, (tuple, list)) else (values, values)
        given[joints[name]].displacement[:] = list(numpy.broadcast_to(numpy.asarray(linear, dtype=float), 3))
        given[joints[name]].rotation[:] = list(numpy.broadcast_to(numpy.asarray(angular, dtype=float), 3))
    force, torque = numpy.zeros((len(joints), 3)), numpy.zeros((len(joints), 3))
    handle = _stress(s)
    try:
        status = library.sar_self_stress_split(handle, given, force.ctypes.data, torque.ctypes.data, None)
    finally:
        library.sar_self_stress_destroy(handle)
    if status != _abi.SAR_OK:
        raise SimulationError("some self-stress meets no compliance: give more joints one", verdict="failed", status=status)
    return {name: (force[k], torque[k]) for name, k in joints.items()}
