// The files that a command reads and writes, checked before anything is written: no result, checkpoint or
// figure may replace one of its inputs or another output.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sestina/model/system.h"

namespace sestina {

// True if both names refer to the same file: by links of any kind if it exists, by the path if it does not
// exist yet. Pipes and devices do not count, since nothing in them can be lost.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

class FileUses {
 public:
  // `what` describes the file, as in "the result". Empty paths are ignored.
  void add_input(std::string what, const std::filesystem::path& path);
  void add_output(std::string what, const std::filesystem::path& path);
  // Adds the tables and meshes that a System names, and the file from which it was read.
  void add_inputs_of(const System& system);
  void add_tables_of(const System& system);  // without that file

  // Throws InputError that names both files if an output is also another file in the list.
  void check() const;

 private:
  struct Use {
    std::string what;
    std::filesystem::path path;
  };

  std::vector<Use> inputs_, outputs_;
};

}  // namespace sestina
