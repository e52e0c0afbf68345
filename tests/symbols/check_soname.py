#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The soname of a library is NAME.so.ABI, and the libraries that it needs, and those that they need, are the expected ones.

usage: check_soname.py NAME LIBRARY ABI ALLOWED [PLANTED UNWANTED]
ALLOWED: names without "lib" and ".so...", separated by commas, or "any". PLANTED is a library that needs UNWANTED: the check must see that first.
"""
import re
import subprocess
import sys

SYSTEM = {"stdc++", "m", "mvec", "gcc_s", "c", "pthread", "dl", "rt", "ld-linux", "linux-vdso"}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def short(name):
    """libhdf5_serial.so.103 -> hdf5_serial"""
    return re.sub(r"^lib|\.so\b.*$|-(x86-64|aarch64).*", "", name.split("/")[-1])


def needed(library):
    return {short(name) for name in re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", library))}


def closure(library):
    """What the dynamic linker would load."""
    text = run("ldd", library)
    if "not found" in text:
        sys.exit(f"{library}: {text}")
    return {short(line.split()[0]) for line in text.splitlines()}


def unexpected(library, allowed):
    return [] if "any" in allowed else sorted((needed(library) | closure(library)) - SYSTEM - allowed)


name, library, abi, listed, *planted = sys.argv[1:]
allowed = set(listed.split(",")) - {""}
if planted:
    path, unwanted = planted
    seen = unexpected(path, allowed | {name.removeprefix("lib")})
    if not any(text.startswith(unwanted) for text in seen):
        sys.exit(f"the check does not see that {path} needs {unwanted}: {seen}")
    if len(closure(path)) <= len(needed(path)):
        sys.exit(f"what the libraries of {path} need is not seen")
text = run("readelf", "-dW", library)
soname = re.findall(r"\(SONAME\).*\[(.*)\]", text)
print("soname", soname, "needs", sorted(needed(library)), "and loads", sorted(closure(library)))
if soname != [f"{name}.so.{abi}"]:
    sys.exit(f"soname is {soname}, must be {name}.so.{abi}")
if "TEXTREL" in text:
    sys.exit("the library has text relocations")
other = unexpected(library, allowed)
if other:
    sys.exit(f"unexpected libraries: {other}")
