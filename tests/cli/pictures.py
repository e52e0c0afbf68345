# SPDX-License-Identifier: MIT
"""Pictures of --picture, read with the XML parser of Python's standard library."""
import math
import re
import shutil
import xml.etree.ElementTree as ElementTree

SPACE = "{http://www.w3.org/2000/svg}"
CONVERTER = shutil.which("rsvg-convert")


class Picture:
    """A picture that is whole: an SVG with a size, whose numbers are all finite."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.source = file.read()
        self.root = ElementTree.fromstring(self.source)
        assert self.root.tag == SPACE + "svg" and float(self.root.get("width")) > 0 and float(self.root.get("height")) > 0
        assert not re.search(r"\b(nan|inf)\b", re.sub(r"<title>.*?</title>", "", self.source)), path
        assert "var(" not in self.source

    def all(self, tag, kind=None):
        return [e for e in self.root.iter(SPACE + tag) if kind is None or kind in (e.get("class") or "").split()]

    def texts(self, kind=None):
        return [e.text or "" for e in self.all("text", kind)]

    def heading(self):
        """The lines above the drawings."""
        return [e.text or "" for e in self.root.findall(SPACE + "text")]

    def cells(self, pattern, map_number=0):
        """The class of each cell (x, y) of a map, of those classes that match."""
        found = {}
        for path in self.all("g", "cells")[map_number]:
            if re.fullmatch(pattern, path.get("class")):
                for x, y, length in re.findall(r"M(\d+) (\d+)h(\d+)v1", path.get("d")):
                    for k in range(int(length)):
                        assert (int(x) + k, int(y)) not in found
                        found[int(x) + k, int(y)] = path.get("class")
        return found

    def places(self, elements, origin, unit):
        """The cells in which marks stand, from the corner and the unit of their map."""
        found = []
        for e in elements:
            x, y = (e.get("cx"), e.get("cy")) if e.tag == SPACE + "circle" else re.match(r"M([\d.]+) ([\d.]+)", e.get("d")).groups()
            found.append(tuple(math.floor((float(v) - o) / unit) for v, o in zip((x, y), origin)))
        return found

    def map_frame(self, map_number=0):
        """Corner and unit of a map."""
        x, y, unit = re.match(r"translate\(([\d.]+) ([\d.]+)\) scale\(([\d.]+)\)", self.all("g", "cells")[map_number].get("transform")).groups()
        return (float(x), float(y)), float(unit)

    def pairs(self):
        """The pairs that a contact map marks, in the order of their ranks."""
        marks = [e for e in self.all("path", "pair") if e.get("data-pair") is not None]
        return self.places(sorted(marks, key=lambda e: int(e.get("data-pair"))), *self.map_frame())


def is_png(path):
    with open(path, "rb") as file:
        data = file.read()
    return data[:8] == b"\x89PNG\r\n\x1a\n" and data[-8:-4] == b"IEND" and len(data) > 5000


def shades(scores, top):
    """The class of each score on the scale from 0 to top, those of the paper's colour left out."""
    levels = {place: min(9, math.floor(score / top * 10)) for place, score in scores.items()}
    return {place: f"q{level}" for place, level in levels.items() if level > 0}
