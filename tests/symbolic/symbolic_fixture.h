// The common fixture of tests of derivations: identity of expressions, and their values at given states.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "sestina/expression/parse.h"
#include "sestina/expression/tape.h"
#include "sestina/symbolic/frame.h"
#include "sestina/symbolic/kane.h"
#include "sestina/symbolic/matrix.h"
#include "sestina/symbolic/mechanics.h"
#include "sestina/symbolic/point.h"

namespace sestina::symbolic::test {

class SymbolicTest : public testing::Test {
 protected:
  // The same function, however written.
  testing::AssertionResult same(const Expression& a, const Expression& b) {
    if (mechanics.identities().are_equal(a.in(mechanics.graph()), b.in(mechanics.graph()))) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << to_text(a) << "\nis not\n" << to_text(b);
  }

  testing::AssertionResult same(const Vector& a, const Vector& b, const ReferenceFrame& frame) {
    for (const Expression& component : (a - b).to_matrix(frame)) {
      if (!mechanics.identities().is_zero(component.in(mechanics.graph()))) {
        return testing::AssertionFailure() << a.to_text() << "\nis not\n" << b.to_text();
      }
    }
    return testing::AssertionSuccess();
  }

  // The values of all elements; symbols that have none in the map are an error.
  std::vector<double> evaluate(const Matrix& matrix, const std::map<std::string, double>& values) {
    Graph& graph = mechanics.graph();
    std::vector<Expr> outputs, inputs;
    std::vector<double> numbers;
    for (const Expression& e : matrix.elements()) outputs.push_back(e.in(graph));
    for (const auto& [name, value] : values) {
      inputs.push_back(graph.symbol(name));
      numbers.push_back(value);
    }
    const Tape tape(graph, outputs, inputs);
    std::vector<double> results(outputs.size()), scratch(tape.scratch_size());
    tape.evaluate<double>(numbers, results, scratch);
    return results;
  }

  // The solution of A x = b at the given values.
  std::vector<double> solve_at(const Matrix& A, const Matrix& b,
                               const std::map<std::string, double>& values) {
    const auto numbers = [&](const Matrix& matrix) {
      Matrix result = matrix;
      const std::vector<double> elements = evaluate(matrix, values);
      for (std::size_t i = 0; i < elements.size(); ++i) result[i] = elements[i];
      return result;
    };
    return evaluate(solve_linear(mechanics, numbers(A), numbers(b), "the equations"), {});
  }

  // The state with those dependent coordinates, near the ones it has, and dependent speeds that meet the
  // constraints.
  std::map<std::string, double> complete(const KanesMethod& kane, std::map<std::string, double> state) {
    const std::vector<Expression>&q = kane.options().q_dependent, &u = kane.options().u_dependent;
    const Matrix gaps(kane.options().configuration_constraints);
    const Matrix slopes = jacobian(mechanics, gaps, q);
    double change = 1.0;
    for (int k = 0; k < 20 && change > 1e-15 && !q.empty(); ++k) {
      const std::vector<double> step = solve_at(slopes, gaps, state);
      change = 0.0;
      for (std::size_t i = 0; i < q.size(); ++i) {
        state.at(to_text(q[i])) -= step[i];
        change = std::max(change, std::abs(step[i]));
      }
    }
    EXPECT_TRUE(q.empty() || change < 1e-12) << change;
    for (const Expression& speed : u) state[to_text(speed)] = 0.0;
    if (u.empty()) return state;
    const Matrix& K = kane.velocity_constraint_matrix();
    const Matrix slips = K * Matrix(kane.u()) + kane.velocity_constraint_rest();
    const Matrix of_dependent = K.block(0, kane.u().size() - u.size(), K.rows(), u.size());
    const std::vector<double> speeds = solve_at(of_dependent, -slips, state);
    for (std::size_t i = 0; i < u.size(); ++i) state[to_text(u[i])] = speeds[i];
    return state;
  }

  Mechanics mechanics;
};

}  // namespace sestina::symbolic::test
