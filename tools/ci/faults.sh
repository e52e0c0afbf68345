#!/bin/sh
# SPDX-License-Identifier: MIT
# Everything that goes wrong around the program: calls of the C library that fail, kill -9, full disks, and hours of mixed calls.
# usage: tools/ci/faults.sh [--store] [--build FOLDER] [--seconds N] [--only RUNS] [--stride N] PART...
# calls: every call of every kind fails once, in every run of tests/faults/runs.py   third: calls of malloc in HDF5, BLIS and others
# kill: kill -9 at 200 moments of each of four runs, which then go on   disk: a disk with room for 200 sizes
# api: every call fails once in a round of the C API   soak: mixed calls from 8 threads, 3600 s   tsan: the same under ThreadSanitizer, 600 s
# --store: write the results to docs/results/faults.csv   --build: the build folder, build by default   --only: names of runs, with commas
# --seconds: of soak and tsan. --stride: of calls and third, every N-th only. Status 1 where something was found.
set -eu
cd "$(dirname "$0")/../.."

die() {
  echo "faults.sh: $*" >&2
  exit 2
}

build=build
store=
only=
seconds=
stride=1
while [ $# -gt 0 ]; do
  case $1 in
    --store) store=--store ;;
    --build | --only | --seconds | --stride)
      [ $# -gt 1 ] || die "$1 needs a value"
      case $1 in
        --build) build=$2 ;;
        --only) only=$2 ;;
        --stride) stride=$2 ;;
        *) seconds=$2 ;;
      esac
      shift
      ;;
    --help | -h)
      sed -n '3,/^[^#]/s/^# //p' "$0"
      exit 0
      ;;
    -*) die "unknown option '$1', expected --store, --build, --only, --seconds or --stride" ;;
    *) break ;;
  esac
  shift
done
[ $# -gt 0 ] || die "expected PART..., see tools/ci/faults.sh --help"

configured() {
  [ -f "$1/build.ninja" ] || meson setup "$@" > "$1.log" 2>&1 || die "meson setup failed, see $1.log"
}

# The programs, with lines of results on standard output.
run_part() {
  case $1 in
    calls | third | kill | disk)
      configured "$build" --buildtype=release -Dtests=enabled -Dcli=enabled
      ninja -C "$build" cli/attopotts tests/faults/inject.so > "$build-faults.log" || die "the build failed, see $build-faults.log"
      ATTOPOTTS=$PWD/$build/cli/attopotts ATP_INJECT=$PWD/$build/tests/faults/inject.so python3 tests/faults/all_faults.py "$1" --only "$only" --stride "$stride"
      ;;
    api)
      configured "$build" --buildtype=release -Dtests=enabled -Dcli=enabled
      ninja -C "$build" tests/faults/api_faults > "$build-faults.log" || die "the build failed, see $build-faults.log"
      OMP_WAIT_POLICY=passive "$build/tests/faults/api_faults"
      ;;
    soak) # without caches of threads, which count as used
      configured "$build" --buildtype=release -Dtests=enabled -Dcli=enabled
      ninja -C "$build" tests/faults/soak > "$build-faults.log" || die "the build failed, see $build-faults.log"
      GLIBC_TUNABLES=glibc.malloc.tcache_count=0 OMP_WAIT_POLICY=passive "$build/tests/faults/soak" "${seconds:-3600}" 8
      ;;
    tsan)
      configured "$build-tsan-soak" -Dtests=enabled -Dbench=disabled -Dfortran=disabled -Dcli=disabled -Ddefault_library=static \
        -Doptimization=1 -Dc_args=-g1 -Dcpp_args=-g1 -Db_lundef=false -Db_sanitize=thread
      ninja -C "$build-tsan-soak" tests/faults/soak > "$build-faults.log" || die "the build failed, see $build-faults.log"
      TSAN_OPTIONS='halt_on_error=1:second_deadlock_stack=1' OMP_WAIT_POLICY=passive "$build-tsan-soak/tests/faults/soak" "${seconds:-600}" 8
      ;;
    *) die "unknown part '$1', expected calls, third, kill, disk, api, soak or tsan" ;;
  esac
}

status=0
for part in "$@"; do
  result=0
  run_part "$part" > "$build-faults-$part.txt" || result=$?
  cat "$build-faults-$part.txt"
  [ "$result" -lt 2 ] || exit "$result"
  [ "$result" = 0 ] || status=1
  [ -z "$store" ] || tools/ci/faults_results.py record "$part" "$build-faults-$part.txt"
done
exit "$status"
