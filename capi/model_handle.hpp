// SPDX-License-Identifier: MIT
#pragma once

#include "handles.hpp"

#include "model/model.hpp"

#include <attopotts/model.h>

namespace atp {

ATP_HANDLE(atp_model, Model)

// The context of a handle that may be NULL.
inline Context *context_of(const atp_model *model) { return model == nullptr ? nullptr : core(model)->context; }

// values[n][sites] < colors, or ATP_MISSING.
inline void require_colors_or_missing(const uint8_t *values, int64_t n, int64_t sites, int64_t colors, const char *name) {
  for (int64_t k = 0; k < n * sites; ++k)
    if (values[k] >= colors && values[k] != ATP_MISSING)
      fail(ATP_E_ALPHABET, "%s[%lld][%lld] is %d, must be below the %lld colours, or ATP_MISSING", name, static_cast<long long>(k / sites),
           static_cast<long long>(k % sites), values[k], static_cast<long long>(colors));
}

}  // namespace atp
