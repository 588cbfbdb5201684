"""FMUs: run one as a host does, by Co-Simulation."""
from __future__ import annotations

import ctypes
import os
import pathlib
import platform
import tempfile
import zipfile
from types import TracebackType
from typing import Any
from xml.etree import ElementTree

from .errors import SarrusError, SimulationError, StateError

_STATUS = ("OK", "warning", "discard", "error", "fatal")
_CALLBACK_2 = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p)
_CALLBACK_3 = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
_ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
_FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Callbacks(ctypes.Structure):
    _fields_ = [("logger", _CALLBACK_2), ("allocate", _ALLOCATE), ("free", _FREE), ("finished", ctypes.c_void_p), ("environment", ctypes.c_void_p)]


class Fmu:
    """An instance of an FMU, of FMI 2.0 or 3.0, in Co-Simulation.

        with sarrus.Fmu("robot.fmu", m=2.5) as robot:
            while robot.t < 10:
                robot.set(torque=controller(robot.outputs["angle"]))
                robot.step(0.01)

    Keywords are parameters and inputs, which are set before it is initialised. What it says stands in `messages`. A step that
    it discards raises SimulationError, with its reason.
    """

    def __init__(self, path: str | os.PathLike[str], *, start: float | None = None, stop: float | None = None,
                 tolerance: float | None = None, **values: float) -> None:
        self._instance: int | None = None
        self.messages: list[tuple[str, str, str]] = []
        self._folder = tempfile.TemporaryDirectory(prefix="sarrus-fmu-")
        try:
            self._describe(self._unpack(path))
            self.t: float = self._default("startTime", 0.0) if start is None else float(start)
            self._load()
            self.set(**values)
            self._initialise(None if stop is None else float(stop), tolerance)
        except BaseException:
            self.close()
            raise

    def _unpack(self, path: str | os.PathLike[str]) -> ElementTree.Element:
        """Return the description."""
        try:
            with zipfile.ZipFile(path) as archive:
                archive.extractall(self._folder.name)
            return ElementTree.parse(pathlib.Path(self._folder.name) / "modelDescription.xml").getroot()
        except FileNotFoundError as error:
            if not os.path.exists(path):
                raise
            raise SarrusError(f"{os.fspath(path)} is no FMU: it has no modelDescription.xml", verdict="no FMU") from error
        except (zipfile.BadZipFile, ElementTree.ParseError) as error:
            raise SarrusError(f"{os.fspath(path)} is no FMU, or a damaged one: {error}", verdict="no FMU") from error

    def _default(self, name: str, otherwise: Any) -> Any:
        return float(self._experiment[name]) if name in self._experiment else otherwise

    def _describe(self, root: ElementTree.Element) -> None:
        self.version = int(root.attrib["fmiVersion"].split(".")[0])
        self.name = root.attrib["modelName"]
        self._token = root.attrib["guid" if self.version == 2 else "instantiationToken"]
        interface = root.find("CoSimulation")
        if interface is None:
            raise SarrusError(f"{self.name} has no Co-Simulation", verdict="no Co-Simulation")
        self._identifier = interface.attrib["modelIdentifier"]
        experiment = root.find("DefaultExperiment")
        self._experiment = dict(experiment.attrib) if experiment is not None else {}
        self._references: dict[str, int] = {}
        self._names: dict[str, list[str]] = {}
        for variable in root.findall("ModelVariables/*"):
            of = variable.attrib
            self._references[of["name"]] = int(of["valueReference"])
            self._names.setdefault(of.get("causality", "local"), []).append(of["name"])

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs."""
        return self._names.get("input", [])

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters that can be set."""
        return self._names.get("parameter", [])

    # -- its life ----------------------------------------------------------------------------------

    def _load(self) -> None:
        old = self.version == 2
        folder = "linux64" if old else f"{platform.machine()}-linux"
        try:
            self._library = ctypes.CDLL(os.path.join(self._folder.name, "binaries", folder, self._identifier + ".so"))
        except OSError as error:
            raise SarrusError(f"{self.name} has no binary that this machine loads ({folder}): {error}", verdict="not loaded") from error
        resources = os.path.join(self._folder.name, "resources")
        if old:
            self._log: Any = _CALLBACK_2(lambda _, __, status, category, form, said: self._note(status, category, said if form == b"%s" else form))
            libc = ctypes.CDLL(None)
            self._callbacks = _Callbacks(self._log, _ALLOCATE(("calloc", libc)), _FREE(("free", libc)), None, None)
            make = self._library.fmi2Instantiate
            make.restype = ctypes.c_void_p
            self._instance = make(b"sarrus", 1, self._token.encode(), pathlib.Path(resources).as_uri().encode(), ctypes.byref(self._callbacks), 0, 1)
        else:
            self._log = _CALLBACK_3(lambda _, status, category, said: self._note(status, category, said))
            make = self._library.fmi3InstantiateCoSimulation
            make.restype = ctypes.c_void_p
            flag = ctypes.c_bool
            self._instance = make(b"sarrus", self._token.encode(), (resources + os.sep).encode(), flag(False), flag(True), flag(False), flag(False),
                                  None, ctypes.c_size_t(0), None, self._log, None)
        if not self._instance:
            raise SarrusError(self.messages[-1][2] if self.messages else "it cannot be instantiated", verdict="not instantiated")

    def _note(self, status: int, category: bytes, said: bytes) -> None:
        self.messages.append((_STATUS[min(status, 4)], category.decode("utf-8", "replace"), said.decode("utf-8", "replace")))

    def _call(self, name: str, *arguments: Any) -> None:
        if self._instance is None:
            raise SarrusError("this FMU is closed", verdict="closed")
        status = getattr(self._library, f"fmi{self.version}{name}")(ctypes.c_void_p(self._instance), *arguments)
        if status > 1:
            why = self.messages[-1][2] if self.messages else f"{name} failed"
            raise (SimulationError if status == 2 else SarrusError)(why, verdict=_STATUS[min(status, 4)], status=status)

    def _initialise(self, stop: float | None, tolerance: float | None) -> None:
        flag = ctypes.c_int if self.version == 2 else ctypes.c_bool
        number = ctypes.c_double
        given = (flag(tolerance is not None), number(tolerance or 0.0), number(self.t), flag(stop is not None), number(stop or 0.0))
        if self.version == 2:
            self._call("SetupExperiment", *given)
            self._call("EnterInitializationMode")
        else:
            self._call("EnterInitializationMode", *given)
        self._call("ExitInitializationMode")

    def close(self) -> None:
        """Release it, and the files that were unpacked."""
        if self._instance is not None:
            getattr(self._library, f"fmi{self.version}FreeInstance")(ctypes.c_void_p(self._instance))
            self._instance = None
        self._folder.cleanup()

    def __enter__(self) -> Fmu:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    # -- values ------------------------------------------------------------------------------------

    def _vector(self, names: list[str]) -> tuple[Any, ctypes.c_size_t, Any]:
        unknown = [name for name in names if name not in self._references]
        if unknown:
            raise SarrusError(f"there is no variable {unknown[0]!r}", verdict="invalid")
        references = (ctypes.c_uint32 * len(names))(*(self._references[name] for name in names))
        return references, ctypes.c_size_t(len(names)), (ctypes.c_double * len(names))()

    def get(self, *names: str) -> list[float]:
        """Present values of variables."""
        references, count, values = self._vector(list(names))
        self._call("GetReal" if self.version == 2 else "GetFloat64", references, count, values, *([count] if self.version == 3 else []))
        return list(values)

    def set(self, **values: float) -> None:
        """Set inputs, from the present time on."""
        if not values:
            return
        references, count, numbers = self._vector(list(values))
        numbers[:] = [float(value) for value in values.values()]
        self._call("SetReal" if self.version == 2 else "SetFloat64", references, count, numbers, *([count] if self.version == 3 else []))

    @property
    def outputs(self) -> dict[str, float]:
        """Present values of the outputs."""
        names = self._names.get("output", [])
        return dict(zip(names, self.get(*names)))

    # -- steps -------------------------------------------------------------------------------------

    def step(self, size: float) -> float:
        """Take a communication step. Returns the time."""
        if self.version == 2:
            self._call("DoStep", ctypes.c_double(self.t), ctypes.c_double(size), ctypes.c_int(0))
        else:
            flags, reached = (ctypes.c_bool * 3)(), ctypes.c_double()
            at = [ctypes.byref(flags, k) for k in range(3)]
            self._call("DoStep", ctypes.c_double(self.t), ctypes.c_double(size), ctypes.c_bool(False), *at, ctypes.byref(reached))
        self.t += size
        return self.t

    def save(self) -> bytes:
        """Return the state, to go on from in this or another instance of the FMU."""
        word = "state" if self.version == 2 else "State"
        state, size = ctypes.c_void_p(), ctypes.c_size_t()
        self._call(f"GetFMU{word}", ctypes.byref(state))
        self._call(f"SerializedFMU{word}Size", state, ctypes.byref(size))
        block = ctypes.create_string_buffer(size.value)
        self._call(f"SerializeFMU{word}", state, block, size)
        self._call(f"FreeFMU{word}", ctypes.byref(state))
        return block.raw + ctypes.c_double(self.t)

    def restore(self, block: bytes) -> None:
        """Go back to a state that `save` returned."""
        word, prefix = ("state", "DeSerialize") if self.version == 2 else ("State", "Deserialize")
        state = ctypes.c_void_p()
        try:
            self._call(f"{prefix}FMU{word}", block[:-8], ctypes.c_size_t(len(block) - 8), ctypes.byref(state))
        except SarrusError as error:
            raise StateError(str(error), verdict="not restored") from None
        self._call(f"SetFMU{word}", state)
        self._call(f"FreeFMU{word}", ctypes.byref(state))
        self.t = ctypes.c_double.from_buffer_copy(block[-8:]).value
