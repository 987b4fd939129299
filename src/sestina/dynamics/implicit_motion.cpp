#include "sestina/dynamics/implicit_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sestina/base/index.h"
#include "sestina/dynamics/cables.h"
#include "sestina/joints/joint_list.h"
#include "sestina/numerics/copy_state.h"
#include "sestina/numerics/dependency_search.h"

namespace sestina {
namespace {

// Up to this number of speeds the pattern of coupled joints is taken to be full: finding it would save
// nothing.
constexpr int kFull = 24;
// Costs in evaluations of the residual: tangents in closed form, with the matrix factored; and for each group
// of speeds two or three evaluations on dual numbers.
constexpr double kCostOfClosedForms = 10.0, kCostOfGroup = 5.0;

template <class T>
double value_of(const T& x) {
  if constexpr (std::is_same_v<T, double>) {
    return x;
  } else {
    return x.v;
  }
}

// Marks the residuals of all nodes that share a beam element with a node of these speeds (nu marks).
void mark_neighbours(std::span<const BeamForces::Element> elements, std::span<const char> speeds,
                     std::span<char> depends) {
  for (const BeamForces::Element& element : elements) {
    bool is_reached = false;
    for (int k = 0; k < 12; ++k) is_reached = is_reached || speeds[at(element.speed(k / 6, k % 6))] != 0;
    for (int k = 0; is_reached && k < 12; ++k) depends[at(element.speed(k / 6, k % 6))] = 1;
  }
}

int rows_of_constraints(const Model& model) {
  int rows = 0;
  for (const ConstraintInfo& constraint : model.constraints()) rows += constraint.rows;
  return rows;
}

// Returns the places of the numbers of a part of a pattern among those of all.
std::vector<std::size_t> find_places(const SparsePattern& part, const SparsePattern& all) {
  std::vector<std::size_t> places(part.size());
  part.for_each([&](int i, int j, int p) { places[at(p)] = all.place(i, j); });
  return places;
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
  rotors_turn_with_bodies =
      !model.reduced_bodies().empty() ||
      std::ranges::any_of(model.cut_joints(), [](const auto& cut) { return cut.armature_row >= 0; });
  has_rotors = rotors_turn_with_bodies || model.has_inertia_rows();
  rows.wants_bias = has_rotors;
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
  if (!lambda.empty()) update_constraint_rows(model, numbers, state, kinematics, rows, &forces.cut);
}

// The residual from forces that do not contain those of conditions.
template <class T>
void ImplicitMotion::Run<T>::update_residual(const Model& model, const Properties<T>& numbers,
                                             std::span<const double> multipliers) {
  if (!lambda.empty()) {
    if (rotors_turn_with_bodies)
      update_inverse_dynamics<T>(model, numbers, kinematics, forces, udot, inverse);
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

ImplicitMotion::ImplicitMotion(const Model& model, const Properties<double>& properties, bool closed_forms)
    : model_(model),
      numbers_(properties),
      dual_numbers_(calc_properties<Dual>(
          model, std::vector<Dual>(properties.parameters.begin(), properties.parameters.end()))),
      beams_(model, properties),
      belts_(model, properties),
      plain_(model),
      dual_(model),
      tau_(at(model.nu())),
      body_(model.num_frames()) {
  for (BodyIndex b(1); b.value() < model.bodies().size(); b = BodyIndex(b.value() + 1)) {
    body_of_speed_.insert(body_of_speed_.end(), at(model.bodies()[b].nu), b);
  }
  dual_numbers_.forces.connectors.clear_beams();
  belts_.hold(dual_numbers_.forces.connectors.held);
  state_.q.resize(at(model.nq()));
  state_.u.resize(at(model.nu()));
  state_.x.resize(at(model.nx()));
  state_.d.resize(at(model.nd()));
  state_.h.resize(at(model.nh()));
  const std::vector<double> parameters = numbers_.parameters;
  const State<double> start = calc_initial_state<double>(model_, parameters);
  if (closed_forms && FloatingTangents::serve(model, properties)) {
    floating_.emplace(model, dual_numbers_);
    dual_numbers_.forces.spring_dampers.clear();
    if (model.forces_use_cut_joints()) find_drives(start);
  }
  const int nw = model.nu() + model.nx(), rows = model.constraint_rows();
  first_row_ = floating_ ? rows - rows_of_constraints(model) : 0;
  if (!floating_ && nw <= kFull) {
    rest_ = make_full_pattern(nw, nw);
    row_rest_ = make_full_pattern(rows, nw);
  } else {
    find_pattern(start);
  }
  merge_with_closed_forms();
  find_groups();
  find_places_of_beams(), find_places_of_belts();
  if (floating_) find_masses_of_cables();
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

// If a condition has no derivative at the state, such as a distance between coincident points, all
// coordinates are moved a little, each by a different amount.
void ImplicitMotion::leave_singular_state(const State<double>& start, std::span<const double> wdot) {
  const std::vector<double> ones(dual_.lambda.size(), 1.0);
  evaluate(ones);
  bool is_regular = true;
  for (int i = 0; i < rest_.rows; ++i) is_regular = is_regular && std::isfinite(dual_.residual(at(i)).d);
  for (int i = first_row_; i < row_rest_.rows; ++i) {
    is_regular = is_regular && std::isfinite(dual_.rows.rows[at(i)].velocity.d);
  }
  if (is_regular) return;
  State<double> moved = start;
  std::vector<double> displacement(start.u.size());
  for (std::size_t k = 0; k < displacement.size(); ++k) {
    displacement[k] = 0.3 * std::fmod(std::numbers::phi * static_cast<double>(k + 1), 1.0);  // rad, m
  }
  plus_q<double>(model_, start.q, displacement, moved.q);
  set_state(moved, wdot);
}

void ImplicitMotion::find_pattern(const State<double>& start) {
  const std::vector<double> no_wdot(start.u.size() + start.x.size(), 0.0), ones(dual_.lambda.size(), 1.0);
  set_state(start, no_wdot);
  rest_.rows = model_.nu() + model_.nx();
  row_rest_.rows = model_.constraint_rows();
  if (floating_ && !has_forces_and_constraints()) {
    rest_.starts.resize(at(rest_.rows + 1)), row_rest_.starts.resize(at(rest_.rows + 1));
    return;
  }
  leave_singular_state(start, no_wdot);
  std::vector<Direction> directions;
  for (const BodyInfo& body : model_.bodies()) {
    if (body.nu > 0) directions.push_back({body.q_start, body.nq, body.u_start, body.nu, -1});
  }
  for (int k = 0; k < model_.nx(); ++k) directions.push_back({0, 0, 0, 0, k});
  std::vector<Direction> chosen;
  const auto found = find_dependencies(static_cast<int>(directions.size()), rest_.rows + row_rest_.rows,
                                       [&](std::span<const int> inputs, std::span<char> depends) {
                                         chosen.clear();
                                         for (const int k : inputs) chosen.push_back(directions[at(k)]);
                                         mark_dependent(chosen, ones, depends);
                                       });
  for (std::size_t k = 0; k < found.size(); ++k) {
    add_columns_to_pattern(directions[k].x < 0 ? directions[k].nu : 1, found[k]);
  }
}

// A derivative that is NaN makes everything NaN that depends on it. All directions of a joint are seeded
// together: what depends on one of them depends on the others in general.
void ImplicitMotion::mark_dependent(std::span<const Direction> directions, std::span<const double> lambda,
                                    std::span<char> depends) {
  const auto set = [&](double d) {
    for (const Direction& direction : directions) {
      for (int i = 0; i < direction.nq; ++i) state_.q[at(direction.q + i)].d = d;
      for (int k = 0; k < direction.nu; ++k) {
        state_.u[at(direction.u + k)].d = dual_.udot[at(direction.u + k)].d = d;
      }
      if (direction.x < 0) continue;
      state_.x[at(direction.x)].d = d;
      if (!floating_) dual_.xdot[at(direction.x)].d = d;
    }
  };
  set(std::numeric_limits<double>::quiet_NaN());
  evaluate(lambda);
  set(0.0);
  for (int i = 0; i < rest_.rows; ++i) depends[at(i)] = std::isnan(dual_.residual(at(i)).d);
  for (int i = first_row_; i < row_rest_.rows; ++i) {
    depends[at(rest_.rows + i)] = std::isnan(dual_.rows.rows[at(i)].velocity.d);
  }
  if (floating_ || beams_.elements().empty()) return;
  std::vector<char> speeds(at(model_.nu()), 0);
  for (const Direction& direction : directions) {
    std::fill_n(speeds.begin() + direction.u, direction.nu, 1);
  }
  mark_neighbours(beams_.elements(), speeds, depends);
}

// Appends `count` equal columns; `results` are numbers of r, then of v.
void ImplicitMotion::add_columns_to_pattern(int count, std::span<const int> results) {
  for (int k = 0; k < count; ++k) {
    for (const int i : results) {
      (i < rest_.rows ? rest_ : row_rest_).row_of.push_back(i < rest_.rows ? i : i - rest_.rows);
    }
    rest_.starts.push_back(static_cast<int>(rest_.row_of.size()));
    row_rest_.starts.push_back(static_cast<int>(row_rest_.row_of.size()));
  }
}

// True if floating bodies are subject to anything other than inertia, gravity, beams, springs between points,
// and cut joints with their drives.
bool ImplicitMotion::has_forces_and_constraints() const {
  const ForceSet<Dual>& forces = dual_numbers_.forces;
  const auto acts_on_body = [&](const auto& element) { return element.u < model_.nu(); };
  return first_row_ < model_.constraint_rows() || model_.nx() > 0 ||
         (model_.forces_use_cut_joints() && drives_.empty()) || !forces.point_forces.empty() ||
         !forces.point_torques.empty() || !forces.connectors.empty() ||
         std::ranges::any_of(forces.joint_springs, acts_on_body) ||
         std::ranges::any_of(forces.joint_dampers, acts_on_body) ||
         std::ranges::any_of(forces.joint_forces, acts_on_body);
}

void ImplicitMotion::merge_with_closed_forms() {
  pattern_ = rest_, row_pattern_ = row_rest_;
  if (floating_ || !belts_.empty()) {
    std::vector<std::vector<int>> of_r(at(rest_.columns())), of_v(of_r.size());
    rest_.for_each([&](int i, int j, int) { of_r[at(j)].push_back(i); });
    row_rest_.for_each([&](int i, int j, int) { of_v[at(j)].push_back(i); });
    for (std::size_t k = at(model_.nu()); k < of_r.size(); ++k) of_r[k].push_back(static_cast<int>(k));
    for (const BeamForces::Element& element : beams_.elements()) {
      element.for_each_number(
          [&](int row, int column, int, int, int, int) { of_r[at(column)].push_back(row); });
    }
    for (const BeltForces::Block& block : belts_.blocks()) {
      block.for_each_number([&](int row, int column, std::size_t) { of_r[at(column)].push_back(row); });
    }
    if (floating_) floating_->add_to_pattern(of_r, of_v);
    pattern_ = make_pattern(rest_.rows, of_r), row_pattern_ = make_pattern(row_rest_.rows, of_v);
    if (floating_) floating_->find_places(pattern_, row_pattern_);
  }
  places_ = find_places(rest_, pattern_), row_places_ = find_places(row_rest_, row_pattern_);
}

void ImplicitMotion::find_places_of_beams() {
  for (const BeamForces::Element& element : beams_.elements()) {
    element.for_each_number([&](int row, int column, int, int, int k, int) {
      if (k % 3 == 0) beam_places_.push_back(pattern_.place(row, column));
    });
  }
}

void ImplicitMotion::find_places_of_belts() {
  for (const BeltForces::Block& block : belts_.blocks()) {
    block.for_each_number(
        [&](int row, int column, std::size_t) { belt_places_.push_back(pattern_.place(row, column)); });
  }
}

void ImplicitMotion::find_masses_of_cables() {
  if (numbers_.cable_elements.empty()) return;
  ConstraintRows<double> rows(model_);
  set_cable_rows(model_, numbers_, rows);
  for (const ConstraintRow<double>& row : rows.rows) {
    if (!row.is_inertia) continue;
    const std::span terms = std::span(rows.terms).subspan(at(row.first_term), at(row.terms));
    for (const SpeedTerm<double>& a : terms) {
      for (const SpeedTerm<double>& b : terms) {
        cable_masses_.emplace_back(pattern_.place(a.speed, b.speed), a.coefficient * b.coefficient);
      }
    }
  }
  for (BodyIndex b(1); b.value() < model_.bodies().size(); ++b) {
    const int u = model_.bodies()[b].u_start;
    if (model_.bodies()[b].is_mode)
      cable_masses_.emplace_back(pattern_.place(u, u), numbers_.bodies[b].armature);
  }
}

// Assigns each speed to the first group whose speeds share no number of r and v with it.
void ImplicitMotion::find_groups() {
  std::vector<std::vector<char>> taken;  // by group: rows of r, then of v
  const auto rows_of = [&](int k, auto&& f) {
    for (int p = rest_.starts[at(k)]; p < rest_.starts[at(k) + 1]; ++p) f(at(rest_.row_of[at(p)]));
    for (int p = row_rest_.starts[at(k)]; p < row_rest_.starts[at(k) + 1]; ++p) {
      f(at(rest_.rows + row_rest_.row_of[at(p)]));
    }
  };
  std::vector<std::size_t> numbers;
  for (int k = 0; k < rest_.rows; ++k) {
    std::size_t group = 0;
    numbers.clear();
    rows_of(k, [&](std::size_t i) { numbers.push_back(i); });
    if (numbers.empty()) continue;
    const auto is_taken = [&](std::size_t i) { return taken[group][i] != 0; };
    while (group < groups_.size() && std::ranges::any_of(numbers, is_taken)) ++group;
    if (group == groups_.size()) {
      groups_.emplace_back();
      taken.emplace_back(at(rest_.rows + row_rest_.rows), 0);
    }
    groups_[group].push_back(k);
    for (const std::size_t i : numbers) taken[group][i] = 1;
  }
}

// ---- tangents ---------------------------------------------------------------------------------------------

double ImplicitMotion::tangent_cost() const {
  return kCostOfClosedForms + kCostOfGroup * static_cast<double>(groups_.size());
}

void ImplicitMotion::set_state(const State<double>& state, std::span<const double> wdot) {
  copy_state(state, state_);
  copy_values(wdot.first(dual_.udot.size()), dual_.udot);
  copy_values(wdot.subspan(dual_.udot.size()), dual_.xdot);
}

void ImplicitMotion::evaluate(std::span<const double> lambda) {
  if (floating_) return evaluate_rest(lambda);
  dual_.update_forces(model_, dual_numbers_, state_);
  dual_.update_residual(model_, dual_numbers_, lambda);
}

// Forces and constraints on floating bodies, for which H is the identity.
void ImplicitMotion::evaluate_rest(std::span<const double> lambda) {
  update_kinematics(model_, dual_numbers_, state_, dual_.kinematics);
  update_applied_forces(model_, dual_numbers_, state_, dual_.kinematics, dual_.forces);
  if (first_row_ < model_.constraint_rows()) {
    update_constraint_rows(model_, dual_numbers_, state_, dual_.kinematics, dual_.rows, &dual_.forces.cut);
    std::copy(lambda.begin() + first_row_, lambda.end(), dual_.lambda.begin() + first_row_);
    add_constraint_forces<Dual>(dual_.rows, dual_.lambda, dual_.forces.tau, dual_.forces.body);
  }
  for (BodyIndex b(1); b.value() < model_.bodies().size(); ++b) {
    const BodyInfo& info = model_.bodies()[b];
    const Vec6<Dual> force = to_vec6(dual_.forces.body[at(b.value())]);
    for (int k = 0; k < info.nu; ++k) {
      dual_.inverse.residual[at(info.u_start + k)] =
          -(dual_.forces.tau[at(info.u_start + k)] + force[6 - info.nu + k]);
    }
  }
}

// A displacement changes the coordinates of its own joint only.
void ImplicitMotion::seed_q(int k, const State<double>& state, double size) {
  if (k >= model_.nu()) return;  // a state
  const BodyInfo& body = model_.bodies()[body_of_speed_[at(k)]];
  std::array<double, 6> unit{};
  std::array<double, 7> qdot{};
  unit[at(k - body.u_start)] = size;
  visit_joint(numbers_.bodies[body_of_speed_[at(k)]].joint, [&](const auto& joint) {
    joint.q_dot(state.q.data() + body.q_start, unit.data(), qdot.data());
  });
  for (int i = 0; i < body.nq; ++i) state_.q[at(body.q_start + i)].d = qdot[at(i)];
}

template <class Seed>
void ImplicitMotion::take_columns(std::span<const double> lambda, std::vector<double>& of_r,
                                  std::vector<double>& of_v, const Seed& seed) {
  for (const std::vector<int>& group : groups_) {
    for (const int k : group) seed(k, 1.0);
    evaluate(lambda);
    for (const int k : group) seed(k, 0.0);
    for (const int k : group) {
      for (int p = rest_.starts[at(k)]; p < rest_.starts[at(k) + 1]; ++p) {
        of_r[places_[at(p)]] += dual_.residual(at(rest_.row_of[at(p)])).d;
      }
      for (int p = row_rest_.starts[at(k)]; p < row_rest_.starts[at(k) + 1]; ++p) {
        const ConstraintRow<Dual>& row = dual_.rows.rows[at(row_rest_.row_of[at(p)])];
        of_v[row_places_[at(p)]] += row.is_inertia ? 0.0 : row.velocity.d;
      }
    }
  }
}

// Motion and forces do not depend on udot and are evaluated once.
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
      for (int p = rest_.starts[at(k)]; p < rest_.starts[at(k) + 1]; ++p) {
        M[places_[at(p)]] = dual_.residual(at(rest_.row_of[at(p)])).d;
      }
    }
    for (const int k : group) seed(k, 0.0);
  }
}

void ImplicitMotion::update_tangents(const State<double>& state, std::span<const double> wdot,
                                     std::span<const double> lambda) {
  set_state(state, wdot);
  for (auto* values : {&M, &D, &K, &C, &v_q}) std::ranges::fill(*values, 0.0);
  if (!belts_.empty()) {
    update_kinematics(model_, numbers_, state, plain_.kinematics);
    belts_.update(state, plain_.kinematics, dual_numbers_);
    belts_.hold(dual_numbers_.forces.connectors.held);
  }
  if (floating_) {
    add_closed_forms(state, wdot, lambda);
  } else {
    take_mass_columns(lambda);
  }
  take_columns(lambda, K, v_q, [&](int k, double size) { seed_q(k, state, size); });
  take_columns(lambda, D, C, [&](int k, double size) {
    (k < model_.nu() ? state_.u[at(k)] : state_.x[at(k - model_.nu())]).d = size;
  });
  if (!beams_.empty()) add_beams(state);
  if (!belts_.empty()) add_belts();
}

// ---- floating bodies --------------------------------------------------------------------------------------

// Tests whether each cut joint is driven by its own coordinates and speeds alone, which affect nothing else.
void ImplicitMotion::find_drives(const State<double>& start) {
  const double spoiled = std::numeric_limits<double>::quiet_NaN();
  auto& cut = dual_.forces.cut;
  const auto tau = std::span(cut.tau).subspan(start.u.size());
  const auto is_spoiled = [](const auto& values) {
    return std::ranges::any_of(values, [](const Dual& x) { return std::isnan(x.d); });
  };
  const auto update = [&](double of_state) {
    for (auto* part : {&state_.q, &state_.u, &state_.x}) {
      for (Dual& x : *part) x.d = of_state;
    }
    update_kinematics(model_, dual_numbers_, state_, dual_.kinematics);
    update_applied_forces(model_, dual_numbers_, state_, dual_.kinematics, dual_.forces);
  };
  cut.are_given = true;
  set_state(start, std::vector<double>(start.u.size() + start.x.size(), 0.0));
  std::copy_n(start.h.begin(), cut.q.size() - start.q.size(),
              cut.q.begin() + static_cast<long>(start.q.size()));
  update(spoiled);
  bool is_own = !is_spoiled(tau);
  update(0.0);
  for (const CutJointInfo& info : model_.cut_joints()) {
    const auto seed = [&](double d) {
      for (int i = 0; i < info.nq; ++i) cut.q[start.q.size() + at(info.q_start + i)].d = d;
      for (int i = 0; i < info.nu; ++i) cut.u[start.u.size() + at(info.u_start + i)].d = d;
    };
    seed(spoiled);
    update_applied_forces(model_, dual_numbers_, state_, dual_.kinematics, dual_.forces);
    seed(0.0);
    for (int i = 0; i < info.nu; ++i) tau[at(info.u_start + i)].d = 0.0;
    is_own = is_own && !is_spoiled(tau) && !is_spoiled(dual_.forces.tau) && !is_spoiled(dual_.forces.rates);
    for (const SpatialForce<Dual>& force : dual_.forces.body)
      is_own = is_own && !is_spoiled(to_vec6(force).x);
  }
  cut.are_given = is_own;
  if (is_own) drives_.resize(model_.cut_joints().size());
}

// Differentiates with respect to one coordinate or speed of all joints at a time.
void ImplicitMotion::update_drives() {
  auto& cut = dual_.forces.cut;
  const std::size_t nq = state_.q.size(), nu = state_.u.size();
  copy_values(plain_.rows.cut_q, std::span(cut.q).subspan(nq));
  copy_values(plain_.rows.cut_u, std::span(cut.u).subspan(nu));
  const auto take = [&](std::vector<Dual>& values, std::size_t first, auto start_of, auto count_of,
                        auto&& put) {
    for (int c = 0; c < 7; ++c) {
      bool any = false;
      for (const CutJointInfo& info : model_.cut_joints()) {
        if (c >= info.*count_of) continue;
        values[first + at(info.*start_of + c)].d = 1.0;
        any = true;
      }
      if (!any) break;
      update_applied_forces(model_, dual_numbers_, state_, dual_.kinematics, dual_.forces);
      for (std::size_t i = 0; i < drives_.size(); ++i) {
        const CutJointInfo& info = model_.cut_joints()[i];
        if (c >= info.*count_of) continue;
        values[first + at(info.*start_of + c)].d = 0.0;
        for (int j = 0; j < info.nu; ++j) put(drives_[i], j, c, cut.tau[nu + at(info.u_start + j)].d);
      }
    }
  };
  take(cut.q, nq, &CutJointInfo::q_start, &CutJointInfo::nq,
       [](FloatingTangents::Drive& drive, int j, int c, double d) { drive.by_q[j][c] = d; });
  take(cut.u, nu, &CutJointInfo::u_start, &CutJointInfo::nu,
       [](FloatingTangents::Drive& drive, int j, int c, double d) { drive.by_u[j][c] = d; });
}

void ImplicitMotion::add_closed_forms(const State<double>& state, std::span<const double> wdot,
                                      std::span<const double> lambda) {
  plain_.update_forces(model_, numbers_, state);
  for (BodyIndex b(1); b.value() < model_.bodies().size(); ++b) {
    const BodyInfo& info = model_.bodies()[b];
    Vec6<double> A;
    for (int k = 0; k < info.nu; ++k) A[6 - info.nu + k] = wdot[at(info.u_start + k)];
    plain_.inverse.acceleration[at(b.value())] = to_motion(A);
  }
  FloatingTangents::DrivenJoints driven;
  if (!drives_.empty()) {
    update_drives();
    driven = {drives_, plain_.forces.cut.forces, std::span(plain_.forces.cut.tau).subspan(state.u.size())};
  }
  floating_->add(numbers_, plain_.kinematics, plain_.inverse.acceleration, plain_.rows, lambda, driven,
                 {M, D, K, C, v_q});
  for (const auto& [place, mass] : cable_masses_) M[place] += mass;
  for (int k = model_.nu(); k < pattern_.rows; ++k) M[pattern_.place(k, k)] = 1.0;
}

// Three rows are consecutive in the pattern.
void ImplicitMotion::add_beams(const State<double>& state) {
  update_kinematics(model_, numbers_, state, plain_.kinematics);
  beams_.update(state, plain_.kinematics);
  auto place = beam_places_.begin();
  for (const BeamForces::Element& element : beams_.elements()) {
    element.for_each_number([&](int, int, int i, int j, int k, int l) {
      const std::size_t p = *place + at(k % 3);
      K[p] += element.K[i][j].m[k][l];
      D[p] += element.D[i][j].m[k][l];
      if (k % 3 == 2) ++place;
    });
  }
}

void ImplicitMotion::add_belts() {
  const std::size_t* places = belt_places_.data();
  for (const BeltForces::Block& block : belts_.blocks()) {
    const std::size_t n = block.numbers.size();
    if (block.is_zero) {
      for (std::size_t i = 0; i < n; ++i) D[places[i * n + i]] += block.D[i * n + i];
    } else {
      for (std::size_t i = 0; i < n * n; ++i) K[places[i]] += block.K[i], D[places[i]] += block.D[i];
    }
    places += n * n;
  }
}

}  // namespace sestina
