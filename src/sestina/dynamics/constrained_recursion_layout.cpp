// ConstrainedRecursion computes once where conditions open and where they are complete.
#include <algorithm>
#include <numeric>

#include "sestina/dynamics/constrained_recursion.h"

namespace sestina {

void ConstrainedRecursion::lay_out(const ConstraintRows<double>& constraints, PartRows part_rows) {
  part_rows_ = std::move(part_rows);
  const std::size_t rows = part_rows_.rows.size() + (handle_ > 0 ? 6 : 0);
  complete_at_.assign(rows, -1);
  is_inertia_.assign(rows, 0);
  has_opened_.assign(rows, 0);
  idle_values_.assign(rows, 0.0);
  d_.assign(rows, 0.0);
  number_bodies();
  if (num_bases_ > 1) unite_mechanisms(constraints);
  find_meeting_places(constraints);
  is_laid_out_ = true;
}

void ConstrainedRecursion::number_bodies() {
  index_of_body_.assign(static_cast<std::size_t>(model_->bodies().size()), -1);
  index_of_speed_.assign(static_cast<std::size_t>(model_->nu()), -1);
  for (std::size_t i = links_.size(); i-- > 0;) {
    index_of_body_[static_cast<std::size_t>(links_[i].body)] = static_cast<int>(i);
    std::fill_n(index_of_speed_.begin() + links_[i].u_start, links_[i].nu, static_cast<int>(i));
  }
}

int ConstrainedRecursion::base_of(int index) const {
  while (index >= static_cast<int>(num_bases_)) index = links_[static_cast<std::size_t>(index)].parent;
  return index;
}

// Visits the indices of the bodies, other than bases, on which a condition acts by a frame or a speed.
template <class Visit>
void ConstrainedRecursion::for_each_acting(const ConstraintRows<double>& constraints, int row,
                                           const Visit& visit) const {
  const ConstraintRow<double>& of = row_of(constraints, row);
  const auto visit_body = [&](int index) {
    if (index >= static_cast<int>(num_bases_)) visit(index);
  };
  for_each_pair(constraints, of, [&](const FramePair<double>& pair) {
    visit_body(index_of_body_[static_cast<std::size_t>(pair.a.value())]);
    visit_body(index_of_body_[static_cast<std::size_t>(pair.b.value())]);
  });
  for (int i = of.first_term; i < of.first_term + of.terms; ++i) {
    visit_body(
        index_of_speed_[static_cast<std::size_t>(constraints.terms[static_cast<std::size_t>(i)].speed)]);
  }
}

// Gives one base to the bodies on the ground whose mechanisms conditions connect.
void ConstrainedRecursion::unite_mechanisms(const ConstraintRows<double>& constraints) {
  std::vector<int> united(num_bases_);  // the base itself or an earlier one
  std::iota(united.begin(), united.end(), 0);
  const auto first_of = [&](int base) {
    while (united[static_cast<std::size_t>(base)] != base) base = united[static_cast<std::size_t>(base)];
    return base;
  };
  for (std::size_t r = 0; r < part_rows_.rows.size(); ++r) {
    int first = -1;
    for_each_acting(constraints, static_cast<int>(r), [&](int index) {
      const int base = first_of(base_of(index));
      if (first >= 0) united[static_cast<std::size_t>(std::max(first, base))] = std::min(first, base);
      first = first < 0 ? base : std::min(first, base);
    });
  }
  for (std::size_t i = num_bases_; i < links_.size(); ++i) {
    if (links_[i].parent < static_cast<int>(num_bases_)) links_[i].parent = first_of(links_[i].parent);
  }
}

// The bodies on which a condition acts never change, so this is computed once.
void ConstrainedRecursion::find_meeting_places(const ConstraintRows<double>& constraints) {
  // Parents precede their children.
  const auto meet = [&](int a, int b) {
    while (a != b) (a > b ? a : b) = links_[static_cast<std::size_t>(std::max(a, b))].parent;
    return a;
  };
  for (std::size_t r = 0; r < part_rows_.rows.size(); ++r) {
    const ConstraintRow<double>& row = row_of(constraints, static_cast<int>(r));
    int meeting = -1;
    const auto include = [&](int body) { meeting = meeting < 0 ? body : meet(meeting, body); };
    for_each_pair(constraints, row, [&](const FramePair<double>& pair) {
      for (const FrameIndex frame : {pair.a, pair.b}) {
        const int index = index_of_body_[static_cast<std::size_t>(frame.value())];
        if (index < 0) continue;
        include(index);
        std::vector<int>& acting = acting_rows_[static_cast<std::size_t>(index)];
        if (acting.empty() || acting.back() != static_cast<int>(r)) acting.push_back(static_cast<int>(r));
      }
    });
    for (int i = row.first_term; i < row.first_term + row.terms; ++i) {
      const int speed = constraints.terms[static_cast<std::size_t>(i)].speed;
      const int index = index_of_speed_[static_cast<std::size_t>(speed)];
      if (index < 0) continue;
      const Link& link = links_[static_cast<std::size_t>(index)];
      std::vector<int>& rows = term_rows_[link.column + static_cast<std::size_t>(speed - link.u_start)];
      rows.push_back(static_cast<int>(r));
      // A coefficient enters when its joint is eliminated; from then on the condition is open at the parent.
      include(link.parent);
    }
    if (!part_rows_.completes[r]) continue;
    if (meeting < static_cast<int>(num_bases_)) {
      for_each_acting(constraints, static_cast<int>(r), [&](int index) { meeting = base_of(index); });
    }
    complete_at_[r] = std::max(meeting, 0);
    completes_rows_[static_cast<std::size_t>(complete_at_[r])] = 1;
  }
}

}  // namespace sestina
