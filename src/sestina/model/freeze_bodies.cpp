// The numbers of bodies, points, joints and the initial state, each checked for what it must be.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "sestina/model/freezer.h"

namespace sestina {
namespace {

constexpr double kInertiaTolerance = 1e-9;   // of the trace: what rounding to print may cost
constexpr double kRotationTolerance = 1e-6;  // of Euler parameters' norm and of a matrix' orthonormality

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

double length(const std::vector<double>& values, std::size_t first, std::size_t count) {
  double sum = 0.0;
  for (std::size_t i = first; i < first + count; ++i) sum += values[i] * values[i];
  return std::sqrt(sum);
}

}  // namespace

void Freezer::collect_bodies() {
  data_.plan.bodies.push_back({});  // the ground
  for (BodyIndex b{1}; b.value() < data_.bodies.size(); ++b) {
    const BodyInfo& info = data_.bodies[b];
    const int position = position_of_index_[static_cast<std::size_t>(b.value())];
    const BodySpec& spec = system_.bodies[static_cast<std::size_t>(position)];
    BodyPlan plan;
    plan.parent_point = info.parent_point;
    plan.child_point = info.child_point;
    plan.joint_type = info.joint_type;
    collect_mass_properties(plan, spec, fmt::format("bodies[{}]", position));
    const int joint = links_[static_cast<std::size_t>(position)].joint;
    if (joint >= 0) {
      collect_joint(plan, system_.joints[static_cast<std::size_t>(joint)], fmt::format("joints[{}]", joint));
    }
    data_.plan.bodies.push_back(plan);
  }
}

void Freezer::collect_mass_properties(BodyPlan& plan, const BodySpec& spec, const std::string& path) {
  if (spec.type.text != "rigid" && spec.type.text != "particle") {
    fail(spec.type.mark, path + ".type",
         fmt::format("there is no body type '{}'; allowed: rigid or particle", spec.type.text));
  }
  if (!spec.mass) {
    fail(spec.mark, path + ".mass", "is missing");
    return;
  }
  plan.mass = numbers_.next();
  const double mass = numbers_.add(*spec.mass, path + ".mass");
  if (mass < 0.0) fail(spec.mass->mark, path + ".mass", describe(*spec.mass, mass) + " is negative");

  std::vector<double> c, J;
  plan.center_of_mass = numbers_.add_list(spec.center_of_mass, path + ".center_of_mass", &c);
  const InertiaSpec& I = spec.inertia;
  plan.inertia = numbers_.next();
  const std::pair<const char*, const Number*> elements[] = {{"xx", &I.xx}, {"yy", &I.yy}, {"zz", &I.zz},
                                                            {"xy", &I.xy}, {"xz", &I.xz}, {"yz", &I.yz}};
  for (const auto& [key, number] : elements) J.push_back(numbers_.add(*number, path + ".inertia." + key));
  if (!all_finite(c) || !all_finite(J)) return;  // has been reported
  if (spec.type == "particle") {
    if (length(J, 0, 6) != 0.0) fail(I.mark, path + ".inertia", "a particle has no inertia: use type rigid");
    if (length(c, 0, 3) != 0.0) {
      fail(spec.center_of_mass[0].mark, path + ".center_of_mass",
           "a particle's mass is at its origin: use type rigid");
    }
  } else {
    check_inertia(spec, path, J);
  }
}

void Freezer::check_inertia(const BodySpec& spec, const std::string& path, const std::vector<double>& J) {
  if (!spec.inertia_check || length(J, 0, 6) == 0.0) return;
  Eigen::Matrix3d matrix;
  matrix << J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2];
  const Eigen::Vector3d principal =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(matrix, Eigen::EigenvaluesOnly).eigenvalues();
  const double tolerance = kInertiaTolerance * std::abs(matrix.trace());
  const std::string moments = fmt::format("its principal moments are {:.6g}, {:.6g} and {:.6g} kg m^2",
                                          principal[0], principal[1], principal[2]);
  const Mark& mark = spec.inertia.mark.line > 0 ? spec.inertia.mark : spec.mark;
  if (principal[0] < -tolerance) {
    fail(mark, path + ".inertia", fmt::format("no body has this inertia: {} and one is negative", moments));
  } else if (principal[2] > principal[0] + principal[1] + tolerance) {
    fail(mark, path + ".inertia",
         fmt::format("no body has this inertia: {} and the largest exceeds the sum of the others "
                     "(inertia_check: none accepts it)",
                     moments));
  }
}

PosePlan Freezer::collect_pose(const PointSpec& spec, const std::string& path) {
  PosePlan plan;
  plan.position = numbers_.add_list(spec.position, path + (spec.axes ? ".position" : ""));
  if (spec.axes) {
    std::vector<double> x;
    plan.kind = spec.axes->kind;
    plan.rotation = numbers_.add_list(spec.axes->numbers, path + ".axes", &x);
    if (all_finite(x)) check_rotation(*spec.axes, path + ".axes", x);
  }
  return plan;
}

void Freezer::check_rotation(const RotationSpec& spec, const std::string& path,
                             const std::vector<double>& x) {
  switch (spec.kind) {
    case RotationSpec::Kind::kEulerParameters:
      if (std::abs(length(x, 0, 4) - 1.0) > kRotationTolerance) {
        fail(spec.mark, path, fmt::format("the Euler parameters have norm {:.9g}, not 1", length(x, 0, 4)));
      }
      return;
    case RotationSpec::Kind::kAxisAngle:
      if (length(x, 0, 3) == 0.0) fail(spec.mark, path, "the axis is zero");
      return;
    case RotationSpec::Kind::kRpy:
      return;
    case RotationSpec::Kind::kMatrix: {
      const Eigen::Matrix3d R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(x.data());
      if ((R.transpose() * R - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff() > kRotationTolerance) {
        fail(spec.mark, path, "the matrix is no rotation: its columns are not orthonormal");
      } else if (R.determinant() < 0.0) {
        fail(spec.mark, path, "the matrix is a reflection, not a rotation: its determinant is -1");
      }
      return;
    }
  }
}

void Freezer::collect_points() {
  const auto add = [&](BodyIndex body, const std::vector<PointSpec>& points, const std::string& path) {
    PointPlan origin;
    origin.body = body;
    data_.plan.points.push_back(origin);
    for (const PointSpec& point : points) {
      data_.plan.points.push_back({body, collect_pose(point, path + ".points." + point.name.text)});
    }
  };
  add(kGround, system_.ground_points, "ground");
  for (BodyIndex b{1}; b.value() < data_.bodies.size(); ++b) {
    const int position = position_of_index_[static_cast<std::size_t>(b.value())];
    add(b, system_.bodies[static_cast<std::size_t>(position)].points, fmt::format("bodies[{}]", position));
  }
}

Slot Freezer::collect_axis(const std::optional<Triple>& axis, bool has_axis, const JointSpec& spec,
                           const std::string& path, std::vector<double>& values) {
  if (!has_axis) {
    if (axis) fail((*axis)[0].mark, path, fmt::format("a {} joint has none", spec.type.text));
    return {};
  }
  if (!axis) {
    fail(spec.mark, path, fmt::format("is missing: a {} joint needs it", spec.type.text));
    return {};
  }
  const Slot slot = numbers_.add_list(*axis, path, &values);
  if (all_finite(values) && length(values, 0, 3) == 0.0)
    fail((*axis)[0].mark, path, "is zero: it has no direction");
  return slot;
}

void Freezer::collect_joint(BodyPlan& plan, const JointSpec& spec, const std::string& path) {
  const JointInfo& info = joint_info(plan.joint_type);
  std::vector<double> a, b;
  plan.axis = collect_axis(spec.axis, info.has_axis, spec, path + ".axis", a);
  plan.second_axis = collect_axis(spec.second_axis, info.has_second_axis, spec, path + ".second_axis", b);
  if (a.size() == 3 && b.size() == 3 && all_finite(a) && all_finite(b)) {
    const Eigen::Vector3d first(a.data()), second(b.data());
    if (first.cross(second).norm() <= kRotationTolerance * first.norm() * second.norm()) {
      fail((*spec.second_axis)[0].mark, path + ".second_axis", "is parallel to axis");
    }
  }
  if (spec.pitch && !info.has_pitch) {
    fail(spec.pitch->mark, path + ".pitch", fmt::format("a {} joint has none", spec.type.text));
  } else if (spec.pitch) {
    plan.pitch = numbers_.next();
    numbers_.add(*spec.pitch, path + ".pitch");
  }
  if (spec.armature && info.nu != 1) {
    fail(spec.armature->mark, path + ".armature",
         fmt::format("only a joint with one speed takes it; {} has {}", spec.type.text, info.nu));
  } else if (spec.armature) {
    plan.armature = numbers_.next();
    const double armature = numbers_.add(*spec.armature, path + ".armature");
    if (armature < 0.0) {
      fail(spec.armature->mark, path + ".armature", describe(*spec.armature, armature) + " is negative");
    }
  }
}

void Freezer::check_left_out_joints() {
  for (const int j : left_out_joints_) {
    const JointSpec& spec = system_.joints[static_cast<std::size_t>(j)];
    const auto type = joint_type_from_keyword(spec.type.text);
    if (!type) continue;
    const JointInfo& info = joint_info(*type);
    const std::string path = fmt::format("joints[{}]", j);
    BodyPlan plan;
    plan.joint_type = *type;
    collect_joint(plan, spec, path);
    collect_initial_values(spec.q, info.nq, info.euler_parameters_start, spec.q_mark, path + ".q");
    collect_initial_values(spec.u, info.nu, -1, spec.u_mark, path + ".u");
  }
}

// All q, then all u, in the order of the model.
void Freezer::collect_initial_state() {
  static const JointSpec floating;
  const auto for_each_joint = [&](auto&& collect) {
    for (BodyIndex b{1}; b.value() < data_.bodies.size(); ++b) {
      const int position = position_of_index_[static_cast<std::size_t>(b.value())];
      const int joint = links_[static_cast<std::size_t>(position)].joint;
      collect(joint < 0 ? floating : system_.joints[static_cast<std::size_t>(joint)],
              joint_info(data_.bodies[b].joint_type), fmt::format("joints[{}]", joint));
    }
  };
  data_.initial_q = numbers_.next();
  for_each_joint([&](const JointSpec& spec, const JointInfo& info, const std::string& path) {
    collect_initial_values(spec.q, info.nq, info.euler_parameters_start, spec.q_mark, path + ".q");
  });
  data_.initial_u = numbers_.next();
  for_each_joint([&](const JointSpec& spec, const JointInfo& info, const std::string& path) {
    collect_initial_values(spec.u, info.nu, -1, spec.u_mark, path + ".u");
  });
}

void Freezer::collect_initial_values(const std::vector<Number>& given, int wanted, int euler_start,
                                     const Mark& mark, const std::string& path) {
  if (given.empty()) {
    for (int k = 0; k < wanted; ++k) numbers_.add_constant(k == euler_start ? 1.0 : 0.0);
    return;
  }
  const Mark& place = mark.line > 0 ? mark : given[0].mark;
  if (static_cast<int>(given.size()) != wanted) {
    fail(place, path, fmt::format("has {} numbers; the joint has {}", given.size(), wanted));
    for (int k = 0; k < wanted; ++k) numbers_.add_constant(0.0);
    return;
  }
  std::vector<double> values;
  if (wanted == 1) {
    values.push_back(numbers_.add(given[0], path));
  } else {
    numbers_.add_list(given, path, &values);
  }
  if (euler_start < 0 || !all_finite(values)) return;
  const double norm = length(values, static_cast<std::size_t>(euler_start), 4);
  if (std::abs(norm - 1.0) > kRotationTolerance) {
    fail(place, path, fmt::format("the Euler parameters have norm {:.9g}, not 1", norm));
  }
}

}  // namespace sestina
