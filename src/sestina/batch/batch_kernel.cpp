#include "sestina/batch/batch_kernel.h"

// One function for each instruction set: lanes/lane_kernel.cpp.
#define SESTINA_DECLARE(name)                                        \
  extern "C" sestina::BatchKernel* sestina_make_batch_kernel_##name( \
      const sestina::Model&, std::span<const sestina::Properties<double>* const>);
SESTINA_DECLARE(portable)
#ifdef SESTINA_X86_KERNELS
SESTINA_DECLARE(avx2)
SESTINA_DECLARE(avx512)
#endif

namespace sestina {

std::unique_ptr<BatchKernel> make_batch_kernel(InstructionSet set, const Model& model,
                                               std::span<const Properties<double>* const> properties) {
  BatchKernel* kernel = nullptr;
  switch (set) {
    case InstructionSet::kPortable:
      kernel = sestina_make_batch_kernel_portable(model, properties);
      break;
#ifdef SESTINA_X86_KERNELS
    case InstructionSet::kAvx2:
      kernel = sestina_make_batch_kernel_avx2(model, properties);
      break;
    case InstructionSet::kAvx512:
      kernel = sestina_make_batch_kernel_avx512(model, properties);
      break;
#else
    default:
      break;
#endif
  }
  return std::unique_ptr<BatchKernel>(kernel);
}

}  // namespace sestina
