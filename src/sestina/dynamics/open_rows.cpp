#include "sestina/dynamics/open_rows.h"

namespace sestina {

void OpenRows::grow() {
  const std::size_t capacity = std::max<std::size_t>(2 * kBlock, 2 * capacity_);
  std::vector<double> larger((kFirstOfS + capacity) * capacity);
  for (std::size_t k = 0; k < kFirstOfS + size(); ++k) {
    std::copy_n(line(k), size(), larger.data() + k * capacity);
  }
  numbers_ = std::move(larger);
  capacity_ = capacity;
}

std::size_t OpenRows::append(int row) {
  if (size() == capacity_) grow();
  rows_.push_back(row);
  listed = kNone;
  return size() - 1;
}

void OpenRows::remove(std::size_t i) {
  const std::size_t last = size() - 1;
  rows_[i] = rows_[last];
  rows_.pop_back();
  listed = kNone;
  for (std::size_t k = 0; k < kFirstOfS; ++k) {
    line(k)[i] = line(k)[last];
    line(k)[last] = 0.0;
  }
  double* const of_last = S(last);
  if (i != last) {
    double* const of_i = S(i);
    const double diagonal = of_last[last];
    for (std::size_t j = 0; j < last; ++j) of_i[j] = S(j)[i] = of_last[j];
    of_i[i] = diagonal;
  }
  for (std::size_t j = 0; j <= last; ++j) of_last[j] = S(j)[last] = 0.0;
}

void OpenRows::clear_numbers() {
  const std::size_t n = size();
  for (std::size_t k = 0; k < kFirstOfS + n; ++k) std::fill_n(line(k), n, 0.0);
  rows_.clear();
  listed = kNone;
}

}  // namespace sestina
