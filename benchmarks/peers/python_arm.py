#!/usr/bin/env python3
"""The same simulation by the Python interfaces of several engines: python_arm.py [--rounds N] [--without ENGINE]...

An arm of six links falls for two seconds: the classical Runge-Kutta rule with steps of 1 ms, angles at every 20 ms. For each
engine the lines of its program (between the markers below, without blank lines and comments), the processor time to set up and
that of the run (median of rounds in which the engines take turns, one thread), and the largest error of the angles, beside
that with steps of 4 ms, where the rule's own error is seen. The reference is our run with tight tolerances; how far Pinocchio
with steps of 0.1 ms differs from it is printed as well. What is not installed is left out. `./dev bench --python-peers` makes
the environment.
"""

from __future__ import annotations

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import argparse
import contextlib
import importlib.metadata
import platform
import re
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

DURATION, EVERY, STEPS = 2.0, 0.02, (1e-3, 4e-3)  # s
GRAVITY = 9.81  # m/s^2, along -z


class Link(NamedTuple):
    axis: str  # of its hinge, in its own axes, which are the parent's at q = 0
    offset: tuple[float, float, float]  # m, of its hinge from the parent's
    mass: float  # kg
    center: tuple[float, float, float]  # m, of its mass, from its hinge
    inertia: tuple[float, float, float]  # kg m^2, principal, about the mass centre
    q: float  # rad, where it starts


ARM = [
    Link("z", (0.0, 0.0, 0.0), 8.0, (0.0, 0.02, 0.10), (0.060, 0.060, 0.030), 0.3),
    Link("y", (0.0, 0.0, 0.3), 6.0, (0.20, 0.0, 0.0), (0.020, 0.120, 0.120), -0.6),
    Link("y", (0.4, 0.0, 0.0), 4.0, (0.15, 0.01, 0.0), (0.010, 0.060, 0.060), 0.9),
    Link("x", (0.3, 0.0, 0.0), 1.5, (0.05, 0.0, 0.02), (0.003, 0.004, 0.004), 0.4),
    Link("y", (0.1, 0.0, 0.0), 1.0, (0.04, 0.0, 0.0), (0.002, 0.002, 0.002), -0.5),
    Link("x", (0.08, 0.0, 0.0), 0.6, (0.03, 0.01, 0.0), (0.001, 0.001, 0.001), 0.2),
]
START = np.array([link.q for link in ARM])

# Each engine: a function that sets up and returns run(dt), which returns the angles (rows, 6) at every EVERY seconds.
Run = Callable[[float], np.ndarray]


# begin rk4
def integrate(accelerations: Callable[[np.ndarray, np.ndarray], np.ndarray], dt: float) -> np.ndarray:
    q, u, rows = START.copy(), np.zeros(6), [START.copy()]
    per_row = round(EVERY / dt)
    for step in range(round(DURATION / dt)):
        a1 = accelerations(q, u)
        u2 = u + dt / 2 * a1
        a2 = accelerations(q + dt / 2 * u, u2)
        u3 = u + dt / 2 * a2
        a3 = accelerations(q + dt / 2 * u2, u3)
        u4 = u + dt * a3
        a4 = accelerations(q + dt * u3, u4)
        q = q + dt / 6 * (u + 2 * u2 + 2 * u3 + u4)
        u = u + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        if (step + 1) % per_row == 0:
            rows.append(q)
    return np.array(rows)
# end rk4


# begin sestina
def sestina_system() -> Any:
    import sestina

    system = sestina.System("arm", gravity=(0, 0, -GRAVITY))
    parent = system.ground
    for k, link in enumerate(ARM):
        mount = parent.add_point(f"mount_{k}", link.offset)
        parent = system.add_rigid_body(
            f"link_{k}", link.mass, center_of_mass=link.center, inertia=dict(zip(("xx", "yy", "zz"), link.inertia))
        )
        axis = [float(letter == link.axis) for letter in "xyz"]
        system.add_joint(f"joint_{k}", "revolute", mount, parent["origin"], axis=axis, q=link.q)
    return system


def sestina_simulate() -> Run:
    import sestina

    system = sestina_system()
    return lambda dt: sestina.simulate(system, duration=DURATION, every=EVERY, integrator="rk4", dt=dt).q
# end sestina


def sestina_by_hand() -> Run:
    model = sestina_system().freeze()
    return lambda dt: integrate(model.forward_dynamics, dt)


# begin exudyn
def exudyn_tree() -> Run:
    sys.exudynFast = True  # type: ignore[attr-defined]  # the build without checks of ranges
    import exudyn
    from exudyn.robotics import Robot, RobotLink
    from exudyn.utilities import HTtranslate

    container = exudyn.SystemContainer()
    system = container.AddSystem()
    robot = Robot(gravity=[0, 0, -GRAVITY], referenceConfiguration=[0.0] * 6)
    for k, link in enumerate(ARM):
        robot.AddLink(
            RobotLink(
                mass=link.mass, COM=list(link.center), inertia=np.diag(link.inertia),
                parent=k - 1, jointType="R" + link.axis, preHT=HTtranslate(list(link.offset)),
            )
        )
    tree = robot.CreateKinematicTree(system)
    system.SetNodeParameter(tree["nodeGeneric"], "initialCoordinates", list(START))
    angles = system.AddSensor(
        exudyn.utilities.SensorNode(
            nodeNumber=tree["nodeGeneric"], storeInternal=True, outputVariableType=exudyn.OutputVariableType.Coordinates
        )
    )
    system.Assemble()

    def run(dt: float) -> np.ndarray:
        settings = exudyn.SimulationSettings()
        settings.timeIntegration.endTime = DURATION
        settings.timeIntegration.numberOfSteps = round(DURATION / dt)
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.explicit.computeEndOfStepAccelerations = False
        settings.solution.file.write = False
        settings.solution.sensors.writePeriod = EVERY
        system.SolveDynamic(settings, solverType=exudyn.DynamicSolverType.RK44)
        return np.array(system.GetSensorStoredData(angles))[:, 1:]

    return run
# end exudyn


# begin pinocchio
def pinocchio_by_hand() -> Run:
    import pinocchio

    model = pinocchio.Model()
    model.gravity.linear = np.array([0, 0, -GRAVITY])
    joint = 0
    joints = {"x": pinocchio.JointModelRX, "y": pinocchio.JointModelRY, "z": pinocchio.JointModelRZ}
    for k, link in enumerate(ARM):
        place = pinocchio.SE3(np.eye(3), np.array(link.offset))
        joint = model.addJoint(joint, joints[link.axis](), place, f"joint_{k}")
        inertia = pinocchio.Inertia(link.mass, np.array(link.center), np.diag(link.inertia))
        model.appendBodyToJoint(joint, inertia, pinocchio.SE3.Identity())
    data, tau = model.createData(), np.zeros(6)
    return lambda dt: integrate(lambda q, u: pinocchio.aba(model, data, q, u, tau).copy(), dt)
# end pinocchio


# begin mujoco
def mujoco_steps() -> Run:
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.gravity = [0, 0, -GRAVITY]
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    body = spec.worldbody
    for link in ARM:
        body = body.add_body(
            pos=link.offset, mass=link.mass, ipos=link.center, inertia=link.inertia, explicitinertial=True
        )
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[letter == link.axis for letter in "xyz"])
    model = spec.compile()
    data = mujoco.MjData(model)

    def run(dt: float) -> np.ndarray:
        model.opt.timestep = dt
        mujoco.mj_resetData(model, data)
        data.qpos[:] = START
        rows = [data.qpos.copy()]
        for _ in range(round(DURATION / EVERY)):
            mujoco.mj_step(model, data, round(EVERY / dt))
            rows.append(data.qpos.copy())
        return np.array(rows)

    return run
# end mujoco


# begin pydy
def pydy_system() -> Run:
    from pydy.system import System
    from sympy import symbols
    from sympy.physics.mechanics import KanesMethod, Point, ReferenceFrame, RigidBody, dynamicsymbols, inertia

    q, u, g = dynamicsymbols("q:6"), dynamicsymbols("u:6"), symbols("g")
    ground, origin = ReferenceFrame("N"), Point("O")
    origin.set_vel(ground, 0)
    frame, hinge, bodies, loads = ground, origin, [], []
    for k, link in enumerate(ARM):
        place = [value * axis for value, axis in zip(link.offset, (frame.x, frame.y, frame.z))]
        joint = hinge.locatenew(f"J{k}", sum(place, 0 * frame.x))
        joint.v2pt_theory(hinge, ground, frame)
        child = frame.orientnew(f"B{k}", "Axis", (q[k], getattr(frame, link.axis)))
        child.set_ang_vel(frame, u[k] * getattr(frame, link.axis))
        place = [value * axis for value, axis in zip(link.center, (child.x, child.y, child.z))]
        center = joint.locatenew(f"C{k}", sum(place, 0 * child.x))
        center.v2pt_theory(joint, ground, child)
        bodies.append(RigidBody(f"link_{k}", center, child, link.mass, (inertia(child, *link.inertia), center)))
        loads.append((center, -link.mass * g * ground.z))
        frame, hinge = child, joint
    kane = KanesMethod(ground, q_ind=q, u_ind=u, kd_eqs=[a - b.diff() for a, b in zip(u, q)])
    kane.kanes_equations(bodies, loads)
    rates = System(kane, times=[0.0, 1.0]).generate_ode_function(generator="cython")
    constants = np.array([GRAVITY])
    return lambda dt: integrate(lambda q, u: rates(np.concatenate([q, u]), 0.0, constants)[6:].copy(), dt)
# end pydy


class Engine(NamedTuple):
    name: str
    package: str  # whose version is printed
    rule: str  # the integration rule
    set_up: Callable[[], Run]
    blocks: tuple[str, ...]  # the markers of its program


ENGINES = [
    Engine("sestina", "", "its own", sestina_simulate, ("sestina",)),
    Engine("sestina", "", "by hand", sestina_by_hand, ("sestina", "rk4")),
    Engine("exudyn", "exudyn", "its own", exudyn_tree, ("exudyn",)),
    Engine("mujoco", "mujoco", "its own", mujoco_steps, ("mujoco",)),
    Engine("pinocchio", "pin", "by hand", pinocchio_by_hand, ("pinocchio", "rk4")),
    Engine("pydy", "pydy", "by hand", pydy_system, ("pydy", "rk4")),
]


def count_lines(block: str) -> int:
    with open(__file__) as file:
        text = file.read()
    match = re.search(rf"^# begin {block}\n(.*?)^# end {block}$", text, re.MULTILINE | re.DOTALL)
    assert match
    return sum(1 for line in match.group(1).splitlines() if line.strip() and not line.strip().startswith("#"))


def reference() -> tuple[np.ndarray, float]:
    """The angles (rows, 6), and how far those of another engine and rule are from them."""
    import sestina

    tight = sestina.simulate(sestina_system(), duration=DURATION, every=EVERY, rtol=1e-13, atol=1e-13).q
    try:
        return tight, float(abs(pinocchio_by_hand()(1e-4) - tight).max())
    except ImportError:
        return tight, float("nan")


def version_of(engine: Engine) -> str:
    if engine.package:
        return importlib.metadata.version(engine.package)
    import sestina

    return sestina.__version__


def processor_seconds() -> float:
    """Of this process and of what it has started and seen end, such as a compiler."""
    spent = os.times()
    return time.process_time() + spent.children_user + spent.children_system


def set_up_engines(left_out: list[str]) -> dict[Engine, tuple[Run, float]]:
    """Each engine's run, and the seconds to set it up; those of imports only where that takes long itself."""
    ready = {}
    for engine in ENGINES:
        if engine.name in left_out:
            continue
        seconds = []
        try:
            while not seconds or (len(seconds) < 2 and seconds[0] < 2):
                begin = processor_seconds()
                with contextlib.redirect_stdout(sys.stderr):
                    run = engine.set_up()
                seconds.append(processor_seconds() - begin)
        except ImportError as error:
            print(f"{engine.name} is left out: {error}", file=sys.stderr)
            continue
        ready[engine] = (run, seconds[-1])
    return ready


def time_in_turn(runs: list[Run], rounds: int) -> list[float]:
    """The median processor seconds of each run. Those that take long have fewer rounds."""
    times: list[list[float]] = [[] for _ in runs]
    for round_ in range(rounds):
        for run, seconds in zip(runs, times):
            if round_ >= 3 and sum(seconds) > 30:
                continue
            begin = processor_seconds()
            run(STEPS[0])
            seconds.append(processor_seconds() - begin)
    return [statistics.median(seconds) for seconds in times]


def processor() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--without", action="append", default=[], choices=sorted({engine.name for engine in ENGINES}))
    parser.add_argument("--commit", default="unknown")
    options = parser.parse_args()

    exact, difference = reference()
    ready = set_up_engines(options.without)
    times = time_in_turn([run for run, _ in ready.values()], options.rounds)
    print(f"{processor()}, Python {platform.python_version()}, commit {options.commit}; another reference differs by {difference:.0e} rad")
    print()
    print("| engine | steps | lines | set up | run | over the first | error at 1 ms | at 4 ms |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for (engine, (run, set_up)), seconds in zip(ready.items(), times):
        lines = sum(count_lines(block) for block in engine.blocks)
        errors = [f"{abs(run(dt) - exact).max():.1e}" for dt in STEPS]
        print(
            f"| {engine.name} {version_of(engine)} | {engine.rule} | {lines} | {1e3 * set_up:.3g} ms"
            f" | {1e3 * seconds:.3g} ms | {seconds / times[0]:.2f} | {errors[0]} rad | {errors[1]} rad |"
        )


if __name__ == "__main__":
    main()
