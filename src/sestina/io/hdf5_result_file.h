// A result in HDF5 that is read piece by piece; hdf5_recorder.h tells the layout.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "sestina/io/hdf5_handle.h"
#include "sestina/io/result.h"

namespace sestina {

// What Hdf5Recorder wrote, or is still writing. All functions throw Hdf5Error.
class Hdf5ResultFile {
 public:
  explicit Hdf5ResultFile(const std::filesystem::path& path);

  const ResultHeader& header() const { return header_; }
  std::size_t rows() const { return rows_; }
  // As many rows as `values` (any number of rows x columns, by rows) has room for.
  void read_rows(std::size_t first, std::span<double> values) const;

 private:
  Hdf5File file_;
  ResultHeader header_;
  Hdf5Dataset values_;
  std::size_t rows_;
};

}  // namespace sestina
