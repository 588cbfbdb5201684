"""Poses: the configuration nearest to what is wanted."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy

from . import _abi
from ._library import library, text
from .errors import AssemblyError, ModelError, SimulationError
from .model import Model
from .result import Array

_ROLES = {"want": _abi.SAR_POSE_WANT, "keep": _abi.SAR_POSE_KEEP, "prefer": _abi.SAR_POSE_PREFER, "limit": _abi.SAR_POSE_LIMIT}


@dataclass(frozen=True)
class PoseReport:
    """How near a pose came."""

    met: bool  #: all that is wanted is met, within the limits
    distance: float  #: root of the weighted sum of squares, lengths in sizes of the model
    misses: dict[str, float]  #: by how much, in SI units; what is met is not in it
    values: dict[str, float]  #: of all rows
    start: dict[str, float]  #: the pose as start conditions of the model
    starts: int  #: from how many places it was sought
    elsewhere: bool  #: found from a random place: whether a motion leads there is not known
    iterations: int
    freedoms: int


def _rows(groups: Mapping[str, Any]) -> list[tuple[int, str, float, float, float, float]]:
    """Role, expression, value, weight, lower, upper of everything that is asked for."""
    out = []
    for role, given in groups.items():
        names = [given] if isinstance(given, str) else given or ()
        pairs: Any = given.items() if isinstance(given, Mapping) else [(name, None) for name in names]
        for name, value in pairs:
            if role == "limit":
                low, high = value
                out.append((_ROLES[role], name, 0.0, 1.0, -numpy.inf if low is None else float(low), numpy.inf if high is None else float(high)))
                continue
            number, weight = value if isinstance(value, tuple) else (value, 1.0)
            out.append((_ROLES[role], name, numpy.nan if number is None else float(number), float(weight), -numpy.inf, numpy.inf))
    return out


class Pose:
    """A pose of a model, which goes from target to target.

        arm = sarrus.Pose(model, want={"hand.tip.x": 0.3, "hand.tip.y": (0.1, 5.0)}, limit={"J1.angle": (-1, 1)})
        arm.solve().start            # {"J1.angle": ...}
        arm.solve({"hand.tip.x": 0.31}, starts=0)

    `want`, `prefer`: expression -> value or (value, weight); None: as at the start. `keep`: names, or name -> value. `limit`: name -> (lower, upper).
    """

    def __init__(self, model: Model, want: Any = None, keep: Any = None, prefer: Any = None, limit: Any = None) -> None:
        self._compiled = model.compiled()
        groups = _rows({"want": want, "keep": keep, "prefer": prefer, "limit": limit})
        rows = (_abi.sar_pose_row * max(1, len(groups)))()
        kept = []  # texts live until the pose is there
        for row, (role, name, value, weight, low, high) in zip(rows, groups):
            kept.append(name.encode())
            row.role, row.expression, row.value, row.weight, row.lower, row.upper = role, kept[-1], value, weight, low, high
        handle, error = ctypes.c_void_p(), _abi.sar_error()
        status = library.sar_pose_create(self._compiled.handle, ctypes.byref(self._compiled.options), rows, len(groups), ctypes.byref(handle), ctypes.byref(error))
        if status != _abi.SAR_OK:
            kind = AssemblyError if status == _abi.SAR_E_ASSEMBLY else ModelError
            raise kind(text(error.message) or text(library.sar_status_text(status)), verdict="invalid", status=status)
        self._handle: int | None = handle.value
        self.rows = [text(library.sar_pose_row_name(self._handle, k)) for k in range(library.sar_pose_rows(self._handle))]
        self.names = [text(library.sar_pose_start_name(self._handle, k)) for k in range(library.sar_pose_starts(self._handle))]

    def __repr__(self) -> str:
        return f"<sarrus.Pose: {', '.join(self.rows)}>"

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library.sar_pose_destroy(self._handle)
            self._handle = None

    def _row(self, name: str) -> int:
        if name not in self.rows:
            raise ModelError(f"nothing is wanted of {name!r}: there are {', '.join(self.rows)}", verdict="invalid")
        return self.rows.index(name)

    def solve(self, values: Mapping[str, float] | None = None, starts: int = 64) -> PoseReport:
        """Go to the nearest pose from here; where something is missed, look from `starts` other places too."""
        for name, value in (values or {}).items():
            if library.sar_pose_set(self._handle, self._row(name), float(value)) != _abi.SAR_OK:
                raise ModelError(f"{name!r} cannot have the value {value}", verdict="invalid")
        report = _abi.sar_pose_report()
        self._check(library.sar_pose_solve(self._handle, starts, ctypes.byref(report)))
        at, miss, found, misses = ctypes.c_double(), ctypes.c_double(), {}, {}
        for k, name in enumerate(self.rows):
            library.sar_pose_row_value(self._handle, k, ctypes.byref(at), ctypes.byref(miss))
            found[name] = at.value
            if miss.value:
                misses[name] = miss.value
        start = {name: library.sar_pose_start_value(self._handle, k) for k, name in enumerate(self.names)}
        return PoseReport(bool(report.met), report.distance, misses, found, start, report.starts, bool(report.elsewhere), report.iterations, report.freedoms)

    @staticmethod
    def _check(status: int) -> None:
        if status == _abi.SAR_R_NO_CONV:
            raise SimulationError("no pose was found in which the loops close and what is kept holds", verdict="failed", status=status)
        if status != _abi.SAR_OK:
            raise SimulationError(text(library.sar_status_text(status)), verdict="failed", status=status)

    def table(self, names: Sequence[str], values: Any, starts: int = 64) -> tuple[Array, Array]:
        """Many poses, each from the one before: their start conditions (rows x `names` of the pose), and how near each came."""
        wanted = numpy.ascontiguousarray(values, dtype=numpy.float64).reshape(-1, len(names))
        rows = (ctypes.c_int * len(names))(*(self._row(name) for name in names))
        reports = (_abi.sar_pose_report * max(1, len(wanted)))()
        shown = numpy.zeros((len(wanted), len(self.names)))
        self._check(library.sar_pose_table(self._handle, starts, len(wanted), len(names), rows, wanted.ctypes.data, reports, shown.ctypes.data))
        return shown, numpy.array([r.distance for r in reports][:len(wanted)])

    def reset(self) -> None:
        """Back to the start of the model."""
        library.sar_pose_reset(self._handle)

    def body(self, name: str) -> tuple[Array, Array]:
        """Position of a body's origin, and its quaternion (w, x, y, z)."""
        position, quaternion = (ctypes.c_double * 3)(), (ctypes.c_double * 4)()
        library.sar_pose_body(self._handle, _abi.sar_body_id(self._compiled.names("bodies").index(name)), position, quaternion)
        return numpy.array(position), numpy.array(quaternion)
