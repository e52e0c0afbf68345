#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The dynamic linker refuses another library of ours (files, MPI) beside a core of another version.

usage: check_versions.py CORE OTHER VERSION

The other version is a copy of the core in which the name of the private version node is changed."""
import os
import pathlib
import subprocess
import sys
import tempfile

core, library = (os.path.abspath(path) for path in sys.argv[1:3])
version = sys.argv[3]
LOAD = "import ctypes, sys; [ctypes.CDLL(path) for path in sys.argv[1:]]"


def load(path):
    env = {k: v for k, v in os.environ.items() if not k.startswith("LD_")}
    return subprocess.run([sys.executable, "-c", LOAD, path, library], capture_output=True, text=True, env=env)


node = f"ATTOPOTTS_PRIVATE_{version}".encode()
other = node[:-1] + (b"x" if node[-1:] != b"x" else b"y")
image = pathlib.Path(core).read_bytes()
if node + b"\0" not in image:
    sys.exit(f"{core} does not have the name {node.decode()}")
with tempfile.TemporaryDirectory() as folder:
    changed = pathlib.Path(folder) / pathlib.Path(core).name
    changed.write_bytes(image.replace(node + b"\0", other + b"\0"))
    good, bad = load(core), load(str(changed))
if good.returncode != 0:
    sys.exit(f"the two libraries do not load: {good.stderr}")
if bad.returncode == 0 or node.decode() not in bad.stderr:
    sys.exit(f"a core of another version is not refused: status {bad.returncode}, {bad.stderr}")
print(bad.stderr.strip().splitlines()[-1])
