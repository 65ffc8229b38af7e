"""``python -m scrapy_web2text`` is the command ``web2text``."""

from __future__ import annotations

import sys

from scrapy_web2text.cli.main import main

sys.exit(main())
