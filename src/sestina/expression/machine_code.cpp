#include "sestina/expression/machine_code.h"

#include <algorithm>
#include <utility>

#include "sestina/expression/interpreter.h"
#include "sestina/expression/scratch_memory.h"

namespace sestina {
namespace {

using Segment = void(double* rows, const double* uniforms, double* out, std::size_t stride,
                     const double* variables);

// Number of states whose mirrors are copied together: their outputs are then still in a near cache.
constexpr std::size_t kChunk = 64;
// Limit on the instructions for which two streams run side by side: code of twice the size still fits in the
// nearest cache.
constexpr std::size_t kMostInStreams = 2500;
constexpr std::size_t kLine = 64;  // bytes of a cache line

// Number of doubles from here to the next beginning of a cache line.
std::size_t doubles_before_line(const double* from) {
  const auto address = reinterpret_cast<std::uintptr_t>(from);
  return ((kLine - address % kLine) % kLine) / sizeof(double);
}

// Aligns the rows to cache lines.
double* align(double* scratch) { return scratch + doubles_before_line(scratch); }

}  // namespace

MachineCode::MachineCode(const CompiledProgram& program, CompiledFunction::Backend backend)
    : tables_(program.tables().begin(), program.tables().end()),
      variable_count_(program.variable_count()),
      output_count_(program.output_count()) {
  CallSchedule schedule = schedule_calls(program);
  AllocatedCode allocated = allocate_registers(program, schedule, registers_for(backend, true));
  one_.shape = shape_of_code(backend, true);
  one_.row_count = allocated.row_count;
  one_.written = write_segments(allocated, one_.shape, {});
  many_->code.shape = shape_of_code(backend, false);
  if (backend != CompiledFunction::Backend::kAvx512) {
    allocated = allocate_registers(program, schedule, registers_for(backend, false));
  } else if (allocated.instructions.size() <= kMostInStreams) {
    allocated = allocate_registers(program, schedule, {16, true});
    many_->code.shape.streams = 2;
  }
  many_->code.row_count = allocated.row_count;
  many_->allocated = std::move(allocated);
  groups_ = std::move(schedule.groups);
  find_mirrors(program);
}

// If several outputs are the same value, the code stores the one nearest to the previous store: symmetric
// matrices are then written along their rows, which touch fewer pages and cache lines than columns.
void MachineCode::find_mirrors(const CompiledProgram& program) {
  ScratchMemory memory;
  ScratchVector<std::uint32_t> first(program.value_count(), kNowhere, &memory);  // by value
  ScratchVector<std::uint32_t> next(output_count_, kNowhere, &memory),
      original_of(next, &memory);  // by output
  for (const CompiledProgram::Instruction& i : program.code()) {
    if (i.code != CompiledProgram::Code::kStore) continue;
    next[i.to] = std::exchange(first[i.a], i.to);
  }
  std::uint32_t before = 0;
  for (const CompiledProgram::Instruction& i : program.code()) {
    if (i.code != CompiledProgram::Code::kStore || first[i.a] == kNowhere) continue;
    const std::uint32_t some = std::exchange(first[i.a], kNowhere);
    const auto distance = [before](std::uint32_t output) {
      return output > before ? output - before : before - output;
    };
    std::uint32_t original = some;
    for (std::uint32_t o = some; o != kNowhere; o = next[o]) {
      if (distance(o) < distance(original)) original = o;
    }
    for (std::uint32_t o = some; o != kNowhere; o = next[o]) {
      if (o != original) original_of[o] = original;
    }
    before = original;
  }
  for (std::uint32_t o = 0; o < output_count_; ++o) {
    if (original_of[o] != kNowhere) mirrors_.push_back({o, original_of[o]});
  }
}

void MachineCode::write_many() const {
  std::vector<bool> left_out(output_count_, false);
  for (const Mirror& m : mirrors_) left_out[m.output] = true;
  many_->code.written = write_segments(many_->allocated, many_->code.shape, left_out);
  many_->allocated = {};
}

std::size_t MachineCode::scratch_size() const {
  const auto lanes = static_cast<std::size_t>(many_->code.shape.lanes * many_->code.shape.streams);
  const std::size_t line = 8, border = variable_count_ + output_count_;
  return line + std::max(one_.row_count + border, lanes * (many_->code.row_count + border));
}

template <int kLanes>
void MachineCode::run(const Code& code, const double* bound, const double* in, double* out,
                      std::size_t stride, double* rows) const {
  const std::vector<std::size_t>& segments = code.written.segments;
  for (std::size_t g = 0; g < segments.size(); ++g) {
    const auto segment = reinterpret_cast<Segment*>(code.written.memory.at(segments[g]));
    const std::int32_t middle = code.shape.middle;
    segment(rows + middle * kLanes, bound + middle, out, stride * sizeof(double), in);
    if (g == groups_.size()) return;
    const CallGroup& group = groups_[g];
    const std::size_t angles = std::size_t{group.angle_count} * kLanes;
    for (int s = 0; s < code.shape.streams; ++s) {
      double* const own = rows + static_cast<std::size_t>(s) * code.row_count * kLanes;
      double* const first = own + std::size_t{group.angles} * kLanes;
      if (angles > 0) calc_many_sincos(first, angles, first + angles, first + 2 * angles);
      for (const CompiledProgram::Instruction& call : group.others) run_call<kLanes>(call, own, tables_);
    }
  }
}

void MachineCode::run_one(const double* bound, const double* in, double* out, double* scratch) const {
  run<1>(one_, bound, in, out, 1, align(scratch));
}

// Copying rows for many states is faster than lines of one register width, each of which is on another
// page.
void MachineCode::copy_mirrors(double* out, std::size_t stride, std::size_t count) const {
  for (const Mirror& m : mirrors_) {
    std::copy_n(out + m.original * stride, count, out + m.output * stride);
  }
}

// The last block begins earlier if it would not be full. If there are fewer states than lanes, the last state
// is copied to the other lanes.
template <int kLanes>
void MachineCode::run_blocks(const double* bound, const double* in, double* out, std::size_t count,
                             double* scratch) const {
  double* const rows = align(scratch);
  const std::size_t width = std::size_t{kLanes} * static_cast<std::size_t>(many_->code.shape.streams);
  for (std::size_t begin = 0; count >= width && begin < count; begin += kChunk) {
    const std::size_t end = std::min(begin + kChunk, count);
    for (std::size_t at = begin; at < end; at += width) {
      const std::size_t k = std::min(at, count - width);
      run<kLanes>(many_->code, bound, in + k, out + k, count, rows);
    }
    copy_mirrors(out + begin, count, end - begin);
  }
  if (count >= width) return;
  double* const variables = rows + many_->code.row_count * width;
  double* const outputs = variables + variable_count_ * width;
  for (std::size_t i = 0; i < variable_count_; ++i) {
    for (std::size_t lane = 0; lane < width; ++lane) {
      variables[i * width + lane] = in[i * count + std::min(lane, count - 1)];
    }
  }
  run<kLanes>(many_->code, bound, variables, outputs, width, rows);
  for (std::size_t j = 0; j < output_count_; ++j) {
    std::copy_n(outputs + j * width, count, out + j * count);
  }
  copy_mirrors(out, count, count);
}

void MachineCode::run_one_by_one(const double* bound, const double* in, double* out, std::size_t count,
                                 double* scratch) const {
  double* const rows = align(scratch);
  double* const variables = rows + one_.row_count;
  double* const outputs = variables + variable_count_;
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < variable_count_; ++i) variables[i] = in[i * count + k];
    run<1>(one_, bound, variables, outputs, 1, rows);
    for (std::size_t j = 0; j < output_count_; ++j) out[j * count + k] = outputs[j];
  }
}

void MachineCode::run_many(const double* bound, const double* in, double* out, std::size_t count,
                           double* scratch) const {
  std::call_once(many_->written, [this] { write_many(); });
  if (many_->code.written.memory.empty()) return run_one_by_one(bound, in, out, count, scratch);
  if (many_->code.shape.lanes == 8) return run_blocks<8>(bound, in, out, count, scratch);
  if (many_->code.shape.lanes == 4) return run_blocks<4>(bound, in, out, count, scratch);
  run_blocks<2>(bound, in, out, count, scratch);
}

}  // namespace sestina
