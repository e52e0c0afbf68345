#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What of the bindings is written from the public C headers, which nobody edits and the repository does not hold.

usage: bindings/generate.py [fortran|julia|python|r] [FOLDER]

Writes the files of all languages, or of one, into bindings/LANGUAGE, or below FOLDER. The builds of the bindings call it; files that are
as they should be are left alone.
"""
import importlib
import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "generator"))
LANGUAGES = ("fortran", "julia", "python", "r")


def write(language, folder):
    from interface import Interface
    made = importlib.import_module(language).files(Interface(), HERE / language)
    for name, text in made.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return sorted(made)


def main():
    arguments = sys.argv[1:]
    if len(arguments) > 2 or arguments and arguments[0] not in LANGUAGES:
        sys.exit(__doc__)
    for language in arguments[:1] or LANGUAGES:
        write(language, pathlib.Path(arguments[1]) if len(arguments) == 2 else HERE / language)


if __name__ == "__main__":
    main()
