from __future__ import annotations

import sys

from fuzz import __main__ as driver


def test_without_atheris_fuzzing_is_skipped_with_a_reason(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "atheris", None)
    assert driver.main() == 0
    assert capsys.readouterr().out.startswith("make fuzz: skipped: ")


def test_the_shortest_input_of_each_failure_is_kept(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(driver, "FOUND", tmp_path)

    def run(data: bytes) -> None:
        if b"<b>" in data:
            raise ValueError
        assert b"<i>" not in data

    collector = driver._Collector("extract", run)
    for data in (b"<p>One <b>two</b>", b"<b>", b"<p>Three", b"<u><b>", b"<u><i>four</i></u>"):
        collector.run(data)
    assert sorted(path.read_bytes() for path in tmp_path.iterdir()) == [b"<b>", b"<u><i>four</i></u>"]
    assert "ValueError" in capsys.readouterr().err
