#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs into a temporary prefix, builds programs with what pkg-config says of attopotts-mpi, and runs them on two ranks.

usage: run_installed.py BUILD_DIR FORTRAN(yes|no) MPIRUN [OPTION...]
C and C++, and Fortran with attopotts-fortran-mpi; the shared library, and the archive where there is one. C++ gets no bindings of MPI.
The programs of docs/clusters.md are among them.
"""
import os
import pathlib
import sys
import tempfile

build, fortran, *mpirun = sys.argv[1:]
here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "support"))
sys.path.insert(0, str(here.parents[1] / "tools/ci"))
from installed_tree import install, run  # noqa: E402
from readme_commands import blocks  # noqa: E402

CPP = """
#include <attopotts_mpi.h>
#include <cstdio>
int main(int argc, char **argv) {
  atp_context *context = nullptr;
  if (atp_mpi_begin(&argc, &argv) != 0 || atp_context_create(nullptr, nullptr, nullptr, &context) != ATP_OK) return 1;
  if (atp_context_set_mpi(context, MPI_COMM_WORLD) != ATP_OK) return 1;
  if (atp_context_rank(context) == 0) std::puts("together");
  atp_context_destroy(context);
  return atp_mpi_end();
}
"""


def of_the_page(language, first):
    """The program of docs/clusters.md that begins so."""
    found = ["\n".join(lines) + "\n" for _, known, lines, _ in blocks((here.parents[1] / "docs/clusters.md").read_text()) if known == language]
    (program,) = [text for text in found if text.startswith(first)]
    return program


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    os.chdir(folder)
    prefix, pc, libraries = install(build, folder)
    (folder / "program.cpp").write_text(CPP)
    (folder / "page.c").write_text(of_the_page("c", "/* cc program.c"))
    (folder / "page.f90").write_text(of_the_page("fortran", "program ranks"))
    env = {**os.environ, "PKG_CONFIG_PATH": str(pc), "LC_ALL": "C"}
    sources = [(here / "mpi_killed.c", "cc -std=c11 -D_POSIX_C_SOURCE=200809L", "attopotts-mpi"),
               (folder / "program.cpp", "c++ -std=c++17 -Wall -Wextra -Werror", "attopotts-mpi"),
               (folder / "page.c", "cc -std=c11", "attopotts-mpi")]
    if fortran == "yes":
        sources += [(path, "gfortran -std=f2008", "attopotts-fortran-mpi") for path in (here / "mpi_fortran.f90", folder / "page.f90")]
    kinds = [kind for kind, suffix in (("shared", ".so"), ("static", ".a")) if (libraries / f"libattopotts_mpi{suffix}").exists()]
    if not kinds:
        sys.exit("libattopotts_mpi is not installed")
    for kind in kinds:
        if kind == "static":
            for path in libraries.glob("libattopotts*.so*"):
                path.unlink()
        for source, compiler, package in sources:
            flags = run("pkg-config", "--cflags", "--libs", *["--static"] * (kind == "static"), package, env=env).split()
            program = folder / f"{source.stem}{source.suffix[1]}_{kind}"
            run(*compiler.split(), source, "-o", program, *flags, env=env)
            written = run(*mpirun, "-n", "2", program, env={**env, "LD_LIBRARY_PATH": str(libraries)})
            print(f"{kind}, {source.name}: {written.strip()}")
            # Those of the page say nothing; their status is 0.
            if source.stem != "page" and "together" not in written and "passed" not in written:
                sys.exit("the program does not come to its end")
