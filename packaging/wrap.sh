#!/bin/sh
# SPDX-License-Identifier: MIT
# Print a wrap file: attopotts as a subproject of another Meson project. usage: packaging/wrap.sh TARBALL [URL]
# Save it as subprojects/attopotts.wrap. Without a URL the tarball goes to subprojects/packagefiles. dependency('attopotts') and
# dependency('attopotts-io') then find the subproject where the system has no library.
set -eu
usage() { sed -n '3,/^[^#]/s/^# //p' "$0"; exit "$1"; }
case ${1-} in -h | --help) usage 0 ;; -*) usage 2 >&2 ;; esac
[ $# = 1 ] || [ $# = 2 ] || usage 2 >&2
[ -f "$1" ] && [ -r "$1" ] || { echo "wrap.sh: cannot read $1, expected a tarball" >&2; exit 2; }
name=$(basename "$1")
hash=$(sha256sum "$1" | cut -d ' ' -f 1)
echo '[wrap-file]'
echo "directory = ${name%.tar.gz}"
[ $# = 1 ] || echo "source_url = $2"
echo "source_filename = $name"
echo "source_hash = $hash"
echo
echo '[provide]'
echo 'dependency_names = attopotts, attopotts-io, attopotts-mpi'
