// The inner loops of the fast multipole method, compiled once for each instruction set; eight particles or
// eight boxes at a time. See fast_multipole.h for what they compute and the letters.
//
// An expansion of order p is (p+1)^2 numbers: degree n from n^2 on, first the real parts of m = 0..n, then
// the imaginary parts of m = 1..n. "In lanes" means eight expansions, number i of lane l at [8 i + l].
#pragma once

#include <cstdint>

#include "sestina/parallel/instruction_set.h"

namespace sestina {

// The rotation of a direction onto the z-axis, and back.
struct TurnTables {
  const double* cosines;  // (p+1) of m phi
  const double* sines;    // (p+1)
  const double* to_axis;  // for each n: (n+1 x n+1) for real parts, (n x n) for imaginary parts, by rows
  const double* from_axis;
};

struct TranslationTask {
  int order = 0;
  TurnTables turn;
  const double* shift;      // for each m = 0..p: (p+1-m x p+1-m), by rows
  const double* scale_in;   // (p+1) by degree
  const double* scale_out;  // (p+1) by degree
  const double* from[8];    // expansions; any one for unused lanes
  double* to[8];            // added to; null: unused lane
  double* scratch;          // (2 x 8 (p+1)^2)
};

struct PointTask {
  int order = 0;
  const double *x, *y, *z;         // of particles
  int begin = 0, end = 0;          // read in eights from begin on
  double center[3] = {};           // of the box
  double inverse_side = 0.0;       // of the box
  const double* charge = nullptr;  // of sources
  double* expansion = nullptr;     // added to: of sources
  const double* fields = nullptr;  // (4 x (p+1)^2): what a target sums for potential and gradient
  double* potential = nullptr;     // of targets, added to
  double *gx = nullptr, *gy = nullptr, *gz = nullptr;
  double* scratch = nullptr;  // (8 (p+1)^2)
};

struct MultipoleKernels {
  void (*translate)(const TranslationTask& task);
  void (*add_regular)(const PointTask& task);         // q Upsilon of sources in the box
  void (*add_irregular)(const PointTask& task);       // q Theta of sources far from the box
  void (*evaluate_regular)(const PointTask& task);    // at targets in the box
  void (*evaluate_irregular)(const PointTask& task);  // at targets far from the box; fields of order p + 1
};

const MultipoleKernels& multipole_kernels(InstructionSet set);

}  // namespace sestina
