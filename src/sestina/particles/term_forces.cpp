#include "sestina/particles/term_forces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "sestina/particles/molecules.h"
#include "sestina/particles/particle_arrays.h"

namespace sestina {
namespace {

constexpr int kTermGrain = 256;

Vector3d plus(const Vector3d& a, const Vector3d& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vector3d times(double s, const Vector3d& a) { return {s * a[0], s * a[1], s * a[2]}; }

PairSums plus(const PairSums& a, const PairSums& b) { return {a.energy + b.energy, a.virial + b.virial}; }

struct Law {
  double energy = 0.0;  // J
  double slope = 0.0;   // dU/dr, N
};

Law calc_bond_law(const TermType& type, double r) {
  if (type.law == TermLaw::kHarmonicBond) {
    const double stretch = r - type.rest;
    return {0.5 * type.stiffness * stretch * stretch, type.stiffness * stretch};
  }
  const double ratio = r / type.rest, open = 1.0 - ratio * ratio;
  if (!(open > 0.0)) return {std::nan(""), std::nan("")};
  Law law{-0.5 * type.stiffness * type.rest * type.rest * std::log(open), type.stiffness * r / open};
  const double s2 = type.sigma * type.sigma / (r * r), s6 = s2 * s2 * s2;
  if (s6 > 0.5) {  // r < 2^(1/6) sigma
    law.energy += 4.0 * type.epsilon * s6 * (s6 - 1.0) + type.epsilon;
    law.slope -= 24.0 * type.epsilon * s6 * (2.0 * s6 - 1.0) / r;
  }
  return law;
}

}  // namespace

// The nearest images of consecutive particles in a term.
struct TermForces::Geometry {
  const Box& box;
  const ParticleArrays& particles;
  std::array<int, 4> place{};

  // r_a - r_b
  Vector3d between(int a, int b) const {
    const int i = place[a], j = place[b];
    return {box.nearest(0, particles.x[i] - particles.x[j]), box.nearest(1, particles.y[i] - particles.y[j]),
            box.nearest(2, particles.z[i] - particles.z[j])};
  }
};

TermForces::TermForces(const ParticleModel& model) : box_(model.box), types_(model.term_types) {
  for (const Term& term : model.terms) {
    const TermLaw law = types_[static_cast<std::size_t>(term.type)].law;
    if (law != TermLaw::kRigidBond && !is_joint(law)) terms_.push_back(term);
  }
  std::vector<std::vector<int>> slots(static_cast<std::size_t>(model.size()));
  int slot = 0;
  for (const Term& term : terms_) {
    first_slot_.push_back(slot);
    for (int k = 0; k < size_of(types_[term.type].law); ++k) slots[term.particles[k]].push_back(slot++);
  }
  slots_.resize(static_cast<std::size_t>(slot));
  slot_begins_.push_back(0);
  for (int i = 0; i < model.size(); ++i) {
    if (slots[i].empty()) continue;
    bonded_.push_back(i);
    slots_of_.insert(slots_of_.end(), slots[i].begin(), slots[i].end());
    slot_begins_.push_back(static_cast<int>(slots_of_.size()));
  }
}

PairSums TermForces::add_forces(double t, ParticleArrays& particles, Executor& executor) {
  const PairSums sums = executor.parallel_reduce(
      static_cast<int>(terms_.size()), kTermGrain, PairSums{},
      [&](int begin, int end) {
        PairSums part;
        for (int i = begin; i < end; ++i) {
          part = plus(part, calc_term(terms_[i], particles, slots_.data() + first_slot_[i]));
        }
        return part;
      },
      [](const PairSums& a, const PairSums& b) { return plus(a, b); });
  if (!std::isfinite(sums.energy)) fail(t, particles);
  executor.parallel_for(static_cast<int>(bonded_.size()), kTermGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const int place = particles.place[bonded_[i]];
      Force sum;
      for (int k = slot_begins_[i]; k < slot_begins_[i + 1]; ++k) {
        const Force& slot = slots_[slots_of_[k]];
        sum.x += slot.x, sum.y += slot.y, sum.z += slot.z;
      }
      particles.fx[place] += sum.x, particles.fy[place] += sum.y, particles.fz[place] += sum.z;
    }
  });
  return sums;
}

PairSums TermForces::calc_term(const Term& term, const ParticleArrays& particles, Force* slots) const {
  const TermType& type = types_[term.type];
  Geometry at{box_, particles, {}};
  for (int k = 0; k < size_of(type.law); ++k) at.place[k] = particles.place[term.particles[k]];
  switch (size_of(type.law)) {
    case 2:
      return calc_bond(type, at, slots);
    case 3:
      return calc_angle(type, at, slots);
    default:
      return calc_dihedral(type, at, slots);
  }
}

PairSums TermForces::calc_bond(const TermType& type, const Geometry& at, Force* slots) const {
  const Vector3d b = at.between(0, 1);
  const double r = std::sqrt(dot(b, b));
  const Law law = calc_bond_law(type, r);
  const double factor = r > 0.0 ? -law.slope / r : 0.0;  // a harmonic bond of length zero has no direction
  slots[0] = {factor * b[0], factor * b[1], factor * b[2]};
  slots[1] = {-slots[0].x, -slots[0].y, -slots[0].z};
  return {law.energy, -law.slope * r};
}

PairSums TermForces::calc_angle(const TermType& type, const Geometry& at, Force* slots) const {
  const Vector3d a = at.between(0, 1), c = at.between(2, 1);
  const double la = std::sqrt(dot(a, a)), lc = std::sqrt(dot(c, c));
  const double cosine = std::clamp(dot(a, c) / (la * lc), -1.0, 1.0);
  double energy, slope_by_cosine;  // dU/d(cos theta), which is finite where dU/dtheta / sin theta is
  if (type.law == TermLaw::kCosineAngle) {
    energy = type.stiffness * (1.0 + cosine);
    slope_by_cosine = type.stiffness;
  } else {
    const double theta = std::acos(cosine), bend = theta - type.rest;
    const double sine = std::max(std::sqrt(1.0 - cosine * cosine), 1e-8);  // in line: no direction
    energy = 0.5 * type.stiffness * bend * bend;
    slope_by_cosine = -type.stiffness * bend / sine;
  }
  // d(cos theta)/dr_i = (c/|c| - cos theta a/|a|) / |a|
  const Vector3d fi = times(-slope_by_cosine / la, plus(times(1.0 / lc, c), times(-cosine / la, a)));
  const Vector3d fk = times(-slope_by_cosine / lc, plus(times(1.0 / la, a), times(-cosine / lc, c)));
  slots[0] = {fi[0], fi[1], fi[2]};
  slots[1] = {-fi[0] - fk[0], -fi[1] - fk[1], -fi[2] - fk[2]};
  slots[2] = {fk[0], fk[1], fk[2]};
  return {energy, dot(a, fi) + dot(c, fk)};
}

PairSums TermForces::calc_dihedral(const TermType& type, const Geometry& at, Force* slots) const {
  const Vector3d F = at.between(0, 1), G = at.between(1, 2), H = at.between(3, 2);
  const Vector3d A = cross(F, G), B = cross(H, G);
  const double g = std::sqrt(dot(G, G));
  const double A2 = std::max(dot(A, A), 1e-300), B2 = std::max(dot(B, B), 1e-300);
  const double phi = std::atan2(dot(cross(B, A), G) / g, dot(A, B));
  const double angle = type.multiplicity * phi - type.rest;
  const double slope = -type.stiffness * type.multiplicity * std::sin(angle);  // dU/dphi
  const Vector3d di = times(-g / A2, A), dl = times(g / B2, B);
  const Vector3d shared = plus(times(dot(F, G) / (A2 * g), A), times(-dot(H, G) / (B2 * g), B));
  const Vector3d dj = plus(times(-1.0, di), shared), dk = plus(times(-1.0, dl), times(-1.0, shared));
  const Vector3d fi = times(-slope, di), fj = times(-slope, dj), fk = times(-slope, dk),
                 fl = times(-slope, dl);
  slots[0] = {fi[0], fi[1], fi[2]};
  slots[1] = {fj[0], fj[1], fj[2]};
  slots[2] = {fk[0], fk[1], fk[2]};
  slots[3] = {fl[0], fl[1], fl[2]};
  // Positions relative to k: an angle does not depend on scale, so that this virial is zero up to rounding.
  const Vector3d ri = plus(F, G);
  return {type.stiffness * (1.0 + std::cos(angle)), dot(ri, fi) + dot(G, fj) + dot(H, fl)};
}

void TermForces::shorten_bonds(double fraction, ParticleArrays& particles) const {
  for (const Term& term : terms_) {
    const TermType& type = types_[term.type];
    if (type.law != TermLaw::kFene) continue;
    const Geometry at{
        box_, particles, {particles.place[term.particles[0]], particles.place[term.particles[1]]}};
    const Vector3d b = at.between(0, 1);
    const double r = std::sqrt(dot(b, b)), most = fraction * type.rest;
    if (!(r > most)) continue;
    const double move = 0.5 * (most / r - 1.0);
    const int i = at.place[0], j = at.place[1];
    particles.x[i] += move * b[0], particles.y[i] += move * b[1], particles.z[i] += move * b[2];
    particles.x[j] -= move * b[0], particles.y[j] -= move * b[1], particles.z[j] -= move * b[2];
  }
}

void TermForces::fail(double t, const ParticleArrays& particles) const {
  std::vector<Force> scratch(4);
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Term& term = terms_[i];
    if (std::isfinite(calc_term(term, particles, scratch.data()).energy)) continue;
    const TermType& type = types_[term.type];
    if (type.law != TermLaw::kFene) {
      throw ComputationError(
          t, fmt::format("the energy of the term at particles[{}] is not finite", term.particles[0]));
    }
    const Geometry at{
        box_, particles, {particles.place[term.particles[0]], particles.place[term.particles[1]]}};
    const Vector3d b = at.between(0, 1);
    throw ComputationError(
        t,
        fmt::format("the bond between particles[{}] and particles[{}] is {:.6g} long, and a FENE bond must "
                    "stay below its largest length {:.6g}",
                    term.particles[0], term.particles[1], std::sqrt(dot(b, b)), type.rest));
  }
  throw ComputationError(t, "the energy of the bonds is not finite");
}

Exclusions find_exclusions(const ParticleModel& model, int bonds) {
  const int n = model.size();
  std::vector<int> body_of(static_cast<std::size_t>(n), -1);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    for (const int particle : model.bodies[b].particles) body_of[particle] = static_cast<int>(b);
  }
  const std::vector<std::vector<int>> direct = find_bonded(n, bonds == 0 ? Bonds{} : list_bonds(model));
  Exclusions exclusions;
  exclusions.begins.push_back(0);
  std::vector<int> found, shell, next;
  for (int i = 0; i < n; ++i) {
    found.clear();
    shell.assign(1, i);
    for (int distance = 1; distance <= bonds; ++distance) {
      next.clear();
      for (const int j : shell) next.insert(next.end(), direct[j].begin(), direct[j].end());
      found.insert(found.end(), next.begin(), next.end());
      shell.swap(next);
    }
    if (body_of[i] >= 0) {
      const std::vector<int>& beside = model.bodies[static_cast<std::size_t>(body_of[i])].particles;
      found.insert(found.end(), beside.begin(), beside.end());
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    for (const int j : found) {
      if (j != i) exclusions.partners.push_back(j);
    }
    exclusions.begins.push_back(static_cast<int>(exclusions.partners.size()));
  }
  return exclusions;
}

}  // namespace sestina
