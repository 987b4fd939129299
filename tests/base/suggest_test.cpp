#include "sestina/base/suggest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sestina {
namespace {

const std::vector<std::string> kKeys{"mass", "inertia", "center_of_mass", "points"};

TEST(NearestWord, ForgivesOneLetterTooManyOneTooFewAndOneWrong) {
  EXPECT_EQ(nearest_word("masss", kKeys), "mass");
  EXPECT_EQ(nearest_word("mas", kKeys), "mass");
  EXPECT_EQ(nearest_word("moss", kKeys), "mass");
  EXPECT_EQ(nearest_word("intertia", kKeys), "inertia");
}

TEST(NearestWord, ForgivesTwoLettersSwapped) { EXPECT_EQ(nearest_word("msas", kKeys), "mass"); }

TEST(NearestWord, ForgivesMoreInALongWord) {
  EXPECT_EQ(nearest_word("centre_off_mas", kKeys), "center_of_mass");
}

TEST(NearestWord, IgnoresCase) { EXPECT_EQ(nearest_word("INERTIA", kKeys), "inertia"); }

TEST(NearestWord, TakesTheNearestNotTheFirst) {
  EXPECT_EQ(nearest_word("spring_dampre", std::vector<std::string>{"joint_damper", "spring_damper"}),
            "spring_damper");
}

TEST(NearestWord, IsEmptyWhereNothingIsNear) {
  EXPECT_EQ(nearest_word("velocity", kKeys), "");
  EXPECT_EQ(nearest_word("", kKeys), "");
  EXPECT_EQ(nearest_word("mass", {}), "");
}

// Words of one letter are all within one change of each other: none of them is a misspelling of
// another.
TEST(NearestWord, DoesNotReplaceEveryLetter) {
  EXPECT_EQ(nearest_word("x", std::vector<std::string>{"y", "z"}), "");
}

// The cost grows with the product of the lengths; a word that long is not a misspelled key.
TEST(NearestWord, DoesNotCompareAWholeDocument) { EXPECT_EQ(nearest_word(std::string(100, 'm'), kKeys), ""); }

TEST(Suggestion, NamesTheNearestWord) { EXPECT_EQ(suggestion("masss", kKeys), " (did you mean 'mass'?)"); }

TEST(Suggestion, ListsWhatIsAllowedWhereNothingIsNear) {
  EXPECT_EQ(suggestion("velocity", kKeys), "; allowed: mass, inertia, center_of_mass or points");
}

TEST(Suggestion, IsSilentWhereTheListIsLongOrEmpty) {
  std::vector<std::string> many;
  for (int i = 0; i < 17; ++i) many.push_back("body_number_" + std::to_string(i));
  EXPECT_EQ(suggestion("xyz", many), "");
  EXPECT_EQ(suggestion("xyz", {}), "");
}

TEST(JoinWords, PutsTheLastSeparatorBeforeTheLastWordOnly) {
  EXPECT_EQ(join_words({}), "");
  EXPECT_EQ(join_words(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(join_words(std::vector<std::string>{"a", "b"}), "a and b");
  EXPECT_EQ(join_words(std::vector<std::string>{"a", "b", "c"}, " or "), "a, b or c");
}

}  // namespace
}  // namespace sestina
