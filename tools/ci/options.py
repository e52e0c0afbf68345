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
constants are those of `attopotts/options.h` and `attopotts/task.h`. Behind a range stand the words of
its values (`atp_option_word()`), as flags of the program take them; bindings take the names of the
constants in the headers. If an owner has two or more
options with the default, range and meaning of an owner above it, one row names them. `tools/ci/options.py` writes this page.
"""
SHARED = 2


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


def owners_of(path):
    """[(constant, title, {name: (default, range, text)})] of all owners."""
    library = ctypes.CDLL(str(path))
    for name in ("owner_name", "name", "text", "word"):
        getattr(library, f"atp_option_{name}").restype = ctypes.c_char_p
    library.atp_option_owner_at.argtypes = [ctypes.c_int64]
    library.atp_option_at.argtypes = [ctypes.c_int, ctypes.c_int64]
    library.atp_option_word.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64]
    library.atp_option_count.restype = ctypes.c_int64
    names, found, k = constants(), [], 0
    while (owner := library.atp_option_owner_at(k)) >= 0:
        options = {}
        for j in range(library.atp_option_count(owner)):
            key = library.atp_option_at(owner, j)
            low, high, initial, whole = ctypes.c_double(), ctypes.c_double(), ctypes.c_double(), ctypes.c_int()
            assert library.atp_option_bounds(owner, key, ctypes.byref(low), ctypes.byref(high), ctypes.byref(initial), ctypes.byref(whole)) == 0
            lowest, highest, default = (shown(x.value, whole.value) for x in (low, high, initial))
            text = library.atp_option_text(owner, key).decode().replace("|", "\\|")
            words, value = [], int(high.value)
            while whole.value and (word := library.atp_option_word(owner, key, value)) is not None:
                words, value = [f"{value} `{word.decode()}`", *words], value - 1
            bounds = f"{lowest} to {highest}" + (": " + ", ".join(words) if words else "")
            options[library.atp_option_name(key).decode()] = default, bounds, text
        found.append((names[owner], library.atp_option_owner_name(owner).decode(), options))
        k += 1
    return found


def page(path):
    lines, above = [BEGIN], []
    for constant, title, options in owners_of(path):
        lines += [f"## {title[0].upper()}{title[1:]}: `{constant}`", "", "| option | default | range | meaning |", "|---|---|---|---|"]
        left = dict(options)
        # The owners above that share most of what is left, as long as a row for them saves rows.
        while above:
            other, rows = max(above, key=lambda owner: sum(owner[1].get(name) == row for name, row in left.items()))
            same = [name for name, row in left.items() if rows.get(name) == row]
            if len(same) < SHARED:
                break
            lines.append(f"| {', '.join(f'`{name}`' for name in same)} | | | as of {other} |")
            left = {name: row for name, row in left.items() if name not in same}
        lines += [f"| `{name}` | {default} | {bounds} | {text} |" for name, (default, bounds, text) in left.items()]
        lines.append("")
        above.append((title, options))
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
