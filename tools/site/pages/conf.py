# SPDX-License-Identifier: MIT
"""Settings of Sphinx for the site. tools/site/site.sh copies them beside the pages, and runs it."""
import pathlib
import re

from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers

project = "attopotts"
author = "the authors of attopotts"
copyright = "the authors of attopotts, MIT licence"
version = release = (pathlib.Path(__file__).parent / "version.txt").read_text().strip()
language = "en"

extensions = ["myst_parser"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
# Links to headings are those of GitHub, at every level that pages use.
myst_heading_anchors = 5
# Flags begin with two hyphens, and quotes are part of values.
smartquotes = False
highlight_language = "none"
lexers["csv"] = TextLexer()

html_theme = "furo"
html_title = f"attopotts {version}"
# Debian's furo takes this file from a server's root.
NORMALIZE = pathlib.Path("/usr/share/javascript/normalize.css/normalize.css")
html_static_path = ["static", *([str(NORMALIZE)] if NORMALIZE.exists() else [])]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_last_updated_fmt = None
pygments_style = "default"
pygments_dark_style = "native"
html_theme_options = {"top_of_page_button": None}


def mend_scripts(app, error):
    """Debian's furo has a style sheet and a script for a server: the one names a file at its root, the other is a module, which browsers do
    not load from files. Here the first names the file beside it, and the second has the module in it. The style sheet also lacks the dark
    colours for readers whose system is dark: they are those of the dark theme."""
    if error is not None:
        return
    static = pathlib.Path(app.outdir, "_static")
    style, script = static / "styles/furo.css", static / "scripts/furo.js"
    text = style.read_text().replace(f"/javascript/normalize.css/{NORMALIZE.name}", f"../{NORMALIZE.name}")
    if "prefers-color-scheme" not in text:
        colors = re.search(r'body\[data-theme="dark"\] (\{[^}]*--color-background-primary[^}]*\})', text)[1]
        text += f'\n@media screen and (prefers-color-scheme: dark) {{\n  body:not([data-theme="light"]) {colors}\n}}\n'
    style.write_text(text)
    module = 'import Gumshoe from "./gumshoe-patched.js";\n'
    if script.read_text().startswith(module):
        script.write_text((static / "scripts/gumshoe-patched.js").read_text() + script.read_text().removeprefix(module))
    # Summaries of what a search finds need the texts of other pages, which browsers do not give to a file.
    search = static / "searchtools.js"
    search.write_text(search.read_text().replace("else if (showSearchSummary)", 'else if (showSearchSummary && window.location.protocol !== "file:")'))


def setup(app):
    app.connect("build-finished", mend_scripts)
