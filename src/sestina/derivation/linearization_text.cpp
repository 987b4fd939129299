#include "sestina/derivation/linearization_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/derivation/equation_json.h"
#include "sestina/derivation/equation_text.h"
#include "sestina/derivation/latex_page.h"
#include "sestina/derivation/latex_parts.h"
#include "sestina/symbolic/simplify.h"

namespace sestina {
namespace {

using symbolic::Matrix;

// |udot| below this, in the unit of a speed per second, counts as rest.
constexpr double kAtRest = 1e-9;

// Sets real or imaginary parts to zero that are round-off relative to the largest eigenvalue.
std::vector<std::complex<double>> without_rounding(std::vector<std::complex<double>> all) {
  constexpr double kRounding = 1e-14;
  double largest = 0.0;
  for (const std::complex<double> value : all) largest = std::max(largest, std::abs(value));
  const auto part = [&](double x) { return std::abs(x) <= kRounding * largest ? 0.0 : x; };
  for (std::complex<double>& value : all) value = {part(value.real()), part(value.imag())};
  return all;
}

std::string complex_text(std::complex<double> value) {
  if (value.imag() == 0.0) return fmt::format("{:.10g}", value.real());
  return fmt::format("{:.10g} {} {:.10g} i", value.real(), value.imag() < 0 ? "-" : "+",
                     std::abs(value.imag()));
}

// Writes conjugate pairs on one line.
void add_eigenvalues(LatexWriter& writer, const std::vector<std::complex<double>>& all) {
  std::vector<LatexEquation> list;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string real = all[i].real() == 0.0 && all[i].imag() != 0.0 ? "" : latex_number(all[i].real());
    const std::string imaginary = latex_number(std::abs(all[i].imag())) + " \\, \\mathrm{i}";
    if (all[i].imag() == 0.0) {
      list.push_back({fmt::format("\\lambda_{{{}}}", i + 1), real});
    } else if (i + 1 < all.size() && all[i + 1] == std::conj(all[i])) {
      list.push_back({fmt::format("\\lambda_{{{}, {}}}", i + 1, i + 2), real + " \\pm " + imaginary});
      ++i;
    } else {
      const char* const sign = all[i].imag() < 0.0 ? " - " : " + ";
      list.push_back({fmt::format("\\lambda_{{{}}}", i + 1), real + sign + imaginary});
    }
  }
  writer.section("Eigenvalues",
                 "With the parameters as in the model, those of the matrix before $\\mathbf{x}$ are");
  writer.equations(list);
}

std::string list_elements(const char* name, const Matrix& matrix) {
  std::string text;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.columns(); ++j) {
      if (matrix(i, j).is_zero()) continue;
      text += fmt::format("  {}({}, {}) = {}\n", name, i + 1, j + 1, to_text(matrix(i, j)));
    }
  }
  return text;
}

std::string list_names(const std::vector<Expression>& symbols) {
  std::string text;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    text += fmt::format("  {}  {}\n", i + 1, to_text(symbols[i]));
  }
  return text;
}

}  // namespace

LinearizationWriter::LinearizationWriter(const Model& model, const ModelEquations& equations,
                                         const ModelLinearization& linearization, std::string name,
                                         bool is_simplified)
    : model_(model),
      equations_(equations),
      linearization_(linearization),
      name_(std::move(name)),
      A_(linearization.linear.A),
      B_(linearization.linear.B) {
  symbolic::Mechanics& mechanics = equations.mechanics();
  if (is_simplified) {
    for (Matrix* matrix : {&A_, &B_}) *matrix = simplify(mechanics, *matrix);
  }
}

void LinearizationWriter::share() {
  symbolic::Mechanics& mechanics = equations_.mechanics();
  const bool is_long = written_size(mechanics, {A_, B_}) > kMostWrittenOut;
  parts_ = is_long ? share_parts(mechanics, {A_, B_}, kLeastShared) : symbolic::SharedParts{{}, {A_, B_}};
}

std::string LinearizationWriter::state_in_words() const {
  std::string at = linearization_.at == LinearizeAt::kEquilibrium
                       ? "at rest, with the parameters as in the model"
                       : "in the initial state";
  if (linearization_.largest_acceleration < kAtRest) return at;
  return fmt::format("{}; no equilibrium: speeds change by up to {:.6g} per second", at,
                     linearization_.largest_acceleration);
}

std::string LinearizationWriter::parameters_in_words() const {
  std::string text;
  for (const auto& [symbol, value] : parameter_values(model_, equations_)) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", to_text(symbol), value);
  }
  return text.empty() ? "" : " with " + text;
}

std::string LinearizationWriter::symbols_in_words() const {
  const std::size_t n = equations_.parameters().size();
  if (linearization_.values.size() == n) return "";
  std::string names;
  for (std::size_t i = n; i < linearization_.values.size(); ++i) {
    names += (i == n ? "" : ", ") + to_text(linearization_.values[i].first);
  }
  return fmt::format("  symbols in A and B, because at rest they depend on the parameters: {}\n", names);
}

std::string LinearizationWriter::text() {
  share();
  std::string text = fmt::format("{}: d/dt x = A x + B r, linearised {}\n\nstate\n", name_, state_in_words());
  for (std::size_t i = 0; i < equations_.q().size(); ++i) {
    text += fmt::format("  {} = {}\n", to_text(equations_.q()[i]), linearization_.state.q[i]);
  }
  for (std::size_t i = 0; i < equations_.u().size(); ++i) {
    text += fmt::format("  {} = {}\n", to_text(equations_.u()[i]), linearization_.state.u[i]);
  }
  text += symbols_in_words();
  text += "\nx, variations of\n" + list_names(linearization_.linear.states);
  text += "\nr, further forces along the speeds\n" + list_names(linearization_.linear.inputs);
  if (!parts_.definitions.empty()) text += "\nshared parts\n";
  for (const auto& [symbol, value] : parts_.definitions) {
    text += fmt::format("  {} = {}\n", to_text(symbol), to_text(value));
  }
  text += "\nA; elements that are not listed are zero\n" + list_elements("A", parts_.matrices[0]);
  text += "\nB; elements that are not listed are zero\n" + list_elements("B", parts_.matrices[1]);
  text += fmt::format("\neigenvalues of A{}\n", parameters_in_words());
  for (const std::complex<double> value : without_rounding(linearization_.eigenvalues))
    text += "  " + complex_text(value) + "\n";
  return text;
}

// Writes matrices that are too wide for a page element by element.
std::string LinearizationWriter::latex(const LatexPage& page) const {
  symbolic::Mechanics& mechanics = equations_.mechanics();
  LatexWriter writer(name_, "linearised " + state_in_words(), page);
  const symbolic::SharedParts parts = name_latex_parts(mechanics, {A_, B_}, page.line_width());
  const Matrix states(linearization_.linear.states), inputs(linearization_.linear.inputs);
  Matrix rates(states.rows(), 1);
  for (std::size_t i = 0; i < states.rows(); ++i) rates[i] = mechanics.rate(states[i]);
  const LatexMatrix A(mechanics, parts.matrices[0], "\\mathbf{A}"),
      B(mechanics, parts.matrices[1], "\\mathbf{B}"), x(mechanics, states, "\\mathbf{x}"),
      r(mechanics, inputs, "\\mathbf{r}"), xdot(mechanics, rates, "\\dot{\\mathbf{x}}");
  const bool has_symbols = linearization_.values.size() > equations_.parameters().size();
  writer.section("State",
                 has_symbols
                     ? "Coordinates in the matrices are those of rest, which follow from the parameters. "
                       "With the parameters as in the model it is linearised about"
                     : "It is linearised about");
  std::vector<LatexEquation> state = latex_values(mechanics, equations_.q(), linearization_.state.q);
  for (LatexEquation& speed : latex_values(mechanics, equations_.u(), linearization_.state.u)) {
    state.push_back(std::move(speed));
  }
  writer.equations(state);
  writer.section(
      "Equations",
      "For variations $\\mathbf{x}$ of the state and further forces $\\mathbf{r}$ along the speeds,");
  const std::string with_A = fmt::format("{} = {} {}", xdot.text(), A.text(), x.text());
  const std::string with_B = fmt::format(" + {} {}", B.text(), r.text());
  const bool A_fits = A.is_low() && writer.fits(with_A), B_fits = A_fits && writer.fits("\\quad" + with_B);
  if (A_fits && B_fits && writer.fits(with_A + with_B)) {
    writer.display(with_A + with_B);
  } else if (A_fits && B_fits) {
    writer.display(fmt::format("\\begin{{aligned}}\n{} \\\\\n&\\quad{}\n\\end{{aligned}}",
                               fmt::format("{} &= {} {}", xdot.text(), A.text(), x.text()), with_B));
  } else {
    writer.display(fmt::format("{} = {} \\, {} + {} \\, {}", xdot.symbol(), A.symbol(), x.symbol(),
                               B.symbol(), r.symbol()));
    writer.equations({x.list(), r.list()});
    writer.section("Matrices", "Elements that are not listed are zero.");
    writer.equations(A.elements());
    writer.equations(B.elements());
  }
  if (!parts.definitions.empty()) {
    writer.section("Abbreviations", "In these matrices,");
    writer.equations(latex_definitions(mechanics, parts.definitions));
  }
  add_eigenvalues(writer, without_rounding(linearization_.eigenvalues));
  add_parameters(writer, model_, equations_);
  return writer.finish();
}

std::string LinearizationWriter::source(Language language) const {
  Graph& graph = equations_.mechanics().graph();
  std::vector<Expr> outputs, inputs;
  std::string in;
  for (const Matrix* matrix : {&A_, &B_}) {
    for (const Expression& e : matrix->elements()) outputs.push_back(e.in(graph));
  }
  for (const auto& [symbol, value] : linearization_.values) {
    inputs.push_back(symbol.in(graph));
    in += " " + to_text(symbol);
  }
  const std::string comment = language == Language::kPython ? "#" : "//";
  std::string text = fmt::format("{0} {1}: d/dt x = A x + B r, linearised {2}\n{0} in: {3}\n", comment, name_,
                                 state_in_words(), in);
  text += fmt::format("{} out: A ({} x {}), then B ({} x {}), row by row\n{} x:", comment, A_.rows(),
                      A_.columns(), B_.rows(), B_.columns(), comment);
  for (const Expression& e : linearization_.linear.states) text += " " + to_text(e);
  text += fmt::format("\n{} r:", comment);
  for (const Expression& e : linearization_.linear.inputs) text += " " + to_text(e);
  return text + "\n" + to_source(graph, "calc_linearization", outputs, inputs, language);
}

std::string LinearizationWriter::json() {
  share();
  return write_json(model_, equations_, linearization_, name_, parts_);
}

}  // namespace sestina
