#include "sestina/io/file_uses.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <set>

#include "sestina/base/error.h"
#include "sestina/io/output_file.h"

namespace sestina {
namespace {

// Returns the model files that contain the bodies of a System.
std::set<std::filesystem::path> sources_of(const System& system) {
  std::set<std::filesystem::path> files;
  const auto add = [&](const Mark& mark) {
    if (mark.line > 0 && mark.file) files.insert(*mark.file);
  };
  for (const BodySpec& body : system.bodies) {
    if (body.reduced) add(body.reduced->file.mark);
    add(body.name.mark);
    if (body.mass) add(body.mass->mark);
  }
  return files;
}

}  // namespace

bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  struct stat status_a {
  }, status_b{};
  const bool has_a = ::stat(a.c_str(), &status_a) == 0, has_b = ::stat(b.c_str(), &status_b) == 0;
  if (has_a != has_b) return false;
  if (!has_a) return follow_links(a) == follow_links(b);
  return S_ISREG(status_a.st_mode) && status_a.st_dev == status_b.st_dev &&
         status_a.st_ino == status_b.st_ino;
}

void FileUses::add_input(std::string what, const std::filesystem::path& path) {
  if (!path.empty()) inputs_.push_back({std::move(what), path});
}

void FileUses::add_output(std::string what, const std::filesystem::path& path) {
  if (!path.empty()) outputs_.push_back({std::move(what), path});
}

void FileUses::add_tables_of(const System& system) {
  const std::set<std::filesystem::path> sources = sources_of(system);
  const std::filesystem::path folder = sources.empty() ? "" : sources.begin()->parent_path();
  // Paths are relative to the model file that names them, or to that of a value changed by `--set`.
  const auto add = [&](const char* what, const Name& owner, const Name& file) {
    if (file.empty() || file.text.find("://") != std::string::npos) return;
    const bool is_placed = file.mark.line > 0 && file.mark.file != nullptr;
    const std::filesystem::path base =
        is_placed ? std::filesystem::path(*file.mark.file).parent_path() : folder;
    add_input(fmt::format("{} '{}'", what, owner.text), base / file.text);
  };
  for (const ForceSpec& force : system.forces) {
    if (force.table) add("the table of the force", force.name, force.table->file);
  }
  for (const ConstraintSpec& constraint : system.constraints) {
    if (constraint.table) add("the curve of the constraint", constraint.name, constraint.table->file);
  }
  for (const ShapeSpec& shape : system.ground_shapes) add("a mesh of the body", Name("ground"), shape.file);
  for (const BodySpec& body : system.bodies) {
    if (body.reduced) add("the modes of the body", body.name, body.reduced->file);
    for (const ShapeSpec& shape : body.shapes) add("a mesh of the body", body.name, shape.file);
  }
}

void FileUses::add_inputs_of(const System& system) {
  for (const std::filesystem::path& file : sources_of(system)) add_input("the model", file);
  add_tables_of(system);
}

void FileUses::check() const {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Use& output = outputs_[i];
    const auto refuse = [&](const Use& other, const char* why) {
      throw InputError(fmt::format("cannot write {} '{}': it is the same file as {} '{}', which {}",
                                   output.what, output.path.string(), other.what, other.path.string(), why));
    };
    for (const Use& input : inputs_) {
      std::error_code ignored;
      const bool is_lost =
          std::filesystem::exists(input.path, ignored) && is_same_file(output.path, input.path);
      if (is_lost) refuse(input, "would be lost");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (is_same_file(output.path, outputs_[j].path)) refuse(outputs_[j], "is written, too");
    }
  }
}

}  // namespace sestina
