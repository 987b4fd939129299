// The commands of the program. Each adds its options to the parser and runs if it is chosen; it throws
// InputError for bad input and returns the exit status otherwise.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "sestina/io/model_file.h"
#include "sestina/io/urdf.h"
#include "sestina/model/model.h"
#include "sestina/model/system.h"

namespace sestina::cli {

inline constexpr int kSuccess = 0, kComputationFailed = 1, kBadInput = 2, kInterrupted = 130;

// The chosen command leaves its exit status in `status`.
void add_run(CLI::App& app, int& status);
void add_resume(CLI::App& app, int& status);
void add_compare(CLI::App& app, int& status);
void add_derive(CLI::App& app, int& status);
void add_info(CLI::App& app, int& status);
void add_plot(CLI::App& app, int& status);
void add_structure(CLI::App& app, int& status);
void add_convert(CLI::App& app, int& status);
void add_schema(CLI::App& app, int& status);
void add_sweep(CLI::App& app, int& status);
void add_view(CLI::App& app, int& status);
void add_render(CLI::App& app, int& status);
void add_studio(CLI::App& app, int& status);

// "3 bodies, 4 speeds"
std::string size_in_words(const Model& model);

// A check for options with the name of an output file: an empty name is an error, for instance an empty
// variable of a script. Returns the fault, or nothing.
std::string check_file_name(const std::string& name);

// How a robot (.urdf) becomes a model.
struct RobotOptions {
  UrdfOptions urdf;
  std::string given;  // only these of the options exist on the command line

  void add_to(CLI::App& command);
};

// The options of every command with a MODEL argument.
struct ModelOptions {
  std::string path;              // .yaml, or .urdf
  std::vector<std::string> set;  // PATH=VALUE
  RobotOptions robot;

  void add_to(CLI::App& command);
  void add_set_to(CLI::App& command);  // Adds only --set.
  System read() const;
  ModelTree read_tree() const;
};

}  // namespace sestina::cli
