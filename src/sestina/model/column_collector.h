// Collects the columns that a System defines (output.columns) in OutputColumns.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "sestina/model/number_collector.h"
#include "sestina/model/output_columns.h"
#include "sestina/model/system.h"

namespace sestina {

// Returns the fault of a column name with one or more parts separated by dots, or nothing.
std::string find_fault_of_column_name(const std::string& name);

class ColumnCollector {
 public:
  // Lookup of names other than columns.
  struct Lookup {
    using Found = std::variant<Expr, std::string>;  // or the fault

    std::function<PointIndex(const std::string& name)> find_point;  // BODY.POINT; invalid: none
    std::function<Found(const std::string& name)> find_coordinate;  // JOINT.q[0] for one coordinate
    std::function<std::optional<Found>(const std::string& name)> find_force_value;  // FORCE.value
    std::function<bool(const std::string& name)> is_joint;
    std::function<bool(const std::string& name)> is_left_out;  // a joint with its own fault
  };
  // `data` has its bodies, coordinates, variables and events. All references must outlive this object.
  ColumnCollector(Graph& graph, FaultList& faults, NumberCollector& numbers, const ModelData& data,
                  Lookup lookup);
  ~ColumnCollector();
  ColumnCollector(const ColumnCollector&) = delete;
  ColumnCollector& operator=(const ColumnCollector&) = delete;

  // Returns the expressions of the columns, without the tapes. Faults: syntax, unknown names, names that are
  // taken, circles, rates that no integral can have.
  std::shared_ptr<OutputColumns> collect(const std::vector<ColumnSpec>& specs);
  // Makes the tapes, if no column has a fault.
  static void compile(const Graph& graph, OutputColumns& columns);

 private:
  struct Draft;

  void fail(const Draft& draft, std::string message);
  void check(const Draft& draft);
  void parse(Draft& draft);
  std::variant<Expr, std::string> resolve(Draft& draft, const std::string& name);
  Expr find_point(const std::string& name);
  std::string explain_unknown(const std::string& name) const;
  void put_in_order();
  void report_circles();
  void check_rate(const Draft& draft);
  void list_inputs();

  Graph& graph_;
  FaultList& faults_;
  NumberCollector& numbers_;
  const ModelData& data_;
  Lookup lookup_;
  std::vector<RowColumn> row_;  // with the reactions
  std::unordered_map<std::string, int> place_in_row_;
  int reactions_ = 0;  // index in the row
  std::vector<Draft> drafts_;
  std::unordered_map<std::string, std::size_t> draft_of_name_;
  std::vector<Expr> point_symbols_;  // (3 points)
  std::shared_ptr<OutputColumns> columns_;
};

}  // namespace sestina
