# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154  # read and set by tools/platforms/platforms.sh
# libc++ 14 has no std::from_chars for double: src/base/parse_real.cpp reads numbers.
title='x86-64, glibc, clang with libc++'
how='natively'
tools='clang++-14'
compiler='clang++-14 --version'
options='-Dcli=enabled -Dfortran=disabled -Dmpi=disabled'
slow_suites='cli slow-emulated statistics theory slow'
extra_targets='cli/attopotts examples/quickstart_c examples/quickstart_cpp'
patience=4

# fmt as headers alone: its library is compiled with libstdc++.
prepare() {
  echo '#include <charconv>' | clang++-14 -x c++ -std=c++17 -stdlib=libc++ -fsyntax-only - 2> /dev/null || skip "libc++-14-dev is not installed (run $hint)"
  mkdir -p "$cache/pkgconfig"
  printf 'Name: fmt\nDescription: headers alone\nVersion: %s\nCflags: -DFMT_HEADER_ONLY=1\n' "$(pkg-config --modversion fmt)" > "$cache/pkgconfig/fmt.pc"
  cat > "$cache/native.ini" << END
[binaries]
c = 'clang-14'
cpp = 'clang++-14'
[built-in options]
cpp_args = ['-stdlib=libc++']
cpp_link_args = ['-stdlib=libc++']
pkg_config_path = ['$cache/pkgconfig']
END
  options="$options --native-file=$cache/native.ini"
}
