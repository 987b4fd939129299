#include "sestina/state_time/time_matrix.h"

#include <Eigen/SparseLU>
#include <algorithm>
#include <cassert>
#include <functional>

#include "sestina/parallel/executor.h"
#include "sestina/state_time/element_layout.h"

namespace sestina {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Triplets = std::vector<Eigen::Triplet<double>>;

bool has_pattern(const Sparse& a, const Sparse& b) {
  if (a.rows() != b.rows() || a.nonZeros() != b.nonZeros()) return false;
  return std::equal(a.outerIndexPtr(), a.outerIndexPtr() + a.outerSize() + 1, b.outerIndexPtr()) &&
         std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr());
}

// A sparse LU that keeps its analysis while the pattern does not change.
class SparseFactor {
 public:
  bool factor(int size, const Triplets& triplets) {
    Sparse next(size, size);
    next.setFromTriplets(triplets.begin(), triplets.end());
    if (!has_pattern(next, A_)) lu_.analyzePattern(next);
    A_.swap(next);
    lu_.factorize(A_);
    return lu_.info() == Eigen::Success;
  }
  template <class B>
  B solve(const B& b) const {
    return lu_.solve(b);
  }

 private:
  Sparse A_;
  Eigen::SparseLU<Sparse> lu_;
};

struct ElementPart {
  SparseFactor A;
  Sparse B;
};

enum class Outcome { kRegular, kSingular, kNotATree };

}  // namespace

struct TimeMatrix::Parts {
  ElementLayout layout;
  int elements = 0;
  TimeMatrixKind kind = TimeMatrixKind::kTree;
  Executor* executor = nullptr;
  std::vector<std::unique_ptr<TreeFactor>> trees;
  int unknowns = 0;
  bool has_closures = false;
  std::vector<std::unique_ptr<ElementPart>> of_element;
  SparseFactor whole;
  std::vector<Outcome> outcomes;  // of elements

  Outcome factor_element(int e, double h, const std::vector<TangentEntry>& tangent);
  bool factor_sparse(ElementPart& part, const std::vector<TangentEntry>& tangent) const;
  bool factor_whole(std::span<const std::vector<TangentEntry>> tangents);
  void solve_element(int e, std::span<const double> start, std::span<double> b);
  void take_elements();
};

TimeMatrix::TimeMatrix(const ElementEquations& equations, int elements, TimeMatrixKind kind, TangentPart part,
                       Executor* executor)
    : parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
  p.layout = equations.layout();
  p.elements = elements;
  p.kind = part == TangentPart::kLinear ? TimeMatrixKind::kTree : kind;
  p.executor = executor;
  p.unknowns = p.layout.size();
  if (p.kind == TimeMatrixKind::kByElements) p.take_elements();
  if (p.kind != TimeMatrixKind::kTree) return;
  const std::vector<Closure> closures = equations.closures();
  p.has_closures = !closures.empty();
  const auto plan =
      TreeFactor::make_plan(p.layout, equations.pair(), equations.carrying_joints(), part, closures);
  p.unknowns = TreeFactor::kept(*plan);
  for (int e = 0; e < elements; ++e) p.trees.push_back(std::make_unique<TreeFactor>(plan));
}
TimeMatrix::~TimeMatrix() = default;

TimeMatrixKind TimeMatrix::kind() const { return parts_->kind; }
int TimeMatrix::unknowns_of_element() const { return parts_->unknowns; }

void TimeMatrix::Parts::take_elements() {
  kind = TimeMatrixKind::kByElements;
  unknowns = layout.size();
  trees.clear();
  for (int e = 0; e < elements; ++e) of_element.push_back(std::make_unique<ElementPart>());
}

bool TimeMatrix::Parts::factor_sparse(ElementPart& part, const std::vector<TangentEntry>& tangent) const {
  Triplets own, by_start;
  const int size = layout.size();
  for (const TangentEntry& entry : tangent) {
    if (entry.column < size) {
      own.emplace_back(entry.row, entry.column, entry.value);
    } else {
      by_start.emplace_back(entry.row, entry.column - size, entry.value);
    }
  }
  part.B.resize(size, layout.start_size());
  part.B.setFromTriplets(by_start.begin(), by_start.end());
  return part.A.factor(size, own);
}

Outcome TimeMatrix::Parts::factor_element(int e, double h, const std::vector<TangentEntry>& tangent) {
  if (kind == TimeMatrixKind::kByElements) {
    return factor_sparse(*of_element[index(e)], tangent) ? Outcome::kRegular : Outcome::kSingular;
  }
  switch (trees[index(e)]->factor(h, tangent)) {
    case TreeFactor::Status::kRegular:
      return Outcome::kRegular;
    case TreeFactor::Status::kNotATree:
      return Outcome::kNotATree;
    case TreeFactor::Status::kSingular:
      // Parts of a loop may have no inertia by themselves.
      if (has_closures) return Outcome::kNotATree;
      break;
  }
  return Outcome::kSingular;
}

bool TimeMatrix::Parts::factor_whole(std::span<const std::vector<TangentEntry>> tangents) {
  Triplets all;
  const int size = layout.size(), count = static_cast<int>(tangents.size());
  for (int e = 0; e < count; ++e) {
    for (const TangentEntry& entry : tangents[index(e)]) {
      if (entry.column < size) {
        all.emplace_back(e * size + entry.row, e * size + entry.column, entry.value);
      } else if (e > 0) {
        all.emplace_back(e * size + entry.row, (e - 1) * size + layout.end_start() + entry.column - size,
                         entry.value);
      }
    }
  }
  return whole.factor(count * size, all);
}

int TimeMatrix::factor(std::span<const double> lengths, std::span<const std::vector<TangentEntry>> tangents,
                       const std::atomic<bool>* interrupt) {
  Parts& p = *parts_;
  if (p.kind == TimeMatrixKind::kSparse) return p.factor_whole(tangents) ? -1 : 0;
  const int count = static_cast<int>(tangents.size());
  std::vector<Outcome>& outcomes = p.outcomes;
  outcomes.assign(tangents.size(), Outcome::kRegular);
  const auto factor_some = [&](int begin, int end) {
    for (int e = begin; e < end; ++e) {
      if (interrupt && interrupt->load(std::memory_order_relaxed)) return;
      outcomes[index(e)] = p.factor_element(e, lengths[index(e)], tangents[index(e)]);
    }
  };
  const auto factor_all = [&] {
    if (p.executor) {
      p.executor->parallel_for(count, 1, factor_some);
    } else {
      factor_some(0, count);
    }
  };
  factor_all();
  if (std::find(outcomes.begin(), outcomes.end(), Outcome::kNotATree) != outcomes.end()) {
    p.take_elements();
    factor_all();
  }
  const auto singular = std::find(outcomes.begin(), outcomes.end(), Outcome::kSingular);
  return singular == outcomes.end() ? -1 : static_cast<int>(singular - outcomes.begin());
}

void TimeMatrix::solve(std::span<const double> residuals, std::span<double> corrections) {
  Parts& p = *parts_;
  const Eigen::Map<const Vector> r(residuals.data(), static_cast<Eigen::Index>(residuals.size()));
  Eigen::Map<Vector> d(corrections.data(), static_cast<Eigen::Index>(corrections.size()));
  if (p.kind == TimeMatrixKind::kSparse) {
    d = p.whole.solve(Vector(-r));
    return;
  }
  solve_stretch({0, static_cast<int>(r.size()) / p.layout.size()}, {}, residuals, corrections);
}

// b <- A_e^-1 (b - B_e start), without B_e start if `start` is empty.
void TimeMatrix::Parts::solve_element(int e, std::span<const double> start, std::span<double> b) {
  if (kind == TimeMatrixKind::kTree) {
    TreeFactor& tree = *trees[index(e)];
    if (!start.empty()) tree.subtract_start(start, b);
    tree.solve(b);
    return;
  }
  ElementPart& part = *of_element[index(e)];
  Eigen::Map<Vector> x(b.data(), layout.size());
  if (!start.empty()) x -= part.B * Eigen::Map<const Vector>(start.data(), layout.start_size());
  x = part.A.solve(Vector(x));
}

void TimeMatrix::solve_stretch(Stretch stretch, std::span<const double> start_change,
                               std::span<const double> residuals, std::span<double> corrections) {
  Parts& p = *parts_;
  assert(p.kind != TimeMatrixKind::kSparse);
  const std::size_t size = index(p.layout.size());
  std::span<const double> start = start_change;
  for (int e = stretch.first; e < stretch.first + stretch.count; ++e) {  // (1)
    const std::span<double> own = corrections.subspan(index(e) * size, size);
    const std::span<const double> residual = residuals.subspan(index(e) * size, size);
    std::transform(residual.begin(), residual.end(), own.begin(), std::negate<>());
    p.solve_element(e, start, own);
    start = own.subspan(index(p.layout.end_start()), index(p.layout.start_size()));
  }
}

void TimeMatrix::carry(Stretch stretch, int columns, std::span<double> changes) {
  Parts& p = *parts_;
  assert(p.kind != TimeMatrixKind::kSparse);
  Eigen::Map<RowMatrix> change(changes.data(), p.layout.start_size(), columns);
  for (int e = stretch.first; e < stretch.first + stretch.count; ++e) {
    if (p.kind == TimeMatrixKind::kTree) {
      p.trees[index(e)]->carry(columns, changes);
      continue;
    }
    const ElementPart& part = *p.of_element[index(e)];
    const Matrix b = -(part.B * change);
    change = part.A.solve(b).middleRows(p.layout.end_start(), p.layout.start_size());
  }
}

}  // namespace sestina
