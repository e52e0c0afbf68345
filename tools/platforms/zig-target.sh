#!/bin/sh
# SPDX-License-Identifier: MIT
# Prepare a build for another system with zig, which brings clang, libc++ and the libraries of C of Linux (musl), macOS and Windows.
# usage: tools/platforms/zig-target.sh TARGET     TARGET as zig calls it: x86_64-linux-musl, riscv64-linux-musl, aarch64-macos, x86_64-macos,
#                                         x86_64-windows-gnu or, with an old glibc, x86_64-linux-gnu.2.17, aarch64-linux-gnu.2.17
# Prints the path of Meson's cross file: meson setup FOLDER --cross-file "$(tools/platforms/zig-target.sh TARGET)"
# The folder ~/.cache/attopotts/zig (XDG_CACHE_HOME) is kept: zig of PyPI, headers of Highway, fmt, CLI11 and toml++ (all header-only), and cmocka
# and zlib compiled from Debian's sources. Needs python3 with venv, apt-get and dpkg-source (dpkg-dev); status 77 where something is missing.
set -eu
cd "$(dirname "$0")/../.."
folder=${XDG_CACHE_HOME:-$HOME/.cache}/attopotts/zig
zig_version=0.17.1

die() {
  echo "zig-target.sh: $*" >&2
  exit 2
}
missing() {
  echo "skipped: $*" >&2
  exit 77
}

[ $# = 1 ] || die "expected one TARGET"
target=$1
processor=${target%%-*}
wrapper=
suffix=
case $target in
  x86_64-linux-musl | *-linux-gnu.2.17) system=linux ;;
  riscv64-linux-musl) system=linux wrapper="exe_wrapper = ['qemu-riscv64']" ;;
  aarch64-macos | x86_64-macos) system=darwin ;;
  x86_64-windows-gnu) system=windows suffix=.exe ;;
  *) die "unknown target '$target'" ;;
esac
for tool in python3 apt-get dpkg-source; do
  command -v "$tool" > /dev/null || missing "$tool is not installed"
done
mkdir -p "$folder"

# zig itself.
if [ ! -x "$folder/venv/bin/python" ] || ! "$folder/venv/bin/python" -m ziglang version 2> /dev/null | grep -qx "$zig_version"; then
  { python3 -m venv "$folder/venv" && "$folder/venv/bin/pip" install -q "ziglang==$zig_version"; } > "$folder/log" 2>&1 ||
    missing "ziglang cannot be installed, see $folder/log"
fi
zig=$("$folder/venv/bin/python" -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')

# Headers that do for every target: they are in a folder of their own, because /usr/include has glibc's.
tools/machines/unpack-packages.sh "$folder/packages" libhwy-dev libfmt-dev libcli11-dev libtomlplusplus-dev > "$folder/log" 2>&1 ||
  missing "the packages of headers cannot be downloaded, see $folder/log"
mkdir -p "$folder/include"
for name in hwy fmt CLI toml++; do cp -r "$folder/packages/root/usr/include/$name" "$folder/include/"; done

# Sources of what is compiled for each target.
tools/machines/unpack-sources.sh "$folder/sources" cmocka zlib > "$folder/log" 2>&1 ||
  missing "the sources of cmocka and zlib cannot be downloaded, see $folder/log"

here=$folder/$target
mkdir -p "$here/lib" "$here/include" "$here/pkgconfig"
# Meson 1.0 asks a linker that it does not know by name for its version: zig links as lld does, and for macOS as Apple's ld does.
answer='echo "LLD 19.1.0 (compatible with GNU linkers)"; exit 0'
[ $system != darwin ] || answer='echo "ld: unknown option: --version" >&2; exit 1'
for compiler in cc c++; do
  cat > "$here/$compiler" << END
#!/bin/sh
for argument in "\$@"; do
  case \$argument in
    -Wl,--version) $answer ;;
    -Wl,-v) echo "PROJECT:ld64-820" >&2; exit 0 ;;
    # What zig hands to clang as it is must not have the version of glibc.
    -) exec '$zig' $compiler -target ${target%.*.*} "\$@" ;;
  esac
done
exec '$zig' $compiler -target $target "\$@"
END
done
printf '#!/bin/sh\nexec %s ar "$@"\n' "'$zig'" > "$here/ar"
chmod +x "$here/cc" "$here/c++" "$here/ar"

# Compiles files of a source folder into an archive. usage: archive NAME SOURCES FLAGS FILE...
archive() {
  name=$1 sources=$2 flags=$3
  shift 3
  [ ! -e "$here/lib/lib$name.a" ] || return 0
  objects=
  for file in "$@"; do
    object=$here/lib/$name-$(basename "$file" .c).o
    # shellcheck disable=SC2086  # a list
    "$here/cc" -O2 -fPIC -c $flags -o "$object" "$sources/$file"
    objects="$objects $object"
  done
  # shellcheck disable=SC2086  # a list
  "$here/ar" rcs "$here/lib/lib$name.a" $objects
}
zlib=$(find "$folder/sources" -maxdepth 1 -type d -name 'zlib-*')
# zlib's functions are in the old style of C, and it takes today's macOS for one without fdopen.
zlib_flags="-I$zlib -DHAVE_UNISTD_H -Wno-deprecated-non-prototype"
[ $system != darwin ] || zlib_flags="$zlib_flags -Dfdopen=fdopen"
archive z "$zlib" "$zlib_flags" adler32.c compress.c crc32.c deflate.c gzclose.c gzlib.c gzread.c gzwrite.c infback.c inffast.c \
  inflate.c inftrees.c trees.c uncompr.c zutil.c
cp "$zlib/zlib.h" "$zlib/zconf.h" "$here/include/"
cmocka=$(find "$folder/sources" -maxdepth 1 -type d -name 'cmocka-*')
mkdir -p "$here/cmocka"
: > "$here/cmocka/config.h"
flags="-I$here/cmocka -I$cmocka/include -DHAVE_CONFIG_H -DHAVE_STDLIB_H -DHAVE_STRING_H -DHAVE_INTTYPES_H -DHAVE_TIME_H -DHAVE_SIGNAL_H"
flags="$flags -DHAVE_STRUCT_TIMESPEC -DHAVE_SNPRINTF -DHAVE_VSNPRINTF -DCMOCKA_PLATFORM_SUPPORTS_WEAK_SYMBOLS"
[ $system = darwin ] || flags="$flags -DHAVE_MALLOC_H"
[ $system = windows ] || flags="$flags -DHAVE_CLOCK_GETTIME -DHAVE_CLOCK_REALTIME -DHAVE_UNISTD_H"
[ $system = windows ] || flags="$flags -DHAVE_STRSIGNAL"
# cmocka.h does not see that musl's stdint.h has uintptr_t.
has_uintptr=
case $target in *-musl) has_uintptr=-D_UINTPTR_T ;; esac
archive cmocka "$cmocka/src" "$flags $has_uintptr" cmocka.c
cp "$cmocka/include/"cmocka*.h "$here/include/"

package() { # NAME VERSION CFLAGS LIBS
  printf 'Name: %s\nDescription: for %s\nVersion: %s\nCflags: %s\nLibs: %s\nincludedir=%s\n' "$1" "$target" "$2" "$3" "$4" "$folder/include" \
    > "$here/pkgconfig/$1.pc"
}
version_of() { sed -n 's/^Version: //p' "$(find "$folder/packages/root" -name "$1.pc")"; }
package libhwy "$(version_of libhwy)" "-I$folder/include" ''
package fmt "$(version_of fmt)" "-I$folder/include -DFMT_HEADER_ONLY=1" ''
package CLI11 "$(version_of CLI11)" "-I$folder/include" ''
package tomlplusplus "$(version_of tomlplusplus)" "-I$folder/include" ''
package cmocka 1.1.5 "-I$here/include $has_uintptr" "-L$here/lib -lcmocka"
package zlib "$(sed -n 's/^#define ZLIB_VERSION "\(.*\)"/\1/p' "$zlib/zlib.h")" "-I$here/include" "-L$here/lib -lz"

static=
case $target in *-musl) static="'-static'" ;; esac
cat > "$here/cross.ini" << END
[binaries]
c = '$here/cc'
cpp = '$here/c++'
ar = '$here/ar'
strip = 'true'
pkgconfig = 'pkg-config'
$wrapper
[host_machine]
system = '$system'
cpu_family = '$processor'
cpu = '$processor'
endian = 'little'
[properties]
pkg_config_libdir = ['$here/pkgconfig']
[built-in options]
default_library = 'static'
c_link_args = [$static]
cpp_link_args = [$static]
[project options]
linalg = 'disabled'
hdf5 = 'disabled'
structures = 'disabled'
fortran = 'disabled'
bench = 'disabled'
END
[ -z "$suffix" ] || sed -i "s|^strip.*|&\nexe_wrapper = ['wine64']|" "$here/cross.ini"
echo "$here/cross.ini"
