"""Programs of small steps: recurrent layers and cells, and what Python loops do to tensors."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

Make = Callable[[Any], Callable[[], Any]]
# Sequence length, batch, width.
SIZES = [(1, 16, 128), (64, 16, 128), (32, 64, 256)]


def workloads() -> dict[str, Make]:
    found: dict[str, Make] = {}
    for name, options in [
        ("GRU", {}), ("LSTM", {}), ("RNN", {}), ("RNN", {"nonlinearity": "relu"}),
    ]:  # fmt: skip
        for size in SIZES:
            title = " ".join(map(str, (name, *options.values(), *size)))
            found[title] = layer(name, size, options, False)
            found[f"{title} backward"] = layer(name, size, options, True)
    for name in ("GRUCell", "LSTMCell", "RNNCell"):
        found[name] = layer(name, SIZES[0], {}, False)
        found[f"{name} backward"] = layer(name, SIZES[0], {}, True)
    return found | loops()


def layer(name: str, size: tuple[int, int, int], options: Any, backward: bool) -> Make:
    length, batch, width = size

    def make(t: Any) -> Callable[[], Any]:
        t.manual_seed(0)
        module = getattr(t.nn, name)(width, width, **options)
        is_cell = name.endswith("Cell")
        state_size = (batch, width) if is_cell else (1, batch, width)
        states: Any = [t.randn(*state_size) for _ in range(1 + name.startswith("LSTM"))]
        states = tuple(states) if len(states) > 1 else states[0]
        x = t.randn(*((batch, width) if is_cell else (length, batch, width)))

        def forward() -> Any:
            with t.no_grad():
                return module(x, states)

        def both() -> None:
            found = module(x, states)
            (found[0] if isinstance(found, tuple) else found).sum().backward()

        return both if backward else forward

    return make


def loops() -> dict[str, Make]:
    """What loops in Python do, with numbers that differ each time."""
    calls: dict[str, Callable[[Any, dict[str, Any], int, int], Any]] = {
        "x[i]": lambda t, d, i, j: d["x"][i],
        "x[i, j]": lambda t, d, i, j: d["x"][i, j],
        "x[:, j]": lambda t, d, i, j: d["x"][:, j],
        "x[i:i + 8]": lambda t, d, i, j: d["x"][i : i + 8],
        "x[i] = 1.0": lambda t, d, i, j: d["x"].__setitem__(i, 1.0),
        "x[i] = row": lambda t, d, i, j: d["x"].__setitem__(i, d["row"]),
        "x[i, j] = 1.0": lambda t, d, i, j: d["x"].__setitem__((i, j), 1.0),
        "x[i, j].item()": lambda t, d, i, j: d["x"][i, j].item(),
        "x[i] with gradients": lambda t, d, i, j: d["leaf"][i],
        "x[:, j] with gradients": lambda t, d, i, j: d["leaf"][:, j],
        "rows of x": lambda t, d, i, j: list(d["small"]),
        "small.unbind() with gradients": lambda t, d, i, j: d["small leaf"].unbind(),
        "small.split(8)": lambda t, d, i, j: d["small"].split(8),
        "small.chunk(4, 1)": lambda t, d, i, j: d["small"].chunk(4, 1),
        "row.tolist()": lambda t, d, i, j: d["row"].tolist(),
        "float(number)": lambda t, d, i, j: float(d["number"]),
        "stack of 64": lambda t, d, i, j: t.stack(d["rows"]),
        "cat of 64": lambda t, d, i, j: t.cat(d["rows"]),
        "tensor([i, j])": lambda t, d, i, j: t.tensor([i, j]),
        "tensor([[i, 1.5]])": lambda t, d, i, j: t.tensor([[float(i), 1.5]]),
        "arange(i)": lambda t, d, i, j: t.arange(j),
        "x.shape[0]": lambda t, d, i, j: d["x"].shape[0],
        "x.size(0)": lambda t, d, i, j: d["x"].size(0),
        "x.is_contiguous()": lambda t, d, i, j: d["x"].is_contiguous(),
        "len(x)": lambda t, d, i, j: len(d["x"]),
        "x.T": lambda t, d, i, j: d["x"].T,
        "row.zero_()": lambda t, d, i, j: d["zeros"].zero_(),
        "randn(16)": lambda t, d, i, j: t.randn(16),
        "rand(1).item()": lambda t, d, i, j: t.rand(1).item(),
        "randint(10, (16,))": lambda t, d, i, j: t.randint(10, (16,)),
        "randperm(64)": lambda t, d, i, j: t.randperm(64),
    }
    return {title: counted(call) for title, call in calls.items()}


def counted(call: Callable[[Any, dict[str, Any], int, int], Any]) -> Make:
    def make(t: Any) -> Callable[[], Any]:
        x = t.randn(4096, 64)
        small = t.randn(64, 16)
        data = {
            "x": x, "leaf": x.clone().requires_grad_(), "row": t.randn(64), "number": t.ones(()),
            "small": small, "small leaf": small.clone().requires_grad_(), "zeros": t.zeros(64),
            "rows": [t.randn(16) for _ in range(64)],
        }  # fmt: skip
        places = zip(itertools.cycle(range(4088)), itertools.cycle(range(64)))

        def run() -> Any:
            i, j = next(places)
            return call(t, data, i, j)

        return run

    return make
