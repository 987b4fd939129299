// Expressions as one shared graph: every distinct expression exists once and has a 32-bit id.
//
// Equal expressions get equal ids when they are built (interning), so that a comparison costs nothing and
// every common sub-expression is shared. Operands precede their users: an id is larger than those of its
// operands, and every pass over the graph is a loop, never a recursion.
//
// Sums and products are flat (up to kMostMerged operands; beyond that an inner sum stays a shared operand,
// so that running sums do not grow quadratically) and in canonical order. Like terms and equal factors are
// collected, zeros and ones disappear, constants fold if that is exact or all of them are plain doubles.
// Nothing is ever expanded. A root of a fraction becomes that of a whole number without square factors
// below 1000^2: sqrt(4/27) is 2 sqrt(3)/9; higher roots fold if they are fractions. Sines, cosines and
// tangents of multiples of pi/12 become roots, and their inverses such multiples (exact_angle.h). Two rules
// keep a division by zero visible: zero times an expression with a constant division by zero stays a
// product, and a factor never cancels its own inverse (x/x stays). Otherwise symbols count as finite: 0*x
// and x - x are 0.
//
// Building changes the graph and is for one thread; any number of threads may read it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sestina/expression/coefficient.h"
#include "sestina/expression/function.h"
#include "sestina/expression/table.h"

namespace sestina {

// An expression of one graph.
struct Expr {
  std::uint32_t id = 0xffffffffu;  // invalid

  bool is_valid() const { return id != 0xffffffffu; }
  friend auto operator<=>(const Expr&, const Expr&) = default;
};

// Limit on the operands of a sum or product into which inner ones are merged.
inline constexpr std::size_t kMostMerged = 16;

struct TableId {
  std::uint32_t value;
};

class Graph {
 public:
  // `most_merged`: limit for sums and products; with 0 every sum and product stays as it was written, so that
  // exactly the written operations are made (equal ones are still one node).
  explicit Graph(std::size_t most_merged = kMostMerged);

  // --- Build ---
  Expr number(const Coefficient& value);
  Expr number(double value) { return number(Coefficient(value)); }  // inf and nan become 1/0 and 0/0
  Expr fraction(std::int64_t numerator, std::int64_t denominator = 1);
  Expr pi() const { return pi_; }
  Expr symbol(std::string_view name);

  Expr sum(std::span<const Expr> terms);
  Expr product(std::span<const Expr> factors);
  Expr power(Expr base, Expr exponent);
  Expr add(Expr a, Expr b);
  Expr subtract(Expr a, Expr b);
  Expr negate(Expr a);
  Expr multiply(Expr a, Expr b);
  Expr divide(Expr a, Expr b);

  Expr unary(Op op, Expr argument);
  Expr atan2(Expr y, Expr x);
  Expr min(Expr a, Expr b);
  Expr max(Expr a, Expr b);
  Expr if_less(Expr a, Expr b, Expr yes, Expr no);        // a < b ? yes : no
  Expr if_less_equal(Expr a, Expr b, Expr yes, Expr no);  // a <= b ? yes : no

  // Tables are called by their name: `name(x)`, and `name'(x)` for the derivative. Throws InputError if the
  // name is not an identifier, is reserved or belongs to another table.
  TableId add_table(std::string name, Table table);
  std::optional<TableId> find_table(std::string_view name) const;
  Expr table(TableId id, Expr argument, int order = 0);  // derivative of this order

  // Returns the same operation with other operands, in canonical form.
  Expr rebuild(Expr expr, std::span<const Expr> operands);

  // --- Read ---
  std::size_t size() const { return nodes_.size(); }
  Op op(Expr expr) const { return nodes_[expr.id].op; }
  // The span is valid until the graph grows.
  std::span<const Expr> operands(Expr expr) const {
    const Node& node = nodes_[expr.id];
    return std::span(operands_).subspan(node.first, node.count);
  }
  bool is_number(Expr expr) const { return op(expr) == Op::kNumber; }
  const Coefficient& number_of(Expr expr) const { return numbers_[nodes_[expr.id].payload]; }  // of a kNumber
  // Returns the symbol of that name if it exists, otherwise an invalid Expr.
  Expr find_symbol(std::string_view name) const;
  const std::string& name_of(Expr expr) const { return names_[nodes_[expr.id].payload]; }  // of a symbol
  const Table& table_of(Expr expr) const { return *tables_[nodes_[expr.id].payload]; }
  std::shared_ptr<const Table> shared_table_of(Expr expr) const { return tables_[nodes_[expr.id].payload]; }
  const std::string& table_name_of(Expr expr) const { return table_names_[nodes_[expr.id].payload]; }
  const std::vector<std::string>& table_names() const { return table_names_; }
  int table_order_of(Expr expr) const { return nodes_[expr.id].order; }
  // Returns the value of an expression without symbols.
  std::optional<double> constant_value(Expr expr) const {
    const Node& node = nodes_[expr.id];
    return node.is_constant ? std::optional(node.value) : std::nullopt;
  }
  // True if a sub-expression without symbols is not finite, such as 1/(2 - 2).
  bool has_constant_fault(Expr expr) const { return nodes_[expr.id].has_fault; }
  // Returns the exponent of a power whose exponent is a whole number other than 0 and 1.
  std::optional<std::int64_t> integer_exponent(Expr expr) const;
  // Returns coefficient and rest: (3, x*y) for 3*x*y, (1, x) for x, (5, 1) for 5. Builds the rest if new.
  std::pair<Coefficient, Expr> split_coefficient(Expr expr);

  // Returns all sub-expressions of the roots and the roots, operands first.
  std::vector<Expr> reachable(std::span<const Expr> roots) const;
  // Returns the symbols in order of creation.
  std::vector<Expr> free_symbols(Expr expr) const;
  std::vector<Expr> free_symbols(std::span<const Expr> exprs) const;

  // --- Transform ---
  // Returns d expr / d symbol. Results are stored, so that shared parts are differentiated once.
  Expr diff(Expr expr, Expr symbol);
  // Makes all replacements at once; the keys may be any expressions.
  Expr substitute(Expr expr, std::span<const std::pair<Expr, Expr>> replacements);

 private:
  struct Node {
    Op op;
    bool is_constant;       // without symbols
    bool has_fault;         // see has_constant_fault
    std::uint8_t order;     // derivative order of a table
    std::uint32_t payload;  // index into numbers_, names_ or tables_
    std::uint32_t first;    // operands: operands_[first, first + count)
    std::uint32_t count;
    double value;  // of a constant
  };
  struct Factor {
    Expr base;
    std::int64_t exponent;
  };
  struct Slot {
    std::uint32_t hash;
    std::uint32_t id;
  };

  Expr intern(Op op, std::span<const Expr> operands, std::uint32_t payload = 0, std::uint8_t order = 0);
  std::uint32_t hash_of(Op op, std::span<const Expr> operands, std::uint32_t payload,
                        std::uint8_t order) const;
  void grow_slots();
  bool may_merge(Op op, std::span<const Expr> operands) const;
  bool is_nested(Op op, std::span<const Expr> operands) const;
  std::vector<Expr> merged_operands(Op op, std::span<const Expr> operands) const;
  std::vector<Factor> collect_factors(std::span<const Expr> operands) const;
  // Returns coefficient * rest; `rest` has no coefficient of its own.
  Expr scale(const Coefficient& coefficient, Expr rest);
  std::optional<Expr> fold_power(Expr base, Expr exponent);
  Expr one_unless_fault(Expr expr);
  std::optional<Expr> fold_power_of_product(Expr base, std::int64_t exponent);
  std::optional<Expr> fold_unary(Op op, const Coefficient& argument);
  std::optional<Expr> fold_power_of_function(Expr base, std::int64_t exponent);
  std::optional<Expr> fold_root(const Coefficient& square);
  bool is_root_of_number(Expr expr) const;
  std::optional<std::vector<Expr>> merge_roots(std::span<const Expr> factors);
  bool has_negative_coefficient(Expr expr) const;

  std::vector<Node> nodes_;
  std::vector<Expr> operands_;
  std::vector<Slot> slots_;  // open addressing; the size is a power of two
  std::vector<Coefficient> numbers_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, Expr> symbols_;
  std::vector<std::shared_ptr<const Table>> tables_;
  std::vector<std::string> table_names_;
  std::unordered_map<std::uint64_t, Expr> derivatives_;  // by (symbol id, expression id)
  Expr zero_, one_, minus_one_, half_, pi_;
  std::size_t most_merged_;
};

}  // namespace sestina
