"""The forms of the main content besides its text: a table with one row for each, from which all else is derived.

Extractor, settings, command-line arguments and output formats read the table. A new form is a module with the function
that writes it, a row here, and a typed field of its name in `Options` and in `Extraction`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from scrapy_web2text.content.escaping import escape_comment, escape_markdown

if TYPE_CHECKING:
    from scrapy_web2text.content.content import Content


# The line above each of several pages, with braces for the name and title of the page.
TEXT_HEADER: Final = "### {}"
COMMENT_HEADER: Final = "<!-- {} -->"


@dataclass(frozen=True, slots=True)
class Form:
    """A form of the main content, written if the option of its name asks for it.

    :param name: name of the option and of the attribute of an `Extraction`.
    :param description: one line for help texts.
    :param writer: path of the function that writes it, imported on first use: libraries such as nh3 are slow to import.
    :param source: name of the form that *writer* converts; None for a writer that takes a `Content`.
    :param output_format: name of the format in which commands print this form alone; None if there is none.
    :param header: the line above each of several pages in that format, with braces for the page's name and title.
    :param escape: escapes these for the header.
    """

    name: str
    description: str
    writer: str
    source: str | None = None
    output_format: str | None = None
    header: str = TEXT_HEADER
    escape: Callable[[str], str] = str

    def write(self, source: Any) -> Any:
        """Return this form of a `Content`, or of the form that it is converted from."""
        module, _, function = self.writer.rpartition(".")
        return getattr(import_module(module), function)(source)


FORMS: Final[Mapping[str, Form]] = {
    form.name: form
    for form in (
        Form(
            "html",
            "the main content as a sanitized HTML fragment",
            "scrapy_web2text.content.html.content_html",
            output_format="html",
            header=COMMENT_HEADER,
            escape=escape_comment,
        ),
        Form(
            "markdown",
            "the main content as Markdown",
            "scrapy_web2text.content.markdown.html_to_markdown",
            source="html",
            output_format="md",
            escape=escape_markdown,
        ),
        Form(
            "paragraphs",
            "the paragraphs of the main content, each with its blocks",
            "scrapy_web2text.content.paragraphs.content_paragraphs",
        ),
    )
}
# Parts of an `Extraction` that are None or empty unless the option of the same name asks for them -> description.
OPTIONAL_PARTS: Final[Mapping[str, str]] = {
    **{form.name: form.description for form in FORMS.values()},
    "metadata": "author, date, language and other metadata of the page",
}


def write_forms(content: Content, names: Collection[str], write: Callable[[Form, Any], Any]) -> dict[str, Any]:
    """Return the forms called *names*, by name; a form that others are converted from is written once.

    :param write: writes a form of the content, or of the form that it is converted from; None if that fails. Such a
        form is missing from the result, and so are those that are converted from it.
    """
    needed = {*names, *(FORMS[name].source for name in names)}
    written: dict[str | None, Any] = {None: content}
    for form in FORMS.values():  # a form comes after the one that it is converted from
        source = written.get(form.source)
        if form.name in needed and source is not None:
            written[form.name] = write(form, source)
    return {name: written[name] for name in names if written.get(name) is not None}
