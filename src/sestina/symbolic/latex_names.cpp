#include "sestina/symbolic/latex_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "sestina/symbolic/latex_letters.h"

namespace sestina::symbolic {
namespace {

constexpr std::array<std::string_view, 36> kGreek = {
    "alpha",   "beta",   "gamma", "delta",   "epsilon", "zeta",  "eta",   "theta",  "iota",
    "kappa",   "lambda", "mu",    "nu",      "xi",      "pi",    "rho",   "sigma",  "tau",
    "upsilon", "phi",    "chi",   "psi",     "omega",   "Gamma", "Delta", "Theta",  "Lambda",
    "Xi",      "Pi",     "Sigma", "Upsilon", "Phi",     "Psi",   "Omega", "varphi", "ell"};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Returns the command of a word that is a Greek letter or its name, or nothing.
std::string greek_text(std::string_view word) {
  if (word == "lam") return "\\lambda";
  if (std::find(kGreek.begin(), kGreek.end(), word) != kGreek.end()) return "\\" + std::string(word);
  const std::vector<char32_t> points = code_points(word);
  const std::string_view letter = points.size() == 1 ? greek_command(points[0]) : "";
  return letter.size() > 1 ? "\\" + std::string(letter) : std::string(letter);
}

// Writes letters with `command`, or as text if mathematics does not have them.
std::string styled(const char* command, std::string_view word) {
  if (needs_text(word)) return "\\text{" + escaped(word, true) + "}";
  return fmt::format("\\{}{{{}}}", command, escaped(word));
}

// Writes a word so that it does not look like a product of letters.
std::string base_text(std::string_view word) {
  std::string greek = greek_text(word);
  if (!greek.empty()) return greek;
  return word.size() < 2 ? escaped(word) : styled("mathit", word);
}

// Letters in italics are quantities; words are upright.
std::string subscript_text(std::string_view word) {
  std::string greek = greek_text(word);
  if (!greek.empty()) return greek;
  const auto letters = std::count_if(word.begin(), word.end(), [](unsigned char c) {
    constexpr unsigned char kFirstOfSeveral = 0x80;
    return std::isalpha(c) != 0 || c >= kFirstOfSeveral;
  });
  if (letters < 2 || word.find_first_not_of("xyz") == std::string_view::npos) return escaped(word);
  return styled("mathrm", word);
}

struct Primed {
  std::string_view name;
  std::size_t primes = 0;
};

Primed split_primes(std::string_view name) {
  std::size_t primes = 0;
  for (; !name.empty() && name.back() == '\''; ++primes) name.remove_suffix(1);
  return {name, primes};
}

struct BaseAndSubscript {
  std::string base, subscript;
};

BaseAndSubscript split_subscript(std::string_view name) {
  std::size_t end = name.find('_');
  std::string_view subscript;
  if (end != std::string_view::npos && end > 0) {
    subscript = name.substr(end + 1);
  } else {
    end = name.size();
    while (end > 1 && is_digit(name[end - 1])) --end;
    subscript = name.substr(end);
  }
  return {base_text(name.substr(0, end)), subscript.empty() ? "" : "_{" + subscript_text(subscript) + "}"};
}

// Writes up to kMostDots dots, otherwise the order in parentheses.
std::string dotted(const BaseAndSubscript& name, std::size_t dots) {
  constexpr std::size_t kMostDots = 4;
  if (dots == 0) return name.base + name.subscript;
  if (dots > kMostDots) return fmt::format("{}{}^{{({})}}", name.base, name.subscript, dots);
  return fmt::format("\\{}ot{{{}}}{}", std::string(dots, 'd'), name.base, name.subscript);
}

}  // namespace

std::string latex_name(std::string_view name) {
  const Primed primed = split_primes(name);
  return dotted(split_subscript(primed.name), primed.primes);
}

std::string latex_unit(std::string_view frame, char axis) {
  const auto [base, subscript] = split_subscript(frame);
  if (subscript.empty()) return fmt::format("\\hat{{{}}}_{{{}}}", base, axis);
  return fmt::format("\\hat{{{}}}{},{}}}", base, subscript.substr(0, subscript.size() - 1), axis);
}

LatexNames::LatexNames(const Graph& graph) : graph_(graph), taken_{"\\pi"} { add_new(); }

const std::string& LatexNames::of(const std::string& name) {
  if (!names_.contains(name)) add_new();
  return names_.at(name);
}

void LatexNames::add_new() {
  for (; next_ < graph_.size(); ++next_) {
    if (graph_.op(Expr{next_}) != Op::kSymbol) continue;
    const std::string& name = graph_.name_of(Expr{next_});
    const auto [base, primes] = split_primes(name);
    const auto [at, is_new] = known_.try_emplace(std::string(base));
    if (is_new) {
      auto [letters, subscript] = split_subscript(base);
      if (!taken_.insert(letters + subscript).second) {
        letters = escaped_as_spelled(base);
        subscript.clear();
      }
      at->second = {std::move(letters), std::move(subscript)};
    }
    names_.emplace(name, dotted({at->second.first, at->second.second}, primes));
  }
}

}  // namespace sestina::symbolic
