"""Calls with ever new sizes on a device: programs fill in the words of their launches, and no function of Python plans."""

import pytest
from test_remembered_launches import functions_of
from test_remembered_on_device import EveryCallInPython

import rushlight as torch
from rushlight.engine.native import heap_types
from rushlight.nn import functional as F

pytestmark = [
    pytest.mark.usefixtures("learned_at_once"),
    pytest.mark.skipif(
        not heap_types.supported(),
        reason="remembered calls need machine code that looks into objects",
    ),
]
# Where a size of results is new, memory for it is asked for in Python.
ALLOCATOR = {
    "refill", "__init__", "settled", "allocate", "drain", "current", "allocator", "default", "from_pool", "known",
}  # fmt: skip
PLANNING = {
    "miss",
    "_slow",
    "planning",
    "map_loop",
    "reduce_loop",
    "row_loop",
    "__call__",
    "traced",
    "call",
}

CALLS = {
    "sum of two": lambda a, w: a + a,
    "a number": lambda a, w: a * 2.5 - 1,
    "in place": lambda a, w: a.mul_(1.5),
    "a row is repeated": lambda a, w: a + w[0],
    "columns": lambda a, w: a[:, 1:].exp(),
    "sum": lambda a, w: a.sum(),
    "sum of rows": lambda a, w: a.sum(1),
    "mean of columns": lambda a, w: a.mean(0),
    "largest": lambda a, w: a.max(1).values,
    "softmax": lambda a, w: a.softmax(1),
    "layer norm": lambda a, w: F.layer_norm(a, (8,), w[0], w[1]),
    "scan": lambda a, w: a.cumsum(0),
    "join": lambda a, w: torch.cat([a, w]),
    "turned": lambda a, w: a.t().contiguous(),
    "another type": lambda a, w: a.to(torch.bfloat16),
    "rows by index": lambda a, w: a.index_select(0, a[:, 0].long()),
    "choice": lambda a, w: torch.where(a > 20, a, w[0]),
    "to the host": lambda a, w: a.to("cpu"),
    "zeros": lambda a, w: torch.zeros_like(a),
    "product": lambda a, w: a @ w.t(),
}
SIZES = [5, 9, 14, 33, 40, 77, 12, 130, 64, 63, 1, 0, 300, 7, 1000, 18, 2]


@pytest.mark.parametrize("title", CALLS)
def test_results_are_those_of_the_host(cuda, title):
    call = CALLS[title]
    w = torch.arange(24.0).view(3, 8) / 8
    there = w.cuda()
    for n in SIZES:
        if title in ("largest", "mean of columns", "rows by index") and n == 0:
            continue
        a = torch.arange(n * 8.0).view(n, 8) % 37
        if title == "rows by index":
            a = a % n
        found, wanted = call(a.cuda(), there), call(a.clone(), w)
        torch.testing.assert_close(found.cpu(), wanted)
        assert found.stride() == wanted.stride()


@pytest.mark.parametrize("title", [t for t in CALLS if t != "rows by index"])
def test_new_sizes_are_not_planned(cuda, title):
    call = CALLS[title]
    w = torch.ones(3, 8, device="cuda")
    given = [torch.ones(n, 8, device="cuda") for n in (*range(40, 52), 61)]
    for a in given[:-1]:
        call(a, w)
    names = functions_of(lambda: call(given[-1], w))
    assert not PLANNING & set(names), names


def test_steps_of_training_with_batches_of_every_size(cuda):
    def trained(device):
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.GELU(), torch.nn.Linear(8, 1))
        batches = [torch.randn(n, 6) for n in (4, 7, 5, 9, 12, 3, 8, 17, 6, 1, 20)]
        net = net.to(device)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        losses = []
        for x in batches:
            optimizer.zero_grad()
            loss = net(x.to(device)).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    assert trained("cuda") == pytest.approx(trained("cpu"), rel=1e-4)


@pytest.mark.parametrize("call", [lambda a: F.dropout(a, 0.5), torch.rand_like])
def test_numbers_are_drawn_as_python_draws_them(cuda, call):
    sizes = [40, 44, 41, 43, 57, 60, 64, 30, 3, 4, 5000, 5001, 90, 91]
    found = []
    for python in (False, True):
        torch.cuda.manual_seed(4)
        if python:
            with EveryCallInPython():
                found.append([call(torch.ones(n, device="cuda")) for n in sizes])
        else:
            found.append([call(torch.ones(n, device="cuda")) for n in sizes])
        found[-1].append(torch.cuda.get_rng_state())
    assert all(torch.equal(a, b) for a, b in zip(*found))


def test_a_class_on_several_devices(with_stand_in):
    with_stand_in(devices=2)
    for n in range(30, 50):
        for k in (0, 1):
            a = torch.full((n,), float(k + 1), device=f"cuda:{k}")
            made = a + a
            assert made.device.index == k and made.tolist() == [2.0 * k + 2] * n


def test_classes_of_another_driver(with_stand_in):
    for _ in range(2):
        with_stand_in()
        for n in range(20, 30):
            assert (torch.ones(n, device="cuda") + 1).tolist() == [2.0] * n


def test_learning_asks_for_no_memory_of_the_device(cuda):
    given = [torch.ones(n, device="cuda") for n in (1000, 2000, 3000, 4000)]
    before = torch.cuda.memory_stats()["allocation.all.allocated"]
    for a in given:
        a + a
    assert torch.cuda.memory_stats()["allocation.all.allocated"] == before + len(given)


def test_sizes_within_a_graph_that_is_recorded(cuda):
    given = [torch.ones(n, device="cuda") for n in range(20, 30)]
    for a in given[:2]:
        a * 3
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        made = [a * 3 for a in given]
    for a in given:
        a.fill_(2)
    graph.replay()
    assert [x.tolist() for x in made] == [[6.0] * n for n in range(20, 30)]
