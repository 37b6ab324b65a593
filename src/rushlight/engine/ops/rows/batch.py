"""Batch and instance normalisation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Union

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated.calls import copy as copies
from rushlight.engine.generated.calls import reduction
from rushlight.engine.generated.calls import rows as calls
from rushlight.engine.generated.calls import view as views
from rushlight.engine.loops import promotion
from rushlight.engine.loops.expr import Value, fma, sqrt
from rushlight.engine.loops.plans import PlanTable, note_other, note_plan
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.elementwise import elementwise_loop
from rushlight.engine.ops.kinds.nests import Steps
from rushlight.engine.ops.kinds.planned import (
    Built,
    Request,
    Spec,
    Target,
    contiguous_spec,
    plan_of,
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
from rushlight.engine.ops.rows.softmax import suggested_spec

Optional = Union[Tensor, None]


def _channels(input: Tensor, given: Tensor) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Size and stride of a tensor with an element per channel, over the input's dimensions."""
    ndim = len(input._size)
    size = tuple(n if d == 1 else 1 for d, n in enumerate(input._size))
    return size, tuple(given._stride[0] if d == 1 else 0 for d in range(ndim))


def _check(input: Tensor, *parameters: tuple[str, Optional]) -> None:
    if len(input._size) < 2:
        raise RuntimeError(
            f"Expected at least 2 dimensions for input tensor but received {len(input._size)}"
        )
    channels = input._size[1]
    for name, given in parameters:
        if given is not None and given._numel != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {given._numel}")


def _training(input: Tensor, weight: Optional, bias: Optional, eps: float, update: bool) -> Request:
    """Normalise with the batch's own statistics; with ``update`` the variance is a result too."""
    kind = statistics_dtype(input, weight, bias)
    channels = (input._size[1],)
    specs = [suggested_spec(input, input._dtype)] + [contiguous_spec(channels, kind)] * (2 + update)
    dims = tuple(d for d in range(len(input._size)) if d != 1)
    given = [t for t in (weight, bias) if t is not None]
    element = promotion.compute_type(input._dtype)
    return Normalize(
        (input, *given),
        tuple(input._size),
        input._stride,
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
        steps = Steps(len(targets), len(self.inputs))
        first = self.inputs[0]
        element = promotion.compute_type(first._dtype)
        held = [first, *(pseudo_view(t, *_channels(first, t)) for t in self.inputs[1:])]
        memories = [t._dtype.memory for t in self.inputs]

        def body(x: Value, mean: Value, variance: Value, *others: Value) -> Value:
            # One factor and one summand a channel would be cheaper, but round differently.
            scale = 1 / sqrt(variance + self.eps)
            x = (x - mean) * scale
            if self.weight and self.bias:
                return fma(x, others[0], others[1])
            return x * others[0] if self.weight else x + others[0] if self.bias else x

        memory = first._dtype.memory
        loop = elementwise_loop(body, [targets[0]], held, [memory], memories, [element] * len(held))
        steps.add(loop, [("out", 0), *(("in", k) for k in range(len(self.inputs)))])
        return steps.finish()


_plans = PlanTable()


def _request(
    input: Tensor, weight: Optional, bias: Optional, mean: Optional, variance: Optional,
    training: bool, eps: float,
) -> Request:  # fmt: skip
    _check(
        input, ("running_mean", mean), ("running_var", variance), ("weight", weight), ("bias", bias)
    )
    check_floating("batch_norm", input._dtype)
    if training:
        return _training(input, weight, bias, eps, mean is not None or variance is not None)
    if mean is None or variance is None:
        raise RuntimeError("running_mean and running_var must be defined in evaluation mode")
    kind = statistics_dtype(input, weight, bias)
    specs = [
        suggested_spec(input, input._dtype),
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
    result = note_plan(plan, inputs, plan.produce(*inputs))
    if len(result) == 3:
        return result
    if mean is not None:
        _update(mean, result[1], momentum)
    if variance is not None:
        _update(variance, result[3], momentum)
    return result[:3]


def _update(running: Tensor, found: Tensor, momentum: float) -> None:
    """Move a running statistic towards the batch's.

    This does not count as a change: gradients of earlier calls hold the statistic but, for training,
    do not use it, and a layer may be called twice before its backward pass.
    """
    note_other()
    element = promotion.compute_type(running._dtype)
    key = signature((running, found, "update"))
    loop = _plans.get(key)
    if loop is None:
        memories = [running._dtype.memory, found._dtype.memory, element]
        loop = _plans[key] = elementwise_loop(
            lambda old, new, share: fma(new, share, old * (1 - share)),
            [running], [running, found, 0.5], memories[:1], memories, [element] * 3,
        )  # fmt: skip
    loop.run(running, running, found, float(momentum))


def _meta(
    input: Tensor, weight: Optional, bias: Optional, mean: Optional, variance: Optional,
    training: bool, momentum: float, eps: float,
) -> Any:  # fmt: skip
    return outputs.new_outputs(
        _request(input, weight, bias, mean, variance, training, eps).specs[:3],
        input._storage.device,
    )


for _name in ("native_batch_norm", "_native_batch_norm_legit"):
    cpu(_name)(normalize)
    meta(_name)(_meta)


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
    return *found, tensors.empty((0,), dtypes.uint8, input._storage.device)


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
    reserve = tensors.empty((0,), dtypes.uint8)
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
    if input._size == (0,):
        return _of_nothing(input, weight, bias)
    if training and 0 in input._size:
        # Nothing was seen, so nothing is learned about it.
        running_mean = running_var = None
    return calls.native_batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps
    )[0]


@composite("instance_norm")
def instance_norm(
    input: Tensor, weight: Optional, bias: Optional, running_mean: Optional, running_var: Optional,
    use_input_stats: bool, momentum: float, eps: float, cudnn_enabled: bool,
) -> Tensor:  # fmt: skip
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError(
            "Expected running_mean and running_var to be defined when use_input_stats is false"
        )
    count, channels, *rest = input._size

    def repeated(given: Optional) -> Optional:
        return None if given is None else views.repeat(given, [count])

    mean, variance = repeated(running_mean), repeated(running_var)
    joined = views.view(copies.contiguous(input), [1, count * channels, *rest])
    found = calls.batch_norm(
        joined, repeated(weight), repeated(bias), mean, variance, use_input_stats, momentum, eps,
        False,
    )  # fmt: skip
    for running, each in ((running_mean, mean), (running_var, variance)):
        if running is not None:
            average = reduction.mean_dim(views.view(each, [count, channels]), [0], False, None)
            copies.copy_(running, average, False)
    return views.view(found, input._size)
