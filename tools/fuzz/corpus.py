#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The inputs of the fuzz targets: one archive tests/fuzz/corpus/TARGET.tar each.

usage: corpus.py list [TARGET...]            names and sizes
       corpus.py unpack TARGET FOLDER        write the inputs as files
       corpus.py add TARGET FILE...          add files, or replace inputs of the same names
       corpus.py remove TARGET NAME...       remove inputs
       corpus.py pack TARGET FOLDER          make the archive of all files of a folder
       corpus.py check                       every archive has the bytes that `pack` writes

An archive's bytes follow from its inputs alone: sorted names, no times, no owners, no compression (Git compresses, and stores what changes).
Inputs whose name begins with must_fail must be refused. A fuzzer's inputs are named by their SHA-1.
"""
import io
import pathlib
import sys
import tarfile

CORPUS = pathlib.Path(__file__).resolve().parents[2] / "tests/fuzz/corpus"


def archive(target):
    return CORPUS / f"{target}.tar"


def load(target):
    """The inputs of a target: {name: bytes}."""
    with tarfile.open(archive(target)) as file:
        return {member.name: file.extractfile(member).read() for member in file}


def packed(inputs):
    """The bytes of an archive."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as file:
        for name, data in sorted(inputs.items()):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            file.addfile(member, io.BytesIO(data))
    return stream.getvalue()


def save(target, inputs):
    archive(target).write_bytes(packed(inputs))


def add(target, inputs):
    """Adds inputs to an archive, which need not be there yet."""
    save(target, {**(load(target) if archive(target).is_file() else {}), **inputs})


def remove(target, names):
    inputs = load(target)
    if absent := [name for name in names if name not in inputs]:
        sys.exit(f"corpus.py: {archive(target).name} has no input {absent[0]}")
    save(target, {name: data for name, data in inputs.items() if name not in names})


def unpack(target, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in load(target).items():
        (folder / name).write_bytes(data)


def targets():
    return sorted(path.stem for path in CORPUS.glob("*.tar"))


def read(paths):
    return {path.name: path.read_bytes() for path in map(pathlib.Path, paths)}


def problems():
    """A line for each archive that is not what `pack` writes."""
    return [f"tests/fuzz/corpus/{name}.tar is not as corpus.py writes it: unpack and pack it" for name in targets()
            if archive(name).read_bytes() != packed(load(name))]


def main(words):
    if not words or words[0] not in ("list", "check") and len(words) < 3:
        sys.exit(__doc__)
    command, rest = words[0], words[1:]
    if command == "list":
        for target in rest or targets():
            for name, data in load(target).items():
                print(f"{target} {len(data):6} {name}")
    elif command == "unpack":
        unpack(*rest)
    elif command == "add":
        add(rest[0], read(rest[1:]))
    elif command == "remove":
        remove(rest[0], rest[1:])
    elif command == "pack":
        save(rest[0], read(pathlib.Path(rest[1]).iterdir()))
    elif command == "check":
        print("\n".join(problems()) or f"{len(targets())} archives")
        return bool(problems())
    else:
        sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
