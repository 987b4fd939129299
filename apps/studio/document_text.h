// Places in the text of a YAML document, so that a value can be changed where it stands.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sestina/io/yaml.h"

namespace sestina::studio {

std::vector<std::string> lines_of(const std::string& text);
std::string join(const std::vector<std::string>& lines);
// The text with its lines ended by CR LF, if the first line of `model` is.
std::string with_line_ends_of(const std::string& model, std::string text);
bool is_blank(const std::string& text);
bool is_blank_or_comment(const std::string& line);
std::size_t indent_of(const std::string& line);

// The entry of a map; null if there is none, or if the node is no map.
const YamlEntry* entry_of(const YamlNode& map, const std::string& key);

// The place in the text just after a value that begins at a mark: of a scalar in its line, or of a list or
// map in brackets.
std::optional<std::size_t> end_of_value(const std::string& text, std::size_t start);

// The position of a mark in the text.
std::size_t offset_of(const std::string& text, const Mark& mark);

// A value on one line; inside of brackets, text with characters that end it there is quoted.
std::string flow_text(const YamlNode& node, bool is_inside = false);

// The node of a list such as `bodies` or `ground.shapes`; null if there is none.
const YamlEntry* list_of(const YamlNode& root, const std::string& list);

// The item of a list with this name; null if there is none.
const YamlNode* item_of(const YamlNode& list, const std::string& name);

// Where a path leads to: the nodes from the root on, the entry of a map that leads to each (null for the root
// and for items of lists), and the keys that are missing.
struct Place {
  std::vector<const YamlNode*> nodes;
  std::vector<const YamlEntry*> entries;
  std::vector<std::string> missing;
};

Place find_place(const YamlPointer& root, const std::string& path);

// Returns the comma that a new last element needs in brackets that end at `end`; empty where none is missing.
std::string separator_before(const std::string& text, std::size_t end, bool is_empty);

// The line after the last of a block that begins at `line` with the given indent.
std::size_t end_of_block(const std::vector<std::string>& lines, std::size_t line, std::size_t indent);

// The tree with another name of the key at a path, which exists.
YamlPointer with_key(const YamlNode& node, std::span<const std::string> keys, const std::string& name);

// The keys of a path, as find_place() follows them; of a list the indices of its items.
std::vector<std::string> keys_of(const YamlPointer& root, const std::string& path);

// The data in which the keys lead to the value; nullptr removes it, and maps that would be empty without it.
YamlPointer with_value(const YamlPointer& root, const std::vector<std::string>& keys,
                       const YamlPointer& value);

// The data of a value, or of an item, in one line. Throws InputError.
YamlPointer data_of(const std::string& value, const std::string& path);

// The text of a refusal: "parameters: there is an 'm' already".
std::string text_of_taken_name(const std::string& list, const std::string& name);

// Whether two texts mean the same; the order of keys counts for nothing.
bool is_same_data(const YamlNode& a, const YamlNode& b);

}  // namespace sestina::studio
