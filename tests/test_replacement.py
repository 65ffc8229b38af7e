from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from scrapy_web2text.common.files import remove_parts, replace_file, replacing


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "file.txt"
    path.write_bytes(b"old")
    return path


def fail(file, error):
    file.write(b"new")
    raise error


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("is_synced", [True, False])
def test_a_file_is_replaced_at_the_end_of_the_block(path, is_synced):
    with replacing(path, is_synced=is_synced) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert (path.read_bytes(), names(path.parent)) == (b"new", ["file.txt"])


def test_a_new_file_is_written(tmp_path):
    replace_file(tmp_path / "new.txt", b"new")
    assert (tmp_path / "new.txt").read_bytes() == b"new"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file(path, error):
    with pytest.raises(error), replacing(path) as file:
        fail(file, error)
    assert (path.read_bytes(), names(path.parent)) == (b"old", ["file.txt"])


@pytest.mark.parametrize("name", [None, "other.txt"])
def test_a_full_disk_is_an_error_that_names_the_file(path, name):
    with pytest.raises(OSError, match=f"{name or path}'$"), replacing(path) as file:
        fail(file, OSError(errno.ENOSPC, "No space left on device", name))


def test_the_message_of_another_error_is_kept(path):
    with pytest.raises(OSError, match=r"^nothing else$"), replacing(path) as file:
        fail(file, OSError("nothing else"))


def test_the_part_of_a_killed_process_with_the_same_number_is_written_anew(path):
    (path.parent / f"file.txt.{os.getpid()}.part").write_bytes(b"older and longer")
    replace_file(path, b"new")
    assert (path.read_bytes(), names(path.parent)) == (b"new", ["file.txt"])


@pytest.mark.skipif(os.name == "nt", reason="links and permissions of POSIX")
def test_a_link_stays_one_and_permissions_stay(path):
    path.chmod(0o600)
    link = path.with_name("link")
    link.symlink_to("file.txt")
    replace_file(link, b"new")
    assert link.is_symlink()
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o600)


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        replace_file(tmp_path / "no" / "file.txt", b"")


def test_parts_that_killed_processes_left_are_removed(path):
    parts = ("file.txt.1.part", "file.txt.22.part", "file.txt.mine.part", "other.txt.1.part")
    for name in parts:
        path.with_name(name).touch()
    remove_parts(path)
    assert names(path.parent) == ["file.txt", *parts[2:]]
