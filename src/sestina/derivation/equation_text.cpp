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

class EquationWriter {
 public:
  EquationWriter(const Model& model, const ModelEquations& equations, std::string_view name,
                 bool is_simplified)
      : model_(model),
        equations_(equations),
        mechanics_(equations.mechanics()),
        name_(on_one_line(std::string(name))),
        is_simplified_(is_simplified) {}

  std::string text() {
    share();
    std::string text = fmt::format("{}: M udot = f by {} method\n\ncoordinates\n", name_, method_in_words());
    for (std::size_t i = 0; i < equations_.q().size(); ++i) {
      const std::string rate = to_text(mechanics_.rate(equations_.q()[i]));
      text += fmt::format("  {} = {}\n", rate, to_text(equations_.coordinate_rates()[i]));
    }
    text += "\nspeeds\n";
    for (std::size_t i = 0; i < equations_.u().size(); ++i) {
      text += fmt::format("  {}  {}\n", i + 1, to_text(equations_.u()[i]));
    }
    if (!definitions_.empty()) text += "\nshared parts\n";
    for (const auto& [symbol, value] : definitions_) {
      text += fmt::format("  {} = {}\n", to_text(symbol), to_text(value));
    }
    text += "\nmass matrix; elements that are not listed are zero\n";
    for (std::size_t i = 0; i < M_.rows(); ++i) {
      for (std::size_t j = i; j < M_.columns(); ++j) {
        if (M_(i, j).is_zero()) continue;
        const std::string mirror = i == j ? "" : fmt::format(" = M({}, {})", j + 1, i + 1);
        text += fmt::format("  M({}, {}){} = {}\n", i + 1, j + 1, mirror, to_text(M_(i, j)));
      }
    }
    text += "\nforcing\n";
    for (std::size_t i = 0; i < f_.rows(); ++i) text += fmt::format("  f({}) = {}\n", i + 1, to_text(f_[i]));
    return text;
  }

  std::string latex(const LatexPage& page) {
    LatexWriter writer(name_, fmt::format("equations of motion by {} method", method_in_words()), page);
    std::vector<Matrix> all = {equations_.coordinate_rates()};
    for (const Matrix& matrix : simplified()) all.push_back(matrix);
    const symbolic::SharedParts parts = name_latex_parts(mechanics_, all, page.line_width());
    Matrix rates(equations_.u().size(), 1), coordinate_rates(equations_.q().size(), 1);
    for (std::size_t i = 0; i < rates.rows(); ++i) rates[i] = mechanics_.rate(equations_.u()[i]);
    for (std::size_t i = 0; i < coordinate_rates.rows(); ++i) {
      coordinate_rates[i] = mechanics_.rate(equations_.q()[i]);
    }
    writer.section("Coordinates", "The speeds give the rates of the coordinates:");
    writer.equations(latex_definitions(mechanics_, pairs_of(coordinate_rates, parts.matrices[0])));
    const LatexMatrix M(mechanics_, parts.matrices[1], "\\mathbf{M}"),
        f(mechanics_, parts.matrices[2], "\\mathbf{f}"), u(mechanics_, Matrix(equations_.u()), "\\mathbf{u}"),
        udot(mechanics_, rates, "\\dot{\\mathbf{u}}");
    write_system(writer, M, udot, f, u);
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
    add(equations_.solve_accelerations().elements(), outputs);
    for (std::size_t i = 1; i < inputs.size(); ++i) in += " " + graph.name_of(inputs[i]);
    for (const auto* symbols : {&equations_.q(), &equations_.u()}) {
      for (const Expression& e : *symbols) out += (out.empty() ? "" : " ") + to_text(mechanics_.rate(e));
    }
    const std::string comment = language == Language::kPython ? "#" : "//";
    std::string text = fmt::format("{0} {1}: rates of coordinates and speeds\n{0} in:  {2}\n{0} out: {3}\n",
                                   comment, name_, in, out);
    for (const ParameterInfo& parameter : model_.parameters()) {
      text += fmt::format("{} {} = {} in the model\n", comment, parameter.name, parameter.value);
    }
    return text + to_source(graph, "calc_rates", outputs, inputs, language);
  }

  std::string json() {
    share();
    return write_json(model_, equations_, name_, {definitions_, {M_, f_}});
  }

 private:
  const char* method_in_words() const {
    return equations_.method() == DerivationMethod::kKane ? "Kane's" : "Lagrange's";
  }
  // M udot = f whole, or what is too wide for the page by its elements.
  static void write_system(LatexWriter& writer, const LatexMatrix& M, const LatexMatrix& udot,
                           const LatexMatrix& f, const LatexMatrix& u) {
    const std::string with_M = M.text() + " " + udot.text() + " = ";
    const bool M_fits = M.is_low() && writer.fits(with_M + f.symbol());
    const bool f_fits =
        f.is_low() && writer.fits((M_fits ? with_M : M.symbol() + udot.text() + " = ") + f.text());
    writer.section("Equations of motion", "For the speeds,");
    if (M_fits || f_fits) {
      writer.display((M_fits ? with_M : M.symbol() + " " + udot.text() + " = ") +
                     (f_fits ? f.text() : f.symbol()));
    } else {
      writer.display(fmt::format("{} \\, {} = {}", M.symbol(), udot.symbol(), f.symbol()));
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

  static std::vector<std::pair<Expression, Expression>> pairs_of(const Matrix& left, const Matrix& right) {
    std::vector<std::pair<Expression, Expression>> pairs;
    for (std::size_t i = 0; i < left.rows(); ++i) pairs.emplace_back(left[i], right[i]);
    return pairs;
  }

  // M and f.
  std::vector<Matrix> simplified() const {
    std::vector<Matrix> both = {equations_.mass_matrix(), equations_.forcing()};
    if (is_simplified_) {
      for (Matrix& matrix : both) matrix = simplify(mechanics_, matrix);
    }
    return both;
  }

  // With names for what is shared, where everything written out would be long.
  void share() {
    std::vector<Matrix> both = simplified();
    if (written_size(mechanics_, both) > kMostWrittenOut) {
      symbolic::SharedParts shared = share_parts(mechanics_, both, kLeastShared);
      definitions_ = std::move(shared.definitions);
      both = std::move(shared.matrices);
    }
    M_ = std::move(both[0]);
    f_ = std::move(both[1]);
  }

  const Model& model_;
  const ModelEquations& equations_;
  symbolic::Mechanics& mechanics_;
  std::string name_;
  bool is_simplified_;
  std::vector<std::pair<Expression, Expression>> definitions_;
  Matrix M_, f_;
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

// A table has no source code.
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
                            EquationFormat format, bool is_simplified, const LatexPage& page) {
  check_format(model, format, page);
  return write(EquationWriter(model, equations, name, is_simplified), format, page);
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
