"""Functions of states, of one and of many."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest
import sestina
from conftest import scattered


def test_pendulum_has_the_accelerations_of_the_closed_form(pendulum):
    model = pendulum.freeze()
    q = np.linspace(-3, 3, 7)[:, None]
    udot = model.forward_dynamics(q, np.zeros_like(q))
    np.testing.assert_allclose(udot, -1.5 * 9.81 * np.sin(q), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(model.mass_matrix(q), np.full((7, 1, 1), 1 / 3), rtol=1e-14)
    np.testing.assert_allclose(model.point_position("rod.tip", [0.5]), [-np.sin(0.5), 0, -np.cos(0.5)], atol=1e-15)
    energy = model.energy([0.5], [2.0])
    assert energy.kinetic == pytest.approx(0.5 * 4 / 3, rel=1e-14)
    assert energy.total == energy.kinetic + energy.potential


@pytest.mark.parametrize("name", ["arm", "everything"])
def test_many_states_are_the_single_ones_to_round_off(name, request):
    model = request.getfixturevalue(name)
    q, u = scattered(model, (3, 5))
    tau = np.random.default_rng(2).standard_normal((5, model.nu))
    udot = model.forward_dynamics(q, u, tau, t=0.3)
    assert udot.shape == (3, 5, model.nu)
    for i in range(3):
        for j in range(5):
            single = model.forward_dynamics(q[i, j], u[i, j], tau[j], t=0.3)
            np.testing.assert_allclose(udot[i, j], single, rtol=1e-9, atol=1e-9 * np.abs(single).max())


@pytest.mark.parametrize("name", ["arm", "everything"])
def test_inverse_dynamics_gives_back_the_forces(name, request):
    model = request.getfixturevalue(name)
    q, u = scattered(model, (20,))
    tau = np.random.default_rng(2).standard_normal((20, model.nu))
    again = model.inverse_dynamics(q, u, model.forward_dynamics(q, u, tau))
    np.testing.assert_allclose(again, tau, rtol=0, atol=1e-9 * max(1.0, np.abs(tau).max()))
    np.testing.assert_allclose(model.inverse_dynamics(q[3], u[3], model.forward_dynamics(q[3], u[3], tau[3])), tau[3],
                               rtol=0, atol=1e-9)


def test_all_solvers_agree(arm):
    q, u = scattered(arm, ())
    reference = arm.forward_dynamics(q, u)
    for solver in sestina.solver_names():
        np.testing.assert_allclose(arm.forward_dynamics(q, u, solver=solver), reference, rtol=1e-9)
    with pytest.raises(sestina.InputError, match="solver: there is no 'kana' .did you mean 'kane'"):
        arm.forward_dynamics(q, u, solver="kana")
    comparison = arm.compare(states=3)
    assert comparison["agrees"] and len(comparison["formulations"]) == len(sestina.solver_names()) + 1  # cartesian


def test_mass_matrix_is_that_of_inverse_dynamics(everything):
    q, u = scattered(everything, (4,))
    M = everything.mass_matrix(q)
    np.testing.assert_allclose(M, np.swapaxes(M, -1, -2))
    rest = everything.inverse_dynamics(q, u, np.zeros_like(u))
    for k in range(everything.nu):
        column = everything.inverse_dynamics(q, u, np.eye(everything.nu)[k]) - rest
        np.testing.assert_allclose(column, M[:, :, k], atol=1e-10 * np.abs(M).max())


def test_point_jacobian_is_the_rate_of_position_and_rotation(everything):
    q, u = scattered(everything, ())
    h = 1e-6
    for point in everything.points:
        J = everything.point_jacobian(point, q)
        ahead = everything.point_position(point, everything.plus(q, h * u))
        behind = everything.point_position(point, everything.plus(q, -h * u))
        np.testing.assert_allclose(J[3:] @ u, (ahead - behind) / (2 * h), atol=1e-7)
    motion = everything.kinematics(q, u)
    for b, body in enumerate(everything.bodies):
        V = everything.point_jacobian(f"{body}.origin", q) @ u
        np.testing.assert_allclose(motion.angular_velocity[b], V[:3], atol=1e-12)
        np.testing.assert_allclose(motion.velocity[b], V[3:], atol=1e-12)
        np.testing.assert_allclose(motion.rotation[b] @ motion.rotation[b].T, np.eye(3), atol=1e-14)


def test_derivatives_by_state_are_differences(arm):
    q, u = scattered(arm, (2,))
    tau = np.ones(arm.nu)
    by_q, by_u, by_tau = arm.forward_dynamics_derivatives(q, u, tau)
    h = 1e-6
    for j, e in enumerate(np.eye(arm.nu)):
        dq = (arm.forward_dynamics(arm.plus(q, h * e), u, tau) - arm.forward_dynamics(arm.plus(q, -h * e), u, tau)) / (2 * h)
        du = (arm.forward_dynamics(q, u + h * e, tau) - arm.forward_dynamics(q, u - h * e, tau)) / (2 * h)
        np.testing.assert_allclose(by_q[..., j], dq, atol=1e-5 * (1 + np.abs(dq).max()))
        np.testing.assert_allclose(by_u[..., j], du, atol=1e-5 * (1 + np.abs(du).max()))
    np.testing.assert_allclose(by_tau @ arm.mass_matrix(q), np.broadcast_to(np.eye(arm.nu), by_tau.shape), atol=1e-9)
    udot = arm.forward_dynamics(q, u, tau)
    inverse = arm.inverse_dynamics_derivatives(q, u, udot)
    np.testing.assert_allclose(by_q, -by_tau @ inverse.by_q, atol=1e-8 * np.abs(by_q).max())
    np.testing.assert_allclose(inverse.by_udot, arm.mass_matrix(q), atol=1e-12)


def test_derivatives_by_parameters_are_differences(pendulum):
    pendulum.add_joint_damper("friction", "hinge", "0.1*m1^2")
    model = pendulum.freeze()
    q, u = np.array([[0.4], [1.3]]), np.array([[1.0], [-2.0]])
    exact = model.forward_dynamics_by_parameters(q, u)
    assert exact.shape == (2, 2, 1)
    h = 1e-6
    for i, (name, value) in enumerate(model.parameters.items()):
        ahead = model.with_parameters(**{name: value + h}).forward_dynamics(q, u)
        behind = model.with_parameters(**{name: value - h}).forward_dynamics(q, u)
        np.testing.assert_allclose(exact[:, i], (ahead - behind) / (2 * h), rtol=1e-7, atol=1e-7)
    udot = model.forward_dynamics(q, u)
    by_tau = model.forward_dynamics_derivatives(q, u).by_tau
    residual = model.inverse_dynamics_by_parameters(q, u, udot)
    np.testing.assert_allclose(np.einsum("kij,kpj->kpi", by_tau, -residual), exact, rtol=1e-12)


def test_reactions_of_a_hanging_rod_carry_its_weight(pendulum):
    model = pendulum.freeze()
    reactions = model.reactions([[0.0], [np.pi]], [0.0])
    assert reactions.shape == (2, 1, 6)
    np.testing.assert_allclose(reactions[:, 0], [[0, 0, 0, 0, 0, 9.81]] * 2, atol=1e-12)
    turning = model.reactions([0.0], [2.0])  # the weight and m u^2 l/2
    assert turning[0, 5] == pytest.approx(9.81 + 0.5 * 4, rel=1e-14)


def test_momentum_and_coordinates(everything):
    q, u = scattered(everything, (3,))
    momentum = everything.momentum(q, u)
    assert momentum.linear.shape == (3, 3) and np.abs(momentum.angular).max() > 0
    moved = everything.plus(q, 0.01 * u)
    np.testing.assert_allclose(everything.minus(moved, q), 0.01 * u, atol=1e-13)
    np.testing.assert_allclose(everything.normalize(moved), moved, atol=1e-14)
    rate = (everything.plus(q, 1e-6 * u) - everything.plus(q, -1e-6 * u)) / 2e-6
    np.testing.assert_allclose(everything.q_dot(q, u), rate, atol=1e-8)


def test_out_is_filled_and_returned(arm):
    q, u = scattered(arm, (4,))
    expected = arm.forward_dynamics(q, u)
    out = np.empty((4, arm.nu))
    assert arm.forward_dynamics(q, u, out=out) is out
    np.testing.assert_array_equal(out, expected)
    strided = np.zeros((4, 2 * arm.nu))[:, ::2]
    assert arm.forward_dynamics(q, u, out=strided) is strided
    np.testing.assert_array_equal(strided, expected)
    own = u.copy()
    np.testing.assert_array_equal(arm.forward_dynamics(q, own, out=own), expected)
    parts = tuple(np.empty((4, arm.nu, arm.nu)) for _ in range(3))
    assert arm.forward_dynamics_derivatives(q, u, out=parts).by_u is parts[1]


def test_out_may_share_memory_with_an_argument(arm):
    # More states than a block or a thread takes at once: rows written early must not be read as states later.
    q, u = scattered(arm, (601,))
    expected = arm.forward_dynamics(q[:-1], u[:-1])
    tau = arm.inverse_dynamics(q[:-1], u[:-1], expected)
    for written, read in ((slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None))):
        rows = np.zeros((601, arm.nu))
        rows[read] = u[:-1]
        out = rows[written]
        assert arm.forward_dynamics(q[:-1], rows[read], out=out) is out
        np.testing.assert_array_equal(rows[written], expected)
        rows[read] = expected
        arm.inverse_dynamics(q[:-1], u[:-1], rows[read], out=rows[written])
        np.testing.assert_array_equal(rows[written], tau)
    rows = np.zeros((601, arm.nq))
    rows[:-1] = q[:-1]
    moved = arm.plus(q[:-1], u[:-1])
    arm.plus(rows[:-1], u[:-1], out=rows[1:])
    np.testing.assert_array_equal(rows[1:], moved)
    # Beside each other in the same memory, nothing is shared.
    halves = np.concatenate([u[:300], np.zeros((300, arm.nu))])
    arm.forward_dynamics(q[:300], halves[:300], out=halves[300:])
    np.testing.assert_array_equal(halves[300:], expected[:300])
    np.testing.assert_array_equal(halves[:300], u[:300])


def test_what_numpy_converts_safely_is_taken(pendulum):
    model = pendulum.freeze()
    expected = model.forward_dynamics(np.array([1.0]), np.array([0.0]))
    assert model.forward_dynamics([1], (0,)) == expected
    assert model.forward_dynamics(np.array([1], dtype=np.int32), np.array([0], dtype=np.float32)) == expected
    assert model.forward_dynamics(np.array([1.0, 5.0])[:1], np.array([[0.0]])[0]) == expected
    big = np.array([1.0], dtype=">f8")
    assert model.forward_dynamics(big, [0.0]) == expected
    assert model.forward_dynamics(np.empty((0, 1)), np.empty((0, 1))).shape == (0, 1)


def test_wrong_shapes_are_refused_with_both_shapes(arm):
    q, u = scattered(arm, (4,))
    nu = arm.nu
    with pytest.raises(sestina.InputError, match=rf"q has the shape \({nu + 1},\); allowed is \(..., {arm.nq}\)"):
        arm.forward_dynamics(np.zeros(nu + 1), u)
    with pytest.raises(sestina.InputError, match=rf"do not fit together: q \(4, {nu}\), u \(3, {nu}\)"):
        arm.forward_dynamics(q, u[:3])
    with pytest.raises(sestina.InputError, match=rf"out has the shape \(3, {nu}\); the result has \(4, {nu}\)"):
        arm.forward_dynamics(q, u, out=np.empty((3, nu)))
    with pytest.raises(sestina.InputError, match="out has another type of numbers than float64"):
        arm.forward_dynamics(q, u, out=np.empty((4, nu), dtype=np.float32))
    with pytest.raises(sestina.InputError, match="q: no array of floating-point numbers"):
        arm.forward_dynamics("text", u)
    with pytest.raises(sestina.InputError, match="q: no array of floating-point numbers"):
        arm.forward_dynamics(q + 0j, u)
    with pytest.raises(sestina.InputError, match="read-only"):
        out = np.empty((4, nu))
        out.flags.writeable = False
        arm.forward_dynamics(q, u, out=out)


def test_states_without_accelerations_are_named(pendulum):
    pendulum.add_joint_force("drive", "hinge", "1/hinge.u")
    model = pendulum.freeze()
    with pytest.raises(sestina.ComputationError, match="drive is not finite: division by zero"):
        model.forward_dynamics([0.0], [0.0])
    q, u = np.zeros((2, 3, 1)), np.ones((2, 3, 1))
    u[1, 0] = 0.0
    with pytest.raises(sestina.ComputationError, match=r"state \[1, 0\]: the value of force drive is not finite"):
        model.forward_dynamics(q, u)
    udot = model.forward_dynamics(q, u, check=False)
    assert np.isnan(udot[1, 0, 0]) and np.isfinite(udot).sum() == 5
    assert np.isnan(model.forward_dynamics([0.0], [0.0], check=False)).all()


def test_results_do_not_depend_on_threads(arm):
    q, u = scattered(arm, (1000,))
    before = sestina.threads()
    try:
        results = []
        for threads in (1, 3):
            sestina.set_threads(threads)
            assert sestina.threads() == threads
            results.append((arm.forward_dynamics(q, u), arm.mass_matrix(q)))
    finally:
        sestina.set_threads(before)
    for a, b in zip(*results):
        np.testing.assert_array_equal(a, b)
    with pytest.raises(sestina.InputError):
        sestina.set_threads(0)


def test_one_model_serves_several_threads(arm):
    q, u = scattered(arm, (200,))
    expected = arm.forward_dynamics(q, u), arm.reactions(q, u)
    failures = []

    def work():
        for _ in range(20):
            if not np.array_equal(arm.forward_dynamics(q, u), expected[0]):
                failures.append("udot")
            if not np.array_equal(arm.reactions(q, u), expected[1]):
                failures.append("reactions")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_large_results_have_memory_of_their_own_that_is_used_again(arm):
    q, u = scattered(arm, (60_000,))
    first = arm.forward_dynamics(q, u)
    second = arm.forward_dynamics(q, 2 * u)
    assert first.nbytes > 2**20 and first.flags.owndata and first.flags.c_contiguous and first.base is None
    expected = first[::1000].copy()
    assert not np.shares_memory(first, second) and not np.array_equal(first, second)
    part = second[10:20]
    before, sample = second.ctypes.data, part.copy()
    third = arm.forward_dynamics(q, 2 * u)
    assert third.ctypes.data != before
    np.testing.assert_array_equal(third, second)
    del second
    fourth = arm.forward_dynamics(q, u)
    assert fourth.ctypes.data != before  # `part` still refers to it
    np.testing.assert_array_equal(part, sample)
    del part
    assert arm.forward_dynamics(q, u).ctypes.data == before
    np.testing.assert_array_equal(first[::1000], expected)
    np.testing.assert_array_equal(first, fourth)
    # An array of the caller stays the caller's to change or to pass on.
    fourth.resize((30_000, arm.nu), refcheck=False)
    np.testing.assert_array_equal(fourth, first[:30_000])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(first)), first)


def test_little_memory_is_kept(arm):
    for count in range(40_000, 60_000, 1000):
        q, u = scattered(arm, (count,))
        arm.forward_dynamics(q, u)
    assert 0 < sestina._core._kept_result_memory() <= 64 * 2**20
    results = []

    def compute(seed):
        q, u = scattered(arm, (30_000,), seed)
        for _ in range(10):
            results.append((seed, arm.forward_dynamics(q, u)[::5000].sum()))

    threads = [threading.Thread(target=compute, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({seed for seed, _ in results}) == len(set(results)) == 4
