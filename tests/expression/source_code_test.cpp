#include "sestina/expression/source_code.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

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

  // By the compilers and interpreters that there are.
  std::map<std::string, std::vector<double>> run_in_every_language(std::span<const Expr> outputs,
                                                                   const std::array<double, 3>& values) {
    const std::string folder = testing::TempDir() + "sestina_source_code_" + std::to_string(::getpid()) + "/";
    std::filesystem::create_directories(folder);
    const auto run = [&](const std::string& command) {
      return std::system(("cd " + folder + " && " + command).c_str());
    };
    const std::string main =
        "#include <stdio.h>\n#include <stdlib.h>\n#include <math.h>\nint main(int argc, char **argv) {\n"
        "  double in[3], out[" +
        std::to_string(outputs.size()) +
        "];\n  for (int i = 1; i < argc; ++i) in[i - 1] = strtod(argv[i], NULL);\n  f(in, out);\n"
        "  for (int i = 0; i < " +
        std::to_string(outputs.size()) + "; ++i) printf(\"%.17g\\n\", out[i]);\n  return 0;\n}\n";
    std::ofstream(folder + "f.c") << to_source(graph, "f", outputs, xyz, Language::kC) << main;
    std::ofstream(folder + "f.cpp") << to_source(graph, "f", outputs, xyz, Language::kCpp) << main;
    std::ofstream(folder + "f.py")
        << to_source(graph, "f", outputs, xyz, Language::kPython)
        << "\n\nimport sys\nfor value in f([float(text) for text in sys.argv[1:]]):\n"
           "    print(repr(float(value)))\n";
    std::string arguments;
    for (const double value : values) arguments += " " + std::to_string(value);
    const std::pair<const char*, std::string> languages[] = {
        {"cc", "cc -std=c99 -Werror f.c -o f_c -lm && ./f_c"},
        {"c++", "c++ -Werror f.cpp -o f_cpp && ./f_cpp"},
        {"python3", "python3 f.py"}};
    std::map<std::string, std::vector<double>> results;
    for (const auto& [program, command] : languages) {
      if (run(std::string("command -v ") + program + " >/dev/null") != 0) continue;
      EXPECT_EQ(run(command + arguments + " > result"), 0) << command;
      std::ifstream file(folder + "result");
      std::vector<double>& result = results[program];
      for (std::string word; file >> word;) result.push_back(std::strtod(word.c_str(), nullptr));
    }
    std::filesystem::remove_all(folder);
    return results;
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

TEST_F(SourceCodeTest, NamesThatLanguagesKeepBecomeOtherNames) {
  constexpr std::pair<const char*, const char*> kNames[] = {{"_Bool", "x_Bool"},
                                                            {"__x", "_x"},
                                                            {"__func__", "_func_"},
                                                            {"a__b", "a_b"},
                                                            {"_Atomic", "x_Atomic"},
                                                            {"hip.q[1]'", "hip_q_1_d"},
                                                            {"_", "_"},
                                                            {"math_errhandling", "math_errhandling_"}};
  for (const auto& [symbol, name] : kNames) {
    const std::array input = {graph.symbol(symbol)};
    for (const Language language : {Language::kC, Language::kCpp}) {
      const std::string source = to_source(graph, "f", input, input, language);
      EXPECT_NE(source.find("const double " + std::string(name) + " ="), std::string::npos) << source;
    }
  }
  // Names that would become alike stay apart, without underscores in a row.
  const std::array inputs = {graph.symbol("a_"), graph.symbol("a__"), graph.symbol("a."),
                             graph.symbol("catch"), graph.symbol("catch_")};
  const std::array outputs = {graph.sum(inputs)};
  const std::string source = to_source(graph, "f", outputs, inputs, Language::kCpp);
  for (const char* name : {"a_ = in[0]", "a_2 = in[1]", "a_3 = in[2]", "catch_ = in[3]", "catch_2 = in[4]"}) {
    EXPECT_NE(source.find(name), std::string::npos) << source;
  }
  for (const char* name : {"_f", "__f", "_F", "f__x"}) {
    EXPECT_THROW(to_source(graph, name, outputs, inputs, Language::kC), InputError) << name;
    EXPECT_THROW(to_source(graph, name, outputs, inputs, Language::kCpp), InputError) << name;
  }
  EXPECT_NE(to_source(graph, "_f", outputs, inputs, Language::kPython).find("def _f("), std::string::npos);
}

// C11, C23 and C++20.
TEST_F(SourceCodeTest, NoKeywordIsAName) {
  std::istringstream words(
      "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t "
      "class "
      "compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield "
      "decltype "
      "default delete do double dynamic_cast else enum explicit export extern false float for friend goto if "
      "inline "
      "int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
      "register reinterpret_cast requires restrict return short signed sizeof static static_assert "
      "static_cast "
      "struct switch template this thread_local throw true try typedef typeid typename typeof typeof_unqual "
      "union "
      "unsigned using virtual void volatile wchar_t while xor xor_eq _Alignas _Alignof _Atomic _BitInt _Bool "
      "_Complex _Decimal128 _Decimal32 _Decimal64 _Generic _Imaginary _Noreturn _Static_assert "
      "_Thread_local");
  for (std::string word; words >> word;) {
    const std::array input = {graph.symbol(word)};
    const std::string source = to_source(graph, "f", input, input, Language::kC);
    EXPECT_EQ(source.find("const double " + word + " ="), std::string::npos) << word;
    EXPECT_THROW(to_source(graph, word, input, input, Language::kC), InputError) << word;
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
    // An overflow or the root of a negative number ends a Python program.
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

  const auto results = run_in_every_language(outputs, values);
  ASSERT_FALSE(results.empty());
  for (const auto& [language, result] : results) {
    ASSERT_EQ(result.size(), outputs.size()) << language;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      // Other orders of the same operations, whose condition is below 1e4.
      EXPECT_NEAR(result[i], expected[i], 1e-11 * (1.0 + std::abs(expected[i]))) << language << ", " << i;
    }
  }
}

// A condition hides no operand that is not a number, as everywhere in a model.
TEST_F(SourceCodeTest, WhatIsNoNumberStaysNone) {
  std::vector<Expr> outputs;
  for (const char* text : {"min(x, y)", "max(x, y)", "min(y, x)", "max(y, x)", "abs(x)", "sign(x)", "step(x)",
                           "if(x < 1, 2, 3)", "if(1 <= x, 2, 3)", "if(x < y, 2, 3)", "if(y <= x, x, y)",
                           "min(x + y, 2*y)", "sign(x*y)", "if(x*y < sin(y), x, y)", "max(-x, -2)"}) {
    outputs.push_back(read(text));
  }
  const Tape tape(graph, outputs, xyz);
  std::vector<double> expected(outputs.size()), scratch(tape.scratch_size());
  const double none = std::nan("");
  for (const std::array<double, 3>& values :
       {std::array{0.7, -1.3, 0.0}, std::array{-2.0, 3.0, 0.0}, std::array{0.0, 0.0, 0.0},
        std::array{1.0, 1.0, 0.0}, std::array{none, 1.5, 0.0}, std::array{1.5, none, 0.0}}) {
    tape.evaluate<double>(values, expected, scratch);
    const auto results = run_in_every_language(outputs, values);
    ASSERT_FALSE(results.empty());
    for (const auto& [language, result] : results) {
      ASSERT_EQ(result.size(), outputs.size()) << language;
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        EXPECT_EQ(std::isnan(result[i]), std::isnan(expected[i])) << language << ", " << i;
        if (std::isnan(expected[i])) continue;
        // The sine is rounded by other libraries.
        EXPECT_NEAR(result[i], expected[i], 1e-15) << language << ", " << i;
      }
    }
  }
}

// 1/x and the root are each used twice, but only where x is positive.
TEST_F(SourceCodeTest, ABranchThatDoesNotCountEndsNoProgram) {
  const std::array outputs = {read("if(0 < x, y/x + sqrt(x), 1)"), read("if(0 < x, 1/x, sqrt(x) + y)"),
                              read("if(0 < x, x^1.5, 4) + if(0 < x, 1/x^2, 5)")};
  for (const double x : {0.0, 4.0}) {
    const std::array<double, 3> values = {x, 3.0, 0.0};
    const auto results = run_in_every_language(outputs, values);
    ASSERT_FALSE(results.empty());
    for (const auto& [language, result] : results) {
      ASSERT_EQ(result.size(), 3u) << language;
      EXPECT_EQ(result[0], x > 0 ? 2.75 : 1.0) << language;
      EXPECT_EQ(result[1], x > 0 ? 0.25 : 3.0) << language;
      EXPECT_EQ(result[2], x > 0 ? 8.0625 : 9.0) << language;
    }
  }
}

}  // namespace
}  // namespace sestina
