"""Operators whose rules are written like products of `einsum`: a letter for each dimension.

What has the same letter is cut alike. A small letter that no result has is summed over, so cutting it leaves sums to be
added. Along capital letters tensors are not cut. `*` stands for any number of capital letters, `...` for any number of
small ones. An operand behind `+` is added to what the others make.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from rushlight.distributed.tensor._op_schema import REPLICATE, Call, Rule, Strategy
from rushlight.distributed.tensor.placement_types import Partial, Placement, Shard
from rushlight.engine.dispatch.operator import Operator

_PRODUCTS = {
    "mm": "mk, kn -> mn",
    "addmm": "+mn, mk, kn -> mn",
    "bmm": "bmk, bkn -> bmn",
    "baddbmm": "+bmn, bmk, bkn -> bmn",
    "addbmm": "+mn, bmk, bkn -> mn",
    "mv": "mk, k -> m",
    "addmv": "+m, mk, k -> m",
    "addr": "+mn, m, n -> mn",
    "ger": "m, n -> mn",
    "dot": "k, k ->",
    "vdot": "k, k ->",
    "linear": "...k, nk, +n -> ...n",
    "_convolution_weight_gradient": "no*, nc* -> oc*",
}
_SHAPES = {
    "_scaled_dot_product_flash_attention_for_cpu": "bhQD, bhKD, bhKE, bhQK -> bhQE, bhQ",
    "_attention_gradients": "bhQE, bhQD, bhKD, bhKE, bhQE, bhQ, bhQK -> bhQD, bhKD, bhKE",
    "tril": "...AB -> ...AB",
    "triu": "...AB -> ...AB",
    "max_pool2d_with_indices": "ncAB -> ncAB, ncAB",
    "max_pool2d_with_indices_backward": "ncAB, ncAB, ncAB -> ncAB",
    "avg_pool2d": "ncAB -> ncAB",
    "avg_pool2d_backward": "ncAB, ncAB -> ncAB",
    "_adaptive_means": "ncAB -> ncAB",
    "_adaptive_means_backward": "ncAB -> ncAB",
    "_batch_norm_of_batch": "Nc*, c, c -> Nc*, c, c, c",
}
# With weights that are shared by groups of channels, only pictures can be cut.
_CONVOLUTION = ("nc*, oc*, +o -> no*", "nc*, co*, +o -> no*", "nC*, OC*, +O -> nO*")


def rule(op: Operator) -> Rule | None:
    name = op.packet_name
    if op.schema.out_arguments:
        return None
    known = name in _PRODUCTS or name in _SHAPES or name == "convolution"
    return strategies if known else None


def strategies(call: Call) -> Iterable[Strategy] | None:
    if call.results is None:
        return None
    name = call.name
    if name == "convolution":
        groups, transposed = call.named["groups"], call.named["transposed"]
        text = _CONVOLUTION[2 if groups != 1 else 1 if transposed else 0]
        return _Notation(text, call, is_product=True).strategies()
    text = _PRODUCTS.get(name) or _SHAPES[name]
    return _Notation(text, call, is_product=name in _PRODUCTS).strategies()


@cache
def _parsed(text: str) -> tuple[tuple[tuple[bool, str], ...], tuple[str, ...]]:
    """The operands, each with whether it is added, and the results."""
    left, right = text.split("->")
    operands = tuple(
        (part.strip()[:1] == "+", part.strip().lstrip("+")) for part in left.split(",")
    )
    return operands, tuple(part.strip() for part in right.split(",")) if right.strip() else ("",)


def _letters(text: str, rank: int) -> list[str]:
    """A letter for each dimension of a tensor: those that stand for several are numbered from the right."""
    parts = re.findall(r"\.\.\.|\*|\w", text)
    extra = rank - sum(part not in ("...", "*") for part in parts)
    found: list[str] = []
    for part in parts:
        if part in ("...", "*"):
            sign = "." if part == "..." else "*"
            found += [f"{sign}{k}" for k in reversed(range(max(extra, 0)))]
        else:
            found.append(part)
    # What an operand that is repeated lacks, it lacks at the left.
    return found[len(found) - rank :] if rank else []


def _is_cut(letter: str) -> bool:
    return letter[0] == "." or letter.islower()


class _Notation:
    """A call in letters."""

    def __init__(self, text: str, call: Call, is_product: bool) -> None:
        operands, results = _parsed(text)
        assert call.results is not None
        self.call, self.is_product = call, is_product
        # Tensors that are left out have no operand.
        given = [v for a, v in zip(call.op.schema.arguments, call.values) if a.is_tensor_like]
        present = [o for o, value in zip(operands, given) if value is not None]
        self.added = [added for added, _ in present]
        self.inputs = [
            _letters(letters, spec.ndim) for (_, letters), spec in zip(present, call.inputs)
        ]
        self.outputs = [
            _letters(letters, len(meta.shape)) for letters, meta in zip(results, call.results)
        ]

    def strategies(self) -> Iterator[Strategy]:
        letters = dict.fromkeys(x for own in self.inputs for x in own if _is_cut(x))
        for letter in letters:
            found = self._cut(letter)
            if found is not None:
                yield found
        if self.is_product:
            yield from self._linear()

    def _length(self, letter: str) -> int:
        return max(
            spec.shape[own.index(letter)]
            for own, spec in zip(self.inputs, self.call.inputs)
            if letter in own
        )

    def _cut(self, letter: str) -> Strategy | None:
        summed = not any(letter in own for own in self.outputs)
        if summed and not self.is_product:
            return None
        length = self._length(letter)
        inputs: list[Placement] = []
        for own, spec, added in zip(self.inputs, self.call.inputs, self.added):
            if letter in own and spec.shape[own.index(letter)] == length:
                inputs.append(Shard(own.index(letter)))
            elif letter in own and spec.shape[own.index(letter)] != 1:
                return None
            else:
                inputs.append(Partial() if summed and added else REPLICATE)
        outputs: list[Placement] = []
        for own in self.outputs:
            outputs.append(Shard(own.index(letter)) if letter in own else self._lacking(summed))
        return Strategy(tuple(outputs), tuple(inputs))

    @staticmethod
    def _lacking(summed: bool) -> Placement:
        return Partial() if summed else REPLICATE

    def _linear(self) -> Iterator[Strategy]:
        """One factor is still to be summed, and so is what is added."""
        for place, added in enumerate(self.added):
            if added:
                continue
            inputs = tuple(
                Partial() if k == place or also else REPLICATE for k, also in enumerate(self.added)
            )
            yield Strategy((Partial(),) * len(self.outputs), inputs)
