"""Sarrus: multibody dynamics through redundant constraints and singular configurations.

    import sarrus

    result = sarrus.load("four-bar.yaml").run(end=10)
    result["theta"], result.poses["crank"].position, result.energies["drift"]

Models are read from files (`load`, `parse`) or built in Python (`Model`). `Model.run` simulates to the end,
`Simulation` goes step by step with inputs. Failures are exceptions with the verdict, and what the library has to say
beside the result comes as SarrusWarning.
"""
from __future__ import annotations

from ._abi import VERSION as __version__
from .errors import (AssemblyError, BusyError, ClosedError, MethodError, ModelError, SarrusError, SarrusWarning,
                     SimulationError, StateError)
from .analysis import Change, Dimension, Mode, Modes, Scan, SelfStress, StateSpace, Tolerances, Uniqueness
from .model import Model
from .equations import Equations
from .result import Account, Certificate, Energy, Event, Poses, Reactions, Result
from .atlas import Map
from .fitting import Design, Fit, fit, optimise
from .fmu import Fmu
from .simulation import Assembly, Check, Equilibrium, Simulation
from .batch import Batch  # needs Simulation
from .methods import Formulation, Integrator, load_plugin, methods, register
from .poses import Pose, PoseReport
from .program import command
from .sensitivity import Sensitivity
from .sweeps import Outcome, sweep

load = Model.load
parse = Model.parse

__all__ = ["Account", "Assembly", "AssemblyError", "Batch", "BusyError", "Certificate", "Change", "Check", "ClosedError", "Design", "Dimension", "Energy", "Equations",
           "Equilibrium", "Event", "Fit", "Fmu", "Formulation", "Integrator", "Map", "MethodError", "Mode", "Model", "ModelError", "Modes", "Outcome", "Pose",
           "PoseReport", "Poses", "Reactions", "Result", "SarrusError", "SarrusWarning", "Scan", "SelfStress", "Sensitivity", "Simulation", "SimulationError", "StateError",
           "StateSpace", "Tolerances", "Uniqueness", "__version__", "command", "fit", "load", "load_plugin",
           "methods", "optimise", "parse", "register", "sweep"]
