#include "sestina/workspace/contact_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sestina/base/error.h"
#include "sestina/contact/smooth_contacts.h"
#include "sestina/dynamics/parameter_derivatives.h"
#include "sestina/model/properties.h"
#include "sestina/numerics/eigen_vectors.h"
#include "sestina/workspace/system_equations.h"

namespace sestina {
namespace {

using Size = Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowsOf = Eigen::Map<const Eigen::Matrix<double, 3, -1, Eigen::RowMajor>>;

constexpr double kDifference = 1e-6;  // of coordinates and speeds; of a parameter relative to its size

// The part that does not depend on the solution of the contact problem: (2) and v of (1), with the bias of w,
// at given p.
struct Motion {
  std::vector<std::uint64_t> points;  // keys of the contacts
  MatrixXd C;                         // (3n x nu)
  VectorXd u, v;                      // (nu), (3n)
  std::vector<SmoothContacts::Law> laws;
};

SmoothContacts::Law law_of(const ContactFace::Contact& contact, double h) {
  SmoothContacts::Law law{.friction = contact.friction};
  if (contact.load) law.impulse = h * *contact.load;
  if (contact.stiffness > 0.0) law.compliance = 1.0 / (h * (h * contact.stiffness + contact.damping));
  return law;
}

// Returns the part of w that follows from the gap.
double speed_of_gap(const ContactFace::Contact& contact, double h) {
  if (contact.load) return 0.0;
  if (contact.stiffness == 0.0) return contact.gap / h;
  return contact.stiffness * contact.gap / (h * contact.stiffness + contact.damping);
}

class SmoothStep {
 public:
  SmoothStep(const std::shared_ptr<const Model>& model, const Properties<double>& properties,
             const ContactStepOptions& options)
      : dynamics_(model, properties, "recursive"),
        equations_(dynamics_),
        h_(options.dt),
        tau_(options.tau),
        udot_(static_cast<std::size_t>(model->nu())),
        displacement_(udot_) {
    tau_.resize(udot_.size(), 0.0);
    zdot_.resize(static_cast<std::size_t>(equations_.sizes().nz));
  }

  // Moves with the impulses p, or without any if p is empty.
  Motion move(const State<double>& from, const VectorXd& p) {
    Motion motion;
    find_contacts(from, motion);
    added_ = tau_;
    if (p.size() > 0 && p.size() != motion.v.size()) return motion;  // other points: see check_points()
    if (p.size() > 0) as_vector(added_) += motion.C.transpose() * p / h_;
    equations_.set_tau(added_);
    equations_.calc_derivatives(from, {udot_, {}, zdot_});
    motion.u = as_vector(from.u) + h_ * as_vector(udot_);
    motion.v += motion.C * motion.u;
    return motion;
  }

  // Returns M^-1 times each column (nu x k).
  MatrixXd jumps(const State<double>& at, const MatrixXd& impulses) {
    MatrixXd du = MatrixXd::Zero(impulses.rows(), impulses.cols());
    for (Size k = 0; k < du.cols(); ++k) {
      if (impulses.col(k).isZero(0.0)) continue;
      as_vector(displacement_) = impulses.col(k);
      equations_.calc_velocity_jump(at, displacement_, std::span(du.col(k).data(), displacement_.size()));
    }
    return du;
  }

  std::vector<double> moved(std::span<const double> q, const VectorXd& displacement) {
    std::vector<double> to(q.size());
    as_vector(displacement_) = displacement;
    equations_.plus(q, displacement_, to);
    return to;
  }

  // Returns the displacement from one q to another (nu).
  VectorXd between(std::span<const double> from, std::span<const double> to) {
    equations_.minus(to, from, displacement_);
    return as_vector(displacement_);
  }

  // Throws unless the last move() and another one have the same points of contact.
  void check_points(const Motion& motion, const Motion& other, double t) {
    if (motion.points == other.points) return;
    std::size_t i = 0;
    while (i + 1 < motion.points.size() && i < other.points.size() && motion.points[i] == other.points[i])
      ++i;
    const std::string& name =
        motion.points.empty() ? kNoName : equations_.contact_face()->name_of_contact(static_cast<int>(i));
    throw ComputationError(
        t, fmt::format("the points at which shapes touch change at this state{}: the step has no derivative",
                       name.empty() ? name : " (contact " + name + ")"));
  }

 private:
  inline static const std::string kNoName;

  void find_contacts(const State<double>& at, Motion& motion) {
    ContactFace* const face = equations_.contact_face();
    const auto nu = static_cast<Size>(at.u.size());
    if (face != nullptr) face->update_contacts(at);
    const auto n = face == nullptr ? Size{0} : static_cast<Size>(face->contacts().size());
    motion.C.resize(3 * n, nu);
    motion.v.setZero(3 * n);
    for (Size i = 0; i < n; ++i) {
      const ContactFace::Contact& contact = face->contacts()[static_cast<std::size_t>(i)];
      motion.points.push_back(face->key_of_contact(static_cast<int>(i)));
      motion.C.middleRows<3>(3 * i) = RowsOf(face->contact_rows(static_cast<int>(i)).data(), 3, nu);
      motion.v[3 * i] = speed_of_gap(contact, h_);
      motion.laws.push_back(law_of(contact, h_));
    }
  }

  ForwardDynamics dynamics_;
  SystemEquations equations_;
  double h_;
  std::vector<double> tau_, added_, udot_, displacement_, zdot_;
};

// The step itself, and the data that its derivatives need.
struct Solution {
  Motion motion;  // with the impulses
  SmoothContacts contacts;
  VectorXd p, u;
  MatrixXd du;      // M^-1 C^T (nu x 3n)
  MatrixXd p_by_v;  // (3n x 3n)
};

Solution solve(SmoothStep& step, const State<double>& from, double smoothing) {
  Solution solution;
  const Motion free = step.move(from, {});
  solution.du = step.jumps(from, free.C.transpose());
  MatrixXd G = free.C * solution.du;
  G = (0.5 * (G + G.transpose())).eval();
  SmoothContacts& contacts = solution.contacts;
  if (!contacts.solve(G, free.v, free.laws, smoothing)) {
    throw ComputationError(
        from.t,
        fmt::format("no solution was found for the contacts of a step with a smoothing of {} J", smoothing));
  }
  solution.p = contacts.p();
  solution.p_by_v = contacts.p_by_v();
  solution.motion = step.move(from, solution.p);
  solution.u = free.u + solution.du * solution.p;
  return solution;
}

// Columns of derivatives, by (3).
class Columns {
 public:
  Columns(SmoothStep& step, const State<double>& from, const Solution& solution, double h)
      : solution_(solution), by_u_(solution.u.size(), solution.u.size()) {
    by_q_ = by_u_;
    end_ = step.moved(from.q, h * solution.u);
    for (Size j = 0; j < by_u_.cols(); ++j) {
      const VectorXd e = kDifference * VectorXd::Unit(by_u_.rows(), j);
      const auto difference = [&](const VectorXd& before, const VectorXd& move) -> VectorXd {
        const auto at = [&](double sign) {
          return step.moved(step.moved(from.q, sign * before), h * solution.u + sign * move);
        };
        return (step.between(end_, at(1.0)) - step.between(end_, at(-1.0))) / (2.0 * kDifference);
      };
      by_q_.col(j) = difference(e, VectorXd::Zero(e.size()));
      by_u_.col(j) = difference(VectorXd::Zero(e.size()), h * e);
    }
  }

  const std::vector<double>& end() const { return end_; }
  const MatrixXd& by_q() const { return by_q_; }
  // Completes a column from dF (nu) and dv (3n) of (3) and the change of q' in addition to that from u'.
  VectorXd column(const VectorXd& dF, const VectorXd& dv, const VectorXd& dq) const {
    return column(dF, dv, dq, VectorXd::Zero(solution_.p.size()));
  }
  // The same if p also changes by `dp` at fixed v.
  VectorXd column(const VectorXd& dF, const VectorXd& dv, const VectorXd& dq, const VectorXd& dp) const {
    const VectorXd du = dF + solution_.du * (solution_.p_by_v * dv + dp);
    VectorXd both(2 * du.size());
    both << dq + by_u_ * du, du;
    return both;
  }

 private:
  const Solution& solution_;
  MatrixXd by_q_, by_u_;  // of q', at fixed u' and q
  std::vector<double> end_;
};

void check(const Model& model, const Properties<double>& properties, const ContactStepOptions& options) {
  FaultList faults;
  const auto fault = [&](const char* place, std::string message) {
    faults.add({{}, place}, std::move(message));
  };
  const auto add = [&](const char* place, const auto& refuse) {
    try {
      refuse();
    } catch (const InputError& error) {
      fault(place, error.faults().front().message);
    }
  };
  add("model", [&] { model.refuse_constraints("a step with derivatives"); });
  add("model", [&] { model.refuse_states("a step with derivatives"); });
  for (std::size_t i = 0; i < model.contacts().size(); ++i) {
    if (model.contacts()[i].is_force || properties.contacts.contacts[i].restitution == 0.0) continue;
    fault("model", fmt::format("the restitution of {} is {}, and a rebound has no derivative: allowed is 0",
                               model.contacts()[i].name, properties.contacts.contacts[i].restitution));
  }
  for (std::size_t i = 0; i < model.stop_names().size(); ++i) {
    if (properties.contacts.stops[i].restitution == 0.0) continue;
    fault(
        "model",
        fmt::format("the restitution of the stops of {} is {}, and a rebound has no derivative: allowed is 0",
                    model.stop_names()[i], properties.contacts.stops[i].restitution));
  }
  for (const std::string& name : options.parameters) add("parameters", [&] { find_parameter(model, name); });
  if (!(options.dt > 0.0) || !std::isfinite(options.dt)) {
    fault("dt", fmt::format("{} is not a positive number of seconds", options.dt));
  }
  if (!(options.smoothing > 0.0) || !std::isfinite(options.smoothing)) {
    fault("smoothing", fmt::format("{} is not a positive number of joules", options.smoothing));
  }
  if (!options.tau.empty() && options.tau.size() != static_cast<std::size_t>(model.nu())) {
    fault("tau", fmt::format("{} numbers; allowed are {}", options.tau.size(), model.nu()));
  }
  faults.throw_if_any();
}

VectorXd derivative_by_parameter(const std::shared_ptr<const Model>& model,
                                 const Properties<double>& properties, const State<double>& from,
                                 const ContactStepOptions& options, int parameter, const Solution& solution,
                                 const Columns& columns) {
  std::vector<double> values = properties.parameters;
  double& value = values[static_cast<std::size_t>(parameter)];
  const double centre = value, change = kDifference * (centre == 0.0 ? 1.0 : std::abs(centre));
  std::array<Motion, 2> motions;
  for (std::size_t i = 0; i < 2; ++i) {
    value = centre + (i == 0 ? -change : change);
    SmoothStep step(model, calc_properties<double>(*model, values), options);
    motions[i] = step.move(from, solution.p);
    step.check_points(motions[i], solution.motion, from.t);
  }
  const double factor = 0.5 / change;
  std::vector<SmoothContacts::Law> changes = motions[1].laws;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const SmoothContacts::Law& before = motions[0].laws[i];
    changes[i].friction = factor * (changes[i].friction - before.friction);
    changes[i].compliance = factor * (changes[i].compliance - before.compliance);
    if (before.impulse) changes[i].impulse = factor * (*changes[i].impulse - *before.impulse);
  }
  return columns.column(factor * (motions[1].u - motions[0].u), factor * (motions[1].v - motions[0].v),
                        VectorXd::Zero(solution.u.size()), solution.contacts.p_by_law(changes));
}

}  // namespace

ContactStep calc_contact_step(const std::shared_ptr<const Model>& model, const Properties<double>& properties,
                              const State<double>& state, const ContactStepOptions& options) {
  check(*model, properties, options);
  SmoothStep step(model, properties, options);
  const Solution solution = solve(step, state, options.smoothing);
  const Columns columns(step, state, solution, options.dt);
  ContactStep result;
  result.end = state;
  result.end.t += options.dt;
  result.end.q = columns.end();
  as_vector(result.end.u) = solution.u;
  const auto nu = static_cast<Size>(state.u.size());
  const VectorXd none = VectorXd::Zero(nu);
  for (MatrixXd* const by : {&result.by_q, &result.by_u, &result.by_tau}) by->resize(2 * nu, nu);
  for (Size j = 0; j < nu; ++j) {
    const VectorXd e = VectorXd::Unit(nu, j);
    std::array<Motion, 4> motions;
    for (std::size_t i = 0; i < 4; ++i) {
      const double change = i % 2 == 0 ? -kDifference : kDifference;
      State<double> at = state;
      if (i < 2) {
        at.q = step.moved(state.q, change * e);
      } else {
        at.u[static_cast<std::size_t>(j)] += change;
      }
      motions[i] = step.move(at, solution.p);
      step.check_points(motions[i], solution.motion, state.t);
    }
    const auto difference = [&](std::size_t i, const VectorXd& dq) {
      return columns.column((motions[i + 1].u - motions[i].u) / (2.0 * kDifference),
                            (motions[i + 1].v - motions[i].v) / (2.0 * kDifference), dq);
    };
    result.by_q.col(j) = difference(0, columns.by_q().col(j));
    result.by_u.col(j) = difference(2, none);
    const VectorXd by_tau = options.dt * step.jumps(state, e);
    result.by_tau.col(j) = columns.column(by_tau, solution.motion.C * by_tau, none);
  }
  result.by_parameters.resize(2 * nu, static_cast<Size>(options.parameters.size()));
  for (std::size_t i = 0; i < options.parameters.size(); ++i) {
    const int parameter = find_parameter(*model, options.parameters[i]);
    result.by_parameters.col(static_cast<Size>(i)) =
        derivative_by_parameter(model, properties, state, options, parameter, solution, columns);
  }
  return result;
}

}  // namespace sestina
