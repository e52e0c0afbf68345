// SPDX-License-Identifier: MIT
#pragma once

#include "handles.hpp"

#include "sample/sampler.hpp"

#include <attopotts/sampler.h>

namespace atp {

ATP_OWNED_HANDLE(atp_sampler, Sampler)

}  // namespace atp
