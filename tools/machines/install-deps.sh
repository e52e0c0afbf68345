#!/bin/sh
# SPDX-License-Identifier: MIT
# Install missing packages with apt on a Debian 12 machine. usage: tools/machines/install-deps.sh [--build] [--tests] [--bench] [--bindings] [--cross] [--platforms] [--fuzz] [--packages] [--site] [--notebooks] [--browser] [--all] [--missing]
# Without a list: --tests and --bench. --bindings: Fortran, R, Julia, Python. --cross: compilers for 64-bit ARM and an emulator.
# --platforms: those and compilers for further processors (tools/platforms/platforms.sh). --fuzz: what tools/fuzz/fuzz.sh takes.
# --packages: what packaging/deb.sh takes.
# --site: what tools/site/site.sh takes.
# --notebooks: what tools/ci/notebooks.py takes beside the bindings.
# --browser: Chromium, in which tests open pages, 100 MB.
# --all: what ./check.sh --all takes, but for the bindings.
# --build is part of each. Does nothing where nothing is missing.
# --missing: print the packages that are missing, in one line, instead of installing them.
set -eu

build='g++ meson ninja-build pkg-config libblis-dev liblapack-dev libhwy-dev libhdf5-dev zlib1g-dev libmsgpack-cxx-dev libcli11-dev libfmt-dev libtomlplusplus-dev gemmi-dev tao-pegtl-dev librsvg2-bin'
tests='gfortran libcmocka-dev python3-h5py libopenmpi-dev openmpi-bin'
bench='libbenchmark-dev'
bindings='gfortran r-base-dev r-cran-tinytest r-cran-ggplot2 python3-numpy python3-matplotlib python3-mpi4py python3-pytest python3-venv python3-pip python3-setuptools python3-wheel mypy valgrind'
# For tools/machines/fresh-machine.sh, the tests scripts-lint, scripts-research and cli-workflows, the second compiler (config/clang.ini) and the second MPI.
machines='debootstrap git shellcheck cppcheck cmake python3-scipy clang-14 clang-format-14 clang-tidy-14 mpich libmpich-dev parallel snakemake'
# For tools/platforms/platforms.sh: its target aarch64, and the others.
cross='g++-aarch64-linux-gnu gfortran-aarch64-linux-gnu qemu-user'
platforms="$cross g++-arm-linux-gnueabihf g++-i686-linux-gnu g++-s390x-linux-gnu"
# Of the targets that zig compiles for (tools/platforms/zig-target.sh), and of clang with libc++.
platforms="$platforms python3-venv dpkg-dev file wine64 clang-14 libc++-14-dev libc++abi-14-dev"
# For tools/fuzz/fuzz.sh and the test cli-other_readers: libFuzzer, coverage, other programs that read alignments.
fuzz='clang-14 llvm-14 libclang-rt-14-dev python3-h5py python3-biopython'
# For packaging/deb.sh and its test: what packaging/debian/control asks for beside the build, and what checks the packages.
packages='gfortran libopenmpi-dev dpkg-dev debhelper dh-python python3-all python3-setuptools python3-wheel r-base-dev lintian debootstrap git'
# For tools/site/site.sh. Its test also opens pages in chromium, where that is installed.
site='furo python3-myst-parser'
# For tools/ci/notebooks.py run.
notebooks='python3-nbclient python3-nbformat python3-ipykernel python3-matplotlib r-cran-irkernel'

# For the tests cli-report_browser and that of the site.
browser='chromium'

die() {
  echo "install-deps.sh: $*" >&2
  exit 1
}

wanted=$build
julia=
only_print=
case " $* " in *' --missing '*) only_print=yes ;; esac
case $* in '' | --missing) wanted="$build $tests $bench" ;; esac
for argument in "$@"; do
  case $argument in
    --build) ;;
    --tests) wanted="$wanted $tests" ;;
    --bench) wanted="$wanted $bench" ;;
    --bindings) wanted="$wanted $bindings" julia=yes ;;
    --cross) wanted="$wanted $cross" ;;
    --platforms) wanted="$wanted $platforms" ;;
    --fuzz) wanted="$wanted $fuzz" ;;
    --packages) wanted="$wanted $packages" ;;
    --site) wanted="$wanted $site" ;;
    --notebooks) wanted="$wanted $notebooks" ;;
    --browser) wanted="$wanted $browser" ;;
    --all) wanted="$wanted $tests $bench $machines $cross $site" ;;
    --missing) ;;
    --help | -h)
      sed -n '3,/^[^#]/s/^# //p' "$0"
      exit 0
      ;;
    *) die "unknown argument '$argument', expected --build, --tests, --bench, --bindings, --cross, --platforms, --fuzz, --packages, --site, --notebooks, --browser, --all or --missing" ;;
  esac
done

command -v dpkg-query > /dev/null || die "dpkg is missing; this script supports Debian and Ubuntu. Please install the equivalents of: $wanted"

missing=
for package in $wanted; do
  case "$missing " in *" $package "*) continue ;; esac
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done
# Debian 12 has no Julia package.
finish() {
  [ -z "$julia" ] || exec "$(dirname "$0")/install-julia.sh"
  exit 0
}
[ -z "$only_print" ] || { echo "${missing# }"; exit 0; }
[ -n "$missing" ] || finish

command -v apt-get > /dev/null || die "apt-get is missing, and these packages must be installed:$missing"
if [ "$(id -u)" = 0 ]; then
  root=
elif ! command -v sudo > /dev/null; then
  die "installing needs root or sudo; please ask an administrator to install:$missing"
elif [ -t 0 ]; then
  root=sudo
else
  root='sudo -n'
  $root true 2> /dev/null || die "sudo asks for a password, but there is no terminal; please ask an administrator to install:$missing"
fi

echo "install-deps.sh: installing$missing"
apt() {
  # shellcheck disable=SC2086  # $root is one or two words, or none
  $root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@"
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Why a server's files were not fetched: apt repeats it for each of them.
unreachable() { sed -n 's/^[WE]: Failed to fetch [^ ]*  *//p' "$log" | head -n 1; }
# A source that cannot be reached matters only if a package cannot be had then.
apt update > "$log" 2>&1 || tail -n 3 "$log" >&2
reason=$(unreachable)
# shellcheck disable=SC2086  # one word per package
if ! apt install -y --no-install-recommends $missing > "$log" 2>&1; then
  grep -q '^E: .*\(Unable to locate package\|has no installation candidate\)' "$log" || reason=$(unreachable)
  [ -z "$reason" ] || die "packages cannot be fetched ($reason); check the network and the servers in /etc/apt. Not installed:$missing"
  tail -n 20 "$log" >&2
  die "apt-get install failed for:$missing"
fi
finish
