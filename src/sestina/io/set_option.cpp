#include "sestina/io/set_option.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "sestina/base/suggest.h"

namespace sestina {
namespace {

// One step of a path: a key or name, or an index.
struct Step {
  std::string key;
  int index = -1;
};

class SetOption {
 public:
  SetOption(const std::string& option, const std::string& flag)
      : mark_{std::make_shared<const std::string>(flag + ' ' + printable(option)), 0, 0} {
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos || equals == 0) fail("expected PATH=VALUE");
    parse_path(std::string_view(option).substr(0, equals));
    parse_value(option.substr(equals + 1));
  }

  SetOption(const std::string& path, const std::string& flag, std::nullptr_t /*no value*/)
      : mark_{std::make_shared<const std::string>(flag + ' ' + printable(path)), 0, 0} {
    parse_path(path);
  }

  YamlPointer apply(const YamlPointer& root) const { return replaced(*root, 0); }

  std::string canonical_path(const YamlPointer& root) const {
    std::string text;
    const YamlNode* node = root.get();
    for (std::size_t step = 0; step < path_.size(); ++step) {
      if (node != nullptr && node->is_list()) {
        const std::size_t item = find_item(*node, step);
        text += '/' + std::to_string(item);
        node = node->items[item].get();
        continue;
      }
      text += '/' + (path_[step].index >= 0 ? std::to_string(path_[step].index) : path_[step].key);
      const YamlEntry* entry = node != nullptr && node->is_map() ? node->find(path_[step].key) : nullptr;
      node = entry != nullptr ? entry->value.get() : nullptr;
    }
    return text + '/';
  }

 private:
  [[noreturn]] void fail(std::string message) const {
    throw InputError({Fault{{mark_, ""}, std::move(message)}});
  }

  void parse_path(std::string_view path) {
    while (!path.empty()) {
      const std::size_t end = std::min(path.find_first_of(".[", path.front() == '[' ? 1 : 0), path.size());
      if (path.front() == '[') {
        path_.push_back({"", parse_index(path.substr(0, end))});
      } else {
        if (end == 0) fail("the path has an empty key");
        path_.push_back({std::string(path.substr(0, end)), -1});
      }
      path.remove_prefix(end);
      if (!path.empty() && path.front() == '.') {
        path.remove_prefix(1);
        if (path.empty() || path.front() == '[') fail("the path has an empty key");
      }
    }
    if (path_.size() > static_cast<std::size_t>(kMaxYamlDepth)) fail("the path is too long");
  }

  int parse_index(std::string_view text) const {
    int index = -1;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + 1, last, index);
    if (error != std::errc() || index < 0 || end + 1 != last || *end != ']') {
      fail("'" + printable(text) + "' is not an index such as [0]");
    }
    return index;
  }

  void parse_value(const std::string& text) {
    FaultList faults;
    try {
      value_ = parse_yaml(text, "value", faults);
      faults.throw_if_any();
    } catch (const InputError& error) {
      const Fault& fault = error.faults().front();
      fail("the value, column " + std::to_string(fault.place.mark.column) + ": " + fault.message);
    }
    value_ = at_option(*value_);
  }

  // Returns the node with the marks of the option instead of those of its one-line text.
  YamlPointer at_option(const YamlNode& node) const {
    auto copy = std::make_shared<YamlNode>(node);
    copy->mark = mark_;
    for (YamlPointer& item : copy->items) item = at_option(*item);
    for (YamlEntry& entry : copy->entries) {
      entry.mark = mark_;
      entry.value = at_option(*entry.value);
    }
    return copy;
  }

  // Returns the path up to the step, for messages.
  std::string path_text(std::size_t steps) const {
    std::string text;
    for (std::size_t i = 0; i < steps; ++i) {
      if (path_[i].index >= 0) {
        text += '[' + std::to_string(path_[i].index) + ']';
      } else {
        text += (text.empty() ? "" : ".") + path_[i].key;
      }
    }
    return text.empty() ? "the model" : text;
  }

  // Returns a copy of the node in which the rest of the path has the value. Nodes off the path are shared
  // with the original.
  YamlPointer replaced(const YamlNode& node, std::size_t step) const {
    if (step == path_.size()) return value_;
    auto copy = std::make_shared<YamlNode>(node);
    if (node.is_null()) {
      copy->kind = YamlNode::Kind::kMap;
      copy->mark = mark_;
    }
    if (copy->is_list()) {
      YamlPointer& item = copy->items[find_item(node, step)];
      item = replaced(*item, step + 1);
    } else if (copy->is_map() && path_[step].index < 0) {
      replace_entry(*copy, step);
    } else {
      fail(path_text(step) + " is " + (copy->is_map() ? "a map and has no [index]" : "not a list or map"));
    }
    return copy;
  }

  void replace_entry(YamlNode& map, std::size_t step) const {
    const std::string& key = path_[step].key;
    const auto found = std::find_if(map.entries.begin(), map.entries.end(),
                                    [&](const YamlEntry& entry) { return entry.key == key; });
    if (found != map.entries.end()) {
      found->value = replaced(*found->value, step + 1);
      return;
    }
    check_not_a_name(map, step);
    map.entries.push_back({key, mark_, replaced(YamlNode{}, step + 1)});
  }

  // A parameter, variable or point that does not exist is probably misspelled; none is added.
  void check_not_a_name(const YamlNode& map, std::size_t step) const {
    const std::string holder = step == 0 ? "" : path_[step - 1].key;
    const bool holds_names =
        ((holder == "parameters" || holder == "variables") && step == 1) || holder == "points";
    if (!holds_names) return;
    std::vector<std::string> known;
    for (const YamlEntry& entry : map.entries) known.push_back(entry.key);
    fail(path_text(step) + " has no '" + path_[step].key + "'" + suggestion(path_[step].key, known));
  }

  std::size_t find_item(const YamlNode& list, std::size_t step) const {
    const Step& wanted = path_[step];
    if (wanted.index >= 0) {
      const auto index = static_cast<std::size_t>(wanted.index);
      if (index < list.items.size()) return index;
      fail(path_text(step) + " has " + std::to_string(list.items.size()) + " items, counted from [0]");
    }
    std::vector<std::string> known;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const YamlEntry* name = list.items[i]->is_map() ? list.items[i]->find("name") : nullptr;
      if (!name) continue;
      if (name->value->text == wanted.key) return i;
      known.push_back(name->value->text);
    }
    fail(path_text(step) + " has no '" + wanted.key + "'" + suggestion(wanted.key, known));
  }

  Mark mark_;
  std::vector<Step> path_;
  YamlPointer value_;
};

}  // namespace

YamlPointer apply_set_option(const YamlPointer& root, const std::string& option, const std::string& flag) {
  return SetOption(option, flag).apply(root);
}

std::string canonical_set_path(const YamlPointer& root, const std::string& path, const std::string& flag) {
  return SetOption(path, flag, nullptr).canonical_path(root);
}

}  // namespace sestina
