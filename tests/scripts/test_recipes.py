#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The recipes of packaging/recipes: filled in, they can be parsed, and their options of Meson exist and take the values given."""
import ast
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = ROOT / "packaging/recipes"
FEATURE = ["enabled", "disabled", "auto"]


def meson_options():
    """Name -> the values it takes, or None for any."""
    text = (ROOT / "meson_options.txt").read_text()
    found = {}
    for name, kind, rest in re.findall(r"option\('(\w+)', type: '(\w+)'(.*)", text):
        choices = re.search(r"choices: \[(.*?)\]", rest)
        found[name] = FEATURE if kind == "feature" else re.findall(r"'(\w+)'", choices[1]) if choices else None
    return found


class Recipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        folder = pathlib.Path(cls.holder.name)
        cls.tarball = folder / "attopotts-7.8.9.tar.gz"
        cls.tarball.write_bytes(b"no real one")
        cls.filled = folder / "filled"
        cls.url = "https://example.org/of?a=1&b=2|3/" + cls.tarball.name
        subprocess.run([ROOT / "packaging/recipes.sh", cls.tarball, cls.url, cls.filled], check=True)

    def text(self, name):
        return (self.filled / name).read_text(encoding="utf-8")

    def test_all_are_filled_in(self):
        files = {path.relative_to(SOURCES) for path in SOURCES.rglob("*") if path.is_file() and path.name != "README.md"}
        self.assertGreaterEqual(len(files), 6)
        self.assertEqual({path.relative_to(self.filled) for path in self.filled.rglob("*") if path.is_file()}, files)
        for name in files:
            self.assertIsNone(re.search(r"@[A-Z0-9]+@", self.text(name)), name)

    def test_the_checksums_are_those_of_the_tarball(self):
        sums = {hashlib.new(kind, self.tarball.read_bytes()).hexdigest() for kind in ("sha256", "sha512")}
        for folder in sorted(self.filled.iterdir()):
            text = "".join(path.read_text() for path in folder.iterdir())
            self.assertTrue(any(value in text for value in sums), folder.name)
            self.assertIn("7.8.9", text, folder.name)
            self.assertIn(self.url, text, folder.name)

    def test_no_tarball(self):
        """Neither a recipe nor a wrap file without a checksum."""
        other = self.filled.parent / "other"
        for script, arguments in ("recipes", [self.url, other]), ("wrap", [self.url]):
            for tarball in (self.tarball.parent / "absent.tar.gz", self.tarball.parent):
                done = subprocess.run([ROOT / f"packaging/{script}.sh", tarball, *arguments], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"{script}.sh: cannot read {tarball}, expected a tarball\n"))
        self.assertFalse(other.exists())

    def test_wrap(self):
        done = subprocess.run([ROOT / "packaging/wrap.sh", self.tarball, self.url], capture_output=True, text=True, check=True)
        lines = dict(line.split(" = ") for line in done.stdout.splitlines() if " = " in line)
        self.assertEqual(lines, {"directory": "attopotts-7.8.9", "source_url": self.url, "source_filename": self.tarball.name,
                                 "source_hash": hashlib.sha256(b"no real one").hexdigest(),
                                 "dependency_names": "attopotts, attopotts-io, attopotts-mpi"})

    def test_options_of_meson(self):
        options = meson_options()
        for path in self.filled.rglob("*"):
            for name, value in re.findall(r"-D([a-z]\w*)=([\w${}]+)", path.read_text()) if path.is_file() else []:
                self.assertIn(name, options, path.name)
                if "$" not in value and "{" not in value and options[name]:
                    self.assertIn(value, options[name], f"{path.name}: {name}")
        features = re.findall(r'feature\("(\w+)", "(\w+)"\)', self.text("spack/package.py"))
        self.assertEqual(len(features), 4)
        for option, variant in features:
            self.assertIn(option, options)
            self.assertIn(f'variant("{variant}"', self.text("spack/package.py"))

    def test_the_readme_has_a_row_for_each(self):
        rows = set(re.findall(r"^\| `([\w-]+)` \|", (SOURCES / "README.md").read_text(), re.MULTILINE))
        self.assertEqual(rows, {path.name for path in SOURCES.iterdir() if path.is_dir()})

    def test_python_and_json(self):
        ast.parse(self.text("spack/package.py"))
        self.assertEqual(json.loads(self.text("vcpkg/vcpkg.json"))["name"], "attopotts")

    def test_yaml(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("PyYAML is not installed")
        recipe = yaml.safe_load(self.text("conda-forge/recipe.yaml"))
        self.assertEqual(recipe["package"], {"name": "attopotts", "version": "7.8.9"})
        self.assertEqual(recipe["about"]["license_file"], "LICENSE")
        self.assertTrue((ROOT / "LICENSE").exists())

    def test_ruby(self):
        if shutil.which("ruby") is None:
            self.skipTest("ruby is not installed")
        subprocess.run(["ruby", "-c", self.filled / "homebrew/attopotts.rb"], check=True, stdout=subprocess.DEVNULL)

    def test_julia(self):
        run = subprocess.run([ROOT / "tools/machines/install-julia.sh", "--path"], capture_output=True, text=True)
        julia = run.stdout.strip() if run.returncode == 0 else shutil.which("julia")
        if not julia or not shutil.which(julia):
            self.skipTest("Julia is not installed")
        code = r'Meta.parse("begin\n" * read(ARGS[1], String) * "\nend")'
        subprocess.run([julia, "-e", code, self.filled / "binarybuilder/build_tarballs.jl"], check=True)


if __name__ == "__main__":
    unittest.main()
