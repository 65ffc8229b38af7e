"""What the page runs in Python: the answer for a page, and its viewer."""

import json
import time

if not hasattr(time, "thread_time"):  # as in Pyodide, which has one thread
    time.thread_time = time.process_time

from scrapy_web2text.exceptions import Web2TextError
from scrapy_web2text.options import Options
from scrapy_web2text.view.seen import read_input, show_page


def answer(message: str) -> str:
    """Return what ``web2text serve`` answers for the page in *message*; both are JSON."""
    given = json.loads(message)
    try:
        found = show_page(Options(**given["options"]), *read_input(given))
    except (ValueError, Web2TextError) as error:
        found = {"error": str(error)}
    return json.dumps(found)
