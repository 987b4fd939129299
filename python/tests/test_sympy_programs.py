"""What docs/symbolic.md says of programs written for SymPy: six run with the import changed, and what is missing is named."""

from __future__ import annotations

import importlib.util
import pathlib
import re

import pytest
from sestina import symbolic

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(__file__).with_name("sympy_programs")
IMPORTS = "from sympy import *\nfrom sympy.physics.mechanics import *\n"

# What SymPy 1.14 gives.
EXPECTED = {
    "rolling_disc_kane": [12.032311629683191, -2.0, -3.3918698934739826],
    "rolling_disc_contact_forces": [0.6, -3.2830584491884562, 17.59768927366318],
    "rolling_disc_lagrange": [1.0, 2.0, 3.0, -38.35387870195232, 8.920138544981597, 5.659606259429335],
    "nonminimal_pendulum": [0.0, 1.0, -4.905, 0.0],
    "mass_spring_damper": [0.6666666666666666, -1.8333333333333333],
    "n_pendulum": [
        *[1.0, 1.0, 1.0, 1.0, 1.0, 0.008664483383762087, 0.0004543120607075674, 0.00013615715838834628],
        *[-3.360737207296831e-05, -7.061729208794119e-05, -1.0, -0.5, 0.0, 0.5, 1.0, 0.300911694359726],
        *[-0.022422513355057475, -0.013991634353968796, -0.006623394686651218, -0.0016822446584845335, 32.3758651],
    ],
}

# sympy.physics.mechanics.__all__ of SymPy 1.14.
NAMES = """
vector CoordinateSym ReferenceFrame Dyadic Vector Point cross dot express time_derivative outer kinematic_equations
get_motion_params partial_velocity dynamicsymbols vprint vsstrrepr vsprint vpprint vlatex init_vprinting curl divergence
gradient is_conservative is_solenoidal scalar_potential scalar_potential_difference KanesMethod RigidBody
linear_momentum angular_momentum kinetic_energy potential_energy Lagrangian mechanics_printing mprint msprint mpprint
mlatex msubs find_dynamicsymbols inertia inertia_of_point_mass Inertia Force Torque Particle LagrangesMethod Linearizer
Body SymbolicSystem System PinJoint PrismaticJoint CylindricalJoint PlanarJoint SphericalJoint WeldJoint JointsMethod
WrappingCylinder WrappingGeometryBase WrappingSphere PathwayBase LinearPathway ObstacleSetPathway WrappingPathway
ActuatorBase ForceActuator LinearDamper LinearSpring TorqueActuator DuffingSpring CoulombKineticFriction
""".split()


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_program_runs_with_the_import_changed(name):
    program = (PROGRAMS / f"{name}.py").read_text()
    assert program.count(IMPORTS) == 1
    names: dict[str, object] = {}
    with symbolic.Mechanics():
        exec(program.replace(IMPORTS, "from sestina.symbolic import *\n"), names)
    assert [float(value) for value in names["result"]] == pytest.approx(EXPECTED[name], rel=1e-14, abs=1e-14)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_program_is_one_of_sympy(name):
    if importlib.util.find_spec("sympy") is None:
        pytest.skip("sympy is not installed")
    names: dict[str, object] = {}
    exec((PROGRAMS / f"{name}.py").read_text(), names)
    assert [float(value) for value in names["result"]] == pytest.approx(EXPECTED[name], rel=1e-14, abs=1e-14)


def test_the_page_names_every_name_that_is_missing():
    page = (ROOT / "docs/symbolic.md").read_text()
    section = page.split("\n## Programs written for SymPy\n")[1].split("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", section))
    names: dict[str, object] = {}
    exec("from sestina.symbolic import *", names)
    missing = {name for name in NAMES if name not in names}
    assert missing <= named, sorted(missing - named)
    # No name in the table of missing names exists.
    table = "".join(line for line in section.splitlines() if line.startswith("| "))
    there = {name for name in re.findall(r"`(\w+)`", table) if name in names}
    assert not there, sorted(there)
    for kind, attribute in re.findall(r"`([A-Z]\w+)\.(\w+)`", section):
        assert not hasattr(getattr(symbolic, kind), attribute), f"{kind}.{attribute} is there"
