#include "sestina/state_time/tree_factor.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <set>

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

// A node that is eliminated later and to which a node is then coupled by its first `size` unknowns.
struct Outer {
  int node = 0, size = 0;
  int at = 0;  // place of its columns among those of all outer nodes
};
// A body with its joint's multipliers or, after all bodies, the multipliers of a closure.
struct Node {
  int parent = kNoBody;      // of a body
  int size = 0;              // of d_b
  int motion = 0;            // number of v and w among them; all of a closure
  std::vector<Outer> outer;  // of a body in a tree: its parent
  int width = 0;             // sum of the sizes of `outer`

  const Outer* find(int node) const {
    for (const Outer& other : outer) {
      if (other.node == node) return &other;
    }
    return nullptr;
  }
};

int find_common_base(int a, int b, const std::vector<Node>& nodes) {
  while (a != b) {
    int& outboard = a > b ? a : b;
    outboard = nodes[index(outboard)].parent;
  }
  return a;
}

}  // namespace

struct TreeFactor::Plan {
  ElementLayout layout;
  ElementPair pair;
  TangentPart part = TangentPart::kWhole;
  std::vector<Node> nodes;
  std::vector<Site> sites;    // (layout.size() + layout.start_size())
  std::vector<int> unknowns;  // the place in the element of each kept number, body after body
  std::vector<int> first;     // first number of each node in `unknowns`
  std::vector<int> order;     // of elimination

  bool is_whole() const { return part == TangentPart::kWhole; }
  int w_start() const { return 3 * (layout.degree + 1); }
  void add_motion(int body);
  void add_multipliers(int body, const JointConditions& joint);
  void add_multiplier(int node, int g, int multiplier);
  void add_closures(std::span<const Closure> closures);
  void find_outer_nodes(std::span<const Closure> closures);
  void put_kept(int body, int unknown);
};

struct TreeFactor::Numbers {
  struct OfNode {
    Matrix A, with_outer, of_outer, U;  // A_bb; A_bp; A_pb; U_b
    Eigen::PartialPivLU<Matrix> lu;
  };
  struct OfBody {
    Matrix P, P_inverse;
    Matrix W[3];
    RowMatrix G;  // (9 (k + 1) x 3 k)
  };
  std::vector<OfNode> nodes;
  std::vector<OfBody> bodies;
  Matrix S;                          // A_pb U_b of a node with several outer ones
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

void TreeFactor::Plan::add_multiplier(int node, int g, int multiplier) {
  put_kept(node, (g == layout.degree ? layout.end_multiplier() : layout.point_multiplier(g)) + multiplier);
}

void TreeFactor::Plan::add_multipliers(int body, const JointConditions& joint) {
  for (int g = 0; g <= layout.degree; ++g) {
    for (const JointCondition& condition : joint.conditions) {
      if (!is_whole() && condition.kind == JointCondition::Kind::kTurn) continue;
      for (int i = 0; i < condition.rows(); ++i) add_multiplier(body, g, condition.first + i);
    }
  }
}

// Adds the nodes of closures and the order of elimination: bodies from the tips to the root, and each closure
// before the body that carries all of its bodies, or last.
void TreeFactor::Plan::add_closures(std::span<const Closure> closures) {
  std::vector<std::vector<int>> before(index(layout.bodies + 1));  // by body; the ground's is the last
  for (const Closure& closure : closures) {
    const int node = static_cast<int>(nodes.size());
    nodes.emplace_back();
    first.push_back(static_cast<int>(unknowns.size()));
    for (int g = 0; g <= layout.degree; ++g) {
      for (const int multiplier : closure.multipliers) add_multiplier(node, g, multiplier);
    }
    nodes.back().motion = nodes.back().size;
    int base = closure.bodies.front();
    for (const int body : closure.bodies) base = find_common_base(base, body, nodes);
    before[index(base == kNoBody ? layout.bodies : base)].push_back(node);
  }
  for (int b = layout.bodies - 1; b >= 0; --b) {
    order.insert(order.end(), before[index(b)].begin(), before[index(b)].end());
    order.push_back(b);
  }
  order.insert(order.end(), before.back().begin(), before.back().end());
}

// Finds the couplings, with those that the elimination adds between the outer nodes of a node.
void TreeFactor::Plan::find_outer_nodes(std::span<const Closure> closures) {
  std::vector<int> place(nodes.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[index(order[i])] = static_cast<int>(i);
  std::vector<std::set<int>> outer(nodes.size());  // places in the order
  const auto couple = [&](int a, int b) {
    if (a == kNoBody || b == kNoBody || a == b) return;
    const bool is_first = place[index(a)] < place[index(b)];
    outer[index(is_first ? a : b)].insert(place[index(is_first ? b : a)]);
  };
  for (int b = 0; b < layout.bodies; ++b) couple(b, nodes[index(b)].parent);
  for (std::size_t i = 0; i < closures.size(); ++i) {
    for (const int body : closures[i].bodies) {
      couple(body, layout.bodies + static_cast<int>(i));
      for (const int other : closures[i].bodies) couple(body, other);
    }
  }
  for (const int v : order) {
    Node& node = nodes[index(v)];
    for (const int at : outer[index(v)]) {
      const int w = order[index(at)];
      node.outer.push_back({w, nodes[index(w)].motion, node.width});
      node.width += node.outer.back().size;
      for (const int other : outer[index(v)]) couple(w, order[index(other)]);
    }
  }
}

std::shared_ptr<const TreeFactor::Plan> TreeFactor::make_plan(const ElementLayout& layout,
                                                              const ElementPair& pair,
                                                              std::span<const JointConditions> joints,
                                                              TangentPart part,
                                                              std::span<const Closure> closures) {
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
  plan->add_closures(closures);
  plan->find_outer_nodes(closures);
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
    const double n = node.size, m = node.width;
    numbers += 2.0 * n * n + 3.0 * n * m + 2.0 * n;
  }
  if (plan.is_whole()) {
    numbers += plan.layout.bodies * (5.0 * 9.0 * k * k + 9.0 * (k + 1.0) * (3.0 * k + 1.0));
  }
  return static_cast<double>(sizeof(double)) * numbers;
}

namespace {

template <class Values, class Plan>
RightHandSides<Values> make_right_hand_sides(const Plan& plan, int columns) {
  RightHandSides<Values> sides;
  for (const Node& node : plan.nodes) {
    sides.d.emplace_back(node.size, columns), sides.solved.emplace_back(node.size, columns);
  }
  for (int body = 0; body < plan.layout.bodies; ++body) {
    sides.c.emplace_back(plan.is_whole() ? 9 * (plan.layout.degree + 1) : 0, columns);
    sides.x.emplace_back(3, columns);
  }
  return sides;
}

}  // namespace

TreeFactor::TreeFactor(std::shared_ptr<const Plan> plan)
    : plan_(std::move(plan)), numbers_(std::make_unique<Numbers>()) {
  const int k = plan_->layout.degree;
  int widest = 0;
  for (const Node& node : plan_->nodes) {
    if (node.outer.size() > 1) widest = std::max(widest, node.width);
    Numbers::OfNode& of_node = numbers_->nodes.emplace_back();
    of_node.A.resize(node.size, node.size);
    of_node.with_outer.resize(node.size, node.width);
    of_node.U.resize(node.size, node.width);
    of_node.of_outer.resize(node.width, node.size);
  }
  numbers_->S.resize(widest, widest);
  numbers_->bodies.resize(index(plan_->layout.bodies));
  for (Numbers::OfBody& body : numbers_->bodies) {
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
  int i = row.index, first = 0;  // row and first column in the block
  if (row.body == column.body) {
    block = &numbers_->nodes[index(row.body)].A;
  } else if (const Outer* outer = plan_->nodes[index(row.body)].find(column.body)) {
    block = &numbers_->nodes[index(row.body)].with_outer;
    first = outer->at;
  } else if (const Outer* other = plan_->nodes[index(column.body)].find(row.body)) {
    block = &numbers_->nodes[index(column.body)].of_outer;
    i += other->at;
  }
  if (block == nullptr) return !plan_->is_whole();
  const int k = plan_->layout.degree;
  if (column.role == Role::kKept) {
    (*block)(i, first + column.index) += entry.value;
    return true;
  }
  numbers_->followed.push_back({entry.row, entry.column, entry.value});
  if (column.role == Role::kPlace) {
    for (int g = 0; g < k; ++g) {
      (*block)(i, first + 3 * g + column.index) += entry.value * h * plan_->pair.weights[index(g)];
    }
    return true;
  }
  const auto G = numbers_->bodies[index(column.body)].G.row(column.index);
  block->row(i).segment(first + plan_->w_start(), 3 * k) += entry.value * G;
  return true;
}

TreeFactor::Status TreeFactor::factor(double h, std::span<const TangentEntry> tangent) {
  Numbers& numbers = *numbers_;
  numbers.h = h;
  numbers.start.clear(), numbers.followed.clear();
  if (plan_->is_whole()) eliminate_cosines(tangent);
  for (Numbers::OfNode& node : numbers.nodes) {
    node.A.setZero(), node.with_outer.setZero(), node.of_outer.setZero();
  }
  for (const TangentEntry& entry : tangent) {
    if (!add_entry(h, entry)) return Status::kNotATree;
  }
  for (const int b : plan_->order) {  // (5)
    Numbers::OfNode& node = numbers.nodes[index(b)];
    node.lu.compute(node.A);
    const auto pivots = node.lu.matrixLU().diagonal();
    if (!node.lu.matrixLU().allFinite() || !(pivots.cwiseAbs().minCoeff() > 0.0)) return Status::kSingular;
    if (!plan_->nodes[index(b)].outer.empty()) eliminate(b);
  }
  return Status::kRegular;
}

// Subtracts A_pb U_b from the blocks of the outer nodes.
void TreeFactor::eliminate(int b) {
  Numbers::OfNode& node = numbers_->nodes[index(b)];
  const std::vector<Outer>& outer = plan_->nodes[index(b)].outer;
  solve_into(node.lu, node.with_outer, node.U);
  // Conditions on positions act on the parent only by their multipliers.
  const Eigen::Index own = plan_->nodes[index(b)].motion;
  const bool by_motion = !node.of_outer.leftCols(own).isZero(0.0);
  const Eigen::Index acting = by_motion ? node.U.rows() : node.U.rows() - own;
  if (outer.size() == 1) {
    numbers_->nodes[index(outer[0].node)].A.topLeftCorner(outer[0].size, outer[0].size).noalias() -=
        node.of_outer.rightCols(acting) * node.U.bottomRows(acting);
    return;
  }
  const int width = plan_->nodes[index(b)].width;
  auto S = numbers_->S.topLeftCorner(width, width);
  S.noalias() = node.of_outer.rightCols(acting) * node.U.bottomRows(acting);
  for (const Outer& row : outer) {
    for (const Outer& column : outer) {
      const auto of_S = S.block(row.at, column.at, row.size, column.size);
      Numbers::OfNode& of_row = numbers_->nodes[index(row.node)];
      Numbers::OfNode& of_column = numbers_->nodes[index(column.node)];
      if (row.node == column.node) {
        of_row.A.topLeftCorner(row.size, row.size) -= of_S;
      } else if (const Outer* later = plan_->nodes[index(row.node)].find(column.node)) {
        of_row.with_outer.block(0, later->at, row.size, column.size) -= of_S;
      } else {
        const Outer* earlier = plan_->nodes[index(column.node)].find(row.node);
        of_column.of_outer.block(earlier->at, 0, row.size, column.size) -= of_S;
      }
    }
  }
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
  for (std::size_t node = 0; node < work.d.size(); ++node) {
    auto& d = work.d[node];
    for (int i = 0; i < d.rows(); ++i) d.row(i) = b.row(plan_->unknowns[index(plan_->first[node] + i)]);
  }
  for (int body = 0; body < layout.bodies; ++body) {
    const Numbers::OfBody& numbers = numbers_->bodies[index(body)];
    work.x[index(body)] = b.template middleRows<3>(layout.end(body) + kFirstPlace);
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
  for (std::size_t node = 0; node < work.d.size(); ++node) {
    const auto& d = work.d[node];
    for (int i = 0; i < d.rows(); ++i) b.row(plan_->unknowns[index(plan_->first[node] + i)]) = d.row(i);
  }
  for (int body = 0; body < layout.bodies; ++body) {
    const Numbers::OfBody& numbers = numbers_->bodies[index(body)];
    const auto& d = work.d[index(body)];
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
  const std::vector<int>& order = plan_->order;
  for (const int v : order) {  // (6)
    const Numbers::OfNode& node = numbers_->nodes[index(v)];
    auto& d = work.d[index(v)];
    solve_into(node.lu, d, work.solved[index(v)]);
    d.swap(work.solved[index(v)]);
    for (const Outer& outer : plan_->nodes[index(v)].outer) {
      work.d[index(outer.node)].topRows(outer.size).noalias() -=
          node.of_outer.middleRows(outer.at, outer.size) * d;
    }
  }
  for (auto v = order.rbegin(); v != order.rend(); ++v) {  // (7)
    const Numbers::OfNode& node = numbers_->nodes[index(*v)];
    for (const Outer& outer : plan_->nodes[index(*v)].outer) {
      work.d[index(*v)].noalias() -=
          node.U.middleCols(outer.at, outer.size) * work.d[index(outer.node)].topRows(outer.size);
    }
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
