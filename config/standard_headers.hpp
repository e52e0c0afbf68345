// SPDX-License-Identifier: MIT
// Precompiled with -Dcold_build=true, see docs/decisions/house.md. Sources still include what they use: other builds go without it.
// What most files of the libraries include comes after the standard headers.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/arena.hpp"
#include "base/context.hpp"
#include "base/options.hpp"
#include "base/philox.hpp"
#include "base/progress.hpp"
#include "base/table.hpp"
#include "base/team.hpp"
