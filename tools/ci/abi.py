#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare the binary interface of the libraries with the recorded one, by libabigail (Debian: abigail-tools).

usage: tools/ci/abi.py --record | --check [--headers FOLDER] [--soversion N]
--record writes tests/symbols/abi/NAME.abi, --check compares with them: status 1 on a break, 77 without libabigail. Additions are no break: new
functions, new constants, and members at the end of a structure that begins with its size. A break needs a new abi_version in meson.build
(--soversion stands in for it), and with it any change is fine. --headers: a folder with other headers of the project, for tests.

What is compared is made from the public headers: a library with every function and every enum, its debug information, and its soname and version
nodes. It has the types that callers see and no other, and takes a second. That the real libraries export what the headers declare, the test
symbols-exports shows; that their functions have the declared parameters, the compiler. libattopotts_mpi is left out: its types are those of one MPI."""
import argparse
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/symbols"))
sys.path.insert(0, str(ROOT / "tools/ci"))
import headers  # noqa: E402
from tree_version import version  # noqa: E402

RECORDED = ROOT / "tests/symbols/abi"
LIBRARIES = {"libattopotts": ("attopotts.h", "attopotts.map.in"), "libattopotts_io": ("attopotts_io.h", "attopotts_io.map.in")}
OF_IO = {"io.h", "input.h"}
NOT_ALONE = {"mpi.h", "visibility.h"}
# Bytes of one record; a tree carries them for ever.
LARGEST = 400_000
# Whose sizes and offsets the records have.
MACHINE = "x86_64"
# A structure that begins with its size may grow: the library reads what the caller has.
GROWING = "[suppress_type]\n  name = atp_ranks\n  has_data_member_inserted_at = end\n"
# What abidiff's status says.
FAILED, CHANGED = 1 | 2, 4 | 8


def soversion():
    return re.search(r"abi_version = '(\d+)'", (ROOT / "meson.build").read_text())[1]


def topics(include, name):
    """The headers of a library."""
    return [path for path in sorted((include / "attopotts").glob("*.h")) if path.name not in NOT_ALONE
            and (path.name in OF_IO) == (name == "libattopotts_io")]


def stub(include, name):
    """C: every function of the library, and a variable of each enum, because functions take numbers where a constant is meant."""
    lines = [f"#include <{LIBRARIES[name][0]}>"]
    for function in headers.all_functions(topics(include, name)):
        parameters = ", ".join(f"{p.type} {p.name}" for p in function.parameters) or "void"
        result = "" if function.returns == "void" else "return 0;"
        lines.append(f"{function.returns} {function.name}({parameters}) {{ {result} }}")
    lines += [f"enum {enum.name} atp_enum_{enum.name} = 0;" for enum in headers.all_enums(topics(include, name))]
    return "\n".join(lines) + "\n"


def generated_headers(folder):
    """version_numbers.h, which the build makes."""
    (folder / "attopotts").mkdir(parents=True)
    numbers = "".join(f"#define ATP_VERSION_{part} 0\n" for part in ("MAJOR", "MINOR", "PATCH"))
    (folder / "attopotts/version_numbers.h").write_text(numbers + f'#define ATP_VERSION_STRING "{version()}"\n')


def build(include, name, abi, folder):
    """The library to compare."""
    source, node = folder / f"{name}.c", folder / f"{name}.map"
    source.write_text(stub(include, name))
    script = (ROOT / "capi" / LIBRARIES[name][1]).read_text().replace("@ABI@", abi)
    # The private node names the exact version, on purpose.
    node.write_text(re.sub(r"ATTOPOTTS_PRIVATE_.*?\};\s*\};?\n", "", script, flags=re.S))
    if not (folder / "include").exists():
        generated_headers(folder / "include")
    library = folder / f"{name}.so"
    subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-std=c11", "-g", "-O0", "-fPIC", "-shared", "-w", f"-I{include.resolve()}", f"-I{folder / 'include'}",
                    f"-Wl,-soname,{name}.so.{abi}", f"-Wl,--version-script={node}", "-o", library, source.name], check=True, cwd=folder)
    return library


def describe(library, path):
    """libabigail's description, without what depends on the machine: folders, lines of sources."""
    subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--type-id-style", "hash", "--out-file", path, library], check=True)


def record(include):
    RECORDED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        for library in LIBRARIES:
            path = RECORDED / f"{library}.abi"
            describe(build(include, library, soversion(), pathlib.Path(name)), path)
            size = path.stat().st_size
            print(f"{path.relative_to(ROOT)}: {size} bytes")
            if size > LARGEST:
                sys.exit(f"more than {LARGEST} bytes")
    return 0


def compare(include, library, abi, folder):
    """Whether callers that were compiled with the recorded interface can use this one."""
    recorded = RECORDED / f"{library}.abi"
    words = ["abidiff", "--no-added-syms", recorded, build(include, library, abi, folder)]
    done = subprocess.run(words, capture_output=True, text=True)
    # The suppression would hide members of another type, too.
    if "data member insertion" in done.stdout and not re.search("data member (change|deletion)", done.stdout):
        suppressions = folder / "suppressions"
        suppressions.write_text(GROWING)
        done = subprocess.run([*words, "--suppressions", suppressions], capture_output=True, text=True)
    if done.returncode & FAILED:
        sys.exit(f"abidiff failed, status {done.returncode}:\n{done.stdout}{done.stderr}")
    if f"{library}.so.{abi}'" not in recorded.read_text():
        print(f"{library}: soversion {abi} is new, any interface is fine; tools/ci/abi.py --record at its release")
        return True
    if done.returncode & CHANGED:
        print(f"{library}: the interface of soversion {abi} is broken:\n{done.stdout}")
        return False
    print(f"{library}: compatible with the recorded interface of soversion {abi}")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--record", action="store_true")
    action.add_argument("--check", action="store_true")
    parser.add_argument("--headers", type=pathlib.Path, default=ROOT / "include")
    parser.add_argument("--soversion", default=soversion())
    arguments = parser.parse_args()
    for tool in ("abidw", "abidiff"):
        if shutil.which(tool) is None:
            print(f"skipped: {tool} is not installed (run tools/machines/install-deps.sh --all)")
            return 77
    if platform.machine() != MACHINE:
        print(f"skipped: the recorded interface is that of {MACHINE}, sizes are other ones on {platform.machine()}")
        return 77
    if arguments.record:
        return record(arguments.headers)
    with tempfile.TemporaryDirectory() as name:
        fine = [compare(arguments.headers, library, arguments.soversion, pathlib.Path(name)) for library in LIBRARIES]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
