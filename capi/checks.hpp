// SPDX-License-Identifier: MIT
// The checks of arguments that functions of the C API share. Each throws an Error that names the argument, its value and what was expected.
#pragma once

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/span.hpp"
#include "base/symmetric.hpp"

#include <attopotts/model.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>

namespace atp {

using llong = long long;

template <class T>
void require(const T *pointer, const char *name) {
  if (pointer == nullptr) fail(ATP_E_NULL, "%s is NULL", name);
}

inline void require_size(int64_t size, int64_t expected, const char *name) {
  if (size != expected) fail(ATP_E_SHAPE, "%s is %lld, must be %lld", name, llong{size}, llong{expected});
}

inline void require_range(int64_t value, int64_t lowest, int64_t highest, const char *name) {
  if (value < lowest || value > highest)
    fail(ATP_E_VALUE, "%s is %lld, must be in %lld..%lld", name, llong{value}, llong{lowest}, llong{highest});
}

// An index: what counts from 1 in some languages.
inline void require_index(int64_t index, int64_t size, const char *name) {
  if (index < 0 || index >= size)
    fail(ATP_E_VALUE, "%s is " ATP_INDEX ", must be in " ATP_INDEX ".." ATP_INDEX, name, llong{index}, llong{0}, llong{size - 1});
}

// A finite number in lowest..highest.
inline void require_real(double value, double lowest, double highest, const char *name) {
  if (!std::isfinite(value)) fail(ATP_E_NOT_FINITE, "%s is %g, must be finite", name, value);
  if (value < lowest || value > highest) fail(ATP_E_VALUE, "%s is %g, must be in %g..%g", name, value, lowest, highest);
}

inline void require_sigma(double sigma) { require_real(sigma, 1e-3, 1e3, "sigma"); }

inline void require_shift(double shift) {
  if (!std::isfinite(shift)) fail(ATP_E_NOT_FINITE, "shift is %g, must be finite", shift);
  if (!(shift > 2 && shift <= 1e6)) fail(ATP_E_VALUE, "shift is %.17g, must be > 2 and <= 1e+06", shift);
}

// Sites and colours of an argument against those of the handle that it is given to.
inline void require_shape(int64_t sites, int64_t colors, int64_t owner_sites, int64_t owner_colors, const char *name, const char *owner) {
  if (sites != owner_sites || colors != owner_colors)
    fail(ATP_E_SHAPE, "%s has %lld sites and %lld colours, the %s %lld and %lld", name, llong{sites}, llong{colors}, owner,
         llong{owner_sites}, llong{owner_colors});
}

// A place in an array for a text, "[0][3]", as ATP_AT marks it.
class Place {
 public:
  Place(std::initializer_list<int64_t> indices) {
    for (int64_t k : indices) add(k);
  }
  // The k-th element of an array[...][inner extents].
  Place(int64_t k, std::initializer_list<int64_t> inner) {
    int64_t size = 1;
    for (int64_t extent : inner) size *= extent;
    add(k / size);
    for (int64_t extent : inner) add(k % size / (size / extent)), size /= extent;
  }
  const char *text() const { return text_; }

 private:
  void add(int64_t k) { length_ += static_cast<std::size_t>(std::snprintf(text_ + length_, sizeof text_ - length_, "[%lld]", llong{k})); }
  char text_[128] = {ATP_AT[0]};
  std::size_t length_ = 1;
};

// values[n], or values[...][inner extents] of n numbers.
template <class Real>
void require_finite(const Real *values, int64_t n, const char *name, std::initializer_list<int64_t> inner = {}) {
  for (int64_t k = 0; k < n; ++k)
    if (!std::isfinite(values[k]))
      fail(ATP_E_NOT_FINITE, "%s%s is %g, must be finite", name, Place(k, inner).text(), static_cast<double>(values[k]));
}

// Finite numbers in lowest..highest.
inline void require_reals(const double *values, int64_t n, double lowest, double highest, const char *name,
                          std::initializer_list<int64_t> inner = {}) {
  require_finite(values, n, name, inner);
  for (int64_t k = 0; k < n; ++k)
    if (values[k] < lowest || values[k] > highest)
      fail(ATP_E_VALUE, "%s%s is %g, must be in %g..%g", name, Place(k, inner).text(), values[k], lowest, highest);
}

// Sites, values[n].
inline void require_sites(const int64_t *values, int64_t n, int64_t sites, const char *name, std::initializer_list<int64_t> inner = {}) {
  for (int64_t k = 0; k < n; ++k)
    if (values[k] < 0 || values[k] >= sites)
      fail(ATP_E_VALUE, "%s%s is " ATP_INDEX ", must be in " ATP_INDEX ".." ATP_INDEX, name, Place(k, inner).text(), llong{values[k]},
           llong{0}, llong{sites - 1});
}

// values[n][sites] < colors, or ATP_MISSING where that is allowed.
inline void require_colors(const uint8_t *values, int64_t n, int64_t sites, int64_t colors, const char *name, bool missing = false) {
  for (int64_t k = 0, end = product_of(n, sites); k < end; ++k)
    if (values[k] >= colors && !(missing && values[k] == ATP_MISSING))
      fail(ATP_E_ALPHABET, "%s" ATP_AT2 " is %d%s, must be below the %lld colours%s", name, llong{k / sites}, llong{k % sites}, values[k],
           values[k] == ATP_MISSING ? " (-1 as a byte, or ATP_MISSING)" : "", llong{colors}, missing ? ", or ATP_MISSING" : "");
}

// Copies numbers out after a check of the size.
inline void copy_out(Span<const double> from, double *to, int64_t size) {
  require_size(size, from.size(), "size");
  std::copy(from.begin(), from.end(), to);
}

}  // namespace atp
