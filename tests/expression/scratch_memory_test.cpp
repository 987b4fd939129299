#include "sestina/expression/scratch_memory.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <thread>

namespace sestina {
namespace {

// Makes room in the block of this thread for its next uses.
void make_room(std::size_t bytes) {
  ScratchMemory memory;
  const ScratchVector<std::byte> filled(bytes, std::byte{7}, &memory);
}

TEST(ScratchMemory, IsTheSameTheNextTime) {
  constexpr std::size_t kCount = 10'000;
  make_room(kCount);
  std::array<const std::byte*, 2> places{};
  for (const std::byte*& place : places) {
    ScratchMemory memory;
    const ScratchVector<std::byte> bytes(kCount, std::byte{7}, &memory);
    place = bytes.data();
  }
  EXPECT_EQ(places[0], places[1]);
}

TEST(ScratchMemory, BeginsBehindThatOfAnotherUse) {
  make_room(1000);
  ScratchMemory outer;
  ScratchVector<std::uint32_t> numbers(100, 0, &outer);
  std::iota(numbers.begin(), numbers.end(), 0u);
  const void* first = nullptr;
  for (int use = 0; use < 2; ++use) {
    ScratchMemory inner;
    ScratchVector<std::uint32_t> others(50, 1000u, &inner);
    EXPECT_NE(others.data(), numbers.data());
    if (use == 1) {
      EXPECT_EQ(others.data(), first);
    }
    first = others.data();
  }
  for (std::uint32_t k = 0; k < numbers.size(); ++k) EXPECT_EQ(numbers[k], k);
}

TEST(ScratchMemory, TakesWhatItHasNoRoomForFromTheHeap) {
  constexpr std::size_t kMuch = std::size_t{8} << 20;  // more than is ever kept
  for (int use = 0; use < 2; ++use) {
    ScratchMemory memory;
    ScratchVector<std::byte> little(10, std::byte{1}, &memory), much(kMuch, std::byte{2}, &memory);
    much.push_back(std::byte{3});
    little.resize(1000, std::byte{4});
    EXPECT_EQ(much.size(), kMuch + 1);
    EXPECT_EQ(much[kMuch - 1], std::byte{2});
    EXPECT_EQ(little[9], std::byte{1});
    EXPECT_EQ(little[999], std::byte{4});
  }
}

TEST(ScratchMemory, IsAligned) {
  make_room(1000);
  ScratchMemory memory;
  for (const std::size_t alignment : {1, 2, 4, 8, 16, 64, 4096}) {
    void* const odd = memory.allocate(3, 1);
    void* const pointer = memory.allocate(24, alignment);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pointer) % alignment, 0u);
    memory.deallocate(pointer, 24, alignment);
    memory.deallocate(odd, 3, 1);
  }
}

TEST(ScratchMemory, IsEveryThreadsOwn) {
  const auto use = [] {
    for (std::size_t round = 1; round <= 200; ++round) {
      ScratchMemory memory;
      ScratchVector<std::size_t> numbers(round * 50, round, &memory);
      EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), std::size_t{0}), round * round * 50);
    }
  };
  std::thread other(use);
  use();
  other.join();
}

}  // namespace
}  // namespace sestina
