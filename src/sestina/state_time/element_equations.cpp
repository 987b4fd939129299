#include "sestina/state_time/element_equations.h"

#include <algorithm>

namespace sestina {
namespace {

using V3 = Vec3<double>;
using M3 = Mat3<double>;

void add(std::span<double> numbers, int first, const V3& a) {
  const auto i = static_cast<std::size_t>(first);
  numbers[i] += a.x, numbers[i + 1] += a.y, numbers[i + 2] += a.z;
}
M3 skew(const V3& a) { return {0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0}; }
V3 unit(int i) { return {double(i == 0), double(i == 1), double(i == 2)}; }

// Offsets within the numbers of a body.
constexpr int kV = 0, kW = 3, kC = 6, kX = 15;
int offset_of(BodyVector vector) { return 3 * static_cast<int>(vector); }

void put(std::vector<TangentEntry>& tangent, int row, int column, const M3& block, double scale = 1.0) {
  for (int j = 0; j < 3; ++j) {
    const V3 c = block.column(j);
    for (int i = 0; i < 3; ++i) {
      if (c[i] != 0.0) tangent.push_back({row + i, column + j, scale * c[i]});
    }
  }
}
void put_diagonal(std::vector<TangentEntry>& tangent, int row, int column, double value, int count) {
  for (int i = 0; i < count; ++i) tangent.push_back({row + i, column + i, value});
}

}  // namespace

// Maps rows and columns of the derivatives to places in the tangent, for a point or for the end.
class ElementEquations::Site final : public DerivativeSink {
 public:
  Site(const ElementEquations& equations, int g, double h, std::vector<TangentEntry>* tangent)
      : layout_(equations.layout_), pair_(equations.pair_), g_(g), h_(h), tangent_(tangent) {}

  void add(int row_body, BodyVector row, int body, BodyVector column, const M3& block) override {
    for_columns(body, column, [&](int first, double scale) {
      put(*tangent_, body_start(row_body) + offset_of(row), first, block, scale);
    });
  }
  void add_to_condition(int condition, int body, BodyVector column, const V3& row) override {
    for_columns(body, column, [&](int first, double scale) {
      for (int i = 0; i < 3; ++i) {
        if (row[i] != 0.0) tangent_->push_back({multiplier_start() + condition, first + i, scale * row[i]});
      }
    });
  }
  void add_multiplier(int row_body, BodyVector row, int multiplier, const V3& column) override {
    for (int i = 0; i < 3; ++i) {
      if (column[i] == 0.0) continue;
      tangent_->push_back(
          {body_start(row_body) + offset_of(row) + i, multiplier_start() + multiplier, column[i]});
    }
  }

 private:
  bool is_end() const { return g_ == layout_.degree; }
  int body_start(int body) const { return is_end() ? layout_.end(body) : layout_.point(g_, body); }
  int multiplier_start() const { return is_end() ? layout_.end_multiplier() : layout_.point_multiplier(g_); }
  // x at a point is not an unknown but a sum over the velocities, (5).
  template <class F>
  void for_columns(int body, BodyVector column, F&& f) const {
    if (column != BodyVector::kX || is_end()) {
      f(body_start(body) + offset_of(column), 1.0);
      return;
    }
    f(layout_.size() + ElementLayout::kEndNumbers * body + kX, 1.0);
    for (int j = 0; j < layout_.degree; ++j) f(layout_.point(j, body) + kV, h_ * pair_.A(g_, j));
  }

  const ElementLayout& layout_;
  const ElementPair& pair_;
  int g_;
  double h_;
  std::vector<TangentEntry>* tangent_;
};

ElementEquations::ElementEquations(const Model& model, const Properties<double>& properties, ElementPair pair,
                                   const ClosingChoice& closing)
    : pair_(std::move(pair)),
      joints_(make_joint_conditions(model, properties)),
      applied_(model, properties, !closing.rows.empty()),
      rows_(model, properties, closing.rows),
      nq_(model.nq()) {
  joints_.insert(joints_.end(), closing.joints.begin(), closing.joints.end());
  layout_ = {model.bodies().size() - 1, count_multipliers(joints_) + static_cast<int>(closing.rows.size()),
             pair_.degree};
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyProperties<double>& body = properties.bodies[b];
    inertia_.push_back({body.M.mass, body.J_com, body.M.mass * properties.gravity});
  }
  bodies_.resize(inertia_.size());
  load_.resize(inertia_.size());
  rates_.resize(static_cast<std::size_t>(layout_.multipliers));
}

std::vector<Closure> ElementEquations::closures() const {
  std::vector<Closure> closures;
  for (const JointConditions& joint : std::span(joints_).subspan(index(layout_.bodies))) {
    Closure closure{{joint.parent, joint.child}, {}};
    for (const JointCondition& condition : joint.conditions) {
      for (int i = 0; i < condition.rows(); ++i) closure.multipliers.push_back(condition.first + i);
    }
    if (!closure.multipliers.empty()) closures.push_back(std::move(closure));
  }
  rows_.for_each([&](const std::vector<int>& bodies, int number) { closures.push_back({bodies, {number}}); });
  return closures;
}

void ElementEquations::calc_motion(double h, std::span<const double> start, std::span<const double> y, int g,
                                   std::span<BodyInstant> bodies) const {
  for (int b = 0; b < layout_.bodies; ++b) {
    BodyInstant& body = bodies[static_cast<std::size_t>(b)];
    const int first = g == layout_.degree ? layout_.end(b) : layout_.point(g, b);
    body = {read_matrix(y, first + kC), {}, read_vector(y, first + kV), read_vector(y, first + kW)};
    if (g == layout_.degree) {
      body.x = read_vector(y, first + kX);
      continue;
    }
    body.x = read_vector(start, ElementLayout::kEndNumbers * b + kX);
    for (int j = 0; j < layout_.degree; ++j) {
      body.x += (h * pair_.A(g, j)) * read_vector(y, layout_.point(j, b) + kV);  // (5)
    }
  }
}

void ElementEquations::calc_residual(double t, double h, std::span<const double> start,
                                     std::span<const double> y, std::span<double> q,
                                     std::span<double> residual, std::vector<TangentEntry>* tangent) {
  std::fill(residual.begin(), residual.end(), 0.0);
  for (int g = 0; g < layout_.degree; ++g) calc_point(t, h, g, start, y, q, residual, tangent);
  calc_end(t, h, start, y, q, residual, tangent);
}

// Computes (1)-(4) at one point.
void ElementEquations::calc_point(double t, double h, int g, std::span<const double> start,
                                  std::span<const double> y, std::span<double> q, std::span<double> residual,
                                  std::vector<TangentEntry>* tangent) {
  calc_motion(h, start, y, g, bodies_);
  Site site(*this, g, h, tangent);
  std::fill(load_.begin(), load_.end(), BodyLoad{});
  const double at = t + h * pair_.points[static_cast<std::size_t>(g)];
  const auto nq = static_cast<std::size_t>(nq_);
  applied_.add_loads(at, bodies_, q.subspan(static_cast<std::size_t>(g) * nq, nq), load_);
  if (tangent) applied_.add_derivatives(bodies_, site);
  if (!rows_.empty()) rows_.set_motion(bodies_, applied_.state());
  const auto first = static_cast<std::size_t>(layout_.point_multiplier(g));
  add_joints(site, y.subspan(first, rates_.size()), static_cast<int>(first), residual, tangent != nullptr);
  for (int b = 0; b < layout_.bodies; ++b) {
    const auto i = static_cast<std::size_t>(b);
    const Inertia& inertia = inertia_[i];
    const BodyInstant& body = bodies_[i];
    V3 v_rate, w_rate;
    for (int j = 0; j <= layout_.degree; ++j) {
      const std::span<const double> from = j == 0 ? start : y;
      const int node = j == 0 ? ElementLayout::kEndNumbers * b : layout_.point(j - 1, b);
      v_rate += (pair_.D(g, j) / h) * read_vector(from, node + kV);
      w_rate += (pair_.D(g, j) / h) * read_vector(from, node + kW);
      for (int c = 0; c < 3; ++c) {
        add(residual, layout_.point(g, b) + kC + 3 * c,
            (pair_.D(g, j) / h) * read_vector(from, node + kC + 3 * c));  // (3)
      }
    }
    const int row = layout_.point(g, b);
    add(residual, row + kV, inertia.mass * v_rate - inertia.weight - load_[i].force);                   // (1)
    add(residual, row + kW, inertia.J * w_rate + cross(body.w, inertia.J * body.w) - load_[i].torque);  // (2)
    for (int c = 0; c < 3; ++c) add(residual, row + kC + 3 * c, -(body.C * cross(body.w, unit(c))));    // (3)
  }
  if (tangent) add_point_tangent(h, g, *tangent);
}

void ElementEquations::add_point_tangent(double h, int g, std::vector<TangentEntry>& tangent) const {
  for (int b = 0; b < layout_.bodies; ++b) {
    const auto i = static_cast<std::size_t>(b);
    const Inertia& inertia = inertia_[i];
    const BodyInstant& body = bodies_[i];
    const int row = layout_.point(g, b);
    const M3 J = full(inertia.J);
    for (int j = 0; j <= layout_.degree; ++j) {
      const int node = j == 0 ? layout_.size() + ElementLayout::kEndNumbers * b : layout_.point(j - 1, b);
      put_diagonal(tangent, row + kV, node + kV, inertia.mass * pair_.D(g, j) / h, 3);
      put(tangent, row + kW, node + kW, J, pair_.D(g, j) / h);
      put_diagonal(tangent, row + kC, node + kC, pair_.D(g, j) / h, 9);
    }
    put(tangent, row + kW, row + kW, skew(body.w) * J);
    put(tangent, row + kW, row + kW, skew(inertia.J * body.w), -1.0);
    for (int c = 0; c < 3; ++c) {
      const V3 turn = cross(body.w, unit(c));
      for (int l = 0; l < 3; ++l) put_diagonal(tangent, row + kC + 3 * c, row + kC + 3 * l, -turn[l], 3);
      put(tangent, row + kC + 3 * c, row + kW, body.C * skew(unit(c)));
    }
  }
}

// Computes (6)-(8).
void ElementEquations::calc_end(double t, double h, std::span<const double> start, std::span<const double> y,
                                std::span<const double> q, std::span<double> residual,
                                std::vector<TangentEntry>* tangent) {
  calc_motion(h, start, y, layout_.degree, bodies_);
  Site site(*this, layout_.degree, h, tangent);
  std::fill(load_.begin(), load_.end(), BodyLoad{});
  if (!rows_.empty()) {
    applied_.update_state(t + h, bodies_, q.last(static_cast<std::size_t>(nq_)));
    rows_.set_motion(bodies_, applied_.state());
  }
  const auto first = static_cast<std::size_t>(layout_.end_multiplier());
  add_joints(site, y.subspan(first, rates_.size()), static_cast<int>(first), residual, tangent != nullptr);
  for (int b = 0; b < layout_.bodies; ++b) {
    const auto i = static_cast<std::size_t>(b);
    const BodyInstant& body = bodies_[i];
    const int row = layout_.end(b), from_start = ElementLayout::kEndNumbers * b;
    V3 v = body.v, w = body.w, x = body.x - read_vector(start, from_start + kX);
    M3 C = body.C;
    for (int j = 0; j <= layout_.degree; ++j) {
      const auto node = static_cast<std::size_t>(j);
      const std::span<const double> from = j == 0 ? start : y;
      const int at = j == 0 ? from_start : layout_.point(j - 1, b);
      const double E = pair_.at_end[node];
      v -= E * read_vector(from, at + kV);
      w -= E * read_vector(from, at + kW);
      C = C + M3{-E, 0, 0, 0, -E, 0, 0, 0, -E} * read_matrix(from, at + kC);
      if (j > 0) x -= (h * pair_.weights[node - 1]) * read_vector(from, at + kV);
    }
    add(residual, row + kV, inertia_[i].mass * v - load_[i].force);  // (6)
    add(residual, row + kW, inertia_[i].J * w - load_[i].torque);
    for (int c = 0; c < 3; ++c) add(residual, row + kC + 3 * c, C.column(c));  // (7)
    add(residual, row + kX, x);
  }
  if (tangent) add_end_tangent(h, *tangent);
}

void ElementEquations::add_end_tangent(double h, std::vector<TangentEntry>& tangent) const {
  for (int b = 0; b < layout_.bodies; ++b) {
    const Inertia& inertia = inertia_[static_cast<std::size_t>(b)];
    const int row = layout_.end(b), start = layout_.size() + ElementLayout::kEndNumbers * b;
    const M3 J = full(inertia.J);
    put_diagonal(tangent, row + kV, row + kV, inertia.mass, 3);
    put(tangent, row + kW, row + kW, J);
    put_diagonal(tangent, row + kC, row + kC, 1.0, 9);
    put_diagonal(tangent, row + kX, row + kX, 1.0, 3);
    put_diagonal(tangent, row + kX, start + kX, -1.0, 3);
    for (int j = 0; j <= layout_.degree; ++j) {
      const auto node = static_cast<std::size_t>(j);
      const int at = j == 0 ? start : layout_.point(j - 1, b);
      put_diagonal(tangent, row + kV, at + kV, -inertia.mass * pair_.at_end[node], 3);
      put(tangent, row + kW, at + kW, J, -pair_.at_end[node]);
      put_diagonal(tangent, row + kC, at + kC, -pair_.at_end[node], 9);
      if (j > 0) put_diagonal(tangent, row + kX, at + kV, -h * pair_.weights[node - 1], 3);
    }
  }
}

// Adds the joints' loads to load_ and their rates to the residual, at a point or the end.
void ElementEquations::add_joints(Site& site, std::span<const double> multipliers, int first_row,
                                  std::span<double> residual, bool with_tangent) {
  for (const JointConditions& joint : joints_) {
    joint.add_loads(bodies_, multipliers, load_);
    joint.calc_rates(bodies_, rates_);
    if (with_tangent) joint.add_derivatives(bodies_, multipliers, site);
  }
  if (!rows_.empty()) {
    rows_.add_loads(multipliers, load_);
    rows_.calc_rates(rates_);
    if (with_tangent) rows_.add_derivatives(bodies_, multipliers, site);
  }
  std::copy(rates_.begin(), rates_.end(), residual.begin() + first_row);
}

}  // namespace sestina
