// SPDX-License-Identifier: MIT
// The exception class of the core: a public status and a complete text. It never crosses the C boundary.
#pragma once

#include <attopotts/status.h>

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace atp {

// Marks what libattopotts_io calls of the core beside the public API. The core exports it under the version node
// ATTOPOTTS_PRIVATE_<version> (capi/attopotts.map.in). The two libraries must have the same version; the dynamic linker refuses others.
// tests/symbols/check_exports.py compares the marks with what libattopotts_io calls.
#define ATP_FOR_IO __attribute__((visibility("default")))

using llong = long long;  // for %lld

// A place in an array and an index in the format of a text: "%s" ATP_AT2 " is " ATP_INDEX. They count from 0 in C's order, values[4][2];
// languages whose arrays run the other way and count from 1 get the same text with values(3, 5), and every ATP_INDEX larger by one.
#define ATP_INDEX "\x01%lld"
#define ATP_AT "\x01[%lld]"
#define ATP_AT2 "\x01[%lld][%lld]"

// The text keeps these marks until it leaves the library, through other texts that quote it, too.
class ATP_FOR_IO Error : public std::exception {
 public:
  Error(atp_status status, const char *text) noexcept;
  const char *what() const noexcept override { return text_; }
  atp_status status() const noexcept { return status_; }

 private:
  atp_status status_;
  char text_[512];
};

// Throws an Error. The text names the argument, its value and the expected value.
[[noreturn]] ATP_FOR_IO void fail(atp_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Sets the calling thread's last error, without allocating.
ATP_FOR_IO void set_last_error(const char *text) noexcept;
const char *last_error() noexcept;

// How an error text counts: as C does, or from one and in the order of Fortran.
enum class Counting { from_zero, from_one };
// Copies a text without its marks, as atp_last_error() does; returns its length.
int64_t copy_error_text(const char *text, Counting counting, char *buffer, int64_t size) noexcept;

// Texts with numbers that have a decimal point, whatever locale the host has set.

// snprintf and vsnprintf in the locale "C".
int format_text(char *text, std::size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
ATP_FOR_IO int format_list(char *text, std::size_t size, const char *format, va_list arguments) __attribute__((format(printf, 3, 0)));

}  // namespace atp
