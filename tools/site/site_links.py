#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the pages of a site in a folder, without a server. usage: site_links.py FOLDER [--outside]

Every link inside has its file and its place in it, and no page loads anything from outside. One line for each fault, status 1 if there is one.
With --outside it lists the links that lead out of the site.
"""
import argparse
import html.parser
import os
import pathlib
import re
import sys
import urllib.parse

# Attributes that make a browser load something. Of <link> these kinds are loaded.
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src", "object": "data", "embed": "src"}
LOADED_LINKS = {"stylesheet", "icon", "shortcut icon", "preload", "modulepreload", "prefetch", "preconnect", "dns-prefetch", "manifest"}
OUTSIDE = re.compile(r"(?:[a-zA-Z][\w+.-]*:)?//|mailto:|javascript:")
STYLE = re.compile(r"url\(\s*['\"]?([^'\")]+)['\"]?\s*\)|@import\s+['\"]([^'\"]+)['\"]")


class Page(html.parser.HTMLParser):
    """ids, links (line, address) and loaded addresses (line, address) of a page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.ids, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found, line = dict(attributes), self.getpos()[0]
        for key in ("id", "name"):
            if found.get(key) and (key == "id" or tag == "a"):
                self.ids.add(found[key])
        if tag == "a" and found.get("href"):
            self.links.append((line, found["href"]))
        if tag == "link" and found.get("href"):
            (self.loaded if found.get("rel", "").lower() in LOADED_LINKS else self.links).append((line, found["href"]))
        if LOADED.get(tag) and found.get(LOADED[tag]):
            self.loaded.append((line, found[LOADED[tag]]))
        for piece in (found.get("srcset") or "").split(","):
            if piece.strip():
                self.loaded.append((line, piece.split()[0]))
        if found.get("style"):
            self.loaded += [(line, a or b) for a, b in STYLE.findall(found["style"])]


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
        self.ids = {str(path): page.ids for path, page in self.pages.items()}
        self.files = {str(path) for path in folder.rglob("*") if path.is_file()}
        self.outside, self.faults = set(), []

    def fault(self, path, line, text):
        self.faults.append(f"{path.relative_to(self.folder)}:{line}: {text}")

    def check(self):
        for path, page in self.pages.items():
            for line, address in page.loaded:
                if address.startswith("data:"):
                    continue
                if OUTSIDE.match(address):
                    self.fault(path, line, f"loads {address} from outside")
                else:
                    self.check_inside(path, line, address)
            for line, address in page.links:
                if OUTSIDE.match(address):
                    self.outside.add(address)
                else:
                    self.check_inside(path, line, address)
        for path in sorted(self.folder.rglob("*.css")):
            self.check_style(path)

    def check_style(self, path):
        text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), path.read_text(encoding="utf-8"), flags=re.S)
        for match in STYLE.finditer(text):
            address, line = match[1] or match[2], text.count("\n", 0, match.start()) + 1
            if OUTSIDE.match(address):
                self.fault(path, line, f"loads {address} from outside")
            elif not address.startswith(("data:", "#")):
                self.check_inside(path, line, address)

    def check_inside(self, path, line, address):
        file, _, place = address.partition("#")
        file = urllib.parse.unquote(file.partition("?")[0])
        name = os.path.normpath(f"{path.parent}/{file}") if file else str(path)
        if file.startswith("/") or not name.startswith(f"{self.folder}{os.sep}"):
            self.fault(path, line, f"a link to {address}, which is outside of the folder")
        elif name not in self.files:
            self.fault(path, line, f"a link to {address}, which is not there")
        elif place and name in self.ids and urllib.parse.unquote(place) not in self.ids[name]:
            self.fault(path, line, f"a link to {address}, a place that the page does not have")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--outside", action="store_true", help="list the links that lead out of the site")
    arguments = parser.parse_args()
    if not arguments.folder.is_dir():
        parser.error(f"{arguments.folder} is no folder")
    site = Site(arguments.folder.resolve())
    site.check()
    if not site.pages:
        site.faults.append(f"{arguments.folder}: no pages")
    print(*site.faults, *(sorted(site.outside) if arguments.outside else []), sep="\n", end="\n" if site.faults or arguments.outside else "")
    if not site.faults and not arguments.outside:
        print(f"{len(site.pages)} pages, {sum(len(p.links) + len(p.loaded) for p in site.pages.values())} links, "
              f"{len(site.outside)} addresses outside")
    sys.exit(bool(site.faults))


if __name__ == "__main__":
    main()
