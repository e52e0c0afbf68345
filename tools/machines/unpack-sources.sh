#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpack the sources of Debian packages, with Debian's patches, into a folder. Changes nothing outside that folder and needs no root.
# usage: tools/machines/unpack-sources.sh FOLDER PACKAGE...
# FOLDER/NAME-VERSION receives each. What is there already stays.
set -eu

die() {
  echo "unpack-sources.sh: $*" >&2
  exit 1
}

case ${1-} in --help | -h) sed -n '3,/^[^#]/s/^# //p' "$0"; exit 0 ;; esac
[ $# -ge 2 ] || die "expected FOLDER PACKAGE..."
for tool in apt-get dpkg-source; do
  command -v "$tool" > /dev/null || die "$tool is missing; this script needs Debian or Ubuntu"
done
mkdir -p "$1/lists/partial" "$1/parts"
cd "$1"
shift
for package in "$@"; do
  [ ! -e "done-$package" ] || continue
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list; do
    [ ! -f "$file" ] || sed -e 's/^Types: deb$/Types: deb-src/; s/^deb /deb-src /' "$file" > "parts/$(basename "$file")"
  done
  options="-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$PWD/parts -o Dir::State::lists=$PWD/lists -o APT::Sandbox::User=$(id -un)"
  # shellcheck disable=SC2086  # a list
  [ -n "$(find lists -name '*Sources*' -print -quit)" ] || apt-get $options -q update
  # shellcheck disable=SC2086  # a list
  apt-get $options -q source "$package"
  : > "done-$package"
done
