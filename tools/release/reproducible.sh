#!/bin/sh
# SPDX-License-Identifier: MIT
# Shows that builds are reproducible: builds and installs the tree twice, and compares every byte of what is installed.
# usage: tools/release/reproducible.sh [--tiny] [--keep FOLDER] [MESON_OPTION...]
#
# The two builds differ in the names and the depth of their folders, the number of jobs, time, time zone, language and file mask; ccache is
# off. --tiny: the smallest library. --keep: builds in FOLDER, which must not exist, and leaves it. Status 1: files differ; each is named.
set -eu
cd "$(dirname "$0")/../.."

options='-Dtests=disabled -Dbench=disabled -Dcli=enabled'
folder=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --tiny) options='-Dtests=disabled -Dbench=disabled -Dprofile=tiny'; shift ;;
    --keep) folder=${2:?--keep needs a folder}; shift 2 ;;
    *) break ;;
  esac
done

keep=yes
[ -n "$folder" ] || { folder=$(mktemp -d); keep=; }
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[ -z "$(ls -A "$folder")" ] || { echo "reproducible.sh: $folder is not empty" >&2; exit 2; }
trap '[ -n "$keep" ] || rm -rf "$folder"' EXIT

# build TREE BUILD JOBS: into $folder/TREE.installed
build() {
  tools/release/export-tree.sh "$folder/$1" || exit 1
  # shellcheck disable=SC2086 # the options are words
  if ! (cd "$folder/$1" && meson setup "$2" --prefix=/usr --libdir=lib $options $more && ninja -C "$2" -j"$3" &&
    DESTDIR="$folder/$1.installed" meson install -C "$2" --no-rebuild) >"$folder/$1.log" 2>&1; then
    tail -30 "$folder/$1.log" >&2
    exit 1
  fi
}

more="$*"
export CCACHE_DISABLE=1
# The second has one job: the first runs beside it. It begins later, so that times in seconds differ.
(umask 022; TZ=UTC LC_ALL=C build one build "$(nproc)") &
first=$!
(sleep 2; umask 077; TZ=Asia/Tokyo LC_ALL=C.UTF-8 build a-longer-name-of-the-tree deep/er/build 1) &
second=$!
status=0
wait "$first" || status=1
wait "$second" || status=1
[ "$status" = 0 ] || exit 1

cd "$folder"
count=$(find one.installed -type f | wc -l)
if ! diff -rq --no-dereference one.installed a-longer-name-of-the-tree.installed; then
  echo "reproducible.sh: two builds of one tree differ" >&2
  exit 1
fi
[ "$count" -gt 0 ] || { echo "reproducible.sh: nothing was installed" >&2; exit 1; }
echo "$count files, the same bytes in both builds"
