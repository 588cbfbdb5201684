"""Motions that drives prescribe: kinematics and inverse dynamics, without integration."""
from __future__ import annotations

import ctypes
from typing import Any, Iterable

import numpy

from . import _abi
from ._library import library, pointer, text
from .errors import AssemblyError, MethodError, ModelError, SimulationError
from .model import Compiled, Model
from .result import Array, Result


class _Motion:
    """The motion of the library, for the time of a call."""

    def __init__(self, compiled: Compiled, options: Any) -> None:
        handle, error = ctypes.c_void_p(), _abi.sar_error()
        status = library.sar_motion_create(compiled.handle, ctypes.byref(options), ctypes.byref(handle), ctypes.byref(error))
        if status != _abi.SAR_OK:
            kind = ModelError if status == _abi.SAR_E_MODEL else MethodError
            raise kind(text(error.message) or text(library.sar_status_text(status)), verdict="invalid", status=status)
        self.handle = handle.value

    def __enter__(self) -> int:
        assert self.handle is not None
        return self.handle

    def __exit__(self, *_: object) -> None:
        library.sar_motion_destroy(self.handle)
        self.handle = None


def _times(options: Any, times: Iterable[float] | None) -> Array:
    """Those given, or start, start + step, ..., end."""
    if times is not None:
        given = numpy.atleast_1d(numpy.asarray(times, dtype=numpy.float64))
        if given.ndim != 1 or not numpy.isfinite(given).all():
            raise ValueError("times must be a list of finite numbers [s]")
        return given
    count = max(1, round((options.end - options.start) / options.step))
    if count > 10000:  # as the program
        count = 10000
    evenly: Array = numpy.linspace(options.start, options.end, count + 1)
    return evenly


def _drives(compiled: Compiled) -> list[tuple[int, str]]:
    """Number and column of every drive: DRIVE.torque if it drives an angle, else DRIVE.force."""
    found, coordinate = [], ctypes.c_int()
    for k, name in enumerate(compiled.names("joints")):
        if library.sar_model_joint_is_drive(compiled.handle, k, ctypes.byref(coordinate)):
            turns = coordinate.value in (_abi.SAR_COORD_ANGLE, _abi.SAR_COORD_ANGLE_2)
            found.append((k, f"{name}.torque" if turns else f"{name}.force"))
    return found


def _raise(m: int, status: int, verdict: str) -> None:
    why = text(library.sar_motion_failure(m)) or text(library.sar_status_text(status))
    kind = AssemblyError if status == _abi.SAR_E_ASSEMBLY else ModelError if status == _abi.SAR_E_MODEL else SimulationError
    raise kind(why, verdict=verdict, status=status)


def follow(model: Model, options: Any, times: Iterable[float] | None, forces: bool) -> Result:
    """Positions, velocities and, if asked for, forces of drives and joints at some times."""
    compiled = model.compiled()
    at = _times(options, times)
    names, bodies, joints = compiled.names("outputs"), compiled.names("bodies")[1:], compiled.names("joints")
    drives = _drives(compiled) if forces else []
    outputs = numpy.full((len(at), max(1, len(names))), numpy.nan)
    effort = numpy.full((len(at), max(1, len(drives))), numpy.nan)
    motion = numpy.full((len(at), len(bodies), 13), numpy.nan)
    reaction = numpy.full((len(at), len(joints) if forces else 0, 6), numpy.nan)
    with _Motion(compiled, options) as m:
        status = library.sar_motion_assemble(m, None)
        if status != _abi.SAR_OK:
            _raise(m, status, "the motion is not determined" if status == _abi.SAR_E_MODEL else "cannot be assembled")
        for k, t in enumerate(at):
            status = library.sar_motion_go(m, t)
            if status != _abi.SAR_OK:
                _raise(m, status, f"failed at t = {t:.9g} s")
            library.sar_motion_outputs(m, pointer(outputs[k]))
            for b in range(len(bodies)):
                row = pointer(motion[k, b])
                library.sar_motion_pose(m, _abi.sar_body_id(b + 1), row, row + 24)
                library.sar_motion_velocity(m, _abi.sar_body_id(b + 1), row + 56, row + 80)
            for d, (joint, _) in enumerate(drives):
                library.sar_motion_drive_force(m, _abi.sar_joint_id(joint), pointer(effort[k]) + 8 * d)
            for j in range(reaction.shape[1]):
                row = pointer(reaction[k, j])
                library.sar_motion_reaction(m, _abi.sar_joint_id(j), row, row + 24)
    columns = dict(zip(names, outputs.T))
    columns.update({name: effort[:, d] for d, (_, name) in enumerate(drives)})
    parts = {"position": slice(0, 3), "quaternion": slice(3, 7), "velocity": slice(7, 10), "angular_velocity": slice(10, 13)}
    quantities = {f"bodies/{name}/{what}": motion[:, b, cut] for b, name in enumerate(bodies) for what, cut in parts.items()}
    for j in range(reaction.shape[1]):
        quantities[f"joints/{joints[j]}/force"], quantities[f"joints/{joints[j]}/torque"] = reaction[:, j, :3], reaction[:, j, 3:]
    result = Result(at, columns, quantities)
    result.verdict = "completed"
    result.units = {name: text(library.sar_model_output_unit(compiled.handle, k)) for k, name in enumerate(names)}
    result.units.update({name: "N m" if name.endswith(".torque") else "N" for _, name in drives})
    return result
