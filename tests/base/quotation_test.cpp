#include "sestina/base/quotation.h"

#include <gtest/gtest.h>

#include <string>

#include "sestina/base/error.h"

namespace sestina {
namespace {

TEST(Quotation, IsCutInTheMiddle) {
  EXPECT_EQ(shortened("1+1", 20), "1+1");
  EXPECT_EQ(shortened("0123456789", 10), "0123456789");
  EXPECT_EQ(shortened("0123456789a", 10), "0123...89a");
  EXPECT_EQ(shortened("0123456789a", 3), "...");
  EXPECT_EQ(shortened("", 0), "");
}

TEST(Quotation, CutsNoCharacterOfUtf8) {
  std::string accents;
  for (int i = 0; i < 40; ++i) accents += "\xC3\xA9";  // e with an accent
  for (std::size_t most = 3; most < 20; ++most) {
    const std::string cut = shortened(accents, most);
    EXPECT_LE(cut.size(), most);
    EXPECT_EQ(cut.find("...") % 2, 0u) << cut;
    EXPECT_EQ(cut.size() % 2, 1u) << cut;
  }
}

TEST(Quotation, ErrorsRepeatNoMoreThanTwoThousandCharacters) {
  const std::string large(8'000'000, 'x');
  for (const InputError& error :
       {InputError("there is no body type '" + large + "' at all"),
        InputError(std::vector<Fault>{{{}, "there is no body type '" + large + "' at all"}})}) {
    const std::string text = error.what();
    EXPECT_LE(text.size(), 2000u);
    EXPECT_EQ(text.substr(0, 24), "there is no body type 'x");
    EXPECT_EQ(text.substr(text.size() - 9), "x' at all");
    EXPECT_EQ(error.faults().at(0).message, text);
  }
}

}  // namespace
}  // namespace sestina
