#include "sestina/io/yaml_stream.h"

#include <algorithm>

#include "sestina/base/error.h"
#include "sestina/io/yaml.h"

namespace sestina {
namespace {

// Far more than kMaxYamlDepth, since brackets in texts and comments count too.
constexpr long kMostOpened = 10'000;
constexpr long kMostMarks = 2'000'000;  // about 400 MB

}  // namespace

std::streamsize YamlStream::xsgetn(char* to, std::streamsize size) {
  const std::string_view part = text_.substr(read_, static_cast<std::size_t>(size));
  std::copy(part.begin(), part.end(), to);
  read_ += part.size();
  count(part);
  return static_cast<std::streamsize>(part.size());
}

void YamlStream::count(std::string_view part) {
  for (const char c : part) {
    if (c == '\n') ++line_;
    const bool opens = c == '[' || c == '{';
    const bool closes = c == ']' || c == '}';
    if (opens) ++opened_;
    if (closes) opened_ = std::max(0L, opened_ - 1);
    if (opens || closes || c == ',' || c == ':') ++marks_;
    if (opened_ > kMostOpened) fail("nested more than " + std::to_string(kMaxYamlDepth) + " levels deep");
    if (marks_ > kMostMarks) {
      fail("a list or map in brackets has more than " + std::to_string(kMostMarks) +
           " brackets, commas and colons; write a line that begins with '- ' for each item instead");
    }
  }
}

void YamlStream::fail(std::string message) const {
  throw InputError({Fault{{{file_, line_, 1}, ""}, std::move(message)}});
}

}  // namespace sestina
