"""Systems that the tests share."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

import numpy as np
import pytest
import sestina
import sestina.symbolic

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def pendulum() -> sestina.System:
    """A rod of 1 m and `m1` kg on a hinge about y, gravity along -z: udot = -3 g/(2 l) sin q."""
    system = sestina.System("pendulum", gravity=(0, 0, -9.81), parameters={"m1": 1.0, "l": 1.0})
    rod = system.add_rigid_body(
        "rod",
        "m1",
        center_of_mass=(0, 0, "-l/2"),
        inertia={"xx": "m1*l^2/12", "yy": "m1*l^2/12"},
        points={"tip": (0, 0, "-l")},
    )
    system.add_joint("hinge", "revolute", parent=system.ground["origin"], child=rod["origin"], axis=(0, 1, 0), q=1.0)
    return system


@pytest.fixture
def own_derivation() -> Iterator[sestina.symbolic.Mechanics]:
    """A derivation in which no name is taken."""
    with sestina.symbolic.Mechanics() as mechanics:
        yield mechanics


@pytest.fixture(scope="session")
def arm() -> sestina.Model:
    """The robot arm of the examples."""
    return sestina.load(EXAMPLES / "10_robot_arm.yaml").freeze()


@pytest.fixture(scope="session")
def everything() -> sestina.Model:
    """Every joint and every force."""
    return sestina.load(EXAMPLES / "07_every_joint_and_force.yaml").freeze()


def scattered(model: sestina.Model, shape: tuple[int, ...], seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """q (*shape, nq) and u (*shape, nu) around the initial state."""
    random = np.random.default_rng(seed)
    displacement = 0.3 * random.standard_normal((*shape, model.nu))
    return model.plus(model.q0, displacement), model.u0 + 0.3 * random.standard_normal((*shape, model.nu))
