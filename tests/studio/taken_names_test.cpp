// Names of parameters and variables that are taken already.
#include <gtest/gtest.h>

#include "message_of.h"
#include "studio/document.h"

namespace sestina::studio {
namespace {

using testing_support::message_of;

constexpr const char* kNumbers = "parameters: {l: 0.8, m: 1}   # m, kg\n";

TEST(TakenNames, AreNotGivenToAnotherNumber) {
  Document document{std::string(kNumbers)};
  EXPECT_EQ(message_of([&] {
              document.edit_item("", "", {{"parameters.m", "0.8"}, {"parameters.l", ""}});
            }),
            "parameters: there is an 'm' already");
  EXPECT_EQ(document.text(), kNumbers);
  EXPECT_EQ(document.undo_steps(), 0u);
}

TEST(TakenNames, AreToldWhenANumberIsAdded) {
  Document document{std::string(kNumbers)};
  EXPECT_EQ(message_of([&] { document.add_item("parameters", "m: 7"); }),
            "parameters: there is an 'm' already");
  EXPECT_EQ(document.text(), kNumbers);
  document.add_item("parameters", "drag: 7");
  EXPECT_EQ(message_of([&] { document.add_item("parameters", "drag: 8"); }),
            "parameters: there is a 'drag' already");
}

}  // namespace
}  // namespace sestina::studio
