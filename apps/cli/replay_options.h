// What `view` and `render` show: the result of a run, or a model, which is run first.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "commands.h"
#include "studio/replay.h"

namespace sestina::cli {

// Reads the result of a second run, beside which the first is shown; `model` is for results that hold none.
studio::Ghost load_ghost(const std::string& result, const ModelOptions& model, std::size_t most_bytes);
extern const char* const kGhostHelp;  // of the option --ghost

struct ReplayOptions {
  std::string result;
  ModelOptions model;  // its path is that of --model
  bool reactions = false;

  void add_to(CLI::App& command);
  // Throws InputError. `report` is the report of the run, if there was one.
  studio::Replay load(RunReport& report);
};

}  // namespace sestina::cli
