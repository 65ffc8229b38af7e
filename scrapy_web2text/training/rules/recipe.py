"""Recipe of a table of probabilities for rules."""

from __future__ import annotations

from dataclasses import dataclass, fields

from scrapy_web2text.training.recipe import check, check_name

__all__ = ["CorpusChoice", "RulesRecipe"]


@dataclass(frozen=True, slots=True)
class CorpusChoice:
    """Which pages of one corpus are counted.

    :param name: name of the corpus, such as ``cleaneval``.
    :param split: name of a split in the ``splits.json`` next to the recipe.
    :param part: part of the split.
    """

    name: str
    split: str
    part: str

    def __post_init__(self) -> None:
        for field in fields(self):
            check(f"corpora.{field.name}", getattr(self, field.name), "a name", ok=bool(getattr(self, field.name)))


@dataclass(frozen=True, slots=True)
class RulesRecipe:
    """A table of probabilities before it is counted.

    :param labeler: kind of the model: ``rules``.
    """

    name: str
    labeler: str
    corpora: tuple[CorpusChoice, ...]

    def __post_init__(self) -> None:
        check_name(self.name)
        check("labeler", self.labeler, "'rules'", ok=self.labeler == "rules")
        check("corpora", self.corpora, "one or more corpora", ok=bool(self.corpora))
