"""Recording, backward passes and second derivatives, tiny and large."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Make = Callable[[Any], Callable[[], Any]]


def workloads() -> dict[str, Make]:
    return {
        "a + b 4x4": pair(lambda a, b: a + b),
        "a * b 4x4": pair(lambda a, b: a * b),
        "chain of 100": chain(100),
        "mlp 16": mlp(False),
        "Function.apply": own_function,
        "20 leaves": leaves(20),
        "depth 100000": depth(100_000),
        "gelu 1M": large(lambda t: t.nn.functional.gelu),
        "softmax 1M": large(lambda t: lambda x: t.softmax(x, -1)),
        "layer_norm 1M": large(lambda t: lambda x: t.nn.functional.layer_norm(x, (1024,))),
        "cross_entropy 1M": cross_entropy,
        "matmul 1M": matmul,
        "mlp twice": mlp(True),
        "jacobian 32x32": jacobian,
    }


def values(t: Any, *size: int) -> Any:
    count = 1
    for n in size:
        count *= n
    mixed = (t.arange(count, dtype=t.int64) * 7919) % 1009
    return ((mixed.to(t.float32) - 504) / 505).reshape(size)


def pair(function: Callable[[Any, Any], Any]) -> Make:
    def make(t: Any) -> Callable[[], Any]:
        a, b = (values(t, 4, 4).requires_grad_() for _ in range(2))
        return lambda: function(a, b)

    return make


def chain(length: int) -> Make:
    def make(t: Any) -> Callable[[], Any]:
        a, b, grad = values(t, 4, 4).requires_grad_(), values(t, 4, 4), t.ones(4, 4)

        def run() -> None:
            x = a
            for _ in range(length):
                x = x * b
            x.backward(grad)

        return run

    return make


def mlp(twice: bool) -> Make:
    def make(t: Any) -> Callable[[], Any]:
        x = values(t, 8, 16)
        weights = [values(t, 16, 16).requires_grad_() for _ in range(3)]
        biases = [t.zeros(16).requires_grad_() for _ in range(3)]
        linear, tanh = t.nn.functional.linear, t.tanh

        def run() -> None:
            h = x
            for weight, bias in zip(weights, biases):
                h = tanh(linear(h, weight, bias))
            if not twice:
                h.sum().backward()
                return
            grads = t.autograd.grad(h.sum(), weights, create_graph=True)
            sum((g * g).sum() for g in grads).backward()

        return run

    return make


def own_function(t: Any) -> Callable[[], Any]:
    class Double(t.autograd.Function):  # type: ignore[name-defined, misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x + x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad + grad

    a = values(t, 4, 4).requires_grad_()
    return lambda: Double.apply(a)


def leaves(count: int) -> Make:
    def make(t: Any) -> Callable[[], Any]:
        given = [values(t, 4).requires_grad_() for _ in range(count)]
        grad = t.ones(4)

        def run() -> None:
            total = given[0]
            for leaf in given[1:]:
                total = total + leaf
            total.backward(grad)

        return run

    return make


def depth(count: int) -> Make:
    def make(t: Any) -> Callable[[], Any]:
        a = t.ones(1).requires_grad_()

        def run() -> None:
            x = a
            for _ in range(count):
                x = x + 1
            x.backward()

        return run

    return make


def large(choose: Callable[[Any], Callable[[Any], Any]]) -> Make:
    def make(t: Any) -> Callable[[], Any]:
        x, grad = values(t, 1024, 1024).requires_grad_(), values(t, 1024, 1024)
        y = choose(t)(x)
        return lambda: t.autograd.grad(y, x, grad, retain_graph=True)

    return make


def cross_entropy(t: Any) -> Callable[[], Any]:
    x = values(t, 1024, 1024).requires_grad_()
    y = t.nn.functional.cross_entropy(x, t.arange(1024) % 1000)
    return lambda: t.autograd.grad(y, x, retain_graph=True)


def matmul(t: Any) -> Callable[[], Any]:
    a, b = (values(t, 1024, 1024).requires_grad_() for _ in range(2))
    y, grad = a @ b, values(t, 1024, 1024)
    return lambda: t.autograd.grad(y, (a, b), grad, retain_graph=True)


def jacobian(t: Any) -> Callable[[], Any]:
    weight, x = values(t, 32, 32), values(t, 32)
    return lambda: t.autograd.functional.jacobian(lambda v: t.tanh(weight.mv(v)), x)
