// Parts of vectors as shared values: equal parts of the velocities of many points are differentiated and
// multiplied by each other once.
//
// The velocity of the last particle of a chain contains those of all others: points differ in which parts are
// added, not in the parts. Sums over bodies therefore add the masses of equal products first.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sestina/expression/jacobian.h"
#include "sestina/expression/substitution.h"
#include "sestina/symbolic/frame.h"
#include "sestina/symbolic/vector.h"

namespace sestina::symbolic {

using PieceId = std::uint32_t;

// The rules for all pieces of one derivation.
struct PieceRules {
  FrameIndex inertial;
  std::vector<Expr> speeds;                        // partial velocities are derivatives with respect to these
  std::vector<std::pair<Expr, Expr>> coordinates;  // rates of coordinates in terms of speeds
  // For the remainder of an acceleration: also sets rates of speeds and auxiliary speeds to 0.
  std::vector<std::pair<Expr, Expr>> remainder;
  // If loads contain accelerations: the rates of speeds, and replacements that introduce them into loads.
  std::vector<Expr> rates = {};
  std::vector<std::pair<Expr, Expr>> loads = {};
};

class PieceStore {
 public:
  using Column = std::pair<std::size_t, PieceId>;  // index of the speed, partial velocity for it

  PieceStore(Mechanics& mechanics, const PieceRules& rules);

  // Returns the parts of a velocity with rates of coordinates replaced.
  std::vector<PieceId> velocity(const Vector& v);
  // Returns the parts of a force without auxiliary speeds.
  Vector applied(const Vector& v);
  Expression applied(const Expression& e);
  // A force that contains rates of speeds: its value for zero rates and its derivatives with respect to the
  // rates.
  struct Accelerated {
    Vector at_rest;
    std::vector<std::pair<std::size_t, Vector>> by_rates;  // place of the rate
    bool is_linear;
  };
  Accelerated accelerated(const Vector& v);
  // Returns the parts of a vector without changes.
  std::vector<PieceId> intern(const Vector& v);

  Vector::Part part(PieceId piece) const;
  Vector vector(std::span<const PieceId> pieces) const;
  const std::vector<Column>& partials(PieceId piece);
  // Returns the piece's rate in the inertial frame for constant speeds; nothing if 0.
  std::optional<PieceId> remainder(PieceId piece);
  // Returns the piece with auxiliary speeds set to 0; nothing if 0.
  std::optional<PieceId> at_rest(PieceId piece);
  Expression dot(PieceId a, PieceId b);

 private:
  struct Piece {
    FrameIndex frame;
    std::array<Expr, 3> xyz;
    friend bool operator==(const Piece&, const Piece&) = default;
  };
  struct Hash {
    std::size_t operator()(const Piece& piece) const;
  };
  static constexpr PieceId kUnknown = 0xffffffffu, kZero = 0xfffffffeu;

  PieceId intern(const Piece& piece);
  std::optional<PieceId> substitute(PieceId piece, Substitution& substitution);
  PieceId calc_remainder(PieceId piece);

  Mechanics& mechanics_;
  FrameIndex inertial_;
  SparseDifferentiator differentiator_, rate_differentiator_;
  Substitution coordinates_, remainder_, loads_;
  std::unordered_map<Piece, PieceId, Hash> ids_;
  std::vector<Piece> pieces_;
  std::vector<PieceId> remainders_;                         // by piece
  std::deque<std::optional<std::vector<Column>>> columns_;  // by piece
  std::unordered_map<std::uint64_t, Expression> products_;
};

}  // namespace sestina::symbolic
