#include "sestina/derivation/latex_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "sestina/derivation/latex_parts.h"
#include "sestina/symbolic/latex.h"
#include "sestina/symbolic/latex_letters.h"

namespace sestina {
namespace {

constexpr double kEqualsSign = 13.4;  // with its spaces
constexpr double kBetweenColumns = 20.0;
constexpr double kAfterRows = 12.0;  // slightly more than flalign needs on the right
constexpr std::size_t kMostColumns = 3;
constexpr std::size_t kMostHigh = 24;  // rows of a matrix
constexpr std::size_t kMostRows = 40;  // rows of one environment, which TeX holds in memory

double total_width(const LatexEquation& equation) {
  return symbolic::latex_width(equation.left) + kEqualsSign + symbolic::latex_width(equation.right);
}

// Returns the number of such equations that fit side by side.
std::size_t columns_for(const LatexEquation& equation, double width) {
  const double wanted = total_width(equation) + kBetweenColumns;
  return std::clamp<std::size_t>(static_cast<std::size_t>(width / wanted), 1, kMostColumns);
}

}  // namespace

LatexMatrix::LatexMatrix(symbolic::Mechanics& mechanics, const symbolic::Matrix& matrix, std::string symbol)
    : rows_(matrix.rows()),
      columns_(matrix.columns()),
      symbol_(std::move(symbol)),
      elements_(symbolic::latex_elements(mechanics, matrix.elements(), kLatexDigits)) {}

std::string LatexMatrix::text() const { return symbolic::latex_matrix(elements_, columns_); }

bool LatexMatrix::is_low() const { return rows_ <= kMostHigh; }

std::vector<LatexEquation> LatexMatrix::elements(bool is_symmetric) const {
  // Indices of more than nine rows need a comma.
  const char* const comma = std::max(rows_, columns_) > 9 ? "," : "";
  const auto place = [&](std::size_t i, std::size_t j) {
    if (columns_ == 1) return fmt::format("{}_{{{}}}", symbol_, i + 1);
    return fmt::format("{}_{{{}{}{}}}", symbol_, i + 1, comma, j + 1);
  };
  std::vector<LatexEquation> list;
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t j = is_symmetric ? i : 0; j < columns_; ++j) {
      const std::string& element = elements_[i * columns_ + j];
      if (element == "0") continue;
      const bool has_mirror = is_symmetric && i != j;
      list.push_back({has_mirror ? place(i, j) + " = " + place(j, i) : place(i, j), element});
    }
  }
  return list;
}

LatexEquation LatexMatrix::list() const {
  std::string all;
  for (const std::string& element : elements_) all += (all.empty() ? "" : ", ") + element;
  return {symbol_, "\\left(" + all + "\\right)"};
}

LatexWriter::LatexWriter(const std::string& name, std::string what, const LatexPage& page) : page_(page) {
  if (!page.is_document) {
    text_ = fmt::format("% {}: {}\n% for a document with \\usepackage{{amsmath}}; {} pt wide\n", name, what,
                        page.line_width());
    text_ += "\\begingroup\\allowdisplaybreaks\n";
    return;
  }
  what[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(what[0])));
  text_ = fmt::format(
      "\\documentclass{{article}}\n\\usepackage[T1]{{fontenc}}\n\\usepackage[utf8]{{inputenc}}\n"
      "\\usepackage{{amsmath}}\n\\usepackage[a4paper,textwidth={}pt,vmargin=25mm]{{geometry}}\n"
      "\\setlength{{\\parindent}}{{0pt}}\n\\allowdisplaybreaks\n\\begin{{document}}\n"
      "\\setlength{{\\abovedisplayskip}}{{5pt plus 3pt}}\\setlength{{\\belowdisplayskip}}{{5pt plus 3pt}}\n"
      "\\section*{{{}}}\n{}.\n",
      page.line_width(), symbolic::escaped(name, true), symbolic::escaped(what, true));
}

bool LatexWriter::fits(const std::string& mathematics) const {
  return symbolic::latex_width(mathematics) <= page_.line_width();
}

void LatexWriter::section(const std::string& heading, const std::string& sentence) {
  if (page_.is_document) {
    text_ += fmt::format("\\subsection*{{{}}}\n{}{}", heading, sentence, sentence.empty() ? "" : "\n");
  } else {
    text_ += fmt::format("% {}\n", heading);
  }
}

void LatexWriter::display(const std::string& mathematics) {
  text_ += fmt::format("\\begin{{equation*}}\n{}\n\\end{{equation*}}\n", mathematics);
}

void LatexWriter::equations(const std::vector<LatexEquation>& list) {
  double left = 0.0;
  for (const LatexEquation& equation : list) left = std::max(left, symbolic::latex_width(equation.left));
  const double room = page_.line_width() - left - kEqualsSign - kAfterRows;
  std::vector<std::string> rows;
  for (std::size_t begin = 0; begin < list.size();) {
    std::size_t columns = kMostColumns, end = begin;
    while (end < list.size() && std::min(columns, columns_for(list[end], page_.line_width())) > 1) {
      columns = std::min(columns, columns_for(list[end++], page_.line_width()));
    }
    const bool is_whole = begin == 0 && end == list.size();
    if (end - begin >= (is_whole ? 2 : 3 * columns)) {  // side by side
      add_rows(rows);
      rows.clear();
      for (std::size_t k = begin; k < end; ++k) {
        const bool is_first = (k - begin) % columns == 0;
        if (is_first) rows.emplace_back();
        rows.back() += fmt::format("{}{} &= {}", is_first ? "" : " & ", list[k].left, list[k].right);
      }
      add_rows(rows);
      rows.clear();
      begin = end;
      continue;
    }
    for (end = std::max(end, begin + 1); begin < end; ++begin) {
      const std::vector<std::string> lines = symbolic::break_latex(list[begin].right, room).lines;
      rows.push_back(fmt::format("{} &= {}", list[begin].left, lines[0]));
      for (std::size_t k = 1; k < lines.size(); ++k) rows.push_back("&" + lines[k]);
    }
  }
  add_rows(rows);
}

// Writes rows flush left, so that consecutive equations begin at the same place.
void LatexWriter::add_rows(const std::vector<std::string>& rows) {
  for (std::size_t begin = 0; begin < rows.size(); begin += kMostRows) {
    const std::size_t end = std::min(begin + kMostRows, rows.size());
    text_ += "\\begin{flalign*}\n";
    for (std::size_t i = begin; i < end; ++i) {
      text_ += fmt::format("{}{}{}\n", rows[i], i == begin ? " &&" : "", i + 1 < end ? " \\\\" : "");
    }
    text_ += "\\end{flalign*}\n";
  }
}

std::string LatexWriter::finish() const {
  return text_ + (page_.is_document ? "\\end{document}\n" : "\\endgroup\n");
}

std::vector<LatexEquation> latex_values(symbolic::Mechanics& mechanics,
                                        const std::vector<Expression>& symbols,
                                        std::span<const double> values) {
  const std::vector<std::string> names = symbolic::latex_elements(mechanics, symbols);
  std::vector<LatexEquation> list;
  for (std::size_t i = 0; i < names.size(); ++i) list.push_back({names[i], latex_number(values[i])});
  return list;
}

void add_parameters(LatexWriter& writer, const Model& model, const ModelEquations& equations) {
  std::vector<Expression> symbols;
  std::vector<double> values;
  for (const auto& [symbol, value] : parameter_values(model, equations)) {
    symbols.push_back(symbol);
    values.push_back(value);
  }
  if (symbols.empty() || !writer.is_document()) return;
  writer.section("Parameters", "In the model,");
  writer.equations(latex_values(equations.mechanics(), symbols, values));
}

std::string latex_number(double value) {
  std::string text = fmt::format("{:.{}g}", value, kLatexDigits);
  const auto e = text.find('e');
  if (e == std::string::npos) return text;
  return fmt::format("{} \\cdot 10^{{{}}}", text.substr(0, e), std::stoi(text.substr(e + 1)));
}

std::vector<LatexEquation> latex_definitions(
    symbolic::Mechanics& mechanics, const std::vector<std::pair<Expression, Expression>>& definitions) {
  std::vector<Expression> all;
  for (const auto& [symbol, value] : definitions) {
    all.push_back(symbol);
    all.push_back(value);
  }
  const std::vector<std::string> texts = symbolic::latex_elements(mechanics, all, kLatexDigits);
  std::vector<LatexEquation> list;
  for (std::size_t k = 0; k < texts.size(); k += 2) list.push_back({texts[k], texts[k + 1]});
  return list;
}

}  // namespace sestina
