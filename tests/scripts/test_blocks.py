#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every fenced block of the pages is run by a test, or has a mark that says why not: `<!-- walk: not run: WHY -->` in the line before it.

RUNNERS lists what runs the blocks of which page and language. A page without an entry may have a test of its own: a file below tests/,
bindings/ or tools/ that names the page and reads its fenced blocks. Blocks without a language and of `text` are outputs; those between
`<!-- begin NAME -->` and `<!-- end NAME -->` are written by scripts.
"""
import collections
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/ci"))
from readme_commands import blocks, pages  # noqa: E402

OUTPUTS = ("", "text")
LANGUAGES = ("sh", "python", "r", "julia", "fortran", "c", "cpp")
# (page, languages, how many blocks of them it runs or None for all, the test, what the test says of the page)
RUNNERS = [
    ("README.md", ("sh",), None, "tools/machines/fresh_machine.py", '"README.md"'),
    ("README.md", ("c",), None, "tests/scripts/test_readme_commands.py", 'ROOT / "README.md"'),
    ("docs/building.md", ("sh",), None, "tools/machines/fresh_machine.py", '"docs/building.md"'),
    *((f"bindings/{name}/README.md", LANGUAGES, None, "tools/machines/fresh_machine.py", f'"{name}"') for name in ("fortran", "r", "julia", "python")),
    *((f"docs/{name}.md", (*LANGUAGES, "toml"), None, "tests/consumer/meson.build", f"'{name}'") for name in
      ("presets", "tasks", "tutorial-attention", "tutorial-cluster", "tutorial-languages", "tutorial-learning-curves",
       "tutorial-rna", "tutorial-sample")),
    *((f"docs/tutorial-{name}.md", ("sh",), None, "tests/cli/test_tutorial.py", f"docs/tutorial-{name}.md") for name in ("family", "generate")),
    ("docs/howto.md", ("sh", "toml"), None, "tests/cli/test_howto.py", '"docs/howto.md"'),
    *(("docs/howto.md", (name,), None, f"bindings/{name}/run_tests.sh", "docs/howto.md") for name in ("python", "r", "julia")),
    ("docs/clusters.md", ("c", "fortran"), 2, "tests/mpi/run_installed.py", '"docs/clusters.md"'),
    ("docs/clusters.md", ("sh",), 4, "tests/cli/test_workflows.py", '"docs/clusters.md"'),
    ("docs/formats.md", ("python", "r", "julia"), 3, "tests/cli/test_hdf5.py", '"docs" / "formats.md"'),
]


def to_run(text):
    """(line, language) of the blocks that somebody has to run."""
    written = [(text.count("\n", 0, m.start()) + 1, text.count("\n", 0, m.end()) + 1)
               for m in re.finditer(r"^<!-- begin (\S+) -->\n.*?^<!-- end \1 -->$", text, re.M | re.S)]
    for line, language, _, marks in blocks(text):
        if language in OUTPUTS or any(re.match(r"not run: \S", mark) for mark in marks) or any(a < line < b for a, b in written):
            continue
        yield line, language


def own_test(page):
    """A test, or a script of tests, that names the page and reads fenced blocks."""
    for folder in ("tests", "bindings", "tools"):
        for path in sorted([*(ROOT / folder).rglob("*.py"), *(ROOT / folder).rglob("*.sh")]):
            text = path.read_text()
            if path.name != "test_blocks.py" and page.name in text and re.search("```|readme_commands|fresh_machine", text):
                return path
    return None


def not_run(page, text, runners, test_of):
    """A line for each block that nothing runs."""
    found, taken = [], collections.Counter()
    for line, language in to_run(text):
        rows = [k for k, (name, languages, count, *_) in enumerate(runners)
                if name == str(page) and language in languages and (count is None or taken[k] < count)]
        if rows:
            taken[rows[0]] += 1
        elif any(name == str(page) for name, *_ in runners) or test_of(page) is None:
            found.append(f"{page}:{line}: nothing runs this block of {language}")
    found += [f"{page}: {test} runs {count} blocks, {taken[k]} are there" for k, (name, _, count, test, _) in enumerate(runners)
              if name == str(page) and (taken[k] == 0 or count not in (None, taken[k]))]
    return found


class Blocks(unittest.TestCase):
    def test_pages(self):
        count, faults = 0, []
        for page in pages():
            text = (ROOT / page).read_text()
            count += sum(1 for _ in blocks(text))
            faults += not_run(page, text, RUNNERS, own_test)
            faults += [f"{page}:{k}: a block that is indented, which no test sees" for k, line in enumerate(text.splitlines(), 1) if re.match(r" +```", line)]
        self.assertGreater(count, 80)
        self.assertEqual(faults, [], "\n".join(["", *faults]))

    def test_runners(self):
        """The tests are there and name their pages."""
        for page, _, _, test, words in RUNNERS:
            self.assertTrue((ROOT / page).is_file(), page)
            self.assertIn(words, (ROOT / test).read_text(), f"{test} and {page}")

    def test_planted(self):
        page, runners = pathlib.Path("a.md"), [("a.md", ("sh",), 1, "t.py", "")]
        one = "```sh\nx\n```\n"
        self.assertEqual(not_run(page, one + "```\nout\n```\n", runners, lambda _: None), [])
        self.assertEqual(not_run(page, one + one, runners, lambda _: None), ["a.md:5: nothing runs this block of sh"])
        self.assertEqual(not_run(page, one + "<!-- walk: not run: why -->\n" + one, runners, lambda _: None), [])
        self.assertEqual(not_run(page, one + "<!-- begin b -->\n" + one + "<!-- end b -->\n", runners, lambda _: None), [])
        self.assertEqual(len(not_run(page, one + "```python\ny\n```\n", runners, lambda _: page)), 1)
        self.assertEqual(not_run(page, "text\n", runners, lambda _: None), ["a.md: t.py runs 1 blocks, 0 are there"])
        self.assertEqual(not_run(page, one, [], lambda _: page), [])
        self.assertEqual(not_run(page, one, [], lambda _: None), ["a.md:2: nothing runs this block of sh"])


if __name__ == "__main__":
    unittest.main()
