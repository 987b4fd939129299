#include "sestina/dynamics/marker_jacobian.h"

#include <algorithm>
#include <cassert>

#include "sestina/dynamics/reduced_bodies.h"
#include "sestina/spatial/scalars.h"

namespace sestina {
namespace {

// Calls f(k, p) for every speed k inboard of the marker, with p from Mo of k to the marker.
template <class T, class F>
void for_each_inboard_speed(const Model& model, const Kinematics<T>& kinematics, const Marker<T>& marker,
                            F&& f) {
  assert(marker.frame.value() < model.bodies().size());
  Vec3<T> p = marker_motion(kinematics.motion.data(), marker).arm;
  for (BodyIndex b(marker.frame.value()); b != kGround; b = model.bodies()[b].parent) {
    const BodyInfo& info = model.bodies()[b];
    for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {
      f(static_cast<std::size_t>(speed), p);
    }
    p += kinematics.s[static_cast<std::size_t>(b.value())];
  }
}

}  // namespace

template <class T>
void calc_marker_jacobian(const Model& model, const Kinematics<T>& kinematics, const Marker<T>& marker,
                          std::span<SpatialMotion<T>> columns) {
  std::fill(columns.begin(), columns.end(), SpatialMotion<T>{});
  if (marker.frame.value() >= model.bodies().size()) {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Dual>) {
      const InterfaceColumns<T> interface = calc_interface_columns(model, kinematics, marker.frame);
      calc_marker_jacobian(model, kinematics, {frame_of(interface.body), {}}, columns);
      const Vec3<T> arm = marker_motion(kinematics.motion.data(), marker).arm;
      for (SpatialMotion<T>& column : columns) column = shift(column, interface.arm + arm);
      for (std::size_t i = 0; i < interface.modes.size(); ++i) {
        columns[static_cast<std::size_t>(interface.u_start) + i] = shift(interface.modes[i], arm);
      }
    }
    return;
  }
  for_each_inboard_speed(model, kinematics, marker, [&](std::size_t k, const Vec3<T>& p) {
    columns[k] = shift(kinematics.H[k], p);  // (1)
  });
}

template <class T>
void add_generalized_force(const Model& model, const Kinematics<T>& kinematics, const Marker<T>& marker,
                           const SpatialForce<T>& force, std::span<T> tau) {
  for_each_inboard_speed(model, kinematics, marker, [&](std::size_t k, const Vec3<T>& p) {
    tau[k] += dot(shift(kinematics.H[k], p), force);
  });
}

#define SESTINA_INSTANTIATE(T)                                                              \
  template void calc_marker_jacobian(const Model&, const Kinematics<T>&, const Marker<T>&,  \
                                     std::span<SpatialMotion<T>>);                          \
  template void add_generalized_force(const Model&, const Kinematics<T>&, const Marker<T>&, \
                                      const SpatialForce<T>&, std::span<T>);
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)
#undef SESTINA_INSTANTIATE

}  // namespace sestina
