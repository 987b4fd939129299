#include "sestina/base/text.h"

#include <fmt/format.h>

#include <iterator>

namespace sestina {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) > 0x9F;
  const bool too_large = first == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

std::string escape_controls(std::string_view text, LineBreaks line_breaks) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text.substr(i));
    const bool is_kept = line_breaks == LineBreaks::kKeep && (byte == '\n' || byte == '\t');
    if (length == 0 || (length == 1 && !is_kept && (byte < 0x20 || byte == 0x7F))) {
      fmt::format_to(std::back_inserter(result), "\\x{:02x}", byte);
    } else if (length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) {
      fmt::format_to(std::back_inserter(result), "\\u{:04x}", static_cast<unsigned char>(text[i + 1]));
    } else {
      result.append(text.substr(i, length));
    }
    i += length == 0 ? 1 : length;
  }
  return result;
}

std::string shortened_text(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return escape_controls(text, LineBreaks::kEscape);
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return escape_controls(text.substr(0, bytes), LineBreaks::kEscape) + "...";
}

}  // namespace sestina
