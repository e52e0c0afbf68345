# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154  # read and set by tools/platforms/platforms.sh
title='i686, glibc (SSE4)'
how='natively, with its own loader and libraries'
architecture=i386 triplet=i386-linux-gnu prefix=i686-linux-gnu cpu_family=x86 endian=little emulator=''
# shellcheck disable=SC1091  # checked without it
. tools/platforms/targets/debian.inc
tools="$prefix-g++"
compiler="$prefix-g++ --version"
options='-Dcli=disabled -Dthreads=enabled -Dhdf5=enabled -Dfortran=disabled'
suites='unit kernel api statistics theory slow-emulated'
slow_suites='slow'
extra_targets='libattopotts.a examples/quickstart_c examples/quickstart_cpp'
patience=4

prepare() {
  case $(uname -m) in
    x86_64 | i?86) ;;
    *) skip "its programs run on x86 alone" ;;
  esac
  debian_prepare
}
# Highway builds SSE4 alone for 32 bits, which has no fused multiply-add; the scalar kernels have.
check_more() { ATP_SIMD=scalar check_quickstarts; }
