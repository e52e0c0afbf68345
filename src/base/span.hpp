// SPDX-License-Identifier: MIT
// A pointer and a length, because C++17 has no std::span.
#pragma once

#include <cassert>
#include <cstdint>
#include <type_traits>

namespace atp {

template <class T>
class Span {
 public:
  constexpr Span() = default;
  constexpr Span(T *data, int64_t size) : data_(data), size_(size) {}
  template <class U, class = std::enable_if_t<std::is_same_v<const U, T>>>
  constexpr Span(Span<U> other) : data_(other.data()), size_(other.size()) {}

  constexpr T *data() const { return data_; }
  constexpr int64_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T *begin() const { return data_; }
  constexpr T *end() const { return data_ + size_; }
  constexpr T &operator[](int64_t i) const {
    assert(i >= 0 && i < size_);
    return data_[i];
  }
  constexpr Span sub(int64_t first, int64_t count) const {
    assert(first >= 0 && count >= 0 && first + count <= size_);
    return Span(data_ + first, count);
  }

 private:
  T *data_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace atp
