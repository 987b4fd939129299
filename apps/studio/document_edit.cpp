// Edits of the text of a model in place, so that its comments and the order of its keys stay.
#include <fmt/format.h>

#include <algorithm>

#include "studio/document.h"
#include "studio/document_text.h"

namespace sestina::studio {
namespace {

// The path of a map, and the key in it.
std::pair<std::string, std::string> split_path(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return {"", path};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

// Maps whose keys are names that the user gives, not keys of a model.
bool has_names(const std::string& map) {
  const std::string last = split_path(map).second;
  return map == "parameters" || map == "variables" || last == "points" || last == "set" ||
         last == "columns" || last == "coefficients";
}

bool is_block(const std::string& text, const YamlNode& node) {
  if (node.is_scalar()) return false;
  const char first = text[offset_of(text, node.mark)];
  return first != '[' && first != '{';
}

// Comments at the edge belong to what follows them; indented ones to the section before.
bool is_comment_at_edge(const std::string& line) { return line.starts_with('#'); }

}  // namespace

// Just after the node's text. Throws InputError for a node that is not written on the spot: block style,
// aliases, comments in brackets.
std::size_t Document::end_of_node(const YamlNode& node, const std::string& path) const {
  const std::size_t start = offset_of(text_, node.mark);
  std::optional<std::size_t> end = end_of_value(text_, start);
  if (end == start) end = start + node.text.size();
  const bool is_in_brackets = text_[start] == '[' || text_[start] == '{';
  const bool is_as_read =
      end && (node.is_scalar() ? node.quoted || text_.compare(start, node.text.size(), node.text) == 0
                               : is_in_brackets);
  if (!is_as_read) throw InputError(fmt::format("{}: is written so that only the text can be edited", path));
  return *end;
}

// The text without the lines of a key in block style, and their comments; or with `replacement` in their
// place. Throws InputError where comments would be replaced.
std::string Document::without_block(const YamlEntry& entry, const std::string& replacement,
                                    const std::string& path) const {
  std::vector<std::string> lines = lines_of(text_);
  const auto first = static_cast<std::size_t>(entry.mark.line - 1);
  const auto indent = static_cast<std::size_t>(entry.mark.column - 1);
  const std::size_t end = end_of_block(lines, first, indent);
  bool is_plain = indent_of(lines[first]) == indent;
  if (!replacement.empty()) {
    for (std::size_t i = first; i < end; ++i) is_plain &= lines[i].find('#') == std::string::npos;
  }
  if (!is_plain) throw InputError(fmt::format("{}: is written so that only the text can be edited", path));
  const auto at = lines.begin() + static_cast<std::ptrdiff_t>(first);
  lines.erase(at, lines.begin() + static_cast<std::ptrdiff_t>(end));
  if (!replacement.empty()) lines.insert(at, std::string(indent, ' ') + entry.key + ": " + replacement);
  return join(lines);
}

void Document::write_without(const std::string& path, std::string_view kind) {
  const YamlPointer root = tree();
  Place place = find_place(root, path);
  if (!place.missing.empty()) return;
  // A map does not remain empty.
  while (place.nodes.size() > 2 && place.nodes[place.nodes.size() - 2]->entries.size() == 1 &&
         place.entries[place.entries.size() - 2] != nullptr) {
    place.nodes.pop_back(), place.entries.pop_back();
  }
  const YamlEntry* entry = place.entries.back();
  if (entry == nullptr) throw InputError(fmt::format("{}: is no key of a map", path));
  const YamlNode& map = *place.nodes[place.nodes.size() - 2];
  if (text_[offset_of(text_, map.mark)] != '{') return push(without_block(*entry, "", path), kind);
  const auto own = std::ranges::find_if(map.entries, [&](const YamlEntry& one) { return &one == entry; });
  const YamlNode* previous = own == map.entries.begin() ? nullptr : std::prev(own)->value.get();
  const std::size_t start = offset_of(text_, entry->mark), end = end_of_node(*entry->value, path);
  push(without_element({start, end, previous, entry == &map.entries.back()}, path), kind);
}

// The text without an element in brackets and without its comma. A comment behind it goes with it where no
// other element is on its line.
std::string Document::without_element(const Element& element, const std::string& path) const {
  const auto skip_blanks = [&](std::size_t at) {
    return std::min(text_.find_first_not_of(" \t", at), text_.size());
  };
  const std::size_t start = element.start;
  const std::size_t begin_of_line = text_.rfind('\n', start) + 1;
  const bool begins_line = skip_blanks(begin_of_line) == start;
  std::size_t next = skip_blanks(element.end);
  const bool has_comma = next < text_.size() && text_[next] == ',';
  if (has_comma) next = skip_blanks(next + 1);
  const std::size_t end_of_line = std::min(text_.find_first_of("\r\n", next), text_.size());
  const bool ends_line = next == end_of_line || text_[next] == '#';
  std::string text = text_;
  if (begins_line && ends_line) {
    const std::size_t after = std::min(text_.find('\n', next), text_.size() - 1) + 1;
    text.erase(begin_of_line, after - begin_of_line);
    if (element.is_last && !has_comma && element.previous != nullptr)
      text.erase(comma_after(*element.previous, path), 1);
  } else if (element.previous == nullptr || (begins_line && has_comma)) {
    text.erase(start, (ends_line ? end_of_line : next) - start);
  } else {
    const std::size_t comma = comma_after(*element.previous, path);
    if (text_.find_first_not_of(" \t\r\n", comma + 1) != start)
      throw InputError(fmt::format("{}: is written so that only the text can be edited", path));
    text.erase(comma, element.end - comma);
  }
  return text;
}

// The comma behind an element in brackets. Throws InputError where a comment is before it.
std::size_t Document::comma_after(const YamlNode& node, const std::string& path) const {
  const std::size_t comma = text_.find_first_not_of(" \t\r\n", end_of_node(node, path));
  if (comma >= text_.size() || text_[comma] != ',')
    throw InputError(fmt::format("{}: is written so that only the text can be edited", path));
  return comma;
}

void Document::write_value(const std::string& path, const std::string& value, std::string_view kind) {
  const YamlPointer root = tree();
  const Place place = find_place(root, path);
  const YamlNode* node = place.nodes.back();
  if (place.missing.empty()) {
    if (place.nodes.size() == 1) throw InputError(fmt::format("{}: leads to the whole model", path));
    const YamlEntry* entry = place.entries.back();
    const std::size_t start = node->is_null() ? 0 : offset_of(text_, node->mark);
    const bool is_block = !node->is_scalar() && text_[start] != '[' && text_[start] != '{';
    if (entry != nullptr && is_block) return push(without_block(*entry, value, path), kind);
    return push(text_.substr(0, start) + value + text_.substr(end_of_node(*node, path)), kind);
  }
  // Missing keys are written in braces: `analysis: {solver: kane}`.
  std::string inserted;
  for (const std::string& key : place.missing) inserted += (inserted.empty() ? "" : "{") + key + ": ";
  inserted += value + std::string(place.missing.size() - 1, '}');
  insert_entry(*node, place.nodes.size() == 1, inserted, path, kind);
}

// Inserts `key: value` into a map.
void Document::insert_entry(const YamlNode& map, bool is_root, const std::string& inserted,
                            const std::string& path, std::string_view kind) {
  const YamlNode* parent = &map;
  if (!parent->is_map() || parent->entries.empty()) {
    throw InputError(fmt::format("{}: there is nothing that it could be a part of", path));
  }
  const YamlEntry& first = parent->entries.front();
  const std::size_t open = offset_of(text_, parent->mark);
  const bool is_in_braces = open < text_.size() && text_[open] == '{';
  if (is_in_braces) {
    const std::size_t end = end_of_value(text_, open).value_or(0);
    if (end == 0) throw InputError(fmt::format("{}: is written so that only the text can be edited", path));
    return push(
        text_.substr(0, end - 1) + separator_before(text_, end, false) + inserted + text_.substr(end - 1),
        kind);
  }
  std::vector<std::string> lines = lines_of(text_);
  if (is_root && (inserted.starts_with("analysis:") || inserted.starts_with("output:"))) {  // at the end
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
    return push(join(lines) + "\n" + inserted + "\n", kind);
  }
  // After the first key's block.
  const std::size_t indent = static_cast<std::size_t>(first.mark.column - 1);
  const auto line = static_cast<std::size_t>(first.mark.line - 1);
  std::size_t after = end_of_block(lines, line, indent);
  if (!first.value->is_null()) {
    const std::size_t start = offset_of(text_, first.value->mark);
    const auto end = static_cast<std::ptrdiff_t>(end_of_value(text_, start).value_or(start));
    after =
        std::max(after, static_cast<std::size_t>(std::count(text_.begin(), text_.begin() + end, '\n')) + 1);
  }
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(after), std::string(indent, ' ') + inserted);
  push(join(lines), kind);
}

void Document::write_item(const std::string& list, const std::string& item) {
  const bool is_map = list == "parameters" || list == "variables";
  const YamlPointer root = tree();
  const YamlEntry* entry = list_of(*root, list);
  if (entry == nullptr && list.find('.') != std::string::npos) return write_value(list, "[" + item + "]", {});
  std::vector<std::string> lines = lines_of(text_);
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (entry == nullptr && text_[offset_of(text_, root->mark)] == '{') {  // JSON
    return write_value(list, (is_map ? "{" : "[") + item + (is_map ? "}" : "]"), {});
  }
  if (entry == nullptr || entry->value->is_null()) {
    if (entry != nullptr) throw InputError(fmt::format("{}: is empty; write an item into the text", list));
    // Sections are in the order of the documentation, before the analysis.
    std::size_t at = lines.size();
    for (const char* later : {"analysis", "output"}) {
      const YamlEntry* next = entry_of(*root, later);
      if (next != nullptr) at = std::min(at, static_cast<std::size_t>(next->mark.line - 1));
    }
    const std::size_t next = at;
    while (at > 0 && at < lines.size() && is_comment_at_edge(lines[at - 1])) --at;
    if (next < lines.size()) {
      std::size_t above = at;
      while (above > 0 && lines[above - 1].empty()) --above;
      if (above > 0 && !is_comment_at_edge(lines[above - 1])) at = above;
    }
    const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
    lines.insert(place, {list + ":", is_map ? "  " + item : "  - " + item});
    return push(join(lines) + "\n", {});
  }
  const std::size_t open = offset_of(text_, entry->value->mark);
  if (text_[open] == '[' || text_[open] == '{') {
    const std::size_t end = end_of_value(text_, open).value_or(0);
    if (end == 0) throw InputError(fmt::format("{}: is written so that only the text can be edited", list));
    const bool is_empty = entry->value->items.empty() && entry->value->entries.empty();
    return push(
        text_.substr(0, end - 1) + separator_before(text_, end, is_empty) + item + text_.substr(end - 1), {});
  }
  const auto start = static_cast<std::size_t>(entry->mark.line - 1);
  const std::size_t end = end_of_block(lines, start, static_cast<std::size_t>(entry->mark.column - 1));
  // Indented like the first item.
  const std::size_t indent = indent_of(lines[static_cast<std::size_t>(
      (is_map ? entry->value->entries.front().mark.line : entry->value->mark.line) - 1)]);
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(end),
               std::string(indent, ' ') + (is_map ? "" : "- ") + item);
  push(join(lines) + "\n", {});
}

void Document::write_without_item(const std::string& list, const std::string& name) {
  const YamlPointer root = tree();
  const YamlEntry* entry = list_of(*root, list);
  if (entry == nullptr || !entry->value->is_list()) throw InputError(fmt::format("there are no {}", list));
  const auto& items = entry->value->items;
  const YamlNode* found = item_of(*entry->value, name);
  if (found == nullptr) throw InputError(fmt::format("{}: there is no '{}'", list, name));
  if (text_[offset_of(text_, entry->value->mark)] == '[')
    return remove_in_brackets(*entry->value, *found, list);
  std::vector<std::string> lines = lines_of(text_);
  const auto first = static_cast<std::size_t>(found->mark.line - 1);
  const std::size_t indent = indent_of(lines[first]);
  if (lines[first].compare(indent, 2, "- ") != 0) {
    throw InputError(fmt::format("{}: is written so that only the text can be edited", list));
  }
  if (items.size() == 1) return write_without(list, {});  // also a map that would be empty
  const std::size_t last = end_of_block(lines, first, indent + 1);
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(first),
              lines.begin() + static_cast<std::ptrdiff_t>(last));
  push(join(lines), {});
}

// Removes an item of a list in brackets, with a comma.
void Document::remove_in_brackets(const YamlNode& list, const YamlNode& item, const std::string& name) {
  const std::size_t start = offset_of(text_, item.mark);
  const std::optional<std::size_t> end = end_of_value(text_, start);
  if (!end || text_[start] != '{') {
    throw InputError(fmt::format("{}: is written so that only the text can be edited", name));
  }
  const auto own =
      std::ranges::find_if(list.items, [&](const YamlPointer& one) { return one.get() == &item; });
  const YamlNode* previous = own == list.items.begin() ? nullptr : std::prev(own)->get();
  push(without_element({start, *end, previous, std::next(own) == list.items.end()}, name), {});
}

// Replaces the name of a key, which keeps its place and its comment.
void Document::rename_key(const std::string& path, const std::string& name, std::string_view kind) {
  edit(
      path, [&](const YamlPointer& root) { return with_key(*root, keys_of(root, path), name); },
      [&] {
        const YamlPointer root = tree();
        const Place place = find_place(root, path);
        const YamlEntry* entry = place.missing.empty() ? place.entries.back() : nullptr;
        if (entry == nullptr) throw InputError(fmt::format("{}: is no key of a map", path));
        const std::size_t start = offset_of(text_, entry->mark);
        if (text_.compare(start, entry->key.size(), entry->key) != 0)
          throw InputError(fmt::format("{}: is written so that only the text can be edited", path));
        push(text_.substr(0, start) + name + text_.substr(start + entry->key.size()), kind);
      });
}

// A number that goes while another one takes a value has got the name of the other one.
void Document::refuse_merging(const Change& old, const std::vector<Change>& changes) {
  const auto [map, name] = split_path(old.path);
  if (map != "parameters" && map != "variables") return;
  for (const Change& change : changes) {
    const auto [other_map, other] = split_path(change.path);
    if (!change.value.empty() && other_map == map) throw InputError(text_of_taken_name(map, other));
  }
}

// A key that goes and a new one of the same map, with the same value or of a map of names, are one key that
// is renamed. Throws InputError where the new name of a number is taken.
std::optional<Document::Renamed> Document::find_renamed(const std::vector<Change>& changes) const {
  const YamlPointer root = tree();
  const auto is_there = [&](const std::string& path) { return find_place(root, path).missing.empty(); };
  const Change* old = nullptr;
  const Change* now = nullptr;
  for (const Change& change : changes) {
    if (!change.value.empty() && is_there(change.path)) continue;
    const Change*& found = change.value.empty() ? old : now;
    if (found != nullptr) return std::nullopt;
    found = &change;
  }
  if (old == nullptr || !is_there(old->path)) return std::nullopt;
  if (now == nullptr) {
    refuse_merging(*old, changes);
    return std::nullopt;
  }
  const auto [map, key] = split_path(old->path);
  const auto [map_of_new, name] = split_path(now->path);
  const auto is_of_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (map != map_of_new || name.empty() || !std::ranges::all_of(name, is_of_name)) return std::nullopt;
  const YamlNode& value = *find_place(root, old->path).nodes.back();
  const bool is_same = flow_text(value) == flow_text(*data_of(now->value, now->path));
  if (!is_same && (!has_names(map) || is_block(text_, value))) return std::nullopt;
  return Renamed{old->path, name, now->path, is_same};
}

void Document::edit_item(const std::string& list, const std::string& name, const Item& values) {
  const std::string kind = fmt::format("edit {}", ++edits_);
  const std::string before = text_;
  const std::vector<std::string> former = redo_;
  try {
    std::vector<Change> changes;
    const bool has_name = !list.empty();
    if (has_name) {
      const YamlPointer root = tree();
      const YamlEntry* entry = root ? list_of(*root, list) : nullptr;
      if (entry == nullptr || !entry->value->is_list())
        throw InputError(fmt::format("{}: there is no '{}'", list, name));
    }
    for (const auto& [key, value] : values)
      changes.push_back(
          {has_name ? fmt::format("{}.{}.{}", list, name, key) : key, value, has_name && key == "name"});
    if (const std::optional<Renamed> renamed = find_renamed(changes)) {
      rename_key(renamed->path, renamed->name, kind);
      std::erase_if(changes, [&](const Change& one) {
        return one.path == renamed->path || (renamed->keeps_value && one.path == renamed->new_path);
      });
    }
    // Keys go last, so that no map is empty in between, and a new name after that, by which none is found.
    for (const auto& [path, value, is_name] : changes) {
      if (!value.empty() && !is_name) set_value(path, value, kind);
    }
    for (const auto& [path, value, is_name] : changes) {
      if (value.empty()) remove_value(path, kind);
    }
    for (const auto& [path, value, is_name] : changes) {
      if (!value.empty() && is_name) set_value(path, value, kind);
    }
  } catch (const InputError&) {
    if (text_ != before) undo();
    redo_ = former;
    throw;
  }
}

}  // namespace sestina::studio
