// The motion on elements in time that follow each other: where their numbers stand, and what they say of any
// instant.
//
// Elements may differ in length and degree. The unknowns of each (ElementLayout) follow those of the one
// before; beside them are the coordinates of the joints at its points and at its end.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sestina/state_time/element_layout.h"
#include "sestina/state_time/element_pair.h"
#include "sestina/state_time/joint_conditions.h"

namespace sestina {

// What elements of one degree have in common.
struct ElementForm {
  ElementPair pair;
  ElementLayout layout;
};

struct TimeElement {
  double t = 0.0, h = 0.0;  // s: where it begins, how long it is
  std::shared_ptr<const ElementForm> form;
  double end() const { return t + h; }
};

class TimeTrajectory {
 public:
  struct Place {
    int element;
    double s;  // from 0 to 1
  };

  // Without elements, from what their start is: v, w, C, x of all bodies, and the coordinates of the joints.
  void begin(double t, std::span<const double> start, std::span<const double> q);
  // Elements, end to end, whose numbers are zero.
  void append(const std::shared_ptr<const ElementForm>& form, std::span<const double> lengths);
  // Memory for so many elements more.
  void reserve(const ElementForm& form, int count);
  // Takes the elements from `first` on away, and hands them over.
  TimeTrajectory cut(int first);

  int size() const { return static_cast<int>(elements_.size()); }
  const TimeElement& element(int e) const { return elements_[static_cast<std::size_t>(e)]; }
  std::span<const TimeElement> elements() const { return elements_; }
  double start() const { return t_; }
  double end() const { return elements_.empty() ? t_ : elements_.back().end(); }

  std::span<const double> start_of(int e) const;  // (layout.start_size())
  std::span<double> unknowns_of(int e) {
    return std::span<double>(unknowns_).subspan(at(unknowns_at_, e), size_at(unknowns_at_, e));
  }
  std::span<const double> unknowns_of(int e) const {
    return std::span<const double>(unknowns_).subspan(at(unknowns_at_, e), size_at(unknowns_at_, e));
  }
  std::span<double> unknowns_from(int e) {  // of this element and all that follow
    return std::span<double>(unknowns_).subspan(at(unknowns_at_, e));
  }
  std::span<double> coordinates_of(int e) {  // (k x nq)
    return std::span<double>(coordinates_).subspan(at(coordinates_at_, e), size_at(coordinates_at_, e));
  }
  // (nq) where element e begins; e = size(): where the last ends.
  std::span<double> coordinates_at_start(int e);
  std::span<const double> coordinates_at_start(int e) const;
  std::span<const double> coordinates_from(int e) const {  // at the start of this element and all that follow
    return std::span<const double>(start_coordinates_).subspan(static_cast<std::size_t>(e) * nq_);
  }

  // Instants that are an end of an element but for round-off are meant to be one.
  Place find(double t) const;
  // Of all bodies but the ground: the element's polynomials, at the ends of elements the values there.
  void calc_bodies(double t, std::span<BodyInstant> bodies) const;
  // Of the joints' conditions, by the element's polynomial.
  void calc_multipliers(double t, std::span<double> multipliers) const;

 private:
  static std::size_t at(const std::vector<std::size_t>& places, int e) {
    return places[static_cast<std::size_t>(e)];
  }
  static std::size_t size_at(const std::vector<std::size_t>& places, int e) {
    return at(places, e + 1) - at(places, e);
  }

  double t_ = 0.0;
  std::size_t nq_ = 0;
  std::vector<TimeElement> elements_;
  std::vector<double> start_;                                       // before the first element
  std::vector<double> unknowns_, coordinates_, start_coordinates_;  // start_coordinates_ ((size + 1) x nq)
  std::vector<std::size_t> unknowns_at_{0}, coordinates_at_{0};     // (size + 1)
};

}  // namespace sestina
