#include "studio/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sestina/io/model_file.h"
#include "sestina/io/output_file.h"
#include "sestina/io/text_file.h"
#include "studio/document_text.h"

namespace sestina::studio {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoText = "\xff";  // is in no file, since it is not UTF-8

// Forms know items, and numbers in a map, by their names.
void refuse_taken_name(const std::string& list, const YamlEntry* entry, const std::string& item) {
  const YamlPointer added = data_of(item, list);
  if (entry == nullptr || !added) return;
  if (entry->value->is_map()) {
    for (const YamlEntry& own : added->entries) {
      if (entry_of(*entry->value, own.key) != nullptr) throw InputError(text_of_taken_name(list, own.key));
    }
    return;
  }
  const YamlEntry* name = entry_of(*added, "name");
  if (name != nullptr && item_of(*entry->value, name->value->text) != nullptr)
    throw InputError(text_of_taken_name(list, name->value->text));
}

}  // namespace

Document::Document(fs::path file) : file_(std::move(file)), copy_(file_) {
  is_on_disk_ = fs::exists(file_);
  if (is_on_disk_) text_ = read_text_file(file_, kLargestDocument);
  check_utf8_text(text_, printable(file_.string()));
  saved_ = text_;
  take_copy();
  trust_files_of(text_);
}

Document::Document(std::string text, fs::path unnamed)
    : text_(std::move(text)), saved_(text_), copy_(std::move(unnamed)) {
  take_copy();
}

void Document::take_copy() {
  std::optional<UnsavedCopy::Found> found = copy_.take(text_, kLargestDocument);
  if (!found) return;
  recovered_ = std::move(found->text);
  file_has_changed_ = is_on_disk_ && !found->has_begun_from;
}

void Document::forget_recovered() {
  recovered_.reset();
  keep_copy();
}

void Document::take_recovered() {
  if (!recovered_) return;
  std::string text = std::move(*recovered_);
  recovered_.reset();
  if (file_has_changed_) saved_ = kNoText;  // another program's text, about which the user is asked
  change(std::move(text), {});              // the copy remains all the time
}

void Document::note_other(bool differs) {
  if (other_differs_ == differs) return;
  other_differs_ = differs;
  keep_copy();
}

void Document::keep_copy() {
  if (recovered_) return;
  copy_fault_.clear();
  if (!is_dirty()) return copy_.remove();
  try {
    copy_.keep(text_, refused_ ? *refused_ : saved_);
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
  return find_place(root, path).missing.empty();
}

void Document::remove_value(const std::string& path, std::string_view kind) {
  edit(
      path, [&](const YamlPointer& root) { return with_value(root, keys_of(root, path), nullptr); },
      [&] { write_without(path, kind); });
}

void Document::add_item(const std::string& list, const std::string& item) {
  const auto of_data = [&](const YamlPointer& root) {
    const YamlEntry* entry = list_of(*root, list);
    refuse_taken_name(list, entry, item);
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
  if (other ? *other != text_ : is_unreadable() && !may_replace_unreadable_) {
    throw InputError(fmt::format("{}: another program has changed it; take its text or keep yours first",
                                 file_.filename().string()));
  }
  write_whole_file(file_, text_);
  is_on_disk_ = true;
  saved_ = text_;
  refused_.reset();
  may_replace_unreadable_ = other_differs_ = false;
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

void Document::keep_own(std::optional<std::string> text) {
  if (!text) may_replace_unreadable_ = true;
  refused_ = std::move(text);
  keep_copy();
}

void Document::reload() {
  std::string text = read_text_file(file_, kLargestDocument);
  trust_files_of(text);
  change(text, {});
  ++reloads_;
  is_on_disk_ = true;
  saved_ = std::move(text);
  refused_.reset();
  may_replace_unreadable_ = other_differs_ = false;
  keep_copy();
}

void Document::doubt_file() {
  saved_ = kNoText;
  keep_copy();
}

std::string Document::name() const { return file_.empty() ? "model" : file_.string(); }

System Document::read() const {
  check_all_files();
  return read_model(text_, name());
}

bool Document::is_begun() const {
  FaultList faults;
  YamlPointer root;
  try {
    root = parse_yaml(text_, name(), faults);
  } catch (const InputError&) {
    return true;
  }
  constexpr std::array kItems = {"bodies",      "particles", "joints", "forces",
                                 "constraints", "contacts",  "events"};
  if (!faults.empty() || !root || !(root->is_map() || root->is_null())) return true;
  return std::ranges::any_of(kItems, [&](const char* key) { return root->find(key) != nullptr; });
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
