from __future__ import annotations

import re
from importlib import import_module

import pytest
from places import ROOT

from scrapy_web2text.labelers.registry import KINDS

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "research").rglob("*.py"))
}
COMMANDS = [name for name, code in MODULES.items() if re.search(r"^if __name__ ==", code, re.MULTILINE)]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_knows_the_labelers_of_the_comparison_systems(name, monkeypatch, capsys):
    main = import_module(name).main
    for kind in ("crf", "dragnet", "boilernet", "semtext"):
        monkeypatch.delitem(KINDS, kind)
    monkeypatch.setattr("sys.argv", ["command", "--help"])
    with pytest.raises(SystemExit):
        main()
    assert {"crf", "dragnet", "boilernet", "semtext"} <= KINDS.keys()
    assert "usage: " in capsys.readouterr().out


def test_the_commands_are_found():
    assert {"research.__main__", "research.comparison.__main__", "research.semtext.transfer"} <= {*COMMANDS}
