#include "sestina/expression/time_conditions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sestina/expression/graph_copy.h"

namespace sestina {
namespace {

enum class Dependence : char { kUnknown, kConstant, kTime, kMotion };

class Collector {
 public:
  Collector(const Graph& graph, Expr time, std::span<const Expr> constants)
      : graph_(graph), dependence_(graph.size(), Dependence::kUnknown) {
    found_.time = found_.graph.symbol(graph.name_of(time));
    dependence_[time.id] = Dependence::kTime;
    for (const Expr constant : constants) {
      found_.constants.push_back(found_.graph.symbol(graph.name_of(constant)));
      dependence_[constant.id] = Dependence::kConstant;
    }
  }

  void add(std::span<const Expr> exprs, std::span<const Expr> zeros) {
    std::vector<Expr> roots(exprs.begin(), exprs.end());
    roots.insert(roots.end(), zeros.begin(), zeros.end());
    for (const Expr expr : graph_.reachable(roots)) {
      update_dependence(expr);
      add_condition_at(expr);
    }
    for (const Expr expr : zeros) {
      if (dependence_[expr.id] == Dependence::kTime) add_condition(copy_(expr), {0.0}, false);
    }
  }

  TimeConditions take() { return std::move(found_); }

 private:
  void update_dependence(Expr expr) {
    Dependence& dependence = dependence_[expr.id];
    if (dependence != Dependence::kUnknown) return;
    dependence = graph_.op(expr) == Op::kSymbol ? Dependence::kMotion : Dependence::kConstant;
    for (const Expr operand : graph_.operands(expr)) {
      dependence = std::max(dependence, dependence_[operand.id]);
    }
  }

  void add_condition_at(Expr expr) {
    const std::span<const Expr> of = graph_.operands(expr);
    switch (graph_.op(expr)) {
      case Op::kAbs:
        return add_zeros(of.first(1), false);
      case Op::kSign:
      case Op::kStep:
      case Op::kAtan2:  // jumps where y passes zero and x is negative
        return add_zeros(of.first(1), true);
      case Op::kMin:
      case Op::kMax:
        return add_zeros(of.first(2), false);
      case Op::kIfLess:
      case Op::kIfLessEqual:
        return add_zeros(of.first(2), true);
      case Op::kTable:
        if (dependence_[of[0].id] == Dependence::kTime) {
          add_condition(copy_(of[0]), graph_.table_of(expr).x(), graph_.table_order_of(expr) > 0);
        }
        return;
      default:
        return;
    }
  }

  // Adds a condition for the zeros of x, or of a - b.
  void add_zeros(std::span<const Expr> of, bool is_jump) {
    Dependence dependence = Dependence::kUnknown;
    for (const Expr operand : of) dependence = std::max(dependence, dependence_[operand.id]);
    if (dependence != Dependence::kTime) return;
    Expr argument = copy_(of[0]);
    if (of.size() > 1) argument = found_.graph.subtract(argument, copy_(of[1]));
    add_condition(argument, {0.0}, is_jump);
  }

  void add_condition(Expr argument, std::vector<double> thresholds, bool is_jump) {
    if (!known_.emplace(argument, is_jump, thresholds).second) return;
    std::vector<Expr> parts = found_.graph.reachable(std::span(&argument, 1));
    found_.conditions.push_back({argument, std::move(thresholds), is_jump, std::move(parts)});
  }

  const Graph& graph_;
  TimeConditions found_;
  GraphCopy copy_{graph_, found_.graph,
                  [this](const std::string& name) { return found_.graph.symbol(name); }};
  std::vector<Dependence> dependence_;  // by id
  std::set<std::tuple<Expr, bool, std::vector<double>>> known_;
};

}  // namespace

TimeConditions find_time_conditions(const Graph& graph, Expr time, std::span<const Expr> constants,
                                    std::span<const Expr> exprs, std::span<const Expr> zeros) {
  Collector collector(graph, time, constants);
  collector.add(exprs, zeros);
  return collector.take();
}

}  // namespace sestina
