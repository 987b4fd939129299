#include "sestina/particles/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sestina/base/error.h"
#include "sestina/particles/radial_distribution.h"

namespace sestina {
namespace {

constexpr int kParts = 10;           // into which a run is divided, for the errors of means
constexpr int kMostStarts = 250;     // of each time difference
constexpr double kLagRatio = 1.12;   // of consecutive time differences
constexpr double kBondRange = 1.75;  // lengths are counted up to this multiple of the first frame's mean

double square_between(const double* a, const double* b) {
  double sum = 0.0;
  for (int k = 0; k < 3; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

void add_count(std::vector<double>& counts, double value, double low, double high) {
  const double place = (value - low) / (high - low) * static_cast<double>(counts.size());
  if (!(place >= 0.0)) return;
  const auto bin = static_cast<std::size_t>(std::min(place, 1e9));
  if (bin < counts.size()) {
    counts[bin] += 1.0;
  } else if (value == high) {
    counts.back() += 1.0;
  }
}

}  // namespace

StructureAnalysis::StructureAnalysis(const ParticleModel& model, const StructureOptions& options)
    : options_(options) {
  for (const int species : model.species_of) mass_.push_back(model.species[species].mass);
  set_molecules(model);
}

void StructureAnalysis::set_molecules(const ParticleModel& model) {
  bonds_ = list_bonds(model);
  const std::vector<std::vector<int>> bonded = find_bonded(model.size(), bonds_);
  for (std::size_t j = 0; j < bonded.size(); ++j) {
    for (std::size_t a = 0; a < bonded[j].size(); ++a) {
      for (std::size_t b = 0; b < a; ++b)
        angles_.push_back({bonded[j][b], static_cast<int>(j), bonded[j][a]});
    }
  }
  molecule_of_.assign(bonded.size(), -1);
  for (std::vector<int>& beads : find_molecules(bonded)) {
    Molecule& molecule = molecules_.emplace_back();
    std::size_t ends = 0, most = 0;
    for (const int bead : beads) {
      molecule_of_[bead] = static_cast<int>(molecules_.size()) - 1;
      molecule.mass += mass_[bead];
      ends += bonded[bead].size() == 1;
      most = std::max(most, bonded[bead].size());
    }
    molecule.is_chain = ends == 2 && most <= 2;
    if (molecule.is_chain) {
      ++chains_;
      const std::size_t count = std::max<std::size_t>(1, beads.size() / 4);
      const auto begin = beads.begin() + static_cast<std::ptrdiff_t>((beads.size() - count) / 2);
      inner_.insert(inner_.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
    }
    molecule.beads = std::move(beads);
  }
}

void StructureAnalysis::add(double t, std::span<const double> position, const Box& box) {
  if (!frames_.empty() && !(t > frames_.back().t)) {
    throw InputError(fmt::format("the frame at t = {} follows one at t = {}", t, frames_.back().t));
  }
  Frame& frame = frames_.emplace_back();
  frame.t = t, frame.box = box;
  frame.position.assign(position.begin(), position.end());
  const double total = std::accumulate(mass_.begin(), mass_.end(), 0.0);
  double centre[3] = {};
  for (std::size_t i = 0; i < position.size(); ++i) centre[i % 3] += mass_[i / 3] * position[i] / total;
  for (std::size_t i = 0; i < position.size(); ++i) frame.position[i] -= centre[i % 3];
  measure_molecules(frame);
  count_bonds(frame);
}

void StructureAnalysis::measure_molecules(Frame& frame) const {
  frame.centre.assign(3 * molecules_.size(), 0.0);
  for (std::size_t m = 0; m < molecules_.size(); ++m) {
    const Molecule& molecule = molecules_[m];
    double* const centre = frame.centre.data() + 3 * m;
    for (const int bead : molecule.beads) {
      for (int k = 0; k < 3; ++k) centre[k] += mass_[bead] * frame.position[3 * bead + k] / molecule.mass;
    }
    double spread = 0.0;
    for (const int bead : molecule.beads) spread += square_between(&frame.position[3 * bead], centre);
    frame.gyration_square +=
        spread / static_cast<double>(molecule.beads.size()) / static_cast<double>(molecules_.size());
    if (!molecule.is_chain) continue;
    frame.end_to_end_square += square_between(&frame.position[3 * molecule.beads.front()],
                                              &frame.position[3 * molecule.beads.back()]) /
                               chains_;
  }
  for (const auto& [i, j] : bonds_) {
    frame.bond_length += std::sqrt(square_between(&frame.position[3 * i], &frame.position[3 * j])) /
                         static_cast<double>(bonds_.size());
  }
}

void StructureAnalysis::count_bonds(const Frame& frame) {
  if (bonds_.empty()) return;
  if (longest_bond_ == 0.0) {
    longest_bond_ = kBondRange * frame.bond_length;
    bond_counts_.assign(std::max(1, options_.bins / 4), 0.0);
    angle_counts_.assign(std::max(1, options_.bins / 2), 0.0);
  }
  const double* const x = frame.position.data();
  for (const auto& [i, j] : bonds_) {
    add_count(bond_counts_, std::sqrt(square_between(x + 3 * i, x + 3 * j)), 0.0, longest_bond_);
  }
  for (const auto& [i, j, k] : angles_) {
    double product = 0.0;
    for (int a = 0; a < 3; ++a) product += (x[3 * j + a] - x[3 * i + a]) * (x[3 * k + a] - x[3 * j + a]);
    const double lengths =
        std::sqrt(square_between(x + 3 * i, x + 3 * j) * square_between(x + 3 * j, x + 3 * k));
    add_count(angle_counts_, std::clamp(product / lengths, -1.0, 1.0), -1.0, 1.0);
  }
}

EstimatedMean StructureAnalysis::estimate(double Frame::*member) const {
  const std::size_t count = frames_.size();
  EstimatedMean mean;
  for (const Frame& frame : frames_) mean.value += frame.*member / static_cast<double>(count);
  if (count < 2 * kParts) return mean;
  double squares = 0.0;
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::size_t begin = part * count / kParts, end = (part + 1) * count / kParts;
    double sum = 0.0;
    for (std::size_t i = begin; i < end; ++i) sum += frames_[i].*member;
    const double deviation = sum / static_cast<double>(end - begin) - mean.value;
    squares += deviation * deviation;
  }
  mean.error = std::sqrt(squares / (kParts * (kParts - 1)));
  return mean;
}

StructureTable StructureAnalysis::calc_displacements() const {
  const bool has_molecules = !molecules_.empty();
  StructureTable table;
  table.names = {"t", "g1"};
  if (chains_ > 0) table.names.emplace_back("g1.inner");
  if (has_molecules) table.names.insert(table.names.end(), {"g2", "g3"});
  table.columns.resize(table.names.size());
  const std::size_t count = frames_.size();
  const double spacing = (frames_.back().t - frames_.front().t) / static_cast<double>(count - 1);
  for (std::size_t i = 1; i < count; ++i) {
    if (std::abs(frames_[i].t - frames_.front().t - spacing * static_cast<double>(i)) < 1e-3 * spacing)
      continue;
    throw InputError(fmt::format("the frames are not equally far apart in time: t = {} follows {}",
                                 frames_[i].t, frames_[i - 1].t));
  }
  const double n = static_cast<double>(mass_.size());
  for (std::size_t lag = 1; lag <= count / 2;
       lag = std::max(lag + 1, static_cast<std::size_t>(static_cast<double>(lag) * kLagRatio))) {
    const std::size_t stride = std::max<std::size_t>(1, (count - lag) / kMostStarts);
    double g1 = 0.0, inner = 0.0, g2 = 0.0, g3 = 0.0, starts = 0.0;
    for (std::size_t s = 0; s + lag < count; s += stride, ++starts) {
      const Frame &from = frames_[s], &to = frames_[s + lag];
      for (std::size_t i = 0; i < mass_.size(); ++i) {
        const double *const a = &from.position[3 * i], *const b = &to.position[3 * i];
        g1 += square_between(a, b) / n;
        if (molecule_of_[i] < 0) continue;
        const double *const A = &from.centre[3 * molecule_of_[i]], *const B = &to.centre[3 * molecule_of_[i]];
        for (int k = 0; k < 3; ++k) {
          const double d = (b[k] - B[k]) - (a[k] - A[k]);
          g2 += d * d / n;
        }
      }
      for (const int i : inner_) {
        inner +=
            square_between(&from.position[3 * i], &to.position[3 * i]) / static_cast<double>(inner_.size());
      }
      for (std::size_t m = 0; m < molecules_.size(); ++m) {
        g3 += square_between(&from.centre[3 * m], &to.centre[3 * m]) / static_cast<double>(molecules_.size());
      }
    }
    std::vector<double> row{spacing * static_cast<double>(lag), g1 / starts};
    if (chains_ > 0) row.push_back(inner / starts);
    if (has_molecules) row.insert(row.end(), {g2 / starts, g3 / starts});
    for (std::size_t c = 0; c < row.size(); ++c) table.columns[c].push_back(row[c]);
  }
  return table;
}

// Unless a shorter reach is given, it is half of the shortest periodic length, or of an open box's extent.
StructureTable StructureAnalysis::calc_radial() const {
  double most = HUGE_VAL;
  for (const Frame& frame : frames_) {
    const bool is_open = !frame.box.periodic[0] && !frame.box.periodic[1] && !frame.box.periodic[2];
    for (int a = 0; a < 3; ++a) {
      if (frame.box.periodic[a] || is_open) most = std::min(most, 0.5 * frame.box.length[a]);
    }
  }
  if (options_.reach > most) {
    throw InputError(
        fmt::format("distances up to {} are asked for; the box allows up to {:.6g}, half of its "
                    "shortest length",
                    options_.reach, most));
  }
  RadialDistribution radial(options_.reach > 0.0 ? options_.reach : most, options_.bins);
  const std::size_t stride =
      std::max<std::size_t>(1, frames_.size() / static_cast<std::size_t>(options_.most_frames));
  for (std::size_t i = 0; i < frames_.size(); i += stride) {
    radial.add(frames_[i].box, frames_[i].position, molecule_of_);
  }
  StructureTable table;
  table.names = {"r", "g"};
  table.columns = {radial.distances(), radial.all()};
  if (molecules_.empty()) return table;
  table.names.emplace_back("g.between");
  table.columns.push_back(radial.between());
  return table;
}

// Fits the slope over the second half of the time differences, by least squares.
double StructureAnalysis::find_diffusion(const StructureTable& displacements) const {
  const std::vector<double>& t = displacements.columns.front();
  const std::vector<double>& g =
      displacements.columns[molecules_.empty() ? 1 : displacements.columns.size() - 1];
  double count = 0.0, sum_t = 0.0, sum_g = 0.0, sum_tt = 0.0, sum_tg = 0.0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (2.0 * t[i] < t.back()) continue;
    ++count, sum_t += t[i], sum_g += g[i], sum_tt += t[i] * t[i], sum_tg += t[i] * g[i];
  }
  const double spread = count * sum_tt - sum_t * sum_t;
  return spread > 0.0 ? (count * sum_tg - sum_t * sum_g) / spread / 6.0 : g.back() / t.back() / 6.0;
}

StructureTable StructureAnalysis::make_density(const char* name, const std::vector<double>& counts,
                                               double low, double high) const {
  StructureTable table;
  table.names = {name, "density"};
  table.columns.resize(2);
  const double width = (high - low) / static_cast<double>(counts.size());
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    table.columns[0].push_back(low + (static_cast<double>(i) + 0.5) * width);
    table.columns[1].push_back(total > 0.0 ? counts[i] / (total * width) : 0.0);
  }
  return table;
}

StructureResult StructureAnalysis::finish() const {
  if (frames_.size() < 2) {
    throw InputError(fmt::format("the trajectory has {} frames; at least 2 are needed", frames_.size()));
  }
  StructureResult result;
  result.particles = static_cast<int>(mass_.size());
  result.molecules = static_cast<int>(molecules_.size()), result.chains = chains_;
  result.frames = static_cast<int>(frames_.size());
  result.t_first = frames_.front().t, result.t_last = frames_.back().t;
  result.end_to_end_square = estimate(&Frame::end_to_end_square);
  result.gyration_square = estimate(&Frame::gyration_square);
  result.bond_length = estimate(&Frame::bond_length);
  result.displacements = calc_displacements();
  result.diffusion = find_diffusion(result.displacements);
  result.radial = calc_radial();
  if (bonds_.empty()) return result;
  result.bonds = make_density("length", bond_counts_, 0.0, longest_bond_);
  result.angles = make_density("cosine", angle_counts_, -1.0, 1.0);
  result.sizes.names = {"t", "R2", "Rg2"};
  result.sizes.columns.resize(3);
  for (const Frame& frame : frames_) {
    result.sizes.columns[0].push_back(frame.t);
    result.sizes.columns[1].push_back(frame.end_to_end_square);
    result.sizes.columns[2].push_back(frame.gyration_square);
  }
  return result;
}

}  // namespace sestina
