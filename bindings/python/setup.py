# SPDX-License-Identifier: MIT
"""Builds the package. In a clone the generated modules are written first; a source distribution has them.

A source distribution also has the sources of the library (library/), and its wheels carry the library and the program, compiled by Meson.
ATTOPOTTS_BUNDLED=0 leaves them out, for a library that is installed; ATTOPOTTS_BUNDLED=1 puts them into a wheel of a clone.
Where it is not set, a wheel of a clone needs the library, and is refused without it.
ATTOPOTTS_MESON has further arguments of `meson setup`, ATTOPOTTS_LICENSES names a folder of licences of what was linked in."""
import gzip
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from backend import BUNDLED, HERE, LIBRARY, refuse_without_library, write_generated
from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

# What the library and the program are compiled from.
SOURCES = ("meson.build", "meson_options.txt", "LICENSE", "capi", "cli", "config", "include", "src")
OPTIONS = ("--prefix=/usr", "--libdir=lib", "--buildtype=release", "--strip", "-Ddefault_library=shared", "-Done_library=true", "-Dlinalg=auto",
           "-Dhighway=auto", "-Dmpi=disabled", "-Dfortran=disabled", "-Dtests=disabled", "-Dbench=disabled")


def tell(text):
    """Progress, which pip shows with -v alone; hence on the terminal, too, if there is one."""
    print(f"attopotts: {text}", flush=True)
    try:
        if not sys.stdout.isatty():
            with open("/dev/tty", "w") as terminal:
                terminal.write(f"\n  attopotts: {text}")
    except OSError:
        pass


def compile_library(build):
    """`meson compile`, with a line for every tenth of the files."""
    begin, told = time.monotonic(), 0
    with subprocess.Popen(["meson", "compile", "-C", build], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            if found := re.match(r"\[(\d+)/(\d+)\]", line):
                done, files = map(int, found.groups())
                if done == 1 and files > 100:
                    tell(f"compiling {files} files; from nothing that is 3 to 10 minutes of a processor, divided by the number of cores")
                if 10 * done // files > told:
                    told = 10 * done // files
                    tell(f"{done} of {files} files after {time.monotonic() - begin:.0f} s")
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)


def build_library(folder, target):
    """Compiles library and program below a folder and puts them below the target as lib/libattopotts.so.0 and bin/attopotts."""
    build, stage = folder / "meson", folder / "stage"
    shutil.rmtree(stage, ignore_errors=True)
    # A build from nothing; those who have other arguments may have another compiler, too.
    given = shlex.split(os.environ.get("ATTOPOTTS_MESON", "-Dcold_build=true"))
    # The build runs the program, which must not find another library first.
    if folders := os.environ.get("LD_LIBRARY_PATH"):
        os.environ["LD_LIBRARY_PATH"] = f"{build.resolve()}:{folders}"
    try:
        if not (build / "build.ninja").exists():
            subprocess.run(["meson", "setup", build, LIBRARY, *OPTIONS, *given], check=True)
        compile_library(build)
        subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", stage.resolve()], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"attopotts: the library was not built, see above: {error}")
    for found in (*(stage / "usr/lib").glob("libattopotts.so.?"), *(stage / "usr/bin").glob("attopotts")):
        place = target / found.parent.name / found.name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(found, place)
    if licenses := os.environ.get("ATTOPOTTS_LICENSES"):
        shutil.copytree(licenses, target / "licenses", dirs_exist_ok=True)


class BuildPackage(build_py):
    def run(self):
        refuse_without_library()
        super().run()
        if BUNDLED and not getattr(self, "editable_mode", False):
            temporary = pathlib.Path(self.get_finalized_command("build").build_temp)
            build_library(temporary, pathlib.Path(self.build_lib) / "attopotts/_bundled")


class Package(Distribution):
    """With the library inside, a package belongs to one platform."""

    def has_ext_modules(self):
        return BUNDLED


class BuildWheel(bdist_wheel):
    """One wheel does for every Python: ctypes loads the library."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


class BuildSources(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        shutil.copy2(LIBRARY / "LICENSE", base_dir)
        shutil.copy2(HERE / "backend.py", base_dir)
        for name in SOURCES:
            if (LIBRARY / name).is_dir():
                shutil.copytree(LIBRARY / name, pathlib.Path(base_dir, "library", name), ignore=shutil.ignore_patterns("__pycache__"))
            else:
                pathlib.Path(base_dir, "library").mkdir(exist_ok=True)
                shutil.copy2(LIBRARY / name, pathlib.Path(base_dir, "library", name))

    def make_archive(self, base_name, format, *places, **names):
        """The archive. With SOURCE_DATE_EPOCH, the time of a release, it always has the same bytes."""
        if format != "gztar" or "SOURCE_DATE_EPOCH" not in os.environ:
            return super().make_archive(base_name, format, *places, **names)
        moment = int(os.environ["SOURCE_DATE_EPOCH"])

        def plain(entry):
            entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = moment, 0, 0, "", ""
            return entry

        with open(f"{base_name}.tar.gz", "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=moment) as packed, \
                tarfile.open(fileobj=packed, mode="w") as archive:
            archive.add(names["base_dir"], filter=plain)
        return f"{base_name}.tar.gz"


write_generated()
setup(
    # Here, as setuptools before 77 and after 2026 read different forms in pyproject.toml.
    license="MIT",
    distclass=Package,
    cmdclass={"build_py": BuildPackage, "bdist_wheel": BuildWheel, "sdist": BuildSources},
    # Where the program is installed, its command is.
    entry_points={"console_scripts": ["attopotts = attopotts._program:main"]} if BUNDLED else {},
    # A build front end asks for these before the build.
    setup_requires=[name for name, program in (("meson", "meson"), ("ninja", "ninja")) if BUNDLED and not shutil.which(program)],
)
