# SPDX-License-Identifier: MIT
"""Reference of the program: its manual pages, which the program itself writes (`attopotts help --man`)."""
import re
import subprocess

from site_text import code, directive, escape, page, title

# What roff writes for the characters of a text.
ESCAPES = {"\\-": "-", "\\e": "\\", "\\&": ""}


def manual(program, *words):
    done = subprocess.run([program, "help", "--man", *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(f"{program} help --man {' '.join(words)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def plain(text):
    """Text without the marks of roff."""
    text = re.sub(r"\\f[BIRP]", "", text)
    return re.sub(r"\\[-e&]", lambda m: ESCAPES[m[0]], text)


def sections(text):
    """[(heading, [entries])] of a manual page; an entry is ("item", names, text), ("code", lines) or ("text", text)."""
    found, entries, lines = [], [], text.splitlines()
    place = 0
    while place < len(lines):
        line = lines[place]
        place += 1
        if line.startswith(".SH "):
            entries = []
            found.append((plain(line[4:]).strip('"'), entries))
        elif line == ".TP":
            start = place + 1
            place = start
            while place < len(lines) and not lines[place].startswith("."):
                place += 1
            entries.append(("item", plain(lines[start - 1]), plain(" ".join(lines[start:place]))))
        elif line == ".EX":
            stop = lines.index(".EE", place)
            entries.append(("code", [plain(one) for one in lines[place:stop]]))
            place = stop + 1
        elif not line.startswith("."):
            entries.append(("text", plain(line)))
    return found


def heading_of(text):
    """Option headings are in capitals in a manual page."""
    return text.capitalize() if text.isupper() else text


def entry_lines(entry, subcommand, subcommands):
    kind, *rest = entry
    if kind == "code":
        return code(rest[0], "none")
    if kind == "text":
        return [escape(rest[0]), ""] if rest[0].strip() else []
    names, text = rest
    if match := re.fullmatch(r"attopotts-([\w-]+)\(1\)", names):
        name = match[1]
        shown = f":doc:`{name} <{name}>`" if name in subcommands else escape(name)
        return [shown, "   " + escape(text), ""]
    if subcommand and names.startswith("-"):
        return directive("option", names, [escape(text)])
    return [f"``{names}``", "   " + escape(text), ""]


def manual_page(heading, text, subcommand, subcommands):
    lines = [*title(heading), *([f".. program:: attopotts {subcommand}", ""] if subcommand else [])]
    for name, entries in sections(text):
        if name == "NAME":
            about = entries[0][1].partition(" - ")[2].strip()
            lines += [escape(about[:1].upper() + about[1:] + "."), ""]
        if name in ("NAME", "SEE ALSO"):
            continue
        lines += title(heading_of(name), "-")
        for entry in entries:
            lines += entry_lines(entry, subcommand, subcommands)
    return page(lines)


def program_pages(program):
    """{name of a page: text}, index first."""
    text = manual(program)
    subcommands = re.findall(r"attopotts-([\w-]+)\(1\)", plain(text))
    if len(subcommands) < 5:
        raise ValueError(f"{program} help --man lists {len(subcommands)} subcommands")
    index = manual_page("The program", text, "", subcommands) + "\n.. toctree::\n   :hidden:\n\n" + "".join(f"   {name}\n" for name in subcommands)
    return {"index": index, **{name: manual_page(f"attopotts {name}", manual(program, name), name, subcommands) for name in subcommands}}
