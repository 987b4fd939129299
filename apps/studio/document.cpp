#include "studio/document.h"

#include <fmt/format.h>

#include <algorithm>

#include "sestina/io/model_file.h"
#include "sestina/io/output_file.h"
#include "sestina/io/text_file.h"
#include "studio/document_text.h"

namespace sestina::studio {
namespace {

namespace fs = std::filesystem;

}  // namespace

Document::Document(fs::path file) : file_(std::move(file)), copy_(file_) {
  is_on_disk_ = fs::exists(file_);
  if (is_on_disk_) text_ = read_text_file(file_, kLargestDocument);
  saved_ = text_;
  recovered_ = copy_.take(text_, kLargestDocument);
  trust_files_of(text_);
}

Document::Document(std::string text, fs::path unnamed)
    : text_(std::move(text)), saved_(text_), copy_(std::move(unnamed)) {
  recovered_ = copy_.take(text_, kLargestDocument);
}

void Document::forget_recovered() {
  recovered_.reset();
  keep_copy();
}

void Document::keep_copy() {
  if (recovered_) return;
  copy_fault_.clear();
  if (!is_dirty()) return copy_.remove();
  try {
    copy_.keep(text_);
  } catch (const InputError& error) {
    copy_fault_ = error.what();  // editing goes on without
  }
}

void Document::refuse_while_offered() const {
  if (!recovered_) return;
  throw InputError("there is work on this model that was not saved: take it, or throw it away, first");
}

void Document::push(std::string text, std::string_view kind) {
  refuse_while_offered();
  change(std::move(text), kind);
}

void Document::change(std::string text, std::string_view kind) {
  if (text.size() > kLargestDocument) {
    throw InputError(fmt::format("the model is larger than {} MiB", kLargestDocument >> 20));
  }
  check_utf8_text(text, file_.string());
  if (text == text_) return;
  if (kind.empty() || kind != last_kind_ || undo_.empty()) {
    undo_.push_back(text_);
    if (undo_.size() > kMostUndo) undo_.erase(undo_.begin());
  }
  last_kind_ = kind;
  redo_.clear();
  text_ = std::move(text);
  keep_copy();
}

void Document::set_text(std::string text, std::string_view kind) { push(std::move(text), kind); }

YamlPointer Document::tree() const {
  FaultList faults;
  YamlPointer root = parse_yaml(text_, file_.string(), faults);
  faults.throw_if_any();
  return root;
}

// Changes the text, and takes it back where that means anything but the change of the data: so do changes
// behind an alias, in comments and wherever the text is written as this does not expect.
void Document::edit(const std::string& path, const std::function<YamlPointer(const YamlPointer&)>& of_data,
                    const std::function<void()>& of_text) {
  refuse_while_offered();
  const std::string before = text_, kind = last_kind_;
  const std::vector<std::string> redo = redo_;
  const std::size_t steps = undo_.size();
  if (is_blank(text_)) text_ = "sestina: 1\n";  // with which every model begins
  try {
    const YamlPointer expected = of_data(tree());
    of_text();
    if (const std::string text = with_line_ends_of(before, text_); text != text_) {
      text_ = text;
      keep_copy();
    }
    if (is_blank(before) && undo_.size() > steps) undo_.back() = before;
    FaultList faults;
    YamlPointer now;
    try {
      now = parse_yaml(text_, name(), faults);
    } catch (const InputError&) {
      now.reset();
    }
    if (now == nullptr || !faults.empty() || !is_same_data(*now, *expected)) {
      throw InputError(fmt::format("{}: is written so that only the text can be edited", path));
    }
  } catch (const InputError&) {
    const bool is_full = steps == kMostUndo && text_ != before;
    if (undo_.size() > steps || (is_full && undo_.back() == before)) undo_.pop_back();
    text_ = before, redo_ = redo, last_kind_ = kind;
    keep_copy();
    throw;
  }
}

void Document::set_value(const std::string& path, const std::string& value, std::string_view kind) {
  edit(
      path,
      [&](const YamlPointer& root) { return with_value(root, keys_of(root, path), data_of(value, path)); },
      [&] { write_value(path, value, kind); });
}

bool Document::has_value(const std::string& path) const {
  const YamlPointer root = tree();
  const YamlNode* node = root.get();
  for (std::size_t start = 0; node != nullptr && start <= path.size();) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    const YamlEntry* entry = node->is_map() ? entry_of(*node, path.substr(start, end - start)) : nullptr;
    node = entry != nullptr ? entry->value.get() : nullptr;
    start = end + 1;
  }
  return node != nullptr;
}

void Document::remove_value(const std::string& path, std::string_view kind) {
  edit(
      path, [&](const YamlPointer& root) { return with_value(root, keys_of(root, path), nullptr); },
      [&] { write_without(path, kind); });
}

void Document::add_item(const std::string& list, const std::string& item) {
  const auto of_data = [&](const YamlPointer& root) {
    const YamlEntry* entry = list_of(*root, list);
    auto grown = entry != nullptr ? std::make_shared<YamlNode>(*entry->value) : std::make_shared<YamlNode>();
    const YamlPointer added = data_of(item, list);
    if (list == "parameters" || list == "variables") {
      grown->kind = YamlNode::Kind::kMap;
      grown->entries.insert(grown->entries.end(), added->entries.begin(), added->entries.end());
    } else {
      grown->kind = YamlNode::Kind::kList;
      grown->items.push_back(added);
    }
    return with_value(root, keys_of(root, list), grown);
  };
  edit(list, of_data, [&] { write_item(list, item); });
}

void Document::remove_item(const std::string& list, const std::string& name) {
  const auto of_data = [&](const YamlPointer& root) {
    const YamlEntry* entry = list_of(*root, list);
    if (entry == nullptr || !entry->value->is_list()) throw InputError(fmt::format("there are no {}", list));
    const YamlNode* found = item_of(*entry->value, name);
    if (found == nullptr) throw InputError(fmt::format("{}: there is no '{}'", list, name));
    auto rest = std::make_shared<YamlNode>(*entry->value);
    std::erase_if(rest->items, [&](const YamlPointer& item) { return item.get() == found; });
    const bool is_flow = text_[offset_of(text_, entry->value->mark)] == '[';  // an empty list stays
    return with_value(root, keys_of(root, list), rest->items.empty() && !is_flow ? nullptr : rest);
  };
  edit(list, of_data, [&] { write_without_item(list, name); });
}

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
  std::size_t from = offset_of(text_, entry->mark), to = end_of_node(*entry->value, path);
  if (entry == &map.entries.front()) {
    const std::size_t next = text_.find_first_not_of(" \t\r\n", to);
    if (next < text_.size() && text_[next] == ',') to = text_.find_first_not_of(" \t", next + 1);
  } else {
    const auto own = std::ranges::find_if(map.entries, [&](const YamlEntry& one) { return &one == entry; });
    from = comma_before(std::prev(own)->value.get(), from, path);
  }
  push(text_.substr(0, from) + text_.substr(to), kind);
}

// The comma between two elements in brackets, of which the second begins at `start`. Throws InputError where
// comments are beside it.
std::size_t Document::comma_before(const YamlNode* previous, std::size_t start,
                                   const std::string& path) const {
  const std::size_t end = end_of_node(*previous, path), comma = text_.find_first_not_of(" \t\r\n", end);
  if (comma >= start || text_[comma] != ',' || text_.find_first_not_of(" \t\r\n", comma + 1) != start)
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
    while (at > 0 && at < lines.size() && is_blank_or_comment(lines[at - 1])) --at;
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
  std::size_t from = start, to = *end;
  if (&item == list.items.front().get()) {
    const std::size_t next = text_.find_first_not_of(" \t\r\n", to);
    if (next < text_.size() && text_[next] == ',') to = text_.find_first_not_of(" \t", next + 1);
  } else {
    const auto own =
        std::ranges::find_if(list.items, [&](const YamlPointer& one) { return one.get() == &item; });
    from = comma_before(std::prev(own)->get(), start, name);
  }
  push(text_.substr(0, from) + text_.substr(std::min(to, text_.size())), {});
}

void Document::edit_item(const std::string& list, const std::string& name, const Item& values) {
  const std::string kind = fmt::format("edit {}", ++edits_);
  const std::string before = text_;
  const std::vector<std::string> former = redo_;
  try {
    const auto path_of = [&](const std::string& key) {
      return list.empty() ? key : fmt::format("{}.{}.{}", list, name, key);
    };
    // Keys go last, so that no map is empty in between, and a new name after that, by which none is found.
    const auto is_name = [&](const std::string& key) { return key == "name" && !list.empty(); };
    for (const auto& [key, value] : values) {
      if (!value.empty() && !is_name(key)) set_value(path_of(key), value, kind);
    }
    for (const auto& [key, value] : values) {
      if (value.empty()) remove_value(path_of(key), kind);
    }
    for (const auto& [key, value] : values) {
      if (!value.empty() && is_name(key)) set_value(path_of(key), value, kind);
    }
  } catch (const InputError&) {
    if (text_ != before) undo();
    redo_ = former;
    throw;
  }
}

std::vector<std::pair<std::string, std::vector<Document::Item>>> Document::items() const {
  std::vector<std::pair<std::string, std::vector<Item>>> lists;
  YamlPointer root;
  try {
    root = tree();
  } catch (const InputError&) {
    return lists;
  }
  for (const char* list :
       {"bodies", "joints", "forces", "constraints", "contacts", "states", "events", "ground.shapes"}) {
    const YamlEntry* entry = root ? list_of(*root, list) : nullptr;
    if (entry == nullptr) continue;
    lists.emplace_back(list, std::vector<Item>());
    for (const YamlPointer& node : entry->value->items) {
      if (entry_of(*node, "name") == nullptr) continue;
      Item& item = lists.back().second.emplace_back();
      for (const YamlEntry& own : node->entries) item.emplace_back(own.key, flow_text(*own.value));
    }
  }
  Item rest;
  for (const YamlEntry& own : root ? root->entries : std::vector<YamlEntry>()) {
    if (!own.value->is_list()) rest.emplace_back(own.key, flow_text(*own.value));
  }
  // `gravity` is the one list of numbers among the lists of items.
  if (const YamlEntry* gravity = root ? entry_of(*root, "gravity") : nullptr) {
    if (gravity->value->is_list()) rest.emplace_back("gravity", flow_text(*gravity->value));
  }
  lists.push_back({"model", {std::move(rest)}});
  return lists;
}

bool Document::undo() {
  refuse_while_offered();
  if (undo_.empty()) return false;
  redo_.push_back(std::move(text_));
  text_ = std::move(undo_.back());
  undo_.pop_back();
  last_kind_.clear();
  keep_copy();
  return true;
}

bool Document::redo() {
  refuse_while_offered();
  if (redo_.empty()) return false;
  undo_.push_back(std::move(text_));
  text_ = std::move(redo_.back());
  redo_.pop_back();
  last_kind_.clear();
  keep_copy();
  return true;
}

void Document::save() {
  if (file_.empty()) throw InputError("the model has no file yet");
  refuse_while_offered();
  refuse_outside_files();
  const std::optional<std::string> other = changed_text();
  if (other ? *other != text_ : is_unreadable()) {
    throw InputError(fmt::format("{}: another program has changed it; take its text or keep yours first",
                                 file_.filename().string()));
  }
  write_whole_file(file_, text_);
  is_on_disk_ = true;
  saved_ = text_;
  refused_.reset();
  recovered_.reset();
  keep_copy();
}

void Document::save_as(fs::path file) {
  const fs::path former = file_;
  file_ = std::move(file);
  try {
    save();
  } catch (...) {
    file_ = former;
    throw;
  }
  copy_ = UnsavedCopy(file_);
}

std::optional<std::string> Document::changed_text() const {
  std::error_code ignored;
  if (file_.empty() || !fs::exists(file_, ignored)) return std::nullopt;
  try {
    std::string text = read_text_file(file_, kLargestDocument);
    return text == saved_ || text == refused_ ? std::nullopt : std::optional(std::move(text));
  } catch (const InputError&) {
    return std::nullopt;  // another process is writing it
  }
}

// Whether there is a file that cannot be read, or is too large.
bool Document::is_unreadable() const {
  std::error_code ignored;
  if (!fs::exists(file_, ignored)) return false;
  try {
    read_text_file(file_, kLargestDocument);
    return false;
  } catch (const InputError&) {
    return true;
  }
}

bool Document::is_gone() const {
  std::error_code ignored;
  return is_on_disk_ && !fs::exists(file_, ignored);
}

void Document::keep_own(std::string text) { refused_ = std::move(text); }

void Document::reload() {
  std::string text = read_text_file(file_, kLargestDocument);
  trust_files_of(text);
  change(text, {});
  is_on_disk_ = true;
  saved_ = std::move(text);
  refused_.reset();
  keep_copy();
}

std::string Document::name() const { return file_.empty() ? "model" : file_.string(); }

System Document::read() const {
  check_all_files();
  return read_model(text_, name());
}

bool Document::has_particles() const {
  if (text_.find("particles") == std::string::npos) return false;
  FaultList faults;
  const YamlPointer root = parse_yaml(text_, name(), faults);
  return root && sestina::has_particles({root, name()});
}

ParticleRunSpec Document::read_particles() const {
  check_all_files();
  return read_particle_run(parse_model_tree(text_, name()));
}

}  // namespace sestina::studio
