// Cross-sections of beams: stiffness and inertia per length of the axis.
//
// The section's axes: x along the unstressed axis, y and z principal axes of its area, origin at its centroid
// (which is its shear centre too). Strain is [twist, bending about y, bending about z; stretch, shear along
// y, shear along z].
#pragma once

#include <string>

#include "sestina/flexible/twist_map.h"

namespace sestina {

struct BeamSection {
  Mat6<double> stiffness;   // [N m^2, N m; N m, N]: [m; n] by [kappa; gamma]
  double mass = 0.0;        // kg/m
  SymMat3<double> inertia;  // kg m, rotary, about the centroid: xx of the polar moment
};

struct BeamMaterial {
  double E = 0.0;        // Pa, Young's modulus
  double nu = 0.0;       // Poisson's ratio: G = E/(2 (1 + nu))
  double density = 0.0;  // kg/m^3
};

// The area's numbers. `ky`, `kz` are the shear factors along y and z; J is the torsion constant.
struct SectionArea {
  double A = 0.0;                      // m^2
  double Iy = 0.0, Iz = 0.0, J = 0.0;  // m^4: Iy resists bending about y, which deflects along z
  double ky = 1.0, kz = 1.0;
};

// The torsion constant of a rectangle by Saint-Venant's series, to round-off.
double rectangle_torsion_constant(double width, double height);

// Width along y, height along z (m). Shear factors of Cowper, 10 (1 + nu)/(12 + 11 nu).
SectionArea rectangle_area(double width, double height, double nu);
// Radius (m); 6 (1 + nu)/(7 + 6 nu).
SectionArea circle_area(double radius, double nu);
// Inner and outer radius (m); Cowper's factor of a hollow circle.
SectionArea tube_area(double inner, double outer, double nu);

BeamSection make_section(const SectionArea& area, const BeamMaterial& material);
// Stiffnesses on the diagonal: EA, GAy, GAz (N), GJ, EIy, EIz (N m^2).
BeamSection diagonal_section(double EA, double GAy, double GAz, double GJ, double EIy, double EIz);

// The compliance C: the inverse of the stiffness. An infinite diagonal element without coupling means rigid
// (zero compliance). Throws InputError if the stiffness is not symmetric or not positive.
Mat6<double> section_compliance(const BeamSection& section);

}  // namespace sestina
