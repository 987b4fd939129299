#include "sestina/derivation/equation_text.h"

#include <fmt/format.h>

#include <cctype>

#include "sestina/expression/source_code.h"
#include "sestina/symbolic/latex.h"
#include "sestina/symbolic/shared_parts.h"
#include "sestina/symbolic/simplify.h"

namespace sestina {

using symbolic::Matrix;

namespace {

// A name may be any text; a comment ends with its line.
std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
  }
  return text;
}

constexpr std::size_t kLeastShared = 4;  // operations that are worth a name

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
    std::string text = fmt::format("{}: M udot = f by Kane's method\n\ncoordinates\n", name_);
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
    text += "\nmass matrix; what is not named is zero\n";
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

  // To stand in a document that uses amsmath.
  std::string latex() {
    share();
    std::string text = fmt::format("% {}\n\\begin{{gather*}}\n", name_);
    for (std::size_t i = 0; i < equations_.q().size(); ++i) {
      text += line(latex_of(mechanics_.rate(equations_.q()[i])), latex_of(equations_.coordinate_rates()[i]));
    }
    for (const auto& [symbol, value] : definitions_) text += line(latex_of(symbol), latex_of(value));
    Matrix rates(equations_.u().size(), 1);
    for (std::size_t i = 0; i < rates.rows(); ++i) rates[i] = mechanics_.rate(equations_.u()[i]);
    text += fmt::format("{}\n{}\n=\n{}\n\\end{{gather*}}\n", symbolic::latex(mechanics_, M_),
                        symbolic::latex(mechanics_, rates), symbolic::latex(mechanics_, f_));
    return text;
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

 private:
  static std::string line(const std::string& left, const std::string& right) {
    return left + " = " + right + " \\\\\n";
  }
  std::string latex_of(const Expression& e) { return symbolic::latex(mechanics_, e); }

  void share() {
    std::vector<Matrix> both = {equations_.mass_matrix(), equations_.forcing()};
    if (is_simplified_) {
      for (Matrix& matrix : both) matrix = simplify(mechanics_, matrix);
    }
    if (written_size(mechanics_, both) <= kMostWrittenOut) {
      M_ = both[0];
      f_ = both[1];
      return;
    }
    symbolic::SharedParts shared = share_parts(mechanics_, both, kLeastShared);
    definitions_ = std::move(shared.definitions);
    M_ = shared.matrices[0];
    f_ = shared.matrices[1];
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

std::string write_equations(const Model& model, const ModelEquations& equations, std::string_view name,
                            EquationFormat format, bool is_simplified) {
  EquationWriter writer(model, equations, name, is_simplified);
  switch (format) {
    case EquationFormat::kText:
      return writer.text();
    case EquationFormat::kLatex:
      return writer.latex();
    case EquationFormat::kPython:
      return writer.source(Language::kPython);
    case EquationFormat::kC:
      return writer.source(Language::kC);
    case EquationFormat::kCpp:
      return writer.source(Language::kCpp);
  }
  __builtin_unreachable();
}

}  // namespace sestina
