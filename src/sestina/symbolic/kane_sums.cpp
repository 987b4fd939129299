#include "sestina/symbolic/kane_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "sestina/base/error.h"
#include "sestina/symbolic/frame_tree.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic {
namespace {

constexpr std::size_t kMostParts = 2;  // in a partial velocity that keeps its frames

std::vector<Expr> factors_of(const Graph& graph, Expr term) {
  if (graph.op(term) != Op::kProduct) return {term};
  return {graph.operands(term).begin(), graph.operands(term).end()};
}

}  // namespace

Expr take_out_common_factors(Graph& graph, Expr sum) {
  if (graph.op(sum) != Op::kSum) return sum;
  const std::vector<Expr> terms(graph.operands(sum).begin(), graph.operands(sum).end());
  std::vector<Expr> common = factors_of(graph, terms[0]);
  bool all_negative = true;
  for (const Expr term : terms) {
    const std::vector<Expr> factors = factors_of(graph, term);
    std::erase_if(common, [&](Expr f) {
      return graph.is_number(f) || std::find(factors.begin(), factors.end(), f) == factors.end();
    });
    all_negative = all_negative && graph.is_number(factors[0]) && graph.number_of(factors[0]).is_negative();
  }
  if (common.empty() && !all_negative) return sum;
  std::vector<Expr> rests;
  for (const Expr term : terms) {
    std::vector<Expr> factors = factors_of(graph, term);
    for (const Expr f : common) factors.erase(std::find(factors.begin(), factors.end(), f));
    if (all_negative) factors.push_back(graph.fraction(-1));
    rests.push_back(graph.product(factors));
  }
  common.push_back(graph.sum(rests));
  if (all_negative) common.push_back(graph.fraction(-1));
  return graph.product(common);
}

KaneSums::KaneSums(Mechanics& mechanics, const PieceRules& rules, std::size_t moving)
    : mechanics_(mechanics),
      pieces_(mechanics, rules),
      inertial_(mechanics, rules.inertial),
      speeds_(rules.speeds.size()),
      moving_(moving),
      products_(speeds_ * moving_),
      bias_products_(speeds_),
      rotation_(speeds_, moving_),
      rotation_bias_(speeds_, 1),
      work_(speeds_),
      has_rates_(!rules.rates.empty()),
      rate_work_(has_rates_ ? speeds_ * moving_ : 0) {}

KaneSums::Partials KaneSums::partials_of(std::span<const PieceId> velocity) {
  Partials partials(speeds_);
  for (const PieceId piece : velocity) {
    for (const auto& [column, partial] : pieces_.partials(piece)) partials[column].push_back(partial);
  }
  return partials;
}

FrameIndex KaneSums::farthest_frame(std::span<const PieceId> pieces) const {
  FrameIndex farthest = inertial_.index();
  std::size_t most = 0;
  for (const PieceId piece : pieces) {
    const FrameIndex frame = pieces_.part(piece).frame;
    const std::size_t distance = mechanics_.frames().path(frame, inertial_.index()).size();
    if (distance > most) farthest = frame;
    most = std::max(most, distance);
  }
  return farthest;
}

void KaneSums::unify(Partials& partials, std::vector<PieceId>& rest, FrameIndex frame) {
  const auto unify_one = [&](std::vector<PieceId>& pieces) {
    if (pieces.empty()) return;
    const Vector v = pieces_.vector(pieces);
    pieces = pieces_.intern(Vector(mechanics_, frame, mechanics_.frames().express(v.parts(), frame)));
  };
  for (std::vector<PieceId>& pieces : partials) unify_one(pieces);
  unify_one(rest);
}

// Adds the terms of a mass at a point to (2) and (4).
void KaneSums::add_translation(const Expression& mass, const Vector& v, std::optional<FrameIndex> frame) {
  const std::vector<PieceId> velocity = pieces_.velocity(v);
  Partials partials = partials_of(velocity);
  std::vector<PieceId> rest;
  for (const PieceId piece : velocity) {
    if (const auto remainder = pieces_.remainder(piece)) rest.push_back(*remainder);
  }
  const auto is_long = [](const std::vector<PieceId>& p) { return p.size() > kMostParts; };
  if (std::any_of(partials.begin(), partials.end(), is_long)) {
    unify(partials, rest, frame ? *frame : farthest_frame(velocity));
  }
  Graph& graph = mechanics_.graph();
  const Expr m = mass.in(graph);
  const Expression mass_rate = pieces_.applied(mechanics_.rate(mass));
  for (std::size_t i = 0; i < speeds_; ++i) {
    for (const PieceId a : partials[i]) {
      for (std::size_t j = 0; j < std::min(i + 1, moving_); ++j) {
        for (const PieceId b : partials[j]) entry(i, j).push_back({std::min(a, b), std::max(a, b), m});
      }
      for (const PieceId b : rest) bias_products_[i].push_back({a, b, m});
      if (mass_rate.is_zero()) continue;
      for (const PieceId piece : velocity) {
        if (const auto b = pieces_.at_rest(piece)) bias_products_[i].push_back({a, *b, mass_rate.in(graph)});
      }
    }
  }
}

// Adds the rate of I w to (4) by measure numbers in a frame F, which need not be that of the body: the
// inertia of a disc is constant in axes that do not spin with it.
void KaneSums::add_rotation(const RigidBody& body, FrameIndex frame) {
  const auto own = [&](std::span<const PieceId> pieces) {
    return mechanics_.frames().express(pieces_.vector(pieces).parts(), frame);
  };
  const std::vector<PieceId> velocity = pieces_.velocity(body.frame.ang_vel_in(inertial_));
  const Partials partials = partials_of(velocity);
  std::vector<PieceId> rest, resting;
  for (const PieceId piece : velocity) {
    if (const auto remainder = pieces_.remainder(piece)) rest.push_back(*remainder);
    if (const auto still = pieces_.at_rest(piece)) resting.push_back(*still);
  }
  const Matrix3 I = body.central_inertia().to_matrix({mechanics_, frame});
  const Triple w = own(resting), Iw = multiply(I, w);
  Triple rate = own(rest), w_F = w;  // of w, as seen from F
  if (frame != body.frame.index() && frame != inertial_.index()) {
    const Vector turning(mechanics_, frame,
                         mechanics_.frames().own_angular_velocity(frame, inertial_.index()));
    w_F = mechanics_.frames().express(pieces_.applied(turning).parts(), frame);
    rate = symbolic::add(rate, cross(w, w_F));
  } else if (frame == inertial_.index()) {
    w_F = Triple{};
  }
  Matrix3 I_rate;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) I_rate[i][j] = pieces_.applied(mechanics_.rate(I[i][j]));
  }
  const Triple bias = symbolic::add(symbolic::add(multiply(I, rate), cross(w_F, Iw)), multiply(I_rate, w));
  std::vector<Triple> w_r(speeds_), Iw_r(speeds_);
  for (std::size_t i = 0; i < speeds_; ++i) {
    w_r[i] = own(partials[i]);
    Iw_r[i] = multiply(I, w_r[i]);
  }
  for (std::size_t i = 0; i < speeds_; ++i) {
    if (is_zero(w_r[i])) continue;
    for (std::size_t j = 0; j < std::min(i + 1, moving_); ++j) {
      if (!is_zero(w_r[j])) rotation_(i, j) += symbolic::dot(w_r[i], Iw_r[j]);
    }
    rotation_bias_[i] += symbolic::dot(w_r[i], bias);
  }
}

void KaneSums::add(const Body& body) {
  const auto* rigid = std::get_if<RigidBody>(&body);
  std::optional<FrameIndex> frame;
  if (rigid) {
    const Dyadic I = rigid->central_inertia();
    const bool is_plain = I.parts().size() == 1 && I.parts()[0].left == I.parts()[0].right;
    frame = is_plain ? I.parts()[0].left : rigid->frame.index();
  }
  add_translation(mass_of(body), masscenter_of(body).vel(inertial_), frame);
  if (rigid) add_rotation(*rigid, *frame);
}

// Adds a load to (3).
void KaneSums::add(const Load& load) {
  PieceStore::Accelerated applied{{}, {}, true};
  if (has_rates_) {
    applied = pieces_.accelerated(vector_of(load));
  } else {
    applied.at_rest = pieces_.applied(vector_of(load));
  }
  if (!applied.is_linear) {
    throw InputError(fmt::format("{}, {}, is not linear in the rates of speeds", describe(load),
                                 vector_of(load).to_text()));
  }
  if (applied.at_rest.is_zero() && applied.by_rates.empty()) return;
  const Partials partials = partials_of(pieces_.velocity(velocity_of(load, inertial_)));
  for (std::size_t i = 0; i < speeds_; ++i) {
    for (const PieceId piece : partials[i]) {
      if (!applied.at_rest.is_zero()) work_[i].push_back({piece, applied.at_rest});
      for (const auto& [j, vector] : applied.by_rates) rate_work_[i * moving_ + j].push_back({piece, vector});
    }
  }
}

Expression KaneSums::sum_products(Products& products) {
  Graph& graph = mechanics_.graph();
  std::stable_sort(products.begin(), products.end(), [](const Product& x, const Product& y) {
    return std::tie(x.a, x.b) < std::tie(y.a, y.b);
  });
  std::vector<Expr> terms, factors;
  for (std::size_t i = 0, next = 0; i < products.size(); i = next) {
    factors.clear();
    for (next = i;
         next < products.size() && products[next].a == products[i].a && products[next].b == products[i].b;
         ++next) {
      factors.push_back(products[next].factor);
    }
    const Expr product = take_out_common_factors(graph, pieces_.dot(products[i].a, products[i].b).in(graph));
    terms.push_back(graph.multiply(graph.sum(factors), product));
  }
  return {graph, graph.sum(terms)};
}

Expression KaneSums::sum_work(std::vector<Work>& work) {
  Graph& graph = mechanics_.graph();
  std::stable_sort(work.begin(), work.end(), [](const Work& x, const Work& y) { return x.piece < y.piece; });
  std::vector<Expr> terms;
  for (std::size_t i = 0, next = 0; i < work.size(); i = next) {
    std::map<FrameIndex, std::array<std::vector<Expr>, 3>> parts;
    for (next = i; next < work.size() && work[next].piece == work[i].piece; ++next) {
      for (const Vector::Part& part : work[next].vector.parts()) {
        for (std::size_t k = 0; k < 3; ++k) {
          if (!part.xyz[k].is_zero()) parts[part.frame][k].push_back(part.xyz[k].in(graph));
        }
      }
    }
    const Vector partial = pieces_.vector(std::span(&work[i].piece, 1));
    for (const auto& [frame, components] : parts) {
      Triple total;
      for (std::size_t k = 0; k < 3; ++k) {
        total[k] = mechanics_.wrap(take_out_common_factors(graph, graph.sum(components[k])));
      }
      terms.push_back(partial.dot(Vector(mechanics_, frame, total)).in(graph));
    }
  }
  return {graph, graph.sum(terms)};
}

Matrix KaneSums::mass_matrix() {
  Matrix M(speeds_, moving_);
  for (std::size_t i = 0; i < speeds_; ++i) {
    for (std::size_t j = 0; j < std::min(i + 1, moving_); ++j) {
      M(i, j) = sum_products(entry(i, j)) + rotation_(i, j);
      if (i < moving_) M(j, i) = M(i, j);
    }
  }
  return M;
}

Matrix KaneSums::bias() {
  Matrix h(speeds_, 1);
  for (std::size_t i = 0; i < speeds_; ++i) h[i] = sum_products(bias_products_[i]) + rotation_bias_[i];
  return h;
}

Matrix KaneSums::active() {
  Matrix F(speeds_, 1);
  for (std::size_t i = 0; i < speeds_; ++i) F[i] = sum_work(work_[i]);
  return F;
}

Matrix KaneSums::active_by_rates() {
  if (!has_rates_) return {};
  Matrix F(speeds_, moving_);
  for (std::size_t i = 0; i < speeds_; ++i) {
    for (std::size_t j = 0; j < moving_; ++j) F(i, j) = sum_work(rate_work_[i * moving_ + j]);
  }
  return F;
}

}  // namespace sestina::symbolic
