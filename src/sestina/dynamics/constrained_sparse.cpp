#include "sestina/dynamics/constrained_sparse.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sestina/model/properties.h"

namespace sestina {
namespace {

// [torque; force] of a unit multiplier on a body with so many unknowns, about Mo: its row of C.
void add_wrench(const BlockLdlt::Block& block, int row, const SpatialForce<double>& force, int unknowns) {
  if (unknowns < 6) {
    for (int i = 0; i < unknowns; ++i) block(row, i) += force.force[i];
    return;
  }
  for (int i = 0; i < 3; ++i) block(row, i) += force.torque[i], block(row, 3 + i) += force.force[i];
}

}  // namespace

ConstrainedSparse::ConstrainedSparse(const Model& model)
    : model_(&model),
      kinds_{Kind::kParticle},
      body_of_speed_(static_cast<std::size_t>(model.nu())),
      masses_(static_cast<std::size_t>(model.bodies().size())) {
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyInfo& info = model.bodies()[b];
    kinds_.push_back(info.is_mode                         ? Kind::kMode
                     : info.joint_type == JointType::kXyz ? Kind::kParticle
                                                          : Kind::kRigid);
    std::fill_n(body_of_speed_.begin() + info.u_start, info.nu, b.value());
  }
}

// The bodies on which a row acts never change, so this is computed once. There is a node for each body and
// then one for the rows of each cut joint and constraint.
void ConstrainedSparse::lay_out(const ConstraintRows<double>& constraints) {
  BlockPattern pattern;
  for (std::size_t b = 1; b < kinds_.size(); ++b) {
    pattern.sizes.push_back(unknowns(b)), pattern.is_dual.push_back(false);
  }
  rows_.resize(constraints.rows.size());
  const auto add_rows = [&](int first, int count) {
    if (count == 0) return;
    const int node = static_cast<int>(pattern.sizes.size());
    pattern.sizes.push_back(count), pattern.is_dual.push_back(true);
    std::map<int, int> link_of_body;
    const auto link = [&](int body) {
      if (body == 0) return Part{};
      const auto [found, is_new] = link_of_body.emplace(body, static_cast<int>(pattern.links.size()));
      if (is_new) pattern.links.push_back({node, body - 1});
      return Part{found->second, body, {}};
    };
    for (int r = first; r < first + count; ++r) {
      const ConstraintRow<double>& row = constraints.rows[static_cast<std::size_t>(r)];
      rows_[static_cast<std::size_t>(r)] = {node, r - first, parts_.size()};
      for_each_pair(constraints, row, [&](const FramePair<double>& pair) {
        parts_.push_back(link(pair.a.value())), parts_.push_back(link(pair.b.value()));
      });
      for (int i = row.first_term; i < row.first_term + row.terms; ++i) {
        const int speed = constraints.terms[static_cast<std::size_t>(i)].speed;
        parts_.push_back(link(body_of_speed_[static_cast<std::size_t>(speed)]));
      }
    }
  };
  // In the order of the rows, as update_residual() needs it.
  for (const CutJointInfo& joint : model_->cut_joints()) add_rows(joint.first_row, joint.rows);
  for (const BeamInfo& beam : model_->beams()) {
    for (int k = 0; k < beam.row_count(); k += BeamInfo::kRowsOfElement) {
      add_rows(beam.first_row + k, BeamInfo::kRowsOfElement);
    }
  }
  for (const ConstraintInfo& constraint : model_->constraints())
    add_rows(constraint.first_row, constraint.rows);
  for (const ReducedBodyInfo& body : model_->reduced_bodies()) {
    add_rows(body.first_row, static_cast<int>(body.modes->count) + 3);
  }
  ldlt_.emplace(pattern);
  start_of_body_.assign(1, 0);
  for (std::size_t b = 1; b < kinds_.size(); ++b)
    start_of_body_.push_back(ldlt_->start(static_cast<int>(b) - 1));
  for (const RowPlan& row : rows_) unknown_of_row_.push_back(ldlt_->start(row.node) + row.place);
  rhs_.resize(static_cast<std::size_t>(ldlt_->size()));
  solution_ = residual_ = rhs_;
  is_redundant_.resize(rhs_.size()), is_inertia_.resize(rows_.size());
}

void ConstrainedSparse::fill_masses() {
  // Inertias below 1e-15 of the largest are round-off, and so are compliances below 1e-14 of that of all
  // masses together.
  double largest = 0.0, sum = 0.0;
  for (std::size_t b = 1; b < kinds_.size(); ++b) {
    const RigidInertia<double>& M = masses_[b];
    const BlockLdlt::Block block = ldlt_->diagonal(static_cast<int>(b) - 1);
    double* const scale = ldlt_->scales().data() + start_of_body_[b];
    const double inertia = std::max(M.mass, (M.J.xx + M.J.yy + M.J.zz) / (length_ * length_));
    largest = std::max(largest, inertia), sum += inertia;
    if (!turns(b)) {
      for (int i = 0; i < unknowns(b); ++i) block(i, i) = scale[i] = M.mass;
      continue;
    }
    const SymMat3<double>& J = M.J;
    const Vec3<double> mc = M.mass * M.c;
    const double J_rows[3][3] = {{J.xx, J.xy, J.xz}, {J.xy, J.yy, J.yz}, {J.xz, J.yz, J.zz}};
    const double mc_cross[3][3] = {{0.0, -mc.z, mc.y}, {mc.z, 0.0, -mc.x}, {-mc.y, mc.x, 0.0}};
    double* const unit = ldlt_->units().data() + start_of_body_[b];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        block(i, j) = J_rows[i][j];
        block(i, 3 + j) = mc_cross[i][j];
        block(3 + i, j) = mc_cross[j][i];
      }
      block(3 + i, 3 + i) = M.mass;
      scale[i] = J.xx + J.yy + J.zz, scale[3 + i] = M.mass;
      unit[i] = 1.0 / length_;
    }
  }
  ldlt_->set_round_off(1e-15 * largest, sum > 0.0 ? 1e-14 / sum : 0.0);
}

void ConstrainedSparse::fill_row(const ConstraintRows<double>& constraints, std::size_t r) {
  const ConstraintRow<double>& row = constraints.rows[r];
  const RowPlan& plan = rows_[r];
  Part* const first = parts_.data() + plan.first_part;
  Part* part = first;
  for_each_pair(constraints, row, [&](const FramePair<double>& pair) {
    (part++)->force = -1.0 * shift_back(pair.force, pair.arm_a);
    (part++)->force = shift_back(pair.force, pair.arm_b);
  });
  for (int i = row.first_term; i < row.first_term + row.terms; ++i, ++part) {
    const SpeedTerm<double>& term = constraints.terms[static_cast<std::size_t>(i)];
    const int k = term.speed - model_->bodies()[BodyIndex(part->body)].u_start;
    const bool is_turn = turns(static_cast<std::size_t>(part->body)) && k < 3;
    part->force = {};
    (is_turn ? part->force.torque : part->force.force)[k % 3] = term.coefficient;
  }
  double size = 0.0;
  for (const Part* p = first; p != part; ++p) {
    if (p->link < 0) continue;
    const auto b = static_cast<std::size_t>(p->body);
    add_wrench(ldlt_->link(static_cast<std::size_t>(p->link)), plan.place, p->force, unknowns(b));
    const double turning = turns(b) ? dot(p->force.torque, p->force.torque) / (length_ * length_) : 0.0;
    size = std::max(size, turning + dot(p->force.force, p->force.force));
  }
  const auto unknown = static_cast<std::size_t>(unknown_of_row_[r]);
  ldlt_->units()[unknown] = size > 0.0 ? 1.0 / std::sqrt(size) : 1.0;
  is_inertia_[r] = row.is_inertia;
  if (!row.is_inertia) return;
  ldlt_->diagonal(plan.node)(plan.place, plan.place) = -1.0;
  ldlt_->scales()[unknown] = 1.0;
}

SolveReport<double> ConstrainedSparse::factor(const Properties<double>& properties,
                                              const Kinematics<double>& kinematics,
                                              const ConstraintRows<double>& constraints) {
  if (!ldlt_) lay_out(constraints);
  length_ = properties.constraints.length;
  ldlt_->clear();
  std::copy(kinematics.inertia.begin(), kinematics.inertia.end(), masses_.begin());
  for (BodyIndex b{1}; b.value() < model_->bodies().size(); ++b) {
    if (model_->bodies()[b].is_mode)
      masses_[static_cast<std::size_t>(b.value())].mass = properties.bodies[b].armature;
  }
  fill_masses();
  for (std::size_t r = 0; r < rows_.size(); ++r) fill_row(constraints, r);
  SolveReport<double> report;
  const bool is_regular = ldlt_->factor();
  std::fill(is_redundant_.begin(), is_redundant_.end(), false);
  for (const int unknown : ldlt_->redundant()) is_redundant_[static_cast<std::size_t>(unknown)] = true;
  if (is_regular) return report;
  report.is_singular = true;
  for (BodyIndex b{1}; b.value() < model_->bodies().size(); ++b) {
    const int k = ldlt_->singular() - start_of_body_[static_cast<std::size_t>(b.value())];
    const BodyInfo& info = model_->bodies()[b];
    if (k >= 0 && k < info.nu) report.singular_speed = info.u_start + k;
  }
  return report;
}

// The residuals of bodies are forces, those of rows are accelerations; each is compared with the largest of
// the terms that cancel in it in any equation.
bool ConstrainedSparse::update_residual() {
  constexpr double kRoundOff = 1e-14;
  double body_size = 0.0, row_size = 0.0, body_residual = 0.0, row_residual = 0.0;
  residual_ = rhs_;
  const auto motion_of = [&](std::size_t b) {
    const double* const x = solution_.data() + start_of_body_[b];
    if (kinds_[b] == Kind::kMode) return SpatialMotion<double>{{}, {x[0], 0.0, 0.0}};
    return turns(b) ? SpatialMotion<double>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}
                    : SpatialMotion<double>{{}, {x[0], x[1], x[2]}};
  };
  const auto subtract = [&](std::size_t b, const SpatialForce<double>& f) {
    double* r = residual_.data() + start_of_body_[b];
    if (turns(b)) {
      for (int i = 0; i < 3; ++i) *r++ -= f.torque[i];
    }
    for (int i = 0; i < std::min(3, unknowns(b)); ++i) *r++ -= f.force[i];
    body_size = std::max({body_size, norm(f.force), turns(b) ? norm(f.torque) / length_ : 0.0});
  };
  for (std::size_t b = 1; b < kinds_.size(); ++b) subtract(b, masses_[b] * motion_of(b));
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const auto unknown = static_cast<std::size_t>(unknown_of_row_[r]);
    const double y = solution_[unknown];
    double sum = is_inertia_[r] ? -y : 0.0;
    const std::size_t end = r + 1 < rows_.size() ? rows_[r + 1].first_part : parts_.size();
    for (std::size_t p = rows_[r].first_part; p < end; ++p) {
      const Part& part = parts_[p];
      if (part.link < 0) continue;
      const auto b = static_cast<std::size_t>(part.body);
      const double rate = dot(motion_of(b), part.force);
      sum += rate;
      row_size = std::max(row_size, std::abs(rate));
      subtract(b, y * part.force);
    }
    residual_[unknown] = is_redundant_[unknown] ? 0.0 : residual_[unknown] - sum;
    row_residual = std::max(row_residual, std::abs(residual_[unknown]));
  }
  for (std::size_t b = 1; b < kinds_.size(); ++b) {
    const double* const r = residual_.data() + start_of_body_[b];
    for (int i = 0; i < unknowns(b); ++i) {
      body_residual = std::max(body_residual, std::abs(r[i]) / (turns(b) && i < 3 ? length_ : 1.0));
    }
  }
  return body_residual > kRoundOff * body_size || row_residual > kRoundOff * row_size;
}

void ConstrainedSparse::solve_refined() {
  constexpr int kMostRefinements = 2;
  solution_ = rhs_;
  ldlt_->solve(solution_);
  for (int i = 0; i < kMostRefinements && update_residual(); ++i) {
    ldlt_->solve(residual_);
    for (std::size_t k = 0; k < solution_.size(); ++k) solution_[k] += residual_[k];
  }
}

void ConstrainedSparse::solve(std::span<const SpatialForce<double>> force, std::span<const double> tau,
                              std::span<const double> d, std::span<double> x, std::span<double> lambda) {
  for (std::size_t b = 1; b < kinds_.size(); ++b) {
    const double* const of_body = tau.data() + model_->bodies()[BodyIndex(static_cast<int>(b))].u_start;
    double* const f = rhs_.data() + start_of_body_[b];
    const int turning = turns(b) ? 3 : 0;
    for (int k = 0; k < turning; ++k) f[k] = of_body[k] - force[b].torque[k];
    for (int k = turning; k < unknowns(b); ++k) f[k] = of_body[k] - force[b].force[k - turning];
  }
  for (std::size_t r = 0; r < d.size(); ++r) rhs_[static_cast<std::size_t>(unknown_of_row_[r])] = -d[r];
  if (lambda.empty()) {  // a step of Newton's method needs no refinement
    solution_ = rhs_;
    ldlt_->solve(solution_);
  } else {
    solve_refined();
    ldlt_->remove_idle_part(solution_);
  }
  for (std::size_t b = 1; b < kinds_.size(); ++b) {
    const BodyInfo& info = model_->bodies()[BodyIndex(static_cast<int>(b))];
    std::copy_n(solution_.data() + start_of_body_[b], info.nu, x.data() + info.u_start);
  }
  for (std::size_t r = 0; r < lambda.size(); ++r)
    lambda[r] = -solution_[static_cast<std::size_t>(unknown_of_row_[r])];
}

}  // namespace sestina
