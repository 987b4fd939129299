// The impulse p of one contact that slides, with the mobility A (3 x 3) of the contact and the velocity w
// that it would have without p, each [normal; two tangential]:
//
//   v = w + A p,   v_n = 0,   p_t = -mu p_n d,   v_t = s d,   s >= 0,   |d| = 1                       (1)
//
// The first three equations give the normal impulse and the slip as functions of the direction d alone, which
// is a root of d x v_t(d) = 0. If the normal entry of A includes a compliance, v_n includes the compliance
// times p_n. The second tangential direction may have neither mobility nor velocity, as in the friction of a
// joint.
#pragma once

#include <Eigen/Core>

namespace sestina {

// Finds p with a direction of slip near `guess` (zero: no guess) if there is one. Several directions are
// possible only if friction and geometry are coupled strongly; of those that a search finds, the one that
// slides fastest is taken. Returns false if there is none (Painleve's paradox).
bool find_sliding_impulse(const Eigen::Matrix3d& A, const Eigen::Vector3d& w, double mu,
                          const Eigen::Vector2d& guess, Eigen::Vector3d& p);

}  // namespace sestina
