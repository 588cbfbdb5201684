"""Results: what happened in a run."""
from __future__ import annotations

import ctypes
import html
import math
import os
import subprocess
import tempfile
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple, Sequence

import numpy
from numpy.typing import NDArray

from . import _abi
from ._library import library, pointer, program, text
from .errors import ModelError, SarrusError, SarrusWarning
from .live import LivePage

if TYPE_CHECKING:
    from .model import Compiled
    from .simulation import Simulation

Array = NDArray[numpy.float64]
_GETTER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_void_p)
DRIFT_LIMIT = 0.05  #: as the program: of the energy in the motion


@dataclass(frozen=True)
class Account:
    """One account of the energy ledger."""

    kind: str  #: kinetic, potential, work, drive, impacts, phases, jumps, corrections, projections or integrator
    name: str  #: of the force or drive
    stored: bool  #: a change of what is stored; else it came in
    value: float  #: [J]


@dataclass(frozen=True)
class Energy:
    """Energies [J]: work is that of all forces without a potential since the start."""

    kinetic: float
    potential: float
    work: float

    @property
    def total(self) -> float:
        """Kinetic and potential energy."""
        return self.kinetic + self.potential


@dataclass(frozen=True)
class Event:
    """A passage through a singular configuration, or a jump to another branch."""

    time: float  #: [s]
    rank: int
    joints: list[str]


class Poses(NamedTuple):
    """Of a body over time."""

    position: Array  #: of its origin [m], a row for each sample
    quaternion: Array  #: (w, x, y, z), body to world axes


class Reactions(NamedTuple):
    """Of a joint on its second body over time, world axes."""

    force: Array  #: [N]
    torque: Array  #: [N m]


@dataclass(frozen=True)
class Certificate:
    """How far a run can be trusted."""

    accuracy: float  #: that was asked for, of an output's range
    trusted: float  #: errors are below the accuracy until then [s]
    covered: float  #: last time that the reference run has reached [s]
    largest: float  #: estimate, of an output's range
    largest_output: str
    companion: str  #: the method of the reference run, in words


class _Part(NamedTuple):
    path: str
    column: int
    width: int
    unit: str
    text: str
    get: Any
    k: int


def _parts(model: Compiled, s: int) -> Iterator[_Part]:
    """All quantities of a run, as in HDF5 files."""
    values, rates = ctypes.c_void_p(), ctypes.c_void_p()
    multipliers = library.sar_simulation_multipliers(s, ctypes.byref(values), ctypes.byref(rates))
    quantities = [ctypes.cast(library.sar_quantity_at(q), ctypes.POINTER(_abi.sar_quantity)).contents for q in range(library.sar_quantities())]
    column = 0
    for of, folder, kind in ((_abi.SAR_OF_BODY, "bodies", "bodies"), (_abi.SAR_OF_JOINT, "joints", "joints"),
                             (_abi.SAR_OF_FORCE, "forces", "forces"), (_abi.SAR_OF_RUN, "", "")):
        names = model.names(kind) if kind else [""]
        for k, name in enumerate(names):
            for q in quantities:
                width = q.width or multipliers
                if q.of != of or width == 0 or (of == _abi.SAR_OF_BODY and k == 0):
                    continue
                path = f"{folder}/{name}/{text(q.name)}" if folder else text(q.name).replace(".", "/")
                yield _Part(path, column, width, text(q.unit), text(q.text), _GETTER(q.get), k)
                column += width


class Recorder:
    """Collects samples of a simulation while it runs."""

    def __init__(self, model: Compiled, s: int, all: bool) -> None:
        self.model, self.s = model, s
        self.outputs = model.names("outputs")
        self.parts = list(_parts(model, s)) if all else []
        self.width = 1 + len(self.outputs) + sum(part.width for part in self.parts)
        self.rows = numpy.empty((256, self.width))
        self.count = 0
        self.undefined = 0

    def sample(self, t: float) -> None:
        """Store a row at a time within the last step."""
        if self.count == len(self.rows):
            self.rows = numpy.concatenate([self.rows, numpy.empty_like(self.rows)])
        row = self.rows[self.count]
        row.fill(numpy.nan)
        row[0] = t
        at = pointer(row)
        library.sar_simulation_outputs_at(self.s, t, at + 8)
        if self.parts:
            base = at + 8 * (1 + len(self.outputs))
            library.sar_simulation_look(self.s, t)
            for part in self.parts:
                part.get(self.s, part.k, part.width, base + 8 * part.column)
            library.sar_simulation_look(self.s, math.inf)
        self.count += 1

    def result(self, simulation: Simulation, status: int) -> Result:
        """All rows, and how it ended."""
        from .simulation import _as_dict, events

        statistics = _as_dict(library.sar_simulation_statistics(self.s))
        rows = self.rows[:self.count].copy()
        first = 1 + len(self.outputs)
        quantities = {part.path: rows[:, first + part.column:first + part.column + part.width] for part in self.parts}
        verdict = "completed" if status == _abi.SAR_OK else "failed"
        result = Result(rows[:, 0], dict(zip(self.outputs, rows[:, 1:first].T)), quantities)
        result.verdict, result.statistics = verdict, statistics
        result.units = {name: text(library.sar_model_output_unit(self.model.handle, k)) for k, name in enumerate(self.outputs)}
        result.passages = list(events(self.s, library.sar_simulation_singular_passes))
        result.branch_changes = list(events(self.s, library.sar_simulation_branch_changes))
        result._parts = {part.path: part for part in self.parts}
        result._of(simulation, library.sar_simulation_rank(self.s).coordinates)
        result.warnings = result._find_warnings(self.s)
        return result


class Result:
    """Samples of a run: `result["theta"]` is an output over `result.time`."""

    def __init__(self, time: Array, outputs: dict[str, Array], quantities: dict[str, Array]) -> None:
        self.time = time
        self.outputs = outputs
        self.quantities = quantities  #: all else by its path in HDF5 files: "bodies/crank/position"
        self.verdict = "completed"
        self.units: dict[str, str] = {}
        self.statistics: dict[str, Any] = {}
        self.passages: list[Event] = []
        self.branch_changes: list[Event] = []
        self.warnings: list[str] = []
        self.errors: dict[str, Array] = {}  #: estimates, after `certify`
        self.certificate: Certificate | None = None
        self.trusted = True
        self._parts: dict[str, _Part] = {}
        self._compiled: Compiled | None = None
        self._options: Any = None
        self._steered = False
        self._size = 0.0
        self._coordinates = 0
        self._name = "result"
        self._run: tuple[Any, dict[str, Any]] | None = None
        self._source: tuple[str, str, dict[str, Any]] | None = None

    def gradient(self, of: str, by: Sequence[str], weights: Any = None, times: Any = None) -> Array:
        """Return the derivatives of a result of this run by numbers of its model, as `Model.sensitivity(of, by).gradient(weights)` does.

        of: an output or expression at the end of the run, or "max: ...", "integral: ..."; with `times` and `weights` a weighted sum of its values there.
        """
        if self._run is None or self._steered:
            raise ModelError("this result has no model that could be run again: results of files and of steered runs have no gradient", verdict="invalid")
        model, options = self._run
        gradient: Array = model.sensitivity(of, by, times=times, **{**options, "end": float(self.time[-1])}).gradient(weights)
        return gradient

    def _of(self, simulation: Simulation, coordinates: int) -> None:
        """Keep what is needed to certify, draw and store it."""
        self._compiled, self._options = simulation._model, simulation.options
        self._run = simulation.model, simulation._asked
        self._size = simulation.assembly.size if simulation.assembly else 0.0
        self._steered = simulation.steered
        self._coordinates, self._name = coordinates, simulation.model.name
        self._source = simulation.model.text(), simulation.model._path, simulation.model._settings

    def __getstate__(self) -> dict[str, Any]:
        """Return the numbers: what the library holds stays in its process."""
        return {**self.__dict__, "_compiled": None, "_options": None, "_run": None, "_parts": {}}

    # -- numbers -----------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Array:
        for table in (self.outputs, self.quantities):
            if name in table:
                return table[name]
        if name in ("time", "t"):
            return self.time
        raise KeyError(f"there is no {name!r}; there are {', '.join([*self.outputs, *self.quantities][:20])}")

    def __len__(self) -> int:
        return len(self.time)

    def __iter__(self) -> Iterator[str]:
        return iter(self.outputs)

    def __contains__(self, name: object) -> bool:
        return name in self.outputs or name in self.quantities

    def _pairs(self, folder: str, one: str, two: str) -> dict[str, tuple[Array, Array]]:
        names = [path.split("/")[1] for path in self.quantities if path.startswith(folder + "/") and path.endswith("/" + one)]
        return {name: (self.quantities[f"{folder}/{name}/{one}"], self.quantities[f"{folder}/{name}/{two}"]) for name in names}

    @property
    def poses(self) -> dict[str, Poses]:
        """Poses of the bodies."""
        return {name: Poses(*pair) for name, pair in self._pairs("bodies", "position", "quaternion").items()}

    @property
    def reactions(self) -> dict[str, Reactions]:
        """Reactions of the joints."""
        return {name: Reactions(*pair) for name, pair in self._pairs("joints", "force", "torque").items()}

    @property
    def energies(self) -> dict[str, Array]:
        """Energies over time [J]: kinetic, potential, work, total, drift."""
        return {path.split("/")[1]: column[:, 0] for path, column in self.quantities.items() if path.startswith("energy/")}

    def to_pandas(self) -> Any:
        """Return the outputs as a pandas.DataFrame over time."""
        import pandas

        return pandas.DataFrame(self.outputs, index=pandas.Index(self.time, name="time"))

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Plot outputs over time with matplotlib, all of them unless some are named; returns the axes."""
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.subplots()[1]
        for name in names or self.outputs:
            unit = self.units.get(name, "")
            ax.plot(self.time, self[name], label=f"{name} [{unit}]" if unit else name)
        for k, event in enumerate(self.passages):
            ax.axvline(event.time, color="0.7", linewidth=0.8, label="singular configuration" if k == 0 else None)
        ax.set_xlabel("time [s]")
        ax.legend()
        return ax

    # -- trust -------------------------------------------------------------------------------------

    def _find_displacements(self, s: int) -> list[str]:
        """Phases that moved bodies at once, with nothing in the model that would do so."""
        switches = ctypes.POINTER(_abi.sar_switch)()
        names = self._compiled.names("bodies") if self._compiled else []
        found: list[str] = []
        for k in range(library.sar_simulation_switches(s, ctypes.byref(switches))):
            w = switches[k]
            if w.displaced:
                what = [f"moves \"{names[w.moved_body]}\" by {w.moved:.3g} m"] if w.moved_body else []
                what += [f"rotates \"{names[w.turned_body]}\" by {math.degrees(w.turned):.3g} deg"] if w.turned_body else []
                found.append(f"phase {w.phase + 1} at t = {w.t:.6g} s {' and '.join(what)} at once, to close the joints that it adds: add them where "
                             "their ends meet, let them attach (attach: here), or allow it (move: yes in the phase)")
        return found

    def _find_warnings(self, s: int) -> list[str]:
        z, notes = self.statistics, []
        jump = _abi.sar_jump()
        if library.sar_simulation_jumps(s, ctypes.byref(jump)):
            help = "list its times under breakpoints" if jump.of_time else "smooth it over a small range (tanh, ramp), or use small steps"
            notes.append(f"the force \"{text(jump.force)}\" jumps at t = {jump.t:.6g} s: steps across a jump lose their order; {help}")
        displaced = self._find_displacements(s)
        notes += displaced[:1]
        some = (_abi.sar_note * 16)()
        for note in some[:min(16, library.sar_simulation_notes(s, some, 16))]:
            notes.append(f"\"{text(note.element)}\" {text(note.text)} (at t = {note.t:.6g} s)")
        if z["violated"]:
            notes.append(f"{z['violated']} steps violate constraints, by up to {z['violation']['position']:.2g}: do not trust this motion")
        if z["not_converged"]:
            notes.append(f"{z['not_converged']} steps did not converge and were kept")
        if z["branch_changes"]:
            notes.append(f"the motion left its branch at a singular configuration {z['branch_changes']} times; try a smaller step, or alpha=inf")
        off = z["energy_max_drift"] > DRIFT_LIMIT * z["energy_scale"]
        if off:
            notes.append(f"the energy balance is off by {z['energy_max_drift']:.2g} J, "
                         f"{100 * z['energy_max_drift'] / z['energy_scale']:.0f} % of the energy in this motion: do not trust it; try a smaller step")
        for name, column in self.outputs.items():
            bad = ~numpy.isfinite(column)
            if bad.any():
                notes.append(f"output \"{name}\" has no finite value at t = {self.time[bad][0]:.9g} s; there are {int(bad.sum())} such rows")
        undefined = any(not numpy.isfinite(column).all() for column in self.outputs.values())
        self.trusted = not (undefined or off or displaced or z["violated"] or z["branch_changes"] or z["kept_change"] > DRIFT_LIMIT)
        return notes

    def certify(self, accuracy: float = 0.01) -> Certificate:
        """Estimate the errors of all outputs by a reference run, other equations or a smaller step, in this thread.

        Fills `errors` and `certificate`, and warns where trust ends before the run does.
        """
        if self._steered:
            raise SarrusError("inputs were set during this run, which a reference run could not know: use Model.with_inputs",
                              verdict="not certified")
        if self._compiled is None or not self.outputs:
            raise SarrusError("there is no run, or there are no outputs, to certify")
        rows, columns = len(self.time), len(self.outputs)
        values = numpy.ascontiguousarray(numpy.column_stack(list(self.outputs.values())))
        time = numpy.ascontiguousarray(self.time)
        room = [numpy.full((rows, columns), numpy.nan) for _ in range(3)]
        definition = _abi.sar_reference_run_def()
        definition.model, definition.options = self._compiled.handle, ctypes.addressof(self._options)
        definition.coordinates, definition.size, definition.accuracy = self._coordinates, self._size, accuracy
        definition.rows, definition.time, definition.values = rows, pointer(time), pointer(values)
        noise = numpy.zeros((2, columns))
        definition.reference, definition.second, definition.noise = pointer(room[0]), pointer(room[1]), pointer(noise)
        by, out = _abi.sar_reference_outcome(), _abi.sar_certificate()
        library.sar_reference_run(ctypes.byref(definition), ctypes.byref(by))
        status = library.sar_reference_outcome_certify(ctypes.byref(definition), ctypes.byref(by), ctypes.byref(out), pointer(room[2]), None)
        if status != _abi.SAR_OK:
            raise SarrusError("no reference run could follow this run: its errors are not known", verdict="not certified", status=status)
        names = list(self.outputs)
        self.errors = dict(zip(names, room[2].T))
        self.certificate = Certificate(accuracy, out.trusted, out.covered, out.largest, names[max(0, out.largest_column)], text(by.method))
        if out.column >= 0:
            self.trusted = False
            warnings.warn(f"errors are below {accuracy:g} of an output's range only until t = {out.trusted:.6g} s (\"{names[max(0, out.column)]}\")",
                          SarrusWarning, stacklevel=2)
        return self.certificate

    # -- files and pictures ------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write .csv (the outputs) or .h5 (everything), as the program does."""
        columns = [("time", 1, "s", "time", self.time[:, None])]
        columns += [(f"outputs/{name}", 1, self.units.get(name, ""), "", column[:, None]) for name, column in self.outputs.items()]
        columns += [(f"outputs/{name}.error", 1, self.units.get(name, ""), "estimate of the error", column[:, None]) for name, column in self.errors.items()]
        for name, values in self.quantities.items():
            part = self._parts.get(name)
            columns.append((name, values.shape[1], part.unit if part else "", part.text if part else "", values))
        sets = (_abi.sar_dataset * len(columns))()
        for item, (name, width, unit, description, _) in zip(sets, columns):
            item.path, item.width, item.unit, item.description = name.encode(), width, unit.encode(), description.encode()
        writer, error = ctypes.c_void_p(), _abi.sar_error()
        status = library.sar_writer_open(os.fsencode(path), sets, len(columns), ctypes.byref(writer), ctypes.byref(error))
        if status != _abi.SAR_OK:
            raise SarrusError(text(error.message), verdict="not written", status=status)
        for row in numpy.ascontiguousarray(numpy.hstack([column[4] for column in columns])):
            library.sar_writer_append(writer, pointer(row))
        about = {"model": self._name, "verdict": self.verdict, "version": _abi.VERSION}
        if self._source:
            settings = " ".join(f"{name}={value}" for name, value in self._source[2].items())
            about.update(model_text=self._source[0], model_file=self._source[1], settings=settings)
        for key, value in about.items():
            library.sar_writer_attribute(writer, key.encode(), value.encode())
        if library.sar_writer_close(writer, ctypes.byref(error)) != _abi.SAR_OK:
            raise SarrusError(text(error.message), verdict="not written")

    def page(self, path: str | os.PathLike[str]) -> None:
        """Write a page for any browser: the motion, curves and the verdict. Needs the program and HDF5."""
        tool = program()
        if tool is None:
            raise SarrusError("the page is made by the program 'sarrus', which was not found beside the library nor in the path")
        with tempfile.TemporaryDirectory() as folder:
            stored, model = os.path.join(folder, "run.h5"), os.path.join(folder, "model.json")
            self.save(stored)
            command = [tool, "view", stored, "--no-open", "-o", os.fspath(path), "--title", self._name]
            if self._source and not os.path.exists(self._source[1]):
                with open(model, "w", encoding="utf-8") as file:
                    file.write(self._source[0])
                command += ["--model", model]
            beside = os.path.dirname(tool)  # in the package the program's libraries are there too
            done = subprocess.run(command, capture_output=True, text=True, env=dict(
                os.environ, LD_LIBRARY_PATH=os.pathsep.join(filter(None, [beside, os.environ.get("LD_LIBRARY_PATH")]))))
            if done.returncode != 0:
                raise SarrusError(done.stderr.strip() or "the page could not be made")

    def live(self, **options: Any) -> LivePage:
        """Return a page in which the model of this run runs again. Options are those of `sarrus view`."""
        if self._source is None:
            raise SarrusError("this result does not know its model: use Model.live")
        return LivePage(*self._source, options)

    def drawing(self, row: int = 0) -> str:
        """Draw the mechanism at a row, as SVG."""
        from ._drawing import svg

        if self._compiled is None or not self.poses:
            raise SarrusError("a drawing needs the poses of the bodies: run with all=True")
        return svg(self._compiled, list(self.poses.values()), row)

    def _repr_html_(self) -> str:
        try:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "page.html")
                self.page(path)
                with open(path, encoding="utf-8") as file:
                    page = html.escape(file.read(), quote=True)
            return f'<iframe srcdoc="{page}" style="width:100%;height:600px;border:0" title="{html.escape(self._name)}"></iframe>'
        except SarrusError:
            said = f"<p>{html.escape(repr(self))}</p>"
            return self.drawing() + said if self.quantities else said

    def __repr__(self) -> str:
        return f"<sarrus.Result {self._name!r}: {self.verdict}, {len(self)} rows to t = {self.time[-1] if len(self) else math.nan:g} s, " \
               f"{len(self.outputs)} outputs, {len(self.passages)} singular passages>"
