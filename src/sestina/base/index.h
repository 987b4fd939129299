// Typed indices, which cannot be confused with each other.
#pragma once

#include <cassert>
#include <compare>
#include <cstddef>
#include <utility>
#include <vector>

namespace sestina {

template <class Tag>
class Index {
 public:
  constexpr Index() = default;  // -1: invalid
  constexpr explicit Index(int value) : value_(value) {}
  constexpr int value() const { return value_; }
  constexpr bool is_valid() const { return value_ >= 0; }
  constexpr auto operator<=>(const Index&) const = default;
  constexpr Index& operator++() {
    ++value_;
    return *this;
  }

 private:
  int value_ = -1;
};

using BodyIndex = Index<struct BodyTag>;    // 0 is the ground; parents come before their children
using JointIndex = Index<struct JointTag>;  // joint k carries body k; 0 (the ground's) does not exist
using PointIndex = Index<struct PointTag>;
using ForceIndex = Index<struct ForceTag>;

// Frames that carry markers: the bodies, by their BodyIndex, then further frames.
using FrameIndex = Index<struct FrameTag>;

// A number that is not negative as an index of the containers of the standard library.
constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

inline constexpr BodyIndex kGround{0};
inline constexpr FrameIndex frame_of(BodyIndex body) { return FrameIndex(body.value()); }

// A std::vector that takes only its own kind of index.
template <class IndexType, class Value>
class IndexedVector {
 public:
  IndexedVector() = default;
  explicit IndexedVector(std::size_t size, const Value& value = Value()) : values_(size, value) {}

  Value& operator[](IndexType i) {
    assert(i.value() >= 0 && i.value() < size());
    return values_[static_cast<std::size_t>(i.value())];
  }
  const Value& operator[](IndexType i) const {
    assert(i.value() >= 0 && i.value() < size());
    return values_[static_cast<std::size_t>(i.value())];
  }
  int size() const { return static_cast<int>(values_.size()); }
  bool empty() const { return values_.empty(); }
  IndexType push_back(Value value) {
    values_.push_back(std::move(value));
    return IndexType(size() - 1);
  }
  void resize(int size) { values_.resize(static_cast<std::size_t>(size)); }
  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  const std::vector<Value>& values() const { return values_; }

 private:
  std::vector<Value> values_;
};

}  // namespace sestina
