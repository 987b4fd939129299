#include "sestina/dynamics/constraint_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/constraints/coordinate_condition_row.h"
#include "sestina/constraints/cut_joint_motion.h"
#include "sestina/dynamics/cables.h"
#include "sestina/dynamics/marker_jacobian.h"
#include "sestina/dynamics/reduced_bodies.h"
#include "sestina/model/properties.h"
#include "sestina/model/tape_inputs.h"

namespace sestina {

template <class T>
ConstraintRows<T>::ConstraintRows(const Model& model)
    : rows(static_cast<std::size_t>(model.constraint_rows())),
      terms(static_cast<std::size_t>(model.constraint_terms())),
      pairs(static_cast<std::size_t>(model.constraint_pairs())),
      cut_q(static_cast<std::size_t>(model.cut_nq())),
      cut_u(static_cast<std::size_t>(model.cut_nu())),
      cut_motions(model.cut_joints().size()),
      expressions(model.constraint_tape().output_count()),
      tape_inputs(static_cast<std::size_t>(model.num_force_tape_inputs())),
      tape_scratch(model.constraint_tape().scratch_size()) {
  std::size_t scratch = 0;
  for (const CurveInfo& curve : model.curves()) scratch = std::max(scratch, curve.tape.scratch_size());
  curve_s.resize(static_cast<std::size_t>(model.num_curve_parameters()));
  curve_inputs.resize(model.curves().empty() ? 0 : 1 + model.parameters().size());
  curve_numbers.resize(CurveInfo::kNumbers), curve_scratch.resize(scratch);
  if constexpr (std::is_same_v<T, double>) {
    if (!model.user_constraints().empty()) user.emplace(model);
  }
}

namespace {

// The curve's point at a parameter, in the axes of the curve's frame.
template <class T>
CurvePoint<T> calc_curve_point(const Model& model, const Properties<T>& properties, int curve, const T& s,
                               ConstraintRows<T>& constraints) {
  constraints.curve_inputs[0] = s;
  std::copy(properties.parameters.begin(), properties.parameters.end(), constraints.curve_inputs.begin() + 1);
  model.curves()[static_cast<std::size_t>(curve)].tape.template evaluate<T>(
      constraints.curve_inputs, constraints.curve_numbers, constraints.curve_scratch);
  const std::vector<T>& x = constraints.curve_numbers;
  return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}};
}

// Implicit rules find their sparsity patterns by derivatives that are NaN (implicit_motion.h). Here a NaN at
// any node of the beam makes the rows NaN, so that the pattern holds in every element.
template <class T>
void involve_all_nodes(const PointOnBeam<T>& on, const State<T>& state, const FrameMotion<T>* frames,
                       ConstraintRows<T>& constraints) {
  if constexpr (!std::is_same_v<T, double>) {
    const BeamNodes<T> nodes(on, state.q.data(), state.u.data(), frames);
    Vec3<T> sum;
    for (std::size_t k = 0; k < on.nodes.size(); ++k) {
      sum += nodes.position(k) + nodes.velocity(k) + nodes.slope(k) + nodes.slope_rate(k);
    }
    const T zero = T(0) * (sum.x + sum.y + sum.z);
    for (int r = on.first_row; r < on.first_row + PointOnBeam<T>::kRows; ++r) {
      ConstraintRow<T>& row = constraints.rows[static_cast<std::size_t>(r)];
      row.error += zero, row.velocity += zero, row.bias += zero;
      row.force = (T(1) + zero) * row.force;
      for (int i = row.first_pair; i < row.first_pair + row.pairs; ++i) {
        FramePair<T>& pair = constraints.pairs[static_cast<std::size_t>(i)];
        pair.force = (T(1) + zero) * pair.force;
      }
      for (int i = row.first_term; i < row.first_term + row.terms; ++i) {
        constraints.terms[static_cast<std::size_t>(i)].coefficient += zero;
      }
    }
  }
}

template <class T>
void update_user_constraints(const Model& model, const Properties<T>& properties, const State<T>& state,
                             const Kinematics<T>& kinematics, ConstraintRows<T>& constraints) {
  for (std::size_t i = 0; i < model.user_constraints().size(); ++i) {
    const UserConstraintInfo& info = model.user_constraints()[i];
    const ConstraintInfo& constraint = model.constraints()[static_cast<std::size_t>(info.constraint)];
    if constexpr (std::is_same_v<T, double>) {
      const UserConstraints::Numbers& numbers = constraints.user->update(i, properties, state, kinematics);
      const std::size_t nu = state.u.size();
      for (int r = 0; r < constraint.rows; ++r) {
        const auto k = static_cast<std::size_t>(r);
        ConstraintRow<T>& row = constraints.rows[static_cast<std::size_t>(constraint.first_row) + k];
        row.is_on_position = constraint.is_on_position;
        row.error = constraint.is_on_position ? numbers.error[k] : 0.0;
        row.velocity = numbers.velocity[k], row.bias = numbers.bias[k];
        row.first_term = info.first_term + r * static_cast<int>(nu), row.terms = static_cast<int>(nu);
        for (std::size_t j = 0; j < nu; ++j) {
          constraints.terms[static_cast<std::size_t>(row.first_term) + j] = {static_cast<int>(j),
                                                                             numbers.jacobian[k * nu + j]};
        }
      }
    } else {
      throw InputError(fmt::format("{}: a user constraint has no derivatives", constraint.name));
    }
  }
}

// Points on curves and on beams.
template <class T>
void update_points_that_slide(const Model& model, const Properties<T>& properties, const State<T>& state,
                              const FrameMotion<T>* frames, ConstraintRows<T>& constraints) {
  const ConstraintSet<T>& set = properties.constraints;
  std::copy(state.h.begin() + model.cut_nq(), state.h.end(), constraints.curve_s.begin());
  for (const PointOnCurve<T>& point : set.points_on_curves) {
    const auto at = [&](const T& s) {
      return calc_curve_point(model, properties, point.index, s, constraints);
    };
    update_point_on_curve(point, frames, at, constraints.curve_s[static_cast<std::size_t>(point.index)],
                          constraints.rows.data() + point.first_row);
  }
  for (const PointOnBeam<T>& point : set.points_on_beams) {
    update_point_on_beam(point, state.q.data(), state.u.data(), frames,
                         constraints.curve_s[static_cast<std::size_t>(point.place)],
                         constraints.rows.data() + point.first_row, constraints.pairs.data(),
                         constraints.terms.data());
    involve_all_nodes(point, state, frames, constraints);
  }
}

}  // namespace

template <class T>
void update_constraint_rows(const Model& model, const Properties<T>& properties, const State<T>& state,
                            const Kinematics<T>& kinematics, ConstraintRows<T>& constraints,
                            const KnownCutJoints<T>* known) {
  const FrameMotion<T>* frames = kinematics.motion.data();
  const ConstraintSet<T>& set = properties.constraints;
  start_reduced_rows(model, constraints);
  const bool are_known = known != nullptr && !known->motions.empty() && !known->are_given;
  if (are_known) {
    std::copy_n(known->q.end() - model.cut_nq(), model.cut_nq(), constraints.cut_q.begin());
    std::copy_n(known->u.end() - model.cut_nu(), model.cut_nu(), constraints.cut_u.begin());
  } else {
    std::copy_n(state.h.begin(), model.cut_nq(), constraints.cut_q.begin());
  }
  for (std::size_t i = 0; i < set.cut_joints.size(); ++i) {
    const CutJoint<T>& cut = set.cut_joints[i];
    CutJointMotion<T>& motion = constraints.cut_motions[i];
    if (are_known) {
      copy_motion(cut, known->motions[i], motion);
    } else {
      find_cut_coordinates(cut, frames, constraints.cut_q.data() + cut.q_start,
                           constraints.cut_u.data() + cut.u_start, motion, constraints.wants_bias);
    }
    update_cut_joint_rows(cut, motion, constraints.rows.data(), constraints.wants_bias);
  }
  if (!constraints.expressions.empty()) {
    fill_tape_inputs<T>(state, properties.parameters, {constraints.cut_q, constraints.cut_u},
                        constraints.tape_inputs);
    model.constraint_tape().template evaluate<T>(constraints.tape_inputs, constraints.expressions,
                                                 constraints.tape_scratch);
  }
  for (const Distance<T>& distance : set.distances) {
    update_distance(distance, frames, constraints.expressions.data() + distance.expression,
                    constraints.rows[static_cast<std::size_t>(distance.first_row)]);
  }
  for (const PointOn<T>& point : set.points_on) {
    update_point_on(point, frames, constraints.rows.data() + point.first_row);
  }
  update_points_that_slide(model, properties, state, frames, constraints);
  for (const Tangent<T>& tangent : set.tangents) {
    update_tangent(tangent, state.q.data(), state.u.data(), frames,
                   constraints.rows.data() + tangent.first_row,
                   constraints.terms.data() + tangent.first_term);
  }
  for (const Rolling<T>& rolling : set.rollings) {
    update_rolling(rolling, frames, constraints.rows.data() + rolling.first_row);
  }
  update_user_constraints(model, properties, state, kinematics, constraints);
  for (const CoordinateCondition& condition : model.conditions()) {
    update_coordinate_condition(condition, constraints.expressions.data(), set.cut_joints.data(),
                                constraints.cut_motions.data(), constraints.terms.data(),
                                constraints.pairs.data(),
                                constraints.rows[static_cast<std::size_t>(condition.row)]);
  }
  set_cable_rows(model, properties, constraints);
  finish_reduced_rows(model, state, kinematics, constraints);
}

template <class T>
T calc_rate(const ConstraintRows<T>& constraints, const ConstraintRow<T>& row,
            std::span<const SpatialMotion<T>> motions, std::span<const T> speeds) {
  const auto at = [&](FrameIndex frame, const Vec3<T>& arm) {
    return shift(motions[static_cast<std::size_t>(frame.value())], arm);
  };
  T rate(0);
  for_each_pair(constraints, row, [&](const FramePair<T>& pair) {
    rate += dot(at(pair.b, pair.arm_b), pair.force) - dot(at(pair.a, pair.arm_a), pair.force);
  });
  for (int i = row.first_term; i < row.first_term + row.terms; ++i) {
    const SpeedTerm<T>& term = constraints.terms[static_cast<std::size_t>(i)];
    rate += term.coefficient * speeds[static_cast<std::size_t>(term.speed)];
  }
  return rate;
}

template <class T>
void add_constraint_forces(const ConstraintRows<T>& constraints, std::span<const T> lambda, std::span<T> tau,
                           std::span<SpatialForce<T>> body) {
  for (std::size_t r = 0; r < constraints.rows.size(); ++r) {
    const ConstraintRow<T>& row = constraints.rows[r];
    for_each_pair(constraints, row, [&](const FramePair<T>& pair) {
      const SpatialForce<T> force = lambda[r] * pair.force;
      body[static_cast<std::size_t>(pair.b.value())] += shift_back(force, pair.arm_b);
      body[static_cast<std::size_t>(pair.a.value())] -= shift_back(force, pair.arm_a);
    });
    // Forces of a user constraint that are given on bodies act on these bodies; joints transmit them.
    if (constraints.user && constraints.user->has_row(r)) continue;
    for (int i = row.first_term; i < row.first_term + row.terms; ++i) {
      const SpeedTerm<T>& term = constraints.terms[static_cast<std::size_t>(i)];
      tau[static_cast<std::size_t>(term.speed)] += lambda[r] * term.coefficient;
    }
  }
  if constexpr (std::is_same_v<T, double>) {
    if (constraints.user) constraints.user->add_forces(lambda, tau, body);
  }
}

void add_generalized_force(const Model& model, const Kinematics<double>& kinematics,
                           const FramePair<double>& pair, std::span<double> tau) {
  // Places the markers of the rolling disc at the contact point; only their positions matter.
  const auto at = [&](FrameIndex frame, const Vec3<double>& arm) {
    const auto& X_WB = kinematics.motion[static_cast<std::size_t>(frame.value())].X_WB;
    return Marker<double>{frame, {{}, transpose_times(X_WB.R, arm)}};
  };
  add_generalized_force(model, kinematics, at(pair.b, pair.arm_b), pair.force, tau);
  add_generalized_force(model, kinematics, at(pair.a, pair.arm_a), -1.0 * pair.force, tau);
}

void calc_constraint_matrix(const Model& model, const Kinematics<double>& kinematics,
                            const ConstraintRows<double>& constraints, std::span<double> matrix) {
  std::fill(matrix.begin(), matrix.end(), 0.0);
  const auto n = static_cast<std::size_t>(model.nu());
  for (std::size_t r = 0; r < constraints.rows.size(); ++r) {
    const ConstraintRow<double>& row = constraints.rows[r];
    const std::span<double> of_row = matrix.subspan(r * n, n);
    for_each_pair(constraints, row, [&](const FramePair<double>& pair) {
      add_generalized_force(model, kinematics, pair, of_row);
    });
    for (int i = row.first_term; i < row.first_term + row.terms; ++i) {
      const SpeedTerm<double>& term = constraints.terms[static_cast<std::size_t>(i)];
      of_row[static_cast<std::size_t>(term.speed)] += term.coefficient;
    }
  }
}

void add_inertia_of_rows(const Model& model, const Kinematics<double>& kinematics,
                         const ConstraintRows<double>& constraints, std::span<double> M) {
  const auto n = static_cast<std::size_t>(model.nu());
  std::vector<double> C(constraints.rows.size() * n);
  calc_constraint_matrix(model, kinematics, constraints, C);
  for (std::size_t r = 0; r < constraints.rows.size(); ++r) {
    if (!constraints.rows[r].is_inertia) continue;
    const double* row = C.data() + r * n;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) M[i * n + j] += row[i] * row[j];
    }
  }
}

void calc_cut_joint_rates(const Model& model, const Properties<double>& properties,
                          const State<double>& state, const Kinematics<double>& kinematics,
                          const ConstraintRows<double>& constraints, std::span<const double> udot,
                          std::span<double> qdot_cut, std::span<double> udot_cut) {
  std::vector<SpatialMotion<double>> A(kinematics.s.size());
  for (std::size_t b = 1; b < A.size(); ++b) {
    const BodyInfo& info = model.bodies()[BodyIndex(static_cast<int>(b))];
    A[b] = shift(A[static_cast<std::size_t>(info.parent.value())], kinematics.s[b]) + kinematics.bias[b];
    for (int k = info.u_start; k < info.u_start + info.nu; ++k) {
      A[b] += udot[static_cast<std::size_t>(k)] * kinematics.H[static_cast<std::size_t>(k)];
    }
  }
  add_interface_accelerations(model, state, kinematics, udot, A);
  for (std::size_t i = 0; i < constraints.cut_motions.size(); ++i) {
    const CutJoint<double>& cut = properties.constraints.cut_joints[i];
    const CutJointMotion<double>& motion = constraints.cut_motions[i];
    const RelativeMarkerMotion<double>& relative = motion.relative;
    const auto at = [&](FrameIndex frame, const Vec3<double>& arm) {
      return shift(A[static_cast<std::size_t>(frame.value())], arm);
    };
    const SpatialMotion<double> A_FM =
        at(cut.M.frame, relative.arm_b) - at(cut.F.frame, relative.arm_a) + relative.bias;
    const SpatialMotion<double> in_F = rotate(relative.R_WF.transpose(), A_FM) - motion.bias;
    visit_joint(cut.joint, [&](const auto& joint) {
      using Joint = std::decay_t<decltype(joint)>;
      motion.directions(cut).find_speeds(scaled(in_F, cut.length), Joint::kNu, udot_cut.data() + cut.u_start);
      joint.q_dot(constraints.cut_q.data() + cut.q_start, constraints.cut_u.data() + cut.u_start,
                  qdot_cut.data() + cut.q_start);
    });
  }
}

void find_nearest_places(const Model& model, const Properties<double>& properties,
                         const Kinematics<double>& kinematics, State<double>& state) {
  constexpr int kPlaces = 256;
  if (model.num_curve_parameters() == 0) return;
  ConstraintRows<double> scratch(model);
  // Takes the nearest of points c(s) between two parameters.
  const auto take_nearest = [&](std::size_t i, const Vec3<double>& p, double first, double last,
                                const auto& c) {
    double least = INFINITY;
    for (int k = 0; k <= kPlaces; ++k) {
      const double s = first + (last - first) * k / kPlaces, distance = norm(p - c(s));
      if (!(distance < least)) continue;
      least = distance;
      state.h[static_cast<std::size_t>(model.cut_nq()) + i] = s;
    }
  };
  for (std::size_t i = 0; i < model.plan().points_on_beams.size(); ++i) {
    if (model.plan().points_on_beams[i].start.is_given()) continue;
    const PointOnBeam<double>& on = properties.constraints.points_on_beams[i];
    const BeamNodes<double> nodes(on, state.q.data(), state.u.data(), kinematics.motion.data());
    take_nearest(static_cast<std::size_t>(on.place), marker_pose(kinematics.motion.data(), on.point).p, 0.0,
                 on.stations.back(), [&](double s) { return nodes.point(s).c; });
  }
  for (std::size_t i = 0; i < model.curves().size(); ++i) {
    const PointOnCurve<double>& on = properties.constraints.points_on_curves[i];
    const PointOnCurvePlan& plan = model.plan().points_on_curves[i];
    if (plan.start.is_given() || !plan.range.is_given()) continue;
    const RelativeMarkerMotion<double> relative =
        calc_relative_marker_motion(kinematics.motion.data(), on.curve, on.point);
    take_nearest(i, relative.X_FM.p, on.first, on.last,
                 [&](double s) { return calc_curve_point(model, properties, on.index, s, scratch).c; });
  }
}

std::string explain_curve_end(const Model& model, const Properties<double>& properties,
                              const ConstraintRows<double>& constraints) {
  for (std::size_t i = 0; i < model.curves().size(); ++i) {
    const PointOnCurve<double>& on = properties.constraints.points_on_curves[i];
    const double s = constraints.curve_s[i], rounding = 1e-9 * (on.last - on.first);
    if (!on.is_open || (s >= on.first - rounding && s <= on.last + rounding)) continue;
    const double end = s < on.first ? on.first : on.last;
    const ConstraintInfo& info = model.constraints()[static_cast<std::size_t>(model.curves()[i].constraint)];
    ConstraintRows<double> scratch(model);
    const Vec3<double> c = calc_curve_point(model, properties, on.index, end, scratch).c;
    return fmt::format("{}: the point leaves its curve, which ends at s = {:.6g}, ({:.6g}, {:.6g}, {:.6g})",
                       info.name, end, c.x, c.y, c.z);
  }
  for (const ConstraintInfo& info : model.constraints()) {
    if (info.on_beam < 0) continue;
    const PointOnBeam<double>& on =
        properties.constraints.points_on_beams[static_cast<std::size_t>(info.on_beam)];
    const double s = constraints.curve_s[static_cast<std::size_t>(on.place)], length = on.stations.back();
    if (on.is_closed || (s >= -1e-9 * length && s <= (1.0 + 1e-9) * length)) continue;
    const int beam = model.plan().points_on_beams[static_cast<std::size_t>(info.on_beam)].beam;
    return fmt::format("{}: the point leaves {}, which ends at s = {:.6g} m", info.name,
                       model.beams()[static_cast<std::size_t>(beam)].name, s < 0.0 ? 0.0 : length);
  }
  return {};
}

std::string explain_non_finite_constraint(const Model& model, const Properties<double>& properties,
                                          const State<double>& state,
                                          const ConstraintRows<double>& constraints) {
  for (std::size_t i = 0; i < constraints.expressions.size(); ++i) {
    if (!std::isfinite(constraints.expressions[i])) {
      return model.explain_constraint(static_cast<int>(i), properties, state);
    }
  }
  for (std::size_t r = 0; r < constraints.rows.size(); ++r) {
    const ConstraintRow<double>& row = constraints.rows[r];
    if (std::isfinite(row.error + row.velocity + row.bias)) continue;
    const std::string& name = model.name_of_row(static_cast<int>(r));
    if (!model.reduced_bodies().empty() && row.is_inertia) {
      return fmt::format(
          "{} deforms so much that its modes lose their meaning: its inertia would be negative", name);
    }
    for (const Rolling<double>& rolling : properties.constraints.rollings) {
      if (rolling.first_row != static_cast<int>(r)) continue;
      return fmt::format("{}: the disc lies flat on its plane, which it then touches everywhere", name);
    }
    for (const PointOnCurve<double>& point : properties.constraints.points_on_curves) {
      if (point.first_row != static_cast<int>(r)) continue;
      return fmt::format("{}: at s = {:.6g} the curve or its direction is not finite", name,
                         constraints.curve_s[static_cast<std::size_t>(point.index)]);
    }
    return fmt::format(
        "the condition of {} is not finite: points that coincide, or numbers that are too large", name);
  }
  return {};
}

#define SESTINA_INSTANTIATE(T)                                                                               \
  template struct ConstraintRows<T>;                                                                         \
  template void update_constraint_rows(const Model&, const Properties<T>&, const State<T>&,                  \
                                       const Kinematics<T>&, ConstraintRows<T>&, const KnownCutJoints<T>*);  \
  template T calc_rate(const ConstraintRows<T>&, const ConstraintRow<T>&, std::span<const SpatialMotion<T>>, \
                       std::span<const T>);                                                                  \
  template void add_constraint_forces(const ConstraintRows<T>&, std::span<const T>, std::span<T>,            \
                                      std::span<SpatialForce<T>>);
SESTINA_INSTANTIATE(double)
SESTINA_INSTANTIATE(Dual)
#undef SESTINA_INSTANTIATE

}  // namespace sestina
