# SPDX-License-Identifier: MIT
"""Pages of --report, read with the parser of Python's standard library: elements, tables, links, and what a page must have."""
import html.parser
import json
import re

EMPTY = {"meta", "link", "img", "br", "hr", "input"}


class Node:
    def __init__(self, tag, attributes, parent):
        self.tag, self.attributes, self.parent, self.children, self.pieces = tag, attributes, parent, [], []

    def all(self, tag, **wanted):
        found = []
        for child in self.children:
            if child.tag == tag and all(child.attributes.get(k) == v for k, v in wanted.items()):
                found.append(child)
            found += child.all(tag, **wanted)
        return found

    @property
    def text(self):
        return "".join(piece if isinstance(piece, str) else piece.text for piece in self.pieces)

    def __getitem__(self, name):
        return self.attributes.get(name)


class Page(html.parser.HTMLParser):
    """The tree of a page. Raises ValueError where elements are not closed in order."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        with open(path, encoding="utf-8") as file:
            self.source = file.read()
        self.root = self.at = Node("", {}, None)
        self.feed(self.source)
        self.close()
        if self.at is not self.root:
            raise ValueError(f"<{self.at.tag}> is not closed")

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            raise ValueError(f"<{tag}> at {self.getpos()} has an attribute twice")
        node = Node(tag, dict(attributes), self.at)
        self.at.children.append(node)
        self.at.pieces.append(node)
        if tag not in EMPTY:
            self.at = node

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in EMPTY:
            self.at = self.at.parent

    def handle_endtag(self, tag):
        if tag != self.at.tag:
            raise ValueError(f"</{tag}> at {self.getpos()} closes <{self.at.tag}>")
        self.at = self.at.parent

    def handle_data(self, data):
        self.at.pieces.append(data)

    def all(self, tag, **wanted):
        return self.root.all(tag, **wanted)

    @staticmethod
    def value(cell):
        """What a cell stands for: with all digits where it shows a few."""
        data = cell.all("data")
        return data[0]["value"] if data else cell.text

    def table(self, caption):
        """Columns and rows (dictionaries) of the only table whose caption has this text."""
        found = [t for t in self.all("table") if caption in t.all("caption")[0].text]
        if len(found) != 1:
            raise ValueError(f"{len(found)} tables have \"{caption}\" in their captions")
        columns = [cell.text for cell in found[0].all("th")]
        return columns, [dict(zip(columns, map(self.value, row.all("td")))) for row in found[0].all("tbody")[0].all("tr")]

    def numbers(self, title):
        """The numbers of the figure with this title."""
        return self.table("Numbers of the figure: " + title)

    def facts(self):
        """All names and values of the lists of facts."""
        found = {}
        for each in self.all("dl"):
            for name, value in zip(each.all("dt"), each.all("dd")):
                found.setdefault(name.text, []).append(value.text)
        return found

    def map_data(self):
        return [json.loads(script.text) for script in self.all("script", type="application/json")]

    def classes(self, tag):
        """How many elements have each class."""
        counts = {}
        for node in self.all(tag):
            for name in (node["class"] or "").split():
                counts[name] = counts.get(name, 0) + 1
        return counts


def faults(page):
    """What every page must have and must not have, as a list of texts."""
    found = []

    def demand(condition, text):
        if not condition:
            found.append(text)

    demand(page.source.startswith("<!DOCTYPE html>"), "no doctype")
    demand([h["lang"] for h in page.all("html")] == ["en"], "no language")
    demand(len(page.all("title")) >= 1 and page.all("head")[0].all("title")[0].text.strip(), "no title")
    metas = {m["name"]: m["content"] for m in page.all("meta") if m["name"]}
    demand("width=device-width" in metas.get("viewport", ""), "no viewport")
    demand(metas.get("color-scheme") == "light dark" and "prefers-color-scheme: dark" in page.source, "not light and dark")
    policy = [m["content"] for m in page.all("meta") if m["http-equiv"] == "Content-Security-Policy"]
    demand(len(policy) == 1 and "default-src 'none'" in policy[0], "no policy")
    demand(len(page.all("h1")) == 1 and len(page.all("main")) == 1, "not one h1 and one main")
    every = [node for tag in {m for m in re.findall(r"<([a-z0-9]+)", page.source)} for node in page.all(tag)]
    ids = [node["id"] for node in every if node["id"]]
    demand(len(ids) == len(set(ids)), "an id twice")
    for node in every:
        for name, value in node.attributes.items():
            if name in ("src", "srcset", "action", "formaction", "data", "poster", "background") or (name == "href" and not (value or "").startswith("#")):
                found.append(f"<{node.tag} {name}={value}> leads outside")
            if name == "href" and (value or "#")[1:] not in ids:
                found.append(f"<{node.tag} href={value}> leads nowhere")
            demand(not name.startswith("on"), f"<{node.tag} {name}>")
            if name in ("aria-labelledby", "aria-describedby"):
                demand(all(word in ids for word in value.split()), f"{name}={value} names no element")
        demand(node.tag not in ("link", "img", "iframe", "object", "embed", "base", "image", "use"), f"<{node.tag}> on the page")
    for svg in page.all("svg"):
        if svg["aria-hidden"] == "true":
            continue
        demand(svg["role"] == "img" and svg.all("title") and svg.all("desc") and svg.all("desc")[0].text.strip(), "an svg without role, title or desc")
    for table in page.all("table"):
        demand(table.all("caption") and table.all("caption")[0].text, "a table without a caption")
        heads = table.all("th")
        demand(heads and all(h["scope"] == "col" and h["aria-sort"] in ("none", "ascending", "descending") and h.all("button") for h in heads),
               "a table whose heads cannot be sorted")
    demand(not re.search(r"url\(|@import|https?://", page.source.replace("http://www.w3.org/", "")), "an address")
    demand(any(node["aria-live"] == "polite" for node in page.all("p")), "nothing that screen readers announce")
    return found
