// SPDX-License-Identifier: MIT
/** @file base.hpp
 *  Errors, views of arrays, and owners of handles.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_BASE_HPP
#define ATTOPOTTS_BASE_HPP

#include <attopotts/status.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
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
  std::string text(static_cast<std::size_t>(atp_last_error(nullptr, 0)) + 1, '\0');
  atp_last_error(&text[0], static_cast<std::int64_t>(text.size()));
  text.pop_back();
  throw error(status, text.empty() ? atp_status_string(status) : text);
}

namespace detail {

// Whether std::data() of an Array points to elements that a T * can point to, without a conversion to a base class.
template <class Array, class T, class = void>
inline constexpr bool is_array_of = false;
template <class Array, class T>
inline constexpr bool
    is_array_of<Array, T, std::void_t<decltype(std::data(std::declval<Array &>())), decltype(std::size(std::declval<Array &>()))>> =
        std::is_convertible_v<std::remove_pointer_t<decltype(std::data(std::declval<Array &>()))> (*)[], T (*)[]>;

}  // namespace detail

// Clang warns of a View in a variable whose elements belong to a temporary.
#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(gsl::Pointer)
#define ATP_HPP_POINTER [[gsl::Pointer]]
#endif
#endif
#ifndef ATP_HPP_POINTER
#define ATP_HPP_POINTER
#endif

/** A pointer and a size: elements that another object owns. Converts from everything contiguous, that is with data() and size(), from C
 *  arrays and, for const elements, from lists in braces. As an argument it may refer to a temporary; a View that is kept must not:
 *  construction in a variable, View v(make_vector()), and assignment do not compile; of View v = make_vector(), Clang warns. */
template <class T>
class ATP_HPP_POINTER View {
 public:
  using value_type = std::remove_const_t<T>;
  View() = default;
  View(T *data, std::size_t size) : data_(data), size_(size) {}
  template <class Array, class = std::enable_if_t<detail::is_array_of<Array, T> && !std::is_same_v<std::decay_t<Array>, View>>>
  View(Array &&array) : data_(std::data(array)), size_(std::size(array)) {}
  template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
  View(const std::initializer_list<value_type> &list) : data_(std::data(list)), size_(list.size()) {}
  // The elements would be freed at the end of the statement.
  template <class Allocator>
  explicit View(std::vector<value_type, Allocator> &&) = delete;
  template <class Allocator>
  View &operator=(std::vector<value_type, Allocator> &&) = delete;
  template <std::size_t n>
  View &operator=(const value_type (&&)[n]) = delete;
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

/** An argument that must outlive what it is given to. Temporaries do not compile. */
template <class Object>
class Borrowed {
 public:
  Borrowed(const Object &object) noexcept : object_(&object) {}
  Borrowed(const Object &&) = delete;
  operator const Object &() const noexcept { return *object_; }
  auto get() const noexcept { return object_->get(); }

 private:
  const Object *object_;
};

#undef ATP_HPP_POINTER

using Reals = View<const double>;
using Floats = View<const float>;
using Sequences = View<const std::uint8_t>;  ///< shape [N][L]

namespace detail {

inline std::int64_t size(std::size_t n) { return static_cast<std::int64_t>(n); }

// Throws if a handle was moved to another object.
inline void require_handle(const void *handle, const char *name) {
  if (handle == nullptr) throw error(ATP_E_NULL, std::string(name) + " was moved from, it has no handle");
}

// A text for C, which would end it at a zero byte.
inline const char *text(const std::string &value, const char *name) {
  const std::size_t place = value.find('\0');
  if (place == std::string::npos) return value.c_str();
  throw error(ATP_E_VALUE, std::string(name) + "[" + std::to_string(place) + "] is a zero byte, expected none");
}

// An argument that is left out is an empty one.
inline const char *text_or_null(const std::string &value, const char *name) { return value.empty() ? nullptr : text(value, name); }

// The number of sequences; throws unless they are whole.
inline std::int64_t rows(Sequences sequences, std::int64_t sites) {
  if (sites < 1 || size(sequences.size()) % sites == 0) return sites < 1 ? 0 : size(sequences.size()) / sites;
  throw error(ATP_E_SHAPE, "sequences has " + std::to_string(sequences.size()) +
                               " elements, must be a multiple of the number of sites, which is " + std::to_string(sites));
}

template <class Handle, void (*destroy)(Handle *)>
struct Destroyer {
  void operator()(Handle *handle) const noexcept { destroy(handle); }
};
template <class Handle, void (*destroy)(Handle *)>
using Owner = std::unique_ptr<Handle, Destroyer<Handle, destroy>>;

}  // namespace detail

}  // namespace attopotts

#endif
