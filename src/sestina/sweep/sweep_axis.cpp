#include "sestina/sweep/sweep_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "sestina/base/error.h"
#include "sestina/io/model_file_reader.h"
#include "sestina/io/yaml.h"
#include "sestina/io/yaml_writer.h"

namespace sestina {
namespace {

constexpr const char* kForms = "expected a:b:n, a:b:n:log or a list such as [1, 2, 5]";

class AxisReader {
 public:
  explicit AxisReader(const std::string& option) : option_(option) {}

  SweepAxis read() const {
    const std::size_t equals = option_.find('=');
    if (equals == std::string::npos || equals == 0) fail("expected PATH=VALUES");
    SweepAxis axis;
    axis.path = option_.substr(0, equals);
    if (axis.path.find('/') != std::string::npos) fail("no key of a model has a '/'");
    const std::string text = option_.substr(equals + 1);
    const std::size_t first = text.find_first_not_of(' ');
    if (first != std::string::npos && text[first] == '[') {
      read_list(text, axis);
    } else {
      axis.numbers = read_range(text);
    }
    return axis;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    const Mark mark{std::make_shared<const std::string>("--vary " + printable(option_)), 0, 0};
    throw InputError({Fault{{mark, ""}, message}});
  }

  void read_list(const std::string& text, SweepAxis& axis) const {
    FaultList faults;
    YamlPointer list;
    try {
      list = parse_yaml(text, "values", faults);
      faults.throw_if_any();
    } catch (const InputError& error) {
      const Fault& fault = error.faults().front();
      fail(fmt::format("the list, column {}: {}", fault.place.mark.column, fault.message));
    }
    if (!list->is_list()) fail(kForms);
    if (list->items.empty()) fail("the list of values is empty");
    for (const YamlPointer& item : list->items) {
      if (item->is_null()) fail("the list has an empty value");
      axis.texts.push_back(write_yaml_line(*item));
      const std::optional<double> number =
          item->is_scalar() && !item->quoted ? parse_plain_number(item->text) : std::nullopt;
      if (number && std::isfinite(*number)) axis.numbers.push_back(*number);
    }
    if (axis.numbers.size() == axis.texts.size()) {
      axis.texts.clear();
    } else {
      axis.numbers.clear();
    }
  }

  std::vector<double> read_range(const std::string& text) const {
    std::vector<std::string> parts{""};
    for (const char c : text) {
      if (c == ':') {
        parts.emplace_back();
      } else if (c != ' ') {
        parts.back() += c;
      }
    }
    if (parts.size() < 3 || parts.size() > 4) fail(std::string(kForms) + ", found '" + printable(text) + "'");
    const double a = read_number(parts[0]);
    const double b = read_number(parts[1]);
    const std::size_t n = read_count(parts[2]);
    const bool is_log = parts.size() == 4;
    if (is_log && parts[3] != "log") fail("'" + printable(parts[3]) + "' is not a spacing; allowed: log");
    if (is_log && !(a * b > 0.0)) fail("equal ratios need ends of the same sign that are not zero");
    return is_log ? equal_ratios(a, b, n) : equal_distances(a, b, n);
  }

  double read_number(const std::string& text) const {
    const std::optional<double> number = parse_plain_number(text);
    // The sum of two such numbers must be finite too.
    if (!number || !(std::abs(*number) < 1e300)) fail("'" + printable(text) + "' is not a number of a range");
    return *number;
  }

  std::size_t read_count(const std::string& text) const {
    std::size_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size() || n < 2 || n > kMostSweepRuns) {
      fail(fmt::format("'{}' is not a number of values from 2 to {}", printable(text), kMostSweepRuns));
    }
    return n;
  }

  // One rounding of the weighted sum, so that 0.5:1.5:11 contains 0.6 and not 0.6000000000000001.
  static std::vector<double> equal_distances(double a, double b, std::size_t n) {
    std::vector<double> values(n);
    const double last = static_cast<double>(n - 1);
    for (std::size_t i = 0; i < n; ++i) {
      const double share = static_cast<double>(i);
      values[i] = (a * (last - share) + b * share) / last;
    }
    values.front() = a;
    values.back() = b;
    return values;
  }

  static std::vector<double> equal_ratios(double a, double b, std::size_t n) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = a * std::pow(b / a, static_cast<double>(i) / static_cast<double>(n - 1));
    }
    values.front() = a;
    values.back() = b;
    return values;
  }

  const std::string& option_;
};

}  // namespace

SweepAxis parse_sweep_axis(const std::string& option) { return AxisReader(option).read(); }

std::vector<SweepAxis> parse_sweep_axes(const std::vector<std::string>& options) {
  if (options.empty()) throw InputError("a sweep needs at least one --vary PATH=a:b:n");
  if (options.size() > kMostSweepAxes) {
    throw InputError(
        fmt::format("{} axes are more than the {} that a file can have", options.size(), kMostSweepAxes));
  }
  FaultList faults;
  std::vector<SweepAxis> axes;
  double runs = 1.0;
  for (const std::string& option : options) {
    try {
      SweepAxis axis = parse_sweep_axis(option);
      const bool is_known = std::any_of(axes.begin(), axes.end(),
                                        [&](const SweepAxis& other) { return other.path == axis.path; });
      if (is_known) faults.add({}, "--vary: '" + axis.path + "' is given twice");
      runs *= static_cast<double>(axis.size());
      axes.push_back(std::move(axis));
    } catch (const InputError& error) {
      faults.add(error.faults());
    }
  }
  if (runs > static_cast<double>(kMostSweepRuns)) {
    faults.add({}, fmt::format("{:g} runs are more than the {} that a sweep can have", runs, kMostSweepRuns));
  }
  faults.throw_if_any();
  return axes;
}

}  // namespace sestina
