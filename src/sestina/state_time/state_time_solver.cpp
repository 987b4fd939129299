#include "sestina/state_time/state_time_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sestina/base/error.h"

namespace sestina {
namespace {

using V3 = Vec3<double>;

constexpr int kMostIterations = 30;
// Largest correction, relative to the largest number of its kind, with which Newton's method has converged;
// and how large it may be where round-off keeps it from getting any smaller.
constexpr double kConverged = 1e-12, kStalled = 1e-8;

void write(std::span<double> numbers, int first, const V3& a) {
  const auto i = static_cast<std::size_t>(first);
  numbers[i] = a.x, numbers[i + 1] = a.y, numbers[i + 2] = a.z;
}
V3 read(std::span<const double> numbers, int first) {
  const auto i = static_cast<std::size_t>(first);
  return {numbers[i], numbers[i + 1], numbers[i + 2]};
}
Mat3<double> read_C(std::span<const double> numbers, int first) {
  return Mat3<double>::from_columns(read(numbers, first), read(numbers, first + 3), read(numbers, first + 6));
}
std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

StateTimeSolver::StateTimeSolver(std::shared_ptr<const Model> model, Properties<double> properties,
                                 StateTimeOptions options, Executor* executor)
    : model_(std::move(model)),
      properties_(std::move(properties)),
      options_(std::move(options)),
      executor_(executor),
      dynamics_(model_, properties_, "recursive") {
  if (!model_->events().empty()) {
    throw InputError(fmt::format("{}: state-time equations have no events", model_->events().front().name));
  }
  assert(options_.elements >= 1 && options_.windows >= 1 && options_.windows <= options_.elements);
  const int most = (options_.elements + options_.windows - 1) / options_.windows;
  for (int e = 0; e < most; ++e) {
    equations_.push_back(std::make_unique<ElementEquations>(
        *model_, properties_, make_element_pair(options_.pair, options_.tests)));
  }
  layout_ = equations_.front()->layout();
  const std::size_t all = index(options_.elements);
  unknowns_.resize(all * index(layout_.size()));
  coordinates_.resize(all * index(layout_.degree * model_->nq()));
  end_coordinates_.resize((all + 1) * index(model_->nq()));
  initial_numbers_.resize(index(layout_.start_size()));
  prepare(most);
  int unknowns = layout_.size();
  // v, the multipliers of conditions on places, and x at the end.
  if (linear_part_) unknowns -= linear_part_->unknowns_of_element() + 3 * layout_.bodies;
  statistics_.unknowns = static_cast<long>(most) * unknowns;
}
StateTimeSolver::~StateTimeSolver() = default;

std::span<const double> StateTimeSolver::start_of(int element) const {
  if (element == 0) return initial_numbers_;
  return unknowns_of(element - 1).subspan(index(layout_.end_start()), index(layout_.start_size()));
}
std::span<double> StateTimeSolver::unknowns_of(int element) {
  return std::span<double>(unknowns_).subspan(index(element) * index(layout_.size()), index(layout_.size()));
}
std::span<const double> StateTimeSolver::unknowns_of(int element) const {
  return std::span<const double>(unknowns_).subspan(index(element) * index(layout_.size()),
                                                    index(layout_.size()));
}
std::span<double> StateTimeSolver::coordinates_of(int element) {
  const std::size_t size = index(layout_.degree * model_->nq());
  return std::span<double>(coordinates_).subspan(index(element) * size, size);
}

void StateTimeSolver::start(const State<double>& initial, double duration) {
  assert(duration > 0.0);
  initial_ = march_ = initial;
  element_length_ = duration / options_.elements;
  next_element_ = next_window_ = 0;
  const long unknowns = statistics_.unknowns;
  statistics_ = {};
  statistics_.unknowns = unknowns;
  dynamics_.update(initial_);
  put_instants(dynamics_.kinematics(), initial_numbers_, 0, ElementLayout::kEndNumbers, true);
  std::copy(initial.q.begin(), initial.q.end(), end_coordinates_.begin());
}

// v, w, C and, where wanted, x of all bodies.
void StateTimeSolver::put_instants(const Kinematics<double>& kinematics, std::span<double> numbers, int first,
                                   int stride, bool with_x) const {
  for (int b = 0; b < layout_.bodies; ++b) {
    const BodyMotion<double>& motion = kinematics.motion[index(b + 1)];
    const V3 c = motion.X_WB.R * properties_.bodies[BodyIndex(b + 1)].M.c;
    const int at = first + stride * b;
    write(numbers, at, motion.V_WB.v + cross(motion.V_WB.w, c));
    write(numbers, at + 3, transpose_times(motion.X_WB.R, motion.V_WB.w));
    for (int j = 0; j < 3; ++j) write(numbers, at + 6 + 3 * j, motion.X_WB.R.column(j));
    if (with_x) write(numbers, at + 15, motion.X_WB.p + c);
  }
}

// Writes the state march_ as the guess at point g, or at the end.
void StateTimeSolver::take_guess(int element, int g) {
  dynamics_.update(march_);
  const std::span<double> y = unknowns_of(element);
  if (g == layout_.degree) {
    put_instants(dynamics_.kinematics(), y, layout_.end(0), ElementLayout::kEndNumbers, true);
    return;
  }
  put_instants(dynamics_.kinematics(), y, layout_.point(g, 0), ElementLayout::kPointNumbers, false);
  std::copy(march_.q.begin(), march_.q.end(),
            coordinates_of(element).begin() + g * static_cast<std::ptrdiff_t>(march_.q.size()));
}

namespace {

// One step of the classical Runge-Kutta rule.
class March {
 public:
  March(ForwardDynamics& dynamics, State<double>& state) : dynamics_(dynamics), state_(state), at_(state) {}

  void step_to(double t) {
    static constexpr double kNode[] = {0.0, 0.5, 0.5, 1.0}, kWeight[] = {1.0, 2.0, 2.0, 1.0};
    const double dt = t - state_.t;
    const std::size_t nq = state_.q.size(), nu = state_.u.size();
    std::vector<double> dq(nq), du(nu), q_rate(nq), u_rate(nu);
    at_ = state_;
    for (int stage = 0; stage < 4; ++stage) {
      at_.t = state_.t + kNode[stage] * dt;
      for (std::size_t i = 0; i < nq; ++i) at_.q[i] = state_.q[i] + kNode[stage] * dt * q_rate[i];
      for (std::size_t i = 0; i < nu; ++i) at_.u[i] = state_.u[i] + kNode[stage] * dt * u_rate[i];
      dynamics_.calc_udot(at_, u_rate);
      calc_q_dot<double>(dynamics_.model(), at_.q, at_.u, q_rate);
      for (std::size_t i = 0; i < nq; ++i) dq[i] += kWeight[stage] / 6.0 * dt * q_rate[i];
      for (std::size_t i = 0; i < nu; ++i) du[i] += kWeight[stage] / 6.0 * dt * u_rate[i];
    }
    for (std::size_t i = 0; i < nq; ++i) state_.q[i] += dq[i];
    for (std::size_t i = 0; i < nu; ++i) state_.u[i] += du[i];
    normalize_q<double>(dynamics_.model(), state_.q);
    state_.t = t;
  }

 private:
  ForwardDynamics& dynamics_;
  State<double>& state_;
  State<double> at_;
};

}  // namespace

void StateTimeSolver::guess_by_march(int first, int count) {
  calc_state(initial_.t + first * element_length_, march_);
  March march(dynamics_, march_);
  for (int e = first; e < first + count; ++e) {
    for (int g = 0; g <= layout_.degree; ++g) {
      const double s = g < layout_.degree ? pair().points[index(g)] : 1.0;
      march.step_to(initial_.t + (e + s) * element_length_);
      take_guess(e, g);
    }
    std::copy(march_.q.begin(), march_.q.end(), end_coordinates_.begin() + (e + 1) * model_->nq());
  }
}

void StateTimeSolver::guess_held(int first, int count) {
  calc_state(initial_.t + first * element_length_, march_);
  for (int e = first; e < first + count; ++e) {
    for (int g = 0; g <= layout_.degree; ++g) take_guess(e, g);
    std::copy(march_.q.begin(), march_.q.end(), end_coordinates_.begin() + (e + 1) * model_->nq());
  }
}

bool StateTimeSolver::solve_window() {
  assert(!is_complete());
  const int first = next_element_;
  const int last =
      static_cast<int>(static_cast<long>(options_.elements) * (next_window_ + 1) / options_.windows);
  const int count = last - first;
  const double t = solved_to();
  const std::size_t size = index(count) * index(layout_.size());
  const auto clear = [&] {
    std::fill_n(unknowns_.begin() + static_cast<std::ptrdiff_t>(first) * layout_.size(), size, 0.0);
  };
  std::string failure;
  bool is_solved = false;
  if (options_.guess == FirstGuess::kMarch) {
    clear();
    try {
      guess_by_march(first, count);
      is_solved = iterate(first, count, failure);
    } catch (const ComputationError& error) {
      failure = error.reason();
    }
  }
  if (!is_solved && !is_interrupted()) {
    clear();
    guess_held(first, count);
    ++statistics_.held_windows;
    is_solved = iterate(first, count, failure);
    if (is_solved) continue_coordinates(first, count);
  }
  if (!is_solved && is_interrupted()) return false;
  if (!is_solved) {
    throw ComputationError(t, fmt::format("the equations of the {} elements from here to {} s have not been "
                                          "solved: {}; more windows or more elements may help",
                                          count, t + count * element_length_, failure));
  }
  next_element_ = last;
  ++next_window_;
  return true;
}

// The coordinates at the ends of elements, each from the one before.
void StateTimeSolver::continue_coordinates(int first, int count) {
  next_element_ = first + count;
  for (int e = first; e < first + count; ++e) {
    const auto q = end_coordinates_.begin() + static_cast<std::ptrdiff_t>(e) * model_->nq();
    std::copy(q, q + model_->nq(), q + model_->nq());
    calc_state(initial_.t + (e + 1) * element_length_, march_);
    std::copy(march_.q.begin(), march_.q.end(), q + model_->nq());
  }
}

void StateTimeSolver::prepare(int most) {
  const std::size_t size = index(most) * index(layout_.size());
  tangents_.resize(index(most));
  residuals_.resize(size), corrections_.resize(size);
  const auto make = [&](TangentPart part) {
    return std::make_unique<TimeMatrix>(*equations_.front(), most, options_.matrix, part, executor_);
  };
  matrix_ = make(TangentPart::kWhole);
  if (options_.scheme == StateTimeScheme::kLinearQuadratic) linear_part_ = make(TangentPart::kLinear);
}

// Newton's method from the guess; false with the reason where it does not converge.
bool StateTimeSolver::iterate(int first, int count, std::string& failure) {
  const auto tell_singular = [&](int element) {
    failure = fmt::format("the equations are singular in the element from {} s",
                          initial_.t + (first + element) * element_length_);
    return false;
  };
  double before = INFINITY;
  if (linear_part_) {
    if (const int singular = solve_linear_part(first, count); singular >= 0) return tell_singular(singular);
  }
  for (int i = 1; i <= kMostIterations && !is_interrupted(); ++i) {
    assemble(first, count);
    const int singular = matrix_->factor(element_length_, tangents_of(count));
    if (singular >= 0) return tell_singular(singular);
    matrix_->solve(of_window(residuals_, count), of_window(corrections_, count));
    ++statistics_.iterations;
    statistics_.most_iterations = std::max(statistics_.most_iterations, i);
    const double correction = correct(first, count);
    if (!std::isfinite(correction)) break;
    if (correction <= kConverged || (correction <= kStalled && correction > 0.5 * before)) {
      statistics_.correction = std::max(statistics_.correction, correction);
      return true;
    }
    before = correction;
    if (linear_part_) {
      if (const int element = solve_linear_part(first, count); element >= 0) return tell_singular(element);
    }
  }
  failure = fmt::format("Newton's method does not converge (last correction {:.1e})", before);
  return false;
}

// v, x and the multipliers of conditions on places, for the w and C at hand. Returns the first element whose
// equations are singular, or -1.
int StateTimeSolver::solve_linear_part(int first, int count) {
  assemble(first, count);
  const int singular = linear_part_->factor(element_length_, tangents_of(count));
  if (singular >= 0) return singular;
  linear_part_->solve(of_window(residuals_, count), of_window(corrections_, count));
  const std::span<double> y = std::span<double>(unknowns_).subspan(index(first) * index(layout_.size()),
                                                                   index(count) * index(layout_.size()));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += corrections_[i];
  return -1;
}

void StateTimeSolver::assemble(int first, int count) {
  const auto assemble_some = [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      std::vector<TangentEntry>& tangent = tangents_[index(i)];
      tangent.clear();
      const std::span<double> residual =
          std::span<double>(residuals_).subspan(index(i) * index(layout_.size()), index(layout_.size()));
      equations_[index(i)]->calc_residual(initial_.t + (first + i) * element_length_, element_length_,
                                          start_of(first + i), unknowns_of(first + i),
                                          coordinates_of(first + i), residual, &tangent);
    }
  };
  if (executor_) {
    executor_->parallel_for(count, 1, assemble_some);
  } else {
    assemble_some(0, count);
  }
}

// Adds the correction and returns how large it was: the largest of velocities, angular velocities, direction
// cosines and places, each relative to the largest of its kind. Multipliers follow from these.
double StateTimeSolver::correct(int first, int count) {
  double change[4] = {}, size[4] = {1e-300, 1e-300, 1.0, 1e-300};
  const auto look = [&](std::span<const double> y, std::span<const double> dy, int at, int numbers) {
    for (int i = 0; i < numbers; ++i) {
      const int kind = i < 3 ? 0 : i < 6 ? 1 : i < 15 ? 2 : 3;
      const double step = std::abs(dy[index(at + i)]);
      change[kind] = step <= change[kind] ? change[kind] : step;  // keeps what is not a number
      size[kind] = std::max(size[kind], std::abs(y[index(at + i)]));
    }
  };
  for (int e = 0; e < count; ++e) {
    const std::span<double> y = unknowns_of(first + e);
    const std::span<const double> dy =
        std::span<const double>(corrections_).subspan(index(e) * y.size(), y.size());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += dy[i];
    for (int b = 0; b < layout_.bodies; ++b) {
      for (int g = 0; g < layout_.degree; ++g) look(y, dy, layout_.point(g, b), ElementLayout::kPointNumbers);
      look(y, dy, layout_.end(b), ElementLayout::kEndNumbers);
    }
  }
  // Systems at rest, or nearly: a velocity matters by how far it leads in an element.
  size[0] = std::max(size[0], size[3] / element_length_ * 1e-3);
  size[1] = std::max(size[1], 1e-3 / element_length_);
  size[3] = std::max(size[3], size[0] * element_length_);
  double largest = 0.0;
  for (int kind = 0; kind < 4; ++kind) {
    const double relative = change[kind] / size[kind];
    largest = relative <= largest ? largest : relative;
  }
  return largest;
}

StateTimeSolver::Place StateTimeSolver::find(double t) const {
  const double elements = (t - initial_.t) / element_length_;
  // Instants that are an end of an element but for round-off are meant to be one.
  const double nearest = std::round(elements), tolerance = 1e-9;
  if (std::abs(elements - nearest) <= tolerance) {
    const int end = static_cast<int>(nearest);
    return end == 0 ? Place{0, 0.0} : Place{std::min(end, options_.elements) - 1, 1.0};
  }
  const int element = std::clamp(static_cast<int>(std::floor(elements)), 0, options_.elements - 1);
  return {element, elements - element};
}

void StateTimeSolver::calc_bodies(double t, std::span<BodyInstant> bodies) const {
  const Place place = find(t);
  const std::span<const double> start = start_of(place.element), y = unknowns_of(place.element);
  if (place.s == 0.0 || place.s == 1.0) {
    for (int b = 0; b < layout_.bodies; ++b) {
      const std::span<const double> from = place.s == 0.0 ? start : y;
      const int at = place.s == 0.0 ? ElementLayout::kEndNumbers * b : layout_.end(b);
      bodies[index(b)] = {read_C(from, at + 6), read(from, at + 15), read(from, at), read(from, at + 3)};
    }
    return;
  }
  std::vector<double> shape(index(layout_.degree + 1)), integral(index(layout_.degree));
  pair().calc_shape(place.s, shape.data());
  pair().calc_integrals_of_point_values(place.s, integral.data());
  for (int b = 0; b < layout_.bodies; ++b) {
    const int first = ElementLayout::kEndNumbers * b;
    BodyInstant body{{}, read(start, first + 15), {}, {}};
    for (int j = 0; j <= layout_.degree; ++j) {
      const std::span<const double> from = j == 0 ? start : y;
      const int at = j == 0 ? first : layout_.point(j - 1, b);
      const double L = shape[index(j)];
      body.v += L * read(from, at);
      body.w += L * read(from, at + 3);
      body.C = body.C + Mat3<double>{L, 0, 0, 0, L, 0, 0, 0, L} * read_C(from, at + 6);
      if (j > 0) body.x += (element_length_ * integral[index(j - 1)]) * read(from, at);
    }
    bodies[index(b)] = body;
  }
}

void StateTimeSolver::calc_state(double t, State<double>& state) {
  if (t == initial_.t) {
    state = initial_;
    return;
  }
  assert(t <= solved_to() * (1.0 + 1e-9));
  const Place place = find(t);
  std::vector<BodyInstant> bodies(index(layout_.bodies));
  calc_bodies(t, bodies);
  const int element = place.element + (place.s > 0.5 ? 1 : 0);
  const auto guess = end_coordinates_.begin() + static_cast<std::ptrdiff_t>(element) * model_->nq();
  state.t = t;
  state.q.assign(guess, guess + model_->nq());
  state.u.resize(index(model_->nu()));
  equations_.front()->loads().find_state(bodies, state);
  normalize_q<double>(*model_, state.q);
}

void StateTimeSolver::calc_multiplier_reactions(double t, std::span<SpatialForce<double>> reactions) const {
  const Place place = find(t);
  std::vector<BodyInstant> bodies(index(layout_.bodies));
  calc_bodies(t, bodies);
  std::vector<double> f(index(layout_.multipliers));
  const std::vector<double>& points = pair().points;
  for (std::size_t g = 0; g < points.size(); ++g) {
    double shape = 1.0;
    for (std::size_t j = 0; j < points.size(); ++j) {
      if (j != g) shape *= (place.s - points[j]) / (points[g] - points[j]);
    }
    const std::span<const double> at =
        unknowns_of(place.element).subspan(index(layout_.point_multiplier(static_cast<int>(g))), f.size());
    for (std::size_t i = 0; i < f.size(); ++i) f[i] += shape * at[i];
  }
  for (const JointConditions& joint : equations_.front()->joints()) {
    reactions[index(joint.child + 1)] = joint.calc_reaction(bodies, f);
  }
}

}  // namespace sestina
