"""Products of matrices in ways of their own; products and convolutions with the loop behind them, part by part."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import rushlight
from rushlight._inductor.kernels import Kernel, Map
from rushlight._inductor.scalar_program import Call, NotFusible, Spec, request_of, shown, stand_in
from rushlight.engine.core import size as sizes
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.loops.plan import Loop, Plan
from rushlight.engine.ops.kinds.epilogues import Epilogue, Ints, WithLoop
from rushlight.engine.ops.kinds.nested_loops import facts
from rushlight.engine.ops.kinds.planned import Computed, Request, Target, plan_of
from rushlight.engine.ops.kinds.product_ways import BY_SIZES, Way
from rushlight.engine.ops.kinds.products import Product


class Behind(NamedTuple):
    """A loop behind a product or a convolution.

    Args:
        kernel: the loop
        reads: which input of the product's kernel each of its inputs is; None for the product
        view: the size in which the loop sees the product, -1 for what follows from the others; None for its own
        keeps: whether the product is wanted, too, as the first result
    """

    kernel: Map
    reads: list[int | None]
    view: list[int] | None = None
    keeps: bool = False


class Multiplied(Kernel):
    """A product of matrices in a way that was chosen for it, or one with a loop behind it; or a convolution with a loop behind it.

    Args:
        way: how it is computed
        behind: the loop
    """

    def __init__(
        self, name: str, calls: Sequence[Call], inputs: int, results: Sequence[int],
        way: Way = BY_SIZES, behind: Behind | None = None,
    ) -> None:  # fmt: skip
        super().__init__(name, calls, inputs, results)
        self.way, self.behind = way, behind
        # Which inputs the loops read, in their order.
        self.order: list[int] = []

    def __reduce__(self) -> Any:
        kind, given = super().__reduce__()
        return kind, (*given, self.way, self.behind)

    @property
    def operators(self) -> list[Operator]:
        own = super().operators
        return own if self.behind is None else own + self.behind.kernel.operators

    def filled(self, plan: Plan, inputs: Sequence[Tensor]) -> Any:
        return super().filled(plan, [inputs[k] for k in self.order])

    def apart(self, inputs: Sequence[Tensor]) -> Any:
        (call,) = self.calls
        made = call.op.call(*(shown(x, inputs) for x in call.args))
        if self.behind is None:
            return made
        kernel, reads, view, keeps = self.behind
        seen = made if view is None else rushlight.ops.aten.view.default(made, view)
        found = kernel(*(seen if k is None else inputs[k] for k in reads))
        if not keeps:
            return found
        return made, *(found if isinstance(found, tuple) else (found,))

    def plan(self, inputs: Sequence[Tensor]) -> Plan:
        self.settle()
        # One tensor may be several inputs, so each has a stand-in of its own.
        stands = [stand_in((t._size_, t._stride_, t._dtype_)) for t in inputs]
        (call,) = self.calls
        request: Any = request_of(call.op, [shown(x, stands) for x in call.args])
        if request is None or isinstance(request, Computed):
            raise NotFusible
        places = {id(x): k for k, x in enumerate(stands)}
        self.order = [places[id(x)] for x in request.inputs]
        if isinstance(request, Product):
            request = dataclasses.replace(request, way=self.way)
        if self.behind is None:
            return plan_of(request)
        return plan_of(self._with_loop(request, stands, self.behind))

    def _with_loop(self, before: Request, stands: list[Tensor], behind: Behind) -> WithLoop:
        """The product and the loop, for inputs like these."""
        kind = loop_behind(before)
        if state.thread.planner is not None or kind is None or not kind.is_possible(before):
            raise NotFusible
        kernel, reads, view, keeps = behind
        size, _, dtype = spec = before.specs[0]
        seen = size if view is None else _resolved(view, size)
        as_read = stand_in((seen, sizes.contiguous_strides(seen), dtype))
        ins = [as_read if k is None else stands[k] for k in reads]
        program, specs = kernel.program(ins)
        if not folds(before, seen, ins, specs):
            raise NotFusible

        def make(outs: list[Template], given: list[Template]) -> Loop:
            return kernel.loop(program, outs, given)

        besides = [k for k in reads if k is not None]
        first = len(before.inputs)
        numbers = iter(range(first, first + len(besides)))
        epilogue = Epilogue(make, [None if k is None else next(numbers) for k in reads], seen)
        self.order += besides
        inputs = (*before.inputs, *(stands[k] for k in besides))
        return kind(before, inputs, [spec] * keeps + specs, epilogue, keeps)


def loop_behind(before: Request | None) -> type[WithLoop] | None:
    """What has a loop behind such a request, if anything can."""
    return WithLoop.of_request.get(type(before))


def folds(before: Request, size: Ints, ins: Sequence[Tensor], specs: Sequence[Spec]) -> bool:
    """Whether a loop's operands can be cut into parts as the result of a request.

    Args:
        before: the request
        size: of its result as the loop sees it
        ins: what the loop reads
        specs: of what it writes
    """
    kind = loop_behind(before)
    assert kind is not None
    outs = [Template(sizes.intern(s), stride, dtype) for s, stride, dtype in specs]
    operands: list[Target] = [*ins, *outs]
    return all(
        len(facts(x)[0]) <= len(size) and kind.strides(before, size, x) is not None
        for x in operands
    )


def _resolved(view: Sequence[int], size: Sequence[int]) -> Ints:
    """The size that a view has, with what follows from the number of elements."""
    known = -math.prod(view) if -1 in view else 1
    return tuple(math.prod(size) // known if n == -1 else n for n in view)
