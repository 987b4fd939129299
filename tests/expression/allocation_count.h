// Counts the heap allocations of the whole test program.
#pragma once

namespace sestina::test {

long allocation_count();

}  // namespace sestina::test
