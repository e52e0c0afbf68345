#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes inputs of fuzz_braw: make_braw.py FOLDER, then tools/fuzz/corpus.py add braw FOLDER/*. Models of two and three sites, whole and damaged."""
import pathlib
import struct
import sys

folder = pathlib.Path(sys.argv[1])


def text(value):
    return bytes([0xA0 + len(value)]) + value.encode()


def pair(i, j, numbers):
    key = text(f"{i}/{j}") + b"\x83"
    return key + text("i") + bytes([i]) + text("j") + bytes([j]) + text("x") + struct.pack(">BH", 0xDC, 441) + numbers


def model(sites, number, first=b"\x84", meta=b""):
    pairs = [(i, j) for i in range(sites) for j in range(i + 1, sites)]
    return (first + meta + text("format") + text("ccm-1") + text("ncol") + bytes([sites]) + text("x_single") +
            struct.pack(">BH", 0xDC, 20 * sites) + 20 * sites * number + text("x_pair") + bytes([0x80 + len(pairs)]) +
            b"".join(pair(i, j, 441 * number) for i, j in pairs))


whole = model(2, b"\x00")
inputs = {
    "integers": whole,
    "three": model(3, b"\xff"),
    "float32": model(2, struct.pack(">Bf", 0xCA, 0.5)),
    "float64": model(2, struct.pack(">Bd", 0xCB, -0.25)),
    "must_fail_nan": model(2, struct.pack(">Bf", 0xCA, float("nan"))),
    "must_fail_large": model(2, struct.pack(">Bd", 0xCB, 1e300)),
    "meta": model(2, b"\x00", b"\x85", text("meta") + b"\x82" + text("a") + b"\x93\xc0\xc2\xc4\x01z" + text("b") + b"\x80"),
    "must_fail_deep": model(2, b"\x00", b"\x85", text("meta") + 100 * b"\x91" + b"\xc0"),
    "must_fail_twice": whole + whole,
    "must_fail_cut": whole[:-7],
    "must_fail_key": model(2, b"\x00", b"\x85", b"\x01\x02"),
    "must_fail_again": model(2, b"\x00", b"\x85", text("ncol") + b"\x02"),
    "must_fail_promise": b"\x84" + text("ncol") + b"\xcd\xff\xff" + text("x_single") + b"\xdd\xff\xff\xff\xff\x00",
    "must_fail_array": b"\x93\x01\x02\x03",
    "must_fail_unused": b"\x81" + text("format") + b"\xc1",
}
folder.mkdir(parents=True, exist_ok=True)
for name, data in inputs.items():
    (folder / name).write_bytes(data)
