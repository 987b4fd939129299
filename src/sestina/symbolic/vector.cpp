#include "sestina/symbolic/vector.h"

#include <algorithm>
#include <cassert>

#include "sestina/expression/substitution.h"
#include "sestina/symbolic/frame.h"
#include "sestina/symbolic/frame_tree.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic {
namespace {

constexpr const char* kAxes[3] = {"x", "y", "z"};

// Multiplies without creating nodes for zero factors.
Expression product(const Expression& a, const Expression& b) {
  return a.is_zero() || b.is_zero() ? Expression(0) : a * b;
}

Expression sum(const Expression& a, const Expression& b) {
  if (a.is_zero()) return b;
  return b.is_zero() ? a : a + b;
}

Mechanics* common(Mechanics* a, Mechanics* b) {
  assert(!a || !b || a == b);
  return a ? a : b;
}

// Appends a term of a sum: its sign, and its measure number if that is not 1.
void add_term(std::string& text, const Expression& factor, const std::string& unit) {
  std::string number = to_text(factor);
  const bool is_sum = factor.graph() && factor.graph()->op(factor.in(*factor.graph())) == Op::kSum;
  if (is_sum) number = "(" + number + ")";
  const bool is_negative = number.front() == '-';
  if (is_negative) number.erase(0, 1);
  if (!text.empty()) {
    text += is_negative ? " - " : " + ";
  } else if (is_negative) {
    text += "-";
  }
  text += number == "1" ? unit : number + "*" + unit;
}

}  // namespace

bool is_zero(const Triple& a) { return a[0].is_zero() && a[1].is_zero() && a[2].is_zero(); }

Triple add(const Triple& a, const Triple& b) { return {sum(a[0], b[0]), sum(a[1], b[1]), sum(a[2], b[2])}; }

Triple scale(const Triple& a, const Expression& factor) {
  return {product(a[0], factor), product(a[1], factor), product(a[2], factor)};
}

Expression dot(const Triple& a, const Triple& b) {
  return sum(sum(product(a[0], b[0]), product(a[1], b[1])), product(a[2], b[2]));
}

Triple cross(const Triple& a, const Triple& b) {
  const auto component = [&](std::size_t i, std::size_t j) {
    const Expression plus = product(a[i], b[j]), minus = product(a[j], b[i]);
    return minus.is_zero() ? plus : plus - minus;
  };
  return {component(1, 2), component(2, 0), component(0, 1)};
}

Triple multiply(const Matrix3& a, const Triple& b) { return {dot(a[0], b), dot(a[1], b), dot(a[2], b)}; }
Triple multiply_transposed(const Matrix3& a, const Triple& b) { return multiply(transpose(a), b); }

Matrix3 transpose(const Matrix3& a) {
  return {{{a[0][0], a[1][0], a[2][0]}, {a[0][1], a[1][1], a[2][1]}, {a[0][2], a[1][2], a[2][2]}}};
}

Matrix3 multiply(const Matrix3& a, const Matrix3& b) {
  const Matrix3 columns = transpose(b);
  return transpose({multiply(a, columns[0]), multiply(a, columns[1]), multiply(a, columns[2])});
}

Vector::Vector(const ReferenceFrame& frame, const Triple& xyz)
    : Vector(frame.mechanics(), frame.index(), xyz) {}

Vector::Vector(Mechanics& mechanics, FrameIndex frame, const Triple& xyz) : mechanics_(&mechanics) {
  if (!symbolic::is_zero(xyz)) parts_.push_back({frame, xyz});
}

Vector& Vector::operator+=(const Vector& b) {
  mechanics_ = common(mechanics_, b.mechanics_);
  for (const Part& part : b.parts_) {
    const auto at = std::lower_bound(parts_.begin(), parts_.end(), part.frame,
                                     [](const Part& p, FrameIndex frame) { return p.frame < frame; });
    if (at == parts_.end() || at->frame != part.frame) {
      parts_.insert(at, part);
    } else if (at->xyz = add(at->xyz, part.xyz); symbolic::is_zero(at->xyz)) {
      parts_.erase(at);
    }
  }
  return *this;
}

Vector operator*(const Vector& a, const Expression& factor) {
  return a.applyfunc([&](const Expression& e) { return product(e, factor); });
}

Vector Vector::applyfunc(const std::function<Expression(const Expression&)>& function) const {
  Vector result;
  result.mechanics_ = mechanics_;
  for (const Part& part : parts_) {
    const Triple xyz = {function(part.xyz[0]), function(part.xyz[1]), function(part.xyz[2])};
    if (!symbolic::is_zero(xyz)) result.parts_.push_back({part.frame, xyz});
  }
  return result;
}

Vector Vector::subs(const Replacements& replacements) const {
  if (!mechanics_) return *this;
  Graph& graph = mechanics_->graph();
  std::vector<std::pair<Expr, Expr>> pairs;
  for (const auto& [from, to] : replacements) pairs.emplace_back(from.in(graph), to.in(graph));
  Substitution substitution(graph, pairs);
  return applyfunc([&](const Expression& e) { return Expression(graph, substitution(e.in(graph))); });
}

Expression Vector::dot(const Vector& b) const {
  Expression total = 0;
  if (!mechanics_ || !b.mechanics_) return total;
  FrameTree& frames = common(mechanics_, b.mechanics_)->frames();
  const auto count = [](const Triple& t) {
    return static_cast<int>(
        std::count_if(t.begin(), t.end(), [](const Expression& e) { return !e.is_zero(); }));
  };
  for (const Part& left : parts_) {
    for (const Part& right : b.parts_) {
      // Uses direction cosines, which others share, for few components; one common frame for many.
      if (left.frame == right.frame) {
        total = sum(total, symbolic::dot(left.xyz, right.xyz));
      } else if (count(left.xyz) * count(right.xyz) <= 3) {
        const Matrix3& R = frames.dcm(left.frame, right.frame);
        for (std::size_t i = 0; i < 3; ++i) {
          for (std::size_t j = 0; j < 3; ++j) {
            total = sum(total, product(product(left.xyz[i], right.xyz[j]), R[i][j]));
          }
        }
      } else if (count(left.xyz) < count(right.xyz)) {
        total = sum(total, symbolic::dot(frames.express(std::span(&left, 1), right.frame), right.xyz));
      } else {
        total = sum(total, symbolic::dot(left.xyz, frames.express(std::span(&right, 1), left.frame)));
      }
    }
  }
  return total;
}

Vector Vector::cross(const Vector& b) const {
  Vector result;
  if (!mechanics_ || !b.mechanics_) return result;
  Mechanics& mechanics = *common(mechanics_, b.mechanics_);
  FrameTree& frames = mechanics.frames();
  if (parts_.size() < b.parts_.size()) {
    for (const Part& left : parts_) {
      const Triple right = frames.express(b.parts_, left.frame);
      result += Vector(mechanics, left.frame, symbolic::cross(left.xyz, right));
    }
    return result;
  }
  for (const Part& right : b.parts_) {
    const Triple left = frames.express(parts_, right.frame);
    result += Vector(mechanics, right.frame, symbolic::cross(left, right.xyz));
  }
  return result;
}

Vector Vector::dot(const Dyadic& b) const {
  Vector result;
  for (const Dyadic::Part& part : b.parts()) {
    const Triple left = mechanics_ ? mechanics_->frames().express(parts_, part.left) : Triple{};
    result += Vector(*b.mechanics(), part.right, multiply_transposed(part.xyz, left));
  }
  return result;
}

Dyadic Vector::outer(const Vector& b) const {
  Dyadic result;
  for (const Part& left : parts_) {
    for (const Part& right : b.parts_) {
      const Matrix3 xyz = {scale(right.xyz, left.xyz[0]), scale(right.xyz, left.xyz[1]),
                           scale(right.xyz, left.xyz[2])};
      result += Dyadic(*mechanics_, left.frame, right.frame, xyz);
    }
  }
  return result;
}

Triple Vector::to_matrix(const ReferenceFrame& frame) const {
  return frame.mechanics().frames().express(parts_, frame.index());
}

Vector Vector::express(const ReferenceFrame& frame) const { return {frame, to_matrix(frame)}; }

Vector Vector::dt(const ReferenceFrame& frame) const {
  Vector result;
  for (const Part& part : parts_) {
    Triple rate;
    for (std::size_t i = 0; i < 3; ++i) rate[i] = mechanics_->rate(part.xyz[i]);
    if (part.frame != frame.index()) {
      const Triple& w = mechanics_->frames().own_angular_velocity(part.frame, frame.index());
      rate = add(rate, symbolic::cross(w, part.xyz));
    }
    result += Vector(*mechanics_, part.frame, rate);
  }
  return result;
}

Vector Vector::diff(const Expression& symbol, const ReferenceFrame& frame) const {
  if (!mechanics_) return {};
  Graph& graph = mechanics_->graph();
  const Expr by = symbol.in(graph);
  const auto partial = [&](const Expression& e) { return Expression(graph, graph.diff(e.in(graph), by)); };
  Vector result;
  for (const Part& part : parts_) {
    Vector single(*mechanics_, part.frame, part.xyz);
    const Matrix3& R = mechanics_->frames().dcm(frame.index(), part.frame);
    const bool turns = std::any_of(R.begin(), R.end(), [&](const Triple& row) {
      return std::any_of(row.begin(), row.end(), [&](const Expression& e) { return !partial(e).is_zero(); });
    });
    result += (turns ? single.express(frame) : single).applyfunc(partial);
  }
  return result;
}

Expression Vector::magnitude() const {
  const Expression square = dot(*this);
  return sqrt(mechanics_ ? mechanics_->keep_exact(square) : square);
}

Vector Vector::normalize() const { return *this / magnitude(); }

std::string Vector::to_text() const {
  std::string text;
  for (const Part& part : parts_) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (part.xyz[i].is_zero()) continue;
      add_term(text, part.xyz[i], mechanics_->frames().name(part.frame) + "." + kAxes[i]);
    }
  }
  return text.empty() ? "0" : text;
}

Dyadic::Dyadic(const ReferenceFrame& frame, const Matrix3& xyz)
    : Dyadic(frame.mechanics(), frame.index(), frame.index(), xyz) {}

Dyadic::Dyadic(Mechanics& mechanics, FrameIndex left, FrameIndex right, const Matrix3& xyz)
    : mechanics_(&mechanics) {
  if (!std::all_of(xyz.begin(), xyz.end(), [](const Triple& row) { return symbolic::is_zero(row); })) {
    parts_.push_back({left, right, xyz});
  }
}

Dyadic& Dyadic::operator+=(const Dyadic& b) {
  mechanics_ = common(mechanics_, b.mechanics_);
  for (const Part& part : b.parts_) {
    const auto at = std::find_if(parts_.begin(), parts_.end(),
                                 [&](const Part& p) { return p.left == part.left && p.right == part.right; });
    if (at == parts_.end()) {
      parts_.push_back(part);
      continue;
    }
    for (std::size_t i = 0; i < 3; ++i) at->xyz[i] = add(at->xyz[i], part.xyz[i]);
    if (std::all_of(at->xyz.begin(), at->xyz.end(),
                    [](const Triple& row) { return symbolic::is_zero(row); })) {
      parts_.erase(at);
    }
  }
  return *this;
}

Dyadic operator*(const Dyadic& a, const Expression& factor) {
  Dyadic result;
  for (const Dyadic::Part& part : a.parts_) {
    Matrix3 xyz = part.xyz;
    for (Triple& row : xyz) row = scale(row, factor);
    result += Dyadic(*a.mechanics_, part.left, part.right, xyz);
  }
  return result;
}

Vector Dyadic::dot(const Vector& b) const {
  Vector result;
  for (const Part& part : parts_) {
    const Triple right = mechanics_->frames().express(b.parts(), part.right);
    result += Vector(*mechanics_, part.left, multiply(part.xyz, right));
  }
  return result;
}

Matrix3 Dyadic::to_matrix(const ReferenceFrame& frame) const {
  Matrix3 total;
  for (const Part& part : parts_) {
    FrameTree& frames = mechanics_->frames();
    Matrix3 xyz = part.xyz;
    if (part.left != frame.index()) xyz = multiply(frames.dcm(frame.index(), part.left), xyz);
    if (part.right != frame.index()) xyz = multiply(xyz, frames.dcm(part.right, frame.index()));
    for (std::size_t i = 0; i < 3; ++i) total[i] = add(total[i], xyz[i]);
  }
  return total;
}

Dyadic Dyadic::express(const ReferenceFrame& frame) const { return {frame, to_matrix(frame)}; }

// D' + w x D - D x w, with the angular velocities of the frames on either side.
Dyadic Dyadic::dt(const ReferenceFrame& frame) const {
  Dyadic result;
  for (const Part& part : parts_) {
    Matrix3 rate;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) rate[i][j] = mechanics_->rate(part.xyz[i][j]);
    }
    FrameTree& frames = mechanics_->frames();
    if (part.right != frame.index()) {
      const Triple& w = frames.own_angular_velocity(part.right, frame.index());
      for (std::size_t i = 0; i < 3; ++i) rate[i] = add(rate[i], symbolic::cross(w, part.xyz[i]));
    }
    if (part.left != frame.index()) {
      const Triple& w = frames.own_angular_velocity(part.left, frame.index());
      Matrix3 columns = transpose(part.xyz);
      for (Triple& column : columns) column = symbolic::cross(w, column);
      const Matrix3 turned = transpose(columns);
      for (std::size_t i = 0; i < 3; ++i) rate[i] = add(rate[i], turned[i]);
    }
    result += Dyadic(*mechanics_, part.left, part.right, rate);
  }
  return result;
}

std::string Dyadic::to_text() const {
  std::string text;
  for (const Part& part : parts_) {
    const std::string left = mechanics_->frames().name(part.left),
                      right = mechanics_->frames().name(part.right);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        if (part.xyz[i][j].is_zero()) continue;
        add_term(text, part.xyz[i][j], "(" + left + "." + kAxes[i] + "|" + right + "." + kAxes[j] + ")");
      }
    }
  }
  return text.empty() ? "0" : text;
}

}  // namespace sestina::symbolic
