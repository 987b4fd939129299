#include "sestina/simulation/symbolic_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/io/result_file.h"
#include "sestina/simulation/initial_values.h"
#include "sestina/simulation/simulation_run.h"
#include "sestina/simulation/weight_potential.h"

namespace sestina::symbolic {
namespace {

bool is_in(const std::vector<Expression>& all, const Expression& e) {
  return std::find(all.begin(), all.end(), e) != all.end();
}

template <class Values, class Value>
void put(Values& values, const Expression& key, Value value) {
  const auto at =
      std::find_if(values.begin(), values.end(), [&](const auto& pair) { return pair.first == key; });
  if (at == values.end()) {
    values.emplace_back(key, std::move(value));
  } else {
    at->second = std::move(value);
  }
}

const Expression* find(const Replacements& values, const Expression& key) {
  const auto at =
      std::find_if(values.begin(), values.end(), [&](const auto& pair) { return pair.first == key; });
  return at == values.end() ? nullptr : &at->second;
}

// Throws InputError for a number that is nan or infinite.
void check_finite(const Expression& symbol, double value) {
  if (!std::isfinite(value)) throw InputError(fmt::format("{} = {} is not finite", to_text(symbol), value));
}

bool is_rising(const std::vector<double>& times) {
  return std::ranges::all_of(times, [](double t) { return std::isfinite(t); }) &&
         std::ranges::adjacent_find(times, [](double a, double b) { return !(a < b); }) == times.end();
}

bool is_symbol(const Expression& e) { return e.graph() && e.graph()->op(e.in(*e.graph())) == Op::kSymbol; }

}  // namespace

SymbolicSystem::SymbolicSystem(MotionEquations motion) : motion_(std::move(motion)) {}
SymbolicSystem::SymbolicSystem(const KanesMethod& kane) : SymbolicSystem(motion_equations(kane)) {}
SymbolicSystem::SymbolicSystem(Mechanics& mechanics, const LagrangesMethod& lagrange)
    : SymbolicSystem(motion_equations(mechanics, lagrange)) {}
SymbolicSystem::~SymbolicSystem() = default;

bool SymbolicSystem::is_coordinate(const Expression& e) const { return is_in(motion_.q, e); }
bool SymbolicSystem::is_speed(const Expression& e) const { return is_in(motion_.u, e); }

void SymbolicSystem::set(const ParameterValues& parameters) {
  TimeVariables& variables = motion_.mechanics->variables();
  for (const auto& [symbol, value] : parameters) {
    if (!is_symbol(symbol) || variables.is_variable(symbol.in(*symbol.graph())) ||
        symbol == motion_.mechanics->time()) {
      throw InputError(fmt::format("{} is not a constant that could be given a value", to_text(symbol)));
    }
    check_finite(symbol, value);
    put(parameters_, symbol, value);
  }
}

void SymbolicSystem::check_input(const Expression& input) const {
  TimeVariables& variables = motion_.mechanics->variables();
  const bool is_function = is_symbol(input) && variables.is_variable(input.in(*input.graph()));
  if (!is_function || is_coordinate(input) || is_speed(input) || is_in(motion_.multipliers, input)) {
    throw InputError(
        fmt::format("{} is not a function of time other than coordinates and speeds", to_text(input)));
  }
  if (variables.order(input.in(*input.graph())) > 0) {
    throw InputError(fmt::format("{} is a rate, which follows from {}: it cannot be given", to_text(input),
                                 to_text(motion_.mechanics->wrap(variables.base(input.in(*input.graph()))))));
  }
}

void SymbolicSystem::set_input(const Expression& input, const Expression& value) {
  check_input(input);
  std::erase_if(functions_, [&](const auto& pair) { return pair.first == input; });
  // Positions that contain an input lead to accelerations with its second derivative.
  Expression key = input, derivative = value;
  for (int order = 0; order <= 2; ++order) {
    put(inputs_, key, derivative);
    key = motion_.mechanics->rate(key);
    derivative = motion_.mechanics->rate(derivative);
  }
}

void SymbolicSystem::set_input(const Expression& input, InputFunction function) {
  check_input(input);
  if (!function.value) throw InputError(fmt::format("the function of the input {} is empty", to_text(input)));
  if (!is_rising(function.knots)) {
    throw InputError(fmt::format("the knots of the input {} do not rise, or are not finite", to_text(input)));
  }
  Expression key = input;
  for (int order = 0; order <= 2; ++order) {
    std::erase_if(inputs_, [&](const auto& pair) { return pair.first == key; });
    key = motion_.mechanics->rate(key);
  }
  put(functions_, input, std::move(function));
}

void SymbolicSystem::set_initial(const Replacements& values) {
  for (const auto& [symbol, value] : values) {
    if (!is_coordinate(symbol) && !is_speed(symbol)) {
      throw InputError(
          fmt::format("{} is not a coordinate or speed that could start somewhere", to_text(symbol)));
    }
    if (!value.graph()) check_finite(symbol, value.number().value());
    put(initial_, symbol, value);
  }
}

void SymbolicSystem::set_guess(const Replacements& values) {
  for (const auto& [symbol, value] : values) {
    if (!is_coordinate(symbol)) {
      throw InputError(
          fmt::format("{} is not a coordinate that could be sought near a value", to_text(symbol)));
    }
    if (!value.graph()) check_finite(symbol, value.number().value());
    put(guesses_, symbol, value);
  }
}

void SymbolicSystem::add_invariant(const Expression& invariant) { invariants_.push_back(invariant); }

void SymbolicSystem::add_output(const std::string& name, const Expression& value, const std::string& unit) {
  const auto is_taken = [&](const Output& output) { return output.column.name == name; };
  if (name.empty() || name == "t" || name == "event" ||
      std::any_of(outputs_.begin(), outputs_.end(), is_taken)) {
    throw InputError(fmt::format("'{}' cannot name an output: it is empty or taken", name));
  }
  const auto is_state = [&](const Expression& e) { return to_text(e) == name; };
  if (std::any_of(motion_.q.begin(), motion_.q.end(), is_state) ||
      std::any_of(motion_.u.begin(), motion_.u.end(), is_state)) {
    throw InputError(fmt::format(
        "'{}' cannot name an output: it is a coordinate or speed, which has its own column", name));
  }
  outputs_.push_back({{name, unit}, value});
}

void SymbolicSystem::add_energies(const ReferenceFrame& frame, const std::vector<Body>& bodies) {
  const Expression T = kinetic_energy(frame, bodies);
  const Expression V = potential_energy(bodies) + calc_weight_potential(frame, bodies, motion_.loads);
  add_output("energy.kinetic", T, "J");
  add_output("energy.potential", V, "J");
  add_output("energy.total", T + V, "J");
}

void SymbolicSystem::add_event(SymbolicEvent event) {
  if (std::ranges::any_of(events_, [&](const SymbolicEvent& other) { return other.name == event.name; })) {
    throw InputError(fmt::format("there is an event {} already", event.name));
  }
  for (const auto& [symbol, value] : event.set) {
    if (!is_coordinate(symbol) && !is_speed(symbol)) {
      throw InputError(fmt::format("event {}: {} is not a coordinate or speed that it could set", event.name,
                                   to_text(symbol)));
    }
  }
  events_.push_back(std::move(event));
}

Expression SymbolicSystem::resolve(const Expression& expression) const {
  Matrix one(std::vector<Expression>{expression});
  // Inputs may contain rates of coordinates, and these may contain inputs.
  const auto put_inputs_in = [&] {
    for (std::size_t k = 0; k < 2 && !inputs_.empty(); ++k)
      one = substitute(*motion_.mechanics, one, inputs_);
  };
  put_inputs_in();
  one = substitute(*motion_.mechanics, one, motion_.replacements);
  put_inputs_in();
  return one[0];
}

MotionEquations SymbolicSystem::resolved_motion() const {
  if (inputs_.empty()) return motion_;
  MotionEquations motion = motion_;
  for (Matrix* matrix : {&motion.G, &motion.M, &motion.f, &motion.a, &motion.b, &motion.d, &motion.c}) {
    for (std::size_t i = 0; i < matrix->elements().size(); ++i) (*matrix)[i] = resolve((*matrix)[i]);
  }
  return motion;
}

void SymbolicSystem::check_places_of_functions(const MotionEquations& motion,
                                               const std::vector<Expression>& invariants) const {
  Graph& graph = motion.mechanics->graph();
  const auto check = [&](const std::vector<Expression>& elements, const char* where) {
    std::vector<Expr> exprs;
    for (const Expression& e : elements) exprs.push_back(e.in(graph));
    const std::vector<Expr> symbols = graph.free_symbols(exprs);
    for (const auto& [input, function] : functions_) {
      Expression symbol = input;
      for (int order = 0; order <= 2; ++order, symbol = motion.mechanics->rate(symbol)) {
        if (std::find(symbols.begin(), symbols.end(), symbol.in(graph)) == symbols.end()) continue;
        throw InputError(
            fmt::format("{} hold {}, whose rates are needed there: give the input as an expression", where,
                        to_text(symbol)));
      }
    }
  };
  if (functions_.empty()) return;
  check(motion.G.elements(), "the kinematic equations");
  check(motion.M.elements(), "the factors of the accelerations");
  check(motion.a.elements(), "the velocity constraints");
  check(motion.b.elements(), "the velocity constraints");
  check(motion.c.elements(), "the configuration constraints");
  check(invariants, "the invariants");
}

std::unique_ptr<SymbolicEquations> SymbolicSystem::make_equations() const {
  std::vector<Expression> invariants;
  for (const Expression& e : invariants_) invariants.push_back(resolve(e));
  const MotionEquations motion = resolved_motion();
  check_places_of_functions(motion, invariants);
  std::vector<Expression> events;
  for (const SymbolicEvent& event : events_) events.push_back(resolve(event.function));
  return std::make_unique<SymbolicEquations>(motion, parameters_, invariants, functions_, events);
}

double SymbolicSystem::number(const Expression& symbol, const Expression& value) const {
  if (!value.graph()) return value.number().value();
  const double number =
      CompiledExpressions(*motion_.mechanics, {value}, {}, parameters_, "an initial value")({})[0];
  check_finite(symbol, number);
  return number;
}

State<double> SymbolicSystem::calc_initial_state(double t) const {
  // If values are given: by Kane's method the dependent unknowns of the options follow, by Lagrange's method
  // those without a value, if there are constraints from which they could follow.
  const bool is_partitioned = !motion_.q_dependent.empty() || !motion_.u_dependent.empty();
  InitialValues values;
  const auto fill = [&](const std::vector<Expression>& symbols, const std::vector<Expression>& dependent,
                        bool has_constraints, std::vector<double>& numbers, std::vector<bool>& is_free,
                        std::vector<bool>& is_given) {
    for (const Expression& e : symbols) {
      const Expression* given = find(initial_, e);
      const Expression* guess = find(guesses_, e);
      numbers.push_back(given ? number(e, *given) : guess ? number(e, *guess) : 0.0);
      is_given.push_back(given != nullptr);
      is_free.push_back(is_partitioned ? is_in(dependent, e) : !given && has_constraints);
    }
  };
  const MotionEquations motion = resolved_motion();
  fill(motion.q, motion.q_dependent, !motion.c.elements().empty(), values.q, values.q_is_free,
       values.q_is_given);
  fill(motion.u, motion.u_dependent, motion.a.rows() > 0, values.u, values.u_is_free, values.u_is_given);
  const auto equations = make_equations();
  State<double> state{t, {}, {}, {}, {}};
  solve_initial_values(motion, parameters_, t, values, [&](std::vector<double>& q) {
    state.q = q;
    if (equations->has_clock()) state.q.push_back(t);
    equations->drop_redundant(t, state.q);
    equations->normalize(t, state.q);
    std::copy_n(state.q.begin(), q.size(), q.begin());
  });
  state.u = values.u;
  equations->drop_redundant(t, state.q);
  equations->project_speeds(t, state.q, state.u);
  std::string violated = equations->find_violated(t, state.q, state.u, 1e-10);
  if (violated.empty()) violated = equations->find_contradicted(t, state.q, 1e-8);
  if (!violated.empty()) throw InputError(fmt::format("no initial state is found: {}", violated));
  return state;
}

std::vector<double> SymbolicSystem::evaluate_at_start(const std::vector<Expression>& expressions) const {
  return SimulationRun(*this, {}).evaluate(expressions, calc_initial_state());
}

SimulationReport SymbolicSystem::run(const SimulationOptions& options, Recorder& recorder) const {
  return SimulationRun(*this, options).run(recorder);
}

SimulationReport SymbolicSystem::run(const SimulationOptions& options,
                                     const std::filesystem::path& result_file) const {
  const auto recorder = make_recorder(result_file);
  return run(options, *recorder);
}

ResultTable SymbolicSystem::simulate(const SimulationOptions& options) const {
  MemoryRecorder recorder;
  const SimulationReport report = run(options, recorder);
  if (!report.failure.empty()) throw ComputationError(report.t, report.reason);
  return recorder.table();
}

}  // namespace sestina::symbolic
