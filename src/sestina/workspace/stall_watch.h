// Detects a run whose steps have become so short that it will hardly end, and why: a force that jumps there
// (dry friction that changes its sign at rest, a switch without hysteresis), or a beam without damping, whose
// vibrations error control follows, however little they matter. The run continues, since an event may end it;
// the detection does not influence it.
#pragma once

#include <string>
#include <vector>

#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/integrate/equations_of_motion.h"

namespace sestina {

class StallWatch {
 public:
  // `duration` (s) is that of the run.
  StallWatch(const Model& model, double duration);

  // Call after each accepted step. Returns true once, when hint() is available. No allocation before.
  bool look(const State<double>& state, const Properties<double>& properties);
  const std::string& hint() const { return hint_; }

 private:
  // A stall: kSteps steps within kLeast of the duration, which is more than 1e9 for the whole run.
  static constexpr long kSteps = 100000;
  static constexpr double kLeast = 1e-4;
  static constexpr long kStepsOfBeams = 1000;  // with beams without damping: more than 2e4 for the whole run
  static constexpr double kLeastOfBeams = 0.05;
  static constexpr int kLookedAt = 200;  // steps of a stall, for forces that jump
  static constexpr double kJump = 0.1;   // of the larger value, from one step to the next

  void calc_forces(const State<double>& state, const Properties<double>& properties,
                   std::vector<double>& values);
  void look_for_jumps();
  std::string describe(double t) const;
  bool has_undamped_beam(const Properties<double>& properties) const;

  const Model& model_;
  double duration_;
  long steps_ = 0, interval_ = kSteps;
  double t_start_ = 0.0, advance_ = 0.0;  // s; advance over the last kSteps
  int looked_at_ = -1;                    // -1: no stall
  std::vector<double> inputs_, scratch_, before_, now_;
  int jumping_ = -1;  // the force expression with the largest jump, from one value to the other
  double from_ = 0.0, to_ = 0.0;
  std::string hint_;
};

}  // namespace sestina
