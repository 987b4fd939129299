// sestina derive MODEL [--set PATH=VALUE]... [--format text|latex|python|c|cpp] [--simplify]
#include <fmt/format.h>

#include <map>
#include <memory>

#include "commands.h"
#include "sestina/derivation/equation_text.h"
#include "sestina/model/freeze.h"

namespace sestina::cli {
namespace {

struct DeriveOptions {
  ModelOptions model;
  std::string format = "text";
  bool simplify = false;
};

int derive(const DeriveOptions& options) {
  static const std::map<std::string, EquationFormat> kFormats = {{"text", EquationFormat::kText},
                                                                 {"latex", EquationFormat::kLatex},
                                                                 {"python", EquationFormat::kPython},
                                                                 {"c", EquationFormat::kC},
                                                                 {"cpp", EquationFormat::kCpp}};
  const auto model = freeze(options.model.read());
  const ModelEquations equations(*model);
  const std::string& name = model->name().empty() ? options.model.path : model->name();
  fmt::print("{}", write_equations(*model, equations, name, kFormats.at(options.format), options.simplify));
  return kSuccess;
}

}  // namespace

void add_derive(CLI::App& app, int& status) {
  auto options = std::make_shared<DeriveOptions>();
  CLI::App* command = app.add_subcommand("derive", "Write the equations of motion of a model with symbols");
  options->model.add_to(*command);
  command->add_option("--format", options->format, "text, latex, python, c or cpp")
      ->capture_default_str()
      ->check(CLI::IsMember({"text", "latex", "python", "c", "cpp"}).description(""))
      ->type_name("FORMAT");
  command->add_flag("--simplify", options->simplify, "Use the theorems on sums of angles in text and LaTeX");
  command->callback([options, &status] { status = derive(*options); });
}

}  // namespace sestina::cli
