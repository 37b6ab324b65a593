"""Attention on a GPU that a library makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state
from rushlight.engine.core.size import contiguous_strides
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.cuda.cudnn_graph import BACKWARD, FORWARD, Attention, Operand
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops.attention import forward
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

_INPUTS = ("gradient", "query", "key", "value", "out", "sums")
_RESULTS = ("query gradient", "key gradient", "value gradient")


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
                "attention by cuDNN: the library has nothing for tensors of these sizes here"
            )
        chain = ChainBuilder(len(self.specs), len(self.inputs))
        places: list[Any] = [("out", k) for k in range(len(self.specs))]
        places += [("in", k) for k in range(len(self.inputs))]
        if loop.room:
            places.append(chain.add_scratch((loop.room,), dtypes.uint8)[1])
        chain.add(loop, places)
        return chain.finish()


def forward_of(query: Tensor, key: Tensor, value: Tensor, scale: float) -> LibraryRequest:
    """What an attention asks for."""
    batch, heads, count, width = query._size_
    size = batch, heads, count, value._size_[3]
    is_alike = size[3] == width and query._stride_[3] == 1
    stride = _strides_like(query) if is_alike else contiguous_strides(size)
    sums = contiguous_spec((batch, heads, count), computed_in(query._dtype_))
    specs = [(size, tuple(stride), query._dtype_), sums]
    inputs = query, key, value
    named = [*zip(("out", "sums"), specs), *zip(_INPUTS[1:], map(_spec, inputs))]
    return LibraryRequest(inputs, specs, _asked(FORWARD, named, scale))


def backward_of(inputs: tuple[Tensor, ...], scale: float) -> LibraryRequest:
    """What the gradients of an attention ask for, of tensors in the order of `_INPUTS`."""
    specs = [contiguous_spec(x._size_, x._dtype_) for x in inputs[1:4]]
    named = [*zip(_RESULTS, specs), *zip(_INPUTS, map(_spec, inputs))]
    return LibraryRequest(inputs, specs, _asked(BACKWARD, named, scale))


def backward_like(asked: LibraryRequest, scale: float) -> Attention:
    """The gradients of an attention in the library's words, for gradients that lie in order."""
    out, sums = asked.specs
    given = [contiguous_spec(out[0], out[2]), *map(_spec, asked.inputs), out, sums]
    specs = [contiguous_spec(x._size_, x._dtype_) for x in asked.inputs]
    named = [*zip(_RESULTS, specs), *zip(_INPUTS, given)]
    return _asked(BACKWARD, named, scale)


def _spec(x: Tensor) -> Spec:
    return x._size_, x._stride_, x._dtype_


def _asked(kind: int, named: Sequence[tuple[str, Spec]], scale: float) -> Attention:
    return Attention(kind, tuple(_operand(*x) for x in named), scale)


def _operand(role: str, spec: Spec) -> Operand:
    """A tensor in the library's words: it has a fourth dimension for the sums, too."""
    size, stride, kind = spec
    more = 4 - len(size)
    return Operand(role, kind.memory, (*size, *[1] * more), (*stride, *[1] * more))


@planned("_cudnn_attention")
def attention(query: Tensor, key: Tensor, value: Tensor, scale: float) -> Request:
    """On the host, which has no such library, the CPU's kernel does it."""
    asked = forward_of(query, key, value, scale)
    if state.thread.planner is None:
        return forward.Attention(asked.inputs, False, scale, asked.specs)
    return asked
