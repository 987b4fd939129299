// The options of bench_peers and bench_peer_loops:
//
//   [--csv FILE] [--only MECHANISM] [--rounds N] [--states N] [--commit NAME]
#pragma once

#include <string>

#include "measure.h"

namespace peers {

struct Options {
  std::string csv, only, commit = "unknown";
  int num_states = 64;
  MeasureOptions measure;
};

// Ends the program with status 2.
[[noreturn]] void fail_usage(const std::string& message);
Options parse_options(int argc, char** argv);

}  // namespace peers
