#include "sestina/state_time/time_matrix.h"

#include <Eigen/SparseLU>
#include <algorithm>

#include "sestina/parallel/executor.h"

namespace sestina {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;
using Triplets = std::vector<Eigen::Triplet<double>>;

struct ElementPart {
  Sparse A, B;
  Eigen::SparseLU<Sparse> lu;
  bool is_regular = false;
};

}  // namespace

struct TimeMatrix::Parts {
  ElementLayout layout;
  int elements = 0;
  TimeMatrixKind kind = TimeMatrixKind::kByElements;
  Executor* executor = nullptr;
  std::vector<std::unique_ptr<ElementPart>> of_element;
  Sparse whole;
  Eigen::SparseLU<Sparse> whole_lu;

  void factor_element(int e, const std::vector<TangentEntry>& tangent);
  bool factor_whole(std::span<const std::vector<TangentEntry>> tangents);
};

TimeMatrix::TimeMatrix(const ElementLayout& layout, int elements, TimeMatrixKind kind, Executor* executor)
    : parts_(std::make_unique<Parts>()) {
  parts_->layout = layout;
  parts_->elements = elements;
  parts_->kind = kind;
  parts_->executor = executor;
  if (kind == TimeMatrixKind::kSparse) return;
  for (int e = 0; e < elements; ++e) parts_->of_element.push_back(std::make_unique<ElementPart>());
}
TimeMatrix::~TimeMatrix() = default;

void TimeMatrix::Parts::factor_element(int e, const std::vector<TangentEntry>& tangent) {
  ElementPart& part = *of_element[static_cast<std::size_t>(e)];
  Triplets own, by_start;
  const int size = layout.size();
  for (const TangentEntry& entry : tangent) {
    if (entry.column < size) {
      own.emplace_back(entry.row, entry.column, entry.value);
    } else {
      by_start.emplace_back(entry.row, entry.column - size, entry.value);
    }
  }
  part.A.resize(size, size), part.B.resize(size, layout.start_size());
  part.A.setFromTriplets(own.begin(), own.end());
  part.B.setFromTriplets(by_start.begin(), by_start.end());
  part.lu.compute(part.A);
  part.is_regular = part.lu.info() == Eigen::Success;
}

bool TimeMatrix::Parts::factor_whole(std::span<const std::vector<TangentEntry>> tangents) {
  Triplets all;
  const int size = layout.size();
  for (int e = 0; e < elements; ++e) {
    for (const TangentEntry& entry : tangents[static_cast<std::size_t>(e)]) {
      if (entry.column < size) {
        all.emplace_back(e * size + entry.row, e * size + entry.column, entry.value);
      } else if (e > 0) {
        all.emplace_back(e * size + entry.row, (e - 1) * size + layout.end_start() + entry.column - size,
                         entry.value);
      }
    }
  }
  whole.resize(elements * size, elements * size);
  whole.setFromTriplets(all.begin(), all.end());
  whole_lu.compute(whole);
  return whole_lu.info() == Eigen::Success;
}

int TimeMatrix::factor(std::span<const std::vector<TangentEntry>> tangents) {
  Parts& p = *parts_;
  if (p.kind == TimeMatrixKind::kSparse) return p.factor_whole(tangents) ? -1 : 0;
  const auto factor_some = [&](int begin, int end) {
    for (int e = begin; e < end; ++e) p.factor_element(e, tangents[static_cast<std::size_t>(e)]);
  };
  if (p.executor) {
    p.executor->parallel_for(p.elements, 1, factor_some);
  } else {
    factor_some(0, p.elements);
  }
  const auto singular = std::find_if(p.of_element.begin(), p.of_element.end(),
                                     [](const auto& part) { return !part->is_regular; });
  return singular == p.of_element.end() ? -1 : static_cast<int>(singular - p.of_element.begin());
}

void TimeMatrix::solve(std::span<const double> residuals, std::span<double> corrections) {
  Parts& p = *parts_;
  const Eigen::Map<const Vector> r(residuals.data(), static_cast<Eigen::Index>(residuals.size()));
  Eigen::Map<Vector> d(corrections.data(), static_cast<Eigen::Index>(corrections.size()));
  if (p.kind == TimeMatrixKind::kSparse) {
    d = p.whole_lu.solve(Vector(-r));
    return;
  }
  const Eigen::Index size = p.layout.size();
  Vector b(size);
  for (int e = 0; e < p.elements; ++e) {  // (1)
    ElementPart& part = *p.of_element[static_cast<std::size_t>(e)];
    b = -r.segment(e * size, size);
    if (e > 0) {
      b -= part.B * d.segment((e - 1) * size + p.layout.end_start(), p.layout.start_size());
    }
    d.segment(e * size, size) = part.lu.solve(b);
  }
}

}  // namespace sestina
