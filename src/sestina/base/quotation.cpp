#include "sestina/base/quotation.h"

namespace sestina {

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const auto is_inside = [&](std::size_t i) {  // of a character
    return i > 0 && i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
  };
  constexpr std::string_view kDots = "...";
  const std::size_t kept = most > kDots.size() ? most - kDots.size() : 0;
  std::size_t end = kept - kept / 2, begin = text.size() - kept / 2;
  while (is_inside(end)) --end;
  while (is_inside(begin)) ++begin;
  return std::string(text.substr(0, end)).append(kDots).append(text.substr(begin));
}

}  // namespace sestina
