#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the files of docs/formats.md as h5py does, for tests of the reader.

usage: make_files.py FOLDER

tests/hdf5/files holds what this script and make_files.R wrote, so that tests need neither; a name says with what:
    h5py-3.7-*   Debian 12: h5py 3.7.0 with HDF5 1.10.8
    h5py-3.16-*  PyPI: h5py 3.16.0 with HDF5 2.0.0
    hdf5r-*      Debian 12: hdf5r 1.3.8 with HDF5 1.10.8
Every *-alignment* and every *-model* has the same numbers, those of tests/unit/test_hdf5_files.cpp.
"""
import struct
import sys

import h5py
import numpy

SEQUENCES = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 1, 1, 1]]


def header(file, kind, colors):
    for name, value in dict(format="attopotts", format_version=1, kind=kind, index_base=0, colors=colors).items():
        file.attrs[name] = value


def alignment(file, **storage):
    header(file, "alignment", 4)
    file.attrs["alphabet"] = "-ACG"
    file.attrs["origin"] = "a test"
    file.create_dataset("sequences", data=SEQUENCES, **storage)
    file["weights"] = [1.0, 0.5, 0.25]
    file["names"] = ["one", "two/1-4", "drei ä"]
    file["site_numbers"] = [5, 6, 7, 9]
    file["site_residues"] = numpy.array([b"A", b"C", b"G", b"A"])


def model(file, **storage):
    header(file, "model", 2)
    file.attrs["beta"] = 1.5
    couplings = numpy.arange(36.0).reshape(3, 3, 2, 2) / 8
    couplings[range(3), range(3)] = 0
    file.create_dataset("couplings", data=couplings, **storage)
    file.create_dataset("fields", data=numpy.arange(6.0).reshape(3, 2), dtype=">f4")


def more(file):
    """So many attributes and datasets that newer files keep them in heaps and trees of their own."""
    for k in range(20):
        file.attrs[f"extra{k}"] = k
        file[f"more{k}"] = k


def messages(raw, at):
    """Kinds, flags and bodies of the messages of an object header of version 1."""
    blocks = [(at + 16, *struct.unpack_from("<I", raw, at + 8))]
    for place, size in blocks:
        end = place + size
        while place < end:
            kind, bytes_, flags = struct.unpack_from("<HHB", raw, place)
            body = raw[place + 8:place + 8 + bytes_]
            if kind == 16:
                blocks.append(struct.unpack("<QQ", body[:16]))
            elif kind != 0:
                yield kind, flags, body
            place += 8 + bytes_


def old_layout(body, shape, version):
    """A message of version 3 about where the data are as HDF5 1.4 has it."""
    kind = body[1]
    head = struct.pack("<BBB5x", version, body[2] if kind == 2 else len(shape), kind)
    if kind == 2:
        return head + body[3:]
    extents = struct.pack(f"<{len(shape)}I", *shape)
    if kind == 1:
        return head + body[2:10] + extents
    size, = struct.unpack_from("<H", body, 2)
    return head + extents + struct.pack("<I", size) + body[4:4 + size]


def make_oldest(path, version):
    """New HDF5 reads old layouts and does not write them: every dataset gets a new header at the end of the file."""
    with h5py.File(path) as file:
        found = [(h5py.h5o.get_info(item.id).addr, item.shape) for item in file.values()]
    with open(path, "rb") as file:
        raw = bytearray(file.read())
    table = raw.index(b"SNOD")
    entries = range(table + 16, table + 16 + 40 * struct.unpack_from("<H", raw, table + 6)[0], 40)  # the addresses in them
    for at, shape in found:
        kept = [(kind, flags, old_layout(body, shape, version) if kind == 8 else body) for kind, flags, body in messages(raw, at)]
        text = b""
        for kind, flags, body in kept:
            body += bytes(-len(body) % 8)
            text += struct.pack("<HHB3x", kind, len(body), flags) + body
        entry, = (place for place in entries if struct.unpack_from("<Q", raw, place)[0] == at)
        struct.pack_into("<Q", raw, entry, len(raw))
        raw += struct.pack("<BxHII4x", 1, len(kept), 1, len(text)) + text
    struct.pack_into("<Q", raw, 40, len(raw))
    with open(path, "wb") as file:
        file.write(raw)


def compact():
    storage = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    storage.set_layout(h5py.h5d.COMPACT)
    return storage


def main(folder):
    packed = dict(compression="gzip", shuffle=True, fletcher32=True)
    with h5py.File(f"{folder}/alignment.h5", "w") as file:
        alignment(file)
    with h5py.File(f"{folder}/alignment-packed.h5", "w") as file:
        alignment(file, chunks=(2, 3), maxshape=(None, 4), **packed)
    with h5py.File(f"{folder}/model.h5", "w") as file:
        model(file)
    with h5py.File(f"{folder}/model-packed.h5", "w") as file:
        model(file, chunks=(2, 2, 2, 2), **packed)
    with h5py.File(f"{folder}/alignment-many.h5", "w") as file:
        more(file)
        alignment(file, chunks=(1, 2))
    # The newest format that this HDF5 writes, with every index of chunks that it has.
    new = dict(libver="latest")
    with h5py.File(f"{folder}/alignment-latest.h5", "w", **new) as file:
        alignment(file)
        more(file)
    with h5py.File(f"{folder}/alignment-latest-array.h5", "w", **new) as file:
        alignment(file, chunks=(2, 3), maxshape=(4, 8))
    with h5py.File(f"{folder}/alignment-latest-growing.h5", "w", **new) as file:
        alignment(file, chunks=(1, 1), maxshape=(3, None), **packed)
    with h5py.File(f"{folder}/alignment-latest-tree.h5", "w", **new) as file:
        alignment(file, chunks=(1, 1), maxshape=(None, None), compression="gzip")
    with h5py.File(f"{folder}/model-latest-single.h5", "w", **new) as file:
        model(file, chunks=(3, 3, 2, 2), **packed)
    with h5py.File(f"{folder}/model-latest-array.h5", "w", **new) as file:
        model(file, chunks=(2, 3, 1, 2), **packed)
    with h5py.File(f"{folder}/alignment-oldest.h5", "w") as file:
        alignment(file, dcpl=compact())
    make_oldest(f"{folder}/alignment-oldest.h5", 1)
    with h5py.File(f"{folder}/model-oldest.h5", "w") as file:
        model(file, chunks=(2, 2, 2, 2), **packed)
    make_oldest(f"{folder}/model-oldest.h5", 2)


if __name__ == "__main__":
    main(sys.argv[1])
