"""How Sphinx builds these pages: ``make docs``.

The pages in ``research`` and ``models`` include files of ``research/docs/`` and the cards in ``models/``. The build
also writes ``llms.txt``, a list of the pages for users (https://llmstxt.org), ``llms-full.txt``, their Markdown, and
the page in ``try``, where anyone can try the extractor.
"""

import re
import sys
from importlib.metadata import version as read_version
from pathlib import Path

from sphinx.util import logging

sys.path.append(str(Path(__file__).parent))
from sections import list_sections, write_sections

logger = logging.getLogger(__name__)

project = "scrapy-web2text"
author = "scrapy-web2text contributors"
copyright = author  # noqa: A001  Sphinx's name
version = release = read_version("scrapy-web2text")

REPOSITORY = "https://github.com/scrapy-web2text/scrapy-web2text"

extensions = ["myst_parser"]
myst_enable_extensions = ["attrs_inline", "colon_fence"]
myst_heading_anchors = 4  # `page.md#a-heading` names a heading
# Pages for contributors stay files of the repository, which CONTRIBUTING.md lists.
FOR_CONTRIBUTORS = ("architecture", "changing", "releasing")
exclude_patterns = ["_build", *(f"{name}.md" for name in FOR_CONTRIBUTORS)]
nitpicky = True

html_theme = "furo"
html_title = f"scrapy-web2text {release}"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_js_files = ["copy.js"]
html_favicon = "_static/favicon.svg"
templates_path = ["_templates"]
html_additional_pages = {"search": "search.html"}
html_theme_options = {
    "navigation_with_keys": True,
    "source_repository": REPOSITORY,
    "source_branch": "main",
    "source_directory": "docs/",
    "top_of_page_buttons": ["view"],
}
pygments_style = "default"
pygments_dark_style = "monokai"


def setup(app):
    """Let links that work in the repository lead to pages: of included files, or of files for contributors there."""
    app.connect("source-read", _lead_to_pages)
    app.connect("include-read", _lead_to_pages)
    app.connect("builder-inited", _replace_search)
    app.connect("build-finished", _write_search)
    app.connect("build-finished", _write_markdown)
    app.connect("build-finished", _write_trial)


def _lead_to_pages(*event):
    content = event[-1]
    content[0] = _rewrite_links(content[0])


def _rewrite_links(text):
    text = re.sub(
        rf"\]\((?:[\w./]+/)?((?:{'|'.join(FOR_CONTRIBUTORS)})\.md)", rf"]({REPOSITORY}/blob/main/docs/\1", text
    )
    text = re.sub(r"\]\(((?:\.\./)+)research/docs/", r"](\1docs/research/", text)
    return re.sub(r"\]\(((?:\.\./)+)models/([\w-]+)/MODEL_CARD\.md", r"](\1docs/models/\2.md", text)


def _replace_search(app):
    app.builder.search = False  # it wants every word of a query: _static/search.js takes its place


def _write_search(app, error):
    if error or app.builder.name != "html":
        return
    write_sections(Path(app.outdir) / "_static" / "sections.js")
    for section in list_sections():
        page = (Path(app.outdir) / f"{section['page']}.html").read_text("utf-8")
        if section["anchor"] and f'id="{section["anchor"]}"' not in page:
            logger.warning("%(page)s has no section %(anchor)s, to which the search leads", section)


def _write_markdown(app, error):
    if error or app.builder.name != "html":
        return
    lines, texts = [], []
    for name in ["index", *app.env.toctree_includes["index"]]:
        if "/" in name:
            continue
        text = _rewrite_links((Path(app.srcdir) / f"{name}.md").read_text("utf-8"))
        text = re.sub(r"\n```{toctree}.*?```\n", "", text, flags=re.DOTALL)
        text = re.sub(r"\]\((?:\.\./docs/)?([\w/-]+)\.md\b", r"](\1.html", text)
        title, beginning = re.search(r"# (.+)\n\n(?:```(?:.*\n)+?```\n\n)?((?:.+\n)+)", text).groups()
        sentence = " ".join(re.sub(r"\[(.+?)\]\(.+?\)", r"\1", beginning).split()).partition(". ")[0].rstrip(".:")
        lines.append(f"- [{title}]({name}.html): {sentence}")
        texts.append(text)
    summary = lines.pop(0).partition(": ")[2]
    whole = "- [All of these pages as Markdown](llms-full.txt)"
    listed = [f"# {project}", "", f"> {summary}", "", "## Pages", "", whole, *lines, ""]
    (Path(app.outdir) / "llms.txt").write_text("\n".join(listed), "utf-8")
    (Path(app.outdir) / "llms-full.txt").write_text("\n".join(texts), "utf-8")


def _write_trial(app, error):
    if error or app.builder.name != "html":
        return
    sys.path.append(str(Path(__file__).with_name("try")))
    from builder import write_site

    write_site(Path(app.outdir) / "try")
