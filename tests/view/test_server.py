from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from types import SimpleNamespace

import pytest
from mockserver import write_articles
from view.served import ask, open_session, serve, write_site_page

from scrapy_web2text.cli.main import main
from scrapy_web2text.labels.files import read_labels
from scrapy_web2text.view.document import confidence_key


@pytest.fixture
def folder(tmp_path):
    return write_articles(tmp_path / "pages", 3)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "labels.jsonl"


@pytest.fixture
def server(folder, out):
    with serve(folder, "--out", out, "--reader", "me") as server:
        yield server


def read(server, number=0):
    status, _, body = ask(server, "GET", f"pages/{number}")
    assert status == 200
    return json.loads(body)


@pytest.fixture
def site(tmp_path):
    """Pages of a site whose letter the rules take for content."""
    pages = tmp_path / "site"
    pages.mkdir()
    for number in range(4):
        (pages / f"{number}.html").write_text(write_site_page(number), encoding="utf-8")
    return pages


def label_by_hand(server, number):
    page = read(server, number)
    labels = "".join(str(int("Letter" not in text)) for text in page["texts"])
    assert ask(server, "POST", f"labels/{number}", message(page, labels=labels))[0] == 200


def message(page, **changes):
    labels = "".join(map(str, page["labels"]))
    return {"labels": labels, "version": page["saved"]["version"], "done": True, **changes}


def test_labels_are_saved_and_read_again(server, folder, out):
    page = read(server)
    labels = "1" * len(page["labels"])
    given = {"labels": labels, "kind": "content", "type": "article", "certainty": 0.5, "note": "all of it"}
    status, _, body = ask(server, "POST", "labels/0", message(page, **given))
    assert (status, json.loads(body)["state"]) == (200, "done")
    version = json.loads(body)["version"]
    (reading,) = read_labels(out).values()
    assert reading.content == ((0, len(labels) - 1),)
    assert (reading.reader, reading.type, reading.certainty, reading.note) == ("me", "article", 0.5, "all of it")
    assert (out.parent / reading.file).read_bytes()
    assert len(reading.words) == len(reading.paths) == reading.n_blocks
    saved = read(server)["saved"]
    assert saved["labels"] == [1] * len(labels)
    assert (saved["version"], saved["state"], saved["n_lost"], saved["type"]) == (version, "done", 0, "article")
    assert open_session(folder, "--out", out).list_pages()[-1]["state"] == "done"


def test_the_document_allows_its_own_requests_only(server):
    status, headers, body = ask(server, "GET", "")
    assert status == 200
    assert server.server_address[0] == "127.0.0.1"
    assert "connect-src 'self'; " in body.decode()
    assert server.token not in body.decode()
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert headers["content-security-policy"] == "frame-ancestors 'none'"
    assert not [name for name in headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1"}, 421),
        ({"Host": ""}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content-Length": "4000001"}, 413),
        ({"Content-Length": "-1"}, 411),
        ({"Content-Length": ""}, 411),
        ({"Transfer-Encoding": "chunked"}, 411),
    ],
)
def test_requests_from_elsewhere_change_nothing(server, out, headers, status):
    answer, sent, body = ask(server, "POST", "labels/0", message(read(server)), headers)
    assert answer == status
    assert not [name for name in sent if name.startswith("access-control")]
    assert server.token not in body.decode()
    assert [*out.parent.glob("labels*")] == []


def test_a_name_that_leads_to_this_machine_reads_nothing(server):
    host = f"evil.example:{server.server_port}"
    assert ask(server, "GET", "", headers={"Host": host, "Origin": ""})[0] == 421
    assert ask(server, "GET", "pages/0", headers={"Host": host, "Origin": f"http://{host}"})[0] == 421
    local = f"localhost:{server.server_port}"
    assert ask(server, "GET", "pages/0", headers={"Host": local, "Origin": f"http://{local}"})[0] == 200


@pytest.mark.parametrize("token", ["wrong", "%2e%2e", "..", "pages", "%C3%A9"])
def test_a_wrong_token_finds_nothing(server, token):
    assert ask(server, "GET", "pages/0", token=token)[0] == 404
    assert ask(server, "POST", "labels/0", message(read(server)), token=token)[0] == 404


@pytest.mark.parametrize(
    "path",
    [
        "../../etc/passwd", "pages/../../../etc/passwd", "pages/..%2f..%2fetc", "pages/0.html", "pages/3", "pages/-1",
        "pages/", "labels/0", "pages/0?x=1", "pages/0/", "pages/00000000", "pages/%30", "favicon.ico",
        "rules/3", "rules",
    ],
)  # fmt: skip
def test_paths_name_numbers_of_pages_only(server, path):
    assert ask(server, "GET", path)[0] == 404


@pytest.mark.parametrize(
    "request_line",
    [b"GET", b"GET /", b"BREW / HTTP/1.1", b"GET / HTTP/9.9", b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200, b"a" * 70_000],
    ids=["short", "old", "method", "version", "headers", "long"],
)
def test_errors_have_the_headers_of_other_answers(server, request_line):
    with socket.create_connection(server.server_address, timeout=10) as client:
        client.sendall(request_line + b"\r\n\r\n")
        head = client.recv(1 << 16).decode().lower()
    assert re.match(r"http/1.1 (4|5)\d\d ", head)
    for header in ("x-frame-options: deny", "x-content-type-options: nosniff", "cache-control: no-store"):
        assert head.count(header) == 1


def test_idle_connections_are_closed_if_there_are_many(server, monkeypatch):
    monkeypatch.setattr("scrapy_web2text.view.server._MOST_THREADS", threading.active_count() + 2)
    clients = [socket.create_connection(server.server_address, timeout=10) for _ in range(5)]
    assert [client.recv(1) for client in clients[2:]] == [b""] * 3
    for client in clients:
        client.close()
    monkeypatch.undo()
    assert ask(server, "GET", "")[0] == 200


def test_idle_connections_that_take_all_threads_keep_a_user_waiting_for_seconds_only(server, monkeypatch):
    monkeypatch.setattr("scrapy_web2text.view.server._MOST_THREADS", threading.active_count() + 2)
    clients = [socket.create_connection(server.server_address, timeout=10) for _ in range(2)]
    start, status = time.monotonic(), None
    while status is None:
        with suppress(OSError):
            status = ask(server, "GET", "")[0]
        time.sleep(0.1)
    assert (status, time.monotonic() - start < 10) == (200, True)
    for client in clients:
        client.close()


@pytest.mark.parametrize("start", [b"", b"GET / HTTP/1.1\r\n", b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n"])
def test_a_client_that_sends_a_byte_now_and_then_is_not_waited_for(server, monkeypatch, start):
    monkeypatch.setattr("scrapy_web2text.view.server._SECONDS", 0.5)
    with socket.create_connection(server.server_address, timeout=0.1) as client:
        client.sendall(start)
        answer = None
        for _ in range(100):
            with suppress(TimeoutError):
                answer = client.recv(1 << 16)
                break
            client.sendall(b"a")
    assert answer is not None  # the end of the connection, or an error


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "HEAD"])
def test_other_methods_are_not_answered(server, method):
    status, headers, _ = ask(server, method, "")
    assert status == 501
    assert not [name for name in headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "change",
    [
        {"labels": "1"}, {"labels": None}, {"labels": "2" * 500},
        {"kind": "blog"},
        {"certainty": 2}, {"certainty": "1"}, {"certainty": True}, {"note": 1}, {"note": "x" * 10_001},
    ],
)  # fmt: skip
def test_impossible_labels_are_refused(server, out, change):
    status, _, body = ask(server, "POST", "labels/0", message(read(server), **change))
    assert status == 400
    assert json.loads(body)["error"]
    assert [*out.parent.glob("labels*")] == []


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"[" * 100_000, b"\xff"])
def test_other_bodies_are_refused(server, body):
    assert ask(server, "POST", "labels/0", body)[0] == 400


def test_a_page_has_the_url_that_it_states_and_keeps_the_id_of_its_file(site, out, capsys):
    with serve(site, "--out", out, "--model", "shallow:all") as server:
        for number in range(3):
            label_by_hand(server, number)
    for (_, name), reading in read_labels(out).items():
        assert reading.url == f"https://www.valley.example/{name.removesuffix('.html')}"
    assert main(["rule", str(out), "--model", "shallow:all"]) == 0
    assert capsys.readouterr().out == '["valley.example"]\nexclude = [".promo"]\n'


def test_the_rule_that_fits_two_labeled_pages_suggests_the_labels_of_the_next(site, out):
    with serve(site, "--out", out, "--model", "shallow:all") as server:
        label_by_hand(server, 0)
        assert ask(server, "POST", "labels/1", message(read(server, 1), done=False))[0] == 200  # a draft does not count
        assert json.loads(ask(server, "GET", "rules/1")[2])["n_pages"] == 0
        label_by_hand(server, 1)
        status, _, body = ask(server, "GET", "rules/2")
        found = json.loads(body)
        assert (status, found["site"], found["rule"], found["n_pages"]) == (200, "valley.example", ["not .promo"], 2)
        assert found["model_f1"] < found["f1"] == 1
        assert found["labels"] == [int("Letter" not in text) for text in read(server, 2)["texts"]]


def test_a_rule_that_takes_too_long_is_not_shown_and_pages_are_saved_meanwhile(site, out, monkeypatch):
    monkeypatch.setattr("scrapy_web2text.view.rules._SECONDS", 0)
    with serve(site, "--out", out, "--model", "shallow:all") as server:
        with server.session._rule_lock:  # as if one were looked for
            label_by_hand(server, 0)
            label_by_hand(server, 1)
        assert json.loads(ask(server, "GET", "rules/2")[2])["n_pages"] == 0


def test_suggestions_are_for_the_blocks_of_a_page_as_it_was_opened(site, out):
    with serve(site, "--out", out, "--model", "shallow:all") as server:
        label_by_hand(server, 0)
        label_by_hand(server, 1)
        n_blocks = len(read(server, 2)["texts"])
        file = site / read(server, 2)["name"]
        file.write_bytes(file.read_bytes().replace(b"</body>", b"<p>One more paragraph, in a block of its own.</p>"))
        assert len(json.loads(ask(server, "GET", "rules/2")[2])["labels"]) == n_blocks
        assert len(read(server, 2)["texts"]) == n_blocks + 1
        assert len(json.loads(ask(server, "GET", "rules/2")[2])["labels"]) == n_blocks + 1


def test_a_labeled_page_that_can_no_longer_be_read_is_left_out_of_the_rule(site, out):
    with serve(site, "--out", out, "--model", "shallow:all") as server:
        for number in range(3):
            label_by_hand(server, number)
        (site / read(server, 0)["name"]).write_bytes(b"<div>" * 300_000)
        status, _, body = ask(server, "GET", "rules/3")
        assert (status, json.loads(body)["n_pages"]) == (200, 2)


def test_a_second_tab_does_not_overwrite_the_first(server, out):
    first, second = read(server), read(server)
    assert ask(server, "POST", "labels/0", message(first))[0] == 200
    status, _, body = ask(server, "POST", "labels/0", message(second, note="later"))
    assert (status, "another tab" in json.loads(body)["error"]) == (409, True)
    assert [reading.note for reading in read_labels(out).values()] == [""]


def test_a_second_program_does_not_overwrite_the_first(server, folder, out):
    page = read(server)
    with serve(folder, "--out", out) as second:
        assert ask(second, "POST", "labels/0", message(read(second), note="first"))[0] == 200
        assert ask(server, "POST", "labels/0", message(page, note="second"))[0] == 409
        assert ask(server, "POST", "labels/0", message(read(server), note="third"))[0] == 200
    assert [reading.note for reading in read_labels(out).values()] == ["third"]


def test_a_page_that_changes_on_the_disk_gets_no_labels_of_its_old_texts(server, folder, out):
    page = read(server)
    file = folder / page["name"]
    file.write_bytes(file.read_bytes().replace(b"</p>", b" Changed.</p>"))
    assert ask(server, "POST", "labels/0", message(page | {"saved": {"version": None}}))[0] == 409
    read(server, 1)  # from now on, page 0 is no longer kept
    status, _, body = ask(server, "POST", "labels/0", message(page))
    assert (status, "open the page again" in json.loads(body)["error"]) == (409, True)
    assert any("Changed." in text for text in read(server)["texts"])
    assert ask(server, "POST", "labels/0", message(read(server)))[0] == 200
    (reading,) = read_labels(out).values()
    assert reading.n_blocks == len(page["labels"])


def test_a_bug_is_an_answer_and_is_logged(server, monkeypatch, caplog):
    monkeypatch.setattr(server.session, "read", lambda number: 1 / 0)
    status, _, body = ask(server, "GET", "pages/0")
    assert (status, json.loads(body)["error"]) == (500, "ZeroDivisionError('division by zero')")
    assert "Cannot answer a request" in caplog.text


def test_pages_on_another_drive_are_named(server, monkeypatch, out, folder):
    def fail(path, start):
        raise ValueError("path is on mount 'D:'")

    page = read(server)
    monkeypatch.setattr("scrapy_web2text.view.session.os.path.relpath", fail)
    assert ask(server, "POST", "labels/0", message(page))[0] == 200
    (reading,) = read_labels(out).values()
    assert reading.file.startswith(folder.resolve().as_posix())


def test_a_page_that_is_gone_is_an_error(server, folder):
    read(server, 1)
    for file in folder.iterdir():
        file.unlink()
    status, _, body = ask(server, "GET", "pages/0")
    assert (status, "No such file" in json.loads(body)["error"]) == (500, True)


def test_the_server_outlives_a_client_that_is_gone(server):
    with socket.create_connection(("127.0.0.1", server.server_port)) as client:
        client.sendall(b"POST / HTTP/1.1\r\nContent-Length: 1")
    with socket.create_connection(("127.0.0.1", server.server_port)) as client:
        client.sendall(b"\x16\x03\x01 nonsense\r\n\r\n")
        assert b"400" in client.recv(1000)
    assert ask(server, "GET", "")[0] == 200


def test_killed_at_any_time_nothing_is_lost(folder, out):
    command = [sys.executable, "-m", "scrapy_web2text", "label", str(folder), "--out", str(out), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        port, token = re.search(r":(\d+)/(\S+)/", process.stdout.readline()).groups()
        server = SimpleNamespace(server_port=int(port), token=token)
        for number, is_done in enumerate([True, False]):
            assert ask(server, "POST", f"labels/{number}", message(read(server, number), done=is_done))[0] == 200
        process.send_signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    states = {page["state"] for page in open_session(folder, "--out", out).list_pages()}
    assert states == {"", "draft", "done"}


def test_labels_survive_a_page_that_changed(folder, out):
    with serve(folder, "--out", out) as server:
        name = server.session.list_pages()[0]["name"]
        ask(server, "POST", "labels/0", message(page := read(server)))
    path = folder / name
    path.write_text(path.read_text(encoding="utf-8").replace("<body>", "<body><p>A new banner</p>"), encoding="utf-8")
    with serve(folder, "--out", out) as server:
        number = [entry["name"] for entry in server.session.list_pages()].index(name)
        assert read(server, number)["saved"]["labels"] == [-1, *page["labels"]]


def test_pages_that_are_not_done_are_first_and_the_least_sure_of_them(folder, out):
    (folder / "unsure.html").write_text("<p>A short text.</p><p>Menu</p>", encoding="utf-8")
    with serve(folder, "--out", out) as server:
        pages = server.session.list_pages()
        names = [entry["name"] for entry in pages]
        assert pages == sorted(pages, key=lambda entry: confidence_key(entry["facts"]))
        assert ask(server, "POST", "labels/0", message(read(server)))[0] == 200
    assert [entry["name"] for entry in open_session(folder, "--out", out).list_pages()] == [*names[1:], names[0]]
