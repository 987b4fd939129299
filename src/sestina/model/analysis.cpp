#include "sestina/model/analysis.h"

#include <fmt/format.h>

#include <cmath>

#include "sestina/numerics/time_switches.h"

namespace sestina {

std::string find_duration_fault(double duration) {
  if (!std::isfinite(duration)) return fmt::format("{} is not finite", duration);
  if (duration < 0.0) return fmt::format("{} is negative", duration);
  if (duration > 0.0 && duration < kShortestDuration) {
    return fmt::format("{} is too short a run: expected 0 or at least {} s", duration, kShortestDuration);
  }
  return {};
}

void set_duration(Analysis& analysis, double duration, bool depends_on_time) {
  analysis.duration = duration;
  if (!analysis.has_own_max_step) analysis.max_step = calc_longest_step(duration, depends_on_time);
  if (!analysis.has_own_rows) analysis.output_every = duration / 100.0;
}

const std::string& default_integrator(std::string_view coordinates) {
  static const std::string relative = "dormand_prince_54", cartesian = "dormand_prince_54";
  return coordinates == "cartesian" ? cartesian : relative;
}

const std::vector<std::string>& analysis_types() {
  static const std::vector<std::string> names{"dynamics", "kinematics", "statics", "modes",
                                              "frequency_response"};
  return names;
}

const std::vector<std::string>& mode_states() {
  static const std::vector<std::string> names{"equilibrium", "initial"};
  return names;
}

const std::vector<std::string>& coordinates_names() {
  static const std::vector<std::string> names{"relative", "cartesian", "state_time"};
  return names;
}

const std::vector<std::string>& solver_names() {
  static const std::vector<std::string> names{"recursive", "kane", "divide_and_conquer", "hybrid",
                                              "compiled"};
  return names;
}

const std::vector<std::string>& integrator_names() {
  static const std::vector<std::string> names{
      "forward_euler",           "rk4",           "rkf45",         "dormand_prince_54",
      "adams_bashforth_moulton", "munthe_kaas_4", "verlet",        "velocity_verlet",
      "lobatto_iiia_iiib",       "moreau",        "time_stepping", "radau_iia",
      "generalized_alpha",       "trapezoidal",   "cvode_bdf",     "cvode_adams",
  };
  return names;
}

const std::vector<std::string>& integrator_forms() {
  static const std::vector<std::string> names{"velocity", "momentum"};
  return names;
}

const std::vector<std::string>& driver_names() {
  static const std::vector<std::string> names{"variable", "fixed"};
  return names;
}

const std::vector<std::string>& control_names() {
  static const std::vector<std::string> names{"pi", "pid"};
  return names;
}

const std::vector<std::string>& element_pair_names() {
  static const std::vector<std::string> names{"LQ", "QC", "P3P4", "P4P5", "P5P6", "P6P7", "P7P8"};
  return names;
}

const std::vector<std::string>& pair_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = element_pair_names();
    all.emplace_back("auto");
    return all;
  }();
  return names;
}

const std::vector<std::string>& test_function_names() {
  static const std::vector<std::string> names{"natural", "upwind"};
  return names;
}

const std::vector<std::string>& scheme_names() {
  static const std::vector<std::string> names{"newton", "linear_quadratic"};
  return names;
}

}  // namespace sestina
