// The text of an expression that cites those of its operands, so that the texts of all nodes of a graph take
// memory in proportion to the graph, however deep it is.
//
// A citation is kCite and eight hexadecimal digits, the number of the node. Names have no control characters
// when they come here (latex_names.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace sestina::symbolic {

// How tightly a text binds.
enum Level { kSumLevel, kProductLevel, kPowerLevel, kAtomLevel };

// By which terms and factors are put in order.
struct LatexKey {
  static constexpr std::size_t kLongest = 64;

  LatexKey& operator+=(std::string_view more) {
    text += more.substr(0, kLongest - std::min(kLongest, text.size()));
    return *this;
  }
  std::string text;
};

struct LatexText {
  std::string text;  // without the sign
  Level level = kAtomLevel;
  bool is_negative = false;
  LatexKey key;
  bool has_fraction = false;
  std::size_t size = 0;    // characters when all is written out
  std::uint64_t hash = 0;  // of what is written out

  // The same for the same text, whatever the numbers of the nodes.
  auto rank() const { return std::tie(key.text, size, hash); }
};

class LatexTexts {
 public:
  bool contains(std::uint32_t node) const { return texts_.contains(node); }
  const LatexText& at(std::uint32_t node) const { return texts_.at(node); }
  // Completes size, hash and has_fraction; what is longer than `longest` becomes \ldots
  void add(std::uint32_t node, LatexText text, std::size_t longest);
  // The text itself where it is short.
  std::string cite(std::uint32_t node) const;
  std::string write_out(std::string_view text) const;

 private:
  std::unordered_map<std::uint32_t, LatexText> texts_;
};

}  // namespace sestina::symbolic
