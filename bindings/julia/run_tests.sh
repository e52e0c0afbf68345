#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the tests of the package and its quickstart against the library that pkg-config finds, in two threads. Status 77: no Julia here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
julia=${JULIA:-$("$here/../../tools/machines/install-julia.sh" --path || true)}
if [ -z "$julia" ]; then
  echo "skipped: no julia 1.5 or later that works (tools/machines/install-deps.sh --bindings)"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Compiled images go to a depot of this run; its environment is the package alone, so that nothing is downloaded.
export JULIA_DEPOT_PATH="$work/depot" JULIA_PROJECT="$here" JULIA_LOAD_PATH="@:@stdlib" JULIA_NUM_THREADS=2
# Beside other tests a second thread takes twice the time, half of it in the system; the quick tests do without it.
[ -z "${ATP_TEST_QUICK+set}" ] || export JULIA_NUM_THREADS=1
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"
# Meson has the C library fill blocks, which touches all pages that Julia only sets aside: half of the time. Tests in C keep it.
export MALLOC_PERTURB_=0
cd "$work"
"$julia" --startup-file=no -e 'using AttoPotts; println("AttoPotts with ", library_version(), " from ", library_path())'
# Most of the time goes into compiling what runs once: the quick tests interpret it.
"$julia" --startup-file=no -O0 ${ATP_TEST_QUICK+--compile=min} "$here/test/runtests.jl"
if [ -z "${ATP_TEST_QUICK+set}" ]; then
  "$here/../../tools/ci/readme_commands.py" --session julia "$here/../../docs/howto.md" > howto.jl
  "$julia" --startup-file=no -O0 howto.jl
else
  echo "[  SKIPPED ] docs/howto.md in Julia: left to ./check.sh --all (ATP_TEST_QUICK is set)"
fi
"$julia" --startup-file=no "$here/../../examples/julia/quickstart.jl" > quickstart.out
cat quickstart.out
expected='converged: loss 1.1830280855940123e+00, optimal loss 1.1843830709285941e+00,'
expected="$expected coupling error 3.8470775228393228e-04"
reference=$here/../../examples/quickstart.txt
[ ! -f "$reference" ] || expected=$(cat "$reference")
if [ "$(cat quickstart.out)" != "$expected" ]; then
  echo "quickstart.jl does not print the numbers of the other languages: $expected"
  exit 1
fi
"$here/../../examples/same_numbers.py" --generate "$julia --startup-file=no -O0 --compile=min $here/../../examples/julia/generate.jl"
"$here/../../examples/same_numbers.py" --rows "$julia --startup-file=no -O0 --compile=min $here/../../examples/julia/rows.jl"
"$here/../../examples/same_pairs.py" "$julia --startup-file=no -O0 --compile=min $here/../../examples/julia/family.jl"
