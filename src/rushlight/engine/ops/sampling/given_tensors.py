"""Sampling with parameters that are tensors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import copy, creation, pointwise, reduction, sorting
from rushlight.engine.calls import sampling as calls
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.objects import INT_OPERAND
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import geometry, promotion
from rushlight.engine.native import rejection
from rushlight.engine.native.lowlevel import Function
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.views import cpu, explicit, meta
from rushlight.engine.ops.sampling.distributions import (
    FLOATS,
    check_bernoulli,
    check_deviation,
    has_kernel,
    require,
)
from rushlight.engine.ops.sampling.parameters import (
    NOT_NEGATIVE,
    WEIGHTS,
    check,
    in_double,
)
from rushlight.engine.ops.sampling.streams import Filling, chosen, filling, sampling_loop


def result_of(values: Tensor, like: Tensor) -> Tensor:
    """Computed doubles as a tensor like a parameter."""
    return copy.copy_(contiguous_like(like), values, False)


def contiguous_like(tensor: Tensor, kind: dtypes.dtype | None = None) -> Tensor:
    """A new tensor of the same shape, contiguous: numbers are drawn in the order of memory."""
    where = tensor._storage_.device
    return creation.empty_memory_format(tensor._size_, kind or tensor._dtype_, None, where)


def _drawn(
    kernel: Function,
    generator: Any,
    like: Tensor,
    *parameters: Tensor,
    flags: tuple[int, ...] = (),
    rows: bool = False,
) -> Tensor:
    """What a kernel of the stream gives for the parameters, in doubles."""
    stream = chosen(generator)
    given = [in_double(p) for p in parameters]
    target = contiguous_like(like, dtypes.float64)
    if not target._numel_:
        return target

    def make() -> Filling:
        length = target._size_[-1] if target._size_ else 1
        sizes = [length, target._numel_ // length] if rows else [target._numel_]
        loop = sampling_loop(kernel, sizes, [8] * (1 + len(given)), [INT_OPERAND] * len(flags))
        operands = 1 + len(given) + len(flags)
        return Filling([(loop, range(1 + operands))], operands)

    return filling((kernel, target._size_), make).fill(target, *given, stream.address, *flags)


# Who draws: from a kernel, a generator, a tensor like the result, and parameters.
Draw = Callable[..., Tensor]


# -- bernoulli --


@explicit("bernoulli")
def bernoulli(self: Tensor, generator: Any) -> Tensor:
    return calls.bernoulli__Tensor(contiguous_like(self), self, generator)


@explicit("bernoulli.out")
def bernoulli_out(self: Tensor, generator: Any, out: Tensor) -> Tensor:
    outputs.resize_output(out, self._size_)
    return calls.bernoulli__Tensor(out, self, generator)


@explicit("bernoulli.p")
def bernoulli_p(self: Tensor, p: float, generator: Any) -> Tensor:
    check_bernoulli(p)
    return calls.bernoulli__float(contiguous_like(self), p, generator)


@explicit("bernoulli.Tensor")
def bernoulli_tensor(self: Tensor, p: Tensor, generator: Any) -> Tensor:
    return calls.bernoulli__Tensor(contiguous_like(self), p, generator)


# -- normal --


def _check_deviations(std: Tensor) -> None:
    require(
        std._dtype_.category != dtypes.COMPLEX,
        "normal expects standard deviation to be non-complex",
    )
    if std._numel_ and tensors.is_computed(std):
        check(in_double(std), NOT_NEGATIVE, _refuse_deviations)


def _refuse_deviations() -> None:
    raise RuntimeError("normal expects all elements of std >= 0.0")


def _shift(out: Tensor, mean: Any, std: Any, generator: Any) -> Tensor:
    """Standard normal numbers, scaled and shifted."""
    if not isinstance(std, Tensor):
        calls.normal_(out, 0.0, std, generator)
    else:
        calls.normal_(out, 0.0, 1.0, generator)
        pointwise.mul__Tensor(out, std)
    add = pointwise.add__Tensor if isinstance(mean, Tensor) else pointwise.add__Scalar
    return add(out, mean)


def _normal_like(mean: Any, std: Any, generator: Any) -> Tensor:
    given = [t for t in (mean, std) if isinstance(t, Tensor)]
    # Deviations of another type are cast to that of the means.
    kind = given[0]._dtype_
    if len(given) == 1:
        out = contiguous_like(given[0], kind)
    else:
        shape = geometry.broadcast_sizes(*(t._size_ for t in given))
        device = outputs.common_device(given)
        out = creation.empty_memory_format(shape, kind, None, device)
    if isinstance(std, Tensor):
        _check_deviations(std)
    else:
        check_deviation(std)
    return _shift(out, mean, std, generator)


def _normal_out(mean: Any, std: Any, generator: Any, out: Tensor) -> Tensor:
    with outputs.one_change(out):
        return _normal_into(mean, std, generator, out)


def _normal_into(mean: Any, std: Any, generator: Any, out: Tensor) -> Tensor:
    if isinstance(std, Tensor):
        _check_deviations(std)
    else:
        check_deviation(std)
    if isinstance(std, Tensor):
        means = (mean,) if isinstance(mean, Tensor) else ()
        outputs.resize_output(out, geometry.broadcast_sizes(*(t._size_ for t in (*means, std))))
        return _shift(out, mean, std, generator)
    # The output keeps its shape if the means broadcast to it, even where theirs is another.
    calls.normal_(out, 0.0, std, generator)
    if geometry.broadcast_sizes(mean._size_, out._size_) == out._size_:
        return pointwise.add__Tensor(out, mean)
    return outputs.copy_result(out, pointwise.add_Tensor(out, mean))


for _name in ("Tensor_float", "float_Tensor", "Tensor_Tensor"):
    explicit(f"normal.{_name}")(_normal_like)
    explicit(f"normal.{_name}_out")(_normal_out)


# -- by trial --


@cpu("poisson")
def poisson(self: Tensor, generator: Any) -> Tensor:
    has_kernel(self._dtype_ in FLOATS, "poisson_cpu", self._dtype_)
    check_rates(self)
    return result_of(_drawn(rejection.poissons, generator, self, self), self)


def check_rates(rates: Tensor) -> None:
    check(in_double(rates), NOT_NEGATIVE, _refuse_rates)


def _refuse_rates() -> None:
    raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")


@cpu("binomial")
def binomial(count: Tensor, prob: Tensor, generator: Any, drawn: Draw = _drawn) -> Tensor:
    require(
        count._dtype_ is prob._dtype_,
        f"Found dtype {promotion.title(prob._dtype_)} but expected {promotion.title(count._dtype_)}",
    )
    has_kernel(count._dtype_ in FLOATS, "binomial_cpu", count._dtype_)
    trials, chances = _broadcast(count, prob)
    made = drawn(rejection.binomials, generator, trials, trials, chances)
    return result_of(made, trials)


def _broadcast(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    shape = geometry.broadcast_sizes(a._size_, b._size_)
    return tuple(  # type: ignore[return-value]
        t if t._size_ == shape else t.expand(shape).contiguous() for t in (a, b)
    )


@cpu("_standard_gamma")
def standard_gamma(self: Tensor, generator: Any, drawn: Draw = _drawn) -> Tensor:
    has_kernel(self._dtype_ in (dtypes.float32, dtypes.float64), "gamma_cpu", self._dtype_)
    single = int(self._dtype_ is dtypes.float32)
    made = drawn(rejection.gammas, generator, self, self, flags=(single,))
    return pointwise.clamp_min(result_of(made, self), dtypes.finfo(self._dtype_).tiny)


@cpu("_sample_dirichlet")
def sample_dirichlet(self: Tensor, generator: Any, drawn: Draw = _drawn) -> Tensor:
    has_kernel(self._dtype_ in (dtypes.float32, dtypes.float64), "dirichlet", self._dtype_)
    made = drawn(rejection.gamma_shares, generator, self, self, rows=True)
    info = dtypes.finfo(self._dtype_)
    return pointwise.clamp(result_of(made, self), info.tiny, 1 - info.eps / 2)


@meta("poisson", "_standard_gamma", "_sample_dirichlet")
def like_parameter(self: Tensor, generator: Any) -> Tensor:
    return contiguous_like(self)


@meta("binomial")
def binomial_meta(count: Tensor, prob: Tensor, generator: Any) -> Tensor:
    shape = geometry.broadcast_sizes(count._size_, prob._size_)
    return tensors.empty(shape, count._dtype_, count._storage_.device)


# -- choice --


def check_choice(self: Tensor, samples: int, replacement: bool) -> None:
    require(
        self._dtype_ in FLOATS,
        f"multinomial only supports floating-point dtypes for input, got: "
        f"{promotion.title(self._dtype_)}",
    )
    require(len(self._size_) in (1, 2), "prob_dist must be 1 or 2 dim")
    require(samples > 0, "cannot sample n_sample <= 0 samples")
    require(
        replacement or samples <= self._size_[-1],
        "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
    )
    require(self._size_[-1] <= 1 << 24, "number of categories cannot exceed 2^24")


@cpu("multinomial")
def multinomial(self: Tensor, num_samples: int, replacement: bool, generator: Any) -> Tensor:
    check_choice(self, num_samples, replacement)
    shape = (*self._size_[:-1], num_samples)
    if not self._numel_:
        chosen(generator)
        return tensors.empty(shape, dtypes.int64)
    if not replacement or num_samples == 1:
        return _without_replacement(self, num_samples, generator)
    weights = in_double(self)
    check(weights, WEIGHTS, lambda: _refuse_weights(weights))
    places = creation.empty_memory_format(shape, dtypes.int64, None, devices.cpu)
    single = int(self._dtype_ is not dtypes.float64)
    found = filling(("choices", weights._size_, shape), lambda: _choosing(weights, num_samples))
    return found.fill(places, weights, chosen(generator).address, single)


def _choosing(weights: Tensor, count: int) -> Filling:
    """How places are drawn by weight, with replacement."""
    length = weights._size_[-1]
    row = [length, weights._numel_ // length, count]
    loop = sampling_loop(rejection.choices, row, [8, 8, 8], [INT_OPERAND])
    return Filling(
        [(loop, range(5))], 3, [tensors.template_for(sizes.intern((length + 1,)), dtypes.float64)]
    )


def _refuse_weights(weights: Tensor) -> None:
    """Say what is wrong with weights to choose by."""
    if not pointwise.ge_Scalar(weights, 0).all().item():
        fault = "encountering probability entry < 0"
    elif not weights.isfinite().all().item():
        fault = "encountering probability entry = infinity or NaN"
    else:
        fault = "sum of probabilities <= 0"
    raise RuntimeError(f"invalid multinomial distribution ({fault})")


def _refuse_single_weights(weights: Tensor) -> None:
    """The same where each place is chosen once at most."""
    if bool((weights.max() < math.inf).item()) and bool((weights.min() >= 0).item()):
        _refuse_weights(weights)
    raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")


def _without_replacement(self: Tensor, samples: int, generator: Any) -> Tensor:
    """The places whose weight is largest beside an exponential number of its own."""
    weights = in_double(self)
    check(weights, WEIGHTS, lambda: _refuse_single_weights(weights))
    return race(self, samples, generator)


def race(self: Tensor, samples: int, generator: Any) -> Tensor:
    """The places that are first if each needs an exponential time, divided by its weight."""
    times = calls.exponential_(creation.empty_like(self), 1.0, generator)
    pointwise.div_out(self, times, times)
    if samples == 1:
        return reduction.argmax(times, -1, True)
    return sorting.topk(times, samples)[1]


@meta("multinomial")
def multinomial_meta(self: Tensor, num_samples: int, replacement: bool, generator: Any) -> Tensor:
    check_choice(self, num_samples, replacement)
    return tensors.empty((*self._size_[:-1], num_samples), dtypes.int64, self._storage_.device)


@explicit("multinomial.out")
def multinomial_out(
    self: Tensor, num_samples: int, replacement: bool, generator: Any, out: Tensor
) -> Tensor:
    require(
        out._dtype_ is dtypes.int64,
        f"multinomial expects Long tensor out, got: {promotion.title(out._dtype_)}",
    )
    return outputs.copy_result(out, calls.multinomial(self, num_samples, replacement, generator))
