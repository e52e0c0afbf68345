# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154  # read and set by tools/platforms/platforms.sh
title='s390x, glibc (big endian, scalar)'
how='under qemu-s390x, optimisation 1'
architecture=s390x triplet=s390x-linux-gnu prefix=s390x-linux-gnu cpu_family=s390x endian=big emulator=qemu-s390x
# shellcheck disable=SC1091  # checked without it
. tools/platforms/targets/debian.inc
tools="$prefix-g++ $emulator"
compiler="$prefix-g++ --version"
options='-Dcli=disabled -Dthreads=enabled -Dhdf5=enabled -Dfortran=disabled -Doptimization=1'
suites=''
tests=$byte_tests
slow_suites='unit api'
extra_targets='libattopotts.a examples/quickstart_c examples/quickstart_cpp'
emulated=yes
patience=20

prepare() { debian_prepare; }
check_more() { check_quickstarts; }
