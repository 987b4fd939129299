// A Stewart platform whose legs are driven along a motion of the platform that is known.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>

#include "sestina/model/system.h"
#include "sestina/spatial/vec3.h"

namespace sestina::test {

// Six legs of two parts between universal joints on the ground and spherical joints under the platform.
inline constexpr double kPlatformHeight = 1.0;

inline double leg_pair_angle(int leg) {
  const int pair = leg / 2;
  return pair * 2 * std::numbers::pi / 3;
}

inline Vec3<double> ground_point(int i) {
  const double angle =
      leg_pair_angle(i) + (i % 2 == 0 ? 0.2 : -0.2) + std::numbers::pi / 3 * (i % 2 == 0 ? -1 : 1);
  return {std::cos(angle), std::sin(angle), 0};
}
inline Vec3<double> platform_point(int i) {
  const double angle = leg_pair_angle(i) + (i % 2 == 0 ? -0.15 : 0.15);
  return {0.6 * std::cos(angle), 0.6 * std::sin(angle), -0.05};
}

struct PlatformMotion {
  // Heave, sway and yaw over time.
  static Vec3<double> place(double t) {
    return {0.1 * std::sin(2 * t), 0.05 * std::sin(3 * t), kPlatformHeight + 0.1 * std::sin(t)};
  }
  static double yaw(double t) { return 0.2 * std::sin(1.5 * t); }
};

inline System make_stewart_platform() {
  System system;
  system.gravity = {0, 0, -9.81};
  BodySpec& platform = system.add_body("platform", 20);
  platform.inertia = {.xx = 1.5, .yy = 1.6, .zz = 3};
  JointSpec& flight = system.add_joint("flight", "free", "ground.origin", "platform.origin");
  flight.q = {0, 0, kPlatformHeight, 1, 0, 0, 0};
  for (int i = 0; i < 6; ++i) {
    const Vec3<double> a = ground_point(i), b = platform_point(i);
    const auto axis = [&](const std::string& name) { return fmt::format("{}{}", name, i); };
    // The leg's frame at the start: z along it.
    const Vec3<double> along = Vec3<double>{b.x, b.y, b.z + kPlatformHeight} - a;
    const double length = norm(along);
    const Vec3<double> z = (1 / length) * along;
    const Vec3<double> x = (1 / norm(cross(Vec3<double>{0, 1, 0}, z))) * cross(Vec3<double>{0, 1, 0}, z);
    const Vec3<double> y = cross(z, x);
    PointSpec& foot = system.add_ground_point(axis("foot"), {a.x, a.y, a.z});
    foot.axes = RotationSpec::matrix({Triple{x.x, y.x, z.x}, Triple{x.y, y.y, z.y}, Triple{x.z, y.z, z.z}});
    platform.add_point(axis("head"), {b.x, b.y, b.z});
    for (const char* part : {"lower", "upper"}) {
      BodySpec& body = system.add_body(axis(part), 1);
      body.center_of_mass = {0, 0, std::string(part) == "lower" ? 0.3 : -0.3};
      body.inertia = {.xx = 0.03, .yy = 0.03, .zz = 0.001};
    }
    JointSpec& cardan =
        system.add_joint(axis("cardan"), "universal", "ground." + axis("foot"), axis("lower") + ".origin");
    cardan.axis = {1, 0, 0}, cardan.second_axis = {0, 1, 0};
    JointSpec& piston =
        system.add_joint(axis("piston"), "prismatic", axis("lower") + ".origin", axis("upper") + ".origin");
    piston.axis = {0, 0, 1}, piston.q = length;
    system.add_joint(axis("ball"), "spherical", axis("upper") + ".origin", "platform." + axis("head")).cut =
        true;
    // The inverse kinematics: the length of the leg for the wanted motion of the platform.
    const std::string c = "cos(0.2*sin(1.5*t))", s = "sin(0.2*sin(1.5*t))";
    system.add_motion(axis("drive"), axis("piston"),
                      fmt::format("sqrt((0.1*sin(2*t) + {0}*{6} - {1}*{7} - ({3}))^2 + (0.05*sin(3*t) + "
                                  "{0}*{7} + {1}*{6} - ({4}))^2 + "
                                  "({5} + 0.1*sin(t) + {2})^2)",
                                  fmt::format("({})", b.x), fmt::format("({})", b.y),
                                  fmt::format("({})", b.z), a.x, a.y, kPlatformHeight, c, s));
  }
  system.analysis.duration = 2;
  system.output.every = 0.25;
  return system;
}

}  // namespace sestina::test
