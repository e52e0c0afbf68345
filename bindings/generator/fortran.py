# SPDX-License-Identifier: MIT
"""The Fortran modules from their templates bindings/fortran/*.in.f90, and attopotts_c.f90 of fortran_low.py.

A template is Fortran with lines that begin with `!@`:
    !@ module NAME [uses NAME ...]      the beginning of a module, with the others that it uses
    !@ type TYPE                the beginning of a type: its component procedures, those of the lines below and of the life cycle
    !@ life TYPE                destroy, address, assignment, finalisation
    !@ as TYPE: NAME NAME ...   these lines of the template of another type, with their comments
    !@ NAME NAME ...            a line for each of them
    !@ NAME(ARGUMENTS) [-> RESULT] [= C_FUNCTION] [; NAME=EXPRESSION, ...]
                                a type-bound procedure that calls atp_TYPE_NAME; `private` before it: not public; `plain`: of no type
An argument is that parameter of the C function; NAME? is optional, NAME?=EXPRESSION with what is handed over where it is not given,
NAME:long an int64 integer, NAME@PARAMETER has another name than in C. After the semicolon stands what parameters get that are no
arguments. Sizes, contexts, handles that are made come from the header, and the comment of a procedure without words of its own.
In procedures that are written by hand, too, the arguments stat and errmsg need no declaration.
"""
import re
import textwrap

from fortran_low import low_layer
from fortran_procedure import ERRORS, FROM_ONE, Line, Procedure
from interface import NOTE, short_names


def comment(text, indent=2):
    return "\n".join(textwrap.wrap(text, 116, initial_indent=" " * indent + "!> ", subsequent_indent=" " * indent + "!> "))


SAVE_STATE = """  !> One of the same data and options that loads the state goes on with the same numbers.
  subroutine {0}_save_state(self, state, stat, errmsg)
    class(atp_{0}), intent(in) :: self
    integer(c_int8_t), allocatable, intent(inout), target :: state(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    if (allocated(state)) deallocate (state)
    allocate (state(self%state_bytes()))
    call settle(atp_{0}_save_state(self%address(), c_loc(state), size(state, kind=c_int64_t)), stat, errmsg)
  end subroutine"""


def life(kind):
    return f"""  !> Let go of the handle; it is freed when neither variables nor other handles hold it any more.
  impure elemental subroutine {kind}_destroy(self)
    class(atp_{kind}), intent(inout) :: self
    call drop(self%ref)
  end subroutine

  !> The handle for functions of attopotts_c; NULL where there is none.
  type(c_ptr) function {kind}_address(self)
    class(atp_{kind}), intent(in) :: self
    {kind}_address = address_of(self%ref)
  end function

  subroutine {kind}_assign(self, right)
    class(atp_{kind}), intent(inout), target :: self
    type(atp_{kind}), intent(in) :: right
    if (.not. has_room(c_loc(self%ref), 1, 1)) return
    call share(self%ref, right%ref)
  end subroutine

  subroutine {kind}_assign_list(self, right)
    type(atp_{kind}), intent(inout), target :: self(:)
    type(atp_{kind}), intent(in) :: right(:)
    integer :: k
    if (.not. has_room(c_loc(self(1)), size(self), size(right))) return
    do k = 1, size(right)
      call share(self(k)%ref, right(k)%ref)
    end do
  end subroutine

  subroutine {kind}_fill(self, right)
    type(atp_{kind}), intent(inout), target :: self(:)
    type(atp_{kind}), intent(in) :: right
    integer :: k
    if (.not. has_room(c_loc(self(1)), 1, 1)) return
    do k = 1, size(self)
      call share(self(k)%ref, right%ref)
    end do
  end subroutine

  subroutine {kind}_lengthen(list, more)
    type(atp_{kind}), allocatable, intent(inout) :: list(:)
    type(atp_{kind}), intent(in) :: more
    type(atp_{kind}), allocatable :: longer(:)
    integer :: count, k
    count = 0
    if (allocated(list)) count = size(list)
    allocate (longer(count + 1))
    do k = 1, count
      call share(longer(k)%ref, list(k)%ref)
    end do
    call share(longer(count + 1)%ref, more%ref)
    if (allocated(list)) call list%destroy()
    call move_alloc(longer, list)
  end subroutine

  impure elemental subroutine {kind}_final(self)
    type(atp_{kind}), intent(inout) :: self
    call drop(self%ref)
  end subroutine"""


def module(name, others):
    uses = ["constants", "c", "base", *others]
    return "\n".join([f"module attopotts_{name}", "  use, intrinsic :: iso_c_binding", *(f"  use attopotts_{x}" for x in uses),
                      "  implicit none", "  private"])


def generics(kinds):
    """Assignment of arrays, and what makes a list longer. Compilers try a type's own assignment first: that is for scalars only."""
    out = []
    for generic, words in (("assignment(=)", ("assign_list", "fill")), ("append_handle", ("lengthen",))):
        names = [f"    module procedure :: {kind}_{word}" for kind in kinds for word in words]
        out += [f"  public :: {generic}", f"  interface {generic}", *names, "  end interface"]
    return "\n".join(out if kinds else [])


def bound(kind, lines):
    out = [f"  type :: atp_{kind}", "    type(shared) :: ref  ! not for users", "  contains"]
    out += [f"    procedure :: {name} => {kind}_{name}" for name in ("destroy", "address")]
    out += [f"    procedure{', private' if x.word == 'private' else ''} :: {x.name} => {kind}_{x.name}" for x in lines]
    return "\n".join(out + [f"    procedure, private :: assign_ => {kind}_assign", "    generic :: assignment(=) => assign_",
                            f"    final :: {kind}_final"])


def line_by_line(path):
    """The lines of a template, with those of other templates, each name on one of its own."""
    found = []
    for line in path.read_text().split("\n"):
        names = re.fullmatch(r"  !@ (?!module|type|life|plain|private)(?:as (\w+):)?((?: ?\w+)+)", line)
        if names and names[1]:
            other = "\n".join(line_by_line(path.with_name(f"attopotts_{names[1]}.in.f90")))
            for name in names[2].split():
                found += re.search(rf"(?:  !>.*\n)*  !@ {name}\b.*", other)[0].split("\n")
        else:
            found += [f"  !@ {name}" for name in names[2].split()] if names else [line]
    return found


def expand(path, interface):
    """A module from its template."""
    source = line_by_line(path)
    kind, out = None, []
    lines = {k: Line(s.strip()[3:]) for k, s in enumerate(source)
             if s.strip().startswith("!@ ") and not re.match(r"!@ (module|type|life)\b", s.strip())}
    owner = {}
    for k, s in enumerate(source):
        match = re.match(r"\s*!@ life (\w+)", s)
        kind = match[1] if match else kind
        if k in lines and lines[k].word != "plain":
            owner[k] = kind
    for k, s in enumerate(source):
        word = s.strip().split(" ")
        if word[:2] == ["!@", "module"]:
            out.append(module(word[2], word[4:]))
            out.append(generics(re.findall(r"!@ life (\w+)", "\n".join(source))))
        elif word[:2] == ["!@", "type"]:
            out.append(bound(word[2], [x for j, x in lines.items() if owner.get(j) == word[2]]))
        elif word[:2] == ["!@", "life"]:
            out.append(life(word[2]))
        elif k in lines:
            x, type_ = lines[k], owner.get(k)
            name = x.function or f"atp_{type_}_{x.name}" if type_ else x.function or f"atp_{x.name}"
            if x.name == "save_state":
                out += [SAVE_STATE.format(type_), ""]
                continue
            function = interface.functions.get(name) or interface.functions[name + "_view"]
            if not source[k - 1].strip().startswith("!>"):
                out.append(comment(words_of(x, function, interface)))
            out += [Procedure(x, function, type_, interface.functions).write(), ""]
        elif s.strip() or (out and out[-1]):
            out.append(s)
            if re.match(r"  [^!]*\b(function|subroutine) .*, stat, errmsg(, sizes)?(, within)?\)", s):
                out += ["    " + e for e in ERRORS]
    return f"! {NOTE}\n" + "\n".join(out)


def words_of(line, function, interface):
    """The comment of a procedure from the header: its first sentence, then what the arguments are here."""
    found = []
    for a in function.arguments:
        name = line.renamed.get(a.name, a.name)
        if name not in line.given:
            continue
        enum = next((e for e in interface.enums if a.role == "enum" and e.name == f"atp_{a.kind}"), None)
        if a.role == "array" and a.shape:
            found.append(f"{name} has the shape ({', '.join(reversed(a.shape))})")
        elif enum and a.kind != "option":
            found.append(f"{name} is " + ", ".join(f'"{word.lower()}"' for word in short_names(enum)))
        if name in FROM_ONE or name == "masked_sites":
            found.append(f"{name} counts from 1")
    if any(a.missing for a in function.arguments):
        found.append("-1 (ATP_MISSING) is refused unless missing is .true.")
    if line.result:
        nothing = {"double": "NaN", "char": "empty"}.get(function.argument(line.result).kind, "0")
        found.append(f"{line.result} is {nothing} where it fails")
    return first_sentence(function.text) + (" Here " + "; ".join(found) + "." if found else "")


def first_sentence(text):
    return re.split(r"(?<=[a-z\])])\.\s", text, maxsplit=1)[0].rstrip(". ") + "."


# Procedures of the base that deal with an error take the name of the one that a user called.
DEALING = ("settle", "refuse", "finish", "fits", "known", "may_replace", "is_real", "enum_of", "owner_of", "option_of")


def called_names(text):
    """{procedure: as users call it}: the bindings of types, and what is public."""
    found = {name: name for names in re.findall(r"^  public :: (.*(?:&\n.*)*)", text, flags=re.M) for name in re.findall(r"\w+", names)}
    for kind, block in re.findall(r"^  type :: atp_(\w+)\n(.*?)^  end type", text, flags=re.M | re.S):
        bound = {}
        for line in re.findall(r"^    procedure[^:]*:: (.*)", block, flags=re.M):
            for piece in line.split(","):
                name, _, procedure = (x.strip() for x in piece.partition("=>"))
                bound[name] = procedure or name
        shown = {name: name for name in bound}
        for generic, names in re.findall(r"^    generic :: (\w+) => (.*)", block, flags=re.M):
            shown.update(dict.fromkeys((x.strip() for x in names.split(",")), generic))
        found.update({procedure: f"{kind}%{shown[name]}" for name, procedure in bound.items()})
    return found


def closing(text, place):
    """Where the bracket closes within which a place is."""
    depth = quoted = 0
    for k in range(place, len(text)):
        quoted ^= text[k] == "'"
        depth += 0 if quoted else {"(": 1, ")": -1}.get(text[k], 0)
        if depth < 0:
            return k
    raise ValueError("a bracket does not close")


def with_names(text):
    """The calls that deal with errors get the name of the procedure that users call."""
    names, out, name = called_names(text), [], None
    begin = re.compile(r"^  (?!end\b)(?:[\w()*=:, ]+ )?(?:subroutine|function) (\w+)\(", flags=re.M)
    pieces = [0, *(found.start() for found in begin.finditer(text)), len(text)]
    for first, last in zip(pieces, pieces[1:]):
        piece, name = text[first:last], begin.match(text[first:last])
        shown = names.get(name[1]) if name else None
        for found in reversed(list(re.finditer(rf"\b(?:{'|'.join(DEALING)})\(", piece)) if shown else []):
            end = closing(piece, found.end())
            if re.search(r"\bstat,[ &\n]*errmsg\b", piece[found.end():end]):
                piece = f"{piece[:end]}, &\n        within='{shown}'{piece[end:]}"
        out.append(piece)
    return "".join(out)


def files(interface, here):
    """{name: text} of the modules."""
    found = {"attopotts_c.f90": low_layer(interface)}
    for path in sorted(here.glob("*.in.f90")):
        text = expand(path, interface)
        found[path.name.replace(".in.f90", ".f90")] = text if path.name == "attopotts_base.in.f90" else with_names(text)
    return found
