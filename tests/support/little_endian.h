/* SPDX-License-Identifier: MIT */
/* Numbers as files and saved states hold them, on machines of either byte order. */
#ifndef ATTOPOTTS_TEST_LITTLE_ENDIAN_H
#define ATTOPOTTS_TEST_LITTLE_ENDIAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Copies the n bytes of one number, least significant first in `to` or, the way back, in `from`. */
static inline void copy_number(void *to, const void *from, size_t n) {
  const uint16_t one = 1;
  const unsigned char little = *(const unsigned char *)&one;
  unsigned char *out = to;
  for (size_t k = 0; k < n; ++k) out[k] = ((const unsigned char *)from)[little ? k : n - 1 - k];
}

#endif
