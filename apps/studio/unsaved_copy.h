// The copy of unsaved work in a file beside the model, which the next studio offers. Several studios of one
// model keep a copy each: `.arm.yaml.studio`, `.arm.yaml.2.studio`, ...
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace sestina::studio {

class UnsavedCopy {
 public:
  UnsavedCopy() = default;  // keeps nothing
  explicit UnsavedCopy(std::filesystem::path model) : model_(std::move(model)) {}

  // Returns what an earlier studio has left, if it is another text; then the copy is this one's.
  std::optional<std::string> take(const std::string& text, std::size_t most_bytes);
  // Writes the text, with the permissions of the model. Throws InputError if it cannot be written.
  void keep(const std::string& text);
  void remove();  // its own alone

 private:
  std::filesystem::path path(int number) const;
  bool is_own() const;

  std::filesystem::path model_;
  int number_ = 0;  // of its own copy; 0: there is none
  std::string written_;
};

}  // namespace sestina::studio
