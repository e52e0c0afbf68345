# SPDX-License-Identifier: MIT
"""Reference of the Julia package, from the texts and signatures of the @api blocks of bindings/julia/src."""
import pathlib
import re
import textwrap

from site_text import code, escape, page, prose, title

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = "bindings/julia/src"
BLOCK = re.compile(r"^@api (qualified )?begin\n(.*?)^end$", re.S | re.M)
TEXT = re.compile(r'^ {4}(?:"""(.*?)"""|"((?:\\.|[^"\\\n])*)")\n', re.S | re.M)
MODULE = re.compile(r'^"""\n(.*?)"""\nmodule (\w+)', re.S | re.M)


def shown(text):
    """Escaped, with `code` as code."""
    return re.sub(r"\\`(.+?)\\`", lambda m: "``" + re.sub(r"\\(.)", r"\1", m[1]) + "``", escape(text))


def signatures(definitions):
    """The lines that a reader calls, without bodies; structures with their fields."""
    found = []
    for match in re.finditer(r"^ {4}(?! )(.*?\n)(?=^ {4}(?! |end\b)|\Z|^ {4}end\n)", definitions, re.S | re.M):
        lines = match[1].rstrip("\n").splitlines()
        first = lines[0]
        if first.startswith(("end", "#", "@")) or not first.strip():
            continue
        if first.startswith(("struct ", "mutable struct ")):
            found += [first, *("    " + line.strip() for line in lines[1:]), "end"]
            continue
        head = head_of(" ".join(line.strip() for line in lines).removeprefix("function "))
        if head:
            found.append(head)
    return found


def head_of(text):
    """f(a; b = 1) of f(a; b = 1) = body."""
    match = re.match(r"[\w.!]+\(", text)
    if not match:
        return None
    depth = 1
    for k in range(match.end(), len(text)):
        depth += {"(": 1, ")": -1}.get(text[k], 0)
        if depth == 0:
            # A report comes first, and may be left out.
            return re.sub(r"\(report(, |\))", lambda m: "([report,] " if m[1] == ", " else "([report])", text[:k + 1])
    return None


def options_in(text, options_of):
    def listed(match):
        found = options_of(match[1])
        return ", ".join(f"`{name} = {'nothing' if value is None else value if re.match('[-0-9]', value) else ':' + value}`" for name, value in found)
    return re.sub(r"\$\(OPTION_TEXTS\[:(\w+)\]\)", listed, text)


def entries(source, options_of, place):
    """(text, signatures) of each documented definition of a file."""
    found = []
    for _, block in BLOCK.findall(source):
        pieces = list(TEXT.finditer(block))
        if not pieces:
            raise ValueError(f"{place}: a block of @api without a text")
        for piece, after in zip(pieces, [*pieces[1:], None]):
            text = textwrap.dedent("    " + (piece[1] or piece[2])).strip()
            heads = signatures(block[piece.end():after.start() if after else len(block)])
            if not heads:
                raise ValueError(f"{place}: nothing follows the text {text[:60]!r}")
            found.append((options_in(text, options_of), heads))
    return found


def file_lines(found):
    lines = []
    for text, heads in found:
        name = re.match(r"(?:mutable )?(?:struct )?([\w.!]+)", heads[0])[1]
        lines += [*title(name, "-"), f".. index:: single: {name} (Julia)", "", *code(heads, "julia")]
        lines += prose(textwrap.dedent(text).splitlines(), shown)
    return lines


def julia_pages(options_of):
    """{name of a page: text}, index first."""
    pages, about = {}, []
    for path in sorted((ROOT / SOURCES).glob("*.jl")):
        source = path.read_text()
        found = entries(source, options_of, path.name) if path.name != "api.jl" else []
        module = MODULE.search(source)
        text = prose(re.sub(r"^ {4}AttoPotts\.\w+\n", "", module[1]).splitlines(), shown) if module else []
        if path.name == "AttoPotts.jl":
            about = text
        elif found:
            heading = f"AttoPotts.{module[2]}" if module else path.stem.replace("_", " ").capitalize() + " (Julia)"
            pages[path.stem] = page([*title(heading), *text, *file_lines(found)])
    index = [*title("Julia"), "The package ``AttoPotts``.", "", *about, ".. toctree::", "", *("   " + name for name in pages)]
    return {"index": page(index), **pages}
