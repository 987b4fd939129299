// The part of the input that a message quotes.
#pragma once

#include <string>
#include <string_view>

namespace sestina {

// A text of more than `most` bytes with dots for its middle: `1+1+1...+1 - 4`. Characters of UTF-8 stay
// whole.
std::string shortened(std::string_view text, std::size_t most = 200);

}  // namespace sestina
