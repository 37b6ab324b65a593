"""Steps as formulas: the compiled launch and the run on tensors come to the same."""

import copy

import pytest

import rushlight as torch
from rushlight import optim

MAKERS = {
    "SGD": lambda p, **k: optim.SGD(p, lr=0.1, **k),
    "SGD momentum": lambda p, **k: optim.SGD(
        p, lr=0.1, momentum=0.9, dampening=0.3, weight_decay=0.1, **k
    ),
    "SGD nesterov": lambda p, **k: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, **k),
    "Adam": lambda p, **k: optim.Adam(p, lr=0.1, weight_decay=0.1, **k),
    "Adam amsgrad": lambda p, **k: optim.Adam(p, lr=0.1, amsgrad=True, **k),
    "AdamW": lambda p, **k: optim.AdamW(p, lr=0.1, **k),
    "Adagrad": lambda p, **k: optim.Adagrad(p, lr=0.1, lr_decay=0.1, weight_decay=0.1, **k),
    "Adadelta": lambda p, **k: optim.Adadelta(p, weight_decay=0.1, **k),
    "Adamax": lambda p, **k: optim.Adamax(p, weight_decay=0.1, **k),
    "NAdam": lambda p, **k: optim.NAdam(p, weight_decay=0.1, **k),
    "NAdam apart": lambda p, **k: optim.NAdam(
        p, weight_decay=0.1, decoupled_weight_decay=True, **k
    ),
    "RAdam": lambda p, **k: optim.RAdam(p, weight_decay=0.1, betas=(0.9, 0.9), **k),
    "RMSprop": lambda p, **k: optim.RMSprop(p, weight_decay=0.1, **k),
    "RMSprop all": lambda p, **k: optim.RMSprop(p, momentum=0.5, centered=True, **k),
    "ASGD": lambda p, **k: optim.ASGD(p, lr=0.1, t0=1, weight_decay=0.1, **k),
    "Rprop": lambda p, **k: optim.Rprop(p, lr=0.1, **k),
}
SHAPES = [(3, 5), (), (0, 4), (70,)]


def steps(make, parameters, count=4, **settings):
    """Some steps on made-up gradients; the optimizer."""
    optimizer = make(parameters, **settings)
    torch.manual_seed(1)
    for _ in range(count):
        for p in parameters:
            p.grad = torch.randn(p.shape, dtype=torch.float64).to(p.dtype)
        optimizer.step()
    return optimizer


def parameters(dtype=torch.float32, shapes=SHAPES):
    torch.manual_seed(0)
    return [torch.nn.Parameter(torch.randn(shape).to(dtype)) for shape in shapes]


def assert_same(found, expected):
    for a, b in zip(found, expected, strict=True):
        assert torch.allclose(a.detach(), b.detach(), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("maximize", [False, True])
def test_compiled_steps_equal_steps_on_tensors(name, maximize):
    compiled, plain = parameters(), parameters()
    one = steps(MAKERS[name], compiled, maximize=maximize)
    with torch.no_grad():
        copies = [p.detach().clone() for p in plain]
    other = steps(MAKERS[name], copies, maximize=maximize, differentiable=True)
    assert_same(compiled, copies)
    for p, q in zip(compiled, copies):
        assert one.state[p].keys() == other.state[q].keys()
        assert_same(one.state[p].values(), other.state[q].values())


@pytest.mark.parametrize("name", ["SGD momentum", "AdamW", "RMSprop all", "Rprop"])
def test_layouts_that_are_not_contiguous_change_nothing(name):
    usual = parameters(shapes=[(4, 6), (6,)])
    turned = [torch.nn.Parameter(p.detach().t().contiguous().t()) for p in usual]
    assert not turned[0].is_contiguous()
    steps(MAKERS[name], usual)
    steps(MAKERS[name], turned)
    assert_same(turned, usual)


@pytest.mark.parametrize("turned", [False, True])
def test_gradients_may_lie_in_another_order(turned):
    usual, other = (torch.nn.Parameter(torch.ones(3, 4)) for _ in range(2))
    if turned:
        other = torch.nn.Parameter(torch.ones(4, 3).t())
    usual.grad = torch.arange(12.0).reshape(3, 4)
    other.grad = torch.arange(12.0).reshape(3, 4).t().contiguous().t()
    for p in (usual, other):
        optim.Adam([p], lr=0.1).step()
    assert torch.equal(usual, other)
    other.grad = torch.ones(1).expand(3, 4)
    before = other.detach().clone()
    optim.SGD([other], lr=0.5).step()
    assert torch.equal(other, before - 0.5)


def test_parameters_of_several_types_in_one_group():
    dtypes = [torch.float32, torch.float64, torch.float32, torch.complex64]
    torch.manual_seed(0)
    mixed = [torch.nn.Parameter(torch.randn(4).to(d)) for d in dtypes]
    alone = copy.deepcopy(mixed)
    for p, q in zip(mixed, alone):
        q.grad = torch.ones_like(q) * (2 if not q.is_complex() else 1 + 2j)
        p.grad = q.grad.clone()
        optim.Adam([q], lr=0.1).step()
    optim.Adam(mixed, lr=0.1).step()
    assert_same(mixed, alone)


def test_complex_numbers_step_as_pairs():
    z = torch.nn.Parameter(torch.tensor([1 + 2j, -1j]))
    pair = torch.nn.Parameter(torch.view_as_real(z.detach()).clone())
    z.grad = torch.tensor([3 - 1j, 2 + 2j])
    pair.grad = torch.view_as_real(z.grad).clone()
    for p in (z, pair):
        optim.AdamW([p], lr=0.1).step()
    assert torch.allclose(torch.view_as_real(z.detach()), pair.detach())


def test_half_precision_is_computed_in_single():
    p = torch.nn.Parameter(torch.ones(100, dtype=torch.bfloat16))
    p.grad = torch.full((100,), 0.5, dtype=torch.bfloat16)
    optim.SGD([p], lr=0.25).step()
    assert p.dtype is torch.bfloat16
    assert p.detach().eq(0.875).all()


def test_parameters_at_different_steps():
    first, second = torch.nn.Parameter(torch.ones(3)), torch.nn.Parameter(torch.ones(3))
    optimizer = optim.Adam([first, second], lr=0.1)
    first.grad = torch.ones(3)
    optimizer.step()
    second.grad = torch.ones(3)
    optimizer.step()
    assert optimizer.state[first]["step"] == 2
    assert optimizer.state[second]["step"] == 1
    alone = torch.nn.Parameter(torch.ones(3))
    alone.grad = torch.ones(3)
    optim.Adam([alone], lr=0.1).step()
    assert torch.equal(second, alone)


def test_a_step_is_seen_by_the_versions():
    p = torch.nn.Parameter(torch.ones(3))
    q = p * p
    p.grad = torch.ones(3)
    before = p._version
    optim.SGD([p], lr=0.1).step()
    assert p._version == before + 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        q.sum().backward()


def test_many_elements_are_shared_among_threads():
    p = torch.nn.Parameter(torch.ones(1_000_003))
    q = torch.nn.Parameter(torch.ones(77))
    for x in (p, q):
        x.grad = torch.arange(x.numel()).to(torch.float32)
    optim.SGD([p, q], lr=0.5).step()
    assert torch.equal(p.detach(), 1 - 0.5 * p.grad)
    assert torch.equal(q.detach(), 1 - 0.5 * q.grad)


def test_the_rate_can_be_learned():
    rate = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
    start = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    moved = start.clone()
    moved.grad = torch.tensor([3.0, -1.0], dtype=torch.float64)
    optim.SGD([moved], lr=rate, differentiable=True).step()
    moved.sum().backward()
    assert rate.grad == -2
    assert start.grad.eq(1).all()


def test_a_number_of_steps_from_an_old_file():
    p = torch.nn.Parameter(torch.ones(3))
    optimizer = optim.Adam([p], lr=0.1)
    p.grad = torch.ones(3)
    optimizer.step()
    optimizer.state[p]["step"] = 1.0
    optimizer.step()
    assert optimizer.state[p]["step"] == 2.0


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"fused": True, "foreach": True}, RuntimeError, "cannot be `True` together"),
        ({"fused": True, "differentiable": True}, RuntimeError, "does not support"),
        ({"lr": torch.ones(2)}, ValueError, "Tensor lr must be 1-element"),
        ({"betas": (0.9, torch.tensor(0.9))}, ValueError, "both floats or both Tensors"),
        ({"lr": -1.0}, ValueError, "Invalid learning rate: -1.0"),
    ],
)
def test_settings_that_are_refused(settings, error, message):
    with pytest.raises(error, match=message):
        optim.Adam(parameters(), **settings)


def test_capturable_needs_a_device_that_is_not_here():
    p = torch.nn.Parameter(torch.ones(3))
    p.grad = torch.ones(3)
    with pytest.raises(AssertionError, match="must be on supported devices"):
        optim.Adam([p], capturable=True).step()


def test_a_leaf_is_not_changed_by_a_differentiable_step():
    p = torch.nn.Parameter(torch.ones(3))
    p.grad = torch.ones(3)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        optim.SGD([p], differentiable=True).step()
