"""Attention on a GPU that a library makes, and its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state
from rushlight.engine.core.size import contiguous_strides
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.cuda.cudnn_graph import BACKWARD, FORWARD, Attention, Operand
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops.attention import backward, forward
from rushlight.engine.ops.attention.forward import _strides_like, computed_in
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder
from rushlight.engine.ops.kinds.planned import (
    Built,
    Request,
    Spec,
    Target,
    contiguous_spec,
    planned,
)

_RESULTS = ("query gradient", "key gradient", "value gradient")


# Which weights are dropped, in the library's words.
STATE = tuple(Operand(role, "i64", (1, 1, 1, 1), (1, 1, 1, 1)) for role in ("seed", "offset"))


class Settings(NamedTuple):
    """How an attention is made.

    Args:
        scale: the factor of products of queries and keys
        is_causal: whether queries see no later keys
        dropout: the chance of weights to be dropped
    """

    scale: float
    is_causal: bool = False
    dropout: float = 0.0


class Extras(NamedTuple):
    """What an attention may be given besides queries, keys and values.

    Args:
        mask: what is added to scores
        seed, offset: which weights are dropped
    """

    mask: Tensor | None = None
    seed: Tensor | None = None
    offset: Tensor | None = None


@dataclass
class LibraryRequest(Request):
    """An attention, or its gradients, by a library's loop.

    Args:
        inputs: what it is made of
        specs: its results
        asked: the same in the library's words
    """

    inputs: tuple[Tensor, ...]
    specs: list[Spec]
    asked: Attention

    def build(self, targets: Sequence[Target]) -> Built:
        planner = state.thread.planner
        loop = None if planner is None else planner.attention_loop(self.asked)
        if loop is None:
            raise RuntimeError(
                "attention by cuDNN: the library has nothing here for tensors of the sizes "
                f"{[list(x._size_) for x in self.inputs]} and dropout_p={self.asked.dropout}"
            )
        chain = ChainBuilder(len(self.specs), len(self.inputs))
        places: list[Any] = [("out", k) for k in range(len(self.specs))]
        places += [("in", k) for k in range(len(self.inputs))]
        if loop.room:
            places.append(chain.add_scratch((loop.room,), dtypes.uint8)[1])
        chain.add(loop, places)
        return chain.finish()


def forward_of(
    query: Tensor, key: Tensor, value: Tensor, extras: Extras, settings: Settings
) -> LibraryRequest:
    """What an attention asks for."""
    batch, heads, count, width = query._size_
    size = batch, heads, count, value._size_[3]
    is_alike = size[3] == width and query._stride_[3] == 1
    stride = _strides_like(query) if is_alike else contiguous_strides(size)
    sums = contiguous_spec((batch, heads, count), computed_in(query._dtype_))
    specs = [(size, tuple(stride), query._dtype_), sums]
    given = {"query": query, "key": key, "value": value}
    return _request(FORWARD, dict(zip(("out", "sums"), specs)), given, extras, settings)


def backward_of(
    gradient: Tensor, query: Tensor, key: Tensor, value: Tensor, out: Tensor, sums: Tensor, extras: Extras,
    settings: Settings,
) -> LibraryRequest:  # fmt: skip
    """What the gradients of an attention ask for."""
    specs = [contiguous_spec(x._size_, x._dtype_) for x in (query, key, value)]
    given = {
        "gradient": gradient, "query": query, "key": key, "value": value, "out": out, "sums": sums,
    }  # fmt: skip
    return _request(BACKWARD, dict(zip(_RESULTS, specs)), given, extras, settings)


def backward_like(forward: Attention) -> Attention:
    """The gradients of an attention in the library's words, for gradients that lie in order."""
    given = forward.operand
    gradient = given["out"]._replace(role="gradient", stride=contiguous_strides(given["out"].size))
    results = [
        given[role]._replace(role=f"{role} gradient", stride=contiguous_strides(given[role].size))
        for role in ("query", "key", "value")
    ]
    names = "query", "key", "value", "out", "sums", "mask", "seed", "offset"
    inputs = [given[role] for role in names if role in given]
    return forward._replace(kind=BACKWARD, operands=(*results, gradient, *inputs))


def _request(
    kind: int, results: dict[str, Spec], given: dict[str, Tensor], extras: Extras, settings: Settings
) -> LibraryRequest:  # fmt: skip
    given = {**given, **{k: x for k, x in extras._asdict().items() if x is not None}}
    named = [*results.items(), *((role, _spec(x)) for role, x in given.items())]
    asked = Attention(kind, tuple(_operand(*x) for x in named), *settings)
    return LibraryRequest(tuple(given.values()), list(results.values()), asked)


def _spec(x: Tensor) -> Spec:
    return x._size_, x._stride_, x._dtype_


def _operand(role: str, spec: Spec) -> Operand:
    """A tensor in the library's words: it has a fourth dimension for the sums, too."""
    size, stride, kind = spec
    more = 4 - len(size)
    return Operand(role, kind.memory, (*size, *[1] * more), (*stride, *[1] * more))


@planned("_cudnn_attention")
def attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None, scale: float, is_causal: bool, dropout_p: float,
    seed: Tensor | None, offset: Tensor | None,
) -> Request:  # fmt: skip
    """On the host, which has no such library, the CPU's kernel does it."""
    settings = Settings(scale, is_causal, dropout_p)
    asked = forward_of(query, key, value, Extras(attn_mask, seed, offset), settings)
    if state.thread.planner is not None or dropout_p:
        return asked
    return forward.Attention(asked.inputs, is_causal, scale, asked.specs)


@planned("_cudnn_attention_gradients")
def gradients(
    grad_out: Tensor, query: Tensor, key: Tensor, value: Tensor, out: Tensor, logsumexp: Tensor,
    attn_mask: Tensor | None, scale: float, is_causal: bool, dropout_p: float, seed: Tensor | None,
    offset: Tensor | None,
) -> Request:  # fmt: skip
    """The same of its gradients."""
    given = grad_out, query, key, value, out, logsumexp
    settings = Settings(scale, is_causal, dropout_p)
    asked = backward_of(*given, Extras(attn_mask, seed, offset), settings)
    if state.thread.planner is not None or dropout_p:
        return asked
    return backward.Gradients(asked.inputs, is_causal, scale, asked.specs)
