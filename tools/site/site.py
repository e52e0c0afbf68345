#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the sources of the site into a folder: the pages of the tree, and the pages of reference that are made from headers, sources and the
program. usage: site.py FOLDER PROGRAM (started by site.sh)

The pages keep their places in the tree, so that links between them stay as they are. Links to headers become links to their pages of
reference; other files that pages link to are copied, as downloads.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/ci"), str(ROOT / "bindings/generator")]
import site_c  # noqa: E402
import site_cpp  # noqa: E402
import site_fortran  # noqa: E402
import site_julia  # noqa: E402
import site_program  # noqa: E402
import site_python  # noqa: E402
import site_r  # noqa: E402
from interface import Interface  # noqa: E402
from readme_commands import pages  # noqa: E402
from tree_version import version  # noqa: E402

LINK = re.compile(r"\]\(([^)\s]+)\)")
COMMENT = re.compile(r"^<!-- .*? -->\n", re.M | re.S)
HEADER_PAGES = {"include": "reference/c/index", "include/attopotts": "reference/c/index", "include/attopotts.h": "reference/c/index",
                "include/attopotts_io.h": "reference/c/index", "include/attopotts_mpi.h": "reference/c/index",
                "include/attopotts.hpp": "reference/cpp/index", "include/attopotts_io.hpp": "reference/cpp/index"}


def outside_of_code(text, change):
    """Applies a function to what is not in fenced blocks."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    return "".join(part if k % 2 else change(part) for k, part in enumerate(parts))


class Tree:
    """The folder of sources that is being written."""

    def __init__(self, folder):
        self.folder, self.pages, self.listed, self.faults = folder, set(pages()), {}, []

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def copy(self, name):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, path)

    def target(self, page, link):
        """What a link of a page becomes."""
        if re.match(r"[a-z]+:|#", link):
            return link
        path, _, place = link.partition("#")
        name = pathlib.Path(os.path.normpath(page.parent / path))
        if name in self.pages or (self.folder / name).with_suffix(".rst").is_file() and name.suffix == ".rst":
            return link
        known = HEADER_PAGES.get(str(name))
        if match := re.fullmatch(r"include/attopotts/(\w+)\.(h|hpp)", str(name)):
            known = f"reference/{'c' if match[2] == 'h' else 'cpp'}/{match[1]}" if (ROOT / name).is_file() else None
        if known:
            return os.path.relpath(known + ".rst", page.parent)
        if (ROOT / name).is_file():
            self.copy(name)
            return link
        if (ROOT / name).is_dir():
            return os.path.relpath(self.folder_page(name), page.parent)
        self.faults.append(f"{page}: a link to {link}, which is not there")
        return link

    def folder_page(self, name):
        """The page of a folder: its README, or a list of its files."""
        if name / "README.md" in self.pages:
            return name / "README.md"
        self.listed[name] = name / "files.md"
        return name / "files.md"

    def add(self, page):
        text = (ROOT / page).read_text()

        def change(part):
            return LINK.sub(lambda m: f"]({self.target(page, m[1])})", COMMENT.sub("", part))
        self.write(page, outside_of_code(text, change))

    def list_folders(self):
        for name, page in sorted(self.listed.items()):
            found = sorted(path.name for path in (ROOT / name).iterdir() if path.is_file())
            for file in found:
                self.copy(name / file)
            self.write(page, f"# Files of {name}\n\n" + "".join(f"- [{file}]({file})\n" for file in found))


def generated_pages(program):
    """{folder: pages of reference}."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for language in ("fortran", "python", "r"):
            subprocess.run([sys.executable, ROOT / "bindings/generate.py", language, folder / language], check=True)
        return {"program": site_program.program_pages(program), "c": site_c.c_pages(), "cpp": site_cpp.cpp_pages(),
                "python": site_python.python_pages(folder / "python"), "r": site_r.r_pages(folder / "r"),
                "julia": site_julia.julia_pages(Interface().options_of), "fortran": site_fortran.fortran_pages(folder / "fortran")}


def start_page(known):
    """tools/site/pages/index.md with the patterns of its tables of contents as the pages that they mean; what no pattern means comes last."""
    taken, out = set(), []
    inside = False
    for line in (ROOT / "tools/site/pages/index.md").read_text().splitlines():
        if line.startswith("```"):
            inside = line.startswith("```{toctree}")
        elif inside and line and not line.startswith(":"):
            title, pattern = re.fullmatch(r"(?:(.*) <)?([^<>]*?)>?", line).groups()
            found = [n for n in known if pathlib.PurePath(n).match(pattern) and n.count("/") == pattern.count("/") and n not in taken]
            if pattern == "@rest":
                found = [n for n in known if n not in taken]
            taken.update(found)
            names = [str(pathlib.PurePath(n).with_suffix("")) for n in found]
            out += [f"{title} <{n}>" if title else n for n in names]
            continue
        out.append(line)
    return "\n".join(out) + "\n"


def without_empty_tables(text):
    return re.sub(r"^```\{toctree\}\n(?::.*\n)*\n?```\n\n?", "", text, flags=re.M)


def write_sources(folder, program):
    tree = Tree(folder)
    for language, made in generated_pages(program).items():
        for name, text in made.items():
            tree.write(f"reference/{language}/{name}.rst", text)
    for page in sorted(tree.pages):
        tree.add(page)
    tree.list_folders()
    decisions = [p.stem for p in sorted(tree.pages) if str(p.parent) == "docs/decisions" and p.stem != "README"]
    with open(folder / "docs/decisions/README.md", "a") as file:
        file.write("\n```{toctree}\n:hidden:\n\n" + "\n".join(decisions) + "\n```\n")
    known = [str(p) for p in [*sorted(tree.pages), *sorted(tree.listed.values())] if str(p.parent) != "docs/decisions" or p.stem == "README"]
    known += [str(p.relative_to(folder)) for p in sorted(folder.glob("reference/*/index.rst"))]
    text = outside_of_code(without_empty_tables(start_page(known)), lambda part: LINK.sub(lambda m: f"]({tree.target(pathlib.Path('index.md'), m[1])})", part))
    tree.write("index.md", text)
    for path in sorted((ROOT / "tools/site/pages").iterdir()):
        if path.is_dir():
            shutil.copytree(path, folder / path.name, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        elif path.suffix != ".md":
            shutil.copyfile(path, folder / path.name)
    tree.write("version.txt", version() + "\n")
    return tree.faults


def main():
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        print(__doc__)
        sys.exit(0 if "--help" in sys.argv else 2)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    try:
        faults = write_sources(folder, sys.argv[2])
    except (ValueError, OSError) as error:
        sys.exit(f"site.py: {error}")
    if faults:
        sys.exit("\n".join(f"site.py: {fault}" for fault in faults))


if __name__ == "__main__":
    main()
