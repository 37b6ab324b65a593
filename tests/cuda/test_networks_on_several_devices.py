"""Several devices of one process: collectives, copies, and networks with a copy on each."""

import pytest

import rushlight as torch
from rushlight.cuda import nccl
from rushlight.engine.cuda import libraries
from rushlight.nn import parallel
from rushlight.nn.parallel import comm


@pytest.fixture
def devices(with_stand_in):
    return with_stand_in(devices=3)


@pytest.fixture
def library(devices):
    from stand_in_nccl import Communication

    made = Communication(devices)
    libraries.use("nccl", made)
    return made


def on_each(rows, **settings):
    return [torch.tensor(row, device=f"cuda:{k}", **settings) for k, row in enumerate(rows)]


def test_collectives_of_one_process(library):
    x = on_each([[1.0, 2], [3.0, 4], [5.0, 6]])
    outs = [torch.zeros_like(t) for t in x]
    nccl.all_reduce(x, outs)
    assert [t.tolist() for t in outs] == [[9, 12]] * 3 and x[0].tolist() == [1, 2]
    nccl.reduce(x, outs[1], root=1, op=2)
    assert outs[1].tolist() == [5, 6]
    nccl.reduce(x, root=2)
    assert x[2].tolist() == [9, 12]
    nccl.broadcast(x, root=1)
    assert [t.tolist() for t in x] == [[3, 4]] * 3
    x = on_each([[1, 2], [3, 4], [5, 6]])
    every = [torch.empty(6, dtype=torch.int64, device=t.device) for t in x]
    nccl.all_gather(x, every, streams=[torch.cuda.Stream(k) for k in range(3)])
    assert [t.tolist() for t in every] == [[1, 2, 3, 4, 5, 6]] * 3
    nccl.reduce_scatter(every, x)
    assert [t.tolist() for t in x] == [[3, 6], [9, 12], [15, 18]]
    flags = on_each([[True, False], [False, False], [True, False]])
    nccl.all_reduce(flags, op=2)
    assert [t.tolist() for t in flags] == [[True, False]] * 3
    assert library.calls.count("ncclCommInitAll") == 1 and nccl.version() == (2, 23, 4)


def test_communicators_of_programs(library):
    name = nccl.unique_id()
    with torch.cuda.device(1):
        alone = nccl.init_rank(1, name, 0)
    x = [torch.ones(2, device="cuda:1")]
    nccl.all_reduce(x, comms=[alone])
    assert x[0].tolist() == [1, 1] and "ncclCommInitAll" not in library.calls
    with pytest.raises(RuntimeError, match="invalid unique_id"):
        nccl.init_rank(1, b"short", 0)
    with pytest.raises(RuntimeError, match=r"number of comms \(1\)"):
        nccl.broadcast(on_each([[1.0], [2.0]]), comms=[alone])


def test_what_collectives_refuse(library):
    x = on_each([[1.0, 2], [3.0, 4]])
    refused = [
        (TypeError, "collection of tensors", lambda: nccl.all_reduce(x[0])),
        (RuntimeError, "can't be empty", lambda: nccl.all_reduce([])),
        (RuntimeError, "input of length 2 and output of length 1", lambda: nccl.all_reduce(x, x[:1])),
        (RuntimeError, "unique devices", lambda: nccl.broadcast([x[0], x[0]])),
        (RuntimeError, "cuda dense Tensors", lambda: nccl.broadcast([x[0], torch.ones(2)])),
        (RuntimeError, "same Tensor dtype", lambda: nccl.broadcast([x[0], x[1].int()])),
        (RuntimeError, "must be contiguous", lambda: nccl.broadcast([torch.ones(2, 2, device="cuda").t()])),
        (RuntimeError, "same number of elements", lambda: nccl.broadcast([x[0], x[1][:1]])),
        (RuntimeError, "on the same device", lambda: nccl.all_reduce(x, x[::-1])),
        (RuntimeError, "input_size \\* size_multiplier", lambda: nccl.all_gather(x, x)),
        (RuntimeError, "invalid root", lambda: nccl.broadcast(x, root=2)),
        (RuntimeError, "Unconvertible NCCL type ComplexFloat", lambda: nccl.all_reduce(on_each([[1j]]))),
        (ValueError, "can not be both specified", lambda: nccl.reduce(x, x[0], outputs=x)),
    ]  # fmt: skip
    for kind, text, call in refused:
        with pytest.raises(kind, match=text):
            call()
    with pytest.warns(FutureWarning, match="output tensor list"):
        nccl.reduce(x, outputs=x)
    assert nccl.is_available(x) and not nccl.is_available([x[0], x[0]])
    assert not nccl.is_available([torch.ones(1)])


def test_without_the_library():
    with pytest.warns(UserWarning, match="not compiled with NCCL"):
        assert not nccl.is_available([])
    with pytest.raises(RuntimeError, match="without NCCL"):
        nccl.unique_id()


def test_copies_and_sums(devices):
    x = torch.arange(6.0, device="cuda:1").view(3, 2)
    copies = comm.broadcast(x, [1, 0, 2])
    assert [c.device.index for c in copies] == [1, 0, 2] and all(
        c.tolist() == x.tolist() for c in copies
    )
    both = comm.broadcast_coalesced([x, x[0]], [1, 0])
    assert [[t.device.index for t in own] for own in both] == [[1, 1], [0, 0]]
    total = comm.reduce_add(copies, 2)
    assert total.device.index == 2 and total.tolist() == (3 * x).tolist()
    first, second = comm.reduce_add_coalesced(both, 0)
    assert first.tolist() == (2 * x).tolist() and second.tolist() == [0, 2]
    parts = comm.scatter(x, [0, 2], [1, 2])
    assert [p.shape[0] for p in parts] == [1, 2] and parts[1].device.index == 2
    assert comm.gather(parts, destination="cpu").tolist() == x.tolist()
    for kind, text, call in (
        (AssertionError, "input 1 is on CPU", lambda: comm.reduce_add([x, x.cpu()], 1)),
        (ValueError, "got 2x2, but expected 3x2", lambda: comm.reduce_add([x, x[1:]], 1)),
        (RuntimeError, "destination to be on the same GPU", lambda: comm.reduce_add([x], 0)),
    ):
        with pytest.raises(kind, match=text):
            call()


def test_sums_by_the_library(library):
    x = on_each([[1.0, 2], [3.0, 4], [5.0, 6]])
    assert comm.reduce_add(x, 1).tolist() == [9, 12] and "ncclReduce" in library.calls


class Net(torch.nn.Module):
    """Has a buffer, a module twice, and a result that is put together."""

    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(3, 2)
        self.register_buffer("factor", torch.tensor(2.0))
        self.same = self.inner

    def forward(self, x, *, shift=0.0):
        return {"y": self.inner(x) * self.factor + shift, "where": (self.same(x).sum().view(1),)}


@pytest.mark.parametrize("rows", [6, 5, 2, 1])
def test_a_network_over_three_devices(devices, rows):
    torch.manual_seed(1)
    net = Net()
    x = torch.randn(rows, 3)
    # a number is given to each device, also to those that get no part of the batch
    named = {"shift": 1.0} if rows > 2 else {}
    wanted = net(x, **named)
    (wanted["y"].square().sum() + wanted["where"][0]).backward()
    gradients = [p.grad.clone() for p in net.parameters()]
    net.zero_grad()
    there = parallel.DataParallel(net.to("cuda:0"))
    assert there.device_ids == [0, 1, 2] and there.output_device == 0
    given = x.clone().requires_grad_()
    found = there(given, **named)
    assert found["y"].device.index == 0
    torch.testing.assert_close(found["y"].cpu(), wanted["y"])
    (found["y"].square().sum() + found["where"][0].sum()).backward()
    for p, g in zip(net.parameters(), gradients):
        torch.testing.assert_close(p.grad.cpu(), g)
    assert given.grad.device.type == "cpu" and given.grad.abs().sum() > 0
    with torch.no_grad():
        again = parallel.data_parallel(net, x.cuda(), [0, 2], output_device=2)["y"]
    assert again.device.index == 2 and not again.requires_grad


def test_gathered_numbers_are_a_vector(devices):
    class Sum(torch.nn.Module):
        def forward(self, x):
            return x.sum()

    x = torch.ones(6, 2, requires_grad=True)
    with pytest.warns(UserWarning, match="unsqueeze and return a vector"):
        made = parallel.data_parallel(Sum(), x)
    assert made.tolist() == [4, 4, 4]
    made.sum().backward()
    assert x.grad.tolist() == [[1, 1]] * 6


def test_errors_of_copies_say_where(devices):
    class Wrong(torch.nn.Module):
        def forward(self, x):
            if x.device.index == 1:
                raise ValueError("this copy is wrong")
            return x

    with pytest.raises(ValueError, match="in replica 1 on device 1"):
        parallel.data_parallel(Wrong(), torch.ones(3, 2), [0, 1, 2])
    net = parallel.DataParallel(torch.nn.Linear(2, 2))
    with pytest.raises(
        RuntimeError,
        match=r"on device cuda:0 \(device_ids\[0\]\) but found one of them on device: cpu",
    ):
        net(torch.ones(2, 2))


def test_random_numbers_and_modes_in_copies(devices):
    seen = []

    class Looks(torch.nn.Module):
        def forward(self, x):
            seen.append(
                (
                    torch.cuda.current_device(),
                    torch.is_grad_enabled(),
                    torch.is_autocast_enabled("cuda"),
                )
            )
            return torch.nn.functional.dropout(x, 0.5)

    with torch.no_grad(), torch.autocast("cuda"):
        parallel.data_parallel(Looks(), torch.ones(6, 2), [0, 1, 2])
    assert sorted(seen) == [(k, False, True) for k in range(3)]
