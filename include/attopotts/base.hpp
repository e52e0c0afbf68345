// SPDX-License-Identifier: MIT
/** @file base.hpp
 *  Errors, views of arrays, and owners of handles.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_BASE_HPP
#define ATTOPOTTS_BASE_HPP

#include <attopotts/status.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace attopotts {

/** A failed call: its status, and a text that names the argument, its value and what was expected. */
class error : public std::runtime_error {
 public:
  error(atp_status status, const std::string &text) : std::runtime_error(text), status_(status) {}
  atp_status status() const noexcept { return status_; }
  const char *name() const noexcept { return atp_status_name(status_); }

 private:
  atp_status status_;
};

/** Throws an error unless the status is ATP_OK. Use it for calls of C functions. */
inline void check(atp_status status) {
  if (status == ATP_OK) return;
  char text[1024];
  throw error(status, atp_last_error(text, sizeof text) > 0 ? text : atp_status_string(status));
}

/** A pointer and a size: elements that another object owns. */
template <class T>
class View {
 public:
  using value_type = std::remove_const_t<T>;
  View() = default;
  View(T *data, std::size_t size) : data_(data), size_(size) {}
  template <std::size_t N>
  View(T (&array)[N]) : data_(array), size_(N) {}
  template <std::size_t N, class U, class = std::enable_if_t<std::is_convertible_v<U *, T *>>>
  View(const std::array<U, N> &array) : data_(array.data()), size_(N) {}
  template <class A>
  View(const std::vector<value_type, A> &vector) : data_(vector.data()), size_(vector.size()) {}
  T *data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T *begin() const noexcept { return data_; }
  T *end() const noexcept { return data_ + size_; }
  T &operator[](std::size_t i) const { return data_[i]; }
  std::vector<value_type> vector() const { return std::vector<value_type>(begin(), end()); }

 private:
  T *data_ = nullptr;
  std::size_t size_ = 0;
};

using Reals = View<const double>;
using Floats = View<const float>;
using Sequences = View<const std::uint8_t>;  ///< shape [N][L]

namespace detail {

inline std::int64_t size(std::size_t n) { return static_cast<std::int64_t>(n); }

template <class Handle, void (*destroy)(Handle *)>
struct Destroyer {
  void operator()(Handle *handle) const noexcept { destroy(handle); }
};
template <class Handle, void (*destroy)(Handle *)>
using Owner = std::unique_ptr<Handle, Destroyer<Handle, destroy>>;

}  // namespace detail

}  // namespace attopotts

#endif
