#include "sestina/dynamics/point_jacobian.h"

#include <algorithm>

#include "sestina/model/properties.h"
#include "sestina/spatial/scalars.h"

namespace sestina {

template <class T>
void calc_point_jacobian(const Model& model, const Properties<T>& properties, const Kinematics<T>& kinematics,
                         PointIndex point, std::span<SpatialMotion<T>> columns) {
  std::fill(columns.begin(), columns.end(), SpatialMotion<T>{});
  const AttachedPoint<T>& attached = properties.points[point];
  Vec3<T> p = kinematics.motion[static_cast<std::size_t>(attached.body.value())].X_WB.R * attached.X_BP.p;
  for (BodyIndex b = attached.body; b != kGround; b = model.bodies()[b].parent) {
    const BodyInfo& info = model.bodies()[b];
    for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {
      const auto k = static_cast<std::size_t>(speed);
      columns[k] = shift(kinematics.H[k], p);  // (1)
    }
    p += kinematics.s[static_cast<std::size_t>(b.value())];
  }
}

#define SESTINA_INSTANTIATE(T)                                                                            \
  template void calc_point_jacobian(const Model&, const Properties<T>&, const Kinematics<T>&, PointIndex, \
                                    std::span<SpatialMotion<T>>);
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)

}  // namespace sestina
