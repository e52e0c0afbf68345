#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The library never prints, aborts or exits, and runs nothing when it is loaded.

usage: check_quiet.py LIBRARY PLANTED_LIBRARY EMPTY_LIBRARY
Standard output may be written to where the caller asks for the file "-"; nothing else of the kind may even be imported. Static
initialisers show in the size of .init_array, compared with a library that has nothing in it.
"""
import re
import subprocess
import sys

# Names as the linker sees them. `stdout` and `stdin` are for the file name "-".
FORBIDDEN = {"printf", "vprintf", "puts", "putchar", "perror", "psignal", "stderr", "__printf_chk", "__vprintf_chk", "abort", "exit",
             "_exit", "_Exit", "quick_exit", "__assert_fail", "__assert", "raise", "kill", "signal", "sigaction", "system", "setenv",
             "putenv", "srand", "rand", "_ZSt4cout", "_ZSt4cerr", "_ZSt4clog", "_ZSt4wcout", "_ZNSt8ios_base4InitC1Ev"}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def imports(library):
    names = [line.split()[-1].split("@")[0] for line in output("nm", "-D", "--undefined-only", library).splitlines()]
    if not names:
        raise SystemExit(f"{library} imports nothing: that cannot be right")
    return set(names)


def initialisers(library):
    """Bytes of constructors."""
    total = 0
    for line in output("readelf", "-SW", library).splitlines():
        match = re.search(r"\]\s+\.(init_array|ctors|preinit_array)\S*\s+\S+\s+\w+\s+\w+\s+(\w+)", line)
        if match:
            total += int(match[2], 16)
    return total


def complaints(library, empty):
    # Threads are those of src/base/team.hpp, which ThreadSanitizer can watch: no OpenMP run time.
    found = [f"imports {name}" for name in sorted(imports(library)) if name in FORBIDDEN or name.startswith(("GOMP_", "__kmpc_", "omp_"))]
    extra = initialisers(library) - initialisers(empty)
    if extra > 0:
        found.append(f"runs {extra // 8} functions when it is loaded")
    return found


library, planted, empty = sys.argv[1:]
if initialisers(empty) == 0:
    sys.exit("the empty library has no .init_array: the sections are not read rightly")
seen = complaints(planted, empty)
for fault in ("imports abort", "imports exit", "imports printf", "imports puts", "imports stderr", "imports omp_planted", "runs 1 functions when it is loaded"):
    if fault not in seen:
        sys.exit(f"the check does not see a planted fault: {fault}; it sees {seen}")
found = complaints(library, empty)
print("\n".join(found) or "quiet")
sys.exit(1 if found else 0)
