// The conditions of a joint on its two bodies, and the forces that enforce them.
//
// The motion of a body is given by its mass centre x (m, ground axes), its direction cosines C (columns: the
// axes of its joint frame M in ground axes), v = x' and its angular velocity w in its own axes. For a joint
// with the frame F on the parent P and M on the child B:
//   s      F's origin, from P's mass centre in P's axes (of the ground: from its origin)
//   r      M's origin, from B's mass centre in B's axes
//   d    = x_B + C_B r - x_P - C_P s        from F's origin to M's, ground axes
// Every joint consists of conditions of three kinds, and a rod between two points of a fourth; n is fixed in
// P, m in B, L is the rod's length, f are the multipliers:
//   point  d = 0:                     force f on B at Mo, -f on P at F's origin                      (1)
//   slide  (C_P n) . d = 0:           force f C_P n on B at Mo, the opposite on P at the same place  (2)
//   turn   (C_P n) . (C_B m) = const: torque f C_B m x C_P n on B, the opposite on P                 (3)
//   rod    (d.d - L^2)/(2 L) = 0:     force f d/L on B at Mo, -f d/L on P at F's origin              (7)
// All are at most quadratic in x and C. A screw of pitch p (m/rad) advances along n as it turns about it:
//   screw  (C_P n) . d = p angle:     as for a slide, and the torque -f p C_P n on B, opposite on P   (9)
// Differentiated once, with C' = C [w x]:
//   point  v_B + C_B (w_B x r) - v_P - C_P (w_P x s) = 0                                              (4)
//   slide  (C_P (w_P x n)) . d + (C_P n) . d' = 0                                                     (5)
//   turn   (C_P (w_P x n)) . (C_B m) + (C_P n) . (C_B (w_B x m)) = 0                                  (6)
//   rod    d . d' / L = 0                                                                             (8)
//   screw  (5) - p ((C_P n) . (C_B w_B) - n . w_P) = 0                                               (10)
// The forces enter Newton's and Euler's equations by the transposes of the factors of v and w in (4)-(6),
// (8) and (10), also if C is not exactly orthonormal, so that they do no work.
//
//   spherical   point
//   revolute    point, turn (n1, a), (n2, a)          a the axis, n1, n2 normal to it
//   screw       screw a, slide n1, n2, turn (n1, a), (n2, a)
//   universal   point, turn (a1, a2)
//   weld        point, turn (x, y), (y, z), (z, x)    the axes of F and of M
//   planar      slide z, turn (z, x), (z, y)
//   xyz         turn as weld
//   free        none
#pragma once

#include <span>
#include <vector>

#include "sestina/joints/any_joint.h"
#include "sestina/model/model.h"

namespace sestina {

// Motion of a body at one instant.
struct BodyInstant {
  Mat3<double> C = Mat3<double>::identity();
  Vec3<double> x;  // m
  Vec3<double> v;  // m/s
  Vec3<double> w;  // rad/s, own axes
};

// Load on a body, about its mass centre.
struct BodyLoad {
  Vec3<double> force;   // N, ground axes
  Vec3<double> torque;  // N m, own axes
};

struct JointCondition {
  enum class Kind { kPoint, kSlide, kTurn, kRod, kScrew };
  Kind kind = Kind::kPoint;
  Vec3<double> n, m;    // unit
  int first = 0;        // of its multipliers and rows in the model: three of kPoint, else one
  double length = 0.0;  // m: of a rod
  double cosine = 0.0;  // of the angle that kTurn keeps
  double pitch = 0.0;   // m/rad: of a screw

  int rows() const { return kind == Kind::kPoint ? 3 : 1; }
};

// Receives blocks of derivatives. A row or column is a vector of three numbers of a body or one scalar.
// Bodies are numbered from 0; the ground, which has no rows and columns, is kNoBody.
inline constexpr int kNoBody = -1;
enum class BodyVector { kV, kW, kC0, kC1, kC2, kX };  // as rows kV is Newton's equation and kW Euler's
class DerivativeSink {
 public:
  virtual ~DerivativeSink() = default;
  virtual void add(int row_body, BodyVector row, int body, BodyVector column, const Mat3<double>& block) = 0;
  virtual void add_to_condition(int condition, int body, BodyVector column, const Vec3<double>& row) = 0;
  virtual void add_multiplier(int row_body, BodyVector row, int multiplier, const Vec3<double>& column) = 0;
};

struct JointConditions {
  int parent = kNoBody, child = 0;  // either may be the ground
  Vec3<double> r, s;                // m
  std::vector<JointCondition> conditions;

  // Computes the errors of (1)-(3) and (7), not those of screws, each in the rows that start at
  // JointCondition::first.
  void calc_errors(std::span<const BodyInstant> bodies, std::span<double> rows) const;
  // Computes the rates (4)-(6), (8) and (10).
  void calc_rates(std::span<const BodyInstant> bodies, std::span<double> rows) const;
  // Adds the loads of (1)-(3), (7) and (9).
  void add_loads(std::span<const BodyInstant> bodies, std::span<const double> multipliers,
                 std::span<BodyLoad> loads) const;
  // Adds the derivatives of -loads and of the rates.
  void add_derivatives(std::span<const BodyInstant> bodies, std::span<const double> multipliers,
                       DerivativeSink& sink) const;
  // Returns the force (N) and torque (N m) of the multipliers on the child, a body, at Mo, ground axes.
  SpatialForce<double> calc_reaction(std::span<const BodyInstant> bodies,
                                     std::span<const double> multipliers) const;
  // Computes the multipliers of a reaction, for a closed joint: the inverse of calc_reaction(). Forces along
  // the joint's freedoms, such as those of a motor, are ignored.
  void find_multipliers(const Mat3<double>& C_parent, const Mat3<double>& C_child,
                        const SpatialForce<double>& reaction, std::span<double> multipliers) const;
};

// Returns the conditions of all joints, body after body. Throws InputError, which names them, for
// joints without conditions here and for armatures.
std::vector<JointConditions> make_joint_conditions(const Model& model, const Properties<double>& properties);
int count_multipliers(std::span<const JointConditions> joints);

// Appends the conditions of a joint between frames F and M, whose axes have these orientations in their
// bodies, numbered from `next` on.
// False for types without conditions here.
bool add_joint_conditions(const AnyJoint<double>& joint, const Rotation<double>& R_PF,
                          const Rotation<double>& R_BM, int& next, JointConditions& conditions);

}  // namespace sestina
