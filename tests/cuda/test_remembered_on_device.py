"""Calls on a device besides maps and sums that come again: copies, joins, gathers, factories, losses."""

import pytest
from test_remembered_launches import functions_of, remember

import rushlight as torch
from rushlight.engine.native import heap_types
from rushlight.nn import functional as F

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
