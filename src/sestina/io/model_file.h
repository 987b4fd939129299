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
// with every such fault at its line, column and path, and with those that freeze() finds in the rest. Of a
// file without faults of structure, what the model means is left to freeze().
System read_model_file(const std::filesystem::path& path, const ModelFileOptions& options = {});

// The same from text. `file_name` is what messages call it, and its folder is where tables are looked for.
System read_model(const std::string& text, const std::string& file_name = "model",
                  const ModelFileOptions& options = {});

// A model file that is parsed but not read, of which variants can be made with apply_set_option.
struct ModelTree {
  YamlPointer root;
  std::string file_name;
};

// Both throw InputError with every fault of the syntax and of the options.
ModelTree read_model_tree(const std::filesystem::path& path, const ModelFileOptions& options = {});
ModelTree parse_model_tree(const std::string& text, const std::string& file_name,
                           const ModelFileOptions& options = {});
System read_model(const ModelTree& tree);

// YAML text that reads back to an equal System: numbers to the last bit, expressions as they were given, what
// has its default value left out. Throws InputError for a System that no file can describe: one with a
// user's force, a table that has no file, or a number that is not finite.
std::string write_model(const System& system);

// Writes the file whole or not at all. Tables keep their place: a relative one is written relative to the new
// file's folder.
void write_model_file(const System& system, const std::filesystem::path& path);

}  // namespace sestina
