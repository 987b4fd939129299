#include "sestina/io/hdf5_recorder.h"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <system_error>

#include "sestina/base/error.h"
#include "sestina/io/hdf5_handle.h"
#include "sestina/io/hdf5_result_file.h"

namespace sestina {
namespace {

constexpr std::size_t kPendingBytes = 1 << 16;

bool same_origin(const ResultHeader& a, const ResultHeader& b) {
  const auto same_column = [](const Column& x, const Column& y) {
    return x.name == y.name && x.unit == y.unit;
  };
  return a.model_name == b.model_name && a.model_text == b.model_text && a.provenance == b.provenance &&
         std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(), same_column);
}

void check_origin(const Hdf5ResultFile& former, const ResultHeader& header, std::size_t rows) {
  if (!same_origin(former.header(), header)) {
    throw Hdf5Error("it is not the result of this run, whose columns, model or provenance are others");
  }
  if (!former.can_be_continued()) {
    throw Hdf5Error("an earlier version of sestina wrote it, in a layout that is read but not continued");
  }
  if (former.rows() < rows) {
    throw Hdf5Error("it has " + std::to_string(former.rows()) + " rows, and should have " +
                    std::to_string(rows) + " by now");
  }
}

}  // namespace

Hdf5Recorder::Hdf5Recorder(std::filesystem::path path) : file_(std::move(path)) {}

Hdf5Recorder::~Hdf5Recorder() {
  if (!writer_) return;
  try {
    end();
  } catch (const ComputationError&) {
    // A destructor cannot report errors.
  }
}

void Hdf5Recorder::prepare(const ResultHeader& header) {
  assert(columns_ == 0 && !header.columns.empty());
  columns_ = header.columns.size();
  most_pending_ = std::max<std::size_t>(1, kPendingBytes / (columns_ * sizeof(double)));
  pending_.resize(most_pending_ * columns_);
  time_column_ = time_column(header);
  clock_.restart();
}

Hdf5Bytes Hdf5Recorder::bytes() {
  const int file = file_.file_descriptor();
  return {[file](std::uint64_t size) { return ::ftruncate(file, static_cast<off_t>(size)) == 0 ? 0 : errno; },
          [file](std::uint64_t place, std::string_view bytes) { return write_all_at(file, place, bytes); }};
}

void Hdf5Recorder::begin(const ResultHeader& header) {
  const Hdf5Silence silence;
  prepare(header);
  try {
    writer_.emplace(bytes(), header);
  } catch (const Hdf5Error& error) {
    throw InputError("cannot write '" + file_.path().string() + "': " + error.what());
  }
  file_.keep();
}

void Hdf5Recorder::resume(const ResultHeader& header, std::size_t rows, std::uint64_t checksum) {
  if (file_.was_absent()) {
    throw InputError("cannot continue '" + file_.path().string() + "': there is no such file");
  }
  const Hdf5Silence silence;
  prepare(header);
  try {
    continue_rows(header, rows, checksum);
  } catch (const Hdf5Error& error) {
    throw InputError("cannot continue '" + file_.path().string() + "': " + error.what());
  }
  file_.keep();
}

void Hdf5Recorder::continue_rows(const ResultHeader& header, std::size_t rows, std::uint64_t checksum) {
  check_hdf5_result(file_.path());
  const Hdf5ResultFile former(file_.path());
  check_origin(former, header, rows);
  if (rows == 0) {
    writer_.emplace(bytes(), header);
    return;
  }
  RowChecksums sums(columns_);
  RowChecksum all;
  while (sums.rows() < rows) {
    const std::size_t count = std::min(most_pending_, rows - sums.rows());
    const auto block = std::span(pending_).first(count * columns_);
    former.read_rows(sums.rows(), block);
    sums.add_rows(block);
    all.add(block);
  }
  former.check(sums);
  if (all.value() != checksum) {
    throw Hdf5Error("its first " + std::to_string(rows) + " rows are not those of this run");
  }
  writer_.emplace(bytes(), former.places(), sums, columns_);
}

void Hdf5Recorder::record(std::span<const double> row) {
  assert(row.size() == columns_);
  if (time_column_ >= 0) last_time_ = row[static_cast<std::size_t>(time_column_)];
  std::copy(row.begin(), row.end(), pending_.begin() + static_cast<std::ptrdiff_t>(pending_rows_ * columns_));
  ++pending_rows_;
  if (pending_rows_ == most_pending_ || clock_.is_due()) flush();
}

template <class Work>
void Hdf5Recorder::guard(Work work) {
  const std::string what = "cannot write '" + file_.path().string() + "': ";
  if (!writer_) throw ComputationError(last_time_, what + "it is closed");
  try {
    work();
  } catch (const Hdf5Error& error) {
    writer_.reset();
    pending_rows_ = 0;
    throw ComputationError(last_time_, what + error.what());
  }
}

void Hdf5Recorder::flush() {
  guard([this] { write_rows(); });
}

void Hdf5Recorder::sync() {
  guard([this] {
    write_rows();
    if (::fsync(file_.file_descriptor()) != 0) throw Hdf5Error(std::generic_category().message(errno));
  });
}

void Hdf5Recorder::write_rows() {
  writer_->append(std::span(pending_).first(pending_rows_ * columns_));
  pending_rows_ = 0;
  clock_.restart();
}

void Hdf5Recorder::end() {
  if (!writer_) return;  // closed by a failure
  guard([this] {
    write_rows();
    writer_->finish();
  });
  writer_.reset();
  file_.close();
}

}  // namespace sestina
