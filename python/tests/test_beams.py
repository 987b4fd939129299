"""Beams from Python."""

import numpy as np
import pytest

import sestina
from sestina import scene

# Nachbagauer and others (2011), by shooting: a tip force of 6.25e7 N.
SHORTENING, DEFLECTION = 0.150971144239, 0.710568597854


def cantilever(elements=16):
    system = sestina.System("cantilever")
    boom = system.add_beam("boom", {"from": (0, 0, 0), "to": (2, 0, 0)}, {"rectangle": (0.5, 0.1)},
                           {"E": 2.07e11, "nu": 0.3, "density": 7850}, elements=elements,
                           points={"mid": {"at": 0.5}})
    system.add_joint("clamp", "weld", "ground.origin", boom["start"])
    system.add_force("load", "point_force", at=boom["end"], value=(0, 6.25e7, 0))
    system.analysis.type = "statics"
    return system


def test_a_cantilever_bends_as_published():
    result = sestina.simulate(cantilever())
    assert 2 - result["boom.end.x"][-1] == pytest.approx(SHORTENING, abs=2e-7)
    assert result["boom.end.y"][-1] == pytest.approx(DEFLECTION, abs=2e-7)
    assert 0 < result["boom.mid.y"][-1] < DEFLECTION / 2


def test_parts_of_a_beam_can_be_read_and_written():
    system = cantilever(2)
    (boom,) = system.bodies
    assert boom.type == "beam"
    assert boom["mid"] == "boom.mid"
    boom.material["density"] = 1000
    boom.section = {"circle": 0.2}
    assert boom.material["density"] == 1000
    assert dict(boom.section) == {"circle": [0.2]}
    assert dict(boom.centerline) == {"from": [0, 0, 0], "to": [2, 0, 0]}
    with pytest.raises(sestina.InputError, match="there is no key 'rectangl'"):
        boom.section = {"rectangl": (1, 2)}


def test_a_rigid_body_has_no_section():
    system = sestina.System()
    block = system.add_rigid_body("block", 1.0)
    with pytest.raises(sestina.InputError, match="belongs to a beam"):
        block.section = {"circle": 0.2}


def test_fields_of_a_beam_are_those_of_the_model_file():
    boom = cantilever(2).bodies[0]
    assert (boom.elements, list(boom.up), boom.formulation) == (2, [0, 0, 1], "geometrically_exact")
    assert (boom.pretension, boom.precurved, boom.closed) == (0, False, False)
    assert boom.twist == 0
    assert (boom.file, boom.damping, boom.position, boom.axes) == (None, None, None, None)
    system = string()
    system.parameters["T"] = 200
    rope = system.bodies[0]
    rope.pretension, rope.precurved, rope.elements, rope.up = "T/2", True, 3, (0, 1, 0)
    rope.up[2] = "0.5"
    again = sestina.loads(system.to_yaml()).bodies[0]
    assert (again.pretension, again.precurved, again.elements) == ("T/2", True, 3)
    assert list(again.up) == [0, 1, 0.5]
    rope.pretension, rope.precurved, rope.formulation = 0, False, "geometrically_exact"
    rope.section = {"rectangle": (0.1, 0.1)}
    with pytest.raises(sestina.InputError, match="material.E: is missing"):
        system.freeze()
    rope.closed = True
    with pytest.raises(sestina.InputError, match="closed: belongs to a cable"):
        system.freeze()


# The error of the deflection falls with the fourth power of the length of elements.
def test_elements_of_a_loaded_model_can_be_changed():
    system = sestina.loads(cantilever(2).to_yaml())
    errors = []
    for elements in (4, 8):
        system.bodies[0].elements = elements
        errors.append(abs(sestina.simulate(system)["boom.end.y"][-1] - DEFLECTION))
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.05)


def test_a_rigid_body_refuses_the_fields_of_flexible_ones():
    block = sestina.System().add_rigid_body("block", 1.0)
    of_beams = {"elements": 4, "pretension": 1, "closed": True, "formulation": "ancf_cable", "up": (0, 1, 0),
                "twist": 0.1}
    for name, value in of_beams.items():
        assert getattr(block, name) is None
        with pytest.raises(sestina.InputError, match=f"bodies.block.{name}: belongs to a beam, and this body is none"):
            setattr(block, name, value)
    for name, value in {"damping": 0.1, "position": (0, 0, 1), "axes": {"rpy": (0, 0, 1)}, "file": "x.h5"}.items():
        assert getattr(block, name) is None
        with pytest.raises(sestina.InputError, match=f"{name}: belongs to a reduced body, and this body is none"):
            setattr(block, name, value)


def test_a_beam_refuses_the_data_of_rigid_bodies():
    system = cantilever(2)
    boom = system.bodies[0]
    boom.mass, boom.inertia, boom.center_of_mass, boom.shapes = 300, {"xx": 50}, (1, 2, 3), {"type": "sphere"}
    with pytest.raises(sestina.InputError) as error:
        system.freeze()
    for key in ("mass", "inertia", "center_of_mass", "shapes"):
        assert f"bodies[0].{key}: does not fit a body of type beam" in str(error.value)


def test_points_of_a_beam_are_its_own():
    boom = cantilever(2).bodies[0]
    assert [boom[name] for name in ("start", "mid", "end")] == ["boom.start", "boom.mid", "boom.end"]
    for name in ("origin", "nope"):
        with pytest.raises(sestina.InputError, match=f"there is no point '{name}'; allowed: start, end or mid"):
            boom[name]


def test_beams_are_written_to_model_files():
    again = sestina.loads(cantilever(4).to_yaml())
    (boom,) = again.bodies
    assert dict(boom.points) == {"mid": {"at": 0.5}}
    assert dict(boom.section) == {"rectangle": [0.5, 0.1]}


def string(elements=6):
    system = sestina.System("string")
    system.ground.add_point("other", (2, 0, 0))
    rope = system.add_beam("rope", {"from": (0, 0, 0), "to": (2, 0, 0)}, {"EA": 4e5, "EI": 0.3, "mass": 0.02},
                           elements=elements, formulation="ancf_cable", pretension=80)
    system.add_joint("left", "spherical", "ground.origin", rope["start"])
    system.add_joint("right", "spherical", "ground.other", rope["end"])
    return system


def test_a_cable_has_its_pretension_and_weight():
    system = string()
    assert system.bodies[0].formulation == "ancf_cable"
    assert "pretension: 80" in system.to_yaml()
    assert sestina.loads(system.to_yaml()).to_yaml() == system.to_yaml()
    result = sestina.simulate(system, duration=0.0)
    assert result["rope.section[2].tension"][0] == pytest.approx(80, rel=1e-12)
    system.gravity = (0, 0, -9.81)
    system.analysis.type = "statics"
    sag = 0.02 * 9.81 * 2**2 / (8 * 80)  # of a string that hardly stretches
    assert sestina.simulate(system)["rope_3.origin.z"][-1] == pytest.approx(-sag, rel=2e-2)


def test_a_cable_is_drawn_from_node_to_node():
    model = string().freeze()
    parts = [part for part in scene.scene_of(model, model.q0[None]).parts if part.name.startswith("rope_")]
    assert len(parts) == 6
    assert [float(part.position[0, 0]) for part in parts] == pytest.approx([2 * k / 6 for k in range(6)])


def test_a_section_is_given_by_its_stiffness_matrix():
    K = np.diag([80.0, 120, 500, 9e4, 3e4, 2e4])
    K[0, 1] = K[1, 0] = 30
    system = cantilever(4)
    boom = system.bodies[0]
    boom.section, boom.material = {"stiffness": K, "mass": 1}, {}
    assert boom.section["stiffness"][0] == [80, 30, 0, 0, 0, 0]
    assert sestina.loads(system.to_yaml()).bodies[0].section["stiffness"] == K.tolist()
    system.forces[0].value = (0, 0, 1e-3)
    C = np.linalg.inv(K)
    result = sestina.simulate(system)
    assert result["boom.end.z"][-1] == pytest.approx(1e-3 * (C[1, 1] * 8 / 3 + C[5, 5] * 2), rel=1e-6)
    assert result["boom.section[0].curvature.x"][-1] == pytest.approx(-C[0, 1] * 1e-3 * 1.75, rel=1e-6)
    for faulty in (K[:5], 3, [[1, 2]] * 6):
        with pytest.raises(sestina.InputError, match="stiffness: .*six rows of six"):
            boom.section = {"stiffness": faulty, "mass": 1}


def test_a_twisted_and_tapered_beam_is_drawn_as_it_is():
    system = sestina.System("blade")
    blade = system.add_beam("blade", {"from": (0, 0, 0), "to": (2, 0, 0)}, {"rectangle": ("0.3 - c*s", 0.05)},
                            {"E": 1e9, "nu": 0.3, "density": 1000}, elements=4, twist="0.5*s")
    system.parameters["c"] = 0.1
    assert blade.twist == "0.5*s"
    again = sestina.loads(system.to_yaml()).bodies[0]
    assert (again.twist, list(again.section["rectangle"])) == ("0.5*s", ["0.3 - c*s", 0.05])
    model = system.freeze()
    parts = [part for part in scene.scene_of(model, model.q0[None]).parts if part.name.startswith("blade_")]
    assert len(parts) == 5
    widths = [np.ptp(part.solid.corners.reshape(-1, 3)[:, 1]) for part in parts]
    assert widths == pytest.approx([0.3 - 0.1 * s for s in (0.125, 0.5, 1, 1.5, 1.875)])
    blade.twist = "0.5*t"
    with pytest.raises(sestina.InputError, match="twist: 't' is not known here: expected an expression of s"):
        system.freeze()
