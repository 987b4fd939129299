// What `view` and `render` show: the result of a run, or a model, which is run first.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "commands.h"
#include "studio/replay.h"

namespace sestina::cli {

struct ReplayOptions {
  std::string result;
  ModelOptions model;  // its path is that of --model
  bool reactions = false;

  void add_to(CLI::App& command);
  // Throws InputError. `report` is the report of the run, if there was one.
  studio::Replay load(RunReport& report);
};

}  // namespace sestina::cli
