// Rules for the numbers of a description. freeze() checks each rule with the values in the description; the
// model keeps the rules whose numbers depend on parameters, for check().
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sestina/base/error.h"
#include "sestina/model/property_plan.h"

namespace sestina {

// The place of a number that depends on parameters in the description, and its text there.
struct NumberSource {
  Slot slot;
  Place place;
  std::string expression;
};

struct ValueRule {
  enum class Kind {
    kFinite,           // 1 number, as for all rules
    kNotNegative,      // 1
    kPositive,         // 1
    kFromOther,        // 1, at least the number of `other`
    kInertia,          // 6, xx yy zz xy xz yz: possible for a rigid body
    kNoInertia,        // 6, all zero: a particle
    kNoOffset,         // 3, all zero: a particle's mass centre
    kDirection,        // 3, not all zero
    kNotParallel,      // 3, not parallel to the three of `other`
    kNotZero,          // 1
    kEulerParameters,  // 4, of norm one
    kRotationMatrix,   // 9, by rows
    kStiffness,        // 36, by rows: symmetric and positive definite
  };
  Kind kind = Kind::kNotNegative;
  Slot slot;               // first of its numbers
  Place place;             // place of a fault
  std::string expression;  // of a single number, as written; empty for a plain one
  Slot other = {};
};

// Returns the count of consecutive numbers of a rule.
int number_count(ValueRule::Kind kind);

// Returns the fault of the numbers, empty if there is none. Numbers that are not finite break no rule: they
// are reported at their places.
std::string find_fault(const ValueRule& rule, std::span<const double> numbers);

// Describes a value in messages: "-0.5", or "m1 - 2 = -0.5" for an expression.
std::string describe_value(const std::string& expression, double value);

}  // namespace sestina
