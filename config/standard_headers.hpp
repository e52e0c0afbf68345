// SPDX-License-Identifier: MIT
// Precompiled with -Dcold_build=true, see docs/decisions/house.md. Sources still include what they use: other builds go without it.
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
