#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rates of reading a large alignment, plain and packed by gzip, and what bounds them.

usage: reading.py FAMILY [MEGABYTES [RUNS]]             by default 200 MB, 5 runs

FAMILY is an alignment in FASTA or A2M. Its records are repeated with names of their own until the file has that size, in lines of 80
symbols, and packed by gzip at its default level. Rows: MB of plain text per second of processor time (user and system), the median of the
runs, on one thread:

    copy         reads the bytes of the plain file into memory
    inflate      unpacks the packed file by zlib in pieces of 64 KB, without the checksum; with_checksum: with it
    plain        Alignment.read() of the plain file
    packed       Alignment.read() of the packed file

Needs the Python package attopotts.
"""
import gzip
import os
import pathlib
import resource
import statistics
import sys
import tempfile
import zlib

import attopotts

PIECE = 1 << 16


def records(path):
    for record in pathlib.Path(path).read_text(encoding="ascii").split(">")[1:]:
        name, _, text = record.partition("\n")
        yield name.strip(), text.replace("\n", "").replace(".", "-").upper()


def write_large(family, megabytes, path):
    rows = [(name, "\n".join(text[k:k + 80] for k in range(0, len(text), 80))) for name, text in records(family)]
    with open(path, "w", encoding="ascii") as out:
        copy = 0
        while out.tell() < megabytes * 1e6:
            out.write("".join(f">{name}_{copy}\n{text}\n" for name, text in rows))
            copy += 1


def processor():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def copy(path):
    buffer = bytearray(os.path.getsize(path))
    with open(path, "rb", buffering=0) as file:
        view = memoryview(buffer)
        while len(view) > 0:
            view = view[file.readinto(view[:1 << 20]):]


def inflate(packed, window):
    decoder = zlib.decompressobj(window)
    for place in range(0, len(packed), PIECE):
        decoder.decompress(packed[place:place + PIECE])


def rate(size, runs, call):
    times = []
    for _ in range(runs):
        begin = processor()
        call()
        times.append(processor() - begin)
    return size / 1e6 / statistics.median(times)


def main():
    family = sys.argv[1]
    megabytes = float(sys.argv[2]) if len(sys.argv) > 2 else 200
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    context = attopotts.Context(threads=1)
    with tempfile.TemporaryDirectory() as folder:
        plain, packed = pathlib.Path(folder) / "large.fasta", pathlib.Path(folder) / "large.fasta.gz"
        write_large(family, megabytes, plain)
        bytes_packed = gzip.compress(plain.read_bytes(), 6, mtime=0)
        packed.write_bytes(bytes_packed)
        size = plain.stat().st_size
        print(f"# {size / 1e6:.0f} MB, packed {len(bytes_packed) / 1e6:.0f} MB; attopotts {attopotts.version()}, zlib {zlib.ZLIB_RUNTIME_VERSION}")
        print("what,megabytes_per_second")
        header = 10  # of gzip.compress(): no name, no extra field
        for what, call in (("copy", lambda: copy(plain)), ("inflate", lambda: inflate(bytes_packed[header:], -15)),
                           ("with_checksum", lambda: inflate(bytes_packed, 31)),
                           ("plain", lambda: attopotts.Alignment.read(plain, "protein", context=context)),
                           ("packed", lambda: attopotts.Alignment.read(packed, "protein", context=context))):
            print(f"{what},{rate(size, runs, call):.0f}", flush=True)


if __name__ == "__main__":
    main()
