#include "studio/document_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "sestina/base/error.h"
#include "sestina/io/set_option.h"
#include "sestina/scene/json_writer.h"

namespace sestina::studio {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) text += (i > 0 ? "\n" : "") + lines[i];
  return text;
}

std::string with_line_ends_of(const std::string& model, std::string text) {
  const auto ends_alone = [](const std::string& in, std::size_t at) { return at == 0 || in[at - 1] != '\r'; };
  const std::size_t first = model.find('\n');
  if (first == std::string::npos || ends_alone(model, first)) return text;
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    if (ends_alone(text, at)) text.insert(at++, "\r");
  }
  return text;
}

std::string text_of_taken_name(const std::string& list, const std::string& name) {
  // Letters alone are read by their names: an m.
  const std::string_view vowels = name.size() == 1 ? "aefhilmnorsx" : "aeio";
  const bool begins_with_vowel = !name.empty() && vowels.find(name.front()) != std::string_view::npos;
  return fmt::format("{}: there is {} '{}' already", list, begins_with_vowel ? "an" : "a", printable(name));
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

bool is_blank_or_comment(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  return first == std::string::npos || line[first] == '#';
}

std::size_t indent_of(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

const YamlEntry* entry_of(const YamlNode& map, const std::string& key) {
  return map.is_map() ? map.find(key) : nullptr;
}

std::optional<std::size_t> end_of_value(const std::string& text, std::size_t start) {
  if (start >= text.size()) return std::nullopt;
  const char first = text[start];
  if (first == '"' || first == '\'') {
    for (std::size_t i = start + 1; i < text.size(); ++i) {
      // Two quotes within single ones stand for one.
      const bool is_escape = first == '"' ? text[i] == '\\' : text.compare(i, 2, "''") == 0;
      if (is_escape) {
        ++i;
      } else if (text[i] == first) {
        return i + 1;
      }
    }
    return std::nullopt;
  }
  if (first == '[' || first == '{') {
    int depth = 0;
    for (std::size_t i = start; i < text.size(); ++i) {
      if (text[i] == '[' || text[i] == '{') ++depth;
      if ((text[i] == ']' || text[i] == '}') && --depth == 0) return i + 1;
      if (text[i] == '#') return std::nullopt;  // left to the user
      // An apostrophe within a word begins no text.
      const std::size_t last = text.find_last_not_of(" \t\r\n", i - 1);
      const bool is_start = std::string_view("[{,:").find(text[last]) != std::string_view::npos;
      if (is_start && (text[i] == '"' || text[i] == '\'')) {
        const std::optional<std::size_t> end = end_of_value(text, i);
        if (!end) return std::nullopt;
        i = *end - 1;
      }
    }
    return std::nullopt;
  }
  if (first == '|' || first == '>' || first == '&' || first == '*' || first == '!') return std::nullopt;
  return start;
}

std::size_t offset_of(const std::string& text, const Mark& mark) {
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // the mark of UTF-8 counts in no column
  for (int line = 1; line < mark.line; ++line) at = text.find('\n', at) + 1;
  return at + static_cast<std::size_t>(mark.column - 1);
}

std::string flow_text(const YamlNode& node, bool is_inside) {
  std::string text;
  const auto separate = [&] { text += text.empty() ? "" : ", "; };
  for (const YamlPointer& item : node.items) separate(), text += flow_text(*item, true);
  for (const YamlEntry& entry : node.entries) {
    const bool is_plain = entry.key.find_first_of("[]{},:#\"'") == std::string::npos;
    separate(), text += (is_plain ? entry.key : fmt::format("\"{}\"", entry.key)) + ": " +
                        flow_text(*entry.value, true);
  }
  if (node.is_list()) return "[" + text + "]";
  if (node.is_map()) return "{" + text + "}";
  if (!node.quoted && (!is_inside || node.text.find_first_of("[]{},") == std::string::npos)) return node.text;
  JsonWriter json;
  return json.value(node.text).take();
}

const YamlEntry* list_of(const YamlNode& root, const std::string& list) {
  const std::size_t dot = list.find('.');
  const YamlEntry* entry = entry_of(root, list.substr(0, dot));
  if (entry == nullptr || dot == std::string::npos) return entry;
  return entry_of(*entry->value, list.substr(dot + 1));
}

const YamlNode* item_of(const YamlNode& list, const std::string& name) {
  for (const YamlPointer& item : list.items) {
    const YamlEntry* own = entry_of(*item, "name");
    if (own != nullptr && own->value->text == name) return item.get();
  }
  return nullptr;
}

Place find_place(const YamlPointer& root, const std::string& path) {
  Place place{{root.get()}, {nullptr}, {}};
  for (const std::string& key : keys_of(root, path)) {
    const YamlNode& node = *place.nodes.back();
    if (place.missing.empty() && node.is_list()) {
      place.nodes.push_back(node.items[static_cast<std::size_t>(std::stoul(key))].get());
      place.entries.push_back(nullptr);
    } else if (const YamlEntry* entry = place.missing.empty() ? entry_of(node, key) : nullptr) {
      place.nodes.push_back(entry->value.get());
      place.entries.push_back(entry);
    } else {
      place.missing.push_back(key);
    }
  }
  return place;
}

std::string separator_before(const std::string& text, std::size_t end, bool is_empty) {
  const std::size_t last = text.find_last_not_of(" \t\r\n", end - 2);
  return is_empty || (last != std::string::npos && text[last] == ',') ? "" : ", ";
}

std::size_t end_of_block(const std::vector<std::string>& lines, std::size_t line, std::size_t indent) {
  std::size_t end = line + 1;
  for (std::size_t i = line + 1; i < lines.size(); ++i) {
    const std::size_t own = indent_of(lines[i]);
    if (is_blank_or_comment(lines[i])) {
      if (own > indent && own < lines[i].size()) end = i + 1;
      continue;
    }
    const bool is_item = own == indent && lines[i].compare(own, 2, "- ") == 0;
    if (own < indent || (own == indent && !is_item)) break;
    end = i + 1;
  }
  return end;
}

std::vector<std::string> keys_of(const YamlPointer& root, const std::string& path) {
  std::vector<std::string> keys;
  const std::string canonical = canonical_set_path(root, path, "the path");  // "/bodies/1/mass/"
  for (std::size_t at = 1, end = 0; at < canonical.size(); at = end + 1) {
    end = canonical.find('/', at);
    keys.push_back(canonical.substr(at, end - at));
  }
  return keys;
}

namespace {

// `is_entry`: of a map, so that it may be removed.
YamlPointer with_value(const YamlNode& node, std::span<const std::string> keys, const YamlPointer& value,
                       bool is_entry) {
  if (keys.empty()) return value;
  auto copy = std::make_shared<YamlNode>(node);
  if (copy->is_null()) copy->kind = YamlNode::Kind::kMap;
  if (copy->is_list()) {
    YamlPointer& item = copy->items.at(static_cast<std::size_t>(std::stoul(keys[0])));
    item = with_value(*item, keys.subspan(1), value, false);
    return copy;
  }
  auto found = std::ranges::find(copy->entries, keys[0], &YamlEntry::key);
  if (found == copy->entries.end()) {
    if (value == nullptr) return copy;
    found = copy->entries.insert(found, {keys[0], {}, std::make_shared<YamlNode>()});
  }
  found->value = with_value(*found->value, keys.subspan(1), value, true);
  if (found->value == nullptr) copy->entries.erase(found);
  return copy->entries.empty() && is_entry ? nullptr : copy;
}

}  // namespace

YamlPointer with_value(const YamlPointer& root, const std::vector<std::string>& keys,
                       const YamlPointer& value) {
  return with_value(*root, keys, value, false);
}

YamlPointer with_key(const YamlNode& node, std::span<const std::string> keys, const std::string& name) {
  auto copy = std::make_shared<YamlNode>(node);
  if (copy->is_list()) {
    YamlPointer& item = copy->items.at(static_cast<std::size_t>(std::stoul(keys[0])));
    item = with_key(*item, keys.subspan(1), name);
    return copy;
  }
  const auto found = std::ranges::find(copy->entries, keys[0], &YamlEntry::key);
  if (keys.size() > 1) {
    found->value = with_key(*found->value, keys.subspan(1), name);
  } else {
    found->key = name;
  }
  return copy;
}

YamlPointer data_of(const std::string& value, const std::string& path) {
  FaultList faults;
  YamlPointer data;
  try {
    data = parse_yaml(value, path, faults);
    faults.throw_if_any();
  } catch (const InputError&) {
    throw InputError(fmt::format("{}: '{}' is no value", path, printable(value)));
  }
  if (data->is_null()) throw InputError(fmt::format("{}: a value is missing", path));
  return data;
}

bool is_same_data(const YamlNode& a, const YamlNode& b) {
  if (a.kind != b.kind || a.text != b.text || a.quoted != b.quoted) return false;
  if (a.items.size() != b.items.size() || a.entries.size() != b.entries.size()) return false;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (!is_same_data(*a.items[i], *b.items[i])) return false;
  }
  return std::ranges::all_of(a.entries, [&](const YamlEntry& entry) {
    const YamlEntry* other = b.find(entry.key);
    return other != nullptr && is_same_data(*entry.value, *other->value);
  });
}

}  // namespace sestina::studio
