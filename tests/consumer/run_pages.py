#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run every example of a page of docs, in the order of the page, as a reader would: against an install in a temporary prefix.

usage: run_pages.py BUILD_DIR FORTRAN(yes|no) PAGE...
Blocks of sh are run by bash; those of Python are one session; a block of C, C++ or Fortran is a file, named in its first line, and is built
and run if it is a program. Commands of R, Julia and MPI are left out where those are not installed. A block of text that
follows is what the block prints; a line `...` stands for any lines. A block may change the folder of the page only; examples/ is that of the
project, and files of tools/machines/walk_data.sh are there. The first block that fails ends the test.
"""
import contextlib
import importlib.util
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

root = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(root / "tools/ci"), str(root / "tests/support")]
from installed_tree import install, run  # noqa: E402
from page_output import difference  # noqa: E402
from readme_commands import blocks  # noqa: E402

COMPILERS = {"c": ["cc", "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-pedantic"],
             "cpp": ["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic"],
             "fortran": ["gfortran", "-std=f2008", "-Wall", "-Werror"]}
# Where Debian installs NumPy; the first python3 of the path may be another.
SYSTEM_PYTHON = "/usr/bin/python3"
# Commands of languages that may be absent.
OTHER = {"Rscript": re.compile(r"^Rscript ", re.M), "julia": re.compile(r"^julia ", re.M), "mpirun": re.compile(r"^mpirun ", re.M)}
IS_PROGRAM = {"c": r"\bint main\(", "cpp": r"\bint main\(", "fortran": r"(?m)^program "}


class Page:
    def __init__(self, environment, fortran):
        self.environment, self.fortran = environment, fortran
        self.session = {"__name__": "__main__"}
        self.written = ""

    def lacks(self, code):
        return any(pattern.search(code) and shutil.which(name, path=self.environment["PATH"]) is None for name, pattern in OTHER.items())

    def shell(self, code):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", code], env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)
        self.written = done.stdout
        return done.returncode

    def python(self, code):
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                exec(compile(code, "the page", "exec"), self.session)
        except BaseException:
            self.written = out.getvalue() + traceback.format_exc()
            return 1
        self.written = out.getvalue()
        return 0

    def source(self, language, code):
        name = re.match(r"(?:/\*|//|program \w+  !) ([\w.]+)", code)[1]
        pathlib.Path(name).write_text(code)
        if not re.search(IS_PROGRAM[language], code):
            return 0
        package = "attopotts-fortran" if language == "fortran" else "attopotts-io" if "attopotts_io" in code else "attopotts"
        program = "./" + pathlib.Path(name).stem
        return self.shell(" ".join([*COMPILERS[language], name, "-o", program, f"$(pkg-config --cflags --libs {package})", "-lm -pthread"])
                          + f"\n{program}")

    def block(self, language, code):
        """The status; None for what cannot be run here."""
        if language == "sh":
            return None if self.lacks(code) else self.shell(code)
        if language == "python":
            return self.python(code)
        if language not in COMPILERS or (language == "fortran" and not self.fortran):
            return None
        return self.source(language, code)


def walk(path, page):
    count, status = 0, None
    tasks = path.stem.startswith("tasks")
    for line, language, lines, marks in blocks(path.read_text()):
        if any(mark.startswith("not run: ") for mark in marks):
            status = None
            continue
        if language == "text":
            wrong = difference(lines, page.written) if status == 0 and not tasks else None
            if wrong:
                sys.exit(f"{path.name}:{line}: {wrong}")
            continue
        began = time.monotonic()
        status = page.block(language, "\n".join(lines) + "\n")
        print(f"{path.name}:{line} {language}: {'left out' if status is None else f'{time.monotonic() - began:.1f} s'}", flush=True)
        print(*("    " + text for text in page.written.splitlines()), sep="\n")
        if status:
            sys.exit(f"{path.name}:{line}: status {status}")
        if tasks:
            page.written = ""
        count += status == 0
    least = 12 if tasks else 3 if path.stem.startswith("tutorial") else 1
    if count < least:
        sys.exit(f"{path.name}: only {count} blocks were run, expected {least}")


def add_command(folder, name, target):
    path = folder / "bin" / name
    path.write_text(f'#!/bin/sh\nexec "{target}" "$@"\n')
    path.chmod(0o755)


def add_languages(pages, folder, environment):
    """Commands for Python and Julia, and the packages of R and Julia where a page calls them."""
    text = "".join(page.read_text() for page in pages)
    (folder / "bin").mkdir()
    environment["PATH"] = f"{folder / 'bin'}:{environment['PATH']}"
    add_command(folder, "python3", sys.executable)
    if OTHER["Rscript"].search(text) and shutil.which("Rscript"):
        (folder / "r/library").mkdir(parents=True)
        run("cp", "-R", root / "bindings/r", folder / "r/source")
        run(root / "bindings/generate.py", "r", folder / "r/source")
        environment["R_LIBS"] = str(folder / "r/library")
        run("R", "CMD", "INSTALL", "--no-test-load", f"--library={folder / 'r/library'}", folder / "r/source", env=environment)
    julia = subprocess.run([root / "tools/machines/install-julia.sh", "--path"], capture_output=True, text=True).stdout.strip()
    if OTHER["julia"].search(text) and julia:
        add_command(folder, "julia", julia)
        run("cp", "-R", root / "bindings/julia", folder / "julia")
        run(root / "bindings/generate.py", "julia", folder / "julia")
        environment.update(JULIA_DEPOT_PATH=str(folder / "depot"), JULIA_PROJECT=str(folder / "julia"), JULIA_LOAD_PATH="@:@stdlib")


def main():
    build, fortran, *pages = sys.argv[1:]
    pages = [pathlib.Path(p).resolve() for p in pages]
    if any(re.search(r"^(```python|python3 )", page.read_text(), re.M) for page in pages) and importlib.util.find_spec("numpy") is None:
        if subprocess.run([SYSTEM_PYTHON, "-c", "import numpy"], capture_output=True).returncode != 0:
            print("skipped: NumPy is not installed")
            sys.exit(77)
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.chdir(folder)
        prefix, pc, libraries = install(build, folder)
        # MPI in a container of root, with more ranks than cores.
        mpi = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
        environment = {**os.environ, **mpi, "ATTOPOTTS_LIBRARY": str(libraries / "libattopotts.so"), "PKG_CONFIG_PATH": str(pc),
                       "LD_LIBRARY_PATH": str(libraries), "LC_ALL": "C.UTF-8", "PYTHONPATH": str(folder / "python"), "PATH": f"{prefix / 'bin'}:{os.environ['PATH']}"}
        (folder / "python").mkdir()
        run("cp", "-R", root / "bindings/python/src/attopotts", folder / "python")
        run(sys.executable, root / "bindings/generate.py", "python", folder / "made")
        for made in (folder / "made").rglob("attopotts/*"):
            run("cp", "-R", made, folder / "python/attopotts")
        for name in ("ATTOPOTTS_LIBRARY", "LD_LIBRARY_PATH"):
            os.environ[name] = environment[name]
        sys.path.insert(0, str(folder / "python"))
        add_languages(pages, folder, environment)
        for path in pages:
            place = folder / path.stem
            place.mkdir()
            (place / "examples").symlink_to(root / "examples")
            os.chdir(place)
            run(root / "tools/machines/walk_data.sh")
            walk(path, Page(environment, fortran == "yes"))
        os.chdir("/")


if __name__ == "__main__":
    main()
