// The program `sestina`.
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "commands.h"
#include "printing.h"
#include "processes.h"
#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/base/version.h"
#include "sestina/io/result_file.h"

namespace {

using namespace sestina;
using namespace sestina::cli;

// CLI11 would only report that a command is missing.
void check_command(const CLI::App& app, const std::string& word) {
  if (word.empty() || word.front() == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == word) return;
    names.push_back(command->get_name());
  }
  throw InputError("sestina: there is no command '" + word + "'" + suggestion(word, names));
}

void check_processes(const std::string& word) {
  if (process_count() == 1 || word == "run") return;
  throw InputError(fmt::format("sestina: {} processes are for `sestina run` alone", process_count()));
}

int run_program(int argc, char** argv) {
  CLI::App app{"Multibody dynamics: a model file in, a verified simulation out."};
  app.name("sestina");
  app.require_subcommand(1);
  app.set_version_flag("--version", "sestina " + version() + " (" + build_description() + ")");
  app.footer("Exit status: 0 success, 1 the computation failed, 2 bad input, 130 interrupted.");
  app.get_formatter()->column_width(26);
  int status = kSuccess;
  add_run(app, status);
  add_resume(app, status);
  add_sweep(app, status);
  add_compare(app, status);
  add_info(app, status);
  add_derive(app, status);
  add_plot(app, status);
  add_structure(app, status);
  add_view(app, status);
  add_render(app, status);
  add_studio(app, status);
  add_convert(app, status);
  add_schema(app, status);
  if (argc < 2) {
    std::fputs(app.help().c_str(), stderr);
    return kBadInput;
  }
  check_command(app, argv[1]);
  check_processes(argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kBadInput;
  }
  return status;
}

// Output that did not reach its file is reported as a failure.
void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot write to the standard output");
  }
}

}  // namespace

int main(int argc, char** argv) {
  prepare_standard_files();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows beyond its limit is an error like a full disk
  skip_hdf5_cleanup_at_exit();
  return run_in_processes([&](std::string& message) {
    try {
      const int status = run_program(argc, argv);
      flush_output();
      return status;
    } catch (const sestina::InputError& error) {
      message = error.what();
      return kBadInput;
    } catch (const std::system_error& error) {
      if (error.code() == std::errc::broken_pipe) end_without_reader();
      message = std::string("sestina: ") + error.what();
      return kComputationFailed;
    } catch (const std::bad_alloc&) {
      message = "sestina: there is not enough memory for this";
      return kComputationFailed;
    } catch (const std::exception& error) {
      message = std::string("sestina: ") + error.what();
      return kComputationFailed;
    }
  });
}
