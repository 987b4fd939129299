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

namespace {

// Letters that turn the direction of a terminal's text: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
// U+2069. Returns 0 for all others.
int direction_mark(std::string_view letter) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(letter[i]); };
  if (letter == "\xD8\x9C") return 0x061C;
  if (letter.size() != 3 || byte(0) != 0xE2) return 0;
  const int code = 0x2000 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
  const bool is_mark = code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
                       (code >= 0x2066 && code <= 0x2069);
  return is_mark ? code : 0;
}

}  // namespace

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
    } else if (const int mark = direction_mark(text.substr(i, length)); mark != 0) {
      fmt::format_to(std::back_inserter(result), "\\u{:04x}", mark);
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
