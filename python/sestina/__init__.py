"""Sestina: multibody dynamics. One description, every formulation.

system = sestina.System(gravity=(0, 0, -9.81))
rod = system.add_rigid_body("rod", 1.0, center_of_mass=(0, 0, -0.5), inertia={"xx": "1/12", "yy": "1/12"})
system.add_joint("hinge", "revolute", system.ground["origin"], rod["origin"], axis=(0, 1, 0), q=1.0)
result = sestina.simulate(system, duration=10)
result["hinge.q"]
"""

from . import _core
from ._core import (
    Analysis,
    Body,
    Event,
    Force,
    Ground,
    Joint,
    Model,
    Report,
    System,
    TimeElements,
    integrator_names,
    schema,
    set_threads,
    solver_names,
    threads,
)
from .demonstration import demo
from .errors import ComputationError, Error, InputError
from .files import load, load_urdf, loads
from .result import Result, read_result
from .run import resume, simulate
from .sweeping import SweepResult, read_sweep, sweep
from .tuples import Energy, ForwardDerivatives, InverseDerivatives, Kinematics, Momentum

__version__: str = _core._version()

__all__ = [
    "Analysis",
    "Body",
    "ComputationError",
    "Energy",
    "Error",
    "Event",
    "Force",
    "ForwardDerivatives",
    "Ground",
    "InputError",
    "InverseDerivatives",
    "Joint",
    "Kinematics",
    "Model",
    "Momentum",
    "Report",
    "Result",
    "SweepResult",
    "System",
    "TimeElements",
    "demo",
    "integrator_names",
    "load",
    "load_urdf",
    "loads",
    "read_result",
    "read_sweep",
    "resume",
    "schema",
    "set_threads",
    "simulate",
    "solver_names",
    "sweep",
    "threads",
]
