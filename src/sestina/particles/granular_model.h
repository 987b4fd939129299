// Grains: spheres with rotation that touch each other and walls, with friction (Cundall and Strack,
// Geotechnique 29, 1979).
//
// Spheres i and j with the overlap d = R_i + R_j - r > 0, the normal n from j to i, the relative velocity at
// the point of contact v = v_i - v_j - (R_i w_i + R_j w_j) x n with its parts v_n n and v_t, m = m_i m_j/(m_i
// + m_j), R = R_i R_j/(R_i + R_j). The force on i is
//   F_n = s k d - c_n v_n,     s = 1 (hooke) or sqrt(R d) (hertz)
//   F_t = -(s k_t u + c_t v_t),     u' = v_t, perpendicular to n,     |F_t| <= friction |F_n|
// where u, the history of the contact, is shortened while the contact slips, so that |F_t| is the limit. With
// `damping` g: c_n = s m g; these are pair_style gran/hooke/history and gran/hertz/history of LAMMPS. With
// `restitution` e: c_n = a b sqrt(m s k), b = -ln e/sqrt(ln(e)^2 + pi^2), a = 2 (hooke) or sqrt(5) (hertz): e
// is then the ratio of the normal velocities, whatever they are (Tsuji, Tanaka, Ishida, Powder Technology 71,
// 1992; Antypov and Elliott, EPL 94, 50004, 2011). Rolling is resisted by the couple R n x F_r on i, and its
// opposite on j:
//   F_r = -(s k_t x + c_t v_r),   x' = v_r = R (w_i - w_j) x n,   |F_r| <= rolling_friction |F_n|
// (Luding, Granular Matter 10, 2008). A wall is a sphere without curvature; it is fixed, or a body carries
// it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sestina/particles/box.h"

namespace sestina {

class FaultList;
struct ParticleModel;

struct GrainContact {
  int first = 0, second = 0;          // species
  bool is_hertz = false;              // otherwise hooke
  double stiffness = 0.0;             // k: N/m, or N/m^2 (hertz)
  double tangential_stiffness = 0.0;  // k_t, likewise
  double damping = 0.0;               // 1/s, or 1/(m s) (hertz); not used where restitution < 1
  double tangential_damping = 0.0;    // likewise
  double restitution = 1.0;           // e, 0 < e <= 1
  double damping_ratio = 0.5;         // c_t/c_n where restitution < 1
  double friction = 0.0;              // Coulomb's coefficient
  double rolling_friction = 0.0;

  // Sets the stiffnesses of a contact between two equal spheres: k = 4/3 E*, 1/E* = 2 (1 - nu^2)/E; k_t = 8
  // G*, 1/G* = 2 (2 - nu)/G (hertz).
  void set_material(double young, double poisson);  // Pa
};

using Triangle = std::array<Vector3d, 3>;  // corners, m

// Walls touch on both sides, except planes, which are solid behind.
struct GrainWall {
  // kCone: a cylinder, a cone, or a ring if its length is zero
  enum class Shape { kPlane, kCone, kMesh };
  Shape shape = Shape::kPlane;
  Vector3d at{};              // m, a point of the plane, or of the axis where the cone begins
  Vector3d axis{0, 0, 1};     // of the cone, or the normal of the plane, out of the solid; of any length
  double begin_radius = 0.0;  // m, of the cone
  double end_radius = 0.0;    // m
  double length = 0.0;        // m, along the axis
  int species = -1;           // of its material; -1: that of the touching particle
  int carrier = -1;           // the body (ParticleModel::carriers) in whose axes it is given; -1: fixed
  std::vector<Triangle> triangles = {};  // of a mesh, which is fixed
};

// Adds faults of grains to the list.
void check_grains(const ParticleModel& model, FaultList& faults);

}  // namespace sestina
