// SPDX-License-Identifier: MIT
// Texts with numbers that have a decimal point, whatever locale the host has set.
#pragma once

#include "base/for_io.hpp"

#include <cstdarg>
#include <cstddef>

namespace atp {

// snprintf and vsnprintf in the locale "C".
int format_text(char *text, std::size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
ATP_FOR_IO int format_list(char *text, std::size_t size, const char *format, va_list arguments) __attribute__((format(printf, 3, 0)));

}  // namespace atp
