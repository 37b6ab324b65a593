"""The negative log likelihood of classes, and its gradient."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import losses as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects, symbolic
from rushlight.engine.core import size as sizes
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.loops import geometry, plans, promotion
from rushlight.engine.loops.plan import Loop
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.elementwise import fill_loop
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder
from rushlight.engine.ops.kinds.planned import (
    Built,
    Computed,
    Request,
    Target,
    contiguous_spec,
    planned,
    signature,
)
from rushlight.engine.ops.kinds.status_checked import StatusCheckedPlan
from rushlight.engine.ops.kinds.views import composite, cpu, meta
from rushlight.engine.ops.losses import nll_loss_steps as steps
from rushlight.engine.ops.losses.nll_loss_steps import FACTS, NONE

Ints = tuple[int, ...]
Pair = tuple[Tensor, Tensor]
# A target costs about as much as moving so many bytes.
TARGET_BYTES = 32


def _check(name: str, scores: Tensor, target: Tensor, weight: Tensor | None) -> None:
    if scores._dtype_.category != dtypes.FLOATING:
        raise NotImplementedError(
            f"\"{name}_out_frame\" not implemented for '{promotion.title(scores._dtype_)}'"
        )
    if target._dtype_ not in (dtypes.int64, dtypes.uint8):
        raise RuntimeError(
            f"expected target dtype to be Long or Byte, but got {promotion.title(target._dtype_)}"
        )
    if weight is not None:
        classes = scores._size_[_class_dim(scores)]
        if len(weight._size_) != 1 or weight._numel_ != classes:
            raise RuntimeError(
                f"weight tensor should be defined either for all {classes} classes or no classes "
                f"but got weight tensor of shape: {list(weight._size_)}"
            )
        if weight._dtype_ is not scores._dtype_:
            raise RuntimeError(
                f"expected scalar type {promotion.title(scores._dtype_)} but found "
                f"{promotion.title(weight._dtype_)}"
            )


def _class_dim(scores: Tensor) -> int:
    return 0 if len(scores._size_) == 1 else 1


def _check_vectors(scores: Tensor, target: Tensor) -> None:
    if len(scores._size_) not in (1, 2):
        raise RuntimeError("input tensor should be 1D or 2D")
    if len(target._size_) > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if len(scores._size_) == 1:
        if target._numel_ != 1:
            raise RuntimeError(
                f"For 1D input, 1D target must have size 1, but got target size: {target._numel_}"
            )
    elif target._size_ != scores._size_[:1]:
        raise RuntimeError(
            f"size mismatch (got input: {list(scores._size_)} , target: {list(target._size_)})"
        )


def _check_images(scores: Tensor, target: Tensor) -> None:
    if len(target._size_) != 3:
        raise RuntimeError(
            "only batches of spatial targets supported (3D tensors) but got targets of dimension: "
            f"{len(target._size_)}"
        )
    if len(scores._size_) != 4:
        raise RuntimeError(
            "only batches of spatial inputs supported (4D tensors), but got input of size: "
            f"{list(scores._size_)}"
        )
    if (scores._size_[0], *scores._size_[2:]) != target._size_:
        raise RuntimeError(
            f"size mismatch (got input: {list(scores._size_)} , target: {list(target._size_)}"
        )


# -- where everything is --


def _inner_step(size: Ints, stride: Ints) -> int | None:
    """How far apart neighbours are along several dimensions at once; None if that differs."""
    shape, merged = geometry.merge_dimensions(size[::-1], [stride[::-1]])
    if len(shape) > 1:
        return None
    return merged[0][0] if shape else 0


def _steps_of(tensor: Any, first: int) -> tuple[int, int] | None:
    """Bytes between samples and between a sample's targets; None if the latter differ."""
    if not tensor._size_:
        return 0, 0
    inner = _inner_step(tensor._size_[first:], tensor._stride_[first:])
    item = tensor._dtype_.itemsize
    return None if inner is None else (tensor._stride_[0] * item, inner * item)


def _scores_steps(stride: Ints, size: Ints, item: int) -> tuple[int, int, int] | None:
    """Bytes between samples, between classes and between a sample's targets."""
    if len(size) == 1:
        return 0, stride[0] * item, 0
    inner = _inner_step(size[2:], stride[2:])
    return None if inner is None else (stride[0] * item, stride[1] * item, inner * item)


def _is_walkable(scores: Tensor, *others: Tensor) -> bool:
    """Whether a sample's targets are evenly apart in all tensors."""
    if _scores_steps(scores._stride_, scores._size_, 1) is None:
        return False
    return None not in [_steps_of(x, 1) for x in others]


def _count(scores: Tensor) -> int:
    """How many targets there are."""
    return 1 if len(scores._size_) == 1 else scores._numel_ // max(scores._size_[1], 1)


def _facts(
    scores: Any, target: Tensor, weight: Tensor | None, losses: Any, how: int, ignored: int
) -> Any:
    """The words that describe a call; see `FACTS`."""
    kind, size = scores._dtype_, scores._size_
    plain = len(size) == 1
    inner = math.prod(size[2:])
    terms = (1 if plain else size[0]) * inner
    sample, between, within = _scores_steps(scores._stride_, size, kind.itemsize) or (0, 0, 0)
    of_targets = _steps_of(target, 1) if not plain else (0, 0)
    of_losses = _steps_of(losses, 1) if losses is not None and not plain else (0, 0)
    words = {
        FACTS.batch: 1 if plain else size[0],
        FACTS.inner: inner,
        FACTS.classes: size[_class_dim(scores)],
        FACTS.ignored: ignored,
        FACTS.reduction: how,
        FACTS.single: int(kind is dtypes.float32),
        FACTS.level_bits: max(4, max(terms - 1, 0).bit_length() // steps.LEVELS),
        FACTS.sample_step: sample,
        FACTS.class_step: between,
        FACTS.inner_step: within,
        FACTS.target_bytes: target._dtype_.itemsize,
        FACTS.weight_step: 0 if weight is None else weight._stride_[0] * kind.itemsize,
    }
    words[FACTS.target_sample_step], words[FACTS.target_inner_step] = of_targets or (0, 0)
    words[FACTS.losses_sample_step], words[FACTS.losses_inner_step] = of_losses or (0, 0)
    return symbolic.words(words[p] for p in sorted(words))


def _loop(kernel: Any, operands: Sequence[Any], facts: Any, terms: int, report: Any) -> Loop:
    """A loop that one thread runs at once. Operands are tensors, or None for weights not given."""
    how, place, keep = report
    constant = objects.CONSTANT_OPERAND
    kinds = [
        (constant, 8) if o is None else (objects.TENSOR_OPERAND, o._dtype_.itemsize)
        for o in operands
    ]
    kinds += [(constant, 8), (how, 8)]
    offsets = [0] * len(operands) + [ctypes.addressof(facts), place]
    return Loop(
        steps.address(kernel), [1], [[0]] * len(kinds), kinds, 1, (), terms * TARGET_BYTES, offsets,
        (facts, keep),
    )  # fmt: skip


# -- losses --


def _result_size(scores: Tensor, target: Tensor, how: int) -> Ints:
    return target._size_ if how == NONE else ()


_plans = PlanTable()


def _forward(
    self: Tensor, target: Tensor, weight: Tensor | None, how: int, ignore_index: int
) -> Pair:
    """The loss, or losses, and the sum of the weights of all targets."""
    kind = self._dtype_
    if kind not in (dtypes.float32, dtypes.float64):
        wide = [None if x is None else copies.to_dtype(x, dtypes.float32) for x in (self, weight)]
        found = _forward(wide[0], target, wide[1], how, ignore_index)  # type: ignore[arg-type]
        return copies.to_dtype(found[0], kind), copies.to_dtype(found[1], kind)
    if not _is_walkable(self, target):
        self, target = copies.contiguous(self), copies.contiguous(target)
    key = signature((self, target, weight, how, ignore_index))
    plan = _plans.get(key)
    if plan is None:
        plan = _plans[key] = _plan(self, target, weight, how, ignore_index)
    inputs = [self, target] if weight is None else [self, target, weight]

    def refuse(value: int) -> NoReturn:
        raise IndexError(f"Target {value} is out of bounds.")

    return plan.produce(inputs, refuse)  # type: ignore[no-any-return]


def _plan(
    self: Tensor, target: Tensor, weight: Tensor | None, how: int, ignore_index: int
) -> StatusCheckedPlan:
    size = _result_size(self, target, how)
    losses = Template(sizes.intern(size), sizes.contiguous_strides(size), self._dtype_)
    total = Template(sizes.intern(()), (), self._dtype_)
    shape = _Shape(losses.size, losses.stride, losses.dtype)
    facts = _facts(self, target, weight, shape, how, ignore_index)
    kernel = steps.losses_of_all if how == NONE else steps.one_loss
    operands = [self, self, self, target, weight]
    terms = _count(self)
    return StatusCheckedPlan(
        lambda *report: _loop(kernel, operands, facts, terms, report), [losses, total]
    )


@dataclass
class _Shape:
    """What a result will look like."""

    _size_: Ints
    _stride_: Ints
    _dtype_: dtypes.dtype


def _on_meta(
    self: Tensor, target: Tensor, weight: Tensor | None, how: int, ignore_index: int
) -> Pair:
    kind = self._dtype_
    specs = [contiguous_spec(_result_size(self, target, how), kind), contiguous_spec((), kind)]
    device = outputs.common_device((self, target, weight))
    return outputs.new_outputs(specs, device)  # type: ignore[return-value]


def _register(name: str, check: Any) -> None:
    """The operators of losses of one shape: with and without the weights' sum, on all devices."""

    def forward(*args: Any) -> Pair:
        check(*args[:2])
        _check("nll_loss", *args[:3])
        return _forward(*args)

    def on_meta(*args: Any) -> Pair:
        check(*args[:2])
        _check("nll_loss", *args[:3])
        return _on_meta(*args)

    cpu(f"{name}_forward")(plans.calls_nothing(forward))
    meta(f"{name}_forward")(on_meta)

    def loss(*args: Any) -> Tensor:
        made: Pair = getattr(calls, f"{name}_forward")(*args)
        return made[0]

    composite(name)(loss)


_register("nll_loss", _check_vectors)
_register("nll_loss2d", _check_images)


# -- the gradient --


@dataclass
class _Gradient(Request):
    """The gradient of the scores."""

    grad: Tensor
    scores: Tensor
    target: Tensor
    weight: Tensor | None
    how: int
    ignored: int
    total: Tensor

    def __post_init__(self) -> None:
        self.specs = [contiguous_spec(self.scores._size_, self.scores._dtype_)]
        weights = () if self.weight is None else (self.weight,)
        self.inputs = (self.grad, self.target, *weights, self.total)

    def build(self, targets: Sequence[Target]) -> Built:
        (size, stride, kind) = self.specs[0]
        made = _Shape(size, stride, kind)
        facts = _facts(made, self.target, self.weight, self.grad, self.how, self.ignored)
        operands = [made, self.grad, self.target, self.weight, self.total]
        report = symbolic.words([0, 0])
        place = ctypes.addressof(report)
        walk = _loop(
            steps.gradients, operands, facts, _count(self.scores),
            (objects.CONSTANT_OPERAND, place, report),
        )  # fmt: skip
        chain = ChainBuilder(1, len(self.inputs))
        chain.add(fill_loop(Template(sizes.intern(size), stride, kind), 0), [("out", 0)])
        chain.add(walk, [("out", 0), *(("in", k) for k in range(len(self.inputs)))])
        return chain.finish()


def _gradient(call: Callable[..., Tensor], *args: Any) -> Request:
    grad_output, self, target, weight = args[:4]
    _check("nll_loss_backward", self, target, weight)
    kind = self._dtype_
    specs = [contiguous_spec(self._size_, kind)]
    if kind not in (dtypes.float32, dtypes.float64):
        return Computed(specs, lambda: _in_single(call, args, kind))
    others = (grad_output, target) if len(grad_output._size_) else (target,)
    if not _is_walkable(self, *others):
        return Computed(specs, lambda: call(*map(_dense, args)))
    return _Gradient(*args)


def _dense(value: Any) -> Any:
    return copies.contiguous(value) if isinstance(value, Tensor) else value


def _in_single(call: Any, args: Sequence[Any], kind: dtypes.dtype) -> Tensor:
    """The call with wider numbers."""
    wide = [
        copies.to_dtype(x, dtypes.float32) if isinstance(x, Tensor) and x._dtype_ is kind else x
        for x in args
    ]
    return copies.to_dtype(call(*wide), kind)


@planned("nll_loss_backward")
def nll_loss_backward(*args: Any) -> Request:
    _check_vectors(*args[1:3])
    return _gradient(calls.nll_loss_backward, *args)


@planned("nll_loss2d_backward")
def nll_loss2d_backward(*args: Any) -> Request:
    _check_images(*args[1:3])
    return _gradient(calls.nll_loss2d_backward, *args)
