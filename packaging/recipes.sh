#!/bin/sh
# SPDX-License-Identifier: MIT
# Fill in the recipes of package collections: version, address and checksum of a tarball. usage: packaging/recipes.sh TARBALL URL FOLDER
# The recipes in packaging/recipes have @VERSION@, @URL@, @SHA256@ and @SHA512@ in their place.
set -eu
usage() { sed -n '3,/^[^#]/s/^# //p' "$0"; exit "$1"; }
case ${1-} in -h | --help) usage 0 ;; -*) usage 2 >&2 ;; esac
[ $# = 3 ] || usage 2 >&2
[ -f "$1" ] && [ -r "$1" ] || { echo "recipes.sh: cannot read $1, expected a tarball" >&2; exit 2; }
recipes=$(cd "$(dirname "$0")/recipes" && pwd)
version=$(basename "$1" .tar.gz)
version=${version#attopotts-}
sha256=$(sha256sum "$1" | cut -d ' ' -f 1)
sha512=$(sha512sum "$1" | cut -d ' ' -f 1)
url=$(printf '%s' "$2" | sed 's/[\\&|]/\\&/g')
(cd "$recipes" && find . -type f ! -name README.md) | while read -r file; do
  mkdir -p "$3/$(dirname "$file")"
  sed -e "s|@VERSION@|$version|g; s|@URL@|$url|g; s|@SHA256@|$sha256|g; s|@SHA512@|$sha512|g" "$recipes/$file" > "$3/$file"
done
