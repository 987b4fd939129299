// A sweep as a table over its first axis.
#include <fmt/format.h>

#include <limits>

#include "sestina/base/error.h"
#include "sestina/io/plot.h"
#include "sestina/io/sweep_file.h"

namespace sestina {
namespace {

constexpr std::size_t kMostCurves = 42;  // of one column; a figure cannot distinguish more

struct Scalar {
  Column column;
  double (*value)(const SweepRecord&);
};

const std::vector<Scalar>& scalars() {
  static const std::vector<Scalar> list = {
      {{"energy_drift", "J"}, [](const SweepRecord& run) { return run.energy_drift; }},
      {{"kinetic_energy", "J"}, [](const SweepRecord& run) { return run.kinetic_energy; }},
      {{"steps", "1"}, [](const SweepRecord& run) { return static_cast<double>(run.steps); }},
      {{"evaluations", "1"}, [](const SweepRecord& run) { return static_cast<double>(run.evaluations); }},
      {{"wall_seconds", "s"}, [](const SweepRecord& run) { return run.wall_seconds; }}};
  return list;
}

// Returns the available columns: those of the last row, then the scalars.
std::vector<Column> all_columns(const SweepHeader& header) {
  std::vector<Column> columns = header.columns;
  for (const Scalar& scalar : scalars()) columns.push_back(scalar.column);
  return columns;
}

std::vector<std::size_t> choose(const SweepHeader& header, const std::vector<std::string>& patterns) {
  ResultHeader names;
  names.columns = all_columns(header);
  const ResultTable table(names);
  PlotOptions options;
  options.columns = patterns;
  options.x = "";
  std::vector<std::size_t> chosen;
  for (const std::string& name : select_columns(table, options)) chosen.push_back(table.column_index(name));
  return chosen;
}

// Returns " (parameters.l2=1, analysis.solver=kane)" for a combination of all axes but the first.
std::string label_of(const SweepHeader& header, std::size_t run) {
  std::string text;
  const std::vector<std::string> settings = header.settings(run);
  for (std::size_t k = 1; k < settings.size(); ++k) text += (k == 1 ? " (" : ", ") + settings[k];
  return text.empty() ? text : text + ')';
}

double value_of(const SweepRecord& run, std::size_t column) {
  if (run.status == SweepStatus::kPending) return std::numeric_limits<double>::quiet_NaN();
  if (column < run.last_row.size()) return run.last_row[column];
  return scalars()[column - run.last_row.size()].value(run);
}

}  // namespace

ResultTable read_sweep_table(const std::filesystem::path& path, const std::vector<std::string>& columns) {
  const SweepFile file = SweepFile::open(path, SweepFile::Access::kRead);
  const SweepHeader& header = file.header();
  const SweepAxis& first = header.axes.front();
  const std::size_t curves = header.runs() / first.size();
  if (curves > kMostCurves) {
    throw InputError(
        fmt::format("'{}' has {} combinations of values besides those of {}, and a figure can distinguish "
                    "{} curves; h5py reads them all (docs/sweep.md)",
                    path.string(), curves, first.path, kMostCurves));
  }
  const std::vector<std::size_t> chosen = choose(header, columns);
  const std::vector<Column> available = all_columns(header);
  ResultHeader table_header;
  table_header.model_name = header.model_name;
  table_header.columns.push_back({first.path, ""});
  for (const std::size_t column : chosen) {
    for (std::size_t curve = 0; curve < curves; ++curve) {
      table_header.columns.push_back(
          {available[column].name + label_of(header, curve), available[column].unit});
    }
  }
  ResultTable table(table_header);
  std::vector<double> row(table.columns());
  for (std::size_t i = 0; i < first.size(); ++i) {
    row[0] = first.numbers.empty() ? static_cast<double>(i) : first.numbers[i];
    for (std::size_t curve = 0; curve < curves; ++curve) {
      const SweepRecord run = file.read_numbers(i * curves + curve);
      for (std::size_t c = 0; c < chosen.size(); ++c) row[1 + c * curves + curve] = value_of(run, chosen[c]);
    }
    table.append_row(row);
  }
  return table;
}

}  // namespace sestina
