#include "sestina/derivation/equation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "sestina/base/error.h"
#include "sestina/derivation/equation_json.h"
#include "sestina/derivation/latex_page.h"
#include "sestina/derivation/latex_parts.h"
#include "sestina/derivation/linearization_text.h"
#include "sestina/expression/source_code.h"
#include "sestina/symbolic/shared_parts.h"
#include "sestina/symbolic/simplify.h"

namespace sestina {

using symbolic::Matrix;

namespace {

// A matrix of the equations other than M and f.
struct NamedMatrix {
  const char* symbol;   // "C"
  const char* heading;  // title of its section
  const char* latex;
};

class EquationWriter {
 public:
  EquationWriter(const Model& model, const ModelEquations& equations, std::string_view name,
                 bool is_simplified, const EmbeddedEquations* embedded)
      : model_(model),
        equations_(equations),
        mechanics_(equations.mechanics()),
        name_(on_one_line(std::string(name))),
        is_simplified_(is_simplified),
        embedded_(embedded) {
    if (embedded != nullptr) {
      others_ = {{"A", "rates of the dependent speeds by those of the independent ones", "\\mathbf{A}"},
                 {"s", "rates of the dependent speeds: rest", "\\mathbf{s}"}};
    } else if (!equations.conditions().empty()) {
      others_ = {{"C", "matrix of the conditions", "\\mathbf{C}"}, {"b", "conditions: rest", "\\mathbf{b}"}};
    }
  }

  std::string text() {
    share();
    std::string text = fmt::format("{}: {} by {} method\n\ncoordinates\n", name_, form(), method_in_words());
    for (std::size_t i = 0; i < equations_.q().size(); ++i) {
      const std::string rate = to_text(mechanics_.rate(equations_.q()[i]));
      text += fmt::format("  {} = {}\n", rate, to_text(equations_.coordinate_rates()[i]));
    }
    add_speeds(text);
    for (std::size_t i = 0; i < equations_.conditions().size(); ++i) {
      const SymbolicCondition& condition = equations_.conditions()[i];
      text += fmt::format("{}  {}  {}: 0 = {}\n", i == 0 ? "\nconditions, their multipliers\n" : "", i + 1,
                          embedded_ == nullptr ? to_text(equations_.multipliers()[i]) + "  " + condition.name
                                               : condition.name,
                          to_text(condition.zero));
    }
    if (!definitions_.empty()) text += "\nshared parts\n";
    for (const auto& [symbol, value] : definitions_) {
      text += fmt::format("  {} = {}\n", to_text(symbol), to_text(value));
    }
    const Matrix &M = matrices_[0], &f = matrices_[1];
    text += "\nmass matrix; elements that are not listed are zero\n";
    for (std::size_t i = 0; i < M.rows(); ++i) {
      for (std::size_t j = i; j < M.columns(); ++j) {
        if (M(i, j).is_zero()) continue;
        const std::string mirror = i == j ? "" : fmt::format(" = M({}, {})", j + 1, i + 1);
        text += fmt::format("  M({}, {}){} = {}\n", i + 1, j + 1, mirror, to_text(M(i, j)));
      }
    }
    text += "\nforcing\n";
    for (std::size_t i = 0; i < f.rows(); ++i) text += fmt::format("  f({}) = {}\n", i + 1, to_text(f[i]));
    for (std::size_t k = 0; k < others_.size(); ++k) add_matrix(text, others_[k], matrices_[k + 2]);
    return text;
  }

  std::string latex(const LatexPage& page) {
    LatexWriter writer(name_, fmt::format("equations of motion by {} method", method_in_words()), page);
    std::vector<Matrix> all = {equations_.coordinate_rates()};
    for (const Matrix& matrix : simplified()) all.push_back(matrix);
    std::vector<Expression> zeros;
    for (const SymbolicCondition& condition : equations_.conditions()) zeros.push_back(condition.zero);
    all.emplace_back(zeros);
    const symbolic::SharedParts parts = name_latex_parts(mechanics_, all, page.line_width());
    writer.section("Coordinates", "The speeds give the rates of the coordinates:");
    writer.equations(latex_definitions(mechanics_, pairs_of(rates_of(equations_.q()), parts.matrices[0])));
    const std::vector<Expression> speeds = speeds_of_equations();
    const LatexMatrix M(mechanics_, parts.matrices[1], "\\mathbf{M}"),
        f(mechanics_, parts.matrices[2], "\\mathbf{f}"), u(mechanics_, Matrix(speeds), "\\mathbf{u}"),
        udot(mechanics_, rates_of(speeds), "\\dot{\\mathbf{u}}");
    write_system(writer, M, udot, f, u);
    if (!others_.empty()) write_conditions(writer, parts);
    if (!parts.definitions.empty()) {
      writer.section("Abbreviations", "In these equations,");
      writer.equations(latex_definitions(mechanics_, parts.definitions));
    }
    add_parameters(writer, model_, equations_);
    return writer.finish();
  }

  std::string source(Language language) {
    Graph& graph = mechanics_.graph();
    std::vector<Expr> outputs, inputs = {mechanics_.time().in(graph)};
    std::string in = "t", out;
    const auto add = [&](const std::vector<Expression>& from, std::vector<Expr>& to) {
      for (const Expression& e : from) to.push_back(e.in(graph));
    };
    add(equations_.q(), inputs);
    add(equations_.u(), inputs);
    add(equations_.parameters(), inputs);
    add(equations_.coordinate_rates().elements(), outputs);
    for (const Expression& e : equations_.q()) out += (out.empty() ? "" : " ") + to_text(mechanics_.rate(e));
    const bool has_multipliers = embedded_ == nullptr && !others_.empty();
    if (has_multipliers) {
      for (const Matrix* matrix : {&equations_.mass_matrix(), &equations_.forcing(),
                                   &equations_.condition_matrix(), &equations_.condition_bias()}) {
        add(matrix->elements(), outputs);
      }
      out += " M f C b, matrices row by row: M udot = f + C^T lambda, C udot = -b";
    } else {
      add(embedded_ != nullptr ? embedded_accelerations() : equations_.solve_accelerations().elements(),
          outputs);
      for (const Expression& e : equations_.u()) out += " " + to_text(mechanics_.rate(e));
    }
    for (std::size_t i = 1; i < inputs.size(); ++i) in += " " + graph.name_of(inputs[i]);
    const std::string comment = language == Language::kPython ? "#" : "//";
    std::string text =
        fmt::format("{0} {1}: {2}\n{0} in:  {3}\n{0} out: {4}\n", comment, name_,
                    has_multipliers ? "equations of motion" : "rates of coordinates and speeds", in, out);
    for (const ParameterInfo& parameter : model_.parameters()) {
      text += fmt::format("{} {} = {} in the model\n", comment, parameter.name, parameter.value);
    }
    return text +
           to_source(graph, has_multipliers ? "calc_equations" : "calc_rates", outputs, inputs, language);
  }

  std::string json() {
    share();
    return write_json(model_, equations_, name_, {definitions_, matrices_}, embedded_);
  }

 private:
  const char* method_in_words() const {
    return equations_.method() == DerivationMethod::kKane ? "Kane's" : "Lagrange's";
  }
  const char* form() const {
    if (embedded_ != nullptr) return "M udot_i = f, udot_d = A udot_i + s,";
    return others_.empty() ? "M udot = f" : "M udot = f + C^T lambda, C udot = -b,";
  }

  void add_speeds(std::string& text) const {
    if (embedded_ == nullptr) {
      text += "\nspeeds\n";
      for (std::size_t i = 0; i < equations_.u().size(); ++i) {
        text += fmt::format("  {}  {}\n", i + 1, to_text(equations_.u()[i]));
      }
      return;
    }
    for (const bool is_dependent : {false, true}) {
      text += is_dependent ? "\ndependent speeds\n" : "\nindependent speeds\n";
      const auto& places = is_dependent ? embedded_->dependent : embedded_->independent;
      for (std::size_t i = 0; i < places.size(); ++i) {
        text += fmt::format("  {}  {}\n", i + 1, to_text(equations_.u()[places[i]]));
      }
    }
  }

  // Lists the elements that are not zero; a column has one index.
  static void add_matrix(std::string& text, const NamedMatrix& named, const Matrix& matrix) {
    text += fmt::format("\n{}; elements that are not listed are zero\n", named.heading);
    for (std::size_t i = 0; i < matrix.rows(); ++i) {
      for (std::size_t j = 0; j < matrix.columns(); ++j) {
        if (matrix(i, j).is_zero()) continue;
        const std::string place =
            matrix.columns() == 1 ? fmt::format("{}", i + 1) : fmt::format("{}, {}", i + 1, j + 1);
        text += fmt::format("  {}({}) = {}\n", named.symbol, place, to_text(matrix(i, j)));
      }
    }
  }

  Matrix rates_of(const std::vector<Expression>& of) const {
    Matrix rates(of.size(), 1);
    for (std::size_t i = 0; i < of.size(); ++i) rates[i] = mechanics_.rate(of[i]);
    return rates;
  }

  std::vector<Expression> speeds_of_equations() const {
    if (embedded_ == nullptr) return equations_.u();
    std::vector<Expression> speeds;
    for (const std::size_t j : embedded_->independent) speeds.push_back(equations_.u()[j]);
    return speeds;
  }

  // The accelerations of all speeds, in their order.
  std::vector<Expression> embedded_accelerations() const {
    std::vector<Expression> all(equations_.u().size());
    const Matrix independent =
        solve_linear(mechanics_, embedded_->mass_matrix, embedded_->forcing,
                     {"the equations of motion", rates_of(speeds_of_equations()).elements()});
    const Matrix dependent = embedded_->A * independent + embedded_->s;
    for (std::size_t i = 0; i < embedded_->independent.size(); ++i) {
      all[embedded_->independent[i]] = independent[i];
    }
    for (std::size_t i = 0; i < embedded_->dependent.size(); ++i) all[embedded_->dependent[i]] = dependent[i];
    return all;
  }

  // M udot = f as a whole, or, if it is too wide for the page, by its elements.
  void write_system(LatexWriter& writer, const LatexMatrix& M, const LatexMatrix& udot, const LatexMatrix& f,
                    const LatexMatrix& u) const {
    const bool has_multipliers = embedded_ == nullptr && !others_.empty();
    const std::string rest = has_multipliers ? " + \\mathbf{C}^{T} \\boldsymbol{\\lambda}" : "";
    const std::string with_M = M.text() + " " + udot.text() + " = ";
    const bool M_fits = M.is_low() && writer.fits(with_M + f.symbol() + rest);
    const bool f_fits =
        f.is_low() && writer.fits((M_fits ? with_M : M.symbol() + udot.text() + " = ") + f.text() + rest);
    writer.section("Equations of motion",
                   embedded_ == nullptr ? "For the speeds," : "For the independent speeds,");
    if (M_fits || f_fits) {
      writer.display((M_fits ? with_M : M.symbol() + " " + udot.text() + " = ") +
                     (f_fits ? f.text() : f.symbol()) + rest);
    } else {
      writer.display(fmt::format("{} \\, {} = {}{}", M.symbol(), udot.symbol(), f.symbol(), rest));
      writer.equations({u.list()});
    }
    if (!M_fits) {
      writer.section("Mass matrix", "It is symmetric; elements that are not listed are zero.");
      writer.equations(M.elements(true));
    }
    if (!f_fits) {
      const std::vector<LatexEquation> elements = f.elements();
      const bool is_whole = elements.size() == u.size();
      writer.section("Forces", is_whole ? "Their elements are" : "Elements that are not listed are zero.");
      writer.equations(elements);
    }
  }

  // The conditions, and the matrices that go with them.
  void write_conditions(LatexWriter& writer, const symbolic::SharedParts& parts) const {
    const Matrix& zeros = parts.matrices.back();
    writer.section("Conditions", "Loops are closed and constraints hold where");
    writer.equations(latex_definitions(mechanics_, pairs_of(Matrix(zeros.rows(), 1), zeros)));
    if (embedded_ == nullptr) {
      writer.section("Rates of the conditions", "They change by");
      writer.display("\\mathbf{C} \\, \\dot{\\mathbf{u}} = -\\mathbf{b}");
    } else {
      std::vector<Expression> speeds;
      for (const std::size_t j : embedded_->dependent) speeds.push_back(equations_.u()[j]);
      writer.section("Dependent speeds", "Their rates follow from those of the independent ones:");
      writer.display("\\dot{\\mathbf{u}}_d = \\mathbf{A} \\, \\dot{\\mathbf{u}} + \\mathbf{s}");
      writer.equations({LatexMatrix(mechanics_, Matrix(speeds), "\\mathbf{u}_d").list()});
    }
    for (std::size_t k = 0; k < others_.size(); ++k) {
      writer.equations(LatexMatrix(mechanics_, parts.matrices[3 + k], others_[k].latex).elements());
    }
  }

  static std::vector<std::pair<Expression, Expression>> pairs_of(const Matrix& left, const Matrix& right) {
    std::vector<std::pair<Expression, Expression>> pairs;
    for (std::size_t i = 0; i < left.rows(); ++i) pairs.emplace_back(left[i], right[i]);
    return pairs;
  }

  // M, f and the others.
  std::vector<Matrix> simplified() const {
    std::vector<Matrix> all;
    if (embedded_ != nullptr) {
      all = {embedded_->mass_matrix, embedded_->forcing, embedded_->A, embedded_->s};
    } else {
      all = {equations_.mass_matrix(), equations_.forcing()};
      if (!others_.empty()) {
        all.push_back(equations_.condition_matrix());
        all.push_back(equations_.condition_bias());
      }
    }
    if (is_simplified_) {
      for (Matrix& matrix : all) matrix = simplify(mechanics_, matrix);
    }
    return all;
  }

  // Names shared parts if the expressions would be long otherwise.
  void share() {
    matrices_ = simplified();
    if (written_size(mechanics_, matrices_) <= kMostWrittenOut) return;
    symbolic::SharedParts shared = share_parts(mechanics_, matrices_, kLeastShared);
    definitions_ = std::move(shared.definitions);
    matrices_ = std::move(shared.matrices);
  }

  const Model& model_;
  const ModelEquations& equations_;
  symbolic::Mechanics& mechanics_;
  std::string name_;
  bool is_simplified_;
  const EmbeddedEquations* embedded_;
  std::vector<NamedMatrix> others_;
  std::vector<std::pair<Expression, Expression>> definitions_;
  std::vector<Matrix> matrices_;  // M, f, then the others
};

}  // namespace

double LatexPage::line_width() const {
  constexpr double kOfArticle = 345.0, kOfDocument = 430.0;
  return width > 0.0 ? width : is_document ? kOfDocument : kOfArticle;
}

std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
  }
  return text;
}

namespace {

// Checks the format: a table has no source code.
void check_format(const Model& model, EquationFormat format, const LatexPage& page) {
  if (page.is_document && format != EquationFormat::kLatex) {
    throw InputError("document: only of format latex can one be made");
  }
  if (page.width != 0.0 && !(page.width >= kLeastLatexWidth)) {
    throw InputError(fmt::format("width: {} points are less than {}", page.width, kLeastLatexWidth));
  }
  if (format != EquationFormat::kPython && format != EquationFormat::kC && format != EquationFormat::kCpp)
    return;
  const Graph& graph = model.graph();
  const auto check = [&](ForceIndex force, int first, std::size_t count) {
    const std::span all(model.force_expressions());
    const auto nodes = graph.reachable(all.subspan(static_cast<std::size_t>(first), count));
    if (std::none_of(nodes.begin(), nodes.end(), [&](Expr e) { return graph.op(e) == Op::kTable; })) return;
    throw InputError(
        fmt::format("force {}: its table cannot be written as source code; allowed: text, latex, json",
                    model.forces()[force].name));
  };
  for (const JointForcePlan& p : model.plan().joint_forces) check(p.index, p.expression, 1);
  for (const PointForcePlan& p : model.plan().point_forces) check(p.index, p.expression, 3);
}

}  // namespace

namespace {

template <class Writer>
std::string write(Writer&& writer, EquationFormat format, const LatexPage& page) {
  switch (format) {
    case EquationFormat::kText:
      return writer.text();
    case EquationFormat::kLatex:
      return writer.latex(page);
    case EquationFormat::kPython:
      return writer.source(Language::kPython);
    case EquationFormat::kC:
      return writer.source(Language::kC);
    case EquationFormat::kCpp:
      return writer.source(Language::kCpp);
    case EquationFormat::kJson:
      return writer.json();
  }
  __builtin_unreachable();
}

}  // namespace

std::string write_equations(const Model& model, const ModelEquations& equations, std::string_view name,
                            EquationFormat format, bool is_simplified, const LatexPage& page,
                            const EmbeddedEquations* embedded) {
  check_format(model, format, page);
  return write(EquationWriter(model, equations, name, is_simplified, embedded), format, page);
}

std::string write_linearization(const Model& model, const ModelEquations& equations,
                                const ModelLinearization& linearization, std::string_view name,
                                EquationFormat format, bool is_simplified, const LatexPage& page) {
  check_format(model, format, page);
  return write(
      LinearizationWriter(model, equations, linearization, on_one_line(std::string(name)), is_simplified),
      format, page);
}

}  // namespace sestina
