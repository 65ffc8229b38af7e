"""The rules of Kohlschütter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010."""

from __future__ import annotations

from scrapy_web2text.labelers.shallow.rules import SHALLOW_NAMES, ShallowRules, parse_shallow_rules

__all__ = ["SHALLOW_NAMES", "ShallowRules", "parse_shallow_rules"]
