#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/machines/install-deps.sh on a machine that lacks packages: what it asks apt for, and what it says where it cannot. Then demo.sh
and the scripts of packaging/, which name what is missing before they begin."""
import re
import unittest

from machine import ROOT, MachineTest

SCRIPT = "tools/machines/install-deps.sh"
# Packages of packaging/debian/control that others bring: virtual ones, and pkgconf for pkg-config.
OTHER_NAMES = {"debhelper-compat": "debhelper", "pkgconf": "pkg-config"}


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

    def test_no_network(self):
        """One line says so, whether apt has lists of packages from another day or not."""
        failed = "Failed to fetch http://deb.example.org/x  Temporary failure resolving 'deb.example.org'"
        for update, install in (f"W: {failed}", "E: Unable to locate package libhwy-dev"), ("", f"E: {failed}\nE: {failed}\nE: Unable to fetch some archives"):
            self.machine("libhwy-dev meson")
            self.tool("apt-get", f"""case "$*" in *install*) echo "{install}"; exit 100 ;; *) echo "{update}" ;; esac""")
            result = self.run_script(SCRIPT)
            self.assertEqual((result.returncode, result.stderr),
                             (1, "install-deps.sh: packages cannot be fetched (Temporary failure resolving 'deb.example.org'); check the network and the "
                                 "servers in /etc/apt. Not installed: meson libhwy-dev\n"))

    def test_another_source_is_unreachable(self):
        self.machine("libhwy-dev")
        self.tool("apt-get", "case \"$*\" in *install*) echo 'E: dpkg was interrupted'; exit 100 ;; *) echo 'W: Failed to fetch http://x  refused' ;; esac")
        result = self.run_script(SCRIPT)
        self.assertEqual(result.stderr, "E: dpkg was interrupted\ninstall-deps.sh: apt-get install failed for: libhwy-dev\n")

    def test_prints_what_is_missing(self):
        self.machine("libhwy-dev gfortran libcmocka-dev debootstrap", user=1000)
        for options, expected in ([], "libhwy-dev gfortran libcmocka-dev"), (["--build"], "libhwy-dev"), \
                                 (["--packages", "--bindings"], "libhwy-dev gfortran debootstrap"), (["--site", "--build"], "libhwy-dev"):
            result = self.run_script(SCRIPT, "--missing", *options)
            self.assertEqual((result.returncode, result.stdout, result.stderr, self.asked()), (0, expected + "\n", "", []))
        self.machine("")
        self.assertEqual(self.run_script(SCRIPT, "--missing", "--all").stdout, "\n")

    def test_the_list_of_the_debian_packages(self):
        """It has what their control file asks for."""
        control = (ROOT / "packaging/debian/control").read_text()
        needed = re.findall(r"^(?:Build-Depends:)? ([\w.+-]+)", re.search(r"^Build-Depends:.*\n( .*\n)*", control, re.M)[0], re.M)
        needed = [OTHER_NAMES.get(name, name) for name in needed]
        self.assertGreater(len(needed), 15)
        self.machine(" ".join(needed))
        self.assertEqual(sorted(self.run_script(SCRIPT, "--missing", "--packages").stdout.split()), sorted(needed))

    def test_deb(self):
        """All that is missing in one line, before the folder is made; where dpkg-dev is, it decides."""
        self.machine("debhelper dpkg-dev lintian")
        for checker, options, lines in (None, [], 1), (None, ["--check"], 1), ("exit 1", [], 1), ("exit 0", ["--check"], 1), ("exit 0", ["-b"], 0):
            (self.bin / "dpkg-checkbuilddeps").unlink(missing_ok=True)
            if checker:
                self.tool("dpkg-checkbuilddeps", checker)
            result = self.run_script("packaging/deb.sh", self.folder / "packages", *options)
            said = "deb.sh: packages are missing: dpkg-dev debhelper lintian; install them with tools/machines/install-deps.sh --packages\n"
            self.assertEqual(result.stderr.count(said), lines, result.stderr)
            if lines:
                self.assertEqual((result.returncode, result.stderr, (self.folder / "packages").exists()), (1, said, False))

    def test_the_demo_without_root(self):
        """A build may do without the package that is missing: Meson decides."""
        self.machine("librsvg2-bin", user=1000)
        for tool in ("meson", "ninja"):
            self.tool(tool, f"echo {tool}; exit 7")
        result = self.run_script("demo.sh")
        self.assertEqual(result.returncode, 7, result.stderr)
        self.assertEqual([line.split(":")[0] for line in result.stderr.splitlines()], ["install-deps.sh", "demo.sh"])
        self.assertIn(result.stdout, ("meson\n", "ninja\n"))

    def test_r(self):
        self.machine("")
        for tool in ("meson", "python3"):
            self.tool(tool, "exit 9")
        result = self.run_script("packaging/r.sh", self.folder / "packages")
        self.assertEqual((result.returncode, result.stderr), (1, "r.sh: tools are missing: R ninja; install them with tools/machines/install-deps.sh --bindings\n"))
        self.assertFalse((self.folder / "packages").exists())


if __name__ == "__main__":
    unittest.main()
