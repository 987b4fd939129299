// The schema that editors use and the tables that the reader uses say the same.
#include "sestina/io/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "repository.h"
#include "sestina/io/model_file_keys.h"
#include "sestina/io/text_file.h"
#include "sestina/io/yaml.h"
#include "sestina/model/analysis.h"

namespace sestina {
namespace {

using Words = std::vector<std::string>;

// JSON is YAML.
const YamlNode& schema() {
  static const YamlPointer root = [] {
    FaultList faults;
    YamlPointer tree = parse_yaml(std::string(model_schema()), "schema", faults);
    faults.throw_if_any();
    return tree;
  }();
  return *root;
}

const YamlNode& child(const YamlNode& node, std::string_view key) {
  const YamlEntry* entry = node.find(key);
  static const YamlNode nothing;
  EXPECT_NE(entry, nullptr) << "the schema has no '" << key << "' where one is expected";
  return entry ? *entry->value : nothing;
}

const YamlNode& definition(const std::string& name) {
  return name == "model" ? schema() : child(child(schema(), "$defs"), name);
}

std::set<std::string> keys_in(const YamlNode& map) {
  std::set<std::string> keys;
  for (const YamlEntry& entry : map.entries) keys.insert(entry.key);
  return keys;
}

std::set<std::string> words_in(const YamlNode& list) {
  std::set<std::string> words;
  for (const YamlPointer& item : list.items) words.insert(item->text);
  return words;
}

std::set<std::string> set_of(const Words& words) { return {words.begin(), words.end()}; }

// The words that a part of the schema lists for a key.
std::set<std::string> enumeration(const std::string& part, const char* key) {
  return words_in(child(child(child(definition(part), "properties"), key), "enum"));
}

TEST(Schema, IsThePublishedFile) {
  EXPECT_EQ(model_schema(), read_text_file(repository() + "/share/model.schema.json", 1 << 20));
}

TEST(Schema, NamesTheKeysOfTheReaderAndNoOthers) {
  for (const KeyTable& table : key_tables()) {
    SCOPED_TRACE(table.part);
    const YamlNode& part = definition(table.part);
    EXPECT_EQ(child(part, "additionalProperties").text, "false");
    // A part without types has one table, otherwise all its types together.
    const KeyTable& all = table.type.empty() ? table : keys_of(table.part, "no such type");
    EXPECT_EQ(keys_in(child(part, "properties")), set_of(all.allowed));
    const YamlEntry* required = part.find("required");
    if (table.type.empty()) {
      EXPECT_EQ(required ? words_in(*required->value) : std::set<std::string>(), set_of(table.required));
    }
  }
  // And the schema has no part that the reader does not support.
  std::set<std::string> parts{"number",          "numbers", "vector",         "name",
                              "point_reference", "points",  "integrator_name"};
  for (const KeyTable& table : key_tables()) parts.insert(table.part);
  parts.erase("model");
  EXPECT_EQ(keys_in(child(schema(), "$defs")), parts);
}

TEST(Schema, GivesEachTypeTheKeysThatTheReaderGivesIt) {
  for (const char* part : {"body", "shape", "joint", "force"}) {
    SCOPED_TRACE(part);
    std::set<std::string> seen;
    for (const YamlPointer& rule : child(definition(part), "allOf").items) {
      const std::string type = child(child(child(child(*rule, "if"), "properties"), "type"), "const").text;
      SCOPED_TRACE(type);
      seen.insert(type);
      const KeyTable& table = keys_of(part, type);
      ASSERT_EQ(table.type, type);
      EXPECT_EQ(words_in(child(child(child(*rule, "then"), "propertyNames"), "enum")), set_of(table.allowed));
      EXPECT_EQ(words_in(child(child(*rule, "then"), "required")), set_of(table.required));
    }
    EXPECT_EQ(seen, set_of(types_of(part)));
    EXPECT_EQ(enumeration(part, "type"), seen);
  }
}

TEST(Schema, NamesTheWordsThatFreezingAccepts) {
  EXPECT_EQ(enumeration("analysis", "coordinates"), set_of(coordinates_names()));
  EXPECT_EQ(enumeration("analysis", "solver"), set_of(solver_names()));
  EXPECT_EQ(enumeration("step", "driver"), set_of(driver_names()));
  EXPECT_EQ(words_in(child(definition("integrator_name"), "enum")), set_of(integrator_names()));
}

TEST(ModelFileReference, NamesEveryKeyAndWord) {
  const std::string page = read_text_file(repository() + "/docs/model_file.md", 1 << 20);
  const auto expect_named = [&](const std::string& word) {
    // Within backticks, perhaps among others: `{rpy: [r, p, y]}`, `xx yy zz`, `analysis.solver`.
    const std::regex pattern("`[^`\n]*\\b" + word + "\\b[^`\n]*`");
    EXPECT_TRUE(std::regex_search(page, pattern)) << word;
  };
  for (const KeyTable& table : key_tables()) {
    if (!table.type.empty()) expect_named(table.type);
    for (const std::string& key : table.allowed) expect_named(key);
  }
  for (const auto* words : {&coordinates_names(), &solver_names(), &integrator_names(), &driver_names()}) {
    for (const std::string& word : *words) expect_named(word);
  }
}

TEST(Schema, DescribesEveryKey) {
  for (const KeyTable& table : key_tables()) {
    for (const YamlEntry& property : child(definition(table.part), "properties").entries) {
      const bool is_described = property.value->find("description") || property.value->find("$ref");
      EXPECT_TRUE(is_described) << table.part << '.' << property.key;
    }
  }
}

}  // namespace
}  // namespace sestina
