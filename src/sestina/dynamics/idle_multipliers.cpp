#include "sestina/dynamics/idle_multipliers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sestina {

IdleMultipliers::IdleMultipliers(int rows)
    : set_of_(static_cast<std::size_t>(rows), -1), place_(static_cast<std::size_t>(rows)) {}

void IdleMultipliers::clear() {
  for (const int row : rows_) set_of_[static_cast<std::size_t>(row)] = -1;
  rows_.clear(), multipliers_.clear(), sets_.clear(), joined_.clear(), next_.clear();
  groups_.clear(), group_rows_.clear(), values_.clear();
}

void IdleMultipliers::add(int row, double multiplier) {
  rows_.push_back(row);
  multipliers_.push_back(multiplier);
  sets_.back().end = rows_.size();
}

int IdleMultipliers::find_first(int set) {
  while (joined_[static_cast<std::size_t>(set)] != set) set = joined_[static_cast<std::size_t>(set)];
  return set;
}

void IdleMultipliers::orthonormalize() {
  for (std::size_t set = 0; set < sets_.size(); ++set) {
    joined_.push_back(static_cast<int>(set));
    for (std::size_t i = sets_[set].begin; i < sets_[set].end; ++i) {
      int& other = set_of_[static_cast<std::size_t>(rows_[i])];
      if (other < 0) other = static_cast<int>(set);
      const int a = find_first(other), b = find_first(static_cast<int>(set));
      joined_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  }
  next_.assign(sets_.size(), -1);
  // The first set of a group is the first of its list; the others follow in some order.
  for (int set = static_cast<int>(sets_.size()) - 1; set >= 0; --set) {
    const int first = find_first(set);
    if (first == set) continue;
    next_[static_cast<std::size_t>(set)] = next_[static_cast<std::size_t>(first)];
    next_[static_cast<std::size_t>(first)] = set;
  }
  for (int set = 0; set < static_cast<int>(sets_.size()); ++set) {
    if (joined_[static_cast<std::size_t>(set)] == set) make_group(set);
  }
}

// The group of all sets that are joined with this one, which is the first of them.
void IdleMultipliers::make_group(int first) {
  Group group;
  group.rows.begin = group_rows_.size(), group.values = values_.size();
  for (int set = first; set >= 0; set = next_[static_cast<std::size_t>(set)]) {
    ++group.count;
    const Range& range = sets_[static_cast<std::size_t>(set)];
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const auto row = static_cast<std::size_t>(rows_[i]);
      if (set_of_[row] != set) continue;  // an earlier set has it
      place_[row] = group_rows_.size() - group.rows.begin;
      group_rows_.push_back(rows_[i]);
    }
  }
  group.rows.end = group_rows_.size();
  const std::size_t size = group.rows.end - group.rows.begin;
  values_.resize(values_.size() + group.count * size, 0.0);
  double* value = values_.data() + group.values;
  for (int set = first; set >= 0; set = next_[static_cast<std::size_t>(set)]) {
    const Range& range = sets_[static_cast<std::size_t>(set)];
    for (std::size_t i = range.begin; i < range.end; ++i) {
      value[place_[static_cast<std::size_t>(rows_[i])]] = multipliers_[i];
    }
    value += size;
  }
  orthonormalize(group);
  groups_.push_back(group);
}

void IdleMultipliers::orthonormalize(const Group& group) {
  const std::size_t size = group.rows.end - group.rows.begin;
  double* const values = values_.data() + group.values;
  for (std::size_t i = 0; i < group.count; ++i) {
    double* const idle = values + i * size;
    for (std::size_t j = 0; j < i; ++j) {
      const double* const other = values + j * size;
      const double part = std::inner_product(idle, idle + size, other, 0.0);
      for (std::size_t k = 0; k < size; ++k) idle[k] -= part * other[k];
    }
    const double norm = std::sqrt(std::inner_product(idle, idle + size, idle, 0.0));
    for (std::size_t k = 0; k < size; ++k) idle[k] /= norm;
  }
}

void IdleMultipliers::remove_from(std::span<double> lambda) const {
  for (const Group& group : groups_) {
    const std::size_t size = group.rows.end - group.rows.begin;
    const int* const rows = group_rows_.data() + group.rows.begin;
    for (std::size_t i = 0; i < group.count; ++i) {
      const double* const idle = values_.data() + group.values + i * size;
      double part = 0.0;
      for (std::size_t k = 0; k < size; ++k) part += idle[k] * lambda[static_cast<std::size_t>(rows[k])];
      for (std::size_t k = 0; k < size; ++k) lambda[static_cast<std::size_t>(rows[k])] -= part * idle[k];
    }
  }
}

}  // namespace sestina
