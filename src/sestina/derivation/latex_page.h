// Equations and matrices in LaTeX that fits a page, by themselves or as a document.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sestina/derivation/equation_text.h"
#include "sestina/symbolic/matrix.h"

namespace sestina {

struct LatexEquation {
  std::string left, right;
};

class LatexMatrix {
 public:
  LatexMatrix(symbolic::Mechanics& mechanics, const symbolic::Matrix& matrix, std::string symbol);

  const std::string& symbol() const { return symbol_; }
  std::size_t size() const { return elements_.size(); }
  std::string text() const;
  // True if the rows fit a page.
  bool is_low() const;
  // Returns the nonzero elements. For a symmetric matrix (of more than one column) each pair occurs once:
  // M_{12} = M_{21}.
  std::vector<LatexEquation> elements(bool is_symmetric = false) const;
  // Returns a column on one line: (a, b, c).
  LatexEquation list() const;

 private:
  std::size_t rows_, columns_;
  std::string symbol_;
  std::vector<std::string> elements_;
};

// Writes from top to bottom. Text between equations appears in documents only; otherwise it becomes
// comments.
class LatexWriter {
 public:
  LatexWriter(const std::string& name, std::string what, const LatexPage& page);

  bool is_document() const { return page_.is_document; }
  bool fits(const std::string& mathematics) const;
  void section(const std::string& heading, const std::string& sentence = "");
  void display(const std::string& mathematics);
  // Writes equations below each other, short ones side by side, and breaks lines. Pages end between lines.
  void equations(const std::vector<LatexEquation>& list);
  std::string finish() const;

 private:
  void add_rows(const std::vector<std::string>& rows);

  LatexPage page_;
  std::string text_;
};

// Returns the definitions of the symbols of parts (shared_parts.h).
std::vector<LatexEquation> latex_definitions(
    symbolic::Mechanics& mechanics, const std::vector<std::pair<Expression, Expression>>& definitions);

// Returns equations symbol = number.
std::vector<LatexEquation> latex_values(symbolic::Mechanics& mechanics,
                                        const std::vector<Expression>& symbols,
                                        std::span<const double> values);
std::string latex_number(double value);
// Adds the values of the model's parameters to a document.
void add_parameters(LatexWriter& writer, const Model& model, const ModelEquations& equations);

}  // namespace sestina
