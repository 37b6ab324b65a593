"""`__torch_function__` hears of the same calls as in PyTorch, in the same order."""

import pytest

torch = pytest.importorskip("torch")

import rushlight  # noqa: E402

CALLS = {
    "add": lambda t, x: x + 1,
    "reflected": lambda t, x: 2 - x,
    "in place": lambda t, x: x.mul_(2),
    "method": lambda t, x: x.sum(),
    "function": lambda t, x: t.sum(x, 0),
    "list": lambda t, x: t.cat([t.ones(1, 3), x]),
    "subscript": lambda t, x: x[0],
    "write": lambda t, x: x.__setitem__(0, 5.0),
    "index": lambda t, x: t.ones(4)[x.long()],
    "shape": lambda t, x: x.shape,
    "size": lambda t, x: x.size(),
    "dim": lambda t, x: x.dim(),
    "device": lambda t, x: x.device,
    "len": lambda t, x: len(x),
    "transposed": lambda t, x: x.T,
    "item": lambda t, x: x[0, 0].item(),
    "list of numbers": lambda t, x: x.tolist(),
    "out": lambda t, x: t.add(t.ones(2, 3), 1, out=x),
    "named result": lambda t, x: t.max(x, 0),
    "split": lambda t, x: x.split(1),
    "linear": lambda t, x: t.nn.functional.linear(x, t.ones(2, 3)),
    "loss": lambda t, x: t.nn.functional.mse_loss(x, t.ones(2, 3)),
    "softmax": lambda t, x: t.softmax(x, -1),
    "embedding": lambda t, x: t.nn.functional.embedding(x.long(), t.ones(4, 2)),
    "einsum": lambda t, x: t.einsum("ij->j", x),
    "to": lambda t, x: x.to(t.float64),
    "new": lambda t, x: x.new_zeros(2),
    "like": lambda t, x: t.zeros_like(x),
    "requires_grad": lambda t, x: x.requires_grad,
    "requires_grad_": lambda t, x: x.requires_grad_(),
    "clone": lambda t, x: x.clone(),
    "stack": lambda t, x: t.stack([x, x]),
    "where": lambda t, x: t.where(x > 0, x, t.zeros(2, 3)),
    "equal": lambda t, x: x == 1,
    "bool": lambda t, x: bool(x.sum() > 0),
    "float": lambda t, x: float(x.sum()),
    "matmul": lambda t, x: t.ones(2, 2) @ x,
    "type": lambda t, x: x.type(),
    "reshape": lambda t, x: x.reshape(-1).view(3, 2),
    "data": lambda t, x: x.data,
}


def heard(lib, call, kind):
    """The functions that a subclass or a mode hears of, and the types of the results."""
    names = []
    resolve = lib.overrides.resolve_name

    class Listening(lib.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            names.append((resolve(func), [t.__name__ for t in types]))
            return super().__torch_function__(func, types, args, kwargs)

    class Mode(lib.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            names.append((resolve(func), [t.__name__ for t in types]))
            return func(*args, **(kwargs or {}))

    x = lib.ones(2, 3)
    x = x.as_subclass(Listening) if kind == "subclass" else x
    names.clear()
    if kind == "mode":
        with Mode():
            result = call(lib, x)
    else:
        result = call(lib, x)
    parts = list(result) if isinstance(result, (tuple, list)) else [result]
    return names, [type(part).__name__ for part in parts]


def public(name):
    """One of the names by which a function is known."""
    return name.replace("functional.", "").replace("__eq__", "eq").replace("torch.nn.", "torch.")


@pytest.mark.parametrize("kind", ["subclass", "mode"])
@pytest.mark.parametrize("name", CALLS)
def test_the_same_calls_are_heard_of(name, kind):
    theirs, mine = (heard(lib, CALLS[name], kind) for lib in (torch, rushlight))
    assert [public(n) for n, _ in mine[0]] == [public(n) for n, _ in theirs[0]]
    assert [t for _, t in mine[0]] == [t for _, t in theirs[0]]
    assert mine[1] == theirs[1]


def test_the_order_of_asking():
    for lib in (torch, rushlight):
        order = []

        def make(name, bases=(object,), order=order):
            def answer(cls, func, types, args=(), kwargs=None):
                order.append((cls.__name__, [t.__name__ for t in types]))
                return NotImplemented

            return type(name, bases, {"__torch_function__": classmethod(answer)})

        first, other = make("First"), make("Other")
        below = make("Below", (first,))
        with pytest.raises(TypeError, match="Multiple dispatch failed"):
            lib.stack([first(), other(), below(), first()])
        if lib is torch:
            theirs = list(order)
        else:
            assert order == theirs
