#include "sestina/io/model_file.h"

#include <set>

#include "sestina/base/error.h"
#include "sestina/io/model_file_parts.h"
#include "sestina/io/set_option.h"
#include "sestina/io/text_file.h"
#include "sestina/io/yaml.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

constexpr std::size_t kMaxModelBytes = std::size_t{64} << 20;

// Returns the part of a model that a path belongs to: `bodies[1]` for `bodies[1].mass`.
std::string_view part_of(const std::string& path) { return std::string_view(path).substr(0, path.find('.')); }

// Adds the faults that freeze() finds in a system that was read with faults, so that both kinds are reported
// at once. Its faults in a part that was not read completely may be consequences and are omitted.
void add_faults_of_meaning(const System& system, FaultList& faults) {
  std::set<std::string, std::less<>> faulty;
  for (const Fault& fault : faults.faults()) faulty.emplace(part_of(fault.place.path));
  try {
    freeze(system);
  } catch (const InputError& error) {
    for (const Fault& fault : error.faults()) {
      if (faulty.count(part_of(fault.place.path)) == 0) faults.add(fault.place, fault.message);
    }
  }
}

ModelTree parse_tree(const std::string& text, const std::string& file_name, const ModelFileOptions& options,
                     FaultList& faults) {
  ModelTree tree{parse_yaml(text, file_name, faults), file_name};
  for (const std::string& option : options.set) {
    try {
      tree.root = apply_set_option(tree.root, option);
    } catch (const InputError& error) {
      faults.add(error.faults());
    }
  }
  return tree;
}

// `faults` has those of the tree itself; if there are any, parts of the tree were dropped.
System read_tree(const ModelTree& tree, FaultList& faults) {
  const bool is_whole = faults.empty();
  ReadContext context(faults, std::filesystem::path(tree.file_name).parent_path());
  System system = read_system(context, *tree.root);
  if (!faults.empty() && is_whole && !context.has_lost_names()) add_faults_of_meaning(system, faults);
  faults.throw_if_any();
  return system;
}

}  // namespace

System read_model_file(const std::filesystem::path& path, const ModelFileOptions& options) {
  return read_model(read_text_file(path, kMaxModelBytes), path.string(), options);
}

System read_model(const std::string& text, const std::string& file_name, const ModelFileOptions& options) {
  FaultList faults;
  const ModelTree tree = parse_tree(text, file_name, options, faults);
  return read_tree(tree, faults);
}

ModelTree read_model_tree(const std::filesystem::path& path, const ModelFileOptions& options) {
  return parse_model_tree(read_text_file(path, kMaxModelBytes), path.string(), options);
}

ModelTree parse_model_tree(const std::string& text, const std::string& file_name,
                           const ModelFileOptions& options) {
  FaultList faults;
  ModelTree tree = parse_tree(text, file_name, options, faults);
  faults.throw_if_any();
  return tree;
}

System read_model(const ModelTree& tree) {
  FaultList faults;
  return read_tree(tree, faults);
}

}  // namespace sestina
