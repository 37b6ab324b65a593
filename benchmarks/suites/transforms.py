"""Transformations of programs: gradients of samples, Jacobians, batches, ensembles, tracing, watching."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Make = Callable[[Any], Callable[[], Any]]

BATCH, INPUTS, HIDDEN, OUTPUTS, MODELS = 64, 16, 32, 4, 10


def _numbers(t: Any, *size: int, scale: float = 1.0) -> Any:
    """Numbers that look random, the same on both sides."""
    count = 1
    for n in size:
        count *= n
    mixed = t.arange(count, dtype=t.int64) * 2654435761
    mixed = (mixed ^ (mixed >> 13)) % 2003
    return ((mixed.to(t.float32) / 2003 - 0.5) * scale).reshape(size)


def _weights(t: Any) -> list[Any]:
    sizes = [
        (HIDDEN, INPUTS),
        (HIDDEN,),
        (HIDDEN, HIDDEN),
        (HIDDEN,),
        (OUTPUTS, HIDDEN),
        (OUTPUTS,),
    ]
    return [_numbers(t, *size, scale=0.4) for size in sizes]


def _mlp(t: Any, weights: list[Any], x: Any) -> Any:
    linear = t.nn.functional.linear
    x = t.tanh(linear(x, weights[0], weights[1]))
    x = t.tanh(linear(x, weights[2], weights[3]))
    return linear(x, weights[4], weights[5])


def _loss(t: Any, weights: list[Any], x: Any, y: Any) -> Any:
    return ((_mlp(t, weights, x) - y) ** 2).mean()


def _samples_of(t: Any, module: Any, x: Any, y: Any) -> Callable[[], Any]:
    """The gradients of a module's loss for each sample."""
    weights = dict(module.named_parameters())
    func = t.func

    def loss(weights: Any, x: Any, y: Any) -> Any:
        out = func.functional_call(module, weights, (x.unsqueeze(0),))
        return t.nn.functional.cross_entropy(out, y.unsqueeze(0))

    each = func.vmap(func.grad(loss), in_dims=(None, 0, 0))
    return lambda: each(weights, x, y)


def _set(t: Any, module: Any) -> Any:
    """A module with numbers that both sides have."""
    with t.no_grad():
        for weight in module.parameters():
            weight.copy_(_numbers(t, *weight.shape, scale=0.3))
    return module


def _convolutions(t: Any) -> Any:
    nn = t.nn
    layers = (
        nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 10),
    )  # fmt: skip
    return _set(t, nn.Sequential(*layers))


def _attention(t: Any) -> Any:
    """A small transformer: one block over 16 positions of 32 numbers."""
    nn = t.nn

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.before, self.after = nn.LayerNorm(32), nn.LayerNorm(32)
            self.joint, self.out = nn.Linear(32, 96), nn.Linear(32, 32)
            self.up, self.down, self.head = nn.Linear(32, 64), nn.Linear(64, 32), nn.Linear(32, 10)

        def forward(self, x: Any) -> Any:
            q, k, v = (
                self.joint(self.before(x)).reshape(*x.shape[:2], 3, 4, 8).permute(2, 0, 3, 1, 4)
            )
            scores = (q @ k.transpose(-1, -2) * 8**-0.5).softmax(-1)
            x = x + self.out((scores @ v).transpose(1, 2).reshape(x.shape))
            x = x + self.down(nn.functional.gelu(self.up(self.after(x))))
            return self.head(x.mean(1))

    return _set(t, Block())


def _scalar(t: Any, operators: int) -> Callable[[Any], Any]:
    """A program of so many operators on a number."""

    def run(x: Any) -> Any:
        for _ in range(operators // 5):
            x = t.sin(x) * 2 + 1
            x = x.exp() - x
        return x

    return run


def _residual(t: Any) -> Any:
    """As many modules as a residual network of 50 layers has, with few channels."""
    nn = t.nn

    class Bottleneck(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Conv2d(8, 4, 1, bias=False), nn.Conv2d(4, 4, 3, 1, 1)
            self.third = nn.Conv2d(4, 8, 1, bias=False)
            self.norms = nn.ModuleList([nn.BatchNorm2d(4), nn.BatchNorm2d(4), nn.BatchNorm2d(8)])
            self.relu = nn.ReLU()

        def forward(self, x: Any) -> Any:
            y = self.relu(self.norms[0](self.first(x)))
            y = self.relu(self.norms[1](self.second(y)))
            return self.relu(x + self.norms[2](self.third(y)))

    blocks = [Bottleneck() for _ in range(16)]
    return _set(
        t,
        nn.Sequential(
            nn.Conv2d(3, 8, 3), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10)
        ),
    ).eval()


def workloads() -> dict[str, Make]:
    made: dict[str, Make] = {}

    def add(title: str) -> Callable[[Make], Make]:
        def keep(make: Make) -> Make:
            made[title] = make
            return make

        return keep

    @add("samples of an mlp")
    def _(t: Any) -> Callable[[], Any]:
        each = t.func.vmap(t.func.grad(lambda w, x, y: _loss(t, w, x, y)), in_dims=(None, 0, 0))
        given = _weights(t), _numbers(t, BATCH, INPUTS), _numbers(t, BATCH, OUTPUTS)
        return lambda: each(*given)

    @add("samples of convolutions")
    def _(t: Any) -> Callable[[], Any]:
        return _samples_of(t, _convolutions(t), _numbers(t, 16, 1, 28, 28), t.arange(16) % 10)

    @add("samples of a transformer")
    def _(t: Any) -> Callable[[], Any]:
        return _samples_of(t, _attention(t), _numbers(t, 16, 16, 32), t.arange(16) % 10)

    @add("an ensemble")
    def _(t: Any) -> Callable[[], Any]:
        stacked = [t.stack([w * (k + 1) / MODELS for k in range(MODELS)]) for w in _weights(t)]
        x = _numbers(t, BATCH, INPUTS)
        run = t.func.vmap(lambda w, x: _mlp(t, w, x), in_dims=(0, None))
        return lambda: run(stacked, x)

    @add("jacrev")
    def _(t: Any) -> Callable[[], Any]:
        weights, x = _weights(t), _numbers(t, INPUTS)
        run = t.func.jacrev(lambda x: _mlp(t, weights, x))
        return lambda: run(x)

    @add("jacfwd")
    def _(t: Any) -> Callable[[], Any]:
        weights, x = _weights(t), _numbers(t, INPUTS)
        run = t.func.jacfwd(lambda x: _mlp(t, weights, x))
        return lambda: run(x)

    @add("hessian")
    def _(t: Any) -> Callable[[], Any]:
        weights, x, y = _weights(t), _numbers(t, INPUTS), _numbers(t, OUTPUTS)
        run = t.func.hessian(lambda x: _loss(t, weights, x, y))
        return lambda: run(x)

    @add("hessian-vector product")
    def _(t: Any) -> Callable[[], Any]:
        weights, x, y = _weights(t), _numbers(t, INPUTS), _numbers(t, OUTPUTS)
        slope, vector = t.func.grad(lambda x: _loss(t, weights, x, y)), t.cos(x)
        return lambda: t.func.jvp(slope, (x,), (vector,))

    for operators in (5, 20, 100):

        @add(f"vmap of {operators} operators")
        def _(t: Any, operators: int = operators) -> Callable[[], Any]:
            run, x = t.func.vmap(_scalar(t, operators)), _numbers(t, 100, scale=0.02)
            return lambda: run(x)

    @add("jvp of a network")
    def _(t: Any) -> Callable[[], Any]:
        weights, x = _weights(t), _numbers(t, BATCH, INPUTS)
        return lambda: t.func.jvp(lambda x: _mlp(t, weights, x), (x,), (x,))

    @add("vmap(vmap(grad))")
    def _(t: Any) -> Callable[[], Any]:
        run = t.func.vmap(t.func.vmap(t.func.grad(lambda x: t.sin(x) * x)))
        x = _numbers(t, 5, 6)
        return lambda: run(x)

    @add("grad of an mlp")
    def _(t: Any) -> Callable[[], Any]:
        run = t.func.grad(lambda w, x, y: _loss(t, w, x, y))
        given = _weights(t), _numbers(t, BATCH, INPUTS), _numbers(t, BATCH, OUTPUTS)
        return lambda: run(*given)

    @add("functionalize")
    def _(t: Any) -> Callable[[], Any]:
        def step(weight: Any, slope: Any, momentum: Any) -> Any:
            momentum = momentum.clone()
            momentum.mul_(0.9).add_(slope)
            changed = weight.clone()
            changed.view(-1).add_(momentum.view(-1), alpha=-0.1)
            return changed, momentum

        run = t.func.functionalize(step)
        given = [_numbers(t, HIDDEN, INPUTS) for _ in range(3)]
        return lambda: run(*given)

    @add("symbolic_trace of a residual network")
    def _(t: Any) -> Callable[[], Any]:
        from importlib import import_module

        network, fx = _residual(t), import_module(f"{t.__name__}.fx")
        return lambda: fx.symbolic_trace(network)

    @add("make_fx of a residual network")
    def _(t: Any) -> Callable[[], Any]:
        from importlib import import_module

        network, x = _residual(t), _numbers(t, 1, 3, 16, 16)
        tracing = import_module(f"{t.__name__}.fx.experimental.proxy_tensor")
        return lambda: tracing.make_fx(network)(x)

    @add("a call under a logging mode")
    def _(t: Any) -> Callable[[], Any]:
        from importlib import import_module

        base = import_module(f"{t.__name__}.utils._python_dispatch").TorchDispatchMode

        class Logging(base):  # type: ignore[misc, valid-type]
            def __torch_dispatch__(
                self, function: Any, types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                return function(*args, **(kwargs or {}))

        x = _numbers(t, 16, 16)

        def run() -> Any:
            with Logging():
                return (x + x) * x

        return run

    @add("attention of nested sequences")
    def _(t: Any) -> Callable[[], Any]:
        sequences = _sequences(t)

        def run() -> Any:
            with t.no_grad():
                return _attended(t, *sequences)

        return run

    @add("a step of nested attention")
    def _(t: Any) -> Callable[[], Any]:
        x, weight = _sequences(t)
        weight.requires_grad_()

        def run() -> Any:
            weight.grad = None
            _attended(t, x, weight).sum().backward()
            return weight.grad

        return run

    return made


def _sequences(t: Any) -> tuple[Any, Any]:
    """Sequences of different lengths, and weights for queries, keys and values."""
    rows = [_numbers(t, 16 + 12 * k, 64) for k in range(8)]
    return t.nested.nested_tensor(rows, layout=t.jagged), _numbers(t, 192, 64, scale=0.2)


def _attended(t: Any, x: Any, weight: Any) -> Any:
    functional = t.nn.functional
    parts = functional.linear(x, weight).chunk(3, -1)
    q, k, v = (p.unflatten(-1, (4, 16)).contiguous().transpose(1, 2) for p in parts)
    return functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(-2)
