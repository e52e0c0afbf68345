#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which folder includes which: the graph of the #include lines of the source. usage: house.py [options]

Folders are those below src/, capi/ and cli/ that have sources; include/ counts as one. Without an option the script does what --text does.

  --text       print each folder and what it includes, with the number of #include lines
  --svg FILE   write the picture
  --write      bring docs/architecture.svg and the generated block of docs/architecture.md up to date
  --check      compare with the table of arrows in docs/architecture.md; one line per fault, status 1 if there is one
  --root DIR   the tree (default: the one that this script is in)

Faults are: an arrow that the table does not have, an arrow of the table that no #include uses, folders that include each other in a
circle, an #include in quotes that names no file, a generated block or picture that is out of date, and a line of the document's list of
places whose file or name is not there.
"""
import argparse
import pathlib
import re
import sys
from statistics import mean

ROOTS = ("src", "capi", "cli", "include")
SUFFIXES = (".c", ".cpp", ".h", ".hpp", ".in")
# Rooms with folders of their own inside: one node each.
ROOMS = ("src/learn", "src/theory/dotattn", "src/math/optim")
DOCUMENT = "docs/architecture.md"
PICTURE = "docs/architecture.svg"
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<(attopotts[./][^>]*)>)')


def folder_of(path):
    """The folder of a path like src/base/team.hpp, without src/; include/ and the rooms count as one with all that is below them."""
    for room in ROOMS:
        if str(path).startswith(room + "/"):
            return room.removeprefix("src/").removesuffix("/optim")
    parts = path.parts
    if parts[0] == "include":
        return "include"
    return "/".join(parts[1:-1] if parts[0] == "src" and len(parts) > 2 else parts[:-1])


def named_file(root, source, name):
    """The file that a quoted name stands for: beside the source first, then below the folders that the build searches."""
    for folder in (source.parent, pathlib.Path("src"), pathlib.Path("cli"), pathlib.Path("include")):
        if (root / folder / name).is_file():
            return folder / name
    return None


class House:
    """folders: sorted names. arrows: (from, to) -> ["FILE:LINE", ...]. lost: faults of #include lines that name no file."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.arrows, self.lost, folders = {}, [], set()
        files = [p for top in ROOTS for p in (self.root / top).rglob("*") if p.suffix in SUFFIXES and p.is_file()]
        for path in sorted(files):
            source = path.relative_to(self.root)
            folders.add(folder_of(source))
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                self.read_line(source, number, line)
        self.folders = sorted(folders)

    def read_line(self, source, number, line):
        match = INCLUDE.match(line)
        if not match:
            return
        quoted, public = match.groups()
        target = pathlib.Path("include") / public if public else named_file(self.root, source, quoted)
        if target is None:
            self.lost.append(f'{source}:{number}: no file for #include "{quoted}"')
        elif folder_of(target) != folder_of(source):
            self.arrows.setdefault((folder_of(source), folder_of(target)), []).append(f"{source}:{number}")

    def includes(self, folder):
        return sorted(b for a, b in self.arrows if a == folder)


def find_circle(house):
    """A list of folders, the first again at its end, that include each other in a circle; None where there is none."""
    done, path = set(), []

    def visit(folder):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in done:
            return None
        path.append(folder)
        for other in house.includes(folder):
            circle = visit(other)
            if circle:
                return circle
        done.add(path.pop())
        return None

    for folder in house.folders:
        circle = visit(folder)
        if circle:
            return circle
    return None


def layers_of(house):
    """Folder -> length of the longest path of arrows below it."""
    layers = {}

    def layer(folder):
        if folder not in layers:
            layers[folder] = max((layer(other) + 1 for other in house.includes(folder)), default=0)
        return layers[folder]

    for folder in house.folders:
        layer(folder)
    return layers


def follows(house, a, b):
    """Whether the arrow from a to b follows from others: there is a longer way."""
    seen, todo = set(), [c for c in house.includes(a) if c != b]
    while todo:
        folder = todo.pop()
        if folder == b:
            return True
        if folder not in seen:
            seen.add(folder)
            todo += house.includes(folder)
    return False


def by_layer(house):
    """Folders from the top layer to the bottom one, each with its layer."""
    layers = layers_of(house)
    return sorted(((layers[folder], folder) for folder in house.folders), key=lambda pair: (-pair[0], pair[1]))


def text(house):
    width = max(len(folder) for folder in house.folders)
    lines = []
    for layer, folder in by_layer(house):
        seen = ", ".join(f"{other} ({len(house.arrows[folder, other])})" for other in house.includes(folder))
        lines.append(f"layer {layer}  {folder:{width}}  includes {seen or 'no other folder'}")
    return "\n".join(lines) + "\n"


def block(house):
    """The generated part of the document. It has no counts: it changes when an arrow comes or goes, not with every #include."""
    lines, layers = ["| layer | folders |", "|---|---|"], {}
    for layer, folder in by_layer(house):
        layers.setdefault(layer, []).append(f"`{folder}`")
    lines += [f"| {layer} | {', '.join(folders)} |" for layer, folders in layers.items()]
    return "\n".join(lines) + "\n"


# The picture: layers from top to bottom. An arrow over several layers has a place of its own in each layer between, so that it passes
# beside boxes. Places in a layer are ordered by the mean place of their neighbours, a few times down and up.

BOX_WIDTH, BOX_HEIGHT, LANE_WIDTH, GAP, LAYER_HEIGHT, MARGIN = 118, 34, 14, 22, 92, 24


def rows_and_ways(house):
    """rows[layer]: the places in it, folders by name and lanes as (a, b, layer). ways: arrow -> its places from a to b."""
    layers = layers_of(house)
    rows = [[] for _ in range(max(layers.values()) + 1)]
    for folder in house.folders:
        rows[layers[folder]].append(folder)
    ways = {}
    for a, b in sorted(house.arrows):
        if follows(house, a, b):
            continue
        lanes = [(a, b, k) for k in range(layers[a] - 1, layers[b], -1)]
        for lane in lanes:
            rows[lane[2]].append(lane)
        ways[a, b] = [a, *lanes, b]
    return rows, ways


def order_rows(rows, ways):
    neighbours = {}
    for way in ways.values():
        for one, other in zip(way, way[1:]):
            neighbours.setdefault(one, []).append(other)
            neighbours.setdefault(other, []).append(one)
    for k in range(12):
        place = {item: i - len(row) / 2 for row in rows for i, item in enumerate(row)}
        for row in rows if k % 2 else rows[::-1]:
            wish = {item: mean([place[other] for other in neighbours.get(item, [item])]) for item in row}
            row.sort(key=lambda item: (wish[item], str(item)))
            place.update({item: i - len(row) / 2 for i, item in enumerate(row)})


def positions(rows):
    """Place -> (middle, top), and the size of the picture."""
    def width(item):
        return BOX_WIDTH if isinstance(item, str) else LANE_WIDTH

    widths = [sum(width(item) + GAP for item in row) - GAP for row in rows]
    full, at = max(widths), {}
    for layer, row in enumerate(rows):
        left = MARGIN + (full - widths[layer]) / 2
        for item in row:
            at[item] = left + width(item) / 2, MARGIN + (len(rows) - 1 - layer) * LAYER_HEIGHT
            left += width(item) + GAP
    return at, full + 2 * MARGIN, 2 * MARGIN + (len(rows) - 1) * LAYER_HEIGHT + BOX_HEIGHT


def curve(way, at):
    """The path of an arrow: down through its lanes, upright at each place."""
    points = [(at[way[0]][0], at[way[0]][1] + BOX_HEIGHT)]
    for lane in way[1:-1]:
        points += [at[lane], (at[lane][0], at[lane][1] + BOX_HEIGHT)]
    points.append((at[way[-1]][0], at[way[-1]][1] - 5))
    path = f"M{points[0][0]:.0f},{points[0][1]:.0f}"
    for k in range(1, len(points)):
        (x0, y0), (x1, y1) = points[k - 1], points[k]
        bend = (y1 - y0) / 2
        path += f" C{x0:.0f},{y0 + bend:.0f} {x1:.0f},{y1 - bend:.0f} {x1:.0f},{y1:.0f}"
    return path


def svg(house):
    rows, ways = rows_and_ways(house)
    order_rows(rows, ways)
    at, width, height = positions(rows)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
             'font-family="sans-serif" font-size="14">',
             '<!-- Made by tools/ci/house.py. -->',
             '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="4" refY="3" orient="auto">'
             '<path d="M0,0 L6,3 L0,6 z" fill="#555"/></marker></defs>',
             '<rect width="100%" height="100%" fill="white"/>']
    for (a, b), way in sorted(ways.items()):
        lines.append(f'<path d="{curve(way, at)}" fill="none" stroke="#555" marker-end="url(#tip)"><title>{a} includes {b}</title></path>')
    for folder in house.folders:
        x, y = at[folder]
        fill = {"cli": "#fde8cf", "capi": "#d9ead3", "include": "#d9ead3"}.get(folder.split("/")[0], "#dbe7f6")
        lines.append(f'<rect x="{x - BOX_WIDTH / 2:.0f}" y="{y:.0f}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="5" fill="{fill}" '
                     'stroke="#555"/>')
        lines.append(f'<text x="{x:.0f}" y="{y + BOX_HEIGHT / 2 + 5:.0f}" text-anchor="middle">{folder}</text>')
    return "\n".join(lines + ["</svg>"]) + "\n"


def between(document, name):
    """The text before, between and after the marks <!-- begin NAME --> and <!-- end NAME -->."""
    first, last = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
    if document.count(first) != 1 or document.count(last) != 1:
        sys.exit(f"{DOCUMENT}: the lines '{first.strip()}' and '{last}' must be there once each")
    before, _, rest = document.partition(first)
    middle, _, after = rest.partition(last)
    return before + first, middle, last + after


def drawn(document):
    """The arrows of the table | `folder` | `other`, `other` | of the document."""
    arrows = set()
    for line in between(document, "arrows")[1].splitlines():
        cells = line.split("|")
        folders = re.findall(r"`([^`]+)`", cells[1]) if len(cells) > 2 else []
        arrows |= {(folder, other) for folder in folders for other in re.findall(r"`([^`]+)`", cells[2])}
    return arrows


def lost_places(house, document):
    """Lines of the list of places, | what | `FILE` | `NAME`, `NAME` |, whose file or name is not there."""
    for line in between(document, "places")[1].splitlines():
        cells = line.split("|")
        names = [re.findall(r"`([^`]+)`", cell) for cell in cells[2:4]] if len(cells) == 5 else [[], []]
        for file in names[0]:
            if not (house.root / file).is_file():
                yield f"{DOCUMENT}: there is no file {file}"
        sources = [(house.root / file).read_text(encoding="utf-8") for file in names[0] if (house.root / file).is_file()]
        for name in names[1]:
            if sources and not any(re.search(rf"\b{re.escape(name)}\b", source) for source in sources):
                yield f"{DOCUMENT}: {name} is not in {' or '.join(names[0])}"


def faults(house):
    """One line per fault."""
    found = list(house.lost)
    document = (house.root / DOCUMENT).read_text(encoding="utf-8")
    allowed = drawn(document)
    for arrow in sorted(set(house.arrows) - allowed):
        places = house.arrows[arrow]
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        found.append(f"{places[0]}{more}: {arrow[0]} must not include {arrow[1]}: {DOCUMENT} has no such arrow")
    for a, b in sorted(allowed - set(house.arrows)):
        found.append(f"{DOCUMENT}: {a} may include {b}, and no #include does: remove the arrow")
    found += lost_places(house, document)
    circle = find_circle(house)
    if circle:
        return found + ["folders include each other in a circle: " + " -> ".join(circle)]
    picture = house.root / PICTURE
    if between(document, "house")[1] != block(house):
        found.append(f"{DOCUMENT}: the generated block is out of date: run tools/ci/house.py --write")
    if not picture.is_file() or picture.read_text(encoding="utf-8") != svg(house):
        found.append(f"{PICTURE} is out of date: run tools/ci/house.py --write")
    return found


def write(house):
    path = house.root / DOCUMENT
    before, _, after = between(path.read_text(encoding="utf-8"), "house")
    path.write_text(before + block(house) + after, encoding="utf-8")
    (house.root / PICTURE).write_text(svg(house), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parents[2], help=argparse.SUPPRESS)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--text", action="store_true", help=argparse.SUPPRESS)
    mode.add_argument("--svg", metavar="FILE", help=argparse.SUPPRESS)
    mode.add_argument("--write", action="store_true", help=argparse.SUPPRESS)
    mode.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    house = House(arguments.root)
    if arguments.check:
        found = faults(house)
        print("\n".join(found) if found else f"{len(house.folders)} folders, {len(house.arrows)} arrows, each in {DOCUMENT}")
        return 1 if found else 0
    circle = find_circle(house)
    if circle:
        sys.exit("folders include each other in a circle: " + " -> ".join(circle))
    if arguments.svg:
        pathlib.Path(arguments.svg).write_text(svg(house), encoding="utf-8")
    elif arguments.write:
        write(house)
    else:
        sys.stdout.write(text(house))
    return 0


if __name__ == "__main__":
    sys.exit(main())
