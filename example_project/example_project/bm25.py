"""Search the chunks of pages by BM25, with nothing to install."""

import re
from collections import Counter
from math import log

from scrapy_web2text import extract


def split(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


class Bm25:
    def __init__(self, texts: list[str]) -> None:
        self.counts = [Counter(split(text)) for text in texts]
        self.mean = sum(count.total() for count in self.counts) / max(1, len(texts))
        self.n_with = Counter(word for count in self.counts for word in count)

    def score(self, question: str, count: Counter[str]) -> float:
        size = 1.5 * (0.25 + 0.75 * count.total() / self.mean)
        return sum(
            log(1 + (len(self.counts) - n + 0.5) / (n + 0.5)) * 2.5 * count[word] / (count[word] + size)
            for word, n in ((word, self.n_with[word]) for word in {*split(question)} & {*count})
        )

    def best(self, question: str, n: int) -> list[int]:
        scores = [self.score(question, count) for count in self.counts]
        return sorted(range(len(scores)), key=scores.__getitem__, reverse=True)[:n]


def search(pages: dict[str, str | bytes], question: str, n: int = 3) -> list[dict]:
    """Return the *n* chunks that match a question best, each with the URL and the title of its page."""
    chunks = []
    for url, html in pages.items():
        answer = extract(html, url, chunks=150, hidden="drop")
        chunks += [{"url": url, "title": answer.title, **chunk.to_dict()} for chunk in answer.chunks]
    index = Bm25(["\n".join([chunk["title"], *chunk["heading_path"], chunk["text"]]) for chunk in chunks])
    return [chunks[i] for i in index.best(question, n)]
