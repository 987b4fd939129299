#include "sestina/state_time/time_reduction.h"

#include <algorithm>
#include <cassert>

#include "sestina/base/error.h"
#include "sestina/parallel/communicator.h"
#include "sestina/parallel/executor.h"
#include "sestina/state_time/affine_chain.h"
#include "sestina/state_time/element_layout.h"
#include "sestina/state_time/interface_map.h"
#include "sestina/state_time/interface_solver.h"

namespace sestina {
namespace {

// Returns how many of n items in a row precede part i, if they are divided into `parts` equal parts.
int before_part(int i, int n, int parts) { return static_cast<int>(static_cast<long>(n) * i / parts); }

// A stretch and its two interfaces.
struct Part {
  TimeMatrix::Stretch elements;             // numbered from the rank's first element
  std::unique_ptr<JointsToStart> to_start;  // null for the first stretch of the window
  std::unique_ptr<EndToJoints> to_joints;   // null for the last stretch of the window
  State<double> end;
  std::vector<double> start, change;  // (18 n)
  std::vector<double> columns;        // (18 n x 2 nu) by rows: X', then T X'
  Eigen::MatrixXd P;                  // (2 nu x 2 nu); empty for the first and the last stretch
};

}  // namespace

struct TimeReduction::Parts {
  const Model& model;
  ElementLayout layout;
  ReductionOptions options;
  Executor* executor;
  Communicator* ranks;
  InterfaceSolver* interface_solver;
  int rank = 0, rank_count = 1;
  int first = 0;  // first stretch of this rank
  std::vector<Part> parts;
  std::vector<AffineMap> chain;       // of this rank's stretches
  std::vector<double> from, onwards;  // (nq + nu) of the state between ranks
  std::vector<double> before;         // s of the rank before

  std::size_t nq() const { return index(model.nq()); }
  int numbers() const { return 2 * model.nu(); }
  template <class F>
  void for_each_part(F&& f);
  void pass_state_on();
  void update_map(Part& part, TimeMatrix& matrix) const;
  void reduce(int i, TimeMatrix& matrix, std::span<const double> residuals, std::span<double> corrections);
  std::string solve_between_ranks();
};

TimeReduction::TimeReduction(const Model& model, const Properties<double>& properties,
                             const ElementLayout& layout, ReductionOptions options, Executor* executor,
                             Communicator* ranks, InterfaceSolver* interface_solver)
    : parts_(std::make_unique<Parts>(
          Parts{model, layout, options, executor, ranks, interface_solver, 0, 1, 0, {}, {}, {}, {}, {}})) {
  Parts& p = *parts_;
  if (ranks) p.rank = ranks->rank(), p.rank_count = ranks->size();
  assert(options.stretches >= p.rank_count);
  p.first = before_part(p.rank, options.stretches, p.rank_count);
  const int end = before_part(p.rank + 1, options.stretches, p.rank_count);
  const std::size_t size = index(layout.start_size());
  for (int i = p.first; i < end; ++i) {
    Part part;
    if (i > 0) part.to_start = std::make_unique<JointsToStart>(model, properties);
    if (i < options.stretches - 1) part.to_joints = std::make_unique<EndToJoints>(model, properties);
    part.end.q.resize(p.nq()), part.end.u.resize(index(model.nu()));
    if (i > 0) part.start.resize(size), part.change.resize(size);
    if (i > 0 && i < options.stretches - 1) part.columns.resize(index(p.numbers()) * size);
    p.parts.push_back(std::move(part));
  }
  p.chain.resize(p.parts.size());
  p.from.resize(p.nq() + index(model.nu()));
  p.onwards.resize(p.from.size());
  p.before.resize(index(p.numbers()));
}
TimeReduction::~TimeReduction() = default;

template <class F>
void TimeReduction::Parts::for_each_part(F&& f) {
  const auto some = [&](int begin, int end) {
    for (int i = begin; i < end; ++i) f(i);
  };
  const int count = static_cast<int>(parts.size());
  if (executor) {
    executor->parallel_for(count, 1, some);
  } else {
    some(0, count);
  }
}

TimeMatrix::Stretch TimeReduction::elements_of(int rank, int count) const {
  const Parts& p = *parts_;
  const auto begin_of = [&](int r) {
    return before_part(before_part(r, p.options.stretches, p.rank_count), count, p.options.stretches);
  };
  return {begin_of(rank), begin_of(rank + 1) - begin_of(rank)};
}

TimeMatrix::Stretch TimeReduction::own_elements(int count) const { return elements_of(parts_->rank, count); }

int TimeReduction::most_elements(int count) const {
  // A window may have one element less and this rank yet more elements of it.
  return std::max(own_elements(count).count, own_elements(count - 1).count);
}

void TimeReduction::begin_window(int count) {
  Parts& p = *parts_;
  const int own = own_elements(count).first;
  for (std::size_t i = 0; i < p.parts.size(); ++i) {
    const int stretch = p.first + static_cast<int>(i);
    const int begin = before_part(stretch, count, p.options.stretches);
    p.parts[i].elements = {begin - own, before_part(stretch + 1, count, p.options.stretches) - begin};
  }
}

std::string TimeReduction::update_starts(std::span<const double> unknowns,
                                         std::span<const double> end_coordinates, double t) {
  Parts& p = *parts_;
  std::string failure;
  try {
    p.for_each_part([&](int i) {
      Part& part = p.parts[index(i)];
      if (!part.to_joints) return;
      const int last = part.elements.first + part.elements.count - 1;
      part.end.t = t;
      const auto q = end_coordinates.subspan(index(last) * p.nq(), p.nq());
      std::copy(q.begin(), q.end(), part.end.q.begin());
      const std::size_t end = index(last) * index(p.layout.size()) + index(p.layout.end_start());
      part.to_joints->find_state(unknowns.subspan(end, index(p.layout.start_size())), part.end);
    });
  } catch (const ComputationError& error) {
    failure = error.reason();
  }
  p.pass_state_on();
  p.for_each_part([&](int i) {
    Part& part = p.parts[index(i)];
    if (!part.to_start) return;
    if (i > 0) {
      part.to_start->put_state(p.parts[index(i - 1)].end, part.start);
      return;
    }
    State<double> state;
    state.q.assign(p.from.begin(), p.from.begin() + p.model.nq());
    state.u.assign(p.from.begin() + p.model.nq(), p.from.end());
    part.to_start->put_state(state, part.start);
  });
  return failure;
}

// Sends the state at the end of this rank's last stretch to the next rank.
void TimeReduction::Parts::pass_state_on() {
  if (rank_count == 1) return;
  const State<double>& end = parts.back().end;
  std::copy(end.q.begin(), end.q.end(), onwards.begin());
  std::copy(end.u.begin(), end.u.end(), onwards.begin() + static_cast<std::ptrdiff_t>(end.q.size()));
  const bool is_last = rank == rank_count - 1;
  ranks->exchange(is_last ? std::span<double>() : onwards, is_last ? kNoRank : rank + 1,
                  rank == 0 ? std::span<double>() : from, rank == 0 ? kNoRank : rank - 1);
}

std::span<const double> TimeReduction::start_of(int e) const {
  for (const Part& part : parts_->parts) {
    if (part.elements.first == e) return part.start;
  }
  return {};
}

// Computes P of (2).
void TimeReduction::Parts::update_map(Part& part, TimeMatrix& matrix) const {
  if (!part.to_start || !part.to_joints) return;
  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const int m = numbers();
  const std::size_t size = index(layout.start_size());
  Eigen::Map<RowMatrix> columns(part.columns.data(), layout.start_size(), m);
  Eigen::VectorXd unit = Eigen::VectorXd::Zero(m), change(layout.start_size());
  for (int j = 0; j < m; ++j) {
    unit[j] = 1.0;
    part.to_start->calc_change({unit.data(), index(m)}, {change.data(), size});
    unit[j] = 0.0;
    columns.col(j) = change;
  }
  matrix.carry(part.elements, m, part.columns);
  part.P.resize(m, m);
  for (int j = 0; j < m; ++j) {
    change = columns.col(j);
    part.to_joints->calc_displacement({change.data(), size}, {part.P.col(j).data(), index(m)});
  }
}

void TimeReduction::update_maps(TimeMatrix& matrix) {
  parts_->for_each_part([&](int i) { parts_->update_map(parts_->parts[index(i)], matrix); });
}

// Computes the map of (2), with g for these residuals.
void TimeReduction::Parts::reduce(int i, TimeMatrix& matrix, std::span<const double> residuals,
                                  std::span<double> corrections) {
  Part& part = parts[index(i)];
  AffineMap& map = chain[index(i)];
  matrix.solve_stretch(part.elements, {}, residuals, corrections);
  map.P = part.P;
  map.g.setZero(numbers());
  if (!part.to_joints) return;
  const std::size_t last = index(part.elements.first + part.elements.count - 1) * index(layout.size());
  part.to_joints->calc_displacement(
      corrections.subspan(last + index(layout.end_start()), index(layout.start_size())),
      {map.g.data(), index(numbers())});
}

// Inserts the result of the previous rank into this rank's first map.
std::string TimeReduction::Parts::solve_between_ranks() {
  if (rank_count == 1) return {};
  AffineMap own = chain.front();
  for (std::size_t i = 1; i < chain.size(); ++i) own = compose(chain[i], own);
  std::string failure = interface_solver->solve(*ranks, own, before);
  if (rank == 0 || !failure.empty()) return failure;
  const Eigen::Map<const Eigen::VectorXd> s(before.data(), numbers());
  if (chain.front().P.size() > 0) chain.front().g.noalias() += chain.front().P * s;
  chain.front().P.resize(0, 0);
  return {};
}

std::string TimeReduction::solve(TimeMatrix& matrix, std::span<const double> residuals,
                                 std::span<double> corrections) {
  Parts& p = *parts_;
  p.for_each_part([&](int i) { p.reduce(i, matrix, residuals, corrections); });
  if (std::string failure = p.solve_between_ranks(); !failure.empty()) return failure;
  if (p.options.order == ChainOrder::kTree) {
    solve_chain_as_tree(p.chain, p.executor);
  } else {
    solve_chain_in_turn(p.chain);
  }
  p.for_each_part([&](int i) {
    Part& part = p.parts[index(i)];
    if (!part.to_start) return;
    const double* s = i > 0 ? p.chain[index(i - 1)].g.data() : p.before.data();
    part.to_start->calc_change({s, index(p.numbers())}, part.change);
    matrix.solve_stretch(part.elements, part.change, residuals, corrections);
  });
  return {};
}

}  // namespace sestina
