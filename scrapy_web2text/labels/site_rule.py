"""Finds the rule of a site from pages whose blocks are labeled: the selectors that mark its content.

A rule has a few selectors at most, each for one id, class, role, `itemprop` or tag. They are added one by one, as long
as the rule becomes better. As in a crawl, the model answers the pages in which `include` finds nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, DoubleArray, IntArray
from scrapy_web2text.common.budget import check_time
from scrapy_web2text.exceptions import PageError
from scrapy_web2text.extractor import Extractor
from scrapy_web2text.features.texts import count_tokens
from scrapy_web2text.labels.files import PageLabels
from scrapy_web2text.labels.fit import label_all
from scrapy_web2text.labels.pages import PageBlocks
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import labels_to_mask

# A selector that raises the F1 by less is not worth its place in the settings.
_LEAST_GAIN: Final = 0.005
_MOST_SELECTORS: Final = 5
_MOST_FOLDS: Final = 5
_TAGS: Final = frozenset("article aside blockquote footer form h1 h2 header main nav table".split())
_IDENTIFIER: Final = re.compile(r"-?[A-Za-z_][A-Za-z0-9_-]*")
# The id of one of many elements, such as post-1234; a selector for one such id is of no use on other pages.
_NUMBERED: Final = re.compile(r"(.*[A-Za-z_-])\d+")
# A class that selectors can match: XPath splits classes only at these, and CSS refuses a form feed.
_CLASS: Final = re.compile(r"(?<![^ \t\r\n])[^ \t\r\n\f\\]+(?![^ \t\r\n])")
# Classes that name a style or come from a build: other elements have them, too, or the next build changes them.
_UNSTABLE: Final = re.compile(
    r"\.(css|sc|jss|svelte|emotion)-|\.(flex|grid|block|row|col|container|wrapper|content|inner)(?![\w-])"
    r"|\.[a-z]{1,2}[-_]\d|\.(col|text|font|bg|w|h|p|m)[a-z]?-"
)
_ESCAPED: Final = re.compile(r'"|[^ -~]')  # in strings of CSS


@dataclass(frozen=True, slots=True)
class SiteRule:
    """The selectors of a rule, as `Options` and `WEB2TEXT_SITES` have them. Without selectors, the model answers."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    @property
    def is_unstable(self) -> bool:
        """Whether a selector may not last: its class names a style or comes from a build."""
        return any(map(_UNSTABLE.search, self.include + self.exclude))


class RuleScore(NamedTuple):
    """Mean word F1 of labeled pages, by the model alone and by rules.

    The rule of each page is found on other pages; a single page is scored by the rule that is found on it.
    """

    model: float
    rule: float


@dataclass(frozen=True, slots=True, eq=False)
class LabeledLeaves:
    """The n leaves of a page, with labels by a reader and by the model, and the selectors of the elements around them.

    Leaves are used rather than blocks, since a selector may select a part of a block, such as a link in a sentence.

    :param n_words: number of words of each leaf. *Shape:* ``(n,)``
    :param is_content: which leaves are content by the labels. *Shape:* ``(n,)``
    :param by_model: which leaves are content by the answer of the model, without the blocks that the answer drops.
        *Shape:* ``(n,)``
    :param runs: selector -> the leaves inside the elements that it matches, as runs in order: the first leaf, and
        the leaf after the last.
    :param blocks: number of the block of each leaf. *Shape:* ``(n,)``
    """

    n_words: IntArray
    is_content: BoolArray
    by_model: BoolArray
    runs: dict[str, list[tuple[int, int]]]
    blocks: IntArray

    def inside(self, selectors: Iterable[str]) -> BoolArray:
        """Return which leaves are inside an element that one of *selectors* matches. *Shape:* ``(n,)``"""
        is_inside = np.zeros(len(self.n_words), dtype=bool)
        for selector in selectors:
            for first, end in self.runs.get(selector, ()):
                is_inside[first:end] = True
        return is_inside

    def choose(self, rule: SiteRule) -> BoolArray:
        """Return which leaves *rule* selects. *Shape:* ``(n,)``"""
        included = self.inside(rule.include)
        return (included if included.any() else self.by_model) & ~self.inside(rule.exclude)

    def label_blocks(self, rule: SiteRule) -> list[int]:
        """Return a label for each block: content if *rule* selects more than half of its words and leaves."""
        size = self.n_words + 1
        chosen = np.bincount(self.blocks, size * self.choose(rule))
        return [*map(int, 2 * chosen > np.bincount(self.blocks, size))]

    def score(self, rule: SiteRule) -> float:
        """Return the word F1 of what *rule* selects."""
        return float(self.score_leaves(self.choose(rule)))

    def score_leaves(self, chosen: BoolArray) -> DoubleArray:
        """Return the word F1 of *chosen* leaves; 1 if there is no content and no word is chosen.

        *Shapes:* ``(…, n)`` -> ``(…)``
        """
        n_chosen = self.n_words * chosen
        n_both = (n_chosen * self.is_content).sum(axis=-1)
        n_words = n_chosen.sum(axis=-1) + self.n_words[self.is_content].sum()
        return np.where(n_words > 0, 2 * n_both / np.maximum(n_words, 1), 1.0)


def read_labeled_leaves(html: bytes, given: PageLabels, extractor: Extractor) -> LabeledLeaves:
    """Return the leaves of a page with the labels *given*, and with those of the answer of *extractor*.

    :raises PageError: if the page cannot be parsed or labeled.
    :raises ValueError: if the labels do not fit the page.
    """
    trace = extractor.trace(html, paths=False)
    if trace.page is None or trace.labeled is None:
        raise PageError(trace.reason or "error", "the page has no answer")
    found, blocks = PageBlocks.of(trace.page), trace.labeled.labeling.blocks
    chosen = blocks.leaves[labels_to_mask(trace.labeled.labels)[blocks.leaf_blocks]]
    return label_leaves(found, given, np.isin(found.blocks.leaves, chosen))


def label_leaves(found: PageBlocks, given: PageLabels | None, by_model: BoolArray) -> LabeledLeaves:
    """Return the leaves of a page with the labels *given*. Without labels, no leaf is content.

    :param by_model: which leaves are content by the model. *Shape:* ``(n,)``
    :raises ValueError: if the labels do not fit the page.
    """
    page, blocks = found.page, found.blocks
    labels = np.zeros(blocks.n_blocks, dtype=np.int64) if given is None else label_all(given, found.texts)
    if labels is None or not found.texts:
        raise ValueError("the labels no longer fit the page")
    return LabeledLeaves(
        n_words=count_tokens([page.texts[leaf] for leaf in blocks.leaves.tolist()]),
        is_content=labels_to_mask(labels)[blocks.leaf_blocks],
        by_model=by_model,
        runs=_find_runs(page, page.leaf_slots[blocks.leaves]),
        blocks=blocks.leaf_blocks,
    )


def find_rule(pages: Sequence[LabeledLeaves]) -> SiteRule:
    """Return the rule with the best F1 on labeled pages of a site; an empty rule if none is better than the model."""
    search = _Search(pages)
    rules = [SiteRule(), *(search.extend(start) for start in search.starts())]
    scores = [mean_score(pages, rule) for rule in rules]
    best = int(np.argmax(scores))
    return rules[best] if scores[best] >= scores[0] + _LEAST_GAIN else SiteRule()


def score_rules(pages: Sequence[LabeledLeaves]) -> RuleScore:
    """Return the scores of *pages*, one or more, by cross-validation."""
    n_folds = min(len(pages), _MOST_FOLDS)
    scores = []
    for fold in range(n_folds):
        held_out = pages[fold::n_folds]
        rest = [page for number, page in enumerate(pages) if number % n_folds != fold]
        rule = find_rule(rest or held_out)
        scores += [page.score(rule) for page in held_out]
    return RuleScore(mean_score(pages, SiteRule()), float(np.mean(scores)))


def mean_score(pages: Sequence[LabeledLeaves], rule: SiteRule) -> float:
    """Return the mean word F1 of pages by *rule*."""
    return float(np.mean([page.score(rule) for page in pages]))


class _Search:
    """Finds a rule: keeps the selectors on some pages, and scores a rule with each selector added."""

    def __init__(self, pages: Sequence[LabeledLeaves]) -> None:
        n_pages = Counter(selector for page in pages for selector in page.runs)
        # Of equally good selectors, the first is taken. So selectors on many pages come first, then short selectors.
        usual = [selector for selector, n in n_pages.items() if n >= min(2, len(pages))]
        self._selectors = sorted(usual, key=lambda selector: (-n_pages[selector], len(selector), selector))
        self._pages = pages
        # Which leaves are inside the elements of each of k selectors. *Shapes:* ``(k, n)``
        self._inside = [
            np.array([page.inside([each]) for each in self._selectors], dtype=bool).reshape(-1, len(page.n_words))
            for page in pages
        ]

    def starts(self) -> list[SiteRule]:
        """Return rules to begin with: the model alone, and the best selector of content."""
        of_content = self._score(SiteRule())[0]
        return [SiteRule(), *([SiteRule((self._selectors[of_content.argmax()],))] if self._selectors else [])]

    def extend(self, rule: SiteRule) -> SiteRule:
        """Return *rule* with further selectors. Each step adds the selector that improves the rule most."""
        last = mean_score(self._pages, rule)
        while self._selectors and len(rule.include) + len(rule.exclude) < _MOST_SELECTORS:
            check_time()
            wider, fewer = self._score(rule)
            # Without `include`, the model says what is content, and is only corrected.
            is_wider = bool(rule.include) and wider.max() >= fewer.max()
            scores = wider if is_wider else fewer
            if scores.max() < last + _LEAST_GAIN:
                break
            last, added = float(scores.max()), (self._selectors[scores.argmax()],)
            parts = (rule.include + added, rule.exclude) if is_wider else (rule.include, rule.exclude + added)
            rule = SiteRule(*parts)
        return rule

    def _score(self, rule: SiteRule) -> DoubleArray:
        """Return the mean F1 of *rule* with one more selector, as `include` and as `exclude`. *Shape:* ``(2, k)``"""
        pages = zip(self._pages, self._inside, strict=True)
        scores: DoubleArray = np.mean([_score_longer(page, inside, rule) for page, inside in pages], axis=0)
        return scores.round(4)


def _score_longer(page: LabeledLeaves, inside: BoolArray, rule: SiteRule) -> DoubleArray:
    """Return the F1 of *rule* with one more selector, as `include` and as `exclude`. *Shape:* ``(2, k)``

    :param inside: which leaves are inside the elements of each selector. *Shape:* ``(k, n)``
    """
    kept = ~page.inside(rule.exclude)
    wider = page.inside(rule.include) | inside
    wider[~wider.any(axis=1)] = page.by_model  # where `include` matches nothing, the model answers
    fewer = page.choose(rule) & ~inside
    return np.stack([page.score_leaves(wider & kept), page.score_leaves(fewer)])


def _find_runs(page: Page, slots: IntArray) -> dict[str, list[tuple[int, int]]]:
    firsts, ends = (slots.searchsorted(bounds).tolist() for bounds in (page.open_slots, page.close_slots))
    found: dict[str, list[tuple[int, int]]] = {}
    for element, first, end in zip(page.elements, firsts, ends, strict=True):
        if first == end or not isinstance(element.tag, str):
            continue
        for selector in _list_selectors(element.tag, element.attrib):
            runs = found.setdefault(selector, [])
            if not runs or runs[-1][1] <= first:  # else the element is inside an element with the same selector
                runs.append((first, end))
    return found


def _list_selectors(tag: str, attributes: Mapping[str, str]) -> Iterator[str]:
    """Yield the selectors that match an element. Values with a backslash have none: cssselect unescapes it twice."""
    if tag in _TAGS:
        yield tag
    for word in dict.fromkeys(_CLASS.findall(attributes.get("class", ""))):
        yield f".{word}" if _IDENTIFIER.fullmatch(word) else f"[class~={_quote(word)}]"
    for key in ("role", "itemprop"):
        if (value := attributes.get(key)) and "\\" not in value:
            yield f"[{key}={_quote(value)}]"
    if (name := attributes.get("id")) and "\\" not in name:
        if numbered := _NUMBERED.fullmatch(name):
            yield f"[id^={_quote(numbered[1])}]"
        yield f"#{name}" if _IDENTIFIER.fullmatch(name) else f"[id={_quote(name)}]"


def _quote(value: str) -> str:
    escaped = _ESCAPED.sub(lambda found: f"\\{ord(found[0]):x} ", value)
    return f'"{escaped}"'
