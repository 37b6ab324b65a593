"""Calls on tiny tensors: what is left is the cost of the call itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def workloads() -> dict[str, Callable[[Any], Callable[[], Any]]]:
    def data(t: Any) -> Any:
        return t.arange(16, dtype=t.float32).reshape(4, 4) + 1

    def binary(function: Callable[[Any, Any, Any], Any]) -> Callable[[Any], Callable[[], Any]]:
        def make(t: Any) -> Callable[[], Any]:
            a, b = data(t), data(t)
            return lambda: function(t, a, b)

        return make

    def with_no_grad(t: Any, a: Any, b: Any) -> Any:
        with t.no_grad():
            return a

    indices: dict[Any, Any] = {}
    arrays: dict[Any, Any] = {}

    def t_index(t: Any) -> Any:
        if t not in indices:
            indices[t] = t.tensor([0, 2, 1])
        return indices[t]

    def array(t: Any, a: Any) -> Any:
        return arrays.setdefault(t, a.clone().numpy())

    calls: dict[str, Callable[[Any, Any, Any], Any]] = {
        "a + b": lambda t, a, b: a + b,
        "a * 2.5": lambda t, a, b: a * 2.5,
        "a + 1": lambda t, a, b: a + 1,
        "1 - a": lambda t, a, b: 1 - a,
        "a / b": lambda t, a, b: a / b,
        "-a": lambda t, a, b: -a,
        "a == b": lambda t, a, b: a == b,
        "a > 3": lambda t, a, b: a > 3,
        "torch.add(a, b, alpha=2)": lambda t, a, b: t.add(a, b, alpha=2),
        "a.exp()": lambda t, a, b: a.exp(),
        "torch.sigmoid(a)": lambda t, a, b: t.sigmoid(a),
        "a.clamp(0, 5)": lambda t, a, b: a.clamp(0, 5),
        "torch.where(a > 3, a, b)": lambda t, a, b: t.where(a > 3, a, b),
        "a.view(2, 8)": lambda t, a, b: a.view(2, 8),
        "a.t()": lambda t, a, b: a.t(),
        "a.transpose(0, 1)": lambda t, a, b: a.transpose(0, 1),
        "a.unsqueeze(0)": lambda t, a, b: a.unsqueeze(0),
        "a[1]": lambda t, a, b: a[1],
        "a[1:3]": lambda t, a, b: a[1:3],
        "a[:, 1:3]": lambda t, a, b: a[:, 1:3],
        "a[0, 2]": lambda t, a, b: a[0, 2],
        "a[index]": lambda t, a, b: a[t_index(t)],
        "a[0] = 1.0": lambda t, a, b: a.__setitem__(0, 1.0),
        "a.sum()": lambda t, a, b: a.sum(),
        "a.mean(1)": lambda t, a, b: a.mean(1),
        "a.max()": lambda t, a, b: a.max(),
        "a.argmax(1)": lambda t, a, b: a.argmax(1),
        "torch.softmax(a, 1)": lambda t, a, b: t.softmax(a, 1),
        "torch.cat([a, b])": lambda t, a, b: t.cat([a, b]),
        "torch.stack([a, b])": lambda t, a, b: t.stack([a, b]),
        "torch.zeros(4, 4)": lambda t, a, b: t.zeros(4, 4),
        "torch.empty(4, 4)": lambda t, a, b: t.empty(4, 4),
        "torch.ones_like(a)": lambda t, a, b: t.ones_like(a),
        "torch.arange(10)": lambda t, a, b: t.arange(10),
        "torch.tensor(3.0)": lambda t, a, b: t.tensor(3.0),
        "a.add_(b)": lambda t, a, b: a.add_(b),
        "a.mul_(1.0)": lambda t, a, b: a.mul_(1.0),
        "a.copy_(b)": lambda t, a, b: a.copy_(b),
        "a.clone()": lambda t, a, b: a.clone(),
        "a.contiguous()": lambda t, a, b: a.contiguous(),
        "a.to(float64)": lambda t, a, b: a.to(t.float64),
        "a[0, 0].item()": lambda t, a, b: a[0, 0].item(),
        "a.shape": lambda t, a, b: a.shape,
        "a.detach()": lambda t, a, b: a.detach(),
        "no_grad()": with_no_grad,
        "a.nonzero()": lambda t, a, b: a.nonzero(),
        "torch.where(a > 3)": lambda t, a, b: t.where(a > 3),
        "a[a > 3]": lambda t, a, b: a[a > 3],
        "a[index] = 1.0": lambda t, a, b: a.__setitem__(t_index(t), 1.0),
        "a.index_add(0, index, rows)": lambda t, a, b: a.index_add(0, t_index(t), b[:3]),
        "a.scatter(1, index, 2.0)": lambda t, a, b: a.scatter(1, t_index(t)[:, None], 2.0),
        "one_hot(index, 4)": lambda t, a, b: t.nn.functional.one_hot(t_index(t), 4),
        "a.sort(1)": lambda t, a, b: a.sort(1),
        "a.topk(2)": lambda t, a, b: a.topk(2),
        "a.tril()": lambda t, a, b: a.tril(),
        "torch.equal(a, b)": lambda t, a, b: t.equal(a, b),
        "torch.outer(a[0], b[0])": lambda t, a, b: t.outer(a[0], b[0]),
        "normalize(a, dim=1)": lambda t, a, b: t.nn.functional.normalize(a, dim=1),
        "pad(reflect)": lambda t, a, b: t.nn.functional.pad(a[None], (1, 1), mode="reflect"),
        "interpolate(nearest)": lambda t, a, b: t.nn.functional.interpolate(
            a[None, None], scale_factor=2
        ),
        "dropout(a, 0.5)": lambda t, a, b: t.nn.functional.dropout(a, 0.5),
        "a.normal_()": lambda t, a, b: a.normal_(),
        "torch.bernoulli(a / 99)": lambda t, a, b: t.bernoulli(a / 99),
        "torch.multinomial(a[0], 2)": lambda t, a, b: t.multinomial(b[0], 2),
        "torch.from_numpy(array)": lambda t, a, b: t.from_numpy(array(t, a)),
        "torch.tensor(array)": lambda t, a, b: t.tensor(array(t, a)),
        "a.numpy()": lambda t, a, b: a.numpy(),
        "a.data": lambda t, a, b: a.data,
    }
    return {title: binary(function) for title, function in calls.items()}
