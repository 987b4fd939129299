// The copy of unsaved work in a file beside the model, which the next studio offers. Several studios of one
// model keep a copy each: `.arm.yaml.studio`, `.arm.yaml.2.studio`, ... A studio locks its copy while it
// runs. Its first line is a comment that tells which text of the model's file the work has begun from.
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

  struct Found {
    std::string text;
    bool has_begun_from;  // the text that take() was given
  };
  // Returns what a studio that runs no longer has left, if it is another text than that of the file; then the
  // copy is this one's.
  std::optional<Found> take(const std::string& text, std::size_t most_bytes);
  // Writes the text, with the permissions of the model; `begun_from`: the text of the file that the user
  // knows. Throws InputError if it cannot be written.
  void keep(const std::string& text, const std::string& begun_from);
  void remove();  // its own alone

 private:
  std::filesystem::path path(int number) const;
  bool has_own() const { return own_ && own_->is_in_place(); }

  std::filesystem::path model_;
  std::unique_ptr<OutputFile> own_;
};

}  // namespace sestina::studio
