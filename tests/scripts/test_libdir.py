#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""config/libdir.sh: a folder that pkg-config and ldconfig know, where Meson alone would choose another."""
import unittest

from machine import MachineTest


class LibraryFolder(MachineTest):
    def choose(self):
        result = self.run_script("config/libdir.sh")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_debian_without_dpkg_dev(self):
        self.write("etc/debian_version", "12.0\n")
        self.tool("cc", "echo some-linux-gnu")
        self.assertEqual(self.choose(), "libdir=lib\n")  # no such folder of libraries
        (self.folder / "usr/lib/some-linux-gnu").mkdir(parents=True)
        self.assertEqual(self.choose(), "libdir=lib/some-linux-gnu\n")

    def test_compiler_that_knows_no_multiarch(self):
        self.write("etc/debian_version", "12.0\n")
        self.assertEqual(self.choose(), "libdir=lib\n")

    def test_choice_of_meson_is_right(self):
        self.assertEqual(self.choose(), "")  # no Debian: lib64 may be the place
        self.write("etc/debian_version", "12.0\n")
        self.tool("dpkg-architecture", "echo some-linux-gnu")
        self.assertEqual(self.choose(), "")


if __name__ == "__main__":
    unittest.main()
