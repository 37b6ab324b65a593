"""Gradients of nested tensors are those of their elements."""

import pytest

import rushlight as torch
from rushlight.nn import functional as F

LAYOUTS = [torch.jagged, torch.strided]


def lists():
    torch.manual_seed(0)
    return [torch.randn(n, 3, requires_grad=True) for n in (2, 4, 1)]


def loss(x):
    if isinstance(x, torch.Tensor) and not x.is_nested:
        return (x * x).sum()
    return sum((e * e).sum() for e in x)


PROGRAMS = {
    "product": lambda x: x * x,
    "sin": lambda x: (x * 2).sin(),
    "softmax": lambda x: x.softmax(-1),
    "softmax, ragged": lambda x: x.softmax(-2),
    "layer_norm": lambda x: F.layer_norm(x, (3,)),
    "linear": lambda x: F.linear(x, torch.arange(6.0).reshape(2, 3)),
    "transpose": lambda x: x.transpose(-1, -2).contiguous(),
    "sum": lambda x: x.sum(-1, keepdim=True),
    "max": lambda x: x.max(-1)[0],
    "where": lambda x: torch.where(x > 0, x, x * 3),
    "type": lambda x: x.double(),
    "cat": lambda x: torch.cat([x, x * 2], -1),
    "part": lambda x: x[..., 0],
    "gelu": F.gelu,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name, layout):
    parts = lists()
    x = torch.nested.nested_tensor([p.detach() for p in parts], layout=layout, requires_grad=True)
    loss(PROGRAMS[name](x)).backward()
    loss([PROGRAMS[name](p) for p in parts]).backward()
    assert x.grad.is_nested and x.grad.layout is layout
    for found, part in zip(x.grad.unbind(), parts):
        torch.testing.assert_close(found, part.grad)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_history_of_what_one_is_made_of(layout):
    parts = lists()
    loss(torch.nested.as_nested_tensor(parts, layout=layout) * 2).backward()
    for part in parts:
        torch.testing.assert_close(part.grad, 8 * part)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_weights(layout):
    parts, weight = lists(), torch.arange(6.0).reshape(2, 3).requires_grad_()
    x = torch.nested.nested_tensor([p.detach() for p in parts], layout=layout)
    loss(F.linear(x, weight)).backward()
    found, weight.grad = weight.grad, None
    loss([F.linear(p, weight) for p in parts]).backward()
    torch.testing.assert_close(found, weight.grad)


def test_rows_are_summed():
    parts, rows = lists(), torch.ones(3, 1, 3, requires_grad=True)
    x = torch.nested.nested_tensor([p.detach() for p in parts], layout=torch.jagged)
    (x * rows).sum().backward()
    torch.testing.assert_close(rows.grad[:, 0], x.sum(1))


def test_gradients_within_the_graph():
    x = torch.nested.nested_tensor(lists(), layout=torch.jagged, requires_grad=True)
    y = x * 2
    y.retain_grad()
    seen = []
    x.register_hook(seen.append)
    (y * y).sum().backward()
    torch.testing.assert_close(y.grad.values(), 4 * x.detach().values())
    assert len(seen) == 1 and seen[0].is_nested
    (found,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(found.sum(), x)
    torch.testing.assert_close(second.values(), 6 * x.detach().values())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_changes_in_place_are_recorded(layout):
    x = torch.nested.nested_tensor(lists(), layout=layout, requires_grad=True)
    y = x * 1
    y.mul_(x)
    loss(y).backward()
    for found, e in zip(x.grad.unbind(), x.detach().unbind()):
        torch.testing.assert_close(found, 4 * e**3)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        x.mul_(2)
    with torch.no_grad():
        x.mul_(2)


def test_attention():
    torch.manual_seed(0)
    parts = [torch.randn(n, 2, 4, requires_grad=True) for n in (3, 5)]
    x = torch.nested.nested_tensor(
        [p.detach() for p in parts], layout=torch.jagged, requires_grad=True
    )
    q = x.transpose(1, 2)
    loss(F.scaled_dot_product_attention(q, q, q)).backward()
    heads = [p.transpose(0, 1)[None] for p in parts]
    loss([F.scaled_dot_product_attention(h, h, h) for h in heads]).backward()
    for found, part in zip(x.grad.unbind(), parts):
        torch.testing.assert_close(found, part.grad)


def test_padding():
    parts = lists()
    for layout in LAYOUTS:
        x = torch.nested.as_nested_tensor(parts, layout=layout)
        loss(x.to_padded_tensor(5.0)).backward()
    for part in parts:
        torch.testing.assert_close(part.grad, 4 * part)


def test_a_network_trains():
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Linear(3, 8), torch.nn.ReLU(), torch.nn.LayerNorm(8), torch.nn.Linear(8, 1)
    )
    x = torch.nested.nested_tensor(lists(), layout=torch.jagged)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = ((net(x).mean(1) - 1) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 4


@pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW])
def test_optimizers_change_nested_parameters(kind):
    parts = lists()
    x = torch.nn.Parameter(
        torch.nested.nested_tensor([p.detach() for p in parts], layout=torch.jagged)
    )
    dense = [torch.nn.Parameter(p.detach().clone()) for p in parts]
    for given, optimizer in ((x, kind([x], 0.1)), (dense, kind(dense, 0.1))):
        for _ in range(3):
            optimizer.zero_grad()
            loss(given).backward()
            optimizer.step()
    for found, part in zip(x.unbind(), dense):
        torch.testing.assert_close(found, part)
