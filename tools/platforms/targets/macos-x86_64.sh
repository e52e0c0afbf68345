# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154  # read and set by tools/platforms/platforms.sh
title='macOS, x86_64'
processor=x86_64
zig_target=x86_64-macos
# shellcheck disable=SC1091  # checked without it
. tools/platforms/targets/macos.inc
