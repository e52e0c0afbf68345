/* SPDX-License-Identifier: MIT */
/* A locale with a decimal comma, German, which is compiled into a folder of its own where the machine has none. */
#pragma once

#include "support.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* Sets it for the whole program; skips the test where it cannot be had. setlocale(LC_ALL, "C") goes back. */
static inline void set_comma_locale(void) {
  if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
    char folder[] = "locales-XXXXXX", command[128];
    if (mkdtemp(folder) == NULL) fail_msg("no folder for a locale");
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
    const int compiled = system(command) == 0;
    setenv("LOCPATH", folder, 1);
    const int set = compiled && setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0) print_error("%s is left\n", folder);
    if (!set) skip_because("there is no German locale, and no localedef that makes one");
  }
  char text[16];
  snprintf(text, sizeof text, "%.1f", 0.5);
  assert_string_equal(text, "0,5");
}
