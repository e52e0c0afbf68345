// SPDX-License-Identifier: MIT
// A growing array of plain values in memory of the context.
#pragma once

#include "base/arena.hpp"

#include <cstdint>
#include <type_traits>

namespace atp {

template <class T>
class Growing {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Growing(Allocator &allocator) : allocator_(allocator) {}
  ~Growing() { release(); }
  Growing(const Growing &) = delete;
  Growing &operator=(const Growing &) = delete;
  void push_back(const T &value) {
    if (size_ == room_) grow(room_ == 0 ? 64 : room_ * 2);
    data_[size_++] = value;
  }
  // Replaces the contents by n copies of a value.
  void assign(int64_t n, const T &value) {
    size_ = 0;
    if (n > room_) grow(n);
    for (int64_t k = 0; k < n; ++k) data_[k] = value;
    size_ = n;
  }
  void reserve(int64_t room) {
    if (room > room_) grow(room);
  }
  void extend(int64_t n) { size_ += n; }  // by values that were written behind the last one, within the room
  void truncate(int64_t n) { size_ = n; }
  int64_t size() const { return size_; }
  int64_t room() const { return room_; }
  T *end() { return data_ + size_; }
  T &operator[](int64_t k) { return data_[k]; }
  const T &operator[](int64_t k) const { return data_[k]; }
  T &back() { return data_[size_ - 1]; }
  T *data() { return data_; }
  const T *data() const { return data_; }

 private:
  static std::size_t bytes(int64_t n) { return memory_size(n, sizeof(T)); }
  void release() noexcept {
    if (data_ != nullptr) allocator_.release(data_, bytes(room_));
  }
  void grow(int64_t room) {
    T *larger = static_cast<T *>(allocator_.allocate(bytes(room)));
    if (size_ > 0) std::memcpy(static_cast<void *>(larger), data_, bytes(size_));
    release();
    data_ = larger;
    room_ = room;
  }
  Allocator &allocator_;
  T *data_ = nullptr;
  int64_t size_ = 0, room_ = 0;
};

}  // namespace atp
