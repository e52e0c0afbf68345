#!/bin/sh
# SPDX-License-Identifier: MIT
# Fuzz with libFuzzer. usage: tools/fuzz/fuzz.sh MINUTES [TARGET...] [-j N] [--fast] [--store] [--keep] [--coverage]
#   MINUTES     in all; the targets share them. Without TARGET all of tests/fuzz/fuzz_*.cpp
#   -j N        targets at a time; default: one per processor
#   --fast      without AddressSanitizer and UBSan: several times the inputs, and only the targets' own checks and crashes are seen
#   --store     add what was run to docs/results/fuzz.csv
#   --keep      add what reaches more code to the corpus: files below 4 kB, at most 100 and 16 kB a target, named by their SHA-1
#   --coverage  also build for coverage, and print the lines of src/io and src/alignment that the corpora do not reach
# Needs tools/machines/install-deps.sh --fuzz. Builds in build-fuzz, build-fuzz-fast and build-fuzz-coverage. The runs have the lowest priority.
# What is found is in build-fuzz*/found/TARGET; the status is 1 then. tools/fuzz/corpus.py adds an input to the corpus, with the repair.
set -eu
cd "$(dirname "$0")/../.."

die() {
  echo "fuzz.sh: $*" >&2
  exit 2
}

minutes=
targets=
jobs=$(nproc)
build='build-fuzz'
# As in ./check.sh, temporaries are not poisoned after their scope: vector kernels take the compiler three times as long then.
checked='-Db_sanitize=address,undefined -Doptimization=1 -Ddebug=true -Dcpp_args=-fno-sanitize-address-use-after-scope'
store=
keep=
coverage=
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h)
      sed -n '3,/^[^#]/s/^# //p' "$0"
      exit 0
      ;;
    -j) jobs=${2:?-j needs a number} && shift ;;
    --fast) build='build-fuzz-fast' checked='-Dbuildtype=release' ;;
    --store) store=yes ;;
    --keep) keep=yes ;;
    --coverage) coverage=yes ;;
    -*) die "unknown argument '$1', see --help" ;;
    *[!0-9]*) targets="$targets $1" ;;
    *)
      [ -z "$minutes" ] || die "two numbers of minutes: $minutes and $1"
      minutes=$1
      ;;
  esac
  shift
done
[ -n "$minutes" ] || die 'usage: tools/fuzz/fuzz.sh MINUTES [TARGET...], see --help'
command -v clang++-14 > /dev/null || die 'clang++-14 is missing: run tools/machines/install-deps.sh --fuzz'
all=$(cd tests/fuzz && for file in fuzz_*.cpp; do name=${file#fuzz_} && echo "${name%.cpp}"; done)
targets=${targets:-$all}
for target in $targets; do
  [ -f "tests/fuzz/fuzz_$target.cpp" ] || die "no target '$target', expected one of: $(echo "$all" | tr '\n' ' ')"
done

# Ranks, Fortran and benchmarks have no targets. One thread: what it does is the same in each run.
set_up() {
  [ -f "$1/build.ninja" ] || CC=clang-14 CXX=clang++-14 meson setup "$@" -Db_lundef=false -Dthreads=disabled -Dmpi=disabled \
    -Dfortran=disabled -Dbench=disabled --default-library=static > "$1.log" 2>&1 || die "meson setup failed: see $1.log"
}
# shellcheck disable=SC2086  # words
set_up $build -Dfuzzing=true $checked
programs=$(for target in $targets; do echo "tests/fuzz/fuzzer_$target"; done)
# shellcheck disable=SC2086
ninja -C $build $programs > $build.log 2>&1 || { tail -n 20 $build.log && die "the build failed: see $build.log"; }

export ASAN_OPTIONS=quarantine_size_mb=4:malloc_context_size=8:allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
count=$(echo "$targets" | wc -w)
seconds=$((minutes * 60 * jobs / count))
[ "$seconds" -ge 1 ] || seconds=1
mkdir -p $build/logs
run_target() {
  target=$1
  mkdir -p "$build/corpus/$target" "$build/found/$target"
  rm -rf "$build/seeds/$target"
  tools/fuzz/corpus.py unpack "$target" "$build/seeds/$target"
  nice -n 19 "$build/tests/fuzz/fuzzer_$target" -max_total_time="$seconds" -max_len=4095 -timeout=25 -rss_limit_mb=2500 -print_final_stats=1 \
    -close_fd_mask=1 -dict="tests/fuzz/dictionaries/$target.dict" -artifact_prefix="$PWD/$build/found/$target/" \
    "$PWD/$build/corpus/$target" "$PWD/$build/seeds/$target" > "$build/logs/$target.log" 2>&1 ||
    echo "fuzz.sh: $target: FOUND something, see $build/logs/$target.log" >&2
}
trap 'kill 0' INT TERM
running=0
for target in $targets; do
  run_target "$target" &
  running=$((running + 1))
  if [ $((running % jobs)) = 0 ]; then wait; fi
done
wait

set -- "$build"
[ -z "$store" ] || set -- "$@" --store
[ -z "$keep" ] || set -- "$@" --keep
# shellcheck disable=SC2086
python3 tools/fuzz/fuzz_results.py record "$@" $targets && status=0 || status=1

if [ -n "$coverage" ]; then
  set_up build-fuzz-coverage -Dbuildtype=debug -Dcpp_args='-fprofile-instr-generate -fcoverage-mapping' \
    -Dc_args='-fprofile-instr-generate -fcoverage-mapping' -Dcpp_link_args='-fprofile-instr-generate' -Dc_link_args='-fprofile-instr-generate'
  python3 tools/fuzz/fuzz_results.py coverage build-fuzz-coverage ${store:+--store} || status=1
fi
exit "$status"
