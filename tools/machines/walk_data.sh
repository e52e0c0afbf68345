#!/bin/sh
# SPDX-License-Identifier: MIT
# Files that the commands of README.md, docs/building.md, docs/presets.md and the bindings' READMEs name, for those who run the pages.
# usage: tools/machines/walk_data.sh (in the folder where the commands run)
set -eu
examples=$(dirname "$0")/../../examples
cp "$examples/family.fasta" family.fasta
# The name by which a command finds its focus, here a sequence without gaps.
awk 'BEGIN { RS = ">"; FS = "\n" }
  NR > 1 {
    residues = ""
    for (k = 2; k <= NF; k++) residues = residues $k
    name = $1
    if (!focus && residues !~ /-/) { name = "DYR_ECOLI"; focus = 1 }
    print ">" name "\n" residues
  }
  END { exit !focus }' family.fasta > DHFR.a2m
cp "$examples/c/quickstart.c" my.c
cp "$examples/fortran/quickstart.f90" program.f90
cat > my_files.c <<'PROGRAM'
#include <attopotts_io.h>

#include <stdio.h>

int main(void) {
  atp_context *context = NULL;
  atp_alignment *family = NULL;
  char text[512];
  if (atp_context_create(NULL, NULL, NULL, &context) != ATP_OK ||
      atp_alignment_read(context, "family.fasta", "protein", NULL, &family) != ATP_OK) {
    atp_last_error(text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return 1;
  }
  printf("%lld sequences of %lld sites\n", (long long)atp_alignment_count(family), (long long)atp_alignment_sites(family));
  atp_alignment_destroy(family);
  atp_context_destroy(context);
  return 0;
}
PROGRAM
# Distances of a chain, for the models of the READMEs' languages.
awk 'BEGIN { for (i = 1; i < 10; i++) for (j = i + 1; j <= 10; j++) print i, j, 4 * (j - i) }' > distances.txt
