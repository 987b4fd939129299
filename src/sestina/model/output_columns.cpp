#include "sestina/model/output_columns.h"

#include <fmt/format.h>

#include <cassert>

#include "sestina/expression/evaluate.h"

namespace sestina {
namespace {

constexpr const char* kAxes[] = {"x", "y", "z"};

void add_vector(std::vector<RowColumn>& row, const std::string& name, const char* unit) {
  for (const char* axis : kAxes) row.push_back({name + "." + axis, unit});
}

std::string explain(const Model& model, const StateExpressions& expressions, int number,
                    std::span<const double> inputs) {
  const auto i = static_cast<std::size_t>(number);
  const std::vector<Expr>& symbols = output_columns(model).inputs;
  assert(inputs.size() == symbols.size());
  std::vector<Binding> bindings;
  for (std::size_t k = 0; k < symbols.size(); ++k) bindings.emplace_back(symbols[k], inputs[k]);
  const auto reason = find_non_finite(model.graph(), expressions.exprs[i], bindings);
  if (!reason) return "it overflows";
  const std::string& as_written = expressions.constant_faults[i];
  const bool is_constant = model.graph().has_constant_fault(reason->where);
  return is_constant && !as_written.empty() ? as_written : reason->message;
}

}  // namespace

RowLayout::RowLayout(int nq, int nu, int nd, bool has_events, int bodies, int columns_of_model)
    : q(1),
      u(q + nq),
      d(u + nu),
      event(d + nd),
      origins(event + (has_events ? 1 : 0)),
      energy(origins + 3 * bodies),
      momentum(energy + kEnergies),
      defined(momentum + 6),
      reactions(defined + columns_of_model),
      end(reactions + 6 * bodies) {}

RowLayout row_layout(const Model& model) {
  return {model.nq(),
          model.nu(),
          model.nd(),
          !model.events().empty(),
          model.bodies().size() - 1,
          static_cast<int>(output_columns(model).columns.size())};
}

std::vector<RowColumn> row_columns(const ModelData& data, bool reactions) {
  std::vector<RowColumn> row{{"t", "s"}};
  for (std::size_t i = 0; i < data.q_names.size(); ++i) row.push_back({data.q_names[i], data.q_units[i]});
  for (std::size_t i = 0; i < data.u_names.size(); ++i) row.push_back({data.u_names[i], data.u_units[i]});
  for (const VariableInfo& variable : data.variables) row.push_back({variable.name, "1"});
  if (!data.events.empty()) row.push_back({"event", "1"});
  for (BodyIndex b{1}; b.value() < data.bodies.size(); ++b) {
    add_vector(row, data.bodies[b].name + ".origin", "m");
  }
  for (const char* kind : {"kinetic", "potential", "total", "supplied", "dissipated"}) {
    row.push_back({std::string("energy.") + kind, "J"});
  }
  add_vector(row, "momentum", "kg m/s");
  add_vector(row, "angular_momentum", "kg m^2/s");
  if (data.output_columns) {
    for (const DefinedColumn& column : data.output_columns->columns)
      row.push_back({column.name, column.unit});
  }
  for (BodyIndex b{1}; reactions && b.value() < data.bodies.size(); ++b) {
    add_vector(row, data.bodies[b].joint_name + ".reaction.torque", "N m");
    add_vector(row, data.bodies[b].joint_name + ".reaction.force", "N");
  }
  return row;
}

std::vector<RowColumn> Model::row_columns(bool reactions) const {
  return sestina::row_columns(data_, reactions);
}

const OutputColumns& output_columns(const Model& model) {
  static const OutputColumns none;
  return model.output_columns() ? *model.output_columns() : none;
}

std::string explain_column(const Model& model, int column, std::span<const double> inputs) {
  const OutputColumns& columns = output_columns(model);
  return fmt::format("column {} is not finite: {}", columns.columns[static_cast<std::size_t>(column)].name,
                     explain(model, columns.values, column, inputs));
}

std::string explain_rate(const Model& model, int integral, std::span<const double> inputs) {
  const OutputColumns& columns = output_columns(model);
  const auto column = static_cast<std::size_t>(columns.integrals[static_cast<std::size_t>(integral)]);
  return fmt::format("the rate of column {} is not finite: {}", columns.columns[column].name,
                     explain(model, columns.rates, integral, inputs));
}

}  // namespace sestina
