// SPDX-License-Identifier: MIT
// The one function of gfortran's run time that LAPACK's routines call: a // b, cut or filled with blanks to the length of the result.
#include <stdint.h>
#include <string.h>

void _gfortran_concat_string(int64_t length, char *result, int64_t bytes_a, const char *a, int64_t bytes_b, const char *b);

void _gfortran_concat_string(int64_t length, char *result, int64_t bytes_a, const char *a, int64_t bytes_b, const char *b) {
  const int64_t first = bytes_a < length ? bytes_a : length;
  const int64_t second = bytes_b < length - first ? bytes_b : length - first;
  memcpy(result, a, (size_t)first);
  memcpy(result + first, b, (size_t)second);
  memset(result + first + second, ' ', (size_t)(length - first - second));
}
