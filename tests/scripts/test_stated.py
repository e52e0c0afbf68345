#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts, names and defaults that pages state are those of the tree."""
import itertools
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/ci"))
import check  # noqa: E402

WORDS = {word: number for number, word in enumerate(["Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve"], 2)}
COUNT = re.compile(rf"\b({'|'.join(WORDS)})\s(?:tasks|steps|commands)\b")


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def rows(page, first):
    """The cells of the table whose head begins with this cell."""
    table = re.search(rf"^\| {first} \|.*\n\|[-:| ]*\n((?:\|.*\n)+)", text(page), re.M)
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table[1].splitlines()]


def names(cell):
    return re.findall(r"`([\w/.-]+)`", cell)


class Stated(unittest.TestCase):
    def test_options_of_the_build(self):
        options = dict(re.findall(r"^option\('(\w+)', type: '\w+'.*?\bvalue: '?(\w*)'?,", text("meson_options.txt"), re.M))
        # Named beside `mpi`.
        self.assertIn("`mpi_package`", text("docs/building.md"))
        del options["mpi_package"]
        self.assertGreater(len(options), 15)
        self.assertEqual({names(row[0])[0]: row[1] for row in rows("docs/building.md", "option")}, options)

    def test_version_of_meson(self):
        wanted = re.search(r"meson_version: '>=([\d.]+)'", text("meson.build"))[1]
        self.assertIn(f"meson >= {wanted}", text("docs/building.md"))
        self.assertIn(f"meson (>= {wanted})", text("packaging/debian/control"))

    def test_oldest_systems_of_the_wheel(self):
        glibc = re.search(r"platform=manylinux_(\d+)_(\d+)_", text("packaging/wheels.sh"))
        python = re.search(r'requires-python = ">=([\d.]+)"', text("bindings/python/pyproject.toml"))[1]
        for page in ("docs/installing.md", "bindings/python/README.md"):
            words = " ".join(text(page).split())
            self.assertIn(f"glibc {glibc[1]}.{glibc[2]}", words, page)
            self.assertIn(f"every Python from {python} on", words, page)

    def test_debian_packages(self):
        packages = re.findall(r"^Package: (\S+)$", text("packaging/debian/control"), re.M)
        self.assertEqual(sorted(name for row in rows("docs/installing.md", "package") for name in names(row[0])), sorted(packages))

    def test_steps_of_check(self):
        steps = [entry[0] for entry in check.ALL + check.PROGRAMS]
        self.assertEqual([name for row in rows("CONTRIBUTING.md", "step") for name in names(row[0])], steps)

    def test_minutes_of_the_packages(self):
        self.assertIn(f"needs release and takes {check.MINUTES['packages']} minutes", text("check.sh"))

    def test_folders_of_tests(self):
        folders = {f"tests/{path.parent.name}" for path in (ROOT / "tests").glob("*/meson.build")}
        stated = {name for row in rows("CONTRIBUTING.md", "folder") for name in names(row[0]) if name.startswith("tests/")}
        self.assertEqual(folders - stated, set())
        self.assertEqual([name for name in stated if not (ROOT / name).is_dir()], [])

    def test_lists_of_packages(self):
        """The first line of install-deps.sh --help has every argument."""
        script = text("tools/machines/install-deps.sh")
        arguments = re.findall(r"^    (--\w+)(?: \|[^)]*)?\)", script, re.M)
        self.assertGreater(len(arguments), 10)
        self.assertEqual(re.findall(r"\[(--\w+)\]", script.split("\n")[2]), [name for name in arguments if name != "--help"])

    def test_help_of_scripts(self):
        """--help prints the comment at the head of a script, whole."""
        scripts = [path for pattern in ("*.sh", "tools/*/*.sh", "packaging/*.sh") for path in sorted(ROOT.glob(pattern)) if "sed -n '3," in path.read_text()]
        self.assertGreater(len(scripts), 12)
        for path in scripts:
            head = itertools.takewhile(lambda line: line.startswith("#"), path.read_text(encoding="utf-8").splitlines()[2:])
            done = subprocess.run(["sh", path, "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
            printed = [line for line in done.stdout.splitlines() if line]
            self.assertEqual((done.returncode, printed, done.stderr), (0, [line[2:] for line in head if line != "#"], ""), path.name)

    def test_numbers_of_steps(self):
        """Where the head of a page says how many there are, its chapters are numbered so."""
        counted = 0
        for page in sorted((ROOT / "docs").glob("*.md")):
            head, *chapters = page.read_text(encoding="utf-8").split("\n## ")
            stated = COUNT.search(head)
            if stated:
                counted += 1
                numbers = [int(chapter.split(".")[0]) for chapter in chapters if re.match(r"\d+\. ", chapter)]
                self.assertEqual(numbers, list(range(1, WORDS[stated[1]] + 1)), page.name)
        self.assertGreaterEqual(counted, 6)

    def test_a_wrong_count_is_seen(self):
        self.assertEqual([COUNT.search(line)[1] for line in ("# Twelve tasks with the program", "Five steps take")], ["Twelve", "Five"])


if __name__ == "__main__":
    unittest.main()
