// The interface to bodies outside the particles that carry walls and tethers: a mechanism as seen by the
// particles.
#pragma once

#include <array>
#include <span>
#include <string>

#include "sestina/particles/box.h"

namespace sestina {

// The motion of a body's frame, in ground axes.
struct CarrierMotion {
  Vector3d position{};                                        // m
  std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};  // from body to ground axes, by rows
  Vector3d velocity{};                                        // m/s, of its origin
  Vector3d spin{};                                            // rad/s, angular velocity

  Vector3d turn(const Vector3d& direction) const {  // from body to ground axes
    Vector3d turned{};
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) turned[a] += rotation[3 * a + b] * direction[b];
    }
    return turned;
  }
  Vector3d place(const Vector3d& point) const {  // m, a point of the body in ground axes
    const Vector3d turned = turn(point);
    return {position[0] + turned[0], position[1] + turned[1], position[2] + turned[2]};
  }
};

// The force and torque on a body, in ground axes.
struct CarrierWrench {
  Vector3d force{};   // N
  Vector3d torque{};  // N m, about the origin of the body's frame

  // Adds a force at a point, which is `arm` (m) away from the origin.
  void add(const Vector3d& arm, const Vector3d& added) {
    const Vector3d moment = cross(arm, added);
    for (std::size_t a = 0; a < 3; ++a) force[a] += added[a], torque[a] += moment[a];
  }
};

class Carriers {
 public:
  Carriers() = default;
  virtual ~Carriers() = default;
  Carriers(const Carriers&) = delete;
  Carriers& operator=(const Carriers&) = delete;

  // Returns the motions of the bodies of ParticleModel::carriers at the present time.
  virtual std::span<const CarrierMotion> motions() const = 0;
  // Applies impulses of h (s) times the wrenches, one for each body, and returns the work that these do on
  // the bodies (J).
  virtual double kick(double h, std::span<const CarrierWrench> wrenches) = 0;
  // Advances the bodies to the time t (s), without the wrenches. Throws ComputationError.
  virtual void advance_to(double t) = 0;

  // Returns the data from which the motion continues, bit for bit.
  virtual std::string save() = 0;
  virtual void restore(const std::string& saved) = 0;  // throws InputError
};

}  // namespace sestina
