"""Rules for values: each rule says which values an option, a setting, a recipe or a manifest may have.

For example::

    >>> FRACTION.check(2, "threshold")
    Traceback (most recent call last):
    ValueError: threshold: expected a number between 0 and 1, both excluded, got 2
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from math import isfinite
from numbers import Integral, Real
from typing import Any, Final, TypeGuard


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that allows some values, and says which."""

    expected: str
    allows: Callable[[Any], bool]

    def check(self, value: object, name: str = "") -> None:
        """Raise a ValueError if *value* is not allowed. The message names *name*, if given, and what was expected."""
        if not self.allows(value):
            raise ValueError(f"{name}{': ' if name else ''}expected {self.expected}, got {value!r}")

    @property
    def or_none(self) -> Rule:
        """The rule that also allows None."""
        return Rule(f"{self.expected} or None", lambda value: value is None or self.allows(value))


def is_number(value: object) -> TypeGuard[float]:
    """Return whether *value* is a real number. True and False do not count as numbers."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether *value* is a whole number. True, False and 1.0 do not count as whole numbers."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def one_of(*choices: str | None) -> Rule:
    """Return the rule that allows only *choices*."""
    expected = f"one of {', '.join(map(repr, choices))}"
    return Rule(expected, lambda value: (value is None or isinstance(value, str)) and value in choices)


def one_or_more(rule: Rule, expected: str) -> Rule:
    """Return the rule that allows tuples and lists of one or more values that *rule* allows."""
    return Rule(
        expected, lambda values: isinstance(values, (tuple, list)) and bool(values) and all(map(rule.allows, values))
    )


def number_from(least: float, most: float) -> Rule:
    """Return the rule that allows the numbers from *least* to *most*, both included."""
    return Rule(f"a number from {least:g} to {most:g}", lambda value: is_number(value) and least <= value <= most)


FRACTION: Final = Rule("a number between 0 and 1, both excluded", lambda value: is_number(value) and 0 < value < 1)
SHARE: Final = number_from(0, 1)
POSITIVE: Final = Rule("a number above 0", lambda value: is_number(value) and value > 0 and isfinite(value))
NOT_NEGATIVE: Final = Rule("a number of 0 or more", lambda value: is_number(value) and value >= 0 and isfinite(value))
POSITIVE_WHOLE: Final = Rule("a whole number above 0", lambda value: is_whole(value) and value > 0)
FLAG: Final = Rule("True or False", lambda value: isinstance(value, bool))
TEXT: Final = Rule("a string that is not empty", lambda value: isinstance(value, str) and bool(value.strip()))


def require(package: str, extra: str, where: str) -> None:
    """Raise a ValueError if *package* is not installed. The message begins with *where*, and names the *extra*."""
    if find_spec(package) is None:
        raise ValueError(f"{where}: needs pip install 'scrapy-web2text[{extra}]'")
