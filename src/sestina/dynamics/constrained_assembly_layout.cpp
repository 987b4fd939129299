// ConstrainedAssembly computes once the node in which each condition is complete and the levels of tasks, and
// for each state the multipliers that exert no force.
#include <algorithm>
#include <cmath>

#include "sestina/dynamics/constrained_assembly.h"

namespace sestina {
namespace {

// A multiplier or a force on a handle counts as zero below this, beside the 1 of a redundant condition.
constexpr double kIdleRoundOffInAssembly = 1e-14;

}  // namespace

// The bodies on which a condition acts never change.
void ConstrainedAssembly::lay_out(const ConstraintRows<double>& constraints) {
  std::vector<std::vector<int>> pieces_of_row;
  for (int row = 0; row < num_rows_; ++row) pieces_of_row.push_back(find_pieces(constraints, row));
  bundle_roots(pieces_of_row);
  nodes_.resize(tree_.nodes.size());
  joints_.resize(tree_.assemblies.size());
  for (int row = 0; row < num_rows_; ++row) {
    find_complete_node(row, find_meeting_place(constraints, row),
                       pieces_of_row[static_cast<std::size_t>(row)]);
  }
  lay_out_pieces(constraints, pieces_of_row);
  make_schedules();
  is_laid_out_ = true;
}

// The pieces on whose bodies or speeds a condition acts, in ascending order.
std::vector<int> ConstrainedAssembly::find_pieces(const ConstraintRows<double>& constraints, int row) const {
  const ConstraintRow<double>& of = constraints.rows[static_cast<std::size_t>(row)];
  std::vector<int> pieces;
  const auto add = [&](int body) {
    const int piece = piece_of_body_[static_cast<std::size_t>(body)];
    if (piece >= 0) pieces.push_back(piece);
  };
  for_each_pair(constraints, of, [&](const FramePair<double>& pair) {
    add(pair.a.value());
    add(pair.b.value());
  });
  for (int i = of.first_term; i < of.first_term + of.terms; ++i) {
    add(model_->body_of_speed(constraints.terms[static_cast<std::size_t>(i)].speed).value());
  }
  std::sort(pieces.begin(), pieces.end());
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
  return pieces;
}

// The body (BodyIndex) that connects all on which a condition acts, as in the recursion.
int ConstrainedAssembly::find_meeting_place(const ConstraintRows<double>& constraints, int row) const {
  const ConstraintRow<double>& of = constraints.rows[static_cast<std::size_t>(row)];
  const auto parent = [&](int body) { return model_->bodies()[BodyIndex(body)].parent.value(); };
  int meeting = -1;
  const auto include = [&](int body) {
    if (meeting < 0) meeting = body;
    while (meeting != body) (meeting > body ? meeting : body) = parent(std::max(meeting, body));
  };
  for_each_pair(constraints, of, [&](const FramePair<double>& pair) {
    include(pair.a.value());
    include(pair.b.value());
  });
  for (int i = of.first_term; i < of.first_term + of.terms; ++i) {
    const int speed = constraints.terms[static_cast<std::size_t>(i)].speed;
    include(parent(model_->body_of_speed(speed).value()));
  }
  return std::max(meeting, 0);
}

// Roots with a condition in common become one, so that it is complete in a node.
void ConstrainedAssembly::bundle_roots(const std::vector<std::vector<int>>& pieces_of_row) {
  const auto find_parents = [&] {
    parent_of_.assign(tree_.nodes.size(), -1);
    for (int a = 0; a < static_cast<int>(tree_.assemblies.size()); ++a) {
      parent_of_[static_cast<std::size_t>(step(a).inner)] = result_of(a);
      parent_of_[static_cast<std::size_t>(step(a).outer)] = result_of(a);
    }
  };
  find_parents();
  std::vector<int> root_of(tree_.nodes.size());
  for (std::size_t i = root_of.size(); i-- > 0;) {
    root_of[i] = parent_of_[i] < 0 ? static_cast<int>(i) : root_of[static_cast<std::size_t>(parent_of_[i])];
  }
  std::vector<std::pair<int, int>> pairs;
  for (const std::vector<int>& pieces : pieces_of_row) {
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      const std::pair<int, int> pair(root_of[static_cast<std::size_t>(pieces[i - 1])],
                                     root_of[static_cast<std::size_t>(pieces[i])]);
      if (pair.first != pair.second && (pairs.empty() || pairs.back() != pair)) pairs.push_back(pair);
    }
  }
  tree_.bundle_roots(std::move(pairs));
  find_parents();
}

void ConstrainedAssembly::find_complete_node(int row, int meeting, const std::vector<int>& pieces) {
  if (pieces.empty()) return;
  const auto parent = [&](int i) { return parent_of_[static_cast<std::size_t>(i)]; };
  int complete = pieces[0];
  for (int other : pieces) {  // nodes come after those that they are made of
    while (complete != other) {
      int& earlier = complete < other ? complete : other;
      earlier = parent(earlier);
    }
  }
  const auto connects = [&](int i) {
    if (tree_.nodes[static_cast<std::size_t>(i)].base.value() == meeting) return true;
    int part = piece_of_body_[static_cast<std::size_t>(meeting)];
    while (part >= 0 && part < i) part = parent(part);
    return part == i;
  };
  while (!connects(complete)) complete = parent(complete);
  complete_at_[static_cast<std::size_t>(row)] = complete;
}

void ConstrainedAssembly::lay_out_pieces(const ConstraintRows<double>& constraints,
                                         const std::vector<std::vector<int>>& pieces_of_row) {
  std::vector<ConstrainedRecursion::PartRows> parts(num_pieces());
  for (int row = 0; row < num_rows_; ++row) {
    const auto r = static_cast<std::size_t>(row);
    for (const int piece : pieces_of_row[r]) {
      ConstrainedRecursion::PartRows& part = parts[static_cast<std::size_t>(piece)];
      part.rows.push_back(row);
      part.completes.push_back(complete_at_[r] == piece);
      part.owns.push_back(pieces_of_row[r].front() == piece);
    }
  }
  for (std::size_t p = 0; p < num_pieces(); ++p) {
    Piece& piece = pieces_[p];
    piece.rows = parts[p].rows;
    if (has_handle(static_cast<int>(p))) {
      for (int i = 0; i < 6; ++i) piece.rows.push_back(num_rows_ + i);
    }
    piece.mu.resize(piece.rows.size());
    piece.recursion->lay_out(constraints, std::move(parts[p]));
    nodes_[p].rows = piece.rows, nodes_[p].mu = piece.mu, nodes_[p].d = piece.recursion->d();
  }
}

void ConstrainedAssembly::make_schedules() {
  blocks_ = std::make_unique<AssemblyBlocks>(tree_);
  factor_sizes_ = {static_cast<int>(blocks_->blocks.size())};
  for (int level = blocks_->first_spread; level < blocks_->end_spread; ++level) {
    const auto l = static_cast<std::size_t>(level);
    factor_sizes_.push_back(tree_.level_starts[l + 1] - tree_.level_starts[l]);
  }
  factor_sizes_.push_back(1);
  solve_sizes_ = factor_sizes_;
  solve_sizes_.insert(solve_sizes_.end(), factor_sizes_.rbegin() + 1, factor_sizes_.rend());
}

void ConstrainedAssembly::find_idle_multipliers() {
  idle_.clear();
  for (std::size_t p = 0; p < num_pieces(); ++p) {
    ConstrainedRecursion& recursion = *pieces_[p].recursion;
    recursion.find_first_couplings();
    for (std::size_t i = 0; i < recursion.redundant().size(); ++i) {
      find_idle_set(static_cast<int>(p), recursion.redundant()[i], recursion.found_after()[i]);
    }
  }
  for (int a = 0; a < static_cast<int>(joints_.size()); ++a) {
    for (const int row : joint(a).redundant) find_idle_set(result_of(a), row, 0);
  }
  idle_.orthonormalize();
  knows_idle_ = true;
}

// The multipliers that exert no force together with 1 for a condition that was found redundant in a node; in
// a piece, after this many eliminations.
void ConstrainedAssembly::find_idle_set(int of, int row, std::size_t eliminations) {
  const std::span<double> mu = node(of).mu;
  std::fill(mu.begin(), mu.end(), 0.0);
  mu[static_cast<std::size_t>(row)] = 1.0;
  idle_.begin_set();
  idle_.add(node(of).rows[static_cast<std::size_t>(row)], 1.0);
  if (of < static_cast<int>(num_pieces())) return follow_idle_in_piece(of, eliminations);
  follow_idle(of);
}

// (5) at A = 0 for the first eliminations of a piece, from the last to the first that couples with any of
// these multipliers.
void ConstrainedAssembly::follow_idle_in_piece(int piece, std::size_t eliminations) {
  const Node& here = node(piece);
  const ConstrainedRecursion& recursion = *piece_of(piece).recursion;
  const std::vector<std::size_t>& first_couplings = recursion.first_couplings();
  std::size_t first = eliminations;
  for (std::size_t r = 0; r < here.mu.size(); ++r) {
    if (std::abs(here.mu[r]) > kIdleRoundOffInAssembly) first = std::min(first, first_couplings[r]);
  }
  for (std::size_t e = eliminations; e-- > first;) {
    const ConditionPivots::Elimination& elimination = recursion.pivots().eliminations()[e];
    const auto r = static_cast<std::size_t>(elimination.row);
    const double multiplier = -recursion.pivots().sum_of(elimination.S, here.mu) * elimination.S_inverse;
    here.mu[r] = multiplier;
    if (std::abs(multiplier) <= kIdleRoundOffInAssembly) continue;
    idle_.add(here.rows[r], multiplier);
    first = std::min(first, first_couplings[r]);
  }
}

// The same in an assembly, then in the nodes that it is made of.
void ConstrainedAssembly::follow_idle(int of) {
  const int assembly = of - static_cast<int>(num_pieces());
  const Joint& at = joint(assembly);
  const std::span<double> mu = node(of).mu;
  for (auto e = at.pivots.eliminations().rbegin(); e != at.pivots.eliminations().rend(); ++e) {
    const auto r = static_cast<std::size_t>(e->row);
    mu[r] = -at.pivots.sum_of(e->S, mu) * e->S_inverse;
    if (std::abs(mu[r]) > kIdleRoundOffInAssembly) idle_.add(at.rows[r], mu[r]);
  }
  for (const int part : {step(assembly).inner, step(assembly).outer}) {
    std::fill(node(part).mu.begin(), node(part).mu.end(), 0.0);
  }
  spread_mu(assembly, {});
  for (const int part : {step(assembly).inner, step(assembly).outer}) {
    const bool takes_part =
        std::ranges::any_of(node(part).mu, [](double x) { return std::abs(x) > kIdleRoundOffInAssembly; });
    if (!takes_part) continue;
    if (part < static_cast<int>(num_pieces())) {
      follow_idle_in_piece(part, piece_of(part).recursion->pivots().eliminations().size());
    } else {
      follow_idle(part);
    }
  }
}

}  // namespace sestina
