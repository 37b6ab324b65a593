"""Calls on a device besides maps and sums that come again: copies, joins, gathers, factories, losses."""

import itertools

import pytest
from test_remembered_launches import functions_of, remember

import rushlight as torch
from rushlight.engine.native import heap_types
from rushlight.nn import functional as F
from rushlight.utils._python_dispatch import TorchDispatchMode

pytestmark = pytest.mark.skipif(
    not heap_types.supported(), reason="remembered calls need machine code that looks into objects"
)
A = torch.arange(12.0).view(3, 4)
INDEX = torch.tensor([2, 0])
PLACES = torch.tensor([[0, 3], [1, 1], [2, 0]])

CALLS = {
    "clone": lambda a, i, p, d: a.clone(),
    "clone of columns": lambda a, i, p, d: a[:, 1:].clone(),
    "contiguous": lambda a, i, p, d: a.t().contiguous(),
    "to a type": lambda a, i, p, d: a.to(torch.bfloat16),
    "half and back": lambda a, i, p, d: a.half().float(),
    "cat": lambda a, i, p, d: torch.cat([a, a], 1),
    "cat of three": lambda a, i, p, d: torch.cat([a, a[:1], a]),
    "stack": lambda a, i, p, d: torch.stack([a, a], 1),
    "gather": lambda a, i, p, d: a.gather(1, p),
    "index_select": lambda a, i, p, d: a.index_select(0, i),
    "index": lambda a, i, p, d: a[i],
    "embedding": lambda a, i, p, d: F.embedding(i, a),
    "take": lambda a, i, p, d: a.take(p),
    "empty": lambda a, i, p, d: torch.empty(3, device=d).zero_(),
    "zeros": lambda a, i, p, d: torch.zeros(2, 3, device=d),
    "ones like": lambda a, i, p, d: torch.ones_like(a),
    "full": lambda a, i, p, d: torch.full((2, 2), 1.5, device=d),
    "sort": lambda a, i, p, d: torch.cat([t.double() for t in (a * 7 % 5).sort(1)]),
    "sort of columns, down": lambda a, i, p, d: (a * 7 % 5).sort(0, descending=True).values,
    "argsort": lambda a, i, p, d: p.argsort(0),
    "topk": lambda a, i, p, d: (a * 7 % 5).topk(2).values,
    "arange": lambda a, i, p, d: torch.arange(5, device=d) + torch.arange(0.5, 3, 0.5, device=d),
    "new_zeros": lambda a, i, p, d: a.new_zeros(5),
}


@pytest.mark.parametrize("title", CALLS)
def test_calls_that_come_again_run_no_python(cuda, title):
    call = CALLS[title]
    there = A.cuda(), INDEX.cuda(), PLACES.cuda(), "cuda"
    remember(lambda: call(*there))
    remember(lambda: call(*there))
    found = []
    names = functions_of(lambda: found.append(call(*there)))
    assert [n for n in names if n != "<lambda>"] == []
    torch.testing.assert_close(found[0].cpu(), call(A, INDEX, PLACES, "cpu"))


WRITES = {
    "copy": lambda a, i, p, b: a.copy_(b),
    "copy of columns": lambda a, i, p, b: a[:, :2].copy_(b[:, 2:]),
    "copy of another type": lambda a, i, p, b: a[:, 0].copy_(p[:, 0]),
    "fill": lambda a, i, p, b: a.fill_(2.5),
    "zero": lambda a, i, p, b: a.zero_(),
    "scatter": lambda a, i, p, b: a.scatter_(1, p, b),
    "scatter_add": lambda a, i, p, b: a.scatter_add_(1, p, b),
    "index_add": lambda a, i, p, b: a.index_add_(0, i, b[:2]),
}


@pytest.mark.parametrize("title", WRITES)
def test_changes_that_come_again(cuda, title):
    call = WRITES[title]
    host, b = A.clone(), A + 1
    there = A.cuda(), INDEX.cuda(), PLACES.cuda(), b.cuda()
    for _ in range(6):
        call(*there)
        call(host, INDEX, PLACES, b)
        torch.testing.assert_close(there[0].cpu(), host)
    assert [n for n in functions_of(lambda: call(*there)) if n != "<lambda>"] == []
    call(host, INDEX, PLACES, b)
    torch.testing.assert_close(there[0].cpu(), host)


def test_wrong_positions_end_a_remembered_gather(cuda):
    a, places = A.cuda(), PLACES.cuda()
    remember(lambda: a.gather(1, places))
    places.fill_(9)
    with pytest.raises(RuntimeError, match="gather"):
        a.gather(1, places)
        torch.cuda.synchronize()


@pytest.mark.parametrize("gradients", [False, True])
def test_a_loss_of_classes(cuda, gradients):
    target = torch.tensor([1, 3, 0])
    results = []
    for where in ("cpu", "cuda"):
        a, t = A.to(where).clone().requires_grad_(gradients), target.to(where)

        def call():
            loss = F.cross_entropy(a, t)  # noqa: B023
            return torch.autograd.grad(loss, a)[0] if gradients else loss  # noqa: B023

        remember(call)
        remember(call)
        assert where == "cpu" or gradients or functions_of(call)[3:] == []
        results.append(call().cpu())
    torch.testing.assert_close(*results)


DRAWS = {
    "rand": lambda a, **g: torch.rand(3, 5, device="cuda", **g),
    "randn of doubles": lambda a, **g: torch.randn(700, device="cuda", dtype=torch.float64, **g),
    "randint": lambda a, **g: torch.randint(3, 900, (4, 4), device="cuda", **g),
    "rand_like": lambda a, **g: torch.rand_like(a, **g),
    "uniform": lambda a, **g: a.clone().uniform_(-1, 3, **g),
    "normal": lambda a, **g: a.clone().normal_(1, 2, **g),
    "random": lambda a, **g: a.clone().random_(0, 7, **g),
    "bernoulli": lambda a, **g: a.clone().bernoulli_(0.25, **g),
}


@pytest.mark.parametrize("title", DRAWS)
def test_numbers_are_drawn_without_python(cuda, title):
    call, a = DRAWS[title], A.cuda()
    # calls that name a generator are made in Python
    own = torch.Generator("cuda").manual_seed(3)
    torch.cuda.manual_seed(3)
    for _ in range(4):
        assert torch.equal(call(a).cpu(), call(a, generator=own).cpu())
    names = functions_of(lambda: call(a))
    assert [n for n in names if n != "<lambda>"] == []
    call(a, generator=own)
    assert torch.equal(call(a).cpu(), call(a, generator=own).cpu())
    assert torch.equal(torch.cuda.get_rng_state(), own.get_state())
    torch.cuda.manual_seed(5)
    own.manual_seed(5)
    assert torch.equal(call(a).cpu(), call(a, generator=own).cpu())


def test_numbers_in_columns_are_drawn_each_time(cuda):
    # drawn apart, and copied: what draws may not be done again by Python when a later step fails
    a, own = A.cuda(), torch.Generator("cuda").manual_seed(3)
    torch.cuda.manual_seed(3)
    for _ in range(5):
        found, wanted = a.clone().t()[1:], a.clone().t()[1:]
        assert torch.equal(found.normal_(1, 2).cpu(), wanted.normal_(1, 2, generator=own).cpu())


class EveryCallInPython(TorchDispatchMode):
    """While it is there, no call is repeated by machine code."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


DROPS = {
    "dropout": lambda a: F.dropout(a, 0.25),
    "dropout of fours apart": lambda a: F.dropout(a[:, :3].clone(), 0.5),
    "dropout of columns": lambda a: F.dropout(a.t(), 0.5),
    "dropout of some columns": lambda a: F.dropout(a[:, ::2], 0.5),
    "both results": lambda a: torch.cat([x.float() for x in torch.native_dropout(a, 0.5, True)]),
    "in half precision": lambda a: F.dropout(a.to(torch.bfloat16), 0.5),
    "a layer": torch.nn.Dropout(0.3),
}


@pytest.mark.parametrize("title", DROPS)
def test_dropout_without_python(cuda, title):
    call = DROPS[title]
    # what these elements are in calls made in Python, each from the same place of the stream
    wanted = []
    for seed in range(3):
        torch.cuda.manual_seed(seed)
        with EveryCallInPython():
            wanted.append(call(A.cuda()))
    a = A.cuda()
    remember(lambda: call(a))
    remember(lambda: call(a))
    for seed in range(3):
        torch.cuda.manual_seed(seed)
        found = []
        names = functions_of(lambda: found.append(call(a)))  # noqa: B023
        assert [n for n in names if n not in ("<lambda>", "<genexpr>", "<listcomp>")][3:] == []
        assert torch.equal(found[0], wanted[seed]), seed
        assert torch.cuda.default_generators[0].get_offset() == 4


def test_dropout_draws_on_after_each_launch(cuda):
    a = torch.ones(64, device="cuda")
    torch.cuda.manual_seed(1)
    made = [F.dropout(a, 0.5) for _ in range(8)]
    assert torch.cuda.default_generators[0].get_offset() == 32
    assert all(not one.equal(other) for one, other in itertools.pairwise(made))
    assert all(set(x.tolist()) == {0.0, 2.0} for x in made)


def test_remembered_dropout_within_graphs(cuda):
    a = torch.ones(40, device="cuda")
    remember(lambda: F.dropout(a, 0.5))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        b = F.dropout(a, 0.5)
    torch.cuda.manual_seed(7)
    seen = []
    for _ in range(2):
        graph.replay()
        seen.append(b.clone())
    torch.cuda.manual_seed(7)
    assert [F.dropout(a, 0.5).equal(x) for x in seen] == [True, True]


def test_gradients_of_remembered_dropout(cuda):
    a = torch.arange(1.0, 65, device="cuda", requires_grad=True)
    for _ in range(6):
        a.grad = None
        made = F.dropout(a, 0.5)
        made.sum().backward()
        assert torch.equal(a.grad * a.detach(), made.detach())


def test_a_refused_launch_takes_no_numbers(with_stand_in):
    stand_in = with_stand_in()
    a = torch.ones(16, device="cuda")
    remember(lambda: F.dropout(a, 0.5))
    before = torch.cuda.default_generators[0].get_offset()
    stand_in.sticky = 719
    with pytest.raises(RuntimeError, match="native_dropout"):
        F.dropout(a, 0.5)
    stand_in.sticky = 0
    # what machine code has tried is undone, and Python gets no memory before it draws
    assert torch.cuda.default_generators[0].get_offset() == before
