// Sets of multipliers that exert no force together, one for each redundant condition. Without their part, the
// multipliers of all conditions are those of least norm.
#pragma once

#include <span>
#include <vector>

namespace sestina {

class IdleMultipliers {
 public:
  explicit IdleMultipliers(int rows);

  // Begins anew; then each set is begun and its multipliers that are not zero are added.
  void clear();
  void begin_set() { sets_.push_back({rows_.size(), rows_.size()}); }
  void add(int row, double multiplier);
  // Orthonormalises, by Gram-Schmidt, sets that have conditions in common.
  void orthonormalize();
  void remove_from(std::span<double> lambda) const;

 private:
  struct Range {
    std::size_t begin = 0, end = 0;
  };
  // Sets that have conditions in common: `count` vectors over these rows.
  struct Group {
    Range rows;              // in group_rows_
    std::size_t values = 0;  // in values_
    std::size_t count = 0;
  };
  int find_first(int set);
  void make_group(int first);
  void orthonormalize(const Group& group);

  std::vector<int> rows_;
  std::vector<double> multipliers_;  // beside rows_
  std::vector<Range> sets_;
  std::vector<int> joined_;  // by set: another one that has conditions in common, or itself
  std::vector<int> next_;    // by set: the next one of its group; -1: none
  std::vector<int> set_of_;  // by row: the first set that has it; -1: none
  std::vector<Group> groups_;
  std::vector<int> group_rows_;
  std::vector<std::size_t> place_;  // by row: in the rows of its group
  std::vector<double> values_;
};

}  // namespace sestina
