"""`grad`, `vjp`, `jvp`, Jacobians and Hessians, by themselves and within each other."""

import pytest

import rushlight as torch
from rushlight.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
    vmap,
)

X = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)


def close(found, expected):
    return torch.allclose(found, expected, 1e-9, 1e-9)


def test_gradients_of_any_order():
    def f(x):
        return (x.sin() * x).sum()

    assert close(grad(f)(X), X.sin() + X * X.cos())
    assert close(vmap(grad(grad(lambda x: x.sin() * x)))(X), 2 * X.cos() - X * X.sin())
    gradient, value = grad_and_value(f)(X)
    assert close(value, f(X)) and close(gradient, grad(f)(X))
    gradient, aux = grad(lambda x: (f(x), x * 2), has_aux=True)(X)
    assert close(aux, X * 2) and not aux.requires_grad


def test_what_surrounds_a_transformation_is_differentiated_too():
    outer = X.clone().requires_grad_()
    found = grad(lambda y: (y * outer).sum())(torch.ones(3, dtype=torch.float64))
    assert found.requires_grad and torch.autograd.grad(found.sum(), outer)[0].tolist() == [1.0] * 3
    with torch.no_grad():
        assert not grad(lambda y: (y * outer).sum())(X).requires_grad
    # Within, gradients are recorded whatever is switched off around it.
    assert close(vmap(grad(lambda y: y**3))(X), 3 * X**2)


def test_no_grad_within():
    def f(x):
        with torch.no_grad():
            constant = x**2
        return (x - constant).sum()

    assert grad(f)(X).tolist() == [1.0] * 3


def test_vjp_and_jvp_are_transposed():
    def f(x):
        return torch.stack([x.prod(), x.exp().sum()])

    v, t = torch.tensor([1.0, -2.0]).double(), torch.tensor([0.5, 1.0, 1.5]).double()
    output, pull = vjp(f, X)
    (back,) = pull(v)
    again, forth = jvp(f, (X,), (t,))
    assert close(output, again) and close(back @ t, v @ forth)
    linear, push = linearize(f, X)
    assert close(linear, output) and close(push(t), forth)


def test_jacobians_by_either_mode():
    def f(x, y):
        return {"a": x.outer(y).sum(0) ** 2, "b": x * 3}

    for argnums in (0, (0, 1)):
        by_rows, by_columns = jacrev(f, argnums)(X, X + 1), jacfwd(f, argnums)(X, X + 1)
        for key in "ab":
            rows, columns = by_rows[key], by_columns[key]
            pairs = [(rows, columns)] if argnums == 0 else list(zip(rows, columns))
            assert all(close(r, c) for r, c in pairs)
    assert close(jacrev(f, chunk_size=2)(X, X)["a"], jacrev(f)(X, X)["a"])
    assert close(jacrev(f, chunk_size=1)(X, X)["a"], jacrev(f)(X, X)["a"])


def test_a_hessian_by_four_routes():
    def f(x):
        return (x.sin() * x.roll(1) ** 2).sum()

    first = jacfwd(jacrev(f))(X)
    assert close(first, hessian(f)(X))
    assert close(first, jacrev(jacfwd(f))(X)) and close(first, jacrev(jacrev(f))(X))
    assert close(first, jacfwd(jacfwd(f))(X)) and close(first, first.T)


def test_gradients_of_each_sample():
    net = torch.nn.Sequential(
        torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2)
    ).double()
    weights = {name: p.detach() for name, p in net.named_parameters()}
    x, y = torch.randn(5, 3).double(), torch.tensor([0, 1, 1, 0, 1])

    def loss(weights, x, y):
        out = functional_call(net, weights, (x.unsqueeze(0),))
        return torch.nn.functional.cross_entropy(out, y.unsqueeze(0))

    found = vmap(grad(loss), (None, 0, 0))(weights, x, y)
    for place in range(5):
        one = grad(loss)(weights, x[place], y[place])
        assert all(close(found[name][place], one[name]) for name in one)


def test_in_place_within():
    def f(x):
        made = torch.zeros(3, dtype=torch.float64)
        made[1:] = x[1:]
        made.mul_(2).add_(x)
        return (made**2).sum()

    expected = torch.tensor([2.0, 18.0, 18.0]).double() * X
    assert close(grad(f)(X), expected)
    captured = torch.zeros(3, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="would mutate a captured Tensor"):
        grad(lambda x: captured.copy_(x).sum())(X)
    for view in (lambda c: c[1:], lambda c: c.view(1, 3)[0], lambda c: c.split(1)[0]):
        for kept in (captured, captured.clone().requires_grad_().clone()):
            with pytest.raises(RuntimeError, match="would mutate a captured Tensor"):
                grad(lambda x, kept=kept, view=view: view(kept).mul_(x[0]).sum())(X)


def test_views_of_what_is_changed_later():
    def f(x):
        made = torch.zeros(3, dtype=torch.float64)
        part = made[1:]
        made.copy_(x * 2)
        return part

    output, pull = vjp(f, X)
    assert output.tolist() == (X * 2)[1:].tolist()
    assert pull(torch.ones(2).double())[0].tolist() == [0.0, 2.0, 2.0]


def test_meta_learning_step():
    """The gradient through a step of gradient descent."""

    def inner(w, x):
        return ((w * x).sum() - 1) ** 2

    def outer(w, x):
        return inner(w - 0.1 * grad(inner)(w, x), x)

    found = vmap(grad(outer), (None, 0))(X, torch.stack([X, X * 2]))
    step = 1e-6
    for place, x in enumerate([X, X * 2]):
        moved = torch.stack([X + step * unit for unit in torch.eye(3).double()])
        slope = torch.stack([(outer(w, x) - outer(X, x)) / step for w in moved])
        assert torch.allclose(found[place], slope, 1e-4, 1e-4)


def test_values_that_outlive_a_transformation():
    kept = []

    def f(x):
        kept.append(x * 2)
        return x.sum()

    grad(f)(X)
    assert (kept[0] + 1).tolist() == (X * 2 + 1).tolist()
    kept.clear()
    vmap(f)(torch.stack([X, X]))
    with pytest.raises(RuntimeError, match="your tensor may have escaped"):
        kept[0] + 1


def test_what_is_refused():
    with pytest.raises(RuntimeError, match="to return a scalar Tensor"):
        grad(lambda x: x)(X)
    with pytest.raises(RuntimeError, match="to return a Tensor, got <class 'float'>"):
        grad(lambda x: 1.0)(X)
    with pytest.raises(RuntimeError, match="requires_grad_"):
        grad(lambda x: x.requires_grad_().sum())(X)
    with pytest.raises(RuntimeError, match="same python structure"):
        jvp(lambda x: x, (X,), ((X, X),))
    with pytest.raises(RuntimeError, match="only 1 positional inputs"):
        grad(lambda x: x.sum(), argnums=1)(X)


def test_text_of_what_is_within():
    seen = []
    vmap(grad(lambda x: seen.append(repr(x)) or x.sum()))(torch.zeros(1, 2))
    assert seen == [
        "GradTrackingTensor(lvl=2, value=\n    BatchedTensor(lvl=1, bdim=0, value=\n"
        "        tensor([[0., 0.]])\n    )\n)"
    ]
