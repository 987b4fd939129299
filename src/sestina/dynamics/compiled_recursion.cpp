#include "sestina/dynamics/compiled_recursion.h"

#include <cmath>

#include "sestina/dynamics/expression_scalar.h"

namespace sestina {

CompiledRecursion::CompiledRecursion(const Model& model, const CompiledLinks& links)
    : graph_(0),
      q_(new_symbols("q", model.nq())),
      u_(new_symbols("u", model.nu())),
      constants_{graph_.symbol(kNothing)},
      values_{0.0},
      recursion_(make_recursion(links)) {}

std::vector<Expr> CompiledRecursion::new_symbols(const std::string& name, int count) {
  std::vector<Expr> symbols;
  for (int i = 0; i < count; ++i) symbols.push_back(graph_.symbol(name + std::to_string(i)));
  return symbols;
}

Expression CompiledRecursion::constant(double value) {
  if (is_exactly(value, 0.0) || is_exactly(std::abs(value), 1.0)) return value;
  const double magnitude = std::abs(value);
  const auto [entry, is_new] = known_.try_emplace(magnitude, values_.size());
  if (is_new) {
    constants_.push_back(graph_.symbol("c" + std::to_string(values_.size())));
    values_.push_back(magnitude);
  }
  const Expression symbol(graph_, constants_[entry->second]);
  return value < 0.0 ? -symbol : symbol;
}
SymMat3<Expression> CompiledRecursion::constant(const SymMat3<double>& A) {
  return {constant(A.xx), constant(A.yy), constant(A.zz), constant(A.xy), constant(A.xz), constant(A.yz)};
}
Mat3<Expression> CompiledRecursion::constant(const Mat3<double>& A) {
  return {constant(A.xx), constant(A.xy), constant(A.xz), constant(A.yx), constant(A.yy),
          constant(A.yz), constant(A.zx), constant(A.zy), constant(A.zz)};
}

CompiledRecursion::Recursion CompiledRecursion::make_recursion(const CompiledLinks& links) {
  ModelInAxes<Expression> numbers;
  numbers.gravity = constant(links.numbers.gravity);
  std::vector<JointAxesStructure> structure = links.structure;
  std::vector<AnyJoint<Expression>> joints;
  for (std::size_t i = 0; i < structure.size(); ++i) {
    // Terms with numbers that are zero vanish by themselves.
    structure[i].has_simple_inertia = structure[i].is_shift_along_normal = false;
    const BodyInAxes<double>& body = links.numbers.bodies[i];
    numbers.bodies.push_back({constant(body.turn), constant(body.slide), constant(body.offset),
                              constant(body.cos_offset), constant(body.sin_offset), constant(body.cos_twist),
                              constant(body.sin_twist), constant(body.cos_yaw), constant(body.sin_yaw),
                              constant(body.s), constant(body.armature), constant(body.mass),
                              constant(body.h), constant(body.J), constant(body.S)});
    const FramesInAxes<double>& frames = links.numbers.frames[i];
    numbers.frames.push_back({constant(frames.R_PF), constant(frames.R_MK), constant(frames.slide)});
    const AnyJoint<double>& joint = links.joints[i];
    AnyJoint<Expression>& own = joints.emplace_back();
    own.type = joint.type, own.axis = constant(joint.axis), own.second_axis = constant(joint.second_axis);
    copy_joint_numbers(joint.numbers, own.numbers, [this](double number) { return constant(number); });
  }
  return {links.tree, std::move(structure), std::move(numbers), std::move(joints)};
}

std::vector<Expression> CompiledRecursion::values_of(const std::vector<Expr>& symbols) {
  std::vector<Expression> values;
  for (const Expr symbol : symbols) values.emplace_back(graph_, symbol);
  return values;
}
std::vector<Expr> CompiledRecursion::nodes_of(const std::vector<Expression>& results) {
  std::vector<Expr> nodes;
  for (const Expression& result : results) nodes.push_back(result.in(graph_));
  return nodes;
}

CompiledRecursion::Accelerations CompiledRecursion::calc_udot(const std::vector<Expr>& tau) {
  const std::vector<Expression> q = values_of(q_), u = values_of(u_);
  std::vector<Expression> udot(u.size());
  recursion_.start({q.data(), u.data()});
  const Pivots<Expression> pivots = recursion_.eliminate(values_of(tau).data());
  recursion_.finish_and_start(udot.data(), nullptr);
  return {nodes_of(udot), nodes_of(pivots.by_speed())};
}

std::vector<Expr> CompiledRecursion::calc_tau(const std::vector<Expr>& udot) {
  const std::vector<Expression> q = values_of(q_), u = values_of(u_), given = values_of(udot);
  std::vector<Expression> tau(u.size());
  recursion_.calc_tau({q.data(), u.data(), nullptr, given.data()}, tau.data());
  return nodes_of(tau);
}

std::vector<Expr> CompiledRecursion::calc_mass_matrix() {
  const std::vector<Expression> q = values_of(q_);
  std::vector<Expression> M(u_.size() * (u_.size() + 1) / 2);
  recursion_.calc_mass_matrix(q.data(), M.data());
  return nodes_of(M);
}

}  // namespace sestina
