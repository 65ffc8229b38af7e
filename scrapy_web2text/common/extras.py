"""The packages of extras, which may not be installed."""

from __future__ import annotations

from importlib.util import find_spec


def require(package: str, extra: str, where: str) -> None:
    """Raise a ValueError if *package* is not installed. The message begins with *where*, and names the *extra*."""
    if find_spec(package) is None:
        raise ValueError(f"{where}: needs pip install 'scrapy-web2text[{extra}]'")
