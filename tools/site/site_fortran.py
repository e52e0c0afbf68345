# SPDX-License-Identifier: MIT
"""Reference of the Fortran modules: their types and procedures with the comments of the sources that bindings/generate.py writes."""
import dataclasses
import pathlib
import re

from site_text import code, escape, page, prose, title

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAD = re.compile(r"^ *(?:[\w()*=, ]*?\b)?(subroutine|function) (\w+)\((.*?)\)")
ATTRIBUTES = r"(?:integer|real|logical|character|type|class|procedure)\b[^:]*::"
INTERNAL = ("address", "assign_")


@dataclasses.dataclass
class Procedure:
    name: str
    kind: str
    arguments: list
    result: str
    comment: list
    declared: list  # lines of the arguments


def joined(text):
    """Lines, those that go on with & as one."""
    return re.sub(r" *&\n *&? *", " ", text).splitlines()


def comment_of(line):
    return line.strip().removeprefix("!>").removeprefix(" ")


def procedures(lines):
    """{name: Procedure} of what follows `contains` of a module."""
    found, comment = {}, []
    for number, line in enumerate(lines):
        if line.strip().startswith("!>"):
            comment.append(comment_of(line))
            continue
        match = HEAD.match(line)
        if match and not line.strip().startswith("end "):
            names = [a.strip() for a in match[3].split(",") if a.strip()]
            result = re.search(r"result\((\w+)\)", line)
            kind = line[:match.start(1)].replace("impure", "").replace("elemental", "").replace("recursive", "").replace("pure", "").strip()
            declared = declarations(lines[number + 1:], names + ([result[1]] if result else [match[2]]))
            found[match[2]] = Procedure(match[2], match[1], names, kind, comment, declared)
        comment = []
    return found


def declarations(lines, names):
    """The lines that declare arguments or the result."""
    found = []
    for line in lines:
        if re.match(r" *end (subroutine|function)", line) or HEAD.match(line):
            break
        match = re.match(rf" *({ATTRIBUTES})\s*(.*)", line)
        if match and "self" != match[2] and re.match(r"\w+", match[2]) and re.match(r"\w+", match[2])[0] in names:
            found.append(line.strip())
    return found


def types(lines):
    """[(name, comment, {method: procedure}, [(comment, generic)])] of a module."""
    found, comment, inside = [], [], None
    for line in lines:
        text = line.strip()
        if text.startswith("!>"):
            comment.append(comment_of(text))
            continue
        if match := re.match(r"type(?:, [\w()]+)* :: (\w+)$|type (\w+)$", text):
            inside = (match[1] or match[2], comment, {}, [])
            found.append(inside)
        elif text.startswith("end type"):
            inside = None
        elif inside and (match := re.match(r"procedure(?:, (?!private)[\w()]+)* :: (\w+) => (\w+)$", text)):
            inside[2][match[1]] = match[2]
        elif inside and (match := re.match(r"generic :: (\w+) => (.*)$", text)):
            inside[3].append((match[1], comment, match[2]))
        comment = []
    return found


def call_lines(procedure, called):
    optional = {re.search(r":: *(\w+)", d)[1] for d in procedure.declared if "optional" in d}
    arguments = ", ".join(f"[{a}]" if a in optional else a for a in procedure.arguments if a != "self" or "%" not in called)
    result = procedure.result or "result"
    return [f"call {called}({arguments})" if procedure.kind == "subroutine" else f"{called}({arguments})   ! {result}"
            if procedure.result else f"{called}({arguments})", *("  " + d for d in procedure.declared)]


def method_lines(name, procedure, called):
    return [*title(name, "~"), *prose(procedure.comment, escape), *code(call_lines(procedure, called), "fortran")]


def type_lines(entry, found):
    name, comment, methods, generics = entry
    lines = [*title(name, "-"), f".. index:: single: {name} (Fortran)", "", *prose(comment, escape)]
    variable = name.removeprefix("atp_")
    for method, implementation in methods.items():
        if method not in INTERNAL and implementation in found:
            lines += method_lines(f"{name} % {method}", found[implementation], f"{variable}%{method}")
    for method, text, implementations in generics:
        lines += [*title(f"{name} % {method}", "~"), *prose(text, escape)]
        for implementation in implementations.split(", "):
            procedure = found.get(methods.get(implementation, f"{variable}_{implementation}"))
            if procedure:
                lines += code(call_lines(procedure, f"{variable}%{method}"), "fortran")
    return lines


def offered(path):
    """{module: the names that `use attopotts` gives of it, or None for all}."""
    found = {}
    for line in joined(path.read_text()):
        if match := re.match(r" *use (attopotts_\w+)(?:, only: (.*))?$", line):
            found[match[1]] = {n.strip() for n in match[2].split(",")} if match[2] else None
    return found


def module_page(text, only):
    lines = joined(text)
    about, name = [], ""
    for line in lines:
        if line.startswith("!>"):
            about.append(comment_of(line))
        elif line.startswith("module "):
            name = line.split()[1]
            break
    public = {n.strip() for line in lines if line.strip().startswith("public ::") for n in line.split("::")[1].split(",")}
    public = public & only if only else public
    found = procedures(lines)
    out = [*title(name), *code([f"use {name}"], "fortran"), *prose(about, escape)]
    for entry in types(lines):
        if entry[0] in public:
            out += type_lines(entry, found)
    plain = [found[n] for n in found if n in public]
    for procedure in plain:
        out += [*title(procedure.name, "-"), f".. index:: single: {procedure.name} (Fortran)", "", *prose(procedure.comment, escape),
                *code(call_lines(procedure, procedure.name), "fortran")]
    return name, page(out)


def fortran_pages(generated):
    """{name of a page: text}, index first. generated: the folder that bindings/generate.py wrote the modules to."""
    pages, modules = {}, offered(ROOT / "bindings/fortran/attopotts.f90")
    for path in sorted(generated.glob("*.f90")):
        if path.stem in modules:
            name, text = module_page(path.read_text(), modules[path.stem])
            pages[name] = text
    index = [*title("Fortran"), "``use attopotts`` has all modules. Procedures stop the program when a call fails, unless they are given ``stat``.", "",
             ".. toctree::", "", *("   " + name for name in pages)]
    return {"index": page(index), **pages}
