// The shared data of one derivation: an expression graph, the functions of time, and the relative
// orientations and positions of its frames and points.
//
//   Mechanics mechanics;
//   const auto [m, g, l] = mechanics.symbols<3>("m g l");            // constants
//   const Expression q = mechanics.dynamicsymbol("q");               // function of time
//   const ReferenceFrame N = mechanics.frame("N");
//   const ReferenceFrame A = N.orientnew("A", q, N.z());
//
// Frames and points are handles: copies refer to the same object, and the Mechanics must outlive them. One
// thread at a time may work on one Mechanics.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "sestina/expression/expression.h"
#include "sestina/expression/fingerprint.h"
#include "sestina/expression/time_variables.h"

namespace sestina::symbolic {

class Point;
class ReferenceFrame;
class FrameTree;
class PointTree;

class Mechanics {
 public:
  Mechanics();
  ~Mechanics();
  Mechanics(const Mechanics&) = delete;
  Mechanics& operator=(const Mechanics&) = delete;

  Graph& graph() { return graph_; }
  TimeVariables& variables() { return variables_; }
  IdentityTest& identities() { return identities_; }

  // Returns a constant.
  Expression symbol(std::string_view name);
  // Returns constants for names with blanks between: symbols<2>("m l").
  template <std::size_t kCount>
  std::array<Expression, kCount> symbols(std::string_view names) {
    std::array<Expression, kCount> all;
    fill(names, all, -1);
    return all;
  }
  // Returns m0, m1 ...
  std::vector<Expression> symbols(std::string_view name, std::size_t count);

  // Returns a function of time or its derivative of that order.
  Expression dynamicsymbol(std::string_view name, int order = 0);
  template <std::size_t kCount>
  std::array<Expression, kCount> dynamicsymbols(std::string_view names, int order = 0) {
    std::array<Expression, kCount> all;
    fill(names, all, order);
    return all;
  }
  std::vector<Expression> dynamicsymbols(std::string_view name, std::size_t count, int order = 0);
  Expression time();                      // t
  Expression rate(const Expression& of);  // d/dt
  // Returns a symbol for a part of expressions: z0, z1 ..., with another letter if these names are taken.
  // Every list that begins with i = 0 uses the same symbols.
  Expression part_symbol(std::size_t i);
  Expression wrap(Expr expr) { return {graph_, expr}; }
  // Adds a whole number or fraction to the graph, which keeps functions of it: sin(1). Other numbers,
  // including decimals, are unchanged.
  Expression keep_exact(const Expression& e);

  // Throws InputError if the name is taken.
  ReferenceFrame frame(std::string_view name);
  // Makes another frame even if the name is taken: the frames differ although they look alike.
  ReferenceFrame another_frame(std::string_view name);
  Point point(std::string_view name);
  std::optional<ReferenceFrame> find_frame(std::string_view name);

  FrameTree& frames() { return *frames_; }
  PointTree& points() { return *points_; }

 private:
  // order -1: constants
  void fill(std::string_view names, std::span<Expression> all, int order);
  bool names_something_else(std::string_view letters) const;

  Graph graph_;
  TimeVariables variables_{graph_};
  IdentityTest identities_{graph_};
  std::unordered_set<std::uint32_t> part_symbols_;
  std::string part_letters_;
  std::unique_ptr<FrameTree> frames_;
  std::unique_ptr<PointTree> points_;
};

// Throws InputError unless each is a function of time, as coordinates and speeds are, and occurs only once.
void check_variables(Mechanics& mechanics, const std::vector<Expression>& variables);
// Returns lam1, lam2 ... for the constraints of equations in these expressions. Throws InputError if one of
// the names means something else there.
std::vector<Expression> name_multipliers(Mechanics& mechanics, std::size_t count,
                                         const std::vector<Expression>& exprs);
// Finds a symbol in the expressions that is a derivative of one of the variables of a higher order; -1 also
// finds the variables themselves.
std::optional<Expression> find_above(Mechanics& mechanics, const std::vector<Expression>& exprs,
                                     const std::vector<Expression>& variables, int order);

}  // namespace sestina::symbolic
