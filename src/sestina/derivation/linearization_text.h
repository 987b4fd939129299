// The linearised equations of a model in every format of equation_text.h.
#pragma once

#include <string>

#include "sestina/derivation/equation_text.h"
#include "sestina/derivation/model_linearization.h"
#include "sestina/expression/source_code.h"
#include "sestina/symbolic/shared_parts.h"

namespace sestina {

class LinearizationWriter {
 public:
  LinearizationWriter(const Model& model, const ModelEquations& equations,
                      const ModelLinearization& linearization, std::string name, bool is_simplified);

  std::string text();
  std::string latex(const LatexPage& page) const;
  std::string source(Language language) const;
  std::string json();

 private:
  void share();  // names shared parts if these are long
  std::string state_in_words() const;
  std::string parameters_in_words() const;
  std::string symbols_in_words() const;

  const Model& model_;
  const ModelEquations& equations_;
  const ModelLinearization& linearization_;
  std::string name_;
  symbolic::Matrix A_, B_;
  symbolic::SharedParts parts_;  // of A and B
};

}  // namespace sestina
