#!/bin/sh
# SPDX-License-Identifier: MIT
# Install the package into a temporary library, run its tests, the vignette's code and the quickstart against the
# library that pkg-config finds. Exit status 0: passed, 1: failed, 77: R or pkg-config is missing.
# usage: run_tests.sh [--check]   --check: also R CMD build and R CMD check --as-cran
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
for tool in R Rscript pkg-config; do
  command -v $tool > /dev/null || { echo "skipped: the R binding needs $tool, which is not installed"; exit 77; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
# Waiting threads sleep: tests run side by side.
export OMP_WAIT_POLICY=passive
export R_LIBS="$work/library" LC_ALL=C.UTF-8
mkdir "$work/library" "$work/run" && cp -R "$here" "$work/attopotts" && cd "$work/run" || exit 1
"$here/../generate.py" r "$work/attopotts" || exit 1
failed=0

# step NAME COMMAND...: run it; on failure show the end of its output.
step() {
  name=$1
  shift
  if "$@" > "$work/log" 2>&1; then
    echo "ok      $name"
  else
    echo "FAILED  $name"
    tail -n 40 "$work/log"
    failed=1
  fi
}

step install R CMD INSTALL --no-test-load --library="$work/library" "$work/attopotts"
[ $failed -eq 0 ] || exit 1
if Rscript -e 'quit(status = !requireNamespace("tinytest", quietly = TRUE))' > "$work/log" 2>&1; then
  step tests Rscript -e '
    results <- tinytest::run_test_dir(system.file("tinytest", package = "attopotts"), verbose = 0)
    print(summary(results))
    failed <- !all(as.logical(results))
    if (failed) print(results)
    quit(status = failed || length(results) < 200)'
  # What tools/ci/count_tests.py counts: the tests write to a log.
  [ -z "${ATP_TEST_QUICK+set}" ] || echo "[  SKIPPED ] theory and simulation: left to ./check.sh --all (ATP_TEST_QUICK is set)"
else
  echo "skipped tests: the package tinytest is not installed"
  failed=1
fi
Rscript -e 'quit(status = !requireNamespace("ggplot2", quietly = TRUE))' > "$work/log" 2>&1 ||
  echo "[  SKIPPED ] pictures by ggplot2: it is not installed (tools/machines/install-deps.sh --bindings)"
step vignette Rscript -e '
  file <- file.path(commandArgs(TRUE), "vignettes", "attopotts.Rnw")
  utils::Stangle(file, output = "vignette.R", quiet = TRUE)
  grDevices::pdf(NULL)
  source("vignette.R")' "$work/attopotts"

quickstart=$here/../../examples/r/quickstart.R
numbers='loss 1.1830280855940123e+00, optimal loss 1.1843830709285941e+00, coupling error 3.8470775228393228e-04'
expected="converged: $numbers"
compare() {
  found=$(Rscript "$quickstart") || return 1
  printf '%s\nexpected\n%s\n' "$found" "$expected"
  [ "$found" = "$expected" ]
}
step quickstart compare
if command -v python3 > /dev/null; then
  step generate python3 "$here/../../examples/same_numbers.py" --generate "Rscript $here/../../examples/r/generate.R"
  step rows python3 "$here/../../examples/same_numbers.py" --rows "Rscript $here/../../examples/r/rows.R"
  step family python3 "$here/../../examples/same_pairs.py" "Rscript $here/../../examples/r/family.R"
fi

# The R blocks of docs/howto.md, whose pictures must be there.
pictures() {
  "$here/../../tools/ci/readme_commands.py" --session r "$here/../../docs/howto.md" > howto.R && Rscript howto.R &&
    ls contacts-r.png curve-r.png
}
step howto pictures

if [ -z "${ATP_TEST_QUICK+set}" ]; then
  step notebook "$here/../../tools/ci/notebooks.py" run "$here/../../examples/notebooks/potts-r.ipynb"
  grep SKIPPED "$work/log"
else
  echo "[  SKIPPED ] notebook: left to ./check.sh --all (ATP_TEST_QUICK is set)"
fi

if [ "${1:-}" = --check ]; then
  flags=
  command -v pdflatex > /dev/null || flags=--no-build-vignettes
  # shellcheck disable=SC2086
  step build R CMD build $flags "$work/attopotts"
  ignore=
  [ -z "$flags" ] || ignore='--ignore-vignettes'
  # What needs the network is not asked for.
  export _R_CHECK_CRAN_INCOMING_=false _R_CHECK_SYSTEM_CLOCK_=0 _R_CHECK_FORCE_SUGGESTS_=false
  # shellcheck disable=SC2086
  step check R CMD check --as-cran --no-manual $ignore attopotts_*.tar.gz
  grep -A 12 -E '\.\.\. (\[[0-9s/]*\] )?(NOTE|WARNING|ERROR)$' "$work/log"
  # --as-cran warns where checkbashisms (Debian: devscripts) is not installed, which says nothing of the package.
  found=$(grep -E '\.\.\. (\[[0-9s/]*\] )?(WARNING|ERROR)$' "$work/log")
  lacking="A complete check needs the 'checkbashisms' script"
  if ! command -v checkbashisms > /dev/null && grep -q "$lacking" "$work/log"; then
    echo "passed over: checkbashisms is not installed"
    found=$(printf '%s\n' "$found" | grep -v 'checking top-level files')
  fi
  [ -z "$found" ] || { echo "FAILED  check: $found"; failed=1; }
fi
exit $failed
