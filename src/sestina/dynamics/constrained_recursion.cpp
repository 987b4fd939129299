#include "sestina/dynamics/constrained_recursion.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sestina/model/properties.h"

namespace sestina {
namespace {

// The scale of a row, below whose kSmallPivot a pivot of (5) counts as zero, is the sum of
// (k^2 + kRoundingOfK |K|^2 |H|^2) / D. The second term accounts for a small D, which magnifies the round-off
// of a k that should be zero.
constexpr double kRoundingOfK = 1e-6;
// A multiplier that exerts no force counts as zero below this, beside the 1 of its redundant condition.
constexpr double kIdleRoundOff = 1e-14;

using Block = OpenRows::Block;

double squared_norm(const SpatialForce<double>& f, double length) {
  return dot(f.torque, f.torque) / (length * length) + dot(f.force, f.force);
}
double squared_norm(const SpatialMotion<double>& a, double length) {
  return length * length * dot(a.w, a.w) + dot(a.v, a.v);
}

// I of a rigid body without children.
void start_inertia(const RigidInertia<double>& M, ArticulatedRows<double>& I) {
  Lanes3<double>::symmetric_rows(M.J, I.J);
  Lanes3<double>::cross_rows(M.mass * Lanes3<double>(M.c), I.B);
  I.m[0] = {M.mass, 0.0, 0.0}, I.m[1] = {0.0, M.mass, 0.0}, I.m[2] = {0.0, 0.0, M.mass};
}

ConstrainedRecursion::Part whole_tree(const Model& model) {
  ConstrainedRecursion::Part whole;
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) whole.bodies.push_back(b);
  whole.base = kGround;
  return whole;
}

std::size_t count_on_ground(const Model& model) {
  std::size_t count = 0;
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) count += model.bodies()[b].parent == kGround;
  return std::max<std::size_t>(count, 1);
}

}  // namespace

ConstrainedRecursion::ConstrainedRecursion(const Model& model)
    : ConstrainedRecursion(model, whole_tree(model), count_on_ground(model)) {
  is_part_ = false;
}

ConstrainedRecursion::ConstrainedRecursion(const Model& model, const Part& part)
    : ConstrainedRecursion(model, part, 1) {}

ConstrainedRecursion::ConstrainedRecursion(const Model& model, const Part& part, std::size_t num_bases)
    : model_(&model),
      is_part_(true),
      base_moves_(part.base != kGround),
      num_bases_(num_bases),
      links_(part.bodies.size() + num_bases) {
  std::size_t columns = 0, next_base = 0;
  for (std::size_t b = 0; b < num_bases; ++b) links_[b].body = part.base.value();
  // The parents of most bodies are near: the search from the end is short.
  const auto find = [&](BodyIndex body, std::size_t end) {
    while (end > 0 && links_[end].body != body.value()) --end;
    return end;
  };
  for (std::size_t i = num_bases; i < links_.size(); ++i) {
    const BodyIndex body = part.bodies[i - num_bases];
    const BodyInfo& info = model.bodies()[body];
    const bool turns = info.joint_type == JointType::kRevolute || info.joint_type == JointType::kSpherical;
    const std::size_t parent =
        info.parent == part.base ? std::min(next_base++, num_bases - 1) : find(info.parent, i - 1);
    links_[i] = {.body = body.value(),
                 .parent = static_cast<int>(parent),
                 .u_start = info.u_start,
                 .nu = info.nu,
                 .column = columns,
                 .turns = turns};
    columns += static_cast<std::size_t>(info.nu);
  }
  if (part.handle.is_valid()) handle_ = find(part.handle, links_.size() - 1);
  acting_rows_.resize(links_.size());
  term_rows_.resize(columns);
  inertia_.resize(links_.size());
  open_.resize(links_.size());
  open_place_.resize(links_.size());
  columns_.resize(columns);
  eliminations_of_.resize(links_.size());
  completes_rows_.resize(links_.size());
  redundant_of_.resize(links_.size());
  z_.resize(links_.size());
  A_.resize(links_.size());
}

// Returns the position of the row among the open ones; appends a new row.
std::size_t ConstrainedRecursion::open_row(OpenRows& open, int row) {
  const std::size_t place = open.find(row);
  if (place < open.size()) return place;
  open.append(row);
  // Adds the inertia of (4) in constraint_row.h; a row that opens at two bodies adds it once.
  const auto r = static_cast<std::size_t>(row);
  if (is_inertia_[r] && !has_opened_[r]) open.S(place)[place] = open.scale()[place] = 1.0;
  has_opened_[r] = 1;
  return place;
}

void ConstrainedRecursion::gather_own(std::size_t b, const ConstraintRows<double>& constraints) {
  OpenRows& open = open_at(b);
  const int body = links_[b].body;
  for (const int r : acting_rows_[b]) {
    const std::size_t place = open_row(open, r);
    for_each_pair(constraints, row_of(constraints, r), [&](const FramePair<double>& pair) {
      if (pair.b.value() == body) open.add_to_K(place, sestina::shift_back(pair.force, pair.arm_b));
      if (pair.a.value() == body) open.add_to_K(place, -1.0 * sestina::shift_back(pair.force, pair.arm_a));
    });
  }
  if (b == handle_) open_handle();
  const OpenRows::Lines lines = open.lines();
  for (std::size_t i = 0; i < lines.padded; i += OpenRows::kBlock) {
    OpenRows::Forces(lines, i).update_largest(by_length_squared_, lines, i);
  }
}

// The six components of a force on the handle.
void ConstrainedRecursion::open_handle() {
  OpenRows& open = open_at(handle_);
  for (int i = 0; i < 6; ++i) {
    double one[6] = {};
    one[i] = 1.0;
    open.add_to_K(open_row(open, first_of_handle() + i),
                  {{one[0], one[1], one[2]}, {one[3], one[4], one[5]}});
  }
}

// Sets k to c of (3) and adds its part of the scales.
void ConstrainedRecursion::set_to_terms(const Link& link, int speed,
                                        const ConstraintRows<double>& constraints, double D_inverse,
                                        OpenRows& open, double* k) const {
  std::fill_n(k, open.padded(), 0.0);
  for (const int row : term_rows_[link.column + static_cast<std::size_t>(speed - link.u_start)]) {
    const ConstraintRow<double>& of = row_of(constraints, row);
    double c = 0.0;
    for (int i = of.first_term; i < of.first_term + of.terms; ++i) {
      const SpeedTerm<double>& term = constraints.terms[static_cast<std::size_t>(i)];
      if (term.speed == speed) c += term.coefficient;
    }
    const std::size_t place = open.find(row);
    k[place] += c;
    open.scale()[place] += c * c * D_inverse;
  }
}

// Computes k of (3), which contains c on entry if there are terms, K' of (4) and the scales. For the last
// column of a body, K is also shifted by s to Mo of the parent, where U is given already.
template <bool is_last>
[[gnu::always_inline]] inline void ConstrainedRecursion::pass_column(const SpatialMotion<double>& h,
                                                                     const Vec3<double>& s,
                                                                     const Column& column,
                                                                     const OpenRows::Lines& lines,
                                                                     bool has_terms, double* k) const {
  const double rounding = kRoundingOfK * squared_norm(h, length_), D_inverse = column.D_inverse;
  const Vec3<double> w = h.w, v = h.v, torque = column.U.torque, force = column.U.force;
  for (std::size_t i = 0; i < lines.padded; i += OpenRows::kBlock) {
    OpenRows::Forces forces(lines, i);
    Block(&K)[6] = forces.K;
    const Block of_K = (w.x * K[0] + w.y * K[1] + w.z * K[2]) + (v.x * K[3] + v.y * K[4] + v.z * K[5]);
    const Block size = of_K * of_K + rounding * lines.load(OpenRows::kLargestK, i).block;
    lines.store(lines.load(OpenRows::kScale, i).block + D_inverse * size, OpenRows::kScale, i);
    const Block sum = has_terms ? OpenRows::load(k + i).block + of_K : of_K, part = D_inverse * sum;
    OpenRows::store(sum, k + i);
    if (is_last) forces.shift_back(s);
    K[0] -= torque.x * part, K[1] -= torque.y * part, K[2] -= torque.z * part;
    K[3] -= force.x * part, K[4] -= force.y * part, K[5] -= force.z * part;
    if (is_last) forces.update_largest(by_length_squared_, lines, i);
    forces.store(lines, i);
  }
}

// (3), (4), then the shift of the body's inertia and forces from its Mo to that of its parent.
void ConstrainedRecursion::eliminate_columns(std::size_t b, const Properties<double>& properties,
                                             const Kinematics<double>& kinematics,
                                             const ConstraintRows<double>& constraints,
                                             SolveReport<double>& report) {
  const Link& link = links_[b];
  OpenRows& open = open_at(b);
  ArticulatedRows<double> I = inertia_[b];
  for (std::size_t c = link.column; c < link.column + static_cast<std::size_t>(link.nu); ++c) {
    for (const int row : term_rows_[c]) open_row(open, row);
  }
  const std::size_t rows = pivots_.list(open);
  const Vec3<double>& s = kinematics.s[static_cast<std::size_t>(link.body)];
  const double J_trace = I.J[0][0] + I.J[1][1] + I.J[2][2];
  const double m_trace = I.m[0][0] + I.m[1][1] + I.m[2][2];
  for (int speed = link.u_start; speed < link.u_start + link.nu; ++speed) {
    const bool is_last = speed == link.u_start + link.nu - 1;
    const SpatialMotion<double>& h = kinematics.H[static_cast<std::size_t>(speed)];
    const std::size_t c = link.column + static_cast<std::size_t>(speed - link.u_start);
    Column& column = columns_[c];
    ForceLanes<double> U = link.turns ? I.times_turn(h.w) : I.times(h);
    double D = link.turns ? dot(Lanes3<double>(h.w), U.torque) : dot(h, U);
    if (link.nu == 1) D += properties.bodies[BodyIndex(link.body)].armature;
    const double largest = dot(h.w, h.w) * J_trace + dot(h.v, h.v) * m_trace;
    report.check_pivot(D, largest, speed);
    loses_digits_ |= D < kPivotThatLosesDigits * largest;
    column.D_inverse = 1.0 / D;
    if (is_last) {  // shifted while D is divided
      U.shift_back(Lanes3<double>(s));
      I.shift_back(s);
    }
    column.U = U.unpacked();
    I.subtract_outer(column.U, column.D_inverse * U);
    column.k = {pivots_.used_values(), rows, open.size()};
    if (open.empty()) continue;
    mobility_ = std::max(mobility_, squared_norm(h, length_) * column.D_inverse);
    double* const k = pivots_.reserve(open.padded());
    const bool has_terms = !term_rows_[c].empty();
    if (has_terms) set_to_terms(link, speed, constraints, column.D_inverse, open, k);
    if (is_last) {
      pass_column<true>(h, s, column, open.lines(), has_terms, k);
    } else {
      pass_column<false>(h, s, column, open.lines(), has_terms, k);
    }
    add_to_S(column.D_inverse, open.size(), open.lines(), k);
  }
  if (link.nu == 0) shift_back(s, I, open);
  if (link.parent >= static_cast<int>(num_bases_) || base_moves_)
    inertia_[static_cast<std::size_t>(link.parent)] += I;
}

// The shift for a body whose joint has no column.
void ConstrainedRecursion::shift_back(const Vec3<double>& s, ArticulatedRows<double>& I,
                                      OpenRows& open) const {
  I.shift_back(s);
  const OpenRows::Lines lines = open.lines();
  for (std::size_t i = 0; i < lines.padded; i += OpenRows::kBlock) {
    OpenRows::Forces forces(lines, i);
    forces.shift_back(s);
    forces.update_largest(by_length_squared_, lines, i);
    forces.store(lines, i);
  }
}

// Eliminates the complete conditions of a body.
void ConstrainedRecursion::eliminate_rows(std::size_t b) {
  OpenRows& open = open_at(b);
  const bool moves = b >= num_bases_ || base_moves_;
  const auto is_complete = [&](int row) {
    return complete_at_[static_cast<std::size_t>(row)] >= static_cast<int>(b);
  };
  eliminations_of_[b] = {pivots_.eliminations().size(), 0};
  redundant_of_[b] = {redundant_.size(), 0};
  for (;;) {
    const std::size_t i = ConditionPivots::find_pivot(open, is_complete, smallest_allowed_);
    if (i == open.size()) break;
    smallest_pivot_ = std::min(smallest_pivot_, open.S(i)[i] / (open.largest_K()[i] * mobility_));
    const ConditionPivots::Elimination& elimination = pivots_.eliminate(open, i, moves);
    if (!moves) continue;
    const SpatialForce<double> W = -elimination.S_inverse * elimination.K;
    inertia_[b].subtract_outer(elimination.K, {Lanes3<double>(W.torque), Lanes3<double>(W.force)});
  }
  eliminations_of_[b].count = pivots_.eliminations().size() - eliminations_of_[b].first;
  for (std::size_t i = open.size(); i-- > 0;) {
    const int row = open.row(i);
    if (!is_complete(row)) continue;
    constexpr double kIdle = ConditionPivots::kIdleForce * ConditionPivots::kIdleForce;
    if ((moves && squared_norm(open.K_of(i), length_) > kIdle * open.largest_K()[i]) ||
        (handle_ > 0 && ConditionPivots::couples_with(open, i, first_of_handle(), first_of_handle() + 6))) {
      has_late_rows_ = true;
      continue;
    }
    has_passed_on_redundant_ |= complete_at_[static_cast<std::size_t>(row)] > static_cast<int>(b);
    redundant_.push_back(row);
    found_after_.push_back(pivots_.eliminations().size());
    open.remove(i);
  }
  redundant_of_[b].count = redundant_.size() - redundant_of_[b].first;
}

// Passes the open conditions of a body to its parent.
void ConstrainedRecursion::pass_on(std::size_t b) {
  const auto p = static_cast<std::size_t>(links_[b].parent);
  OpenRows& from = open_at(b);
  OpenRows& to = open_at(p);
  if (to.empty()) {  // as in a chain: the parent takes over the whole list
    std::swap(open_place_[b], open_place_[p]);
    return;
  }
  const std::size_t n = from.size();
  place_.resize(std::max(place_.size(), n));
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t place = place_[i] = open_row(to, from.row(i));
    to.add_to_K(place, from.K_of(i));
    to.scale()[place] += from.scale()[i];
    to.largest_K()[place] = std::max(to.largest_K()[place], from.largest_K()[i]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    double* const S = to.S(place_[i]);
    for (std::size_t j = 0; j < n; ++j) S[place_[j]] += from.S(i)[j];
  }
}

SolveReport<double> ConstrainedRecursion::factor(const Properties<double>& properties,
                                                 const Kinematics<double>& kinematics,
                                                 const ConstraintRows<double>& constraints) {
  if (!is_laid_out_) {
    PartRows all{std::vector<int>(constraints.rows.size()), std::vector<char>(constraints.rows.size(), 1),
                 std::vector<char>(constraints.rows.size(), 1)};
    std::iota(all.rows.begin(), all.rows.end(), 0);
    lay_out(constraints, std::move(all));
  }
  length_ = properties.constraints.length;
  smallest_pivot_ = 1.0;
  mobility_ = 0.0;
  SolveReport<double> report;
  by_length_squared_ = 1.0 / (length_ * length_);
  loses_digits_ = false;
  pivots_.clear(), redundant_.clear(), found_after_.clear();
  has_passed_on_redundant_ = has_late_rows_ = false;
  for (std::size_t r = 0; r < part_rows_.rows.size(); ++r) {
    is_inertia_[r] = row_of(constraints, static_cast<int>(r)).is_inertia;
    has_opened_[r] = !part_rows_.owns[r];
  }
  std::iota(open_place_.begin(), open_place_.end(), std::size_t{0});  // so that no later call allocates
  for (std::size_t b = 0; b < links_.size(); ++b) {
    open_[b].clear();
    open_[b].listed = OpenRows::kNone;
    if (b >= num_bases_)
      start_inertia(kinematics.inertia[static_cast<std::size_t>(links_[b].body)], inertia_[b]);
  }
  if (base_moves_) inertia_[0] = {};
  for (std::size_t b = links_.size(); b-- > num_bases_;) {
    if (!acting_rows_[b].empty() || b == handle_) gather_own(b, constraints);
    eliminations_of_[b].count = redundant_of_[b].count = 0;
    if (completes_rows_[b] || has_late_rows_) eliminate_rows(b);
    eliminate_columns(b, properties, kinematics, constraints, report);
    if (!open_at(b).empty()) pass_on(b);
  }
  for (std::size_t b = num_bases_; b-- > 0;) eliminate_rows(b);
  if (!is_part_) find_idle_multipliers();
  return report;
}

// If each loop is closed at a single body, only conditions eliminated at the same body take part. Otherwise
// all conditions form one group.
void ConstrainedRecursion::find_idle_multipliers() {
  idle_groups_ = 0;
  if (redundant_.empty()) return;
  find_first_couplings();
  const auto next_group = [&]() -> IdleGroup& {
    if (idle_groups_ == idle_.size()) idle_.emplace_back();
    return idle_[idle_groups_++];
  };
  bool is_local = !has_passed_on_redundant_;
  for (std::size_t b = redundant_of_.size(); b-- > 0 && is_local;) {
    const Range& range = redundant_of_[b];
    if (range.count == 0) continue;
    is_local = find_idle_group(std::span(redundant_).subspan(range.first, range.count), eliminations_of_[b],
                               next_group());
  }
  if (is_local) return;
  idle_groups_ = 0;
  find_idle_group(redundant_, {0, pivots_.eliminations().size()}, next_group());
}

void ConstrainedRecursion::find_first_couplings() {
  first_coupling_.assign(complete_at_.size(), pivots_.eliminations().size());
  for (std::size_t e = pivots_.eliminations().size(); e-- > 0;) {
    const Couplings& S = pivots_.eliminations()[e].S;
    for (std::size_t c = 0; c < S.count; ++c) {
      if (pivots_.value(S, c) == 0.0) continue;
      first_coupling_[static_cast<std::size_t>(pivots_.row(S, c))] = e;
    }
  }
}

// Returns true if idle_values_ of these conditions would give a multiplier to one eliminated before `end`.
bool ConstrainedRecursion::reaches_outboard(std::span<const int> rows, std::size_t end) const {
  std::size_t first = end;
  for (const int row : rows) first = std::min(first, first_coupling_[static_cast<std::size_t>(row)]);
  for (std::size_t e = end; e-- > first;) {
    const ConditionPivots::Elimination& elimination = pivots_.eliminations()[e];
    const double multiplier = pivots_.sum_of(elimination.S, idle_values_) * elimination.S_inverse;
    if (std::abs(multiplier) > kIdleRoundOff) return true;
  }
  return false;
}

// Finds, for each redundant condition, the multipliers that exert no force together, with 1 for the condition
// itself: (5) with A = 0, from the last elimination to the first. Then orthonormalises them by Gram-Schmidt.
// Returns false if conditions that were eliminated before the given ones take part.
bool ConstrainedRecursion::find_idle_group(std::span<const int> redundant, const Range& eliminations,
                                           IdleGroup& group) {
  bool is_local = true;
  group.rows.assign(redundant.begin(), redundant.end());
  const std::size_t first = eliminations.first, end = first + eliminations.count;
  for (std::size_t e = first; e < end; ++e) group.rows.push_back(pivots_.eliminations()[e].row);
  const std::size_t size = group.rows.size();
  group.count = redundant.size();
  group.values.assign(group.count * size, 0.0);
  for (std::size_t i = 0; i < group.count; ++i) {
    for (const int row : group.rows) idle_values_[static_cast<std::size_t>(row)] = 0.0;
    idle_values_[static_cast<std::size_t>(redundant[i])] = 1.0;
    for (std::size_t e = end; e-- > first;) {
      const ConditionPivots::Elimination& elimination = pivots_.eliminations()[e];
      const double sum = pivots_.sum_of(elimination.S, idle_values_);
      idle_values_[static_cast<std::size_t>(elimination.row)] = -sum * elimination.S_inverse;
    }
    is_local = is_local && !reaches_outboard(group.rows, first);
    double* idle = group.values.data() + i * size;
    for (std::size_t k = 0; k < size; ++k) idle[k] = idle_values_[static_cast<std::size_t>(group.rows[k])];
    for (std::size_t j = 0; j < i; ++j) {
      const double* other = group.values.data() + j * size;
      const double part = std::inner_product(idle, idle + size, other, 0.0);
      for (std::size_t k = 0; k < size; ++k) idle[k] -= part * other[k];
    }
    const double norm = std::sqrt(std::inner_product(idle, idle + size, idle, 0.0));
    for (std::size_t k = 0; k < size; ++k) idle[k] /= norm;
  }
  for (const int row : group.rows) idle_values_[static_cast<std::size_t>(row)] = 0.0;
  return is_local;
}

// Passes d of a body's eliminated conditions to the body and to the conditions that stay open: (6).
void ConstrainedRecursion::take_in(std::size_t b) {
  const Range& range = eliminations_of_[b];
  for (std::size_t i = range.first; i < range.first + range.count; ++i) {
    const ConditionPivots::Elimination& elimination = pivots_.eliminations()[i];
    const double part = d_[static_cast<std::size_t>(elimination.row)] * elimination.S_inverse;
    z_[b] += part * elimination.K;
    pivots_.spread(elimination.S, -part, d_);
  }
}

// (5)
void ConstrainedRecursion::find_multipliers(std::size_t b, std::span<double> lambda) const {
  const Range& range = eliminations_of_[b];
  for (std::size_t i = range.first + range.count; i-- > range.first;) {
    const ConditionPivots::Elimination& elimination = pivots_.eliminations()[i];
    const auto r = static_cast<std::size_t>(elimination.row);
    const double sum = pivots_.sum_of(elimination.S, lambda);
    lambda[r] = -(dot(A_[b], elimination.K) + sum + d_[r]) * elimination.S_inverse;
  }
}

void ConstrainedRecursion::solve(const Kinematics<double>& kinematics,
                                 std::span<const SpatialForce<double>> force, std::span<const double> tau,
                                 std::span<const double> d, std::span<double> x, std::span<double> lambda) {
  solve_inward(kinematics, force, tau, d);
  std::fill(lambda.begin(), lambda.end(), 0.0);
  solve_outward(kinematics, {}, x, lambda);
  remove_idle_part(lambda);
}

void ConstrainedRecursion::solve_inward(const Kinematics<double>& kinematics,
                                        std::span<const SpatialForce<double>> force,
                                        std::span<const double> tau, std::span<const double> d) {
  for (std::size_t b = 0; b < z_.size(); ++b) {
    z_[b] = b < num_bases_ ? SpatialForce<double>{} : force[static_cast<std::size_t>(links_[b].body)];
  }
  std::fill(d_.begin(), d_.end(), 0.0);
  for (std::size_t r = 0; r < part_rows_.rows.size(); ++r) {
    if (part_rows_.owns[r]) d_[r] = d[static_cast<std::size_t>(part_rows_.rows[r])];
  }
  for (std::size_t b = z_.size(); b-- > num_bases_;) {
    if (eliminations_of_[b].count > 0) take_in(b);
    const Link& link = links_[b];
    const Vec3<double>& s = kinematics.s[static_cast<std::size_t>(link.body)];
    SpatialForce<double> z = z_[b];
    for (int i = 0; i < link.nu; ++i) {  // (3), (4)
      const auto k = static_cast<std::size_t>(link.u_start + i);
      const SpatialMotion<double>& h = kinematics.H[k];
      Column& column = columns_[link.column + static_cast<std::size_t>(i)];
      column.e = tau[k] - (link.turns ? dot(h.w, z.torque) : dot(h, z));
      const double part = column.e * column.D_inverse;
      if (i == link.nu - 1) z = sestina::shift_back(z, s);
      z += part * column.U;
      pivots_.spread(column.k, part, d_);
    }
    if (link.nu == 0) z = sestina::shift_back(z, s);
    z_[static_cast<std::size_t>(link.parent)] += z;
  }
  for (std::size_t b = num_bases_; b-- > 0;) take_in(b);
}

void ConstrainedRecursion::solve_outward(const Kinematics<double>& kinematics,
                                         const SpatialMotion<double>& A_base, std::span<double> x,
                                         std::span<double> lambda) {
  for (std::size_t b = 0; b < num_bases_; ++b) {
    A_[b] = A_base;
    find_multipliers(b, lambda);
  }
  for (std::size_t b = num_bases_; b < A_.size(); ++b) {  // (7)
    const Link& link = links_[b];
    const SpatialMotion<double>& A_P = A_[static_cast<std::size_t>(link.parent)];
    SpatialMotion<double> A = shift(A_P, kinematics.s[static_cast<std::size_t>(link.body)]);
    for (int i = link.nu - 1; i >= 0; --i) {
      const auto k = static_cast<std::size_t>(link.u_start + i);
      const Column& column = columns_[link.column + static_cast<std::size_t>(i)];
      const double of_A = i == link.nu - 1 ? dot(A_P, column.U) : dot(A, column.U);
      x[k] = (column.e - of_A + pivots_.sum_of(column.k, lambda)) * column.D_inverse;
      A += x[k] * kinematics.H[k];
    }
    A_[b] = A;
    if (eliminations_of_[b].count > 0) find_multipliers(b, lambda);
  }
}

// Makes lambda the solution of least norm.
void ConstrainedRecursion::remove_idle_part(std::span<double> lambda) const {
  for (std::size_t g = 0; g < idle_groups_; ++g) {
    const IdleGroup& group = idle_[g];
    const std::size_t size = group.rows.size();
    for (std::size_t i = 0; i < group.count; ++i) {
      const double* idle = group.values.data() + i * size;
      double part = 0.0;
      for (std::size_t k = 0; k < size; ++k)
        part += idle[k] * lambda[static_cast<std::size_t>(group.rows[k])];
      for (std::size_t k = 0; k < size; ++k)
        lambda[static_cast<std::size_t>(group.rows[k])] -= part * idle[k];
    }
  }
}

}  // namespace sestina
