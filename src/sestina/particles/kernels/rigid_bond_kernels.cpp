// Compiled once for each instruction set: see the header, and CMakeLists.txt for the flags.
#include "sestina/particles/kernels/rigid_bond_kernels.h"

#include "sestina/particles/kernels/lane_mechanics.h"

namespace sestina {
namespace {

constexpr double kTolerance = 1e-13;
constexpr int kMostIterations = 30;

// The areas of the scratch.
struct Scratch {
  double *beads, *a, *forces, *residual, *lambda, *matrix;

  explicit Scratch(const RigidMolecules& m)
      : beads(m.scratch),
        a(beads + 8 * 3 * m.pattern.beads),
        forces(a + 8 * 3 * m.pattern.bonds),
        residual(forces + 8 * 3 * m.pattern.bonds),
        lambda(residual + 8 * m.pattern.bonds),
        matrix(lambda + 8 * m.pattern.bonds) {}
};

// Return the places of the entries (l, k) and (k, l) of a bond k and one below it, l.
[[gnu::always_inline]] inline int lower(const BondPattern& p, int pair) { return 8 * (p.bonds + 2 * pair); }
[[gnu::always_inline]] inline int upper(const BondPattern& p, int pair) { return lower(p, pair) + 8; }

[[gnu::always_inline]] inline void gather(const RigidMolecules& m, const double* x, const double* y,
                                          const double* z, double* to) {
  for (int b = 0; b < m.pattern.beads; ++b) {
    const std::int32_t* const place = m.place + 8 * b;
    Vector v;
    for (int l = 0; l < 8; ++l) v.x[l] = x[place[l]], v.y[l] = y[place[l]], v.z[l] = z[place[l]];
    store3(v, to + 24 * b);
  }
}

// Adding and subtracting 1.5 2^52 rounds to a whole number.
[[gnu::always_inline]] inline Lanes nearest(const Lanes& d, double length) {
  if (length == 0.0) return d;
  constexpr double kRound = 6755399441055744.0;
  const Lanes images = (d * (1.0 / length) + kRound) - kRound;
  return d - length * images;
}

// Returns the value at a bond's first end less that at its second, of the values in the scratch.
[[gnu::always_inline]] inline Vector difference(const RigidMolecules& m, const Scratch& s, int bond) {
  const int* const ends = m.pattern.ends + 2 * bond;
  return load3(s.beads + 24 * ends[0]) - load3(s.beads + 24 * ends[1]);
}

[[gnu::always_inline]] inline void calc_bonds(const RigidMolecules& m, const RigidBondTask& task,
                                              double* to) {
  const Scratch s(m);
  gather(m, task.x, task.y, task.z, s.beads);
  for (int k = 0; k < m.pattern.bonds; ++k) {
    const Vector d = difference(m, s, k);
    store3({nearest(d.x, task.length[0]), nearest(d.y, task.length[1]), nearest(d.z, task.length[2])},
           to + 24 * k);
  }
}

// A_kl = weight_kl a_k . r_l
[[gnu::always_inline]] inline void assemble(const RigidMolecules& m, const double* a, const double* r,
                                            double* A) {
  const BondPattern& p = m.pattern;
  const double* const pair_weight = m.weight + 8 * p.bonds;
  for (int k = 0; k < p.bonds; ++k) {
    const Vector ak = load3(a + 24 * k), rk = load3(r + 24 * k);
    store(load(m.weight + 8 * k) * dot(ak, rk), A + 8 * k);
    for (int q = p.below_begin[k]; q < p.below_begin[k + 1]; ++q) {
      const int l = p.below[q];
      const Lanes w = load(pair_weight + 8 * q);
      store(w * dot(load3(a + 24 * l), rk), A + lower(p, q));
      store(w * dot(ak, load3(r + 24 * l)), A + upper(p, q));
    }
  }
}

// A = L U, where L has ones on its diagonal and U keeps the inverses of its own. Returns the smallest ratio
// of a diagonal entry after an elimination to that before.
[[gnu::always_inline]] inline Lanes factorise(const BondPattern& p, double* A) {
  Lanes smallest = Lanes{} + 1.0;
  const int* targets = p.targets;
  for (int k = 0; k < p.bonds; ++k) {
    const int begin = p.below_begin[k], end = p.below_begin[k + 1];
    const Lanes inverse = 1.0 / load(A + 8 * k);
    store(inverse, A + 8 * k);
    for (int q = begin; q < end; ++q) {
      const Lanes factor = load(A + lower(p, q)) * inverse;
      store(factor, A + lower(p, q));
      for (int t = begin; t < end; ++t) {
        double* const target = A + 8 * *targets++;
        const Lanes before = load(target), after = before - factor * load(A + upper(p, t));
        store(after, target);
        if (t != q) continue;
        const Lanes ratio = after / before;
        smallest = ratio < smallest ? ratio : smallest;
      }
    }
  }
  return smallest;
}

// x = A^-1 x
[[gnu::always_inline]] inline void solve(const BondPattern& p, const double* A, double* x) {
  for (int k = 0; k < p.bonds; ++k) {
    const Lanes xk = load(x + 8 * k);
    for (int q = p.below_begin[k]; q < p.below_begin[k + 1]; ++q) {
      double* const to = x + 8 * p.below[q];
      store(load(to) - load(A + lower(p, q)) * xk, to);
    }
  }
  for (int k = p.bonds - 1; k >= 0; --k) {
    Lanes sum = load(x + 8 * k);
    for (int q = p.below_begin[k]; q < p.below_begin[k + 1]; ++q) {
      sum -= load(A + upper(p, q)) * load(x + 8 * p.below[q]);
    }
    store(sum * load(A + 8 * k), x + 8 * k);
  }
}

// a_k += sum_l weight_kl lambda_l r_l
[[gnu::always_inline]] inline void move_bonds(const RigidMolecules& m, const double* lambda, double* a) {
  const BondPattern& p = m.pattern;
  const double* const pair_weight = m.weight + 8 * p.bonds;
  for (int k = 0; k < p.bonds; ++k) {
    const Vector rk = load3(m.r + 24 * k);
    const Lanes lambda_k = load(lambda + 8 * k);
    Vector ak = load3(a + 24 * k);
    add(load(m.weight + 8 * k) * lambda_k, rk, ak);
    for (int q = p.below_begin[k]; q < p.below_begin[k + 1]; ++q) {
      const int l = p.below[q];
      const Lanes w = load(pair_weight + 8 * q);
      add(w * load(lambda + 8 * l), load3(m.r + 24 * l), ak);
      Vector al = load3(a + 24 * l);
      add(w * lambda_k, rk, al);
      store3(al, a + 24 * l);
    }
    store3(ak, a + 24 * k);
  }
}

// Adds s m^-1 G^T lambda to the values of beads.
[[gnu::always_inline]] inline void add_to_beads(const RigidMolecules& m, const double* lambda, double scale,
                                                bool by_mass, const double* vectors, double* x, double* y,
                                                double* z) {
  const BondPattern& p = m.pattern;
  for (int b = 0; b < p.beads; ++b) {
    Vector sum{};
    for (int i = p.bonds_of_bead_begin[b]; i < p.bonds_of_bead_begin[b + 1]; ++i) {
      const int k = p.bonds_of_bead[i];
      add(p.signs_of_bead[i] * load(lambda + 8 * k), load3(vectors + 24 * k), sum);
    }
    const Lanes factor = by_mass ? scale * load(m.inverse_mass + 8 * b) : Lanes{} + scale;
    const Vector moved{factor * sum.x, factor * sum.y, factor * sum.z};
    const std::int32_t* const place = m.place + 8 * b;
    for (int l = 0; l < m.used; ++l) {
      x[place[l]] += moved.x[l], y[place[l]] += moved.y[l], z[place[l]] += moved.z[l];
    }
  }
}

// Computes g_k = (a_k . a_k - d_k^2) / 2; returns the largest |g| / d^2, or a number that is not finite.
[[gnu::always_inline]] inline double calc_residual(const RigidMolecules& m, const double* a,
                                                   double* residual) {
  Lanes largest{}, poison{};
  for (int k = 0; k < m.pattern.bonds; ++k) {
    const Vector ak = load3(a + 24 * k);
    const Lanes d2 = load(m.length_square + 8 * k), g = 0.5 * (dot(ak, ak) - d2);
    store(-g, residual + 8 * k);
    const Lanes error = (g < 0.0 ? -g : g) / d2;
    largest = error > largest ? error : largest;
    poison += 0.0 * error;
  }
  double most = 0.0;
  for (int l = 0; l < 8; ++l) {
    if (poison[l] != 0.0) return poison[l];
    most = largest[l] > most ? largest[l] : most;
  }
  return most;
}

void set_bonds(const RigidMolecules& m, const RigidBondTask& task) { calc_bonds(m, task, m.r); }

bool constrain(const RigidMolecules& m, const RigidBondTask& task) {
  const BondPattern& p = m.pattern;
  const Scratch s(m);
  calc_bonds(m, task, s.a);
  for (int k = 0; k < p.bonds; ++k) store(Lanes{}, s.lambda + 8 * k);
  double error = calc_residual(m, s.a, s.residual);
  for (int i = 0; i < kMostIterations && error > kTolerance; ++i) {
    assemble(m, s.a, m.r, s.matrix);
    factorise(p, s.matrix);
    solve(p, s.matrix, s.residual);
    for (int k = 0; k < p.bonds; ++k) {
      store(load(s.lambda + 8 * k) + load(s.residual + 8 * k), s.lambda + 8 * k);
    }
    move_bonds(m, s.residual, s.a);
    error = calc_residual(m, s.a, s.residual);
  }
  if (!(error <= kTolerance)) return false;
  add_to_beads(m, s.lambda, 1.0, true, m.r, task.x, task.y, task.z);
  if (task.rate != 0.0) add_to_beads(m, s.lambda, task.rate, true, m.r, task.vx, task.vy, task.vz);
  return true;
}

void project(const RigidMolecules& m, const RigidBondTask& task) {
  const BondPattern& p = m.pattern;
  const Scratch s(m);
  calc_bonds(m, task, m.r);
  assemble(m, m.r, m.r, s.matrix);
  const Lanes pivots = factorise(p, s.matrix);
  if (task.smallest_pivots != nullptr) store(pivots, task.smallest_pivots);
  gather(m, task.vx, task.vy, task.vz, s.beads);
  for (int k = 0; k < p.bonds; ++k) store(dot(load3(m.r + 24 * k), difference(m, s, k)), s.lambda + 8 * k);
  solve(p, s.matrix, s.lambda);
  add_to_beads(m, s.lambda, -1.0, true, m.r, task.vx, task.vy, task.vz);
}

// A lambda = -(r . (a_i - a_j) + |v_i - v_j|^2), with the accelerations of the other forces.
double virial(const RigidMolecules& m, const RigidBondTask& task) {
  const BondPattern& p = m.pattern;
  const Scratch s(m);
  calc_bonds(m, task, m.r);
  assemble(m, m.r, m.r, s.matrix);
  factorise(p, s.matrix);
  gather(m, task.vx, task.vy, task.vz, s.beads);
  for (int k = 0; k < p.bonds; ++k) {
    const Vector v = difference(m, s, k);
    store(-dot(v, v), s.lambda + 8 * k);
  }
  gather(m, task.fx, task.fy, task.fz, s.beads);
  for (int b = 0; b < p.beads; ++b) {
    const Lanes w = load(m.inverse_mass + 8 * b);
    const Vector f = load3(s.beads + 24 * b);
    store3({w * f.x, w * f.y, w * f.z}, s.beads + 24 * b);
  }
  for (int k = 0; k < p.bonds; ++k) {
    const Lanes pull = dot(load3(m.r + 24 * k), difference(m, s, k));
    store(load(s.lambda + 8 * k) - pull, s.lambda + 8 * k);
  }
  solve(p, s.matrix, s.lambda);
  Lanes sum{};
  for (int k = 0; k < p.bonds; ++k) sum += load(s.lambda + 8 * k) * load(m.length_square + 8 * k);
  double used = 0.0;
  for (int l = 0; l < m.used; ++l) used += sum[l];
  return used;
}

// Factorises A of the unit vectors e = r/d, which are left in `a`; leaves the inverse lengths in `residual`.
[[gnu::always_inline]] inline void factorise_directions(const RigidMolecules& m, const RigidBondTask& task,
                                                        const Scratch& s) {
  calc_bonds(m, task, s.a);
  for (int k = 0; k < m.pattern.bonds; ++k) {
    const Lanes d2 = load(m.length_square + 8 * k);
    Lanes inverse;
    for (int l = 0; l < 8; ++l) inverse[l] = 1.0 / __builtin_sqrt(d2[l]);
    const Vector r = load3(s.a + 24 * k);
    store3({inverse * r.x, inverse * r.y, inverse * r.z}, s.a + 24 * k);
    store(inverse, s.residual + 8 * k);
  }
  assemble(m, s.a, s.a, s.matrix);
  factorise(m.pattern, s.matrix);
}

// Returns the sum over molecules of ln(det A / product of A_kk); the diagonal of the factors holds inverse
// pivots.
[[gnu::always_inline]] inline double log_determinant(const RigidMolecules& m, const double* A) {
  double sum = 0.0;
  for (int k = 0; k < m.pattern.bonds; ++k) {
    const Lanes factor = load(A + 8 * k) * load(m.weight + 8 * k);
    for (int l = 0; l < m.used; ++l) sum -= __builtin_log(factor[l]);
  }
  return sum;
}

// Replaces the factors of a symmetric matrix by the entries of its inverse Z at the same places, from the
// last pivot up (Takahashi, Fagan, Chin, 1973):
//   Z_lk = -sum_j Z_lj L_jk for l, j below k,   Z_kk = 1/pivot_k - sum_j Z_kj L_jk
[[gnu::always_inline]] inline void invert(const BondPattern& p, double* A) {
  const int* targets = p.targets + p.target_count;
  for (int k = p.bonds - 1; k >= 0; --k) {
    const int begin = p.below_begin[k], end = p.below_begin[k + 1];
    targets -= (end - begin) * (end - begin);
    Lanes diagonal = load(A + 8 * k);
    for (int q = begin; q < end; ++q) {
      Lanes sum{};
      for (int t = begin; t < end; ++t) {
        sum -= load(A + 8 * targets[(q - begin) * (end - begin) + (t - begin)]) * load(A + lower(p, t));
      }
      store(sum, A + upper(p, q));
      diagonal -= sum * load(A + lower(p, q));
    }
    store(diagonal, A + 8 * k);
    for (int q = begin; q < end; ++q) store(load(A + upper(p, q)), A + lower(p, q));
  }
}

// Along bond k: -kT sum_l Z_kl weight_kl (e_l - (e_k . e_l) e_k) / d_k
double add_fixman(const RigidMolecules& m, const RigidBondTask& task) {
  const BondPattern& p = m.pattern;
  const Scratch s(m);
  factorise_directions(m, task, s);
  const double energy = 0.5 * task.kT * log_determinant(m, s.matrix);
  invert(p, s.matrix);
  for (int k = 0; k < p.bonds; ++k) {
    store3(Vector{Lanes{}, Lanes{}, Lanes{}}, s.forces + 24 * k);
    store(-task.kT * load(s.residual + 8 * k), s.lambda + 8 * k);
  }
  for (int k = 0; k < p.bonds; ++k) {
    const Vector ek = load3(s.a + 24 * k);
    for (int q = p.below_begin[k]; q < p.below_begin[k + 1]; ++q) {
      const int l = p.below[q];
      const Vector el = load3(s.a + 24 * l);
      const Lanes z = load(m.weight + 8 * (p.bonds + q)) * load(s.matrix + upper(p, q));
      const Lanes cosine = dot(ek, el);
      Vector fk = load3(s.forces + 24 * k), fl = load3(s.forces + 24 * l);
      add(z, el, fk), add(-z * cosine, ek, fk);
      add(z, ek, fl), add(-z * cosine, el, fl);
      store3(fk, s.forces + 24 * k), store3(fl, s.forces + 24 * l);
    }
  }
  add_to_beads(m, s.lambda, 1.0, false, s.forces, task.fx, task.fy, task.fz);
  return energy;
}

}  // namespace

const RigidBondKernels* SESTINA_RIGID_BOND_TABLE();

const RigidBondKernels* SESTINA_RIGID_BOND_TABLE() {
  static constexpr RigidBondKernels kKernels{set_bonds, constrain, project, virial, add_fixman};
  return &kKernels;
}

}  // namespace sestina
