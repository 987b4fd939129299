// The sums over bodies and loads of Kane's equations.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sestina/symbolic/body.h"
#include "sestina/symbolic/matrix.h"
#include "sestina/symbolic/pieces.h"

namespace sestina::symbolic {

// n speeds, of which the first `moving` have rates; the others are auxiliary.
class KaneSums {
 public:
  KaneSums(Mechanics& mechanics, const PieceRules& rules, std::size_t moving);

  void add(const Body& body);
  void add(const Load& load);

  Matrix mass_matrix();  // (n x moving)
  Matrix bias();         // h of F* = -(M u' + h), (n x 1)
  Matrix active();       // F without rates of speeds, (n x 1)
  // The derivatives of F by the rates of the moving speeds, (n x moving); empty where loads hold none.
  Matrix active_by_rates();

 private:
  // Pieces by speed.
  using Partials = std::vector<std::vector<PieceId>>;
  struct Product {
    PieceId a, b;
    Expr factor;
  };
  using Products = std::vector<Product>;
  // Vectors that are multiplied with one piece.
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
  Matrix rotation_, rotation_bias_;      // what rotating bodies add
  std::vector<std::vector<Work>> work_;  // of the loads, by speed
  bool has_rates_;
  std::vector<std::vector<Work>> rate_work_;  // by speed and rate
};

// A sum with what all its terms have in common in front: -g*(m0 + m1) of -g*m0 - g*m1.
Expr take_out_common_factors(Graph& graph, Expr sum);

}  // namespace sestina::symbolic
