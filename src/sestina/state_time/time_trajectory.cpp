#include "sestina/state_time/time_trajectory.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sestina/state_time/element_layout.h"

namespace sestina {
void TimeTrajectory::begin(double t, std::span<const double> start, std::span<const double> q) {
  t_ = t;
  nq_ = q.size();
  elements_.clear();
  start_.assign(start.begin(), start.end());
  unknowns_.clear(), coordinates_.clear();
  unknowns_at_.assign(1, 0), coordinates_at_.assign(1, 0);
  start_coordinates_.assign(q.begin(), q.end());
}

void TimeTrajectory::reserve(const ElementForm& form, int count) {
  const std::size_t more = index(count);
  elements_.reserve(elements_.size() + more);
  unknowns_.reserve(unknowns_.size() + more * index(form.layout.size()));
  coordinates_.reserve(coordinates_.size() + more * index(form.layout.degree) * nq_);
  start_coordinates_.reserve(start_coordinates_.size() + more * nq_);
  unknowns_at_.reserve(unknowns_at_.size() + more), coordinates_at_.reserve(coordinates_at_.size() + more);
}

void TimeTrajectory::append(const std::shared_ptr<const ElementForm>& form, std::span<const double> lengths) {
  // Compensated summation, so that the round-off of many lengths does not accumulate.
  double t = end(), lost = 0.0;
  for (const double h : lengths) {
    elements_.push_back({t, h, form});
    const double part = h - lost, next = t + part;
    lost = (next - t) - part;
    t = next;
    unknowns_at_.push_back(unknowns_at_.back() + index(form->layout.size()));
    coordinates_at_.push_back(coordinates_at_.back() + index(form->layout.degree) * nq_);
  }
  unknowns_.resize(unknowns_at_.back());
  coordinates_.resize(coordinates_at_.back());
  start_coordinates_.resize((elements_.size() + 1) * nq_);
}

TimeTrajectory TimeTrajectory::cut(int first) {
  TimeTrajectory rest;
  const std::size_t at = index(first);
  const auto tail = [](auto& numbers, std::size_t from) {
    std::remove_reference_t<decltype(numbers)> taken(numbers.begin() + static_cast<std::ptrdiff_t>(from),
                                                     numbers.end());
    return taken;
  };
  if (first < size())
    rest.t_ = element(first).t;
  else
    rest.t_ = end();
  rest.nq_ = nq_;
  const std::span<const double> start = start_of(first);
  rest.start_.assign(start.begin(), start.end());
  rest.elements_ = tail(elements_, at);
  rest.unknowns_ = tail(unknowns_, unknowns_at_[at]);
  rest.coordinates_ = tail(coordinates_, coordinates_at_[at]);
  rest.start_coordinates_ = tail(start_coordinates_, at * nq_);
  rest.unknowns_at_ = tail(unknowns_at_, at);
  rest.coordinates_at_ = tail(coordinates_at_, at);
  for (std::size_t& i : rest.unknowns_at_) i -= unknowns_at_[at];
  for (std::size_t& i : rest.coordinates_at_) i -= coordinates_at_[at];
  elements_.resize(at);
  unknowns_at_.resize(at + 1), coordinates_at_.resize(at + 1);
  unknowns_.resize(unknowns_at_.back()), coordinates_.resize(coordinates_at_.back());
  start_coordinates_.resize((at + 1) * nq_);
  return rest;
}

std::span<const double> TimeTrajectory::start_of(int e) const {
  if (e == 0) return start_;
  const ElementLayout& layout = element(e - 1).form->layout;
  return unknowns_of(e - 1).subspan(index(layout.end_start()), index(layout.start_size()));
}

std::span<double> TimeTrajectory::coordinates_at_start(int e) {
  return std::span<double>(start_coordinates_).subspan(index(e) * nq_, nq_);
}
std::span<const double> TimeTrajectory::coordinates_at_start(int e) const {
  return std::span<const double>(start_coordinates_).subspan(index(e) * nq_, nq_);
}

TimeTrajectory::Place TimeTrajectory::find(double t) const {
  assert(!elements_.empty());
  constexpr double kSame = 1e-9;  // relative to an element's length
  const auto after = std::upper_bound(elements_.begin(), elements_.end(), t,
                                      [](double at, const TimeElement& element) { return at < element.t; });
  const int e = std::max(0, static_cast<int>(after - elements_.begin()) - 1);
  const double s = (t - element(e).t) / element(e).h;
  if (s <= kSame) return e == 0 ? Place{0, 0.0} : Place{e - 1, 1.0};
  return {e, s >= 1.0 - kSame ? 1.0 : s};
}

void TimeTrajectory::calc_bodies(double t, std::span<BodyInstant> bodies) const {
  const Place place = find(t);
  const TimeElement& in = element(place.element);
  const ElementLayout& layout = in.form->layout;
  const std::span<const double> start = start_of(place.element), y = unknowns_of(place.element);
  if (place.s == 0.0 || place.s == 1.0) {
    for (int b = 0; b < layout.bodies; ++b) {
      const std::span<const double> from = place.s == 0.0 ? start : y;
      const int at = place.s == 0.0 ? ElementLayout::kEndNumbers * b : layout.end(b);
      bodies[index(b)] = {read_matrix(from, at + 6), read_vector(from, at + 15), read_vector(from, at),
                          read_vector(from, at + 3)};
    }
    return;
  }
  double shape[kMostDegree + 1], integral[kMostDegree];
  in.form->pair.calc_shape(place.s, shape);
  in.form->pair.calc_integrals_of_point_values(place.s, integral);
  for (int b = 0; b < layout.bodies; ++b) {
    const int first = ElementLayout::kEndNumbers * b;
    BodyInstant body{{}, read_vector(start, first + 15), {}, {}};
    for (int j = 0; j <= layout.degree; ++j) {
      const std::span<const double> from = j == 0 ? start : y;
      const int at = j == 0 ? first : layout.point(j - 1, b);
      const double L = shape[j];
      body.v += L * read_vector(from, at);
      body.w += L * read_vector(from, at + 3);
      body.C = body.C + Mat3<double>{L, 0, 0, 0, L, 0, 0, 0, L} * read_matrix(from, at + 6);
      if (j > 0) body.x += (in.h * integral[j - 1]) * read_vector(from, at);
    }
    bodies[index(b)] = body;
  }
}

void TimeTrajectory::calc_multipliers(double t, std::span<double> multipliers) const {
  const Place place = find(t);
  const ElementForm& form = *element(place.element).form;
  double shape[kMostDegree];
  form.pair.calc_point_shape(place.s, shape);
  std::fill(multipliers.begin(), multipliers.end(), 0.0);
  const std::span<const double> y = unknowns_of(place.element);
  for (int g = 0; g < form.layout.degree; ++g) {
    const std::span<const double> at = y.subspan(index(form.layout.point_multiplier(g)), multipliers.size());
    for (std::size_t i = 0; i < multipliers.size(); ++i) multipliers[i] += shape[g] * at[i];
  }
}

}  // namespace sestina
