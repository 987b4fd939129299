// Sestina, by the objects that its solvers are made of.
#include <algorithm>
#include <memory>
#include <optional>

#include "engine.h"
#include "sestina/base/version.h"
#include "sestina/batch/batch_dynamics.h"
#include "sestina/dynamics/compiled_dynamics.h"
#include "sestina/dynamics/forward_dynamics_derivatives.h"
#include "sestina/dynamics/inverse_dynamics.h"
#include "sestina/dynamics/mass_matrix.h"
#include "sestina/dynamics/recursive_solver.h"
#include "sestina_model.h"

namespace peers {
namespace {

using namespace sestina;

// All states side by side in one array each, and dynamics on the lanes of one instruction set.
class ManyStates {
 public:
  ManyStates(const std::shared_ptr<const Model>& model, InstructionSet set)
      : dynamics_(model, calc_properties(*model), nullptr, set),
        nq_(static_cast<std::size_t>(model->nq())),
        nu_(static_cast<std::size_t>(model->nu())) {}

  void add(const State<double>& state, const std::vector<double>& tau, const std::vector<double>& udot) {
    q_.insert(q_.end(), state.q.begin(), state.q.end());
    u_.insert(u_.end(), state.u.begin(), state.u.end());
    tau_.insert(tau_.end(), tau.begin(), tau.end());
    udot_.insert(udot_.end(), udot.begin(), udot.end());
    result_.resize(udot_.size());
    ++count_;
  }
  std::string method() const { return "lanes, " + std::string(to_string(dynamics_.instruction_set())); }

  // `count` states from state `first` on, the first state following the last.
  void calc(Kernel kernel, int first, int count) {
    while (count > 0) {
      const int now = std::min(count, count_ - first);
      const auto part = [&](std::vector<double>& x, std::size_t width) {
        return std::span(x).subspan(static_cast<std::size_t>(first) * width,
                                    static_cast<std::size_t>(now) * width);
      };
      StateArrays states{.count = now, .q = part(q_, nq_), .u = part(u_, nu_)};
      if (kernel == Kernel::kManyForward) {
        states.tau = part(tau_, nu_);
        dynamics_.calc_udot(states, part(result_, nu_));
      } else {
        dynamics_.calc_tau(states, part(udot_, nu_), part(result_, nu_));
      }
      count -= now;
      first = 0;
    }
  }
  std::vector<double> result(int k) const {
    const auto from = result_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(k) * nu_);
    return {from, from + static_cast<std::ptrdiff_t>(nu_)};
  }

 private:
  BatchDynamics dynamics_;
  std::size_t nq_, nu_;
  int count_ = 0;
  std::vector<double> q_, u_, tau_, udot_, result_;
};

// Mechanisms with more speeds are not compiled.
constexpr int kLargestCompiled = 100;

// Forward or inverse dynamics as a function of the model alone.
class CompiledKernel {
 public:
  CompiledKernel(CompiledDynamics dynamics, int nu)
      : dynamics_(std::move(dynamics)),
        nu_(static_cast<std::size_t>(nu)),
        num_inputs_(dynamics_.function().variable_count()),
        num_outputs_(dynamics_.function().output_count()),
        outputs_(num_outputs_) {}

  // `driven`: tau or udot.
  void add(const State<double>& state, const std::vector<double>& driven) {
    for (const std::vector<double>* part : {&state.q, &state.u, &driven}) {
      inputs_.insert(inputs_.end(), part->begin(), part->end());
    }
    ++count_;
  }
  // All states, side by side.
  void finish() {
    side_by_side_.resize(inputs_.size());
    for (std::size_t k = 0; k < count_; ++k) {
      for (std::size_t i = 0; i < num_inputs_; ++i) {
        side_by_side_[i * count_ + k] = inputs_[k * num_inputs_ + i];
      }
    }
    all_outputs_.resize(count_ * num_outputs_);
  }

  void calc(int k) {
    dynamics_.evaluate(std::span(inputs_).subspan(static_cast<std::size_t>(k) * num_inputs_, num_inputs_),
                       outputs_);
  }
  // At least `count` states, all of them at a time.
  void calc_many(int count) {
    for (std::size_t done = 0; done < static_cast<std::size_t>(count); done += count_) {
      dynamics_.evaluate_many(count_, side_by_side_, all_outputs_);
    }
  }
  std::vector<double> result() const {
    return {outputs_.begin(), outputs_.begin() + static_cast<std::ptrdiff_t>(nu_)};
  }
  std::vector<double> result_of_many(int k) const {
    std::vector<double> result;
    for (std::size_t i = 0; i < nu_; ++i) {
      result.push_back(all_outputs_[i * count_ + static_cast<std::size_t>(k)]);
    }
    return result;
  }

 private:
  CompiledDynamics dynamics_;
  std::size_t nu_, num_inputs_, num_outputs_, count_ = 0;
  std::vector<double> inputs_, outputs_, side_by_side_, all_outputs_;
};

class SestinaEngine final : public Engine {
 public:
  SestinaEngine(const Mechanism& mechanism, const peers::States& states)
      : mechanism_(mechanism),
        model_(make_model(mechanism)),
        order_(mechanism, *model_),
        properties_(calc_properties(*model_)),
        kinematics_(*model_),
        forces_(*model_),
        no_forces_(*model_),
        inverse_(*model_),
        recursive_(*model_),
        mass_matrix_(*model_),
        udot_(static_cast<std::size_t>(mechanism.nu)) {
    if (mechanism.nu <= kLargestMatrix) derivatives_.emplace(*model_, properties_);
    for (const DrivenState& state : states) {
      states_.push_back({{0.0, order_.reorder_q(state.q), order_.reorder_u(state.u)},
                         order_.reorder_u(state.tau),
                         order_.reorder_u(state.udot)});
    }
    if (mechanism.nu <= kLargestCompiled) {
      compiled_.emplace_back(compile_forward_dynamics(*model_, properties_), mechanism.nu);
      compiled_.emplace_back(compile_inverse_dynamics(*model_, properties_), mechanism.nu);
      for (const OurState& s : states_) {
        compiled_.front().add(s.state, s.tau);
        compiled_.back().add(s.state, s.udot);
      }
      for (CompiledKernel& kernel : compiled_) kernel.finish();
    }
    for (const InstructionSet set : available_instruction_sets()) {
      many_.push_back(std::make_unique<ManyStates>(model_, set));
      for (const OurState& s : states_) many_.back()->add(s.state, s.tau, s.udot);
    }
  }

  std::vector<Routine> routines() override {
    std::vector<Routine> list;
    add(
        list, Kernel::kForwardDynamics, "recursive", [this](const OurState& s) { calc_udot(s); },
        [this](int) { return order_.restore_u(udot_); });
    add(
        list, Kernel::kInverseDynamics, "inverse_dynamics",
        [this](const OurState& s) {
          update_kinematics(*model_, properties_, s.state, kinematics_);
          update_inverse_dynamics<double>(*model_, properties_, kinematics_, no_forces_, s.udot, inverse_);
        },
        [this](int) { return order_.restore_u(inverse_.residual); });
    add(
        list, Kernel::kKinematics, "update_kinematics",
        [this](const OurState& s) { update_kinematics(*model_, properties_, s.state, kinematics_); },
        [this](int) { return kinematics(); });
    for (const auto& many : many_) {
      for (const Kernel kernel : {Kernel::kManyForward, Kernel::kManyInverse}) {
        list.push_back({kernel, "Sestina", many->method(),
                        [&many, kernel](int first, int count) { many->calc(kernel, first, count); },
                        [this, &many, kernel](int k) {
                          many->calc(kernel, k, 1);
                          return order_.restore_u(many->result(k));
                        }});
      }
    }
    if (!compiled_.empty()) {
      add_compiled(list, Kernel::kForwardDynamics, Kernel::kManyForward, compiled_.front());
      add_compiled(list, Kernel::kInverseDynamics, Kernel::kManyInverse, compiled_.back());
    }
    if (mechanism_.nu > kLargestMatrix) return list;
    add(
        list, Kernel::kMassMatrix, "mass_matrix",
        [this](const OurState& s) {
          update_kinematics(*model_, properties_, s.state, kinematics_);
          mass_matrix_.update(properties_, kinematics_);
        },
        [this](int) { return mass_matrix(); });
    add(
        list, Kernel::kDerivatives, "forward_dynamics_derivatives",
        [this](const OurState& s) {
          calc_udot(s);
          derivatives_->update(s.state, kinematics_, forces_, udot_);
        },
        [this](int) { return derivatives(); });
    return list;
  }

  std::vector<double> slow_result(Kernel kernel, int k) override {
    if (kernel != Kernel::kDerivatives) return {};
    std::vector<double> all;
    const auto append = [&](const std::vector<double>& block) {
      all.insert(all.end(), block.begin(), block.end());
    };
    const OurState& s = states_[static_cast<std::size_t>(k)];
    if (mechanism_.is_revolute()) {
      append(difference_quotients(
          s, [](OurState & x) -> auto& { return x.state.q; }, 1e-6));
      append(difference_quotients(
          s, [](OurState & x) -> auto& { return x.state.u; }, 1e-6));
    }
    append(difference_quotients(
        s, [](OurState & x) -> auto& { return x.tau; }, 1.0));
    return all;
  }

 private:
  struct OurState {
    State<double> state;
    std::vector<double> tau, udot;
  };

  template <class F, class R>
  void add(std::vector<Routine>& list, Kernel kernel, const char* method, F evaluate, R result) {
    list.push_back(make_routine(
        kernel, "Sestina", method, static_cast<int>(states_.size()),
        [this, evaluate](int k) { evaluate(states_[static_cast<std::size_t>(k)]); }, result));
  }

  void add_compiled(std::vector<Routine>& list, Kernel one, Kernel many, CompiledKernel& compiled) {
    list.push_back(make_routine(
        one, "Sestina", "compiled", static_cast<int>(states_.size()),
        [&compiled](int k) { compiled.calc(k); },
        [this, &compiled](int) { return order_.restore_u(compiled.result()); }));
    list.push_back({many, "Sestina", "compiled", [&compiled](int, int count) { compiled.calc_many(count); },
                    [this, &compiled](int k) {
                      compiled.calc_many(1);
                      return order_.restore_u(compiled.result_of_many(k));
                    }});
  }

  void calc_udot(const OurState& s) {
    update_kinematics(*model_, properties_, s.state, kinematics_);
    std::copy(s.tau.begin(), s.tau.end(), forces_.tau.begin());
    recursive_.solve(properties_, kinematics_, forces_, udot_);
  }

  // Central differences of udot by the numbers that `select` gives, of step h; rows as the routines give
  // them.
  template <class Select>
  std::vector<double> difference_quotients(const OurState& s, Select select, double h) {
    const auto n = static_cast<std::size_t>(mechanism_.nu);
    std::vector<double> result(n * n);
    OurState moved = s;
    for (std::size_t j = 0; j < n; ++j) {
      double& x = select(moved)[static_cast<std::size_t>(order_.ours_of_speed(static_cast<int>(j)))];
      const double at = x;
      x = at + h;
      calc_udot(moved);
      const std::vector<double> above = order_.restore_u(udot_);
      x = at - h;
      calc_udot(moved);
      const std::vector<double> below = order_.restore_u(udot_);
      x = at;
      for (std::size_t i = 0; i < n; ++i) result[i * n + j] = (above[i] - below[i]) / (2.0 * h);
    }
    return result;
  }

  std::vector<double> kinematics() const {
    std::vector<double> positions, angular_velocities;
    for (const BodyIndex body : order_.bodies()) {
      const auto& motion = kinematics_.motion[static_cast<std::size_t>(body.value())];
      for (int k = 0; k < 3; ++k) {
        positions.push_back(motion.X_WB.p[k]);
        angular_velocities.push_back(motion.V_WB.w[k]);
      }
    }
    positions.insert(positions.end(), angular_velocities.begin(), angular_velocities.end());
    return positions;
  }

  std::vector<double> mass_matrix() const {
    const auto n = static_cast<std::size_t>(mechanism_.nu);
    std::vector<double> result(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const int a = order_.ours_of_speed(static_cast<int>(i)),
                  b = order_.ours_of_speed(static_cast<int>(j));
        result[i * n + j] = mass_matrix_.matrix()(std::max(a, b), std::min(a, b));
      }
    }
    return result;
  }

  std::vector<double> derivatives() const {
    const auto n = static_cast<std::size_t>(mechanism_.nu);
    std::vector<double> result;
    const auto append = [&](const MatrixBlock& block) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          result.push_back(
              block(order_.ours_of_speed(static_cast<int>(i)), order_.ours_of_speed(static_cast<int>(j))));
        }
      }
    };
    if (mechanism_.is_revolute()) append(derivatives_->by_q()), append(derivatives_->by_u());
    append(derivatives_->by_tau());
    return result;
  }

  const Mechanism& mechanism_;
  std::shared_ptr<const Model> model_;
  LinkOrder order_;
  Properties<double> properties_;
  Kinematics<double> kinematics_;
  AppliedForces<double> forces_, no_forces_;
  InverseDynamics<double> inverse_;
  RecursiveSolver<double> recursive_;
  MassMatrix<double> mass_matrix_;
  std::optional<ForwardDynamicsDerivatives> derivatives_;  // of mechanisms up to kLargestMatrix
  std::vector<double> udot_;
  std::vector<OurState> states_;
  std::vector<CompiledKernel> compiled_;           // forward and inverse dynamics, or none
  std::vector<std::unique_ptr<ManyStates>> many_;  // for each instruction set
};

}  // namespace

std::unique_ptr<Engine> make_sestina_engine(const Mechanism& mechanism, const States& states) {
  return std::make_unique<SestinaEngine>(mechanism, states);
}

std::string sestina_version() { return sestina::version(); }

}  // namespace peers
