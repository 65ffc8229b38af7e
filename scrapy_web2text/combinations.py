"""Options that have no effect together with others: valid, but probably a mistake."""

from __future__ import annotations

from collections.abc import Iterator

from scrapy_web2text.options import DEFAULT_BLOCK_FIELDS, Options

__all__ = ["find_idle_options"]


def find_idle_options(options: Options, *, by_rules: bool) -> Iterator[tuple[str, str]]:
    """Yield the options that are set but have no effect, each with the reason. The defaults yield none.

    :param by_rules: whether the option ``model`` names rules.
    """
    if by_rules:
        for name in ("preset", "decoder"):
            if getattr(options, name) is not None:
                yield name, f"model is {options.model!r}, and rules have no {name}s"
    elif options.preset is not None and options.threshold is not None:
        yield "preset", f"threshold is {options.threshold!r} and takes precedence"
    if options.min_confidence is not None and options.on_low_confidence == "keep":
        yield "min_confidence", 'on_low_confidence is "keep"; expected "flag", "fallback" or "drop"'
    if options.min_confidence is None and options.on_low_confidence != "keep":
        yield "on_low_confidence", "min_confidence is None, so that no confidence is low"
    if options.on_missing_model == "fallback" and options.fallback is None:
        yield "on_missing_model", "fallback is None, so that there are no rules to fall back to"
    if options.block_fields != DEFAULT_BLOCK_FIELDS and options.blocks == "none":
        yield "block_fields", 'blocks is "none"'
