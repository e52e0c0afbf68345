# SPDX-License-Identifier: MIT
"""Files of NumPy's .npy format, without NumPy."""
import itertools
import struct

LETTER = {"f8": "d", "f4": "f", "i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q"}


def shape_of(values):
    return (len(values), *shape_of(values[0])) if isinstance(values, list) else ()


def bytes_of(values, descr="<f8", fortran=False, version=1):
    """Nested lists as the bytes of a .npy file."""
    shape = shape_of(values)
    # The last index runs fastest, in Fortran's order the first.
    places = itertools.product(*(range(n) for n in (shape[::-1] if fortran else shape)))
    numbers = []
    for place in places:
        value = values
        for k in place[::-1] if fortran else place:
            value = value[k]
        numbers.append(value)
    order = ">" if descr[0] == ">" else "<"
    head = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    head += " " * (-(len(head) + 13) % 64) + "\n"
    size = struct.pack("<H" if version == 1 else "<I", len(head))
    return b"\x93NUMPY" + bytes([version, 0]) + size + head.encode() + struct.pack(order + str(len(numbers)) + LETTER[descr[1:]], *numbers)


def write(name, values, **options):
    with open(name, "wb") as file:
        file.write(bytes_of(values, **options))
