#include "sestina/symbolic/latex_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace sestina::symbolic {
namespace {

constexpr char kCite = '\x01';
constexpr std::size_t kDigits = 8;
constexpr std::size_t kShort = 48;  // characters; shorter texts are repeated, not cited

std::uint32_t cited_at(std::string_view text, std::size_t at) {
  std::uint32_t node = 0;
  std::from_chars(text.data() + at + 1, text.data() + at + 1 + kDigits, node, 16);
  return node;
}

// The hash function of Fowler, Noll and Vo.
void mix(std::uint64_t& hash, std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3u; }

}  // namespace

void LatexTexts::add(std::uint32_t node, LatexText text, std::size_t longest) {
  text.hash = 0xcbf29ce484222325u;
  text.size = 0;
  text.has_fraction = text.text.find("\\frac") != std::string::npos;
  for (std::size_t at = 0; at < text.text.size(); ++at) {
    if (text.text[at] != kCite) {
      mix(text.hash, static_cast<unsigned char>(text.text[at]));
      ++text.size;
      continue;
    }
    const LatexText& cited = texts_.at(cited_at(text.text, at));
    mix(text.hash, cited.hash);
    text.size = std::min(text.size + cited.size, longest + 1);
    text.has_fraction = text.has_fraction || cited.has_fraction;
    at += kDigits;
  }
  if (text.size > longest) {
    constexpr std::string_view kDots = "\\ldots";
    text = {std::string(kDots), kAtomLevel, false, {"~"}, false, kDots.size(), text.hash};
  }
  texts_.emplace(node, std::move(text));
}

std::string LatexTexts::cite(std::uint32_t node) const {
  const std::string& text = texts_.at(node).text;
  return text.size() <= kShort ? text : fmt::format("{}{:08x}", kCite, node);
}

std::string LatexTexts::write_out(std::string_view text) const {
  std::string all;
  std::vector<std::pair<std::string_view, std::size_t>> open = {{text, 0}};
  while (!open.empty()) {
    auto& [part, at] = open.back();
    const std::size_t end = std::min(part.find(kCite, at), part.size());
    all += part.substr(at, end - at);
    if (end == part.size()) {
      open.pop_back();
      continue;
    }
    at = end + 1 + kDigits;
    open.emplace_back(texts_.at(cited_at(part, end)).text, 0);
  }
  return all;
}

}  // namespace sestina::symbolic
