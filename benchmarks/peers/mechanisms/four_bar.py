"""The double four-bar of the IFToMM library: five equal rods, which pass through positions where the mechanism could branch.
What counts is the energy after 10 s."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable
from typing import Any

import sestina

from . import engines, plane
from .engines import Rule

DURATION = 10.0  # s
INERTIA = 1.0 / 12  # kg m^2, of a rod of 1 kg and 1 m about its middle
GRAVITY, RADIUS = 9.81, 0.95  # m/s^2, spectral radius
ENERGY = 1.5 + 3.5 * GRAVITY  # J, at the start


def sestina_four_bar(coordinates: str = "relative") -> sestina.System:
    system = sestina.System("double four-bar", gravity=(0, -GRAVITY, 0))
    system.analysis.coordinates = coordinates
    inertia = {"yy": INERTIA, "zz": INERTIA}
    names = ("first", "second", "third")
    for k, name in enumerate(names):
        system.ground.add_point(f"at_{k}", (float(k), 0, 0))
        bar = system.add_rigid_body(f"bar_{name}", 1.0, center_of_mass=(0, 0.5, 0), inertia=inertia | {"xx": INERTIA, "yy": 1e-6})
        bar.add_point("tip", (0, 1, 0))
        start: dict[str, Any] = {"q": 0.0, "u": -1.0} if k == 0 else {}
        system.add_joint(name, "revolute", f"ground.at_{k}", bar["origin"], axis=(0, 0, 1), **start)
    for k, (a, b) in enumerate(itertools.pairwise(names)):
        rod = system.add_rigid_body(f"coupler_{k}", 1.0, center_of_mass=(0.5, 0, 0), inertia=inertia | {"xx": 1e-6})
        rod.add_point("end", (1, 0, 0))
        system.add_joint(f"left_{k}", "revolute", f"bar_{a}.tip", rod["origin"], axis=(0, 0, 1))
        system.add_joint(f"right_{k}", "revolute", f"bar_{b}.tip", rod["end"], axis=(0, 0, 1))
    return system


def exudyn_run(rule: Rule) -> tuple[engines.Run, Callable[[], float]]:
    """A run, and one more, not to be timed, that returns the largest change of the energy (J) at the begin of any step."""
    model = plane.Plane(gravity=GRAVITY)
    bars = [model.add_body(1.0, INERTIA, (float(k), 0.5), 0.0, velocity=(0.5, 0), spin=-1.0) for k in range(3)]
    couplers = [model.add_body(1.0, INERTIA, (k + 0.5, 1.0), 0.0, velocity=(1.0, 0)) for k in range(2)]
    for k, bar in enumerate(bars):
        model.add_hinge(model.ground, (float(k), 0), bar, (0, -0.5))
    for k, coupler in enumerate(couplers):
        model.add_hinge(bars[k], (0, 0.5), coupler, (-0.5, 0))
        model.add_hinge(bars[k + 1], (0, 0.5), coupler, (0.5, 0))
    model.system.Assemble()
    run = engines.exudyn_run(model.system, rule, DURATION, lambda: [model.angle(bars[0])])

    def watch() -> float:
        energies: list[float] = []

        def before_step(system: Any, t: float) -> bool:
            energies.append(energy(system, bars + couplers))
            return True

        model.system.SetPreStepUserFunction(before_step)
        run()
        model.system.SetPreStepUserFunction(0)
        energies.append(energy(model.system, bars + couplers))
        return max(abs(each - ENERGY) for each in energies)

    return run, watch


def energy(system: Any, bodies: list[Any]) -> float:
    """J, kinetic and potential."""
    total = 0.0
    for body in bodies:
        height = engines.body_output(system, body, "Position")[1]
        velocity = engines.body_output(system, body, "Velocity")
        spin = engines.body_output(system, body, "AngularVelocity").flat[-1]
        total += velocity @ velocity / 2 + INERTIA * spin**2 / 2 + GRAVITY * height
    return total


SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("relative", {"integrator": "radau_iia", "rtol": 1e-8, "atol": 1e-10}),
    ("relative", {"integrator": "adams_bashforth_moulton", "rtol": 1e-9, "atol": 1e-11}),
    ("relative", {"integrator": "rk4", "dt": 4e-3}),
    ("relative", {"integrator": "rk4", "dt": 2e-3}),
    ("relative", {"integrator": "rk4", "dt": 1e-3}),
    ("relative", {"integrator": "dormand_prince_54", "dt": 1e-2}),
    ("relative", {"integrator": "dormand_prince_54", "dt": 5e-3}),
    ("relative", {"integrator": "dormand_prince_54", "rtol": 1e-8, "atol": 1e-10}),
    ("cartesian", {"integrator": "dormand_prince_54", "rtol": 1e-8, "atol": 1e-10}),
    ("cartesian", {"integrator": "dormand_prince_54", "rtol": 1e-9, "atol": 1e-11}),
]


def sestina_row(coordinates: str, arguments: dict[str, Any], rounds: int) -> str:
    model = sestina_four_bar(coordinates).freeze()
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        try:
            sestina.simulate(model, duration=DURATION, every=DURATION, **arguments)
        except sestina.ComputationError as error:
            return f"fails: {error} |"
        times.append(time.process_time() - begin)
    watched = sestina.simulate(model, duration=DURATION, every=1e-2, **arguments)["energy.total"]
    return f"{abs(watched - ENERGY).max():.1e} J | {1e3 * statistics.median(times):.3g} ms |"


def print_table(rounds: int) -> None:
    """Largest change of the energy in 10 s: Sestina's at every 10 ms, Exudyn's after every step."""
    print("\n| double four-bar: engine | coordinates | rule | tolerance or step | largest change of the energy | time |")
    print("|---|---|---|--:|--:|--:|")
    for coordinates, arguments in SETTINGS:
        setting = arguments.get("rtol") or f"{arguments['dt']:g} s"
        row = sestina_row(coordinates, arguments, rounds)
        print(f"| Sestina | {coordinates} | {arguments['integrator']} | {setting} | {row}", flush=True)
    for step in (1e-2, 1e-3, 1e-4):
        run, watch = exudyn_run(Rule(step, RADIUS))
        median = statistics.median(run().seconds for _ in range(rounds))
        print(f"| Exudyn | redundant | generalized-alpha | {step:g} s | {watch():.1e} J | {1e3 * median:.3g} ms |", flush=True)
