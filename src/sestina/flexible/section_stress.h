// Stresses in a cross-section of a beam, from the force and the moment that it transmits.
//
// Axes as in beam_section.h. With the force (N, Vy, Vz) and the moment (T, My, Mz) of the part with the
// larger arc length on the other, the normal stress is
//   sigma = N/A + My z/Iy - Mz y/Iz                                                                       (1)
// Its largest and smallest values are at corners of a rectangle, and where the rim of a circle or tube is
// farthest from the neutral axis. The equivalent stress of von Mises is sqrt(sigma^2 + 3 tau^2).
//
// Rectangle (b along y, h along z): tau of T at the middle of the long and of the short sides, c <= d the
// lengths of the sides,
//   tau_long = T c/J (1 - 8/pi^2 sum 1/(n^2 cosh(n pi d/(2 c)))),  n = 1, 3, 5 ...                        (2)
//   tau_short = T c/J 8/pi^2 sum (-1)^((n-1)/2) tanh(n pi d/(2 c))/n^2                                    (3)
// and that of a shear force V is 3 V/(2 A) in the middle of the section and of the two sides along V, zero
// on the other sides. At corners there is none. The equivalent stress is the largest of the corners, the
// middles of the sides and the middle of the section.
//
// Circle and tube (radii r < R): along the rim, at the angle phi from y to z, the stress of T is T R/J; that
// of a shear force is, with its value at the neutral axis by Zhuravskii's formula,
//   tau = k (Vz cos(phi) - Vy sin(phi))/A,   k = 4/3 (R^2 + R r + r^2)/(R^2 + r^2)                        (4)
// The equivalent stress is the largest one of the rim.
//
// These are the formulas for straight beams, also where the unstressed axis is curved. Holes, notches and
// clamps raise the stress locally; no factor for that is included.
// Sources: S. Timoshenko, Strength of Materials I, 3rd ed. (1955), ch. IV, V, XI; S. Timoshenko, J. N.
// Goodier, Theory of Elasticity, 2nd ed. (1951), section 94 for (2); (3) is from the same stress function.
#pragma once

#include "sestina/flexible/beam_section.h"
#include "sestina/spatial/vec3.h"

namespace sestina {

// The outline of a cross-section; none if only its stiffnesses are known.
struct SectionShape {
  enum class Kind { kNone, kRectangle, kRound };
  Kind kind = Kind::kNone;
  double width = 0.0, height = 0.0;  // b, h of a rectangle, m
  double inner = 0.0, outer = 0.0;   // r, R of a circle (r = 0) or tube, m
  SectionArea area;
  double torsion_y = 0.0, torsion_z = 0.0;  // tau/T at y = b/2 and at z = h/2, 1/m^3

  static SectionShape rectangle(double width, double height);
  static SectionShape round(double inner, double outer);
};

struct SectionStress {
  double max = 0.0, min = 0.0;  // Pa, normal stress, positive where it pulls
  double mises = 0.0;           // Pa
};

// Force (N, Vy, Vz) and moment (T, My, Mz) in the section's axes.
SectionStress calc_section_stress(const SectionShape& shape, const Vec3<double>& force,
                                  const Vec3<double>& moment);

}  // namespace sestina
