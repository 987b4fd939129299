#include "sestina/workspace/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>

#include "sestina/base/error.h"
#include "sestina/contact/mesh_file.h"
#include "sestina/io/checksum.h"
#include "sestina/io/model_file.h"
#include "sestina/io/reduced_file.h"
#include "sestina/io/text_file.h"
#include "sestina/model/mesh_files.h"

namespace sestina {
namespace {

constexpr std::string_view kSignature = "sestina checkpoint ";
constexpr int kVersion = 4;
constexpr std::string_view kChecksum = "checksum ";
constexpr std::size_t kChecksumLine = kChecksum.size() + 16 + 1;  // including its digits and the newline
constexpr std::size_t kLargest = std::size_t{4} << 30;

std::uint64_t checksum(std::string_view text) {
  Checksum sum;
  sum.add(text);
  return sum.value();
}

// Writes one line for each value: its key, a blank, the value. Lists begin with their length.
class Writer {
 public:
  void add_text(std::string_view key, std::string_view value) {
    text_.append(key).append(" ").append(value) += '\n';
  }
  void add(std::string_view key, const std::string& value) { add_text(key, value); }
  void add(std::string_view key, bool value) { add_text(key, value ? "yes" : "no"); }
  void add(std::string_view key, long value) { add_text(key, fmt::format("{}", value)); }
  void add(std::string_view key, double value) { add_text(key, fmt::format("{}", value)); }
  void add(std::string_view key, const std::vector<double>& values) {
    std::string list = fmt::format("{}", values.size());
    for (const double value : values) fmt::format_to(std::back_inserter(list), " {}", value);
    add_text(key, list);
  }
  void add_hexadecimal(std::string_view key, std::uint64_t value) {
    add_text(key, fmt::format("{:016x}", value));
  }
  void add_block(std::string_view key, std::string_view text) {
    add(key, static_cast<long>(text.size()));
    text_.append(text) += '\n';
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

class Reader {
 public:
  Reader(std::string_view text, const std::string& name)
      : file_(std::make_shared<const std::string>(name)), text_(text) {}

  std::string_view next_line() {
    ++line_;
    const std::size_t end = text_.find('\n');
    if (end == std::string_view::npos) fail("the file ends too soon");
    const std::string_view line = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return line;
  }
  std::string_view value_of(std::string_view key) {
    const std::string_view line = next_line();
    if (!line.starts_with(key) || line.substr(key.size(), 1) != " ") {
      fail(fmt::format("expected '{}', found '{}'", key, line.substr(0, line.find(' '))));
    }
    return line.substr(key.size() + 1);
  }

  void read(std::string_view key, std::string& value) { value = value_of(key); }
  void read(std::string_view key, bool& value) {
    const std::string_view text = value_of(key);
    value = text == "yes";
    if (!value && text != "no") fail(fmt::format("{}: '{}' is neither yes nor no", key, text));
  }
  template <class Number>
  void read(std::string_view key, Number& value) {
    std::string_view text = value_of(key);
    value = take_number<Number>(text);
    check_end(key, text);
  }
  void read(std::string_view key, std::vector<double>& values) {
    std::string_view text = value_of(key);
    const auto size = take_number<std::size_t>(text);
    if (size > text.size()) fail("the list is shorter than its length says");
    values.resize(size);
    for (double& value : values) value = take_number<double>(text);
    check_end(key, text);
  }
  void read_hexadecimal(std::string_view key, std::uint64_t& value) {
    const std::string_view text = value_of(key);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc() || end != text.data() + text.size())
      fail(fmt::format("{}: '{}' is not a checksum", key, text));
  }
  void read_block(std::string_view key, std::string& text) {
    std::size_t size = 0;
    read(key, size);
    if (size >= text_.size()) fail("the file ends too soon");
    text = text_.substr(0, size);
    if (text_[size] != '\n') fail(fmt::format("the {} is longer than its length says", key));
    text_.remove_prefix(size + 1);
    line_ += static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
  }
  [[noreturn]] void fail(std::string message) const {
    throw InputError({Fault{{{file_, line_, 1}, ""}, std::move(message)}});
  }

 private:
  template <class Number>
  Number take_number(std::string_view& text) const {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) fail(fmt::format("'{}' is not a number", text.substr(0, text.find(' '))));
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with(' ')) text.remove_prefix(1);
    return value;
  }

  void check_end(std::string_view key, std::string_view rest) const {
    if (!rest.empty()) fail(fmt::format("{}: '{}' follows the numbers", key, rest.substr(0, 40)));
  }

  std::shared_ptr<const std::string> file_;
  std::string_view text_;  // what is left to read
  int line_ = 0;
};

// The lines with one value each, in the order of the file: pass(key, value) writes or reads.
template <class F, class C>
void pass_values(F&& pass, C& checkpoint) {
  pass("program", checkpoint.program);
  pass("complete", checkpoint.is_complete);
  pass("model_file", checkpoint.model_file);
  pass("result_file", checkpoint.result_file);
  pass("reactions", checkpoint.reactions);
  pass("every_wall", checkpoint.every_wall);
  pass("next_row", checkpoint.next_row);
  pass("rows", checkpoint.rows);
  pass("last_row", checkpoint.last_row);
  pass("initial_balance", checkpoint.initial_balance);
  pass("energy_drift", checkpoint.energy_drift);
  pass("kinetic_energy", checkpoint.kinetic_energy);
  pass("wall_seconds", checkpoint.wall_seconds);
  pass("t", checkpoint.step.state.t);
  pass("q", checkpoint.step.state.q);
  pass("u", checkpoint.step.state.u);
  pass("x", checkpoint.step.state.x);
  pass("z", checkpoint.step.state.z);
  pass("d", checkpoint.step.state.d);
  pass("h", checkpoint.step.state.h);
  pass("rule_memory", checkpoint.step.rule_memory);
  auto& control = checkpoint.step.control;
  pass("t_start", control.t_start);
  pass("next_step", control.next_step);
  pass("last_error", control.last_error);
  pass("error_before", control.error_before);
  pass("steps", control.statistics.steps);
  pass("rejected", control.statistics.rejected);
  pass("evaluations", control.statistics.evaluations);
  pass("smallest_step", control.statistics.smallest_step);
  pass("largest_step", control.statistics.largest_step);
  pass("event_sides", checkpoint.events.sides);
  pass("event_counts", checkpoint.events.counts);
  pass("event_window_start", checkpoint.events.window_start);
  pass("event_window_counts", checkpoint.events.window_counts);
}

void check_whole(std::string_view text, const Reader& reader) {
  if (!text.starts_with(kSignature)) reader.fail("is not a checkpoint of sestina");
  const std::string_view version = text.substr(kSignature.size(), text.find('\n') - kSignature.size());
  if (version != fmt::format("{}", kVersion)) {
    reader.fail(fmt::format("is a checkpoint of version {}; this program reads version {}",
                            version.substr(0, 20), kVersion));
  }
  const std::size_t size = text.size() - std::min(text.size(), kChecksumLine);
  const std::string_view line = text.substr(size);
  if (!line.starts_with(kChecksum) || !line.ends_with('\n')) {
    reader.fail("is cut short: it does not end with its checksum");
  }
  const std::string expected = fmt::format("{}{:016x}\n", kChecksum, checksum(text.substr(0, size)));
  if (line != expected) reader.fail("is damaged: its checksum is not that of its contents");
}

}  // namespace

std::string to_text(const Checkpoint& checkpoint) {
  Writer writer;
  writer.add_text("sestina", fmt::format("checkpoint {}", kVersion));
  writer.add_text("#", "a run that `sestina resume` continues; do not edit");
  pass_values(
      [&](std::string_view key, const auto& value) {
        if constexpr (std::is_same_v<decltype(value), const std::size_t&>) {
          writer.add(key, static_cast<long>(value));
        } else {
          writer.add(key, value);
        }
      },
      checkpoint);
  writer.add_hexadecimal("rows_checksum", checkpoint.rows_checksum);
  writer.add_hexadecimal("tables", checkpoint.tables);
  writer.add("provenance", static_cast<long>(checkpoint.provenance.size()));
  for (const auto& [key, value] : checkpoint.provenance) {
    writer.add_block("key", key);
    writer.add_block("value", value);
  }
  writer.add_block("model", checkpoint.model_text);
  std::string text = writer.take();
  fmt::format_to(std::back_inserter(text), "{}{:016x}\n", kChecksum, checksum(text));
  return text;
}

Checkpoint parse_checkpoint(const std::string& text, const std::string& name) {
  Reader reader(text, name);
  check_whole(text, reader);
  reader.next_line();
  reader.next_line();
  Checkpoint checkpoint;
  pass_values([&](std::string_view key, auto& value) { reader.read(key, value); }, checkpoint);
  reader.read_hexadecimal("rows_checksum", checkpoint.rows_checksum);
  reader.read_hexadecimal("tables", checkpoint.tables);
  std::size_t size = 0;
  reader.read("provenance", size);
  while (checkpoint.provenance.size() < size) {
    auto& [key, value] = checkpoint.provenance.emplace_back();
    reader.read_block("key", key);
    reader.read_block("value", value);
  }
  reader.read_block("model", checkpoint.model_text);
  return checkpoint;
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  return parse_checkpoint(read_text_file(path, kLargest), path.string());
}

static void add_to_checksum(const TableSpec& table, Checksum& sum) {
  for (const double t : table.time) sum.add(t);
  for (const std::vector<double>& column : table.values) {
    for (const double value : column) sum.add(value);
  }
}

std::uint64_t checksum_of_model(std::string_view model_text, const System& system) {
  Checksum sum;
  sum.add(model_text);
  for (const ForceSpec& force : system.forces) {
    if (force.table) add_to_checksum(*force.table, sum);
  }
  for (const ConstraintSpec& constraint : system.constraints) {
    if (constraint.table) add_to_checksum(*constraint.table, sum);
  }
  for (const BodySpec& body : system.bodies) {
    if (body.reduced && body.reduced->modes) add_to_checksum(*body.reduced->modes, sum);
  }
  for (const std::filesystem::path& mesh : find_contact_meshes(system)) {
    sum.add(read_text_file(mesh, kLargestMeshFile));
  }
  return sum.value();
}

std::uint64_t checksum_of_files(const System& system) { return checksum_of_model("", system); }

System read_model_of(const Checkpoint& checkpoint) {
  System system = read_model(checkpoint.model_text, checkpoint.model_file);
  if (checksum_of_files(system) != checkpoint.tables) {
    throw InputError("cannot resume: the tables, meshes or reduced bodies of " + checkpoint.model_file +
                     " have changed since the run began");
  }
  return system;
}

}  // namespace sestina
