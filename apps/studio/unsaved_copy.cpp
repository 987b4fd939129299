#include "studio/unsaved_copy.h"

#include "sestina/base/error.h"
#include "sestina/io/output_file.h"
#include "sestina/io/text_file.h"

namespace sestina::studio {
namespace {

namespace fs = std::filesystem;
constexpr int kMostCopies = 9;

std::optional<std::string> text_in(const fs::path& path, std::size_t most_bytes) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  try {
    std::string text = read_text_file(path, most_bytes);
    check_utf8_text(text, path.string());
    return text;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

fs::path UnsavedCopy::path(int number) const {
  const std::string suffix = number == 1 ? "" : "." + std::to_string(number);
  return model_.parent_path() / ("." + model_.filename().string() + suffix + ".studio");
}

std::optional<std::string> UnsavedCopy::take(const std::string& text, std::size_t most_bytes) {
  for (int number = 1; number <= kMostCopies && !model_.empty(); ++number) {
    std::optional<std::string> found = text_in(path(number), most_bytes);
    if (!found) continue;
    if (*found == text) {
      std::error_code ignored;
      fs::remove(path(number), ignored);
      continue;
    }
    number_ = number, written_ = *found;
    return found;
  }
  return std::nullopt;
}

// Another studio may have been offered this copy, and have removed or changed it.
bool UnsavedCopy::is_own() const {
  return number_ > 0 && text_in(path(number_), written_.size() + 1) == written_;
}

void UnsavedCopy::keep(const std::string& text) {
  if (model_.empty()) return;
  std::error_code ignored;
  if (!is_own()) {
    number_ = 1;
    while (number_ < kMostCopies && fs::exists(path(number_), ignored)) ++number_;
  }
  write_whole_file(path(number_), text);
  written_ = text;
  const fs::file_status status = fs::status(model_, ignored);
  if (fs::exists(status)) fs::permissions(path(number_), status.permissions(), ignored);
}

void UnsavedCopy::remove() {
  std::error_code ignored;
  if (is_own()) fs::remove(path(number_), ignored);
  number_ = 0;
}

}  // namespace sestina::studio
