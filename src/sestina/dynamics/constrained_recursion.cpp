#include "sestina/dynamics/constrained_recursion.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sestina/model/properties.h"

namespace sestina {
namespace {

// A pivot of (5) counts as zero below this fraction of the sum of (k^2 + kRoundingOfK |K|^2 |H|^2) / D. The
// second term is there since a small D magnifies the round-off of a k that should be zero.
constexpr double kSingularCondition = 1e-9;
constexpr double kRoundingOfK = 1e-6;
// A condition implied by others leaves only round-off in K: this limit is relative to the initial K.
constexpr double kIdleForce = 1e-9;

double squared_norm(const SpatialForce<double>& f, double length) {
  return dot(f.torque, f.torque) / (length * length) + dot(f.force, f.force);
}
double squared_norm(const SpatialMotion<double>& a, double length) {
  return length * length * dot(a.w, a.w) + dot(a.v, a.v);
}

}  // namespace

ConstrainedRecursion::ConstrainedRecursion(const Model& model)
    : model_(&model),
      complete_at_(static_cast<std::size_t>(model.constraint_rows())),
      acting_rows_(static_cast<std::size_t>(model.bodies().size())),
      term_rows_(static_cast<std::size_t>(model.nu())),
      inertia_(acting_rows_.size()),
      gathered_(acting_rows_.size()),
      columns_(term_rows_.size()),
      eliminations_of_(acting_rows_.size()),
      is_inertia_(complete_at_.size()),
      has_opened_(complete_at_.size()),
      scale_(complete_at_.size()),
      K_scale_(complete_at_.size()),
      slot_(complete_at_.size(), -1),
      redundant_of_(acting_rows_.size()),
      idle_values_(complete_at_.size()),
      z_(acting_rows_.size()),
      A_(acting_rows_.size()),
      d_(complete_at_.size()) {
  for (const BodyInfo& body : model.bodies()) parents_.push_back(body.parent.value());
}

// The bodies on which a condition acts never change, so this is done once.
void ConstrainedRecursion::find_meeting_places(const ConstraintRows<double>& constraints) {
  std::vector<int> body_of_speed(term_rows_.size());
  for (BodyIndex b{1}; b.value() < model_->bodies().size(); ++b) {
    const BodyInfo& info = model_->bodies()[b];
    std::fill_n(body_of_speed.begin() + info.u_start, info.nu, b.value());
  }
  // Parents stand before their children.
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
      // A coefficient enters where the joint is eliminated, after which the parent has the condition.
      include(parents_[static_cast<std::size_t>(body_of_speed[speed])]);
    }
    complete_at_[r] = std::max(meeting, 0);
  }
  is_laid_out_ = true;
}

// The place of the row among the open ones, where it is added if it is new.
std::size_t ConstrainedRecursion::open_row(Gathered& gathered, int row) {
  for (std::size_t i = 0; i < gathered.open.size(); ++i) {
    if (gathered.open[i].row == row) return i;
  }
  const std::size_t n = gathered.open.size();
  gathered.open.push_back({row, {}});
  if (n + 1 > gathered.capacity) {
    const std::size_t capacity = std::max<std::size_t>(6, 2 * gathered.capacity);
    std::vector<double> larger(capacity * capacity);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) larger[i * capacity + j] = gathered.at(i, j);
    }
    gathered.S = std::move(larger), gathered.capacity = capacity;
  }
  for (std::size_t i = 0; i <= n; ++i) gathered.at(i, n) = gathered.at(n, i) = 0.0;
  // (4) of constraint_row.h. A row that opens at two bodies has it once.
  const auto r = static_cast<std::size_t>(row);
  if (is_inertia_[r] && !has_opened_[r]) gathered.at(n, n) = 1.0;
  has_opened_[r] = true;
  return n;
}

void ConstrainedRecursion::gather_own(int body, const ConstraintRows<double>& constraints) {
  Gathered& gathered = gathered_[static_cast<std::size_t>(body)];
  for (const int r : acting_rows_[static_cast<std::size_t>(body)]) {
    const ConstraintRow<double>& row = constraints.rows[static_cast<std::size_t>(r)];
    SpatialForce<double>& K = gathered.open[open_row(gathered, r)].K;
    for_each_pair(constraints, row, [&](const FramePair<double>& pair) {
      if (pair.b.value() == body) K += shift_back(pair.force, pair.arm_b);
      if (pair.a.value() == body) K -= shift_back(pair.force, pair.arm_a);
    });
  }
  for (const OpenRow& open : gathered.open) {
    double& scale = K_scale_[static_cast<std::size_t>(open.row)];
    scale = std::max(scale, std::sqrt(squared_norm(open.K, length_)));
  }
}

// (3), (4)
void ConstrainedRecursion::eliminate_columns(int body, const Properties<double>& properties,
                                             const Kinematics<double>& kinematics,
                                             const ConstraintRows<double>& constraints,
                                             SolveReport<double>& report) {
  const auto b = static_cast<std::size_t>(body);
  const BodyInfo& info = model_->bodies()[BodyIndex(body)];
  Gathered& gathered = gathered_[b];
  ArticulatedRows<double>& I = inertia_[b];
  for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {
    for (const int row : term_rows_[static_cast<std::size_t>(speed)]) open_row(gathered, row);
  }
  const double J_trace = I.J[0][0] + I.J[1][1] + I.J[2][2];
  const double m_trace = I.m[0][0] + I.m[1][1] + I.m[2][2];
  for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {
    const SpatialMotion<double>& h = kinematics.H[static_cast<std::size_t>(speed)];
    Column& column = columns_[static_cast<std::size_t>(speed)];
    column.U = I.times(h).unpacked();
    double D = dot(h, column.U);
    if (info.nu == 1) D += properties.bodies[BodyIndex(body)].armature;
    const double largest = dot(h.w, h.w) * J_trace + dot(h.v, h.v) * m_trace;
    report.check_pivot(D, largest, speed);
    smallest_pivot_ = std::min(smallest_pivot_, D / largest);
    column.D_inverse = 1.0 / D;
    column.first = couplings_.size(), column.count = gathered.open.size();
    const double h_squared = squared_norm(h, length_);
    for (const OpenRow& open : gathered.open) {
      const auto r = static_cast<std::size_t>(open.row);
      const double of_row = dot(h, open.K);
      const double rounding = kRoundingOfK * K_scale_[r] * K_scale_[r] * h_squared;
      couplings_.push_back({open.row, of_row});
      scale_[r] += (of_row * of_row + rounding) * column.D_inverse;
    }
    for (const int row : term_rows_[static_cast<std::size_t>(speed)]) {
      const ConstraintRow<double>& of = constraints.rows[static_cast<std::size_t>(row)];
      double c = 0.0;
      for (int i = of.first_term; i < of.first_term + of.terms; ++i) {
        const SpeedTerm<double>& term = constraints.terms[static_cast<std::size_t>(i)];
        if (term.speed == speed) c += term.coefficient;
      }
      couplings_[column.first + open_row(gathered, row)].value += c;
      scale_[static_cast<std::size_t>(row)] += c * c * column.D_inverse;
    }
    const Coupling* k = couplings_.data() + column.first;
    for (std::size_t i = 0; i < column.count; ++i) {
      const double part = k[i].value * column.D_inverse;
      SpatialForce<double>& K = gathered.open[i].K;
      K -= part * column.U;
      for (std::size_t j = 0; j <= i; ++j) {
        gathered.at(i, j) += part * k[j].value;
        gathered.at(j, i) = gathered.at(i, j);
      }
    }
    const SpatialForce<double> W = column.D_inverse * column.U;
    I.subtract_outer(column.U, {Lanes3<double>(W.torque), Lanes3<double>(W.force)});
  }
}

void ConstrainedRecursion::remove(Gathered& gathered, std::size_t i) {
  const std::size_t last = gathered.open.size() - 1;
  if (i != last) {
    gathered.open[i] = gathered.open[last];
    const double diagonal = gathered.at(last, last);
    for (std::size_t j = 0; j < last; ++j) gathered.at(i, j) = gathered.at(j, i) = gathered.at(last, j);
    gathered.at(i, i) = diagonal;
  }
  gathered.open.pop_back();
}

// (6) for the i-th open condition, which is then open no more.
void ConstrainedRecursion::eliminate_row(int body, std::size_t i) {
  Gathered& gathered = gathered_[static_cast<std::size_t>(body)];
  Elimination elimination;
  elimination.row = gathered.open[i].row;
  elimination.K = gathered.open[i].K;
  elimination.S_inverse = 1.0 / gathered.at(i, i);
  elimination.first = couplings_.size();
  elimination.count = gathered.open.size() - 1;
  for (std::size_t o = 0; o < gathered.open.size(); ++o) {
    if (o != i) couplings_.push_back({gathered.open[o].row, gathered.at(i, o)});
  }
  for (std::size_t o = 0; o < gathered.open.size(); ++o) {
    if (o == i) continue;
    const double part = gathered.at(o, i) * elimination.S_inverse;
    gathered.open[o].K -= part * elimination.K;
    for (std::size_t p = 0; p < gathered.open.size(); ++p) {
      if (p != i) gathered.at(o, p) -= part * gathered.at(i, p);
    }
  }
  if (body > 0) {
    const SpatialForce<double> W = -elimination.S_inverse * elimination.K;
    inertia_[static_cast<std::size_t>(body)].subtract_outer(
        elimination.K, {Lanes3<double>(W.torque), Lanes3<double>(W.force)});
  }
  eliminations_.push_back(elimination);
  remove(gathered, i);
}

// The complete conditions of a body, those with the largest pivots first.
void ConstrainedRecursion::eliminate_rows(int body) {
  Gathered& gathered = gathered_[static_cast<std::size_t>(body)];
  Range& range = eliminations_of_[static_cast<std::size_t>(body)];
  range.first = eliminations_.size();
  const auto is_complete = [&](std::size_t i) {
    return complete_at_[static_cast<std::size_t>(gathered.open[i].row)] >= body;
  };
  while (true) {
    std::size_t best = gathered.open.size();
    double largest = kSingularCondition;
    for (std::size_t i = 0; i < gathered.open.size(); ++i) {
      if (!is_complete(i)) continue;
      const double relative = gathered.at(i, i) / scale_[static_cast<std::size_t>(gathered.open[i].row)];
      if (relative > largest) best = i, largest = relative;
    }
    if (best == gathered.open.size()) break;
    eliminate_row(body, best);
  }
  range.count = eliminations_.size() - range.first;
  const std::size_t first_redundant = redundant_.size();
  for (std::size_t i = gathered.open.size(); i-- > 0;) {
    if (!is_complete(i)) continue;
    const OpenRow& open = gathered.open[i];
    const double force = std::sqrt(squared_norm(open.K, length_));
    if (body > 0 && force > kIdleForce * K_scale_[static_cast<std::size_t>(open.row)]) continue;
    has_passed_on_redundant_ |= complete_at_[static_cast<std::size_t>(open.row)] > body;
    redundant_.push_back(open.row);
    remove(gathered, i);
  }
  redundant_of_[static_cast<std::size_t>(body)] = {first_redundant, redundant_.size() - first_redundant};
}

// From Mo of the body to that of its parent.
void ConstrainedRecursion::pass_on(int body, const Vec3<double>& s) {
  const auto b = static_cast<std::size_t>(body), p = static_cast<std::size_t>(parents_[b]);
  Gathered& from = gathered_[b];
  Gathered& to = gathered_[p];
  if (p > 0) {
    inertia_[b].shift_back(s);
    inertia_[p] += inertia_[b];
  }
  if (to.open.empty()) {  // as along a chain: the parent takes it all as it is
    for (OpenRow& open : from.open) open.K = shift_back(open.K, s);
    std::swap(from, to);
    return;
  }
  const std::size_t n = from.open.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t place = open_row(to, from.open[i].row);
    slot_[static_cast<std::size_t>(from.open[i].row)] = static_cast<int>(place);
    to.open[place].K += shift_back(from.open[i].K, s);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto x = static_cast<std::size_t>(slot_[static_cast<std::size_t>(from.open[i].row)]);
    for (std::size_t j = 0; j < n; ++j) {
      to.at(x, static_cast<std::size_t>(slot_[static_cast<std::size_t>(from.open[j].row)])) += from.at(i, j);
    }
  }
}

SolveReport<double> ConstrainedRecursion::factor(const Properties<double>& properties,
                                                 const Kinematics<double>& kinematics,
                                                 const ConstraintRows<double>& constraints) {
  if (!is_laid_out_) find_meeting_places(constraints);
  length_ = properties.constraints.length;
  SolveReport<double> report;
  smallest_pivot_ = 1.0;
  couplings_.clear(), eliminations_.clear(), redundant_.clear();
  has_passed_on_redundant_ = false;
  std::fill(has_opened_.begin(), has_opened_.end(), false);
  for (std::size_t r = 0; r < scale_.size(); ++r) {
    is_inertia_[r] = constraints.rows[r].is_inertia;
    scale_[r] = is_inertia_[r] ? 1.0 : 0.0;
  }
  std::fill(K_scale_.begin(), K_scale_.end(), 0.0);
  const int n = static_cast<int>(gathered_.size());
  const Lanes3<double> at_rest{};
  for (int b = 0; b < n; ++b) {
    const auto i = static_cast<std::size_t>(b);
    gathered_[i].open.clear();
    if (b > 0) inertia_[i].start(kinematics.inertia[i], at_rest, nullptr);
  }
  for (int b = n - 1; b > 0; --b) {
    gather_own(b, constraints);
    eliminate_rows(b);
    eliminate_columns(b, properties, kinematics, constraints, report);
    pass_on(b, kinematics.s[static_cast<std::size_t>(b)]);
  }
  eliminate_rows(0);
  find_idle_multipliers();
  return report;
}

// If each loop is complete in itself, only conditions eliminated at the same body take part.
void ConstrainedRecursion::find_idle_multipliers() {
  idle_groups_ = 0;
  const auto next_group = [&]() -> IdleGroup& {
    if (idle_groups_ == idle_.size()) idle_.emplace_back();
    return idle_[idle_groups_++];
  };
  if (has_passed_on_redundant_) {
    find_idle_group(redundant_, {0, eliminations_.size()}, next_group());
    return;
  }
  for (std::size_t b = redundant_of_.size(); b-- > 0;) {
    const Range& range = redundant_of_[b];
    if (range.count == 0) continue;
    find_idle_group(std::span(redundant_).subspan(range.first, range.count), eliminations_of_[b],
                    next_group());
  }
}

// For each redundant condition the multipliers, with one for itself, that do nothing together: (5) with
// A = 0, from the last elimination to the first. Then Gram-Schmidt.
void ConstrainedRecursion::find_idle_group(std::span<const int> redundant, const Range& eliminations,
                                           IdleGroup& group) {
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
      double sum = 0.0;
      for (std::size_t c = elimination.first; c < elimination.first + elimination.count; ++c) {
        sum += couplings_[c].value * idle_values_[static_cast<std::size_t>(couplings_[c].row)];
      }
      idle_values_[static_cast<std::size_t>(elimination.row)] = -sum * elimination.S_inverse;
    }
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
}

// d of a body's eliminated conditions goes to the body and to the conditions that stay open: (6).
void ConstrainedRecursion::take_in(std::size_t b) {
  const Range& range = eliminations_of_[b];
  for (std::size_t i = range.first; i < range.first + range.count; ++i) {
    const Elimination& elimination = eliminations_[i];
    const double part = d_[static_cast<std::size_t>(elimination.row)] * elimination.S_inverse;
    z_[b] += part * elimination.K;
    for (std::size_t c = elimination.first; c < elimination.first + elimination.count; ++c) {
      d_[static_cast<std::size_t>(couplings_[c].row)] -= couplings_[c].value * part;
    }
  }
}

double ConstrainedRecursion::sum_of(std::size_t first, std::size_t count,
                                    std::span<const double> lambda) const {
  double sum = 0.0;
  for (std::size_t c = first; c < first + count; ++c) {
    sum += couplings_[c].value * lambda[static_cast<std::size_t>(couplings_[c].row)];
  }
  return sum;
}

// (5)
void ConstrainedRecursion::find_multipliers(std::size_t b, std::span<double> lambda) const {
  const Range& range = eliminations_of_[b];
  for (std::size_t i = range.first + range.count; i-- > range.first;) {
    const Elimination& elimination = eliminations_[i];
    const auto r = static_cast<std::size_t>(elimination.row);
    const double sum = sum_of(elimination.first, elimination.count, lambda);
    lambda[r] = -(dot(A_[b], elimination.K) + sum + d_[r]) * elimination.S_inverse;
  }
}

void ConstrainedRecursion::solve(const Kinematics<double>& kinematics,
                                 std::span<const SpatialForce<double>> force, std::span<const double> tau,
                                 std::span<const double> d, std::span<double> x, std::span<double> lambda) {
  std::copy(force.begin(), force.end(), z_.begin());
  std::copy(d.begin(), d.end(), d_.begin());
  for (std::size_t b = z_.size() - 1; b > 0; --b) {
    take_in(b);
    const BodyInfo& info = model_->bodies()[BodyIndex(static_cast<int>(b))];
    for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {  // (3), (4)
      const auto k = static_cast<std::size_t>(speed);
      Column& column = columns_[k];
      column.e = tau[k] - dot(kinematics.H[k], z_[b]);
      const double part = column.e * column.D_inverse;
      z_[b] += part * column.U;
      for (std::size_t c = column.first; c < column.first + column.count; ++c) {
        d_[static_cast<std::size_t>(couplings_[c].row)] += couplings_[c].value * part;
      }
    }
    z_[static_cast<std::size_t>(parents_[b])] += shift_back(z_[b], kinematics.s[b]);
  }
  take_in(0);

  std::fill(lambda.begin(), lambda.end(), 0.0);
  A_[0] = {};
  find_multipliers(0, lambda);
  for (std::size_t b = 1; b < A_.size(); ++b) {  // (7)
    const BodyInfo& info = model_->bodies()[BodyIndex(static_cast<int>(b))];
    A_[b] = shift(A_[static_cast<std::size_t>(parents_[b])], kinematics.s[b]);
    for (int speed = info.u_start + info.nu - 1; speed >= info.u_start; --speed) {
      const auto k = static_cast<std::size_t>(speed);
      const Column& column = columns_[k];
      const double sum = sum_of(column.first, column.count, lambda);
      x[k] = (column.e - dot(A_[b], column.U) + sum) * column.D_inverse;
      A_[b] += x[k] * kinematics.H[k];
    }
    find_multipliers(b, lambda);
  }
  take_idle_part_away(lambda);
}

// lambda of least norm.
void ConstrainedRecursion::take_idle_part_away(std::span<double> lambda) const {
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
