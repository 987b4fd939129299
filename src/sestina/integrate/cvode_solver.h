// CVODE of SUNDIALS for equations of motion: y' = f(t, y) with y = [q, u, x, z], one internal step at a time.
//
// Errors are measured by the largest component, |error in x| / (atol + rtol |x|) over all controlled numbers
// x, as everywhere in this library; CVODE's default is the root mean square. The quadratures z have weight
// zero: they affect neither the error control nor the convergence test of an iteration.
//
// BDF solves its equations by Newton's method with the matrix of newton_matrix.h; Adams by fixed-point
// iteration, which needs no matrix and suits motion that is not stiff.
//
// Loops and constraints: f contains the accelerations that satisfy them, and BDF projects each step onto them
// (EquationsOfMotion::project) before its error is tested (E. Eich, Convergence results for a coordinate
// projection method applied to mechanical systems with algebraic constraints, SIAM J. Numer. Anal. 30 (1993)
// 1467-1482). Adams cannot.
//
// Exceptions never pass through CVODE. If the accelerations cannot be calculated or are not finite, CVODE is
// informed and tries a shorter step; other exceptions end the step and are thrown again.
//
// Source: A. C. Hindmarsh, P. N. Brown, K. E. Grant, S. L. Lee, R. Serban, D. E. Shumaker, C. S. Woodward,
// SUNDIALS: suite of nonlinear and differential/algebraic equation solvers, ACM Trans. Math. Softw. 31 (2005)
// 363-396.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sestina/integrate/equations_of_motion.h"
#include "sestina/integrate/error_tolerances.h"

namespace sestina {

enum class CvodeMethod { kBdf, kAdams };

class CvodeSolver {
 public:
  static constexpr int kMaxOrderOfBdf = 5, kMaxOrderOfAdams = 12;

  // Allocates all memory; the equations may later be replaced by others of the same sizes.
  CvodeSolver(CvodeMethod method, EquationsOfMotion& equations);
  ~CvodeSolver();
  CvodeSolver(const CvodeSolver&) = delete;
  CvodeSolver& operator=(const CvodeSolver&) = delete;

  // Discards the history and starts at (t, y), y (nq + nu + nx + nz), with the discrete variables d (nd) and
  // the history h (nh) of the state.
  void start(EquationsOfMotion& equations, const ErrorTolerances& tolerances, double t,
             std::span<const double> y, std::span<const double> d, std::span<const double> h);
  // Takes one step of the length that CVODE chooses, not beyond t_stop, which may be before or after. Throws
  // ComputationError with the reason if no step was possible.
  void step(double t_stop);

  double time() const { return t_; }        // s, where the last step ended
  std::span<const double> values() const;   // y (nq + nu + nx + nz) there
  std::span<const double> history() const;  // h (nh) there
  // Evaluates y at t within the last step.
  void interpolate(double t, std::span<double> y) const;
  // Writes the derivatives of y at time(), the k-th in column k, (order + 1) of them; returns the order.
  int calc_derivatives(std::span<double> columns) const;
  long rejected() const;  // attempts at steps since start()

 private:
  struct Handles;    // the objects of SUNDIALS
  struct Callbacks;  // the functions that CVODE calls
  void create(CvodeMethod method);
  void create_newton();
  [[noreturn]] void fail(int flag, double length);  // length of the step, s
  std::string explain(int flag);
  std::string name_of_worst(double& error);

  std::unique_ptr<Handles> handles_;
  EquationsOfMotion* equations_;
  StateSizes sizes_;
  ErrorTolerances tolerances_;
  double t_ = 0.0;  // s
};

}  // namespace sestina
