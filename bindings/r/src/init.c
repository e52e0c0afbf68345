/* SPDX-License-Identifier: MIT */
#include "glue.h"

#include "entries.h"

#include <R_ext/Visibility.h>

#define ENTRY(name, count) {#name, (DL_FUNC)&r_##name, count},
static const R_CallMethodDef entries[] = {ENTRIES{NULL, NULL, 0}};
#undef ENTRY

void attribute_visible R_init_attopotts(DllInfo *library) {
  R_registerRoutines(library, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(library, FALSE);
  R_forceSymbols(library, TRUE);
  define_saved(library);
}
