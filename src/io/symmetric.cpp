// SPDX-License-Identifier: MIT
#include "io/symmetric.hpp"

#include "alignment/text.hpp"

#include <algorithm>

namespace atp {

namespace {

constexpr int64_t kMostTimes = 64, kAlwaysAllowed = int64_t{1} << 30;  // bytes of a model per byte of its file

}  // namespace

void warn_asymmetric(const Context &context, const Model &model, const char *path) {
  if (!model.symmetric())
    context.message(ATP_LOG_WARNING,
                    "%s: the couplings are not symmetric; (C_ij(a, b) + C_ji(b, a)) / 2 is written, which keeps energies "
                    "and changes conditionals",
                    ShownPath(path).text);
}

void check_proportion(const Text &file, int64_t L, int64_t q) {
  const int64_t size = file.bytes.size(), needed = 8 * (L * q) * (L * q);  // L q is below 2^24
  const int64_t most = std::max(kAlwaysAllowed, size > INT64_MAX / kMostTimes ? INT64_MAX : kMostTimes * size);
  if (needed > most)
    fail(ATP_E_TOO_LARGE,
         "%s: %lld bytes name so few couplings that a model of %lld sites and %lld colours would take %lld bytes, at most %lld are allowed",
         file.label, static_cast<long long>(size), static_cast<long long>(L), static_cast<long long>(q), static_cast<long long>(needed),
         static_cast<long long>(most));
}

}  // namespace atp
