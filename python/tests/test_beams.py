"""Beams from Python."""

import pytest

import sestina

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


def test_beams_are_written_to_model_files():
    again = sestina.loads(cantilever(4).to_yaml())
    (boom,) = again.bodies
    assert dict(boom.points) == {"mid": {"at": 0.5}}
    assert dict(boom.section) == {"rectangle": [0.5, 0.1]}
