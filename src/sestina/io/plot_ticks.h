// The positions of numbers on an axis, and their format.
#pragma once

#include <string>
#include <vector>

namespace sestina {

// A number on the axis stands for  offset + label * 10^exponent.
struct Ticks {
  std::vector<double> values;  // ascending, multiples of the step, counted from the offset
  double step = 0;
  double offset = 0;  // not zero if all values agree in so many digits that labels would be illegible
  int exponent = 0;   // a multiple of 3
  int decimals = 0;   // of the labels
  std::vector<std::string> names = {};  // of a logarithmic axis, the labels instead of the above

  std::string label(std::size_t i) const;
};

// Returns at most `most` (>= 2) ticks within [low, high], low < high, at multiples of the smallest 1, 2, 2.5
// or 5 times a power of ten that gives so few (Heckbert, "Nice numbers for graph labels", Graphics Gems,
// 1990, with 2.5 added).
Ticks calc_ticks(double low, double high, int most);

// Returns ticks of an axis on which the logarithms (base 10) range from `low` to `high`: at powers of ten or,
// if there are fewer than two of them, at 1, 2 and 5 times these.
Ticks calc_logarithmic_ticks(double low, double high, int most);

struct Range {
  double low = 0;
  double high = 0;

  double width() const { return high - low; }
  // Returns a range with the same middle.
  Range widened_to(double new_width) const {
    const double more = (new_width - width()) / 2;
    return {low - more, high + more};
  }
};

// Returns the range of an axis for data in `data`, extended by `margin` times its width on either side. Data
// that are constant up to round-off get a range around their value.
Range calc_axis_range(Range data, double margin);

// Returns "q − 12.5 [10⁻³ rad]"; the unit has the form in results, `m/s^2`.
std::string axis_label(const std::string& quantity, const std::string& unit, const Ticks& ticks);

}  // namespace sestina
