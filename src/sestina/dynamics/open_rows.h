// The conditions that are open at a body during constrained_recursion.h, side by side: the numbers of the
// i-th condition are at position i of every line. Lines are padded with zeros to whole blocks of four, so
// that loops have no remainder and one instruction handles four conditions on a processor with registers of
// this width.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "sestina/spatial/spatial.h"

namespace sestina {

class OpenRows {
 public:
  static constexpr std::size_t kBlock = 4;
  using Block = double __attribute__((vector_size(32)));
  // The return type of load(): the calling convention for a bare vector would depend on the instruction set.
  struct Loaded {
    Block block;
  };

  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  std::size_t padded() const { return (size() + kBlock - 1) / kBlock * kBlock; }
  std::span<const int> rows() const { return rows_; }
  int row(std::size_t i) const { return rows_[i]; }

  // K is component by component in the first six lines: torque x, y, z, force x, y, z.
  SpatialForce<double> K_of(std::size_t i) const {
    return {{line(0)[i], line(1)[i], line(2)[i]}, {line(3)[i], line(4)[i], line(5)[i]}};
  }
  void add_to_K(std::size_t i, const SpatialForce<double>& f) {
    line(0)[i] += f.torque.x, line(1)[i] += f.torque.y, line(2)[i] += f.torque.z;
    line(3)[i] += f.force.x, line(4)[i] += f.force.y, line(5)[i] += f.force.z;
  }
  double* scale() { return line(6); }      // S_rr before any condition was eliminated
  double* largest_K() { return line(7); }  // the largest |K|^2 so far
  double* S(std::size_t i) { return line(kFirstOfS + i); }

  std::size_t find(int row) const {
    return static_cast<std::size_t>(std::find(rows_.begin(), rows_.end(), row) - rows_.begin());
  }
  // Returns the position of a new row; its numbers are zero.
  std::size_t append(int row);
  // Moves the last row to position i.
  void remove(std::size_t i);
  void clear() {
    if (!empty()) clear_numbers();
  }
  // Position at which the recursion has listed the rows; kNone if they have changed since.
  std::size_t listed = kNone;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // All numbers, for loops that then need not reload the pointers after each store.
  struct Lines {
    double* first;
    std::size_t stride, padded;

    double* at(std::size_t line) const { return first + line * stride; }
    [[gnu::always_inline]] Loaded load(std::size_t line, std::size_t i) const {
      return OpenRows::load(at(line) + i);
    }
    [[gnu::always_inline]] void store(const Block& block, std::size_t line, std::size_t i) const {
      OpenRows::store(block, at(line) + i);
    }
    double* S(std::size_t i) const { return at(kFirstOfS + i); }
  };
  static constexpr std::size_t kScale = 6, kLargestK = 7;  // lines
  Lines lines() { return {numbers_.data(), capacity_, padded()}; }

  [[gnu::always_inline]] static Loaded load(const double* from) {
    Loaded loaded;
    __builtin_memcpy(&loaded.block, from, sizeof loaded.block);
    return loaded;
  }
  [[gnu::always_inline]] static void store(const Block& block, double* to) {
    __builtin_memcpy(to, &block, sizeof block);
  }

  // K for one block of conditions.
  struct Forces {
    Block K[6];

    [[gnu::always_inline]] Forces(const Lines& lines, std::size_t i) {
      for (std::size_t x = 0; x < 6; ++x) K[x] = lines.load(x, i).block;
    }
    [[gnu::always_inline]] void store(const Lines& lines, std::size_t i) const {
      for (std::size_t x = 0; x < 6; ++x) lines.store(K[x], x, i);
    }
    // Shifts from the point at s = p_PQ back to P.
    [[gnu::always_inline]] void shift_back(const Vec3<double>& s) {
      K[0] += s.y * K[5] - s.z * K[4];
      K[1] += s.z * K[3] - s.x * K[5];
      K[2] += s.x * K[4] - s.y * K[3];
    }
    // K|^2, with torques divided by a length.
    [[gnu::always_inline]] void update_largest(double by_length_squared, const Lines& lines,
                                               std::size_t i) const {
      const Block size = by_length_squared * (K[0] * K[0] + K[1] * K[1] + K[2] * K[2]) +
                         (K[3] * K[3] + K[4] * K[4] + K[5] * K[5]);
      const Block before = lines.load(kLargestK, i).block;
      lines.store(size > before ? size : before, kLargestK, i);
    }
  };

 private:
  static constexpr std::size_t kFirstOfS = 8;
  double* line(std::size_t k) { return numbers_.data() + k * capacity_; }
  const double* line(std::size_t k) const { return numbers_.data() + k * capacity_; }
  void grow();
  void clear_numbers();

  std::vector<int> rows_;
  std::size_t capacity_ = 0;  // of a line
  std::vector<double> numbers_;
};

}  // namespace sestina
