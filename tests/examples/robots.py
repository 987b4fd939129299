"""Checks of robots against published values and against kinematics computed from URDF."""

import math
import xml.etree.ElementTree as ElementTree

from closed_forms import apply, multiply, rotation, rpy
from mechanisms import balance

# Armstrong, Khatib and Burdick (1986), appendix: inertial constants in kg m^2, gravity constants in N m.
# Its I1 and I3 do not follow from its link data, so WAIST has them from these data by the paper's formulas:
# I1 = Izz1 + Ixx2 + m2 ((d2 + rz2)^2 + ry2^2) + m3 (d2 + d3 + rz3)^2 + Iyy3 + m456 ((d2 + d3)^2 + a3^2)
# + Izz4 + Iyy5 + Izz6 and I3 = Iyy2 - Ixx2 + m2 (rx2^2 - ry2^2) + m3456 a2^2.
I = {2: 1.75, 4: 0.690, 5: 0.372, 6: 0.333, 7: 0.298, 8: -0.134, 9: 2.38e-2, 10: -2.13e-2, 11: -1.42e-2,
     12: -1.10e-2, 13: -3.79e-3, 14: 1.64e-3, 15: 1.25e-3, 16: 1.24e-3, 17: 6.42e-4, 18: 4.31e-4, 19: 3.00e-4,
     20: -2.02e-4, 21: -1.00e-4, 22: -5.80e-5, 23: 4.00e-5}
WAIST = {
    1: (0.35 + 0.130 + 17.40 * ((0.2435 - 0.016)**2 + 0.006**2) + 4.80 * (0.2435 - 0.0934 + 0.014)**2 + 0.0125
        + 1.25 * ((0.2435 - 0.0934)**2 + 0.0203**2) + 1.3e-3 + 0.3e-3 + 0.04e-3),
    3: 0.524 - 0.130 + 17.40 * (0.068**2 - 0.006**2) + 6.05 * 0.4318**2,
}
MOTOR = [1.14, 4.71, 0.827, 0.200, 0.179, 0.193]
GRAVITY = [-37.2, -8.44, 1.02, 0.249, -2.82e-2]
JOINTS = ["waist", "shoulder", "elbow", "roll", "bend", "turn"]


def puma_elements(q):
    """The paper's kinetic energy matrix elements {(i, j): value} at the configuration, from its constants."""
    s2, c2, s3, c3 = math.sin(q[1]), math.cos(q[1]), math.sin(q[2]), math.cos(q[2])
    s23, c23 = math.sin(q[1] + q[2]), math.cos(q[1] + q[2])
    s4, c4, s5, c5 = math.sin(q[3]), math.cos(q[3]), math.sin(q[4]), math.cos(q[4])
    wrist = I[20] * (s4 * s5)**2 + I[21] * s4**2 + 2 * (I[15] * c5 + I[22] * c4 * s5)
    reach = I[5] * s3 + I[12] * c3 + I[16] * (s3 * c5 + c3 * c4 * s5)
    turn = (I[8] * c23 + I[13] * s23 - I[15] * c23 * s4 * s5 + I[18] * (s23 * c4 * s5 - c23 * c5)
            + I[19] * s23 * s4 * c4 + I[20] * s4 * (s23 * c4 * c5**2 + c23 * s5 * c5) + I[22] * s23 * s4 * s5)
    waist = (WAIST[1] + WAIST[3] * c2**2 + I[7] * s23**2 + I[10] * s23 * c23 + I[11] * s2 * c2
             + I[20] * (s5**2 * (s23**2 * (1 + c4**2) - 1) - 2 * s23 * c23 * c4 * s5 * c5) + I[21] * (s23 * c4)**2
             + 2 * (I[5] * c2 * s23 + I[12] * c2 * c23 + I[15] * (s23**2 * c5 + s23 * c23 * c4 * s5)
                    + I[16] * c2 * (s23 * c5 + c23 * c4 * s5) + I[18] * s4 * s5
                    + I[22] * (s23 * c23 * c5 + c23**2 * c4 * s5)))
    return {
        (0, 0): MOTOR[0] + waist,
        (0, 1): I[4] * s2 + I[9] * c2 + I[16] * s2 * s4 * s5 + turn,
        (0, 2): turn,
        (1, 1): MOTOR[1] + I[2] + I[6] + wrist + 2 * reach,
        (1, 2): I[6] + wrist + reach,
        (2, 2): MOTOR[2] + I[6] + wrist,
        (3, 3): MOTOR[3] + I[14] - I[20] * s5**2,
        (4, 4): MOTOR[4] + I[17],
        (5, 5): MOTOR[5] + I[23],
    }


def check_puma_560(sestina, expect_at_most):
    def energy(q, u, kind):
        changes = {f"joints__{joint}__{key}": value for key, values in (("q", q), ("u", u))
                   for joint, value in zip(JOINTS, values)}
        return sestina.run("03_puma_560.yaml", analysis__duration=0, **changes).final(f"energy.{kind}")

    def unit(*indices):
        return [float(i in indices) for i in range(6)]

    def element(q, i, j):
        both = energy(q, unit(i, j), "kinetic")
        if i == j:
            return 2 * both
        return both - energy(q, unit(i), "kinetic") - energy(q, unit(j), "kinetic")

    # Constants have three digits: the sums of the few large ones are good to some units of the third.
    limits = {(0, 0): 3e-3, (0, 1): 3e-3, (0, 2): 1e-3, (1, 1): 8e-3, (1, 2): 3e-3, (2, 2): 1e-3, (3, 3): 1e-5,
              (4, 4): 1e-6, (5, 5): 1e-6}
    for (i, j), limit in limits.items():
        worst = 0.0
        for q in ([0.0] * 6, [0.3, 0.7, -1.1, 0.9, 1.3, 0.4], [0.0, -1.2, 2.0, -0.5, 0.8, 0.0]):
            worst = max(worst, abs(element(q, i, j) - puma_elements(q)[(i, j)]))
        source = "link data and the paper's constants" if i + j == 0 else "the paper's constants"
        expect_at_most(limit, worst, f"kg m^2: a{i + 1}{j + 1} against {source}, 3 configurations")

    # The potential energy g1 S2 - g2 C23 - g3 C2 + g4 S23 + g5 (S23 C4 S5 - C23 C5), at quarter turns.
    h = math.pi / 2

    def potential(shoulder, elbow, bend=0.0):
        return energy([0, shoulder, elbow, 0, bend, 0], [0] * 6, "potential")

    bent = (potential(0, -h, h) - potential(0, -h, -h)) / 2  # S23 = -1: -g5
    found = [(potential(h, -h) - potential(-h, h)) / 2,
             (potential(h, h) - potential(h, -h)) / 2 + bent,  # 2 (g2 + g5)
             (potential(math.pi, -math.pi) - potential(0, 0)) / 2,
             (potential(0, h) - potential(0, -h)) / 2,
             -bent]
    last_digit = [0.1, 0.01, 0.01, 1e-3, 1e-4]
    for n, (value, paper, unit_of_digit) in enumerate(zip(found, GRAVITY, last_digit), 1):
        expect_at_most(unit_of_digit, abs(value - paper),
                       f"N m: g{n} = {value:.5g} against the paper's {paper}, to a unit of its last digit")
    expect_at_most(1e-6, balance(sestina.run("03_puma_560.yaml")), "of the kinetic energy: drift of the total energy")


def numbers(element, key, default):
    text = element.get(key) if element is not None else None
    return [float(x) for x in text.split()] if text else list(default)


def masses_of(urdf, q):
    """(mass, place) of each link's centre of mass, by walking the tree of the URDF file."""
    root = ElementTree.parse(urdf).getroot()
    joints = {joint.find("child").get("link"): joint for joint in root.iter("joint")}

    def pose(link):
        if link not in joints:
            return [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0.0, 0.0, 0.0]
        joint = joints[link]
        r, p = pose(joint.find("parent").get("link"))
        origin = joint.find("origin")
        p = [x + d for x, d in zip(p, apply(r, numbers(origin, "xyz", (0, 0, 0))))]
        r = multiply(r, rpy(*numbers(origin, "rpy", (0, 0, 0))))
        axis = numbers(joint.find("axis"), "xyz", (1, 0, 0))
        if joint.get("type") in ("revolute", "continuous"):
            r = multiply(r, rotation(axis, q[joint.get("name")]))
        elif joint.get("type") == "prismatic":
            p = [x + q[joint.get("name")] * d for x, d in zip(p, apply(r, axis))]
        return r, p

    for link in root.iter("link"):
        inertial = link.find("inertial")
        if inertial is None:
            continue
        r, p = pose(link.get("name"))
        offset = apply(r, numbers(inertial.find("origin"), "xyz", (0, 0, 0)))
        yield float(inertial.find("mass").get("value")), [x + d for x, d in zip(p, offset)]


def check_robot_arm(sestina, expect_at_most):
    joints = [f"axis_{i}" for i in range(1, 7)] + ["left_slide", "right_slide"]
    imported = sestina.run("10_robot_arm.urdf", analysis__duration=1)
    converted = sestina.run("10_robot_arm.yaml", parameters__grip=0, analysis__duration=1, output__every=0.01,
                            analysis__step="{rtol: 1e-8, atol: 1e-10}")
    same = ["t", *(f"{joint}.{kind}" for joint in joints for kind in "qu")]
    expect_at_most(0.0, float(imported.columns(*same) != converted.columns(*same)),
                   "1 if the converted file moves otherwise than the URDF file")
    difference = 0.0
    for potential, *values in imported.columns("energy.potential", *(f"{joint}.q" for joint in joints)):
        bodies = masses_of(sestina.examples / "10_robot_arm.urdf", dict(zip(joints, values)))
        terms = [9.81 * mass * place[2] for mass, place in bodies]
        difference = max(difference, abs(potential - sum(terms)) / sum(map(abs, terms)))  # the sum passes zero
    expect_at_most(1e-14, difference, "relative to its terms: potential energy against kinematics of the URDF file")
    expect_at_most(1e-9, balance(sestina.run("10_robot_arm.yaml")), "of the kinetic energy: total + dissipated")
