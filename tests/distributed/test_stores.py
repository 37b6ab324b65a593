"""Stores, in one process and in several."""

import gc
import os
import socket
import subprocess
import sys
import threading
import time
from datetime import timedelta

import pytest
from several import call

import rushlight.distributed as dist
from rushlight.distributed._stores import tcp

SHORT = timedelta(milliseconds=60)


def of_file(folder):
    return dist.FileStore(str(folder / "store"), 1)


STORES = {
    "hash": lambda folder: dist.HashStore(),
    "file": of_file,
    "tcp": lambda folder: dist.TCPStore("localhost", 0, 1, True),
    "prefix": lambda folder: dist.PrefixStore("in", dist.HashStore()),
    "prefixed tcp": lambda folder: dist.PrefixStore("in", dist.TCPStore("localhost", 0, 1, True)),
}


@pytest.fixture(params=STORES)
def store(request, tmp_path):
    return STORES[request.param](tmp_path)


def test_values(store):
    store.set("a", "1")
    store.set("b", b"\x00\xff")
    assert store.get("a") == b"1" and store.get("b") == b"\x00\xff"
    assert store.add("n", 3) == 3 and store.add("n", -1) == 2 and store.get("n") == b"2"
    assert store.check(["a", "b"]) and not store.check(["a", "c"])
    store.append("a", "23")
    assert store.get("a") == b"123"
    store.multi_set(["x", "y"], ["1", "2"])
    assert store.multi_get(["y", "x"]) == [b"2", b"1"]
    assert {"a", "b", "n", "x", "y"} <= set(store.list_keys())
    count = store.num_keys()
    assert store.delete_key("x") and not store.delete_key("x")
    assert store.num_keys() == count - 1
    assert store.has_extended_api()


def test_compare_set(store):
    assert store.compare_set("k", "other", "new") == b"other" and not store.check(["k"])
    assert store.compare_set("k", "", "first") == b"first"
    assert store.compare_set("k", "other", "new") == b"first"
    assert store.compare_set("k", "first", "new") == b"new"


def test_time_outs(store):
    assert store.timeout == timedelta(seconds=300)
    with pytest.raises(RuntimeError, match=r"(?i)timeout"):
        store.wait(["missing"], SHORT)
    store.set_timeout(SHORT)
    assert store.timeout == SHORT
    start = time.monotonic()
    with pytest.raises(RuntimeError, match=r"(?i)timeout"):
        store.get("missing")
    assert time.monotonic() - start < 5


def test_waiting(store):
    timer = threading.Timer(0.05, lambda: store.clone().set("late", "x"))
    timer.start()
    store.wait(["late"])
    assert store.get("late") == b"x"
    timer.join()


@pytest.mark.parametrize("name", ["hash", "tcp"])
def test_queues(name, tmp_path):
    store = STORES[name](tmp_path)
    store.queue_push("q", "1")
    store.queue_push("q", "2")
    assert store.queue_len("q") == 2
    assert store.queue_pop("q") == b"1" and store.queue_pop("q", False) == b"2"
    with pytest.raises(dist.QueueEmptyError):
        store.queue_pop("q", False)
    store.set_timeout(SHORT)
    with pytest.raises(dist.DistStoreError):
        store.queue_pop("q")


def test_a_server_and_its_errors():
    store = dist.TCPStore("localhost", 0, 1, True)
    assert store.host == "localhost" and store.port > 0 and store.libuvBackend
    with pytest.raises(dist.DistNetworkError, match="EADDRINUSE"):
        dist.TCPStore("localhost", store.port, 1, True)
    again = dist.TCPStore("localhost", store.port, is_master=False)
    again.set("a", "1")
    assert store.get("a") == b"1"
    port = store.port
    del store, again
    with pytest.raises(dist.DistNetworkError, match=r"timed out after 200ms.*localhost"):
        dist.TCPStore("localhost", port, timeout=timedelta(seconds=0.2))
    with pytest.raises(dist.DistStoreError, match="1/2 clients joined"):
        dist.TCPStore("localhost", 0, 2, True, timeout=timedelta(seconds=0.2))


def test_the_server_shares_a_port_if_it_may():
    store = dist.TCPStore("localhost", 0, None, True, multi_tenant=True)
    other = dist.TCPStore("localhost", store.port, None, True, multi_tenant=True)
    other.set("a", "1")
    assert store.get("a") == b"1"


def test_messages_are_read_as_they_were_written():
    value = ["text", b"\x00", 1 << 70, -3, 1.5, None, True, False, [["nested"], []]]
    assert tcp._unpacked(memoryview(tcp._packed(value)))[0] == value


def test_a_stranger_does_not_disturb():
    import socket

    store = dist.TCPStore("localhost", 0, 1, True)
    with socket.create_connection(("localhost", store.port)) as stranger:
        stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
    store.set("a", "1")
    assert store.get("a") == b"1"


class OwnStore(dist.Store):
    def __init__(self):
        super().__init__()
        self.values = {}

    def set(self, key, value):
        self.values[key] = value

    def get(self, key):
        return self.values[key]


def test_a_store_of_a_program():
    own = OwnStore()
    prefixed = dist.PrefixStore("p", own)
    prefixed.set("k", "v")
    assert own.values == {"p/k": b"v"} and prefixed.get("k") == b"v"
    assert prefixed.underlying_store is own
    assert dist.PrefixStore("q", prefixed)._underlying_non_prefix_store is own
    with pytest.raises(NotImplementedError, match=r"OwnStore has no add\(\)"):
        own.add("n", 1)


def test_a_file_goes_with_its_last_store(tmp_path):
    path = str(tmp_path / "store")
    first, second = dist.FileStore(path, 2), dist.FileStore(path, 2)
    assert first.path == path
    del first
    assert os.path.exists(path)
    del second
    assert not os.path.exists(path)


def test_a_file_that_was_removed_while_stores_use_it(tmp_path):
    store = of_file(tmp_path)
    store.set("a", "1")
    os.unlink(store.path)
    with pytest.raises(RuntimeError, match=r"store, .*, is not there any more"):
        store.set("a", "2")
    assert not os.path.exists(store.path)
    newcomer = of_file(tmp_path)
    with pytest.raises(RuntimeError, match=r"store, .*, has lost \d+ bytes"):
        store.set("a", "2")
    assert newcomer.list_keys() == ["efcount/"]


@pytest.mark.parametrize("made_again", [False, True])
def test_a_store_goes_quietly_when_its_file_has_gone(
    made_again, tmp_path, monkeypatch, new_objects_only
):
    complaints = []
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)
    store = of_file(tmp_path)
    store.set("a", "1")
    path = store.path
    os.unlink(path)
    if made_again:
        (tmp_path / "store").touch()
    del store
    with pytest.raises(FileNotFoundError):
        dist.FileStore(str(tmp_path / "no folder" / "store"))
    gc.collect()
    assert not complaints and os.path.exists(path) == made_again


def test_a_file_with_half_a_change_is_read(tmp_path):
    store = of_file(tmp_path)
    store.set("a", "1")
    with open(store.path, "ab") as file:
        file.write(b"\x05\x00\x00")
    other = dist.FileStore(store.path, 2)
    other.set("b", "2")
    assert store.get("a") == b"1" and store.get("b") == b"2"


def count_up(rank, size, port, path):
    stores = [
        dist.TCPStore("localhost", port, is_master=False),
        dist.FileStore(path, size),
    ]
    for store in stores:
        for _ in range(20):
            store.add("count", 1)
        store.barrier("met", size)
        assert store.get("count") == str(20 * size).encode()
        store.barrier("leaving", size)


def test_several_processes(tmp_path):
    server = dist.TCPStore("localhost", 0, None, True)
    call(3, count_up, 3, server.port, str(tmp_path / "store"))
    assert server.get("count") == b"60"


# -- rendezvous --


def test_urls(tmp_path, monkeypatch):
    store, rank, size = next(dist.rendezvous(f"file://{tmp_path}/f?rank=0&world_size=1"))
    assert isinstance(store, dist.FileStore) and (rank, size) == (0, 1)
    store, rank, size = next(dist.rendezvous("tcp://localhost:0", 0, 1))
    assert isinstance(store, dist.TCPStore) and (rank, size) == (0, 1)
    for name, value in [("RANK", "0"), ("WORLD_SIZE", "1"), ("MASTER_ADDR", "localhost")]:
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("MASTER_PORT", "0")
    store, rank, size = next(dist.rendezvous("env://"))
    assert (rank, size) == (0, 1)
    monkeypatch.delenv("MASTER_PORT")
    with pytest.raises(ValueError, match="MASTER_PORT expected, but not set"):
        next(dist.rendezvous("env://"))
    with pytest.raises(ValueError, match="rank parameter missing"):
        next(dist.rendezvous("tcp://localhost:1"))
    with pytest.raises(ValueError, match="port number missing"):
        next(dist.rendezvous("tcp://localhost", 0, 1))
    with pytest.raises(RuntimeError, match="No rendezvous handler for odd://"):
        dist.rendezvous("odd://x")
    again = dist.rendezvous(f"file://{tmp_path}/g", 0, 1)
    next(again)
    with pytest.raises(RuntimeError, match="rerendezvous"):
        next(again)


def test_a_scheme_of_a_program():
    def handler(url, **kwargs):
        yield dist.HashStore(), 0, 1

    dist.register_rendezvous_handler("own", handler)
    with pytest.raises(RuntimeError, match="already registered"):
        dist.register_rendezvous_handler("own", handler)
    dist.init_process_group("gloo", init_method="own://anything")
    try:
        assert dist.get_world_size() == 1
    finally:
        dist.destroy_process_group()


def test_importing_stores_starts_nothing():
    code = (
        "import sys, rushlight.distributed as dist; "
        "assert 'llvmlite' not in sys.modules and 'mpi4py' not in sys.modules; "
        "assert 'rushlight.distributed._groups.shared_memory.running' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


LEAVES_EARLY = """
import os, sys, time
from datetime import timedelta
import rushlight.distributed as dist
rank, port = int(sys.argv[1]), sys.argv[2]
dist.init_process_group(
    "gloo", init_method=f"tcp://localhost:{port}", rank=rank, world_size=2, timeout=timedelta(seconds=60)
)
if rank == 1:
    time.sleep(0.3)
    store = dist.distributed_c10d._get_default_store()
dist.new_group([0])
if rank == 1:
    time.sleep(0.3)
    store.set("late", "1")
dist.destroy_process_group()
"""


def test_whoever_serves_the_store_leaves_last():
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    ranks = [
        subprocess.Popen(
            [sys.executable, "-c", LEAVES_EARLY, str(rank), str(port)], stderr=subprocess.PIPE
        )
        for rank in range(2)
    ]
    for rank in ranks:
        _, errors = rank.communicate(timeout=60)
        assert rank.returncode == 0, errors.decode()
