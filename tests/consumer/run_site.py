#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Build the site of the documentation and look at what is in it. usage: run_site.py PROGRAM

tools/site/site.sh itself fails for warnings, dead links and what is loaded from outside. Here: every page of the tree and everything that the
headers declare is there, the index of the search has its words, the search works from a file, and two builds have the same bytes.
"""
import filecmp
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(root / "tools/ci"), str(root / "tools/site"), str(root / "tests/symbols")]
import headers  # noqa: E402

WORDS = ["couplings", "pseudo", "replica", "contacts", "attention"]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def build(folder, program):
    done = subprocess.run([root / "tools/site/site.sh", folder], env={**os.environ, "ATTOPOTTS": program}, capture_output=True, text=True)
    if "is missing" in done.stderr and done.returncode == 2:
        skip(done.stderr.strip())
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    print(done.stdout, end="")


def places(folder):
    return {place for path in folder.rglob("*.html") for place in re.findall(r'\bid="([^"]+)"', path.read_text())}


def check_content(folder, program):
    faults = []
    ids = places(folder)
    paths = sorted((root / "include/attopotts").glob("*.h"))
    names = {f.name for f in headers.all_functions(paths)} | {f"{e.name}.{c}" for e in headers.all_enums(paths) for c in e.constants}
    faults += [f"no place of {name}" for name in sorted(names) if f"c.{name}" not in ids]
    pages = [path for pattern in ("*.md", "docs/*.md", "docs/decisions/*.md", "bindings/*/README.md") for path in root.glob(pattern)]
    faults += [f"no page of {path.relative_to(root)}" for path in pages if not (folder / path.relative_to(root)).with_suffix(".html").is_file()]
    commands = re.findall(r"attopotts.-([\w\\-]+)\\fR\(1\)", subprocess.run([program, "help", "--man"], capture_output=True, text=True, check=True).stdout)
    commands = [name.replace("\\", "") for name in commands]
    faults += [f"no page of {name}" for name in commands if not (folder / f"reference/program/{name}.html").is_file()]
    if len(names) < 400 or len(pages) < 25 or len(commands) < 10:
        faults.append(f"only {len(names)} names, {len(pages)} pages, {len(commands)} subcommands were looked for")
    index = (folder / "searchindex.js").read_text().removeprefix("Search.setIndex(").removesuffix(")")
    # The index has the stems of words.
    stems = {stem for stem in json.loads(index)["terms"] if len(stem) > 4}
    faults += [f"the index of the search lacks {word}" for word in WORDS if not any(word.startswith(stem) for stem in stems)]
    return faults


def browse(browser, address):
    """The page as it is when its scripts have run, and what they complained of."""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--virtual-time-budget=30000",
                               "--enable-logging=stderr", "--dump-dom", address], capture_output=True, text=True, timeout=300)
    return done.stdout, re.findall(r"CONSOLE.*", done.stderr)


def check_browser(folder):
    """Faults of pages and of the search in a browser, without a server; None where there is no browser."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        return None
    faults = []
    for name in ("index", "reference/c/model"):
        page, complaints = browse(browser, f"file://{folder}/{name}.html")
        faults += [f"{name}.html: {text}" for text in complaints]
        # The theme's script takes this word away when it runs.
        faults += [f"{name}.html: the script of the theme does not run"] * ('class="no-js"' in page)
    for word, expected in (("couplings", True), ("atp_sampler_create", True), ("qqzzxv", False)):
        page, complaints = browse(browser, f"file://{folder}/search.html?q={word}")
        faults += [f"search.html: {text}" for text in complaints]
        found = len(re.findall(r'<li[^>]*>\s*<a href="[^"]+\.html', page.partition('id="search-results"')[2]))
        print(f"search for {word}: {found} pages")
        if bool(found) != expected:
            faults.append(f"a search for {word} finds {found} pages")
    return faults


def differences(one, two):
    names = [{p.relative_to(f) for p in f.rglob("*") if p.is_file()} for f in (one, two)]
    return sorted(f"only one build has {name}" for name in names[0] ^ names[1]) + \
        sorted(f"two builds differ in {name}" for name in names[0] & names[1] if not filecmp.cmp(one / name, two / name, shallow=False))


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        one, two = pathlib.Path(name, "one/site"), pathlib.Path(name, "another/place/site")
        build(one, program)
        faults = check_content(one, program)
        browsed = check_browser(one)
        faults += browsed or []
        build(two, program)
        faults += differences(one, two)
    print(*faults, sep="\n")
    if browsed is None:
        print("[  SKIPPED ] pages in a browser: chromium is not installed")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
