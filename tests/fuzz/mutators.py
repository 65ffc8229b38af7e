"""Random changes of pages and of JSON that keep most of their structure, which changes of bytes destroy."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random


_TOKEN = re.compile(rb"<[^<>]*>|[^<>]+|[<>]")
TAGS = """
    a abbr address article aside b base blockquote body br button caption center cite code col dd del details div dl dt
    em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html i iframe
    img input ins kbd label legend li link main mark math menu meta mi mtext nav noframes noscript object ol optgroup
    option p picture plaintext pre q rp rt ruby s samp script section select small source span strong style sub summary
    sup svg table tbody td template textarea tfoot th thead time title tr tt u ul var video wbr xmp x-tag o:p xml:a
""".split()
ATTRIBUTES = (
    *('class="content article"', "class=nav", 'class="language-py hljs"', "hidden", "style=display:none", "id=main"),
    *("role=main", "aria-hidden=true", "itemprop=articleBody", "itemscope", "itemtype=//schema.org/Article"),
    *("href=/a", "href=javascript:a", "href=' java&#9;script:a'", "href=//b/`|)", "src=/i.png", "src=data:a"),
    *("alt='`|<'", "name=author", "property=og:title", "content='A title'", "rel=author", "http-equiv=x"),
    *("colspan=3", "rowspan=99", "start=-5", "value=99999999999", "lang=de", "xmlns=x", "xml:lang=x", "a:b=c", '"=""'),
    *(
        "type=application/ld+json",
        "charset=utf-16",
        "charset=shift_jis",
        "data-src=/i.png",
        "width=1",
        "onclick=a",
        "srcset='/a 1x, /b 2x'",
    ),
)
TEXTS = (
    *(
        "A few words of text. ",
        "word " * 30,
        "1",
        "1. ",
        "- ",
        "# ",
        "* ",
        "|",
        "`",
        "```",
        "~~~",
        "_a_",
        "[a](b)",
        "](javascript:a)",
        "$[$ \\([\\)",
        "!",
    ),
    *"&lt; &lt;script&gt; &amp; &amp;#1 &#0; &#x110000; &#150; &nbsp; & &#55296; ---&gt;".split(),
    *"\0 \x01 \x7f \u200b \ufeff \ufffe 😀 日本語。".split(" "),
    *("\x0b", "\x0c", "\x1f", "\x85", "\xa0", "\u2028", "\r", "\n", "\t", "  "),
    *("<!--", "-->", "<![CDATA[", "]]>", "<?php", "?>", "<!DOCTYPE html>", "</", "<", ">"),
    *('{"@type":"Article","headline":', '"articleBody":"', "[1,[", "NaN", '"}', "¶", "#", "e\u0301", "ǅ", "\u202e"),
)
BYTES = (b"\xff\xfe", b"\xef\xbb\xbf", b"\x80\x81", b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f", b"\x1b$B", b"\x00")
CONSTANTS = (
    *(None, True, 0, -1, 1, 0.5, 1e308, -1e-308, 2**31, 2**63, 10**19),
    *("", "a", "../a", "\0", "\ud800", [], {}, [[]]),
)


def mutate_html(data: bytes, random: random.Random) -> bytes:
    """Return *data* with one to four changes of its tags and texts."""
    tokens = _TOKEN.findall(data)
    for _ in range(random.randint(1, 4)):
        _change_tokens(tokens, random)
    return b"".join(tokens)


def _change_tokens(tokens: list[bytes], random: random.Random) -> None:
    start = random.randint(0, len(tokens))
    end = min(len(tokens), start + random.choice((0, 1, 1, 2, 5, 20)))
    part = tokens[start:end]
    tag = _open_tag(random)
    change = random.randrange(9)
    if change == 0:
        tokens[start:end] = []
    elif change == 1:
        tokens[start:start] = part * random.choice((1, 2, 10, 100))
    elif change == 2:  # move
        tokens[start:end] = []
        at = random.randint(0, len(tokens))
        tokens[at:at] = part
    elif change == 3:
        tokens[start:end] = [tag, *part, _close_tag(tag)]
    elif change == 4:
        n = random.choice((1, 3, 30, 300))
        tokens[start:end] = [tag] * n + part + [_close_tag(tag)] * random.choice((0, 1, n))
    elif change == 5:
        tokens.insert(start, random.choice((tag, _close_tag(tag))))
    elif change == 6 and part and part[0].startswith(b"<"):
        tokens[start] = part[0][:-1] + b" " + random.choice(ATTRIBUTES).encode() + b">"
    elif change == 7:
        tokens.insert(start, random.choice(BYTES))
    else:
        tokens.insert(start, random.choice(TEXTS).encode("utf-8", "surrogatepass"))


def _open_tag(random: random.Random) -> bytes:
    attributes = "".join(f" {random.choice(ATTRIBUTES)}" for _ in range(random.choice((0, 0, 1, 2))))
    return f"<{random.choice(TAGS)}{attributes}>".encode()


def _close_tag(tag: bytes) -> bytes:
    return b"</" + re.split(rb"[ >]", tag[1:], maxsplit=1)[0] + b">"


def mutate_json(text: bytes, random: random.Random) -> bytes:
    """Return the JSON *text* with one value replaced, dropped, added or moved; unchanged if it is not JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    holders = [holder for holder in _walk(value) if holder]
    if not holders:
        return json.dumps(random.choice(CONSTANTS)).encode()
    holder = random.choice(holders)
    key = random.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    change = random.randrange(4)
    if change == 0:
        del holder[key]
    elif change == 1:
        holder[key] = random.choice(CONSTANTS)
    elif change == 2:
        other = random.choice(holders)
        holder[key] = json.loads(json.dumps(random.choice(list(other.values()) if isinstance(other, dict) else other)))
    elif isinstance(holder, dict):
        holder[random.choice(("a", "weights", "name", ""))] = holder[key]
    else:
        holder.append(holder[key])
    return json.dumps(value).encode()


def _walk(value: Any) -> list[Any]:
    """Return all dicts and lists in *value*."""
    found, waiting = [], [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict | list):
            found.append(one)
            waiting += one.values() if isinstance(one, dict) else one
    return found


def mutate_bytes(data: bytes, random: random.Random) -> bytes:
    """Return *data* with one to four of its parts changed, dropped, copied, moved, or repeated."""
    for _ in range(random.randint(1, 4)):
        start = random.randint(0, len(data))
        end = min(len(data), start + random.choice((1, 1, 2, 4, 16, 100)))
        part = data[start:end]
        number = random.choice((0, 1, 0x7F, 0xFF, 0x7FFFFFFF, 0xFFFFFFFF, random.getrandbits(32)))
        changes = (
            b"",
            random.randbytes(len(part)),
            bytes(byte ^ (1 << random.randrange(8)) for byte in part),
            number.to_bytes(4, "little")[: max(1, len(part))],
            part * random.choice((2, 10, 1000)),
            data[(at := random.randint(0, len(data))) : at + len(part)],
        )
        data = data[:start] + random.choice(changes) + data[end:]
    return data


def amplify_html(data: bytes, random: random.Random) -> bytes:
    """Return *data* with a part repeated often, or other changes: what grows faster than its page is found so."""
    if random.random() < 0.4:
        return mutate_html(data, random)
    start = random.randint(0, len(data))
    end = start + random.choice((1, 1, 2, 5, 10, 30, 100))
    return data[:start] + data[start:end] * random.choice((10, 100, 1000, 5000)) + data[end:]
