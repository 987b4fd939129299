"""Reduction of meshes: against the full mesh, beam theory and the geometrically exact beam; refused input."""

import numpy as np
import pytest

import sestina

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")
optimize = pytest.importorskip("scipy.optimize")

from sestina import reducing, solid_elements  # noqa: E402  after the check for scipy

STEEL = {"E": 2.1e11, "nu": 0.3, "density": 7850.0}
LENGTH, HEIGHT, WIDTH = 0.4, 0.02, 0.03
WAYS = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]


def bar(cells=(8, 1, 1), order=2):
    """A bar along x as tetrahedra of four or ten nodes."""
    counts = [order * n + 1 for n in cells]
    axes = [np.linspace(0, LENGTH, counts[0])]
    axes += [np.linspace(-size / 2, size / 2, n) for size, n in zip((HEIGHT, WIDTH), counts[1:], strict=True)]
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    elements = []
    for cell in np.ndindex(*cells):
        for way in WAYS:
            corners = [order * np.array(cell)]
            for axis in way:
                corners.append(corners[-1] + order * np.eye(3, dtype=int)[axis])
            edges = solid_elements.EDGES if order == 2 else ()
            corners += [(corners[a] + corners[b]) // 2 for a, b in edges]
            elements.append([np.ravel_multi_index(tuple(place), counts) for place in corners])
    return nodes, np.array(elements)


def left(p):
    return p[:, 0] < 1e-9


def averaging(nodes):
    return {"nodes": nodes, "type": "averaging"}


def right(p):
    return p[:, 0] > LENGTH - 1e-9


ENDS = {"left": left, "right": right}


def test_mass_and_inertia_are_those_of_the_bar():
    for order in (1, 2):
        body = sestina.reduce(bar(order=order), STEEL, ENDS, modes=2)
        mass = STEEL["density"] * LENGTH * HEIGHT * WIDTH
        assert body.mass == pytest.approx(mass, rel=1e-12)
        assert body.center_of_mass == pytest.approx([LENGTH / 2, 0, 0], abs=1e-12)
        sides = np.array([LENGTH, HEIGHT, WIDTH]) ** 2
        assert body.inertia == pytest.approx(np.diag(mass / 12 * (sides.sum() - sides)), abs=1e-9)


def test_modes_are_those_of_mean_axes():
    body = sestina.reduce(bar(), STEEL, ENDS, modes=5)
    mesh = solid_elements.to_mesh(bar())
    M, K = solid_elements.assemble(mesh, STEEL)
    phi = body.modes.reshape(len(body.modes), -1).T
    assert phi.T @ (M @ phi) == pytest.approx(body.mass * np.eye(phi.shape[1]), abs=1e-9)
    squares = body.mass * (2 * np.pi * body.frequencies) ** 2
    assert phi.T @ (K @ phi) == pytest.approx(np.diag(squares), abs=1e-7 * squares.max())
    rigid = reducing._rigid_motions(body.nodes, body.center_of_mass)
    assert rigid.T @ (M @ phi) == pytest.approx(0, abs=1e-12)


def test_stiffness_resists_no_rigid_motion():
    mesh = solid_elements.to_mesh(bar())
    _, K = solid_elements.assemble(mesh, STEEL)
    force = K @ reducing._rigid_motions(mesh.nodes, np.zeros(3))
    assert abs(force).max() < 1e-9 * abs(K).max()


# The full mesh with its left end held, against the reduced body that a weld holds: the first frequencies.
def test_frequencies_of_a_cantilever_are_those_of_the_full_mesh(tmp_path):
    mesh = bar(cells=(10, 1, 1))
    sestina.reduce(mesh, STEEL, ENDS, modes=10, file=tmp_path / "bar.h5")
    solid = solid_elements.to_mesh(mesh)
    M, K = solid_elements.assemble(solid, STEEL)
    free = np.flatnonzero(np.repeat(~left(solid.nodes), 3))
    squares = linalg.eigsh(K[free][:, free], 4, M=M[free][:, free], sigma=0)[0]
    system = sestina.System()
    rod = system.add_reduced_body("rod", tmp_path / "bar.h5")
    system.add_joint("clamp", "weld", system.ground["origin"], rod["left"])
    system.analysis.type = "modes"
    found = sestina.simulate(system)["frequency"][:4]
    assert found == pytest.approx(np.sqrt(np.sort(squares)) / (2 * np.pi), rel=1e-3)


def bend(file, load):
    """The bar, clamped at its left end, at rest with a load (N) along y at its right end."""
    system = sestina.System()
    rod = system.add_reduced_body("rod", file)
    system.add_joint("clamp", "weld", system.ground["origin"], rod["left"])
    system.add_force("load", "point_force", at=rod["right"], value=(0, load, 0))
    system.analysis.type = "statics"
    return sestina.simulate(system)


def test_a_cantilever_bends_as_the_full_mesh(tmp_path):
    nodes, elements = bar(cells=(10, 1, 1))
    sestina.reduce((nodes, elements), STEEL, ENDS, modes=0, file=tmp_path / "bar.h5")
    result = bend(tmp_path / "bar.h5", 10)
    y, energy = result["rod.right.y"][-1], result["energy.strain"][-1]
    # The mesh with its left end held and its right end on a rigid plate, whose middle has the load.
    _, K = solid_elements.assemble(solid_elements.to_mesh((nodes, elements)), STEEL)
    inner = np.flatnonzero(np.repeat(~left(nodes) & ~right(nodes), 3))
    plate = np.repeat(right(nodes), 3)
    moved = reducing._rigid_motions(nodes, np.array([LENGTH, 0, 0])) * plate[:, None]
    unknown = sparse.hstack(
        [sparse.identity(nodes.size, format="csc")[:, inner], sparse.csc_matrix(moved)], format="csc"
    )
    load = np.zeros(unknown.shape[1])
    load[len(inner) + 1] = 10.0
    expected = linalg.spsolve(unknown.T @ K @ unknown, load)[len(inner) + 1]
    assert y == pytest.approx(expected, rel=1e-4)
    assert energy == pytest.approx(10.0 * y / 2, rel=1e-4)


# Averaging interfaces, against the mesh with the conditions that the mean of the left end rests and the load spread
# over the right one.
def test_averaging_interfaces_follow_the_mean(tmp_path):
    nodes, elements = bar(cells=(6, 1, 1))
    ends = {name: {"nodes": chosen, "type": "averaging"} for name, chosen in ENDS.items()}
    sestina.reduce((nodes, elements), STEEL, ends, modes=0, file=tmp_path / "bar.h5")
    y = bend(tmp_path / "bar.h5", 10)["rod.right.y"][-1]
    mesh = solid_elements.to_mesh((nodes, elements))
    _, K = solid_elements.assemble(mesh, STEEL)
    weights = [solid_elements.surface_weights(mesh, np.flatnonzero(chosen(nodes))) for chosen in ENDS.values()]
    rows = []
    for chosen, weight in zip(ENDS.values(), weights, strict=True):
        places = nodes[chosen(nodes)]
        d = places - weight @ places
        inertia = sum(w * (x @ x * np.eye(3) - np.outer(x, x)) for w, x in zip(weight, d, strict=True))
        row = np.zeros((6, len(nodes), 3))
        row[:3, chosen(nodes)] = np.eye(3)[:, None] * weight[None, :, None]
        turns = [w * np.cross(np.tile(x, (3, 1)), np.eye(3)).T for w, x in zip(weight, d, strict=True)]
        row[3:, chosen(nodes)] = np.einsum("ij,ajk->iak", np.linalg.inv(inertia), np.array(turns))
        rows.append(row.reshape(6, -1))
    load = rows[1].T @ np.array([0, 10.0, 0, 0, 0, 0])
    A = sparse.csc_matrix(rows[0])
    system = sparse.bmat([[K, A.T], [A, None]], format="csc")
    expected = rows[1][1] @ linalg.spsolve(system, np.concatenate([load, np.zeros(6)]))[: nodes.size]
    assert y == pytest.approx(expected, rel=1e-4)


# The stress of a clamped bar at half of its length, on the side that is stretched: M y/I.
def test_stresses_are_those_of_bending(tmp_path):
    body = sestina.reduce(bar(cells=(16, 1, 1)), STEEL, ENDS, modes=0, file=tmp_path / "bar.h5")
    result = bend(tmp_path / "bar.h5", 10)
    amplitudes = [result[f"rod_mode_{i + 1}.q"][-1] for i in range(len(body.frequencies))]
    stress = body.stresses([amplitudes])[0]
    middle = np.flatnonzero(abs(body.nodes[:, 0] - LENGTH / 2) < 1e-9)
    expected = -10.0 * LENGTH / 2 * body.nodes[middle, 1] / (WIDTH * HEIGHT**3 / 12)
    largest = abs(expected).max()
    assert stress[middle, 0] == pytest.approx(expected, abs=0.03 * largest)
    assert abs(stress[middle][:, 1:3]).max() < 0.1 * largest
    # The nodes move as the interfaces do.
    moved = body.displacements(amplitudes)
    slide = moved[right(body.nodes)].mean(axis=0) - moved[left(body.nodes)].mean(axis=0)
    assert abs(slide[1]) > 0
    with pytest.raises(sestina.InputError, match="amplitudes has the shape"):
        body.stresses([1.0, 2.0])


# Columns of the largest stress are those of `stresses()`, in every row, with its node; and M y/I of the bar.
def test_the_largest_stress_is_a_column(tmp_path):
    file = tmp_path / "bar.h5"
    away = {"stresses": lambda p: abs(p[:, 0] - LENGTH / 2) < 0.3 * LENGTH}
    body = sestina.reduce(bar(cells=(16, 1, 1)), STEEL, ENDS, modes=4, file=file, **away)
    system = sestina.System(gravity=(0, -9.81, 0))
    rod = system.add_reduced_body("rod", file, damping=0.02)
    system.add_joint("clamp", "weld", system.ground["origin"], rod["left"])
    system.add_force("load", "point_force", at=rod["right"], value=(30, "10*t", "5 - 20*t"))
    system.add_column("safety", "250e6/max(rod.stress.mises, 1)", unit="1")
    system.analysis.duration = 0.02
    result = sestina.simulate(system)
    amplitudes = np.stack([result[f"rod_mode_{i + 1}.q"] for i in range(len(body.frequencies))], axis=-1)
    xx, yy, zz, xy, xz, yz = np.moveaxis(body.stresses(amplitudes), -1, 0)
    mises = np.sqrt(((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) / 2 + 3 * (xy**2 + xz**2 + yz**2))
    mises[:, ~away["stresses"](body.nodes)] = 0
    assert result["rod.stress.mises"] == pytest.approx(mises.max(axis=1), rel=1e-9)
    assert result["rod.stress.mises"].max() > 1e5
    nodes = result["rod.stress.node"].astype(int)
    assert mises[np.arange(len(nodes)), nodes] == pytest.approx(mises.max(axis=1), rel=1e-9)
    assert len(set(nodes)) > 1
    assert result["safety"][-1] == pytest.approx(250e6 / result["rod.stress.mises"][-1])

    still = sestina.System()
    rod = still.add_reduced_body("rod", file)
    still.add_joint("clamp", "weld", still.ground["origin"], rod["left"])
    still.add_force("load", "point_force", at=rod["right"], value=(0, 10, 0))
    still.analysis.type = "statics"
    expected = 10.0 * 0.8 * LENGTH * HEIGHT / 2 / (WIDTH * HEIGHT**3 / 12)  # at 0.2 of the length
    assert sestina.simulate(still)["rod.stress.mises"][-1] == pytest.approx(expected, rel=0.05)


def test_stresses_as_columns_are_on_request(tmp_path):
    sestina.reduce(bar(), STEEL, ENDS, modes=2, file=tmp_path / "plain.h5")
    sestina.reduce(bar(), STEEL, ENDS, modes=2, file=tmp_path / "all.h5", stresses=True)
    assert (tmp_path / "all.h5").stat().st_size > (tmp_path / "plain.h5").stat().st_size
    system = sestina.System()
    rod = system.add_reduced_body("rod", tmp_path / "plain.h5")
    system.analysis.duration = 0
    assert "rod.stress.mises" not in sestina.simulate(system).columns
    system.add_column("peak", "rod.stress.mises", unit="Pa")
    with pytest.raises(sestina.InputError, match="the file of rod has no stresses; expected one that reduce"):
        system.freeze()
    rod.file = str(tmp_path / "all.h5")
    assert sestina.simulate(system)["peak"][-1] == 0
    with pytest.raises(sestina.InputError, match="stresses"):
        sestina.reduce(bar(), STEEL, ENDS, stresses=[10**6])
    with pytest.raises(sestina.InputError, match="stresses chooses no node"):
        sestina.reduce(bar(), STEEL, ENDS, stresses=lambda p: p[:, 0] > 2 * LENGTH)
    mesh = solid_elements.to_mesh(bar())
    M, K = solid_elements.assemble(mesh, STEEL)
    matrices = {"nodes": mesh.nodes, "mass": M, "stiffness": K}
    with pytest.raises(sestina.InputError, match="stresses needs a mesh and a material"):
        sestina.reduce(matrices, None, ENDS, stresses=True)


# A column of Euler between two hinges, under the load P: the square of its first frequency is that without load times
# 1 - P / (pi^2 E I / L^2).
@pytest.mark.parametrize("kind", ["rigid", "averaging"])
def test_a_column_becomes_softer_under_compression(tmp_path, kind):
    ends = {name: {"nodes": chosen, "type": kind} for name, chosen in ENDS.items()}
    body = sestina.reduce(bar((10, 1, 1)), STEEL, ends, modes=6, geometric_stiffness=True, file=tmp_path / "bar.h5")
    assert body.frequencies[0] > 100

    def lowest(load):
        system = sestina.System()
        rod = system.add_reduced_body("rod", tmp_path / "bar.h5")
        system.add_joint("hinge", "revolute", system.ground["origin"], rod["left"], axis=(0, 0, 1))
        system.add_constraint("guide", "point_on_line", point=rod["right"], line=system.ground["origin"], axis=(1, 0, 0))
        system.add_force("load", "point_force", at=rod["right"], value=(-load, 0, 0))
        system.analysis.type = "modes"
        return sestina.simulate(system)["frequency"][0]

    buckling = np.pi**2 * STEEL["E"] * WIDTH * HEIGHT**3 / 12 / LENGTH**2
    free = lowest(0)
    for part in (-0.5, 0.25, 0.5, 0.8):
        assert (lowest(part * buckling) / free) ** 2 == pytest.approx(1 - part, abs=0.03)


# A clamped blade that rotates with its hub: w^2 = w_0^2 + 1.193 Omega^2 (R. Southwell, F. Gough, 1921; the factor of a
# uniform blade on a hub without radius).
def test_a_rotating_blade_becomes_stiffer(tmp_path):
    expected = 1.875**2 * np.sqrt(STEEL["E"] * HEIGHT**2 / 12 / STEEL["density"]) / LENGTH**2

    def flap(speed):
        path = tmp_path / "blade.h5"
        sestina.reduce(bar((10, 1, 1)), STEEL, ENDS, modes=4, geometric_stiffness=True, file=path)
        system = sestina.System(gravity=(0, -9.81, 0))
        hub = system.add_rigid_body("hub", 1.0, inertia={"xx": 1e4, "yy": 1e4, "zz": 1e4})
        system.add_joint("shaft", "revolute", system.ground["origin"], hub["origin"], axis=(0, 1, 0)).u = speed
        blade = system.add_reduced_body("blade", path)
        system.add_joint("root", "weld", hub["origin"], blade["left"])
        system.analysis.duration = 0.05
        system.analysis.step.rtol, system.analysis.step.atol = 1e-5, 1e-8
        system.output.every = 1e-4
        result = sestina.simulate(system)

        def misfit(w):
            terms = np.stack([np.cos(w * result["t"]), np.sin(w * result["t"]), np.ones(len(result))], axis=1)
            return np.linalg.lstsq(terms, result["blade.right.y"], rcond=None)[1][0]

        guess = np.sqrt(expected**2 + 1.193 * speed**2)
        return optimize.minimize_scalar(misfit, bounds=(0.95 * guess, 1.05 * guess), method="bounded").x

    rest = flap(0.0)
    assert rest == pytest.approx(expected, rel=0.02)
    assert (flap(0.8 * rest) / rest) ** 2 == pytest.approx(1 + 1.193 * 0.8**2, rel=0.01)


# A turned mesh gives turned numbers; so products of inertia and forces along all axes are tested.
def test_geometric_stiffness_turns_with_the_mesh():
    nodes, elements = bar((4, 1, 1))
    half = np.sqrt(0.5)
    R = np.array([[half, -half, 0], [0.5, 0.5, half], [-0.5, -0.5, half]])
    R[2] = np.cross(R[0], R[1])

    def reduced(places, chosen):
        return sestina.reduce(
            (places, elements), STEEL, {"left": chosen(left), "right": chosen(right)}, modes=1, geometric_stiffness=True
        )

    body = reduced(nodes, lambda end: end)
    turned = reduced(nodes @ R.T, lambda end: lambda p: end(p @ R))
    signs = np.sign(np.einsum("kna,kna->k", body.modes @ R.T, turned.modes))
    both = signs[:, None] * signs[None, :]

    def full(six):
        xx, yy, zz, xy, xz, yz = np.moveaxis(six, -1, 0)
        return np.moveaxis(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), (0, 1), (-2, -1))

    inertia = R @ full(body._arrays["inertia_by_modes"]) @ R.T * both[:, :, None, None]
    largest = abs(inertia).max()
    assert full(turned._arrays["inertia_by_modes"]) == pytest.approx(inertia, abs=1e-4 * largest)
    shifts = body._arrays["second_shifts"] @ R.T * both[None, :, :, None]
    assert turned._arrays["second_shifts"] == pytest.approx(shifts, abs=1e-4 * abs(shifts).max())


def test_geometric_stiffness_needs_a_mesh():
    nodes, elements = bar()
    mesh = solid_elements.to_mesh((nodes, elements))
    M, K = solid_elements.assemble(mesh, STEEL)
    with pytest.raises(sestina.InputError, match="geometric_stiffness needs a mesh and a material"):
        sestina.reduce({"nodes": nodes, "mass": M, "stiffness": K}, None, ENDS, geometric_stiffness=True)


# A shaft from a drawing: its mass, its inertia, and the frequencies of bending of a free beam.
def test_a_step_file_is_meshed(tmp_path):
    occ = pytest.importorskip("netgen.occ")
    occ.Cylinder((0, 0, 0), occ.Z, r=8, h=300).WriteStep(str(tmp_path / "shaft.step"))  # mm, the unit of the file
    ends = {"low": lambda p: p[:, 2] < 1e-6, "high": lambda p: p[:, 2] > 0.3 - 1e-6}
    shaft = sestina.reduce(tmp_path / "shaft.step", STEEL, ends, modes=4, mesh_size=0.02)
    mass = STEEL["density"] * np.pi * 0.008**2 * 0.3
    assert shaft.mass == pytest.approx(mass, rel=1e-3)
    assert shaft.center_of_mass == pytest.approx([0, 0, 0.15], abs=1e-4)
    assert shaft.inertia[2, 2] == pytest.approx(mass * 0.008**2 / 2, rel=1e-2)
    lowest = 4.730**2 / (2 * np.pi) * np.sqrt(STEEL["E"] / STEEL["density"]) * 0.008 / 2 / 0.3**2
    assert shaft.frequencies[:2] == pytest.approx([lowest] * 2, rel=0.02)
    occ.Box((0, 0, 0), (100, 20, 30)).WriteStep(str(tmp_path / "box.stp"))
    coarse, fine = (solid_elements.to_mesh(tmp_path / "box.stp", size) for size in (0.03, 0.01))
    assert 4 * len(coarse.elements) < len(fine.elements)
    assert np.ptp(fine.nodes, axis=0) == pytest.approx([0.1, 0.02, 0.03])


def test_what_is_no_step_file_is_refused(tmp_path):
    occ = pytest.importorskip("netgen.occ")
    (tmp_path / "text.step").write_text("a drawing")
    occ.Box((0, 0, 0), (1, 1, 1)).faces[0].WriteStep(str(tmp_path / "face.stp"))
    for name, message in {
        "missing.step": "is not a file",
        "text.step": "cannot be meshed",
        "face.stp": "has no solids",
    }.items():
        with pytest.raises(sestina.InputError, match=f"{name}.*{message}"):
            sestina.reduce(tmp_path / name, STEEL, ENDS)
    with pytest.raises(sestina.InputError, match="mesh_size is -1 m; expected a positive number"):
        sestina.reduce(tmp_path / "text.step", STEEL, ENDS, mesh_size=-1)
    with pytest.raises(sestina.InputError, match="mesh_size is for STEP files"):
        sestina.reduce(bar(), STEEL, ENDS, mesh_size=0.1)


# The interface of a cantilever's end shows the rotation, too.
def test_interfaces_turn(tmp_path):
    sestina.reduce(bar(cells=(10, 1, 1)), STEEL, ENDS, modes=0, file=tmp_path / "bar.h5")
    result = bend(tmp_path / "bar.h5", 10)
    slope = 2 * result["rod.right.axes[3]"][-1]
    assert slope == pytest.approx(1.5 * result["rod.right.y"][-1] / LENGTH, rel=0.02)


# A stiff bar swings as the rigid one.
def test_swings_as_the_rigid_bar(tmp_path):
    body = sestina.reduce(bar(), STEEL, ENDS, modes=0, file=tmp_path / "bar.h5")

    def swing(add):
        system = sestina.System(gravity=(0, -9.81, 0))
        left_end, right_end = add(system)
        system.add_joint("hinge", "revolute", system.ground["origin"], left_end, axis=(0, 0, 1))
        system.analysis.duration = 0.1
        system.analysis.integrator = "radau_iia"
        system.analysis.step.rtol, system.analysis.step.atol = 1e-5, 1e-7
        system.output.every = 0.02
        result = sestina.simulate(system)
        return np.array([result[f"{right_end}.x"], result[f"{right_end}.y"]])

    def reduced(system):
        rod = system.add_reduced_body("rod", tmp_path / "bar.h5")
        return rod["left"], rod["right"]

    def rigid(system):
        inertia = {key: body.inertia[i, i] for i, key in enumerate(("xx", "yy", "zz"))}
        bar = system.add_rigid_body("bar", body.mass, center_of_mass=(LENGTH / 2, 0, 0), inertia=inertia)
        bar.add_point("end", (LENGTH, 0, 0))
        system.add_column("end.x", "bar.end.x")
        system.add_column("end.y", "bar.end.y")
        return bar["origin"], "end"

    assert np.abs(swing(reduced) - swing(rigid)).max() < 1e-4 * LENGTH


def test_matrices_and_files_give_the_same_body(tmp_path):
    nodes, elements = bar()
    mesh = solid_elements.to_mesh((nodes, elements))
    M, K = solid_elements.assemble(mesh, STEEL)
    ends = {name: np.flatnonzero(chosen(nodes)) for name, chosen in ENDS.items()}
    body = sestina.reduce((nodes, elements), STEEL, ENDS, modes=3)
    other = sestina.reduce({"nodes": nodes, "mass": M, "stiffness": K}, None, ends, modes=3)
    assert other.frequencies == pytest.approx(body.frequencies, rel=1e-6)
    meshio = pytest.importorskip("meshio")
    meshio.write_points_cells(tmp_path / "bar.vtu", nodes, [("tetra10", elements)])
    third = sestina.reduce(tmp_path / "bar.vtu", STEEL, ENDS, modes=3)
    assert third.frequencies == pytest.approx(body.frequencies, rel=1e-6)


# Files of each format, of nodes with numbers of their own in another order; of one triangle.
def test_matrices_of_other_programs_give_the_same_body(tmp_path):
    scipy_io = pytest.importorskip("scipy.io")
    nodes, elements = bar(cells=(3, 1, 1))
    matrices = dict(zip(("mass", "stiffness"), solid_elements.assemble(solid_elements.to_mesh((nodes, elements)), STEEL)))
    ends = {name: np.flatnonzero(chosen(nodes)) for name, chosen in ENDS.items()}
    body = sestina.reduce({"nodes": nodes, **matrices}, None, ends, modes=3)
    labels = 10 + 3 * np.random.default_rng(1).permutation(len(nodes))
    (tmp_path / "bar.dof").write_text("".join(f"{label}.{k}\n" for label in np.sort(labels) for k in (1, 2, 3)))
    row_of = np.argsort(np.argsort(labels))
    files = {"market": {}, "abaqus": {}, "calculix": {}}
    for key, matrix in matrices.items():
        scipy_io.mmwrite(tmp_path / f"{key}.mtx", sparse.csc_matrix(matrix))
        files["market"][key] = tmp_path / f"{key}.mtx"
        lower = sparse.tril(matrix).tocoo()
        entries = [(i // 3, i % 3, j // 3, j % 3, x) for i, j, x in zip(lower.row, lower.col, lower.data, strict=True)]
        lines = [f"{labels[a]},{k + 1}, {labels[b]},{m + 1}, {x:.17e}\n" for a, k, b, m, x in entries]
        files["abaqus"][key] = tmp_path / f"{key}_abaqus.mtx"
        files["abaqus"][key].write_text("** MATRIX\n" + "".join(lines))
        places = [sorted((3 * row_of[a] + k + 1, 3 * row_of[b] + m + 1)) + [x] for a, k, b, m, x in entries]
        files["calculix"][key] = tmp_path / ("bar.mas" if key == "mass" else "bar.sti")
        files["calculix"][key].write_text("".join(f"{i} {j} {x:.17e}\n" for i, j, x in places))
    for name, given in files.items():
        own = {} if name == "market" else {"labels": labels}
        other = sestina.reduce({"nodes": nodes, **given, **own}, None, ends, modes=3)
        assert other.frequencies == pytest.approx(body.frequencies, rel=1e-9), name
        assert other.inertia == pytest.approx(body.inertia, rel=1e-12), name
    abaqus = {"nodes": nodes, "stiffness": files["abaqus"]["stiffness"], "mass": tmp_path / "bad.mtx", "labels": labels}
    bad = [("1,1, 1,1, 2.0\n", "direction 1 of node 1: expected 1, 2 or 3 of the nodes 10 to"),
           ("10,1, 10,4, 2.0\n", "direction 4 of node 10"), ("10,1, 10,1, x\n", "bad.mtx:1: expected 5 numbers"),
           ("10 20\n", "is not a matrix of Matrix Market, Abaqus"), ("1 1 1\n", "bad.dof: is missing"),
           ("%%MatrixMarket nonsense\n", "cannot be read as Matrix Market")]
    for text, message in bad:
        abaqus["mass"].write_text(text)
        with pytest.raises(sestina.InputError, match=message):
            sestina.reduce(abaqus, None, ends)


# Elements whose first corners are exchanged are the same elements.
def test_elements_may_be_turned():
    nodes, elements = bar()
    turned = elements.copy()
    turned[::2] = turned[::2][:, [1, 0, 2, 3, 4, 6, 5, 8, 7, 9]]
    body = sestina.reduce((nodes, turned), STEEL, ENDS, modes=3)
    assert body.frequencies == pytest.approx(sestina.reduce((nodes, elements), STEEL, ENDS, modes=3).frequencies)


def test_a_model_with_a_reduced_body_is_saved_and_loaded(tmp_path):
    sestina.reduce(bar(), STEEL, ENDS, modes=3, file=tmp_path / "bar.h5")
    system = sestina.System(name="bar")
    system.add_reduced_body("rod", tmp_path / "bar.h5", position=(0, 0, 1), axes={"rpy": (0, 0, 0.5)}, damping=0.01)
    assert "type: reduced" in system.to_yaml()
    system.save(tmp_path / "bar.yaml")
    again = sestina.load(tmp_path / "bar.yaml")
    assert again.bodies[0].type == "reduced"
    result = sestina.simulate(again, duration=0.0)
    assert result["rod.left.z"][0] == pytest.approx(1)


def test_fields_of_a_reduced_body_are_those_of_the_model_file(tmp_path):
    for name, modes in (("bar", 2), ("other", 3)):
        sestina.reduce(bar(), STEEL, ENDS, modes=modes, file=tmp_path / f"{name}.h5")
    system = sestina.System()
    rod = system.add_reduced_body("rod", tmp_path / "bar.h5", damping=0.01)
    assert (rod.file, rod.damping, rod.position, rod.axes) == (str(tmp_path / "bar.h5"), 0.01, None, None)
    assert (rod.elements, rod.formulation, rod.up) == (None, None, None)
    speeds = system.freeze().nu
    rod.damping, rod.position, rod.axes = "zeta", (0, 0, 2), {"rpy": (0, 0, np.pi / 2)}
    rod.position[0] = 1
    rod.file = tmp_path / "other.h5"
    system.parameters["zeta"] = 0.02
    assert system.freeze().nu == speeds + 1  # a mode more
    again = sestina.loads(system.to_yaml()).bodies[0]
    assert (again.file, again.damping, list(again.position)) == (str(tmp_path / "other.h5"), "zeta", [1, 0, 2])
    left_end = [sestina.simulate(system, duration=0.0)[f"rod.left.{axis}"][0] for axis in "xyz"]
    assert left_end == pytest.approx([1, 0, 2], abs=1e-12)
    rod.axes = rod.position = None
    assert "axes" not in system.to_yaml() and "position" not in system.to_yaml()
    with pytest.raises(sestina.InputError, match="none.h5"):
        rod.file = tmp_path / "none.h5"
    assert rod.file == str(tmp_path / "other.h5")


def test_a_reduced_body_refuses_the_data_of_rigid_bodies(tmp_path):
    system = pendulum(tmp_path)
    rod = system.bodies[0]
    with pytest.raises(sestina.InputError, match="there is no point 'origin'; allowed: left or right"):
        rod["origin"]
    rod.mass = 7
    with pytest.raises(sestina.InputError, match="mass: does not fit a body of type reduced"):
        system.freeze()


BAD = [
    (lambda: sestina.reduce(bar(), STEEL, {}), "interfaces is empty"),
    (lambda: sestina.reduce(bar(), {"E": 1}, ENDS), "material has"),
    (lambda: sestina.reduce(bar(), STEEL | {"E": -1}, ENDS), "material.E is -1"),
    (lambda: sestina.reduce(bar(), STEEL | {"nu": 0.5}, ENDS), "material.nu is 0.5"),
    (lambda: sestina.reduce(bar(), STEEL | {"density": 0}, ENDS), "material.density is 0"),
    (lambda: sestina.reduce(bar(), STEEL, ENDS, modes=-1), "modes is -1"),
    (lambda: sestina.reduce(bar(), STEEL, ENDS, modes=10_000), "modes is 10000"),
    (lambda: sestina.reduce(bar(), STEEL, {"left": [0, 1]}), "interfaces.left has 2 nodes"),
    (lambda: sestina.reduce(bar(), STEEL, {"left": lambda p: p[:, 0] > 9}), "interfaces.left has 0 nodes"),
    (lambda: sestina.reduce(bar(), STEEL, {"left": [0, 1, 99999]}), "interfaces.left.nodes has 99999"),
    (lambda: sestina.reduce(bar(), STEEL, {"left": [0.5, 1, 2]}), "interfaces.left.nodes is neither"),
    (lambda: sestina.reduce(bar(), STEEL, {"left": {"nodes": left, "kind": "rigid"}}), "interfaces.left has"),
    (lambda: sestina.reduce(bar(), STEEL, {"left": {"nodes": left, "type": "soft"}}), "type is 'soft'"),
    (lambda: sestina.reduce(bar(), STEEL, {"left": {"nodes": left, "axes": 2 * np.eye(3)}}), "not a rotation"),
    (lambda: sestina.reduce(bar(), STEEL, {"left": {"nodes": left, "position": (0, 0)}}), "position is"),
    (lambda: sestina.reduce(bar(), STEEL, {"a": left, "b": left}), "share the node 0"),
    (lambda: sestina.reduce((bar()[0], bar()[1][:, :5]), STEEL, ENDS), "expected (n, 3) and (e, 4) or (e, 10)"),
    (lambda: sestina.reduce((bar()[0], bar()[1] + 1), STEEL, ENDS), "an element has the node"),
    (lambda: sestina.reduce((np.vstack([bar()[0], [[0, 0, 9]]]), bar()[1]), STEEL, ENDS), "belong to no element"),
    (lambda: sestina.reduce((bar()[0] * [1, 1, 0], bar()[1]), STEEL, ENDS), "is flat"),
    (lambda: sestina.reduce((bar()[0] * np.nan, bar()[1]), STEEL, ENDS), "not finite"),
    (lambda: sestina.reduce("none.msh", STEEL, ENDS), "none.msh is not a file"),
    (lambda: sestina.reduce({"nodes": bar()[0]}, None, ENDS), "expected nodes, mass and stiffness"),
    (lambda: sestina.reduce(bar(), STEEL, {"a b": left}), "'a b' is not the name of an interface"),
    (lambda: sestina.reduce(bar(), STEEL, {"origin": left}), "'origin' is not the name of an interface"),
    (lambda: sestina.reduce(bar(), STEEL, ENDS | {"mean": averaging(left)}), "averaging interface mean: too few nodes"),
    (
        lambda: sestina.reduce(bar(), STEEL, {"right": right, "a": averaging(left), "b": averaging(left)}),
        "averaging interface a and b: too few nodes",
    ),
    (
        lambda: sestina.reduce((bar()[0], bar()[1][:, [0, 1, 2, 3, 4, 5, 6, 7, 9, 8]]), STEEL, ENDS),
        "element 0 is folded: its nodes 4 to 9 have to be near the middle of its edges 0-1, 1-2, 0-2, 0-3, 1-3, 2-3",
    ),
]


@pytest.mark.parametrize("call, message", BAD, ids=[message for _, message in BAD])
def test_bad_input_is_refused(call, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(sestina.InputError) as error:
        call()
    assert message in str(error.value)
    assert not list(tmp_path.iterdir())


def test_two_parts_are_no_body():
    nodes, elements = bar(cells=(4, 1, 1))
    far = nodes + [1.0, 0, 0]
    both = np.vstack([nodes, far]), np.vstack([elements, elements + len(nodes)])
    with pytest.raises(sestina.InputError, match="2 parts that are not connected"):
        sestina.reduce(both, STEEL, {"left": left})


def pendulum(tmp_path):
    sestina.reduce(bar(), STEEL, ENDS, modes=3, file=tmp_path / "bar.h5")
    system = sestina.System(name="bar", gravity=(0, 0, -9.81))
    rod = system.add_reduced_body("rod", tmp_path / "bar.h5")
    system.add_joint("hinge", "revolute", system.ground["origin"], rod["left"], axis=(0, 1, 0))
    return system


# Kinetic energy is u M u/2, and an interface moves as its Jacobian says, in a deformed state.
def test_the_kernels_know_the_modes(tmp_path):
    model = pendulum(tmp_path).freeze()
    random = np.random.default_rng(1)
    q = model.plus(model.q0, 1e-3 * random.standard_normal(model.nu))
    u = random.standard_normal(model.nu)
    assert u @ model.mass_matrix(q) @ u / 2 == pytest.approx(model.energy(q, u).kinetic, rel=1e-12)
    step = 1e-6
    moved = [model.point_position("rod.right", model.plus(q, sign * step * u)) for sign in (1, -1)]
    assert model.point_jacobian("rod.right", q)[3:] @ u == pytest.approx((moved[0] - moved[1]) / (2 * step), abs=1e-7)


def test_what_knows_no_modes_refuses_them(tmp_path):
    system = pendulum(tmp_path)
    model = system.freeze()
    with pytest.raises(sestina.InputError, match="rod"):
        model.inverse_dynamics(model.q0, model.u0, model.u0)
    with pytest.raises(sestina.InputError, match="body rod: a reduced body is not derived with symbols"):
        sestina.derive(system)


# The rule that is given is taken and saved, even the one that rigid bodies would get.
def test_a_given_rule_is_the_one_that_runs(tmp_path):
    system = pendulum(tmp_path)
    system.analysis.duration = 1e-4
    standard, given = (sestina.simulate(system, integrator=name).report.steps.steps for name in (None, "dormand_prince_54"))
    assert standard == sestina.simulate(system, integrator="radau_iia").report.steps.steps != given
    system.analysis.integrator = "dormand_prince_54"
    assert "integrator: dormand_prince_54" in system.to_yaml()
