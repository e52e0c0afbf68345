#!/bin/sh
# SPDX-License-Identifier: MIT
# Build for other processors, compilers and systems, and run there what can be run: one target after the other.
# usage: tools/platforms/platforms.sh [--slow] [--store] [--jobs N] [--folder FOLDER] NAME...     tools/platforms/platforms.sh --list
# NAME is a file tools/platforms/targets/NAME.sh, which says what the target needs; tools/platforms/README.md says how to add one.
# --slow: all suites of the target; without it those that an emulator runs in minutes
# --store: write docs/results/platforms/NAME.json and the table of docs/platforms.md
# --jobs N: so many compilers at a time
# --folder: the build folder of a single target, build-NAME by default
# Changes nothing outside the tree but ~/.cache/attopotts (XDG_CACHE_HOME), where packages are unpacked and kept. Targets whose compilers
# or packages are missing are skipped, with what to install. Status 77 where all were skipped, 1 where a test failed, 2 for all else.
set -eu
cd "$(dirname "$0")/../.."

die() {
  echo "platforms.sh: $*" >&2
  exit 2
}
skip() {
  echo "skipped: $name: $*"
  exit 77
}

slow=no
jobs=
store=
folder=
while [ $# -gt 0 ]; do
  case $1 in
    --slow) slow=yes ;;
    --jobs)
      [ $# -gt 1 ] || die "--jobs needs a value"
      jobs=-j$2
      shift
      ;;
    --store) store=--store ;;
    --folder)
      [ $# -gt 1 ] || die "--folder needs a value"
      folder=$2
      shift
      ;;
    --list)
      for file in tools/platforms/targets/*.sh; do printf '%-12s %s\n' "$(basename "$file" .sh)" "$(sed -n "s/^title='\(.*\)'$/\1/p" "$file")"; done | LC_ALL=C sort
      exit 0
      ;;
    --help | -h)
      sed -n '3,/^[^#]/s/^# //p' "$0"
      exit 0
      ;;
    -*) die "unknown option '$1', expected --slow, --store, --jobs, --folder or --list" ;;
    *) break ;;
  esac
  shift
done
[ $# -gt 0 ] || die "expected NAME..., see tools/platforms/platforms.sh --list"
[ $# = 1 ] || [ -z "$folder" ] || die "--folder goes with one NAME"

# What a target's file may set, with what holds where it does not, and what it may define.
defaults() {
  title=$name              # in the table
  how=''                   # how it was run: "under qemu-aarch64"
  tools=''                 # commands that must be there
  hint="tools/machines/install-deps.sh --platforms"
  options=''               # options of Meson
  suites='unit kernel api' # suites that run
  tests=''                 # single tests that run, too
  slow_suites=''           # further ones, with --slow
  extra_targets=''         # further files to build
  compiler=''              # a command that prints the compiler's version
  emulated=no              # sets ATP_EMULATED and ATP_TEST_QUICK for the tests, see tests/support/support.h
  patience=1               # factor of the tests' limits of time
}
prepare() { :; }       # writes files that `options` names; `skip REASON` where that cannot be done. $cache is a folder that is kept
check_built() { :; }   # looks at what was built; `die REASON`
check_more() { :; }    # further checks of what was built: `checked NAME STATUS TEXT` for each

# shellcheck disable=SC2317  # targets' files call it
checked() { printf '%s\t%s\t%s\n' "$1" "$2" "$3" | tee -a "$build/checks.txt"; }

run_target() {
  name=$1
  build=${folder:-build-$name}
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/attopotts/$name
  [ -f "tools/platforms/targets/$name.sh" ] || die "there is no target '$name', see tools/platforms/platforms.sh --list"
  defaults
  # shellcheck disable=SC1090  # its name is an argument
  . "tools/platforms/targets/$name.sh"
  for tool in $tools meson ninja; do command -v "$tool" > /dev/null || skip "$tool is not installed (run $hint)"; done
  mkdir -p "$cache"
  prepare
  [ "$slow" = no ] || suites="$suites $slow_suites"
  begin=$(date +%s)

  # shellcheck disable=SC2086  # lists
  set -- --buildtype=release -Ddefault_library=static -Dtests=enabled -Dbench=disabled -Dcold_build=true $options
  if [ -f "$build/build.ninja" ]; then
    meson setup --reconfigure "$build" "$@" > "$build-steps.log" 2>&1 || meson setup --wipe "$build" "$@" > "$build-steps.log" 2>&1
  else
    meson setup "$build" "$@" > "$build-steps.log" 2>&1
  fi || {
    tail -n 20 "$build-steps.log" >&2
    die "$name: meson setup failed, see $build-steps.log"
  }
  # shellcheck disable=SC2046,SC2086  # lists
  ninja -C "$build" $jobs $extra_targets $(tools/ci/test_targets.py "$build" $suites $tests) > "$build-steps.log" 2>&1 || {
    grep -E -A 5 'FAILED|error' "$build-steps.log" | tail -n 40 >&2
    die "$name: the build failed, see $build-steps.log"
  }
  check_built

  : > "$build/checks.txt"
  rm -f "$build/meson-logs/testlog.json"
  # Tests that the emulator cannot run skip, see tests/support/support.h; the slowest parts are left to ./check.sh --all.
  [ "$emulated" = no ] || export ATP_EMULATED=1 ATP_TEST_QUICK=1
  failed=0
  # One run for suites and single tests: it writes one log.
  # shellcheck disable=SC2046,SC2086  # lists
  names=$(tools/ci/test_targets.py --names "$build" $suites $tests)
  if [ -n "$names" ]; then
    # shellcheck disable=SC2086  # a list
    meson test -C "$build" --no-rebuild --print-errorlogs --timeout-multiplier "$patience" --quiet $names || failed=1
  fi
  check_more
  # shellcheck disable=SC2086  # a word or none
  TITLE=$title HOW=$how COMPILER=$($compiler 2> /dev/null | head -n 1) SECONDS_TAKEN=$(($(date +%s) - begin)) SUITES=$suites TESTS=$tests \
    tools/platforms/platforms_table.py record $store "$name" "$build" || failed=1
  return "$failed"
}

ran=no
status=0
for name in "$@"; do
  result=0
  (run_target "$name") || result=$?
  [ "$result" = 77 ] || ran=yes
  [ "$result" = 77 ] || [ "$status" -ge "$result" ] || status=$result
done
[ "$ran" = yes ] || exit 77
exit "$status"
