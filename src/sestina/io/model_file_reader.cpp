#include "sestina/io/model_file_reader.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>

#include "sestina/base/suggest.h"

namespace sestina {
namespace {

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// A plain scalar that YAML reads as a number, a boolean or null is not text.
bool is_text(const YamlNode& node) {
  return node.is_scalar() && (node.quoted || (!node.is_boolean() && !parse_plain_number(node.text)));
}

std::string found_instead_of_text(const YamlNode& node) {
  const bool quotable = node.is_scalar();
  return "found " + describe(node) + (quotable ? "; put it in quotes if it is meant as text" : "");
}

std::string numbers_expected(std::size_t count, const YamlNode& node) {
  const std::string found = node.is_list() && !node.items.empty()
                                ? "a list of " + std::to_string(node.items.size())
                                : describe(node);
  return "expected a list of " + std::to_string(count) + " numbers, found " + found;
}

}  // namespace

void ReadContext::fault(const Mark& mark, const NodePath& path, std::string message) {
  // A file with more faults than this is not a model; the limit prevents hostile files from filling the
  // memory.
  constexpr std::size_t kMost = 1000;
  faults_.add({mark, path.text()}, std::move(message));
  if (faults_.size() < kMost) return;
  faults_.add({mark, ""}, "more than " + std::to_string(kMost) + " faults; reading stops here");
  faults_.throw_if_any();
}

std::optional<double> parse_plain_number(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::optional<double> magnitude;
  if (text == ".inf" || text == ".Inf" || text == ".INF") magnitude = kInfinity;
  if (text == ".nan" || text == ".NaN" || text == ".NAN")
    magnitude = std::numeric_limits<double>::quiet_NaN();
  const bool digit_first = text.front() >= '0' && text.front() <= '9';
  if (!magnitude && (digit_first || text.front() == '.')) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
    // A number out of range is either too large or too small; a negative exponent means too small.
    const bool underflow = text.find("e-") != std::string::npos || text.find("E-") != std::string::npos;
    magnitude = error == std::errc::result_out_of_range ? (underflow ? 0.0 : kInfinity) : value;
  }
  if (!magnitude) return std::nullopt;
  return negative ? -*magnitude : *magnitude;
}

bool read_number(ReadContext& context, const YamlNode& node, const NodePath& path, Number& out) {
  if (!node.is_scalar() || node.text.empty() || node.is_boolean()) {
    context.fault(node, path, "expected a number or an expression, found " + describe(node));
    return false;
  }
  const std::optional<double> value = parse_plain_number(node.text);
  if (value && !std::isfinite(*value)) {
    context.fault(node, path, node.text + " is not finite");
    return false;
  }
  out = value ? Number(*value) : Number(node.text);
  out.mark = node.mark;
  return true;
}

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, bool& out) {
  if (node.is_scalar() && !node.quoted && (node.text == "true" || node.text == "false")) {
    out = node.text == "true";
  } else {
    context.fault(node, path, "expected true or false, found " + describe(node));
  }
}

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, Name& out) {
  if (!is_text(node) || node.text.empty()) {
    context.fault(node, path, "expected a name, " + found_instead_of_text(node));
    context.lose_names();
    return;
  }
  out = Name(node.text);
  out.mark = node.mark;
}

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, std::string& out) {
  if (!is_text(node)) {
    context.fault(node, path, "expected a text, " + found_instead_of_text(node));
    return;
  }
  out = node.text;
}

bool read_numbers(ReadContext& context, const YamlNode& node, const NodePath& path, std::size_t count,
                  std::vector<Number>& out) {
  if (!node.is_list() || node.items.size() != count) {
    context.fault(node, path, numbers_expected(count, node));
    return false;
  }
  std::vector<Number> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    read_value(context, *node.items[i], path / static_cast<int>(i), numbers[i]);
  }
  out.insert(out.end(), numbers.begin(), numbers.end());
  return true;
}

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, Triple& out) {
  std::vector<Number> numbers;
  if (read_numbers(context, node, path, 3, numbers)) std::copy_n(numbers.begin(), 3, out.begin());
}

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, std::vector<Number>& out) {
  if (node.is_scalar()) {
    out.resize(1);
    read_value(context, node, path, out[0]);
  } else if (node.is_list()) {
    out.clear();
    read_numbers(context, node, path, node.items.size(), out);
  } else {
    context.fault(node, path, "expected a number, an expression or a list of them, found " + describe(node));
  }
}

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, RotationSpec& out) {
  const MapReader map(context, node, path, keys_of("rotation"));
  if (!map.is_map()) return;
  const bool has_axis = map.find("axis");
  const bool has_angle = map.find("angle");
  const int forms =
      static_cast<int>(has_axis || has_angle) + static_cast<int>(map.find("euler_parameters") != nullptr) +
      static_cast<int>(map.find("rpy") != nullptr) + static_cast<int>(map.find("matrix") != nullptr);
  if (forms != 1 || has_axis != has_angle) {
    context.fault(node, path, "expected one of: euler_parameters; axis and angle; rpy; matrix");
    return;
  }
  RotationSpec rotation{RotationSpec::Kind::kRpy, {}, node.mark};
  bool complete = true;
  const auto read = [&](const char* key, std::size_t count) {
    complete = read_numbers(context, *map.find(key), map.path_of(key), count, rotation.numbers);
  };
  if (map.find("rpy")) {
    read("rpy", 3);
  } else if (map.find("euler_parameters")) {
    rotation.kind = RotationSpec::Kind::kEulerParameters;
    read("euler_parameters", 4);
  } else if (has_axis) {
    rotation.kind = RotationSpec::Kind::kAxisAngle;
    read("axis", 3);
    map.read("angle", rotation.numbers.emplace_back());
  } else {
    rotation.kind = RotationSpec::Kind::kMatrix;
    const YamlNode& rows = *map.find("matrix");
    const NodePath rows_path = map.path_of("matrix");
    complete = rows.is_list() && rows.items.size() == 3;
    if (!complete) context.fault(rows, rows_path, "expected 3 rows of 3 numbers");
    for (int i = 0; complete && i < 3; ++i) {
      complete =
          read_numbers(context, *rows.items[static_cast<std::size_t>(i)], rows_path / i, 3, rotation.numbers);
    }
  }
  if (complete) out = std::move(rotation);
}

void read_value(ReadContext& context, const YamlNode& node, const NodePath& path,
                std::vector<PointSpec>& out) {
  if (!node.is_map()) {
    context.fault(node, path, "expected a map of names to points, found " + describe(node));
    context.lose_names();
    return;
  }
  for (const YamlEntry& entry : node.entries) {
    const NodePath point_path = path / entry.key;
    PointSpec& point = out.emplace_back();
    point.name = Name(entry.key);
    point.name.mark = entry.mark;
    if (entry.value->is_map()) {
      const MapReader map(context, *entry.value, point_path, keys_of("point"));
      map.read("position", point.position);
      map.read("axes", point.axes);
    } else {
      read_value(context, *entry.value, point_path, point.position);
    }
  }
}

MapReader::MapReader(ReadContext& context, const YamlNode& node, const NodePath& path, const KeyTable& keys)
    : context_(context), node_(node), path_(path) {
  if (!node.is_map()) {
    context.fault(node, path, "expected a map, found " + describe(node));
    context.lose_names();
    return;
  }
  check_keys(keys);
}

void MapReader::check_keys(const KeyTable& keys) const {
  for (const YamlEntry& entry : node_.entries) {
    if (contains(keys.allowed, entry.key)) continue;
    if (fits_another_type(keys, entry.key)) {
      context_.fault(entry.mark, path_,
                     "the key '" + entry.key + "' does not fit a " + keys.part + " of type " + keys.type +
                         "; it has " + join_words(keys.allowed));
    } else {
      context_.fault(entry.mark, path_,
                     "unknown key '" + printable(entry.key) + "'" + suggestion(entry.key, keys.allowed));
    }
    // The unknown key may be a misspelled `points` or `joints`.
    if (entry.value->is_map() || entry.value->is_list()) context_.lose_names();
  }
  for (const std::string& key : keys.required) {
    if (node_.find(key)) continue;
    context_.fault(node_.mark, path_, "the key '" + key + "' is missing");
    if (key == "name" || key == "bodies") context_.lose_names();
  }
}

const YamlNode* MapReader::find(std::string_view key) const {
  const YamlEntry* entry = node_.is_map() ? node_.find(key) : nullptr;
  return entry ? entry->value.get() : nullptr;
}

Mark MapReader::mark_of(std::string_view key) const {
  const YamlNode* value = find(key);
  return value ? value->mark : node_.mark;
}

std::string type_of(const YamlNode& node) {
  const YamlEntry* type = node.is_map() ? node.find("type") : nullptr;
  return type ? type->value->text : std::string();
}

void check_word(ReadContext& context, const Name& name, const NodePath& path, std::string_view what,
                const std::vector<std::string>& allowed) {
  if (name.empty() || contains(allowed, name.text)) return;
  context.fault(
      name.mark, path,
      "unknown " + std::string(what) + " '" + printable(name.text) + "'" + suggestion(name.text, allowed));
}

}  // namespace sestina
