// The mass matrix by composite bodies: O(n + S), S the sum of the depths of all speeds.
//
// Frames and points as in kinematics.h. With I the inertia of body B and all that hangs on it, as one rigid
// body about Mo:
//   I = M + sum over children of shift_back(I_C, s_C)                                    (1)
//   U_k = I H_k                                          about Mo of the joint of k      (2)
//   M_kl = U_k . H_l,   U_k shifted back to Mo of l      for l on the joint of k or inboard   (3)
// and the armature on the diagonal; zero for speeds on different branches.
//
// (3) is computed for up to eight speeds l at a time, about one point R (speed_blocks.h):
//   M_kl = U_k,R . [H_l.w; H_l.v + arm_l x H_l.w],   arm_l from R to Mo of l              (4)
//
// KaneSolver computes the same matrix from partial velocities, at a cost larger by the depth; the two share
// only the kinematics. Source: Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.2, here in
// ground axes about each body's own point.
#pragma once

#include "sestina/dynamics/kinematics.h"
#include "sestina/dynamics/speed_blocks.h"
#include "sestina/numerics/cache_line_vector.h"
#include "sestina/numerics/ldlt.h"
#include "sestina/spatial/composite_inertia.h"

namespace sestina {

template <class T>
class MassMatrix {
 public:
  explicit MassMatrix(const Model& model);

  // For the coordinates to which `kinematics` belongs. No allocation.
  void update(const Properties<T>& properties, const Kinematics<T>& kinematics);

  // (nu x nu) of the last update(): the lower triangle. The upper one is zero.
  const DenseMatrix<T>& matrix() const { return M_; }

 private:
  // H of the speeds of a block about R, component by component; zero where the block has no speed.
  struct Columns {
    T w[3][8] = {}, v[3][8] = {};
  };

  void place_columns(std::size_t i, const Kinematics<T>& kinematics);
  void fill_row(std::size_t k, const Kinematics<T>& kinematics, ForceLanes<T> U, const T& armature);
  static void fill_block(const Columns& columns, const ForceLanes<T>& U, int count, T* entries);

  SpeedBlocks layout_;
  DenseMatrix<T> M_;
  std::vector<CompositeInertia<T>> inertia_;  // by BodyIndex
  CacheLineVector<Columns> columns_;          // by block
  std::vector<Lanes3<T>> offset_;             // by block: from R of the block inboard to R
  std::vector<Lanes3<T>> arm_of_body_;        // by BodyIndex: from R of its block to Mo
  std::vector<Lanes3<T>> arm_;                // (nu): from R of its block to Mo
};

}  // namespace sestina
