// The checksums of a result's rows, by blocks, so that damage can be located.
//
// There are 8 blocks of 64 rows, then 8 of 128, and so on: a result of any length has few blocks, and the
// place of a block's checksum does not depend on the number of rows. The last block is unfinished while rows
// are added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sestina/io/checksum.h"

namespace sestina {

class RowChecksums {
 public:
  // The number of blocks for the largest number of rows, 2^53.
  static constexpr std::size_t kMostBlocks = 8 * 45;

  // The block that contains a row.
  struct Block {
    std::size_t index = 0;
    std::size_t first = 0;  // row
    std::size_t rows = 0;
  };
  static Block block_of(std::size_t row);

  explicit RowChecksums(std::size_t columns) : columns_(columns) { finished_.reserve(kMostBlocks); }

  void add_rows(std::span<const double> rows);  // (any number of rows x columns), by rows
  std::size_t rows() const { return rows_; }
  const std::vector<std::uint64_t>& finished() const { return finished_; }  // of the finished blocks
  std::uint64_t unfinished() const { return sum_.value(); }                 // of later rows

 private:
  std::size_t columns_;
  std::size_t rows_ = 0;
  std::size_t end_of_block_ = block_of(0).rows;  // row
  RowChecksum sum_;
  std::vector<std::uint64_t> finished_;
};

}  // namespace sestina
