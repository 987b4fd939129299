#include "sestina/symbolic/latex_letters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sestina::symbolic {
namespace {

constexpr std::array<std::string_view, 25> kLower = {
    "alpha", "beta",   "gamma",   "delta", "epsilon", "zeta", "eta",  "theta", "iota",
    "kappa", "lambda", "mu",      "nu",    "xi",      "o",    "pi",   "rho",   "varsigma",
    "sigma", "tau",    "upsilon", "phi",   "chi",     "psi",  "omega"};
constexpr std::array<std::string_view, 25> kUpper = {
    "A",  "B", "Gamma", "Delta", "E", "Z",     "H", "Theta",   "I",   "K", "Lambda", "M",    "N",
    "Xi", "O", "Pi",    "P",     "",  "Sigma", "T", "Upsilon", "Phi", "X", "Psi",    "Omega"};

bool is_accented_latin(char32_t c) { return c >= 0xC0 && c <= 0x17F && c != 0xD7 && c != 0xF7; }

std::string utf8(char32_t c) {
  return {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};  // below U+0800
}

std::string ascii(char c, bool is_in_text) {
  const auto mathematics = [&](const char* sign) {
    return is_in_text ? fmt::format("${}$", sign) : fmt::format("{{{}}}", sign);
  };
  if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return " ";
  if (c == '\\') return is_in_text ? mathematics("\\backslash") : "\\backslash ";
  if (c == '^') return mathematics("\\wedge");
  if (c == '~') return mathematics("\\sim");
  const bool is_command = std::string_view("_#%&${}").find(c) != std::string_view::npos;
  return is_command ? std::string("\\") + c : std::string(1, c);
}

std::string escaped(std::string_view text, bool is_in_text, bool has_greek) {
  std::string result;
  for (const char32_t c : code_points(text)) {
    const std::string_view greek = has_greek ? greek_command(c) : "";
    if (c < 0x80) {
      result += ascii(static_cast<char>(c), is_in_text);
    } else if (greek.size() == 1) {
      result += greek;
    } else if (!greek.empty()) {
      const std::string command = "\\" + std::string(greek);
      result += is_in_text ? "$" + command + "$" : "{" + command + "}";
    } else if (is_accented_latin(c) && is_in_text) {
      result += utf8(c);
    } else {
      result += fmt::format("U{{+}}{:04X}", static_cast<std::uint32_t>(c));
    }
  }
  return result;
}

}  // namespace

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> points;
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
    char32_t point = more == 0 ? first : first & (0x3Fu >> more);
    std::size_t taken = 1;
    for (; taken <= more && at + taken < text.size(); ++taken) {
      const auto next = static_cast<unsigned char>(text[at + taken]);
      if ((next & 0xC0u) != 0x80u) break;
      point = point << 6 | (next & 0x3Fu);
    }
    const bool is_whole = taken == more + 1;
    points.push_back(is_whole ? point : first);
    at += is_whole ? taken : 1;
  }
  return points;
}

std::string_view greek_command(char32_t letter) {
  if (letter >= 0x3B1 && letter <= 0x3C9) return kLower[letter - 0x3B1];
  if (letter >= 0x391 && letter <= 0x3A9) return kUpper[letter - 0x391];
  switch (letter) {
    case 0xB5:
      return "mu";  // the micro sign
    case 0x3D1:
      return "vartheta";
    case 0x3D5:
      return "phi";
    case 0x3F5:
      return "epsilon";
    case 0x2113:
      return "ell";
    default:
      return "";
  }
}

bool needs_text(std::string_view text) {
  const std::vector<char32_t> points = code_points(text);
  return std::any_of(points.begin(), points.end(), is_accented_latin);
}

std::string escaped(std::string_view text, bool is_in_text) { return escaped(text, is_in_text, true); }

std::string escaped_as_spelled(std::string_view text) {
  const bool is_in_text = needs_text(text);
  return fmt::format("\\{}{{{}}}", is_in_text ? "text" : "mathrm", escaped(text, is_in_text, false));
}

}  // namespace sestina::symbolic
