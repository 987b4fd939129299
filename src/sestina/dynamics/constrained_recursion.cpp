#include "sestina/dynamics/constrained_recursion.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sestina/model/properties.h"

namespace sestina {
namespace {

// A pivot of (5) counts as zero below this fraction of the sum of (k^2 + kRoundingOfK |K|^2 |H|^2) / D. The
// second term accounts for a small D, which magnifies the round-off of a k that should be zero.
constexpr double kSmallPivot = 1e-9;
constexpr double kRoundOffPivot = 1e-20;
constexpr double kRoundingOfK = 1e-6;
// A condition implied by others leaves only round-off in K: this limit is relative to the initial K.
constexpr double kIdleForce = 1e-9;
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

// S' of (4).
[[gnu::always_inline]] inline void add_to_S(double D_inverse, std::size_t size, const OpenRows::Lines& lines,
                                            const double* k) {
  for (std::size_t i = 0; i < lines.padded; i += OpenRows::kBlock) {
    const Block part = D_inverse * OpenRows::load(k + i).block;
    for (std::size_t r = 0; r < size; ++r) {
      double* const S = lines.S(r) + i;
      OpenRows::store(OpenRows::load(S).block + k[r] * part, S);
    }
  }
}

// K += W S^T.
[[gnu::always_inline]] inline void add_to_K(const SpatialForce<double>& W, const double* S,
                                            const OpenRows::Lines& lines) {
  const double of_W[6] = {W.torque.x, W.torque.y, W.torque.z, W.force.x, W.force.y, W.force.z};
  for (std::size_t i = 0; i < lines.padded; i += OpenRows::kBlock) {
    const Block part = OpenRows::load(S + i).block;
    for (std::size_t x = 0; x < 6; ++x) lines.store(lines.load(x, i).block + of_W[x] * part, x, i);
  }
}

}  // namespace

ConstrainedRecursion::ConstrainedRecursion(const Model& model)
    : model_(&model),
      complete_at_(static_cast<std::size_t>(model.constraint_rows())),
      acting_rows_(static_cast<std::size_t>(model.bodies().size())),
      term_rows_(static_cast<std::size_t>(model.nu())),
      inertia_(acting_rows_.size()),
      open_(acting_rows_.size()),
      open_place_(acting_rows_.size()),
      columns_(term_rows_.size()),
      eliminations_of_(acting_rows_.size()),
      is_inertia_(complete_at_.size()),
      has_opened_(complete_at_.size()),
      completes_rows_(acting_rows_.size()),
      redundant_of_(acting_rows_.size()),
      idle_values_(complete_at_.size()),
      z_(acting_rows_.size()),
      A_(acting_rows_.size()),
      d_(complete_at_.size()) {
  for (const BodyInfo& body : model.bodies()) {
    parents_.push_back(body.parent.value());
    turns_.push_back(body.joint_type == JointType::kRevolute || body.joint_type == JointType::kSpherical);
  }
}

// The bodies on which a condition acts never change, so this is computed once.
void ConstrainedRecursion::find_meeting_places(const ConstraintRows<double>& constraints) {
  std::vector<int> body_of_speed(term_rows_.size());
  for (BodyIndex b{1}; b.value() < model_->bodies().size(); ++b) {
    const BodyInfo& info = model_->bodies()[b];
    std::fill_n(body_of_speed.begin() + info.u_start, info.nu, b.value());
  }
  // Parents precede their children.
  const auto meet = [&](int a, int b) {
    while (a != b) (a > b ? a : b) = parents_[static_cast<std::size_t>(std::max(a, b))];
    return a;
  };
  for (std::size_t r = 0; r < complete_at_.size(); ++r) {
    const ConstraintRow<double>& row = constraints.rows[r];
    int meeting = -1;
    const auto include = [&](int body) { meeting = meeting < 0 ? body : meet(meeting, body); };
    for_each_pair(constraints, row, [&](const FramePair<double>& pair) {
      for (const FrameIndex frame : {pair.a, pair.b}) {
        include(frame.value());
        std::vector<int>& acting = acting_rows_[static_cast<std::size_t>(frame.value())];
        if (acting.empty() || acting.back() != static_cast<int>(r)) acting.push_back(static_cast<int>(r));
      }
    });
    for (int i = row.first_term; i < row.first_term + row.terms; ++i) {
      const auto speed = static_cast<std::size_t>(constraints.terms[static_cast<std::size_t>(i)].speed);
      term_rows_[speed].push_back(static_cast<int>(r));
      // A coefficient enters when its joint is eliminated; from then on the condition is open at the parent.
      include(parents_[static_cast<std::size_t>(body_of_speed[speed])]);
    }
    complete_at_[r] = std::max(meeting, 0);
    completes_rows_[static_cast<std::size_t>(complete_at_[r])] = 1;
  }
  is_laid_out_ = true;
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

void ConstrainedRecursion::gather_own(int body, const ConstraintRows<double>& constraints) {
  OpenRows& open = open_at(static_cast<std::size_t>(body));
  for (const int r : acting_rows_[static_cast<std::size_t>(body)]) {
    const ConstraintRow<double>& row = constraints.rows[static_cast<std::size_t>(r)];
    const std::size_t place = open_row(open, r);
    for_each_pair(constraints, row, [&](const FramePair<double>& pair) {
      if (pair.b.value() == body) open.add_to_K(place, sestina::shift_back(pair.force, pair.arm_b));
      if (pair.a.value() == body) open.add_to_K(place, -1.0 * sestina::shift_back(pair.force, pair.arm_a));
    });
  }
  const OpenRows::Lines lines = open.lines();
  for (std::size_t i = 0; i < lines.padded; i += OpenRows::kBlock) {
    OpenRows::Forces(lines, i).update_largest(by_length_squared_, lines, i);
  }
}

// Reserves memory for `count` numbers in whole blocks.
double* ConstrainedRecursion::reserve_couplings(std::size_t count) {
  if (used_values_ + count > coupling_values_.size()) {
    coupling_values_.resize(std::max(2 * coupling_values_.size(), used_values_ + count));
  }
  double* const values = coupling_values_.data() + used_values_;
  used_values_ += count;
  return values;
}

// Returns where the rows are listed in coupling_rows_. Successive bodies with the same rows share one list.
std::size_t ConstrainedRecursion::list_rows(OpenRows& open) {
  if (open.listed != OpenRows::kNone) return open.listed;
  const std::span<const int> rows = open.rows();
  const std::size_t first = used_rows_;
  if (first + rows.size() > coupling_rows_.size()) {
    coupling_rows_.resize(std::max(2 * coupling_rows_.size(), first + rows.size()));
  }
  std::copy(rows.begin(), rows.end(), coupling_rows_.begin() + static_cast<std::ptrdiff_t>(first));
  used_rows_ += rows.size();
  return open.listed = first;
}

// Sets k to c of (3) and adds its part of the scales.
void ConstrainedRecursion::set_to_terms(int speed, const ConstraintRows<double>& constraints,
                                        double D_inverse, OpenRows& open, double* k) const {
  std::fill_n(k, open.padded(), 0.0);
  for (const int row : term_rows_[static_cast<std::size_t>(speed)]) {
    const ConstraintRow<double>& of = constraints.rows[static_cast<std::size_t>(row)];
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
void ConstrainedRecursion::eliminate_columns(int body, const Properties<double>& properties,
                                             const Kinematics<double>& kinematics,
                                             const ConstraintRows<double>& constraints,
                                             SolveReport<double>& report) {
  const auto b = static_cast<std::size_t>(body), p = static_cast<std::size_t>(parents_[b]);
  const BodyInfo& info = model_->bodies()[BodyIndex(body)];
  OpenRows& open = open_at(b);
  ArticulatedRows<double> I = inertia_[b];
  for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {
    for (const int row : term_rows_[static_cast<std::size_t>(speed)]) open_row(open, row);
  }
  const std::size_t rows = list_rows(open);
  const Vec3<double>& s = kinematics.s[b];
  const double J_trace = I.J[0][0] + I.J[1][1] + I.J[2][2];
  const double m_trace = I.m[0][0] + I.m[1][1] + I.m[2][2];
  for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {
    const bool is_last = speed == info.u_start + info.nu - 1;
    const SpatialMotion<double>& h = kinematics.H[static_cast<std::size_t>(speed)];
    Column& column = columns_[static_cast<std::size_t>(speed)];
    ForceLanes<double> U = turns_[b] ? I.times_turn(h.w) : I.times(h);
    double D = turns_[b] ? dot(Lanes3<double>(h.w), U.torque) : dot(h, U);
    if (info.nu == 1) D += properties.bodies[BodyIndex(body)].armature;
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
    column.k = {used_values_, rows, open.size()};
    if (open.empty()) continue;
    mobility_ = std::max(mobility_, squared_norm(h, length_) * column.D_inverse);
    double* const k = reserve_couplings(open.padded());
    const bool has_terms = !term_rows_[static_cast<std::size_t>(speed)].empty();
    if (has_terms) set_to_terms(speed, constraints, column.D_inverse, open, k);
    if (is_last) {
      pass_column<true>(h, s, column, open.lines(), has_terms, k);
    } else {
      pass_column<false>(h, s, column, open.lines(), has_terms, k);
    }
    add_to_S(column.D_inverse, open.size(), open.lines(), k);
  }
  if (info.nu == 0) shift_back(s, I, open);
  if (p > 0) inertia_[p] += I;
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

// (6) for the i-th open condition, which is then no longer open.
void ConstrainedRecursion::eliminate_row(int body, std::size_t i) {
  OpenRows& open = open_at(static_cast<std::size_t>(body));
  Elimination elimination;
  elimination.row = open.row(i);
  elimination.K = open.K_of(i);
  elimination.S_inverse = 1.0 / open.S(i)[i];
  const OpenRows::Lines lines = open.lines();
  double* const S_r = reserve_couplings(lines.padded);
  std::copy_n(lines.S(i), lines.padded, S_r);
  add_to_S(-elimination.S_inverse, open.size(), lines, S_r);
  if (body > 0) {  // the ground does not move: forces on it do nothing
    const SpatialForce<double> W = -elimination.S_inverse * elimination.K;
    add_to_K(W, S_r, lines);
    inertia_[static_cast<std::size_t>(body)].subtract_outer(
        elimination.K, {Lanes3<double>(W.torque), Lanes3<double>(W.force)});
  }
  open.remove(i);
  // The last row has taken the place of the eliminated one.
  S_r[i] = S_r[open.size()];
  elimination.S = {static_cast<std::size_t>(S_r - coupling_values_.data()), list_rows(open), open.size()};
  eliminations_.push_back(elimination);
}

// Returns the position of the complete condition with the largest pivot, or the number of open ones.
std::size_t ConstrainedRecursion::find_pivot(int body) {
  OpenRows& open = open_at(static_cast<std::size_t>(body));
  std::size_t best = open.size();
  double largest = keeps_small_pivots_ ? kRoundOffPivot : kSmallPivot;
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (!is_complete(open.row(i), body)) continue;
    const double relative = open.S(i)[i] / open.scale()[i];
    if (relative > largest) best = i, largest = relative;
  }
  if (best < open.size()) {
    const double bound = open.largest_K()[best] * mobility_;
    smallest_pivot_ = std::min(smallest_pivot_, open.S(best)[best] / bound);
  }
  return best;
}

// Eliminates the complete conditions of a body in the order of falling pivots.
void ConstrainedRecursion::eliminate_rows(int body) {
  const auto b = static_cast<std::size_t>(body);
  OpenRows& open = open_at(b);
  eliminations_of_[b] = {eliminations_.size(), 0};
  redundant_of_[b] = {redundant_.size(), 0};
  for (std::size_t i = find_pivot(body); i < open.size(); i = find_pivot(body)) eliminate_row(body, i);
  eliminations_of_[b].count = eliminations_.size() - eliminations_of_[b].first;
  for (std::size_t i = open.size(); i-- > 0;) {
    const int row = open.row(i);
    if (!is_complete(row, body)) continue;
    const double force = squared_norm(open.K_of(i), length_);
    if (body > 0 && force > kIdleForce * kIdleForce * open.largest_K()[i]) {
      has_late_rows_ = true;
      continue;
    }
    has_passed_on_redundant_ |= complete_at_[static_cast<std::size_t>(row)] > body;
    redundant_.push_back(row);
    open.remove(i);
  }
  redundant_of_[b].count = redundant_.size() - redundant_of_[b].first;
}

// Passes the open conditions of a body to its parent.
void ConstrainedRecursion::pass_on(int body) {
  const auto b = static_cast<std::size_t>(body), p = static_cast<std::size_t>(parents_[b]);
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
  if (!is_laid_out_) find_meeting_places(constraints);
  length_ = properties.constraints.length;
  smallest_pivot_ = 1.0;
  mobility_ = 0.0;
  SolveReport<double> report;
  by_length_squared_ = 1.0 / (length_ * length_);
  loses_digits_ = false;
  used_values_ = used_rows_ = 0;
  eliminations_.clear(), redundant_.clear();
  has_passed_on_redundant_ = has_late_rows_ = false;
  std::fill(has_opened_.begin(), has_opened_.end(), 0);
  for (std::size_t r = 0; r < is_inertia_.size(); ++r) is_inertia_[r] = constraints.rows[r].is_inertia;
  const int n = static_cast<int>(open_.size());
  std::iota(open_place_.begin(), open_place_.end(), std::size_t{0});  // so that no later call allocates
  for (int b = 0; b < n; ++b) {
    const auto i = static_cast<std::size_t>(b);
    open_[i].clear();
    open_[i].listed = OpenRows::kNone;
    if (b > 0) start_inertia(kinematics.inertia[i], inertia_[i]);
  }
  for (int b = n - 1; b > 0; --b) {
    const auto i = static_cast<std::size_t>(b);
    if (!acting_rows_[i].empty()) gather_own(b, constraints);
    eliminations_of_[i].count = redundant_of_[i].count = 0;
    if (completes_rows_[i] || has_late_rows_) eliminate_rows(b);
    eliminate_columns(b, properties, kinematics, constraints, report);
    if (!open_at(i).empty()) pass_on(b);
  }
  eliminate_rows(0);
  find_idle_multipliers();
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
  find_idle_group(redundant_, {0, eliminations_.size()}, next_group());
}

void ConstrainedRecursion::find_first_couplings() {
  first_coupling_.assign(complete_at_.size(), eliminations_.size());
  for (std::size_t e = eliminations_.size(); e-- > 0;) {
    const Couplings& S = eliminations_[e].S;
    for (std::size_t c = 0; c < S.count; ++c) {
      if (coupling_values_[S.values + c] == 0.0) continue;
      first_coupling_[static_cast<std::size_t>(coupling_rows_[S.rows + c])] = e;
    }
  }
}

// Returns true if idle_values_ of these conditions would give a multiplier to one eliminated before `end`.
bool ConstrainedRecursion::reaches_outboard(std::span<const int> rows, std::size_t end) const {
  std::size_t first = end;
  for (const int row : rows) first = std::min(first, first_coupling_[static_cast<std::size_t>(row)]);
  for (std::size_t e = end; e-- > first;) {
    const double multiplier = sum_of(eliminations_[e].S, idle_values_) * eliminations_[e].S_inverse;
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
  for (std::size_t e = first; e < end; ++e) group.rows.push_back(eliminations_[e].row);
  const std::size_t size = group.rows.size();
  group.count = redundant.size();
  group.values.assign(group.count * size, 0.0);
  for (std::size_t i = 0; i < group.count; ++i) {
    for (const int row : group.rows) idle_values_[static_cast<std::size_t>(row)] = 0.0;
    idle_values_[static_cast<std::size_t>(redundant[i])] = 1.0;
    for (std::size_t e = end; e-- > first;) {
      const Elimination& elimination = eliminations_[e];
      const double sum = sum_of(elimination.S, idle_values_);
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
    const Elimination& elimination = eliminations_[i];
    const double part = d_[static_cast<std::size_t>(elimination.row)] * elimination.S_inverse;
    z_[b] += part * elimination.K;
    spread(elimination.S, -part);
  }
}

double ConstrainedRecursion::sum_of(const Couplings& couplings, std::span<const double> lambda) const {
  const double* const values = coupling_values_.data() + couplings.values;
  const int* const rows = coupling_rows_.data() + couplings.rows;
  double sum = 0.0;
  for (std::size_t c = 0; c < couplings.count; ++c) {
    sum += values[c] * lambda[static_cast<std::size_t>(rows[c])];
  }
  return sum;
}

// d += factor times the numbers.
void ConstrainedRecursion::spread(const Couplings& couplings, double factor) {
  const double* const values = coupling_values_.data() + couplings.values;
  const int* const rows = coupling_rows_.data() + couplings.rows;
  for (std::size_t c = 0; c < couplings.count; ++c) {
    d_[static_cast<std::size_t>(rows[c])] += factor * values[c];
  }
}

// (5)
void ConstrainedRecursion::find_multipliers(std::size_t b, std::span<double> lambda) const {
  const Range& range = eliminations_of_[b];
  for (std::size_t i = range.first + range.count; i-- > range.first;) {
    const Elimination& elimination = eliminations_[i];
    const auto r = static_cast<std::size_t>(elimination.row);
    const double sum = sum_of(elimination.S, lambda);
    lambda[r] = -(dot(A_[b], elimination.K) + sum + d_[r]) * elimination.S_inverse;
  }
}

void ConstrainedRecursion::solve(const Kinematics<double>& kinematics,
                                 std::span<const SpatialForce<double>> force, std::span<const double> tau,
                                 std::span<const double> d, std::span<double> x, std::span<double> lambda) {
  std::copy(force.begin(), force.end(), z_.begin());
  std::copy(d.begin(), d.end(), d_.begin());
  for (std::size_t b = z_.size() - 1; b > 0; --b) {
    if (eliminations_of_[b].count > 0) take_in(b);
    const BodyInfo& info = model_->bodies()[BodyIndex(static_cast<int>(b))];
    SpatialForce<double> z = z_[b];
    const int last = info.u_start + info.nu - 1;
    for (int speed = info.u_start; speed <= last; ++speed) {  // (3), (4)
      const auto k = static_cast<std::size_t>(speed);
      Column& column = columns_[k];
      const SpatialMotion<double>& h = kinematics.H[k];
      column.e = tau[k] - (turns_[b] ? dot(h.w, z.torque) : dot(h, z));
      const double part = column.e * column.D_inverse;
      if (speed == last) z = sestina::shift_back(z, kinematics.s[b]);
      z += part * column.U;
      spread(column.k, part);
    }
    if (info.nu == 0) z = sestina::shift_back(z, kinematics.s[b]);
    z_[static_cast<std::size_t>(parents_[b])] += z;
  }
  take_in(0);

  std::fill(lambda.begin(), lambda.end(), 0.0);
  A_[0] = {};
  find_multipliers(0, lambda);
  for (std::size_t b = 1; b < A_.size(); ++b) {  // (7)
    const BodyInfo& info = model_->bodies()[BodyIndex(static_cast<int>(b))];
    const SpatialMotion<double>& A_P = A_[static_cast<std::size_t>(parents_[b])];
    SpatialMotion<double> A = shift(A_P, kinematics.s[b]);
    const int last = info.u_start + info.nu - 1;
    for (int speed = last; speed >= info.u_start; --speed) {
      const auto k = static_cast<std::size_t>(speed);
      const Column& column = columns_[k];
      const double of_A = speed == last ? dot(A_P, column.U) : dot(A, column.U);
      x[k] = (column.e - of_A + sum_of(column.k, lambda)) * column.D_inverse;
      A += x[k] * kinematics.H[k];
    }
    A_[b] = A;
    if (eliminations_of_[b].count > 0) find_multipliers(b, lambda);
  }
  remove_idle_part(lambda);
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
