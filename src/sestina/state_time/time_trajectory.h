// The motion on consecutive elements in time: the layout of their numbers, and the motion at any instant.
//
// Elements may differ in length and degree. The unknowns of an element (ElementLayout) follow those of the
// previous one; the coordinates of the joints at its points and at its end are stored separately.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sestina/state_time/element_layout.h"
#include "sestina/state_time/element_pair.h"
#include "sestina/state_time/joint_conditions.h"

namespace sestina {

// Data that elements of one degree share.
struct ElementForm {
  ElementPair pair;
  ElementLayout layout;
};

struct TimeElement {
  double t = 0.0, h = 0.0;  // s: start and length
  std::shared_ptr<const ElementForm> form;
  double end() const { return t + h; }
};

class TimeTrajectory {
 public:
  struct Place {
    int element;
    double s;  // from 0 to 1
  };

  // Begins without elements, with v, w, C, x of all bodies and the coordinates of the joints at the start.
  void begin(double t, std::span<const double> start, std::span<const double> q);
  // Appends consecutive elements whose numbers are zero.
  void append(const std::shared_ptr<const ElementForm>& form, std::span<const double> lengths);
  // Allocates memory for `count` more elements.
  void reserve(const ElementForm& form, int count);
  // Removes the elements from `first` on and returns them.
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
  std::span<double> unknowns_from(int e) {  // of this element and all later ones
    return std::span<double>(unknowns_).subspan(at(unknowns_at_, e));
  }
  std::span<double> coordinates_of(int e) {  // (k x nq)
    return std::span<double>(coordinates_).subspan(at(coordinates_at_, e), size_at(coordinates_at_, e));
  }
  // (nq) at the start of element e; e = size(): at the end of the last.
  std::span<double> coordinates_at_start(int e);
  std::span<const double> coordinates_at_start(int e) const;
  std::span<const double> coordinates_from(int e) const {  // starts of this and all later elements
    return std::span<const double>(start_coordinates_).subspan(static_cast<std::size_t>(e) * nq_);
  }

  // Finds the place of t; an instant that is an end of an element up to round-off counts as that end.
  Place find(double t) const;
  // Computes all bodies but the ground by the element's polynomials; at the ends, by the values there.
  void calc_bodies(double t, std::span<BodyInstant> bodies) const;
  // Computes the multipliers of the joints' conditions by the element's polynomial.
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
