#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the symbols files of the library packages from the public headers: each function with the version since which it is there.

usage: symbols.py FOLDER     (in the top folder of the source)
dpkg-gensymbols -c4 then compares them with the libraries: a function that is missing, or has no header, fails the build."""
import pathlib
import re
import sys

sys.path[:0] = ["tests/symbols", "tools/ci"]
import headers  # noqa: E402
from tree_version import ABI, first, version  # noqa: E402

# Package and version node of each library, before the number of the interface; which headers it has.
LIBRARIES = {
    "libattopotts": ("libattopotts", "ATTOPOTTS", lambda name: name not in ("io.h", "input.h", "mpi.h")),
    "libattopotts_io": ("libattopotts-io", "ATTOPOTTS_IO", lambda name: name in ("io.h", "input.h")),
    "libattopotts_mpi": ("libattopotts-mpi", "ATTOPOTTS_MPI", lambda name: name == "mpi.h"),
}


def since(function):
    found = re.search(r"\bSince:\s+\**\s*(\d+\.\d+)", function.comment)
    if not found:
        sys.exit(f"symbols.py: the comment of {function.name} has no 'Since: VERSION'")
    return found[1]


def symbols(library, abi, number):
    package, node, wanted = LIBRARIES[library]
    # Headers of topics, and those that include them: attopotts_mpi.h has a function of its own.
    topics = sorted(pathlib.Path("include/attopotts").glob("*.h"))
    paths = [path for path in topics if wanted(path.name)] + [pathlib.Path(f"include/{library.removeprefix('lib')}.h")]
    found = {f"{function.name}@{node}_{abi}": since(function) for path in paths for function in headers.functions(path)}
    found[f"{node}_{abi}@{node}_{abi}"] = "0.1"
    lines = [f" {name} {first_in}" for name, first_in in sorted(found.items())]
    if library == "libattopotts":
        # For libattopotts_io and libattopotts_mpi of the same version, whose packages name that version in Depends.
        lines.append(f" (symver)ATTOPOTTS_PRIVATE_{number} {number}")
    return f"{package}{abi}", "\n".join([f"{library}.so.{abi} {package}{abi} #MINVER#", *lines]) + "\n"


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(0 if print(__doc__) or sys.argv[1:] in (["-h"], ["--help"]) else 2)
    for library in LIBRARIES:
        package, lines = symbols(library, first(*ABI), version())
        pathlib.Path(sys.argv[1], f"{package}.symbols").write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    main()
