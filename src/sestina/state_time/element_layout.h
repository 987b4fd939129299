// The places of the unknowns of an element in time.
#pragma once

#include <cstddef>
#include <span>

#include "sestina/base/index.h"
#include "sestina/spatial/spatial.h"

namespace sestina {

// The number of an unknown or of a body as an index of a vector.
constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }
constexpr std::size_t index(BodyIndex b) { return static_cast<std::size_t>(b.value()); }

// The places of the unknowns of an element in its vector y. Each point has v, w, C of all bodies (15 numbers
// each) and then its multipliers; the end has v, w, C, x (18 each) and the impulses. Rows have the same
// numbers: Newton's equation that of v, and so on. The start has the form of an end without impulses; as
// columns of the tangent its numbers follow those of the element.
struct ElementLayout {
  int bodies = 0, multipliers = 0, degree = 0;

  static constexpr int kPointNumbers = 15, kEndNumbers = 18;
  int point_size() const { return kPointNumbers * bodies + multipliers; }
  int end_start() const { return degree * point_size(); }
  int start_size() const { return kEndNumbers * bodies; }
  int size() const { return end_start() + start_size() + multipliers; }
  int point(int g, int body) const { return g * point_size() + kPointNumbers * body; }
  int point_multiplier(int g) const { return g * point_size() + kPointNumbers * bodies; }
  int end(int body) const { return end_start() + kEndNumbers * body; }
  int end_multiplier() const { return end_start() + start_size(); }
};

// Reads the vector, or the columns of the matrix, that starts at number `first`.
inline Vec3<double> read_vector(std::span<const double> numbers, int first) {
  const auto i = static_cast<std::size_t>(first);
  return {numbers[i], numbers[i + 1], numbers[i + 2]};
}
inline Mat3<double> read_matrix(std::span<const double> numbers, int first) {
  return Mat3<double>::from_columns(read_vector(numbers, first), read_vector(numbers, first + 3),
                                    read_vector(numbers, first + 6));
}

}  // namespace sestina
