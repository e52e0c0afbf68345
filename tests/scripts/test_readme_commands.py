#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/ci/readme_commands.py: every command block is found, marks leave out what they name and nothing else."""
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/machines"))
from fresh_machine import READMES  # noqa: E402
from readme_commands import blocks, steps  # noqa: E402

# The program that a block of README.md is a part of.
PROGRAMS = {"python": "python/family.py", "r": "r/family.R", "julia": "julia/family.jl", "fortran": "fortran/family.f90", "c": "c/family.c"}

TEXT = """# Title
```sh
one
```
<!-- walk: not run: a reason -->
```sh
two
```
Text between takes marks away.
<!-- walk: once "./check.sh": long -->
<!-- walk: not run "three": a reason -->
<!-- walk: prints "a line" -->
```sh
./check.sh   # a comment
three --all
four three
```
```c
not a command
```
```fortran
program p
end program
```
```fortran
call part
```
```python
a = 1
```
<!-- walk: before: b = 2 -->
```python
print(a + b)
```
"""


class Commands(unittest.TestCase):
    def read(self, text, first=True):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "README.md")
            path.write_text(text)
            return steps(path, first)

    def test_blocks_and_marks(self):
        found = self.read(TEXT)
        self.assertEqual([(s.language, s.code) for s in found], [
            ("sh", "one\n"), ("sh", "./check.sh   # a comment\nfour three\n"), ("fortran", "program p\nend program\n"),
            ("python", "a = 1\nb = 2\nprint(a + b)\n")])
        self.assertEqual([s.prints for s in found], [[], ["a line"], [], []])
        self.assertTrue(found[0].place.endswith("README.md:3"))
        self.assertEqual(self.read(TEXT, first=False)[1].code, "four three\n")

    def test_faults_are_seen(self):
        for text in "<!-- walk: nonsense -->\n```sh\nx\n```\n", "```sh\nno end\n":
            with self.assertRaises(SystemExit):
                self.read(text)

    def test_every_block_of_the_project(self):
        self.assertEqual(len(READMES), 6)
        for name in READMES:
            text = (ROOT / name).read_text()
            left_out = len(re.findall(r"<!-- walk: not run: .* -->\n```(?:sh|fortran)\n", text))
            written = sum(line in ("```sh", "```fortran") for line in text.splitlines())
            found = sum(s.language in ("sh", "fortran") for s in steps(ROOT / name))
            self.assertEqual(found, written - left_out, name)

    def test_every_language_is_a_part_of_a_program(self):
        parts = [(language, lines) for _, language, lines, _ in blocks((ROOT / "README.md").read_text()) if language != "sh"]
        self.assertEqual(sorted(language for language, _ in parts), sorted(PROGRAMS))
        for language, lines in parts:
            program = (ROOT / "examples" / PROGRAMS[language]).read_text()
            if language == "c":
                program = program.replace("check(", "").replace("));", ");")
            self.assertGreater(len(lines), 4, language)
            self.assertIn("\n".join(line.strip() for line in lines), "\n".join(line.strip() for line in program.splitlines()), language)

    def test_length(self):
        self.assertLess(len((ROOT / "README.md").read_text().splitlines()), 150)


if __name__ == "__main__":
    unittest.main()
