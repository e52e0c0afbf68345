# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154  # read and set by tools/platforms/platforms.sh
title='riscv64, musl, profile tiny, scalar kernels'
how='under qemu-riscv64'
zig_target=riscv64-linux-musl
# shellcheck disable=SC1091  # checked without it
. tools/platforms/targets/zig.inc
tools="$tools qemu-riscv64"
options='-Dprofile=tiny'
suites='kernel api'
slow_suites='unit slow-emulated'
extra_targets='libattopotts.a examples/quickstart_c examples/quickstart_cpp'
emulated=yes
patience=20

prepare() { zig_prepare; }
check_more() {
  if python3 examples/same_numbers.py "qemu-riscv64 $build/examples/quickstart_c" "qemu-riscv64 $build/examples/quickstart_cpp"; then
    checked quickstarts passed 'the bits of x86-64'
  else
    checked quickstarts failed 'other numbers than on x86-64'
  fi
}
