# SPDX-License-Identifier: MIT
"""The Python binding of this tree for scripts that make many runs: one thread, no install."""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def load(library):
    """The module, with the part that is made from the headers; it needs NumPy (Debian: python3-numpy)."""
    source = os.path.join(tempfile.mkdtemp(), "source")
    shutil.copytree(os.path.join(ROOT, "bindings/python"), source)
    subprocess.run([sys.executable, os.path.join(ROOT, "bindings/generate.py"), "python", source], check=True)
    os.environ.update(ATTOPOTTS_LIBRARY=os.path.abspath(library), OMP_NUM_THREADS="1")
    sys.path.insert(0, os.path.join(source, "src"))
    import attopotts
    return attopotts
