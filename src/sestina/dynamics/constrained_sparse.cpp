#include "sestina/dynamics/constrained_sparse.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sestina/model/properties.h"

namespace sestina {
namespace {

// [torque; force] of a unit multiplier on a body, about Mo: its row of C.
void add_wrench(const BlockLdlt::Block& block, int row, const SpatialForce<double>& force, bool is_particle) {
  if (is_particle) {
    for (int i = 0; i < 3; ++i) block(row, i) += force.force[i];
    return;
  }
  for (int i = 0; i < 3; ++i) block(row, i) += force.torque[i], block(row, 3 + i) += force.force[i];
}

}  // namespace

ConstrainedSparse::ConstrainedSparse(const Model& model)
    : model_(&model), is_particle_{true}, body_of_speed_(static_cast<std::size_t>(model.nu())) {
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyInfo& info = model.bodies()[b];
    is_particle_.push_back(info.joint_type == JointType::kXyz);
    std::fill_n(body_of_speed_.begin() + info.u_start, info.nu, b.value());
  }
}

// Which bodies a row acts on never changes: done once. A node for each body, then one for the rows of each
// cut joint and constraint.
void ConstrainedSparse::lay_out(const ConstraintRows<double>& constraints) {
  BlockPattern pattern;
  for (std::size_t b = 1; b < is_particle_.size(); ++b) {
    pattern.sizes.push_back(is_particle_[b] ? 3 : 6), pattern.is_dual.push_back(false);
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
      return Part{found->second};
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
  for (const CutJointInfo& joint : model_->cut_joints()) add_rows(joint.first_row, joint.rows);
  for (const ConstraintInfo& constraint : model_->constraints())
    add_rows(constraint.first_row, constraint.rows);
  ldlt_.emplace(pattern);
  start_of_body_.assign(1, 0);
  for (std::size_t b = 1; b < is_particle_.size(); ++b)
    start_of_body_.push_back(ldlt_->start(static_cast<int>(b) - 1));
  for (const RowPlan& row : rows_) unknown_of_row_.push_back(ldlt_->start(row.node) + row.place);
  b_.resize(static_cast<std::size_t>(ldlt_->size()));
}

void ConstrainedSparse::fill_masses(const Kinematics<double>& kinematics) {
  for (std::size_t b = 1; b < is_particle_.size(); ++b) {
    const RigidInertia<double>& M = kinematics.inertia[b];
    const BlockLdlt::Block block = ldlt_->diagonal(static_cast<int>(b) - 1);
    double* const scale = ldlt_->scales().data() + start_of_body_[b];
    if (is_particle_[b]) {
      for (int i = 0; i < 3; ++i) block(i, i) = scale[i] = M.mass;
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
}

void ConstrainedSparse::fill_row(const ConstraintRows<double>& constraints, std::size_t r) {
  const ConstraintRow<double>& row = constraints.rows[r];
  const RowPlan& plan = rows_[r];
  const Part* part = parts_.data() + plan.first_part;
  double size = 0.0;
  const auto add = [&](const Part& to, FrameIndex frame, const SpatialForce<double>& force) {
    if (to.link < 0) return;
    const bool particle = is_particle(frame.value());
    add_wrench(ldlt_->link(static_cast<std::size_t>(to.link)), plan.place, force, particle);
    const double turning = particle ? 0.0 : dot(force.torque, force.torque) / (length_ * length_);
    size = std::max(size, turning + dot(force.force, force.force));
  };
  for_each_pair(constraints, row, [&](const FramePair<double>& pair) {
    add(*part++, pair.a, -1.0 * shift_back(pair.force, pair.arm_a));
    add(*part++, pair.b, shift_back(pair.force, pair.arm_b));
  });
  for (int i = row.first_term; i < row.first_term + row.terms; ++i, ++part) {
    const SpeedTerm<double>& term = constraints.terms[static_cast<std::size_t>(i)];
    const int body = body_of_speed_[static_cast<std::size_t>(term.speed)];
    const int k = term.speed - model_->bodies()[BodyIndex(body)].u_start;
    ldlt_->link(static_cast<std::size_t>(part->link))(plan.place, k) += term.coefficient;
    const double part_of_size = !is_particle(body) && k < 3 ? term.coefficient / length_ : term.coefficient;
    size = std::max(size, part_of_size * part_of_size);
  }
  const auto unknown = static_cast<std::size_t>(unknown_of_row_[r]);
  ldlt_->units()[unknown] = size > 0.0 ? 1.0 / std::sqrt(size) : 1.0;
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
  fill_masses(kinematics);
  for (std::size_t r = 0; r < rows_.size(); ++r) fill_row(constraints, r);
  SolveReport<double> report;
  if (ldlt_->factor()) return report;
  report.is_singular = true;
  for (BodyIndex b{1}; b.value() < model_->bodies().size(); ++b) {
    const int k = ldlt_->singular() - start_of_body_[static_cast<std::size_t>(b.value())];
    const BodyInfo& info = model_->bodies()[b];
    if (k >= 0 && k < info.nu) report.singular_speed = info.u_start + k;
  }
  return report;
}

void ConstrainedSparse::solve(std::span<const SpatialForce<double>> force, std::span<const double> tau,
                              std::span<const double> d, std::span<double> x, std::span<double> lambda) {
  for (BodyIndex b{1}; b.value() < model_->bodies().size(); ++b) {
    const auto i = static_cast<std::size_t>(b.value());
    const double* const of_body = tau.data() + model_->bodies()[b].u_start;
    double* f = b_.data() + start_of_body_[i];
    if (is_particle_[i]) {
      for (int k = 0; k < 3; ++k) f[k] = of_body[k] - force[i].force[k];
    } else {
      for (int k = 0; k < 3; ++k) {
        f[k] = of_body[k] - force[i].torque[k], f[3 + k] = of_body[3 + k] - force[i].force[k];
      }
    }
  }
  for (std::size_t r = 0; r < d.size(); ++r) b_[static_cast<std::size_t>(unknown_of_row_[r])] = -d[r];
  ldlt_->solve(b_);
  ldlt_->take_idle_part_away(b_);
  for (BodyIndex b{1}; b.value() < model_->bodies().size(); ++b) {
    const BodyInfo& info = model_->bodies()[b];
    std::copy_n(b_.data() + start_of_body_[static_cast<std::size_t>(b.value())], info.nu,
                x.data() + info.u_start);
  }
  for (std::size_t r = 0; r < lambda.size(); ++r)
    lambda[r] = -b_[static_cast<std::size_t>(unknown_of_row_[r])];
}

std::vector<int> ConstrainedSparse::redundant() const {
  std::vector<int> rows;
  if (!ldlt_) return rows;
  for (std::size_t r = 0; r < unknown_of_row_.size(); ++r) {
    if (std::ranges::find(ldlt_->redundant(), unknown_of_row_[r]) != ldlt_->redundant().end())
      rows.push_back(static_cast<int>(r));
  }
  return rows;
}

}  // namespace sestina
