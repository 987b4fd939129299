// Forward and inverse dynamics of many states in SIMD lanes: time for one state, on one thread.
//
//   bench_batch [ROUNDS]
//
// The mechanisms and states of the comparison with other engines (peers/mechanism.h), 64 states in one call.
// Instruction sets are timed in turn; the lowest and the middle of many short rounds are printed, in
// microseconds for one state, from q, u and tau (or udot) as they lie in the caller's arrays.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "mechanism.h"
#include "sestina/batch/batch_dynamics.h"
#include "sestina_model.h"

namespace {

using namespace sestina;
using peers::DrivenState;
using peers::Link;
using peers::Mechanism;

constexpr int kStates = 64;
constexpr double kRound = 3e-4;  // s

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The states one after the other, in the model's order of coordinates.
struct Arrays {
  std::vector<double> q, u, tau, udot;

  Arrays(const Mechanism& mechanism, const Model& model) {
    const auto nq = static_cast<std::size_t>(model.nq()), nu = static_cast<std::size_t>(model.nu());
    for (const DrivenState& state : peers::make_states(mechanism, kStates)) {
      const std::size_t q_row = q.size(), u_row = u.size();
      q.resize(q_row + nq), u.resize(u_row + nu), tau.resize(u_row + nu), udot.resize(u_row + nu);
      for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
        const Link& link = mechanism.links[i];
        const BodyInfo& body = model.bodies()[model.body(peers::link_name(static_cast<int>(i)))];
        const auto copy = [](const std::vector<double>& from, int start, int count, std::vector<double>& to,
                             std::size_t at) {
          std::copy_n(from.begin() + start, count, to.begin() + static_cast<std::ptrdiff_t>(at));
        };
        const std::size_t to_u = u_row + static_cast<std::size_t>(body.u_start);
        copy(state.q, link.q_start, link.nq, q, q_row + static_cast<std::size_t>(body.q_start));
        copy(state.u, link.u_start, link.nu, u, to_u);
        copy(state.tau, link.u_start, link.nu, tau, to_u);
        copy(state.udot, link.u_start, link.nu, udot, to_u);
      }
    }
  }
};

class Timed {
 public:
  Timed(const std::shared_ptr<const Model>& model, InstructionSet set, bool is_forward, const Arrays& arrays)
      : dynamics_(model, calc_properties(*model), nullptr, set),
        is_forward_(is_forward),
        arrays_(arrays),
        result_(arrays.u.size()) {
    const double begin = now();
    int calls = 0;
    do {
      evaluate(), ++calls;
    } while (now() - begin < 3 * kRound);
    calls_ = std::max(1, calls / 3);
  }

  void add_round() {
    const double begin = now();
    for (int i = 0; i < calls_; ++i) evaluate();
    times_.push_back((now() - begin) / calls_ / kStates * 1e6);
  }
  std::string summary() {
    std::sort(times_.begin(), times_.end());
    return fmt::format("{:>10.4f} {:>8.4f}", times_.front(), times_[times_.size() / 2]);
  }

 private:
  void evaluate() {
    const StateArrays states{.count = kStates, .q = arrays_.q, .u = arrays_.u, .tau = arrays_.tau};
    if (is_forward_) {
      dynamics_.calc_udot(states, result_);
    } else {
      dynamics_.calc_tau(states, arrays_.udot, result_);
    }
  }

  BatchDynamics dynamics_;
  bool is_forward_;
  const Arrays& arrays_;
  std::vector<double> result_, times_;
  int calls_ = 1;
};

void time_mechanism(const Mechanism& mechanism, int rounds) {
  const auto model = peers::make_model(mechanism);
  const Arrays arrays(mechanism, *model);
  for (const bool is_forward : {true, false}) {
    std::vector<Timed> timed;
    for (const InstructionSet set : available_instruction_sets()) {
      timed.emplace_back(model, set, is_forward, arrays);
    }
    for (int r = 0; r < rounds; ++r) {
      for (Timed& one : timed) one.add_round();
    }
    fmt::print("{:<20} {:<8}", mechanism.name, is_forward ? "forward" : "inverse");
    for (Timed& one : timed) fmt::print(" {}", one.summary());
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 61;
  fmt::print("us for one state       dynamics");
  for (const InstructionSet set : available_instruction_sets()) {
    fmt::print(" {:>10} {:>8}", to_string(set), "median");
  }
  fmt::print("\n");
  for (const int n : {1, 7, 30, 100}) time_mechanism(peers::make_chain(n, peers::Joint::kRevolute), rounds);
  time_mechanism(peers::make_binary_tree(31), rounds);
  time_mechanism(peers::make_chain(16, peers::Joint::kSpherical), rounds);
  time_mechanism(peers::make_humanoid(), rounds);
}
