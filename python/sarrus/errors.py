"""What can go wrong, and what is to be said of what went well."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .result import Result


class SarrusError(Exception):
    """Something failed.

    `verdict` says in a few words what came of it, `result` holds what was computed before (or is None), `status` is the
    number of the library.
    """

    def __init__(self, message: str, *, verdict: str = "failed", status: int = 0, result: Result | None = None) -> None:
        super().__init__(message)
        self.verdict = verdict
        self.status = status
        self.result = result


class ModelError(SarrusError):
    """The model is not valid; the message has a line for each mistake."""


class MethodError(SarrusError):
    """The choice of method or an option is not valid."""


class AssemblyError(SarrusError):
    """The mechanism cannot be assembled."""


class SimulationError(SarrusError):
    """A step failed. `result` holds the motion up to there."""


class StateError(SarrusError):
    """A saved state is damaged, or of another model, method or build."""


class ClosedError(SarrusError):
    """The simulation was closed before."""


class BusyError(SarrusError):
    """Another thread is using the simulation."""


class SarrusWarning(UserWarning):
    """The library did what was asked for, and there is something to know about it."""
