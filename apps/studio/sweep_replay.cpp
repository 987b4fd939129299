#include "studio/sweep_replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "sestina/base/error.h"
#include "sestina/io/set_option.h"
#include "sestina/io/yaml.h"
#include "sestina/scene/json_writer.h"

namespace sestina::studio {

SweepReplay::SweepReplay(const std::filesystem::path& path)
    : file_(SweepFile::open(path, SweepFile::Access::kRead)),
      model_(parse_model_tree(file_.header().model_text, path.string())) {
  if (runs() > kMostRuns) {
    throw InputError(fmt::format("'{}' has {} runs: the studio shows sweeps of at most {}", path.string(),
                                 runs(), kMostRuns));
  }
}

std::size_t SweepReplay::first_complete() const {
  const std::vector<SweepStatus> status = file_.read_status();
  const auto found = std::ranges::find(status, SweepStatus::kComplete);
  return found == status.end() ? 0 : static_cast<std::size_t>(found - status.begin());
}

System SweepReplay::system_of(std::size_t run) const {
  if (run >= runs()) throw InputError(fmt::format("there is no run {}: the sweep has {}", run, runs()));
  ModelTree tree = model_;
  for (const std::string& setting : file_.header().settings(run)) {
    tree.root = apply_set_option(tree.root, setting, "the sweep");
  }
  return read_model(tree);
}

std::string SweepReplay::message() const {
  const SweepHeader& header = file_.header();
  JsonWriter json;
  json.begin_object().member("type", "sweep").member("name", header.model_name);
  json.key("axes").begin_array();
  for (const SweepAxis& axis : header.axes) {
    json.begin_object().member("path", axis.path).key("values").begin_array();
    for (std::size_t i = 0; i < axis.size(); ++i) json.value(axis.value(i));
    json.end_array().end_object();
  }
  json.end_array().key("columns").begin_array();
  for (const Column& column : header.columns) {
    json.begin_object().member("name", column.name).member("unit", column.unit).end_object();
  }
  json.end_array().key("status").begin_array();
  for (const SweepStatus status : file_.read_status()) json.value(static_cast<int>(status));
  return json.end_array().end_object().take();
}

std::string SweepReplay::message_of(std::string_view column) const {
  const std::vector<Column>& columns = file_.header().columns;
  const auto found = std::ranges::find(columns, column, &Column::name);
  if (found == columns.end()) {
    throw InputError(fmt::format("the sweep has no column '{}'", printable(column)));
  }
  const auto place = static_cast<std::size_t>(found - columns.begin());
  const std::vector<SweepStatus> status = file_.read_status();
  JsonWriter json;
  json.begin_object().member("type", "members").member("column", column).key("values").begin_array();
  for (std::size_t run = 0; run < status.size(); ++run) {
    if (status[run] == SweepStatus::kPending) {
      json.null();
    } else {
      json.value(file_.read_numbers(run).last_row[place]);
    }
  }
  return json.end_array().end_object().take();
}

}  // namespace sestina::studio
