#!/bin/sh
# SPDX-License-Identifier: MIT
# Contacts and model of one family. The same command continues a run that was interrupted.
# usage: family.sh FAMILY.fasta [THREADS]
set -eu
name=$(basename "$1" .fasta)
mkdir -p results
resume=
[ ! -f "results/$name.state" ] || resume=--resume
exec attopotts contacts "$1" --alphabet protein --theta 0.2 --epochs 200 --threads "${2:-1}" --quiet \
  --checkpoint "results/$name.state" $resume --model-out "results/$name.h5" --csv "results/$name.csv"
