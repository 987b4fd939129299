// What the numbers of a description must be. freeze() holds each rule against the values that stand in the
// description; those rules whose numbers depend on parameters stay with the model, for check().
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sestina/base/error.h"
#include "sestina/model/property_plan.h"

namespace sestina {

// Where a number that depends on parameters stands in the description, and how it is written there.
struct NumberSource {
  Slot slot;
  Place place;
  std::string expression;
};

struct ValueRule {
  enum class Kind {
    kFinite,           // 1 number, as all have to be
    kNotNegative,      // 1
    kPositive,         // 1
    kFromOther,        // 1, at least the one of `other`
    kInertia,          // 6, xx yy zz xy xz yz: of a rigid body
    kNoInertia,        // 6, all zero: of a particle
    kNoOffset,         // 3, all zero: of a particle's mass centre
    kDirection,        // 3, not all zero
    kNotParallel,      // 3, not along the three of `other`
    kNotZero,          // 1
    kEulerParameters,  // 4, of norm one
    kRotationMatrix,   // 9, row by row
  };
  Kind kind = Kind::kNotNegative;
  Slot slot;               // the first of its numbers
  Place place;             // where a fault is told
  std::string expression;  // of a single number, as it is written; empty for a plain one
  Slot other = {};
};

// How many consecutive numbers the rule is about.
int number_count(ValueRule::Kind kind);

// What is wrong with the numbers, empty where nothing is. Numbers that are not finite break no rule: that is
// told where they stand.
std::string find_fault(const ValueRule& rule, std::span<const double> numbers);

// "-0.5", or "m1 - 2 = -0.5" for an expression: how a message speaks of a value.
std::string describe_value(const std::string& expression, double value);

}  // namespace sestina
