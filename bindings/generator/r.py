# SPDX-License-Identifier: MIT
"""The R package: constants (the C compiler sees the headers themselves)."""
import textwrap

from interface import NOTE, short_names


def constants(interface):
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


def files(interface, here):
    return {"R/generated.R": constants(interface)}
