// Recorders: the outputs for the rows of a run.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sestina/io/result.h"

namespace sestina {

// Receives the rows of a run one after the other: begin (or resume), record, record, ..., end. `begin` and
// `resume` throw InputError, since nothing has been computed yet; the others throw ComputationError with the
// time of the last row if the rows cannot be written (disk full), and nothing is written afterwards; `end`
// may still be called. `record` allocates no heap memory, except in the file library when the rows are passed
// to it.
class Recorder {
 public:
  Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  virtual ~Recorder() = default;

  virtual void begin(const ResultHeader& header) = 0;
  // True if it stores the origin of the rows: the text of the model and the provenance. Without it the header
  // may lack these, whose creation takes as long as a short run.
  virtual bool keeps_origin() const { return true; }
  // Instead of `begin`: continues the output of an interrupted run, keeps its first `rows` rows, whose
  // RowChecksum is given, and drops later ones. Throws InputError without changing anything if the output is
  // another result, with other columns or provenance, or damaged, with fewer rows or other numbers. A
  // recorder without persistent output starts from the first row.
  virtual void resume(const ResultHeader& header, std::size_t rows, std::uint64_t checksum);
  virtual void record(std::span<const double> row) = 0;  // (columns)
  // A row between the regular ones: at an event, or where a run was interrupted.
  virtual void record_between(std::span<const double> row) { record(row); }
  virtual void flush() = 0;         // rows recorded so far then survive `kill -9`
  virtual void sync() { flush(); }  // ... and a loss of power, if that is a difference
  virtual void end() = 0;
};

// Keeps the rows in memory. `expected_rows` is a hint that avoids reallocation.
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

// Decides when a recorder flushes, so that a killed run loses little even if its rows come slowly: rows
// within kPeriod share a flush, others get one each.
class FlushClock {
 public:
  static constexpr std::chrono::milliseconds kPeriod{250};  // wall time

  bool is_due() const { return Clock::now() - last_ >= kPeriod; }
  void restart() { last_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

// Returns the index of column `t`, the time in a recorder's errors, or -1.
int time_column(const ResultHeader& header);

}  // namespace sestina
