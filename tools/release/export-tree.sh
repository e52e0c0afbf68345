#!/bin/sh
# SPDX-License-Identifier: MIT
# Copy the tree without builds and history into a new folder. usage: tools/release/export-tree.sh FOLDER
# What git would commit now: the files it knows and new ones, as they are; no deleted ones. Without git all but builds.
set -eu
case ${1-} in
  -h | --help) sed -n '3,/^[^#]/s/^# //p' "$0"; exit 0 ;;
  '') echo 'export-tree.sh: expected a folder' >&2; exit 2 ;;
esac
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
if git rev-parse --git-dir > /dev/null 2>&1; then
  git ls-files -z --cached --others --exclude-standard
else
  find . -mindepth 1 -maxdepth 1 ! -name 'build*' ! -name .git -print0
fi | tar --null --files-from=- --ignore-failed-read -cf - 2> /dev/null | tar -C "$folder" -xf -
