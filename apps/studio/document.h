// The text of a model while it is edited: undo and redo, places of faults, the file on disk, and a copy of
// unsaved work in a file next to it, which is offered for recovery.
//
// The text is the document. Controls change only the text, so that comments and order are preserved.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sestina/base/error.h"
#include "sestina/io/yaml.h"
#include "sestina/model/system.h"
#include "sestina/particle_run/particle_file.h"
#include "studio/unsaved_copy.h"

namespace sestina::studio {

inline constexpr std::size_t kLargestDocument = std::size_t{4} << 20;  // bytes
inline constexpr std::size_t kMostUndo = 200;

class Document {
 public:
  // The file need not exist. Throws InputError if it cannot be read or is too large.
  explicit Document(std::filesystem::path file);
  // Without a file. `unnamed`: beside this file that does not exist, unsaved work is kept.
  explicit Document(std::string text, std::filesystem::path unnamed = {});

  const std::string& text() const { return text_; }
  const std::filesystem::path& file() const { return file_; }
  // Whether the text is not what the file has.
  bool is_dirty() const { return text_ != saved_ || refused_ || may_replace_unreadable_ || other_differs_; }
  std::size_t undo_steps() const { return undo_.size(); }
  std::size_t redo_steps() const { return redo_.size(); }
  // The unsaved text of an earlier session.
  const std::optional<std::string>& recovered() const { return recovered_; }
  void forget_recovered();
  void take_recovered();  // a step of undo
  // Why the copy of unsaved work could not be written; empty: it was, or there is none.
  const std::string& copy_fault() const { return copy_fault_; }

  // `kind` joins consecutive changes, such as typed letters or a moving slider, to one step of undo; empty: a
  // separate step. Throws InputError for a text that is too large or not UTF-8.
  void set_text(std::string text, std::string_view kind = {});
  // Replaces the value at a path of keys and `[i]` or names of items, such as `bodies.rod.mass`, within its
  // line. A missing key is added to its map. Throws InputError if that is impossible.
  void set_value(const std::string& path, const std::string& value, std::string_view kind = {});
  // Whether there is a value at such a path.
  bool has_value(const std::string& path) const;
  // Adds an item, one line of YAML, to a list or map: `bodies`, `{name: rod, mass: 1}`. A list in a map of
  // the top level is named `ground.shapes`.
  void add_item(const std::string& list, const std::string& item);
  void remove_item(const std::string& list, const std::string& name);
  // Keys of an item and their values, YAML on one line.
  using Item = std::vector<std::pair<std::string, std::string>>;
  // Removes the key at a path, and a map that would be empty without it; nothing if there is no such key.
  void remove_value(const std::string& path, std::string_view kind = {});
  // Changes values of an item of a list, as set_value() does, in one step of undo; all of them or none. Keys
  // may be paths, such as `limits.lower`; an empty value removes the key. With an empty list and name, the
  // paths begin at the model.
  void edit_item(const std::string& list, const std::string& name, const Item& values);
  // The items of each list of the model, and of the shapes of the ground, that have names; last, as the only
  // item of `model`, the keys that are not lists of items. Empty for a text with a syntax error.
  std::vector<std::pair<std::string, std::vector<Item>>> items() const;
  bool undo();
  bool redo();

  // Writes the file whole, and removes the copy. Throws InputError, also if another program has changed the
  // file.
  void save();
  void save_as(std::filesystem::path file);
  // The text of the file if it differs from what was last read or saved, and from what keep_own() has
  // refused.
  std::optional<std::string> changed_text() const;
  // Whether the file that was read or saved has been removed.
  bool is_gone() const;
  void reload();  // a step of undo
  int reloads() const { return reloads_; }
  // Counts the text of the file as that of another program, of which the user does not know.
  void doubt_file();
  // The next save may overwrite this text in the file, or one that cannot be read.
  void keep_own(std::optional<std::string> text);
  // Whether there is a file that cannot be read, or is too large.
  bool is_unreadable() const;
  // Whether the file is known to have another text than the one that was read or saved.
  void note_other(bool differs);

  // Returns the System of the text. Throws InputError with all faults. Keys `file:` and `table:` that lead
  // out of the folder of the document are faults, unless they were in the file on disk.
  System read() const;
  // Whether the text has something that moves, or is connected: a model is not missing its bodies before.
  bool is_begun() const;
  // Whether the text describes particles, which read_particles() then reads as read() does a System.
  bool has_particles() const;
  ParticleRunSpec read_particles() const;

 private:
  // An element in brackets: where its text is, the one before it, and whether none follows.
  struct Element {
    std::size_t start, end;
    const YamlNode* previous;
    bool is_last;
  };
  struct Change {
    std::string path, value;
    bool is_name;  // of an item
  };
  struct Renamed {
    std::string path, name, new_path;
    bool keeps_value;
  };
  void edit(const std::string& path, const std::function<YamlPointer(const YamlPointer&)>& of_data,
            const std::function<void()>& of_text);
  void write_value(const std::string& path, const std::string& value, std::string_view kind);
  void write_without(const std::string& path, std::string_view kind);
  void write_item(const std::string& list, const std::string& item);
  void write_without_item(const std::string& list, const std::string& name);
  void remove_in_brackets(const YamlNode& list, const YamlNode& item, const std::string& name);
  void rename_key(const std::string& path, const std::string& name, std::string_view kind);
  static void refuse_merging(const Change& old, const std::vector<Change>& changes);
  std::optional<Renamed> find_renamed(const std::vector<Change>& changes) const;
  std::string without_element(const Element& element, const std::string& path) const;
  std::size_t end_of_node(const YamlNode& node, const std::string& path) const;
  std::string without_block(const YamlEntry& entry, const std::string& replacement,
                            const std::string& path) const;
  void insert_entry(const YamlNode& map, bool is_root, const std::string& inserted, const std::string& path,
                    std::string_view kind);
  void refuse_while_offered() const;
  void push(std::string text, std::string_view kind);
  void change(std::string text, std::string_view kind);
  void take_copy();
  void keep_copy();
  void trust_files_of(const std::string& text);
  std::size_t comma_after(const YamlNode& node, const std::string& path) const;
  void check_files(const YamlNode& node, FaultList& faults) const;
  void refuse_outside_files() const;
  YamlPointer tree() const;
  std::string name() const;
  void check_all_files() const;

  std::filesystem::path file_;
  std::string text_, saved_;
  std::vector<std::string> undo_, redo_;
  std::string last_kind_;
  long edits_ = 0;
  int reloads_ = 0;
  std::optional<std::string> refused_;    // text of the file that may be overwritten
  bool may_replace_unreadable_ = false;   // the file, too
  bool other_differs_ = false;            // see note_other()
  bool is_on_disk_ = false;               // the file has been read or saved
  std::optional<std::string> recovered_;  // until it is answered, nothing is edited
  bool file_has_changed_ = false;         // since what is recovered was made from it
  UnsavedCopy copy_;
  std::string copy_fault_;
  std::set<std::string> known_files_;  // values of `file:` and `table:` on disk
};

}  // namespace sestina::studio
