#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page docs/options.md: every owner of options with names, defaults, bounds and texts. usage: options.py LIBRARY --write | --check

LIBRARY is the built libattopotts, which is asked for all of it. --write makes the page, --check compares it and has status 1 where it
differs. bindings/generator/interface.py reads the page for what it writes of options."""
import ctypes
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/options.md"
BEGIN = """# Options

The options of each object, call and task: what `atp_option_bounds()` and `atp_option_text()` say. A bag is made
for one of these owners (`atp_options_create()`); a name has the same key for all of them. Names of
constants are those of `attopotts/options.h` and `attopotts/task.h`. `tools/ci/options.py` writes this page.
"""


def constants():
    """{number: name} of the owners, from the headers."""
    found = {}
    for header, prefix in (("options.h", "ATP_OWNER_"), ("task.h", "ATP_TASK_")):
        text = (ROOT / "include/attopotts" / header).read_text()
        enum = re.search(r"typedef enum (?:atp_option_owner|atp_task_kind) ATP_INT \{(.*?)\n\}", text, flags=re.S)[1]
        found.update({int(number): name for name, number in re.findall(rf"({prefix}\w+) = (\d+)", enum)})
    return found


def shown(value, whole):
    return f"{value:.0f}" if whole else f"{value:g}" if float(f"{value:g}") == value else repr(value)


def page(path):
    library = ctypes.CDLL(str(path))
    for name in ("owner_name", "name", "text"):
        getattr(library, f"atp_option_{name}").restype = ctypes.c_char_p
    library.atp_option_owner_at.argtypes = [ctypes.c_int64]
    library.atp_option_at.argtypes = [ctypes.c_int, ctypes.c_int64]
    library.atp_option_count.restype = ctypes.c_int64
    names, lines, k = constants(), [BEGIN], 0
    while (owner := library.atp_option_owner_at(k)) >= 0:
        title = library.atp_option_owner_name(owner).decode()
        lines += [f"## {title[0].upper()}{title[1:]}", "", f"`{names[owner]}`", "", "| option | default | lowest | highest | meaning |", "|---|---|---|---|---|"]
        for j in range(library.atp_option_count(owner)):
            key = library.atp_option_at(owner, j)
            low, high, initial, whole = ctypes.c_double(), ctypes.c_double(), ctypes.c_double(), ctypes.c_int()
            assert library.atp_option_bounds(owner, key, ctypes.byref(low), ctypes.byref(high), ctypes.byref(initial), ctypes.byref(whole)) == 0
            numbers = " | ".join(shown(x.value, whole.value) for x in (initial, low, high))
            text = library.atp_option_text(owner, key).decode().replace("|", "\\|")
            lines.append(f"| `{library.atp_option_name(key).decode()}` | {numbers} | {text} |")
        lines.append("")
        k += 1
    return "\n".join(lines).rstrip("\n") + "\n"


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("--write", "--check"):
        sys.exit("usage: options.py LIBRARY --write | --check")
    made = page(sys.argv[1])
    if sys.argv[2] == "--write":
        PAGE.write_text(made)
    elif PAGE.read_text() != made:
        sys.exit(f"{PAGE.relative_to(ROOT)} differs from the library: tools/ci/options.py LIBRARY --write makes it again")


if __name__ == "__main__":
    main()
