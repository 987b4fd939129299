#include "sestina/state_time/initial_guess.h"

#include <algorithm>

#include "sestina/state_time/closing_conditions.h"
#include "sestina/state_time/element_layout.h"

namespace sestina {
namespace {

void write(std::span<double> numbers, int first, const Vec3<double>& a) {
  const auto i = static_cast<std::size_t>(first);
  numbers[i] = a.x, numbers[i + 1] = a.y, numbers[i + 2] = a.z;
}

}  // namespace

void put_instants(const Kinematics<double>& kinematics, const Properties<double>& properties,
                  std::span<double> numbers, int first, int stride, bool with_x) {
  for (BodyIndex b{1}; b.value() < static_cast<int>(kinematics.motion.size()); ++b) {
    const BodyMotion<double>& motion = kinematics.motion[index(b.value())];
    const Vec3<double> c = motion.X_WB.R * properties.bodies[b].M.c;
    const int at = first + stride * (b.value() - 1);
    write(numbers, at, motion.V_WB.v + cross(motion.V_WB.w, c));
    write(numbers, at + 3, transpose_times(motion.X_WB.R, motion.V_WB.w));
    for (int j = 0; j < 3; ++j) write(numbers, at + 6 + 3 * j, motion.X_WB.R.column(j));
    if (with_x) write(numbers, at + 15, motion.X_WB.p + c);
  }
}

BodyInstant read_instant(std::span<const double> numbers, int first) {
  return {read_matrix(numbers, first + 6), read_vector(numbers, first + 15), read_vector(numbers, first),
          read_vector(numbers, first + 3)};
}

InitialGuess::InitialGuess(ForwardDynamics& dynamics)
    : dynamics_(dynamics),
      rates_(dynamics.model()),
      joints_(make_joint_conditions(dynamics.model(), dynamics.properties())),
      reactions_(joints_.size() + 1) {}

InitialGuess::Rates::Rates(const Model& model)
    : udot(index(model.nu())),
      dq(index(model.nq())),
      du(index(model.nu())),
      q(index(model.nq())),
      u(index(model.nu())) {}

// Writes the reactions of the last calc_udot as multipliers.
void InitialGuess::put_multipliers(std::span<double> multipliers) {
  const Kinematics<double>& kinematics = dynamics_.kinematics();
  dynamics_.calc_reactions(rates_.udot, reactions_);
  for (const JointConditions& joint : joints_) {
    joint.find_multipliers(kinematics.motion[index(joint.parent + 1)].X_WB.R,
                           kinematics.motion[index(joint.child + 1)].X_WB.R,
                           reactions_[index(joint.child + 1)], multipliers);
  }
  if (closing_) closing_->find_multipliers(dynamics_, multipliers);
}

// Writes the state, to which the kinematics belong, as the guess at point g or at the end.
void InitialGuess::put(const State<double>& state, TimeTrajectory& trajectory, int e, int g) {
  const ElementLayout& layout = trajectory.element(e).form->layout;
  const std::span<double> y = trajectory.unknowns_of(e);
  if (g == layout.degree) {
    put_instants(dynamics_.kinematics(), dynamics_.properties(), y, layout.end(0), ElementLayout::kEndNumbers,
                 true);
    std::copy(state.q.begin(), state.q.end(), trajectory.coordinates_at_start(e + 1).begin());
    return;
  }
  put_instants(dynamics_.kinematics(), dynamics_.properties(), y, layout.point(g, 0),
               ElementLayout::kPointNumbers, false);
  std::copy(state.q.begin(), state.q.end(),
            trajectory.coordinates_of(e).begin() + g * static_cast<std::ptrdiff_t>(state.q.size()));
}

void InitialGuess::step_to(double t, State<double>& state) {
  static constexpr double kNode[] = {0.0, 0.5, 0.5, 1.0}, kWeight[] = {1.0, 2.0, 2.0, 1.0};
  const double dt = t - state.t;
  auto& [at, udot, dq, du, q_rate, u_rate] = rates_;
  std::fill(dq.begin(), dq.end(), 0.0), std::fill(du.begin(), du.end(), 0.0);
  at = state;
  for (int stage = 0; stage < 4; ++stage) {
    at.t = state.t + kNode[stage] * dt;
    if (stage > 0) {
      for (std::size_t i = 0; i < dq.size(); ++i) at.q[i] = state.q[i] + kNode[stage] * dt * q_rate[i];
      for (std::size_t i = 0; i < du.size(); ++i) at.u[i] = state.u[i] + kNode[stage] * dt * u_rate[i];
    }
    if (stage == 0) {
      u_rate = udot;
    } else {
      dynamics_.calc_udot(at, u_rate);
    }
    calc_q_dot<double>(dynamics_.model(), at.q, at.u, q_rate);
    for (std::size_t i = 0; i < dq.size(); ++i) dq[i] += kWeight[stage] / 6.0 * dt * q_rate[i];
    for (std::size_t i = 0; i < du.size(); ++i) du[i] += kWeight[stage] / 6.0 * dt * u_rate[i];
  }
  for (std::size_t i = 0; i < dq.size(); ++i) state.q[i] += dq[i];
  for (std::size_t i = 0; i < du.size(); ++i) state.u[i] += du[i];
  normalize_q<double>(dynamics_.model(), state.q);
  state.t = t;
  dynamics_.calc_udot(state, udot);
}

void InitialGuess::march(State<double>& state, TimeTrajectory& trajectory, int first,
                         const std::atomic<bool>* interrupt) {
  dynamics_.calc_udot(state, rates_.udot);
  for (int e = first; e < trajectory.size(); ++e) {
    if (interrupt && interrupt->load(std::memory_order_relaxed)) return;
    const TimeElement& element = trajectory.element(e);
    const int degree = element.form->layout.degree;
    for (int g = 0; g <= degree; ++g) {
      const double s = g < degree ? element.form->pair.points[index(g)] : 1.0;
      step_to(element.t + s * element.h, state);
      put(state, trajectory, e, g);
      if (g == degree) continue;
      const ElementLayout& layout = element.form->layout;
      put_multipliers(
          trajectory.unknowns_of(e).subspan(index(layout.point_multiplier(g)), index(layout.multipliers)));
    }
  }
}

void InitialGuess::hold(State<double>& state, TimeTrajectory& trajectory, int first) {
  dynamics_.update(state);
  for (int e = first; e < trajectory.size(); ++e) {
    for (int g = 0; g <= trajectory.element(e).form->layout.degree; ++g) put(state, trajectory, e, g);
  }
}

void InitialGuess::take_mesh(const TimeTrajectory& other, TimeTrajectory& trajectory, int first) const {
  std::vector<BodyInstant> bodies(dynamics_.kinematics().motion.size() - 1);
  for (int e = first; e < trajectory.size(); ++e) {
    const TimeElement& element = trajectory.element(e);
    const ElementLayout& layout = element.form->layout;
    const std::span<double> y = trajectory.unknowns_of(e);
    for (int g = 0; g <= layout.degree; ++g) {
      const bool is_end = g == layout.degree;
      const double t = is_end ? element.end() : element.t + element.form->pair.points[index(g)] * element.h;
      other.calc_bodies(t, bodies);
      for (int b = 0; b < layout.bodies; ++b) {
        const BodyInstant& body = bodies[index(b)];
        const int at = is_end ? layout.end(b) : layout.point(g, b);
        write(y, at, body.v), write(y, at + 3, body.w);
        for (int j = 0; j < 3; ++j) write(y, at + 6 + 3 * j, body.C.column(j));
        if (is_end) write(y, at + 15, body.x);
      }
      const TimeTrajectory::Place place = other.find(t);
      const std::span<const double> q = other.coordinates_at_start(place.element + (place.s > 0.5 ? 1 : 0));
      if (is_end) {
        std::copy(q.begin(), q.end(), trajectory.coordinates_at_start(e + 1).begin());
        continue;
      }
      std::copy(q.begin(), q.end(),
                trajectory.coordinates_of(e).begin() + g * static_cast<std::ptrdiff_t>(q.size()));
      other.calc_multipliers(t, y.subspan(index(layout.point_multiplier(g)), index(layout.multipliers)));
    }
  }
}

}  // namespace sestina
