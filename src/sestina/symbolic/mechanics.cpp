#include "sestina/symbolic/mechanics.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "sestina/base/error.h"
#include "sestina/symbolic/frame.h"
#include "sestina/symbolic/frame_tree.h"
#include "sestina/symbolic/point.h"
#include "sestina/symbolic/point_tree.h"

namespace sestina::symbolic {

Mechanics::Mechanics()
    : frames_(std::make_unique<FrameTree>(*this)), points_(std::make_unique<PointTree>(*this)) {}
Mechanics::~Mechanics() = default;

Expression Mechanics::symbol(std::string_view name) {
  const Expr known = graph_.find_symbol(name);
  if (known.is_valid() && variables_.is_variable(known)) {
    throw InputError(fmt::format(
        "'{}' is a function of time in this derivation; a constant needs another name, or another Mechanics",
        name));
  }
  return {graph_, graph_.symbol(name)};
}

std::vector<Expression> Mechanics::symbols(std::string_view name, std::size_t count) {
  std::vector<Expression> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(symbol(fmt::format("{}{}", name, i)));
  return all;
}

Expression Mechanics::dynamicsymbol(std::string_view name, int order) {
  const Expr known = graph_.find_symbol(name);
  if (known.is_valid() && known != variables_.time() && !variables_.is_variable(known)) {
    throw InputError(fmt::format(
        "'{}' is a constant in this derivation; a function of time needs another name, or another Mechanics",
        name));
  }
  return {graph_, variables_.variable(name, order)};
}

std::vector<Expression> Mechanics::dynamicsymbols(std::string_view name, std::size_t count, int order) {
  std::vector<Expression> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(dynamicsymbol(fmt::format("{}{}", name, i), order));
  return all;
}

void Mechanics::fill(std::string_view names, std::span<Expression> all, int order) {
  constexpr std::string_view kBlanks = " ,";
  std::vector<std::string_view> found;
  for (std::size_t at = names.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(names.find_first_of(kBlanks, at), names.size());
    found.push_back(names.substr(at, end - at));
    at = names.find_first_not_of(kBlanks, end);
  }
  if (found.size() != all.size()) {
    throw InputError(fmt::format("'{}' holds {} names, not {}", names, found.size(), all.size()));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = order < 0 ? symbol(found[i]) : dynamicsymbol(found[i], order);
  }
}

Expression Mechanics::keep_exact(const Expression& e) {
  const bool is_exact = !e.graph() && e.number().is_rational() && !e.number().is_decimal();
  return is_exact ? wrap(e.in(graph_)) : e;
}

Expression Mechanics::time() { return {graph_, variables_.time()}; }
Expression Mechanics::rate(const Expression& of) { return {graph_, variables_.rate(of.in(graph_))}; }

// True if a symbol other than the parts, or a function of time, is called z1 or z_1.
bool Mechanics::names_something_else(std::string_view letters) const {
  for (std::uint32_t id = 0; id < graph_.size(); ++id) {
    if (graph_.op(Expr{id}) != Op::kSymbol || part_symbols_.contains(id)) continue;
    std::string_view name = graph_.name_of(Expr{id});
    if (!name.starts_with(letters)) continue;
    name.remove_prefix(letters.size());
    if (name.starts_with("_")) name.remove_prefix(1);
    if (!name.empty() && name.find_first_not_of("0123456789'") == std::string_view::npos) return true;
  }
  return false;
}

Expression Mechanics::part_symbol(std::size_t i) {
  if (i == 0) {
    part_letters_ = "z";
    for (const char* letter : {"s", "w", "h"}) {
      if (names_something_else(part_letters_)) part_letters_ = letter;
    }
    while (names_something_else(part_letters_)) part_letters_ += "z";
  }
  const Expr symbol = graph_.symbol(fmt::format("{}{}", part_letters_, i));
  part_symbols_.insert(symbol.id);
  return wrap(symbol);
}

ReferenceFrame Mechanics::frame(std::string_view name) {
  if (frames_->find(name)) throw InputError(fmt::format("there are two reference frames '{}'", name));
  return another_frame(name);
}
ReferenceFrame Mechanics::another_frame(std::string_view name) { return {*this, frames_->add(name)}; }
std::optional<ReferenceFrame> Mechanics::find_frame(std::string_view name) {
  const auto found = frames_->find(name);
  if (!found) return std::nullopt;
  return ReferenceFrame(*this, *found);
}
Point Mechanics::point(std::string_view name) { return {*this, points_->add(name)}; }

std::vector<Expression> name_multipliers(Mechanics& mechanics, std::size_t count,
                                         const std::vector<Expression>& exprs) {
  Graph& graph = mechanics.graph();
  std::vector<Expr> nodes;
  if (count > 0) {
    for (const Expression& e : exprs) nodes.push_back(e.in(graph));
  }
  std::unordered_set<std::string_view> taken;
  for (const Expr symbol : graph.free_symbols(nodes)) {
    // The rate of a function of time has the name of the function.
    const bool is_variable = mechanics.variables().is_variable(symbol);
    taken.insert(graph.name_of(is_variable ? mechanics.variables().base(symbol) : symbol));
  }
  std::vector<Expression> multipliers;
  for (std::size_t k = 0; k < count; ++k) {
    const std::string name = fmt::format("lam{}", k + 1);
    if (taken.contains(name)) {
      throw InputError(
          fmt::format("{0} is the multiplier of constraint {1}, but the system has another symbol "
                      "called {0}: give that another name",
                      name, k + 1));
    }
    multipliers.push_back(mechanics.dynamicsymbol(name));
  }
  return multipliers;
}

std::optional<Expression> find_above(Mechanics& mechanics, const std::vector<Expression>& exprs,
                                     const std::vector<Expression>& variables, int order) {
  Graph& graph = mechanics.graph();
  const TimeVariables& known = mechanics.variables();
  std::unordered_map<std::uint32_t, int> allowed;  // by the base
  for (const Expression& variable : variables) {
    const Expr node = variable.in(graph);
    allowed.emplace(known.base(node).id, known.order(node) + order);
  }
  std::vector<Expr> nodes;
  for (const Expression& e : exprs) nodes.push_back(e.in(graph));
  for (const Expr symbol : graph.free_symbols(nodes)) {
    if (!known.is_variable(symbol)) continue;
    const auto at = allowed.find(known.base(symbol).id);
    if (at != allowed.end() && known.order(symbol) > at->second) return mechanics.wrap(symbol);
  }
  return std::nullopt;
}

void check_variables(Mechanics& mechanics, const std::vector<Expression>& variables) {
  Graph& graph = mechanics.graph();
  std::unordered_set<std::uint32_t> known;
  for (const Expression& e : variables) {
    const Expr node = e.in(graph);
    if (!mechanics.variables().is_variable(node) || graph.op(node) != Op::kSymbol) {
      throw InputError(
          fmt::format("{} is not a function of time, as coordinates and speeds are", to_text(e)));
    }
    if (!known.insert(node.id).second) {
      throw InputError(fmt::format("{} occurs more than once among the coordinates and speeds", to_text(e)));
    }
  }
}

}  // namespace sestina::symbolic
