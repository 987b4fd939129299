// A YAML document as a tree of nodes with their places. Aliases share their anchor's node, merge keys (`<<`)
// are resolved. Syntax, depth and size are checked here, the meaning is not.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sestina/base/error.h"
#include "sestina/base/place.h"

namespace sestina {

struct YamlNode;
using YamlPointer = std::shared_ptr<const YamlNode>;

struct YamlEntry {
  std::string key;
  Mark mark;  // of the key
  YamlPointer value;
};

struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  Mark mark;
  std::string text;                // for a scalar
  bool quoted = false;             // a quoted or block scalar is always text
  std::vector<YamlPointer> items;  // for a list
  std::vector<YamlEntry> entries;  // for a map, in file order

  bool is_null() const { return kind == Kind::kNull; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_map() const { return kind == Kind::kMap; }
  bool is_boolean() const;                            // plain true or false
  const YamlEntry* find(std::string_view key) const;  // null if the map has no such key
};

// Returns the text shortened for a message, with control characters escaped.
std::string printable(std::string_view text);

// Describes a node for messages: "a list", "a map", "nothing", "the boolean 'true'" or "'text'".
std::string describe(const YamlNode& node);

// The keys that lead to a node, chained on the stack: text is made only for a message.
struct NodePath {
  const NodePath* parent = nullptr;
  std::string_view key;  // of a map, or
  int index = -1;        // of a list

  NodePath operator/(std::string_view child) const { return {this, child, -1}; }
  NodePath operator/(int child) const { return {this, {}, child}; }
  std::string text() const;  // `bodies[1].mass`
};

// Limits far above any real document: they bound memory, time and recursion for hostile ones.
inline constexpr int kMaxYamlDepth = 64;
inline constexpr long kMaxYamlNodes = 10'000'000;  // with aliases expanded

// Reads one document. Throws InputError for a syntax error; adds a fault for every duplicate key (the first
// one counts). An empty document is a null node.
YamlPointer parse_yaml(const std::string& text, const std::string& file_name, FaultList& faults);

}  // namespace sestina
