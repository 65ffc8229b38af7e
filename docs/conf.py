"""How Sphinx builds these pages: ``make docs``.

The pages in ``research`` and ``models`` include files of ``research/docs/`` and the cards in ``models/``.
"""

import re
from importlib.metadata import version as read_version

project = "scrapy-web2text"
author = "scrapy-web2text contributors"
copyright = author  # noqa: A001  Sphinx's name
version = release = read_version("scrapy-web2text")

extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4  # `page.md#a-heading` names a heading
exclude_patterns = ["_build"]
nitpicky = True

html_theme = "furo"
html_title = f"scrapy-web2text {release}"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_theme_options = {"navigation_with_keys": True}
pygments_style = "default"
pygments_dark_style = "monokai"


def setup(app):
    """Let links to included files, which work in the repository, lead to the pages that include them."""
    app.connect("source-read", _lead_to_pages)
    app.connect("include-read", _lead_to_pages)


def _lead_to_pages(*event):
    (text,) = content = event[-1]
    text = re.sub(r"\]\(((?:\.\./)+)research/docs/", r"](\1docs/research/", text)
    content[0] = re.sub(r"\]\(((?:\.\./)+)models/([\w-]+)/MODEL_CARD\.md", r"](\1docs/models/\2.md", text)
