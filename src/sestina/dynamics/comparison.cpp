#include "sestina/dynamics/comparison.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "sestina/base/error.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/cartesian_coordinates.h"
#include "sestina/dynamics/mass_matrix.h"
#include "sestina/model/analysis.h"

namespace sestina {
namespace {

double largest(std::span<const double> values) {
  double result = 0.0;
  for (const double x : values) result = std::max(result, std::abs(x));
  return result;
}

double largest(const SpatialForce<double>& f) {
  const double values[] = {f.torque.x, f.torque.y, f.torque.z, f.force.x, f.force.y, f.force.z};
  return largest(values);
}

double calc_condition(const Model& model, const Properties<double>& properties, const State<double>& state,
                      const Kinematics<double>& kinematics) {
  MassMatrix<double> mass_matrix(model);
  mass_matrix.update(properties, kinematics);
  const int n = model.nu();
  if (n == 0) return 1.0;
  Eigen::MatrixXd M(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) M(i, j) = M(j, i) = mass_matrix.matrix()(i, j);
  }
  if (model.has_inertia_rows()) {
    ConstraintRows<double> rows(model);
    update_constraint_rows(model, properties, state, kinematics, rows);
    add_inertia_of_rows(model, kinematics, rows, {M.data(), static_cast<std::size_t>(M.size())});
  }
  const Eigen::VectorXd eigenvalues =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M, Eigen::EigenvaluesOnly).eigenvalues();
  return eigenvalues[n - 1] / std::max(eigenvalues[0], 0.0);
}

// The mechanism in cartesian coordinates, with its results for the joints.
class CartesianFormulation {
 public:
  CartesianFormulation(const std::shared_ptr<const Model>& cartesian,
                       const std::shared_ptr<const Model>& model, const Properties<double>& properties)
      : model_(*cartesian),
        coordinates_(*cartesian, properties.parameters),
        dynamics_(cartesian, calc_properties<double>(*cartesian, properties.parameters), "recursive"),
        joints_(model, properties, "recursive"),
        udot_(static_cast<std::size_t>(model_.nu())),
        qdot_cut_(static_cast<std::size_t>(model_.cut_nq())),
        udot_cut_(static_cast<std::size_t>(model_.cut_nu())),
        lambda_(static_cast<std::size_t>(model->constraint_rows())) {}

  // udot of the joints' speeds. The forces of loops and constraints become those of joints().
  void calc_udot(const State<double>& state, std::span<double> udot) {
    coordinates_.to_cartesian(state, state_);
    dynamics_.calc_udot(state_, udot_);
    const ConstrainedDynamics* const constrained = dynamics_.constrained();
    if (constrained != nullptr) {
      calc_cut_joint_rates(model_, dynamics_.properties(), state_, dynamics_.kinematics(),
                           constrained->rows(), udot_, qdot_cut_, udot_cut_);
      take_lambda(*constrained);
    }
    joints_.take_motion(state, lambda_);
    auto of_joint = udot_cut_.begin();
    for (BodyIndex b{1}; b.value() < model_.bodies().size(); ++b) {
      const BodyInfo& from = model_.bodies()[b];
      const BodyInfo& to = joints_.model().bodies()[b];
      const auto first = udot.begin() + to.u_start;
      if (from.hangs_on_cut) {
        std::copy_n(of_joint, to.nu, first);
        of_joint += to.nu;
      } else {
        std::copy_n(udot_.begin() + from.u_start, to.nu, first);
      }
    }
  }

  // By BodyIndex, of the joint that carries the body; floating bodies are unchanged.
  void calc_reactions(std::span<SpatialForce<double>> reactions) const {
    std::size_t joint = 0;
    for (BodyIndex b{1}; b.value() < model_.bodies().size(); ++b) {
      if (!model_.bodies()[b].hangs_on_cut) continue;
      SpatialForce<double>& reaction = reactions[static_cast<std::size_t>(b.value())];
      reaction = dynamics_.constrained()->reaction(model_.cut_joints()[joint]);
      if (!dynamics_.forces().cut.forces.empty()) reaction += dynamics_.forces().cut.forces[joint];
      ++joint;
    }
  }

  ForwardDynamics& joints() { return joints_; }

 private:
  // Takes the multipliers of joints that close loops and of constraints, as in relative coordinates.
  void take_lambda(const ConstrainedDynamics& constrained) {
    const Model& relative = joints_.model();
    const auto take = [&](int to, int from, int count) {
      std::copy_n(constrained.lambda().begin() + from, count, lambda_.begin() + to);
    };
    for (std::size_t i = 0; i < relative.cut_joints().size(); ++i) {
      const CutJointInfo& joint = relative.cut_joints()[i];
      take(joint.first_row, model_.cut_joints()[model_.carrying_joints() + i].first_row, joint.rows);
    }
    for (std::size_t i = 0; i < relative.constraints().size(); ++i) {
      const ConstraintInfo& constraint = relative.constraints()[i];
      take(constraint.first_row, model_.constraints()[i].first_row, constraint.rows);
    }
    for (std::size_t i = 0; i < relative.beams().size(); ++i) {
      const BeamInfo& beam = relative.beams()[i];
      if (beam.is_cable) take(beam.first_row, model_.beams()[i].first_row, beam.row_count());
    }
    for (std::size_t i = 0; i < relative.reduced_bodies().size(); ++i) {
      const ReducedBodyInfo& body = relative.reduced_bodies()[i];
      take(body.first_row, model_.reduced_bodies()[i].first_row, static_cast<int>(body.modes->count) + 3);
    }
  }

  const Model& model_;
  CartesianCoordinates coordinates_;
  ForwardDynamics dynamics_, joints_;
  State<double> state_;
  std::vector<double> udot_, qdot_cut_, udot_cut_, lambda_;
};

class Comparer {
 public:
  Comparer(const std::shared_ptr<const Model>& model, const Properties<double>& properties,
           const std::shared_ptr<const Model>& cartesian)
      : model_(*model), inverse_(model_), reactions_(static_cast<std::size_t>(model_.bodies().size())) {
    for (const std::string& name : solver_names()) {
      FormulationComparison& formulation = comparison_.formulations.emplace_back();
      formulation.name = name;
      try {
        solvers_.push_back(std::make_unique<ForwardDynamics>(model, properties, name));
      } catch (const InputError& error) {
        solvers_.push_back(nullptr);
        formulation.refusal = error.what();
      }
    }
    if (cartesian) {
      comparison_.formulations.emplace_back().name = "cartesian";
      cartesian_.emplace(cartesian, model, properties);
    }
    udot_.assign(comparison_.formulations.size(), std::vector<double>(static_cast<std::size_t>(model_.nu())));
    comparison_.condition = model_.nu() <= kLargestCondition ? 1.0 : std::numeric_limits<double>::quiet_NaN();
  }

  void add(const State<double>& state) {
    int failures = 0, refusals = 0;
    std::vector<bool> has_failed(udot_.size(), false);
    for (std::size_t i = 0; i < udot_.size(); ++i) {
      const bool is_cartesian = i == solvers_.size();
      if (!is_cartesian && !solvers_[i]) {
        has_failed[i] = true;
        ++refusals;
        continue;
      }
      try {
        if (is_cartesian) {
          cartesian_->calc_udot(state, udot_[i]);
          compare_with_inverse_dynamics(i, cartesian_->joints());
        } else {
          solvers_[i]->calc_udot(state, udot_[i]);
          compare_with_inverse_dynamics(i, *solvers_[i]);
        }
      } catch (const ComputationError& error) {
        has_failed[i] = true;
        ++failures;
        ++comparison_.formulations[i].failures;
        if (comparison_.formulations[i].failure.empty()) comparison_.formulations[i].failure = error.what();
      }
    }
    if (failures + refusals == static_cast<int>(udot_.size())) {
      ++comparison_.skipped;
      return;
    }
    ++comparison_.states;
    if (has_failed[0]) return;
    for (std::size_t i = 1; i < udot_.size(); ++i) {
      if (!has_failed[i]) compare_with_reference(i);
    }
    if (model_.nu() <= kLargestCondition) {
      const double condition =
          calc_condition(model_, solvers_[0]->properties(), state, solvers_[0]->kinematics());
      comparison_.condition = std::max(comparison_.condition, condition);
    }
  }

  const Comparison& comparison() const { return comparison_; }

 private:
  // `solver` has evaluated the state.
  void compare_with_inverse_dynamics(std::size_t i, ForwardDynamics& solver) {
    FormulationComparison& result = comparison_.formulations[i];
    update_inverse_dynamics<double>(model_, solver.properties(), solver.kinematics(), solver.forces(),
                                    udot_[i], inverse_);
    std::vector<double> scale = calc_residual_scale(model_, solver.properties(), solver.kinematics(),
                                                    solver.forces(), udot_[i], inverse_);
    const std::vector<double> inertia =
        calc_inertia_diagonal(model_, solver.properties(), solver.kinematics());
    const double least = calc_least_acceleration(solver);
    for (std::size_t k = 0; k < scale.size(); ++k) scale[k] = std::max(scale[k], least * inertia[k]);
    if (model_.is_constrained()) {
      add_constraint_scale(*solver.constrained(), solver.kinematics(), scale);
      // In a loop, the round-off of each acceleration affects all others.
      const double any = largest(udot_[i]);
      for (std::size_t k = 0; k < scale.size(); ++k) scale[k] = std::max(scale[k], any * inertia[k]);
    }
    if (i == 0) update_udot_scale(scale, inertia);
    for (std::size_t k = 0; k < scale.size(); ++k) {
      const double residual = std::abs(inverse_.residual[k]);
      result.residual = std::max(result.residual, residual);
      const double relative = residual == 0.0 ? 0.0 : residual / scale[k];
      if (relative > result.relative_residual) {
        result.relative_residual = relative;
        result.worst_residual = model_.u_names()[k];
      }
    }
    if (i < solvers_.size()) {
      solver.calc_reactions(udot_[i], reactions_);
    } else {
      std::copy(inverse_.reaction.begin(), inverse_.reaction.end(), reactions_.begin());
      cartesian_->calc_reactions(reactions_);
    }
    double difference = 0.0, magnitude = 0.0;
    for (std::size_t b = 1; b < reactions_.size(); ++b) {
      difference = std::max(difference, largest(reactions_[b] - inverse_.reaction[b]));
      // If bodies move under their own forces alone, the joint forces are round-off of these forces.
      magnitude = std::max({magnitude, largest(inverse_.reaction[b]),
                            largest(solver.kinematics().inertia[b] * inverse_.acceleration[b])});
    }
    if (magnitude > 0.0)
      result.reaction_difference = std::max(result.reaction_difference, difference / magnitude);
  }

  // Adds the force of each condition on each speed: such forces cancel others if a mechanism is at rest.
  void add_constraint_scale(const ConstrainedDynamics& constrained, const Kinematics<double>& kinematics,
                            std::vector<double>& scale) {
    std::vector<double> one(constrained.lambda().size());
    for (std::size_t r = 0; r < one.size(); ++r) {
      std::vector<double> tau(scale.size());
      std::vector<SpatialForce<double>> body(reactions_.size());
      one[r] = constrained.lambda()[r];
      add_constraint_forces<double>(constrained.rows(), one, tau, body);
      one[r] = 0.0;
      for (std::size_t b = body.size() - 1; b > 0; --b) {
        const BodyInfo& info = model_.bodies()[BodyIndex(static_cast<int>(b))];
        for (int k = info.u_start; k < info.u_start + info.nu; ++k) {
          const auto i = static_cast<std::size_t>(k);
          scale[i] += std::abs(tau[i] + dot(kinematics.H[i], body[b]));
        }
        body[static_cast<std::size_t>(info.parent.value())] += shift_back(body[b], kinematics.s[b]);
      }
    }
  }

  // A lower bound on the scale of udot: smaller values are round-off of gravity and of centripetal terms,
  // though these may have no component along a speed. It is a fraction of the largest of g, |w|^2 and |w|
  // |v|.
  static double calc_least_acceleration(const ForwardDynamics& solver) {
    constexpr double kPart = 1e-3;
    double largest = norm(solver.properties().gravity);
    for (const BodyMotion<double>& motion : solver.kinematics().motion) {
      const double w = norm(motion.V_WB.w);
      largest = std::max({largest, w * w, w * norm(motion.V_WB.v)});
    }
    return kPart * largest;
  }

  // The scale is the largest |udot|. At rest this is zero or round-off; the terms that cancel then give the
  // scale, as the acceleration that they would give this speed alone.
  void update_udot_scale(const std::vector<double>& residual_scale,
                         const std::vector<double>& inertia_diagonal) {
    udot_scale_ = inertia_diagonal;
    const double magnitude = largest(udot_[0]);
    for (std::size_t k = 0; k < udot_scale_.size(); ++k) {
      const double inertia = udot_scale_[k];
      udot_scale_[k] = inertia > 0.0 ? std::max(magnitude, residual_scale[k] / inertia) : magnitude;
    }
  }

  void compare_with_reference(std::size_t i) {
    FormulationComparison& result = comparison_.formulations[i];
    for (std::size_t k = 0; k < udot_[i].size(); ++k) {
      const double difference = std::abs(udot_[i][k] - udot_[0][k]);
      const double relative = difference == 0.0 ? 0.0 : difference / udot_scale_[k];
      if (relative > result.udot_difference) {
        result.udot_difference = relative;
        result.worst_udot = model_.u_names()[k];
      }
    }
  }

  const Model& model_;
  std::vector<std::unique_ptr<ForwardDynamics>> solvers_;  // null for a solver that refuses the model
  std::optional<CartesianFormulation> cartesian_;          // comes after solvers_
  std::vector<std::vector<double>> udot_;
  std::vector<double> udot_scale_;  // (nu), for the present state
  InverseDynamics<double> inverse_;
  std::vector<SpatialForce<double>> reactions_;
  Comparison comparison_;
};

// Numbers in (-1, 1) that are the same on every machine (splitmix64, Steele, Lea and Flood 2014).
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  double next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    return std::ldexp(static_cast<double>(z >> 11), -52) - 1.0;
  }

 private:
  std::uint64_t state_;
};

}  // namespace

bool Comparison::agrees() const {
  return agrees_where_computed() &&
         std::all_of(formulations.begin(), formulations.end(), [&](const FormulationComparison& f) {
           return !f.refusal.empty() || f.failures == skipped;
         });
}

bool Comparison::agrees_where_computed() const {
  const double udot_limit = condition > 1e5 ? kUdotLimitPerCondition * condition : kUdotLimit;
  return std::all_of(formulations.begin(), formulations.end(), [&](const FormulationComparison& f) {
    return f.relative_residual <= kResidualLimit && f.udot_difference <= udot_limit;
  });
}

Comparison compare_formulations(const std::shared_ptr<const Model>& model,
                                const Properties<double>& properties,
                                const std::vector<State<double>>& states,
                                const std::shared_ptr<const Model>& cartesian) {
  Comparer comparer(model, properties, cartesian);
  for (const State<double>& state : states) comparer.add(state);
  return comparer.comparison();
}

// The range over which each speed's coordinate is scattered, relative to that of joints. Slender elements
// buckle if they are much shorter than at rest, so nodes of a beam move by a small fraction of an element's
// length.
static std::vector<double> find_reach(const Model& model, const Properties<double>& properties) {
  constexpr double kTurn = 1e-2, kStretch = 1e-3;
  std::vector<double> reach(static_cast<std::size_t>(model.nu()), 1.0);
  for (const BeamForce<double>& element : properties.forces.connectors.beams) {
    for (const FrameIndex node : {element.a, element.b}) {
      const auto first = reach.begin() + model.bodies()[BodyIndex(node.value())].u_start;
      std::fill_n(first, 3, kTurn);
      std::fill_n(first + 3, 3, kStretch * element.segment.length);
    }
  }
  for (const CableForce<double>& element : properties.cable_elements) {
    for (const CableForce<double>::End& end : {element.a, element.b}) {
      const auto node = reach.begin() + model.bodies()[BodyIndex(end.frame.value())].u_start;
      std::fill_n(node, 3, kStretch * element.segment.length);
      std::fill_n(reach.begin() + end.u, 3, kTurn);
    }
  }
  return reach;
}

std::vector<State<double>> scatter_states(const Model& model, int count, double spread, std::uint64_t seed) {
  const Properties<double> properties = calc_properties(model);
  std::vector<State<double>> states{calc_assembled_state(model, properties)};
  SplitMix random(seed);
  const std::vector<double> reach = find_reach(model, properties);
  std::vector<double> displacement(reach.size());
  for (int i = 0; i < count; ++i) {
    State<double> state = states[0];
    for (std::size_t k = 0; k < reach.size(); ++k) displacement[k] = spread * reach[k] * random.next();
    plus_q<double>(model, states[0].q, displacement, state.q);
    for (double& u : state.u) u += spread * random.next();
    try {
      assemble(model, properties, {}, {}, state);
    } catch (const InputError&) {  // so far from the initial state that the loops do not close
      continue;
    }
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace sestina
