// Impulses of many unilateral contacts with Coulomb friction, by sweeps from contact to contact (block
// Gauss-Seidel) in the speeds u: the impulse of each contact is found exactly with all others fixed, and u is
// changed accordingly.
//
//   v = C u + [bias; 0; 0],   0 <= p_n,   0 <= v_n + R p_n,   p_n (v_n + R p_n) = 0                   (1)
//   |p_t| <= mu p_n;   where v_t is not zero, p_t = -mu p_n v_t/|v_t|                                 (2)
//   u = u_free + sum of B p                                                                           (3)
//
// with v the relative velocity of a contact and p its impulse (N s), each [normal; two tangential].
// C (3 x speeds) and B = M^-1 C^T of each contact are stored for the speeds that it moves only, so that
// memory and a sweep cost O(contacts) if bodies are free. With the impulses of the previous step as a start,
// a few sweeps suffice. Redundant contacts, for which p is not unique, stay near their start. Between sweeps,
// Newton's method solves the equations of the states that the sweeps have found, with the least change of the
// impulses:
//   v = 0 where a contact sticks,   v_n + R p_n = 0 and (2) where it slides                           (4)
// friction_solver.h solves the same conditions to round-off for any kind of step, at a higher cost.
//
// Sources: Jean, CMAME 177 (1999), the non-linear Gauss-Seidel method; Moreau, CISM 302 (1988).
#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "sestina/contact/cone_program.h"

namespace sestina {

class ContactSweeps {
 public:
  struct Range {
    int first = 0, count = 0;  // in u
  };
  struct Law {
    double friction = 0.0;    // mu
    double compliance = 0.0;  // R
    double bias = 0.0;        // m/s or rad/s, added to v_n
  };

  void clear();
  // Adds a contact. C and B^T (3 x speeds, row by row) are those of the two ranges, one after the other.
  void add(const std::array<Range, 2>& ranges, std::span<const double> C, std::span<const double> B,
           const Law& law, const Eigen::Vector3d& start);

  // Adds the effect of the starting impulses to u, then sweeps, at most `most` times, until no velocity
  // changes by more than `tolerance` in a sweep. Returns whether that was reached.
  bool solve(std::span<double> u, double tolerance, int most);
  // The same, but starting from the solution of the convex problem of cone_program.h, in which v_n + mu s
  // replaces v_n, with the slip s of the previous solution. For contacts whose loads are not unique, or are
  // passed on slowly by the sweeps. Costs O(contacts^3). If the sweeps do not converge after a few rounds, as
  // happens if friction and inertia are coupled strongly, the last solution is kept: it has
  // v_n = mu (|v_t| - s) where a contact slides. If round-off prevents a solution, the best result of the
  // sweeps is kept.
  void solve_by_cones(std::span<double> u, double tolerance);
  const Eigen::Vector3d& impulse(int contact) const { return contacts_[static_cast<std::size_t>(contact)].p; }
  // Returns v of (1) without the bias; the second form is for a contact with these ranges and rows.
  Eigen::Vector3d velocity(int contact, std::span<const double> u) const;
  static Eigen::Vector3d velocity(const std::array<Range, 2>& ranges, std::span<const double> C,
                                  std::span<const double> u);
  // Adds to `displacement` (m or rad, in the order of u) a small displacement that closes all overlaps and
  // causes none. It is the smallest in the norm of M if the sweeps converge.
  void close(std::span<const double> gaps, std::span<double> displacement, double tolerance, int most) const;

 private:
  struct Contact {
    std::array<Range, 2> ranges;
    std::size_t begin = 0;  // in numbers_: C, then B^T
    Law law;
    Eigen::Matrix3d A, inverse;  // C B and its inverse, with R
    Eigen::Vector3d p;
    bool sticks = false;
  };

  bool go_on(std::span<double> u, double tolerance, int most);
  double sweep(std::span<double> u);
  void start_cones(std::span<const double> u);
  void take_cones(std::span<double> u);
  void set_impulses(std::span<const Eigen::Vector3d> p, std::span<double> u);
  static Eigen::Vector3d find_impulse(Contact& contact, const Eigen::Vector3d& v);
  bool hold_slow_contacts(std::span<const double> u);
  bool polish(std::span<double> u);
  void find_mobility();
  void find_equations(std::span<const double> u);
  Eigen::Matrix3d mobility(const Contact& one, const Contact& other) const;
  Eigen::Vector3d product(const Contact& contact, std::span<const double> u) const {
    return velocity(contact.ranges, std::span(numbers_).subspan(contact.begin), u);
  }
  void add_response(const Contact& contact, const Eigen::Vector3d& p, std::span<double> u) const;

  std::vector<Contact> contacts_;
  std::vector<double> numbers_;
  // For Newton's method: the contacts that carry load, their mobility, and the equations.
  std::vector<std::size_t> carrying_;
  Eigen::MatrixXd G_, J_;
  Eigen::VectorXd F_;
  ConeProgram cones_;
  std::vector<std::size_t> cone_contacts_;
  std::vector<bool> is_ray_;
  Eigen::MatrixXd M_;          // of the cones
  Eigen::VectorXd b_, scale_;  // velocities without impulses; factors of the coordinates of the cones
  Eigen::VectorXd slip_;
  std::vector<double> kept_;  // u
  std::vector<Eigen::Vector3d> kept_impulses_;
  double change_ = 0.0;  // of a velocity, the largest in the last sweep
};

}  // namespace sestina
