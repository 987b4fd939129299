// The numbers of a particle model: expressions of the parameters, evaluated as they are read.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>

#include "sestina/expression/graph.h"
#include "sestina/io/model_file_reader.h"

namespace sestina {

class ParticleNumbers {
 public:
  // Reads the parameters of the model.
  ParticleNumbers(ReadContext& context, const YamlNode& root);

  // Returns the value of a number; returns nothing and adds a fault if it has none.
  std::optional<double> evaluate(const Number& number, const NodePath& path);

  // These leave `out` unchanged if the key is absent or has a fault.
  void read(const MapReader& map, std::string_view key, double& out);
  void read(const MapReader& map, std::string_view key, int& out);  // a whole number
  void read(const MapReader& map, std::string_view key, std::array<double, 3>& out);
  bool read_numbers(const YamlNode& node, const NodePath& path, std::size_t count, std::vector<double>& out);

 private:
  std::variant<Expr, std::string> resolve(std::string_view name);

  ReadContext& context_;
  Graph graph_;
  struct Parameter {
    Number value;
    bool is_open = false;  // being evaluated
    std::optional<double> known;
  };
  std::map<std::string, Parameter, std::less<>> parameters_;
};

}  // namespace sestina
