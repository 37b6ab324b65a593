"""Products of matrices: from sizes and strides to loops.

Every product of the library is C[m, n] = alpha * sum over k of A[m, k] B[k, n] + beta * X[m, n],
for each index of a batch; vectors are matrices with a side of 1. Matrices whose columns are
contiguous change places (C' = B' A'). Vectors times contiguous rows are reductions. Half precision
goes through f32, or as pairs of bf16 where the processor multiplies those.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core import state
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.loops.amx_kernel import BLOCK as AMX_BLOCK
from rushlight.engine.loops.amx_kernel import allowed
from rushlight.engine.loops.expr import Complex, convert, fma
from rushlight.engine.loops.plan import Loop
from rushlight.engine.loops.promotion import compute_type
from rushlight.engine.loops.reduction import simple
from rushlight.engine.loops.target import host_target
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops.kinds.elementwise import elementwise_loop
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder, Operand, facts
from rushlight.engine.ops.kinds.planned import Built, Request, Spec, Target
from rushlight.engine.ops.kinds.product_loops import LoopBehind, View, amx_loop, matrix_loop
from rushlight.engine.ops.kinds.product_ways import BY_SIZES, Way, other_ways
from rushlight.engine.ops.kinds.reduction import reduce_into

Ints = tuple[int, ...]
# Factors of bf16 become pairs if none of their sides is shorter.
PAIRED_SIDE = 8
# Products of bf16 take AMX if none of their sides is shorter.
AMX_SIDE = 32


@functools.cache
def has_amx() -> bool:
    """Whether this process may use AMX, which multiplies squares of bf16."""
    return host_target().amx and allowed()


@dataclass
class Product(Request):
    """A product of the last two inputs, over dimensions k, n, m and the batch's.

    Args:
        inputs: A and B, after X if there is one
        shape: the sizes of k, n, m and of the batch's dimensions
        strides: each input's strides over the shape, in elements
        result: the dimensions of the shape that the result has, in its order
        activation: what libraries call the function of the results, ``relu`` or ``gelu``; nothing for none
        activate: that function
        way: how it is computed
    """

    inputs: tuple[Tensor, ...]
    shape: Ints
    strides: Sequence[Sequence[int]]
    result: Ints
    specs: list[Spec]
    alpha: Any = 1
    beta: Any = 1
    activation: str = ""
    activate: Callable[..., Any] | None = None
    way: Way = BY_SIZES

    def build(self, targets: Sequence[Target]) -> Built:
        chain = self._product_chain(targets)
        is_done = any(getattr(loop, "activation", "") for loop, _ in chain.links)
        if self.activate is not None and not is_done:
            memory = self.specs[0][2].memory
            loop = elementwise_loop(
                self.activate,
                targets,
                targets,
                [memory],
                [memory],
                [compute_type(self.specs[0][2])],
            )
            chain.add(loop, [("out", 0), ("out", 0)])
        return chain.finish()

    def _product_chain(self, targets: Sequence[Target]) -> ChainBuilder:
        """The loops of the product itself."""
        chain = ChainBuilder(1, len(self.inputs))
        kind = self.specs[0][2]
        inner = dtypes.float32 if kind in (dtypes.float16, dtypes.bfloat16) else kind
        ins = [View(("in", k), t, s) for k, (t, s) in enumerate(zip(self.inputs, self.strides))]
        out = View(("out", 0), targets[0], self._result_strides(targets[0]))
        # A GPU reads half precision and sums in single precision; nothing is converted beforehand.
        if inner is kind or state.thread.planner is not None:
            self._add(chain, out, ins, kind)
            return chain
        if not all(self.shape[1:]) or self._on_amx(chain, out, ins, kind):
            return chain
        pairs = self._goes_in_pairs(kind)
        if pairs:
            ins = [
                *(self._converted(chain, x, inner) for x in ins[:-2]),
                *(_paired(chain, self.shape, x) for x in ins[-2:]),
            ]
        else:
            ins = [self._converted(chain, x, inner) for x in ins]
        size = tuple(self.shape[d] for d in self.result)
        template, place = chain.add_scratch(size, inner)
        result = View(place, template, self._result_strides(template))
        self._add(chain, result, ins, inner, pairs)
        chain.add(_copy(targets[0], template), [("out", 0), place])
        return chain

    def other_ways(self) -> dict[str, Way]:
        """Other ways to compute it, by their names; they give the same bits."""
        kind = self.specs[0][2]
        if kind not in (dtypes.float32, dtypes.float64) or min(self.shape[:3]) < 2:
            return {}
        return other_ways(self.shape, [list(s) for s in self.strides[-2:]], kind.itemsize)

    def _on_amx(self, chain: ChainBuilder, c: View, ins: Sequence[View], kind: dtype) -> bool:
        """Add the loops of a product of bf16 on AMX, if that can be."""
        large = min(self.shape[:3]) >= AMX_SIDE
        if kind is not dtypes.bfloat16 or not large or not has_amx():
            return False
        shape = _folded(list(self.shape), [c := c.copy(), *(ins := [x.copy() for x in ins])])
        *other, a, b = ins
        if c.strides[1] != 1:
            shape[1], shape[2] = shape[2], shape[1]
            c, a, b = (x.swapped() for x in (c, b, a))
            other = [x.swapped() for x in other]
        if c.strides[1] != 1 or any(x.strides[1] != 1 for x in other):
            return False
        other = [_dense(chain, shape, x, dtypes.float32, 1) for x in other]
        if a.strides[0] != 1:
            a = _dense(chain, shape, a, kind, 0)
        if b.strides[0] != 1 and b.strides[1] != 1:
            b = _dense(chain, shape, b, kind, 1)
        result = c
        if shape[0] > AMX_BLOCK:
            result = _scratch(chain, [1, *shape[1:]], dtypes.float32, 1)
        operands = [result, *other, a, b]
        loop = amx_loop(
            [facts(x.tensor)[2] for x in operands], shape, [x.strides for x in operands],
            self.alpha, self.beta,
        )  # fmt: skip
        chain.add(loop, [*(x.place for x in operands), 0])
        if result is not c:
            full = tuple(shape)
            chain.add(_copy(c.over(full, 1), result.over(full, 1)), [c.place, result.place])
        return True

    def _goes_in_pairs(self, kind: dtype) -> bool:
        """Whether the sum runs over pairs: for matrices that are worth turning into such."""
        return (
            kind is dtypes.bfloat16
            and host_target().dots
            and self.shape[0] % 2 == 0
            and min(self.shape[:3]) >= PAIRED_SIDE
        )

    def _result_strides(self, target: Target) -> list[int]:
        strides = [0] * len(self.shape)
        for d, s in zip(self.result, facts(target)[1]):
            strides[d] = s
        return strides

    def _converted(self, chain: ChainBuilder, x: View, kind: dtype) -> View:
        """An input in another type, with the same order of its elements."""
        shape = tuple(n if s or n == 1 else 1 for n, s in zip(self.shape, x.strides))
        order = sorted(range(len(shape)), key=lambda d: (x.strides[d], d))
        stride, reach = [0] * len(shape), 1
        for d in order:
            stride[d], reach = reach, reach * shape[d]
        template, place = chain.add_scratch(shape, kind, tuple(stride))
        if math.prod(facts(x.tensor)[0]):
            chain.add(_copy(template, x.over(shape)), [place, x.place])
        kept = [0 if n == 1 else s for n, s in zip(shape, stride)]
        return View(place, template, kept)

    def _add(
        self, chain: ChainBuilder, c: View, ins: list[View], kind: dtype, pairs: bool = False
    ) -> None:
        """Add the loops of a product in one type; of pairs, there are half as many."""
        if not all(self.shape[1:]):
            return
        shape = list(self.shape)
        if pairs:
            shape[0] //= 2
        if shape[0]:
            shape = _folded(shape, [c, *ins])
        *other, a, b = ins
        lone = [d for d in (1, 2) if shape[d] == 1]
        # Factors of other types than the result's, which only a GPU has, are read by the product's own loop.
        is_alike = facts(a.tensor)[2] is kind and kind not in (dtypes.float16, dtypes.bfloat16)
        if lone and shape[0] > 1 and is_alike:
            matrix = b if 2 in lone else a
            if matrix.strides[0] == 1 or len(lone) == 2:
                self._dots(chain, tuple(shape), c, other, a, b, kind)
                return
        unit = [shape[d] == 1 or c.strides[d] == 1 for d in (1, 2)]
        if (not unit[0] and unit[1]) or (all(unit) and shape[1] == 1 and shape[2] > 1):
            shape[1], shape[2] = shape[2], shape[1]
            c, a, b = (x.swapped() for x in (c, b, a))
            other = [x.swapped() for x in other]
        if shape[1] > 1 and c.strides[1] != 1:
            size = tuple(shape[1:])
            template, place = chain.add_scratch(tuple(reversed(size)), kind)
            strides = [0, 1]
            for n in size[:-1]:
                strides.append(strides[-1] * n)
            dense = View(place, template, strides)
            self._kernel(chain, shape, dense, other, a, b, kind, pairs)
            full = tuple(shape)
            chain.add(_copy(c.over(full, 1), dense.over(full, 1)), [c.place, place])
            return
        self._kernel(chain, shape, c, other, a, b, kind, pairs)

    def add_kernel(
        self, chain: ChainBuilder, shape: Sequence[int], c: View, ins: Sequence[View], kind: dtype,
        behind: LoopBehind,
    ) -> None:  # fmt: skip
        """Add the loop of a matrix whose columns are neighbours, with another loop behind it.

        Args:
            chain: takes the loop
            shape: the sizes of k, n, m and of the batch's dimensions, none of the first three 1
            c: the result
            ins: X if there is one, A and B
            kind: the type of all
            behind: the other loop
        """
        *other, a, b = ins
        self._kernel(chain, shape, c, other, a, b, kind, False, behind)

    def _kernel(
        self,
        chain: ChainBuilder,
        shape: Sequence[int],
        c: View,
        other: list[View],
        a: View,
        b: View,
        kind: dtype,
        pairs: bool,
        behind: LoopBehind | None = None,
    ) -> None:
        if other and shape[1] > 1 and other[0].strides[1] != 1:
            full = tuple(shape)
            chain.add(_copy(c.over(full, 1), other[0].over(full, 1)), [c.place, other[0].place])
            other = [c]
        if self.way.copies and b.strides[1] != 1:
            b = _dense(chain, shape, b, kind, 1)
        operands = [c, *other, a, b]
        strides = [x.strides for x in operands]
        kinds = [facts(x.tensor)[2] for x in operands]
        places = [x.place for x in operands]
        planner = state.thread.planner
        if planner is not None:
            loop = planner.product_loop(
                kinds, shape, strides, self.alpha, self.beta, self.activation
            )
            if loop.room:
                places.append(chain.add_scratch((loop.room,), dtypes.uint8)[1])
        else:
            loop = matrix_loop(
                kinds, kind, shape, strides, self.alpha, self.beta, pairs, way=self.way,
                behind=behind,
            )  # fmt: skip
            places.append(0)
            places += [] if behind is None else [x.place for x in behind.operands]
        chain.add(loop, [*places, 0])

    def _dots(
        self,
        chain: ChainBuilder,
        full: Ints,
        c: View,
        other: list[View],
        a: View,
        b: View,
        kind: dtype,
    ) -> None:
        """Each result is the sum over two vectors."""
        target, place = c, c.place
        alone = not other and self.alpha == 1
        if not alone:
            size = full[1:]
            template, place = chain.add_scratch(size, kind)
            target = View(place, template, [0, *facts(template)[1]])
        ins = [Operand(x.place, kind, [s * kind.itemsize for s in x.strides]) for x in (a, b)]
        outs = [Operand(place, kind, [s * kind.itemsize for s in target.strides])]
        views = [a.over(full), b.over(full)]
        reduce_into(chain, dot_of(kind.memory), full, (0,), outs, ins, views)
        if alone:
            return
        alpha, beta = self.alpha, self.beta
        body: Callable[..., Any] = (
            (lambda x, t: beta * x + alpha * t) if other else (lambda t: alpha * t)
        )
        operands = [*other, target]
        loop = elementwise_loop(
            body, [c.over(full, 1)], [x.over(full, 1) for x in operands], [kind.memory],
            [kind.memory] * len(operands), [kind.memory] * len(operands),
        )  # fmt: skip
        chain.add(loop, [c.place, *(x.place for x in operands)])


def _paired(chain: ChainBuilder, shape: Ints, x: View) -> View:
    """A factor of bf16 as pairs of neighbours along the sum, each as large as an f32."""
    if x.strides[0] == 1 and all(s % 2 == 0 for s in x.strides[1:]):
        return View(x.place, x.tensor, [1, *(s // 2 for s in x.strides[1:])])
    halves = (shape[0] // 2, *shape[1:])
    size = tuple(n if s or n == 1 else 1 for n, s in zip(halves, x.strides))
    order = sorted(range(len(size)), key=lambda d: (x.strides[d], d))
    stride, reach = [0] * len(size), 1
    for d in order:
        stride[d], reach = reach, reach * size[d]
    template, place = chain.add_scratch(size, dtypes.float32, tuple(stride))
    words = Template(sizes.intern(size), tuple(stride), dtypes.uint32)
    steps_of_pairs = (2 * x.strides[0], *x.strides[1:])
    source = Template(sizes.intern(size), steps_of_pairs, dtypes.uint16)
    loop = elementwise_loop(
        lambda low, high: convert(low, "u32") | convert(high, "u32") << 16,
        [words], [source, source], ["u32"], ["u16", "u16"], ["u16", "u16"],
        (0, 0, 2 * x.strides[0]),
    )  # fmt: skip
    chain.add(loop, [place, x.place, x.place])
    return View(place, template, [0 if n == 1 else s for n, s in zip(size, stride)])


def _scratch(chain: ChainBuilder, shape: Sequence[int], kind: dtype, first: int) -> View:
    """A new operand over these sizes whose elements are neighbours along dimension ``first``."""
    order = [first, *(d for d in range(len(shape)) if d != first)]
    stride, reach = [0] * len(shape), 1
    for d in order:
        stride[d], reach = reach, reach * shape[d]
    template, place = chain.add_scratch(tuple(shape), kind, tuple(stride))
    return View(place, template, [0 if n == 1 else s for n, s in zip(shape, stride)])


def _dense(chain: ChainBuilder, shape: Sequence[int], x: View, kind: dtype, first: int) -> View:
    """A copy of an operand of a type whose elements are neighbours along dimension ``first``."""
    size = [n if s or n == 1 else 1 for n, s in zip(shape, x.strides)]
    made = _scratch(chain, size, kind, first)
    chain.add(_copy(made.tensor, x.over(tuple(size))), [made.place, x.place])
    return made


def _folded(shape: list[int], operands: list[View]) -> list[int]:
    """Let batch dimensions that continue the rows be rows; B is the last operand."""
    while len(shape) > 3:
        rows = shape[2]
        joins = all(
            x.strides[3] == x.strides[2] * rows or (rows == 1 and x is not operands[-1])
            for x in operands
        )
        if shape[3] != 1 and (not joins or operands[-1].strides[3]):
            return shape
        for x in operands:
            if rows == 1:
                x.strides[2] = 0 if x is operands[-1] else x.strides[3]
            del x.strides[3]
        shape = [*shape[:2], rows * shape[3], *shape[4:]]
    return shape


def dot_of(type: str) -> Any:
    """The sum of products."""
    if type in ("c64", "c128"):
        return _complex_dot_of(type)

    def step(accs: Sequence[Any], xs: Sequence[Any]) -> list[Any]:
        product = fma(xs[0], xs[1], accs[0]) if type in ("f32", "f64") else xs[0] * xs[1] + accs[0]
        return [product]

    return simple(
        [type] * 2, [type], [0], step, lambda a, b: [a[0] + b[0]], lambda totals, count: totals[0],
        ["f64" if type == "f32" else type],
    )  # fmt: skip


def _complex_dot_of(type: str) -> Any:
    """The sum of products of complex numbers: one of their real and one of their imaginary parts."""
    part = "f64" if type == "c128" else "f32"

    def step(accs: Sequence[Any], xs: Sequence[Any]) -> list[Any]:
        product = xs[0] * xs[1]
        return [accs[0] + product.real, accs[1] + product.imag]

    return simple(
        [type] * 2, [part] * 2, [0, 0], step, lambda a, b: [x + y for x, y in zip(a, b)],
        lambda totals, count: Complex(*totals), ["f64"] * 2,
    )  # fmt: skip


def _copy(target: Any, source: Any) -> Loop:
    kinds = [facts(x)[2] for x in (target, source)]
    memories = [k.memory for k in kinds]
    from rushlight.engine.loops.promotion import compute_type

    return elementwise_loop(
        lambda x: x, [target], [source], memories[:1], memories[1:], [compute_type(kinds[1])]
    )
