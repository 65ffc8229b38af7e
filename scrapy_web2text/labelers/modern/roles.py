"""Predicts the roles of blocks by a small network, from the output of the network that labels the blocks.

The small network also sees names. For each of `NAMES`, two columns say whether a class name or an id has one of its
words: of the block's own elements, and of the elements around them. `benchmarks/roles.py` trains the network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from scrapy_web2text.common.arrays import FloatArray
from scrapy_web2text.common.budget import check_time
from scrapy_web2text.features.modern.page import ModernFeatures
from scrapy_web2text.labelers.modern.layers import Linear
from scrapy_web2text.labelers.numeric import multiply
from scrapy_web2text.options import ROLES
from scrapy_web2text.page.reader import N_NAME_HASHES, hash_name

# Words in names, by what they say of an element, in the languages of the training pages and a few others.
NAMES: Final[Mapping[str, str]] = {
    "comment": "comment comments commentlist reply replies respond disqus discussion commenter komentar kommentar"
    " kommentare commentaire commentaires comentario comentarios",
    "author": "author authors byline writer contributor creator autor auteur vcard fn by",
    "date": "date time published publish posted updated timestamp datetime pubdate datum fecha dateline ago moment",
    "meta": "meta info details credits postmeta entrymeta articleinfo source",
    "caption": "caption captions figcaption credit photocredit legend gallery slide image img photo figure media"
    " picture",
    "lead": "lead lede standfirst dek deck subtitle subhead subheadline subheading subhed summary excerpt intro"
    " introduction teaser abstract chapo chapeau sapo description blurb strap strapline highlights keypoints",
    "title": "title headline heading hed entrytitle posttitle articletitle header name subject",
    "body": "body content articlebody entry text story post article main copy prose richtext markdown message",
    "tags": "tag tags topic topics category categories keyword keywords label labels kicker eyebrow section rubric cat"
    " taxonomy badge",
    "related": "related recommended recommend recirc more popular trending latest recent readmore alsolike similar"
    " mostread outbrain taboola promo sidebar next previous prev nav teaser card cards suggested seealso widget posts"
    " list also",
    "author_bio": "bio biography about authorbio aboutauthor profile authorbox abouttheauthor",
    "poster": "user username poster member avatar rank usertitle userinfo signature sig joined profile postprofile nick"
    " login karma",
    "post": "post message reply answer thread topic postbody bbwrapper question forum",
    "review": "review reviews rating testimonial customer reviewer",
    "share": "share social follow sharing button btn subscribe newsletter",
    "breadcrumb": "breadcrumb breadcrumbs crumb crumbs",
    "menu": "menu nav navbar navigation footer copyright cookie",
}
N_NAME_COLUMNS: Final = 2 * len(NAMES)
_BITS: Final = np.zeros(N_NAME_HASHES, dtype=np.int32)  # for the hash of a word, one bit for each of its `NAMES`
for _bit, _words in enumerate(NAMES.values()):
    _BITS[[number for _word in _words.split() for number in hash_name(_word)]] |= 1 << _bit


class RoleNetwork:
    """A linear layer for each block, and a linear layer for the outputs of a block and its two neighbors.

    :param tensors: weights by name; `role_shapes` lists them.
    """

    def __init__(self, tensors: Mapping[str, FloatArray]) -> None:
        self._inner, self._outer = (
            Linear(*(tensors[f"roles.{number}.{part}"].astype(np.float32) for part in ("weight", "bias")))
            for number in range(2)
        )

    def read(self, rows: Sequence[FloatArray], features: ModernFeatures) -> FloatArray:
        """Return the probability of each of the `ROLES` for the blocks of a page. *Shape:* ``(n, len(ROLES))``

        :param rows: see `NetworkOutput`.
        """
        return self((*rows, read_name_columns(features)))

    def __call__(self, parts: Sequence[FloatArray]) -> FloatArray:
        """Return the probability of each of the `ROLES`. *Shape:* ``(n, len(ROLES))``

        :param parts: groups of input columns: the rows of a `NetworkOutput`, then the result of `read_name_columns`.
        """
        hidden = np.repeat(self._inner.bias[None], len(parts[0]), axis=0)
        start = 0
        for part in parts:
            check_time()
            stop = start + part.shape[1]
            hidden += multiply(part, self._inner.weight[start:stop])
            start = stop
        width = hidden.shape[1]
        joined = np.zeros((len(hidden), 3 * width), dtype=np.float32)  # a neighbor that does not exist is all zeros
        joined[:, width : 2 * width] = np.maximum(hidden, np.float32(0), out=hidden)
        joined[1:, :width] = hidden[:-1]
        joined[:-1, 2 * width :] = hidden[1:]
        check_time()
        logits = self._outer(joined)
        logits -= logits.max(axis=1, keepdims=True)
        probabilities: FloatArray = np.exp(logits, out=logits)
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        return probabilities


def role_shapes(n_inputs: int, width: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of every tensor of a `RoleNetwork` by name.

    :param n_inputs: number of all columns of `NetworkOutput.rows`.
    :param width: number of channels of the hidden layer.
    """
    return {
        "roles.0.weight": (n_inputs + N_NAME_COLUMNS, width),
        "roles.0.bias": (width,),
        "roles.1.weight": (3 * width, len(ROLES)),
        "roles.1.bias": (len(ROLES),),
    }


def read_name_columns(features: ModernFeatures) -> FloatArray:
    """Return which `NAMES` the own elements of each block have, and which the elements around it have, as 0 or 1.

    *Shape:* ``(n, N_NAME_COLUMNS)``
    """
    check_time()
    bits = np.zeros(len(features.n_names), dtype=np.int32)
    named = features.n_names.nonzero()[0]
    if len(named):
        starts = np.cumsum(features.n_names)[named] - features.n_names[named]
        bits[named] = np.bitwise_or.reduceat(_BITS[features.names], starts.astype(np.intp))
    own = (bits[:, None] >> np.arange(len(NAMES), dtype=np.int32)) & 1
    steps = np.zeros((2 * len(bits), len(NAMES)), dtype=np.int32)
    steps[features.open_slots] = own
    steps[features.close_slots] = -own
    around = steps.cumsum(axis=0, dtype=np.int32).take(features.open_slots[features.owners], axis=0) > 0
    near = own.take(features.owners, axis=0) | own.take(features.containers, axis=0)
    return np.concatenate([near, around], axis=1, dtype=np.float32)
