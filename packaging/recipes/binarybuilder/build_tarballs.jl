# SPDX-License-Identifier: MIT
# Not run where it was written: see README.md. AttoPotts.jl takes the library that ATTOPOTTS_LIBRARY names, or that pkg-config finds.
using BinaryBuilder

name = "attopotts"
version = v"@VERSION@"
# There is no package of Highway: it is built here, from the commit of a release that the publisher fills in.
sources = [
    ArchiveSource("@URL@", "@SHA256@"),
    GitSource("https://github.com/google/highway.git", "HIGHWAY_COMMIT"),
]

script = raw"""
cmake -S ${WORKSPACE}/srcdir/highway -B highway -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TARGET_TOOLCHAIN} -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INSTALL_PREFIX=${WORKSPACE}/highway -DBUILD_SHARED_LIBS=OFF -DHWY_ENABLE_TESTS=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_CONTRIB=OFF
cmake --build highway --target install -j${nproc}
export PKG_CONFIG_PATH=${WORKSPACE}/highway/lib/pkgconfig:${WORKSPACE}/highway/lib64/pkgconfig:${PKG_CONFIG_PATH}
cd ${WORKSPACE}/srcdir/attopotts-*
meson setup build --cross-file=${MESON_TARGET_TOOLCHAIN} --buildtype=release -Dtests=disabled -Dbench=disabled \
    -Dcli=disabled -Dfortran=disabled -Dmpi=disabled -Dmsgpack=disabled -Dhdf5=enabled -Dlinalg=enabled
ninja -C build -j${nproc}
ninja -C build install
install_license LICENSE
"""

platforms = expand_cxxstring_abis(filter(p -> nbits(p) == 64 && !Sys.iswindows(p), supported_platforms()))

products = [
    LibraryProduct("libattopotts", :libattopotts),
    LibraryProduct("libattopotts_io", :libattopotts_io),
]

dependencies = [
    Dependency("blis_jll"),
    Dependency("LAPACK_jll"),
    Dependency("HDF5_jll"),
    Dependency("Zlib_jll"),
]

build_tarballs(ARGS, name, version, sources, script, platforms, products, dependencies; julia_compat = "1.6", preferred_gcc_version = v"12")
