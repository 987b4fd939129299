#include "sestina/expression/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "sestina/base/error.h"
#include "sestina/expression/evaluate.h"
#include "sestina/expression/scratch_memory.h"

namespace sestina {
namespace {

std::uint32_t mix(std::uint64_t hash) {
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93ull;
  hash ^= hash >> 32;
  return static_cast<std::uint32_t>(hash);
}

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; };
  const auto is_inner = [&](char c) { return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)); };
  return !name.empty() && is_letter(name.front()) && std::all_of(name.begin(), name.end(), is_inner);
}

// Visits the reachable nodes, operands first.
template <class Visit>
void visit_reachable(const Graph& graph, std::span<const Expr> roots, Visit visit) {
  ScratchMemory memory;
  std::uint32_t end = 0;
  for (const Expr root : roots) end = std::max(end, root.id + 1);
  ScratchVector<std::uint8_t> is_reachable(end, 0, &memory);
  ScratchVector<Expr> pending(roots.begin(), roots.end(), &memory);
  while (!pending.empty()) {
    const Expr expr = pending.back();
    pending.pop_back();
    if (std::exchange(is_reachable[expr.id], 1) != 0) continue;
    for (const Expr below : graph.operands(expr)) {
      if (is_reachable[below.id] == 0) pending.push_back(below);
    }
  }
  for (std::uint32_t id = 0; id < end; ++id) {
    if (is_reachable[id] != 0) visit(Expr{id});
  }
}

}  // namespace

Graph::Graph(std::size_t most_merged) : slots_(64, Slot{0, Expr{}.id}), most_merged_(most_merged) {
  zero_ = fraction(0);
  one_ = fraction(1);
  minus_one_ = fraction(-1);
  half_ = fraction(1, 2);
  pi_ = intern(Op::kPi, {});
}

Expr Graph::number(const Coefficient& value) {
  if (!value.is_finite()) {
    const Expr infinity = intern(Op::kPower, std::array{zero_, minus_one_});
    if (std::isnan(value.value())) return product(std::array{zero_, infinity});
    return value.value() > 0.0 ? infinity : negate(infinity);
  }
  // The payload of a number is its index in numbers_; look it up by its value first.
  numbers_.push_back(value);
  const Expr expr = intern(Op::kNumber, {}, static_cast<std::uint32_t>(numbers_.size() - 1));
  const std::size_t known = nodes_[expr.id].payload;
  if (known != numbers_.size() - 1) {
    if (!value.is_decimal()) numbers_[known].forget_decimal();  // it has been given as a fraction, too
    numbers_.pop_back();
  }
  return expr;
}

Expr Graph::fraction(std::int64_t numerator, std::int64_t denominator) {
  if (denominator == 0) return divide(fraction(numerator), zero_);
  return number(Coefficient::fraction(numerator, denominator));
}

Expr Graph::find_symbol(std::string_view name) const {
  const auto found = symbols_.find(std::string(name));
  return found == symbols_.end() ? Expr{} : found->second;
}

Expr Graph::symbol(std::string_view name) {
  const auto [entry, is_new] = symbols_.try_emplace(std::string(name));
  if (is_new) {
    names_.emplace_back(name);
    entry->second = intern(Op::kSymbol, {}, static_cast<std::uint32_t>(names_.size() - 1));
  }
  return entry->second;
}

TableId Graph::add_table(std::string name, Table table) {
  if (!is_identifier(name)) throw InputError(fmt::format("'{}' cannot be the name of a table", name));
  if (name == "pi" || find_function(name)) throw InputError(fmt::format("'{}' is a reserved name", name));
  if (find_table(name)) throw InputError(fmt::format("there are two tables '{}'", name));
  tables_.push_back(std::make_shared<const Table>(std::move(table)));
  table_names_.push_back(std::move(name));
  return {static_cast<std::uint32_t>(tables_.size() - 1)};
}

std::optional<TableId> Graph::find_table(std::string_view name) const {
  const auto found = std::find(table_names_.begin(), table_names_.end(), name);
  if (found == table_names_.end()) return std::nullopt;
  return TableId{static_cast<std::uint32_t>(found - table_names_.begin())};
}

std::optional<std::int64_t> Graph::integer_exponent(Expr expr) const {
  if (op(expr) != Op::kPower) return std::nullopt;
  const Expr exponent = operands(expr)[1];
  if (!is_number(exponent) || !number_of(exponent).is_integer()) return std::nullopt;
  return number_of(exponent).numerator();
}

std::pair<Coefficient, Expr> Graph::split_coefficient(Expr expr) {
  if (is_number(expr)) return {number_of(expr), one_};
  if (op(expr) != Op::kProduct || !is_number(operands(expr)[0])) return {Coefficient::fraction(1, 1), expr};
  const Coefficient coefficient = number_of(operands(expr)[0]);
  const auto rest = operands(expr).subspan(1);
  if (rest.size() == 1) return {coefficient, rest[0]};
  return {coefficient, intern(Op::kProduct, std::vector(rest.begin(), rest.end()))};
}

std::vector<Expr> Graph::reachable(std::span<const Expr> roots) const {
  std::vector<Expr> found;
  visit_reachable(*this, roots, [&](Expr expr) { found.push_back(expr); });
  return found;
}

std::vector<Expr> Graph::free_symbols(Expr expr) const { return free_symbols(std::span(&expr, 1)); }

std::vector<Expr> Graph::free_symbols(std::span<const Expr> exprs) const {
  std::vector<Expr> symbols;
  visit_reachable(*this, exprs, [&](Expr expr) {
    if (op(expr) == Op::kSymbol) symbols.push_back(expr);
  });
  return symbols;
}

std::uint32_t Graph::hash_of(Op op, std::span<const Expr> operands, std::uint32_t payload,
                             std::uint8_t order) const {
  std::uint64_t hash = static_cast<std::uint64_t>(op) * 256 + order;
  const auto add = [&](std::uint64_t part) { hash = (hash ^ part) * 0x9e3779b97f4a7c15ull + (hash >> 29); };
  if (op == Op::kNumber) {
    add(std::hash<double>()(numbers_[payload].value()));
    add(static_cast<std::uint64_t>(numbers_[payload].denominator()));
  } else {
    add(payload);
  }
  for (const Expr operand : operands) add(operand.id);
  return mix(hash);
}

Expr Graph::intern(Op op, std::span<const Expr> operands, std::uint32_t payload, std::uint8_t order) {
  const std::uint32_t hash = hash_of(op, operands, payload, order);
  const auto is_same = [&](const Node& node) {
    if (node.op != op || node.order != order || node.count != operands.size()) return false;
    if (op == Op::kNumber) return numbers_[node.payload] == numbers_[payload];
    return node.payload == payload && std::equal(operands.begin(), operands.end(), &operands_[node.first]);
  };
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; Expr{slots_[slot].id}.is_valid(); slot = (slot + 1) & mask) {
    if (slots_[slot].hash == hash && is_same(nodes_[slots_[slot].id])) return {slots_[slot].id};
  }
  const Expr expr{static_cast<std::uint32_t>(nodes_.size())};
  Node node{op,
            op != Op::kSymbol,
            false,
            order,
            payload,
            static_cast<std::uint32_t>(operands_.size()),
            static_cast<std::uint32_t>(operands.size()),
            std::nan("")};
  for (const Expr operand : operands) {
    node.is_constant = node.is_constant && nodes_[operand.id].is_constant;
    node.has_fault = node.has_fault || nodes_[operand.id].has_fault;
  }
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  nodes_.push_back(node);
  if (node.is_constant) {
    const double value = calc_node(*this, expr, [this](Expr e) { return nodes_[e.id].value; });
    nodes_.back().value = value;
    nodes_.back().has_fault = node.has_fault || !std::isfinite(value);
  }
  slots_[slot] = {hash, expr.id};
  if (2 * nodes_.size() > slots_.size()) grow_slots();
  return expr;
}

void Graph::grow_slots() {
  std::vector<Slot> old(2 * slots_.size(), Slot{0, Expr{}.id});
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& entry : old) {
    if (!Expr{entry.id}.is_valid()) continue;
    std::size_t slot = entry.hash & mask;
    while (Expr{slots_[slot].id}.is_valid()) slot = (slot + 1) & mask;
    slots_[slot] = entry;
  }
}

Expr Graph::rebuild(Expr expr, std::span<const Expr> given) {
  const std::vector<Expr> to(given.begin(), given.end());  // the span may point into this graph
  const Op kind = op(expr);
  if (is_unary(kind)) return unary(kind, to[0]);
  switch (kind) {
    case Op::kSum:
      return sum(to);
    case Op::kProduct:
      return product(to);
    case Op::kPower:
      return power(to[0], to[1]);
    case Op::kAtan2:
      return atan2(to[0], to[1]);
    case Op::kMin:
      return min(to[0], to[1]);
    case Op::kMax:
      return max(to[0], to[1]);
    case Op::kIfLess:
      return if_less(to[0], to[1], to[2], to[3]);
    case Op::kIfLessEqual:
      return if_less_equal(to[0], to[1], to[2], to[3]);
    case Op::kTable:
      return table({nodes_[expr.id].payload}, to[0], table_order_of(expr));
    default:  // a number, pi or a symbol
      return expr;
  }
}

}  // namespace sestina
