// The operations that a kernel template may use for a scalar T, instantiated for every scalar type.
#include "sestina/numerics/scalar.h"

#include <gtest/gtest.h>

#include <concepts>

#include "sestina/numerics/dual.h"

namespace sestina {
namespace {

template <class T>
concept Scalar = requires(T a, T b, Mask<T> mask) {
  { T(0) } -> std::same_as<T>;
  { T(0.5) } -> std::same_as<T>;
  { a + b } -> std::same_as<T>;
  { a - b } -> std::same_as<T>;
  { a* b } -> std::same_as<T>;
  { a / b } -> std::same_as<T>;
  { -a } -> std::same_as<T>;
  { a += b } -> std::same_as<T&>;
  { a -= b } -> std::same_as<T&>;
  { a *= b } -> std::same_as<T&>;
  { a /= b } -> std::same_as<T&>;
  { a < b } -> std::same_as<Mask<T>>;
  { a > b } -> std::same_as<Mask<T>>;
  { a <= b } -> std::same_as<Mask<T>>;
  { a >= b } -> std::same_as<Mask<T>>;
  { select(mask, a, b) } -> std::same_as<T>;
  { sqrt(a) } -> std::same_as<T>;
  { sin(a) } -> std::same_as<T>;
  { cos(a) } -> std::same_as<T>;
  { tan(a) } -> std::same_as<T>;
  { asin(a) } -> std::same_as<T>;
  { acos(a) } -> std::same_as<T>;
  { atan(a) } -> std::same_as<T>;
  { atan2(a, b) } -> std::same_as<T>;
  { sinh(a) } -> std::same_as<T>;
  { cosh(a) } -> std::same_as<T>;
  { tanh(a) } -> std::same_as<T>;
  { exp(a) } -> std::same_as<T>;
  { log(a) } -> std::same_as<T>;
  { abs(a) } -> std::same_as<T>;
  { pow(a, b) } -> std::same_as<T>;
  { sincos(a) } -> std::same_as<SinCos<T>>;
};

template <class T>
class ScalarTest : public testing::Test {};
using Scalars = testing::Types<double, Dual>;
TYPED_TEST_SUITE(ScalarTest, Scalars);

TYPED_TEST(ScalarTest, OffersWhatKernelsUse) { EXPECT_TRUE(Scalar<TypeParam>); }

TYPED_TEST(ScalarTest, IsZeroWhenValueInitialised) { EXPECT_EQ(value_of(TypeParam{}), 0.0); }

TYPED_TEST(ScalarTest, SelectPicksByTheMask) {
  const TypeParam a(1.0), b(2.0);
  EXPECT_EQ(value_of(select(a < b, a, b)), 1.0);
  EXPECT_EQ(value_of(select(b < a, a, b)), 2.0);
}

TYPED_TEST(ScalarTest, SincosIsSineAndCosine) {
  const auto [s, c] = sincos(TypeParam(0.7));
  EXPECT_EQ(value_of(s), std::sin(0.7));
  EXPECT_EQ(value_of(c), std::cos(0.7));
}

}  // namespace
}  // namespace sestina
