#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Install into a temporary prefix; build and run programs of CMake projects that know nothing but find_package(attopotts).

usage: run_cmake.py BUILD_DIR
C and C++, with and without files; linked with the shared libraries, then with the archives alone; from a tree that was moved, from one that
a link leads to, as /lib does to /usr/lib, and from one with folders outside the prefix. Newer versions and missing components must be refused
with one line that says so. Skipped where there is no cmake.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "support"))
from installed_tree import install, run  # noqa: E402

PROJECT = """cmake_minimum_required(VERSION 3.18)
project(consumer C CXX)
set(CMAKE_C_STANDARD 11)
set(CMAKE_CXX_STANDARD 17)
find_package(attopotts @VERSION@ REQUIRED COMPONENTS @COMPONENTS@)
foreach(source consumer.c consumer.cpp consumer_io.c consumer_io.cpp)
  string(REPLACE "." "_" name ${source})
  add_executable(${name} ${source})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  if(source MATCHES "_io")
    target_link_libraries(${name} PRIVATE attopotts::io)
  else()
    target_link_libraries(${name} PRIVATE attopotts::attopotts)
  endif()
endforeach()
"""
SOURCES = ("consumer.c", "consumer.cpp", "consumer_io.c", "consumer_io.cpp")


def configured(folder, prefix, version="0.1", components="io"):
    """The result of CMake on a new project in this folder."""
    folder.mkdir()
    for source in SOURCES:
        shutil.copy(here / source, folder)
    (folder / "CMakeLists.txt").write_text(PROJECT.replace("@VERSION@", version).replace("@COMPONENTS@", components))
    return subprocess.run(["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}"], capture_output=True, text=True)


def printed(folder, prefix):
    """What the programs of a project print."""
    done = configured(folder, prefix)
    if done.returncode != 0:
        sys.exit(f"cmake: {done.stdout}{done.stderr}")
    run("cmake", "--build", folder / "build")
    return [run(folder / "build" / source.replace(".", "_")) for source in SOURCES]


def refused(folder, prefix, expected, **wanted):
    done = configured(folder, prefix, **wanted)
    if done.returncode == 0 or expected not in " ".join(done.stderr.split()):
        sys.exit(f"{wanted}: status {done.returncode}, expected \"{expected}\" in {done.stderr}")


def scattered(folder, prefix, libraries):
    """The same libraries in a tree whose folders are outside its prefix; gives where CMake finds it."""
    places = {name: folder / "scattered" / name for name in ("prefix", "lib", "headers")}
    run("meson", "setup", folder / "configured", here.parents[1], f"--prefix={places['prefix']}", f"--libdir={places['lib']}",
        f"--includedir={places['headers']}", "-Dprofile=tiny", "-Dhighway=disabled", "-Dtests=disabled", "-Dbench=disabled")
    shutil.copytree(libraries, places["lib"], symlinks=True)
    shutil.copytree(prefix / "include", places["headers"])
    for file in (folder / "configured/config/cmake").glob("*.cmake"):
        shutil.copy(file, places["lib"] / "cmake/attopotts")
    return places["lib"] / "cmake"


def main(build):
    if shutil.which("cmake") is None:
        print("skipped: cmake is not installed (tools/machines/install-deps.sh --tests)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.chdir(folder)
        prefix, _, libraries = install(build, folder)
        lines = {"shared": printed(folder / "shared", prefix)}
        (folder / "linked").mkdir()
        (folder / "linked/lib").symlink_to(prefix / "lib")
        lines["linked"] = printed(folder / "from_linked", folder / "linked")
        lines["scattered"] = printed(folder / "from_scattered", scattered(folder, prefix, libraries))
        refused(folder / "newer", prefix, "compatible with requested version \"0.2\"", version="0.2")
        refused(folder / "missing", prefix, "attopotts is installed without graphics", components="io graphics")
        for library in ("libattopotts", "libattopotts_io"):
            for path in libraries.glob(f"{library}.so*"):
                path.unlink()
        if (libraries / "libattopotts.a").exists():
            lines["archives"] = printed(folder / "archives", prefix)
        for kind, texts in lines.items():
            print(f"{kind}: {texts[0].strip()}")
        if len({text for texts in lines.values() for text in texts}) != 1:
            sys.exit(f"the programs do not agree: {lines}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
