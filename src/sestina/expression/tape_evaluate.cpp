#include <cassert>

#include "sestina/expression/tape.h"
#include "sestina/numerics/scalar_list.h"

namespace sestina {

#ifdef SESTINA_BATCH_LANES
template <int n>
Batch<n> calc_table(const Table& table, int order, const Batch<n>& x) {
  return lane_by_lane([&](double at) { return table.calc(at, order); }, x);
}
#endif

template <class T>
void Tape::evaluate(std::span<const T> inputs, std::span<T> outputs, std::span<T> scratch) const {
  assert(inputs.size() == input_count_ && outputs.size() == output_count_);
  assert(scratch.size() >= scratch_size_);
  T* const r = scratch.data();
  for (const auto [to, value] : constants_) r[to] = T(value);
  for (const auto [to, input] : loads_) r[to] = inputs[input];
  for (const Instruction& i : instructions_) {
    switch (i.code) {
      case Code::kAdd:
        r[i.to] = r[i.a] + r[i.b];
        break;
      case Code::kSubtract:
        r[i.to] = r[i.a] - r[i.b];
        break;
      case Code::kMultiply:
        r[i.to] = r[i.a] * r[i.b];
        break;
      case Code::kDivide:
        r[i.to] = r[i.a] / r[i.b];
        break;
      case Code::kNegate:
        r[i.to] = -r[i.a];
        break;
      case Code::kPower:
        r[i.to] = pow(r[i.a], r[i.b]);
        break;
      case Code::kUnary:
        r[i.to] = calc_unary(i.op, r[i.a]);
        break;
      case Code::kSinCos: {
        const auto both = sincos(r[i.a]);
        r[i.to] = both.sin;
        r[i.b] = both.cos;
        break;
      }
      case Code::kAtan2:
        r[i.to] = atan2(r[i.a], r[i.b]);
        break;
      case Code::kIfLess:
        r[i.to] = calc_if_less(r[i.a], r[i.b], r[i.c], r[i.d]);
        break;
      case Code::kIfLessEqual:
        r[i.to] = calc_if_less_equal(r[i.a], r[i.b], r[i.c], r[i.d]);
        break;
      case Code::kTable:
        r[i.to] = calc_table(*tables_[i.b], i.order, r[i.a]);
        break;
      case Code::kStore:
        outputs[i.to] = r[i.a];
        break;
    }
  }
}

// A scalar type needs the operators and functions of numerics/scalar.h and an overload of calc_table().
#define SESTINA_INSTANTIATE(T) \
  template void Tape::evaluate<T>(std::span<const T>, std::span<T>, std::span<T>) const;
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)
#undef SESTINA_INSTANTIATE

}  // namespace sestina
