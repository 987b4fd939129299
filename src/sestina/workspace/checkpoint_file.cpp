// Atomic writing of checkpoints.
#include <array>
#include <fstream>

#include "sestina/base/error.h"
#include "sestina/workspace/checkpoint.h"

namespace sestina {
namespace {

// Whether the file is something that a user would miss if it were overwritten.
bool is_something_else(const std::filesystem::path& path) {
  constexpr std::string_view kBeginning = "sestina checkpoint";
  std::ifstream file(path, std::ios::binary);
  std::array<char, kBeginning.size()> bytes{};
  file.read(bytes.data(), bytes.size());
  const auto count = static_cast<std::size_t>(file.gcount());
  return count > 0 && std::string_view(bytes.data(), count) != kBeginning;
}

}  // namespace

CheckpointFile::CheckpointFile(std::filesystem::path path) : path_(std::move(path)) {
  if (path_.empty()) throw InputError("the name of the checkpoint file is empty");
  if (path_.string().find('\n') != std::string::npos) {
    throw InputError("the name of the checkpoint file has a line break");
  }
  std::error_code ignored;
  if (std::filesystem::exists(path_, ignored) && !std::filesystem::is_directory(path_, ignored) &&
      (!std::filesystem::is_regular_file(path_, ignored) || is_something_else(path_))) {
    throw InputError("cannot write '" + path_.string() +
                     "': the file is not a checkpoint and is not overwritten");
  }
  file_.emplace(path_, OutputFile::WhenAbsent::kWait);
  file_->make_temporary();  // if this fails, no checkpoint could be written
}

std::string CheckpointFile::write(const Checkpoint& checkpoint) {
  try {
    file_->replace_by(to_text(checkpoint));
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace sestina
