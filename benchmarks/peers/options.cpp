#include "options.h"

#include <cstdio>
#include <cstdlib>

namespace peers {
namespace {

const char* program = "";

}  // namespace

void fail_usage(const std::string& message) {
  std::fprintf(stderr, "%s: %s\n", program, message.c_str());
  std::exit(2);
}

Options parse_options(int argc, char** argv) {
  program = argv[0];
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (i + 1 == argc) fail_usage("a value must follow " + name);
    const std::string value = argv[++i];
    if (name == "--csv") {
      options.csv = value;
    } else if (name == "--only") {
      options.only = value;
    } else if (name == "--commit") {
      options.commit = value;
    } else if (name == "--rounds" || name == "--states") {
      const int number = std::atoi(value.c_str());
      if (number < 1) fail_usage(name + " wants a number above 0, not '" + value + "'");
      (name == "--rounds" ? options.measure.rounds : options.num_states) = number;
    } else {
      fail_usage("unknown option '" + name + "'");
    }
  }
  return options;
}

}  // namespace peers
