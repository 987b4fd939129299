// Checksums against damage, not against forgery. A change within one byte (of text) or one number (of rows)
// is always detected, other changes with a probability of 1 - 2^-64.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace sestina {

// FNV-1a, 64 bits.
class Checksum {
 public:
  void add(std::uint8_t byte) { value_ = (value_ ^ byte) * 0x100000001b3; }
  void add(std::string_view text) {
    for (const char c : text) add(static_cast<std::uint8_t>(c));
  }
  void add(double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    for (int shift = 0; shift < 64; shift += 8) add(static_cast<std::uint8_t>(bits >> shift));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

// Checksum of the lines of a CSV result, by blocks; a line that states it begins with kMark. All kinds of
// line ends are equivalent.
class LineChecksum {
 public:
  static constexpr std::string_view kMark = "# checksum of the lines above: ";
  static constexpr std::size_t kBlock = 1 << 16;  // bytes of lines after which a row ends its block

  void add(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    sum_.add(line);
    sum_.add(static_cast<std::uint8_t>('\n'));
    bytes_ += line.size() + 1;
  }
  std::size_t bytes() const { return bytes_; }
  std::uint64_t value() const { return sum_.value(); }
  std::string text() const { return fmt::format("{:016x}", value()); }

 private:
  Checksum sum_;
  std::size_t bytes_ = 0;
};

// Checksum of rows of numbers, one number at a time; all NaN are equivalent, since CSV writes them alike.
class RowChecksum {
 public:
  RowChecksum() = default;
  explicit RowChecksum(std::uint64_t value) : value_(value) {}  // of rows that precede others

  void add(std::span<const double> row) {
    for (const double number : row) {
      add_bits(std::bit_cast<std::uint64_t>(std::isnan(number) ? std::numeric_limits<double>::quiet_NaN()
                                                               : number));
    }
  }
  // Both steps are one to one, so that no later number cancels a change.
  void add_bits(std::uint64_t bits) {
    value_ = (value_ ^ bits) * 0x9e3779b97f4a7c15;
    value_ ^= value_ >> 32;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace sestina
