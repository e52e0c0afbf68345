# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154  # read and set by tools/platforms/platforms.sh
title='x86-64, musl, static (libc++)'
how='natively'
zig_target=x86_64-linux-musl
# shellcheck disable=SC1091  # checked without it
. tools/platforms/targets/zig.inc
options='-Dcli=enabled'
slow_suites='cli slow-emulated statistics theory slow'
extra_targets='cli/attopotts examples/quickstart_c examples/quickstart_cpp'
patience=4

prepare() {
  [ "$(uname -m)" = x86_64 ] || skip "its programs run on x86-64 alone"
  zig_prepare
}
check_built() { ! readelf -d "$build/cli/attopotts" | grep -q NEEDED || die "the program is not static"; }
