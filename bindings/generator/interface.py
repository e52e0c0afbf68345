# SPDX-License-Identifier: MIT
"""What the public C headers say: functions with the roles of their parameters, enums, constants."""
import dataclasses
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/symbols"))
import headers  # noqa: E402

NOTE = "Written by bindings/generate.py from the headers in include/attopotts: change those, not this."
IO_HEADERS = ("io.h", "input.h")  # of the library attopotts_io
MPI_HEADERS = ("mpi.h",)  # of the library attopotts_mpi, which bindings load or link where it is asked for
KINDS = ("context", "options", "alignment", "model", "sampler", "sampling", "trainer", "input", "table", "task", "masked")
# The extents of arrays, as the headers name them: what asks a handle for them.
GETTERS = {"N": "count", "L": "sites", "q": "colors", "H": "heads", "C": "chains", "K": "temperatures", "map count": "map_count",
           "parameters": "parameter_count", "p": "parameters", "rows": "rows", "columns": "columns",
           "pairs": "pair_count"}


def of_io(function):
    return pathlib.Path(function.header).name in IO_HEADERS


@dataclasses.dataclass
class Argument:
    """A parameter of a C function and what it is for.

    role: handle, made (the place of a new handle), int, double, enum, text, array, size (the number of elements of `of`), number (the
    place of an int64_t, int or double), place_of_text, progress, user, outcome, pointer (none of these)."""
    name: str
    type: str
    role: str
    kind: str = ""  # of a handle its type, of an enum its name, of an array or number the type of an element
    shape: tuple = ()  # of an array, slowest index first
    optional: bool = False
    output: bool = False
    of: str = ""
    constant: bool = False  # a handle that the function only reads
    missing: bool = False  # sequences in which ATP_MISSING may stand


@dataclasses.dataclass
class Function:
    name: str
    returns: str
    arguments: list
    text: str  # the comment up to its first @param, in one line

    def argument(self, name):
        return next((a for a in self.arguments if a.name == name), None)


ELEMENT = {"int64_t": "int64", "double": "double", "float": "float", "uint8_t": "uint8", "int": "int", "void": "byte", "char": "char"}


def described(comment, names):
    """{name: (direction, text)} of the @param lines of a comment."""
    text = re.sub(r"\s*\n\s*\*\s*", " ", comment)
    found = {}
    for match in re.finditer(r"@param\[(in|out)\]\s+(\w+(?:, \w+)*)(.*?)(?=@param|@return|Allocates:|Time:|$)", text, flags=re.S):
        listed = [n for n in match[2].split(", ") if n in names]
        for n in listed:
            found.setdefault(n, (match[1], match[3].strip()))
    return found


def classify(function, enums):
    """The arguments of a function with their roles."""
    names = [p.name for p in function.parameters]
    notes = described(function.comment, names)
    found = []
    for k, p in enumerate(function.parameters):
        direction, note = notes.get(p.name, ("", ""))
        after = names[k + 1] if k + 1 < len(names) else ""
        shape = re.search(r"shape ((?:\[[^\]]+\])+)", note)
        shape = tuple(re.findall(r"\[([^\]]+)\]", shape[1])) if shape else ()
        a = Argument(p.name, p.type, "pointer", shape=shape, optional=note.startswith("(optional)") or "may be NULL" in note)
        a.missing = "ATP_MISSING" in note
        base = p.type.replace("const ", "").replace("*", "").strip()
        constant, stars = p.type.startswith("const "), p.type.count("*")
        if p.type == "atp_progress_fn":
            a.role = "progress"
        elif p.name == "user" and stars == 1:
            a.role = "user"
        elif base == "atp_outcome" and stars == 1:
            a.role = "outcome"
        elif base in enums and not stars:
            a.role, a.kind = "enum", base[4:]
        elif base[4:] in KINDS and base.startswith("atp_"):
            a.role, a.kind, a.constant = ("handle", base[4:], constant) if stars == 1 else ("made", base[4:], False)
        elif p.type == "const char *":
            a.role = "text"
        elif p.type == "const char **":
            a.role, a.output = "place_of_text", True
        elif p.type in ("int64_t", "int", "uint64_t", "double"):
            a.role, a.kind = ("double" if p.type == "double" else "int"), p.type
        elif stars == 1 and base in ELEMENT:
            a.kind, a.output = ELEMENT[base], not constant
            array = constant or base in ("void", "uint8_t", "char") or bool(shape) or after in ("size", p.name + "_size") and "*" not in function.parameters[k + 1].type
            a.role = "array" if array else "number"
        found.append(a)
    for k, a in enumerate(found):
        if a.name == "size" and a.role == "int" and any(b.role == "array" for b in found[:k]):
            a.role = "size"
            before = [b for b in found[:k] if b.role == "array"]
            a.of = next((b.name for b in before if b.output), before[-1].name)
        if a.name.endswith("_size") and any(b.role == "array" and b.name == a.name[:-5] for b in found):
            a.role, a.of = "size", a.name[:-5]
        if a.role == "array" and a.output and "each output may be NULL" in function.comment:
            a.optional = True
    return found


def described_constants(path, prefix):
    """(name, comment in one line) of the constants of a header whose comments say what is behind them."""
    found = re.findall(rf"({prefix}\w+) = -?\d+,?\s*/\*\*<(.*?)\*/", path.read_text(), flags=re.S)
    return [(name, " ".join(text.split())) for name, text in found]


def options_in(page):
    """{owner: [(name, default, text, range)]} of docs/options.md, names with _ for -; owners as in "trainer" and "replica_square".

    A row with several names is that of the owner above whose title it says."""
    found, titles = {}, {}
    for section in re.split(r"^## ", page, flags=re.M)[1:]:
        title, owner = re.match(r"(.*): `ATP_(?:OWNER|TASK)_(\w+)`", section).groups()
        options = titles[title.lower()] = found[owner.lower()] = []
        for line in section.splitlines():
            if line.startswith("| `"):
                names, default, range_, text = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
                names = [name.replace("-", "_") for name in re.findall(r"`([\w-]+)`", names)]
                if len(names) > 1:
                    above = {row[0]: row for row in titles[text.removeprefix("as of ").lower()]}
                    options += [above[name] for name in names]
                else:
                    options.append((names[0], default, text.replace("\\|", "|"), range_))
    return found


def inherit(function, before):
    """What the comment "The same ..." leaves to that of the function before."""
    for a in function.arguments:
        b = before.argument(a.name)
        if b and b.role == a.role:
            a.shape, a.optional = a.shape or b.shape, a.optional or b.optional


class Interface:
    def __init__(self, folder=ROOT / "include/attopotts"):
        paths = sorted(path for path in folder.glob("*.h") if path.name not in MPI_HEADERS)
        self.declared = headers.all_functions(paths)
        self.enums = headers.all_enums(paths)
        self.enum_names = {e.name for e in self.enums}
        self.macros = {}
        for path in paths:
            for name, value in re.findall(r"^#define\s+(ATP_\w+)\s+(-?\d+)\b", path.read_text(), flags=re.M):
                self.macros[name] = int(value)
        self.abi = int(re.search(r"^abi_version = '(\d+)'", (ROOT / "meson.build").read_text(), flags=re.M)[1])
        self.functions = {}
        before = None
        for f in self.declared:
            text = re.sub(r"\s*\n\s*\*\s*", " ", f.comment.strip("/* \n"))
            text = re.split(r"@param|@return|Allocates:", text)[0].strip()
            made = self.functions[f.name] = Function(f.name, f.returns, classify(f, self.enum_names), text)
            if text.startswith("The same"):
                inherit(made, before)
            before = made
        for constant in self.constants():
            if constant.lower() in self.functions:
                raise ValueError(f"{constant} and a function differ in case alone, which Fortran cannot tell")
        for f in self.declared:
            lower = [p.name.lower() for p in f.parameters] + [f.name]
            if len(set(lower)) != len(lower):
                raise ValueError(f"{f.name}: parameters that differ in case alone, which Fortran cannot tell")

        self.option_enums = {name: match[1] for name, text in described_constants(folder / "options.h", "ATP_OPT_")
                             if (match := re.search(r"\ban (atp_\w+)", text))}
        self.whole_options = {name[8:].lower() for name, text in described_constants(folder / "options.h", "ATP_OPT_") if text.startswith("(i)")}
        self.options = options_in((ROOT / "docs/options.md").read_text())

    def word(self, enum, constant):
        """A constant as the word that bindings have for it; other texts as they are."""
        names = next((short_names(e) for e in self.enums if e.name == enum), {})
        return next((name.lower() for name, value in names.items() if value == self.constants().get(constant)), constant)

    def options_of(self, owner):
        """[(name, default)] of the options of an owner, for example "trainer" or "replica_square": a default is a number or a word. It is
        None where the number is no word of the option's enum: the object chooses."""
        found = []
        for name, value, *_ in self.options[owner]:
            enum = self.option_enums.get(f"ATP_OPT_{name.upper()}")
            number = next((c for e in self.enums if e.name == enum for c, v in e.constants.items() if str(v) == value), None)
            found.append((name, value if enum is None else number and self.word(enum, number)))
        return found

    def constants(self):
        found = {name: value for e in self.enums for name, value in e.constants.items()}
        found.update(self.macros)
        return found

    def kind(self, type_):
        """One of: void, int, int64, uint64, double, string, handle (the place of a handle to be made), callback, pointer."""
        if type_ in self.enum_names or type_ == "int":
            return "int"
        if type_ in ("void", "int64_t", "uint64_t", "double", "size_t"):
            return {"int64_t": "int64", "uint64_t": "uint64", "size_t": "uint64"}.get(type_, type_)
        if type_ == "const char *":
            return "string"
        if type_.endswith("_fn"):
            return "callback"
        if re.fullmatch(r"atp_\w+ \*\*", type_):
            return "handle"
        if type_.endswith("*"):
            return "pointer"
        raise ValueError(f"type not understood: {type_!r}")


def short_names(enum):
    """{short: value}: the constants without what they have in common."""
    names = list(enum.constants)
    prefix = os.path.commonprefix(names if len(names) > 1 else names + [enum.name.upper() + "_"])
    prefix = prefix[: prefix.rindex("_") + 1]
    return {name[len(prefix):]: value for name, value in enum.constants.items()}
