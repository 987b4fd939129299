#include "sestina/io/row_checksums.h"

#include <bit>

namespace sestina {
namespace {

constexpr std::size_t kBlocks = 8;      // blocks of each size
constexpr std::size_t kFirstRows = 64;  // in the smallest blocks

}  // namespace

RowChecksums::Block RowChecksums::block_of(std::size_t row) {
  constexpr std::size_t kFirstLevel = kBlocks * kFirstRows;  // rows
  // Level k has 2^k times the rows of the first level, so that it begins at kFirstLevel (2^k - 1).
  const auto level = static_cast<std::size_t>(std::bit_width(row / kFirstLevel + 1) - 1);
  const std::size_t begin = kFirstLevel * ((std::size_t{1} << level) - 1);
  const std::size_t rows = kFirstRows << level;
  const std::size_t block = (row - begin) / rows;
  return {level * kBlocks + block, begin + block * rows, rows};
}

void RowChecksums::add_rows(std::span<const double> rows) {
  for (; !rows.empty(); rows = rows.subspan(columns_)) {
    sum_.add(rows.first(columns_));
    if (++rows_ < end_of_block_) continue;
    finished_.push_back(sum_.value());
    sum_ = RowChecksum();
    end_of_block_ += block_of(rows_).rows;
  }
}

}  // namespace sestina
