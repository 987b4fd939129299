#include "sestina/dynamics/mass_matrix.h"

#include <fmt/format.h>

#include <type_traits>

#include "sestina/base/memory.h"
#include "sestina/model/properties.h"
#include "sestina/numerics/lanes8.h"
#include "sestina/spatial/scalars.h"

namespace sestina {
namespace {

// Returns nu after a check that there is memory for M.
template <class T>
int size_of_matrix(const Model& model) {
  const double n = model.nu();
  check_memory(n * n * sizeof(T), fmt::format("the mass matrix for {} speeds", n));
  return model.nu();
}

}  // namespace

template <class T>
MassMatrix<T>::MassMatrix(const Model& model)
    : layout_(model),
      M_(size_of_matrix<T>(model)),
      inertia_(static_cast<std::size_t>(model.bodies().size())),
      columns_(layout_.blocks.size()),
      offset_(layout_.blocks.size()),
      arm_of_body_(inertia_.size()),
      arm_(static_cast<std::size_t>(model.nu())) {}

template <class T>
void MassMatrix<T>::update(const Properties<T>& properties, const Kinematics<T>& kinematics) {
  for (std::size_t i = 1; i < inertia_.size(); ++i) {
    inertia_[i] = CompositeInertia<T>(kinematics.inertia[i]);
    place_columns(i, kinematics);
  }
  for (std::size_t i = inertia_.size(); i-- > 1;) {
    const BodyLink& link = kinematics.tree.links[i];
    CompositeInertia<T> I = inertia_[i];
    const T& armature = properties.bodies.values()[i].armature;
    for (int speed = link.u_start; speed < link.u_start + link.nu; ++speed) {
      const auto k = static_cast<std::size_t>(speed);
      const SpatialMotion<T>& H = kinematics.H[k];
      fill_row(k, kinematics, I.times(Lanes3<T>(H.w), Lanes3<T>(H.v)), armature);  // (2)
    }
    if (link.parent == 0) continue;
    I.shift_back(Lanes3<T>(kinematics.s[i]));
    inertia_[static_cast<std::size_t>(link.parent)] += I;  // (1)
  }
}

// Computes the columns of the body's joint about R, and the position of R.
template <class T>
void MassMatrix<T>::place_columns(std::size_t i, const Kinematics<T>& kinematics) {
  const BodyLink& link = kinematics.tree.links[i];
  const auto parent = static_cast<std::size_t>(link.parent);
  int block = layout_.block_of_body[parent];
  Lanes3<T> arm = arm_of_body_[parent] + Lanes3<T>(kinematics.s[i]);
  for (int speed = link.u_start; speed < link.u_start + link.nu; ++speed) {
    const auto k = static_cast<std::size_t>(speed);
    const auto b = static_cast<std::size_t>(layout_.block_of_speed[k]);
    if (layout_.block_of_speed[k] != block) {
      block = layout_.block_of_speed[k];
      offset_[b] = arm;
      arm = {};
    }
    arm_[k] = arm;
    if (layout_.blocks[b].count == 1) continue;
    const SpatialMotion<T>& H = kinematics.H[k];
    const Lanes3<T> w(H.w);
    const Lanes3<T> v = Lanes3<T>(H.v) + cross(arm, w);
    Columns& columns = columns_[b];
    const int place = speed - layout_.blocks[b].first;
    for (int c = 0; c < 3; ++c) columns.w[c][place] = w[c], columns.v[c][place] = v[c];
  }
  arm_of_body_[i] = arm;
}

// Computes (4) for the first `count` speeds of a block.
template <class T>
[[gnu::always_inline]] inline void MassMatrix<T>::fill_block(const Columns& columns, const ForceLanes<T>& U,
                                                             int count, T* entries) {
  Lanes8<T> turning, moving;
  for (int c = 0; c < 3; ++c) {
    turning.add(U.torque[c], Lanes8<T>::load(columns.w[c]));
    moving.add(U.force[c], Lanes8<T>::load(columns.v[c]));
  }
  turning.add(T(1), moving);
  if (count == kLanes8) {
    turning.store(entries);
    return;
  }
  T all[kLanes8];
  turning.store(all);
  const T* from = all;
  const auto copy = [&](auto number) {
    if ((count & number()) == 0) return;
    for (int c = 0; c < number(); ++c) entries[c] = from[c];
    entries += number(), from += number();
  };
  copy(std::integral_constant<int, 4>());
  copy(std::integral_constant<int, 2>());
  copy(std::integral_constant<int, 1>());
}

// Computes row k of M by (4), from block to block inward.
template <class T>
void MassMatrix<T>::fill_row(std::size_t k, const Kinematics<T>& kinematics, ForceLanes<T> U,
                             const T& armature) {
  T* row = M_.row(static_cast<int>(k));
  Lanes3<T> step = arm_[k];
  auto b = static_cast<std::size_t>(layout_.block_of_speed[k]);
  int count = static_cast<int>(k) + 1 - layout_.blocks[b].first;  // with k itself
  while (true) {
    const SpeedBlock& block = layout_.blocks[b];
    U.shift_back(step);
    if (block.count == 1) {  // R is then Mo of that speed
      row[block.first] = dot(kinematics.H[static_cast<std::size_t>(block.first)], U);
    } else {
      fill_block(columns_[b], U, count, row + block.first);
    }
    if (block.inboard < 0) break;
    step = offset_[b];
    b = static_cast<std::size_t>(block.inboard);
    count = layout_.blocks[b].count;
  }
  row[k] += armature;
}

#define SESTINA_INSTANTIATE(T) template class MassMatrix<T>;
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)
#undef SESTINA_INSTANTIATE

}  // namespace sestina
