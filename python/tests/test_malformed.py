"""A thousand calls with something wrong in them end in an exception, and never in a crash."""

from __future__ import annotations

import random

import numpy as np
import pytest
import sestina
from conftest import scattered

NONSENSE = [
    None,
    "text",
    b"bytes",
    True,
    -1,
    10**30,
    float("nan"),
    float("inf"),
    [],
    [[]],
    {},
    (1, "2", None),
    object(),
    np.zeros(3),
    np.zeros((2, 2, 2)),
    np.zeros((0, 7)),
    np.zeros(7, dtype=complex),
    np.zeros(7, dtype=object),
    np.array(["a", "b"]),
    np.full(7, np.nan),
    np.zeros((3, 14))[:, ::2],
    np.broadcast_to(np.zeros(7), (4, 7)),
    range(7),
    lambda: 1,
]

FUNCTIONS = [
    ("forward_dynamics", 3),
    ("inverse_dynamics", 3),
    ("mass_matrix", 1),
    ("kinematics", 2),
    ("point_position", 2),
    ("point_jacobian", 2),
    ("reactions", 3),
    ("energy", 2),
    ("momentum", 2),
    ("forward_dynamics_derivatives", 3),
    ("inverse_dynamics_derivatives", 3),
    ("forward_dynamics_by_parameters", 2),
    ("inverse_dynamics_by_parameters", 3),
    ("plus", 2),
    ("minus", 2),
    ("q_dot", 2),
    ("normalize", 1),
    ("q_slice", 1),
    ("with_parameters", 0),
]

ALLOWED = (sestina.Error, TypeError, ValueError, KeyError, IndexError, OverflowError, AttributeError)


@pytest.mark.parametrize("seed", range(4))
def test_functions_of_states(arm, seed):
    draw = random.Random(seed)
    q, u = scattered(arm, (3,))
    refused = 0
    for _ in range(200):
        name, count = draw.choice(FUNCTIONS)
        arguments = [draw.choice([*NONSENSE, q, u, u[0]]) for _ in range(max(0, count + draw.choice([-1, 0, 0, 0, 1])))]
        options = {key: draw.choice(NONSENSE) for key in draw.sample(["out", "t", "d", "solver", "check"], draw.choice([0, 0, 1]))}
        try:
            getattr(arm, name)(*arguments, **options)
        except ALLOWED:
            refused += 1
    assert refused > 100
    assert np.isfinite(arm.forward_dynamics(q, u)).all()


@pytest.mark.filterwarnings("ignore:Casting complex values")
@pytest.mark.parametrize("seed", range(4))
def test_building_and_running(pendulum, seed):
    draw = random.Random(seed)
    methods = [
        lambda s, a, b: s.add_rigid_body(a, b),
        lambda s, a, b: s.add_rigid_body("x", 1, inertia=a, points=b),
        lambda s, a, b: s.add_rigid_body("x", 1, shapes=a, center_of_mass=b),
        lambda s, a, b: s.add_joint("x", a, "ground.origin", b),
        lambda s, a, b: s.add_joint("x", "revolute", "ground.origin", "rod.tip", axis=a, q=b),
        lambda s, a, b: s.add_force("x", a, value=b),
        lambda s, a, b: s.add_event("x", a, set=b),
        lambda s, a, b: setattr(s.joint("hinge"), "limits", a),
        lambda s, a, b: setattr(s.add_joint_force("x", "hinge", 0), "table", {"t": a, "columns": {"f": b}}),
        lambda s, a, b: s.parameters.__setitem__(a, b),
        lambda s, a, b: setattr(s, draw.choice(["gravity", "name", "parameters", "analysis"]), a),
        lambda s, a, b: sestina.simulate(s, duration=a, every=b),
        lambda s, a, b: sestina.simulate(s, duration=0.01, dt=a, solver=b),
        lambda s, a, b: sestina.simulate(s, duration=0.01, threads=a, out=b),
        lambda s, a, b: sestina.simulate(s, duration=0.01)[a],
        lambda s, a, b: sestina.sweep(s, {"parameters.l": a}, threads=b),
        lambda s, a, b: sestina.loads(a, b),
        lambda s, a, b: sestina.load(a),
    ]
    text = pendulum.to_yaml()
    refused = 0
    for _ in range(60):
        system = sestina.loads(text)
        system.analysis.duration = 0.01
        # A duration of 1e30 s would be no fault.
        given = [value for value in NONSENSE if value is not True and not (isinstance(value, (int, float)) and value > 1)]
        try:
            draw.choice(methods)(system, draw.choice(given), draw.choice(given))
            system.freeze()
        except (*ALLOWED, OSError, RuntimeError):
            refused += 1
    assert refused > 30


def test_models_do_not_see_changes_of_their_system(pendulum):
    model = pendulum.freeze()
    before = model.forward_dynamics([1.0], [0.0])
    pendulum.body("rod").mass = -5
    pendulum.add_joint("again", "revolute", "ground.origin", "rod.tip")
    del pendulum
    np.testing.assert_array_equal(model.forward_dynamics([1.0], [0.0]), before)
