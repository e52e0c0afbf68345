#!/bin/sh
# SPDX-License-Identifier: MIT
# The demo on a fresh Debian 12 machine: install missing packages, build in ./build, run `attopotts demo`.
# usage: ./demo.sh [arguments of `attopotts demo`; default --output demo-out]
set -eu
cd "$(dirname "$0")"
tools/machines/install-deps.sh --build || echo 'demo.sh: going on with what is installed; docs/building.md says what a build needs and what can be left out' >&2
[ -f build/build.ninja ] || meson setup build -Dcold_build=true
ninja -C build cli/attopotts  # not the tests, where their packages are installed
[ $# -gt 0 ] || set -- --output demo-out
exec build/cli/attopotts demo "$@"
