#include "sestina/io/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>

#include "sestina/io/text_file.h"
#include "sestina/io/yaml_writer.h"

namespace sestina {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

YamlPointer parse(const std::string& text) {
  FaultList faults;
  YamlPointer root = parse_yaml(text, "test.yaml", faults);
  faults.throw_if_any();
  return root;
}

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

std::string place(const Mark& mark) { return to_string(Place{mark, ""}); }

TEST(Yaml, EveryNodeKnowsItsLineAndColumn) {
  const YamlPointer root = parse("a: 1\nlist:\n  - {x: [2, 'three']}\n  -\n    y: 4\n");
  EXPECT_EQ(place(root->find("a")->value->mark), "test.yaml:1:4");
  EXPECT_EQ(place(root->find("list")->mark), "test.yaml:2:1");
  const YamlNode& list = *root->find("list")->value;
  EXPECT_EQ(place(list.items[0]->mark), "test.yaml:3:5");
  const YamlNode& x = *list.items[0]->find("x")->value;
  EXPECT_EQ(place(x.mark), "test.yaml:3:9");
  EXPECT_EQ(place(x.items[1]->mark), "test.yaml:3:13");
  EXPECT_EQ(place(list.items[1]->find("y")->value->mark), "test.yaml:5:8");
}

TEST(Yaml, TellsQuotedTextFromPlainWords) {
  const YamlPointer root = parse("[true, 'true', null, 'null', ~, \"\"]");
  EXPECT_TRUE(root->items[0]->is_boolean());
  EXPECT_FALSE(root->items[1]->is_boolean());
  EXPECT_TRUE(root->items[2]->is_null());
  EXPECT_TRUE(root->items[3]->is_scalar());
  EXPECT_TRUE(root->items[4]->is_null());
  EXPECT_TRUE(root->items[5]->is_scalar());
}

TEST(Yaml, AliasesShareTheirAnchorsNode) {
  const YamlPointer root = parse("a: &big [1, 2]\nb: *big\n");
  EXPECT_EQ(root->find("a")->value, root->find("b")->value);
}

TEST(Yaml, MergeKeysAddWhatTheMapDoesNotGiveItself) {
  const YamlPointer root = parse("a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc: {<<: [*a, *b], x: 9}\n");
  const YamlNode& c = *root->find("c")->value;
  ASSERT_EQ(c.entries.size(), 3u);
  EXPECT_EQ(c.find("x")->value->text, "9");  // its own key wins
  EXPECT_EQ(c.find("y")->value->text, "2");  // the first map wins
  EXPECT_EQ(c.find("z")->value->text, "4");
  EXPECT_THAT(error_of("a: {<<: 1}"), HasSubstr("1:9: '<<' takes a map or a list of maps"));
  EXPECT_THAT(error_of("a: {<<: [1]}"), HasSubstr("1:10: '<<' takes a map or a list of maps"));
}

TEST(Yaml, EmptyTextsAreANullDocument) {
  for (const char* text : {"", "\n", "# only a comment\n", "---\n", "---\n...\n", "\xEF\xBB\xBF"}) {
    EXPECT_TRUE(parse(text)->is_null()) << text;
  }
}

TEST(Yaml, RefusesAQuoteThatIsNeverClosed) {
  EXPECT_THAT(error_of("a: 1\nb: 'x\nc: 1\n"), HasSubstr("2:4: YAML syntax: the closing quote is missing"));
  EXPECT_THAT(error_of("\xEF\xBB\xBF\xC3\xA9: 'it''s\n"), HasSubstr("the closing quote is missing"));
  EXPECT_THAT(error_of("a: \"x\\\"\nb: 1\n"), HasSubstr("1:4: YAML syntax: the closing quote is missing"));
  EXPECT_EQ(parse("a: \"x\\\\\"\nb: 1\n")->entries.at(0).value->text, "x\\");
  EXPECT_EQ(parse("\xC3\xA9: 'it''s'\n")->entries.at(0).value->text, "it's");
  EXPECT_EQ(parse("'a'")->text, "a");
}

TEST(Yaml, SkipsAByteOrderMark) { EXPECT_EQ(parse("\xEF\xBB\xBFx: 1\n")->entries.at(0).key, "x"); }

TEST(Yaml, RefusesSyntaxErrorsAtTheirPlace) {
  EXPECT_THAT(error_of("a: [1, 2\n"), StartsWith("test.yaml:"));
  EXPECT_THAT(error_of("a: 1\n b: 2\n"), HasSubstr("test.yaml:2:"));
  EXPECT_THAT(error_of("\ta: 1\n- b\n"), StartsWith("test.yaml:"));
  EXPECT_THAT(error_of("a: *nothing\n"), HasSubstr("1:4: YAML syntax"));
  EXPECT_THAT(error_of("a: 1\n---\nb: 2\n"), HasSubstr("2:1: a second document begins here"));
  EXPECT_THAT(error_of("{[1]: 2}"), HasSubstr("a list or map cannot be a key"));
  EXPECT_THAT(error_of("? {a: 1}\n: 2\n"), HasSubstr("1:3: a list or map cannot be a key"));
  EXPECT_THAT(error_of("a: &x [1]\n*x : 2\n"), HasSubstr("a list or map cannot be a key"));
  EXPECT_THAT(error_of("~: 2"), HasSubstr("1:1: a key is empty"));
  EXPECT_THAT(error_of("a: !!float 1"), HasSubstr("1:4: tags are not supported"));
  EXPECT_THAT(error_of("a: !thing {}"), HasSubstr("1:4: tags are not supported"));
}

TEST(Yaml, ReportsEveryDuplicateKeyWithItsPath) {
  FaultList faults;
  const YamlPointer root = parse_yaml("a: 1\nb:\n - {c: 1, c: 2}\na: 3\n", "f", faults);
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(to_string(faults.faults()[0]), "f:3:11: b[0].c: the key is given twice, first in line 3");
  EXPECT_EQ(to_string(faults.faults()[1]), "f:4:1: a: the key is given twice, first in line 1");
  EXPECT_EQ(root->find("a")->value->text, "1");
}

TEST(Yaml, RefusesWhatIsNoText) {
  EXPECT_THAT(error_of(std::string("a: \0b", 5)), HasSubstr("1:4: the control character 0x00"));
  EXPECT_THAT(error_of("a: 1\nb: \x04"), HasSubstr("2:4: the control character 0x04"));
  EXPECT_THAT(error_of("a: \x7F"), HasSubstr("1:4: the control character 0x7f"));
  EXPECT_THAT(error_of("\xFF\xFE"
                       "a"),
              HasSubstr("1:1: the byte 0xff is not UTF-8"));
  // Columns count characters: the two-byte character before the bad one is one.
  EXPECT_THAT(error_of("\xC3\xA9\xE9"), HasSubstr("1:2: the byte 0xe9 is not UTF-8"));
  for (const char* bad :
       {"\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE2\x82", "\x80", "\xF4\x90\x80\x80"}) {
    EXPECT_THAT(error_of(bad), HasSubstr("is not UTF-8")) << testing::PrintToString(bad);
  }
  EXPECT_EQ(parse("a: \xC3\xA9\xF0\x9F\x98\x80")->find("a")->value->text, "\xC3\xA9\xF0\x9F\x98\x80");
}

TEST(Yaml, AnAliasWithinItsOwnAnchorIsRefused) {
  EXPECT_THAT(error_of("a: &a [1, *a]"), HasSubstr("1:11: an alias inside the node to which it refers"));
  EXPECT_THAT(error_of("a: &a {b: {c: *a}}"), HasSubstr("an alias inside the node"));
}

TEST(Yaml, DeepNestingEndsInAnErrorAndNotInAStackOverflow) {
  // yaml-cpp takes a bracket that is never closed for a key.
  const auto refused =
      testing::AnyOf(HasSubstr("nested more than 64 levels deep"), HasSubstr("a list or map cannot be a key"),
                     HasSubstr("a key is empty"));
  for (const char* opening : {"[", "{", "- ", "? ", "[{a: ", "{[", "[\n", "{a: ", ": "}) {
    EXPECT_THAT(error_of(repeated(opening, 200'000)), refused) << opening;
  }
  EXPECT_THAT(error_of(repeated("[", 1'000'000) + repeated("]", 1'000'000)),
              HasSubstr("nested more than 64"));
  EXPECT_THAT(error_of(repeated("{a: ", 1'000'000) + repeated("}", 1'000'000)),
              HasSubstr("nested more than 64"));
  EXPECT_EQ(error_of(repeated("[", 64) + repeated("]", 64)), "no error");
}

TEST(Yaml, AnAliasBombIsRefusedBeforeAnythingWalksThroughIt) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 60; ++i) {
    const std::string name = "a" + std::to_string(i);
    const std::string before = "*a" + std::to_string(i - 1);
    bomb.append(name).append(": &").append(name).append(" [");
    bomb.append(repeated(before + ", ", 9)).append(before).append("]\n");
  }
  EXPECT_THAT(error_of(bomb), HasSubstr("more than 10000000 values"));
  // Merging the same large map again and again.
  std::string merges = "- &m {";
  for (int i = 0; i < 20'000; ++i) merges += "k" + std::to_string(i) + ": 1, ";
  merges += "}\n" + repeated("- {<<: *m}\n", 2000);
  EXPECT_THAT(error_of(merges), HasSubstr("more than 10000000 values"));
}

TEST(Yaml, HostileTextsTakeLinearTime) {
  // Each of these is a quarter of a megabyte that some parser takes quadratic time or deep recursion for. The
  // bound is generous: all of them together take two seconds on a slow machine.
  const auto begin = std::chrono::steady_clock::now();
  for (const char* piece :
       {"&a ",  "*a ", "!",      "'", "\"", "\n",    "#\n",  "a: ",   "[]", "a\n", "- |\n",
        "%a\n", "a,",  "\"a\" ", "]", "\t", "? a\n", "{}: ", "---\n", "\r", "<<: "}) {
    error_of(repeated(piece, 250'000 / static_cast<int>(std::string(piece).size())));
    error_of("[" + repeated(piece, 250'000 / static_cast<int>(std::string(piece).size())));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

// yaml-cpp would keep some 200 bytes for each bracket and comma, 3 GB in all.
TEST(Yaml, BracketsAreRefusedBeforeTheyFillTheMemory) {
  const auto peak_of_memory = [] {  // bytes
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * 1024;
  };
  constexpr int kSize = 16'000'000;
  const std::string texts[] = {repeated("[", kSize), repeated("[{", kSize / 2), repeated("[\n", kSize / 2),
                               repeated("{a: [", kSize / 5)};
  const long before = peak_of_memory();
  for (const std::string& text : texts) {
    EXPECT_THAT(error_of(text), HasSubstr("nested more than 64 levels deep")) << text.substr(0, 10);
  }
  EXPECT_LT(peak_of_memory() - before, 100L << 20);
}

TEST(Yaml, CommentsDoNotHideBrackets) {
  EXPECT_THAT(error_of(repeated("[ # ]\n", 1'500'000)),
              HasSubstr("a list or map in brackets has more than 2000000"));
}

TEST(Yaml, ListsInBracketsMayBeLong) {
  EXPECT_EQ(parse("[" + repeated("{b: 1}, ", 100'000) + "]")->items.size(), 100'000u);
}

TEST(Yaml, MessagesShowNoControlCharactersAndNoEndlessTexts) {
  EXPECT_EQ(printable("a\x1B[31m\nb"), "a\\x1b[31m\\x0ab");
  EXPECT_EQ(printable(std::string(1000, 'x')).size(), 63u);
  const std::string cut = printable(repeated("\xC3\xA9", 31) + repeated("\xE2\x82\xAC", 31));
  EXPECT_NO_THROW(check_utf8_text(cut, "cut"));  // not within a character
}

bool equal(const YamlNode& a, const YamlNode& b) {
  if (a.kind != b.kind || a.text != b.text || a.items.size() != b.items.size() ||
      a.entries.size() != b.entries.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (!equal(*a.items[i], *b.items[i])) return false;
  }
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    if (a.entries[i].key != b.entries[i].key || !equal(*a.entries[i].value, *b.entries[i].value))
      return false;
  }
  return true;
}

TEST(YamlWriter, WhatItWritesParsesToTheSameTree) {
  const std::string long_text(150, 'x');
  const std::string awkward = R"yaml(a:
  - ['null', 'true', '1', '.5', ' x', 'x ', '', '-', '- a', '? a', 'a: b', 'a #b', '#a', '&a', '*a', '!a', '|']
  - ['>', '%a', '@a', '`a', '---', '...', '[', '{a', ',', "\"\\", "a\nb\tc\x01\x7f", "é"]
)yaml";
  const std::vector<std::string> texts{
      awkward,
      "a: 1\nb: {c: [1, 2, [3, {d: e}]], f: []}\ng: {}\n",
      "'a: b': 1\n'- x': 2\n'null': 4\n",
      "a: [-l1/2, 0.1*sin(3*t), m1*l1^2/12, \"atan2(y, x)\", +1, (a+b)*c, 1e-10]\n",
      "bodies: [{name: a, list: [{x: 1}, {y: [1, 2]}]}, {name: b}]\n",
      "a: null\nb: [null, ~]\n",
  };
  for (const std::string& text : texts) {
    const YamlPointer tree = parse(text);
    const std::string written = write_yaml(*tree);
    EXPECT_TRUE(equal(*tree, *parse(written))) << text << "\n->\n" << written;
  }
  // Long lists and maps take a line for each item, at every depth.
  const YamlPointer tree =
      parse("a: {b: [" + repeated("{c: [" + long_text + ", 2], d: {e: " + long_text + "}}, ", 3) + "], f: [" +
            long_text + ", " + long_text + "]}");
  const std::string written = write_yaml(*tree);
  EXPECT_TRUE(equal(*tree, *parse(written))) << written;
  EXPECT_GT(std::count(written.begin(), written.end(), '\n'), 10);
}

}  // namespace
}  // namespace sestina
