#!/bin/sh
# SPDX-License-Identifier: MIT
# Build the site of the documentation. usage: tools/site/site.sh [FOLDER]
# Writes HTML pages into FOLDER (default: build-site) that need no server and load nothing from elsewhere; replaces a site that is there.
# It needs the program, build/cli/attopotts or the one that ATTOPOTTS names, and Debian's furo and python3-myst-parser
# (tools/machines/install-deps.sh --site). Warnings are errors; every link is checked.
set -eu

die() {
  echo "site.sh: $*" >&2
  exit 2
}

case ${1:-} in
  --help | -h)
    sed -n '3,/^[^#]/s/^# //p' "$0"
    exit 0
    ;;
  -*) die "unknown argument '$1', expected a folder" ;;
esac
[ $# -le 1 ] || die "one folder was expected, but there are $# arguments"
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
folder=${1:-build-site}
program=${ATTOPOTTS:-$here/../../build/cli/attopotts}
[ -x "$program" ] || die "$program is not there: build the program (ninja -C build), or set ATTOPOTTS"
[ ! -e "$folder" ] || [ -f "$folder/.buildinfo" ] || die "$folder is there and is no site: name another folder"

python=
for candidate in python3 /usr/bin/python3; do
  # Debian installs Sphinx for its own Python; the first python3 of the path may be another.
  if "$candidate" -c 'import furo, myst_parser, sphinx' 2> /dev/null; then
    python=$candidate
    break
  fi
done
[ -n "$python" ] || die "Sphinx, MyST or the theme furo is missing: tools/machines/install-deps.sh --site"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" "$here/site.py" "$work/source" "$program"
# The order of words in the index must not depend on the hashes of a run.
PYTHONHASHSEED=0 "$python" -m sphinx -W --keep-going -q -b html -d "$work/doctrees" "$work/source" "$work/site"
"$python" "$here/site_links.py" "$work/site"
rm -rf "$folder"
mkdir -p "$(dirname -- "$folder")"
mv "$work/site" "$folder"
echo "site.sh: $folder/index.html"
