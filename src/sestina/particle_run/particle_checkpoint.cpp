#include "sestina/particle_run/particle_checkpoint.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "sestina/base/error.h"
#include "sestina/io/checksum.h"

namespace sestina {
namespace {

constexpr std::string_view kChecksum = "checksum ";
constexpr std::size_t kChecksumLine = kChecksum.size() + 17;

// One list of values serves writing and reading.
template <class Pass, class C>
void pass_values(Pass&& pass, C& checkpoint) {
  pass("program", checkpoint.program);
  pass("complete", checkpoint.is_complete);
  pass("model_file", checkpoint.model_file);
  pass("model", checkpoint.model_text);
  pass("set", checkpoint.set);
  pass("result_file", checkpoint.result_file);
  pass("data_checksum", checkpoint.data_checksum);
  pass("rows", checkpoint.rows);
  pass("rows_checksum", checkpoint.rows_checksum);
  pass("first_total", checkpoint.first_total);
  pass("energy_drift", checkpoint.energy_drift);
  pass("wall_seconds", checkpoint.wall_seconds);
  pass("every_wall", checkpoint.every_wall);
  pass("frames", checkpoint.trajectory.frames);
  pass("trajectory_bytes", checkpoint.trajectory.bytes);
  auto& p = checkpoint.particles;
  pass("steps", p.steps);
  pass("t", p.t);
  pass("number", p.number);
  pass("image", p.image);
  pass("position", p.position);
  pass("velocity", p.velocity);
  pass("listed_position", p.listed_position);
  pass("thermostat", p.thermostat);
  pass("box", p.box);
  pass("barostat", p.barostat);
  pass("bodies", p.bodies);
  pass("touching", p.grains.touching);
  pass("contacts", p.grains.contacts);
  pass("spin", p.grains.spin);
  pass("contact_sums", p.grains.sums);
  pass("contact_work", p.grains.taken);
  pass("listed_walls", p.grains.listed_walls);
  pass("carriers", p.carriers);
  pass("wrenches", p.wrenches);
  pass("mechanism", p.mechanism);
}

class Writer {
 public:
  void operator()(std::string_view key, const std::string& text) {
    fmt::format_to(std::back_inserter(out), "{} {}\n{}\n", key, text.size(), text);
  }
  void operator()(std::string_view key, const std::vector<std::string>& texts) {
    fmt::format_to(std::back_inserter(out), "{} {}\n", key, texts.size());
    for (const std::string& text : texts) (*this)("text", text);
  }
  void operator()(std::string_view key, bool value) { (*this)(key, std::int64_t{value}); }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void operator()(std::string_view key, Number value) {
    fmt::format_to(std::back_inserter(out), "{} {}\n", key, value);
  }
  template <class List>
  requires requires(const List& list) {
    list.data() + list.size();
    list[0] * 2;
  }
  void operator()(std::string_view key, const List& list) {
    fmt::format_to(std::back_inserter(out), "{} {}", key, list.size());
    for (const auto value : list) fmt::format_to(std::back_inserter(out), " {}", value);
    out += '\n';
  }
  std::string out;
};

class Reader {
 public:
  Reader(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  [[noreturn]] void fail(const std::string& message) const { throw InputError(name_ + ": " + message); }

  void operator()(std::string_view key, std::string& text) {
    const auto size = take_first<std::size_t>(key);
    end_line(key);
    if (size >= text_.size() || text_[size] != '\n') fail(fmt::format("the text '{}' is cut short", key));
    text = text_.substr(0, size);
    text_.remove_prefix(size + 1);
  }
  void operator()(std::string_view key, std::vector<std::string>& texts) {
    const auto size = take_first<std::size_t>(key);
    end_line(key);
    if (size > text_.size()) fail("a list is longer than the file");
    texts.resize(size);
    for (std::string& text : texts) (*this)("text", text);
  }
  void operator()(std::string_view key, bool& value) {
    value = take_first<int>(key) != 0;
    end_line(key);
  }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void operator()(std::string_view key, Number& value) {
    value = take_first<Number>(key);
    end_line(key);
  }
  template <class Number>
  void operator()(std::string_view key, std::vector<Number>& list) {
    const auto size = take_first<std::size_t>(key);
    if (size > text_.size()) fail("a list is longer than the file");
    list.resize(size);
    for (Number& value : list) value = take<Number>(key);
    end_line(key);
  }
  void operator()(std::string_view key, std::array<double, 6>& list) {
    if (take_first<std::size_t>(key) != list.size()) fail(fmt::format("{}: has another length", key));
    for (double& value : list) value = take<double>(key);
    end_line(key);
  }

 private:
  template <class Number>
  Number take_first(std::string_view key) {
    if (!text_.starts_with(key) || text_.substr(key.size(), 1) != " ")
      fail(fmt::format("expected '{}'", key));
    text_.remove_prefix(key.size());
    return take<Number>(key);
  }
  template <class Number>
  Number take(std::string_view key) {
    Number value{};
    if (!text_.starts_with(' ')) fail(fmt::format("{}: a number is missing", key));
    text_.remove_prefix(1);
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) fail(fmt::format("{}: something is not a number", key));
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }
  void end_line(std::string_view key) {
    if (!text_.starts_with('\n')) fail(fmt::format("{}: the line does not end", key));
    text_.remove_prefix(1);
  }

  std::string_view text_;
  std::string name_;
};

std::string checksum_line(std::string_view text) {
  Checksum sum;
  sum.add(text);
  return fmt::format("{}{:016x}\n", kChecksum, sum.value());
}

}  // namespace

std::string to_text(const ParticleRunCheckpoint& checkpoint) {
  Writer writer;
  writer.out = kParticleCheckpoint;
  pass_values(writer, checkpoint);
  writer.out += checksum_line(writer.out);
  return std::move(writer.out);
}

ParticleRunCheckpoint parse_particle_checkpoint(const std::string& text, const std::string& name) {
  const std::string_view whole = text;
  if (!whole.starts_with(kParticleCheckpoint)) throw InputError(name + ": is not a checkpoint of particles");
  const std::size_t size = whole.size() - std::min(whole.size(), kChecksumLine);
  if (whole.substr(size) != checksum_line(whole.substr(0, size))) {
    throw InputError(name + ": is cut short or damaged: its checksum is not that of its contents");
  }
  ParticleRunCheckpoint checkpoint;
  Reader reader(whole.substr(std::string_view(kParticleCheckpoint).size()), name);
  pass_values(reader, checkpoint);
  return checkpoint;
}

}  // namespace sestina
