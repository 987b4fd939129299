// Forward and inverse dynamics on the lanes of one instruction set.
#include <algorithm>
#include <cassert>
#include <optional>

#include "sestina/batch/batch_kernel.h"
#include "sestina/batch/lanes/lane_arithmetic.h"
#include "sestina/batch/lanes/packed_properties.h"
#include "sestina/batch/lanes/rows.h"
#include "sestina/dynamics/energy.h"
#include "sestina/dynamics/joint_axes_recursion.h"

namespace sestina {
namespace {

constexpr int kLanes = SESTINA_BATCH_LANES;
using T = Batch<kLanes>;
using PropertySets = std::span<const Properties<double>* const>;

bool has_forces(const Model& model) { return !model.forces().empty(); }

std::vector<AnyJoint<T>> joints_of(const Properties<T>& properties) {
  std::vector<AnyJoint<T>> joints;
  for (const BodyProperties<T>& body : properties.bodies) joints.push_back(body.joint);
  return joints;
}

JointAxesRecursion<T, double> make_recursion(const Model& model, const Properties<double>& properties,
                                             std::vector<AnyJoint<T>> joints) {
  JointAxes axes(model, properties);
  return {TreeLayout(model), std::move(axes.structure), std::move(axes.numbers), std::move(joints)};
}

bool has_same_right_angles(const std::vector<JointAxes>& axes) {
  return std::all_of(axes.begin(), axes.end(), [&](const JointAxes& one) {
    return std::equal(one.structure.begin(), one.structure.end(), axes.front().structure.begin(),
                      [](const JointAxesStructure& a, const JointAxesStructure& b) {
                        return (a.twist == Twist::kQuarter) == (b.twist == Twist::kQuarter);
                      });
  });
}

JointAxesRecursion<T, T> make_recursion(const Model& model, const std::vector<JointAxes>& axes,
                                        std::vector<AnyJoint<T>> joints) {
  std::vector<JointAxesStructure> structure = axes.front().structure;
  ModelInAxes<T> numbers;
  numbers.gravity = pack<Vec3, kLanes>([&](std::size_t l) -> auto& { return axes[l].numbers.gravity; });
  for (std::size_t i = 0; i < structure.size(); ++i) {
    for (const JointAxes& one : axes) structure[i] = structure[i] & one.structure[i];
    numbers.bodies.push_back(
        pack<BodyInAxes, kLanes>([&](std::size_t l) -> auto& { return axes[l].numbers.bodies[i]; }));
    numbers.frames.push_back(
        pack<FramesInAxes, kLanes>([&](std::size_t l) -> auto& { return axes[l].numbers.frames[i]; }));
  }
  return {TreeLayout(model), std::move(structure), std::move(numbers), std::move(joints)};
}

class LaneKernel final : public BatchKernel {
 public:
  LaneKernel(const Model& model, PropertySets sets)
      : model_(model),
        properties_(PropertyPacker<kLanes>(sets).pack_all()),
        kinematics_(model),
        forces_(model),
        has_forces_(has_forces(model)),
        tau_(static_cast<std::size_t>(model.nu())),
        udot_(tau_.size()),
        q_dot_(static_cast<std::size_t>(model.nq())) {
    state_.q.resize(static_cast<std::size_t>(model.nq()));
    state_.u.resize(tau_.size());
    state_.d.resize(static_cast<std::size_t>(model.nd()));
    if (forces_.has_body_forces) body_forces_.resize(static_cast<std::size_t>(model.bodies().size()));
    if (sets.size() == 1) {
      shared_.emplace(make_recursion(model, *sets[0], joints_of(properties_)));
    } else {
      for (const Properties<double>* set : sets) {
        sets_.push_back(*set);
        axes_.emplace_back(model, *set);
      }
      make_own();
    }
  }

  int lanes() const override { return kLanes; }

  int calc_udot(const StateArrays& states, int begin, int end, double* udot) override {
    return shared_ ? calc_udot(*shared_, states, begin, end, udot)
                   : calc_udot(*own_, states, begin, end, udot);
  }

  int calc_tau(const StateArrays& states, int begin, int end, const double* udot, double* tau) override {
    int failures = 0;
    for (int first = begin; first < end; first += kLanes) {
      const int rows = std::min(kLanes, end - first);
      load_states(states, first, rows);
      load_rows<kLanes>(row(udot, first, model_.nu()), model_.nu(), rows, udot_.data());
      load_tau(states, first, rows);
      update_forces();
      const auto solve = [&](auto& recursion) {
        recursion.calc_tau({state_.q.data(), state_.u.data(), body_forces(), udot_.data()}, udot_.data());
      };
      shared_ ? solve(*shared_) : solve(*own_);
      for (std::size_t i = 0; i < udot_.size(); ++i) udot_[i] -= tau_[i];
      const unsigned failed = mark_failures({}) & ((1U << rows) - 1);
      store_rows<kLanes>(udot_.data(), model_.nu(), rows, row(tau, first, model_.nu()));
      failures += __builtin_popcount(failed);
    }
    return failures;
  }

  unsigned calc_udot(const LaneStates& states, double* udot) override {
    load_states(states);
    const unsigned failed = calc_udot();
    for (std::size_t i = 0; i < udot_.size(); ++i) store(udot_[i], udot + i * kLanes);
    return failed;
  }

  unsigned calc_rates(const LaneStates& states, double* rates) override {
    load_states(states);
    const unsigned failed = calc_udot();
    double* const udot = rates + model_.nq() * kLanes;
    double* const powers = udot + model_.nu() * kLanes;
    for (std::size_t i = 0; i < udot_.size(); ++i) store(udot_[i], udot + i * kLanes);
    calc_q_dot<T>(model_, state_.q, state_.u, q_dot_);
    for (std::size_t i = 0; i < q_dot_.size(); ++i) store(q_dot_[i], rates + i * kLanes);
    Power<T> power;
    if (has_forces_) power = calc_power(model_, properties_, state_, kinematics_, forces_);
    store(power.supplied, powers);
    store(power.dissipated, powers + kLanes);
    return failed | lane_find_not_finite<kLanes>(2, powers);
  }

  void calc_observables(const LaneStates& states, const LaneObservables& observables) override {
    load_states(states);
    update_kinematics(model_, properties_, state_, kinematics_);
    double* origin = observables.origins;
    const auto put = [](const Vec3<T>& v, double* to) {
      store(v.x, to), store(v.y, to + kLanes), store(v.z, to + 2 * kLanes);
      return to + 3 * kLanes;
    };
    for (BodyIndex b{1}; b.value() < model_.bodies().size(); ++b) {
      origin = put(calc_body_pose(properties_, kinematics_, b).p, origin);
    }
    const Energy<T> energy = calc_energy(model_, properties_, state_, kinematics_, forces_);
    store(energy.kinetic, observables.energies);
    store(energy.potential, observables.energies + kLanes);
    const Momentum<T> momentum = calc_momentum(model_, properties_, state_, kinematics_);
    put(momentum.angular, put(momentum.linear, observables.momentum));
  }

  void plus_q(const double* q, const double* displacement, double* q_out) override {
    load_lanes(q, state_.q);
    load_lanes(displacement, state_.u);
    sestina::plus_q<T>(model_, state_.q, state_.u, state_.q);
    for (std::size_t i = 0; i < state_.q.size(); ++i) store(state_.q[i], q_out + i * kLanes);
  }
  void normalize_q(double* q) override {
    load_lanes(q, state_.q);
    sestina::normalize_q<T>(model_, state_.q);
    for (std::size_t i = 0; i < state_.q.size(); ++i) store(state_.q[i], q + i * kLanes);
  }

  void set_properties(int lane, const Properties<double>& properties) override {
    assert(own_.has_value());
    const auto l = static_cast<std::size_t>(lane);
    sets_[l] = properties;
    axes_[l] = JointAxes(model_, properties);
    std::array<const Properties<double>*, kLanes> sets;
    for (std::size_t i = 0; i < kLanes; ++i) sets[i] = &sets_[i];
    properties_ = PropertyPacker<kLanes>(sets).pack_all();
    make_own();
  }

  void add_weighted(int count, const double* from, const double* h, std::span<const double> weights,
                    const double* terms, double* to) override {
    lane_add_weighted<kLanes>(count, from, h, weights, terms, to);
  }
  void calc_largest_ratio(int count, const double* error, const double* a, const double* b,
                          const double* rtol, const double* atol, double* ratio) override {
    lane_calc_largest_ratio<kLanes>(count, error, a, b, rtol, atol, ratio);
  }
  unsigned find_not_finite(int count, const double* numbers) override {
    return lane_find_not_finite<kLanes>(count, numbers);
  }
  void copy_lanes(unsigned lanes, int count, const double* from, double* to) override {
    lane_copy<kLanes>(lanes, count, from, to);
  }

 private:
  template <class Number>
  static Number* row(Number* rows, int index, int width) {
    return rows + static_cast<std::ptrdiff_t>(index) * width;
  }
  static void load_lanes(const double* from, std::vector<T>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = load<kLanes>(from + i * kLanes);
  }

  void load_states(const LaneStates& states) {
    state_.t = load<kLanes>(states.t);
    load_lanes(states.q, state_.q);
    load_lanes(states.u, state_.u);
    load_lanes(states.d, state_.d);
    std::fill(tau_.begin(), tau_.end(), T(0.0));
  }
  void load_states(const StateArrays& states, int first, int rows) {
    const int nq = model_.nq(), nu = model_.nu(), nd = model_.nd();
    state_.t = T(0.0);
    if (!states.t.empty()) load_rows<kLanes>(states.t.data() + first, 1, rows, &state_.t);
    load_rows<kLanes>(row(states.q.data(), first, nq), nq, rows, state_.q.data());
    load_rows<kLanes>(row(states.u.data(), first, nu), nu, rows, state_.u.data());
    load_rows<kLanes>(row(states.d.data(), first, nd), nd, rows, state_.d.data());
  }
  void load_tau(const StateArrays& states, int first, int rows) {
    if (states.tau.empty()) {
      std::fill(tau_.begin(), tau_.end(), T(0.0));
    } else {
      load_rows<kLanes>(row(states.tau.data(), first, model_.nu()), model_.nu(), rows, tau_.data());
    }
  }

  void make_own() {
    // Right angles become permutations of axes only if all lanes have them.
    if (!has_same_right_angles(axes_)) {
      for (std::size_t l = 0; l < axes_.size(); ++l) axes_[l] = JointAxes(model_, sets_[l], false);
    }
    own_.emplace(make_recursion(model_, axes_, joints_of(properties_)));
  }

  // Adds to tau_ and fills body_forces_.
  void update_forces() {
    if (!has_forces_) return;
    if (forces_.has_body_forces) update_kinematics(model_, properties_, state_, kinematics_);
    update_applied_forces(model_, properties_, state_, kinematics_, forces_);
    for (std::size_t i = 0; i < tau_.size(); ++i) tau_[i] += forces_.tau[i];
    for (std::size_t i = 1; i < body_forces_.size(); ++i) {
      const Rotation<T>& R_WM = kinematics_.motion[i].X_WB.R;
      const SpatialForce<T>& F = forces_.body[i];
      body_forces_[i] = {transpose_times(R_WM, F.torque), transpose_times(R_WM, F.force)};
    }
  }
  const SpatialForce<T>* body_forces() const { return body_forces_.empty() ? nullptr : body_forces_.data(); }

  // Completes a state after load_states() and tau_.
  template <class Recursion>
  void start(Recursion& recursion) {
    update_forces();
    recursion.start({state_.q.data(), state_.u.data(), body_forces()});
  }

  // Solves for the lanes of load_states().
  unsigned calc_udot() {
    const auto solve = [&](auto& recursion) {
      start(recursion);
      const Mask<T> is_singular = recursion.eliminate(tau_.data()).vanish();
      recursion.finish_and_start(udot_.data(), nullptr);
      return mark_failures(is_singular);
    };
    return shared_ ? solve(*shared_) : solve(*own_);
  }

  template <class Recursion>
  int calc_udot(Recursion& recursion, const StateArrays& states, int begin, int end, double* udot) {
    int failures = 0;
    const auto rows_from = [end](int first) { return std::min(kLanes, end - first); };
    const auto load = [&](int first) {
      load_states(states, first, rows_from(first));
      load_tau(states, first, rows_from(first));
    };
    if (begin >= end) return 0;
    load(begin);
    start(recursion);
    for (int first = begin; first < end; first += kLanes) {
      const Mask<T> is_singular = recursion.eliminate(tau_.data()).vanish();
      if (first + kLanes < end) {
        load(first + kLanes);
        update_forces();
        const typename Recursion::Motion next{state_.q.data(), state_.u.data(), body_forces()};
        recursion.finish_and_start(udot_.data(), &next);
      } else {
        recursion.finish_and_start(udot_.data(), nullptr);
      }
      const int rows = rows_from(first);
      const unsigned failed = mark_failures(is_singular) & ((1U << rows) - 1);
      store_rows<kLanes>(udot_.data(), model_.nu(), rows, row(udot, first, model_.nu()));
      failures += __builtin_popcount(failed);
    }
    return failures;
  }

  // Sets lanes that failed, and lanes with a number that is not finite, to NaN.
  unsigned mark_failures(const Mask<T>& failed) {
    T sums[4] = {T(0.0), T(0.0), T(0.0),
                 T(0.0)};  // zero, or NaN; four sums, so that no addition waits for the previous one
    std::size_t i = 0;
    for (; i + 4 <= udot_.size(); i += 4) {
      for (std::size_t k = 0; k < 4; ++k) sums[k] += T(0.0) * udot_[i + k];
    }
    for (; i < udot_.size(); ++i) sums[0] += T(0.0) * udot_[i];
    const T sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    const Mask<T> is_bad = failed || !(sum == T(0.0));
    const unsigned bits = to_bits(is_bad);
    if (bits != 0) {
      for (T& x : udot_) x = select(is_bad, T(__builtin_nan("")), x);
    }
    return bits;
  }

  const Model& model_;
  Properties<T> properties_;
  Kinematics<T> kinematics_;
  AppliedForces<T> forces_;
  bool has_forces_;
  State<T> state_;
  std::vector<T> tau_, udot_, q_dot_;
  // The sets of all lanes, if each lane has its own numbers.
  std::vector<Properties<double>> sets_;
  std::vector<JointAxes> axes_;
  std::vector<SpatialForce<T>> body_forces_;  // by BodyIndex: M's axes
  std::optional<JointAxesRecursion<T, double>> shared_;
  std::optional<JointAxesRecursion<T, T>> own_;
};

}  // namespace
}  // namespace sestina

// The only symbol that the object files of an instruction set export.
extern "C" sestina::BatchKernel* SESTINA_BATCH_MAKER(
    const sestina::Model& model, std::span<const sestina::Properties<double>* const> sets) {
  return new sestina::LaneKernel(model, sets);
}
