#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/machines/install-julia.sh: which Julia is used, what older versions left is removed, a failure leaves nothing."""
import pathlib
import unittest

from machine import MachineTest

SCRIPT = "tools/machines/install-julia.sh"
DEB822 = """Types: deb deb-src
URIs: http://mirror.example/debian
Suites: other-updates {suite}
Components: main contrib
Signed-By: /usr/share/keyrings/x.gpg
"""


class Julia(MachineTest):
    def setUp(self):
        super().setUp()
        # A julia that says by its status whether it works.
        self.works, self.broken = "exit 0", "exit 139"
        self.private = self.folder / ".cache/attopotts/julia/julia"

    def unpack(self, script):
        self.write(self.private.relative_to(self.folder), f"#!/bin/sh\n{script}\n").chmod(0o755)

    def test_path(self):
        result = self.run_script(SCRIPT, "--path")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.unpack(self.broken)
        self.assertEqual(self.run_script(SCRIPT, "--path").returncode, 1)
        self.unpack(self.works)
        self.assertEqual(self.run_script(SCRIPT, "--path").stdout, f"{self.private}\n")
        self.tool("julia", self.broken)
        self.assertEqual(self.run_script(SCRIPT, "--path").stdout, f"{self.private}\n")
        self.tool("julia", self.works)
        self.assertEqual(self.run_script(SCRIPT, "--path").stdout, f"{self.bin}/julia\n")

    def test_entry(self):
        suite = next((line.split("=")[1].strip('"') for line in pathlib.Path("/etc/os-release").read_text().splitlines()
                      if line.startswith("VERSION_CODENAME=")), "stable")
        sources = self.write("a.sources", DEB822.format(suite=suite))
        entry = self.run_script(SCRIPT, "--entry", str(sources)).stdout
        self.assertEqual(sorted(entry.splitlines()), sorted(["Types: deb", "Suites: bullseye", "Components: main", "URIs: http://mirror.example/debian",
                                                             "Signed-By: /usr/share/keyrings/x.gpg"]))
        lines = self.write("a.list", f"# no\ndeb-src http://s.example x main\ndeb [trusted=yes] http://m.example/d {suite} main contrib\n")
        self.assertEqual(self.run_script(SCRIPT, "--entry", str(lines)).stdout, "deb [trusted=yes] http://m.example/d bullseye main\n")
        self.assertEqual(self.run_script(SCRIPT, "--entry", str(self.write("b.list", "deb http://m.example/d nosuch main\n"))).returncode, 1)

    def test_what_older_versions_left_is_removed(self):
        self.tool("julia", self.works)
        self.tool("dpkg-query", "echo 1.5.3+dfsg-3")
        ours = [self.write("etc/apt/sources.list.d/attopotts-julia.sources", "x"), self.write("etc/apt/preferences.d/attopotts-julia", "x")]
        other = self.write("etc/apt/preferences.d/nodejs", "x")
        result = self.run_script(SCRIPT)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([p.exists() for p in (*ours, other)], [False, False, True])
        self.assertIn("attopotts-julia.sources", result.stdout)
        self.assertIn("packages installed from there remain", result.stdout)
        self.assertEqual(self.run_script(SCRIPT).stdout, "")  # once

    def test_failure_leaves_nothing(self):
        for tool in ("dpkg-deb", "dpkg"):
            self.tool(tool, "echo amd64")
        self.tool("apt-get", f"echo \"$@\" >> {self.folder}/calls; echo 'E: no route'; exit 100")
        result = self.run_script(SCRIPT)
        self.assertEqual(result.returncode, 1)
        self.assertIn("install-julia.sh: Julia not installed", result.stderr)
        self.assertEqual([p.name for p in self.folder.glob(".cache/attopotts/*")], [])
        self.assertNotIn("-y", (self.folder / "calls").read_text())  # nothing is installed


if __name__ == "__main__":
    unittest.main()
