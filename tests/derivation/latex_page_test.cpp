// LaTeX of models fits pages, and the names that it gives to parts are defined by these.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "repository.h"
#include "sestina/base/error.h"
#include "sestina/derivation/equation_text.h"
#include "sestina/derivation/latex_parts.h"
#include "sestina/io/model_file.h"
#include "sestina/model/freeze.h"
#include "sestina/symbolic/latex.h"

namespace sestina {
namespace {

using symbolic::Matrix;

std::shared_ptr<const Model> read_example(const std::string& name) {
  return freeze(read_model_file(fmt::format("{}/examples/{}.yaml", repository(), name)));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// The width of rows with columns that are separated by &: the widest left and right side of each.
double width_of_rows(const std::vector<std::string>& rows) {
  std::vector<double> widest;
  for (std::string row : rows) {
    if (row.ends_with(" \\\\")) row.resize(row.size() - 3);
    std::size_t column = 0;
    for (std::size_t begin = 0; begin <= row.size(); ++column) {
      const std::size_t end = std::min(row.find('&', begin), row.size());
      if (column == widest.size()) widest.push_back(0.0);
      widest[column] = std::max(widest[column], symbolic::latex_width("a" + row.substr(begin, end - begin)) -
                                                    symbolic::latex_width("a"));
      begin = end + 1;
    }
  }
  double width = 0.0;
  for (const double w : widest) width += w;
  return width;
}

// The widest of the flush lists and centred equations; an aligned equation counts by its lines.
double widest_display(const std::string& latex) {
  double widest = 0.0;
  std::vector<std::string> rows;
  bool is_list = false, is_display = false;
  for (const std::string& line : lines_of(latex)) {
    if (line.starts_with("\\end{flalign*}")) {
      widest = std::max(widest, width_of_rows(rows));
      is_list = false;
    }
    if (line.starts_with("\\end{equation*}")) is_display = false;
    if (is_list) rows.push_back(line);
    if (is_display && !line.ends_with("{aligned}")) widest = std::max(widest, symbolic::latex_width(line));
    if (line.starts_with("\\begin{flalign*}")) {
      rows.clear();
      is_list = true;
    }
    if (line.starts_with("\\begin{equation*}")) is_display = true;
  }
  return widest;
}

class LatexPageTest : public testing::TestWithParam<std::string> {};

TEST_P(LatexPageTest, Fits) {
  const auto model = read_example(GetParam());
  const ModelEquations equations(*model);
  const ModelLinearization linearization = linearize_model(*model, equations, LinearizeAt::kInitialState);
  for (const LatexPage page : {LatexPage{}, LatexPage{.is_document = true}, LatexPage{.width = 250.0}}) {
    for (const bool is_simplified : {false, true}) {
      const std::string latex =
          write_equations(*model, equations, "it", EquationFormat::kLatex, is_simplified, page);
      const std::string linear = write_linearization(*model, equations, linearization, "it",
                                                     EquationFormat::kLatex, is_simplified, page);
      for (const std::string& text : {latex, linear}) {
        const double widest = widest_display(text);
        EXPECT_LE(widest, page.line_width());
        EXPECT_GT(widest, 0.0);
        EXPECT_EQ(text.find("\\ldots"), std::string::npos);
        EXPECT_EQ(text.find("+ -"), std::string::npos);
      }
    }
  }
}

// The chain of ten links takes minutes to simplify.
INSTANTIATE_TEST_SUITE_P(Examples, LatexPageTest,
                         testing::Values("01_double_pendulum", "02_n_pendulum", "03_puma_560", "04_heavy_top",
                                         "05_tennis_racket", "07_every_joint_and_force", "08_cart_pole",
                                         "09_springs_and_masses", "10_robot_arm", "11_gust",
                                         "12_bouncing_pendulum", "13_latch", "14_geneva", "15_state_time"),
                         [](const auto& one) { return "Example_" + one.param; });

TEST_P(LatexPageTest, NamesStandForWhatTheyReplace) {
  const auto model = read_example(GetParam());
  const ModelEquations equations(*model);
  symbolic::Mechanics& mechanics = equations.mechanics();
  const std::vector<Matrix> both = {equations.mass_matrix(), equations.forcing()};
  for (const double width : {200.0, 345.0}) {
    const symbolic::SharedParts parts = name_latex_parts(mechanics, both, width);
    std::vector<std::pair<Expr, Expr>> known;
    Graph& graph = mechanics.graph();
    const auto written_out = [&](const Expression& e) { return graph.substitute(e.in(graph), known); };
    for (const auto& [symbol, value] : parts.definitions)
      known.emplace_back(symbol.in(graph), written_out(value));
    for (std::size_t k = 0; k < both.size(); ++k) {
      for (std::size_t i = 0; i < both[k].elements().size(); ++i) {
        const Expr now = written_out(parts.matrices[k][i]), before = both[k].elements()[i].in(graph);
        EXPECT_TRUE(mechanics.identities().are_equal(now, before)) << "matrix " << k << ", element " << i;
      }
    }
  }
}

TEST(LatexPage, IsADocumentOnRequest) {
  const auto model = read_example("01_double_pendulum");
  const ModelEquations equations(*model);
  const auto write = [&](EquationFormat format, const LatexPage& page) {
    return write_equations(*model, equations, "50% of θ_é", format, false, page);
  };
  const std::string part = write(EquationFormat::kLatex, {});
  EXPECT_EQ(part.find("\\documentclass"), part.npos);
  EXPECT_NE(part.find("\\usepackage{amsmath}"), part.npos);
  const std::string document = write(EquationFormat::kLatex, {.is_document = true});
  EXPECT_TRUE(document.starts_with("\\documentclass"));
  EXPECT_TRUE(document.ends_with("\\end{document}\n"));
  EXPECT_NE(document.find("\\section*{50\\% of $\\theta$\\_é}"), document.npos);
  EXPECT_NE(document.find("l_{1} &= 0.8"), document.npos);
  EXPECT_THROW(write(EquationFormat::kText, {.is_document = true}), InputError);
  EXPECT_THROW(write(EquationFormat::kLatex, {.width = 10.0}), InputError);
}

}  // namespace
}  // namespace sestina
