#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes inputs of fuzz_npy with NumPy: make_npy.py FOLDER, then tools/fuzz/corpus.py add npy FOLDER/*. Those of the tree are of NumPy 1.24."""
import io
import pathlib
import sys

import numpy as np
from numpy.lib import format as npy

folder = pathlib.Path(sys.argv[1])


def data_of(array, version=None):
    file = io.BytesIO()
    npy.write_array(file, array, version, allow_pickle=True)
    return file.getvalue()


def keep(name, array, version=None):
    (folder / name).write_bytes(data_of(array, version))


def header(text, data=b"", version=b"\x01\x00"):
    text += " " * (-(len(text) + 11) % 64) + "\n"
    size = len(text).to_bytes(2 if version[0] == 1 else 4, "little")
    return b"\x93NUMPY" + version + size + text.encode() + data


numbers = np.arange(12).reshape(3, 4)
for kind in ("<f8", ">f8", "<f4", ">f4", "|i1", "|u1", "<i2", ">u2", "<i4", ">i4", "<u4", "<i8", ">i8", "<u8"):
    name = {"<": "little", ">": "big", "|": "byte"}[kind[0]] + "_" + kind[1:]
    keep(name, numbers.astype(kind))
keep("fortran", np.asfortranarray(numbers.astype(float)))
keep("version2", numbers.astype(float), (2, 0))
keep("version3", np.asfortranarray(numbers.astype(">f4")), (3, 0))
keep("scalar", np.array(3.5))
(folder / "empty_huge").write_bytes(header("{'descr': '<f8', 'fortran_order': True, 'shape': (0, 4611686018427387904, 4611686018427387904)}"))
keep("vector", np.array([1, np.nan, np.inf]))
keep("empty", np.zeros((0, 4)))
c = np.zeros((3, 3, 2, 2))
c[0, 1] = c[1, 0] = [[1, -1], [-1, 1]]
keep("couplings", c)
keep("couplings_fortran", np.asfortranarray(c.astype("<f4")))
(folder / "python2").write_bytes(header("{'descr': '<f8', 'fortran_order': False, 'shape': (2L,), }", bytes(16)))
(folder / "other_order").write_bytes(header('{"shape": (1,), "descr": "=i2", "fortran_order": True}', bytes(2)))

keep("must_fail_complex", np.zeros(2, complex))
keep("must_fail_half", np.zeros(2, "<f2"))
keep("must_fail_bool", np.zeros(2, bool))
keep("must_fail_text", np.array(["a", "b"]))
keep("must_fail_records", np.zeros(2, [("x", "<f8")]))
keep("must_fail_objects", np.array([1, None]))
keep("must_fail_dimensions", np.zeros((1,) * 9))
whole = data_of(numbers)
(folder / "must_fail_cut").write_bytes(whole[:-1])
(folder / "must_fail_long").write_bytes(whole + b"\0")
(folder / "must_fail_two").write_bytes(whole + whole)
(folder / "must_fail_version").write_bytes(whole[:6] + b"\x04\0" + whole[8:])
(folder / "must_fail_header").write_bytes(whole[:8] + b"\xff\xff" + whole[10:])
big = "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }"
(folder / "must_fail_huge").write_bytes(header(big % "4611686018427387904,", bytes(8)))
(folder / "must_fail_overflow").write_bytes(header(big % "4294967296, 4294967296, 4294967296", bytes(8)))
(folder / "must_fail_sign").write_bytes(header(big % "-1,", bytes(8)))
(folder / "must_fail_twice").write_bytes(header("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", bytes(8)))
(folder / "must_fail_missing").write_bytes(header("{'descr': '<f8', 'shape': (1,)}", bytes(8)))
(folder / "must_fail_after").write_bytes(header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x", bytes(8)))
(folder / "must_fail_version2_cut").write_bytes(b"\x93NUMPY\x02\x00\xff\xff")
