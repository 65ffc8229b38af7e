"""The labeler of fragments: everything that a reader sees is content, except plain furniture.

HTML allows a page without html, head and body tags, and some programs strip these tags when they store a page. So
markup without these tags counts as a whole page if it has many links, or some links and a copyright notice. The limits
were chosen on the bodies of pages of the corpora, and on the elements that contain their main content.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import BoolArray, IntArray
from scrapy_web2text.common.budget import check_time, watched
from scrapy_web2text.labelers.base import Labeler, Labeling
from scrapy_web2text.labelers.fragment.furniture import END_OF_CALL, Furniture, any_of
from scrapy_web2text.options import Decoder
from scrapy_web2text.page.arrays import Page
from scrapy_web2text.page.blocks import MODERN_BLOCKS, BlockSequence, block_texts, mask_to_labels, segment

# Least number of links to other pages before the first prose and after the last, in a whole page.
_LEAST_LINKS_AROUND: Final = 8
# Least number of links in a whole page with a copyright notice. The texts of news agencies have notices, too.
_LEAST_LINKS: Final = 5
# Words outside of links. A shorter block is not prose.
_LEAST_PROSE: Final = 10
_LONGEST_FOOTER: Final = 500  # characters, of a feed
# The whole text of a block that WordPress adds to each entry of a feed, with links to the entry and to the site.
_FEED_FOOTER: Final = re.compile(
    any_of(
        r"The post .+ appeared first on .+",
        r"(?:Der|Dieser) (?:Beitrag|Artikel) .+ erschien (?:zuerst|als erstes) (?:auf|bei) .+",
        r"L[’']article .+ est apparu en premier sur .+",
        r"(?:La entrada|El artículo) .+ (?:se publicó primero|apareció primero|aparece primero) en .+",
        r"L[’']articolo .+ (?:proviene da|sembra essere il primo su) .+",
        r"O post .+ (?:apareceu|foi publicado) primeiro em .+",
        r"(?:Het bericht|Het artikel) .+ verscheen eerst op .+",
        r"Inlägget .+ dök först upp på .+|Indlægget .+ blev først udgivet på .+|Innlegget .+ dukket først opp på .+",
        r"(?:Artykuł|Wpis) .+ pochodzi z serwisu .+",
        r"(?:Сообщение|Запись) .+ (?:появились?|впервые появилась) (?:сначала )?на .+",
        r".+ first appeared on .+",
    ),
    re.IGNORECASE | re.DOTALL,
)
# The whole text of a block before links to share a page, or of such a link without a target.
_CALL_TO_SHARE: Final = re.compile(
    r"(?:(?:please )?"
    + any_of(
        r"(?:share|tweet|print|email|follow|like|pin|save)(?: (?:this|us|me|on|via|with|it|to|friends?|by|article|"
        r"post|story|page|facebook|twitter|x|linkedin|instagram|youtube|mastodon|whatsapp|pinterest|email))*",
        r"(?:artikel |beitrag )?teilen(?: auf| mit)?|folge uns(?: auf)?|gefällt mir",
        r"partager(?: (?:sur|cet article))?|suivez-nous(?: sur)?",
        r"compart(?:ir|e)(?: (?:en|esto|por))?|síguenos(?: en)?",
        r"condividi(?: su)?|seguici(?: su)?|mi piace",
        r"compartilh(?:ar|e)(?: (?:isso|no))?|siga-nos",
        r"delen|deel (?:dit|via)|volg ons(?: op)?",
        r"udostępnij|dela|del|sdílet|поделиться|поделитесь|подписывайтесь",
        r"シェア|共有|分享(?:到)?|공유(?:하기)?",
    )
    + rf"){END_OF_CALL}",
    re.IGNORECASE,
)
# The whole text of a block with links to the same site or person elsewhere.
_CALL_TO_FOLLOW: Final = re.compile(
    r"(?:(?:please )?(?:"
    + any_of(
        r"(?:follow|find|like|join)(?: (?:us|me))? on",
        r"folge(?:n sie)? uns(?: (?:auf|bei))?",
        r"suivez[- ]nous sur|retrouvez[- ]nous sur",
        r"s[ií]gu(?:enos|e-nos)(?: en)?|siga-nos(?: no)?",
        r"seguici su|volg ons op|śledź nas na|följ oss på|følg oss på|følg os på",
        r"подписывайтесь на нас в|следите за нами в",
    )
    + r")(?:[ ,|/&:]+(?:"
    + any_of(
        r"facebook|twitter|x|instagram|linkedin|youtube|mastodon|bluesky|threads|tiktok|pinterest|telegram|whatsapp",
        r"google|news|rss|vk|xing|weibo|flipboard|and|or|und|et|y|e|en|och|og|и",
    )
    + rf")\b)+){END_OF_CALL}",
    re.IGNORECASE,
)
_COPYRIGHT: Final = re.compile(r"\bcopyright\b", re.IGNORECASE)


class FragmentLabeler(Labeler):
    """Labels the blocks of a fragment.

    The answers have neither probabilities nor a confidence, since nothing is estimated.
    """

    name = method = "fragment"
    segmentation = MODERN_BLOCKS

    def label(self, page: Page, *, threshold: float | None = None, decoder: Decoder | None = None) -> Labeling:  # noqa: ARG002
        """Return the labels of the blocks of *page*; *threshold* and *decoder* are ignored."""
        return _label(page, segment(page, MODERN_BLOCKS), Furniture(page))

    def label_markup(self, page: Page) -> Labeling | None:
        """Return the labels of the blocks of *page*; None if it has no text, or looks like a whole page."""
        blocks = segment(page, MODERN_BLOCKS)
        if not blocks.n_blocks or _has_frame(page):
            return None
        furniture = Furniture(page)
        return None if _looks_like_whole_page(page, blocks, furniture) else _label(page, blocks, furniture)


def _label(page: Page, blocks: BlockSequence, furniture: Furniture) -> Labeling:
    """Return the labels of *blocks*. Furniture inside a block of content is not part of the block."""
    check_time()
    is_furniture = furniture.leaves[blocks.leaves]
    is_furniture |= _mark_calls(page, blocks, is_furniture)[blocks.leaf_blocks]
    is_content = _count(blocks, ~is_furniture) > 0
    kept = _keep_leaves(blocks, ~(is_furniture & is_content[blocks.leaf_blocks]))
    return Labeling(kept, mask_to_labels(is_content), None, kept.sum_leaves(furniture.n_words))


def _count(blocks: BlockSequence, chosen: BoolArray) -> IntArray:
    """Return the number of *chosen* leaves of each block. *Shapes:* ``(k,)`` -> ``(n,)``"""
    return np.bincount(blocks.leaf_blocks[chosen], minlength=blocks.n_blocks)


def _keep_leaves(blocks: BlockSequence, kept: BoolArray) -> BlockSequence:
    """Return *blocks* with only the *kept* leaves, at least one of each block. *Shape:* ``(k,)``"""
    if kept.all():
        return blocks
    sizes = _count(blocks, kept)
    return BlockSequence(blocks.leaves[kept], np.cumsum(sizes) - sizes)


def _mark_calls(page: Page, blocks: BlockSequence, is_furniture: BoolArray) -> BoolArray:
    """Return which blocks are footers of feeds, calls to follow, or calls to share next to links for sharing.

    :param is_furniture: which leaves of the blocks are furniture.

    *Shapes:* ``(k,)`` -> ``(n,)``
    """
    in_links = page.is_inside({"a"}, blocks.leaves)
    n_links = _count(blocks, in_links)
    is_empty = _count(blocks, ~is_furniture) == 0
    beside = np.zeros(blocks.n_blocks, dtype=bool)
    beside[1:] |= is_empty[:-1]
    beside[:-1] |= is_empty[1:]
    marked = np.zeros(blocks.n_blocks, dtype=bool)
    for i, text in enumerate(watched(block_texts(page, blocks))):
        is_footer = len(text) <= _LONGEST_FOOTER and _FEED_FOOTER.fullmatch(text)
        marked[i] = (n_links[i] and (is_footer or _CALL_TO_FOLLOW.fullmatch(text))) or (
            beside[i] and _CALL_TO_SHARE.fullmatch(text)
        )
    return marked


FRAGMENT: Final = FragmentLabeler()


def _has_frame(page: Page) -> bool:
    """Return whether *page* has navigation, and a header or a footer, outside of articles and sections."""
    frame = page.tags_in({"nav"}), page.tags_in({"header", "footer"})
    if not (frame[0].any() and frame[1].any()):
        return False
    inside = page.count_enclosing(page.tags_in({"article", "aside", "blockquote", "main", "section"}))
    outside = inside[page.open_slots] == 0
    return all(bool((part & outside).any()) for part in frame)


def _looks_like_whole_page(page: Page, blocks: BlockSequence, furniture: Furniture) -> bool:
    """Return whether *page*, which has no frame, is a whole page by its links or its copyright notice.

    A whole page has many links around its text, or some links and a copyright notice. Links to share and to read more
    do not count, as feeds have these, too.
    """
    links, least = furniture.links, _LEAST_LINKS
    if len(links) < least:
        return False
    if not _has_copyright(page, blocks):
        prose = (blocks.sum_leaves(np.where(furniture.in_links, 0, furniture.n_words)) >= _LEAST_PROSE).nonzero()[0]
        if not len(prose):
            return False
        slots, least = page.open_slots[links], _LEAST_LINKS_AROUND
        first = page.leaf_slots[blocks.leaves[blocks.starts[prose[0]]]]
        last = page.leaf_slots[blocks.leaves[blocks.ends[prose[-1]] - 1]]
        links = links[(slots <= first) | (slots > last)]
    # The first links are enough on most pages.
    sizes = sorted({min(3 * least, len(links)), len(links)})
    return len(links) >= least and any(len(furniture.keep_other(links[:size])) >= least for size in sizes)


def _has_copyright(page: Page, blocks: BlockSequence) -> bool:
    text = "".join([page.texts[leaf] for leaf in blocks.leaves.tolist()])
    if "©" in text:
        return True
    # A word can be in two leaves, but not in two blocks.
    return "copyr" in text.lower() and any(_COPYRIGHT.search(text) for text in watched(block_texts(page, blocks)))
