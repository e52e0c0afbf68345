// SPDX-License-Identifier: MIT
#pragma once

#include "handles.hpp"

#include "gibbs/sampler.hpp"

#include <attopotts/sampler.h>

namespace atp {

ATP_HANDLE(atp_sampler, Sampler)

// The context of a handle that may be NULL.
inline Context *context_of(const atp_sampler *sampler) { return sampler == nullptr ? nullptr : core(sampler)->context; }

}  // namespace atp
