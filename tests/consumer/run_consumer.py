#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Install into a temporary prefix; build and run programs against it that know nothing but pkg-config's name of the library.

usage: run_consumer.py BUILD_DIR shared|static FORTRAN(yes|no) ABI
C, C++ and Fortran; with plain compiler commands and with a Meson project. `static` is an install whose only library is the archive. The
programs must all print the same line. The installed tree was moved after the install, and pkg-config must find it, also with --define-prefix.
It must hold no path of the build and no run-time search path.
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile

build, kind, fortran, abi = sys.argv[1:]
here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "support"))
from installed_tree import install, run  # noqa: E402

SOURCES = {"consumer.c": "cc", "consumer.cpp": "c++", **({"consumer.f90": "gfortran"} if fortran == "yes" else {}),
           "consumer_io.c": "cc", "consumer_io.cpp": "c++"}
LIBRARIES = ("libattopotts", "libattopotts_io")


def package(source):
    return "attopotts-io" if "_io" in source else "attopotts"


def check_tree(prefix, libraries):
    for name in LIBRARIES:
        header = prefix / "include" / f"{name.removeprefix('lib')}.h"
        shared = libraries / f"{name}.so"
        for path in (header, libraries / f"{name}.a", shared):
            if not path.exists():
                sys.exit(f"not installed: {path.relative_to(prefix)}")
        if os.readlink(shared) != f"{name}.so.{abi}":
            sys.exit(f"{shared.name} points to {os.readlink(shared)}, must point to {name}.so.{abi}")
    if (prefix / "bin/attopotts").exists():
        for path in ("man/man1/attopotts.1", "man/man1/attopotts-learn.1", "bash-completion/completions/attopotts.bash",
                     "zsh/site-functions/_attopotts", "fish/vendor_completions.d/attopotts.fish"):
            if not (prefix / "share" / path).exists():
                sys.exit(f"not installed: share/{path}")
    programs = [path for path in (*libraries.glob("*.so"), *(prefix / "bin").glob("*")) if path.read_bytes()[:4] == b"\x7fELF"]
    if len(programs) < 2:
        sys.exit(f"libraries and programs are not found: {programs}")
    for path in programs:
        if re.search(r"\((RPATH|RUNPATH)\)", run("readelf", "-dW", path)):
            sys.exit(f"the installed {path.name} has a run-time search path")
    for path in prefix.rglob("*.pc"):
        if str(build) in path.read_text():
            sys.exit(f"{path.name} names the build folder")


def check_places(prefix, pc, env):
    """Every .pc file names existing folders of the tree where it is now."""
    for path in pc.glob("*.pc"):
        for flags in ([], ["--define-prefix"]):
            words = run("pkg-config", *flags, "--cflags", "--libs", path.stem, env=env).split()
            places = {pathlib.Path(os.path.realpath(word[2:])) for word in words if word[:2] in ("-I", "-L")}
            own = {place for place in places if place.is_relative_to(prefix)}
            if not own >= {prefix / "include", pc.parent} or not all(place.is_dir() for place in own):
                sys.exit(f"pkg-config {' '.join(flags)} {path.stem}: {places}, expected the folders of {prefix}")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    # Meson 1.0 makes ninja clean up where it is called: it must not be the build that is tested.
    os.chdir(folder)
    prefix, pc, libraries = install(build, folder)
    check_tree(prefix, libraries)
    if kind == "static":
        for name in LIBRARIES:
            for path in libraries.glob(f"{name}.so*"):
                path.unlink()
    env = {**os.environ, "PKG_CONFIG_PATH": str(pc), "LC_ALL": "C"}
    for variable in ("CC", "CXX", "FC", "CFLAGS", "CXXFLAGS", "LDFLAGS", "LD_LIBRARY_PATH", "DESTDIR"):
        env.pop(variable, None)
    check_places(prefix, pc, env)
    run_env = {**env, "LD_LIBRARY_PATH": str(libraries)} if kind == "shared" else env

    lines = {}
    # By hand.
    flags = {name: run("pkg-config", "--cflags", "--libs", *(["--static"] if kind == "static" else []), name, env=env).split()
             for name in ("attopotts", "attopotts-io")}
    for name, words in flags.items():
        print(f"pkg-config {name}:", " ".join(words))
    # hdf5.pc and the like belong to the machine that built the libraries: where they are absent, programs can be compiled all the same.
    bare = {**env, "PKG_CONFIG_LIBDIR": str(pc)}
    for name in flags:
        run("pkg-config", "--cflags", "--libs", "--static", name, env=bare)
    if "-lattopotts_io" in flags["attopotts"] or any("hdf5" in word for word in flags["attopotts"]):
        sys.exit("the core asks for the library of files or for HDF5")
    for source, compiler in SOURCES.items():
        program = folder / (source.replace(".", "_") + "_by_hand")
        standard = {"cc": "-std=c11", "c++": "-std=c++17", "gfortran": "-std=f2008"}[compiler]
        run(compiler, standard, here / source, "-o", program, *flags[package(source)], cwd=folder, env=env)
        lines[f"{source} by hand"] = run(program, env=run_env)
        loaded = run("ldd", program, env=run_env)
        linked = "libattopotts" in loaded
        if package(source) == "attopotts" and re.search("libattopotts_io|hdf5", loaded):
            sys.exit(f"{source}: linked with the library of files or with HDF5")
        if linked != (kind == "shared"):
            sys.exit(f"{source}: linked {'with' if linked else 'without'} the shared library, wanted {kind}")

    # One file, with everything in it.
    if kind == "static":
        program = folder / "one_file"
        run("cc", "-std=c11", "-static", here / "consumer.c", "-o", program, *flags["attopotts"], cwd=folder, env=env)
        lines["consumer.c as one file"] = run(program, env={})

    # With Meson.
    project = folder / "project"
    project.mkdir()
    for source in SOURCES:
        shutil.copy(here / source, project)
    languages = ["'c'", "'cpp'"] + (["'fortran'"] if fortran == "yes" else [])
    (project / "meson.build").write_text((here / "meson.build.in").read_text()
                                         .replace("@LANGUAGES@", ", ".join(languages))
                                         .replace("@SOURCES@", ", ".join(f"'{s}': '{package(s)}'" for s in SOURCES)))
    run("meson", "setup", project / "build", project, f"--default-library={kind}", f"--pkg-config-path={pc}", env=env)
    run("ninja", "-C", project / "build", env=env)
    for source in SOURCES:
        lines[f"{source} with Meson"] = run(project / "build" / re.sub(r"\W", "_", source), env=run_env)

    for what, line in lines.items():
        print(f"{kind}, {what}: {line.strip()}")
    # Fortran writes 0.123E+1 where C writes 1.23: compare numbers, to the bit.
    values = {(line.split()[0], float(line.split()[1])) for line in lines.values()}
    if len(values) != 1:
        sys.exit("the programs do not agree")
