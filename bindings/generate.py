#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The low layers of the bindings, written from the public C headers: one function per C function, one constant per C constant, no judgement.

usage: bindings/generate.py [--check]

Writes, and with --check compares without writing (status 1 and the file's name where one is out of date):
    bindings/fortran/attopotts_c.f90               modules attopotts_constants and attopotts_c (bind(C) interfaces)
    bindings/julia/src/generated.jl                constants, and a method per function that calls through a pointer set at load time
    bindings/python/src/attopotts/_generated.py    ctypes signatures and enums
    bindings/r/R/generated.R                       constants (the C compiler sees the headers themselves there)

Pointers are addresses in every language: what they mean is in the header's comment, and who passes them is the layer above.
"""
import os
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/symbols"))
import headers  # noqa: E402

NOTE = "Written by bindings/generate.py from include/attopotts/*.h: change those, not this."


class Interface:
    def __init__(self, folder):
        paths = sorted(folder.glob("*.h"))
        self.functions = [f for f in headers.all_functions(paths)]
        self.enums = headers.all_enums(paths)
        self.enum_names = {e.name for e in self.enums}
        self.macros = {}
        for path in paths:
            for name, value in re.findall(r"^#define\s+(ATP_\w+)\s+(-?\d+)\b", path.read_text(), flags=re.M):
                self.macros[name] = int(value)
        self.abi = int(re.search(r"^abi_version = '(\d+)'", (ROOT / "meson.build").read_text(), flags=re.M)[1])
        names = {f.name for f in self.functions}
        for constant in self.constants():
            if constant.lower() in names:
                raise ValueError(f"{constant} and a function differ in case alone, which Fortran cannot tell")
        for f in self.functions:
            lower = [p.name.lower() for p in f.parameters] + [f.name]
            if len(set(lower)) != len(lower):
                raise ValueError(f"{f.name}: parameters that differ in case alone, which Fortran cannot tell")

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
    prefix = os.path.commonprefix(names) if len(names) > 1 else enum.name.upper() + "_"
    prefix = prefix[: prefix.rindex("_") + 1]
    return {name[len(prefix):]: value for name, value in enum.constants.items()}


def camel(name):
    return "".join(word.capitalize() for word in name.split("_")[1:])


def fortran(interface):
    types = {"int": "integer(c_int)", "int64": "integer(c_int64_t)", "uint64": "integer(c_int64_t)", "double": "real(c_double)"}
    kinds = {"int": "c_int", "int64": "c_int64_t", "uint64": "c_int64_t", "double": "c_double", "callback": "c_funptr"}

    def wrap(text, indent):
        lines = textwrap.wrap(text, 114 - indent, break_long_words=False, break_on_hyphens=False)
        return " &\n".join(" " * (indent if k == 0 else indent + 4) + line for k, line in enumerate(lines))

    out = ["! SPDX-License-Identifier: MIT", f"! {NOTE}",
           "!> Constants of the C API. Columns and rows of arrays count from 1 here: rows(ATP_REPLICA_EG, k).",
           "module attopotts_constants", "  use, intrinsic :: iso_c_binding, only: c_int", "  implicit none", "  public",
           f"  integer(c_int), parameter :: ATP_HEADERS_ABI = {interface.abi}  ! of the headers that this was written from"]
    for e in interface.enums:
        first = 1 if e.name.endswith(("_column", "_row")) else 0
        out += [f"  integer(c_int), parameter :: {name} = {value + first}" for name, value in e.constants.items()]
    out += [f"  integer(c_int), parameter :: {name} = {value}" for name, value in interface.macros.items()]
    worded = [e for e in interface.enums if e.name not in ("atp_option", "atp_status", "atp_outcome", "atp_progress_key", "atp_log_level")
              and not e.name.endswith(("_column", "_row"))]
    out += ["contains", "  !> The constant of a word of an enum: word_value('map', 'free') is ATP_MAP_FREE; -1 for others.",
            "  pure integer(c_int) function word_value(enum, word)", "    character(len=*), intent(in) :: enum, word",
            "    select case (trim(enum) // ':' // trim(word))"]
    for e in worded:
        for short, name in zip(short_names(e), e.constants):
            out += [f"    case ('{e.name[4:]}:{short.lower()}')", f"      word_value = {name}"]
    out += ["    case default", "      word_value = -1", "    end select", "  end function",
            "  !> The words of an enum, separated by commas; empty for others.", "  pure function words_of(enum) result(words)",
            "    character(len=*), intent(in) :: enum", "    character(len=:), allocatable :: words", "    select case (trim(enum))"]
    for e in worded:
        out += [f"    case ('{e.name[4:]}')", wrap("words = '" + ", ".join(short_names(e)).lower() + "'", 6)]
    out += ["    case default", "      words = ''", "    end select", "  end function", "end module attopotts_constants", "",
            "!> The functions of the C API. Pointers are type(c_ptr), value; places of handles type(c_ptr), intent(out);",
            "!> uint64_t is integer(c_int64_t) with the same bits.", "module attopotts_c",
            "  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_double, c_ptr, c_funptr", "  implicit none", "  public",
            "  interface"]
    for f in interface.functions:
        returns = interface.kind(f.returns)
        names = ", ".join(p.name for p in f.parameters)
        used = {kinds.get(interface.kind(p.type), "c_ptr") for p in f.parameters}
        if returns != "void":
            used.add(kinds.get(returns, "c_ptr"))
        word = "subroutine" if returns == "void" else "function"
        result = "" if returns == "void" else types.get(returns, "type(c_ptr)") + " "
        out.append(wrap(f"{result}{word} {f.name}({names}) bind(c)", 4))
        if used:
            out.append(f"      import :: {', '.join(sorted(used))}")
        for p in f.parameters:
            kind = interface.kind(p.type)
            declared = {"callback": "type(c_funptr), value", "handle": "type(c_ptr), intent(out)"}.get(
                kind, types[kind] + ", value" if kind in types else "type(c_ptr), value")
            out.append(f"      {declared} :: {p.name}")
        out.append(f"    end {word}")
    return "\n".join(out + ["  end interface", "end module attopotts_c", ""])


def julia(interface):
    types = {"void": "Cvoid", "int": "Cint", "int64": "Int64", "uint64": "UInt64", "double": "Cdouble", "string": "Cstring"}

    def type_of(kind):
        return types.get(kind, "Ptr{Cvoid}")

    def wrap(text, indent):
        lines = textwrap.wrap(text, 120 - indent - 4, break_long_words=False, break_on_hyphens=False)
        return "\n".join(" " * (indent if k == 0 else indent + 4) + line for k, line in enumerate(lines)).replace("\0", " ")

    out = ["# SPDX-License-Identifier: MIT", f"# {NOTE}", ""]
    out.append(f"const ABI_VERSION = {interface.abi}")
    out += [f"const {name} = Cint({value})" for name, value in interface.constants().items()]
    out += ["", "# The words of the enums, by the enums' names.", "const WORDS = Dict{Symbol,Vector{Pair{Symbol,Cint}}}("]
    for e in interface.enums:
        words = ", ".join(f":{name.lower()}\0=>\0{value}" for name, value in short_names(e).items())
        out.append(wrap(f":{e.name[4:]} => [{words}],", 4))
    out += [")", ""]
    for f in interface.functions:
        arguments = "".join(", " + p.name for p in f.parameters)
        kinds = [type_of(interface.kind(p.type)) for p in f.parameters]
        listed = "(" + ", ".join(kinds) + ("," if len(kinds) == 1 else "") + ")"
        out.append(f"const P_{f.name} = Ref{{Ptr{{Cvoid}}}}(C_NULL)")
        out.append(wrap(f"{f.name}({arguments[2:]})\0=", 0))
        out.append(wrap(f"ccall(P_{f.name}[], {type_of(interface.kind(f.returns))}, {listed}{arguments})", 4))
    out += ["", "function set_pointers(library)"]
    out += [f"    P_{f.name}[] = Libdl.dlsym(library, :{f.name})" for f in interface.functions]
    return "\n".join(out + ["    return nothing", "end", ""])


def python(interface):
    types = {"void": "None", "int": "c_int", "int64": "c_int64", "uint64": "c_uint64", "double": "c_double", "string": "c_char_p"}
    out = ["# SPDX-License-Identifier: MIT", f"# {NOTE}", '"""Signatures and constants of the C API."""', "import enum",
           "from ctypes import c_char_p, c_double, c_int, c_int64, c_uint64, c_void_p", ""]
    out.append(f"ABI = {interface.abi}  # of the headers that this was written from")
    for name, value in interface.macros.items():
        out.append(f"{name[4:]} = {value}")
    for e in interface.enums:
        out += ["", "", f"class {camel(e.name)}(enum.IntEnum):"]
        out += [f"    {name} = {value}" for name, value in short_names(e).items()]
    out += ["", "", "# name: (what it returns, what it takes)", "SIGNATURES = {"]
    for f in interface.functions:
        arguments = ", ".join(types.get(interface.kind(p.type), "c_void_p") for p in f.parameters)
        line = f'    "{f.name}": ({types.get(interface.kind(f.returns), "c_void_p")}, [{arguments}]),'
        out += textwrap.wrap(line, 120, subsequent_indent="        ", drop_whitespace=True, break_long_words=False, initial_indent="    ")
    return "\n".join(out + ["}", ""])


def r(interface):
    out = ["# SPDX-License-Identifier: MIT", f"# {NOTE}", ""]
    for e in interface.enums:
        names = ", ".join(f"{name} = {value}L" for name, value in short_names(e).items())
        # A name and its value stay on one line.
        words = f".{e.name} <- c({names})".replace(" = ", "\0=\0")
        out += [line.replace("\0", " ") for line in textwrap.wrap(words, 120, subsequent_indent="  ", break_long_words=False)]
    for name, value in interface.macros.items():
        out.append(f".{name.lower()} <- {value}L")
    out.append(f".atp_abi <- {interface.abi}L")
    return "\n".join(out + [""])


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    interface = Interface(ROOT / "include/attopotts")
    files = {"fortran/attopotts_c.f90": fortran, "julia/src/generated.jl": julia, "python/src/attopotts/_generated.py": python,
             "r/R/generated.R": r}
    stale = []
    for name, write in files.items():
        path = ROOT / "bindings" / name
        text = write(interface)
        if not path.exists() or path.read_text() != text:
            stale.append(name)
            if not sys.argv[1:]:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                print(f"wrote bindings/{name}")
    if sys.argv[1:] and stale:
        sys.exit("out of date, run bindings/generate.py: " + ", ".join("bindings/" + name for name in stale))


if __name__ == "__main__":
    main()
