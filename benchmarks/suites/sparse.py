"""Sparse matrices: products, conversions between layouts, functions of values, gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ROWS, COLUMNS, PER_ROW, WIDTH = 4096, 4096, 16, 64
BLOCK = 16


def _mixed(t: Any, count: int, salt: int = 1) -> Any:
    """Numbers in an order that looks random."""
    mixed = t.arange(count, dtype=t.int64) * 2654435761 + salt * 40503
    return mixed ^ (mixed >> 15)


def _values(t: Any, count: int, salt: int = 1) -> Any:
    return (_mixed(t, count, salt) % 1000).to(t.float32) / 1000 + 0.001


def _coordinates(t: Any, salt: int = 1) -> Any:
    """As many values in each row, in columns that look random, in order."""
    spread = COLUMNS // PER_ROW
    inside = _mixed(t, ROWS * PER_ROW, salt) % spread
    columns = t.arange(PER_ROW).repeat(ROWS) * spread + inside
    rows = t.arange(ROWS).repeat_interleave(PER_ROW)
    values = _values(t, ROWS * PER_ROW, salt)
    return t.sparse_coo_tensor(t.stack([rows, columns]), values, (ROWS, COLUMNS), is_coalesced=True)


def _shuffled(t: Any) -> Any:
    """The same without order, some indices twice."""
    count = ROWS * PER_ROW
    rows, columns = _mixed(t, count, 3) % ROWS, _mixed(t, count, 4) % COLUMNS
    return t.sparse_coo_tensor(t.stack([rows, columns]), _values(t, count), (ROWS, COLUMNS))


def _dense(t: Any, rows: int = COLUMNS, columns: int = WIDTH) -> Any:
    return _values(t, rows * columns, 7).reshape(rows, columns)


def _thin(t: Any) -> Any:
    """A dense matrix of a million elements of which few are not zero."""
    numbers = _mixed(t, 1 << 20, 9) % 50
    return ((numbers == 0) * _values(t, 1 << 20)).reshape(1024, 1024)


def workloads() -> dict[str, Callable[[Any], Callable[[], Any]]]:
    made: dict[str, Callable[[Any], Callable[[], Any]]] = {}

    def on(title: str, function: Callable[..., Any], *inputs: Callable[[Any], Any]) -> None:
        def make(t: Any) -> Callable[[], Any]:
            given = [build(t) for build in inputs]
            return lambda: function(t, *given)

        made[title] = make

    def rows(t: Any) -> Any:
        return _coordinates(t).to_sparse_csr()

    def blocks(t: Any) -> Any:
        wide = _thin(t).reshape(64, 16, 64, 16)
        wide = wide * ((_mixed(t, 64 * 64, 5) % 8) == 0).reshape(64, 1, 64, 1)
        return wide.reshape(1024, 1024).to_sparse_bsr((BLOCK, BLOCK))

    def vector(t: Any) -> Any:
        return _dense(t, COLUMNS, 1)[:, 0]

    on("csr @ dense", lambda t, a, x: a @ x, rows, _dense)
    on("coo @ dense", lambda t, a, x: t.sparse.mm(a, x), _coordinates, _dense)
    on("csr @ vector", lambda t, a, x: a @ x, rows, vector)
    on("addmm", lambda t, a, x, y: t.addmm(y, a, x, beta=0.5), rows, _dense, _dense)
    on("bsr @ dense", lambda t, a, x: a @ x, blocks, lambda t: _dense(t, 1024))
    on("csr @ csr", lambda t, a, b: a @ b, rows, lambda t: _coordinates(t, 2).to_sparse_csr())
    on(
        "sampled_addmm",
        lambda t, a, x, y: t.sparse.sampled_addmm(a, x, y),
        rows,
        _dense,
        lambda t: _dense(t, WIDTH, COLUMNS),
    )
    on("coalesce", lambda t, a: t.sparse_coo_tensor(a._indices(), a._values(), a.shape).coalesce(),
       _shuffled)  # fmt: skip
    on("coo + coo", lambda t, a, b: a + b, _coordinates, lambda t: _coordinates(t, 2))
    on("coo * coo", lambda t, a, b: a * b, _coordinates, lambda t: _coordinates(t, 2))
    on("sin of csr", lambda t, a: t.sin(a), rows)
    on("dense to coo", lambda t, x: x.to_sparse(), _thin)
    on("dense to csr", lambda t, x: x.to_sparse_csr(), _thin)
    on("dense to bsr", lambda t, x: x.to_sparse_bsr((BLOCK, BLOCK)), _thin)
    on("coo to csr", lambda t, a: a.to_sparse_csr(), _coordinates)
    on("csr to csc", lambda t, a: a.to_sparse_csc(), rows)
    on("csr to dense", lambda t, a: a.to_dense(), rows)
    on("sum over rows", lambda t, a: t.sparse.sum(a, 0), _coordinates)
    on("softmax", lambda t, a: t.sparse.softmax(a, 1), _coordinates)

    def training(t: Any) -> Callable[[], Any]:
        a, x = rows(t).requires_grad_(), _dense(t).requires_grad_()

        def step() -> Any:
            return t.autograd.grad(t.sparse.mm(a, x).sum(), [x])

        return step

    made["csr @ dense, gradient"] = training
    return made
