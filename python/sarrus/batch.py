"""Many simulations at once."""
from __future__ import annotations

import ctypes
import math
from typing import Iterable

from . import _abi
from ._library import library, text
from .errors import SarrusError, SimulationError
from .simulation import Simulation


class Batch:
    """Simulations that run side by side, each with the same numbers as if it ran alone.

        runs = [model.with_parameters(m=m).simulation(end=5, step=1e-3) for m in masses]
        with Batch(runs) as batch:
            batch.run()
            print([s.outputs["x"] for s in runs], batch.failures)

    threads: share the simulations between so many threads.
    """

    def __init__(self, simulations: Iterable[Simulation], *, threads: int = 1) -> None:
        listed: list[object] = list(simulations) if isinstance(simulations, Iterable) else [simulations]
        self.simulations: list[Simulation] = []
        for one in listed:
            if not isinstance(one, Simulation):
                raise TypeError(f"a batch is a list of Simulations, not of {one!r}: model.simulation() makes one")
            self.simulations.append(one)
        self._handle: int | None = None
        for s in self.simulations:
            if s.assembly is None:
                s.assemble()
        handles = []
        for s in self.simulations:
            with s._use as used:
                handles.append(used)
        handle, error = ctypes.c_void_p(), _abi.sar_error()
        status = library.sar_batch_create((ctypes.c_void_p * max(1, len(handles)))(*handles), len(handles), threads, ctypes.byref(handle),
                                          ctypes.byref(error))
        if status != _abi.SAR_OK:
            raise SarrusError(text(error.message) or text(library.sar_status_text(status)), verdict="no batch", status=status)
        self._handle = handle.value

    def run(self, until: float = math.inf) -> None:
        """All to this time [s], or to their ends. Failures do not stop the others, see `failures`."""
        used = []
        try:
            for s in self.simulations:
                s._use.__enter__()
                used.append(s)
            library.sar_batch_run(self._open(), until)
        finally:
            for s in used:
                s._use.__exit__()

    @property
    def failures(self) -> dict[int, SimulationError]:
        """Simulations, by their place in the list, that could not go on, and why."""
        found = {}
        for k, s in enumerate(self.simulations):
            run = ctypes.cast(library.sar_batch_at(self._open(), k), ctypes.POINTER(_abi.sar_run))
            status = run.contents.status
            if status != _abi.SAR_OK:
                with s._use as used:
                    found[k] = s._failed(used, status)
        return found

    @property
    def steps(self) -> int:
        """Steps of all simulations."""
        return int(library.sar_batch_steps(self._open()))

    def _open(self) -> int:
        if self._handle is None:
            raise SarrusError("this batch is closed", verdict="closed")
        return self._handle

    def close(self) -> None:
        """The simulations stay."""
        if self._handle is not None:
            library.sar_batch_destroy(self._handle)
        self._handle = None

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<sarrus.Batch: {len(self.simulations)} simulations>"

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()
