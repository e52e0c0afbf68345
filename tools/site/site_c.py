# SPDX-License-Identifier: MIT
"""Reference of the C API, from the comments of include/attopotts/*.h: a page for each header."""
import dataclasses
import pathlib
import re
import sys

from site_text import code, directive, escape, indented, page, prose, title

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/symbols"))
import headers  # noqa: E402

COMMENT = re.compile(r"/\*\*(?!<)(.*?)\*/[ \t]*\n?", re.S)
TAG = re.compile(r"(@param\[(?:in|out|in,out)\]\s+[\w.]+(?:, \w+)*|@return\b|\b(?:Allocates|Threads|Since|Source|Time):)")
CONSTANT = re.compile(r"(\w+) = (-?\d+),?\s*(?:/\*\*<(.*?)\*/)?", re.S)


@dataclasses.dataclass
class Item:
    """A comment and what it belongs to. kind: file, text, macro, enum, struct, type, function."""
    kind: str
    name: str
    declaration: str
    lines: list
    body: str = ""
    number: int = 0


def comment_lines(comment):
    """The lines of a comment, without its stars and the two spaces after them."""
    found = [re.sub(r"^\s*\*? {0,2}", "", line) if k else line.strip() for k, line in enumerate(comment.splitlines())]
    while found and not found[-1].strip():
        found.pop()
    return found


def declared(code_after):
    """Kind, name, declaration and body of what follows a comment; None for nothing."""
    text = code_after
    if match := re.match(r"#define (ATP_\w+)(\([^)]*\))?", text):
        return "macro", match[1], match[1] + (match[2] or ""), ""
    if match := re.match(r"typedef (enum|struct) (\w+)(?: ATP_INT)? \{(.*?)\} (\w+);", text, re.S):
        return match[1], match[4], match[4], match[3]
    if match := re.match(r"typedef struct \w+ (\w+);", text):
        return "type", match[1], match[1], ""
    if match := re.match(r"typedef ([^;]*\(\*(\w+)\)[^;]*);", text, re.S):
        return "type", match[2], " ".join(re.sub(r"\bATP_\w+\b", "", match[1]).split()), ""
    if match := re.match(r'(?:ATP_DEPRECATED\("[^"]*"\)\s*)?ATP_API\s+([^;]*?\b(\w+)\s*\([^()]*\))\s*ATP_NOEXCEPT;', text, re.S):
        return "function", match[2], " ".join(match[1].split()), ""
    return None


def items(path):
    """What a header declares, in its order."""
    text, found, end = path.read_text(), [], 0
    for match in COMMENT.finditer(text):
        if match.start() < end:  # of a member
            continue
        lines = comment_lines(match[1])
        number = text.count("\n", 0, match.start()) + 1
        if lines and (name := re.match(r"@file (\S+)", lines[0])):
            found.append(Item("file", name[1], "", lines[1:], number=number))
            continue
        what = declared(text[match.end():])
        if what is None:
            raise ValueError(f"{path.name}:{number}: a comment of nothing that is known: {lines[0] if lines else ''}")
        found.append(Item(what[0], what[1], what[2], lines, what[3], number))
        end = match.end() + len(what[3])
    missing = {f.name for f in headers.functions(path)} - {i.name for i in found if i.kind == "function"}
    if missing:
        raise ValueError(f"{path.name}: no comment was read of {', '.join(sorted(missing))}")
    if not found or found[0].kind != "file":
        raise ValueError(f"{path.name}: the first comment is not that of the file, '@file {path.name}'")
    return found


class Names:
    """What texts may name, and the links that it becomes."""

    def __init__(self, pages):
        self.roles, self.headers, self.enums = {}, set(), {}  # enums: constant -> the name of its enum
        for path, found in pages.items():
            self.headers.add(path.name)
            for item in found:
                role = {"function": "func", "macro": "macro", "enum": "enum", "struct": "struct", "type": "type"}.get(item.kind)
                if role:
                    self.roles[item.name] = role
                if item.kind == "enum":
                    self.enums.update(dict.fromkeys((c[1] for c in CONSTANT.finditer(item.body)), item.name))

    def shown(self, text):
        """Escaped text, with links at names that are known."""
        out, last = [], 0
        for match in re.finditer(r"\b(atp_\w+)(\(\))?|\bATP_[A-Z0-9_]+\b|\b(\w+\.h)\b|\bdocs/(\w[\w-]*)\.md\b", text):
            name = match[1] or match[0]
            link = None
            if match[4]:
                link = f":doc:`docs/{match[4]}.md </docs/{match[4]}>`" if (ROOT / match[0]).exists() else None
            elif match[3]:
                link = f":doc:`{match[3]} </reference/c/{pathlib.Path(match[3]).stem}>`" if match[3] in self.headers else None
            elif name in self.enums:
                link = f":c:enumerator:`{name} <{self.enums[name]}.{name}>`"
            elif name in self.roles:
                link = f":c:{self.roles[name]}:`{name}`"
            if link:
                out += [escape(text[last:match.start()]), "\\ " + link + "\\ "]
                last = match.end()
        return ("".join(out) + escape(text[last:])).strip()


def tagged(lines, shown):
    """The lines before the first tag, and what the tags say: parameters and statuses as fields, the rest in one paragraph."""
    text = "\n".join(lines)
    first = TAG.search(text)
    if not first:
        return lines, []
    before = text[:first.start()].rstrip()
    pieces = TAG.split(" ".join(text[first.start():].split()))[1:]
    fields, facts = [], []
    for tag, rest in zip(pieces[::2], pieces[1::2]):
        rest = rest.strip().rstrip(";").strip()
        if match := re.match(r"@param\[(in|out|in,out)\]\s+(.*)", tag):
            rest = shown(rest)
            note = {"in": "", "out": "*output*; ", "in,out": "*input and output*; "}[match[1]]
            fields += [f":param {name}: {note}{rest}" for name in match[2].split(", ")]
        elif tag == "@return":
            fields.append(f":returns: {shown(rest)}")
        else:
            facts.append(f"*{tag.rstrip(':')}*: {shown(rest)}" + "." * (not rest.endswith(".")))
    return before.splitlines(), [*fields, "", ".. rst-class:: facts", "", " ".join(facts)] if facts else fields


def described(lines, shown):
    before, fields = tagged(lines, shown)
    return [*prose(before, shown), *fields, ""]


def member_lines(body, shown):
    """The members of a structure, and their comments."""
    out = []
    for match in re.finditer(r"(?:/\*\*(?!<)(.*?)\*/\s*)?([\w][^;/]*?);[ \t]*(?:/\*\*<(.*?)\*/)?", body, re.S):
        text = " ".join(" ".join(comment_lines(match[1] or match[3] or "")).split())
        for declaration in members_of(" ".join(match[2].split())):
            out += directive("c:member", declaration, [shown(text)])
    return out


def members_of(declaration):
    """int a, b -> int a; int b."""
    if "(" in declaration or "," not in declaration:
        return [declaration]
    first, *rest = declaration.split(", ")
    kind = re.match(r"(.*?)\**\w+(?:\[\w*\])?$", first)[1]
    return [first, *(kind + name for name in rest)]


def item_lines(item, names):
    shown = names.shown
    body = described(item.lines, shown)
    if item.kind == "enum":
        for name, value, text in CONSTANT.findall(item.body):
            body += directive("c:enumerator", f"{name} = {value}", [shown(" ".join(" ".join(comment_lines(text)).split()))])
    if item.kind == "struct":
        body += member_lines(item.body, shown)
    return directive({"enum": "c:enum", "struct": "c:struct", "type": "c:type", "macro": "c:macro"}.get(item.kind, "c:function"),
                     item.declaration, body)


def header_page(path, found, names):
    file, *rest = found
    umbrella = next((n for n, inside in (("attopotts_io.h", ("io.h", "input.h")), ("attopotts_mpi.h", ("mpi.h",))) if path.name in inside),
                    "attopotts.h")
    lines = [*title(path.name), *code([f"#include <{umbrella}>"], "c"), *prose(file.lines, names.shown)]
    parts = (("Types", ("type", "struct")), ("Constants", ("enum", "macro")), ("Functions", ("function",)))
    for heading, kinds in parts:
        chosen = [i for i in rest if i.kind in kinds]
        if chosen:
            lines += title(heading, "-")
        for item in chosen:
            lines += item_lines(item, names)
    return page(lines)


def first_sentence(item):
    return re.split(r"(?<=\.)\s", " ".join(" ".join(item.lines).split()))[0]


def c_pages(folder=ROOT / "include/attopotts"):
    """{name of a page: text}, index first."""
    pages = {path: items(path) for path in sorted(folder.glob("*.h"))}
    names = Names(pages)
    rows = []
    for path, found in pages.items():
        rows += [f":doc:`{path.name} <{path.stem}>`", *indented([names.shown(first_sentence(found[0]))], 4)]
    text = ("``#include <attopotts.h>`` has all of the core, ``#include <attopotts_io.h>`` also the files, ``#include <attopotts_mpi.h>`` "
            "the ranks of MPI. The pages are the comments of the headers.")
    index = [*title("C"), text, "", *rows, "", ".. toctree::", "   :hidden:", "", *indented([p.stem for p in pages])]
    return {"index": page(index), **{path.stem: header_page(path, found, names) for path, found in pages.items()}}
