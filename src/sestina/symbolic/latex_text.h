// Texts of expressions that cite those of their operands, so that the texts of all nodes of a graph take
// memory in proportion to the graph, at any depth.
//
// A citation is kCite and the node's number in eight hexadecimal digits. Names contain no control characters
// (latex_names.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace sestina::symbolic {

// Precedence of a text.
enum Level { kSumLevel, kProductLevel, kPowerLevel, kAtomLevel };

// The order of terms and factors.
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
  std::uint64_t hash = 0;  // of the full text

  // Equal for equal texts, independent of the numbers of the nodes.
  auto rank() const { return std::tie(key.text, size, hash); }
};

class LatexTexts {
 public:
  bool contains(std::uint32_t node) const { return texts_.contains(node); }
  const LatexText& at(std::uint32_t node) const { return texts_.at(node); }
  // Completes size, hash and has_fraction; a text longer than `longest` becomes \ldots
  void add(std::uint32_t node, LatexText text, std::size_t longest);
  // Returns a citation, or the text itself if it is short.
  std::string cite(std::uint32_t node) const;
  std::string write_out(std::string_view text) const;

 private:
  std::unordered_map<std::uint32_t, LatexText> texts_;
};

}  // namespace sestina::symbolic
