// Breaks LaTeX into lines: between terms; if a term is too wide, between the terms within its parentheses,
// which become larger and are indented, and between factors.
#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "sestina/symbolic/latex.h"
#include "sestina/symbolic/latex_tokens.h"

namespace sestina::symbolic {
namespace {

constexpr double kIndent = 10.0;  // \quad
constexpr std::string_view kTimes = " \\times";

// Returns the terms of a sum with their signs, or the arguments of a function.
std::vector<std::string_view> terms_of(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t begin = 0;
  for_each_outer_token(text, [&](std::size_t at, std::string_view token) {
    if (token != " " || at == begin) return;
    const std::string_view next = text.substr(at, 3);
    const bool is_argument = at > 0 && text[at - 1] == ',';
    if (next != " + " && next != " - " && !is_argument) return;
    terms.push_back(text.substr(begin, at - begin));
    begin = at;
  });
  terms.push_back(text.substr(begin));
  return terms;
}

// Returns the factors of a term, all but the first with the preceding blank; the first includes the sign.
std::vector<std::string_view> factors_of(std::string_view term) {
  std::vector<std::string_view> factors;
  std::size_t begin = 0;
  for_each_outer_token(term, [&](std::size_t at, std::string_view token) {
    if (token != " " || at <= begin) return;
    const std::string_view before = term.substr(begin, at - begin), after = term.substr(at);
    const bool is_sign = before == " +" || before == " -";
    if (is_sign || before.ends_with("\\cdot") || after.starts_with(" \\cdot")) return;
    factors.push_back(before);
    begin = at;
  });
  factors.push_back(term.substr(begin));
  return factors;
}

class LineBreaker {
 public:
  explicit LineBreaker(double width) : width_(width) {}

  BrokenLatex take(const std::string& text) {
    add_terms(text, 0, 0.0);
    close();
    return {std::move(lines_), widest_};
  }

 private:
  static double indent(int depth) { return kIndent * (depth + 1); }
  bool fits(double width) const { return at_ + width <= width_; }

  void close() {
    widest_ = std::max(widest_, at_);
    lines_.push_back(std::move(line_));
    line_.clear();
  }

  void start_line(int depth) {
    if (is_fresh_) return;
    close();
    for (int i = 0; i <= depth; ++i) line_ += "\\quad";
    at_ = indent(depth);
    is_fresh_ = true;
  }

  void add(std::string_view text) {
    const bool is_command_before = line_.ends_with("\\quad");
    if (is_command_before && !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0)
      line_ += ' ';
    line_ += text;
    at_ += latex_width(text);
    is_fresh_ = false;
  }

  // `after` is the width of the text that follows on the line of the last term.
  void add_terms(std::string_view text, int depth, double after) {
    const std::vector<std::string_view> terms = terms_of(text);
    for (const std::string_view& term : terms) {
      const double behind = &term == &terms.back() ? after : 0.0, width = latex_width(term) + behind;
      if (!fits(width)) {
        constexpr double kMuch = 0.5;  // fraction of the line that must be free to begin a term to be broken
        const bool must_break = indent(depth) + width > width_;
        if (!must_break || at_ > kMuch * width_) start_line(depth);
      }
      if (fits(width)) {
        add(term);
      } else {
        add_factors(term, depth, behind);
      }
    }
  }

  void add_factors(std::string_view term, int depth, double after) {
    const std::vector<std::string_view> factors = factors_of(term);
    for (const std::string_view& factor : factors) {
      const bool is_first = &factor == &factors.front();
      const double behind = &factor == &factors.back() ? after : 0.0, width = latex_width(factor) + behind;
      const double on_new_line = indent(depth) + width + (is_first ? 0.0 : latex_width(kTimes) + kIndent);
      if (fits(width)) {
        add(factor);
      } else if (outer_fence(factor) != std::string_view::npos && on_new_line > width_) {
        add_fenced(factor, depth, behind, is_first);
      } else {
        start_line(depth);
        if (!is_first) add(kTimes);
        add(factor);
      }
    }
  }

  static std::size_t outer_fence(std::string_view factor) {
    int depth = 0;
    for (std::size_t at = 0; at < factor.size();) {
      const std::string_view token = token_at(factor, at);
      if (depth == 0 && token == "\\left") return at;
      depth += nesting_of(token);
      at += token.size();
    }
    return std::string_view::npos;
  }

  void add_fenced(std::string_view factor, int depth, double behind, bool is_first) {
    constexpr std::string_view kLeft = "\\left", kRight = "\\right";
    const std::size_t open = outer_fence(factor), begin = open + kLeft.size() + 1;
    const std::size_t end = closing_place(factor, begin);
    const std::string_view inner = factor.substr(begin, end - begin);
    const std::string size = inner.find("\\frac") == std::string_view::npos ? "\\big" : "\\Big";
    const std::string before = std::string(factor.substr(0, open)) + size + "l" + factor[begin - 1];
    const std::string after = size + "r" + std::string(factor.substr(end + kRight.size()));
    constexpr double kFewest = 3 * kIndent;  // free after the parenthesis
    if (!fits(latex_width(before) + kFewest)) {
      start_line(depth);
      if (!is_first) add(kTimes);
    }
    add(before);
    add_terms(inner, depth + 1, latex_width(after) + behind);
    add(after);
  }

  double width_;
  std::vector<std::string> lines_;
  std::string line_;
  double at_ = 0.0, widest_ = 0.0;
  bool is_fresh_ = true;  // the line is empty
};

}  // namespace

BrokenLatex break_latex(const std::string& text, double width) { return LineBreaker(width).take(text); }

}  // namespace sestina::symbolic
