"""Copies between the host and a device that come again: machine code queues them, and waits where somebody has to."""

import pytest
from test_remembered_launches import functions_of, remember

import rushlight as torch
from rushlight.engine.native import heap_types

pytestmark = pytest.mark.skipif(
    not heap_types.supported(), reason="remembered calls need machine code that looks into objects"
)
A = torch.arange(12.0).view(3, 4)

# `Tensor.cuda` and `Tensor.cpu` are functions of Python: they ask whether a class answers instead of a tensor.
METHODS = ("ask", "_are_quiet", "cuda", "cpu")


def python_of(call):
    """The package's functions that a call runs, besides these methods."""
    return [name for name in functions_of(call) if name not in METHODS]


TO_DEVICE = {
    "cuda": lambda a: a.cuda(),
    "to": lambda a: a.to("cuda"),
    "to a type, too": lambda a: a.to("cuda", torch.float64),
    "columns": lambda a: a[:, 1:].cuda(),
    "turned": lambda a: a.t().to("cuda"),
    "a part": lambda a: a[1:].cuda(),
    "nobody waits": lambda a: a.to("cuda", non_blocking=True),
}


@pytest.mark.parametrize("title", TO_DEVICE)
def test_copies_to_a_device(cuda, title):
    call = TO_DEVICE[title]
    a = A.clone()
    remember(lambda: call(a))
    remember(lambda: call(a))
    a += 1
    found = []
    names = python_of(lambda: found.append(call(a)))
    if title == "nobody waits":
        # whether the host's memory stays where it is, is asked for in Python
        assert names[0] == "may_go_on" and not {"copy_", "to_copy", "to_device"} & set(names)
    else:
        assert names == []
    assert found[0].device.type == "cuda" and found[0].stride() == call(a.cpu()).stride()
    wanted = a.t() if title == "turned" else a
    wanted = {"columns": a[:, 1:], "a part": a[1:]}.get(title, wanted)
    assert found[0].tolist() == wanted.tolist()


TO_HOST = {
    "cpu": lambda a: a.cpu(),
    "to": lambda a: a.to("cpu"),
    "to a type, too": lambda a: a.to("cpu", torch.int64),
    "columns": lambda a: a[:, 1:].cpu(),
    "a sum": lambda a: a.sum().cpu(),
}


@pytest.mark.parametrize("title", TO_HOST)
def test_copies_to_the_host(with_stand_in, title):
    # work is queued and not run before somebody waits for it
    with_stand_in(seed=3)
    call = TO_HOST[title]
    a = A.cuda()
    remember(lambda: call(a))
    remember(lambda: call(a))
    for k in range(20):
        a.add_(1)
        found = []
        names = python_of(lambda: found.append(call(a)))  # noqa: B023
        wanted = call(A + k + 1)
        assert found[0].device.type == "cpu" and torch.equal(found[0], wanted)
    assert names == []


def test_copies_into_tensors_that_are_there(with_stand_in):
    with_stand_in(seed=4)
    here, there = torch.zeros(3, 4), torch.zeros(3, 4, device="cuda")
    wide = torch.zeros(4, 3, device="cuda")
    for k in range(8):
        there.copy_(A + k)
        version = here._version
        here.copy_(there)
        assert here._version == version + 1
        wide.t().copy_(A * k)
        assert torch.equal(here, A + k) and wide.cpu().equal((A * k).t())
    source = A + 1
    assert functions_of(lambda: there.copy_(source)) == []
    assert functions_of(lambda: here.copy_(there)) == [] and here.equal(source)


def test_pinned_memory_is_not_given_out_while_it_is_read(with_stand_in):
    """Copies that nobody waits for, from memory that ends at once, while its content is overwritten."""
    stand_in = with_stand_in(seed=11)
    made = []
    for k in range(40):
        given = torch.full((64,), float(k)).pin_memory()
        made.append(given.cuda(non_blocking=True))
        del given
    assert "cuMemcpyHtoDAsync_v2" in stand_in.calls
    before = stand_in.calls.count("cuStreamSynchronize")
    given = torch.full((64,), 41.0).pin_memory()
    made.append(given.cuda(non_blocking=True))
    assert stand_in.calls.count("cuStreamSynchronize") == before
    assert [x.tolist() for x in made] == [[float(k)] * 64 for k in (*range(40), 41)]


def test_memory_that_may_move_is_waited_for(with_stand_in):
    stand_in = with_stand_in(seed=5)
    a = torch.ones(64)
    remember(lambda: a.to("cuda", non_blocking=True))
    before = stand_in.calls.count("cuStreamSynchronize")
    there = a.to("cuda", non_blocking=True)
    assert stand_in.calls.count("cuStreamSynchronize") == before + 1
    a.fill_(7)
    assert there.tolist() == [1.0] * 64


def test_gradients_through_copies(cuda):
    a = A.clone().requires_grad_()
    for _ in range(6):
        a.grad = None
        (a.cuda() * 3).sum().cpu().backward()
        assert a.grad.tolist() == [[3.0] * 4] * 3


def test_copies_go_to_the_current_stream(with_stand_in):
    with_stand_in(seed=6)
    a = A.clone()
    remember(lambda: a.cuda())
    other = torch.cuda.Stream()
    for k in range(10):
        a.fill_(k)
        with torch.cuda.stream(other):
            found = a.cuda()
            twice = found * 2
            assert twice.cpu().tolist() == [[2.0 * k] * 4] * 3


def test_a_refused_copy_is_an_error(with_stand_in):
    stand_in = with_stand_in()
    a, there = A.clone(), A.cuda()
    remember(lambda: there.copy_(a))
    stand_in.sticky = 700
    with pytest.raises(RuntimeError, match="illegal memory access"):
        there.copy_(a)


def test_copies_to_another_device_than_the_current_one(with_stand_in):
    with_stand_in(devices=2)
    for k in range(6):
        there = [torch.full((3,), float(k)).to(f"cuda:{n}") for n in (0, 1)]
        assert [x.device.index for x in there] == [0, 1]
        between = there[0].to("cuda:1") + there[1]
        assert between.cpu().tolist() == [2.0 * k] * 3


def test_graphs_hold_copies(cuda):
    a, target = torch.ones(4).pin_memory(), torch.zeros(4, device="cuda")
    remember(lambda: target.copy_(a, non_blocking=True))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        target.copy_(a, non_blocking=True)
    a.fill_(5)
    graph.replay()
    assert target.tolist() == [5.0] * 4


def test_copies_from_one_device_to_another(with_stand_in):
    with_stand_in(devices=3, seed=4)
    a = A.to("cuda:1")

    def there_and_back():
        b = a.to("cuda:2") + 1
        return b.to("cuda:1") * a

    for k in range(40):
        a.add_(1)
        found = []
        names = python_of(lambda: found.append(there_and_back()))  # noqa: B023
        now = A + k + 1
        assert found[0].device == torch.device("cuda:1")
        assert found[0].tolist() == ((now + 1) * now).tolist()
    assert names == []


def test_copies_to_another_device_on_streams_that_change(with_stand_in):
    with_stand_in(devices=2, seed=5)
    a, b = A.to("cuda:0"), torch.zeros_like(A, device="cuda:1")
    streams = [(torch.cuda.Stream("cuda:0"), torch.cuda.Stream("cuda:1")) for _ in range(2)]
    torch.cuda.synchronize(0)
    torch.cuda.synchronize(1)

    def step():
        a.mul_(2)
        b.copy_(a)
        b.sub_(1)

    names = ["step"]
    for k in range(24):
        here, there = streams[k % 2]
        with torch.cuda.stream(here), torch.cuda.stream(there):
            a.copy_(A + k)
            names = functions_of(step)
            assert b.tolist() == ((A + k) * 2 - 1).tolist()
        torch.cuda.synchronize(0)
        torch.cuda.synchronize(1)
    assert names == []


def test_threads_copy_between_devices_side_by_side(with_stand_in):
    import threading

    with_stand_in(devices=2, seed=6)
    found = {}

    def run(k):
        with (
            torch.cuda.stream(torch.cuda.Stream("cuda:0")),
            torch.cuda.stream(torch.cuda.Stream("cuda:1")),
        ):
            a = torch.full((8,), float(k), device="cuda:0")
            for _ in range(30):
                a = (a.to("cuda:1") + 1).to("cuda:0")
            found[k] = a.tolist()

    threads = [threading.Thread(target=run, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {k: [k + 30.0] * 8 for k in range(3)}
