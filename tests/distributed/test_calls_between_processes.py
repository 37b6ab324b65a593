"""Calls of functions in other processes."""

import gc
import os
import signal
import socket
import threading
import time

import pytest
from several import call, spawn

import rushlight as torch
from rushlight.distributed import rpc
from rushlight.futures import Future


def begin(rank, size, folder, name=None, **options):
    options = rpc.TensorPipeRpcBackendOptions(init_method=f"file://{folder}/store", **options)
    rpc.init_rpc(name or f"worker{rank}", rank=rank, world_size=size, rpc_backend_options=options)


def start(rank, size, folder, function):
    begin(rank, size, folder)
    function(rank, size)
    rpc.shutdown()


def run(size, function, folder):
    call(size, start, size, folder, function)


def where():
    return rpc.get_worker_info().name


def scaled(x, *, by):
    return x * by


def same(values):
    return values


def failing(text):
    raise ValueError(text)


def asleep(seconds):
    time.sleep(seconds)


def through(names):
    """The names of processes, each asked by the one before."""
    mine = where()
    return [mine, *(rpc.rpc_sync(names[0], through, (names[1:],)) if names else [])]


class Unpicklable(Exception):
    def __init__(self, a, b):
        super().__init__(a, b)


def failing_with_two():
    raise Unpicklable(1, 2)


def calls(rank, size):
    other = f"worker{(rank + 1) % size}"
    assert rpc.rpc_sync(other, where) == other
    x = torch.arange(3.0)
    found = rpc.rpc_sync(other, scaled, (x,), {"by": 2})
    assert found.tolist() == [0, 2, 4] and x.tolist() == [0, 1, 2]
    assert rpc.rpc_sync(rpc.get_worker_info(), torch.add, (x, 1)).tolist() == [1, 2, 3]
    assert rpc.rpc_sync(other, torch.add, (x, 1)).tolist() == [1, 2, 3]
    futures = [rpc.rpc_async(other, scaled, (x,), {"by": k}) for k in range(50)]
    assert [f.wait()[1].item() for f in futures] == list(range(50))
    with pytest.raises(ValueError, match=rf"On WorkerInfo\(name='{other}'(.|\n)*in failing"):
        rpc.rpc_sync(other, failing, ("no",))
    with pytest.raises(RuntimeError, match="Unpicklable"):
        rpc.rpc_sync(other, failing_with_two)
    with pytest.raises(RuntimeError, match="ran for more than set timeout"):
        rpc.rpc_sync(other, asleep, (0.5,), timeout=0.1)
    with pytest.raises(RuntimeError, match="Unknown destination worker nobody"):
        rpc.rpc_sync("nobody", where)
    kinds = [
        torch.ones(3, 2, dtype=torch.bfloat16).t(), torch.zeros(0, 3), torch.tensor(True), torch.eye(2).to_sparse(),
        torch.ones(2, dtype=torch.complex64).conj(), torch.nn.Parameter(torch.ones(2)),
    ]  # fmt: skip
    for value, again in zip(kinds, rpc.rpc_sync(other, same, (kinds,))):
        assert type(again) is type(value) and again.requires_grad == value.requires_grad
        torch.testing.assert_close(again, value)
        again.detach().zero_()
    large = [torch.arange(1 << 18), torch.ones(300, 400)]
    torch.testing.assert_close(rpc.rpc_sync(other, same, (large,)), large)
    for _ in range(2):
        found = rpc.api._all_gather(rank)
        assert found == {f"worker{k}": k for k in range(size)}
    names = [f"worker{k % size}" for k in range(5)]
    assert rpc.rpc_sync(other, through, (names,)) == [other, *names]


def test_calls(tmp_path):
    run(3, calls, tmp_path)


def beside_each_other(rank, size):
    """Calls of several threads to one process, some waited for, some not; answers come in another order."""
    other = f"worker{(rank + 1) % size}"
    settled, found = threading.Event(), {}
    gone_on = rpc.rpc_async(other, where).then(lambda f: rpc.rpc_sync(other, same, ([f.value()],)))
    assert gone_on.wait() == [other]
    # an answer that nobody waits for is told while this thread waits for a later one
    rpc.rpc_async(other, asleep, (0.01,)).add_done_callback(lambda _: settled.set())
    rpc.rpc_sync(other, waits_for, (f"worker{rank}", [0] * 8))
    assert settled.wait(10)

    def ask(k):
        for n in range(20):
            value = torch.full((k + 1,), float(n))
            found[k, n] = rpc.rpc_sync(other, scaled, (value,), {"by": k}).tolist()

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(6)]
    slow = rpc.rpc_async(other, asleep, (0.05,))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert slow.wait() is None
    assert found == {(k, n): [float(n * k)] * (k + 1) for k in range(6) for n in range(20)}


def waits_for(name, values):
    """Ask back many times, each call within another one."""
    return rpc.rpc_sync(name, waits_for, (where(), values[1:])) if values else None


def test_calls_of_several_threads(tmp_path):
    run(2, beside_each_other, tmp_path)


class Counter:
    def __init__(self, value=0):
        self.value = value
        self.lock = threading.Lock()

    def add(self, n):
        with self.lock:
            self.value += n
            return self.value

    @rpc.functions.async_execution
    def later(self, n):
        future = Future()
        threading.Timer(0.05, lambda: future.set_result(self.value + n)).start()
        return future


def count_owned():
    from rushlight.distributed.rpc.requests import process

    return len(process.owned)


def owned():
    from rushlight.distributed.rpc.requests import process

    return [(k, v.count, v.is_made, repr(v.future.value())) for k, v in process.owned.items()]


def ask(reference):
    return reference.rpc_sync().add(5)


def value_of(reference):
    return reference.local_value().value


def references(rank, size):
    if rank:
        return
    counter = rpc.remote("worker1", Counter, (3,))
    assert not counter.is_owner() and counter.owner_name() == "worker1"
    assert counter.rpc_sync().add(2) == 5
    assert counter.rpc_async().add(2).wait() == 7
    assert counter.remote().add(1).to_here() == 8
    assert counter.rpc_sync().later(10) == 18
    # Another process may use it, and the owner gets the value itself.
    assert rpc.rpc_sync("worker2", ask, (counter,)) == 13
    assert rpc.rpc_sync("worker1", value_of, (counter,)) == 13
    with pytest.raises(RuntimeError, match=r"can't call localValue\(\) on user"):
        counter.local_value()
    with pytest.raises(ValueError, match="no"):
        rpc.remote("worker1", failing, ("no",)).to_here()
    own = rpc.RRef(Counter(1))
    assert own.is_owner() and rpc.rpc_sync("worker2", ask, (own,)) == 6
    assert own.local_value().value == 6
    del counter
    end = time.monotonic() + 10
    while rpc.rpc_sync("worker1", count_owned):
        assert time.monotonic() < end, f"{rpc.rpc_sync('worker1', owned)} stay"
        gc.collect()
        time.sleep(0.02)


def test_references(tmp_path):
    run(3, references, tmp_path)


class Server:
    """Averages gradients of workers, and gives parameters."""

    def __init__(self, workers):
        torch.manual_seed(0)
        self.model = torch.nn.Linear(4, 1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.workers, self.lock, self.round = workers, threading.Lock(), Future()
        self.arrived = 0

    def parameters(self):
        return [p.detach() for p in self.model.parameters()]

    @rpc.functions.async_execution
    def update(self, grads):
        with self.lock:
            for p, grad in zip(self.model.parameters(), grads):
                p.grad = grad if p.grad is None else p.grad + grad
            self.arrived += 1
            future = self.round
            if self.arrived == self.workers:
                for p in self.model.parameters():
                    p.grad /= self.workers
                self.optimizer.step()
                self.optimizer.zero_grad()
                self.arrived, self.round = 0, Future()
                future.set_result(self.parameters())
        return future


def batch(k):
    return torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(k))


def work(reference, share):
    model = torch.nn.Linear(4, 1)
    given = reference.rpc_sync().parameters()
    for k in range(5):
        with torch.no_grad():
            for p, value in zip(model.parameters(), given):
                p.copy_(value)
        model.zero_grad()
        model(batch(k)[share]).square().mean().backward()
        given = reference.rpc_sync().update([p.grad for p in model.parameters()])
    return given


def parameter_server(rank, size):
    if rank:
        return
    server = rpc.RRef(Server(size - 1))
    futures = [rpc.rpc_async(f"worker{k}", work, (server, k - 1)) for k in range(1, size)]
    found = [f.wait() for f in futures]
    torch.manual_seed(0)
    alone = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(alone.parameters(), lr=0.1)
    for k in range(5):
        optimizer.zero_grad()
        torch.stack([alone(x).square().mean() for x in batch(k)]).mean().backward()
        optimizer.step()
    for given in found:
        torch.testing.assert_close(given, [p.detach() for p in alone.parameters()])


def test_a_parameter_server_trains_as_one_process(tmp_path):
    run(3, parameter_server, tmp_path)


def left_alone(rank, size, folder):
    begin(rank, size, folder)
    if rank:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.3)
    with pytest.raises(
        (RuntimeError, OSError), match=r"has gone, or hung up|refused|No such file|Broken"
    ):
        rpc.rpc_sync("worker1", where, timeout=5)
    rpc.shutdown(graceful=False)


def test_a_process_that_has_gone_is_named(tmp_path):
    with pytest.raises(Exception, match="SIGKILL"):
        spawn(2, left_alone, 2, tmp_path)


def test_before_it_begins():
    with pytest.raises(RuntimeError, match="RPC has not been initialized"):
        rpc.rpc_sync("worker0", where)
    with pytest.raises(ValueError, match="tensors on the CPU only"):
        rpc.TensorPipeRpcBackendOptions(devices=["cuda:0"])


def same_name(rank, size, folder):
    with pytest.raises(RuntimeError, match="RPC worker name one is not unique"):
        begin(rank, size, folder, name="one")


def test_names_are_unique(tmp_path):
    call(2, same_name, 2, tmp_path)


def leave_at_once(rank, size, port):
    options = rpc.TensorPipeRpcBackendOptions(init_method=f"tcp://localhost:{port}")
    rpc.init_rpc(f"worker{rank}", rank=rank, world_size=size, rpc_backend_options=options)
    if rank == 0:
        assert rpc.rpc_sync("worker1", where) == "worker1"
    rpc.shutdown()
    os._exit(0)


def test_the_process_of_the_store_leaves_last():
    with socket.create_server(("localhost", 0)) as free:
        port = free.getsockname()[1]
    spawn(3, leave_at_once, 3, port)
