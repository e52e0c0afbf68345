#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/install-deps.sh on a machine that lacks packages: what it asks apt for, and what it says where it cannot."""
import unittest

from machine import MachineTest

SCRIPT = "scripts/install-deps.sh"


class Packages(MachineTest):
    def machine(self, lacking, user=0):
        """dpkg-query knows all but the packages that are lacking; apt-get writes down what it is asked for."""
        self.tool("dpkg-query", f"case ' {lacking} ' in *\" $3 \"*) exit 1 ;; esac; printf installed")
        self.tool("apt-get", f"echo \"$@\" >> {self.folder}/asked")
        (self.bin / "id").unlink(missing_ok=True)
        self.tool("id", f"echo {user}")

    def asked(self):
        path = self.folder / "asked"
        text = path.read_text() if path.exists() else ""
        path.unlink(missing_ok=True)
        return [line.partition("--no-install-recommends ")[2].split() for line in text.splitlines() if " install " in line]

    def test_nothing_missing(self):
        self.machine("")
        for option in ([], ["--build"], ["--all"]):
            result = self.run_script(SCRIPT, *option)
            self.assertEqual((result.returncode, result.stdout, result.stderr, self.asked()), (0, "", "", []))

    def test_asks_for_what_is_missing(self):
        self.machine("libcmocka-dev libhwy-dev debootstrap")
        for option, expected in (["--build"], ["libhwy-dev"]), ([], ["libcmocka-dev", "libhwy-dev"]), \
                                (["--all"], ["debootstrap", "libcmocka-dev", "libhwy-dev"]):
            result = self.run_script(SCRIPT, *option)
            self.assertEqual(result.returncode, 0, result.stderr)
            (packages,) = self.asked()
            self.assertEqual(sorted(packages), expected)

    def test_no_rights(self):
        self.machine("libhwy-dev", user=1000)
        result = self.run_script(SCRIPT)
        self.assertEqual((result.returncode, self.asked()), (1, []))
        self.assertIn("installing needs root or sudo; please ask an administrator to install: libhwy-dev", result.stderr)
        self.tool("sudo", "shift; exec \"$@\"")
        self.assertEqual((self.run_script(SCRIPT).returncode, self.asked()), (0, [["libhwy-dev"]]))

    def test_apt_fails(self):
        self.machine("libhwy-dev")
        self.tool("apt-get", "echo 'E: no such thing'; exit 100")
        result = self.run_script(SCRIPT)
        self.assertEqual(result.returncode, 1)
        self.assertIn("E: no such thing", result.stderr)
        self.assertIn("apt-get install failed for: libhwy-dev", result.stderr)


if __name__ == "__main__":
    unittest.main()
