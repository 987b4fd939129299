// Writes JSON piece by piece.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sestina {

// Commas are inserted; the caller has to match brackets. Numbers round-trip; numbers that are not finite
// become null. In strings `<` is escaped, so that the text can be embedded in a page.
class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  JsonWriter& value(int number) { return value(static_cast<long>(number)); }
  JsonWriter& value(long number);
  JsonWriter& value(std::size_t number) { return value(static_cast<long>(number)); }
  JsonWriter& value(bool truth);
  JsonWriter& null();
  JsonWriter& raw(std::string_view json);  // a whole value, or none
  template <class T>
  JsonWriter& member(std::string_view name, const T& x) {
    key(name);
    return value(x);
  }
  JsonWriter& numbers(std::span<const double> list);

  std::string take() { return std::move(text_); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();

  std::string text_;
  bool needs_comma_ = false;
};

// RFC 4648, with padding.
std::string to_base64(std::span<const std::uint8_t> bytes);

template <class T>
std::span<const std::uint8_t> bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()),
          values.size_bytes()};  // little-endian machines
}

}  // namespace sestina
