#!/bin/sh
# SPDX-License-Identifier: MIT
# Install missing packages, build and test. usage: ./check.sh [--all | --only NAMES] [--minutes M] [--jobs N]
#   (no flag)   test the release build, including the language bindings, without the slow tests: a few minutes
#   --all       test also the slow tests, the sanitizers, a build by clang without optional libraries, the smallest library, MPICH,
#               clang-tidy, a cross build for aarch64, and the commands of the READMEs on a bare Debian system (as root, with
#               debootstrap): less than an hour on two processors
#   --only NAMES  run single steps, several with commas between; packages is no step of --all, needs release and takes 50 minutes:
#               release, asan, tsan, plain, tiny, mpich, cross, tidy, fresh, analyze, reproducible, guard, packages
#   --minutes M  leave out, as skipped, the steps that would not end within M minutes
#   --jobs N    run N compilers or tests at once; default: one per processor
# The last line is "N passed, M failed, K skipped". The status is 0 if nothing failed. The script installs packages and changes nothing
# else on the system. Ctrl-C stops everything. Logs: build*.log and build*/meson-logs.
cd "$(dirname "$0")" || exit 1
wanted=
previous=
for argument in "$@"; do
  case $previous/$argument in
    */--help | */-h)
      sed -n '3,/^[^#]/s/^# //p' check.sh
      exit 0
      ;;
    */--all | */--only | */--only=*) wanted=--all ;;
    */--jobs | */--jobs=* | --jobs/* | --only/* | */--minutes | */--minutes=* | --minutes/*) ;;
    *)
      echo "check.sh: unknown argument '$argument', expected --all, --only NAMES, --minutes M, --jobs N or --help" >&2
      exit 2
      ;;
  esac
  previous=$argument
done
echo '== packages'
tools/machines/install-deps.sh $wanted || { echo '0 passed, 1 failed, 0 skipped'; exit 1; }
tools/machines/install-deps.sh --bindings || echo '== SOME LANGUAGES COULD NOT BE INSTALLED: the tests of their bindings are skipped'
exec python3 tools/ci/check.py "$@"
