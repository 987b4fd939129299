// Model files (docs/model_file.md): YAML text to a System and back.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sestina/io/yaml.h"
#include "sestina/model/system.h"

namespace sestina {

struct ModelFileOptions {
  std::vector<std::string> set;  // PATH=VALUE, each as for `--set`, applied in this order
};

// Reads a model file. Checks syntax and structure: keys, kinds of values, tables of forces. Throws InputError
// with every such fault at its line, column and path, and with those that freeze() finds in the other parts.
// If the structure has no faults, the meaning of the model is checked only by freeze().
System read_model_file(const std::filesystem::path& path, const ModelFileOptions& options = {});

// Reads a model from text. `file_name` appears in messages; its folder is where tables are found.
System read_model(const std::string& text, const std::string& file_name = "model",
                  const ModelFileOptions& options = {});

// A model file that is parsed but not read; apply_set_option makes variants of it.
struct ModelTree {
  YamlPointer root;
  std::string file_name;
};

// Both throw InputError with all faults of the syntax and of the options.
ModelTree read_model_tree(const std::filesystem::path& path, const ModelFileOptions& options = {});
ModelTree parse_model_tree(const std::string& text, const std::string& file_name,
                           const ModelFileOptions& options = {});
System read_model(const ModelTree& tree);

// Returns YAML text that reads back to an equal System: numbers to the last bit, expressions as given,
// defaults omitted. Throws InputError for a System that no file can describe: with a user force, with a table
// without a file, or with a number that is not finite.
std::string write_model(const System& system);

// Writes the complete file or nothing. Tables stay where they are: a relative path is written relative to the
// new file's folder.
void write_model_file(const System& system, const std::filesystem::path& path);

}  // namespace sestina
