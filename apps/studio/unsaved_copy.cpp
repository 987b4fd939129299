#include "studio/unsaved_copy.h"

#include <fmt/format.h>

#include "sestina/base/error.h"
#include "sestina/io/checksum.h"
#include "sestina/io/output_file.h"
#include "sestina/io/text_file.h"

namespace sestina::studio {
namespace {

namespace fs = std::filesystem;
constexpr int kMostCopies = 9;

// Returns the first line of a copy.
std::string line_of(const std::string& begun_from) {
  Checksum sum;
  sum.add(begun_from);
  return fmt::format("# unsaved work of the studio on the text with checksum {:016x}\n", sum.value());
}

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

std::optional<UnsavedCopy::Found> UnsavedCopy::take(const std::string& text, std::size_t most_bytes) {
  for (int number = 1; number <= kMostCopies && !model_.empty(); ++number) {
    std::error_code ignored;
    if (!fs::is_regular_file(path(number), ignored)) continue;
    try {
      OutputFile file(path(number), OutputFile::WhenAbsent::kWait);
      const std::string line = line_of(text);
      std::optional<std::string> found = text_in(path(number), most_bytes + line.size());
      if (!found) continue;
      const bool has_begun_from = found->starts_with(line);
      const std::size_t same = line.size() - 17;  // but for the checksum
      if (found->compare(0, same, line, 0, same) == 0) found->erase(0, found->find('\n') + 1);
      if (*found == text) {
        fs::remove(path(number), ignored);
        continue;
      }
      own_ = std::make_unique<OutputFile>(std::move(file));
      return Found{std::move(*found), has_begun_from};
    } catch (const InputError&) {
      // The studio that keeps it is running.
    }
  }
  return std::nullopt;
}

void UnsavedCopy::keep(const std::string& text, const std::string& begun_from) {
  if (model_.empty()) return;
  std::error_code ignored;
  for (int number = 1; !has_own(); ++number) {
    if (number < kMostCopies && fs::exists(path(number), ignored)) continue;
    try {
      own_ = std::make_unique<OutputFile>(path(number), OutputFile::WhenAbsent::kWait);
      break;
    } catch (const InputError&) {
      if (number >= kMostCopies) throw;
    }
  }
  own_->replace_by(line_of(begun_from) + text);
  const fs::file_status status = fs::status(model_, ignored);
  if (fs::exists(status)) fs::permissions(own_->path(), status.permissions(), ignored);
}

void UnsavedCopy::remove() {
  std::error_code ignored;
  if (has_own()) fs::remove(own_->path(), ignored);
  own_.reset();
}

}  // namespace sestina::studio
