// The program `sestina`.
#include <cstdio>
#include <exception>

#include "commands.h"
#include "sestina/base/error.h"
#include "sestina/base/version.h"

namespace {

using namespace sestina;
using namespace sestina::cli;

int run_program(int argc, char** argv) {
  CLI::App app{"Multibody dynamics: a model file in, a verified simulation out."};
  app.name("sestina");
  app.require_subcommand(1);
  app.set_version_flag("--version", "sestina " + version() + " (" + build_description() + ")");
  app.footer("Exit status: 0 success, 1 the computation failed, 2 bad input, 130 interrupted.");
  int status = kSuccess;
  add_run(app, status);
  add_compare(app, status);
  add_info(app, status);
  add_plot(app, status);
  add_convert(app, status);
  add_schema(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kBadInput;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const sestina::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kBadInput;
  } catch (const sestina::ComputationError& error) {
    std::fprintf(stderr, "sestina: %s\n", error.what());
    return kComputationFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sestina: %s\n", error.what());
    return kComputationFailed;
  }
}
