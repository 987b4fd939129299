// Vectors and dyadics as sums of parts, each with its measure numbers in one reference frame.
//
// Parts stay in the frames in which they were written. Only an operation that needs common axes expresses
// them in others, part by part along the tree of frames, so that parts are added where their paths meet and
// shared results are computed once.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sestina/expression/expression.h"

namespace sestina::symbolic {

class Dyadic;
class Mechanics;
class ReferenceFrame;

using FrameIndex = std::uint32_t;
using Triple = std::array<Expression, 3>;
using Matrix3 = std::array<Triple, 3>;  // rows
using Replacements = std::vector<std::pair<Expression, Expression>>;

class Vector {
 public:
  struct Part {
    FrameIndex frame;
    Triple xyz;
  };

  Vector() = default;  // 0
  Vector(const ReferenceFrame& frame, const Triple& xyz);
  Vector(Mechanics& mechanics, FrameIndex frame, const Triple& xyz);

  std::span<const Part> parts() const { return parts_; }  // by frame, none of them zero
  Mechanics* mechanics() const { return mechanics_; }     // null for 0
  bool is_zero() const { return parts_.empty(); }         // as written; components may vanish identically

  Vector operator-() const { return *this * Expression(-1); }
  Vector& operator+=(const Vector& b);
  Vector& operator-=(const Vector& b) { return *this += -b; }
  friend Vector operator+(Vector a, const Vector& b) { return a += b; }
  friend Vector operator-(Vector a, const Vector& b) { return a -= b; }
  friend Vector operator*(const Vector& a, const Expression& factor);
  friend Vector operator*(const Expression& factor, const Vector& a) { return a * factor; }
  friend Vector operator/(const Vector& a, const Expression& divisor) { return a * (1 / divisor); }

  Expression dot(const Vector& b) const;
  Vector cross(const Vector& b) const;
  Vector dot(const Dyadic& b) const;
  Dyadic outer(const Vector& b) const;

  Vector express(const ReferenceFrame& frame) const;
  Triple to_matrix(const ReferenceFrame& frame) const;  // measure numbers in the frame
  // Returns the rate as seen from the frame.
  Vector dt(const ReferenceFrame& frame) const;
  // Returns the partial derivative as seen from the frame.
  Vector diff(const Expression& symbol, const ReferenceFrame& frame) const;
  Expression magnitude() const;
  Vector normalize() const;
  Vector applyfunc(const std::function<Expression(const Expression&)>& function) const;
  Vector subs(const Replacements& replacements) const;

  // m*l*N.x - A.y
  std::string to_text() const;

 private:
  Mechanics* mechanics_ = nullptr;
  std::vector<Part> parts_;
};

// A sum of products of two unit vectors, such as an inertia.
class Dyadic {
 public:
  struct Part {
    FrameIndex left, right;
    Matrix3 xyz;  // row: axis of left, column: axis of right
  };

  Dyadic() = default;  // 0
  Dyadic(const ReferenceFrame& frame, const Matrix3& xyz);
  Dyadic(Mechanics& mechanics, FrameIndex left, FrameIndex right, const Matrix3& xyz);

  std::span<const Part> parts() const { return parts_; }
  Mechanics* mechanics() const { return mechanics_; }
  bool is_zero() const { return parts_.empty(); }

  Dyadic& operator+=(const Dyadic& b);
  friend Dyadic operator+(Dyadic a, const Dyadic& b) { return a += b; }
  friend Dyadic operator-(const Dyadic& a, const Dyadic& b) { return a + b * Expression(-1); }
  friend Dyadic operator*(const Dyadic& a, const Expression& factor);
  friend Dyadic operator*(const Expression& factor, const Dyadic& a) { return a * factor; }

  Vector dot(const Vector& b) const;
  Dyadic express(const ReferenceFrame& frame) const;
  Matrix3 to_matrix(const ReferenceFrame& frame) const;
  Dyadic dt(const ReferenceFrame& frame) const;
  std::string to_text() const;  // I*(N.x|N.x) + ...

 private:
  Mechanics* mechanics_ = nullptr;
  std::vector<Part> parts_;
};

inline Expression dot(const Vector& a, const Vector& b) { return a.dot(b); }
inline Vector dot(const Dyadic& a, const Vector& b) { return a.dot(b); }
inline Vector cross(const Vector& a, const Vector& b) { return a.cross(b); }
inline Dyadic outer(const Vector& a, const Vector& b) { return a.outer(b); }

// Operations on measure numbers in one frame.
Triple add(const Triple& a, const Triple& b);
Triple scale(const Triple& a, const Expression& factor);
Expression dot(const Triple& a, const Triple& b);
Triple cross(const Triple& a, const Triple& b);
Triple multiply(const Matrix3& a, const Triple& b);
Triple multiply_transposed(const Matrix3& a, const Triple& b);
Matrix3 multiply(const Matrix3& a, const Matrix3& b);
Matrix3 transpose(const Matrix3& a);
bool is_zero(const Triple& a);

}  // namespace sestina::symbolic
