"""Models: read from files, or built in Python with the words of the model file."""
from __future__ import annotations

import copy
import ctypes
import json
import os
import tempfile
import warnings
from typing import Any, Mapping, Sequence

import numpy

from . import _abi
from ._library import library, text
from .errors import ModelError, SarrusWarning
from .live import LivePage


def _plain(value: Any) -> Any:
    """What JSON can hold: arrays become lists, sets of numbers numbers."""
    if isinstance(value, numpy.ndarray):
        return _plain(value.tolist())
    if isinstance(value, numpy.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _pairs(settings: Mapping[str, Any]) -> Any:
    """Parameters as the library takes them."""
    pairs = (_abi.sar_setting * max(1, len(settings)))()
    for pair, (name, value) in zip(pairs, settings.items()):
        pair.name, pair.value = name.encode(), (value if isinstance(value, str) else repr(_plain(value))).encode()
    return pairs


class Compiled:
    """A model as the library holds it. It does not change any more."""

    def __init__(self, source: str | None, path: str, settings: Mapping[str, Any], inputs: Mapping[str, Any]) -> None:
        self.handle: int | None = None
        self.options = library.sar_options_default()
        model, messages = ctypes.c_void_p(), ctypes.c_void_p()
        pairs = _pairs(settings)
        arguments = (pairs, len(settings), ctypes.byref(model), ctypes.byref(self.options), ctypes.byref(messages))
        if source is None:
            status = library.sar_model_load(os.fsencode(path), *arguments)
        else:
            raw = source.encode()
            status = library.sar_model_parse(raw, len(raw), os.fsencode(path), *arguments)
        said = text(ctypes.cast(messages, ctypes.c_char_p).value).strip() if messages else ""
        library.sar_text_free(ctypes.cast(messages, ctypes.c_char_p))
        if status != _abi.SAR_OK:
            raise ModelError(said or text(library.sar_status_text(status)), verdict="invalid", status=status)
        self.handle = model.value
        for name, function in inputs.items():
            self._drive_input(name, function)
        if said:
            warnings.warn(said, SarrusWarning, stacklevel=4)

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            library.sar_model_destroy(self.handle)
            self.handle = None

    def __reduce__(self) -> Any:
        raise TypeError("what the library holds cannot be copied or sent to another process: send the Model")

    def _drive_input(self, name: str, function: Any) -> None:
        """Make an input an expression of t, or (times, values), linear, or (times, values, "constant" or "cubic")."""
        k, error = library.sar_model_find_input(self.handle, name.encode()), _abi.sar_error()
        if k < 0:
            raise ModelError(f"there is no input {name!r}: there are {', '.join(self.names('inputs')) or 'none'}", verdict="invalid")
        if isinstance(function, (str, int, float)):
            status = library.sar_model_set_input_expression(self.handle, k, str(function).encode(), ctypes.byref(error))
        else:
            x, y = (numpy.ascontiguousarray(column, dtype=numpy.float64) for column in function[:2])
            if x.ndim != 1 or x.shape != y.shape:
                raise ModelError(f"input {name!r}: times and values are not two lists of the same length", verdict="invalid")
            points = library.sar_table_def_default()
            points.length, points.x, points.y = len(x), x.ctypes.data, y.ctypes.data
            points.interpolation = ("linear", "cubic", "constant").index(function[2] if len(function) > 2 else "linear")
            status = library.sar_model_set_input_table(self.handle, k, ctypes.byref(points), ctypes.byref(error))
        if status != _abi.SAR_OK:
            raise ModelError(f"input {name!r}: {text(error.message)}", verdict="invalid", status=status)

    def names(self, kind: str) -> list[str]:
        """Names of all bodies, joints, forces, states, outputs, inputs or parameters."""
        count, name = {"bodies": (library.sar_model_bodies, library.sar_model_body_name),
                       "joints": (library.sar_model_joints, library.sar_model_joint_name),
                       "forces": (library.sar_model_forces, library.sar_model_force_name),
                       "states": (library.sar_model_states, library.sar_model_state_name),
                       "outputs": (library.sar_model_outputs, library.sar_model_output_name),
                       "inputs": (library.sar_model_inputs, library.sar_model_input_name),
                       "parameters": (library.sar_model_parameters, library.sar_model_parameter_name)}[kind]
        return [text(name(self.handle, k)) for k in range(count(self.handle))]


class Model:
    """A mechanism: bodies, joints, forces, outputs and a start.

    Every method adds an element to a section of the model file and takes the keys of that file as arguments: what
    docs/model-format.md says of a joint holds for `joint`. Values may be numbers, texts with expressions and units
    ("30 kN/m"), lists, arrays and dictionaries. Mistakes are found when the model is first used, all at once.

        m = Model("pendulum", 2, gravity=[0, -9.81])
        m.body("bob", mass=1, points={"tip": [1, 0]}, center=[1, 0], position=[0, 0], angle=0)
        m.joint("pin", "revolute", between=["ground.origin", "bob.origin"])
        m.output("height", "bob.tip.y")
        result = m.run(end=2)

    A simulation takes the model as it is at that moment; what is added later does not change it.
    """

    def __init__(self, name: str = "model", dimension: int = 2, **sections: Any) -> None:
        self._document: dict[str, Any] | None = {"sarrus": 1, "name": name, "dimension": dimension, **_plain(sections)}
        self._document.setdefault("bodies", {})
        self._source: str | None = None
        self._path = name
        self._settings: dict[str, Any] = {}
        self._functions: dict[str, Any] = {}
        self._compiled: tuple[str | None, Compiled] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_compiled": None}

    @classmethod
    def load(cls, path: str | os.PathLike[str], **parameters: Any) -> Model:
        """Read a model file; `parameters` replace those of the file."""
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"load takes the path of a model file, not {path!r}; parse takes the text of one")
        model = cls()
        model._document, model._path, model._settings = None, os.fspath(path), parameters
        model.compiled()
        return model

    @classmethod
    def parse(cls, source: str, name: str = "model.yaml", **parameters: Any) -> Model:
        """Read the text of a model file; `name` is the name of the file in messages."""
        if not isinstance(source, str):
            raise TypeError(f"parse takes the text of a model file, not {source!r}; load takes its path")
        model = cls()
        model._document, model._source, model._path, model._settings = None, source, name, parameters
        model.compiled()
        return model

    # -- the elements of a model built in Python --------------------------------------------------

    def _section(self, section: str) -> dict[str, Any]:
        if self._document is None:
            raise ModelError(f"this model was read from {self._path}: edit the file, or build the model in Python")
        inside: dict[str, Any] = self._document.setdefault(section, {})
        return inside

    def _add(self, section: str, name: str, value: Any) -> Model:
        inside = self._section(section)
        if name in inside:
            raise ModelError(f"{section}: there is a {name!r} already")
        inside[name] = _plain(value)
        return self

    def parameter(self, name: str, value: Any) -> Model:
        """Add a constant for all expressions."""
        return self._add("parameters", name, value)

    def body(self, name: str, **keys: Any) -> Model:
        """Add a body: mass, center, inertia, points, position, angle or rotation, shape, ..."""
        return self._add("bodies", name, keys)

    def joint(self, name: str, type: str, between: Sequence[str] | None = None, **keys: Any) -> Model:
        """Add a joint between two points "BODY.POINT", or a gear or coupler."""
        return self._add("joints", name, {"type": type, **({"between": between} if between is not None else {}), **keys})

    def drive(self, name: str, value: Any, **keys: Any) -> Model:
        """Prescribe a joint's coordinate, or a distance, as an expression of t."""
        return self._add("drives", name, {"value": value, **keys})

    def force(self, name: str, type: str, **keys: Any) -> Model:
        """Add a force, torque, spring, bushing, tyre, ..."""
        return self._add("forces", name, {"type": type, **keys})

    def state(self, name: str, rate: Any, **keys: Any) -> Model:
        """Add a number that follows from its rate: state("sum", "target - pin.angle", start=0)."""
        return self._add("states", name, {"rate": rate, **keys})

    def constraint(self, name: str, **keys: Any) -> Model:
        """Add a condition on positions or velocities."""
        return self._add("constraints", name, keys)

    def table(self, name: str, x: Any, y: Any, **keys: Any) -> Model:
        """Add a function given by points, which expressions can call by its name."""
        return self._add("tables", name, {"x": x, "y": y, **keys})

    def output(self, name: str, expression: Any) -> Model:
        """Add a named output: an expression of t, parameters and signals."""
        return self._add("outputs", name, expression)

    def input(self, name: str, start: Any = 0, **keys: Any) -> Model:
        """Add an input: a number that expressions of forces use and that is set while the model runs."""
        return self._add("inputs", name, {"start": start, **keys})

    def start(self, signal: str, value: Any) -> Model:
        """Prescribe a signal at the start."""
        return self._add("start", signal, value)

    def ground(self, **keys: Any) -> Model:
        """Name points and axes of the ground."""
        self._section("ground").update(_plain(keys))
        return self

    def set(self, **sections: Any) -> Model:
        """Set whole sections, such as gravity, breakpoints or phases."""
        self._section("bodies")
        assert self._document is not None
        self._document.update(_plain(sections))
        return self

    # -- what it is --------------------------------------------------------------------------------

    @property
    def document(self) -> dict[str, Any]:
        """A copy of what was built, with the sections of the model file."""
        return copy.deepcopy(self._document) if self._document is not None else {}

    def export_fmu(self, path: str | os.PathLike[str], version: int = 3, **options: Any) -> str:
        """Write the model as an FMU (docs/fmu.md); options are those of `sarrus export`. Returns what the program says."""
        from .program import command

        settings = [f"{name}={value}" for name, value in self._settings.items()]
        if self._document is None and self._source is None:
            return str(command("export", self._path, fmu=os.fspath(path), fmi=version, set=settings, **options))
        with tempfile.TemporaryDirectory(prefix="sarrus-") as folder:
            file = os.path.join(folder, "model.yaml")
            with open(file, "w", encoding="utf-8") as out:
                out.write(self.text())
            return str(command("export", file, fmu=os.fspath(path), fmi=version, set=settings, **options))

    def text(self) -> str:
        """The model file: JSON, which is YAML too, of a model that was built in Python."""
        if self._document is not None:
            return json.dumps(self._document, indent=1)
        if self._source is not None:
            return self._source
        with open(self._path, encoding="utf-8") as file:
            return file.read()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text())

    def with_parameters(self, **parameters: Any) -> Model:
        """Return the same model with other values of some parameters."""
        other = copy.copy(self)
        other._document = copy.deepcopy(self._document)
        other._settings = {**self._settings, **parameters}
        other._compiled = None
        return other

    def with_inputs(self, **functions: Any) -> Model:
        """Return the same model with inputs that are functions of time.

        A function is an expression of t ("sin(3*t)"), or (times, values), linear in between; (times, values, "constant")
        holds each value up to the next time, and steps end at the jumps; "cubic" is a spline.
        """
        other = self.with_parameters()
        other._functions = {**self._functions, **functions}
        return other

    def compiled(self) -> Compiled:
        """Return the model as the library holds it, made new after changes."""
        source = json.dumps(self._document, indent=1) if self._document is not None else self._source
        if self._compiled is None or self._compiled[0] != source:
            self._compiled = source, Compiled(source, self._path, self._settings, self._functions)
        return self._compiled[1]

    def _text(self) -> tuple[bytes, bytes, dict[str, Any]]:
        """Text, path and settings."""
        source = json.dumps(self._document, indent=1) if self._document is not None else self._source
        if source is None:
            with open(self._path, "rb") as file:
                return file.read(), os.fsencode(self._path), dict(self._settings)
        return source.encode(), os.fsencode(self._path), dict(self._settings)

    @property
    def name(self) -> str:
        """Name of the model."""
        return text(library.sar_model_name(self.compiled().handle))

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return int(library.sar_model_dimension(self.compiled().handle))

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies, without the ground."""
        return self.compiled().names("bodies")[1:]

    @property
    def joints(self) -> list[str]:
        """Names of joints, couplings, drives and constraints."""
        return self.compiled().names("joints")

    @property
    def forces(self) -> list[str]:
        """Names of the forces, by types."""
        return self.compiled().names("forces")

    @property
    def states(self) -> list[str]:
        """Names of the states."""
        return self.compiled().names("states")

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs."""
        return self.compiled().names("outputs")

    @property
    def inputs(self) -> dict[str, float]:
        """Names and start values of the inputs."""
        compiled = self.compiled()
        return {name: float(library.sar_model_input_start(compiled.handle, k)) for k, name in enumerate(compiled.names("inputs"))}

    @property
    def parameters(self) -> dict[str, float]:
        """Names and values of the parameters."""
        compiled = self.compiled()
        return {name: float(library.sar_model_parameter_value(compiled.handle, k))
                for k, name in enumerate(compiled.names("parameters"))}

    # -- what can be done with it ------------------------------------------------------------------

    def simulation(self, **options: Any) -> Simulation:
        """Return a simulation with these options of the method."""
        return Simulation(self, **options)

    def run(self, **options: Any) -> Result:
        """Simulate from start to end. Options are those of a method, and those of `Simulation.run`."""
        import inspect

        of_run = {key: options.pop(key) for key in list(options) if key in inspect.signature(Simulation.run).parameters}
        with Simulation(self, **options) as simulation:
            return simulation.run(**of_run)

    def live(self, **options: Any) -> LivePage:
        """Return a page in which the model runs, with sliders: notebooks show it. Options are those of `sarrus view`."""
        return LivePage(self.text(), self._path, self._settings, options)

    def check(self, **options: Any) -> Check:
        """Assemble the mechanism and say what it is: degrees of freedom, redundant joints, singularity."""
        with Simulation(self, **options) as simulation:
            return simulation.check()

    def equilibrium(self, **options: Any) -> Equilibrium:
        """Find where the mechanism rests under weight and springs, as `sarrus equilibrium` does, and whether it stays there."""
        options["equilibrium"] = True
        with Simulation(self, **options) as simulation:
            return simulation.equilibrium()

    def kinematics(self, times: Any = None, **options: Any) -> Result:
        """Follow the motion that the drives prescribe, as `sarrus kinematics` does: outputs, poses and velocities.

        times: a list of times [s]; else from start to end in steps of `step`.
        """
        return follow(self, _options_over(self.compiled(), {"step": 1e-3, **options})[0], times, False)

    def inverse(self, times: Any = None, **options: Any) -> Result:
        """Find the forces of the drives for the motion that they prescribe, as `sarrus inverse` does.

        The result has them as DRIVE.torque or DRIVE.force, with the reactions of all joints. times: as of `kinematics`.
        """
        return follow(self, _options_over(self.compiled(), {"step": 1e-3, **options})[0], times, True)

    def modes_over(self, parameter: str, start: float, end: float, points: int, equilibrium: bool = False) -> Scan:
        """Find the modes for `points` values of a parameter, as `sarrus modes --vary` does, and the values at which stability changes."""
        return scan_of(self.text().encode(), os.fsencode(self._path), _pairs(self._settings), len(self._settings), parameter, (start, end, points), equilibrium)

    def clearance(self, a: str, pose_a: Any, b: str, pose_b: Any) -> tuple[float, Array, Array]:
        """Return the distance of the shapes of two bodies at poses (position, then quaternion w x y z), and the nearest points."""
        compiled, found = self.compiled(), _abi.sar_clearance()
        names = compiled.names("bodies")
        poses = [numpy.ascontiguousarray(numpy.concatenate([numpy.ravel(x) for x in p]) if isinstance(p, tuple) else p, dtype=numpy.float64) for p in (pose_a, pose_b)]
        if a not in names or b not in names or any(p.shape != (7,) for p in poses):
            raise ModelError("wanted two bodies of the model, and seven numbers for each", verdict="invalid")
        status = library.sar_model_clearance(compiled.handle, _abi.sar_body_id(names.index(a)), poses[0].ctypes.data,
                                             _abi.sar_body_id(names.index(b)), poses[1].ctypes.data, ctypes.byref(found))
        if status != _abi.SAR_OK:
            raise ModelError(f"{a} or {b} has no shape", verdict="invalid", status=status)
        return found.distance, numpy.array(found.point_a), numpy.array(found.point_b)

    def sensitivity(self, of: Any, by: Sequence[str], times: Any = None, **options: Any) -> Sensitivity:
        """Find derivatives of results of a run by numbers of the model, as `sarrus sensitivity` does."""
        return Sensitivity(self, of, by, times=times, **options)

    def numbers(self) -> dict[str, float]:
        """Names and values of all numbers of the model file: what `sensitivity` can differentiate by."""
        return numbers_of(self)

    def equations(self, coordinates: str = "natural") -> Equations:
        """Return the equations of motion in some coordinates, as matrices at any state."""
        return Equations(self, coordinates)

    def map(self, locked: bool = False, starts: int | None = None) -> Map:
        """Find all configurations: curves of motion, where they meet, ranges, dead points, as `sarrus map` does.

        locked: drives hold their coordinates, and the map consists of assembly modes.
        """
        return Map(self, locked, starts)

    def __repr__(self) -> str:
        return f"<sarrus.Model {self.name!r}: {len(self.bodies)} bodies, {len(self.joints)} joints>"


from .simulation import Check, Equilibrium, Simulation, _options_over  # noqa: E402  (they need Model, and Model needs them)
from .result import Result  # noqa: E402
from .analysis import Array, Scan, scan_of  # noqa: E402
from .sensitivity import Sensitivity, numbers_of  # noqa: E402
from .motions import follow  # noqa: E402
from .equations import Equations  # noqa: E402
from .atlas import Map  # noqa: E402
