#!/bin/sh
# SPDX-License-Identifier: MIT
# Make everything that a release brings, from the last commit: tarball, wrap file, packages, recipes, notes and checksums.
# usage: tools/release/release.sh [--snapshot] [--url URL] [--only PARTS] [--twice] FOLDER
#   FOLDER        new or empty
#   --snapshot    also where the newest section of CHANGELOG.md has no date, or files are changed (the changes are not in it)
#   --url URL     the folder where the tarball will be published, for the wrap file and the recipes; default: a name that nobody has
#   --only PARTS  packages to make, several with commas between: r, wheel, aarch64 (its wheel), deb; "none": no packages. Default: all
#   --twice       make all again from another folder and compare every byte
# Packages are built from the unpacked tarball, with the time of the commit as SOURCE_DATE_EPOCH. See RELEASING.md.
set -eu
die() { echo "release.sh: $*" >&2; exit 2; }

snapshot='' twice='' parts=r,wheel,aarch64,deb url=https://example.org/attopotts folder=
while [ $# -gt 0 ]; do
  case $1 in
    --snapshot) snapshot=yes ;;
    --twice) twice=yes ;;
    --url) url=${2:?--url needs an address}; shift ;;
    --only) parts=${2:?--only needs names}; shift ;;
    --help | -h) sed -n '3,/^[^#]/s/^# //p' "$0"; exit 0 ;;
    -*) die "unknown argument '$1', expected --snapshot, --url, --only, --twice or a folder" ;;
    *) [ -z "$folder" ] || die "'$1' is a second folder"; folder=$1 ;;
  esac
  shift
done
[ -n "$folder" ] || die 'expected a folder'
for part in $(echo "$parts" | tr , ' '); do
  case $part in r | wheel | aarch64 | deb | none) ;; *) die "--only: there is no part '$part', expected r, wheel, aarch64, deb or none" ;; esac
done
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[ -z "$(ls -A "$folder")" ] || die "$folder is not empty"

cd "$(dirname "$0")/../.."
version=$(tools/release/release_version.py show)
if [ -z "$snapshot" ]; then
  tools/release/release_version.py check || die "not ready (--snapshot makes the packages all the same)"
  [ -z "$(git status --porcelain --untracked-files=no)" ] || die 'files are changed: commit first'
fi
# Wheels take long, and come first.
case ",$parts," in
  *,deb,*) dpkg-checkbuilddeps packaging/debian/control || die 'the Debian packages cannot be built here: run tools/machines/install-deps.sh --packages' ;;
esac
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# What is for Debian's own archive stays out: it names the time and the machine.
debian() {
  packaging/deb.sh "$1"
  rm -f "$1"/build.log "$1"/*.buildinfo "$1"/*.changes
}

# make FOLDER TREE: everything into FOLDER, from a tarball that is unpacked in TREE
make() {
  name=attopotts-$version
  mkdir -p "$1" "$2"
  git archive --format=tar --prefix="$name/" HEAD | gzip -9n > "$1/$name.tar.gz"
  tar -C "$2" -xzf "$1/$name.tar.gz"
  echo "release.sh: $name.tar.gz"
  (
    cd "$2/$name"
    packaging/wrap.sh "$1/$name.tar.gz" "$url/$name.tar.gz" > "$1/attopotts.wrap"
    packaging/recipes.sh "$1/$name.tar.gz" "$url/$name.tar.gz" "$1/recipes"
    tools/release/release_version.py notes > "$1/notes.md"
    for part in $(echo "$parts" | tr , ' '); do
      case $part in
        r) packaging/r.sh "$1" ;;
        wheel) packaging/wheels.sh --out "$1/python" ;;
        aarch64) packaging/wheels.sh --processor aarch64 --out "$1/python" ;;
        deb) debian "$1/debian" ;;
      esac > "$2/log" 2>&1 || { tail -n 30 "$2/log" >&2; echo "release.sh: packaging of $part failed" >&2; exit 1; }
      echo "release.sh: $part"
    done
  )
  (cd "$1" && find . -type f ! -name SHA256SUMS | sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum) > "$2/sums"
  mv "$2/sums" "$1/SHA256SUMS"
}

make "$folder" "$work/tree"
if [ -n "$twice" ]; then
  make "$work/again" "$work/another-name/of-the-tree" > /dev/null
  diff -r "$folder" "$work/again" || { echo 'release.sh: the two runs differ' >&2; exit 1; }
fi
echo "release.sh: $(wc -l < "$folder/SHA256SUMS") files and their checksums in $folder${twice:+, the same bytes twice}"
