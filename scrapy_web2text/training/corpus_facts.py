"""Facts about each corpus that are not in its files: its terms, the habits of its annotators, and its sites."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["CORPORA", "CorpusFacts", "Gold", "Terms", "corpus_facts", "read_comments"]

Terms = Literal["permissive", "silent", "research", "copyleft"]
Gold = Literal["human", "rules", "container"]


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """Terms and annotation habits of one corpus.

    :param name: the folder, as `open_corpus` takes it.
    :param terms: what the publishers allow. The default model may be trained on ``permissive`` and ``silent`` corpora,
        not on ``research`` and ``copyleft`` ones.
    :param license: the terms in words.
    :param gold: source of the clean texts: people, rules for each site, or the template's container of the content,
        which is unreliable.
    :param has_titles: whether the clean texts include the main heading of the page.
    :param has_comments: whether they include readers' comments below an article; forum posts are always content.
    :param site: regular expression whose first group is the site in a page id, for pages without a URL; None if the
        ids do not contain it.
    """

    name: str
    terms: Terms
    license: str
    gold: Gold
    has_titles: bool
    has_comments: bool
    site: str | None = None

    @property
    def allows_default_model(self) -> bool:
        """Whether the terms allow training the shipped default model on it."""
        return self.terms in {"permissive", "silent"}

    @property
    def is_weak(self) -> bool:
        """Whether the clean texts are less reliable than those written by people."""
        return self.gold == "container"


# Measured on the pages. A corpus has titles if the first h1 is in the clean text of more than half of them; it has
# comments if the text of the elements named as comments is.
_CORPORA: Final = (
    CorpusFacts("wcxb", "permissive", "CC-BY-4.0", "human", has_titles=False, has_comments=False),
    CorpusFacts("cleaneval", "silent", "published by SIGWAC for research", "human", has_titles=True, has_comments=True),
    CorpusFacts(
        "articles",
        "silent",
        "test fixtures; texts belong to their publishers",
        "rules",
        has_titles=False,
        has_comments=False,
        site=r"readability-(.*?)(?:-\d+)?$",
    ),
    CorpusFacts("seeds/dragnet1381", "copyleft", "AGPL-3.0", "human", has_titles=True, has_comments=False),
    CorpusFacts("seeds/l3s_gn1", "research", "research only", "human", has_titles=True, has_comments=False),
    CorpusFacts("more/utomo720", "research", "research only", "human", has_titles=True, has_comments=False),
    CorpusFacts("more/magic_html_forum", "permissive", "Apache-2.0", "human", has_titles=True, has_comments=True),
    CorpusFacts("more/magic_html_article", "permissive", "Apache-2.0", "human", has_titles=False, has_comments=False),
    CorpusFacts(
        "more/forum_archives",
        "silent",
        "none stated",
        "container",
        has_titles=False,
        has_comments=True,
        site=r"([^-]+)-",
    ),
    CorpusFacts(
        "more/docs_builders",
        "permissive",
        "BSD, Apache-2.0, Boost",
        "container",
        has_titles=True,
        has_comments=False,
        site=r"([^-]+)-",
    ),
    CorpusFacts("more/misinfo_crawler", "permissive", "MIT", "rules", has_titles=False, has_comments=False),
    CorpusFacts("more/cleanportaleval", "silent", "none stated", "human", has_titles=True, has_comments=False),
    CorpusFacts(
        "more/daniel5",
        "copyleft",
        "GPL-3.0",
        "human",
        has_titles=True,
        has_comments=False,
        site=r"\d+_([^_]+)_",
    ),
    CorpusFacts(
        "more/wwwxmu_zh_news",
        "silent",
        "none stated",
        "human",
        has_titles=False,
        has_comments=False,
        site=r"([^-]+)-",
    ),
)
CORPORA: Final[Mapping[str, CorpusFacts]] = MappingProxyType({facts.name: facts for facts in _CORPORA})


def corpus_facts(name: str) -> CorpusFacts:
    """Return the facts about a corpus. An unknown one counts as annotated by people, in the style of the model."""
    own = CorpusFacts(name, "silent", "not stated", "human", has_titles=False, has_comments=False)
    return CORPORA.get(name, own)


def read_comments(data: Path, facts: CorpusFacts, page_id: str) -> str:
    """Return the readers' comments of a page if the corpus has them in separate files, else an empty string."""
    path = data / facts.name / "text_comments" / f"{page_id}.txt"
    return path.read_text(encoding="utf-8", errors="ignore") if path.exists() else ""
