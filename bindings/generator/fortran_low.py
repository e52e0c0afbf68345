# SPDX-License-Identifier: MIT
"""attopotts_c.f90: constants, words of enums, interfaces of the functions of C."""
import textwrap

from interface import NOTE, short_names

TYPES = {"int": "integer(c_int)", "int64": "integer(c_int64_t)", "uint64": "integer(c_int64_t)", "double": "real(c_double)"}
KINDS = {"int": "c_int", "int64": "c_int64_t", "uint64": "c_int64_t", "double": "c_double", "callback": "c_funptr"}


def wrap(text, indent):
    lines = textwrap.wrap(text, 114 - indent, break_long_words=False, break_on_hyphens=False)
    return " &\n".join(" " * (indent if k == 0 else indent + 4) + line for k, line in enumerate(lines))


def low_layer(interface):
    """Modules attopotts_constants and attopotts_c."""
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
        out += [f"    case ('{e.name[4:]}')", "      words = '" + " ' // &\n        '".join(textwrap.wrap(", ".join(short_names(e)).lower(), 100)) + "'"]
    out += ["    case default", "      words = ''", "    end select", "  end function",
            "  !> The enum of an option whose values are words; empty for others.", "  pure function enum_of_option(key) result(enum)",
            "    integer(c_int), intent(in) :: key", "    character(len=:), allocatable :: enum", "    select case (key)"]
    for name, enum in interface.option_enums.items():
        out += [f"    case ({name})", f"      enum = '{enum[4:]}'"]
    out += ["    case default", "      enum = ''", "    end select", "  end function", "end module attopotts_constants", "",
            "!> The functions of the C API. Pointers are type(c_ptr), value; places of handles type(c_ptr), intent(out);",
            "!> uint64_t is integer(c_int64_t) with the same bits.", "module attopotts_c",
            "  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_double, c_ptr, c_funptr", "  implicit none", "  public",
            "  interface"]
    for f in interface.declared:
        returns = interface.kind(f.returns)
        names = ", ".join(p.name for p in f.parameters)
        used = {KINDS.get(interface.kind(p.type), "c_ptr") for p in f.parameters}
        if returns != "void":
            used.add(KINDS.get(returns, "c_ptr"))
        word = "subroutine" if returns == "void" else "function"
        result = "" if returns == "void" else TYPES.get(returns, "type(c_ptr)") + " "
        out.append(wrap(f"{result}{word} {f.name}({names}) bind(c)", 4))
        if used:
            out.append(f"      import :: {', '.join(sorted(used))}")
        for p in f.parameters:
            kind = interface.kind(p.type)
            declared = {"callback": "type(c_funptr), value", "handle": "type(c_ptr), intent(out)"}.get(
                kind, TYPES[kind] + ", value" if kind in TYPES else "type(c_ptr), value")
            out.append(f"      {declared} :: {p.name}")
        out.append(f"    end {word}")
    return "\n".join(out + ["  end interface", "end module attopotts_c", ""])
