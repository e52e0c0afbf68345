#!/bin/sh
# SPDX-License-Identifier: MIT
# Print libdir=DIRECTORY for meson.build where Meson alone would choose a folder in which nothing looks. usage: config/libdir.sh
# Without dpkg-architecture (of dpkg-dev) Meson takes a Debian machine for one with lib64. There pkg-config and ldconfig look in lib and
# in lib/MULTIARCH, which is what Meson takes with dpkg-architecture. Prints nothing elsewhere: Meson's own choice is right.
# ATP_ROOT: look below this folder instead of /, for tests.
[ -e "${ATP_ROOT-}/etc/debian_version" ] || exit 0
! command -v dpkg-architecture > /dev/null || exit 0
# shellcheck disable=SC2086  # CC may have arguments
multiarch=$(${CC:-cc} -print-multiarch 2> /dev/null)
if [ -n "$multiarch" ] && [ -d "${ATP_ROOT-}/usr/lib/$multiarch" ]; then
  echo "libdir=lib/$multiarch"
else
  echo libdir=lib
fi
