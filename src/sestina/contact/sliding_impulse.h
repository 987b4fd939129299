// The impulse of one contact that slides: with the mobility A (3 x 3) of the contact, and the velocity w that
// it would have without its impulse, each [normal; two tangential],
//
//   v = w + A p,   v_n = 0,   p_t = -mu p_n d,   v_t = s d,   s >= 0,   |d| = 1 (1)
//
// With the first and third the normal impulse and the slip are functions of the direction d alone, which is a
// root of d x v_t(d) = 0. Where A has a compliance in its normal entry, v_n contains the impulse times it.
// The second tangential direction may be without mobility and velocity, as for the friction of a joint.
#pragma once

#include <Eigen/Core>

namespace sestina {

// Finds p, the direction near `guess` (of slip; zero for none) if there is one. Several directions are
// possible only for strong coupling of friction and geometry; of those that a search finds, the one with the
// fastest sliding is taken. Returns false if there is none (Painleve).
bool find_sliding_impulse(const Eigen::Matrix3d& A, const Eigen::Vector3d& w, double mu,
                          const Eigen::Vector2d& guess, Eigen::Vector3d& p);

}  // namespace sestina
