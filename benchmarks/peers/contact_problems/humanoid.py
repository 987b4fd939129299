"""MuJoCo's humanoid on a floor, in MuJoCo and in Sestina: the same masses, joints, springs and capsules.

The model is `humanoid.xml` of MuJoCo, as the package mujoco-mjx contains it, with the contacts of the file in MuJoCo's
own repository (the floor with friction 1, the parts of the body with each other without friction) and without its
tendons. `sestina_humanoid` builds the same mechanism from MuJoCo's compiled model.
"""

from __future__ import annotations

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile

import mujoco
import numpy as np
import numpy.typing as npt
from mujoco import rollout

import sestina

Array = npt.NDArray[np.float64]
Names = list[tuple[str, str]]
STEP = 0.005  # s, of the file


def mujoco_humanoid(text: str, self_contact: bool) -> mujoco.MjModel:
    spec = mujoco.MjSpec.from_string(text)
    for geom in spec.geoms:
        is_floor = geom.type == mujoco.mjtGeom.mjGEOM_PLANE
        geom.contype, geom.conaffinity = (1, 1) if self_contact else (int(is_floor), int(not is_floor))
        geom.condim = 3 if is_floor else 1
    for pair in list(spec.pairs):
        spec.delete(pair)
    spec.option.disableflags = 0
    spec.option.iterations, spec.option.ls_iterations = 100, 50  # MuJoCo's defaults
    return spec.compile()


def _rotation(quaternion: Array) -> Array:
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, quaternion)
    return matrix.reshape(3, 3)


def _quaternion(values: Array) -> dict[str, list[float]]:
    return {"euler_parameters": [float(value) for value in values]}


def _shape(model: mujoco.MjModel, i: int) -> dict[str, object]:
    geom = model.geom(i)
    radius, half = float(geom.size[0]), float(geom.size[1])
    kind = {2: "sphere", 3: "capsule", 0: "plane"}[int(geom.type[0])]
    sizes = {"sphere": {"radius": radius}, "capsule": {"radius": radius, "length": 2 * half}, "plane": {}}[kind]
    return {
        "name": f"{geom.name}_skin",
        "type": kind,
        "position": geom.pos.tolist(),
        "axes": _quaternion(geom.quat),
        **sizes,
    }


def _add_body(system: sestina.System, model: mujoco.MjModel, i: int) -> None:
    body = model.body(i)
    axes = _rotation(body.iquat)
    inertia = axes @ np.diag(body.inertia) @ axes.T
    entries = {
        name: float(inertia[j, k])
        for name, j, k in [("xx", 0, 0), ("yy", 1, 1), ("zz", 2, 2), ("xy", 0, 1), ("xz", 0, 2), ("yz", 1, 2)]
    }
    geoms = range(int(body.geomadr[0]), int(body.geomadr[0]) + int(body.geomnum[0]))
    system.add_rigid_body(
        body.name,
        float(body.mass[0]),
        inertia=entries,
        center_of_mass=body.ipos.tolist(),
        shapes=[_shape(model, geom) for geom in geoms],
    )
    _add_joints(system, model, i)


def _add_joints(system: sestina.System, model: mujoco.MjModel, i: int) -> None:
    """Hinges of one body follow each other, with bodies without mass between them."""
    body = model.body(i)
    count, first = int(body.jntnum[0]), int(body.jntadr[0])
    parent = "ground" if int(body.parentid[0]) == 0 else model.body(int(body.parentid[0])).name
    if count == 1 and model.jnt_type[first] == mujoco.mjtJoint.mjJNT_FREE:
        q = model.qpos0[:7].tolist()
        system.add_joint("root", "free", "ground.origin", f"{body.name}.origin", q=q)
        return
    owner = system.ground if parent == "ground" else system.body(parent)
    anchors = [model.jnt_pos[first + k] for k in range(count)] or [np.zeros(3)]
    start = body.pos + _rotation(body.quat) @ anchors[0]
    from_point = owner.add_point(f"to_{body.name}", start.tolist(), axes=_quaternion(body.quat))
    for k in range(max(count, 1)):
        is_last = k >= count - 1
        if is_last:
            to_point = system.body(body.name).add_point("joint", anchors[k].tolist())
        else:
            link = system.add_rigid_body(f"{body.name}_link{k}", 0)
            to_point = link["origin"]
        _add_hinge(system, model, first + k if count else None, body.name, from_point, to_point)
        if not is_last:
            from_point = link.add_point("next", (anchors[k + 1] - anchors[k]).tolist())


def _add_hinge(
    system: sestina.System, model: mujoco.MjModel, i: int | None, body: str, from_point: str, to_point: str
) -> None:
    if i is None:
        system.add_joint(f"{body}_weld", "weld", from_point, to_point)
        return
    joint = model.joint(i)
    lower, upper = (float(value) for value in joint.range)
    system.add_joint(
        joint.name,
        "revolute",
        from_point,
        to_point,
        axis=joint.axis.tolist(),
        armature=float(joint.armature[0]),
        limits={"lower": lower, "upper": upper, "enforced": True},
    )
    if joint.stiffness[0] > 0:
        rest = float(model.qpos_spring[model.jnt_qposadr[i]])
        system.add_joint_spring(f"{joint.name}_spring", joint.name, float(joint.stiffness[0]), reference=rest)
    system.add_joint_damper(f"{joint.name}_damper", joint.name, float(joint.damping[0]))


def body_pairs(model: mujoco.MjModel) -> Names:
    """Pairs of geometries that MuJoCo lets touch: not of one body, of neighbours, or excluded."""
    excluded = {int(signature) for signature in model.exclude_signature}
    pairs = []
    for i in range(1, model.ngeom):
        for j in range(i + 1, model.ngeom):
            a, b = (int(model.body_weldid[model.geom_bodyid[k]]) for k in (i, j))
            up_a, up_b = (int(model.body_weldid[model.body_parentid[k]]) for k in (a, b))
            bodies = sorted(int(model.geom_bodyid[k]) for k in (i, j))
            if a == b or a == up_b or b == up_a or (bodies[0] << 16) + bodies[1] in excluded:
                continue
            pairs.append((model.geom(i).name, model.geom(j).name))
    return pairs


def sestina_humanoid(model: mujoco.MjModel, self_contact: bool) -> sestina.System:
    system = sestina.System("humanoid", gravity=model.opt.gravity.tolist())
    system.ground.shapes = [{"name": "floor_skin", "type": "plane"}]
    for i in range(1, model.nbody):
        _add_body(system, model, i)
    for i in range(1, model.ngeom):
        name = model.geom(i).name
        system.add_contact(f"floor_{name}", ["floor_skin", f"{name}_skin"], friction=1.0)
    for k, (a, b) in enumerate(body_pairs(model) if self_contact else []):
        system.add_contact(f"self_{k}", [f"{a}_skin", f"{b}_skin"])
    return system


def to_sestina(data: mujoco.MjData) -> tuple[Array, Array]:
    """q and u of the same state: MuJoCo's free joint has v in ground axes first, then w in body axes."""
    q, v = data.qpos.copy(), data.qvel
    return q, np.concatenate([_rotation(q[3:7]) @ v[3:6], v[:3], v[6:]])


# ---- measurement ----------------------------------------------------------------------------------------------------

STAGES = [("in squat on its feet", 0.0), ("falling on knees and hands", 0.4), ("lying", 3.0)]  # s
RULES = ["time_stepping", "moreau"]
MEASURED, LIFT = 20, 1e-4  # steps; m


def _allowed_start(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Ends overlaps of the present state, which Sestina refuses: joints within their stops, the body above the floor."""
    for i in range(1, model.njnt):
        k = model.jnt_qposadr[i]
        data.qpos[k] = np.clip(data.qpos[k], model.jnt_range[i, 0] + 1e-6, model.jnt_range[i, 1] - 1e-6)
    mujoco.mj_forward(model, data)
    deepest = min((float(contact.dist) for contact in data.contact if 0 in contact.geom), default=0.0)
    data.qpos[2] += LIFT - min(deepest, 0.0)
    mujoco.mj_forward(model, data)


def _stage(model: mujoco.MjModel, t: float) -> mujoco.MjData:
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    while data.time < t:
        mujoco.mj_step(model, data)
    _allowed_start(model, data)
    return data


def _mujoco_time(model: mujoco.MjModel, start: mujoco.MjData) -> tuple[float, float, float]:
    """µs for a step, contacts and rows: means of the steps."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = start.qpos, start.qvel
    contacts, rows = 0, 0
    used = time.process_time()
    for _ in range(MEASURED):
        mujoco.mj_step(model, data)
        contacts, rows = contacts + data.ncon, rows + data.nefc
    used = time.process_time() - used
    return 1e6 * used / MEASURED, contacts / MEASURED, rows / MEASURED


def _sestina_time(frozen: sestina.Model, start: mujoco.MjData, rule: str) -> tuple[float, str]:
    """µs for a step, and why it ended where it did."""
    simulator = sestina.Simulator(frozen, integrator=rule)
    simulator.set_state(*to_sestina(start))
    done, reason = 0, ""
    used = time.process_time()
    try:
        for _ in range(MEASURED):
            simulator.step(STEP)
            done += 1
    except sestina.ComputationError as error:
        reason = str(error)
    used = time.process_time() - used
    return 1e6 * used / max(done, 1), reason and f"after {done} steps: {reason}"


def _many_times(model: mujoco.MjModel, frozen: sestina.Model, start: mujoco.MjData, count: int) -> tuple[float, float]:
    """µs of the processor for a step of one of `count` humanoids, MuJoCo's by rollout on one thread."""
    state = np.zeros(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(model, start, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    used = time.process_time()
    rollout.rollout(model, [mujoco.MjData(model)], np.tile(state, (count, 1)), nstep=MEASURED)
    theirs = time.process_time() - used
    q, u = (np.tile(part, (count, 1)) for part in to_sestina(start))
    used = time.process_time()
    for _ in range(MEASURED):
        q, u = frozen.step(q, u, None, STEP, integrator=RULES[0], check=False)
    ours = time.process_time() - used
    return 1e6 * theirs / count / MEASURED, 1e6 * ours / count / MEASURED


def _download() -> str:
    """The text of humanoid.xml, from the Python package index."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", folder, "mujoco-mjx"]
        subprocess.run(command, check=True)
        (wheel,) = pathlib.Path(folder).glob("*.whl")
        return zipfile.ZipFile(wheel).read("mujoco/mjx/test_data/humanoid/humanoid.xml").decode()


def print_table(rounds: int, count: int) -> None:
    """count: how many humanoids are stepped together in the last line."""
    text = _download()
    for self_contact in (False, True):
        model = mujoco_humanoid(text, self_contact)
        frozen = sestina_humanoid(model, self_contact).freeze()
        print(
            f"\nhumanoid, {'floor and self contact' if self_contact else 'floor'}: {len(frozen.contact_pairs())} pairs of shapes; "
            f"µs of the processor for a step of {1e3 * STEP:g} ms"
        )
        for name, t in STAGES:
            start = _stage(model, t)
            theirs: list[float] = []
            ours: dict[str, list[float]] = {rule: [] for rule in RULES}
            reasons = dict.fromkeys(RULES, "")
            for _ in range(rounds):
                measured = _mujoco_time(model, start)
                theirs.append(measured[0])
                for rule in RULES:
                    used, reasons[rule] = _sestina_time(frozen, start, rule)
                    ours[rule].append(used)
            a = statistics.median(theirs)
            print(f"  {name}: {measured[1]:.1f} contacts, {measured[2]:.0f} rows: MuJoCo {a:.1f}")
            for rule in RULES:
                b = statistics.median(ours[rule])
                print(f"    Sestina, {rule}: {b:.0f}, ratio {b / a:.1f}  {reasons[rule]}", flush=True)
        start = _stage(model, STAGES[0][1])
        pairs = [_many_times(model, frozen, start, count) for _ in range(rounds)]
        a, b = (statistics.median(column) for column in zip(*pairs))
        print(f"  {count} at once, {STAGES[0][0]}: MuJoCo {a:.1f}, Sestina {b:.0f}, ratio {b / a:.1f}", flush=True)
