# SPDX-License-Identifier: MIT
"""A folder that stands in for a machine: a PATH of few tools, some of them written by the test, and an /etc."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ["awk", "cat", "chmod", "cp", "cut", "dirname", "env", "find", "grep", "head", "id", "ls", "mkdir", "mktemp", "mv", "paste", "rm", "sed", "sh",
         "sort", "tail", "tr", "true"]


class MachineTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def tool(self, name, script):
        self.write(f"bin/{name}", "#!/bin/sh\n" + script + "\n").chmod(0o755)

    def run_script(self, name, *arguments, **environment):
        env = {"PATH": str(self.bin), "HOME": str(self.folder), "ATP_ROOT": str(self.folder), **environment}
        return subprocess.run([str(ROOT / name), *arguments], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                              cwd=os.fspath(self.folder))
