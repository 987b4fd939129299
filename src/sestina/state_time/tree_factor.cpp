#include "sestina/state_time/tree_factor.h"

#include <Eigen/Dense>
#include <cmath>

namespace sestina {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// Within the numbers of a body.
constexpr int kC = 6, kX = 15;

// What a row or a column of the tangent is.
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

struct Node {
  int parent = kNoBody;
  int size = 0;    // of d_b
  int motion = 0;  // how many of them are v and w
};

}  // namespace

struct TreeFactor::Plan {
  ElementLayout layout;
  ElementPair pair;
  TangentPart part = TangentPart::kWhole;
  std::vector<Node> nodes;
  std::vector<Site> sites;    // (layout.size() + layout.start_size())
  std::vector<int> unknowns;  // of each kept number its place in the element, body after body
  std::vector<int> first;     // of each body in `unknowns`

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
    Vector d, c;  // d_b; c of (4), in the order of G's rows
    Eigen::Vector3d x;
  };
  std::vector<OfBody> bodies;
  std::vector<Entry> start;     // B
  std::vector<Entry> followed;  // coefficients of C and x_e in rows that are kept
  double h = 0.0;
};

void TreeFactor::Plan::put_kept(int body, int unknown) {
  Node& node = nodes[index(body)];
  sites[index(unknown)] = {Role::kKept, body, node.size++};
  unknowns.push_back(unknown);
}

// v and w, or v alone, then what is eliminated.
void TreeFactor::Plan::add_motion(int body) {
  const int k = layout.degree;
  const auto at = [&](int g) { return g == k ? layout.end(body) : layout.point(g, body); };
  for (int vector = 0; vector < (is_whole() ? 2 : 1); ++vector) {
    for (int g = 0; g <= k; ++g) {
      for (int i = 0; i < 3; ++i) put_kept(body, at(g) + 3 * vector + i);
    }
  }
  nodes[index(body)].motion = nodes[index(body)].size;
  for (int i = 0; i < 3; ++i) sites[index(layout.end(body) + kX + i)] = {Role::kPlace, body, i};
  if (!is_whole()) return;
  for (int g = 0; g <= k; ++g) {
    for (int i = 0; i < 9; ++i) sites[index(at(g) + kC + i)] = {Role::kCosine, body, 9 * g + i};
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

TreeFactor::TreeFactor(std::shared_ptr<const Plan> plan)
    : plan_(std::move(plan)), numbers_(std::make_unique<Numbers>()) {
  const int k = plan_->layout.degree;
  numbers_->bodies.resize(plan_->nodes.size());
  for (std::size_t b = 0; b < plan_->nodes.size(); ++b) {
    const Node& node = plan_->nodes[b];
    Numbers::OfBody& body = numbers_->bodies[b];
    body.A.resize(node.size, node.size);
    body.d.resize(node.size);
    const int parent = node.parent == kNoBody ? 0 : plan_->nodes[index(node.parent)].motion;
    body.with_parent.resize(node.size, parent);
    body.U.resize(node.size, parent);
    body.of_parent.resize(parent, node.size);
    if (!plan_->is_whole()) continue;
    body.P.resize(3 * k, 3 * k);
    for (Matrix& W : body.W) W.resize(3 * k, 3 * k);
    body.G.resize(9 * (k + 1), 3 * k);
    body.c.resize(9 * (k + 1));
  }
}
TreeFactor::~TreeFactor() = default;

// (1), (2): G of every body.
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
    body.P_inverse = body.P.inverse();
    for (int i = 0; i < 3; ++i) {
      const Matrix G = -body.P_inverse * body.W[i];
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

// Into A_bb, A_bp or A_pb; what is eliminated by (3) and (4). False where there is no such block.
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
    body.U = body.lu.solve(body.with_parent);
    const int motion = plan_->nodes[index(parent)].motion;
    // Conditions that hold points together act on the parent by their multipliers alone.
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

// c of (4) and the share of x_e that does not follow from v; r_b.
void TreeFactor::begin_solution(std::span<const double> b) {
  const ElementLayout& layout = plan_->layout;
  const int k = layout.degree;
  for (int body = 0; body < layout.bodies; ++body) {
    Numbers::OfBody& numbers = numbers_->bodies[index(body)];
    const auto read = [&](int first) { return Eigen::Map<const Eigen::Vector3d>(b.data() + first); };
    numbers.x = read(layout.end(body) + kX);
    for (int i = 0; i < numbers.d.size(); ++i) {
      numbers.d[i] = b[index(plan_->unknowns[index(plan_->first[index(body)] + i)])];
    }
    if (!plan_->is_whole()) continue;
    Vector& c = numbers.c;
    c.setZero();
    for (int at = 0; at < 3 * k; ++at) {
      const int row = layout.point(at / 3, body) + kC + 3 * (at % 3);
      for (int to = 0; to < 3 * k; ++to) c.segment<3>(3 * to) += numbers.P_inverse(to, at) * read(row);
    }
    for (int i = 0; i < 9; ++i) {
      c[9 * k + i] = b[index(layout.end(body) + kC + i)];
      for (int j = 1; j <= k; ++j) c[9 * k + i] += plan_->pair.at_end[index(j)] * c[9 * (j - 1) + i];
    }
  }
  for (const Entry& entry : numbers_->followed) {
    const Site& row = plan_->sites[index(entry.row)];
    const Site& column = plan_->sites[index(entry.column)];
    const Numbers::OfBody& from = numbers_->bodies[index(column.body)];
    const double known = column.role == Role::kPlace ? from.x[column.index] : from.c[column.index];
    numbers_->bodies[index(row.body)].d[row.index] -= entry.value * known;
  }
}

void TreeFactor::end_solution(std::span<double> b) {
  const ElementLayout& layout = plan_->layout;
  const int k = layout.degree;
  std::fill(b.begin(), b.end(), 0.0);
  for (int body = 0; body < layout.bodies; ++body) {
    Numbers::OfBody& numbers = numbers_->bodies[index(body)];
    for (int i = 0; i < numbers.d.size(); ++i) {
      b[index(plan_->unknowns[index(plan_->first[index(body)] + i)])] = numbers.d[i];
    }
    Eigen::Map<Eigen::Vector3d> x(b.data() + layout.end(body) + kX);
    x = numbers.x;
    for (int g = 0; g < k; ++g) {
      x += numbers_->h * plan_->pair.weights[index(g)] * numbers.d.segment<3>(3 * g);  // (3)
    }
    if (!plan_->is_whole()) continue;
    numbers.c.noalias() += numbers.G * numbers.d.segment(plan_->w_start(), 3 * k);  // (4)
    for (int i = 0; i < numbers.c.size(); ++i) {
      const int g = i / 9;
      b[index((g == k ? layout.end(body) : layout.point(g, body)) + kC + i % 9)] = numbers.c[i];
    }
  }
}

void TreeFactor::solve(std::span<double> b) {
  begin_solution(b);
  const int bodies = plan_->layout.bodies;
  for (int i = bodies - 1; i >= 0; --i) {  // (6)
    Numbers::OfBody& body = numbers_->bodies[index(i)];
    body.d = body.lu.solve(body.d).eval();
    const int parent = plan_->nodes[index(i)].parent;
    if (parent == kNoBody) continue;
    numbers_->bodies[index(parent)].d.head(body.of_parent.rows()).noalias() -= body.of_parent * body.d;
  }
  for (int i = 0; i < bodies; ++i) {  // (7)
    Numbers::OfBody& body = numbers_->bodies[index(i)];
    const int parent = plan_->nodes[index(i)].parent;
    if (parent == kNoBody) continue;
    body.d.noalias() -= body.U * numbers_->bodies[index(parent)].d.head(body.U.cols());
  }
  end_solution(b);
}

}  // namespace sestina
