# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154  # read and set by tools/platforms/platforms.sh
title='aarch64, glibc (NEON)'
how='under qemu-aarch64'
architecture=arm64 triplet=aarch64-linux-gnu prefix=aarch64-linux-gnu cpu_family=aarch64 endian=little emulator=qemu-aarch64
# shellcheck disable=SC1091  # checked without it
. tools/platforms/targets/debian.inc
tools="$prefix-g++ $prefix-gfortran $emulator"
hint='tools/machines/install-deps.sh --cross'
compiler="$prefix-g++ --version"
options='-Dcli=disabled -Dthreads=enabled -Dhdf5=enabled -Dfortran=enabled'
# The step cross of ./check.sh --all; --slow adds the rest.
suites='kernel'
slow_suites='unit api slow-emulated statistics theory'
extra_targets='libattopotts.a examples/quickstart_c examples/quickstart_cpp examples/quickstart_fortran'
emulated=yes
patience=20

prepare() { debian_prepare; }

# Boards without the cryptography extension run these kernels: they may have fused multiply-adds of vectors, but no AES.
check_built() {
  $prefix-objdump -d "$build/libattopotts.a" > "$build/code.txt"
  grep -q 'fmla.*v[0-9]*\.4s' "$build/code.txt" || die "found no vector instruction in the library, so the next check would prove nothing"
  ! grep -E '\<(aes(e|d|mc|imc)|pmull2?|sha(1|256|512))' "$build/code.txt" || die "the library contains instructions that some boards lack"
}

check_more() { check_quickstarts; }
