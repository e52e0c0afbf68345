# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154  # read and set by tools/platforms/platforms.sh
title='macOS, arm64'
processor=arm64
zig_target=aarch64-macos
# shellcheck disable=SC1091  # checked without it
. tools/platforms/targets/macos.inc
