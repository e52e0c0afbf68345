# SPDX-License-Identifier: MIT
"""Reference of the C++ headers include/attopotts/*.hpp: a page for each, of what their classes and functions declare."""
import dataclasses
import pathlib
import re

from site_c import Names, comment_lines, items
from site_text import code, directive, indented, page, prose, title

ROOT = pathlib.Path(__file__).resolve().parents[2]
HIDDEN = ("detail",)
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|[(){};]|[^(){};/"\'#]+|.', re.S | re.M)


@dataclasses.dataclass
class Declaration:
    head: str
    comment: list
    body: str = ""
    has_body: bool = False


def block_end(text, start):
    """The place after the brace that closes the one before `start`."""
    depth = 1
    for match in TOKEN.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    raise ValueError(f"a brace is not closed: {text[start - 60:start]!r}")


def declarations(text):
    """What stands at the outer level of a text: heads, comments, bodies in braces."""
    found, head, comment, parens, place = [], "", [], 0, 0

    def end(body="", has_body=False):
        nonlocal head, comment
        if head.strip():
            found.append(Declaration(" ".join(head.split()), comment, body, has_body))
        head, comment = "", []

    while place < len(text):
        match = TOKEN.match(text, place)
        token, place = match[0], match.end()
        if token.startswith("/**<") or token.startswith("///<"):
            if found:
                found[-1].comment = comment_lines(token[4:].removesuffix("*/"))
        elif token.startswith("/**"):
            comment = comment_lines(token[3:-2])
        elif token.startswith(("/*", "//")) or token.lstrip().startswith("#"):
            continue
        elif token == "{" and parens == 0:
            stop = block_end(text, place)
            end(text[place:stop - 1], True)
            place = stop
        elif token == ";" and parens == 0:
            end()
        else:
            parens += {"(": 1, ")": -1}.get(token, 0)
            head += token
    end()
    return found


def cleaned(head):
    """A declaration as a reader needs it: without macros, `inline` and what initialises."""
    head = re.sub(r"\bATP_[A-Z]+_?POINTER\b |\[\[\w+(?:::\w+)?\]\] ?", "", head)
    head = re.sub(r"^((?:template <.*?> )?)(?:inline|friend) ", r"\1", head)
    # `Name(arguments) : member_(value)`: a constructor.
    depth = 0
    for k, letter in enumerate(head):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0 and (match := re.match(r"\)( noexcept)? : ", head[k:])):
            return head[:k + 1] + (match[1] or "")
    return head


def public_members(declaration):
    """The declarations of a class that users may call, in its order."""
    public = not re.search(r"(^|> )class ", declaration.head)
    found = []
    for member in declarations(declaration.body):
        while match := re.match(r"(public|private|protected) ?:(?!:) ?", member.head):
            public, member.head = match[1] == "public", member.head[match.end():]
        if public and member.head and not re.search(r"= delete$|^using |^friend |^~|^template class |operator=", member.head):
            found.append(member)
    return found


def is_class(head):
    return re.match(r"(?:template <.*> )?(?:class|struct) (?:ATP_\w+ )?(\w+)", head)


def class_lines(declaration, shown):
    head = cleaned(declaration.head)
    kind = "cpp:struct" if re.search(r"(^|> )struct ", head) else "cpp:class"
    signature = re.sub(r"\b(class|struct) (?=\w+( final)?( :|$))", "", head).replace(" final", "")
    body = prose(declaration.comment, shown)
    for member in public_members(declaration):
        body += declaration_lines(member, shown)
    return directive(kind, signature, body)


def declaration_lines(declaration, shown):
    head = cleaned(declaration.head)
    if is_class(head) and declaration.has_body:
        return class_lines(declaration, shown)
    body = prose(declaration.comment, shown)
    if match := re.match(r"enum class (\w+)", head):
        return directive("cpp:enum-class", match[1], body)
    if match := re.match(r"using (\w+ = .*)", head):
        return directive("cpp:type", match[1], body)
    if "(" in head:
        called = re.search(r"\b(atp_\w+)\(", declaration.body)
        if called and not any(called[1] in line for line in declaration.comment):
            body += ["In C: " + shown(called[0] + ")") + ".", ""]
        return directive("cpp:function", head, body)
    out = []
    for name in variables(head):
        out += directive("cpp:member", name, body)
    return out


def variables(head):
    """double a = 1, b -> double a = 1; double b."""
    head = re.sub(r" =$", "", head)
    match = re.fullmatch(r"([\w:]+(?:<[^<>]*>)?) (\w+(?: = [^,]+)?(?:, \w+(?: = [^,]+)?)+)", head)
    return [f"{match[1]} {name}" for name in match[2].split(", ")] if match else [head]


def header_page(path, names):
    text = path.read_text()
    about = re.search(r"/\*\* @file \S+\n(.*?)\*/", text, re.S)
    if not about:
        raise ValueError(f"{path.name}: no comment of the file, '@file {path.name}'")
    umbrella = "attopotts_io.hpp" if path.stem in ("io", "input") else "attopotts.hpp"
    lines = [*title(path.name), *code([f"#include <{umbrella}>"], "cpp"), *prose(comment_lines("\n" + about[1]), names.shown)]
    body = []
    for outer in declarations(text):
        if outer.head != "namespace attopotts":
            continue
        for declaration in declarations(outer.body):
            name = declaration.head.removeprefix("namespace ")
            # Definitions outside of classes are declared there; words without a body are for other headers.
            if name in HIDDEN or re.search(r"\w::~?\w+\(", declaration.head) or re.match(r"(class|struct) \w+$", name) and not declaration.has_body:
                continue
            if declaration.head.startswith("namespace "):
                body += [".. cpp:namespace-push:: " + name, ""]
                for inner in declarations(declaration.body):
                    body += declaration_lines(inner, names.shown)
                body += [".. cpp:namespace-pop::", ""]
            else:
                body += declaration_lines(declaration, names.shown)
    return page([*lines, ".. cpp:namespace:: attopotts", "", *body])


def cpp_pages(folder=ROOT / "include/attopotts"):
    """{name of a page: text}, index first."""
    names = Names({path: items(path) for path in sorted(folder.glob("*.h"))})
    paths = sorted(folder.glob("*.hpp"))
    about = re.search(r"/\*\* @file \S+\n(.*?)\*/", (folder.parent / "attopotts.hpp").read_text(), re.S)
    index = [*title("C++"), *prose(comment_lines("\n" + about[1]), names.shown),
             *(f"- :doc:`{path.name} <{path.stem}>`" for path in paths), "", ".. toctree::", "   :hidden:", "", *indented([p.stem for p in paths])]
    return {"index": page(index), **{path.stem: header_page(path, names) for path in paths}}
