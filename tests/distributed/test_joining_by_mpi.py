"""What processes that were started apart answer when their MPI asks for the others; MPI itself is not needed."""

import os
import socket
import threading
from datetime import timedelta

import pytest

import rushlight.distributed as dist
from rushlight.distributed._groups import joining, mpi


class Asking:
    """What MPI does: it asks in lines of text.

    Args:
        store: where processes find each other
        rank: of this one
        nodes: the machine of each
    """

    def __init__(self, store, rank, nodes, seconds=10):
        self.starter = joining._Starter(store, rank, nodes, timedelta(seconds=seconds))
        self.socket = socket.socket(fileno=os.dup(self.starter.descriptor))
        self.lines = self.socket.makefile("rw")

    def close(self):
        self.lines.close()
        self.socket.close()
        self.starter.close()

    def __call__(self, line):
        self.lines.write(f"{line}\n")
        self.lines.flush()
        return self.lines.readline().strip()


@pytest.fixture
def asking():
    made = []

    def begin(*given, **options):
        made.append(Asking(*given, **options))
        return made[-1]

    yield begin
    for one in made:
        one.close()


def test_a_starter_answers_out_of_the_store(asking):
    ask = asking(dist.HashStore(), 1, [0, 0, 1])
    assert ask("cmd=init pmi_version=1 pmi_subversion=1").endswith("pmi_subversion=1 rc=0")
    assert ask("cmd=get_universe_size") == "cmd=universe_size size=3"
    assert ask("cmd=get kvsname=rushlight key=PMI_process_mapping").endswith(
        "value=(vector,(0,1,2),(1,1,1))"
    )
    assert "rc=-1" in ask("cmd=get kvsname=rushlight key=address")
    assert ask("cmd=put kvsname=rushlight key=address value=tcp#1") == (
        "cmd=put_result rc=0 msg=success"
    )
    assert ask("cmd=get kvsname=rushlight key=address").endswith("rc=0 msg=success value=tcp#1")
    assert "rc=-1" in ask("cmd=spawn")


def _together(function, count):
    """Call a function in so many threads."""
    threads = [threading.Thread(target=function, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_processes_wait_for_each_other(asking):
    store = dist.HashStore()
    both = [asking(store, rank, [0, 0]) for rank in range(2)]
    said = []
    for _ in range(3):
        _together(lambda k: said.append(both[k]("cmd=barrier_in")), 2)
    assert said == ["cmd=barrier_out rc=0"] * 6


def test_mpi_is_told_when_somebody_does_not_come(asking, monkeypatch):
    ask = asking(dist.HashStore(), 0, [0, 0], seconds=0.05)
    assert ask("cmd=barrier_in") == "cmd=barrier_out rc=-1 msg=failed"
    # who leaves goes on
    monkeypatch.setattr(joining, "_FAREWELL", timedelta(seconds=0.05))
    ask.starter.timeout = joining._FAREWELL
    assert ask("cmd=barrier_in") == "cmd=barrier_out rc=0"


def test_who_cannot_join_is_named_by_all(monkeypatch):
    monkeypatch.setattr(mpi, "is_there", lambda: False)
    store, said = dist.HashStore(), {}

    def join(rank):
        try:
            joining.join(store, rank, [0, 1], timedelta(seconds=10))
        except joining.CannotJoin as error:
            said[rank] = str(error)

    _together(join, 2)
    assert said == dict.fromkeys(range(2), "rank 0, 1 has no mpi4py: pip install 'rushlight[mpi]'")
    with pytest.raises(joining.CannotJoin, match="Timed out waiting 50ms for rank 1"):
        joining.join(dist.HashStore(), 0, [0, 1], timedelta(seconds=0.05))
