"""The map of a mechanism: all its configurations."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from . import _abi
from ._library import library, pointer, text
from .errors import AssemblyError, MethodError

if TYPE_CHECKING:
    from .model import Model

Array = NDArray[numpy.float64]


def _items(kind: Any, address: Any, count: int) -> list[Any]:
    """What a pointer of the library's points to."""
    first = ctypes.cast(address, ctypes.POINTER(kind))
    return [first[k] for k in range(count)]


@dataclass(frozen=True)
class Range:
    """Least and greatest value of a joint coordinate along a curve [rad] or [m]; turns: full revolutions of a closed one."""

    least: float
    greatest: float
    turns: int


@dataclass(frozen=True)
class Arc:
    """A curve of motion."""

    name: str
    component: int
    closed: bool
    freedoms: int  #: of velocities; more than 1: singular all along
    nodes: tuple[str | None, str | None]  #: where it begins and ends
    length: float
    ranges: dict[str, Range]
    dead_points: tuple[tuple[str, float, float], ...]  #: coordinate, where (0 ... 1), value
    stops: tuple[tuple[str, float, bool], ...]  #: name, where (0 ... 1), whether what comes after it is forbidden
    within: dict[str, Range] | None  #: ranges between stops alone; None: it crosses none
    beyond: bool  #: stops forbid all of it


@dataclass(frozen=True)
class Node:
    """A singular configuration at which curves meet."""

    name: str
    component: int
    freedoms: int
    motions: int
    dimension: int
    resolved: bool
    values: dict[str, float]
    curves: tuple[str, ...]


@dataclass(frozen=True)
class Component:
    """What is connected: to get from one to another the mechanism has to be taken apart."""

    name: str
    dimension: int
    arcs: int
    nodes: int
    seen: int
    has_start: bool
    values: dict[str, float]
    placement: int  #: of an assembly mode: those with the same one differ in bars that are rolled about their line


class Map:
    """Every curve of motion, where curves meet, how they connect, and how sure it is that nothing is missing.

        m = sarrus.load("four-bar.yaml").map()
        m.arcs["A1"].ranges["J1.angle"], m.nodes, m.components, m.unseen
        poses, velocities = m.pose("S1/2", speed=1.0)
    """

    def __init__(self, model: Model, locked: bool = False, starts: int | None = None) -> None:
        self._compiled = model.compiled()
        options = library.sar_map_options_default()
        options.locked = int(locked)
        if starts is not None:
            options.starts, options.most_starts = int(starts), max(int(starts), options.most_starts)
        handle, error = ctypes.c_void_p(), _abi.sar_error()
        status = library.sar_map_create(self._compiled.handle, ctypes.byref(options), ctypes.byref(handle), ctypes.byref(error))
        if status != _abi.SAR_OK:
            kind = AssemblyError if status == _abi.SAR_E_ASSEMBLY else MethodError
            raise kind(text(error.message), verdict="failed", status=status)
        self._handle: int | None = handle.value
        summary = library.sar_map_summarise(self._handle)
        self.start: str = text(summary.start)  #: where the drawn start is
        self.freedoms: int = summary.dimension  #: of the motion at the drawn start; -1: it is a singular configuration
        self.starts: int = summary.starts
        self.unseen: float = summary.unseen  #: at most this part of starts leads to something else, at 95 % confidence
        #: sum of the signs of det J of assembly modes, 0 where not one alone is missing; None: not for this mechanism
        self.balance: int | None = None if summary.balance == _abi.SAR_MAP_NO_BALANCE else summary.balance
        self.complete: bool = bool(summary.complete)
        self.quantities: list[str] = [text(q.name) for q in self._list("quantities")]  #: coordinates of joints
        arcs, nodes = self._list("arcs"), self._list("nodes")
        names = [text(n.name) for n in nodes]
        self.arcs: dict[str, Arc] = {text(a.name): self._arc(a, names) for a in arcs}
        self.nodes: dict[str, Node] = {text(n.name): self._node(n, arcs) for n in nodes}
        self.components: list[Component] = [
            Component(text(c.name), c.dimension, c.arcs, c.nodes, c.seen, bool(c.has_start), self._values(c.value), c.placement)
            for c in self._list("components")]

    def __repr__(self) -> str:
        modes = sum(c.dimension == 0 for c in self.components)
        return f"<sarrus.Map: {len(self.arcs)} curves, {len(self.nodes)} nodes, {len(self.components)} components" + \
               (f", {modes} of them assembly modes" if modes else "") + f"; {100 * self.unseen:.2g} % of starts may lead elsewhere>"

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library.sar_map_destroy(self._handle)
            self._handle = None

    def _list(self, what: str) -> list[Any]:
        of = {"quantities": "quantity", "arcs": "arc", "nodes": "node", "components": "component"}[what]
        first = ctypes.POINTER(getattr(_abi, f"sar_map_{of}"))()
        count = getattr(library, f"sar_map_{what}")(self._handle, ctypes.byref(first))
        return [first[k] for k in range(count)]

    def _values(self, numbers: Any) -> dict[str, float]:
        return dict(zip(self.quantities, _items(ctypes.c_double, numbers, len(self.quantities))))

    def _arc(self, a: Any, nodes: list[str]) -> Arc:
        def ranges(first: Any) -> dict[str, Range]:
            found = _items(_abi.sar_map_range, first, len(self.quantities))
            return {name: Range(r.least, r.greatest, r.turns) for name, r in zip(self.quantities, found)}

        dead = tuple((self.quantities[d.quantity], d.at, d.value) for d in _items(_abi.sar_map_dead_point, a.dead_point, a.dead_points))
        ends = [nodes[k] if k >= 0 else None for k in a.node]
        stops = tuple((text(s.name), s.at, bool(s.leaves)) for s in _items(_abi.sar_map_stop, a.stop, a.stops))
        return Arc(text(a.name), a.component, bool(a.closed), a.freedoms, (ends[0], ends[1]), a.length, ranges(a.range), dead,
                   stops, ranges(a.within) if a.within else None, bool(a.beyond))

    def _node(self, n: Any, arcs: list[Any]) -> Node:
        curves = tuple(text(arcs[h.arc].name) for h in _items(_abi.sar_map_half, n.half, n.halves) if h.arc >= 0)
        return Node(text(n.name), n.component, n.freedoms, n.motions, n.dimension, bool(n.resolved), self._values(n.value), curves)

    def _place(self, name: str) -> Any:
        place, error = _abi.sar_map_place(), _abi.sar_error()
        if library.sar_map_find(self._handle, name.encode(), ctypes.byref(place), ctypes.byref(error)) != _abi.SAR_OK:
            raise ValueError(text(error.message))
        return place

    def pose(self, name: str, speed: float = 0.0) -> tuple[Array, Array]:
        """Return poses (bodies x 7) and velocities (bodies x 6) at a place: "A1", "A1@0.25", "S1", "S1/2", "M1", "start"."""
        place, bodies = self._place(name), len(self._compiled.names("bodies")) - 1
        poses, velocities = numpy.zeros((bodies, 7)), numpy.zeros((bodies, 6))
        if library.sar_map_pose(self._handle, ctypes.byref(place), float(speed), pointer(poses), pointer(velocities)) != _abi.SAR_OK:
            raise ValueError(f"{name} cannot be reached")
        return poses, velocities

    def values(self, name: str) -> dict[str, float]:
        """Return all coordinates of joints at a place, angles between -pi and pi."""
        place, numbers = self._place(name), numpy.zeros(len(self.quantities))
        if library.sar_map_values(self._handle, ctypes.byref(place), pointer(numbers), None) != _abi.SAR_OK:
            raise ValueError(f"{name} cannot be reached")
        return {q: float(x) for q, x in zip(self.quantities, numbers)}
