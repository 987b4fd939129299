// The common part of implicit rules: the implicit form of the equations (ImplicitFace), its tangents at one
// state, reused for several steps, and the matrices of Newton's method formed from them,
//
//   [ m M + d D + k K   -C^T ]
//   [ C + e v_q           0  ]                                                                        (1)
//
// with numbers m, d, k, e, real or complex, chosen by the rule.
// Conditions that others imply at the state of the tangents are left out until the next tangents; their
// multipliers are zero.
//
// The state of the tangents is a part of a rule's memory, so that a run that is resumed finds them again.
#pragma once

#include "sestina/integrate/difference_face.h"
#include "sestina/numerics/independent_rows.h"
#include "sestina/numerics/saddle_point_matrix.h"

namespace sestina {

class StageEquations {
 public:
  // Allocates memory if the sizes have changed.
  void start(EquationsOfMotion& equations);

  ImplicitFace& face() { return *face_; }
  // Counts since the construction of this object, for benchmarks.
  long tangents() const { return tangent_count_; }
  long factorizations() const { return factorization_count_; }
  std::size_t nw() const { return nw_; }
  std::size_t rows() const { return rows_; }
  bool is_active(std::size_t row) const { return active_[row] != 0; }

  // Computes the tangents at a state with its wdot (nw) and lambda (rows). False if they are not finite.
  bool update(const State<double>& state, std::span<const double> wdot, std::span<const double> lambda);
  // The state of the tangents as numbers for a memory. restore() evaluates the tangents at a stored state,
  // with the discrete variables of `like`.
  std::size_t memory_size() const { return memory_.size(); }
  std::span<const double> memory() const { return memory_; }
  bool restore(std::span<const double> memory, const State<double>& like);
  bool has_tangents() const { return has_tangents_; }
  void forget() { has_tangents_ = false; }

  // Forms and factors (1). False if it is singular.
  template <class Number>
  bool factorize(SaddlePointMatrix<Number>& matrix, Number m, Number d, Number k, Number e);
  template <class Number>
  void resize(SaddlePointMatrix<Number>& matrix) const {
    matrix.resize(face_->pattern(), face_->row_pattern());
  }

  // to (nw) += factor times M x, and the same for K; v_q x by row. x (nw) is a displacement; its part for
  // first-order states is not read.
  void add_M_times(double factor, std::span<const double> x, std::span<double> to) const;
  void add_K_times(double factor, std::span<const double> x, std::span<double> to) const;
  void add_v_q_times(double factor, std::span<const double> x, std::span<double> to) const;

 private:
  template <class Number>
  struct Values {
    std::vector<Number> E, B;
  };
  template <class Number>
  Values<Number>& values();
  bool take(const ImplicitFace::Tangents& tangents);

  DifferenceFace differences_;
  ImplicitFace* face_ = nullptr;
  std::size_t nw_ = 0, rows_ = 0;
  StateSizes sizes_;
  SparsePattern pattern_, row_pattern_;
  std::vector<double> M_, D_, K_, C_, v_q_;
  std::vector<double> weights_;  // (nw)
  std::vector<char> active_;     // (rows)
  IndependentRows independent_;
  Values<double> real_;
  Values<std::complex<double>> complex_;
  std::vector<double> memory_;  // [t, q, u, x, h, wdot, lambda]
  State<double> at_;
  bool has_tangents_ = false;
  long tangent_count_ = 0, factorization_count_ = 0;
};

}  // namespace sestina
