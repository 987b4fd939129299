#include "sestina/model/model.h"

#include <fmt/format.h>

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/expression/evaluate.h"
#include "sestina/spatial/scalars.h"

namespace sestina {
namespace {

template <class Index, class Infos, class NameOf>
Index find_by_name(const Infos& infos, Index first, std::string_view kind, std::string_view name,
                   NameOf name_of) {
  std::vector<std::string> known;
  for (Index i = first; i.value() < infos.size(); ++i) {
    if (name_of(infos[i]) == name) return i;
    known.push_back(name_of(infos[i]));
  }
  throw InputError(fmt::format("there is no {} '{}'{}", kind, name, suggestion(name, known)));
}

}  // namespace

BodyIndex Model::body(std::string_view name) const {
  return find_by_name(data_.bodies, kGround, "body", name, [](const BodyInfo& info) { return info.name; });
}

PointIndex Model::point(std::string_view name) const {
  return find_by_name(data_.points, PointIndex(0), "point", name,
                      [](const PointInfo& info) { return info.name; });
}

BodyIndex Model::body_of_joint(std::string_view joint_name) const {
  return find_by_name(data_.bodies, BodyIndex(1), "joint", joint_name,
                      [](const BodyInfo& info) { return info.joint_name; });
}

BodyIndex Model::body_of_speed(int speed) const {
  for (BodyIndex b{1}; b.value() < data_.bodies.size(); ++b) {
    const BodyInfo& info = data_.bodies[b];
    if (speed >= info.u_start && speed < info.u_start + info.nu) return b;
  }
  throw InputError(fmt::format("there is no speed {}: the model has {}", speed, data_.nu));
}

template <class T>
void Model::calc_force_expressions(const Properties<T>& properties, const State<T>& state,
                                   std::span<T> inputs, std::span<T> scratch, std::span<T> values) const {
  auto next = inputs.begin();
  *next++ = state.t;
  next = std::copy(properties.parameters.begin(), properties.parameters.end(), next);
  next = std::copy(state.q.begin(), state.q.end(), next);
  std::copy(state.u.begin(), state.u.end(), next);
  data_.force_tape.evaluate<T>(inputs, values, scratch);
}

std::string Model::explain_force_expression(int expression, const Properties<double>& properties,
                                            const State<double>& state) const {
  std::vector<Binding> bindings;
  const auto bind = [&](const std::string& name, double value) {
    // A symbol that no expression uses is not in the graph and needs no value.
    const Expr symbol = data_.graph->find_symbol(name);
    if (symbol.is_valid()) bindings.emplace_back(symbol, value);
  };
  bind("t", state.t);
  for (std::size_t i = 0; i < data_.parameters.size(); ++i)
    bind(data_.parameters[i].name, properties.parameters[i]);
  for (std::size_t i = 0; i < state.q.size(); ++i) bind(data_.q_names[i], state.q[i]);
  for (std::size_t i = 0; i < state.u.size(); ++i) bind(data_.u_names[i], state.u[i]);
  const auto i = static_cast<std::size_t>(expression);
  const auto reason = find_non_finite(*data_.graph, data_.force_expressions[i], bindings);
  return fmt::format("the value of force {} is not finite: {}",
                     data_.forces[data_.force_of_expression[i]].name,
                     reason ? reason->message : "it overflows");
}

#define SESTINA_INSTANTIATE(T)                                                                     \
  template void Model::calc_force_expressions(const Properties<T>&, const State<T>&, std::span<T>, \
                                              std::span<T>, std::span<T>) const;
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)

}  // namespace sestina
