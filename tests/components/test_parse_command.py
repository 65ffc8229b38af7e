"""``scrapy parse --pipelines`` as in the quickstart: it does not wait for pipelines that run off the event loop."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from mockserver import SENTENCE, MockSite
from places import DOCS

QUICKSTART = DOCS / "quickstart.md"
SPIDER = """
import scrapy

class News(scrapy.Spider):
    name = "news"

    def parse(self, response):
        yield {"url": response.url}
"""


@pytest.fixture
def project(tmp_path):
    package = tmp_path / "news"
    package.mkdir()
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = news.settings\n")
    (package / "__init__.py").touch()
    (package / "spiders.py").write_text(SPIDER)
    (package / "settings.py").write_text(
        'SPIDER_MODULES = ["news.spiders"]\nADDONS = {"scrapy_web2text.Addon": 300}\nTELNETCONSOLE_ENABLED = False\n'
        'WEB2TEXT_MODEL = "shallow:numwords"\nLOG_LEVEL = "ERROR"\n'
    )
    return tmp_path


def test_the_command_of_the_quickstart_shows_the_fields(project, site: MockSite):
    (command,) = re.findall(r"^\$ scrapy (parse .*) https://", QUICKSTART.read_text(encoding="utf-8"), re.MULTILINE)
    arguments = [*command.split(), "--spider", "news", "--nocolour", site.url("/article")]
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "scrapy", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
        cwd=project,
    )
    assert done.returncode == 0
    items = done.stdout.partition("# Scraped Items")[2]
    assert SENTENCE in re.sub(r"'\s+'", "", items)
    assert "'method': 'rules'" in items
