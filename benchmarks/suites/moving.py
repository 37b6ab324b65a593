"""Order, lookups and moves of a million elements; random numbers by the million."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MILLION = 1 << 20


def _mixed(t: Any, count: int, salt: int = 1) -> Any:
    """Numbers below 2**20 in an order that looks random, most of them different."""
    mixed = t.arange(count, dtype=t.int64) * 2654435761 + salt * 40503
    return (mixed ^ (mixed >> 15)) % MILLION


def workloads() -> dict[str, Callable[[Any], Callable[[], Any]]]:
    made: dict[str, Callable[[Any], Callable[[], Any]]] = {}

    def add(title: str, make: Callable[[Any], Callable[[], Any]]) -> None:
        made[title] = make

    def on(title: str, function: Callable[..., Any], *inputs: Callable[[Any], Any]) -> None:
        def make(t: Any) -> Callable[[], Any]:
            given = [build(t) for build in inputs]
            return lambda: function(t, *given)

        add(title, make)

    def reals(t: Any) -> Any:
        return _mixed(t, MILLION).to(t.float32) - MILLION / 2

    def square(t: Any) -> Any:
        return reals(t).reshape(1024, 1024)

    def whole(t: Any) -> Any:
        return _mixed(t, MILLION, 2)

    def few(t: Any) -> Any:
        return whole(t) % 1000

    def places(t: Any) -> Any:
        return _mixed(t, MILLION, 3)

    def rows(t: Any) -> Any:
        return places(t).reshape(1024, 1024) % 1024

    def lines(t: Any) -> Any:
        return _mixed(t, 1 << 14, 5) % 1024

    def mask(t: Any) -> Any:
        return reals(t) > 0

    on("sort float32", lambda t, x: t.sort(x), reals)
    on("sort int64", lambda t, x: t.sort(x), whole)
    on("sort rows", lambda t, x: t.sort(x, dim=1), square)
    on("sort stable", lambda t, x: t.sort(x, stable=True), reals)
    on("argsort", lambda t, x: t.argsort(x), reals)
    on("topk 10", lambda t, x: t.topk(x, 10), reals)
    on("topk 10 of rows", lambda t, x: t.topk(x, 10), square)
    on("topk 1000", lambda t, x: t.topk(x, 1000), reals)
    on("unique", lambda t, x: t.unique(x), whole)
    on("unique few, counts", lambda t, x: t.unique(x, return_counts=True), few)
    on("unique inverse", lambda t, x: t.unique(x, return_inverse=True), whole)
    on("gather", lambda t, x, i: t.gather(x, 0, i), reals, places)
    on("gather rows", lambda t, x, i: t.gather(x, 1, i), square, rows)
    on("gather dim 0", lambda t, x, i: t.gather(x, 0, i), square, rows)
    on("scatter rows", lambda t, x, i: t.scatter(x, 1, i, x), square, rows)
    on("scatter_add", lambda t, x, i: t.scatter_add(x, 0, i, x), reals, places)
    on("scatter_add rows", lambda t, x, i: t.scatter_add(x, 1, i, x), square, rows)
    on("index_select", lambda t, x, i: t.index_select(x, 0, i), reals, places)
    on(
        "index_select rows",
        lambda t, x, i: t.index_select(x, 0, i),
        square,
        lambda t: lines(t)[:1024],
    )
    on(
        "index_select columns",
        lambda t, x, i: t.index_select(x, 1, i),
        square,
        lambda t: lines(t)[:1024],
    )
    on("index", lambda t, x, i: x[i], reals, places)
    on("index two", lambda t, x, i: x[i, i], square, lambda t: places(t) % 1024)
    on("index_add rows", lambda t, x, i: t.index_add(x, 0, i, x), square, lambda t: lines(t)[:1024])
    on("index_put", lambda t, x, i: t.index_put(x, (i,), x), reals, places)
    on(
        "index_put accumulate",
        lambda t, x, i: t.index_put(x, (i,), x, accumulate=True),
        reals,
        places,
    )
    on(
        "embedding 16384 of 1024x64", lambda t, i, w: t.nn.functional.embedding(i, w),
        lines, lambda t: square(t)[:, :64].contiguous(),
    )  # fmt: skip
    on(
        "embedding 4096 of 1024x1024", lambda t, i, w: t.nn.functional.embedding(i, w),
        lambda t: lines(t)[:4096], square,
    )  # fmt: skip
    on("nonzero", lambda t, m: t.nonzero(m), mask)
    on("nonzero square", lambda t, m: t.nonzero(m), lambda t: square(t) > 0)
    on("masked_select", lambda t, x, m: t.masked_select(x, m), reals, mask)
    on("index mask", lambda t, x, m: x[m], square, lambda t: square(t) > 0)
    on("masked_fill", lambda t, x, m: t.masked_fill(x, m, 1.0), reals, mask)
    on("repeat", lambda t, x: x.repeat(4, 4), lambda t: square(t)[:256, :256].contiguous())
    on("tril", lambda t, x: t.tril(x), square)
    for count, name in ((MILLION, "1M"), (16 * MILLION, "16M")):

        def sized(title: str, function: Callable[[Any, int], Any], n: int = count) -> None:
            add(title, lambda t: lambda: function(t, n))

        sized(f"rand {name}", lambda t, n: t.rand(n))
        sized(f"randn {name}", lambda t, n: t.randn(n))
        sized(f"randint {name}", lambda t, n: t.randint(1000, (n,)))
        sized(f"randperm {name}", lambda t, n: t.randperm(n))
        on(
            f"dropout {name}", lambda t, x: t.nn.functional.dropout(x, 0.5, True),
            lambda t, n=count: t.ones(n),
        )  # fmt: skip
    return made
