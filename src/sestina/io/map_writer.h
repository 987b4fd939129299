// Builds the nodes of a model file from numbers, names and parts of a description.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sestina/io/yaml_writer.h"
#include "sestina/model/system.h"

namespace sestina {

using Node = std::shared_ptr<YamlNode>;

inline Node make_node(YamlNode::Kind kind) {
  auto node = std::make_shared<YamlNode>();
  node->kind = kind;
  return node;
}

inline Node to_node(const std::string& text) {
  Node node = make_node(YamlNode::Kind::kScalar);
  node->text = text;
  node->quoted = true;
  return node;
}
inline Node to_node(const Name& name) { return to_node(name.text); }
inline Node to_node(const Number& number) {
  if (number.is_expression()) return to_node(number.expression());
  Node node = to_node(fmt::format("{}", number.value()));
  node->quoted = false;
  return node;
}
template <class Items>
Node to_list(const Items& items) {
  Node node = make_node(YamlNode::Kind::kList);
  for (const auto& item : items) node->items.push_back(to_node(item));
  return node;
}
inline Node to_node(const Triple& numbers) { return to_list(numbers); }
// A single number, for a joint with one coordinate, is more readable without brackets.
inline Node to_node(const std::vector<Number>& numbers) {
  return numbers.size() == 1 ? to_node(numbers.front()) : to_list(numbers);
}

inline Node to_node(const RotationSpec& rotation) {
  const std::vector<Number>& x = rotation.numbers;
  const auto part = [&](std::size_t begin, std::size_t end) {
    Node list = make_node(YamlNode::Kind::kList);
    for (std::size_t i = begin; i < end && i < x.size(); ++i) list->items.push_back(to_node(x[i]));
    return list;
  };
  Node map = make_node(YamlNode::Kind::kMap);
  switch (rotation.kind) {
    case RotationSpec::Kind::kEulerParameters:
      map->entries.push_back({"euler_parameters", {}, part(0, 4)});
      break;
    case RotationSpec::Kind::kRpy:
      map->entries.push_back({"rpy", {}, part(0, 3)});
      break;
    case RotationSpec::Kind::kAxisAngle:
      map->entries.push_back({"axis", {}, part(0, 3)});
      if (x.size() > 3) map->entries.push_back({"angle", {}, to_node(x[3])});
      break;
    case RotationSpec::Kind::kMatrix: {
      Node rows = make_node(YamlNode::Kind::kList);
      rows->items = {part(0, 3), part(3, 6), part(6, 9)};
      map->entries.push_back({"matrix", {}, rows});
      break;
    }
  }
  return map;
}

inline bool is(const Number& number, double value) {
  return !number.is_expression() && number.value() == value;
}
inline bool is(const Triple& numbers, double value) {
  return is(numbers[0], value) && is(numbers[1], value) && is(numbers[2], value);
}

class MapWriter {
 public:
  void add(std::string_view key, YamlPointer value) {
    node_->entries.push_back({std::string(key), {}, std::move(value)});
  }
  template <class T>
  void write(std::string_view key, const T& value) {
    add(key, to_node(value));
  }
  template <class T>
  void write(std::string_view key, const std::optional<T>& value) {
    if (value) write(key, *value);
  }
  template <class T>
  void write_unless(double standard, const char* key, const T& value) {
    if (!is(value, standard)) write(key, value);
  }
  void write_unless(std::string_view standard, const char* key, const Name& value) {
    if (!(value == standard)) write(key, value);
  }
  void write_unless_empty(const char* key, const std::vector<Number>& value) {
    if (!value.empty()) write(key, value);
  }
  void add_unless_empty(const char* key, const MapWriter& map) {
    if (!map.node_->entries.empty()) add(key, map.node());
  }
  YamlPointer node() const { return node_; }

 private:
  Node node_ = make_node(YamlNode::Kind::kMap);
};

inline YamlPointer yes_node() {
  Node yes = to_node(std::string("true"));
  yes->quoted = false;
  return yes;
}

// Writes the keys of a beam, without its name and points.
void write_beam(const BeamSpec& beam, MapWriter& map);

}  // namespace sestina
