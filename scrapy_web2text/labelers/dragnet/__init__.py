"""Dragnet: Peters, Lecocq: Content Extraction Using Diverse Feature Sets, WWW Companion 2013.

`features` computes the columns of the three feature sets, with the help of `cetr` and `names`; `labeler` applies the
trained regression to them.
"""

from __future__ import annotations

from scrapy_web2text.labelers.dragnet.labeler import DragnetLabeler

__all__ = ["DragnetLabeler"]
