// Reads an HDF5 result piece by piece; hdf5_recorder.h describes the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "sestina/io/hdf5_handle.h"
#include "sestina/io/hdf5_row_writer.h"
#include "sestina/io/result.h"
#include "sestina/io/row_checksums.h"

namespace sestina {

// A file that Hdf5Recorder wrote or is still writing, or one of an earlier version (layout 1, without
// checksums). All functions throw Hdf5Error. The library cannot survive every kind of damage: see
// `check_hdf5_result`.
class Hdf5ResultFile {
 public:
  explicit Hdf5ResultFile(const std::filesystem::path& path);

  const ResultHeader& header() const { return header_; }
  std::size_t rows() const { return rows_; }
  // Reads as many rows as `values` (any number of rows x columns, by rows) can hold.
  void read_rows(std::size_t first, std::span<double> values) const;
  // Throws if `sums`, of the first rows or of all, differ from those that were written.
  void check(const RowChecksums& sums) const;
  // True if an index leads to the rows, which the library has to follow.
  bool has_index() const;

  // For a writer that continues the file; there is at least one row.
  Hdf5RowPlaces places() const;
  bool can_be_continued() const { return version_ > 1; }

 private:
  void find_rows();

  Hdf5File file_;
  int version_;  // of the layout
  ResultHeader header_;
  std::vector<std::uint64_t> checksums_;  // of the dataset; read before `values_`, which may grow at any time
  Hdf5Dataset values_;
  std::size_t rows_;              // in `values_`, later the valid ones
  std::uint64_t unfinished_ = 0;  // checksum of the rows after the finished blocks
};

// Checks that the library can read the file safely: it matches its seal, or a child process could read it.
// Throws Hdf5Error.
void check_hdf5_result(const std::filesystem::path& path);

}  // namespace sestina
