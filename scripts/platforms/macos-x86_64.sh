# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154  # read and set by scripts/platforms.sh
title='macOS, x86_64'
how='built, not run'
zig_target=x86_64-macos
# shellcheck disable=SC1091  # checked without it
. scripts/platforms/zig.inc
tools="$tools file"
options='-Dcli=enabled'
suites=''
extra_targets='cli/attopotts examples/quickstart_c examples/quickstart_cpp'

prepare() { zig_prepare; }
check_more() { check_linked 'Mach-O 64-bit x86_64 executable' ''; }
