"""The spheres of `spheres.py` come to rest in their box: time per sphere and step of MuJoCo, and of Sestina's bodies and grains.

MuJoCo has elliptic cones and conjugate gradients. Grains have Hooke's law with a stiffness that lets them overlap about as much
as MuJoCo's do, and thirty steps to an impact, so that they need more steps than MuJoCo.
"""

from __future__ import annotations

import pathlib
import statistics
import tempfile
import time

import mujoco

import sestina

from . import spheres_mujoco, spheres_sestina
from .grains import run
from .spheres import FRICTION, GRAVITY, MASS, RADIUS, starts, walls

STEP = 2e-3  # s, of MuJoCo
STIFFNESS, RESTITUTION = 3e4, 0.1  # N/m, 1
TIMES = [0.3, 0.6, 0.9]  # s
GRAIN_STEP = 3e-4  # s, a thirtieth of pi sqrt(MASS/2/STIFFNESS)
MEASURED = 20  # steps


def mujoco_times(side: int, times: list[float]) -> list[str]:
    model = spheres_mujoco.model(side, STEP, "CG")
    data = mujoco.MjData(model)
    lines = []
    for t in times:
        while data.time < t:
            mujoco.mj_step(model, data)
        contacts, seconds = 0, []
        for _ in range(MEASURED):
            start = time.process_time()
            mujoco.mj_step(model, data)
            seconds.append(time.process_time() - start)
            contacts += data.ncon
        each = 1e6 * statistics.median(seconds) / side**3
        depth = -min((float(d) for d in data.contact.dist), default=0.0)
        lines.append(
            f"  MuJoCo, t = {t} s: {each:.1f} µs per sphere and step of {1e3 * STEP} ms, "
            f"{contacts // MEASURED} contacts, {data.nefc} rows, depth {1e3 * depth:.1f} mm"
        )
    return lines


def grain_model(side: int) -> str:
    places = ", ".join(f"[ball, {x!r}, {y!r}, {z!r}]" for x, y, z in starts(side).tolist())
    planes = "\n".join(
        f"    - {{type: plane, at: {point.tolist()}, normal: {normal.tolist()}}}" for _, point, normal in walls(side)
    )
    still = ", ".join(["[0, 0, 0]"] * side**3)
    return f"""sestina: 1
particles:
  species: [{{name: ball, mass: {MASS}, radius: {RADIUS}}}]
  box: {{lengths: [10, 10, 10], periodic: [false, false, false]}}
  positions: {{list: [{places}]}}
  velocities: [{still}]
  pairs: [{{type: hooke, species: [ball, ball], stiffness: {STIFFNESS}, restitution: {RESTITUTION}, friction: {FRICTION}}}]
  walls:
{planes}
  fields: [{{type: gravity, acceleration: [0, 0, {-GRAVITY}]}}]
analysis: {{step: {{dt: {GRAIN_STEP}}}, duration: 1}}
output: {{every: 1}}
"""


def grain_times(program: str, side: int, times: list[float], rounds: int) -> list[str]:
    """Between the times, which begin with the end of reading."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "balls.yaml")
        file.write_text(grain_model(side))
        ends = [GRAIN_STEP, *times]
        used = [[run(program, file, end) for end in ends] for _ in range(rounds)]
        spent = [statistics.median(column) for column in zip(*used)]
    lines = []
    for k, t in enumerate(times):
        each = (spent[k + 1] - spent[k]) / (ends[k + 1] - ends[k]) * GRAIN_STEP / side**3
        lines.append(
            f"  Sestina, grains, until {t} s: {1e6 * each:.3f} µs per sphere and step of {1e3 * GRAIN_STEP:.3f} ms, "
            f"{spent[k + 1] - spent[0]:.3f} s of the processor since the start"
        )
    return lines


def mechanism_times(side: int, times: list[float], rounds: int) -> list[str]:
    """Bodies with rigid contacts and `time_stepping`, with MuJoCo's step."""
    model = spheres_sestina.system(side).freeze()

    def used(end: float) -> tuple[float, float]:
        start = time.process_time()
        result = sestina.simulate(model, duration=end, every=end, integrator="time_stepping", dt=STEP)
        return time.process_time() - start, -result["touch.gap"][-1]

    ends = [STEP, *times]
    runs = [[used(end) for end in ends] for _ in range(rounds)]
    spent = [statistics.median(seconds for seconds, _ in column) for column in zip(*runs)]
    return [
        f"  Sestina, bodies, until {t} s: {1e6 * (spent[k + 1] - spent[k]) / (ends[k + 1] - ends[k]) * STEP / side**3:.1f} µs "
        f"per sphere and step of {1e3 * STEP} ms, depth {1e3 * max(runs[0][k + 1][1], 0.0):.1e} mm"
        for k, t in enumerate(times)
    ]


def print_table(program: str, side: int, rounds: int) -> None:
    print(f"\n{side**3} spheres in a box")
    lines = [*mujoco_times(side, TIMES), *mechanism_times(side, TIMES, rounds), *grain_times(program, side, TIMES, rounds)]
    for line in lines:
        print(line, flush=True)
