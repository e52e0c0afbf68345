#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes family.fasta and distances.txt: samples of a model of 40 sites whose couplings are a contact map of a helix and two strands.
# usage: examples/family.sh ATTOPOTTS          writes both beside this script
#        examples/family.sh --check ATTOPOTTS  compares them with what it would write; status 1 where they differ
set -eu
here=$(cd "$(dirname "$0")" && pwd)
check=
case ${1:-} in
  --check) check=yes; shift ;;
  --help | -h) sed -n '3,/^[^#]/s/^# //p' "$0"; exit 0 ;;
esac
[ $# -eq 1 ] || { sed -n '4,5s/^# //p' "$0" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Contacts: i, i + 4 in the helix 2..16; pairs of the strands 21..28 and 32..39; five pairs between helix and strand.
awk -v couplings="$work/couplings.txt" -v distances="$work/distances.txt" '
  function touch(i, j) { contact[i, j] = contact[j, i] = 1 }
  BEGIN {
    sites = 40
    for (i = 2; i <= 12; i++) touch(i, i + 4)
    for (k = 0; k < 8; k++) touch(21 + k, 39 - k)
    for (k = 0; k < 5; k++) touch(3 + 3 * k, 28 - k)
    for (i = 1; i <= sites; i++) {
      line = ""
      for (j = 1; j <= sites; j++) line = line (j > 1 ? " " : "") ((i, j) in contact ? 1 : 0)
      print line > couplings
      for (j = i + 1; j <= sites; j++) print i, j, ((i, j) in contact ? 6 : 12) > distances
    }
  }'
"$1" sample --couplings "$work/couplings.txt" --colors 21 --color-matrix gaussian --alphabet protein --beta 1 --protocol chain --chains 50 --thin 50 \
  --samples 500 --seed 7 --quiet -o "$work/family.fasta"
for name in family.fasta distances.txt; do
  if [ -z "$check" ]; then
    mv "$work/$name" "$here/$name"
  else
    cmp "$work/$name" "$here/$name"
  fi
done
