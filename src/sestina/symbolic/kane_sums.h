// The sums over bodies and loads of Kane's equations.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sestina/symbolic/body.h"
#include "sestina/symbolic/matrix.h"
#include "sestina/symbolic/pieces.h"

namespace sestina::symbolic {

// Sums for n speeds: the first `moving` have rates; the others are auxiliary.
class KaneSums {
 public:
  KaneSums(Mechanics& mechanics, const PieceRules& rules, std::size_t moving);

  void add(const Body& body);
  void add(const Load& load);

  Matrix mass_matrix();  // (n x moving)
  Matrix bias();         // h of F* = -(M u' + h), (n x 1)
  Matrix active();       // F without rates of speeds, (n x 1)
  // Derivatives of F with respect to the rates of the moving speeds, (n x moving); empty if loads contain
  // none.
  Matrix active_by_rates();

 private:
  // Pieces by speed.
  using Partials = std::vector<std::vector<PieceId>>;
  struct Product {
    PieceId a, b;
    Expr factor;
  };
  using Products = std::vector<Product>;
  // A piece, and the sum of vectors that are multiplied by it.
  struct Work {
    PieceId piece;
    Vector vector;
  };

  Partials partials_of(std::span<const PieceId> velocity);
  void unify(Partials& partials, std::vector<PieceId>& rest, FrameIndex frame);
  FrameIndex farthest_frame(std::span<const PieceId> pieces) const;
  void add_translation(const Expression& mass, const Vector& velocity, std::optional<FrameIndex> frame);
  void add_rotation(const RigidBody& body, FrameIndex frame);
  Products& entry(std::size_t i, std::size_t j) { return products_[i * moving_ + j]; }
  Expression sum_products(Products& products);
  Expression sum_work(std::vector<Work>& work);

  Mechanics& mechanics_;
  PieceStore pieces_;
  ReferenceFrame inertial_;
  std::size_t speeds_, moving_;
  std::vector<Products> products_;  // of the mass matrix, j <= i
  std::vector<Products> bias_products_;
  Matrix rotation_, rotation_bias_;      // of rotating bodies
  std::vector<std::vector<Work>> work_;  // of the loads, by speed
  bool has_rates_;
  std::vector<std::vector<Work>> rate_work_;  // by speed and rate
};

// Takes common factors out of all terms of a sum: -g*(m0 + m1) from -g*m0 - g*m1.
Expr take_out_common_factors(Graph& graph, Expr sum);

}  // namespace sestina::symbolic
