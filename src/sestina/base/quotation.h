// Quotation of the input in messages.
#pragma once

#include <string>
#include <string_view>

namespace sestina {

// Shortens a text of more than `most` bytes by replacing its middle with dots: `1+1+1...+1 - 4`. UTF-8
// characters stay complete.
std::string shortened(std::string_view text, std::size_t most = 200);

}  // namespace sestina
