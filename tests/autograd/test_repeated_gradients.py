"""Calls with gradients are repeated by machine code, and so are the rules of a pass."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import rushlight as torch
from rushlight.engine.dispatch import call_cache


def refused(*args: Any, **kwargs: Any) -> Any:
    raise AssertionError("a call took the long way")


@contextlib.contextmanager
def all_from_memory() -> Iterator[None]:
    """While this holds, every function may only repeat what it remembers."""
    held = [(b, b._slow, b._miss) for b in call_cache.bindings]
    for binding, _, _ in held:
        binding._slow = binding._miss = refused
    try:
        yield
    finally:
        for binding, slow, miss in held:
            binding._slow, binding._miss = slow, miss


SQUARE = torch.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
SIDE = torch.tensor([[1.0], [2.0], [3.0]])
X = torch.arange(12.0).reshape(3, 4)
linalg = torch.linalg

CALLS: dict[str, Callable[[Any], Any]] = {
    "inverse": linalg.inv,
    "determinant": linalg.det,
    "logarithm of a determinant": lambda a: linalg.slogdet(a)[1],
    "solution": lambda a: linalg.solve(a, SIDE),
    "Cholesky's factor": linalg.cholesky,
    "eigenvalues": lambda a: linalg.eigh(a)[0],
    "singular values": lambda a: linalg.svd(a)[1],
    "orthogonal factor": lambda a: linalg.qr(a)[0],
    "least squares": lambda a: linalg.lstsq(a, SIDE)[0],
    "factors": lambda a: linalg.lu(a)[2],
    "solution by factors": lambda a: linalg.lu_solve(*linalg.lu_factor(a), SIDE),
    "one of two results": lambda a: torch.kthvalue(a, 2, 1)[0],
    "a median": lambda a: torch.median(a, 1)[0],
    "broadcast": lambda a: a[:, :1] * X + a[0, 0],
    "the gradient itself": lambda a: a.expand(3, 3) + a.view(9).cumsum(0).view(3, 3),
    "a cross product": lambda a: linalg.cross(a, X[:1, :3]),
    "likelihoods": lambda a: torch.nn.functional.binary_cross_entropy(a.sigmoid(), SQUARE / 4),
    "places between pixels": lambda a: torch.nn.functional.grid_sample(
        a[None, None], a[None, :, :2, None].expand(1, 3, 2, 2) / 4, align_corners=False
    ),
    "a diagonal": torch.diag_embed,
    "blocks": lambda a: torch.block_diag(a, SIDE),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_pass_is_repeated_from_memory(name: str) -> None:
    call = CALLS[name]
    # What other tests have left would fill the tables of the functions.
    call_cache.forget_calls()

    def gradient() -> Any:
        a = SQUARE.clone().requires_grad_()
        out = call(a)
        return torch.autograd.grad([out], [a], [torch.ones_like(out.detach())])[0]

    first = gradient()
    # Where other tests have filled a function's table, one call in eight is remembered.
    for _ in range(30):
        gradient()
    with all_from_memory():
        again = gradient()
    assert torch.equal(first, again)
    out = call(leaf := SQUARE.clone().requires_grad_())
    recorded = torch.autograd.grad([out], [leaf], [torch.ones_like(out)], create_graph=True)[0]
    torch.testing.assert_close(recorded.detach(), first)
