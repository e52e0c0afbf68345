#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpack Debian packages, with everything that they depend on, into a folder. Changes nothing outside that folder and needs no root.
# usage: tools/machines/unpack-packages.sh [--arch ARCHITECTURE] [--suite SUITE] FOLDER PACKAGE...
# ARCHITECTURE and SUITE default to those of the machine; a SUITE is looked for where the machine's own sources point.
# FOLDER/root receives the files; FOLDER/apt keeps package lists and downloads, so that a second call is quick.
# Maintainer scripts do not run: links that update-alternatives would make are missing.
set -eu

die() {
  echo "unpack-packages.sh: $*" >&2
  exit 1
}

architecture=
suite=
while [ $# -gt 0 ]; do
  case $1 in
    --arch) architecture=${2-} && shift 2 || die "--arch needs a value" ;;
    --suite) suite=${2-} && shift 2 || die "--suite needs a value" ;;
    --help | -h)
      sed -n '3,/^[^#]/s/^# //p' "$0"
      exit 0
      ;;
    -*) die "unknown option '$1', expected --arch or --suite" ;;
    *) break ;;
  esac
done
[ $# -ge 2 ] || die "expected FOLDER PACKAGE..."
for tool in apt-get dpkg-deb; do
  command -v "$tool" > /dev/null || die "$tool is missing; this script needs Debian or Ubuntu"
done
[ -n "$architecture" ] || architecture=$(dpkg --print-architecture)

mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
state=$folder/apt
root=$folder/root
mkdir -p "$state/lists/partial" "$state/archives/partial" "$state/sources" "$root"
: > "$state/status"
rm -f "$state"/sources/*

# The machine's sources, of another suite where one is asked for. Only main: its updates live elsewhere.
if [ -n "$suite" ]; then
  # shellcheck disable=SC1091
  release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list; do
    [ -f "$file" ] || continue
    grep -q "\b$release\b" "$file" || continue
    sed -e "s/^\(Suites:\).*\b$release\b.*/\1 $suite/; s/^\(deb.*\) $release /\1 $suite /; /^deb.*$release-/d" "$file" > "$state/sources/$(basename "$file")"
  done
else
  cp /etc/apt/sources.list "$state/sources/" 2> /dev/null || true
  cp /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list "$state/sources/" 2> /dev/null || true
fi

apt() {
  LC_ALL=C apt-get -q -o Acquire::Retries=3 -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" \
    -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$state/sources" -o Dir::Etc::preferences=/dev/null \
    -o Dir::Etc::preferencesparts=/dev/null -o Dir::State="$state" -o Dir::State::lists="$state/lists" \
    -o Dir::State::status="$state/status" -o Dir::State::extended_states="$state/extended_states" -o Dir::Cache="$state" \
    -o Dir::Cache::archives="$state/archives" -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=1 \
    -o APT::Install-Recommends=false "$@"
}

echo "unpack-packages.sh: $architecture packages into $root: $*"
apt update > "$state/log" 2>&1 || tail -n 3 "$state/log" >&2
apt install -y --download-only "$@" > "$state/log" 2>&1 || {
  tail -n 20 "$state/log" >&2
  die "these packages cannot be downloaded: $*"
}
for package in "$state"/archives/*.deb; do
  mark=$state/unpacked-$(basename "$package" .deb)
  [ ! -e "$mark" ] || continue
  dpkg-deb -x "$package" "$root"
  : > "$mark"
done
