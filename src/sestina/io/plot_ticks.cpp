#include "sestina/io/plot_ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <string_view>

namespace sestina {
namespace {

constexpr double kSmallest = 1e-290;  // below, powers of ten lose digits
constexpr std::string_view kMinus = "\u2212";

// Returns the digits after the point that distinguish multiples of `step`.
int decimals_of(double step) {
  int decimals = 0;
  for (double scaled = step; decimals < 17; ++decimals, scaled *= 10) {
    if (std::abs(scaled - std::round(scaled)) < 1e-6 * scaled) break;
  }
  return decimals;
}

std::string with_minus(const std::string& number) {
  return number.starts_with('-') ? std::string(kMinus) + number.substr(1) : number;
}

std::string superscript(std::string_view digits) {
  static constexpr std::array<std::string_view, 10> kDigits = {
      "\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074", "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string text;
  for (const char c : digits) {
    if (c == '-') text += "\u207b";
    if (c >= '0' && c <= '9') text += kDigits[static_cast<std::size_t>(c - '0')];
  }
  return text;
}

// Returns "kg m²" for "kg m^2", "N·s" for "N*s".
std::string typeset_unit(const std::string& unit) {
  std::string text;
  for (std::size_t i = 0; i < unit.size(); ++i) {
    if (unit[i] == '^') {
      const std::size_t end = std::min(unit.find_first_not_of("-0123456789", i + 1), unit.size());
      text += superscript(std::string_view(unit).substr(i + 1, end - i - 1));
      i = end - 1;
    } else if (unit[i] == '*') {
      text += "\u00b7";
    } else {
      text += unit[i];
    }
  }
  return text;
}

// Returns the smallest nice number that is not below `size`.
double nice_step(double size) {
  const double power = std::pow(10, std::floor(std::log10(size)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * power >= size * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::string Ticks::label(std::size_t i) const {
  if (!names.empty()) return names[i];
  const double value = (values[i] - offset) / std::pow(10, exponent);
  const bool is_zero = std::abs(values[i] - offset) < 1e-6 * step;
  return with_minus(fmt::format("{:.{}f}", is_zero ? 0.0 : value, decimals));
}

Ticks calc_ticks(double low, double high, int most) {
  assert(low < high && most >= 2);
  Ticks ticks;
  const double width = high - low;
  const double largest = std::max(std::abs(low), std::abs(high));
  if (width < 1e-4 * largest) {
    const double unit = std::pow(10, std::ceil(std::log10(width)));
    ticks.offset = std::round((low + high) / 2 / unit) * unit;
  }
  const double from = low - ticks.offset;
  const double to = high - ticks.offset;
  // n ticks on an axis have room for less than n + 1 steps.
  for (double size = width / (most + 1); ticks.values.empty(); size = ticks.step * 1.1) {
    ticks.step = nice_step(size);
    const double first = std::ceil(from / ticks.step - 1e-9);
    const double last = std::floor(to / ticks.step + 1e-9);
    if (last - first + 1 > most) continue;
    for (double k = first; k <= last; ++k) ticks.values.push_back(ticks.offset + k * ticks.step);
    if (ticks.values.empty()) break;
  }
  const double shown = std::max(std::abs(from), std::abs(to));
  if (shown >= 1e4 || shown < 1e-2) ticks.exponent = 3 * static_cast<int>(std::floor(std::log10(shown) / 3));
  ticks.decimals = decimals_of(ticks.step / std::pow(10, ticks.exponent));
  return ticks;
}

Ticks calc_logarithmic_ticks(double low, double high, int most) {
  assert(low < high && most >= 2);
  constexpr double kRounding = 1e-9;
  // Adding zero makes -0 a 0.
  const double first = std::ceil(low - kRounding) + 0.0, last = std::floor(high + kRounding);
  Ticks ticks;
  if (last - first >= 1.0) {
    const double stride = std::ceil((last - first + 1.0) / most);
    for (double k = first; k <= last; k += stride) {
      ticks.values.push_back(k);
      ticks.names.push_back("10" + superscript(fmt::format("{:.0f}", k)));
    }
    return ticks;
  }
  for (double decade = std::floor(low); decade <= std::ceil(high); ++decade) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = decade + std::log10(factor);
      if (value < low - kRounding || value > high + kRounding) continue;
      ticks.values.push_back(value);
      ticks.names.push_back(fmt::format("{:.12g}", factor * std::pow(10.0, decade)));
    }
  }
  return ticks;
}

Range calc_axis_range(Range data, double margin) {
  const double largest = std::max(std::abs(data.low), std::abs(data.high));
  const double width = data.width();
  // 1e-13 is some hundred roundings: smaller variations are not worth drawing.
  if (width <= std::max(1e-13 * largest, kSmallest)) {
    const double middle = data.low + width / 2;
    const double half = largest <= kSmallest ? 1 : 0.1 * largest;
    return {middle - half, middle + half};
  }
  return {data.low - margin * width, data.high + margin * width};
}

std::string axis_label(const std::string& quantity, const std::string& unit, const Ticks& ticks) {
  std::string label = quantity;
  if (ticks.offset != 0) {
    label += fmt::format(" {} {:.15g}", ticks.offset > 0 ? kMinus : "+", std::abs(ticks.offset));
  }
  std::string scale = ticks.exponent != 0 ? "10" + superscript(std::to_string(ticks.exponent)) : "";
  if (!unit.empty() && unit != "1") {
    if (!scale.empty()) scale += ' ';
    scale += typeset_unit(unit);
  }
  if (scale.empty()) return label;
  if (!label.empty()) label += ' ';
  return label + '[' + scale + ']';
}

}  // namespace sestina
