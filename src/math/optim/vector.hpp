// SPDX-License-Identifier: MIT
// Vectors of parameters, and references to functions of them. Sums run in a fixed order, the same for every number of threads and on every
// machine.
#pragma once

#include "base/span.hpp"

#include <cmath>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

namespace atp {

// Eight partial sums, added as a tree.
inline double dot(Span<const double> x, Span<const double> y) {
  double sums[8] = {};
  const double *a = x.data(), *b = y.data();
  const int64_t n = x.size();
  int64_t k = 0;
  for (; k + 8 <= n; k += 8)
    for (int j = 0; j < 8; ++j) sums[j] += a[k + j] * b[k + j];
  for (int j = 0; k < n; ++k, ++j) sums[j] += a[k] * b[k];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

inline double norm(Span<const double> x) { return std::sqrt(dot(x, x)); }

// y += c x
inline void add_scaled(double c, Span<const double> x, Span<double> y) {
  const double *a = x.data();
  double *b = y.data();
  for (int64_t k = 0; k < x.size(); ++k) b[k] += c * a[k];
}

inline void copy(Span<const double> from, Span<double> to) {
  if (!from.empty()) std::memcpy(to.data(), from.data(), static_cast<std::size_t>(from.size()) * sizeof(double));
}

inline void fill(Span<double> x, double value) {
  for (double &v : x) v = value;
}

inline bool all_finite(Span<const double> x) {
  for (double v : x)
    if (!std::isfinite(v)) return false;
  return true;
}

// References to callables, for the time of a call; std::function may allocate.
template <class Signature>
class FunctionRef;

template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, FunctionRef>>>
  FunctionRef(F &&f)  // NOLINT: converts on purpose
      : self_(const_cast<void *>(static_cast<const void *>(std::addressof(f)))), call_([](void *self, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<F> *>(self))(std::forward<Arguments>(arguments)...);
        }) {}
  Result operator()(Arguments... arguments) const { return call_(self_, std::forward<Arguments>(arguments)...); }

 private:
  void *self_;
  Result (*call_)(void *, Arguments...);
};

}  // namespace atp
