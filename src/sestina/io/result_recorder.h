// Where the rows of a run go.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sestina/io/result.h"

namespace sestina {

// Takes the rows of a run, one after the other: begin (or resume), record, record, ..., end.
// `begin` and `resume` throw InputError, since nothing has been computed yet; the others throw
// ComputationError with the time of the last row when the rows cannot be written (disk full), and nothing is
// written after that; `end` may still be called. `record` allocates no heap memory, save what the file
// library takes when the rows are handed to it.
class Recorder {
 public:
  Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  virtual ~Recorder() = default;

  virtual void begin(const ResultHeader& header) = 0;
  // Whether it keeps where the rows come from: the text of the model and the provenance, which the header may
  // lack otherwise. To make them takes as long as a short run.
  virtual bool keeps_origin() const { return true; }
  // Instead of `begin`: continues what the recorder of an interrupted run left, keeps its first `rows` rows,
  // whose RowChecksum is given, and drops those after them. Throws InputError, and has changed nothing, where
  // that is another result, with other columns or provenance, or damaged, with fewer rows or other numbers. A
  // recorder that leaves nothing behind begins anew.
  virtual void resume(const ResultHeader& header, std::size_t rows, std::uint64_t checksum);
  virtual void record(std::span<const double> row) = 0;  // (columns)
  // A row that stands between the regular ones: at an event, or where a run broke off.
  virtual void record_between(std::span<const double> row) { record(row); }
  virtual void flush() = 0;         // what was recorded now survives `kill -9`
  virtual void sync() { flush(); }  // ... and a loss of power, where that makes a difference
  virtual void end() = 0;
};

// Keeps the rows. `expected_rows` is a hint that spares reallocation.
class MemoryRecorder final : public Recorder {
 public:
  explicit MemoryRecorder(std::size_t expected_rows = 0) : expected_rows_(expected_rows) {}

  void begin(const ResultHeader& header) override;
  void record(std::span<const double> row) override { table_.append_row(row); }
  void flush() override {}
  void end() override {}
  const ResultTable& table() const { return table_; }

 private:
  std::size_t expected_rows_;
  ResultTable table_;
};

// Tells a recorder when to flush, so that a killed run loses little however slowly its rows come: rows that
// follow each other within kPeriod share a flush, others get one each.
class FlushClock {
 public:
  static constexpr std::chrono::milliseconds kPeriod{250};  // wall time

  bool is_due() const { return Clock::now() - last_ >= kPeriod; }
  void restart() { last_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

// The index of column `t`, by which a recorder dates its errors, or -1.
int time_column(const ResultHeader& header);

}  // namespace sestina
