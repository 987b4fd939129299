#include "sestina/workspace/lane_group.h"

#include <algorithm>
#include <cassert>
#include <exception>

namespace sestina {

LaneGroup::LaneGroup(const LaneRun& run, InstructionSet instruction_set, std::function<bool()> is_interrupted)
    : integrator_(run.make_integrator(instruction_set)),
      is_interrupted_(std::move(is_interrupted)),
      lanes_(static_cast<std::size_t>(integrator_.lanes())),
      nq_(static_cast<int>(run.initial().q.size())),
      bodies_(static_cast<int>(run.model().bodies().size())),
      rows_(lanes_.size() * kMostRows * static_cast<std::size_t>(1 + integrator_.size())),
      t_(1, lanes()),
      x_(integrator_.size(), lanes()),
      wanted_(1, lanes()),
      origins_(3 * (bodies_ - 1), lanes()),
      energies_(2, lanes()),
      momentum_(6, lanes()),
      state_(run.initial()) {
  observables_.origins.resize(3 * static_cast<std::size_t>(bodies_ - 1));
  for (int l = 0; l < lanes(); ++l) {
    int i = l;
    for (const std::vector<double>* part : {&state_.q, &state_.u, &state_.z}) {
      for (const double number : *part) {
        x_[i] = number;
        i += lanes();
      }
    }
  }
}

void LaneGroup::start(RunPointer run, const Ended& ended) {
  assert(has_room());
  int l = 0;
  while (lane(l).run != nullptr) ++l;
  try {
    run->lane_run->start(integrator_, l);
  } catch (const std::exception&) {  // no first step, or a recorder that cannot begin
    integrator_.stop(l);
    ended(std::move(run), nullptr);
    return;
  }
  lane(l).run = std::move(run);
  lane(l).rows = 0;
  ++under_way_;
  add_row(l, integrator_.t(l), integrator_.states());
}

void LaneGroup::step(const Ended& ended) {
  const unsigned accepted = integrator_.step();
  failed_ = integrator_.failed();
  add_rows(accepted);
  for (int l = 0; l < lanes(); ++l) {
    if (lane(l).run == nullptr) continue;
    const bool has_ended = integrator_.is_idle(l) || has_failed(l);
    EnsembleRun& run = *lane(l).run;
    if (!has_ended && !run.lane_run->stops_at_limit(integrator_, l, run.in_lanes)) continue;
    if (!has_failed(l)) evaluate_rows(l);
    end(l, ended);
  }
}

void LaneGroup::add_rows(unsigned accepted) {
  for (int rows = 1;; ++rows) {
    if (rows % kRowsBetweenLooks == 0 && is_interrupted_()) return;
    unsigned wanting = 0;
    for (int l = 0; l < lanes(); ++l) {
      if (((accepted & ~failed_) >> l & 1U) == 0) continue;
      const LaneRun& run = *lane(l).run->lane_run;
      if (!run.has_more_rows()) continue;
      wanted_[l] = run.next_row();
      if (wanted_[l] <= integrator_.t(l)) wanting |= 1U << l;
    }
    if (wanting == 0) return;
    const double* states = integrator_.interpolate(wanting, wanted_.data());
    failed_ |= integrator_.failed();
    for (int l = 0; l < lanes(); ++l) {
      if (((wanting & ~failed_) >> l & 1U) == 0) continue;
      lane(l).run->lane_run->count_row();
      add_row(l, wanted_[l], states);
    }
  }
}

void LaneGroup::add_row(int l, double t, const double* states) {
  if (lane(l).rows == kMostRows) evaluate_rows(l);
  const int size = integrator_.size();
  double* row = rows_.data() + static_cast<std::ptrdiff_t>(l * kMostRows + lane(l).rows) * (1 + size);
  *row++ = t;
  for (int i = 0; i < size; ++i) row[i] = states[i * lanes() + l];
  ++lane(l).rows;
}

void LaneGroup::evaluate_rows(int l) {
  const int count = lane(l).rows;
  for (int k = 0; k < count; ++k) {
    load_rows(k);
    const LaneStates states{t_.data(), x_.data(), &x_[nq_ * lanes()], integrator_.variables()};
    integrator_.kernel().calc_observables(states, {origins_.data(), energies_.data(), momentum_.data()});
    for (int other = 0; other < lanes(); ++other) {
      if (k < lane(other).rows) record(other, k);
    }
  }
  const int width = 1 + integrator_.size();
  for (int other = 0; other < lanes(); ++other) {
    const int rest = std::max(0, lane(other).rows - count);
    double* const rows = rows_.data() + static_cast<std::ptrdiff_t>(other) * kMostRows * width;
    std::copy_n(rows + static_cast<std::ptrdiff_t>(count) * width, rest * width, rows);
    lane(other).rows = rest;
  }
}

// Loads row k of every lane that has one.
void LaneGroup::load_rows(int k) {
  const int size = integrator_.size();
  for (int l = 0; l < lanes(); ++l) {
    if (k >= lane(l).rows) continue;
    const double* row = rows_.data() + static_cast<std::ptrdiff_t>(l * kMostRows + k) * (1 + size);
    t_[l] = *row++;
    for (int i = 0; i < size; ++i) x_[i * lanes() + l] = row[i];
  }
}

void LaneGroup::record(int l, int k) {
  const double* number =
      rows_.data() + static_cast<std::ptrdiff_t>(l * kMostRows + k) * (1 + integrator_.size());
  state_.t = *number++;
  for (std::vector<double>* part : {&state_.q, &state_.u, &state_.z}) {
    std::copy_n(number, part->size(), part->begin());
    number += part->size();
  }
  state_.d = lane(l).run->lane_run->initial().d;
  for (std::size_t i = 0; i < observables_.origins.size(); ++i) {
    observables_.origins[i] = origins_[static_cast<int>(i) * lanes() + l];
  }
  observables_.energy = {energies_[l], energies_[lanes() + l]};
  const auto momentum = [&](int i) { return momentum_[i * lanes() + l]; };
  observables_.momentum = {{momentum(0), momentum(1), momentum(2)}, {momentum(3), momentum(4), momentum(5)}};
  lane(l).run->lane_run->record(state_, observables_);
}

void LaneGroup::end(int l, const Ended& ended) {
  charge_time();
  const bool is_complete = !has_failed(l);
  integrator_.stop(l);
  RunPointer run = std::move(lane(l).run);
  lane(l).rows = 0;
  --under_way_;
  if (!is_complete) {
    ended(std::move(run), nullptr);
    return;
  }
  const RunReport report = run->lane_run->finish(integrator_, l);
  ended(std::move(run), &report);
}

void LaneGroup::charge_time() {
  const Clock::time_point now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - charged_until_).count();
  const double share = elapsed / std::max(1, under_way_);
  charged_until_ = now;
  for (Lane& one : lanes_) {
    if (one.run == nullptr) continue;
    one.run->seconds += share;
    one.run->in_lanes += elapsed;
  }
}

double LaneGroup::fraction() const {
  double sum = 0.0;
  for (int l = 0; l < lanes(); ++l) {
    const Lane& one = lanes_[static_cast<std::size_t>(l)];
    if (one.run != nullptr) sum += integrator_.t(l) / one.run->lane_run->duration();
  }
  return sum;
}

}  // namespace sestina
