#include "sestina/derivation/equation_json.h"

#include <fmt/format.h>

#include <cmath>

namespace sestina {
namespace {

using symbolic::Matrix;

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

// JSON has no infinite numbers.
std::string number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }
std::string expression(const Expression& e) { return quoted(to_text(e)); }

template <class Items, class Write>
std::string list(const Items& items, std::string_view separator, Write write) {
  std::string text = "[";
  for (std::size_t i = 0; i < items.size(); ++i) {
    text += (i > 0 ? std::string(separator) : std::string()) + write(items[i]);
  }
  return text + "]";
}

std::string matrix_text(const Matrix& matrix) {
  std::vector<std::vector<Expression>> rows(matrix.rows());
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.columns(); ++j) rows[i].push_back(matrix(i, j));
  }
  return list(rows, ",\n    ", [](const auto& row) { return list(row, ", ", expression); });
}

// Writes the keys at the beginning of both kinds.
std::string begin(const Model& model, const ModelEquations& equations, const std::string& name,
                  const char* content) {
  const char* method = equations.method() == DerivationMethod::kKane ? "kane" : "lagrange";
  std::string text =
      fmt::format("{{\n  \"sestina\": 1,\n  \"content\": \"{}\",\n  \"name\": {},\n  \"method\": \"{}\",\n",
                  content, quoted(name), method);
  const auto parameters = parameter_values(model, equations);
  text +=
      "  \"parameters\": " + list(parameters, ", ", [](const auto& pair) {
        return fmt::format("{{\"symbol\": {}, \"value\": {}}}", expression(pair.first), number(pair.second));
      });
  const auto symbols = [&](const char* key, const std::vector<Expression>& all,
                           const std::vector<std::string>& names) {
    std::vector<std::size_t> places(all.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    text += fmt::format(",\n  \"{}\": ", key) + list(places, ", ", [&](std::size_t i) {
              return fmt::format("{{\"symbol\": {}, \"name\": {}}}", expression(all[i]), quoted(names[i]));
            });
  };
  symbols("coordinates", equations.q(), model.q_names());
  symbols("speeds", equations.u(), model.u_names());
  return text;
}

std::string shared_text(const symbolic::SharedParts& parts) {
  return ",\n  \"shared\": " + list(parts.definitions, ",\n    ", [](const auto& pair) {
           return fmt::format("{{\"symbol\": {}, \"value\": {}}}", expression(pair.first),
                              expression(pair.second));
         });
}

}  // namespace

std::string write_json(const Model& model, const ModelEquations& equations, const std::string& name,
                       const symbolic::SharedParts& parts, const EmbeddedEquations* embedded) {
  std::string text = begin(model, equations, name, "equations of motion");
  text += ",\n  \"coordinate_rates\": " + list(equations.coordinate_rates().elements(), ", ", expression);
  text += shared_text(parts);
  text += ",\n  \"mass_matrix\": " + matrix_text(parts.matrices[0]);
  text += ",\n  \"forcing\": " + list(parts.matrices[1].elements(), ",\n    ", expression);
  if (!equations.conditions().empty()) {
    text +=
        ",\n  \"conditions\": " + list(equations.conditions(), ",\n    ", [](const auto& condition) {
          return fmt::format("{{\"name\": {}, \"zero\": {}, \"level\": \"{}\"}}", quoted(condition.name),
                             expression(condition.zero), condition.is_on_position ? "position" : "velocity");
        });
  }
  if (parts.matrices.size() > 2) {
    const bool is_embedded = embedded != nullptr;
    const auto places = [](std::size_t place) { return fmt::format("{}", place); };
    if (is_embedded) {
      text += ",\n  \"independent\": " + list(embedded->independent, ", ", places);
      text += ",\n  \"dependent\": " + list(embedded->dependent, ", ", places);
    } else {
      text += ",\n  \"multipliers\": " + list(equations.multipliers(), ", ", expression);
    }
    text += fmt::format(",\n  \"{}\": ", is_embedded ? "A" : "C") + matrix_text(parts.matrices[2]);
    text += fmt::format(",\n  \"{}\": ", is_embedded ? "s" : "b") +
            list(parts.matrices[3].elements(), ",\n    ", expression);
  }
  return text + "\n}\n";
}

std::string write_json(const Model& model, const ModelEquations& equations,
                       const ModelLinearization& linearization, const std::string& name,
                       const symbolic::SharedParts& parts) {
  std::string text = begin(model, equations, name, "linearisation");
  const bool is_sought = linearization.at == LinearizeAt::kEquilibrium;
  text += fmt::format(",\n  \"at\": \"{}\"", is_sought ? "equilibrium" : "initial");
  text += ",\n  \"q\": " + list(linearization.state.q, ", ", number);
  text += ",\n  \"u\": " + list(linearization.state.u, ", ", number);
  text += ",\n  \"largest_acceleration\": " + number(linearization.largest_acceleration);
  text += ",\n  \"states\": " + list(linearization.linear.states, ", ", expression);
  text += ",\n  \"inputs\": " + list(linearization.linear.inputs, ", ", expression);
  text += shared_text(parts);
  text += ",\n  \"A\": " + matrix_text(parts.matrices[0]) + ",\n  \"B\": " + matrix_text(parts.matrices[1]);
  text += ",\n  \"eigenvalues\": " + list(linearization.eigenvalues, ", ", [](std::complex<double> value) {
            return fmt::format("[{}, {}]", number(value.real()), number(value.imag()));
          });
  return text + "\n}\n";
}

}  // namespace sestina
