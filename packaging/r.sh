#!/bin/sh
# SPDX-License-Identifier: MIT
# The R package with the library's sources inside: attopotts_VERSION.tar.gz. usage: packaging/r.sh FOLDER [--check]
# Where the library is installed, the package takes that one; else R compiles what is inside, with nothing but a compiler (src/attopotts).
# SOURCE_DATE_EPOCH sets the time inside: the same bytes for the same tree. Needs Meson and R; prints the file's path.
# --check: also R CMD check --as-cran, with the sources inside; status 1 for an error, a warning or a note.
set -eu
usage() { sed -n '3,/^[^#]/s/^# //p' "$0"; exit "$1"; }
case ${1-} in -h | --help) usage 0 ;; -*) usage 2 >&2 ;; esac
[ $# = 1 ] || [ "${2:-}" = --check ] || usage 2 >&2
missing=
for tool in R meson ninja python3; do
  command -v "$tool" > /dev/null || missing="$missing $tool"
done
[ -z "$missing" ] || { echo "r.sh: tools are missing:$missing; install them with tools/machines/install-deps.sh --bindings" >&2; exit 1; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

package=$work/attopotts
mkdir "$package"
(cd "$root/bindings/r" && tar -cf - --exclude=run_tests.sh .) | tar -xf - -C "$package"
"$root/bindings/generate.py" r "$package"

# What Meson compiles into the smallest of the builds with files: its own list, not a second one.
(cd "$work" && meson setup build "$root" -Dhighway=disabled -Dlinalg=disabled -Dhdf5=disabled -Dzlib=disabled -Dmsgpack=disabled -Dmpi=disabled \
  -Dcli=disabled -Dfortran=disabled -Dtests=disabled -Dbench=disabled) > "$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
meson introspect --targets "$work/build" | python3 "$root/packaging/r_sources.py" "$root" "$work/build" "$package"

# R removes what a build left, and makes the vignette where LaTeX is there.
flags=
command -v pdflatex > /dev/null || flags=--no-build-vignettes
# shellcheck disable=SC2086
(cd "$work" && ATTOPOTTS_BUNDLED=1 R CMD build $flags attopotts) > "$work/log" 2>&1 || { tail -n 40 "$work/log"; exit 1; }
file=$(cd "$work" && echo attopotts_*.tar.gz)
if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
  # R writes the time and the user's name into it: the same bytes every time need the same ones.
  rm -rf "$package"
  tar -C "$work" -xzf "$work/$file"
  sed -i "s/^Packaged: .*/Packaged: $(date -u -d "@$SOURCE_DATE_EPOCH" '+%F %T UTC'); attopotts/" "$package/DESCRIPTION"
  tar -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u+w,go=rX -cf - attopotts | gzip -9n > "$work/$file"
fi
mv "$work/$file" "$folder/$file"
echo "$folder/$file"
[ "${2:-}" = --check ] || exit 0

cd "$work"
export ATTOPOTTS_BUNDLED=1 LC_ALL=C.UTF-8
# What needs the network is not asked for.
export _R_CHECK_CRAN_INCOMING_=false _R_CHECK_SYSTEM_CLOCK_=0 _R_CHECK_FORCE_SUGGESTS_=false
manual=
[ -z "$flags" ] || manual='--no-manual --ignore-vignettes'
# shellcheck disable=SC2086
R CMD check --as-cran $manual "$folder/$file" > "$work/log" 2>&1 || true
cp "$work/log" "$folder/check.log"
grep -q '^Status:' "$work/log" || { tail -n 40 "$work/log"; exit 1; }
grep -A 12 -E '\.\.\. (\[[0-9s/]*\] )?(NOTE|WARNING|ERROR)$' "$work/log" || true
grep '^Status:' "$work/log"
grep -qx 'Status: OK' "$work/log"
