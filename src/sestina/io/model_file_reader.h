// Reads the values of a model file in the kind that each key requires, and adds a fault for a value of
// another kind. A value that cannot be read leaves the target unchanged.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sestina/base/error.h"
#include "sestina/io/model_file_keys.h"
#include "sestina/io/yaml.h"
#include "sestina/model/system.h"

namespace sestina {

// Context of the reading functions: the list of faults, and the folder of files that the model names.
class ReadContext {
 public:
  ReadContext(FaultList& fault_list, std::filesystem::path folder)
      : directory(std::move(folder)), faults_(fault_list) {}

  const std::filesystem::path directory;
  void fault(const Mark& mark, const NodePath& path, std::string message);
  void fault(const YamlNode& node, const NodePath& path, std::string message) {
    fault(node.mark, path, std::move(message));
  }
  // Adds the faults of another file.
  void add(const std::vector<Fault>& faults) { faults_.add(faults); }

  // A part that could not be read may have contained a body, joint, point or parameter: references to unknown
  // names are then no faults.
  void lose_names() { has_lost_names_ = true; }
  bool has_lost_names() const { return has_lost_names_; }

 private:
  FaultList& faults_;
  bool has_lost_names_ = false;
};

// Returns the value of a plain decimal number such as `1`, `-.5` or `1.5e-3`, and of `.inf` and `.nan`.
std::optional<double> parse_plain_number(std::string_view text);

// Returns false and adds a fault if the node is not a number or expression.
bool read_number(ReadContext& context, const YamlNode& node, const NodePath& path, Number& out);
inline void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, Number& out) {
  read_number(context, node, path, out);
}
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, Name& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, bool& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, std::string& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, Triple& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, std::vector<Number>& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, RotationSpec& out);
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path,
                std::vector<PointSpec>& out);

// Reads exactly `count` numbers; returns false and adds a fault for anything else.
bool read_numbers(ReadContext& context, const YamlNode& node, const NodePath& path, std::size_t count,
                  std::vector<Number>& out);

template <class T>
void read_value(ReadContext& context, const YamlNode& node, const NodePath& path, std::optional<T>& out) {
  T value{};
  read_value(context, node, path, value);
  out = std::move(value);
}

// A map with known keys: the constructor adds faults for unknown and missing keys.
class MapReader {
 public:
  MapReader(ReadContext& context, const YamlNode& node, const NodePath& path, const KeyTable& keys);

  bool is_map() const { return node_.is_map(); }
  const YamlNode* find(std::string_view key) const;  // null if absent
  Mark mark_of(std::string_view key) const;          // of the value; of the map if absent
  NodePath path_of(std::string_view key) const { return path_ / key; }

  template <class T>
  void read(std::string_view key, T& out) const {
    if (const YamlNode* value = find(key)) read_value(context_, *value, path_of(key), out);
  }

 private:
  void check_keys(const KeyTable& keys) const;

  ReadContext& context_;
  const YamlNode& node_;
  const NodePath& path_;
};

// Calls read_item(node, path) for each item of a list; adds a fault if the node is not a list.
template <class F>
void for_each_item(ReadContext& context, const YamlNode& node, const NodePath& path, F&& read_item) {
  if (!node.is_list()) {
    context.fault(node, path, "expected a list, found " + describe(node));
    context.lose_names();
    return;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) read_item(*node.items[i], path / static_cast<int>(i));
}

// Returns the `type` of a map whose keys depend on it, before its keys are checked; empty if it has none.
std::string type_of(const YamlNode& node);

// Adds a fault with the nearest word if `name` is not one of `allowed`.
void check_word(ReadContext& context, const Name& name, const NodePath& path, std::string_view what,
                const std::vector<std::string>& allowed);

}  // namespace sestina
