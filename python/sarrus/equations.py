"""The equations of motion as NumPy arrays, for methods, controllers and estimators of one's own."""
from __future__ import annotations

import ctypes
import functools
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import numpy
from numpy.typing import NDArray

from . import _abi
from ._library import library, pointer, text
from .errors import AssemblyError, MethodError, ModelError, SimulationError

if TYPE_CHECKING:
    from .model import Model
    from .simulation import Simulation

Array = NDArray[numpy.float64]
_NAME = 256


def _raise(status: int, why: str) -> None:
    kind = {_abi.SAR_E_ASSEMBLY: AssemblyError, _abi.SAR_E_MODEL: ModelError}.get(status, MethodError if status < 0 else SimulationError)
    raise kind(why or text(library.sar_status_text(status)), verdict="failed", status=status)


class Equations:
    """M(q) a + Phi_q' lambda = Q(t, q, v), Phi(t, q) = 0, with K = -dQ/dq and C = -dQ/dv, at any state.

        e = sarrus.load("four-bar.yaml").equations("natural")
        t, q, v = e.start
        at = e(t, q, v)
        at.M, at.Q, at.Phi_q, at.bias

    Numbers are in the units of the model file. Redundant rows stay.
    """

    def __init__(self, model: Model, coordinates: str = "natural") -> None:
        self._compiled = model.compiled()
        handle, error = ctypes.c_void_p(), _abi.sar_error()
        status = library.sar_equations_create(self._compiled.handle, str(coordinates).encode(), ctypes.byref(handle), ctypes.byref(error))
        if status != _abi.SAR_OK:
            _raise(status, text(error.message))
        self._handle: int | None = handle.value
        size = library.sar_equations_sizes(self._handle)
        self.coordinates = coordinates
        self.positions: list[str] = self._names(_abi.SAR_LABEL_POSITION, size.positions)  #: names of the numbers of q
        self.velocities: list[str] = self._names(_abi.SAR_LABEL_VELOCITY, size.velocities)  #: of v and a
        self.constraints: list[str] = self._names(_abi.SAR_LABEL_CONSTRAINT, size.constraints)  #: joint or body of every row
        self.nonholonomic: int = size.nonholonomic  #: rows on velocities alone, the last ones
        self.states: int = size.states  #: the last numbers of q and v are states of forces

    def _names(self, of: int, count: int) -> list[str]:
        room, names = ctypes.create_string_buffer(_NAME), []
        for k in range(count):
            library.sar_equations_name(self._handle, of, k, room, _NAME)
            names.append(text(room.value))
        return names

    def __repr__(self) -> str:
        return f"<sarrus.Equations: {self.coordinates}, {len(self.positions)} positions, {len(self.velocities)} velocities, " \
               f"{len(self.constraints)} constraints>"

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library.sar_equations_destroy(self._handle)
            self._handle = None

    def _state(self) -> tuple[Any, Array, Array]:
        return ctypes.c_double(), numpy.zeros(len(self.positions)), numpy.zeros(len(self.velocities))

    @property
    def start(self) -> tuple[float, Array, Array]:
        """Time, positions and velocities of the assembled start."""
        t, q, v = self._state()
        library.sar_equations_start(self._handle, ctypes.byref(t), pointer(q), pointer(v))
        return t.value, q, v

    def take(self, simulation: Simulation) -> tuple[float, Array, Array]:
        """Time, positions and velocities of a simulation of the same Model object, in these coordinates."""
        t, q, v = self._state()
        with simulation._use as s:
            status = library.sar_equations_take(self._handle, s, ctypes.byref(t), pointer(q), pointer(v))
        if status != _abi.SAR_OK:
            _raise(status, "the simulation is of another model, or not assembled, or a phase or a contact has changed its joints")
        return t.value, q, v

    def set_input(self, name: str, value: float) -> None:
        """Give an input a value from now on."""
        names = self._compiled.names("inputs")
        if name not in names:
            raise ValueError(f"there is no input {name!r}; the model has: {', '.join(names) or 'none'}")
        if library.sar_equations_set_input(self._handle, names.index(name), float(value)) != _abi.SAR_OK:
            raise ValueError(f"the input {name!r} must be a finite number, not {value!r}")

    def _numbers(self, x: Any, count: int, what: str) -> Array:
        array = numpy.ascontiguousarray(x, dtype=numpy.float64)
        if array.shape != (count,):
            raise ValueError(f"{what} must have {count} numbers, not the shape {array.shape}")
        return array

    def __call__(self, t: float, q: Any, v: Any = None) -> State:
        """Evaluate everything at a state; v: rest, if not given."""
        q = self._numbers(q, len(self.positions), "q")
        v = self._numbers(numpy.zeros(len(self.velocities)) if v is None else v, len(self.velocities), "v")
        status = library.sar_equations_evaluate(self._handle, float(t), pointer(q), pointer(v))
        if status != _abi.SAR_OK:
            _raise(status, "a force or a drive has no finite value there")
        return State(self, float(t), q, v)

    def move(self, q: Any, d: Any) -> Array:
        """Return the positions to which the change d, a number per velocity, leads from q: q + d where positions are vectors."""
        q, d = self._numbers(q, len(self.positions), "q"), self._numbers(d, len(self.velocities), "d")
        out = numpy.empty(len(self.positions))
        library.sar_equations_move(self._handle, pointer(q), pointer(d), pointer(out))
        return out

    def rates(self, q: Any, v: Any) -> Array:
        """Return dq/dt at the velocity v: v itself where positions are vectors."""
        q, v = self._numbers(q, len(self.positions), "q"), self._numbers(v, len(self.velocities), "v")
        out = numpy.empty(len(self.positions))
        library.sar_equations_rates(self._handle, pointer(q), pointer(v), pointer(out))
        return out


class State:
    """The equations at one state: dense matrices; `sparse` gives compressed rows.

    What is not among the attributes that are computed at once, `sparse`, `hessian`, `output`, `independent` and what concerns
    bodies, is that of the last call of the equations.
    """

    def __init__(self, of: Equations, t: float, q: Array, v: Array) -> None:
        self._of, self.t, self.q, self.v = of, t, q, v
        self._handle = of._handle
        n, m = len(of.velocities), len(of.constraints)
        self.M = self._dense(_abi.SAR_MATRIX_MASS, n, n)  #: mass matrix
        self.K = self._dense(_abi.SAR_MATRIX_STIFFNESS, n, n)  #: -dQ/dq
        self.C = self._dense(_abi.SAR_MATRIX_DAMPING, n, n)  #: -dQ/dv
        self.Phi_q = self._dense(_abi.SAR_MATRIX_JACOBIAN, m, n)  #: Jacobian of the constraints
        self.Phi_q_rate = self._dense(_abi.SAR_MATRIX_JACOBIAN_RATE, m, n)  #: its rate along v
        self.Q = self._vector(_abi.SAR_VECTOR_FORCE, n)  #: applied forces, and inertial ones of v
        self.Phi = self._vector(_abi.SAR_VECTOR_PHI, m)
        self.Phi_t = self._vector(_abi.SAR_VECTOR_PHI_T, m)
        self.bias = self._vector(_abi.SAR_VECTOR_BIAS, m)  #: Phi_q a + bias = 0
        self.kinetic = library.sar_equations_kinetic_energy(self._handle)
        self.potential = library.sar_equations_potential_energy(self._handle)

    def _dense(self, which: int, rows: int, columns: int) -> Array:
        out = numpy.zeros((rows, columns))
        if out.size:
            library.sar_equations_dense(self._handle, which, pointer(out))
        return out

    def _vector(self, which: int, count: int) -> Array:
        at = library.sar_equations_get(self._handle, which)
        if not count or not at:
            return numpy.zeros(count)
        return numpy.array((ctypes.c_double * count).from_address(at))

    def sparse(self, name: str) -> tuple[Array, NDArray[numpy.int32], NDArray[numpy.int32], tuple[int, int]]:
        """Return (data, indices, indptr, shape) of "M", "K", "C", "Phi_q" or "Phi_q_rate", as scipy.sparse.csr_array takes them."""
        which = {"M": _abi.SAR_MATRIX_MASS, "K": _abi.SAR_MATRIX_STIFFNESS, "C": _abi.SAR_MATRIX_DAMPING,
                 "Phi_q": _abi.SAR_MATRIX_JACOBIAN, "Phi_q_rate": _abi.SAR_MATRIX_JACOBIAN_RATE}
        if name not in which:
            raise ValueError(f"there is no matrix {name!r}: {', '.join(which)}")
        a = library.sar_equations_sparse(self._handle, which[name])
        start = numpy.array((ctypes.c_int32 * (a.rows + 1)).from_address(a.start))
        entries = int(start[-1])
        data = numpy.array((ctypes.c_double * entries).from_address(a.value)) if entries else numpy.zeros(0)
        column = numpy.array((ctypes.c_int32 * entries).from_address(a.column)) if entries else numpy.zeros(0, numpy.int32)
        return data, column, start, (a.rows, a.columns)

    def hessian(self, multipliers: Any) -> Array:
        """Return d(Phi_q' lambda)/dq, the geometric stiffness of constraint forces."""
        n = len(self._of.velocities)
        x = self._of._numbers(multipliers, len(self._of.constraints), "multipliers")
        out = numpy.zeros((n, n))
        library.sar_equations_hessian(self._handle, pointer(x), pointer(out))
        return out

    def _body(self, name: str) -> Any:
        names = self._of._compiled.names("bodies")
        if name not in names:
            raise ValueError(f"there is no body {name!r}; the model has: {', '.join(names)}")
        return _abi.sar_body_id(names.index(name))

    def jacobian(self, body: str, point: Sequence[float] = (0, 0, 0)) -> Array:
        """Return J, six rows: J v is the velocity of a point of the body (in its frame) and its angular velocity, in world axes."""
        at = self._of._numbers(point, 3, "point")
        out = numpy.zeros((6, len(self._of.velocities)))
        library.sar_equations_body_jacobian(self._handle, self._body(body), pointer(at), pointer(out))
        return out

    def inertia(self, body: str) -> tuple[Array, float, Array]:
        """Return the centre of mass [m], the mass [kg] and the inertia about the centre [kg m^2], in world axes."""
        center, inertia, mass = numpy.zeros(3), numpy.zeros((3, 3)), ctypes.c_double()
        library.sar_equations_body_inertia(self._handle, self._body(body), pointer(center), ctypes.byref(mass), pointer(inertia))
        return center, mass.value, inertia

    def output(self, name: str) -> Output:
        """Return an output of the model and its exact slopes along changes of q, v and t."""
        names = self._of._compiled.names("outputs")
        if name not in names:
            raise ValueError(f"there is no output {name!r}; the model has: {', '.join(names) or 'none'}")
        value, by_t, error = ctypes.c_double(), ctypes.c_double(), _abi.sar_error()
        by_q, by_v = numpy.zeros(len(self.v)), numpy.zeros(len(self.v))
        status = library.sar_equations_output(self._handle, names.index(name), ctypes.byref(value), pointer(by_q), pointer(by_v),
                                              ctypes.byref(by_t), ctypes.byref(error))
        if status != _abi.SAR_OK:
            _raise(status, text(error.message))
        return Output(value.value, by_q, by_v, by_t.value)

    def independent(self, chosen: Sequence[str | int]) -> Independent:
        """Return the equations in independent velocities: names or numbers of `velocities`, one for each degree of freedom."""
        names = self._of.velocities
        unknown = [k for k in chosen if isinstance(k, str) and k not in names]
        if unknown:
            raise ValueError(f"there is no velocity {unknown[0]!r}: {', '.join(names)}")
        index = numpy.array([names.index(k) if isinstance(k, str) else k for k in chosen], dtype=numpy.int32)
        n, f = len(names), len(index)
        R, r, s = numpy.zeros((n, f)), numpy.zeros(n), numpy.zeros(n)
        M, Q = numpy.zeros((f, f)), numpy.zeros(f)
        status = library.sar_equations_independent(self._handle, f, pointer(index), *map(pointer, (R, r, s, M, Q)))
        if status != _abi.SAR_OK:
            why = {_abi.SAR_R_SINGULAR: "these velocities are not independent there, or do not determine all others: choose one for each "
                                        "degree of freedom", _abi.SAR_R_VIOLATED: "the constraints have no common velocity there"}
            _raise(status, why.get(status, ""))
        return Independent(R, r, s, M, Q)


class Output(NamedTuple):
    """An output y of the model at a state: dy = by_q . d + by_v . dv + by_t dt, where d is a change of positions as `move` takes it."""

    value: float
    by_q: Array
    by_v: Array
    by_t: float


class Independent:
    """v = R z + r, a = R dz/dt + s, and M dz/dt = Q."""

    def __init__(self, R: Array, r: Array, s: Array, M: Array, Q: Array) -> None:
        self.R, self.r, self.s, self.M, self.Q = R, r, s, M, Q

    @functools.cached_property
    def acceleration(self) -> Array:
        """Of all coordinates."""
        out: Array = self.R @ numpy.linalg.solve(self.M, self.Q) + self.s
        return out
