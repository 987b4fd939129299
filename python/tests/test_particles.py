"""Particles: steps from Python against runs of the program, and against laws."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import sestina

FLUID = """sestina: 1
name: fluid
parameters: {T: 0.72}
particles:
  species: [{name: A, mass: 2}, {name: B, mass: 1}]
  positions: {lattice: {type: fcc, cells: [4, 4, 4], density: 0.8, species: B}}
  velocities: {temperature: T, seed: 5}
  pairs: [{type: lj, species: [B, B], epsilon: 1, sigma: 1, cutoff: 2.3, shift: true}]
analysis: {step: {dt: 0.004}, duration: 0.4}
output: {every: 0.02}
"""


@pytest.fixture
def fluid(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "fluid.yaml"
    path.write_text(FLUID)
    return path


def test_steps_are_those_of_a_run(fluid: pathlib.Path) -> None:
    particles = sestina.load_particles(fluid)
    result = sestina.run_particles(fluid)
    assert (result.report.status, result.report.steps, len(result)) == ("complete", 100, 21)
    for row in range(len(result)):
        measures = particles.measure()
        assert measures.t == pytest.approx(result.t[row], abs=1e-12)
        for name in ("temperature", "pressure"):
            assert getattr(measures, name) == result[name][row]
        for name in ("kinetic", "pair", "bonded", "potential", "total"):
            assert getattr(measures, name) == result["energy." + name][row]
        particles.step(5)
    assert particles.steps == 105
    assert abs(result["energy.total"][-1] - result["energy.total"][0]) < 1e-3 * abs(result["energy.total"][0])


def test_a_result_has_columns_and_no_bodies(fluid: pathlib.Path, tmp_path: pathlib.Path) -> None:
    ran = sestina.run_particles(fluid, out=tmp_path / "fluid.h5")
    for result in (ran, sestina.read_result(tmp_path / "fluid.h5")):
        assert result["temperature"][0] == ran["temperature"][0]
        for use in (lambda: result.draw(), lambda: result.system, lambda: result.q):
            with pytest.raises(sestina.InputError, match="^the result is of particles, which have no bodies"):
                use()


def test_arrays_are_copies_in_the_order_of_the_lattice(fluid: pathlib.Path) -> None:
    particles = sestina.load_particles(fluid, {"parameters.T": 1.3}, threads=2)
    assert len(particles) == 256
    assert particles.positions.shape == particles.velocities.shape == particles.forces.shape == (256, 3)
    assert particles.species == ["A", "B"]
    assert set(particles.species_of) == {1}
    assert np.all(particles.masses == 1)
    assert particles.charges.size == 0
    lower, lengths, periodic = particles.box
    assert np.all(lower == 0)
    assert lengths == pytest.approx(np.full(3, 4 * (4 / 0.8) ** (1 / 3)))
    assert periodic == (True, True, True)
    assert particles.measure().temperature == pytest.approx(1.3, rel=1e-12)
    kinetic = 0.5 * np.sum(particles.masses[:, None] * particles.velocities**2)
    assert particles.measure().kinetic == pytest.approx(kinetic, rel=1e-12)
    before = particles.positions
    before[:] = 0  # a copy
    assert np.any(particles.positions != 0)
    first = particles.positions
    particles.step(50)
    moved = particles.positions - first
    assert np.abs(moved.mean(axis=0)).max() < 1e-12  # the centre of mass stays
    assert np.abs(moved).max() > 0.05


def test_threads_and_restored_states_give_the_same_bits(fluid: pathlib.Path) -> None:
    one, two = sestina.load_particles(fluid), sestina.load_particles(fluid, threads=2)
    one.step(30), two.step(30)
    assert np.array_equal(one.positions, two.positions)
    saved = one.save()
    assert (saved.steps, saved.t) == (30, one.t)
    one.step(40)
    after = one.velocities
    one.restore(saved)
    one.step(40)
    assert np.array_equal(one.velocities, after)
    two.restore(saved)
    two.step(40)
    assert np.array_equal(two.velocities, after)


def test_forces_are_minus_the_slope_of_the_energy(tmp_path: pathlib.Path) -> None:
    def ions(x: float) -> sestina.Particles:
        path = tmp_path / "ions.yaml"
        path.write_text(f"""sestina: 1
particles:
  species: [{{name: ion, mass: 1, charge: 0.5}}]
  box: {{lengths: [4, 4, 4], periodic: [false, false, false]}}
  positions: {{list: [[ion, {x}, 1, 1], [ion, 2, 1.5, 1.2], [ion, 0.5, 3, 2]]}}
  pairs: [{{type: coulomb, strength: 2}}]
analysis: {{step: {{dt: 0.01}}}}
""")
        return sestina.load_particles(path)

    h = 1e-5
    slope = (ions(1 + h).measure().potential - ions(1 - h).measure().potential) / (2 * h)
    particles = ions(1)
    assert particles.forces[0, 0] == pytest.approx(-slope, rel=1e-8)
    assert list(particles.charges) == [0.5, 0.5, 0.5]
    assert np.abs(particles.forces.sum(axis=0)).max() < 1e-14


def test_runs_can_be_interrupted_by_limits_and_resumed(fluid: pathlib.Path, tmp_path: pathlib.Path) -> None:
    whole = sestina.run_particles(fluid, out=tmp_path / "whole.h5")
    for out in (None, tmp_path / "rows.h5"):
        state = tmp_path / f"state{out is None}"
        with pytest.raises(sestina.ComputationError, match="40 steps") as failure:
            sestina.run_particles(fluid, out=out, checkpoint=state, max_steps=40)
        assert failure.value.result.report.steps == 40
        rest = sestina.resume_particles(state)
        assert rest.report.resumed_at == pytest.approx(0.16)
        assert rest.report.status == "complete"
        count = len(whole) if out else len(whole) - 9
        assert np.array_equal(rest.table.values[-count:], whole.table.values[-count:])
        assert len(rest) == count


def test_bad_input_is_told(fluid: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with pytest.raises(sestina.InputError, match="particles.pairs\\[0\\].epsilon"):
        sestina.load_particles(fluid, {"particles.pairs[0].epsilon": "epsi"})
    with pytest.raises(sestina.InputError, match="sestina.load reads models of bodies"):
        pendulum = tmp_path / "pendulum.yaml"
        pendulum.write_text("sestina: 1\nbodies: [{name: a, mass: 1}]\n")
        sestina.run_particles(pendulum)
    with pytest.raises(sestina.InputError, match="load_particles"):
        sestina.load(fluid)
    particles = sestina.load_particles(fluid)
    with pytest.raises(sestina.InputError, match="dt: -1 is not a positive number"):
        particles.step(1, dt=-1)
    with pytest.raises(sestina.InputError, match="steps: -2 is negative"):
        particles.step(-2)
    with pytest.raises(sestina.ComputationError, match="particles overlap|particle [0-9]+"):
        particles.step(10, dt=10.0)
    with pytest.raises(sestina.InputError, match="threads"):
        sestina.load_particles(fluid, threads=0)


def test_bodies_beside_particles_move_and_are_restored(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "pull.yaml"
    path.write_text("""sestina: 1
bodies: [{name: block, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}]
joints: [{name: slide, type: prismatic, axis: [1, 0, 0], parent: ground.origin, child: block.origin}]
particles:
  species: [{name: a, mass: 1}]
  box: {lengths: [9, 9, 9], periodic: [false, false, false]}
  positions: {list: [[a, 1, 0, 0]]}
  fields: [{type: tether, body: block, at: [0, 0, 0], stiffness: 3}]
analysis: {step: {dt: 0.001}, duration: 1}
output: {every: 0.5}
""")
    result = sestina.run_particles(path, out=tmp_path / "pull.csv")
    particles = sestina.load_particles(path)
    particles.step(500)
    saved = particles.save()
    particles.step(500)
    end = particles.positions
    particles.restore(saved)
    particles.step(500)
    np.testing.assert_array_equal(end, particles.positions)
    # Two thirds of the distance are the particle's way, at sqrt(4.5) rad/s; the centre of mass rests.
    assert end[0, 0] == pytest.approx(1 / 3 + 2 / 3 * np.cos(np.sqrt(4.5)), abs=1e-6)
    assert result["slide.q"][-1] == pytest.approx((1 - end[0, 0]) / 2, abs=1e-12)
