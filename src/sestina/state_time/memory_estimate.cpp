#include "sestina/state_time/memory_estimate.h"

#include <cmath>

#include "sestina/base/error.h"
#include "sestina/state_time/closing_conditions.h"

namespace sestina {
namespace {

// Capacity of the vector of entries after one element of the initial state has filled it.
std::size_t room_of_tangent(const Model& model, const Properties<double>& properties,
                            ElementEquations& equations) {
  const ElementLayout& layout = equations.layout();
  const State<double> state = calc_initial_state(model);
  Kinematics<double> kinematics(model);
  update_kinematics<double>(model, properties, state, kinematics);
  // Multipliers other than zero give more entries.
  std::vector<double> start(static_cast<std::size_t>(layout.start_size()));
  std::vector<double> y(static_cast<std::size_t>(layout.size()), 1.0), residual(y.size()), q;
  put_instants(kinematics, properties, start, 0, ElementLayout::kEndNumbers, true);
  put_instants(kinematics, properties, y, layout.end(0), ElementLayout::kEndNumbers, true);
  for (int g = 0; g < layout.degree; ++g) {
    put_instants(kinematics, properties, y, layout.point(g, 0), ElementLayout::kPointNumbers, false);
    q.insert(q.end(), state.q.begin(), state.q.end());
  }
  std::vector<TangentEntry> tangent;
  constexpr double kShort = 1e-9;  // s; joints stay closed
  try {
    equations.calc_residual(0.0, kShort, start, y, q, residual, &tangent);
  } catch (const ComputationError&) {
    // A force that is not finite at the start fails the run at once; the incomplete count suffices.
  }
  return tangent.capacity();
}

}  // namespace

StateTimeMemory estimate_memory(const Model& model, const Properties<double>& properties,
                                const StateTimeOptions& options) {
  ClosingConditions closing(model, properties);
  closing.choose_all();
  ElementEquations equations(model, properties, make_element_pair(first_pair(options.pair), options.tests),
                             closing.chosen());
  const ElementLayout& layout = equations.layout();
  const auto size = static_cast<std::size_t>(layout.size());
  const double motion =
      static_cast<double>(sizeof(double)) * (layout.size() + (layout.degree + 1) * model.nq());
  StateTimeMemory memory;
  memory.of_run = motion + sizeof(TimeElement) + 2 * sizeof(std::size_t);
  const auto plan = TreeFactor::make_plan(layout, equations.pair(), equations.carrying_joints(),
                                          TangentPart::kWhole, equations.closures());
  double factors = TreeFactor::bytes(*plan);
  if (options.scheme == StateTimeScheme::kLinearQuadratic) {
    factors += TreeFactor::bytes(
        *TreeFactor::make_plan(layout, equations.pair(), equations.carrying_joints(), TangentPart::kLinear));
  }
  // The factors take up to as many entries again.
  const double entries =
      2.0 * static_cast<double>(sizeof(TangentEntry) * room_of_tangent(model, properties, equations));
  memory.of_window = factors + entries + 2.0 * static_cast<double>(size * sizeof(double));
  return memory;
}

int windows_within(const StateTimeMemory& memory, int elements, double bytes) {
  const double left = bytes - elements * memory.of_run;
  const double in_window = std::floor(left / memory.of_window);
  if (!(in_window >= 1.0)) return 0;
  return static_cast<int>(std::ceil(elements / in_window));
}

}  // namespace sestina
