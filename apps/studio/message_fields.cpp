#include "studio/message_fields.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "sestina/base/error.h"

namespace sestina::studio {
namespace {

double number_from(const YamlNode& node, std::string_view key) {
  double value = 0.0;
  const char* end = node.text.data() + node.text.size();
  const auto [stop, error] = std::from_chars(node.text.data(), end, value);
  if (!node.is_scalar() || error != std::errc() || stop != end || !std::isfinite(value)) {
    throw InputError(fmt::format("'{}' is not a number", key));
  }
  return value;
}

}  // namespace

std::string text_of(const YamlNode& message, std::string_view key) {
  const YamlEntry* entry = message.find(key);
  if (entry == nullptr || !entry->value->is_scalar()) {
    throw InputError(fmt::format("the message lacks a text '{}'", key));
  }
  return entry->value->text;
}

std::string text_or(const YamlNode& message, std::string_view key, const char* otherwise) {
  return message.find(key) == nullptr ? otherwise : text_of(message, key);
}

bool truth_or(const YamlNode& message, std::string_view key, bool otherwise) {
  const YamlEntry* entry = message.find(key);
  return entry == nullptr ? otherwise : entry->value->text == "true";
}

double number_of(const YamlNode& message, std::string_view key) {
  const YamlEntry* entry = message.find(key);
  if (entry == nullptr) throw InputError(fmt::format("the message lacks a number '{}'", key));
  return number_from(*entry->value, key);
}

double number_of_message(std::string_view text) {
  constexpr std::string_view kStart = R"({"n":)";
  if (!text.starts_with(kStart)) return 0.0;
  double n = 0.0;
  std::from_chars(text.data() + kStart.size(), text.data() + text.size(), n);
  return n;
}

double speed_of(const YamlNode& message) {
  const double speed = number_of(message, "speed");
  if (!(speed > 0.0 && speed <= 100.0)) throw InputError("the speed is from 0 to 100");
  return speed;
}

Vec3<double> vector_of(const YamlNode& message, std::string_view key) {
  const YamlEntry* entry = message.find(key);
  if (entry == nullptr || entry->value->items.size() != 3) {
    throw InputError(fmt::format("the message lacks three numbers '{}'", key));
  }
  const auto& items = entry->value->items;
  return {number_from(*items[0], key), number_from(*items[1], key), number_from(*items[2], key)};
}

}  // namespace sestina::studio
