// A number as the user gives it: a plain one, or an expression of the model's named parameters.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "sestina/base/place.h"

namespace sestina {

class Number {
 public:
  Number() = default;
  Number(double value) : value_(value) {}                              // NOLINT: as in YAML
  Number(int value) : value_(value) {}                                 // NOLINT
  Number(const char* expression) : Number(std::string(expression)) {}  // NOLINT
  Number(std::string expression)                                       // NOLINT
      : is_expression_(true), expression_(std::move(expression)) {}

  bool is_expression() const { return is_expression_; }
  double value() const { return value_; }                        // for a plain number
  const std::string& expression() const { return expression_; }  // "m1*l1^2/12"

  Mark mark;  // its place, if it comes from a file

 private:
  bool is_expression_ = false;
  double value_ = 0.0;
  std::string expression_;
};

using Triple = std::array<Number, 3>;

// One number or several. As in a model file, a single one needs no brackets: `joint.q = "phi"`.
class Numbers : public std::vector<Number> {
 public:
  Numbers() = default;
  Numbers(std::initializer_list<Number> list) : std::vector<Number>(list) {}
  Numbers(std::vector<Number> list) : std::vector<Number>(std::move(list)) {}   // NOLINT: as in YAML
  Numbers(Number number) : std::vector<Number>{std::move(number)} {}            // NOLINT
  Numbers(double number) : std::vector<Number>{Number(number)} {}               // NOLINT
  Numbers(int number) : std::vector<Number>{Number(number)} {}                  // NOLINT
  Numbers(const char* expression) : std::vector<Number>{Number(expression)} {}  // NOLINT
  Numbers(std::string expression) : std::vector<Number>{Number(std::move(expression))} {}  // NOLINT
};

// A name, keyword or reference (`upper.tip`) as the user gives it.
struct Name {
  Name() = default;
  Name(const char* text_) : text(text_) {}             // NOLINT
  Name(std::string text_) : text(std::move(text_)) {}  // NOLINT

  bool empty() const { return text.empty(); }
  friend bool operator==(const Name& a, std::string_view b) { return a.text == b; }

  std::string text;
  Mark mark;
};

}  // namespace sestina
