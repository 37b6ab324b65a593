"""The operators that networks are made of, forward and forward with backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from suites.autograd import values

Make = Callable[[Any], Callable[[], Any]]
Function = Callable[..., Any]


def workloads() -> dict[str, Make]:
    made: dict[str, Make] = {}

    def both(title: str, function: Callable[[Any], Function], *sizes: tuple[int, ...]) -> None:
        made[title] = forward(function, sizes)
        made[f"{title}, backward"] = backward(function, sizes)

    both("conv2d 1x1", conv(), (4, 256, 56, 56), (64, 256, 1, 1), (64,))
    both("conv2d 3x3", conv(padding=1), (4, 64, 56, 56), (64, 64, 3, 3), (64,))
    both("conv2d 3x3 deep", conv(padding=1), (4, 256, 14, 14), (256, 256, 3, 3), (256,))
    both("conv2d 7x7/2", conv(stride=2, padding=3), (1, 3, 224, 224), (64, 3, 7, 7), (64,))
    both("conv2d depthwise", conv(padding=1, groups=64), (4, 64, 56, 56), (64, 1, 3, 3), (64,))
    both("conv2d grouped", conv(padding=1, groups=4), (4, 64, 56, 56), (64, 16, 3, 3), (64,))
    both("conv_transpose2d 4x4/2", transposed, (4, 64, 28, 28), (64, 32, 4, 4), (32,))
    both("max_pool2d 3x3/2", max_pool, (4, 64, 112, 112))
    both("avg_pool2d 2x2", avg_pool, (4, 64, 56, 56))
    both("adaptive_avg_pool2d 1", adaptive, (4, 512, 7, 7))
    both("batch_norm", batch_norm(True), (4, 64, 56, 56), (64,), (64,))
    both("batch_norm eval", batch_norm(False), (4, 64, 56, 56), (64,), (64,))
    both("layer_norm", layer_norm, (1024, 512), (512,), (512,))
    both("group_norm", group_norm, (4, 64, 56, 56), (64,), (64,))
    both("attention", attention(False), *[(4, 8, 256, 64)] * 3)
    both("attention causal", attention(True), *[(4, 8, 256, 64)] * 3)
    made["embedding"] = embedding(False)
    made["embedding, backward"] = embedding(True)
    made["cross_entropy"] = cross_entropy(False)
    made["cross_entropy, backward"] = cross_entropy(True)
    return made


def forward(function: Callable[[Any], Function], sizes: tuple[tuple[int, ...], ...]) -> Make:
    def make(t: Any) -> Callable[[], Any]:
        inputs = [values(t, *size) for size in sizes]
        call = function(t)

        def run() -> Any:
            with t.no_grad():
                return call(*inputs)

        return run

    return make


def backward(function: Callable[[Any], Function], sizes: tuple[tuple[int, ...], ...]) -> Make:
    """Forward and backward, for the gradients of all inputs."""

    def make(t: Any) -> Callable[[], Any]:
        inputs = [values(t, *size).requires_grad_() for size in sizes]
        call = function(t)
        grad = values(t, *call(*inputs).shape)
        return lambda: t.autograd.grad(call(*inputs), inputs, grad)

    return make


def conv(**settings: int) -> Callable[[Any], Function]:
    return lambda t: lambda x, w, b: t.nn.functional.conv2d(x, w, b, **settings)


def transposed(t: Any) -> Function:
    return lambda x, w, b: t.nn.functional.conv_transpose2d(x, w, b, stride=2, padding=1)


def max_pool(t: Any) -> Function:
    return lambda x: t.nn.functional.max_pool2d(x, 3, 2, 1)


def avg_pool(t: Any) -> Function:
    return lambda x: t.nn.functional.avg_pool2d(x, 2)


def adaptive(t: Any) -> Function:
    return lambda x: t.nn.functional.adaptive_avg_pool2d(x, 1)


def batch_norm(training: bool) -> Callable[[Any], Function]:
    def make(t: Any) -> Function:
        mean, variance = t.zeros(64), t.ones(64)
        return lambda x, w, b: t.nn.functional.batch_norm(x, mean, variance, w, b, training)

    return make


def layer_norm(t: Any) -> Function:
    return lambda x, w, b: t.nn.functional.layer_norm(x, (512,), w, b)


def group_norm(t: Any) -> Function:
    return lambda x, w, b: t.nn.functional.group_norm(x, 8, w, b)


def attention(causal: bool) -> Callable[[Any], Function]:
    def make(t: Any) -> Function:
        attend = t.nn.functional.scaled_dot_product_attention
        return lambda q, k, v: attend(q, k, v, is_causal=causal)

    return make


def embedding(with_gradient: bool) -> Make:
    def make(t: Any) -> Callable[[], Any]:
        table = values(t, 8192, 256).requires_grad_(with_gradient)
        index = (t.arange(4096) * 7919 % 8192).reshape(16, 256)
        look_up = t.nn.functional.embedding
        if not with_gradient:
            return lambda: look_up(index, table)
        grad = values(t, 16, 256, 256)
        return lambda: t.autograd.grad(look_up(index, table), table, grad)

    return make


def cross_entropy(with_gradient: bool) -> Make:
    def make(t: Any) -> Callable[[], Any]:
        scores = values(t, 1024, 1000).requires_grad_(with_gradient)
        target = t.arange(1024) * 7919 % 1000
        loss = t.nn.functional.cross_entropy
        if not with_gradient:
            return lambda: loss(scores, target)
        return lambda: t.autograd.grad(loss(scores, target), scores)

    return make
