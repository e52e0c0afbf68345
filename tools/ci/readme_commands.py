#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands of a Markdown file, as they are printed there. usage: readme_commands.py [--session LANGUAGE] FILE...

--session: the code of this language alone (r, julia or python), to be run.

Every fenced block of sh is a step. The blocks of r, julia and python of a file are one session each, as a reader would type them one after
the other; each fortran block that is a program is a step. Comments on the line before a block change what is run, for all who read the file:
  <!-- walk: not run: WHY -->             leave the block out
  <!-- walk: not run "COMMAND": WHY -->   leave lines out that begin with COMMAND
  <!-- walk: once "COMMAND": WHY -->      run such lines in the first walk alone
  <!-- walk: before: CODE -->             what a reader has by now
  <!-- walk: prints "TEXT" -->            the output must hold this
"""
import dataclasses
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SESSIONS = ("r", "julia", "python")
PAGES = ("*.md", "docs/*.md", "docs/decisions/*.md", "bindings/*/README.md", "src/**/README.md", "research/*.md", "research/results/*.md",
         "tools/*/README.md", "packaging/**/*.md", "examples/**/*.md")


@dataclasses.dataclass
class Step:
    place: str  # file:line of the first block
    language: str
    code: str
    prints: list


def pages():
    """The Markdown pages of the tree, but for the start page of the site."""
    return sorted({path.relative_to(ROOT) for pattern in PAGES for path in ROOT.glob(pattern)})


def between(text, marks, block):
    """The text with another block between the two marks."""
    begin, end = marks
    before, rest = text.split(begin)
    return f"{before}{begin}\n{block}\n{end}{rest.split(end)[1]}"


def blocks(text):
    """Line, language, lines and marks of each fenced block."""
    marks, inside = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if inside is not None:
            if line.strip() == "```":
                yield (*inside, marks)
                marks, inside = [], None
            else:
                inside[2].append(line)
        elif fence := re.match(r"```(\w*)\s*$", line):
            inside = (number + 1, fence[1].lower(), [])
        elif mark := re.match(r"<!-- walk: (.*) -->$", line):
            marks.append(mark[1])
        elif line.strip():
            marks = []
    if inside is not None:
        sys.exit(f"the block of line {inside[0]} has no end")


def steps(path, first=True):
    """The steps of a file, in order; sessions come last."""
    path = pathlib.Path(path)
    found, sessions = [], {}
    for line, language, lines, marks in blocks(path.read_text()):
        place, prints, before = f"{path}:{line}", [], []
        for mark in marks:
            words = re.fullmatch(r'(not run|once|before|prints)(?: "(.*?)")?(?:: (.*))?', mark)
            if not words:
                sys.exit(f"{place}: unknown mark '{mark}'")
            what, text, rest = words.groups()
            if what == "prints":
                prints.append(text)
            elif what == "before":
                before.append(rest)
            elif what == "not run" and text is None:
                lines = []
            elif what == "not run" or not first:
                lines = [entry for entry in lines if not entry.startswith(text)]
        if not any(entry.strip() and not entry.startswith("#") for entry in lines):
            continue
        code = "\n".join(before + lines) + "\n"
        if language == "sh" or (language == "fortran" and code.startswith("program ")):
            found.append(Step(place, language, code, prints))
        elif language in SESSIONS:
            session = sessions.setdefault(language, Step(place, language, "", []))
            session.code += code
            session.prints += prints
    return found + list(sessions.values())


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    wanted, names = (sys.argv[2], sys.argv[3:]) if sys.argv[1] == "--session" else (None, sys.argv[1:])
    for name in names:
        for step in steps(name):
            if wanted is None:
                print(f"== {step.place} ({step.language})\n{step.code}", end="")
            elif step.language == wanted:
                print(step.code, end="")
