#include "sestina/workspace/stuck_coordinates.h"

#include <fmt/format.h>

#include <cmath>

#include "sestina/base/error.h"

namespace sestina {

StuckCoordinates::StuckCoordinates(const Model& model) : model_(model) {
  const std::vector<std::string>& units = model.q_units();
  for (const BodyInfo& body : model.bodies()) {
    if (body.nq != body.nu) continue;  // Euler parameters stay below 1
    for (int i = 0; i < body.nq; ++i) {
      const bool is_angle = units[static_cast<std::size_t>(body.q_start + i)] == "rad";
      coordinates_.push_back({body.q_start + i, body.u_start + i, is_angle ? kLargeAngle : kLarge});
    }
  }
}

void StuckCoordinates::check(const State<double>& state) {
  const double h = state.t - t_before_;
  for (Coordinate& c : coordinates_) {
    const double q = state.q[static_cast<std::size_t>(c.q)];
    if (has_before_ && std::abs(q) > c.large && q == c.before) {
      const double motion = h * state.u[static_cast<std::size_t>(c.u)];
      if (std::abs(motion) > kLost) {
        throw ComputationError(
            state.t, fmt::format("{} is {}, so large that a step, of {:.3g}, does not change it: its numbers "
                                 "are too large",
                                 model_.q_names()[static_cast<std::size_t>(c.q)], q, motion));
      }
    }
    c.before = q;
  }
  t_before_ = state.t;
  has_before_ = true;
}

}  // namespace sestina
