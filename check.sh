#!/bin/sh
# SPDX-License-Identifier: MIT
# Everything that can be checked on one Debian 12 machine: install what is missing, then build and test four configurations
#   build         as users build it, all tests
#   build-asan    AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer, all tests of the library and the program
#   build-tsan    ThreadSanitizer (see src/base/team.hpp), what runs on several threads
#   build-plain   without OpenMP, HDF5 and zlib
# Assertions are on in the last three. The last line is "N passed, M failed, K skipped", counted from Meson's logs, and K counts
# what a test program skips inside as well; the status says the same.
set -u
cd "$(dirname "$0")" || exit 1
scripts/install-deps.sh || { echo '0 passed, 1 failed, 0 skipped'; exit 1; }
scripts/install-deps.sh --bindings || echo '== NOT ALL LANGUAGES COULD BE INSTALLED: tests of their bindings will be skipped'

ASAN_OPTIONS=detect_leaks=1:halt_on_error=1:abort_on_error=0:allocator_may_return_null=1
export ASAN_OPTIONS=$ASAN_OPTIONS:strict_string_checks=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
# Fewer threads than the tests ask for would hide what they look for.
# Waiting threads sleep: tests run side by side.
export OMP_WAIT_POLICY=passive
unset OMP_NUM_THREADS OMP_THREAD_LIMIT ATP_SIMD
# Example alignments that are not part of the project; the tests that read them are skipped where they are missing.
if [ -d ../shared/data ]; then
  ATP_SHARED_DATA=$(cd ../shared/data && pwd)
  export ATP_SHARED_DATA
fi

step() {
  echo "== $* ($(($(date +%s) - begin)) s)"
}

# configure DIRECTORY [meson options]
configure() {
  directory=$1
  shift
  rm -f "$directory/meson-logs/testlog.json"
  if [ -f "$directory/build.ninja" ]; then
    meson setup --reconfigure "$directory" "$@" > "$directory.log" 2>&1 || meson setup --wipe "$directory" "$@" > "$directory.log" 2>&1
  else
    meson setup "$directory" "$@" > "$directory.log" 2>&1
  fi
}

# check NAME SUITES [meson options]: build in build-NAME (release: build) and run the tests of the suites (all: every one).
check() {
  name=$1 suites=$2
  shift 2
  directory=build-$name
  [ "$name" != release ] || directory=build
  configurations="$configurations $name=$directory"
  [ "$suites" = all ] || configurations="$configurations:$suites"
  step "building $directory"
  # A log of an earlier run must not speak for this one: configure removes it.
  if ! configure "$directory" "$@"; then
    tail -n 20 "$directory.log"
    return
  fi
  # Meson builds what the tests of some suites need.
  rebuild=
  if [ "$suites" = all ]; then
    rebuild=--no-rebuild
    if ! ninja -C "$directory" > "$directory.log" 2>&1; then
      grep -E -A 5 'FAILED|error' "$directory.log" | tail -n 40
      return
    fi
  fi
  step "testing $directory"
  chosen=
  [ "$suites" = all ] || chosen=$(echo "$suites" | sed 's/^\|,/ --suite /g')
  # shellcheck disable=SC2086  # words on purpose
  meson test -C "$directory" $rebuild --print-errorlogs --quiet $chosen | grep -v '^\[[0-9]*/'
}

begin=$(date +%s)
configurations=
check release all --buildtype=release -Ddefault_library=both -Dtests=enabled -Dcli=enabled -Dbench=enabled -Dopenmp=enabled \
  -Dhdf5=enabled -Dfortran=enabled
sanitized='-Dtests=enabled -Dbench=disabled -Dfortran=disabled -Ddefault_library=static -Doptimization=1 -Dc_args=-g1'
# Assertions are on (a release build leaves them out), the standard library's bounds checks too.
sanitized="$sanitized -Db_lundef=false -Db_ndebug=false"
# Poisoning temporaries takes the compiler three times as long with the vector kernels (84 s for simd/gibbs.cpp instead of 26).
brief=-fno-sanitize-address-use-after-scope
# shellcheck disable=SC2086  # words on purpose
{
  check asan all $sanitized "-Dcpp_args=-g1 -D_GLIBCXX_ASSERTIONS $brief" -Dcli=enabled -Dopenmp=enabled -Dhdf5=enabled -Db_sanitize=address,undefined
  check tsan unit,api,sanitize $sanitized "-Dcpp_args=-g1 -D_GLIBCXX_ASSERTIONS" -Dcli=disabled -Dopenmp=disabled -Dhdf5=disabled -Db_sanitize=thread
  check plain unit,api,sanitize $sanitized "-Dcpp_args=-g1 -D_GLIBCXX_ASSERTIONS" -Dcli=disabled -Dopenmp=disabled -Dhdf5=disabled -Dzlib=disabled
}
step 'all done'
# shellcheck disable=SC2086  # words on purpose
python3 scripts/count_tests.py $configurations
