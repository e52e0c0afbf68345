// SPDX-License-Identifier: MIT
#pragma once

#include "handles.hpp"

#include "sample/sampling.hpp"

#include <attopotts/sampling.h>

namespace atp {

ATP_OWNED_HANDLE(atp_sampling, Sampling)

}  // namespace atp
