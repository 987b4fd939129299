"""A thousand calls with something wrong in them end in an exception, and never in a crash."""

from __future__ import annotations

import gc
import random
import threading

import numpy as np
import pytest
import sestina
from conftest import scattered
from sestina import symbolic as sm

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


@pytest.mark.parametrize("seed", range(3))
def test_ensembles_sensitivities_comparisons_and_derivations(pendulum, seed):
    draw = random.Random(seed)
    pendulum.analysis.duration = 0.01
    model = pendulum.freeze()
    good = [pendulum, model, {"m1": [1.0, 2.0]}, ["hinge.q"], ["l"], [0.1], [[0.1], [0.2]], "kane", 0.01, 2]

    def pick():
        return draw.choice(good if draw.random() < 0.6 else NONSENSE)

    calls = [
        lambda: sestina.run_ensemble(draw.choice([pendulum, pick()]), pick(), duration=0.01, q=pick()),
        lambda: sestina.run_ensemble(model, {"l": [1.0, 2.0]}, duration=0.01, record=pick(), u=pick()),
        lambda: sestina.sensitivities(pendulum, draw.choice([["l"], pick()]), record=pick(), duration=0.01),
        lambda: sestina.gradient(pendulum, draw.choice([["l"], pick()]), pick(), record=pick(), duration=0.01),
        lambda: model.compare(pick(), pick()),
        lambda: sestina.compare(pick()),
        lambda: sestina.derive(draw.choice([pendulum, pick()]), method=pick()),
        lambda: sestina.derive(pendulum).to_text(pick(), simplify=pick()),
        lambda: sestina.PythonForce(pick()),
        lambda: pendulum.copy().add_force("drive", pick()),
        lambda: sestina.loads_urdf(pick(), pick()),
    ]
    refused = 0
    for _ in range(150):
        try:
            draw.choice(calls)()
        except (*ALLOWED, OSError, RuntimeError):
            refused += 1
    assert refused > 60
    assert np.isfinite(model.forward_dynamics([1.0], [0.0])).all()


class Weird:
    def __repr__(self):
        raise RuntimeError("no text")

    def __len__(self):
        raise RuntimeError("no length")


@pytest.mark.parametrize("seed", range(3))
def test_callbacks_that_return_junk_raise_or_change_their_system(pendulum, seed):
    draw = random.Random(seed)
    held = pendulum.copy()

    def change(t, q, u):
        q[:] = np.nan
        held.add_force(f"again{draw.random()}", sestina.PythonForce(lambda *_: [0.0]))
        held.body("rod").mass = -1
        gc.collect()
        return 0 * u

    def fail(t, q, u):
        raise draw.choice([ValueError("x"), KeyError(), ZeroDivisionError(), StopIteration(), RuntimeError(Weird())])

    def run_another(t, q, u):
        sestina.simulate(pendulum, duration=0.001)
        return 0 * u

    refused = 0
    for _ in range(40):
        junk = draw.choice([*NONSENSE, Weird()])
        function = draw.choice(
            [change, fail, run_another, lambda: 0, lambda t, q, u: junk, lambda t, q, u: {"hinge": junk}, lambda t, q, u: {"rod": junk}, lambda t, q, u: {1: 2}, Weird()]
        )
        try:
            held = pendulum.copy()
            held.add_force("drive", sestina.PythonForce(function))
            model = held.freeze()
        except (*ALLOWED, RuntimeError):
            refused += 1
            continue
        for call in (
            lambda: sestina.simulate(held, duration=0.002, dt=1e-3),
            lambda: model.forward_dynamics([0.1], [0.2]),
            lambda: model.forward_dynamics(np.zeros((5, 1)), np.zeros((5, 1)), check=False),
            lambda: model.reactions([0.1], [0.2]),
            lambda: model.forward_dynamics_derivatives([0.1], [0.2]),
            lambda: sestina.run_ensemble(held, {"l": [1.0, 2.0]}, duration=0.01),
            lambda: sestina.derive(held),
            lambda: held.to_yaml(),
            lambda: model.compare(2),
        ):
            try:
                call()
            except Exception:
                refused += 1
    assert refused > 150
    assert len(sestina.simulate(pendulum, duration=0.01)) == 101


@pytest.mark.filterwarnings("ignore:nanobind")
@pytest.mark.parametrize("seed", range(3))
def test_symbolic_systems(seed):
    draw = random.Random(seed)
    with sm.Mechanics():
        x, y, F = sm.dynamicsymbols("x y F")
        m, l, g = sm.symbols("m l g")
        L = m / 2 * (x.diff() ** 2 + y.diff() ** 2) - m * g * y
        method = sm.LagrangesMethod(L, [x, y], hol_coneqs=[x**2 + y**2 - l**2])
        with sm.Mechanics():
            other = sm.dynamicsymbols("x")
        uninitialised = [kind.__new__(kind) for kind in (sm.Expression, sm.Matrix, sm.SymbolicSystem, sm.SimulationReport)]
        good = [x, y, F, m, l, x * m, x.diff(), x.diff().diff(), other, method, sm.Matrix([[0, 1], [-1, m]]), {x: 1.0}, {m: 1.0, l: 2.0, g: 9.81},
                {x.diff(): -x.diff()}, {x: y, y: x}, [x], [x, x], "rising", "out", 0.5, 1, sm.Expression(2)]  # fmt: skip

        def pick():
            return draw.choice(good if draw.random() < 0.7 else [*NONSENSE, *uninitialised])

        def simulate():
            options = {name: pick() for name in draw.sample(["start", "integrator", "rtol", "atol", "progress", "check"], 1)}
            result = system.simulate(0.01, every=draw.choice([0.01, 0, -1, None]), **options)
            return result[pick()]

        refused = 0
        for i in range(400):
            if i % 25 == 0:
                system = sm.SymbolicSystem(method, {m: 1, l: 1, g: 9.81}, {x: 0.5, x.diff(): 0})
                system.set_guess({y: -1.0})
            # As many arguments as each takes.
            function, count = draw.choice(
                [(system.set, 1), (system.set_input, 2), (system.set_initial, 1), (system.set_guess, 1), (system.add_invariant, 1),
                 (system.add_output, 2), (system.add_energies, 2), (system.add_event, 3), (system.initial_state, 1), (system.evaluate_at_start, 1),
                 (simulate, 0), (simulate, 0), (sm.SymbolicSystem, 1), (sm.find_equilibrium, 2), (sm.calc_eigenvalues, 2),
                 (sm.calc_eigenvalue_branches, 3), (sm.collect, 2), (sm.expand, 1), (sm.factor, 1), (sm.coefficients_of, 2),
                 (lambda *a: sm.find_steady_motion(method, {m: 1, l: 1, g: 9.81}, values=a[0], unknowns=a[1], unsteady=a[2]), 3),
                 (lambda *a: system.add_event("e", a[0], set=a[1], terminal=a[2]), 3)]
            )  # fmt: skip
            try:
                function(*[pick() for _ in range(count)])
            except (*ALLOWED, RuntimeError):
                refused += 1
        assert refused > 200
        fresh = sm.SymbolicSystem(method, {m: 1, l: 1, g: 9.81}, {x: 0.5, x.diff(): 0})
        fresh.set_guess({y: -1.0})
        assert fresh.simulate(0.1)[x][0] == 0.5


def test_systems_with_callbacks_on_several_threads(pendulum):
    pendulum.add_force("drag", sestina.PythonForce(lambda t, q, u: -u))
    model = pendulum.freeze()
    found, states = [], (np.ones((50, 1)), np.ones((50, 1)))

    def work():
        for _ in range(5):
            found.append(model.forward_dynamics(*states).sum())
            found.append(model.system.freeze().forward_dynamics(*states).sum())
            sestina.simulate(pendulum.copy(), duration=0.01)
            gc.collect()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 30 and len(set(found)) == 1
