#include "sestina/expression/source_code.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "expression/random_expression.h"
#include "sestina/base/error.h"
#include "sestina/expression/parse.h"
#include "sestina/expression/tape.h"

namespace sestina {
namespace {

class SourceCodeTest : public testing::Test {
 protected:
  Expr read(std::string_view text) { return parse(graph, text, resolve_to_symbols(graph)); }

  std::string write(std::string_view text, Language language = Language::kPython) {
    const std::array outputs = {read(text)};
    return to_source(graph, "f", outputs, xyz, language);
  }

  Graph graph;
  std::array<Expr, 3> xyz = {graph.symbol("x"), graph.symbol("y"), graph.symbol("hip.q[1]")};
};

TEST_F(SourceCodeTest, SharesWhatIsUsedTwice) {
  EXPECT_EQ(write("sin(x)*y + cos(sin(x))"),
            "import math\n\n\ndef f(inputs):\n    x = inputs[0]\n    y = inputs[1]\n    z0 = math.sin(x)\n"
            "    return [\n        y*z0 + math.cos(z0),\n    ]\n");
  EXPECT_EQ(write("x^2/y - 3", Language::kC),
            "#include <math.h>\n\nvoid f(const double *in, double *out) {\n  const double x = in[0];\n"
            "  const double y = in[1];\n  out[0] = x*x/y - 3.0;\n}\n");
}

TEST_F(SourceCodeTest, NamesBecomeIdentifiers) {
  const std::array symbols = {graph.symbol("q0'"), graph.symbol("q0''"), graph.symbol("lambda"),
                              graph.symbol("a.b")};
  const std::array outputs = {graph.sum(symbols)};
  const std::string source = to_source(graph, "f", outputs, symbols, Language::kPython);
  for (const char* name :
       {"q0_d = inputs[0]", "q0_dd = inputs[1]", "lambda_ = inputs[2]", "a_b = inputs[3]"}) {
    EXPECT_NE(source.find(name), std::string::npos) << source;
  }
}

TEST_F(SourceCodeTest, WordsOfTheLanguagesBecomeOtherNames) {
  for (const std::string word :
       {"catch", "register", "None", "await", "M_PI", "concept", "restrict", "NAN", "alignas", "yn"}) {
    const std::array input = {graph.symbol(word)};
    const std::string source = to_source(graph, "f", input, input, Language::kCpp);
    EXPECT_NE(source.find("const double " + word + "_ ="), std::string::npos) << source;
  }
}

TEST_F(SourceCodeTest, RefusesWhatItCannotWrite) {
  EXPECT_THROW(write("x + other"), InputError);
  EXPECT_THROW(to_source(graph, "no name", xyz, xyz, Language::kC), InputError);
  const TableId cam = graph.add_table("cam", Table({0.0, 1.0}, {0.0, 1.0}, Interpolation::kLinear));
  const std::array outputs = {graph.table(cam, xyz[0])};
  EXPECT_THROW(to_source(graph, "f", outputs, xyz, Language::kC), InputError);
}

// All random expressions at once, as a program of its own in each language, against the tape.
TEST_F(SourceCodeTest, CompilesAndAgreesInEveryLanguage) {
  const std::array<double, 3> values = {0.7, -1.3, 2.1};
  std::vector<Expr> outputs;
  for (unsigned seed = 0; seed < 300; ++seed) {
    test::RandomExpression random(seed, values);
    const test::Reference reference = random.make(1 + static_cast<int>(seed % 4));
    const long double condition = reference.error / (1e-30L + std::abs(reference.value));
    // What overflows or takes a root of a negative number ends a Python program.
    const Expr expr = read(reference.text);
    const bool is_plain =
        std::isfinite(reference.value) && condition < 1e4L && std::abs(reference.value) < 1e9L;
    const bool is_safe = reference.text.find('/') == std::string::npos &&
                         reference.text.find("^(") == std::string::npos &&
                         reference.text.find("^1.25") == std::string::npos;
    if (is_plain && is_safe && !graph.has_constant_fault(expr)) outputs.push_back(expr);
  }
  ASSERT_GT(outputs.size(), 30u);
  const Tape tape(graph, outputs, xyz);
  std::vector<double> expected(outputs.size()), scratch(tape.scratch_size());
  tape.evaluate<double>(values, expected, scratch);

  const std::string folder = testing::TempDir() + "sestina_source_code/";
  std::filesystem::create_directories(folder);
  const auto run = [&](const std::string& command) {
    return std::system(("cd " + folder + " && " + command).c_str());
  };
  const std::string main =
      "#include <stdio.h>\nint main(void) {\n  const double in[3] = {0.7, -1.3, 2.1};\n  double out[" +
      std::to_string(outputs.size()) + "];\n  f(in, out);\n  for (int i = 0; i < " +
      std::to_string(outputs.size()) + "; ++i) printf(\"%.17g\\n\", out[i]);\n  return 0;\n}\n";
  std::ofstream(folder + "f.c") << to_source(graph, "f", outputs, xyz, Language::kC) << main;
  std::ofstream(folder + "f.cpp") << to_source(graph, "f", outputs, xyz, Language::kCpp) << main;
  std::ofstream(folder + "f.py") << to_source(graph, "f", outputs, xyz, Language::kPython)
                                 << "\n\nfor value in f([0.7, -1.3, 2.1]):\n    print(repr(float(value)))\n";
  const std::pair<const char*, const char*> languages[] = {
      {"command -v cc >/dev/null", "cc -std=c99 -Werror f.c -o f_c -lm && ./f_c > result"},
      {"command -v c++ >/dev/null", "c++ -Werror f.cpp -o f_cpp && ./f_cpp > result"},
      {"command -v python3 >/dev/null", "python3 f.py > result"}};
  int languages_run = 0;
  for (const auto& [is_there, command] : languages) {
    if (run(is_there) != 0) continue;
    ASSERT_EQ(run(command), 0) << command;
    ++languages_run;
    std::ifstream result(folder + "result");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      double value = 0.0;
      ASSERT_TRUE(result >> value) << command << ", " << i;
      // Other orders of the same operations, whose condition is below 1e4.
      EXPECT_NEAR(value, expected[i], 1e-11 * (1.0 + std::abs(expected[i]))) << command << ", " << i;
    }
  }
  EXPECT_GT(languages_run, 0);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace sestina
