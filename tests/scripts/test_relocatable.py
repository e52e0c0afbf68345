#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""config/relocatable.py: files of pkg-config from Meson, in several layouts of folders, as they are installed and moved to another place."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROJECT = """project('small', version: '1')
import('pkgconfig').generate(libraries: ['-L${libdir}', '-lattopotts'], name: 'attopotts', description: 'of a test', subdirs: 'modules')
meson.add_install_script('@SCRIPT@', get_option('libdir') / 'pkgconfig')
"""


class Relocatable(unittest.TestCase):
    def setUp(self):
        if shutil.which("meson") is None or shutil.which("pkg-config") is None:
            self.skipTest("meson or pkg-config is not installed (tools/machines/install-deps.sh --build)")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_in(self, *command, **environment):
        done = subprocess.run([str(c) for c in command], cwd=self.folder, capture_output=True, text=True, env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def installed(self, *options):
        """The stage and the folder of the .pc file of a project that is installed with these options."""
        (self.folder / "meson.build").write_text(PROJECT.replace("@SCRIPT@", str(ROOT / "config/relocatable.py")))
        self.run_in("meson", "setup", "build", *options)
        self.run_in("meson", "install", "-C", "build", "--quiet", DESTDIR=str(self.folder / "stage"))
        (file,) = (self.folder / "stage").rglob("attopotts.pc")
        return self.folder / "stage", file.parent

    def folders(self, where, *flags, **environment):
        """The folders of headers and of libraries, as the system resolves them."""
        words = self.run_in("pkg-config", *flags, "--cflags", "--libs", "attopotts", PKG_CONFIG_LIBDIR=str(where), **environment).replace("\\ ", "\n").split()
        self.assertEqual([word[:2] for word in words], ["-I", "-L", "-l"])
        return [os.path.realpath(word[2:].replace("\n", " ")) for word in words[:2]]

    def check(self, layout, prefix, headers, libraries):
        """A tree that is installed and moved, folders relative to its prefix."""
        stage, where = self.installed(f"--prefix={prefix}", *layout)
        moved = self.folder / "moved"
        (stage / prefix.lstrip("/")).rename(moved)
        where = moved / where.relative_to(stage / prefix.lstrip("/"))
        (moved / headers).mkdir(parents=True)
        # With --define-prefix, pkg-config sets `prefix` to the folder above that of the .pc files.
        for flags in ([], ["--define-prefix"]):
            self.assertEqual(self.folders(where, *flags), [str(moved / headers / "modules"), str(moved / libraries)], flags)

    def test_lib(self):
        self.check(["--libdir=lib"], "/opt/small", "include", "lib")

    def test_multiarch(self):
        self.check(["--libdir=lib/x86_64-linux-gnu"], "/opt/small", "include", "lib/x86_64-linux-gnu")

    def test_absolute_below_the_prefix(self):
        self.check(["--libdir=/opt/small/a/b/lib64", "--includedir=/opt/small/headers"], "/opt/small", "headers", "a/b/lib64")

    def test_installed_twice(self):
        """meson install --only-changed leaves the files of the first time."""
        stage, where = self.installed("--prefix=/opt/small", "--libdir=lib")
        before = (where / "attopotts.pc").read_text()
        self.run_in("meson", "install", "-C", "build", "--quiet", "--only-changed", DESTDIR=str(stage))
        self.assertEqual((where / "attopotts.pc").read_text(), before)

    def test_spaces(self):
        self.check(["--libdir=lib"], "/opt/a small one", "include", "lib")

    def test_headers_outside_the_prefix(self):
        _, where = self.installed("--prefix=/opt/small", "--libdir=lib", "--includedir=/srv/headers")
        self.assertEqual(self.folders(where), ["/srv/headers/modules", str(where.parent)])

    def test_libraries_outside_the_prefix(self):
        _, where = self.installed("--prefix=/opt/small", "--libdir=/srv/lib")
        self.assertEqual(self.folders(where), ["/opt/small/include/modules", "/srv/lib"])

    def test_the_system(self):
        # pkg-config leaves out these folders, and adds that of a system elsewhere.
        stage, where = self.installed("--prefix=/usr", "--libdir=lib/x86_64-linux-gnu")
        words = self.run_in("pkg-config", "--cflags", "--libs", "attopotts", PKG_CONFIG_LIBDIR=str(where))
        self.assertEqual(words.split(), ["-I/usr/include/modules", "-lattopotts"])
        self.assertEqual(self.folders(where, PKG_CONFIG_SYSROOT_DIR=str(stage)), [f"{stage}/usr/include/modules", f"{stage}/usr/lib/x86_64-linux-gnu"])

    def test_another_root(self):
        stage, where = self.installed("--prefix=/opt/small", "--libdir=lib")
        self.assertEqual(self.folders(where, PKG_CONFIG_SYSROOT_DIR=str(stage)), [f"{stage}/opt/small/include/modules", f"{stage}/opt/small/lib"])


if __name__ == "__main__":
    sys.exit(unittest.main())
