// The copy of unsaved work in a file beside the model, which the next studio offers. Several studios of one
// model keep a copy each: `.arm.yaml.studio`, `.arm.yaml.2.studio`, ... A studio locks its copy while it
// runs.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "sestina/io/output_file.h"

namespace sestina::studio {

class UnsavedCopy {
 public:
  UnsavedCopy() = default;  // keeps nothing
  explicit UnsavedCopy(std::filesystem::path model) : model_(std::move(model)) {}

  // Returns what a studio that runs no longer has left, if it is another text; then the copy is this one's.
  std::optional<std::string> take(const std::string& text, std::size_t most_bytes);
  // Whether the file of the model was written after the copy that take() has returned.
  bool is_older_than(const std::filesystem::path& model) const;
  // Writes the text, with the permissions of the model. Throws InputError if it cannot be written.
  void keep(const std::string& text);
  void remove();  // its own alone

 private:
  std::filesystem::path path(int number) const;
  bool has_own() const { return own_ && own_->is_in_place(); }

  std::filesystem::path model_;
  std::unique_ptr<OutputFile> own_;
};

}  // namespace sestina::studio
