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


if __name__ == "__main__":
    main(sys.argv[1])
