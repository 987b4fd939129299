#include "sestina/workspace/constraint_jumps.h"

#include <fmt/format.h>

#include <cmath>

#include "sestina/base/error.h"
#include "sestina/dynamics/constraint_rows.h"
#include "sestina/workspace/system_equations.h"

namespace sestina {
namespace {

constexpr double kJump =
    1e-9;  // of the mechanism's size, or of the speed: far above the motion between the sides

class JumpCheck {
 public:
  JumpCheck(const Workspace& workspace, const State<double>& state)
      : model_(workspace.model()),
        properties_(workspace.properties()),
        state_(state),
        kinematics_(model_),
        before_(model_),
        after_(model_) {
    update_kinematics(model_, properties_, state_, kinematics_);
  }

  void check(double t, double near, bool with_speeds) {
    fill(t - near, before_);
    fill(t + near, after_);
    for (const ConstraintInfo& info : model_.constraints()) {
      for (int i = 0; i < info.rows; ++i) {
        const auto r = static_cast<std::size_t>(info.first_row + i);
        const ConstraintRow<double>&a = before_.rows[r], &b = after_.rows[r];
        const double size = properties_.constraints.length;
        if (a.is_on_position && std::abs(b.error - a.error) > kJump * size) {
          fail(info, fmt::format("{} jumps by {:.6g} {} at t = {:.6g} s, which no motion follows", info.name,
                                 std::abs(b.error - a.error), info.unit_of_error(i), t));
        }
        if (with_speeds && std::abs(b.velocity - a.velocity) > kJump * (size + std::abs(b.velocity))) {
          fail(info,
               fmt::format("the speed of {} jumps by {:.6g} {}/s at t = {:.6g} s: allowed with the variable "
                           "step driver, whose steps end there",
                           info.name, std::abs(b.velocity - a.velocity), info.unit_of_error(i), t));
        }
      }
    }
  }

 private:
  void fill(double t, ConstraintRows<double>& rows) {
    state_.t = t;
    update_constraint_rows(model_, properties_, state_, kinematics_, rows);
  }
  [[noreturn]] static void fail(const ConstraintInfo& info, const std::string& what) {
    throw InputError({Fault{{info.mark, fmt::format("constraints[{}]", info.position)}, what}});
  }

  const Model& model_;
  const Properties<double>& properties_;
  State<double> state_;
  Kinematics<double> kinematics_;
  ConstraintRows<double> before_, after_;
};

}  // namespace

void check_constraint_jumps(const Workspace& workspace, const State<double>& state, bool steps_end_there) {
  if (workspace.model().constraint_expressions().empty()) return;
  const std::unique_ptr<TimeSwitches> switches =
      make_time_switches(workspace.model(), workspace.properties());
  if (switches == nullptr) return;
  const double end = workspace.analysis().duration;
  switches->start(state.t, end, state.d);
  JumpCheck jumps(workspace, state);
  for (TimeSwitch next = switches->find_next(state.t, end); next.t < end;
       next = switches->find_next(next.t, end)) {
    if (next.is_jump) jumps.check(next.t, shortest_time(next.t, end - state.t), !steps_end_there);
  }
}

}  // namespace sestina
