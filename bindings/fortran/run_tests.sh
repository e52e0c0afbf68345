#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests of the Fortran modules against an installed library (PKG_CONFIG_PATH, LD_LIBRARY_PATH): numbers, errors (under
# valgrind, too), the quickstart, what Meson installs and the example that links it. Writes below a temporary directory.
# With ATP_TEST_QUICK set, the tests take the modules that Meson built, and valgrind is left out.
# Status: 0 passed, 1 failed, 77 no gfortran. usage: bindings/fortran/run_tests.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

fail() {
  echo "bindings/fortran: FAILED: $*" >&2
  exit 1
}

# left_out WHAT: it counts as skipped.
left_out() {
  echo "[  SKIPPED ] $1: left to ./check.sh --all (ATP_TEST_QUICK is set)"
}

if ! command -v gfortran > /dev/null; then
  echo "skipped: gfortran is not installed"
  exit 77
fi
pkg-config --exists attopotts-io || fail "pkg-config does not find attopotts-io"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/files"
cd "$work"
expected='converged: loss 1.1830280855940123e+00, optimal loss 1.1843830709285941e+00'
expected="$expected, coupling error 3.8470775228393228e-04"

# The modules, those that are generated and the others, in the order in which they need each other.
"$here/../generate.py" fortran modules
cp "$here/attopotts.f90" modules
sources='attopotts_c attopotts_base attopotts_context attopotts_alignment attopotts_model attopotts_table attopotts_sampler
  attopotts_sampling attopotts_trainer attopotts_scores attopotts_theory attopotts_input attopotts_io attopotts'

# Every function of the C API is somewhere in them; where there is NAME_as, NAME is it with defaults. Handles know their contexts, tables their columns;
# errors count from one.
mkdir low
mv modules/attopotts_c.f90 low
declared='s/^ *\(.* \)\{0,1\}\(function\|subroutine\) \(atp_[a-z0-9_]*\)(.*/\3/p'
for name in $(sed -n "$declared" low/attopotts_c.f90 | grep -v '_context$\|_column_count$\|_error$'); do
  grep -q "\<$name\(_as\)\{0,1\} *(\|\<$name," modules/*.f90 || fail "$name is in no module"
  echo "$name" >> functions
done
mv low/attopotts_c.f90 modules
[ "$(wc -l < functions)" -ge 213 ] || fail "only $(wc -l < functions) functions were looked for"

# What Meson builds and installs. Where the library's install has no modules, Meson builds them here.
prefix=$(pkg-config --variable=prefix attopotts-io)
if [ "$(pkg-config --variable=prefix attopotts-fortran 2> /dev/null)" = "$prefix" ]; then
  echo "installed modules: those of $prefix"
elif command -v meson > /dev/null && command -v ninja > /dev/null; then
  prefix=$work/prefix
  mkdir -p wrapper/bindings wrapper/tests/symbols
  cp -r "$root/include" wrapper
  cp "$root/tests/symbols/headers.py" wrapper/tests/symbols
  cp -r "$root/bindings/generate.py" "$root/bindings/generator" "$here" wrapper/bindings
  cat > wrapper/meson.build << 'END'
project('wrapper', 'c', version: '0.1.0', default_options: ['buildtype=release', 'wrap_mode=nofallback'])
add_languages('fortran', native: false)
abi_version = '0'
attopotts_io_dep = dependency('attopotts-io')
public_headers = []
io_headers = []
subdir('bindings/fortran')
END
  meson setup wrapper/build wrapper --prefix="$prefix" --libdir=lib > log 2>&1 || fail "meson setup: $(cat log)"
  ninja -C wrapper/build install > log 2>&1 || fail "meson: $(cat log)"
  export PKG_CONFIG_PATH="$prefix/lib/pkgconfig:${PKG_CONFIG_PATH:-}"
  export LD_LIBRARY_PATH="$prefix/lib:${LD_LIBRARY_PATH:-}"
else
  prefix=
fi

# The modules as strict Fortran 2008, and the tests.
strict='-std=f2008 -Wall -Wextra -pedantic -g -fopenmp'
if [ -n "${ATP_TEST_QUICK+set}" ] && [ -n "$prefix" ]; then
  left_out 'modules as strict Fortran 2008'
  strict="$strict -O0"
  objects=
  libs=$(pkg-config --cflags --libs attopotts-fortran)
else
  strict="$strict -O1"
  for name in $sources; do
    # shellcheck disable=SC2086  # a list of options
    gfortran $strict -c "modules/$name.f90" || fail "$name does not compile"
  done
  objects=$(echo attopotts*.o)
  libs=$(pkg-config --libs attopotts-io)
fi
# shellcheck disable=SC2086
gfortran $strict -c "$here/tests/checks.f90" $libs || fail "checks does not compile"
for test in test_numbers test_theory test_ranks test_errors; do
  # shellcheck disable=SC2086
  gfortran $strict -Wno-function-elimination -Wno-compare-reals "$here/tests/$test.f90" checks.o $objects -o $test $libs ||
    fail "$test does not compile"
  ./$test files || fail "$test"
done
# shellcheck disable=SC2086
gfortran $strict "$root/examples/fortran/quickstart.f90" $objects -o quickstart $libs ||
  fail "the quickstart does not compile"
[ "$(./quickstart)" = "$expected" ] || fail "the quickstart prints '$(./quickstart)'"
[ "$(OMP_NUM_THREADS=2 ./quickstart)" = "$expected" ] || fail "the quickstart with two threads"

# Without stat: an error stop with the library's text.
stops() {
  if ./test_errors files "$1" > out 2> err; then fail "case $1 did not stop"; fi
  [ ! -s out ] || fail "case $1 went on: $(cat out)"
  grep -q "$2" err || fail "case $1 says $(cat err)"
}
stops 1 '^attopotts: ATP_E_VALUE: sites is 1'
stops 2 '^attopotts: ATP_E_OPTION_RANGE: .*heads'
stops 3 '^attopotts: ATP_E_SHAPE: sequences has shape (6, 2), expected (5, :)'
stops 4 '^attopotts: progress handler: it failed with -9'
# Arrays of handles that would have to be allocated, or to grow.
stops 6 '^attopotts: ATP_E_NULL: a handle is assigned to what is not allocated'
stops 7 '^attopotts: ATP_E_SHAPE: 2 handles are assigned to an array of 1'
stops 8 '^attopotts: ATP_E_NULL: a handle is assigned to what is not allocated'

# Warnings reach the standard error unless they are sent elsewhere.
./test_errors files 9 2> err || fail "warnings: $(cat err)"
[ "$(grep -c '^attopotts: warning: couplings: only the pairs' err)" = 1 ] || fail "warnings: $(cat err)"

# Nothing is read before it is set, freed twice or lost; valgrind sees a planted loss (case 5).
if [ -n "${ATP_TEST_QUICK+set}" ]; then
  left_out valgrind
elif command -v valgrind > /dev/null; then
  check_memory() {
    kinds=definite,indirect,possible
    OMP_NUM_THREADS=1 valgrind -q --suppressions="$here/tests/valgrind.supp" --leak-check=full --error-exitcode=9 \
      --errors-for-leak-kinds=$kinds --show-leak-kinds=$kinds ./test_errors files "$@" > memory 2>&1
  }
  check_memory || fail "valgrind: $(cat memory)"
  echo "valgrind: no errors, no leaks"
  status=0
  check_memory 5 || status=$?
  [ "$status" = 9 ] || fail "valgrind does not see a planted leak (status $status): $(cat memory)"
else
  echo "[  SKIPPED ] leaks: valgrind is not installed"
fi

# Installed modules, and a user's Makefile.
if [ -n "$prefix" ]; then
  [ -f "$prefix/share/attopotts/fortran/attopotts.f90" ] && [ -f "$prefix/share/attopotts/fortran/attopotts_model.f90" ] ||
    fail "the source is not installed"
  ls "$prefix"/include/attopotts/fortran/*-*/attopotts.mod > log 2>&1 || fail "attopotts.mod is not installed"
  # shellcheck disable=SC2046
  gfortran "$root/examples/fortran/quickstart.f90" -o installed $(pkg-config --cflags --libs attopotts-fortran) ||
    fail "the installed modules"
  [ "$(./installed)" = "$expected" ] || fail "the quickstart with the installed modules prints '$(./installed)'"
  cp -r "$here/example" example
  make -s -C example > log 2>&1 || fail "the example: $(cat log)"
  ./example/simulation > log 2>&1 || fail "the example: $(cat log)"
  grep -q '^converged' log || fail "the example says $(cat log)"
  echo "installed modules and example: passed"
  # The installed source as a package of fpm, the Fortran package manager; Debian's fpm is another program.
  fpm=${FPM:-fpm}
  if "$fpm" --version 2> /dev/null | grep -qi 'fortran package manager'; then
    mkdir -p package/app
    cp "$root/examples/fortran/quickstart.f90" package/app/main.f90
    ln -s "$prefix/share/attopotts/fortran" package/attopotts
    printf 'name = "quickstart"\nversion = "0.1.0"\n[dependencies]\nattopotts.path = "attopotts"\n' > package/fpm.toml
    folder=$(pkg-config --variable=libdir attopotts-io)
    (cd package && FPM_LDFLAGS="-L$folder" "$fpm" run) > log 2>&1 || fail "fpm: $(cat log)"
    [ "$(tail -n 1 log)" = "$expected" ] || fail "the quickstart by fpm prints $(tail -n 1 log)"
    echo "fpm: passed"
  else
    echo "[  SKIPPED ] fpm: it is not installed (pip install fpm, or name it in FPM)"
  fi
else
  echo "[  SKIPPED ] installation: meson is not installed"
fi
echo "bindings/fortran: passed"
