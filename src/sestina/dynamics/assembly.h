// Initial coordinates and speeds of a mechanism with loops and constraints, so that all of them hold.
//
// Coordinates q0 that the description gives are kept as far as the loops allow. Two stages find the
// q nearest to q0 with g(t, q) = 0:
//   1. joints without given coordinates move alone, nearest in the norm of the coordinates;
//   2. if that does not close the loops, all joints that are not held move, starting from the best result of
//      stage 1, with least displacement in the norm of the mass matrix or, if that is singular, of the
//      coordinates.
// Beams and reduced bodies that hang on a joint have no given coordinates: they move as wholes, and bend
// where that does not close the loops (elastic_norm.h). Each step of the iteration solves the problem
// linearised at q, where D is the displacement from q0 to q:
//   q -> q + d,   C d = -g,   |D + d| least                                                          (1)
// and is shortened if the error would grow. At a singular position, such as that of a stretched linkage, the
// search restarts from nearby positions. Speeds are found in the same way; for them (1) is linear.
#pragma once

#include <string>
#include <vector>

#include "sestina/model/model.h"

namespace sestina {

struct AssemblyReport {
  // A joint whose given coordinates or speeds had to change, and the largest of these changes; or a beam that
  // is deformed, and by how much a node is away from where the undeformed beam would have it.
  struct Moved {
    enum What { kPosition, kSpeed, kShape };
    std::string name;
    double by = 0.0;  // rad, m; or per second
    std::string unit;
    What what = kPosition;
  };
  std::vector<Moved> moved;
  double position_error = 0.0;  // m, the remaining error
};

// Returns the model's assembled initial state at t = 0, in relative coordinates even if the model's are
// cartesian. Throws InputError, which names the joint or constraint that stays open, and its error, or the
// joint that starts beyond an enforced limit. Without loops and constraints the result equals
// calc_initial_state().
State<double> calc_assembled_state(const Model& model, const Properties<double>& properties,
                                   AssemblyReport* report = nullptr);

// Returns the initial state before its loops are closed: flexible bodies are undeformed, where one of their
// joints is. Relative coordinates.
State<double> calc_placed_state(const Model& model, const Properties<double>& properties);

// Changes a state of the model so that its loops are closed. `is_q_given`, `is_u_given` (nu): joints that
// keep their coordinates and speeds if possible; empty: none.
void assemble(const Model& model, const Properties<double>& properties, const std::vector<bool>& is_q_given,
              const std::vector<bool>& is_u_given, State<double>& state, AssemblyReport* report = nullptr);

// Closes the loops of a state in which an event has set coordinates and speeds. What is set (`is_q_set`,
// `is_u_set`, by the speeds: nu) keeps its value; the others change by the least in the norm of the mass
// matrix. Returns what is left open, "pin cannot be kept closed: 0.1 m are left", or nothing.
std::string close_around(const Model& model, const Properties<double>& properties,
                         const std::vector<bool>& is_q_set, const std::vector<bool>& is_u_set,
                         State<double>& state);

// Refuses coordinates beyond enforced limits (InputError: the joint, the value and the limit); those that
// have a stiffness may be pressed in.
void check_stops(const Model& model, const Properties<double>& properties, const State<double>& state);

// "knee moved by 0.0123 rad"
std::string describe(const AssemblyReport::Moved& moved);

}  // namespace sestina
