"""Tables of cases, grouped by the rule that they are examples of."""

from __future__ import annotations

from typing import Any

import pytest


def by_rule(arguments: str, table: dict[str, list[Any]]) -> Any:
    """Parametrize a test by all cases of a table; each is named by its rule and its place in it."""
    cases = [(rule, i, case) for rule, cases in table.items() for i, case in enumerate(cases)]
    is_one = "," not in arguments
    return pytest.mark.parametrize(
        arguments, [pytest.param(*([case] if is_one else case), id=f"{rule} {i}") for rule, i, case in cases]
    )
