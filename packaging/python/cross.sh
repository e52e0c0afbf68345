#!/bin/sh
# SPDX-License-Identifier: MIT
# Prepare the build of what a wheel carries: zig as the compiler, for an old glibc, and the libraries that go inside.
# usage: packaging/python/cross.sh [x86_64 | aarch64]     prints the arguments of `meson setup` for it
# Beside what tools/platforms/zig-target.sh brings: BLIS and LAPACK, Debian's archives; HDF5, compiled from Debian's source without what the
# library does not call; headers of gemmi, PEGTL and msgpack. All of it is kept in ~/.cache/attopotts/zig (XDG_CACHE_HOME). Status 77 where
# something is missing. What HDF5 asks of the processor runs under qemu-user where it is another one.
set -eu
case ${1-} in --help | -h) sed -n '3,/^[^#]/s/^# //p' "$0"; exit 0 ;; esac
processor=${1:-x86_64}
[ $# -le 1 ] || { echo "cross.sh: unknown argument '$2', expected one processor" >&2; exit 2; }
case $processor in
  x86_64) architecture=amd64 ;;
  aarch64) architecture=arm64 ;;
  *) echo "cross.sh: unknown processor '$processor', expected x86_64 or aarch64" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/../.."
[ "$(uname -m)" = x86_64 ] || { echo 'skipped: wheels are built on x86-64' >&2; exit 77; }
for tool in make $([ "$processor" = x86_64 ] || echo "qemu-$processor"); do
  command -v "$tool" > /dev/null || { echo "skipped: $tool is not installed" >&2; exit 77; }
done
base=$(tools/platforms/zig-target.sh "$processor-linux-gnu.2.17")
here=$(dirname "$base")
folder=$(dirname "$here")
root=$folder/packages/root
packages=$folder/packages
[ "$processor" = x86_64 ] || packages=$folder/packages-$processor
archives=$packages/root/usr/lib/$processor-linux-gnu

missing() {
  echo "skipped: $*" >&2
  exit 77
}

{
  tools/machines/unpack-packages.sh "$folder/packages" libblis-pthread-dev liblapack-dev gemmi-dev tao-pegtl-dev libmsgpack-cxx-dev &&
    tools/machines/unpack-packages.sh --arch $architecture "$packages" libblis-pthread-dev liblapack-dev
} > "$folder/log" 2>&1 || missing "the packages that go into the wheel cannot be downloaded, see $folder/log"
mkdir -p "$here/bundled"
for name in gemmi tao msgpack msgpack.hpp; do cp -r "$root/usr/include/$name" "$here/bundled/"; done
cp "$packages/root/usr/include/$processor-linux-gnu/blis-pthread/"*.h "$here/bundled/"

# LAPACK's routines call one function of the Fortran run time; BLIS comes first, its xerbla_ takes the place of one that prints.
cp "$archives/blis-pthread/libblis.a" "$archives/liblapack_pic.a" "$here/lib/"
"$here/cc" -O2 -fPIC -fvisibility=hidden -c -o "$here/lib/concat_string.o" packaging/python/concat_string.c
rm -f "$here/lib/libconcat_string.a"
"$here/ar" rcs "$here/lib/libconcat_string.a" "$here/lib/concat_string.o"

# HDF5's configure runs what it compiles: the compiler puts a script in the place of each program that runs it under the emulator.
runs_here=$here/cc
if [ "$processor" != x86_64 ]; then
  runs_here=$here/runs-here-cc
  cat > "$runs_here" << END
#!/bin/sh
'$here/cc' "\$@" || exit
out=a.out
links=yes
before=
for argument in "\$@"; do
  case \$argument in -c | -S | -E | -shared) links= ;; esac
  [ "\$before" != -o ] || out=\$argument
  before=\$argument
done
[ -n "\$links" ] && [ -x "\$out" ] || exit 0
program=\$(cd "\$(dirname "\$out")" && pwd)/.program-\$(basename "\$out")
mv "\$out" "\$program"
printf '#!/bin/sh\nexec qemu-$processor -L %s %s "\$@"\n' "'$packages/root'" "'\$program'" > "\$out"
chmod +x "\$out"
END
  chmod +x "$runs_here"
fi

# Debian's archive of HDF5 calls curl, OpenSSL and libaec.
if [ ! -e "$here/hdf5/done" ]; then
  rm -rf "$here/hdf5"
  mkdir -p "$here/hdf5/build"
  (
    tools/machines/unpack-sources.sh "$folder/sources" hdf5
    cd "$here/hdf5/build"
    "$(find "$folder/sources" -maxdepth 1 -type d -name 'hdf5-*')/configure" --prefix="$here/hdf5" --disable-shared --disable-hl --disable-hltools \
      --disable-tests --disable-tools --disable-dependency-tracking --enable-threadsafe --with-pthread=yes --enable-build-mode=production \
      --disable-trace CC="$runs_here" AR="$here/ar" RANLIB=true CFLAGS='-fPIC -O2 -w -Wno-implicit-int -ffunction-sections -fdata-sections' \
      --with-zlib="$here/include,$here/lib"
    make -s -C src -j2 install-libLTLIBRARIES install-data
    rm -r "$here/hdf5/build"
    : > "$here/hdf5/done"
  ) > "$folder/log" 2>&1 || missing "HDF5 cannot be compiled, see $folder/log"
fi

package() { # NAME VERSION CFLAGS LIBS
  printf 'Name: %s\nDescription: inside the wheel\nVersion: %s\nCflags: %s\nLibs: %s\n' "$1" "$2" "$3" "$4" > "$here/pkgconfig/$1.pc"
}
package blis 0.9.0 "-I$here/bundled" "-L$here/lib -lblis"
package lapack 3.11.0 '' "-L$here/lib -llapack_pic -lconcat_string"
package hdf5 "$(sed -n 's/^#define H5_VERS_INFO.*library version: \([0-9.]*\).*/\1/p' "$here/hdf5/include/H5public.h")" "-I$here/hdf5/include" "-L$here/hdf5/lib -lhdf5"
cached=
! command -v ccache > /dev/null || cached="'ccache', "
cat > "$here/wheel.ini" << END
[binaries]
c = [$cached'$here/cc']
cpp = [$cached'$here/c++']
[built-in options]
default_library = 'shared'
cpp_args = ['-isystem$here/bundled']
# Most of what the archives bring is not called.
cpp_link_args = ['-Wl,--gc-sections', '-Wl,-s']
[project options]
linalg = 'enabled'
hdf5 = 'enabled'
structures = 'enabled'
END

# Their licences ask to be told.
mkdir -p "$here/licenses"
for package in libblis-pthread-dev liblapack-dev libhwy-dev libfmt-dev libcli11-dev libtomlplusplus-dev gemmi-dev tao-pegtl-dev libmsgpack-cxx-dev; do
  cp "$root/usr/share/doc/$package/copyright" "$here/licenses/$package"
done
zig=$("$folder/venv/bin/python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__))')
cp "$zig/lib/libcxx/LICENSE.TXT" "$here/licenses/libcxx"
for name in hdf5 zlib; do cp "$(find "$folder/sources" -maxdepth 1 -type d -name "$name-*")/debian/copyright" "$here/licenses/$name"; done
echo "--cross-file $base --cross-file $here/wheel.ini"
