#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/readme_commands.py: every command block is found, marks leave out what they name and nothing else."""
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from readme_commands import steps  # noqa: E402

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
        readmes = [ROOT / "README.md", *ROOT.glob("bindings/*/README.md")]
        self.assertEqual(len(readmes), 5)
        for readme in readmes:
            text = readme.read_text()
            left_out = text.count("<!-- walk: not run: ")
            blocks = sum(line in ("```sh", "```fortran") for line in text.splitlines())
            found = sum(s.language in ("sh", "fortran") for s in steps(readme))
            self.assertEqual(found, blocks - left_out, readme)

    def test_the_excerpt_in_c_is_of_the_program(self):
        (excerpt,) = re.findall(r"```c\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.S)
        program = (ROOT / "examples/c/quickstart.c").read_text().replace("check(", "").replace("));", ");")
        lines = [line for line in excerpt.splitlines() if line.strip()]
        self.assertGreater(len(lines), 8)
        self.assertEqual([line for line in lines if line not in program], [])


if __name__ == "__main__":
    unittest.main()
