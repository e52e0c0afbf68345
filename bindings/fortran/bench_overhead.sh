#!/bin/sh
# SPDX-License-Identifier: MIT
# What the Fortran modules cost: site updates per second of processor time in calls of 100 sweeps (L = q = 20, 64
# chains, one thread) beside the same loop in C.
# Needs an installed library (PKG_CONFIG_PATH, LD_LIBRARY_PATH). usage: bindings/fortran/bench_overhead.sh [ROUNDS]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
flags=$(pkg-config --cflags --libs attopotts)
sources=$(sed -n "s/^  '\(attopotts.*\.f90\)',$/\1/p" "$here/meson.build")
# shellcheck disable=SC2046,SC2086  # lists of files and flags
gfortran -O2 -fopenmp $(for name in $sources; do echo "$here/$name"; done) "$here/bench_overhead.f90" \
  -o from_fortran $flags
# shellcheck disable=SC2086
${CC:-cc} -O2 "$here/bench_overhead.c" -o from_c $flags
round=0
while [ "$round" -lt "${1:-5}" ]; do
  ./from_c >> c
  ./from_fortran >> fortran
  round=$((round + 1))
done
c=$(sort -g c | tail -n 1)
fortran=$(sort -g fortran | tail -n 1)
ratio=$(awk -v a="$fortran" -v b="$c" 'BEGIN { printf "%.3f", a / b }')
echo "site updates/s: C $c, Fortran $fortran, ratio $ratio"
