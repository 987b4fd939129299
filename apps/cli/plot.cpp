// sestina plot RESULT [COLUMN...] -o FILE.{png,svg,pdf} [--x COLUMN] [--title TEXT]
// RESULT is a result of a run, or of a sweep.
#include <memory>

#include "commands.h"
#include "printing.h"
#include "sestina/io/file_uses.h"
#include "sestina/io/plot.h"
#include "sestina/io/result_file.h"
#include "sestina/io/sweep_file.h"

namespace sestina::cli {
namespace {

struct PlotCommand {
  std::string log;  // x, y or xy
  std::string result;
  std::string output;
  std::string x;
  PlotOptions plot;
};

// A sweep is drawn over its first axis, a curve for each combination of values of the others.
void plot_sweep(const PlotCommand& options) {
  const ResultTable table = read_sweep_table(options.result, options.plot.columns);
  PlotOptions plot = options.plot;
  const std::vector<std::string> names = table.header().names();
  if (options.x.empty()) plot.x = names.front();
  plot.columns.assign(names.begin() + 1, names.end());
  plot_result(table, plot);
}

void plot(const PlotCommand& options) {
  FileUses files;
  files.add_input("the result", options.result);
  files.add_output("the figure", options.output);
  files.check();
  if (SweepFile::is_sweep_file(options.result)) return plot_sweep(options);
  const ResultTable table = read_result(options.result);
  if (table.unchecked_rows() > 0) {
    print_error(
        "sestina: no checksum covers the last {} of {} rows of {}: the run was killed, or is in progress\n",
        table.unchecked_rows(), table.rows(), options.result);
  }
  PlotOptions plot = options.plot;
  // Analyses without time have another axis; modes also have a frequency, so `mode` comes last.
  for (const char* name : {"frequency", "load", "mode"}) {
    if (options.x.empty() && table.has_column(name)) plot.x = name;
  }
  // The structure of particles is plotted over a distance or a cosine.
  const bool has_time = table.has_column("t") || table.columns() == 0;
  if (options.x.empty() && plot.x == "t" && !has_time) plot.x = table.header().columns.front().name;
  plot.log_x = options.log == "x" || options.log == "xy";
  plot.log_y = options.log == "y" || options.log == "xy";
  plot_result(table, plot);
}

}  // namespace

void add_plot(CLI::App& app, int& status) {
  auto options = std::make_shared<PlotCommand>();
  CLI::App* command = app.add_subcommand("plot", "Draw columns of a result file");
  command->add_option("RESULT", options->result, "Result file (.csv, .h5)")->required()->type_name("FILE");
  command
      ->add_option("COLUMN", options->plot.columns,
                   "Columns to draw, such as hip.q, 'energy.*' or 'hip.q + knee.q';\n"
                   "without any, a sensible choice")
      ->type_name("NAME");
  command->add_option("-o,--out", options->output, "Figure (.png, .svg, .pdf)")
      ->required()
      ->type_name("FILE")
      ->check(check_file_name);
  command
      ->add_option(
          "--x", options->x,
          "Column of the horizontal axis (t; of statics load, of modes mode,\nof a frequency "
          "response frequency; of a sweep, its first axis;\nof the structure of particles, the first column)")
      ->type_name("COLUMN");
  command->add_option("--log", options->log, "Logarithmic axes")
      ->check(CLI::IsMember({"x", "y", "xy"}))
      ->type_name("AXES");
  command->add_option("--title", options->plot.title, "Title above the figure")->type_name("TEXT");
  command->add_option("--width", options->plot.width, "Width of the figure, 20 to 2000 mm")
      ->capture_default_str()
      ->check(CLI::Range(20, 2000).description(""))
      ->type_name("MM");
  command->add_option("--height", options->plot.height, "Height of the figure, up to 2000 mm; 0: as needed")
      ->capture_default_str()
      ->check(CLI::Range(0, 2000).description(""))
      ->type_name("MM");
  command->callback([options, &status] {
    options->plot.output = options->output;
    if (!options->x.empty()) options->plot.x = options->x;
    plot(*options);
    status = kSuccess;
  });
}

}  // namespace sestina::cli
