"""Where things are in pictures, what is drawn of each kind of shape, and of bodies without one."""

from __future__ import annotations

import importlib.util
import pathlib
import struct

import numpy as np
import pytest
import sestina
from sestina import mesh_files, scene, solids

TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], dtype=float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


@pytest.fixture(autouse=True)
def close_figures():
    yield
    if importlib.util.find_spec("matplotlib"):
        import matplotlib.pyplot

        matplotlib.pyplot.close("all")


COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit meter="0.001"/><up_axis>Y_UP</up_axis></asset>
  <library_geometries><geometry id="part"><mesh>
    <source id="s"><float_array id="f" count="12">0 0 0 1 0 0 0 2 0 0 0 3</float_array>
      <technique_common><accessor source="#f" count="4" stride="3"/></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
    <triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1</p></triangles>
    <polylist count="1"><input semantic="VERTEX" source="#v" offset="1"/><input semantic="NORMAL" source="#n" offset="0"/>
      <vcount>3</vcount><p>7 0 7 1 7 3</p></polylist>
    <polygons count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 3 2 1</p></polygons>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="scene"><node>
    <translate>0 0 500</translate><rotate>0 0 1 90</rotate>
    <node><scale>1000 1000 1000</scale><instance_geometry url="#part"/></node>
  </node></visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
"""


def stage_of(figure):
    """What a picture shows: its polygons in the plane of the picture, and their colours."""
    (polygons,) = [one for one in figure.axes[0].collections if type(one).__name__ == "PolyCollection"]
    return [path.vertices[:4] for path in polygons.get_paths()], polygons.get_facecolor()


def enclosed_volume(solid):
    """By Gauss's theorem, which also tells that all polygons are seen from outside counter-clockwise."""
    a, b, c, d = np.moveaxis(solid.corners, 1, 0)
    return (np.einsum("ij,ij->i", a, np.cross(b, c)) + np.einsum("ij,ij->i", a, np.cross(c, d))).sum() / 6


def test_solids_enclose_their_volume_with_normals_outwards():
    largest = 0.1
    r, h = 0.3, 0.8
    made = {
        "box": (solids.box(np.array([0.2, 0.5, 0.7]), largest), 0.2 * 0.5 * 0.7),
        "sphere": (solids.sphere(r, largest), 4 / 3 * np.pi * r**3),
        "cylinder": (solids.cylinder(r, h, largest), np.pi * r**2 * h),
        "capsule": (solids.capsule(r, h, largest), np.pi * r**2 * h + 4 / 3 * np.pi * r**3),
        "mesh": (solids.mesh(TETRAHEDRON[FACES], most=100), 1.0),
    }
    for name, (solid, volume) in made.items():
        assert enclosed_volume(solid) == pytest.approx(volume, rel=0.02), name  # of inscribed polygons
        flat = np.cross(solid.corners[:, 2] - solid.corners[:, 0], solid.corners[:, 3] - solid.corners[:, 1])
        has_area = np.linalg.norm(flat, axis=1) > 1e-12
        assert ((flat * solid.normals).sum(axis=1)[has_area] > 0).all(), name
        np.testing.assert_allclose(np.linalg.norm(solid.normals, axis=1), 1, err_msg=name)
    low, high = (f(made["cylinder"][0].corners, axis=(0, 1)) for f in (np.min, np.max))
    np.testing.assert_allclose([low, high], [[-r, -r, -h / 2], [r, r, h / 2]], atol=1e-12)


def test_largest_polygon_of_a_long_solid_is_short():
    corners = solids.cylinder(0.01, 1.0, 0.1).corners
    assert np.ptp(corners[..., 2], axis=1).max() <= 0.1 + 1e-12


def test_shapes_stand_where_the_pose_of_their_body_puts_them(pendulum):
    pendulum.parameters["w"] = 0.02
    shape = {"type": "box", "size": ["w", "2*w", "l"], "position": [0, 0, "-l/2"]}
    turned = {"type": "cylinder", "radius": "w", "length": 0.5, "position": [0.1, 0, 0], "axes": {"rpy": [0, "pi/2", 0]}}
    pendulum.body("rod").shapes = [shape, turned]
    q = 0.7
    made = scene.scene_of(pendulum.freeze(), np.array([[0.0], [q]]))
    box, cylinder = [part for part in made.parts if part.name == "rod"]
    # About y by q: z turns towards x.
    c, s = np.cos(q), np.sin(q)
    rotation = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    wanted = np.array([[x, y, z] for x in (-0.01, 0.01) for y in (-0.02, 0.02) for z in (-1.0, 0.0)]) @ rotation.T
    corners = box.corners(1).reshape(-1, 3)
    for corner in wanted:
        assert np.linalg.norm(corners - corner, axis=1).min() < 1e-12
    assert np.linalg.norm(corners, axis=1).max() < 1.0003
    # z of the cylinder is x of the body.
    along = cylinder.corners(1).reshape(-1, 3) @ rotation
    np.testing.assert_allclose([along[:, 0].min(), along[:, 0].max()], [0.1 - 0.25, 0.1 + 0.25], atol=1e-12)
    np.testing.assert_allclose(np.abs(along[:, 1:]).max(axis=0), [0.02, 0.02], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(box.normals(1), axis=1), 1)


@pytest.mark.parametrize(
    "axes",
    [
        {"rpy": [0.3, "a", 1.1]},
        {"axis": [1, "a", 0.5], "angle": 0.8},
        {"euler_parameters": [0.9, 0.1, "a", 0.2]},
        {"matrix": [[0, -1, 0], [1, 0, 0], [0, 0, 1]]},
    ],
)
def test_rotations_are_those_of_the_model(axes):
    """A point's axes turn a welded body as the picture turns a shape."""
    system = sestina.System(parameters={"a": 0.4})
    system.add_rigid_body("link", 1.0, inertia={"xx": 1, "yy": 1, "zz": 1})
    system.ground.points["mount"] = {"position": [0, 0, 0], "axes": axes}
    system.add_joint("bolt", "weld", "ground.mount", "link.origin")
    if "euler_parameters" in axes:
        e = np.array([0.9, 0.1, 0.4, 0.2])
        system.ground.points["mount"] = {"position": [0, 0, 0], "axes": {"euler_parameters": list(e / np.linalg.norm(e))}}
    model = system.freeze()
    np.testing.assert_allclose(scene.rotation_of(axes, {"a": 0.4}), model.kinematics(model.q0).rotation[1], atol=1e-12)


@pytest.mark.parametrize(
    "shape",
    [
        {"type": "box", "size": [0.1, 0.2, 0.3]},
        {"type": "sphere", "radius": 0.1},
        {"type": "cylinder", "radius": 0.1, "length": 0.4},
        {"type": "capsule", "radius": 0.1, "length": 0.4},
        {"type": "mesh", "file": "part.stl", "scale": [0.1, 0.1, -0.1]},
        {"type": "height_field", "file": "hills.txt", "scale": [0.1, 0.1, 0.05]},
    ],
)
def test_each_shape_is_drawn_shaded(pendulum, shape, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    write_stl(tmp_path / "part.stl", TETRAHEDRON[FACES])
    (tmp_path / "hills.txt").write_text("0 1 0 1\n1, 2, 0, 2\n0 0 3 0\n")
    pendulum.body("rod").shapes = shape
    polygons, colours = stage_of(sestina.draw(pendulum, path=tmp_path / "picture.png"))
    assert len(polygons) > 10 and np.isfinite(np.stack(polygons)).all()
    assert len({tuple(colour.round(3)) for colour in colours}) > 5  # light and dark sides
    assert (tmp_path / "picture.png").read_bytes()[:4] == b"\x89PNG"


def test_a_body_without_points_and_shape_is_visible():
    pytest.importorskip("matplotlib")
    system = sestina.System(gravity=(0, 0, -1))
    system.add_rigid_body("stone", 1.0, center_of_mass=(0.3, 0, 0), inertia={"xx": 1, "yy": 1, "zz": 1})
    model = system.freeze()
    (*rods, ball) = [part for part in scene.scene_of(model, model.q0[None]).parts if part.name == "stone"]
    np.testing.assert_allclose(ball.corners(0).reshape(-1, 3).mean(axis=0), [0.3, 0, 0], atol=0.02)
    assert len(set(ball.solid.tones)) == 2  # by which one sees that it turns
    polygons, _ = stage_of(sestina.draw(system))
    assert len(polygons) > 50


def test_rods_lead_from_joints_to_points_and_the_mass_centre(arm):
    q = np.zeros((1, arm.nq))
    drawn = scene.scene_of(arm, q)
    for body, point in (("gripper", "gripper.left_slide_mount"), ("wrist_roll", "wrist_roll.axis_5_mount")):
        place = arm.point_position(point, q[0])
        corners = np.concatenate([part.corners(0).reshape(-1, 3) for part in drawn.parts if part.name == body])
        assert np.linalg.norm(corners - place, axis=1).min() < 0.02
    assert set(drawn.labels) == set(arm.bodies) - {"ground"}


def test_a_spring_reaches_from_point_to_point_in_every_frame():
    system = sestina.System()
    system.add_rigid_body("cart", 1.0, inertia={"xx": 1, "yy": 1, "zz": 1})
    system.ground.points["wall"] = [0, 0, 1]
    system.add_joint("rail", "prismatic", "ground.origin", "cart.origin", axis=(1, 0, 0))
    system.add_spring_damper("spring", "ground.wall", "cart.origin", stiffness=1)
    spring = next(p for p in scene.scene_of(system.freeze(), np.array([[0.5], [2.0]])).parts if p.name == "spring")
    for frame, x in enumerate((0.5, 2.0)):
        corners = spring.corners(frame).reshape(-1, 3)
        for end in ([0, 0, 1], [x, 0, 0]):
            assert np.linalg.norm(corners - end, axis=1).min() < 0.02
        along = np.array([x, 0, -1]) / np.hypot(x, 1)
        assert np.ptp((corners - [0, 0, 1]) @ along) == pytest.approx(np.hypot(x, 1), rel=1e-2)


def test_nearer_things_hide_farther_ones():
    pytest.importorskip("matplotlib")
    system = sestina.System()
    for name, y in (("far", 0.5), ("near", -0.5)):
        body = system.add_rigid_body(name, 1.0, inertia={"xx": 1, "yy": 1, "zz": 1}, shapes={"type": "sphere", "radius": 0.2})
        system.ground.points[name] = [0, y, 0]
        system.add_joint(f"bolt_{name}", "weld", f"ground.{name}", body["origin"])
    _, colours = stage_of(sestina.draw(system, view="xz"))  # seen along y
    blue, orange = (np.array([int(code[k : k + 2], 16) for k in (1, 3, 5)]) / 255 for code in scene.COLOURS[1:3])
    is_near = colours[:, 0] > colours[:, 2]  # orange has more red than blue
    assert orange[0] > orange[2] and blue[0] < blue[2]
    assert 0 < is_near.sum() < len(colours) and is_near[-is_near.sum() :].all()


def write_stl(path, triangles):
    with open(path, "wb") as file:
        file.write(b"solid that is binary".ljust(80) + struct.pack("<I", len(triangles)))
        for triangle in triangles:
            file.write(struct.pack("<12fH", 0, 0, 0, *triangle.ravel(), 0))


def test_meshes_are_read_from_stl_and_obj(tmp_path):
    wanted = TETRAHEDRON[FACES]
    write_stl(tmp_path / "binary.stl", wanted)
    lines = ["solid part"]
    for triangle in wanted:
        lines += ["facet normal 0 0 0", "outer loop", *(f"vertex {x:g} {y:g} {z:g}" for x, y, z in triangle), "endloop", "endfacet"]
    (tmp_path / "text.STL").write_text("\n".join([*lines, "endsolid part"]))
    points = "".join(f"v {x} {y} {z}\n" for x, y, z in TETRAHEDRON)
    (tmp_path / "part.obj").write_text("# a part\nmtllib no.mtl\n" + points + "vn 0 0 1\nf 1//1 3//1 2//1\nf 1/1 2/2 4/3\nf -4 -1 -2\nf 2 3 4\n")
    (tmp_path / "square.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
    for name in ("binary.stl", "text.STL", "part.obj"):
        np.testing.assert_array_equal(mesh_files.read_mesh(tmp_path / name), wanted, err_msg=name)
    assert mesh_files.read_mesh(tmp_path / "square.obj").shape == (2, 3, 3)


def test_meshes_of_collada_are_placed_by_their_nodes(tmp_path):
    (tmp_path / "part.dae").write_text(COLLADA)
    corners = TETRAHEDRON[[(0, 2, 1), (0, 1, 3), (0, 3, 2), (0, 2, 1)]]
    quarter = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    np.testing.assert_allclose(mesh_files.read_mesh(tmp_path / "part.dae"), corners @ quarter.T + [0, 0, 0.5], atol=1e-12)
    # Without a scene all geometries count, as they are.
    (tmp_path / "bare.dae").write_text(COLLADA.replace('<scene><instance_visual_scene url="#scene"/></scene>', ""))
    np.testing.assert_allclose(mesh_files.read_mesh(tmp_path / "bare.dae"), corners / 1000, atol=1e-15)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.ply", b"", "is read from .stl, .obj, .dae"),
        ("a.dae", b"<COLLADA>", "no COLLADA: no element found"),
        ("a.dae", b"<robot/>", "no COLLADA: its first element is 'robot'"),
        ("a.dae", COLLADA.replace("0 2 1", "0 2 9").encode(), "a face has a corner that is none of 4 points"),
        ("a.dae", COLLADA.replace('url="#part"', 'url="#p"').encode(), "instance_geometry refers to 'p', which is not there"),
        ("a.stl", b"PK\x03\x04" + bytes(100), "no STL"),
        ("a.stl", b"solid x\nvertex 0 0 0\nvertex 0 0 1\n", "2 corners are not three"),
        ("a.stl", b"solid x\nvertex 0 0 zero\n" * 3, "zero"),
        ("a.obj", b"v 0 0 0\nf 1 2 3\n", "line 2: 'f 1 2 3' is not a face of the 1 points"),
        ("a.obj", b"v 0 0 0\n", "no triangles"),
        ("a.obj", b"v 0 0 nan\nv 0 1 0\nv 1 0 0\nf 1 2 3\n", "not finite"),
    ],
)
def test_meshes_that_are_none_are_told(name, data, message, tmp_path):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(sestina.InputError, match=message):
        mesh_files.read_mesh(tmp_path / name)


def test_a_mesh_is_found_beside_its_model_or_told(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    (tmp_path / "robots/meshes").mkdir(parents=True)
    write_stl(tmp_path / "robots/meshes/part.stl", TETRAHEDRON[FACES])
    text = """<robot name="r"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
      </inertial><visual><geometry><mesh filename="FILE"/></geometry></visual></link></robot>"""
    for k, file in enumerate(("meshes/part.stl", "package://robots/meshes/part.stl")):
        path = tmp_path / f"robots/robot{k}.urdf"
        path.write_text(text.replace("FILE", file))
        model = sestina.load_urdf(path).freeze()
        drawn = scene.scene_of(model, model.q0[None])
        corners = np.concatenate([part.corners(0).reshape(-1, 3) for part in drawn.parts if part.name == "base"])
        assert np.linalg.norm(corners - [0, 2, 0], axis=1).min() < 1e-6
    path.write_text(text.replace("FILE", "missing.stl"))
    with pytest.warns(UserWarning, match=r"bodies.base.shape: the mesh 'missing.stl' is not found; looked for: .*robots"):
        sestina.draw(sestina.load_urdf(path))


def test_meshes_of_many_triangles_become_coarser_and_keep_their_size():
    turn, height = np.meshgrid(np.linspace(0, 2 * np.pi, 101), np.linspace(0, np.pi, 101), indexing="ij")
    points = np.stack([np.sin(height) * np.cos(turn), np.sin(height) * np.sin(turn), np.cos(height)], axis=-1)
    a, b, c, d = points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1]
    triangles = np.concatenate([np.stack([a, b, c], axis=2).reshape(-1, 3, 3), np.stack([a, c, d], axis=2).reshape(-1, 3, 3)])
    solid = solids.mesh(triangles, most=1000)
    assert 300 < len(solid.corners) <= 1000
    np.testing.assert_allclose(np.ptp(solid.corners.reshape(-1, 3), axis=0), 2, atol=0.15)


def test_views_are_told_when_they_are_none(pendulum):
    pytest.importorskip("matplotlib")
    for view in ("xx", "x", "xw", (1.0,), 3.0):
        with pytest.raises(sestina.InputError, match="view"):
            sestina.draw(pendulum, view=view)
    with pytest.raises(sestina.InputError, match=r"q has the shape \(2,\); allowed is \(1,\)"):
        sestina.draw(pendulum, q=[0, 0])
    result = sestina.simulate(pendulum, duration=1)
    with pytest.raises(sestina.InputError, match="t: 2 s is not; allowed are times from 0 to 1 s"):
        result.draw(2)
    for keys, message in (({"fps": 0}, "fps: 0 is not above 0"), ({"speed": -1}, "speed: -1")):
        with pytest.raises(sestina.InputError, match=message):
            result.animate(**keys)


def test_earlier_poses_are_fainter_and_all_are_drawn(pendulum):
    pytest.importorskip("matplotlib")
    result = sestina.simulate(pendulum, duration=1)
    one, several = (stage_of(result.draw(t))[1] for t in (1.0, [0.0, 0.5, 1.0]))
    assert len(several) > 2.5 * len(one) and several[:, :3].mean() > one[:, :3].mean() + 0.1
    names = [text.get_text() for text in result.draw(labels=True, trace="rod.tip").axes[0].texts]
    assert "rod" in names and "t = 1.00 s" in names and any(name.startswith("grid ") for name in names)


def test_the_mouse_turns_a_picture_and_a_larger_window_keeps_it_whole(pendulum):
    pytest.importorskip("matplotlib")
    from matplotlib.backend_bases import MouseEvent, ResizeEvent

    figure = sestina.draw(pendulum)
    canvas, panel = figure.canvas, figure.axes[0]
    before = np.concatenate(stage_of(figure)[0])

    def drag(*ways):
        canvas.callbacks.process("button_press_event", MouseEvent("button_press_event", canvas, 300, 200, button=1))
        for x, y in ways:
            canvas.callbacks.process("motion_notify_event", MouseEvent("motion_notify_event", canvas, x, y))
        canvas.callbacks.process("button_release_event", MouseEvent("button_release_event", canvas, x, y, button=1))
        return np.concatenate(stage_of(figure)[0])

    turned = drag((350, 230), (420, 260))
    assert turned.shape[1] == 2 and abs(turned.mean(axis=0) - before.mean(axis=0)).max() > 1e-3
    drag((300, 9000))  # beyond straight above or below is not allowed
    corners = np.concatenate(stage_of(figure)[0])
    assert np.isfinite(corners).all()
    canvas.callbacks.process("motion_notify_event", MouseEvent("motion_notify_event", canvas, 10, 10))
    np.testing.assert_array_equal(np.concatenate(stage_of(figure)[0]), corners)  # the button is up
    figure.set_size_inches(10, 3)
    canvas.callbacks.process("resize_event", ResizeEvent("resize_event", canvas))
    for low, high, axis in ((*panel.get_xlim(), 0), (*panel.get_ylim(), 1)):
        assert low < corners[:, axis].min() and corners[:, axis].max() < high
    box = panel.get_window_extent()
    assert np.ptp(panel.get_xlim()) / box.width == pytest.approx(np.ptp(panel.get_ylim()) / box.height)  # equal scales


def test_examples_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    for path in sorted((pathlib.Path(__file__).resolve().parents[2] / "examples").glob("*.yaml")):
        figure = sestina.draw(sestina.load(path))
        assert len(stage_of(figure)[0]) > 10, path.name
        figure.clear()


# ---- of symbols ----------------------------------------------------------------------------------


@pytest.fixture
def swinging(own_derivation):
    """A bob and a block on two massless rods, x down: a SymbolicSystem, and its points and bodies."""
    from sestina.symbolic import KanesMethod, Particle, Point, ReferenceFrame, RigidBody, SymbolicSystem, dynamicsymbols, inertia, symbols

    q1, q2, u1, u2 = dynamicsymbols("q1 q2 u1 u2")
    m, g, l = symbols("m g l")
    t = dynamicsymbols._t
    N = ReferenceFrame("N")
    A, B = N.orientnew("A", "Axis", [q1, N.z]), N.orientnew("B", "Axis", [q2, N.z])
    A.set_ang_vel(N, u1 * N.z)
    B.set_ang_vel(N, u2 * N.z)
    O = Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", l * A.x)
    R = P.locatenew("R", 2 * l * B.x)
    P.v2pt_theory(O, N, A)
    R.v2pt_theory(P, N, B)
    bob, block = Particle("bob", P, m), RigidBody("block", R, B, m, (inertia(B, m * l**2, m * l**2, m * l**2), R))
    kane = KanesMethod(N, [q1, q2], [u1, u2], [q1.diff(t) - u1, q2.diff(t) - u2])
    kane.kanes_equations([bob, block], [(P, m * g * N.x), (R, m * g * N.x)])
    system = SymbolicSystem(kane, {m: 1, g: 9.81, l: 0.5}, {q1: 1, q2: 2})
    return system, (O, P, R), (bob, block), (N, l, q1, q2)


def test_shapes_of_the_ground_are_drawn():
    system = sestina.System("table", gravity=(0, 0, -9.81))
    ball = system.add_rigid_body("ball", 1, inertia={"xx": 1, "yy": 1, "zz": 1})
    ball.shapes = [{"type": "sphere", "radius": 0.1}]
    system.add_joint("fly", "free", "ground.origin", ball["origin"], q=[0, 0, 0.1, 1, 0, 0, 0])
    system.parameters["thickness"] = 0.1
    system.ground.shapes = [
        {"type": "box", "size": (2, 2, "thickness"), "position": (0, 0, "-thickness/2")},
        {"type": "plane", "position": (0, 0, -1), "axes": {"rpy": ["pi/6", 0, 0]}},
    ]
    model = system.freeze()
    falling = np.array([model.q0, [3.0, 0, 0.1, 1, 0, 0, 0]])
    drawn = scene.scene_of(model, falling)
    box, plane = [part for part in drawn.parts if part.name == "ground"]
    for part, origin, normal in ((box, (0, 0, 0), (0, 0, 1)), (plane, (0, 0, -1), (0, -0.5, np.sqrt(0.75)))):
        corners = part.corners(1).reshape(-1, 3)
        assert ((corners - origin) @ normal).max() == pytest.approx(0, abs=1e-12)
    assert np.ptp(box.corners(0).reshape(-1, 3), axis=0) == pytest.approx([2, 2, 0.1])
    below = plane.corners(0).reshape(-1, 3)
    assert below[:, 0].min() < -0.9 and below[:, 0].max() > 3.9  # under the whole motion
    picture = sestina.draw(system)
    assert len(picture.axes[0].collections) > 0


def test_motions_in_cartesian_coordinates_are_drawn():
    system = sestina.load(pathlib.Path(__file__).parents[2] / "examples" / "16_four_bar.yaml")
    there = sestina.simulate(system, duration=0.5, rtol=1e-9)
    system.analysis.coordinates = "cartesian"
    result = sestina.simulate(system, duration=0.5, rtol=1e-9)
    drawn, expected = result._scene(np.array([0, -1])), there._scene(np.array([0, -1]))
    for part, other in zip(drawn.parts, expected.parts, strict=True):
        assert part.position == pytest.approx(other.position, abs=1e-5)
        assert part.rotation == pytest.approx(other.rotation, abs=1e-5)
    assert result.draw([0.0, 0.5], trace="coupler.origin") is not None


def test_symbolic_runs_are_drawn_by_their_points_and_frames(swinging, tmp_path):
    pytest.importorskip("matplotlib")
    system, (O, P, R), (_, block), (N, l, q1, q2) = swinging
    with pytest.raises(sestina.InputError, match="set_scene"):
        system.simulate(0.1).animate()
    system.set_scene(O, lines=[(O, P, R)], shapes={block: {"type": "box", "size": [l, l / 5, l / 10]}}, up=-N.x)
    result = system.simulate(1, every=0.1)
    drawn = result._scene(np.arange(len(result)))
    box = next(part for part in drawn.parts if part.name == "block")
    a, b = result[q1][7], result[q2][7]
    at = 0.5 * np.array([np.cos(a), np.sin(a), 0]) + 1.0 * np.array([np.cos(b), np.sin(b), 0])
    corner = at + 0.25 * np.array([np.cos(b), np.sin(b), 0]) + 0.05 * np.array([-np.sin(b), np.cos(b), 0]) + [0, 0, 0.025]
    assert np.linalg.norm(box.corners(7).reshape(-1, 3) - corner, axis=1).min() < 1e-12
    np.testing.assert_array_equal(drawn.up, [-1, 0, 0])
    np.testing.assert_allclose(result._way("R")[7], at, atol=1e-12)
    result.animate(tmp_path / "swing.gif", fps=10, trace=R)
    assert (tmp_path / "swing.gif").read_bytes()[:3] == b"GIF"
    result.draw(0.5, path=tmp_path / "swing.png", labels=True)
    with pytest.raises(sestina.InputError, match="trace: there is no point 'Q'; there are P, R, O"):
        result.draw(trace="Q")


def test_what_a_symbolic_scene_lacks_is_told(swinging):
    from sestina.symbolic import Particle, Point

    system, (O, P, _), (bob, _), (N, l, *_) = swinging
    lonely = Point("lonely")
    with pytest.raises(sestina.InputError, match="lonely"):
        system.set_scene(O, lines=[(O, lonely)])
    with pytest.raises(sestina.InputError, match="up: .* is not along an axis of N"):
        system.set_scene(O, up=N.x + N.y)
    with pytest.raises(sestina.InputError, match="neither bodies nor lines"):
        system.set_scene(O, bodies=[])
    with pytest.raises(sestina.InputError, match="shapes: .* is not one of the bodies"):
        system.set_scene(O, shapes={Particle("other", P, l): {"type": "sphere", "radius": 1}})
    system.set_scene(O, bodies=[bob])
    assert [part.name for part in system.simulate(0.1)._scene(np.arange(2)).parts] == ["bob"]


def test_points_of_a_symbolic_scene_may_move_with_inputs(own_derivation):
    """Whether the input is an expression, a function or a table."""
    from sestina.symbolic import LagrangesMethod, Lagrangian, Particle, Point, ReferenceFrame, SymbolicSystem, dynamicsymbols, sin, symbols

    q, d = dynamicsymbols("q d")
    m, k = symbols("m k")
    t = dynamicsymbols._t
    N = ReferenceFrame("N")
    O = Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", q * N.x)
    P.set_vel(N, q.diff() * N.x)
    Q = O.locatenew("Q", (q + d) * N.x)
    ball = Particle("ball", P, m)
    ball.potential_energy = k * q**2 / 2
    method = LagrangesMethod(Lagrangian(N, ball), [q], [(P, d * N.x)], bodies=[ball], frame=N)
    times = np.linspace(0, 1, 2001)
    for value in (sin(t), np.sin, (times, np.sin(times))):
        system = SymbolicSystem(method, {m: 1, k: 2}, {q: 1}, {d: value})
        system.set_scene(O, lines=[(P, Q)])
        result = system.simulate(1, every=0.25)
        np.testing.assert_allclose(result._way("Q")[:, 0], result[q] + np.sin(result.t), atol=1e-6)
