#include "sestina/io/model_file.h"

#include "sestina/base/error.h"
#include "sestina/io/model_file_parts.h"
#include "sestina/io/set_option.h"
#include "sestina/io/text_file.h"
#include "sestina/io/yaml.h"

namespace sestina {
namespace {

constexpr std::size_t kMaxModelBytes = std::size_t{64} << 20;

}  // namespace

System read_model_file(const std::filesystem::path& path, const ModelFileOptions& options) {
  return read_model(read_text_file(path, kMaxModelBytes), path.string(), options);
}

System read_model(const std::string& text, const std::string& file_name, const ModelFileOptions& options) {
  FaultList faults;
  YamlPointer root = parse_yaml(text, file_name, faults);
  for (const std::string& option : options.set) {
    try {
      root = apply_set_option(root, option);
    } catch (const InputError& error) {
      faults.add(error.faults());
    }
  }
  ReadContext context(faults, std::filesystem::path(file_name).parent_path());
  System system = read_system(context, *root);
  faults.throw_if_any();
  return system;
}

}  // namespace sestina
