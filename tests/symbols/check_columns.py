#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The columns of tables in the core are those of the enums in the public headers: as many, in their order, with their descriptions; and
the number macros say how many.

usage: check_columns.py HEADER...
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/ci"))
import headers  # noqa: E402
from columns import library_tables, sources  # noqa: E402


def described(path, enum):
    """(constant, comment) of an enum."""
    text = pathlib.Path(path).read_text()
    body = re.search(r"typedef enum " + enum + r" ATP_INT \{(.*?)\n\}", text, flags=re.S)[1]
    return [(name, " ".join(comment.split()))
            for name, comment in re.findall(r"(ATP_\w+) = \d+,?\s*/\*\*< (.*?) ?\*/", body, flags=re.S)]


def complaints(source, paths):
    found = []
    known = library_tables(source)
    kinds = next(path for path in paths if path.endswith("/table.h"))
    enums = {e.name: e for e in headers.all_enums(paths)}
    macros = dict(re.findall(r"#define (ATP_\w+_COLUMNS) (\d+)", "".join(pathlib.Path(p).read_text() for p in paths)))
    for kind, enum in described(kinds, "atp_table_kind"):
        rows, columns = known.get(kind, []), described(enums[enum].header, enum)
        if list(enums[enum].constants.values()) != list(range(len(columns))):
            found.append(f"{enum}: numbers are not 0, 1, ...")
        if len(rows) != len(columns):
            found.append(f"{kind}: {len(rows)} columns in the core, {len(columns)} in {enum}")
        for row, (constant, comment) in zip(rows, columns):
            if row[2] != comment:
                found.append(f"{kind}: column {row[0]} is \"{row[2]}\" in the core, {constant} \"{comment}\"")
        prefix = columns[0][0]
        while not any(m == prefix + "_COLUMNS" for m in macros) and "_" in prefix:
            prefix = prefix.rsplit("_", 1)[0]
        if macros.get(prefix + "_COLUMNS") != str(len(columns)):
            found.append(f"{enum}: {prefix}_COLUMNS is {macros.get(prefix + '_COLUMNS')}, expected {len(columns)}")
    return found


paths, text = sys.argv[1:], sources()
if "column qhat is" not in " ".join(complaints(text.replace("conjugate of q per parameter", "conjugate"), paths)):
    sys.exit("the check does not see a description that differs")
if "columns in the core" not in " ".join(complaints(text.replace('{"kappa"', '"kappa"', 1), paths)):
    sys.exit("the check does not see a column that is missing")
found = complaints(text, paths)
print("\n".join(found) or f"{sum(len(rows) for rows in library_tables(text).values())} columns are those of the headers")
sys.exit(1 if found else 0)
