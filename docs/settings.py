"""Write what ``settings.md`` says of each setting: its name, values, default and purpose.

    python docs/settings.py

These are a row of the tables at the top, the heading of an entry and the two paragraphs after it. What follows them is
written by hand, and stays.
"""

import re
import textwrap
from pathlib import Path

from scrapy_web2text.crawl.setting_values import setting_name
from scrapy_web2text.crawl.settings import CRAWL_SETTINGS
from scrapy_web2text.options import OPTIONAL_PARTS, OPTIONS
from scrapy_web2text.reasons import name_options

PAGE = Path(__file__).with_name("settings.md")
SECTIONS = {
    "## Options": {name: each for name, each in OPTIONS.items() if name not in OPTIONAL_PARTS},
    "## Crawl settings": CRAWL_SETTINGS,
}
TABLES = {"## Common settings": False, "## Expert settings": True}
# Settings that few projects need.
EXPERT = {
    *("fallback", "on_missing_model", "decoder", "fragment", "block_fields", "lead", "captions", "bylines"),
    *("max_bytes", "max_blocks", "on_missing_field", "html_field", "statuses", "executor", "workers", "worker_memory"),
    *("log_interval", "snapshot_bytes"),
}
# Defaults that are not written as Python has them.
DEFAULTS = {"statuses": '`"200-299"`', "workers": "one process per available CPU, up to 4; or 2 threads"}


def write_settings(text):
    """Return *text*, the page, with the tables and the entries of all settings."""
    for heading, is_expert in TABLES.items():
        _, _, rest = text.partition(f"\n{heading}\n")
        old = re.match(r".*?(?=^##)", rest, re.DOTALL | re.MULTILINE)[0]
        text = text.replace(f"\n{heading}\n{old}", f"\n{heading}\n\n{write_table(is_expert)}\n")
    for heading, settings in SECTIONS.items():
        before, _, rest = text.partition(f"\n{heading}\n")
        section = re.match(r".*?(?=^## |\Z)", rest, re.DOTALL | re.MULTILINE)[0]
        introduction, *entries = re.split(r"^### (?=WEB2TEXT_)", section, flags=re.MULTILINE)
        details = {name: body for name, _, body in (entry.partition("\n") for entry in entries)}
        written = [write_entry(name, each, details.get(setting_name(name), "")) for name, each in settings.items()]
        text = "".join([before, f"\n{heading}\n", introduction, *written, rest[len(section) :]])
    return text


def write_table(is_expert):
    """Return the table of the settings for experts, or of the others: names, defaults and purposes."""
    rows = ["| setting | default | purpose |", "|---|---|---|"]
    for settings in SECTIONS.values():
        for name, each in settings.items():
            if (name in EXPERT) == is_expert:
                link = f"[`{setting_name(name)}`](#{setting_name(name).lower()})"
                purpose = _shorten(name_options(each.help, _name_setting))
                rows.append(f"| {link} | {_default_of(name, each)} | {purpose} |")
    return "\n".join(rows) + "\n"


def _shorten(purpose):
    """Return the first part of a purpose, unless that only names what the rest is about."""
    first = re.split("[;:] ", purpose)[0]
    return _begin(first if len(first.split()) > 3 else purpose)


def write_entry(name, setting, old):
    """Return the entry of a setting, with what the *old* one has after its first two paragraphs."""
    values = re.sub(r"'(\w+)'", r'"\1"', re.sub(r" or None$", ", or unset", setting.rule.expected))
    values = re.sub(r'"[^"]+"|\b(?:True|False|None)\b', r"`\g<0>`", values)
    purpose = name_options(setting.help, _name_setting)
    # A purpose that says what each value does names all of them.
    is_repeat = values.startswith("one of ") and {*values[7:].split(", ")} <= {*re.findall("`[^`]+`", purpose)}
    paragraphs = [
        f"### {setting_name(name)}",
        f"{'' if is_repeat else f'{_begin(values)}. '}Default: {_default_of(name, setting)}",
        textwrap.fill(f"{_begin(purpose)}.", 120, break_long_words=False, break_on_hyphens=False),
        *old.strip().split("\n\n")[2:],
    ]
    return "\n\n".join(paragraphs) + "\n\n"


def _name_setting(name):
    return f"`{setting_name(name) if name in OPTIONS.keys() | CRAWL_SETTINGS.keys() else name}`"


def _default_of(name, setting):
    if name in DEFAULTS:
        return DEFAULTS[name]
    default = setting.default
    is_number = isinstance(default, int) and not isinstance(default, bool)
    return f"`{default:_}`" if is_number else "`{}`".format(repr(default).replace("'", '"'))


def _begin(sentence):
    return sentence[0].upper() + sentence[1:]


if __name__ == "__main__":
    PAGE.write_text(write_settings(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
