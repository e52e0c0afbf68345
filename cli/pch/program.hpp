// SPDX-License-Identifier: MIT
// Precompiled for all files of the program: headers of templates that most of them read, and that take most of their time.
// Files include what they use all the same; builds with -Db_pch=false see that they do.
#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>
