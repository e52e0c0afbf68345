#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Build and run programs of a Meson project that has attopotts as a subproject, from a tarball and a wrap file; install it elsewhere and build
one with pkg-config.

usage: run_subproject.py SOURCE_DIR"""
import os
import pathlib
import shutil
import sys
import tarfile
import tempfile

root = pathlib.Path(sys.argv[1])
here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "support"))
from installed_tree import run  # noqa: E402

SOURCES = {"consumer.c": "attopotts", "consumer_io.c": "attopotts-io"}
BUILD = """project('consumer', 'c', 'cpp', default_options: ['c_std=c11', 'warning_level=3', 'werror=true', 'buildtype=release'])
foreach source, name : {SOURCES}
  executable(source.underscorify(), source, dependencies: dependency(name, version: '>=0.1'))
endforeach
"""


def wanted(info):
    """No builds, no history."""
    parts = info.name.split("/")[1:]
    return None if parts and (parts[0].startswith(".git") or parts[0].startswith("build") or "__pycache__" in parts) else info


with tempfile.TemporaryDirectory() as name:
    os.chdir(name)
    project = pathlib.Path(name) / "project"
    packed = project / "subprojects/packagefiles/attopotts-0.tar.gz"
    packed.parent.mkdir(parents=True)
    with tarfile.open(packed, "w:gz", compresslevel=1) as archive:
        archive.add(root, arcname="attopotts-0", filter=wanted)
    (project / "subprojects/attopotts.wrap").write_text(run(root / "packaging/wrap.sh", packed))
    for source in SOURCES:
        shutil.copy(here / source, project)
    (project / "meson.build").write_text(BUILD.replace("{SOURCES}", repr(SOURCES)))
    env = {name: value for name, value in os.environ.items() if name not in ("CFLAGS", "CXXFLAGS", "LDFLAGS", "DESTDIR", "LD_LIBRARY_PATH")}
    # An installed library would be taken instead.
    options = ["--force-fallback-for=attopotts,attopotts-io", "-Dattopotts:hdf5=disabled", "-Dattopotts:linalg=disabled"]
    print(run("meson", "setup", "build", project, *options, env=env)[-600:])
    run("ninja", "-C", "build", *(source.replace(".", "_") for source in SOURCES), env=env)
    values = {source: run(pathlib.Path("build") / source.replace(".", "_")).strip() for source in SOURCES}
    print(values)
    if len({tuple(value.split()[:2]) for value in values.values()}) != 1:
        sys.exit("the programs do not agree")
    # What the subproject installs can be moved, too.
    run("ninja", "-C", "build", env=env)
    run("meson", "install", "-C", "build", "--no-rebuild", "--quiet", "--destdir", pathlib.Path(name) / "stage", env=env)
    (pc,) = pathlib.Path(name, "stage").rglob("attopotts-io.pc")
    words = run("pkg-config", "--cflags", "--libs", "attopotts-io", env={**env, "PKG_CONFIG_PATH": str(pc.parent)}).split()
    run("cc", "-std=c11", here / "consumer_io.c", "-o", "installed", *words, env=env)
    if run("./installed", env={**env, "LD_LIBRARY_PATH": str(pc.parent.parent)}).strip() != values["consumer_io.c"]:
        sys.exit("the installed subproject gives another number")
    # What the subproject does not build: program, tests, examples.
    if list(pathlib.Path("build").rglob("attopotts")) and any(path.is_file() for path in pathlib.Path("build").rglob("attopotts")):
        sys.exit("the subproject builds the program")
