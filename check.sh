#!/bin/sh
# SPDX-License-Identifier: MIT
# Install missing packages, build, test. usage: ./check.sh [--all] [--jobs N]
#   (nothing)   the release configuration with all its tests but the slow ones, the languages' too: a few minutes
#   --all       everything: also the slow tests, the sanitizers, a build without optional libraries, a cross build for aarch64, and the
#               commands of the READMEs on a bare Debian machine (as root, with debootstrap): an hour
#   --jobs N    so many compilers or tests at once; the number of processors otherwise
# The last line is "N passed, M failed, K skipped", and the status is 0 where nothing failed. Nothing on the system changes but the
# packages that are installed. Ctrl-C ends everything. Logs: build*.log and build*/meson-logs.
cd "$(dirname "$0")" || exit 1
wanted=
previous=
for argument in "$@"; do
  case $previous/$argument in
    */--help | */-h)
      sed -n '3,9s/^# //p' check.sh
      exit 0
      ;;
    */--all) wanted=--all ;;
    */--jobs | */--jobs=* | --jobs/*) ;;
    *)
      echo "check.sh: unknown argument '$argument', expected --all, --jobs N or --help" >&2
      exit 2
      ;;
  esac
  previous=$argument
done
echo '== packages'
scripts/install-deps.sh $wanted || { echo '0 passed, 1 failed, 0 skipped'; exit 1; }
scripts/install-deps.sh --bindings || echo '== NOT ALL LANGUAGES COULD BE INSTALLED: tests of their bindings will be skipped'
exec python3 scripts/check.py "$@"
