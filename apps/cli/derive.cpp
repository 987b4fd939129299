// sestina derive MODEL [--set PATH=VALUE]... [--format text|latex|python|c|cpp|json] [--lagrange]
//                [--embedded] [--linearize [--equilibrium]] [--simplify] [--document] [--width POINTS]
#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>

#include "commands.h"
#include "printing.h"
#include "sestina/derivation/equation_text.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/model/freeze.h"
#include "sestina/model/properties.h"

namespace sestina::cli {
namespace {

struct DeriveOptions {
  ModelOptions model;
  std::string format = "text";
  bool simplify = false;
  bool lagrange = false;
  bool embedded = false;
  bool linearize = false;
  bool equilibrium = false;
  LatexPage page;
};

int derive(const DeriveOptions& options) {
  static const std::map<std::string, EquationFormat> kFormats = {
      {"text", EquationFormat::kText}, {"latex", EquationFormat::kLatex}, {"python", EquationFormat::kPython},
      {"c", EquationFormat::kC},       {"cpp", EquationFormat::kCpp},     {"json", EquationFormat::kJson}};
  const EquationFormat format = kFormats.at(options.format);
  const auto model = freeze(options.model.read());
  const ModelEquations equations(*model,
                                 options.lagrange ? DerivationMethod::kLagrange : DerivationMethod::kKane);
  const std::string& name = model->name().empty() ? options.model.path : model->name();
  if (!options.linearize) {
    std::optional<EmbeddedEquations> embedded;
    if (options.embedded) {
      const Properties<double> properties = calc_properties(*model);
      embedded = equations.embed(calc_assembled_state(*model, properties), properties.parameters);
    }
    print("{}", write_equations(*model, equations, name, format, options.simplify, options.page,
                                embedded ? &*embedded : nullptr));
    return kSuccess;
  }
  const LinearizeAt at = options.equilibrium ? LinearizeAt::kEquilibrium : LinearizeAt::kInitialState;
  const ModelLinearization linearization = linearize_model(*model, equations, at);
  print("{}",
        write_linearization(*model, equations, linearization, name, format, options.simplify, options.page));
  return kSuccess;
}

}  // namespace

void add_derive(CLI::App& app, int& status) {
  auto options = std::make_shared<DeriveOptions>();
  CLI::App* command = app.add_subcommand("derive", "Write the equations of motion of a model with symbols");
  options->model.add_to(*command);
  command->add_option("--format", options->format, "text, latex, python, c, cpp or json")
      ->capture_default_str()
      ->check(CLI::IsMember({"text", "latex", "python", "c", "cpp", "json"}).description(""))
      ->type_name("FORMAT");
  command->add_flag("--lagrange", options->lagrange, "By Lagrange's method instead of Kane's");
  command->add_flag("--embedded", options->embedded,
                    "With loops or constraints: the equations of the independent speeds only");
  CLI::Option* linearize = command->add_flag("--linearize", options->linearize,
                                             "Linearised about the initial state: A, B, eigenvalues");
  command
      ->add_flag("--equilibrium", options->equilibrium,
                 "Linearised about a state of rest, which is sought from the initial state")
      ->needs(linearize);
  command->add_flag("--simplify", options->simplify,
                    "Simplify text and LaTeX by the theorems on sums of angles");
  command->add_flag("--document", options->page.is_document, "With --format latex: a document for pdflatex");
  command
      ->add_option("--width", options->page.width,
                   "With --format latex: width of lines in points (default 345; with --document 430)")
      ->type_name("POINTS");
  command->callback([options, &status] { status = derive(*options); });
}

}  // namespace sestina::cli
