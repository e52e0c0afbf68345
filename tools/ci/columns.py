#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The columns of tables in docs/tables.md. usage: columns.py --write | --check

The page has blocks between `<!-- columns: KIND [NAME ...] -->` and `<!-- end columns -->`. KIND is a table of the library, for example
REPLICA_CURVE. The names choose columns; NAME=SHOWN shows a column under another name; without names the block has all columns. A name with a
colon, as in REPLICA_SIMULATION:eg=eg_sim, is of another kind. +NAME is a column that the program adds (PROGRAM). A word in brackets, as in
[--details], stands before the meanings of the columns after it, up to the next such word; [] ends it. --write fills the blocks from the
sources of the rooms, a column and its standard error in one row. --check compares them, prints one line for each block that differs, and has
status 1 then.

Other columns are written by hand: rows whose first cell is a name in backquotes. tests/cli/test_tables.py compares all with the program.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/tables.md"
ENTRY = re.compile(r'\{((?:"(?:[^"\\]|\\.)*"\s*,?\s*)+)\}')
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
# Columns that the program adds to tables of the library: (unit, meaning).
PROGRAM = {
    "branch": ("", "the requested branch: `semantic`, `positional` or, with `--rank 2`, `mixed`"),
    "omega": ("", "weight of the positional part in the teacher"),
    "outcome": ("", "how the row ended: `converged`, `max_iter`, `stalled` or `diverged`"),
    "solution": ("", "the solution that was found: that of `branch`, or `uninformed` if the branch does not exist"),
    "outcome_broken": ("", "`converged`, `stalled`, or `none` where the jumps of x are too rare for the quadrature"),
    "outcome_sim": ("", "`converged` if all runs converged, else how the first other one ended"),
}
BLOCK = re.compile(r"(<!-- columns: (.*?) -->\n).*?(<!-- end columns -->\n)", re.S)


def literals(text):
    """C string literals separated by commas; adjacent ones are joined."""
    found, at = [], 0
    for match in TEXT.finditer(text):
        piece = re.sub(r"\\(.)", r"\1", match[1])
        if found and "," not in text[at:match.start()]:
            found[-1] += piece
        else:
            found.append(piece)
        at = match.end()
    return found


def library_tables(source):
    """Kind (for example ATP_TABLE_TUNING) -> [(name, unit, description)], from the text of the sources that declare them."""
    arrays = {name: [tuple(literals(entry[1])) for entry in ENTRY.finditer(body)]
              for name, body in re.findall(r"constexpr ColumnInfo (\w+)\[\] = \{(.*?)\n\};", source, flags=re.S)}
    return {kind: arrays[array] for kind, array in re.findall(r"kind_of\((ATP_TABLE_\w+), \"\1\", (\w+)\)", source)}


def sources():
    """The text of all sources that declare columns."""
    texts = (path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.cpp")))
    return "\n".join(text for text in texts if "constexpr ColumnInfo" in text)


def rows_of(rule, kinds):
    """The Markdown table of one block. rule: the words after `columns:`."""
    kind, *words = rule.split()
    columns, shown, flag = {}, [], ""
    for word in words or [name for name, *_ in kinds["ATP_TABLE_" + kind]]:
        if word.startswith("["):
            flags = word[1:-1].replace(",", " ")
            flag = f"`{flags}`: " if flags else ""
            continue
        other, _, word = word.rpartition(":")
        name, _, label = word.lstrip("+").partition("=")
        label = label or name
        entries = {entry: (unit, text) for entry, unit, text in kinds["ATP_TABLE_" + (other or kind)]}
        columns[label] = PROGRAM[name] if word.startswith("+") else entries[name]
        shown.append((label, flag))
    lines = ["| column | unit | meaning |", "|---|---|---|"]
    for label, flag in shown:
        unit, text = columns[label]
        if label.endswith("_sem") and label[:-4] in columns:
            continue
        names, text = f"`{label}`", flag + text.replace("|", "\\|")
        if f"{label}_sem" in columns:
            names, text = f"{names}, `{label}_sem`", f"{text}; standard error"
        lines.append(f"| {names} | {'`' + unit + '`' if unit.startswith('atp_') else unit} | {text} |")
    return "\n".join(lines) + "\n"


def filled(page, source):
    """The page with all blocks up to date."""
    kinds = library_tables(source)
    return BLOCK.sub(lambda block: block[1] + rows_of(block[2], kinds) + block[3], page)


def sections(page):
    """Heading in backquotes -> names of its columns, in order: `### \\`eval\\`` and the tables below it, up to the next heading."""
    found = {}
    for part in re.split(r"^#{2,}\s+", page, flags=re.M)[1:]:
        heading = re.match(r"`([^`]+)`", part)
        if heading:
            found[heading[1]] = [name for cells in re.findall(r"^\|((?: `[^`]+`,?)+) \|", part, flags=re.M) for name in re.findall("`([^`]+)`", cells)]
    return found


def main():
    page, source = PAGE.read_text(encoding="utf-8"), sources()
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(filled(page, source), encoding="utf-8")
    elif sys.argv[1:] == ["--check"]:
        fresh = filled(page, source)
        late = [old[2] for old, new in zip(BLOCK.finditer(page), BLOCK.finditer(fresh)) if old[0] != new[0]]
        for rule in late:
            print(f"docs/tables.md: the block \"{rule}\" is out of date, expected the columns of the library: tools/ci/columns.py --write")
        return 1 if late else 0
    else:
        sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
