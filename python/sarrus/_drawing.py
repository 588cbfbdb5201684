"""A picture of a mechanism as SVG, from the marks of the library."""
from __future__ import annotations

import ctypes
from typing import Any, Sequence

import numpy
from numpy.typing import NDArray

from . import _abi
from ._library import library, pointer, text
from .errors import SarrusError

_WIDTH, _HEIGHT = 480.0, 360.0
_COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377"]  # colour-blind safe


def _rotation(q: Any) -> NDArray[numpy.float64]:
    w, x, y, z = q
    return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def _view(dimension: int, up: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
    """Two rows: where right and upwards on paper are in space."""
    if dimension == 2:
        return numpy.array([[1.0, 0, 0], [0, 1.0, 0]])
    side = numpy.roll(up, 1)
    eye = up * 0.6 + side * 0.5 - numpy.roll(up, 2) * 0.8
    eye /= numpy.linalg.norm(eye)
    right = numpy.cross(up, eye)
    right /= numpy.linalg.norm(right)
    return numpy.array([right, numpy.cross(eye, right)])


def _shape(mark: Any, points: NDArray[numpy.float64], scale: float, colour: str) -> str:
    kind, d = mark.kind, " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
    width = max(1.0, 2 * mark.radius * scale)
    if kind in (_abi.SAR_MARK_CAPSULE, _abi.SAR_MARK_CYLINDER):
        cap = "round" if kind == _abi.SAR_MARK_CAPSULE else "butt"
        return f'<polyline points="{d}" fill="none" stroke="{colour}" stroke-width="{width:.2f}" stroke-linecap="{cap}"/>'
    if kind == _abi.SAR_MARK_BALL:
        return f'<circle cx="{points[0][0]:.2f}" cy="{points[0][1]:.2f}" r="{max(1.5, mark.radius * scale):.2f}" fill="{colour}"/>'
    if kind in (_abi.SAR_MARK_PLATE, _abi.SAR_MARK_POLYGON):
        return f'<polygon points="{d}" fill="{colour}" fill-opacity="0.6" stroke="{colour}" stroke-width="{width:.2f}" stroke-linejoin="round"/>'
    if kind == _abi.SAR_MARK_BOX:
        c, a, b, e = points[0], points[1] - points[0], points[2] - points[0], points[3] - points[0]
        corners = [c + i * a + j * b + k * e for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
        edges = [(i, j) for i in range(8) for j in range(i) if bin(i ^ j).count("1") == 1]
        path = " ".join(f"M{corners[i][0]:.2f},{corners[i][1]:.2f}L{corners[j][0]:.2f},{corners[j][1]:.2f}" for i, j in edges)
        return f'<path d="{path}" stroke="{colour}" fill="none"/>'
    dash = ' stroke-dasharray="4 2"' if kind == _abi.SAR_MARK_COIL else ""
    return f'<polyline points="{d}" fill="none" stroke="{colour}" stroke-width="1.2"{dash}/>'


def svg(compiled: Any, poses: Sequence[Any], row: int) -> str:
    """Draw the model at a row of its poses."""
    rows, bodies = len(poses[0].position), 1 + len(poses)
    table = numpy.zeros((rows, bodies, 7))
    table[:, 0, 3] = 1
    for k, pose in enumerate(poses):
        table[:, k + 1, :3], table[:, k + 1, 3:] = pose.position, pose.quaternion
    table = numpy.ascontiguousarray(table[numpy.isfinite(table).all(axis=(1, 2))])
    drawing, error = ctypes.c_void_p(), _abi.sar_error()
    if library.sar_drawing_create(compiled.handle, pointer(table), len(table), ctypes.byref(drawing), ctypes.byref(error)) != _abi.SAR_OK:
        raise SarrusError(text(error.message), verdict="not drawn")
    try:
        return _svg_of(drawing, table[row], int(library.sar_model_dimension(compiled.handle)))
    finally:
        library.sar_drawing_destroy(drawing)


def _svg_of(drawing: Any, poses: NDArray[numpy.float64], dimension: int) -> str:
    low, high, up = numpy.zeros(3), numpy.zeros(3), numpy.zeros(3)
    library.sar_drawing_bounds(drawing, pointer(low), pointer(high))
    library.sar_drawing_up(drawing, pointer(up))
    view = _view(dimension, up)
    corners = numpy.array([[(low, high)[i >> a & 1][a] for a in range(3)] for i in range(8)]) @ view.T
    size = library.sar_drawing_size(drawing)
    first, last = corners.min(axis=0) - 0.3 * size, corners.max(axis=0) + 0.3 * size
    scale = float(min(_WIDTH / (last[0] - first[0]), _HEIGHT / (last[1] - first[1])))
    shapes = []
    for k in range(library.sar_drawing_marks(drawing)):
        mark = ctypes.cast(library.sar_drawing_mark(drawing, k), ctypes.POINTER(_abi.sar_mark)).contents
        if mark.kind == _abi.SAR_MARK_MESH or not mark.points:
            continue
        local = numpy.ctypeslib.as_array(ctypes.cast(mark.points, ctypes.POINTER(ctypes.c_double)), (mark.count, 3))
        pair = mark.kind in (_abi.SAR_MARK_COIL, _abi.SAR_MARK_POT, _abi.SAR_MARK_BAR)
        owners = [mark.body] + [mark.other if pair else mark.body] * (mark.count - 1)
        world = numpy.array([poses[o][:3] + _rotation(poses[o][3:]) @ p for o, p in zip(owners, local)])
        paper = (world @ view.T - first) * scale
        paper[:, 1] = (last[1] - first[1]) * scale - paper[:, 1]
        own = f"#{mark.colour:06x}" if mark.colour >= 0 else _COLOURS[(mark.body - 1) % len(_COLOURS)]
        shapes.append(_shape(mark, paper, scale, own if mark.role in (_abi.SAR_ROLE_BODY, _abi.SAR_ROLE_STRIPE) else "#777777"))
    w, h = (last[0] - first[0]) * scale, (last[1] - first[1]) * scale
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{w:.0f}" height="{h:.0f}" viewBox="0 0 {w:.2f} {h:.2f}">{"".join(shapes)}</svg>'
