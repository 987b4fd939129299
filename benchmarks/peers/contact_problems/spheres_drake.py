"""The spheres of `spheres.py` in Drake, with point contact."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydrake.geometry import AddContactMaterial, HalfSpace, ProximityProperties, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
from pydrake.multibody.tree import SpatialInertia, UnitInertia
from pydrake.systems.analysis import ApplySimulatorConfig, Simulator, SimulatorConfig
from pydrake.systems.framework import DiagramBuilder

from .spheres import FRICTION, GRAVITY, MASS, RADIUS, Array, starts, walls

STIFFNESS, DISSIPATION = 1e6, 10.0  # N/m, s/m (Hunt-Crossley)


def simulator(side: int, step: float, scheme: str = "", accuracy: float = 1e-3) -> tuple[Any, Any]:
    """step: of SAP, s; 0 with an integration scheme of its own, such as `cenic`. Returns the simulator and the plant."""
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, step)
    plant.mutable_gravity_field().set_gravity_vector([0, 0, -GRAVITY])
    material = ProximityProperties()
    AddContactMaterial(
        dissipation=DISSIPATION, point_stiffness=STIFFNESS, friction=CoulombFriction(FRICTION, FRICTION), properties=material
    )
    for name, point, normal in walls(side):
        pose = HalfSpace.MakePose(normal, point)
        plant.RegisterCollisionGeometry(plant.world_body(), pose, HalfSpace(), name, material)
    inertia = SpatialInertia(MASS, np.zeros(3), UnitInertia.SolidSphere(RADIUS))
    centres = starts(side)
    bodies = [plant.AddRigidBody(f"b{i}", inertia) for i in range(len(centres))]
    for body in bodies:
        plant.RegisterCollisionGeometry(body, RigidTransform(), Sphere(RADIUS), body.name(), material)
    plant.Finalize()
    result = Simulator(builder.Build())
    if scheme:
        config = SimulatorConfig(integration_scheme=scheme, accuracy=accuracy, max_step_size=0.1, use_error_control=True)
        ApplySimulatorConfig(config, result)
    context = plant.GetMyMutableContextFromRoot(result.get_mutable_context())
    for body, centre in zip(bodies, centres):
        plant.SetFreeBodyPose(context, body, RigidTransform(centre))
    result.Initialize()
    return result, plant


def centres(result: Any, plant: Any) -> Array:
    """(count, 3) m, at the present time."""
    context = plant.GetMyContextFromRoot(result.get_context())
    q: Array = plant.GetPositions(context).reshape(-1, 7)[:, 4:]
    return q
