#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""C and C++ as clang-format 14 writes them (.clang-format; other versions write differently), Python, shell and R as ruff (config/ruff.toml),
shellcheck and lintr (bindings/r/.lintr) like them, where these are installed: Debian 12 has all but ruff."""
import fnmatch
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools/ci"))
import mutants  # noqa: E402


def sources():
    """The files that git knows; without git, all files outside of build folders."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:
        names = listed.stdout.splitlines()
    else:
        names = [str(p.relative_to(ROOT)) for p in ROOT.rglob("*") if not p.relative_to(ROOT).parts[0].startswith("build")]
    return [name for name in names if (ROOT / name).is_file()]

# lintr reads the .lintr of the package that a file is in.
LINTR = """
if (!requireNamespace("lintr", quietly = TRUE)) quit(status = 77)
found <- unlist(lapply(commandArgs(TRUE), function(file) lapply(lintr::lint(file), function(one)
  paste0(file, ":", one$line_number, ": ", one$message, " [", one$linter, "]"))))
writeLines(as.character(found))
quit(status = length(found) > 0)
"""


class Lint(unittest.TestCase):
    def test_names_of_filters(self):
        """A filter that no test of its file has would run nothing, and pass."""
        found = 0
        for name in sources():
            if name.startswith("tests/") and name.endswith((".c", ".cpp")):
                text = (ROOT / name).read_text()
                tests = [a or b for a, b in re.findall(r"cmocka_unit_test\((\w+)\)|\bTEST\((\w+)\)", text)]
                for pattern in re.findall(r'where_races_are_sought\("(.*?)"\)', text):
                    self.assertTrue(fnmatch.filter(tests, pattern), f"{name}: {pattern}")
                    found += 1
        self.assertGreater(found, 5)

    def test_mutants(self):
        """tools/ci/mutants.py can plant each of its faults: the text to replace stands in its file once, and changes."""
        with self.assertRaisesRegex(mutants.Unusable, "is there 0 times, expected once"):
            mutants.planted(mutants.MUTANTS[0]._replace(old="no file has this text"), ROOT)
        with self.assertRaisesRegex(mutants.Unusable, "is not a file"):
            mutants.planted(mutants.MUTANTS[0]._replace(file="src/absent.cpp"), ROOT)
        wrong = []
        for number, mutant in enumerate(mutants.MUTANTS, 1):
            try:
                good, bad = mutants.planted(mutant, ROOT)
                if good == bad:
                    wrong.append(f"{number}: {mutant.file}: the fault changes nothing")
            except mutants.Unusable as problem:
                wrong.append(f"{number}: {problem}")
        self.assertEqual(wrong, [], "tools/ci/mutants_list.py: write what stands in the file now")

    def test_fortran_programs(self):
        """Programs of Fortran are compiled again where the modules change: an old one has the sizes of old types."""
        calls = [call for name in sources() if name.endswith("meson.build")
                 for call in re.findall(r"(?:executable|library)\([^()]*?'[\w/]+\.f90'.*?attopotts_fortran\w*dep", (ROOT / name).read_text(), re.S)]
        calls += re.findall(r"(?:executable|library)\([^()]*after_modules.process\('.*?'\)", "".join(
            (ROOT / name).read_text() for name in sources() if name.endswith("meson.build")))
        self.assertGreater(len(calls), 3)
        self.assertEqual([call for call in calls if "after_modules.process" not in call], [])

    def test_markdown_links(self):
        """Each link in a page leads to a file of the tree and, behind a #, to a heading of that page."""
        pages = {n: re.sub(r"```.*?```", "", (ROOT / n).read_text(), flags=re.S) for n in sources() if n.endswith(".md") and not n.startswith("tools/site/")}
        headings = {n: {re.sub(r"[^\w\- ]", "", re.sub(r"\[(.*?)\]\(.*?\)", r"\1", h.strip())).lower().replace(" ", "-")
                        for h in re.findall(r"^#+ (.*)", text, re.M)} for n, text in pages.items()}
        broken, found = [], 0
        for name, text in pages.items():
            for link in re.findall(r"\]\(([^)\s:]+)\)", re.sub(r"`[^`\n]*`", "", text)):
                path, _, place = link.partition("#")
                target = (ROOT / name).parent.joinpath(path).resolve() if path else ROOT / name
                inside = target.is_relative_to(ROOT) and str(target.relative_to(ROOT))
                found += 1
                if inside is False or not target.exists() or place and place not in headings.get(inside, {place}):
                    broken.append(f"{name}: {link}")
        self.assertGreater(found, 100)
        self.assertEqual(broken, [])

    def clean(self, command, names):
        if shutil.which(command[0]) is None:
            self.skipTest(f"{command[0]} is not installed")
        self.assertGreater(len(names), 3)
        found = subprocess.run([*command, *names], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)

    def test_c(self):
        names = [n for n in sources() if n.endswith((".c", ".h", ".cpp", ".hpp"))]
        self.clean(["clang-format-14", "--style=file", "--dry-run", "--Werror"], names)
        long = [f"{n}:{k}" for n in names for k, line in enumerate((ROOT / n).read_text().splitlines(), 1) if len(line) > 140]
        self.assertEqual(long, [], "lines of more than 140 characters")

    def test_stored_tables(self):
        """Their commands name files from the tree, not folders of the machine that made them."""
        tables = sorted((ROOT / "docs/results").glob("*.csv"))
        self.assertGreater(len(tables), 3)
        found = [f"{path.name}:{k}" for path in tables for k, line in enumerate(path.read_text().splitlines(), 1)
                 if line.startswith("# ") and re.search(r"(^|[ =])/[a-z]", line)]
        self.assertEqual(found, [])

    def test_python(self):
        self.clean(["ruff", "check", "--no-cache", "--quiet", "--config", "config/ruff.toml"], [n for n in sources() if n.endswith(".py")])

    def test_r(self):
        """A planted fault is found, then the package has none."""
        if shutil.which("Rscript") is None:
            self.skipTest("Rscript is not installed")

        def lint(names):
            return subprocess.run(["Rscript", "-e", LINTR, *names], cwd=ROOT, capture_output=True, text=True)
        if lint([]).returncode == 77:
            self.skipTest("lintr is not installed (Debian: r-cran-lintr)")
        with tempfile.TemporaryDirectory() as folder:
            for name in ("DESCRIPTION", ".lintr"):
                shutil.copy(ROOT / "bindings/r" / name, folder)
            pathlib.Path(folder, "planted.R").write_text("x = T\n")
            planted = lint([f"{folder}/planted.R"])
        self.assertEqual(planted.returncode, 1, planted.stdout + planted.stderr)
        for linter in ("assignment_linter", "T_and_F_symbol_linter"):
            self.assertIn(linter, planted.stdout)
        self.clean(["Rscript", "-e", LINTR], [n for n in sources() if n.startswith("bindings/r/") and n.endswith(".R")])

    def test_shell(self):
        self.clean(["shellcheck", "--severity=warning"], [n for n in sources() if n.endswith(".sh") or n == ".ci/run"
                                                             or n.startswith("packaging/debian/tests/") and not n.endswith("/control")])


if __name__ == "__main__":
    program = unittest.main(exit=False)
    for test, reason in program.result.skipped:
        print(f"[  SKIPPED ] {test.id()}: {reason}")
    raise SystemExit(not program.result.wasSuccessful())
