#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The soname is libattopotts.so.ABI, and the libraries that the shared library needs are the expected ones.

usage: check_soname.py LIBRARY ABI"""
import re
import subprocess
import sys

library, abi = sys.argv[1:]
text = subprocess.run(["readelf", "-dW", library], capture_output=True, text=True, check=True).stdout
soname = re.findall(r"\(SONAME\).*\[(.*)\]", text)
needed = re.findall(r"\(NEEDED\).*\[(.*)\]", text)
print("soname", soname, "needed", needed)
if soname != [f"libattopotts.so.{abi}"]:
    sys.exit(f"soname is {soname}, must be libattopotts.so.{abi}")
if any("TEXTREL" in line for line in text.splitlines()):
    sys.exit("the library has text relocations")
allowed = r"lib(blis|lapack|gomp|hwy|hdf5_serial|hdf5|z|stdc\+\+|m|gcc_s|c|pthread|mvec)\.so|ld-linux"
other = [name for name in needed if not re.match(allowed, name)]
if other:
    sys.exit(f"unexpected libraries: {other}")
