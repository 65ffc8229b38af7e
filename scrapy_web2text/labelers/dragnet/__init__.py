"""Dragnet: Peters, Lecocq: Content Extraction Using Diverse Feature Sets, WWW Companion 2013."""

from __future__ import annotations

from scrapy_web2text.labelers.dragnet.labeler import DragnetLabeler

__all__ = ["DragnetLabeler"]
