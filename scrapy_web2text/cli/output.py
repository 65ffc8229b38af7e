"""What commands print: answers, messages and progress; and where they may write."""

from __future__ import annotations

import os
import sys
import time
import webbrowser
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeVar

from scrapy_web2text.common.files import check_out_file
from scrapy_web2text.exceptions import say
from scrapy_web2text.reasons import explain_no_content

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_web2text.extraction import Extraction
    from scrapy_web2text.view.server import EditorServer

_T = TypeVar("_T")
_SECONDS_BETWEEN: Final = 0.1
# Exit status of a command that was ended by Ctrl-C or by a closed pipe, as shells report it.
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141


def print_answer(command: str, page: str, extraction: Extraction, text: str) -> None:
    """Print *text*, a form of the answer for *page*; a page without main content is reported on standard error."""
    if text:
        print(text)
    if extraction.no_main_content:
        say(f"{command}: {page}: no main content{explain_no_content(extraction.page_kind)}")


def report_unmatched(command: str, page: str, extraction: Extraction, include: tuple[str, ...]) -> None:
    """Report on standard error that the selectors *include*, an option, find no text on *page*."""
    from scrapy_web2text.answer.summary import is_unmatched

    if is_unmatched(extraction, include):
        what = f"the selectors of include ({', '.join(include)}) find no text"
        say(f"{command}: {page}: {what}; the page is answered without them")


def run_until_closed(run: Callable[[], int]) -> int:
    """Return the exit status of *run*; BROKEN_PIPE if the reader of its output, such as ``head``, has closed it."""
    try:
        status = run()
        sys.stdout.flush()  # so that a closed pipe is noticed here
    except BrokenPipeError:
        _discard_output()
        return BROKEN_PIPE
    return status


def _discard_output() -> None:
    """Discard the buffered output; otherwise Python would fail to flush it at exit and print an error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def serve(server: EditorServer, before: str, *, opens_browser: bool) -> None:
    """Print the address of *server* after *before*, and serve until Ctrl-C."""
    print(f"{before}open {server.url} (Ctrl-C ends)", flush=True)
    if opens_browser:
        webbrowser.open(server.url)
    with suppress(KeyboardInterrupt):
        server.serve_forever()
    say("")  # after the ^C that a terminal shows


def show_progress(items: Iterable[_T], n_items: int | None, /, *, title: str = "", unit: str = "page") -> Iterator[_T]:
    """Yield *items*, and show on standard error, if it is a terminal, how many were taken."""
    if not sys.stderr.isatty():
        yield from items
        return
    before, of = title and f"{title}: ", "" if n_items is None else f"of {n_items:,} "
    n_done, shown, line = 0, 0.0, ""
    try:
        for item in items:
            yield item
            n_done += 1
            if time.monotonic() - shown >= _SECONDS_BETWEEN:
                shown = time.monotonic()
                line = f"{before}{n_done:,} {of}{unit}{'s' * ((n_items or n_done) != 1)}"
                sys.stderr.write(f"{line}\r")  # so that a message overwrites it
                sys.stderr.flush()
    finally:
        sys.stderr.write(f"{' ' * len(line)}\r")


def check_viewer(path: Path, *, may_overwrite: bool) -> None:
    """Raise an OSError if *path* cannot be written; an earlier file of the viewer may always be overwritten."""
    from scrapy_web2text.sources.pages import is_view  # loads numpy

    check_out_file(path, may_overwrite=may_overwrite or (path.is_file() and is_view(path)))


def check_out_folder(out: Path, *, is_replaced: bool) -> None:
    """Raise an OSError if a command cannot write the folder *out*, or a ValueError if it cannot be a model folder."""
    from scrapy_web2text.labelers.weights import PACKAGED_MODELS, is_model_name, shipped_models  # loads numpy

    name = out.resolve().name
    if name in {*PACKAGED_MODELS, *shipped_models()}:
        raise ValueError(f"--out: {name!r} is the name of a shipped model; expected another name")
    if not is_model_name(name):
        raise ValueError(f"--out: expected a folder whose name has 1 to 100 printable characters, got {name!r}")
    if out.exists() and not is_replaced:
        raise FileExistsError(f"--out: {out} exists; --force replaces it")
    out.parent.mkdir(parents=True, exist_ok=True)  # fails now, not after the work
