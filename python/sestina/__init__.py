"""Sestina: multibody dynamics. One description, every formulation.

system = sestina.System(gravity=(0, 0, -9.81))
rod = system.add_rigid_body("rod", 1.0, center_of_mass=(0, 0, -0.5), inertia={"xx": "1/12", "yy": "1/12"})
system.add_joint("hinge", "revolute", system.ground["origin"], rod["origin"], axis=(0, 1, 0), q=1.0)
result = sestina.simulate(system, duration=10)
result["hinge.q"]
"""

from typing import TYPE_CHECKING, Any

from . import _core
from ._core import (
    Analysis,
    Body,
    Constraint,
    Contact,
    Equations,
    Event,
    Force,
    Ground,
    Joint,
    Model,
    ModelLinearization,
    ParticleCheckpoint,
    ParticleMeasures,
    ParticleReport,
    Particles,
    PythonConstraint,
    PythonForce,
    Report,
    Simulator,
    Snapshot,
    StateVariable,
    System,
    TimeElements,
    build_description,
    integrator_names,
    schema,
    set_threads,
    solver_names,
    threads,
)
from .batch_simulator import BatchSimulator, BatchSnapshot
from .comparing import compare
from .demonstration import demo
from .deriving import derive
from .drawing import draw
from .ensembles import EnsembleResult, Gradient, Sensitivities, gradient, run_ensemble, sensitivities
from .errors import ComputationError, Error, InputError
from .files import load, load_urdf, loads, loads_urdf
from .particles import ParticleResult, load_particles, resume_particles, run_particles
from .reducing import ReducedBody, reduce
from .result import Result, read_result
from .run import resume, simulate
from .notebook import studio_widget
from .showing import Page, Studio, show, studio
from .sweeping import SweepResult, read_sweep, sweep
from .tuples import (
    DrivingForces,
    Energy,
    Equilibrium,
    ForwardDerivatives,
    InverseDerivatives,
    Kinematics,
    LinearMotion,
    Modes,
    Momentum,
)

if TYPE_CHECKING:
    from . import symbolic
    from .optimizing import Optimum, minimize

__version__: str = _core._version()

__all__ = [
    "Analysis",
    "BatchSimulator",
    "BatchSnapshot",
    "Body",
    "ComputationError",
    "Constraint",
    "Contact",
    "DrivingForces",
    "Energy",
    "EnsembleResult",
    "Equations",
    "Equilibrium",
    "Error",
    "Event",
    "Force",
    "ForwardDerivatives",
    "Gradient",
    "Ground",
    "InputError",
    "InverseDerivatives",
    "Joint",
    "Kinematics",
    "LinearMotion",
    "Model",
    "ModelLinearization",
    "Modes",
    "Momentum",
    "Optimum",
    "Page",
    "ParticleCheckpoint",
    "ParticleMeasures",
    "ParticleReport",
    "ParticleResult",
    "Particles",
    "PythonConstraint",
    "PythonForce",
    "ReducedBody",
    "Report",
    "Result",
    "Sensitivities",
    "Simulator",
    "Snapshot",
    "StateVariable",
    "Studio",
    "SweepResult",
    "System",
    "TimeElements",
    "build_description",
    "compare",
    "demo",
    "derive",
    "draw",
    "gradient",
    "integrator_names",
    "load",
    "load_particles",
    "load_urdf",
    "loads",
    "loads_urdf",
    "minimize",
    "read_result",
    "read_sweep",
    "reduce",
    "resume",
    "resume_particles",
    "run_ensemble",
    "run_particles",
    "schema",
    "sensitivities",
    "set_threads",
    "show",
    "simulate",
    "solver_names",
    "studio",
    "studio_widget",
    "sweep",
    "symbolic",
    "threads",
]


def __dir__() -> list[str]:
    return sorted({*__all__, "minimize", "Optimum", "symbolic"})


def __getattr__(name: str) -> Any:
    # Not every program derives equations or searches, and these take time to import.
    if name in {"Optimum", "minimize"}:
        from . import optimizing

        return getattr(optimizing, name)
    if name == "symbolic":
        import importlib

        return importlib.import_module(".symbolic", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
