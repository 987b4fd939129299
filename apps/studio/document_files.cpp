// The files that the text of a model names: meshes and tables.
#include <fmt/format.h>

#include <algorithm>

#include "studio/document.h"

namespace sestina::studio {
namespace {

namespace fs = std::filesystem;

bool names_a_file(const YamlEntry& entry) {
  return (entry.key == "file" || entry.key == "table") && entry.value->is_scalar();
}

// Whether a path, of which all that exists is resolved, goes on through a link to what does not exist.
bool has_dangling_link(const fs::path& resolved) {
  std::error_code ignored;
  for (fs::path path = resolved; path.has_relative_path(); path = path.parent_path()) {
    if (fs::is_symlink(fs::symlink_status(path, ignored))) return true;
  }
  return false;
}

}  // namespace

// The files that a text on disk names may be anywhere.
void Document::trust_files_of(const std::string& text) {
  FaultList ignored;
  const auto collect = [&](const auto& self, const YamlNode& node) -> void {
    for (const YamlPointer& item : node.items) self(self, *item);
    for (const YamlEntry& entry : node.entries) {
      if (names_a_file(entry)) known_files_.insert(entry.value->text);
      self(self, *entry.value);
    }
  };
  try {
    if (const YamlPointer root = parse_yaml(text, file_.string(), ignored)) collect(collect, *root);
  } catch (const InputError&) {
    // A text with a syntax error names no files yet.
  }
}

// The next studio trusts the contents of the file.
void Document::refuse_outside_files() const {
  FaultList faults, ignored;
  YamlPointer root;
  try {
    root = parse_yaml(text_, file_.string(), ignored);
  } catch (const InputError&) {
    return;  // text with a syntax error is saved unchanged; it names no files yet
  }
  if (root) check_files(*root, faults);
  faults.throw_if_any();
}

void Document::check_files(const YamlNode& node, FaultList& faults) const {
  for (const YamlPointer& item : node.items) check_files(*item, faults);
  for (const YamlEntry& entry : node.entries) {
    check_files(*entry.value, faults);
    if (!names_a_file(entry) || known_files_.contains(entry.value->text)) continue;
    std::error_code error;
    // A model without a file yet will be in the present folder.
    const fs::path own = fs::absolute(file_.empty() ? fs::path("model.yaml") : file_, error);
    const fs::path folder = fs::weakly_canonical(own.parent_path(), error);
    const fs::path inside = fs::weakly_canonical(folder / entry.value->text, error);
    const auto differ = std::mismatch(folder.begin(), folder.end(), inside.begin(), inside.end());
    if (error || differ.first != folder.end() || has_dangling_link(inside) ||
        entry.value->text.find("://") != std::string::npos) {
      faults.add({entry.value->mark, entry.key},
                 fmt::format("'{}' is outside of the folder of the model, which the studio does not leave",
                             printable(entry.value->text)));
    }
  }
}

void Document::check_all_files() const {
  const YamlPointer root = tree();
  FaultList faults;
  if (root) check_files(*root, faults);
  faults.throw_if_any();
}

}  // namespace sestina::studio
