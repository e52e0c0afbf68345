# SPDX-License-Identifier: MIT
"""The Julia package: constants, words, and a method for each function of C, which calls through a pointer set at load time."""
import textwrap

from interface import NOTE, of_io, short_names


def low_layer(interface):
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
    for f in interface.declared:
        arguments = "".join(", " + p.name for p in f.parameters)
        kinds = [type_of(interface.kind(p.type)) for p in f.parameters]
        listed = "(" + ", ".join(kinds) + ("," if len(kinds) == 1 else "") + ")"
        out.append(f"const P_{f.name} = Ref{{Ptr{{Cvoid}}}}(C_NULL)")
        out.append(wrap(f"{f.name}({arguments[2:]})\0=", 0))
        out.append(wrap(f"ccall(P_{f.name}[], {type_of(interface.kind(f.returns))}, {listed}{arguments})", 4))
    out += ["", "# The core, and the library of files.", "function set_pointers(library, io)"]
    out += [f"    P_{f.name}[] = Libdl.dlsym({'io' if of_io(f) else 'library'}, :{f.name})" for f in interface.declared]
    return "\n".join(out + ["    return nothing", "end", ""])


def files(interface, here):
    return {"src/generated.jl": low_layer(interface)}
