# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154  # read and set by tools/platforms/platforms.sh
title='armv7 hard float, glibc (VFPv4, scalar)'
how='under qemu-arm'
architecture=armhf triplet=arm-linux-gnueabihf prefix=arm-linux-gnueabihf cpu_family=arm endian=little emulator=qemu-arm
# shellcheck disable=SC1091  # checked without it
. tools/platforms/targets/debian.inc
tools="$prefix-g++ $emulator"
compiler="$prefix-g++ --version"
# Debian's own baseline has no fused multiply-add: std::fma would be a function of the C library, with the same numbers.
machine_flags='-mfpu=neon-vfpv4'
options='-Dcli=disabled -Dthreads=enabled -Dhdf5=enabled -Dfortran=disabled'
# And what depends on the width of sizes and of long double; --slow adds the rest.
suites='kernel'
tests="$byte_tests unit-checked unit-convex_loss unit-enumerate unit-masks unit-parse_real unit-team api-large api-null api-options"
slow_suites='unit api slow-emulated statistics theory'
extra_targets='libattopotts.a examples/quickstart_c examples/quickstart_cpp'
emulated=yes
patience=20

prepare() { debian_prepare; }
check_more() { check_quickstarts; }
