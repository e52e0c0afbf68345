#!/bin/sh
# SPDX-License-Identifier: MIT
# Cross-build for 64-bit ARM on Debian 12 and run the kernel, unit and api tests and the quickstarts of C, C++ and Fortran under qemu-user.
# usage: scripts/cross-aarch64.sh [FOLDER]     default: build-aarch64; FOLDER/sysroot keeps the unpacked packages between runs
# Needs g++-aarch64-linux-gnu, gfortran-aarch64-linux-gnu and qemu-user (scripts/install-deps.sh --cross). Changes nothing outside FOLDER.
# The quickstarts must print the bits that they print on this machine (examples/quickstart.txt).
set -eu
cd "$(dirname "$0")/.."
folder=${1:-build-aarch64}
case $folder in /*) ;; *) folder=$PWD/$folder ;; esac
triplet=aarch64-linux-gnu

die() {
  echo "cross-aarch64.sh: $*" >&2
  exit 1
}
for tool in $triplet-g++ $triplet-gfortran qemu-aarch64 meson ninja; do
  command -v "$tool" > /dev/null || die "no $tool here; scripts/install-deps.sh --cross installs it"
done

scripts/unpack-packages.sh --arch arm64 "$folder/sysroot" libc6-dev libstdc++-12-dev libgfortran5 libgomp1 libhwy-dev libcmocka-dev \
  libblis-dev liblapack-dev libhdf5-dev zlib1g-dev libcli11-dev libfmt-dev
root=$folder/sysroot/root
libraries=$root/usr/lib/$triplet
# What update-alternatives would link.
for library in "$libraries"/blis-*/libblis.so* "$libraries"/lapack/liblapack.so* "$libraries"/blis-*/libblas.so*; do
  ln -sf "${library#"$libraries"/}" "$libraries/$(basename "$library")"
done
for header in "$root/usr/include/$triplet"/blis-*/*.h; do ln -sf "$header" "$root/usr/include/$triplet/"; done

cat > "$folder/cross.ini" << END
[binaries]
c = '$triplet-gcc'
cpp = '$triplet-g++'
fortran = '$triplet-gfortran'
ar = '$triplet-ar'
strip = '$triplet-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-aarch64', '-L', '$root']
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'armv8-a'
endian = 'little'
[properties]
sys_root = '$root'
pkg_config_libdir = ['$libraries/pkgconfig', '$root/usr/share/pkgconfig']
needs_exe_wrapper = true
[built-in options]
c_args = ['--sysroot=$root']
cpp_args = ['--sysroot=$root']
fortran_args = ['--sysroot=$root']
c_link_args = ['--sysroot=$root']
cpp_link_args = ['--sysroot=$root']
fortran_link_args = ['--sysroot=$root']
END

build=$folder/build
set -- --cross-file "$folder/cross.ini" --buildtype=release -Ddefault_library=static -Dtests=enabled -Dcli=disabled -Dbench=disabled \
  -Dopenmp=enabled -Dhdf5=enabled -Dfortran=enabled
if [ -f "$build/build.ninja" ]; then
  meson setup --reconfigure "$build" "$@" > "$folder/configure.log" 2>&1 || meson setup --wipe "$build" "$@" > "$folder/configure.log" 2>&1
else
  meson setup "$build" "$@" > "$folder/configure.log" 2>&1
fi || {
  tail -n 20 "$folder/configure.log" >&2
  die "meson setup failed, see $folder/configure.log"
}
ninja -C "$build" > "$folder/build.log" 2>&1 || {
  grep -E -A 5 'FAILED|error' "$folder/build.log" | tail -n 40 >&2
  die "the build failed, see $folder/build.log"
}

# Boards without the cryptography extension run these kernels: they may have fused multiply-adds of vectors, but no AES.
$triplet-objdump -d "$build/libattopotts.a" > "$folder/code.txt"
grep -q 'fmla.*v[0-9]*\.4s' "$folder/code.txt" || die "no vector instruction in the library: the search below would find nothing"
! grep -E '\<(aes(e|d|mc|imc)|pmull2?|sha(1|256|512))' "$folder/code.txt" || die "instructions that some boards lack"

meson test -C "$build" --no-rebuild --suite unit --suite kernel --suite api --print-errorlogs --timeout-multiplier 6 --quiet
run="qemu-aarch64 -L $root $build/examples/quickstart_"
python3 examples/same_numbers.py "${run}c" "${run}cpp" "${run}fortran"
