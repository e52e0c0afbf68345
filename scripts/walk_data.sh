#!/bin/sh
# SPDX-License-Identifier: MIT
# Files that the READMEs' commands name, for the walk of fresh-machine.sh; the alignments are samples of the program itself.
# usage: scripts/walk_data.sh (in the folder where the commands run, with attopotts in PATH or in build/cli)
set -eu
PATH=$PATH:build/cli
attopotts sample --sites 30 --colors 21 --couplings gaussian --beta 2 --alphabet protein --protocol chain --chains 20 --thin 100 --samples 400 --seed 2 --quiet \
  -o family.fasta
# Names by which the READMEs' commands find a sequence, here one without gaps.
awk 'BEGIN { RS = ">"; FS = "\n" }
  NR > 1 {
    residues = ""
    for (k = 2; k <= NF; k++) residues = residues $k
    name = $1
    if (!focus && residues !~ /-/) { name = "DYR_ECOLI"; focus = 1 }
    print ">" name "\n" residues
  }
  END { exit !focus }' family.fasta > DHFR.a2m
examples=$(dirname "$0")/../examples
cp "$examples/c/quickstart.c" my.c
cp "$examples/fortran/quickstart.f90" program.f90
