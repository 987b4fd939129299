#include "sestina/dynamics/implicit_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sestina {
namespace {

// Up to so many speeds the pattern is taken to be full: nothing is saved then.
constexpr int kFull = 24;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

template <class T>
double value_of(const T& x) {
  if constexpr (std::is_same_v<T, double>) {
    return x;
  } else {
    return x.v;
  }
}

// The residuals of nodes that share an element of a beam with that of the first speed u depend on it.
void spoil_neighbours(std::span<const BeamForces::Element> elements, int u, std::span<Dual> residual) {
  const double spoiled = std::numeric_limits<double>::quiet_NaN();
  for (const BeamForces::Element& element : elements) {
    if (element.u_a != u && element.u_b != u) continue;
    for (int i = 0; i < 6; ++i) residual[at(element.u_a + i)].d = residual[at(element.u_b + i)].d = spoiled;
  }
}

void copy_values(std::span<const double> from, std::span<Dual> to) {
  std::transform(from.begin(), from.end(), to.begin(), [](double x) { return Dual(x); });
}

}  // namespace

template <class T>
ImplicitMotion::Run<T>::Run(const Model& model)
    : kinematics(model),
      forces(model),
      rows(model),
      inverse(model),
      udot(at(model.nu())),
      xdot(at(model.nx())),
      lambda(at(model.constraint_rows())) {
  has_rotors = std::ranges::any_of(model.cut_joints(), [](const auto& cut) { return cut.armature_row >= 0; });
}

template <class T>
double ImplicitMotion::Run<T>::velocity(std::size_t row) const {
  return rows.rows[row].is_inertia ? 0.0 : value_of(rows.rows[row].velocity);
}

template <class T>
void ImplicitMotion::Run<T>::update_forces(const Model& model, const Properties<T>& numbers,
                                           const State<T>& state) {
  update_kinematics(model, numbers, state, kinematics);
  update_applied_forces(model, numbers, state, kinematics, forces);
  if (!lambda.empty()) update_constraint_rows(model, numbers, state, kinematics, rows);
}

// From forces without those of conditions.
template <class T>
void ImplicitMotion::Run<T>::update_residual(const Model& model, const Properties<T>& numbers,
                                             std::span<const double> multipliers) {
  if (!lambda.empty()) {
    if (has_rotors) update_inverse_dynamics<T>(model, numbers, kinematics, forces, udot, inverse);
    for (std::size_t i = 0; i < lambda.size(); ++i) {
      const ConstraintRow<T>& row = rows.rows[i];
      lambda[i] = row.is_inertia ? -(row.bias + calc_rate<T>(rows, row, inverse.acceleration, udot))
                                 : T(multipliers[i]);
    }
    add_constraint_forces<T>(rows, lambda, forces.tau, forces.body);
  }
  update_inverse_dynamics<T>(model, numbers, kinematics, forces, udot, inverse);
}

double ImplicitMotion::v(std::size_t row) const { return plain_.velocity(row); }

ImplicitMotion::ImplicitMotion(const Model& model, const Properties<double>& properties)
    : model_(model),
      numbers_(properties),
      dual_numbers_(calc_properties<Dual>(
          model, std::vector<Dual>(properties.parameters.begin(), properties.parameters.end()))),
      beams_(model, properties),
      plain_(model),
      dual_(model),
      tau_(at(model.nu())),
      body_(at(model.bodies().size())),
      unit_(at(model.nu())),
      qdot_(at(model.nq())) {
  for (BodyIndex b(1); b.value() < model.bodies().size(); b = BodyIndex(b.value() + 1)) {
    body_of_speed_.insert(body_of_speed_.end(), at(model.bodies()[b].nu), b);
  }
  dual_numbers_.forces.connectors.beams.clear();
  state_.q.resize(at(model.nq()));
  state_.u.resize(at(model.nu()));
  state_.x.resize(at(model.nx()));
  state_.d.resize(at(model.nd()));
  state_.h.resize(at(model.nh()));
  const int nw = model.nu() + model.nx();
  if (nw <= kFull) {
    pattern_ = make_full_pattern(nw, nw);
    row_pattern_ = make_full_pattern(model.constraint_rows(), nw);
  } else {
    find_pattern();
  }
  find_groups();
  find_places_of_beams();
  for (auto* values : {&M, &D, &K}) values->assign(pattern_.size(), 0.0);
  for (auto* values : {&C, &v_q}) values->assign(row_pattern_.size(), 0.0);
}

void ImplicitMotion::update(const State<double>& state, std::span<const double> wdot,
                            std::span<const double> lambda, std::span<const double> tau) {
  plain_.update_forces(model_, numbers_, state);
  for (std::size_t i = 0; i < tau.size(); ++i) plain_.forces.tau[i] += tau[i];
  const std::size_t nu = plain_.udot.size();
  std::ranges::copy(wdot.first(nu), plain_.udot.begin());
  std::ranges::copy(wdot.subspan(nu), plain_.xdot.begin());
  plain_.update_residual(model_, numbers_, lambda);
}

std::string ImplicitMotion::explain_non_finite(const State<double>& state) {
  std::string reason = explain_non_finite_force(model_, numbers_, state, plain_.kinematics, plain_.forces);
  if (reason.empty()) reason = explain_non_finite_constraint(model_, numbers_, state, plain_.rows);
  for (std::size_t i = 0; i < plain_.forces.rates.size() && reason.empty(); ++i) {
    if (std::isfinite(plain_.forces.rates[i])) continue;
    reason = model_.explain_rate(static_cast<int>(i), numbers_, state);
  }
  return reason;
}

// ---- the pattern ------------------------------------------------------------------------------------------

// A derivative that is not a number spoils whatever depends on it.
void ImplicitMotion::find_pattern() {
  const double spoiled = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> parameters = numbers_.parameters;
  const State<double> start = calc_initial_state<double>(model_, parameters);
  const std::vector<double> no_wdot(start.u.size() + start.x.size(), 0.0), ones(dual_.lambda.size(), 1.0);
  set_state(start, no_wdot);
  pattern_.rows = model_.nu() + model_.nx();
  row_pattern_.rows = model_.constraint_rows();
  for (BodyIndex b(1); b.value() < model_.bodies().size(); b = BodyIndex(b.value() + 1)) {
    const BodyInfo& body = model_.bodies()[b];
    if (body.nu == 0) continue;
    // All directions of a joint together: what depends on one of them depends on the others in general.
    for (int i = body.q_start; i < body.q_start + body.nq; ++i) state_.q[at(i)].d = spoiled;
    for (int k = body.u_start; k < body.u_start + body.nu; ++k) {
      state_.u[at(k)].d = spoiled;
      dual_.udot[at(k)].d = spoiled;
    }
    evaluate(ones);
    spoil_neighbours(beams_.elements(), body.u_start, dual_.inverse.residual);
    for (int i = body.q_start; i < body.q_start + body.nq; ++i) state_.q[at(i)].d = 0.0;
    for (int k = body.u_start; k < body.u_start + body.nu; ++k) {
      state_.u[at(k)].d = dual_.udot[at(k)].d = 0.0;
    }
    add_columns_to_pattern(body.nu);
  }
  for (std::size_t k = 0; k < start.x.size(); ++k) {
    state_.x[k].d = dual_.xdot[k].d = spoiled;
    evaluate(ones);
    state_.x[k].d = dual_.xdot[k].d = 0.0;
    add_columns_to_pattern(1);
  }
}

// Columns with all that the last evaluation spoiled.
void ImplicitMotion::add_columns_to_pattern(int count) {
  for (int k = 0; k < count; ++k) {
    for (int i = 0; i < pattern_.rows; ++i) {
      if (std::isnan(dual_.residual(at(i)).d)) pattern_.row_of.push_back(i);
    }
    pattern_.starts.push_back(static_cast<int>(pattern_.row_of.size()));
    for (int i = 0; i < row_pattern_.rows; ++i) {
      if (std::isnan(dual_.rows.rows[at(i)].velocity.d)) row_pattern_.row_of.push_back(i);
    }
    row_pattern_.starts.push_back(static_cast<int>(row_pattern_.row_of.size()));
  }
}

void ImplicitMotion::find_places_of_beams() {
  for (const BeamForces::Element& element : beams_.elements()) {
    const int ends[] = {element.u_a, element.u_b};
    for (const int a : ends) {
      for (const int b : ends) {
        for (int k = b; k < b + 6; ++k) {
          int p = pattern_.starts[at(k)];
          while (pattern_.row_of[at(p)] != a) ++p;
          beam_places_.push_back(at(p));
        }
      }
    }
  }
}

// Speeds in turn join the first group in which nobody has a number in common with them.
void ImplicitMotion::find_groups() {
  std::vector<std::vector<char>> taken;  // by group: rows of r, then of v
  const auto rows_of = [&](int k, auto&& f) {
    for (int p = pattern_.starts[at(k)]; p < pattern_.starts[at(k) + 1]; ++p) f(at(pattern_.row_of[at(p)]));
    for (int p = row_pattern_.starts[at(k)]; p < row_pattern_.starts[at(k) + 1]; ++p) {
      f(at(pattern_.rows + row_pattern_.row_of[at(p)]));
    }
  };
  for (int k = 0; k < pattern_.rows; ++k) {
    std::size_t group = 0;
    for (; group < groups_.size(); ++group) {
      bool is_free = true;
      rows_of(k, [&](std::size_t i) { is_free = is_free && !taken[group][i]; });
      if (is_free) break;
    }
    if (group == groups_.size()) {
      groups_.emplace_back();
      taken.emplace_back(at(pattern_.rows + row_pattern_.rows), 0);
    }
    groups_[group].push_back(k);
    rows_of(k, [&](std::size_t i) { taken[group][i] = 1; });
  }
}

// ---- tangents ---------------------------------------------------------------------------------------------

void ImplicitMotion::set_state(const State<double>& state, std::span<const double> wdot) {
  state_.t = state.t;
  copy_values(state.q, state_.q);
  copy_values(state.u, state_.u);
  copy_values(state.x, state_.x);
  copy_values(state.d, state_.d);
  copy_values(state.h, state_.h);
  copy_values(wdot.first(dual_.udot.size()), dual_.udot);
  copy_values(wdot.subspan(dual_.udot.size()), dual_.xdot);
}

void ImplicitMotion::evaluate(std::span<const double> lambda) {
  dual_.update_forces(model_, dual_numbers_, state_);
  dual_.update_residual(model_, dual_numbers_, lambda);
}

// A displacement moves the coordinates of its joint alone.
void ImplicitMotion::seed_q(int k, const State<double>& state, double size) {
  if (k >= model_.nu()) return;  // a state
  const BodyInfo& body = model_.bodies()[body_of_speed_[at(k)]];
  if (body.nq == body.nu) {
    state_.q[at(body.q_start + k - body.u_start)].d = size;
    return;
  }
  unit_[at(k)] = size;
  calc_q_dot<double>(model_, state.q, unit_, qdot_);
  unit_[at(k)] = 0.0;
  for (int i = body.q_start; i < body.q_start + body.nq; ++i) state_.q[at(i)].d = qdot_[at(i)];
}

template <class Seed>
void ImplicitMotion::take_columns(std::span<const double> lambda, std::vector<double>& of_r,
                                  std::vector<double>* of_v, const Seed& seed) {
  for (const std::vector<int>& group : groups_) {
    for (const int k : group) seed(k, 1.0);
    evaluate(lambda);
    for (const int k : group) seed(k, 0.0);
    for (const int k : group) {
      for (int p = pattern_.starts[at(k)]; p < pattern_.starts[at(k) + 1]; ++p) {
        of_r[at(p)] = dual_.residual(at(pattern_.row_of[at(p)])).d;
      }
      if (of_v == nullptr) continue;
      for (int p = row_pattern_.starts[at(k)]; p < row_pattern_.starts[at(k) + 1]; ++p) {
        const ConstraintRow<Dual>& row = dual_.rows.rows[at(row_pattern_.row_of[at(p)])];
        (*of_v)[at(p)] = row.is_inertia ? 0.0 : row.velocity.d;
      }
    }
  }
}

// Motion and forces do not depend on udot: they are evaluated once.
void ImplicitMotion::take_mass_columns(std::span<const double> lambda) {
  dual_.update_forces(model_, dual_numbers_, state_);
  std::ranges::copy(dual_.forces.tau, tau_.begin());
  std::ranges::copy(dual_.forces.body, body_.begin());
  const int nu = model_.nu();
  const auto seed = [&](int k, double size) {
    (k < nu ? dual_.udot[at(k)] : dual_.xdot[at(k - nu)]).d = size;
  };
  for (const std::vector<int>& group : groups_) {
    for (const int k : group) seed(k, 1.0);
    dual_.update_residual(model_, dual_numbers_, lambda);
    std::ranges::copy(tau_, dual_.forces.tau.begin());
    std::ranges::copy(body_, dual_.forces.body.begin());
    for (const int k : group) {
      for (int p = pattern_.starts[at(k)]; p < pattern_.starts[at(k) + 1]; ++p) {
        M[at(p)] = dual_.residual(at(pattern_.row_of[at(p)])).d;
      }
    }
    for (const int k : group) seed(k, 0.0);
  }
}

void ImplicitMotion::update_tangents(const State<double>& state, std::span<const double> wdot,
                                     std::span<const double> lambda) {
  set_state(state, wdot);
  take_mass_columns(lambda);
  take_columns(lambda, K, &v_q, [&](int k, double size) { seed_q(k, state, size); });
  take_columns(lambda, D, &C, [&](int k, double size) {
    (k < model_.nu() ? state_.u[at(k)] : state_.x[at(k - model_.nu())]).d = size;
  });
  if (!beams_.empty()) add_beams(state);
}

// The rows of a block follow one another in the pattern.
void ImplicitMotion::add_beams(const State<double>& state) {
  update_kinematics(model_, numbers_, state, plain_.kinematics);
  beams_.update(plain_.kinematics);
  auto place = beam_places_.begin();
  for (const BeamForces::Element& element : beams_.elements()) {
    for (std::size_t a = 0; a < 2; ++a) {
      for (std::size_t b = 0; b < 2; ++b) {
        for (std::size_t column = 0; column < 6; ++column, ++place) {
          for (std::size_t row = 0; row < 6; ++row) {
            K[*place + row] += element.K[a][b].m[row][column];
            D[*place + row] += element.D[a][b].m[row][column];
          }
        }
      }
    }
  }
}

}  // namespace sestina
