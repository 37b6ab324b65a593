"""Compiled objects on disk: shared, damaged, interrupted, refused."""

import os
import signal
import subprocess
import sys
import time

import pytest

from rushlight.engine.native import machine, object_cache, unfinished

SCRIPT = """
import rushlight as torch
x = torch.arange(100.0)
print((x * 2 + 1).sum().item(), x.exp().max().item() > 0, x.to(torch.int64)[3].item())
"""
EXPECTED = "10000.0 True 3"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(tmp_path))
    return tmp_path / object_cache.FORMAT


def start(script=SCRIPT):
    return subprocess.Popen(
        [sys.executable, "-c", script],
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process):
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return out.strip()


def files(folder):
    return sorted(p for p in folder.iterdir() if p.suffix == ".o")


def test_objects_come_back(folder):
    object_cache.store("abc", b"code")
    assert object_cache.load("abc") == b"code"
    assert object_cache.load("other") is None
    place, count, size = object_cache.info()
    assert place == str(folder) and count == 1 and size > 4
    assert object_cache.clear() == 1
    assert object_cache.info()[1] == 0


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:10],
        lambda data: data[:-1],
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: b"x" + data[1:],
        lambda data: bytes(len(data)),
    ],
)
def test_damaged_files_are_dropped(folder, damage):
    object_cache.store("abc", b"some code")
    path = folder / "abc.o"
    path.write_bytes(damage(path.read_bytes()))
    assert object_cache.load("abc") is None
    assert not path.exists()


def test_a_damaged_cache_is_made_anew(folder):
    assert finished(start()) == EXPECTED
    for number, path in enumerate(files(folder)):
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2] if number % 2 else data[:-8] + bytes(8))
    assert finished(start()) == EXPECTED
    assert finished(start()) == EXPECTED


def test_processes_share_an_empty_cache(folder):
    both = [start(), start()]
    assert [finished(p) for p in both] == [EXPECTED, EXPECTED]
    assert files(folder) and not list(folder.glob(".new-*"))


def test_killed_writers_leave_a_working_cache(folder):
    script = """
from rushlight.engine.native import object_cache
print("ready", flush=True)
for n in range(10**9):
    object_cache.store(f"key{n % 20}", bytes([n % 251]) * 100_000)
"""
    for attempt in range(5):
        process = start(script)
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.01 + 0.007 * attempt)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        for path in files(folder):
            code = object_cache.load(path.stem)
            assert code is not None and len(code) == 100_000 and len(set(code)) == 1
    assert finished(start()) == EXPECTED


def test_killed_compilers_leave_a_working_cache(folder):
    for attempt in range(3):
        process = start()
        time.sleep(0.2 + 0.15 * attempt)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert finished(start()) == EXPECTED


def test_a_folder_that_cannot_be_written(folder, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(tmp_path / "file"))
    object_cache.store("abc", b"code")
    assert object_cache.load("abc") is None
    assert object_cache.info()[1:] == (0, 0)
    assert finished(start()) == EXPECTED
    read_only = tmp_path / "sealed"
    read_only.mkdir()
    read_only.chmod(0o500)
    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(read_only))
    assert finished(start()) == EXPECTED
    read_only.chmod(0o700)


def test_the_same_text_gives_the_same_address(folder):
    ir = "define i64 @KERNEL(i64 %x) {\n  ret i64 %x\n}\n"
    assert machine.address(ir) == machine.address(ir)
    assert "ret" in machine.assembly(ir)
    with pytest.raises(RuntimeError):
        machine.address("define i64 @KERNEL(i64 %x) { nonsense }")


def given_away(path, monkeypatch):
    """Let a file or folder belong to another user."""
    if os.geteuid() == 0:
        os.chown(path, 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)


@pytest.mark.parametrize("mode", [0o770, 0o702, None])
def test_folders_that_others_may_write_to(folder, monkeypatch, mode):
    object_cache.store("abc", b"code")
    if mode is None:
        given_away(folder, monkeypatch)
    else:
        folder.chmod(mode)
    with pytest.warns(UserWarning, match="belongs to user" if mode is None else "may write to it"):
        assert object_cache.load("abc") is None
    # Once is enough.
    object_cache.store("other", b"code")
    assert [path.name for path in folder.iterdir()] == ["abc.o"]


@pytest.mark.parametrize("mode", [0o620, 0o602, None])
def test_files_that_others_may_write_to(folder, monkeypatch, mode):
    object_cache.store("abc", b"code")
    path = folder / "abc.o"
    if mode is None:
        if os.geteuid():
            pytest.skip("only the administrator can give a file away")
        given_away(path, monkeypatch)
    else:
        path.chmod(mode)
    assert object_cache.load("abc") is None
    object_cache.store("abc", b"better code")
    assert object_cache.load("abc") == b"better code"


def make_pipe(path, other):
    os.mkfifo(path)


def make_folder(path, other):
    path.mkdir()


def make_link(path, other):
    path.symlink_to(other)


def make_loop(path, other):
    path.symlink_to(path)


def make_huge(path, other):
    with open(path, "wb") as file:
        file.truncate(1 << 40)


@pytest.mark.parametrize("make", [make_pipe, make_folder, make_link, make_loop, make_huge])
def test_what_is_no_file_is_passed_over(folder, make):
    object_cache.store("abc", b"code")
    os.rename(folder / "abc.o", folder / "kept")
    make(folder / "abc.o", folder / "kept")
    assert object_cache.load("abc") is None
    object_cache.store("abc", b"better code")
    assert object_cache.load("abc") == (None if make is make_folder else b"better code")


@pytest.mark.parametrize("make", [make_pipe, make_folder, make_link, make_loop])
def test_an_unfinished_file_that_is_none(folder, make):
    object_cache.store("other", b"code")
    make(folder / ".new-abc", folder / "other.o")
    object_cache.store("abc", b"better code")
    assert object_cache.load("abc") is None and object_cache.load("other") == b"code"


def test_exchanged_objects_are_compiled_again(folder):
    assert finished(start()) == EXPECTED
    found = files(folder)
    contents = [path.read_bytes() for path in found]
    for path, data in zip(found, contents[1:] + contents[:1], strict=True):
        path.write_bytes(data)
    assert finished(start()) == EXPECTED
    assert [path.read_bytes()[:64] for path in files(folder)] == [data[:64] for data in contents]


def test_names_are_part_of_what_an_object_is_stored_for(folder):
    ir = "define i64 @one() {\n  ret i64 1\n}\ndefine i64 @two() {\n  ret i64 2\n}\n"
    assert set(machine.library(ir, ("one",))) == {"one"}
    assert set(machine.library(ir, ("two",))) == {"two"}


def test_what_a_killed_writer_left_is_taken_over(folder):
    killed = """
import os, signal
from rushlight.engine.native import object_cache
os.replace = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)
object_cache.store("abc", b"code")
"""
    start(killed).communicate()
    assert [path.name for path in folder.iterdir()] == [".new-abc"]
    assert object_cache.load("abc") is None
    object_cache.store("abc", b"code")
    assert [path.name for path in folder.iterdir()] == ["abc.o"]
    assert object_cache.load("abc") == b"code"


def test_one_writer_at_a_time(folder, monkeypatch):
    def replace(*args, **kwargs):
        monkeypatch.setattr(os, "replace", plain)
        object_cache.store("abc", b"another's code")
        plain(*args, **kwargs)

    plain = os.replace
    monkeypatch.setattr(os, "replace", replace)
    object_cache.store("abc", b"code")
    assert object_cache.load("abc") == b"code"
    assert [path.name for path in folder.iterdir()] == ["abc.o"]


def test_file_systems_without_locks(folder, monkeypatch):
    def refuse(*args):
        raise OSError(38, "not implemented")

    monkeypatch.setattr(unfinished.fcntl, "flock", refuse)
    object_cache.store("abc", b"code")
    assert object_cache.load("abc") == b"code"
    assert [path.name for path in folder.iterdir()] == ["abc.o"]
