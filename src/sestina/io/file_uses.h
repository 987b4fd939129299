// What a command reads and writes, compared before anything is written: no result, checkpoint or figure takes
// the place of what it is made from, nor of another one of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sestina/model/system.h"

namespace sestina {

// Whether both names lead to one file: by links of any kind where it exists, by the path where it does not
// exist yet. Pipes and devices are no such files, since nothing in them can be lost.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

class FileUses {
 public:
  // What it is, as in "the result". Empty paths are left out.
  void add_input(std::string what, const std::filesystem::path& path);
  void add_output(std::string what, const std::filesystem::path& path);
  // The tables and meshes that a System names, and the file that it was read from.
  void add_inputs_of(const System& system);
  void add_tables_of(const System& system);  // without that file

  // Throws InputError where a file that is written is one of the others, and names both.
  void check() const;

 private:
  struct Use {
    std::string what;
    std::filesystem::path path;
  };

  std::vector<Use> inputs_, outputs_;
};

}  // namespace sestina
