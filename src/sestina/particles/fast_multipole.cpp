#include "sestina/particles/fast_multipole.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "sestina/particles/multipole_expansion.h"

namespace sestina {
namespace {

using Complex = std::complex<double>;

constexpr int kBoxes = 16;        // target boxes in a chunk of translations
constexpr int kHighest = 52;      // order
constexpr std::size_t kPad = 16;  // places behind the last particle that kernels may read

std::size_t scratch_size(int order) {
  const auto size = static_cast<std::size_t>((order + 2) * (order + 2));
  return 8 * 2 * size + 16 * static_cast<std::size_t>(order + 2) + 5 * size + 64;
}

const MultipoleOptions& checked(const MultipoleOptions& options) {
  if (!(options.tolerance >= 1e-12 && options.tolerance <= 0.1)) {
    throw InputError(fmt::format("the tolerance {} of the fast multipole method is not from 1e-12 to 0.1",
                                 options.tolerance));
  }
  if (options.order < 0 || options.order > kHighest) {
    throw InputError(fmt::format("the order {} of the fast multipole method is not from 1 to {}",
                                 options.order, kHighest));
  }
  if (options.levels > 10)
    throw InputError(fmt::format("{} levels of boxes are more than 10", options.levels));
  return options;
}

// Returns the largest number of particles in a leaf. With m of them, the work per particle is a m + b/m: 27 m
// near pairs, and 1/m of 189 translations of 2 p^3 multiplications, eight at once. It is least at
// m = sqrt(b/a). Cutting a leaf into eight pays if m is above sqrt(8) times that; the factor used is a
// measured one, a little larger.
int choose_leaf_size(int order) {
  const double p = order + 1.0;
  return static_cast<int>(5.0 * std::sqrt(7.0 * (0.08 * p * p * p + 2.0 * p * p) / 1.6)) + 8;
}

// Stores the term (n, m) of a field: a real field is twice the real part of its terms with m > 0.
void put(double* field, int n, int m, const Complex& value, double scale) {
  const double weight = m == 0 ? scale : 2.0 * scale;
  field[n * n + m] = weight * value.real();
  if (m > 0) field[n * n + n + m] = weight * value.imag();
}

}  // namespace

int FastMultipole::order_for(double tolerance, bool is_periodic) {
  // By digits, from 1. The gradient of 4000 uniform charges of both signs has at most half of that error,
  // measured on a tree of four levels.
  constexpr int kOrders[] = {3, 4, 6, 8, 11, 14, 18, 22, 27, 32, 38, 44};
  const double digits = std::clamp(-std::log10(tolerance), 1.0, 12.0);
  const int below = std::min(static_cast<int>(digits + 1e-9), 11);
  const double rest = std::max(digits - below - 1e-9, 0.0);
  const int order =
      static_cast<int>(std::ceil(kOrders[below - 1] + rest * (kOrders[below] - kOrders[below - 1])));
  // The charges of a neutral cube screen each other, so that relative errors are larger; measured with 40 to
  // 3000 charges in one to seven levels.
  return is_periodic ? 2 * ((order + order / 10) / 2 + (order < 10 ? 1 : 2)) : order;
}

FastMultipole::FastMultipole(const MultipoleOptions& options, Executor& executor, InstructionSet set)
    : options_(checked(options)),
      executor_(executor),
      near_(particle_kernels(set)),
      far_(multipole_kernels(set)),
      tables_(options.order > 0 ? options.order : order_for(options.tolerance, options.is_periodic)) {
  if (options_.most_in_leaf <= 0) options_.most_in_leaf = choose_leaf_size(tables_.order());
  if (options_.is_periodic) lattice_.emplace(tables_.order(), tables_.norms(), far_);
}

void FastMultipole::set_cube(const Box& box) {
  if (!box.is_periodic() || !box.is_cube() || !(box.length[0] > 0.0)) {
    throw InputError(fmt::format("the fast multipole method needs a periodic cube, not a box of {} x {} x {}",
                                 box.length[0], box.length[1], box.length[2]));
  }
  cube_ = box;
}

void FastMultipole::calc(std::span<const double> x, std::span<const double> y, std::span<const double> z,
                         std::span<const double> charge, std::span<double> potential, std::span<double> gx,
                         std::span<double> gy, std::span<double> gz) {
  if (x.empty()) return;
  if (lattice_ && !(cube_.length[0] > 0.0))
    throw InputError("the periodic cube is not given: call set_cube first");
  sort(x, y, z, charge);
  form_multipoles();    // step 1
  shift_to_parents();   // step 2
  convert_to_locals();  // step 3, and between levels step 4
  evaluate();           // steps 5 to 7
  if (lattice_) add_surface_field();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto to = static_cast<std::size_t>(tree_.order()[i]);
    potential[to] = potential_[i], gx[to] = gx_[i], gy[to] = gy_[i], gz[to] = gz_[i];
  }
}

void FastMultipole::sort(std::span<const double> x, std::span<const double> y, std::span<const double> z,
                         std::span<const double> charge) {
  const std::size_t n = x.size();
  const std::span<const double> given[] = {x, y, z};
  Doubles* const sorted[] = {&x_, &y_, &z_};
  if (lattice_) {
    for (int a = 0; a < 3; ++a) {
      wrapped_[a].resize(n);
      for (std::size_t i = 0; i < n; ++i) {
        wrapped_[a][i] = given[a][i] - cube_.length[a] * cube_.calc_image(a, given[a][i]);
      }
    }
    tree_.build_periodic(cube_.lower, cube_.length[0], static_cast<int>(n), wrapped_[0].data(),
                         wrapped_[1].data(), wrapped_[2].data(), options_.most_in_leaf, options_.levels);
  } else {
    tree_.build(static_cast<int>(n), x.data(), y.data(), z.data(), options_.most_in_leaf, options_.levels);
  }
  // Kernels read beyond the last particle: these places must not lead to a division by zero.
  for (int a = 0; a < 3; ++a) {
    const double* const from = lattice_ ? wrapped_[a].data() : given[a].data();
    sorted[a]->resize(n + kPad);
    for (std::size_t i = 0; i < n; ++i) (*sorted[a])[i] = from[tree_.order()[i]];
    std::fill(sorted[a]->begin() + static_cast<std::ptrdiff_t>(n), sorted[a]->end(), (*sorted[a])[n - 1]);
  }
  for (Doubles* values : {&charge_, &potential_, &gx_, &gy_, &gz_}) values->assign(n + kPad, 0.0);
  for (std::size_t i = 0; i < n; ++i) charge_[i] = charge[static_cast<std::size_t>(tree_.order()[i])];
  const std::size_t size = tree_.nodes().size() * static_cast<std::size_t>(tables_.size());
  multipoles_.assign(size, 0.0);
  locals_.assign(size, 0.0);
}

// Returns the task of particles and a box that is shifted with respect to them.
PointTask FastMultipole::point_task(const Octree::Node& particles, const Octree::Node& box, double* scratch,
                                    const Vector3d& shift) {
  PointTask task;
  task.order = tables_.order();
  task.x = x_.data(), task.y = y_.data(), task.z = z_.data();
  task.begin = particles.begin, task.end = particles.end;
  const Vector3d center = tree_.center(box);
  for (int a = 0; a < 3; ++a) task.center[a] = center[a] + shift[a];
  task.inverse_side = 1.0 / tree_.side(box.level);
  task.charge = charge_.data();
  task.potential = potential_.data(), task.gx = gx_.data(), task.gy = gy_.data(), task.gz = gz_.data();
  task.scratch = scratch;
  return task;
}

void FastMultipole::form_multipoles() {
  const auto& nodes = tree_.nodes();
  executor_.parallel_for(static_cast<int>(nodes.size()), 16, [&](int begin, int end) {
    Doubles scratch(scratch_size(tables_.order()));
    for (int i = begin; i < end; ++i) {
      if (!nodes[i].is_leaf()) continue;
      PointTask task = point_task(nodes[i], nodes[i], scratch.data());
      task.expansion = multipole(i);
      far_.add_regular(task);  // (5)
      for (int k = 0; k < tables_.size(); ++k) task.expansion[k] *= tables_.norms()[k];
    }
  });
}

void FastMultipole::shift_to_parents() {
  const auto& nodes = tree_.nodes();
  for (int level = tree_.levels() - 2; level >= 0; --level) {
    const int first = tree_.level_begins()[level], count = tree_.level_begins()[level + 1] - first;
    executor_.parallel_for(count, kBoxes, [&](int begin, int end) {
      Doubles scratch(scratch_size(tables_.order()));
      TranslationTask task;
      for (int octant = 0; octant < 8; ++octant) {
        tables_.set_to_parent(octant, task);
        task.scratch = scratch.data();
        int lanes = 0;
        const auto flush = [&] {
          if (lanes == 0) return;
          for (int l = lanes; l < 8; ++l) task.from[l] = task.from[0], task.to[l] = nullptr;
          far_.translate(task);  // (6)
          lanes = 0;
        };
        for (int i = first + begin; i < first + end; ++i) {
          for (int k = 0; k < nodes[i].children; ++k) {
            const int child = nodes[i].first_child + k;
            const auto& at = nodes[child].at;
            if (4 * (at[0] & 1) + 2 * (at[1] & 1) + (at[2] & 1) != octant) continue;
            task.from[lanes] = multipole(child), task.to[lanes++] = multipole(i);
            if (lanes == 8) flush();
          }
        }
        flush();
      }
    });
  }
}

// Goes down the tree, since the local expansion of a box begins with that of its parent.
void FastMultipole::convert_to_locals() {
  if (lattice_) lattice_->add(multipole(0), local(0));
  for (int level = 0; level < tree_.levels(); ++level) {
    const int first = tree_.level_begins()[level], count = tree_.level_begins()[level + 1] - first;
    executor_.parallel_for(count, kBoxes, [&](int begin, int end) {
      Doubles scratch(scratch_size(tables_.order()));
      convert_level(first + begin, first + end, scratch.data());
    });
  }
}

// Converts for the boxes first..last - 1 of one level.
void FastMultipole::convert_level(int first, int last, double* scratch) {
  const auto& nodes = tree_.nodes();
  struct Pair {
    int direction, target, source;
  };
  std::vector<Pair> pairs;
  for (int i = first; i < last; ++i) {
    for (const Octree::Far& far : tree_.v(i)) pairs.push_back({far.direction, i, far.source});
    if (nodes[i].parent < 0) continue;
    const auto& at = nodes[i].at;
    const int octant = 4 * (at[0] & 1) + 2 * (at[1] & 1) + (at[2] & 1);
    pairs.push_back({Octree::kDirections + octant, i, nodes[i].parent});
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.direction < b.direction; });
  TranslationTask task;
  for (std::size_t k = 0; k < pairs.size();) {
    const int direction = pairs[k].direction;
    const bool is_from_parent = direction >= Octree::kDirections;
    if (is_from_parent) {
      tables_.set_to_child(direction - Octree::kDirections, task);
    } else {
      tables_.set_to_local(direction, task);
    }
    task.scratch = scratch;
    while (k < pairs.size() && pairs[k].direction == direction) {
      int lanes = 0;
      for (; lanes < 8 && k < pairs.size() && pairs[k].direction == direction; ++lanes, ++k) {
        task.from[lanes] = is_from_parent ? local(pairs[k].source) : multipole(pairs[k].source);
        task.to[lanes] = local(pairs[k].target);
      }
      for (; lanes < 8; ++lanes) task.from[lanes] = task.from[0], task.to[lanes] = nullptr;
      far_.translate(task);  // (8), step 3, and (10), step 4
    }
  }
  for (int i = first; i < last; ++i) add_far_particles(i, scratch);
}

void FastMultipole::add_far_particles(int node, double* scratch) {
  const auto sources = tree_.x(node);
  if (sources.empty()) return;
  double* const sum = scratch + 8 * (tables_.order() + 2) * (tables_.order() + 2);
  std::fill_n(sum, tables_.size(), 0.0);
  for (const Octree::Near& source : sources) {
    const Vector3d shift = tree_.shift(source.image);
    PointTask task = point_task(tree_.nodes()[source.node], tree_.nodes()[node], scratch,
                                {-shift[0], -shift[1], -shift[2]});
    task.expansion = sum;
    far_.add_irregular(task);  // (9)
  }
  double* const to = local(node);
  for (int k = 0; k < tables_.size(); ++k) to[k] += sum[k] / tables_.norms()[k];
}

void FastMultipole::evaluate() {
  const auto& nodes = tree_.nodes();
  executor_.parallel_for(static_cast<int>(nodes.size()), 8, [&](int begin, int end) {
    Doubles scratch(scratch_size(tables_.order()));
    for (int i = begin; i < end; ++i) {
      if (nodes[i].is_leaf()) evaluate_leaf(i, scratch.data());
    }
  });
}

void FastMultipole::evaluate_leaf(int node, double* scratch) {
  const Octree::Node& leaf = tree_.nodes()[node];
  const int larger = (tables_.order() + 2) * (tables_.order() + 2);
  double* const fields = scratch + 8 * larger;
  PointTask task = point_task(leaf, leaf, scratch);
  add_local_fields(node, task, fields);  // step 5
  for (const Octree::Near& source : tree_.w(node)) add_multipole_fields(node, source, task, fields);
  add_near_particles(node);  // steps 6 and 7
}

// The kernel writes groups of eight, which may extend to particles of other leaves behind those of this one.
void FastMultipole::add_near_particles(int node) {
  const Octree::Node& leaf = tree_.nodes()[node];
  const int count = leaf.end - leaf.begin, padded = (count + 7) / 8 * 8;
  Doubles sums(static_cast<std::size_t>(4 * padded), 0.0), targets(static_cast<std::size_t>(3 * padded));
  std::vector<Octree::Near> near(tree_.u(node).begin(), tree_.u(node).end());
  if (lattice_) {
    std::stable_sort(near.begin(), near.end(),
                     [](const Octree::Near& a, const Octree::Near& b) { return a.image < b.image; });
  }
  std::vector<int> ranges;
  for (std::size_t k = 0; k < near.size();) {
    const int image = near[k].image;
    ranges.clear();
    for (; k < near.size() && near[k].image == image; ++k) {
      const Octree::Node& other = tree_.nodes()[near[k].node];
      if (!ranges.empty() && ranges.back() == other.begin) {
        ranges.back() = other.end;
      } else {
        ranges.insert(ranges.end(), {other.begin, other.end});
      }
    }
    // The targets move instead of the sources.
    const Vector3d shift = tree_.shift(image);
    for (int i = 0; i < padded; ++i) {
      const auto from = static_cast<std::size_t>(leaf.begin + i);
      targets[i] = x_[from] - shift[0];
      targets[padded + i] = y_[from] - shift[1];
      targets[2 * padded + i] = z_[from] - shift[2];
    }
    double *const at = targets.data(), *const u = sums.data();
    near_.coulomb({{at, at + padded, at + 2 * padded},
                   {x_.data(), y_.data(), z_.data()},
                   charge_.data(),
                   0,
                   count,
                   ranges.data(),
                   static_cast<int>(ranges.size() / 2),
                   u,
                   u + padded,
                   u + 2 * padded,
                   u + 3 * padded});
  }
  for (int i = 0; i < count; ++i) {  // step 7
    potential_[leaf.begin + i] += sums[i];
    gx_[leaf.begin + i] += sums[padded + i];
    gy_[leaf.begin + i] += sums[2 * padded + i];
    gz_[leaf.begin + i] += sums[3 * padded + i];
  }
}

void FastMultipole::add_surface_field() {
  const std::size_t n = tree_.order().size();
  const double factor = 4.0 * std::numbers::pi / (3.0 * cube_.volume());
  const Vector3d center = tree_.center(tree_.nodes()[0]);
  Vector3d dipole{};
  double trace = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double r[] = {x_[i] - center[0], y_[i] - center[1], z_[i] - center[2]};
    for (int a = 0; a < 3; ++a) dipole[a] += charge_[i] * r[a];
    trace += charge_[i] * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double along =
        dipole[0] * (x_[i] - center[0]) + dipole[1] * (y_[i] - center[1]) + dipole[2] * (z_[i] - center[2]);
    potential_[i] -= factor * (along - 0.5 * trace);
    gx_[i] -= factor * dipole[0], gy_[i] -= factor * dipole[1], gz_[i] -= factor * dipole[2];
  }
}

void FastMultipole::add_local_fields(int node, PointTask& task, double* fields) {
  const int p = tables_.order(), size = tables_.size();
  std::vector<double> F(local(node), local(node) + size);
  for (int k = 0; k < size; ++k) F[k] *= tables_.norms()[k];
  std::fill_n(fields, 4 * size, 0.0);
  const double s = task.inverse_side;
  for (int n = 0; n <= p; ++n) {
    for (int m = 0; m <= n; ++m) {
      put(fields, n, m, expansion_at(F.data(), n, m), s);  // (11)
      if (n == p) continue;
      const Complex below = expansion_at(F.data(), n + 1, m - 1),
                    above = expansion_at(F.data(), n + 1, m + 1);
      put(fields + size, n, m, 0.5 * (below - above), s * s);
      put(fields + 2 * size, n, m, Complex(0.0, 0.5) * (below + above), s * s);
      put(fields + 3 * size, n, m, expansion_at(F.data(), n + 1, m), s * s);
    }
  }
  task.fields = fields;
  far_.evaluate_regular(task);
}

void FastMultipole::add_multipole_fields(int leaf, const Octree::Near& source, PointTask& task,
                                         double* fields) {
  const int p = tables_.order(), size = tables_.size(), larger = (p + 2) * (p + 2);
  task = point_task(tree_.nodes()[leaf], tree_.nodes()[source.node], task.scratch, tree_.shift(source.image));
  task.order = p + 1;
  std::vector<double> M(multipole(source.node), multipole(source.node) + size);
  for (int k = 0; k < size; ++k) M[k] /= tables_.norms()[k];
  std::fill_n(fields, 4 * larger, 0.0);
  const double s = task.inverse_side;
  for (int n = 0; n <= p + 1; ++n) {
    for (int m = 0; m <= n; ++m) {
      if (n <= p) put(fields, n, m, expansion_at(M.data(), n, m), s);  // (12)
      if (n == 0) continue;
      const Complex below = expansion_at(M.data(), n - 1, m - 1),
                    above = expansion_at(M.data(), n - 1, m + 1);
      put(fields + larger, n, m, 0.5 * (below - above), s * s);
      put(fields + 2 * larger, n, m, Complex(0.0, 0.5) * (below + above), s * s);
      put(fields + 3 * larger, n, m, -expansion_at(M.data(), n - 1, m), s * s);
    }
  }
  task.fields = fields;
  far_.evaluate_irregular(task);
}

void add_direct_sum(const ParticleKernels& kernels, const Positions& at, const double* charge, int n,
                    const PointField& field, Executor& executor) {
  constexpr int kTargets = 64;
  const std::array<int, 2> everyone{0, n};
  executor.parallel_for((n + kTargets - 1) / kTargets, 1, [&](int begin, int end) {
    kernels.coulomb({at, at, charge, begin * kTargets, std::min(end * kTargets, n), everyone.data(), 1,
                     field.potential, field.gx, field.gy, field.gz});
  });
}

void calc_direct_sum(std::span<const double> x, std::span<const double> y, std::span<const double> z,
                     std::span<const double> charge, std::span<double> potential, std::span<double> gx,
                     std::span<double> gy, std::span<double> gz, Executor& executor, InstructionSet set) {
  const std::size_t n = x.size();
  const auto padded = [n](std::span<const double> from) {
    CacheLineVector<double> to(from.begin(), from.end());
    to.resize(n + kPad, 0.0);
    return to;
  };
  const auto px = padded(x), py = padded(y), pz = padded(z), q = padded(charge);
  CacheLineVector<double> u(n + kPad, 0.0), ux(u), uy(u), uz(u);
  const Positions at{px.data(), py.data(), pz.data()};
  add_direct_sum(particle_kernels(set), at, q.data(), static_cast<int>(n),
                 {u.data(), ux.data(), uy.data(), uz.data()}, executor);
  std::copy_n(u.begin(), n, potential.begin());
  std::copy_n(ux.begin(), n, gx.begin());
  std::copy_n(uy.begin(), n, gy.begin());
  std::copy_n(uz.begin(), n, gz.begin());
}

}  // namespace sestina
