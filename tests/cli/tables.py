# SPDX-License-Identifier: MIT
"""The columns that docs/tables.md lists, for the tests of the program."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/ci"))
import columns  # noqa: E402

PAGE = (ROOT / "docs/tables.md").read_text(encoding="utf-8")
LISTED = columns.sections(PAGE)


def differences(section, found):
    """One line for each column that only one side has. A word of capitals in a listed name stands for any text."""
    patterns = {name: re.compile("_".join("[^_]+" if re.fullmatch("[A-Z]+", word) else re.escape(word) for word in name.split("_")))
                for name in LISTED[section]}
    lines = [f"{section}: docs/tables.md lacks {name}" for name in found if not any(p.fullmatch(name) for p in patterns.values())]
    return lines + [f"{section}: the program does not write {name}" for name, p in patterns.items() if not any(map(p.fullmatch, found))]
