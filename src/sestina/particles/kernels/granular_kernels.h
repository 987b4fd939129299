// The forces between grains, eight contacts at a time, one in each lane (granular_model.h has the laws).
// Compiled once for each instruction set.
//
// The data of a sphere are one record, which is loaded whole; eight records become numbers in lanes by a
// transposition. The results of a contact are a record too; the second kernel sums these for each sphere in
// the order of its list, so that no two threads write to the same place.
#pragma once

#include <cstdint>

#include "sestina/parallel/instruction_set.h"

namespace sestina {

// x y z radius | vx vy vz 1/mass | wx wy wz 1/radius | not used
inline constexpr int kGrainRecord = 16;
// Force (on the first sphere), unused; R n x F_t over R, unused
inline constexpr int kContactRecord = 8;
inline constexpr int kHistory = 6;  // u and x of a contact, each number in an array of its own

// c_n = s m viscous, or sqrt(m s k) restitution, with s of hertz or hooke.
struct GrainLaw {
  double hertz = 0.0;  // 1: s = sqrt(R d), 0: s = 1
  double stiffness = 0.0, tangential_stiffness = 0.0;
  double viscous = 0.0, tangential_viscous = 0.0;
  double restitution = 0.0, tangential_restitution = 0.0;
  double friction = 0.0, rolling_friction = 0.0;
};

struct GrainContactTask {
  int begin = 0, end = 0;      // contacts, in whole blocks of eight
  double h = 0.0;              // s, by which the history grows
  const double* grains;        // records
  const std::int32_t* first;   // sphere
  const std::int32_t* second;  // likewise
  const std::uint8_t* law;     // of laws
  const GrainLaw* laws;
  double period[3];           // m; 0: the box is open
  double* history[kHistory];  // m; the last three only with rolling
  double* records;            // set
  double* rolling;            // (contacts x 4) N m, the couple of rolling on the first sphere, set
  bool is_plain = false;      // all laws are hooke without restitution
  bool has_rolling = false;
};

// Sums the contacts of each of the spheres begin..end: entries[begins[i] .. begins[i + 1]), each twice the
// number of a contact, and one more where the sphere is the second.
struct GrainSumTask {
  int begin = 0, end = 0;
  const std::int32_t* begins;
  const std::int32_t* entries;
  const double* grains;
  const double* records;
  const double* rolling;  // null: none
  double* sums;           // (spheres x 8): force, a free place, torque, a free place; set
};

struct GranularKernels {
  void (*contacts)(const GrainContactTask& task);
  // Returns the sum of the mean of the old and the new sums times the velocities (W).
  double (*sums)(const GrainSumTask& task);
};

const GranularKernels& granular_kernels(InstructionSet set);

}  // namespace sestina
