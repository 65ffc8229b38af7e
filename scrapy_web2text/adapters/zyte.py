"""The answer as an article of zyte-common-items (extra ``zyte``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_web2text.extraction import Extraction

if TYPE_CHECKING:
    from zyte_common_items import Article

__all__ = ["to_article"]


def to_article(extraction: Extraction) -> Article:
    """Return the answer as an article. The options ``html`` and ``metadata`` fill further fields of the article.

    :raises ModuleNotFoundError: without the extra ``zyte``.
    :raises ValueError: if the URL of the page is unknown.
    """
    try:
        from zyte_common_items import Article, ArticleMetadata, Author, Breadcrumb, Image
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("to_article: needs pip install 'scrapy-web2text[zyte]'", name=error.name) from error
    found = getattr(extraction, "metadata", None)
    url = extraction.url or (found and found.canonical_url)
    if not url:
        raise ValueError("to_article: expected the URL of the page, as in extract(html, url)")
    # An answer by selectors has no confidence; a page without text is not an article.
    probability = 1.0 if extraction.confidence is None else extraction.confidence
    article = Article(
        url=url,
        headline=extraction.title or None,
        articleBody=extraction.text or None,
        articleBodyHtml=getattr(extraction, "html", None) or None,
        metadata=ArticleMetadata(probability=probability if extraction.text else 0.0),
    )
    if found is not None:
        article.authors = [Author(name=name, nameRaw=name) for name in found.authors] or None
        article.datePublished, article.dateModified = found.date, found.date_modified
        article.description, article.inLanguage = found.description, found.language
        article.breadcrumbs = [Breadcrumb(name=part.name, url=part.url) for part in found.breadcrumbs] or None
        article.mainImage = Image(url=found.image) if found.image else None
        article.images = [Image(url=image) for image in found.images] or None
        article.canonicalUrl = found.canonical_url
    return article
