#include "sestina/base/text.h"

#include <gtest/gtest.h>

#include "sestina/base/error.h"

namespace sestina {
namespace {

TEST(EscapeControls, LeavesNothingThatATerminalObeys) {
  EXPECT_EQ(escape_controls("a\x1B[31mred\x07\r\x7F"), "a\\x1b[31mred\\x07\\x0d\\x7f");
  EXPECT_EQ(escape_controls("\xC2\x9B"
                            "2J \xC2\xA0"),
            "\\u009b2J \xC2\xA0");  // CSI of 8 bits, and a blank
  EXPECT_EQ(escape_controls("\x9B"
                            "2J \xC3"),
            "\\x9b2J \\xc3");  // bytes that are no UTF-8
  EXPECT_EQ(escape_controls(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(escape_controls("a\u202Eb\u2069\u200F\u061C"), "a\\u202eb\\u2069\\u200f\\u061c");
}

TEST(EscapeControls, LeavesTextAsItIs) {
  const std::string text = "m\xC2\xB2 \xE2\x82\xAC \xF0\x9D\x84\x9E\n\tend";
  EXPECT_EQ(escape_controls(text), text);
  EXPECT_EQ(escape_controls("a\n\tb", LineBreaks::kEscape), "a\\x0a\\x09b");
}

TEST(ShortenedText, EndsWhereALetterDoes) {
  EXPECT_EQ(shortened_text("abc", 3), "abc");
  EXPECT_EQ(shortened_text("abcd", 3), "abc...");
  EXPECT_EQ(shortened_text("a\xE2\x82\xAC\xE2\x82\xAC", 5), "a\xE2\x82\xAC...");
}

TEST(Errors, ReachATerminalWithoutControlCharacters) {
  const InputError input(std::vector<Fault>{{{}, "one \x1B[2J"}, {{}, "two"}});
  EXPECT_STREQ(input.what(), "one \\x1b[2J\ntwo");
  EXPECT_STREQ(ComputationError(1.0, "force \x1B").what(), "t = 1 s: force \\x1b");
}

}  // namespace
}  // namespace sestina
