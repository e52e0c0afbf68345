#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The version of a release, in the files that repeat it, and its section of CHANGELOG.md.

usage: release_version.py show           print the version
       release_version.py set VERSION    write it into all files; the changelog begins a section for it, unless its newest one has no date yet
       release_version.py date DATE      give the newest section of the changelog its date, for example 2027-01-31
       release_version.py check          the files agree, and the newest section has a date: ready for a release
       release_version.py notes          print the newest section of the changelog
"""
import datetime
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "ci"))
from tree_version import ABI, COPIES, ROOT, SOURCE, first, version  # noqa: E402

CHANGELOG = "CHANGELOG.md"
HEADING = re.compile(r"^## (\d\S*) \((\S+)\), ABI (\S+)$", re.MULTILINE)


def heading(text):
    found = HEADING.search(text)
    if found is None:
        raise SystemExit(f"{CHANGELOG}: there is no heading such as '## 1.2.0 (unreleased), ABI 1'")
    return found


def replace(root, name, pattern, new):
    path = root / name
    text = path.read_text(encoding="utf-8")
    found = re.search(pattern, text, re.MULTILINE)
    path.write_text(text[:found.start(1)] + new + text[found.end(1):], encoding="utf-8")


def set_version(root, new):
    if not re.fullmatch(r"\d+\.\d+\.\d+", new):
        raise SystemExit(f"'{new}' is no version, expected three numbers with dots, for example 1.2.0")
    path = root / CHANGELOG
    text = path.read_text(encoding="utf-8")
    newest = heading(text)
    if newest[2] != "unreleased":
        section = f"## {new} (unreleased), ABI {first(*ABI, root)}\n\n"
        path.write_text(text[:newest.start()] + section + text[newest.start():], encoding="utf-8")
    for name, pattern in [SOURCE, *COPIES]:
        replace(root, name, pattern, new)


def set_date(root, day):
    try:
        datetime.date.fromisoformat(day)
    except ValueError:
        raise SystemExit(f"'{day}' is no date, expected one such as 2027-01-31") from None
    path = root / CHANGELOG
    text = path.read_text(encoding="utf-8")
    newest = heading(text)
    path.write_text(text[:newest.start(2)] + day + text[newest.end(2):], encoding="utf-8")


def problems(root, released=True):
    """What keeps the tree from being released, a line each."""
    wanted = version(root)
    found = [f"{name} has version {first(name, pattern, root)}, meson.build has {wanted}" for name, pattern in COPIES
             if first(name, pattern, root) != wanted]
    newest = heading((root / CHANGELOG).read_text(encoding="utf-8"))
    if newest[3] != first(*ABI, root):
        found.append(f"{CHANGELOG} says ABI {newest[3]}, meson.build has {first(*ABI, root)}")
    if released and newest[2] == "unreleased":
        found.append(f"the section of {newest[1]} in {CHANGELOG} has no date (release_version.py date DATE)")
    return found


def notes(root):
    text = (root / CHANGELOG).read_text(encoding="utf-8")
    sections = list(HEADING.finditer(text))
    return text[sections[0].start():sections[1].start() if len(sections) > 1 else len(text)].strip()


def main(words, root=ROOT):
    command, arguments = (words[0], words[1:]) if words else ("", [])
    if command == "show" and not arguments:
        print(version(root))
    elif command == "set" and len(arguments) == 1:
        set_version(root, arguments[0])
    elif command == "date" and len(arguments) == 1:
        set_date(root, arguments[0])
    elif command == "check" and not arguments:
        found = problems(root)
        print("\n".join(found) or f"{version(root)} can be released")
        return int(bool(found))
    elif command == "notes" and not arguments:
        print(notes(root))
    else:
        print(__doc__.strip(), file=sys.stdout if command in ("-h", "--help") else sys.stderr)
        return 0 if command in ("-h", "--help") else 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
