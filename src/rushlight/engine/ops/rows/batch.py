"""Batch and instance normalisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, reduction
from rushlight.engine.calls import rows as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import promotion
from rushlight.engine.loops.expr import Value, fma, sqrt
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops import formats
from rushlight.engine.ops.copy.kernels import copy_all
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.elementwise import elementwise_loop
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder
from rushlight.engine.ops.kinds.planned import (
    Built,
    Request,
    Spec,
    Target,
    contiguous_spec,
    plan_of,
    planned,
    signature,
)
from rushlight.engine.ops.kinds.rows import Normalize, pseudo_view
from rushlight.engine.ops.kinds.views import composite, cpu, explicit, meta
from rushlight.engine.ops.rows.norms import (
    check_floating,
    moments_of,
    scaled,
    statistics_dtype,
)

Optional = Union[Tensor, None]


def _channels(input: Tensor, given: Tensor) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Size and stride of a tensor with an element per channel, over the input's dimensions."""
    ndim = len(input._size_)
    size = tuple(n if d == 1 else 1 for d, n in enumerate(input._size_))
    return size, tuple(given._stride_[0] if d == 1 else 0 for d in range(ndim))


def _check(input: Tensor, *parameters: tuple[str, Optional]) -> None:
    if len(input._size_) < 2:
        raise RuntimeError(
            f"Expected at least 2 dimensions for input tensor but received {len(input._size_)}"
        )
    channels = input._size_[1]
    for name, given in parameters:
        if given is not None and given._numel_ != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {given._numel_}")


def _spec(input: Tensor) -> Spec:
    """The normalised tensor."""
    return input._size_, formats.strides_as_it_lies(input), input._dtype_


def _training(input: Tensor, weight: Optional, bias: Optional, eps: float, update: bool) -> Request:
    """Normalise with the batch's own statistics; with ``update`` the variance is a result too."""
    kind = statistics_dtype(input, weight, bias)
    channels = (input._size_[1],)
    specs = [_spec(input)] + [contiguous_spec(channels, kind)] * (2 + update)
    dims = tuple(d for d in range(len(input._size_)) if d != 1)
    given = [t for t in (weight, bias) if t is not None]
    element = promotion.compute_type(input._dtype_)
    return Normalize(
        (input, *given),
        tuple(input._size_),
        input._stride_,
        dims,
        moments_of(element, eps, update),
        scaled(weight is not None, bias is not None),
        (0, 1),
        [_channels(input, t) for t in given],
        specs,
        element,
    )


@dataclass
class _Evaluate(Request):
    """Normalise with statistics that are given."""

    inputs: tuple[Tensor, ...]
    eps: float
    weight: bool
    bias: bool
    specs: list[Spec]

    def build(self, targets: Sequence[Target]) -> Built:
        chain = ChainBuilder(len(targets), len(self.inputs))
        first = self.inputs[0]
        element = promotion.compute_type(first._dtype_)
        held = [first, *(pseudo_view(t, *_channels(first, t)) for t in self.inputs[1:])]
        memories = [t._dtype_.memory for t in self.inputs]

        def body(x: Value, mean: Value, variance: Value, *others: Value) -> Value:
            # One factor and one summand a channel would be cheaper, but round differently.
            scale = 1 / sqrt(variance + self.eps)
            x = (x - mean) * scale
            if self.weight and self.bias:
                return fma(x, others[0], others[1])
            return x * others[0] if self.weight else x + others[0] if self.bias else x

        memory = first._dtype_.memory
        loop = elementwise_loop(body, [targets[0]], held, [memory], memories, [element] * len(held))
        chain.add(loop, [("out", 0), *(("in", k) for k in range(len(self.inputs)))])
        return chain.finish()


_plans = PlanTable()


def _request(
    input: Tensor, weight: Optional, bias: Optional, mean: Optional, variance: Optional,
    training: bool, eps: float, update: bool = False,
) -> Request:  # fmt: skip
    _check(
        input, ("running_mean", mean), ("running_var", variance), ("weight", weight), ("bias", bias)
    )
    check_floating("batch_norm", input._dtype_)
    if training:
        update |= mean is not None or variance is not None
        return _training(input, weight, bias, eps, update)
    if mean is None or variance is None:
        raise RuntimeError("running_mean and running_var must be defined in evaluation mode")
    kind = statistics_dtype(input, weight, bias)
    specs = [
        _spec(input),
        contiguous_spec((0,), kind),
        contiguous_spec((0,), kind),
    ]
    given = tuple(t for t in (input, mean, variance, weight, bias) if t is not None)
    return _Evaluate(given, eps, weight is not None, bias is not None, specs)


def normalize(
    input: Tensor, weight: Optional, bias: Optional, mean: Optional, variance: Optional,
    training: bool, momentum: float, eps: float,
) -> tuple[Tensor, ...]:  # fmt: skip
    """The result, and the batch's mean and reciprocal deviation if they were used."""
    args = (input, weight, bias, mean, variance, training, eps)
    key = signature(args)
    found = _plans.get(key)
    if found is None:
        request = _request(*args)
        positions = [next(i for i, a in enumerate(args) if a is x) for x in request.inputs]
        found = _plans[key] = plan_of(request), positions
    plan, positions = found
    inputs = [args[i] for i in positions]
    result = steps.Produced.note(plan, inputs, plan.produce(*inputs))
    if len(result) == 3:
        return result
    for running, statistic in ((mean, result[1]), (variance, result[3])):
        if running is not None:
            _move((running,), (statistic,), momentum)
    return result[:3]


@planned("_batch_norm_of_batch")
def of_batch(input: Tensor, weight: Optional, bias: Optional, eps: float) -> Request:
    return _request(input, weight, bias, None, None, True, eps, True)


@cpu("_move_statistics_")
def move_statistics_(
    mean: Tensor, variance: Tensor, found_mean: Tensor, found_variance: Tensor, share: float
) -> None:
    """Move running statistics towards the batch's."""
    _move((mean, variance), (found_mean, found_variance), share)


@meta("_move_statistics_")
def move_statistics_on_meta(*args: Any) -> None:
    """There is nothing to move."""


def _move(running: tuple[Tensor, ...], found: tuple[Tensor, ...], share: float) -> None:
    """Move running statistics towards the batch's.

    This does not count as a change: gradients of earlier calls hold the statistics but, for training,
    do not use them, and a layer may be called twice before its backward pass.
    """
    key = signature((*running, *found, "move"))
    loop = _plans.get(key)
    if loop is None:
        element = promotion.compute_type(running[0]._dtype_)
        memories = [t._dtype_.memory for t in (*running, *found)]

        def moved(*values: Value) -> tuple[Value, ...]:
            *pairs, share = values
            count = len(running)
            return tuple(
                fma(new, share, old * (1 - share)) for old, new in zip(pairs, pairs[count:])
            )

        loop = _plans[key] = elementwise_loop(
            moved if len(running) > 1 else lambda *values: moved(*values)[0],
            list(running), [*running, *found, 0.5], memories[: len(running)], [*memories, element],
            [element] * (len(memories) + 1),
        )  # fmt: skip
    operands = *running, *running, *found, share if type(share) is float else float(share)
    loop.run(*operands)
    steps.Written.note(loop, operands, 0)


def _meta(
    input: Tensor, weight: Optional, bias: Optional, mean: Optional, variance: Optional,
    training: bool, momentum: float, eps: float,
) -> Any:  # fmt: skip
    return outputs.new_outputs(
        _request(input, weight, bias, mean, variance, training, eps).specs[:3],
        input._storage_.device,
    )


for _name in ("native_batch_norm", "_native_batch_norm_legit"):
    cpu(_name)(normalize)
    meta(_name)(_meta)


@cpu("_native_batch_norm_legit_functional")
def functional(
    input: Tensor, weight: Optional, bias: Optional, running_mean: Tensor, running_var: Tensor,
    training: bool, momentum: float, eps: float,
) -> tuple[Tensor, ...]:  # fmt: skip
    """Normalise; the last results are what becomes of the statistics."""
    mean, variance = copies.clone(running_mean), copies.clone(running_var)
    found = normalize(input, weight, bias, mean, variance, training, momentum, eps)
    return *found, mean, variance


@meta("_native_batch_norm_legit_functional")
def functional_meta(
    input: Tensor, weight: Optional, bias: Optional, running_mean: Tensor, running_var: Tensor,
    training: bool, momentum: float, eps: float,
) -> Any:  # fmt: skip
    found = _meta(input, weight, bias, running_mean, running_var, training, momentum, eps)
    return *found, copies.clone(running_mean), copies.clone(running_var)


@cpu("_batch_norm_with_update")
def with_update(
    input: Tensor, weight: Optional, bias: Optional, running_mean: Tensor, running_var: Tensor,
    momentum: float, eps: float,
) -> tuple[Tensor, ...]:  # fmt: skip
    """Normalise for training; the last result is room that only other devices use."""
    found = normalize(input, weight, bias, running_mean, running_var, True, momentum, eps)
    return *found, tensors.empty((0,), dtypes.uint8)


@meta("_batch_norm_with_update")
def with_update_meta(
    input: Tensor, weight: Optional, bias: Optional, running_mean: Tensor, running_var: Tensor,
    momentum: float, eps: float,
) -> Any:  # fmt: skip
    found = _meta(input, weight, bias, running_mean, running_var, True, momentum, eps)
    return *found, tensors.empty((0,), dtypes.uint8, input._storage_.device)


@cpu("_native_batch_norm_legit.no_stats")
def no_stats(
    input: Tensor, weight: Optional, bias: Optional, training: bool, momentum: float, eps: float
) -> tuple[Tensor, ...]:
    return normalize(input, weight, bias, None, None, training, momentum, eps)


@meta("_native_batch_norm_legit.no_stats")
def no_stats_meta(
    input: Tensor, weight: Optional, bias: Optional, training: bool, momentum: float, eps: float
) -> Any:
    return _meta(input, weight, bias, None, None, training, momentum, eps)


@cpu("_native_batch_norm_legit_no_training")
def no_training(
    input: Tensor, weight: Optional, bias: Optional, running_mean: Tensor, running_var: Tensor,
    momentum: float, eps: float,
) -> tuple[Tensor, ...]:  # fmt: skip
    return normalize(input, weight, bias, running_mean, running_var, False, momentum, eps)


@meta("_native_batch_norm_legit_no_training")
def no_training_meta(
    input: Tensor, weight: Optional, bias: Optional, running_mean: Tensor, running_var: Tensor,
    momentum: float, eps: float,
) -> Any:  # fmt: skip
    return _meta(input, weight, bias, running_mean, running_var, False, momentum, eps)


def _with_outputs(name: str, call: Any, count: int) -> None:
    @explicit(name)
    def into(*args: Any) -> tuple[Tensor, ...]:
        found = call(*args[:count])
        for target, result in zip(args[count:], found):
            outputs.copy_result(target, result)
        return tuple(args[count:])


_with_outputs("native_batch_norm.out", calls.native_batch_norm, 8)
_with_outputs("_native_batch_norm_legit.out", calls._native_batch_norm_legit, 8)
_with_outputs("_batch_norm_with_update.out", calls._batch_norm_with_update, 7)
_with_outputs("_native_batch_norm_legit.no_stats_out", calls._native_batch_norm_legit_no_stats, 6)


@composite("_batch_norm_impl_index")
def batch_norm_impl_index(
    input: Tensor, weight: Optional, bias: Optional, running_mean: Optional, running_var: Optional,
    training: bool, momentum: float, eps: float, cudnn_enabled: bool,
) -> tuple[Any, ...]:  # fmt: skip
    found = calls.native_batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps
    )
    where = input._storage_.device
    reserve = creation.empty_memory_format((0,), dtypes.uint8, None, where, None, None)
    return *found, reserve, 0


def _of_nothing(input: Tensor, weight: Optional, bias: Optional) -> Any:
    """An empty input needs no channels; the parameters still get a gradient."""
    made: Any = copies.clone(input)
    if weight is not None:
        made = made * weight
    return made if bias is None else made + bias


@composite("batch_norm")
def batch_norm(
    input: Tensor, weight: Optional, bias: Optional, running_mean: Optional, running_var: Optional,
    training: bool, momentum: float, eps: float, cudnn_enabled: bool,
) -> Tensor:  # fmt: skip
    if input._size_ == (0,):
        return _of_nothing(input, weight, bias)
    if training and 0 in input._size_:
        # Nothing was seen, so nothing is learned about it.
        running_mean = running_var = None
    if not training or running_mean is None or running_var is None:
        return calls.native_batch_norm(
            input, weight, bias, running_mean, running_var, training, momentum, eps
        )[0]
    _check(input, ("running_mean", running_mean), ("running_var", running_var))
    made, mean, _, variance = calls._batch_norm_of_batch(input, weight, bias, eps)
    calls._move_statistics_(running_mean, running_var, mean, variance, momentum)
    return made  # type: ignore[no-any-return]


@composite("instance_norm")
def instance_norm(
    input: Tensor, weight: Optional, bias: Optional, running_mean: Optional, running_var: Optional,
    use_input_stats: bool, momentum: float, eps: float, cudnn_enabled: bool,
) -> Tensor:  # fmt: skip
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError(
            "Expected running_mean and running_var to be defined when use_input_stats is false"
        )
    count, channels, *rest = input._size_

    def repeated(given: Optional) -> Optional:
        return None if given is None else views.repeat(given, [count])

    mean, variance = repeated(running_mean), repeated(running_var)
    joined = views.view(copies.contiguous(input), [1, count * channels, *rest])
    found = calls.batch_norm(
        joined, repeated(weight), repeated(bias), mean, variance, use_input_stats, momentum, eps,
        False,
    )  # fmt: skip
    pairs = [(a, b) for a, b in ((running_mean, mean), (running_var, variance)) if a is not None]
    averages = [
        reduction.mean_dim(views.view(each, [count, channels]), [0], False, None)
        for _, each in pairs
    ]
    copy_all([running for running, _ in pairs], averages)
    return views.view(found, input._size_)
