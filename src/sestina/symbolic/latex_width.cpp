// The width of LaTeX on paper, by TeX's rules of spacing and the widths of the letters of Computer Modern.
#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

#include "sestina/symbolic/latex.h"
#include "sestina/symbolic/latex_tokens.h"

namespace sestina::symbolic {
namespace {

// Widths in thousandths of the font size, A to Z and then a to z.
using Letters = std::array<short, 52>;
constexpr Letters kItalic = {750, 809, 786, 856, 796, 782, 786, 912, 518, 651,  921, 681, 1079,
                             912, 791, 781, 791, 767, 671, 723, 792, 806, 1083, 907, 803, 754,
                             529, 429, 433, 520, 466, 597, 513, 576, 345, 469,  552, 318, 878,
                             600, 485, 503, 482, 479, 469, 361, 572, 521, 743,  572, 526, 509};
constexpr Letters kUpright = {750, 708, 722, 764, 681, 653, 785, 750, 361, 514,  778, 625, 917,
                              750, 778, 681, 778, 736, 556, 722, 750, 750, 1028, 750, 750, 611,
                              500, 556, 444, 556, 444, 306, 500, 556, 278, 306,  528, 278, 833,
                              556, 500, 556, 528, 392, 394, 389, 556, 528, 722,  528, 528, 444};

struct Sign {
  std::string_view command;
  short width;
};
constexpr std::array<Sign, 44> kSigns = {{
    {"alpha", 643},    {"beta", 618},      {"gamma", 573}, {"delta", 482}, {"epsilon", 406}, {"zeta", 511},
    {"eta", 532},      {"theta", 497},     {"iota", 354},  {"kappa", 576}, {"lambda", 583},  {"mu", 603},
    {"nu", 558},       {"xi", 484},        {"pi", 606},    {"rho", 517},   {"sigma", 607},   {"tau", 550},
    {"upsilon", 576},  {"phi", 596},       {"chi", 626},   {"psi", 687},   {"omega", 658},   {"varphi", 654},
    {"vartheta", 591}, {"varsigma", 443},  {"ell", 417},   {"Gamma", 625}, {"Delta", 833},   {"Theta", 778},
    {"Lambda", 694},   {"Xi", 667},        {"Pi", 750},    {"Sigma", 722}, {"Upsilon", 778}, {"Phi", 722},
    {"Psi", 778},      {"Omega", 722},     {"_", 790},     {"&", 778},     {"%", 833},       {"#", 833},
    {"$", 769},        {"backslash", 500},
}};

constexpr double kEm = 10.0;
constexpr double kScript = 0.8, kSmallest = 0.68;  // small fonts have wider letters relative to their size
constexpr double kThin = 1.67, kMedium = 2.22, kThick = 2.78;  // spaces
constexpr double kScriptSpace = 0.5, kRuleEnds = 2.4;

enum class Kind { kNone, kOrdinary, kOperator, kBinary, kRelation, kPunctuation, kInner };

struct Box {
  double width = 0.0;
  Kind kind = Kind::kOrdinary;
  int height = 0;  // 1: fraction in text, 2: in display, with larger fences
};

double letter_width(char c, bool is_upright) {
  const auto u = static_cast<unsigned char>(c);
  if (std::isupper(u) != 0) return (is_upright ? kUpright : kItalic)[static_cast<std::size_t>(c - 'A')];
  if (std::islower(u) != 0) return (is_upright ? kUpright : kItalic)[static_cast<std::size_t>(c - 'a' + 26)];
  return 500.0;
}

class Ruler {
 public:
  Ruler(std::string_view text, bool is_display) : text_(text), is_display_(is_display) {}

  Box measure() {
    Box all;
    Kind last = Kind::kNone;
    if (text_.starts_with(' ')) last = Kind::kOrdinary;  // a term that follows others
    while (at_ < text_.size()) {
      Box box = with_scripts(next());
      all.width += box.kind == Kind::kNone ? box.width : 0.0;
      if (box.kind == Kind::kNone) continue;
      // A sign before the first term is not a binary operation.
      if (box.kind == Kind::kBinary && last != Kind::kOrdinary && last != Kind::kInner)
        box.kind = Kind::kOrdinary;
      all.width += between(last, box.kind) + box.width;
      all.height = std::max(all.height, box.height);
      last = box.kind;
    }
    if (last == Kind::kPunctuation) all.width += kThin;
    return all;
  }

 private:
  Ruler inside(std::string_view text) const {
    Ruler ruler(text, is_display_);
    ruler.scale_ = scale_;
    ruler.is_upright_ = is_upright_;
    return ruler;
  }

  double between(Kind left, Kind right) const {
    if (left == Kind::kNone) return 0.0;
    const bool is_script = scale_ < 1.0;
    if (left == Kind::kBinary || right == Kind::kBinary) return is_script ? 0.0 : kMedium;
    if (left == Kind::kRelation || right == Kind::kRelation) return is_script ? 0.0 : kThick;
    if (left == Kind::kOperator || right == Kind::kOperator) return kThin;
    if (is_script) return 0.0;
    return left == Kind::kInner || right == Kind::kInner || left == Kind::kPunctuation ? kThin : 0.0;
  }

  // Measures a token with its arguments.
  Box next() {
    const std::string_view token = token_at(text_, at_);
    at_ += token.size();
    if (token == "{") return {inside(group_at(text_, at_)).measure()};
    if (token == " " || token == "}" || token == "&" || token == "\n") return {0.0, Kind::kNone};
    return token[0] == '\\' ? command(token) : character(token[0]);
  }

  Box character(char c) const {
    const double em = kEm * scale_ / 1000.0;
    if (c == '+' || c == '-') return {778 * em, Kind::kBinary};
    if (c == '=' || c == '<' || c == '>') return {778 * em, Kind::kRelation};
    if (c == ',') return {278 * em, Kind::kPunctuation};
    if (c == '.') return {278 * em};
    if (c == '(' || c == ')') return {389 * em};
    if (static_cast<unsigned char>(c) >= 0xC0) return {600 * em};          // a letter of several bytes
    if (static_cast<unsigned char>(c) >= 0x80) return {0.0, Kind::kNone};  // its other bytes
    return {letter_width(c, is_upright_) * em};
  }

  std::string_view argument() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const std::string_view token = token_at(text_, at_);
    at_ += token.size();
    return token == "{" ? group_at(text_, at_) : token;
  }

  double upright(std::string_view text) const {
    Ruler ruler = inside(text);
    ruler.is_upright_ = true;
    return ruler.measure().width;
  }

  Box command(std::string_view token) {
    const double em = kEm * scale_ / 1000.0;
    if (token == "\\frac" || token == "\\dfrac" || token == "\\tfrac") return fraction(token == "\\dfrac");
    if (token == "\\left") return fenced();
    if (token == "\\begin") return table();
    if (token == "\\sqrt") {
      const Box under = inside(argument()).measure();
      return {under.width + (under.height > 0 ? 1000 : 833) * em, Kind::kOrdinary, under.height};
    }
    if (token == "\\mathrm" || token == "\\mathit" || token == "\\text") return {upright(argument())};
    if (token == "\\mathbf") return {1.15 * upright(argument())};
    if (token == "\\operatorname") return {upright(argument()), Kind::kOperator};
    if (token == "\\quad") return {1000 * em, Kind::kNone};
    if (token.starts_with("\\big") || token.starts_with("\\Big")) {
      argument();
      return {(token[1] == 'b' ? 458 : 597) * em, token.ends_with('r') ? Kind::kOrdinary : Kind::kNone};
    }
    if (token == "\\otimes" || token == "\\times") return {778 * em, Kind::kBinary};
    if (token == "\\cdot") return {278 * em, Kind::kBinary};
    if (token == "\\leq") return {778 * em, Kind::kRelation};
    if (token == "\\ldots") return {1172 * em, Kind::kInner};
    if (token == "\\dot" || token == "\\ddot" || token == "\\dddot" || token == "\\ddddot" ||
        token == "\\hat") {
      return {std::max(inside(argument()).measure().width, token.size() > 5 ? 3.0 * scale_ * 3 : 0.0)};
    }
    constexpr std::array<std::string_view, 10> kWords = {"\\sin",  "\\cos", "\\tan", "\\sinh", "\\cosh",
                                                         "\\tanh", "\\log", "\\min", "\\max",  "\\exp"};
    if (std::find(kWords.begin(), kWords.end(), token) != kWords.end()) {
      return {upright(token.substr(1)), Kind::kOperator};
    }
    const auto sign = std::find_if(kSigns.begin(), kSigns.end(),
                                   [&](const Sign& one) { return one.command == token.substr(1); });
    constexpr short kUsual = 778;
    return {(sign == kSigns.end() ? kUsual : sign->width) * em};
  }

  Box fraction(bool is_display) {
    const std::string_view above = argument(), below = argument();
    const bool is_large = is_display || is_display_;
    const auto part = [&](std::string_view text) {
      Ruler ruler = inside(text);
      ruler.is_display_ = false;
      if (!is_large) ruler.scale_ = std::max(scale_ * kScript, kSmallest);
      return ruler.measure().width;
    };
    return {std::max(part(above), part(below)) + kRuleEnds, Kind::kOrdinary, is_large ? 2 : 1};
  }

  // Measures \left( ... \right).
  Box fenced() {
    const std::string_view fence = argument();
    const std::size_t end = closing_place(text_, at_);
    const std::string_view body = text_.substr(at_, end - at_);
    const bool has_scripts =
        body.find('^') != std::string_view::npos || body.find("dot{") != std::string_view::npos;
    const Box box = inside(body).measure();
    at_ = std::min(text_.size(), end + std::string_view("\\right").size());
    argument();
    const double em = kEm * scale_ / 1000.0;
    const double of_fence = (fence == "|" ? 333
                                          : (box.height > 1   ? 736
                                             : box.height > 0 ? 597
                                             : has_scripts    ? 458
                                                              : 389)) *
                            em;
    return {box.width + 2 * of_fence, Kind::kInner, box.height};
  }

  // Measures cases, bmatrix and array by the widest cell of each column.
  Box table() {
    const std::string_view name = argument();
    if (name == "array") argument();
    const std::size_t end = closing_place(text_, at_);
    const std::string_view body = text_.substr(at_, end - at_);
    at_ = std::min(text_.size(), end + std::string_view("\\end").size());
    argument();
    std::vector<double> columns(1, 0.0);
    std::size_t column = 0;
    const auto close = [&](std::string_view cell) {
      if (column >= columns.size()) columns.push_back(0.0);
      Ruler ruler = inside(cell);
      ruler.is_display_ = false;
      columns[column] = std::max(columns[column], ruler.measure().width);
    };
    std::size_t begin = 0;
    for_each_outer_token(body, [&](std::size_t at, std::string_view token) {
      if (token != "&" && token != "\\\\") return;
      close(body.substr(begin, at - begin));
      begin = at + token.size();
      if (body.substr(begin).starts_with("[3pt]")) begin += std::string_view("[3pt]").size();
      column = token == "&" ? column + 1 : 0;
    });
    close(body.substr(begin));
    constexpr double kBrackets = 13.4, kBrace = 9.0;
    double width = name == "cases" ? kBrace : name == "array" ? kBrackets + kEm : kBrackets;
    for (const double w : columns) width += w;
    return {width + kEm * static_cast<double>(columns.size() - 1), Kind::kInner, 2};
  }

  // Index and exponent are above each other.
  Box with_scripts(Box box) {
    double width = 0.0;
    while (at_ < text_.size() && (text_[at_] == '_' || text_[at_] == '^' || text_[at_] == '\'')) {
      const char sign = text_[at_++];
      if (sign == '\'') {
        width = std::max(width, 3.0 * scale_);
        continue;
      }
      Ruler ruler = inside(argument());
      ruler.scale_ = std::max(scale_ * kScript, kSmallest);
      ruler.is_display_ = false;
      width = std::max(width, ruler.measure().width + kScriptSpace);
    }
    box.width += width;
    return box;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  double scale_ = 1.0;
  bool is_upright_ = false;
  bool is_display_;
};

}  // namespace

double latex_width(std::string_view text) { return Ruler(text, true).measure().width; }

}  // namespace sestina::symbolic
