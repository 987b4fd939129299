#include "sestina/state_time/tree_factor.h"

#include <Eigen/Dense>
#include <cmath>

#include "sestina/state_time/element_layout.h"

namespace sestina {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

// Offsets within the numbers of a body.
constexpr int kFirstCosine = 6, kFirstPlace = 15;

// Roles of rows and columns of the tangent.
enum class Role {
  kKept,     // number `index` of the body's d_b
  kCosine,   // number `index` = 9 g + 3 c + i: coordinate i of axis c at point g; the end is g = k
  kPlace,    // coordinate `index` of x at the end
  kStart,    // number `index` of the start: a column only
  kIgnored,  // held
};
struct Site {
  Role role = Role::kIgnored;
  int body = 0, index = 0;
};

struct Entry {
  int row, column;
  double value;
};

// Right-hand sides and their solutions: one vector, or several as a matrix by rows.
template <class Values>
struct RightHandSides {
  std::vector<Values> d, c, x;  // of each body: d_b; c of (4), in the order of G's rows; x_e
  std::vector<Values> solved;   // memory for A_bb^-1 r_b
};

// x <- A^-1 b, as lu.solve(b), which would allocate memory for P b.
template <class B, class X>
void solve_into(const Eigen::PartialPivLU<Matrix>& lu, const B& b, X& x) {
  const auto& to = lu.permutationP().indices();
  for (Eigen::Index i = 0; i < b.rows(); ++i) x.row(to[i]) = b.row(i);
  lu.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(x);
  lu.matrixLU().triangularView<Eigen::Upper>().solveInPlace(x);
}

struct Node {
  int parent = kNoBody;
  int size = 0;    // of d_b
  int motion = 0;  // number of v and w among them
};

}  // namespace

struct TreeFactor::Plan {
  ElementLayout layout;
  ElementPair pair;
  TangentPart part = TangentPart::kWhole;
  std::vector<Node> nodes;
  std::vector<Site> sites;    // (layout.size() + layout.start_size())
  std::vector<int> unknowns;  // the place in the element of each kept number, body after body
  std::vector<int> first;     // first number of each body in `unknowns`

  bool is_whole() const { return part == TangentPart::kWhole; }
  int w_start() const { return 3 * (layout.degree + 1); }
  void add_motion(int body);
  void add_multipliers(int body, const JointConditions& joint);
  void put_kept(int body, int unknown);
};

struct TreeFactor::Numbers {
  struct OfBody {
    Matrix A, with_parent, of_parent, U;  // A_bb; A_bp; A_pb; U_b
    Eigen::PartialPivLU<Matrix> lu;
    Matrix P, P_inverse;
    Matrix W[3];
    RowMatrix G;  // (9 (k + 1) x 3 k)
  };
  std::vector<OfBody> bodies;
  Eigen::PartialPivLU<Matrix> P_lu;  // for one body after the other, as is G_i
  Matrix G_i;
  std::vector<Entry> start;     // B
  std::vector<Entry> followed;  // coefficients of C and x_e in rows that are kept
  RightHandSides<Vector> one;
  RightHandSides<RowMatrix> several;
  RowMatrix b;  // (layout.size() x columns)
  double h = 0.0;
};

void TreeFactor::Plan::put_kept(int body, int unknown) {
  Node& node = nodes[index(body)];
  sites[index(unknown)] = {Role::kKept, body, node.size++};
  unknowns.push_back(unknown);
}

// Adds v and w, or v only, and then the numbers that are eliminated.
void TreeFactor::Plan::add_motion(int body) {
  const int k = layout.degree;
  const auto at = [&](int g) { return g == k ? layout.end(body) : layout.point(g, body); };
  for (int vector = 0; vector < (is_whole() ? 2 : 1); ++vector) {
    for (int g = 0; g <= k; ++g) {
      for (int i = 0; i < 3; ++i) put_kept(body, at(g) + 3 * vector + i);
    }
  }
  nodes[index(body)].motion = nodes[index(body)].size;
  for (int i = 0; i < 3; ++i) sites[index(layout.end(body) + kFirstPlace + i)] = {Role::kPlace, body, i};
  if (!is_whole()) return;
  for (int g = 0; g <= k; ++g) {
    for (int i = 0; i < 9; ++i) sites[index(at(g) + kFirstCosine + i)] = {Role::kCosine, body, 9 * g + i};
  }
}

void TreeFactor::Plan::add_multipliers(int body, const JointConditions& joint) {
  for (int g = 0; g <= layout.degree; ++g) {
    const int start = g == layout.degree ? layout.end_multiplier() : layout.point_multiplier(g);
    for (const JointCondition& condition : joint.conditions) {
      if (!is_whole() && condition.kind == JointCondition::Kind::kTurn) continue;
      const int rows = condition.kind == JointCondition::Kind::kPoint ? 3 : 1;
      for (int i = 0; i < rows; ++i) put_kept(body, start + condition.first + i);
    }
  }
}

std::shared_ptr<const TreeFactor::Plan> TreeFactor::make_plan(const ElementLayout& layout,
                                                              const ElementPair& pair,
                                                              std::span<const JointConditions> joints,
                                                              TangentPart part) {
  auto plan = std::make_shared<Plan>();
  plan->layout = layout;
  plan->pair = pair;
  plan->part = part;
  plan->nodes.resize(index(layout.bodies));
  plan->sites.resize(index(layout.size() + layout.start_size()));
  for (const JointConditions& joint : joints) {
    plan->nodes[index(joint.child)].parent = joint.parent;
    plan->first.push_back(static_cast<int>(plan->unknowns.size()));
    plan->add_motion(joint.child);
    plan->add_multipliers(joint.child, joint);
  }
  for (int i = 0; i < layout.start_size(); ++i) {
    plan->sites[index(layout.size() + i)] = {Role::kStart, i / ElementLayout::kEndNumbers, i};
  }
  return plan;
}

int TreeFactor::kept(const Plan& plan) { return static_cast<int>(plan.unknowns.size()); }

double TreeFactor::bytes(const Plan& plan) {
  const double k = plan.layout.degree;
  double numbers = 0.0;
  for (const Node& node : plan.nodes) {
    const double n = node.size, m = node.parent == kNoBody ? 0.0 : plan.nodes[index(node.parent)].motion;
    numbers += 2.0 * n * n + 3.0 * n * m + 2.0 * n;
    if (plan.is_whole()) numbers += 5.0 * 9.0 * k * k + 9.0 * (k + 1.0) * (3.0 * k + 1.0);
  }
  return static_cast<double>(sizeof(double)) * numbers;
}

namespace {

template <class Values, class Plan>
RightHandSides<Values> make_right_hand_sides(const Plan& plan, int columns) {
  RightHandSides<Values> sides;
  for (const Node& node : plan.nodes) {
    sides.d.emplace_back(node.size, columns), sides.solved.emplace_back(node.size, columns);
    sides.c.emplace_back(plan.is_whole() ? 9 * (plan.layout.degree + 1) : 0, columns);
    sides.x.emplace_back(3, columns);
  }
  return sides;
}

}  // namespace

TreeFactor::TreeFactor(std::shared_ptr<const Plan> plan)
    : plan_(std::move(plan)), numbers_(std::make_unique<Numbers>()) {
  const int k = plan_->layout.degree;
  numbers_->bodies.resize(plan_->nodes.size());
  for (std::size_t b = 0; b < plan_->nodes.size(); ++b) {
    const Node& node = plan_->nodes[b];
    Numbers::OfBody& body = numbers_->bodies[b];
    body.A.resize(node.size, node.size);
    const int parent = node.parent == kNoBody ? 0 : plan_->nodes[index(node.parent)].motion;
    body.with_parent.resize(node.size, parent);
    body.U.resize(node.size, parent);
    body.of_parent.resize(parent, node.size);
    if (!plan_->is_whole()) continue;
    body.P.resize(3 * k, 3 * k), body.P_inverse.resize(3 * k, 3 * k);
    for (Matrix& W : body.W) W.resize(3 * k, 3 * k);
    body.G.resize(9 * (k + 1), 3 * k);
  }
  if (plan_->is_whole()) numbers_->G_i.resize(3 * k, 3 * k);
  numbers_->one = make_right_hand_sides<Vector>(*plan_, 1);
}
TreeFactor::~TreeFactor() = default;

// Computes G of every body by (1), (2).
void TreeFactor::eliminate_cosines(std::span<const TangentEntry> tangent) {
  const int k = plan_->layout.degree;
  for (Numbers::OfBody& body : numbers_->bodies) {
    body.P.setZero();
    for (Matrix& W : body.W) W.setZero();
  }
  for (const TangentEntry& entry : tangent) {
    const Site& row = plan_->sites[index(entry.row)];
    if (row.role != Role::kCosine || row.index >= 9 * k) continue;
    const Site& column = plan_->sites[index(entry.column)];
    Numbers::OfBody& body = numbers_->bodies[index(row.body)];
    const int i = row.index % 3, at = row.index / 3;  // coordinate; point and axis
    if (column.role == Role::kKept) {
      body.W[i](at, column.index - plan_->w_start()) += entry.value;
    } else if (column.role == Role::kCosine && i == 0) {
      body.P(at, column.index / 3) += entry.value;
    }
  }
  for (Numbers::OfBody& body : numbers_->bodies) {
    numbers_->P_lu.compute(body.P);
    solve_into(numbers_->P_lu, Matrix::Identity(3 * k, 3 * k), body.P_inverse);
    Matrix& G = numbers_->G_i;
    for (int i = 0; i < 3; ++i) {
      G.noalias() = body.P_inverse * body.W[i];
      G *= -1.0;
      for (int at = 0; at < 3 * k; ++at) body.G.row(3 * at + i) = G.row(at);
      for (int c = 0; c < 3; ++c) {
        auto end = body.G.row(9 * k + 3 * c + i);
        end.setZero();
        for (int j = 1; j <= k; ++j) {
          end += plan_->pair.at_end[index(j)] * G.row(3 * (j - 1) + c);
        }
      }
    }
  }
}

// Adds an entry to A_bb, A_bp or A_pb, by (3) and (4) if it is eliminated. False if there is no such block.
bool TreeFactor::add_entry(double h, const TangentEntry& entry) {
  const Site& row = plan_->sites[index(entry.row)];
  const Site& column = plan_->sites[index(entry.column)];
  if (column.role == Role::kStart) {
    numbers_->start.push_back({entry.row, column.index, entry.value});
    return true;
  }
  if (row.role != Role::kKept || column.role == Role::kIgnored) return true;
  Matrix* block = nullptr;
  if (row.body == column.body) {
    block = &numbers_->bodies[index(row.body)].A;
  } else if (plan_->nodes[index(row.body)].parent == column.body) {
    block = &numbers_->bodies[index(row.body)].with_parent;
  } else if (plan_->nodes[index(column.body)].parent == row.body) {
    block = &numbers_->bodies[index(column.body)].of_parent;
  }
  if (block == nullptr) return !plan_->is_whole();
  const int k = plan_->layout.degree;
  if (column.role == Role::kKept) {
    (*block)(row.index, column.index) += entry.value;
    return true;
  }
  numbers_->followed.push_back({entry.row, entry.column, entry.value});
  if (column.role == Role::kPlace) {
    for (int g = 0; g < k; ++g) {
      (*block)(row.index, 3 * g + column.index) += entry.value * h * plan_->pair.weights[index(g)];
    }
    return true;
  }
  const auto G = numbers_->bodies[index(column.body)].G.row(column.index);
  block->row(row.index).segment(plan_->w_start(), 3 * k) += entry.value * G;
  return true;
}

TreeFactor::Status TreeFactor::factor(double h, std::span<const TangentEntry> tangent) {
  Numbers& numbers = *numbers_;
  numbers.h = h;
  numbers.start.clear(), numbers.followed.clear();
  if (plan_->is_whole()) eliminate_cosines(tangent);
  for (Numbers::OfBody& body : numbers.bodies) {
    body.A.setZero(), body.with_parent.setZero(), body.of_parent.setZero();
  }
  for (const TangentEntry& entry : tangent) {
    if (!add_entry(h, entry)) return Status::kNotATree;
  }
  for (int b = plan_->layout.bodies - 1; b >= 0; --b) {  // (5)
    Numbers::OfBody& body = numbers.bodies[index(b)];
    body.lu.compute(body.A);
    const auto pivots = body.lu.matrixLU().diagonal();
    if (!body.lu.matrixLU().allFinite() || !(pivots.cwiseAbs().minCoeff() > 0.0)) return Status::kSingular;
    const int parent = plan_->nodes[index(b)].parent;
    if (parent == kNoBody) continue;
    solve_into(body.lu, body.with_parent, body.U);
    const int motion = plan_->nodes[index(parent)].motion;
    // Conditions on positions act on the parent only by their multipliers.
    const Eigen::Index own = plan_->nodes[index(b)].motion;
    const bool by_motion = !body.of_parent.leftCols(own).isZero(0.0);
    const Eigen::Index acting = by_motion ? body.U.rows() : body.U.rows() - own;
    numbers.bodies[index(parent)].A.topLeftCorner(motion, motion).noalias() -=
        body.of_parent.rightCols(acting) * body.U.bottomRows(acting);
  }
  return Status::kRegular;
}

void TreeFactor::subtract_start(std::span<const double> start, std::span<double> b) const {
  for (const Entry& entry : numbers_->start) {
    b[index(entry.row)] -= entry.value * start[index(entry.column)];
  }
}

// Computes c of (4), the part of x_e that does not follow from v, and r_b.
template <class Columns, class B>
void TreeFactor::begin_solution(Columns& work, const B& b) const {
  const ElementLayout& layout = plan_->layout;
  const int k = layout.degree;
  for (int body = 0; body < layout.bodies; ++body) {
    const Numbers::OfBody& numbers = numbers_->bodies[index(body)];
    work.x[index(body)] = b.template middleRows<3>(layout.end(body) + kFirstPlace);
    auto& d = work.d[index(body)];
    for (int i = 0; i < d.rows(); ++i) {
      d.row(i) = b.row(plan_->unknowns[index(plan_->first[index(body)] + i)]);
    }
    if (!plan_->is_whole()) continue;
    auto& c = work.c[index(body)];
    c.setZero();
    for (int at = 0; at < 3 * k; ++at) {
      const auto row = b.template middleRows<3>(layout.point(at / 3, body) + kFirstCosine + 3 * (at % 3));
      for (int to = 0; to < 3 * k; ++to) c.template middleRows<3>(3 * to) += numbers.P_inverse(to, at) * row;
    }
    c.template bottomRows<9>() = b.template middleRows<9>(layout.end(body) + kFirstCosine);
    for (int j = 1; j <= k; ++j) {
      c.template bottomRows<9>() += plan_->pair.at_end[index(j)] * c.template middleRows<9>(9 * (j - 1));
    }
  }
  for (const Entry& entry : numbers_->followed) {
    const Site& row = plan_->sites[index(entry.row)];
    const Site& column = plan_->sites[index(entry.column)];
    const auto& from = column.role == Role::kPlace ? work.x : work.c;
    work.d[index(row.body)].row(row.index) -= entry.value * from[index(column.body)].row(column.index);
  }
}

template <class Columns, class B>
void TreeFactor::end_solution(Columns& work, B& b) const {
  const ElementLayout& layout = plan_->layout;
  const int k = layout.degree;
  b.setZero();
  for (int body = 0; body < layout.bodies; ++body) {
    const Numbers::OfBody& numbers = numbers_->bodies[index(body)];
    const auto& d = work.d[index(body)];
    for (int i = 0; i < d.rows(); ++i) {
      b.row(plan_->unknowns[index(plan_->first[index(body)] + i)]) = d.row(i);
    }
    auto x = b.template middleRows<3>(layout.end(body) + kFirstPlace);
    x = work.x[index(body)];
    for (int g = 0; g < k; ++g) {
      x += numbers_->h * plan_->pair.weights[index(g)] * d.template middleRows<3>(3 * g);  // (3)
    }
    if (!plan_->is_whole()) continue;
    auto& c = work.c[index(body)];
    c.noalias() += numbers.G * d.middleRows(plan_->w_start(), 3 * k);  // (4)
    for (int g = 0; g <= k; ++g) {
      const int first = (g == k ? layout.end(body) : layout.point(g, body)) + kFirstCosine;
      b.template middleRows<9>(first) = c.template middleRows<9>(9 * g);
    }
  }
}

template <class Columns, class B>
void TreeFactor::solve_columns(Columns& work, B& b) {
  begin_solution(work, b);
  const int bodies = plan_->layout.bodies;
  for (int i = bodies - 1; i >= 0; --i) {  // (6)
    const Numbers::OfBody& body = numbers_->bodies[index(i)];
    auto& d = work.d[index(i)];
    solve_into(body.lu, d, work.solved[index(i)]);
    d.swap(work.solved[index(i)]);
    const int parent = plan_->nodes[index(i)].parent;
    if (parent == kNoBody) continue;
    work.d[index(parent)].topRows(body.of_parent.rows()).noalias() -= body.of_parent * d;
  }
  for (int i = 0; i < bodies; ++i) {  // (7)
    const Numbers::OfBody& body = numbers_->bodies[index(i)];
    const int parent = plan_->nodes[index(i)].parent;
    if (parent == kNoBody) continue;
    work.d[index(i)].noalias() -= body.U * work.d[index(parent)].topRows(body.U.cols());
  }
  end_solution(work, b);
}

void TreeFactor::solve(std::span<double> b) {
  Eigen::Map<Vector> column(b.data(), static_cast<Eigen::Index>(b.size()));
  solve_columns(numbers_->one, column);
}

void TreeFactor::carry(int columns, std::span<double> changes) {
  const ElementLayout& layout = plan_->layout;
  RowMatrix& b = numbers_->b;
  if (b.cols() != columns) {
    numbers_->several = make_right_hand_sides<RowMatrix>(*plan_, columns);
    b.resize(layout.size(), columns);
  }
  Eigen::Map<RowMatrix> change(changes.data(), layout.start_size(), columns);
  b.setZero();
  for (const Entry& entry : numbers_->start) b.row(entry.row) -= entry.value * change.row(entry.column);
  solve_columns(numbers_->several, b);
  change = b.middleRows(layout.end_start(), layout.start_size());
}

}  // namespace sestina
