#include "sestina/workspace/state_jumps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sestina/base/error.h"
#include "sestina/expression/graph_copy.h"
#include "sestina/expression/print.h"
#include "sestina/model/tape_inputs.h"

namespace sestina {
namespace {

constexpr std::size_t kMostCharacters = 80;
// A difference of values on both sides of a change is a jump if it is larger than this part of the values.
constexpr double kJumpPart = 1e-6;
// The sides are this part of the step away from the change, or more in steps so short that rounding hides it.
constexpr double kSide = 1e-10;

// The names of the inputs of tapes, and how many of them come before those that move.
std::vector<std::string> input_names(const Model& model, std::size_t& fixed) {
  std::vector<std::string> names{"t"};
  for (const auto& parameter : model.parameters()) names.push_back(parameter.name);
  for (const VariableInfo& variable : model.variables()) names.push_back(variable.name);
  fixed = names.size();
  for (const StateInfo& state : model.states()) names.push_back(state.name);
  for (const auto* list : {&model.q_names(), &model.u_names(), &model.cut_q_names(), &model.cut_u_names()}) {
    names.insert(names.end(), list->begin(), list->end());
  }
  return names;
}

// Returns the expression that passes zero where this one may jump.
std::optional<Expr> find_condition(Graph& graph, Expr expr) {
  const std::span<const Expr> of = graph.operands(expr);
  switch (graph.op(expr)) {
    case Op::kSign:
    case Op::kStep:
    case Op::kAtan2:
      return of[0];
    case Op::kIfLess:
    case Op::kIfLessEqual: {
      const Expr a = of[0], b = of[1];
      return graph.subtract(a, b);
    }
    default:
      return {};
  }
}

}  // namespace

StateJumps::StateJumps(ForwardDynamics& dynamics) : dynamics_(dynamics) {
  const Model& model = dynamics.model();
  std::size_t fixed = 0;
  const std::vector<std::string> names = input_names(model, fixed);
  Graph graph;
  GraphCopy copy(model.graph(), graph, [&](const std::string& name) { return graph.symbol(name); });
  std::vector<Expr> values, inputs, conditions;
  for (const auto* exprs : {&model.force_expressions(), &model.rate_expressions()}) {
    for (const Expr expr : *exprs) values.push_back(copy(expr));
  }
  for (const std::string& name : names) inputs.push_back(graph.symbol(name));
  const std::set<Expr> moving(inputs.begin() + static_cast<std::ptrdiff_t>(fixed), inputs.end());
  std::set<Expr> known;
  for (const Expr expr : graph.reachable(values)) {
    const std::optional<Expr> condition = find_condition(graph, expr);
    if (!condition || !known.insert(*condition).second) continue;
    const std::vector<Expr> symbols = graph.free_symbols(*condition);
    if (std::ranges::none_of(symbols, [&](Expr symbol) { return moving.contains(symbol); })) continue;
    conditions.push_back(*condition);
    texts_.push_back(to_text(graph, *condition, kMostCharacters));
  }
  if (conditions.empty()) return;
  conditions_ = Tape(graph, conditions, inputs);
  values_ = Tape(graph, values, inputs);
  const std::vector<Expr> used = graph.free_symbols(values);
  const auto first_cut =
      inputs.end() - static_cast<std::ptrdiff_t>(model.cut_q_names().size() + model.cut_u_names().size());
  uses_cut_joints_ = std::any_of(first_cut, inputs.end(),
                                 [&](Expr symbol) { return std::ranges::find(used, symbol) != used.end(); });
  inputs_.resize(inputs.size());
  last_inputs_ = between_ = inputs_;
  now_.resize(conditions.size());
  last_ = now_;
  for (auto* list : {&at_begin_, &at_end_, &before_, &after_}) list->resize(values.size());
  scratch_.resize(std::max(conditions_.scratch_size(), values_.scratch_size()));
}

void StateJumps::fill_inputs(const State<double>& state) {
  const CutCoordinates<double> cut =
      uses_cut_joints_ ? dynamics_.find_cut_coordinates(state) : CutCoordinates<double>{};
  std::ranges::fill(inputs_, 0.0);
  fill_tape_inputs<double>(state, dynamics_.properties().parameters, cut, inputs_);
}

void StateJumps::look(const State<double>& state) {
  if (texts_.empty()) return;
  fill_inputs(state);
  conditions_.evaluate<double>(inputs_, now_, scratch_);
  for (std::size_t c = 0; has_looked_ && c < now_.size(); ++c) {
    // A motion that begins at the change is on one side of it from then on.
    if (last_[c] != 0.0 && (now_[c] > 0.0) != (last_[c] > 0.0)) check(c, state.t);
  }
  last_inputs_ = inputs_, last_ = now_, has_looked_ = true;
}

// The conditions at a part of the way between the last two states.
double StateJumps::evaluate_condition(std::size_t condition, double part) {
  evaluate_at(part);
  conditions_.evaluate<double>(between_, now_, scratch_);
  return now_[condition];
}

void StateJumps::evaluate_at(double part) {
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    between_[i] = last_inputs_[i] + part * (inputs_[i] - last_inputs_[i]);
}

void StateJumps::check(std::size_t condition, double t) {
  double begin = 0.0, end = 1.0;
  const bool was_above = last_[condition] > 0.0;
  while (end - begin > 0.1 * kSide) {
    const double middle = 0.5 * (begin + end);
    ((evaluate_condition(condition, middle) > 0.0) == was_above ? begin : end) = middle;
  }
  double side = kSide;
  const auto part_before = [&] { return std::max(0.0, begin - side); };
  const auto part_after = [&] { return std::min(1.0, end + side); };
  // At zero itself either formula may hold.
  while (
      side < 1.0 &&
      !(evaluate_condition(condition, part_before()) * evaluate_condition(condition, part_after()) < 0.0)) {
    side *= 10.0;
  }
  conditions_.evaluate<double>(inputs_, now_, scratch_);
  const auto evaluate = [&](double part, std::vector<double>& values) {
    evaluate_at(part);
    values_.evaluate<double>(between_, values, scratch_);
  };
  evaluate(0.0, at_begin_), evaluate(1.0, at_end_);
  evaluate(part_before(), before_), evaluate(part_after(), after_);
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const double size =
        std::max({std::abs(at_begin_[i]), std::abs(at_end_[i]), std::abs(before_[i]), std::abs(after_[i])});
    if (!(std::abs(after_[i] - before_[i]) > kJumpPart * size)) continue;
    throw InputError(
        fmt::format("at {:.6g} s a force jumps where {} passes zero: the derivatives of the run jump there, "
                    "too, which only "
                    "differences of runs show; or let the force change within a short way",
                    t, texts_[condition]));
  }
}

}  // namespace sestina
