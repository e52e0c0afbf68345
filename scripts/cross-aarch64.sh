#!/bin/sh
# SPDX-License-Identifier: MIT
# Cross-build for 64-bit ARM on Debian 12 and run the kernel, unit and api tests and the quickstarts of C, C++ and Fortran under qemu-user.
# usage: scripts/cross-aarch64.sh [--slow] [FOLDER]     the build folder, build-cross by default
# --slow: also the fifteen tests that take minutes each under the emulator (slow_emulated in tests/meson.build)
# Needs g++-aarch64-linux-gnu, gfortran-aarch64-linux-gnu and qemu-user (scripts/install-deps.sh --cross). ARM packages are unpacked into
# ~/.cache/attopotts/arm64 (XDG_CACHE_HOME), which is kept. The quickstarts must print the bits of examples/quickstart.txt.
# Status 77 where a tool or a package is missing, 1 where a test failed, 2 for everything else.
set -eu
cd "$(dirname "$0")/.."
suites='unit kernel api'
if [ "${1:-}" = --slow ]; then
  suites="$suites slow-emulated"
  shift
fi
build=${1:-build-cross}
folder=${XDG_CACHE_HOME:-$HOME/.cache}/attopotts/arm64
triplet=aarch64-linux-gnu

die() {
  echo "cross-aarch64.sh: $*" >&2
  exit 2
}
for tool in $triplet-g++ $triplet-gfortran qemu-aarch64 meson ninja; do
  command -v "$tool" > /dev/null || { echo "skipped: $tool is not installed (run scripts/install-deps.sh --cross)"; exit 77; }
done

scripts/unpack-packages.sh --arch arm64 "$folder" libc6-dev libstdc++-12-dev libgfortran5 libgomp1 libhwy-dev libcmocka-dev \
  libblis-dev liblapack-dev libhdf5-dev zlib1g-dev libcli11-dev libfmt-dev ||
  { echo "skipped: the packages for arm64 cannot be downloaded"; exit 77; }
root=$folder/root
libraries=$root/usr/lib/$triplet
# Links that update-alternatives would make.
for library in "$libraries"/blis-*/libblis.so* "$libraries"/lapack/liblapack.so* "$libraries"/blis-*/libblas.so*; do
  ln -sf "${library#"$libraries"/}" "$libraries/$(basename "$library")"
done
for header in "$root/usr/include/$triplet"/blis-*/*.h; do ln -sf "$header" "$root/usr/include/$triplet/"; done

# The compiler finds the sysroot's headers itself, after those of C++, which wrap C's. Meson has pkg-config name their folder, which puts it
# first: std::isnan would be a macro.
cat > "$folder/pkg-config" << END
#!/bin/sh
unset PKG_CONFIG_ALLOW_SYSTEM_CFLAGS
PKG_CONFIG_SYSTEM_INCLUDE_PATH='$root/usr/include:/usr/include' exec pkg-config "\$@"
END
chmod +x "$folder/pkg-config"

cat > "$folder/cross.ini" << END
[binaries]
c = '$triplet-gcc'
cpp = '$triplet-g++'
fortran = '$triplet-gfortran'
ar = '$triplet-ar'
strip = '$triplet-strip'
pkgconfig = '$folder/pkg-config'
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

set -- --cross-file "$folder/cross.ini" --buildtype=release -Ddefault_library=static -Dtests=enabled -Dcli=disabled -Dbench=disabled \
  -Dopenmp=enabled -Dhdf5=enabled -Dfortran=enabled
if [ -f "$build/build.ninja" ]; then
  meson setup --reconfigure "$build" "$@" > "$build-steps.log" 2>&1 || meson setup --wipe "$build" "$@" > "$build-steps.log" 2>&1
else
  meson setup "$build" "$@" > "$build-steps.log" 2>&1
fi || {
  tail -n 20 "$build-steps.log" >&2
  die "meson setup failed, see $build-steps.log"
}
# What these tests need, and the archive that is looked into below.
# shellcheck disable=SC2046,SC2086  # lists
ninja -C "$build" libattopotts.a examples/quickstart_c examples/quickstart_cpp examples/quickstart_fortran \
  $(scripts/test_targets.py "$build" $suites) > "$build-steps.log" 2>&1 || {
  grep -E -A 5 'FAILED|error' "$build-steps.log" | tail -n 40 >&2
  die "the build failed, see $build-steps.log"
}

# Boards without the cryptography extension run these kernels: they may have fused multiply-adds of vectors, but no AES.
$triplet-objdump -d "$build/libattopotts.a" > "$build/code.txt"
grep -q 'fmla.*v[0-9]*\.4s' "$build/code.txt" || die "found no vector instruction in the library, so the next check would prove nothing"
! grep -E '\<(aes(e|d|mc|imc)|pmull2?|sha(1|256|512))' "$build/code.txt" || die "the library contains instructions that some boards lack"

# Tests that the emulator cannot run skip, see tests/support/support.h.
export ATP_EMULATED=1
failed=0
# shellcheck disable=SC2046,SC2086  # lists
meson test -C "$build" --no-rebuild $(printf -- '--suite %s ' $suites) --print-errorlogs --timeout-multiplier 20 --quiet || failed=1
run="qemu-aarch64 -L $root $build/examples/quickstart_"
python3 examples/same_numbers.py "${run}c" "${run}cpp" "${run}fortran" || die "the quickstarts print different numbers"
exit "$failed"
