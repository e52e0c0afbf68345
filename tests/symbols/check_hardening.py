#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is built is hardened: RELRO, immediate binding, no executable stack, no writable code, no text relocations, and the options that the
compiler was given took effect. It needs the libraries that are listed, no others.

usage: check_hardening.py CC FILE=NEEDED... FILE: a shared library or a program. NEEDED: the names of the libraries that it may name, without
"lib" and ".so...", separated by commas; a * at the end stands for anything. The check first sees planted files with all the faults.
"""
import fnmatch
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SYSTEM = ["stdc++", "m", "mvec", "gcc_s", "c", "pthread", "dl", "rt", "ld-linux*", "gfortran", "quadmath", "gomp"]

# A text relocation and a writable buffer; nothing is protected, every check of FORTIFY is off.
LIBRARY = """
#include <string.h>
__asm__(".text\\n.globl planted_code\\nplanted_code:\\n.dc.a planted_data\\n");
int planted_data = 1;
void planted(const char *text, char *out) { char buffer[64]; strcpy(buffer, text); strcpy(out, buffer); }
"""
PROGRAM = "void planted(const char *text, char *out);\nint main(void) { char out[64]; planted(\"\", out); return out[0]; }\n"
SOFT = ["-O1", "-fno-stack-protector", "-U_FORTIFY_SOURCE", "-Wl,-z,norelro", "-Wl,-z,lazy", "-Wl,-z,execstack", "-Wl,-z,notext", "-w"]


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


def short(name):
    """libhdf5_serial.so.103 -> hdf5_serial"""
    return re.sub(r"^lib|\.so\b.*$", "", name)


def segment_complaints(path):
    text = output("readelf", "-lW", path)
    segments = re.findall(r"^ +(\w+) +(?:0x\w+ +){5}([RWE ]{3}) ", text, flags=re.M)
    if not any(kind == "LOAD" and "E" in flags for kind, flags in segments):
        sys.exit(f"{path}: the segments are not read rightly:\n{text}")
    found = [] if any(kind == "GNU_RELRO" for kind, _ in segments) else ["no RELRO"]
    stack = [flags for kind, flags in segments if kind == "GNU_STACK"]
    if not stack or any("E" in flags for flags in stack):
        found.append("executable stack")
    if any(kind == "LOAD" and "W" in flags and "E" in flags for kind, flags in segments):
        found.append("memory that is writable and executable")
    return found


def dynamic_complaints(path, allowed):
    text = output("readelf", "-dW", path)
    flags = " ".join(re.findall(r"\((?:FLAGS|FLAGS_1)\)\s+(.*)", text)) + " ".join(re.findall(r"\((BIND_NOW)\)", text))
    found = []
    if "NOW" not in flags:
        found.append("symbols are bound late")
    if "TEXTREL" in text:
        found.append("text relocations")
    header = output("readelf", "-hW", path)
    is_program = "(SONAME)" not in text and "INTERP" in output("readelf", "-lW", path)
    if is_program and (not re.search(r"Type:\s+DYN", header) or "PIE" not in flags):
        found.append("no position-independent program")
    needed = {short(name) for name in re.findall(r"\(NEEDED\).*\[(.*)\]", text)}
    if not needed:
        sys.exit(f"{path} needs nothing: the dynamic section is not read rightly:\n{text}")
    return found + [f"needs {name}" for name in sorted(needed) if not any(fnmatch.fnmatch(name, p) for p in SYSTEM + allowed)]


def unmarked(path):
    """The exported functions that do not begin with endbr64. The linker's note of that is not there where the system's own crti.o has none."""
    loads = re.findall(r"^ +LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)", output("readelf", "-lW", path), flags=re.M)
    segments = [tuple(int(number, 16) for number in load) for load in loads]
    image = pathlib.Path(path).read_bytes()
    functions = re.findall(r"^(\w+) [Ti] (\S+)$", output("nm", "-D", "--defined-only", path), flags=re.M)
    found = []
    for address, name in ((int(number, 16), name) for number, name in functions):
        offset = next(offset + address - begin for offset, begin, size in segments if begin <= address < begin + size)
        if image[offset:offset + 4] != b"\xf3\x0f\x1e\xfa":
            found.append(name)
    return found, len(functions)


def code_complaints(path, kind):
    """What the compiler was asked for, as it shows in the file."""
    names = {line.split()[-1].split("@")[0] for line in output("nm", "-D", "--undefined-only", path).splitlines()}
    # Without local arrays of characters and calls with known sizes nothing of the two would show: Fortran's libraries have none, MPI's no calls.
    found = [] if "fortran" in kind or names & {"__stack_chk_fail", "__stack_chk_guard"} else ["no stack protector"]
    if not re.search("fortran|_mpi", kind) and not any(name.endswith("_chk") for name in names):
        found.append("no FORTIFY")
    if "X86-64" in output("readelf", "-hW", path) and ".so" in kind:
        names, count = unmarked(path)
        if names or not count:
            found.append(f"no marks of branch targets in {len(names)} of {count} functions")
    return found


def complaints(path, allowed):
    return segment_complaints(path) + dynamic_complaints(path, allowed) + code_complaints(path, pathlib.Path(path).name)


def see_planted_faults(compiler):
    on_x86 = "x86_64" in output(*compiler, "-dumpmachine")
    soft = SOFT + (["-fcf-protection=none"] if on_x86 else [])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "planted.c").write_text(LIBRARY)
        (folder / "program.c").write_text(PROGRAM)
        subprocess.run([*compiler, *soft, "-shared", "-o", folder / "libplanted.so", folder / "planted.c"], check=True)
        subprocess.run([*compiler, *soft, "-no-pie", "-o", folder / "program", folder / "program.c", f"-L{folder}", "-lplanted"], check=True)
        expected = ["no RELRO", "executable stack", "symbols are bound late", "no stack protector", "no FORTIFY"]
        of_library = ["text relocations"] + (["no marks of branch targets in 2 of 2 functions"] if on_x86 else [])
        for file, more in (("libplanted.so", of_library), ("program", ["no position-independent program", "needs planted"])):
            seen = complaints(folder / file, [])
            for fault in expected + more:
                if fault not in seen:
                    sys.exit(f"the check does not see a planted fault: {fault}; it sees {seen}")


compiler, *pairs = sys.argv[1:]
see_planted_faults(shlex.split(compiler))
status = 0
for pair in pairs:
    path, needed = pair.rsplit("=", 1)
    found = complaints(path, [name for name in needed.split(",") if name])
    print(f"{pathlib.Path(path).name}: {', '.join(found) or 'hardened'}")
    status |= bool(found)
sys.exit(status)
