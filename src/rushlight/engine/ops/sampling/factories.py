"""New tensors of random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import creation
from rushlight.engine.calls import sampling as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops.plans import notes_device_steps
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.views import explicit
from rushlight.engine.ops.numbers import has_no_elements
from rushlight.engine.ops.sampling.distributions import check_deviation
from rushlight.engine.ops.sampling.integers import check_permutation, permutation

Fill = Callable[[Tensor, Any], Tensor]


def made(fill: Fill, size: Any, options: tuple[Any, ...], generator: Any) -> Tensor:
    """A new tensor, filled; ``options`` are dtype, layout, device and pin_memory."""
    return fill(creation.empty_memory_format(size, *options), generator)


def into(fill: Fill, size: Any, out: Tensor, generator: Any) -> Tensor:
    outputs.set_size(out, tuple(size))
    return fill(out, generator)


def _uniform(t: Tensor, generator: Any) -> Tensor:
    return calls.uniform_(t, 0.0, 1.0, generator)


def _normal(t: Tensor, generator: Any) -> Tensor:
    return calls.normal_(t, 0.0, 1.0, generator)


def _integers(low: int, high: int) -> Fill:
    return lambda t, generator: calls.random__from(t, low, high, generator)


def _factory(name: str, fill: Fill) -> None:
    """The overloads of `rand` or `randn`."""

    @explicit(name)
    @notes_device_steps
    def plain(size: Any, *options: Any) -> Tensor:
        return made(fill, size, options, None)

    @explicit(f"{name}.generator")
    def given(size: Any, generator: Any, *options: Any) -> Tensor:
        return made(fill, size, options, generator)

    @explicit(f"{name}.out")
    def out_plain(size: Any, out: Tensor) -> Tensor:
        return into(fill, size, out, None)

    @explicit(f"{name}.generator_out")
    def out_given(size: Any, generator: Any, out: Tensor) -> Tensor:
        return into(fill, size, out, generator)

    @explicit(f"{name}_like")
    @notes_device_steps
    def like(self: Tensor, *options: Any) -> Tensor:
        return fill(creation.empty_like(self, *options), None)

    @explicit(f"{name}_like.generator")
    def like_given(self: Tensor, generator: Any, *options: Any) -> Tensor:
        return fill(creation.empty_like(self, *options), generator)


_factory("rand", _uniform)
_factory("randn", _normal)


# -- integers --


def _new_integers(low: int, high: int, size: Any, options: Any, generator: Any) -> Tensor:
    """Integers in a new tensor: without a type, or with None for one, of 64 bits."""
    dtype, *others = options
    return made(_integers(low, high), size, (dtype or dtypes.int64, *others), generator)


@explicit("randint")
@notes_device_steps
def randint(high: int, size: Any, *options: Any) -> Tensor:
    return _new_integers(0, high, size, options, None)


@explicit("randint.generator")
def randint_generator(high: int, size: Any, generator: Any, *options: Any) -> Tensor:
    return _new_integers(0, high, size, options, generator)


@explicit("randint.low")
@notes_device_steps
def randint_low(low: int, high: int, size: Any, *options: Any) -> Tensor:
    return _new_integers(low, high, size, options, None)


@explicit("randint.low_generator")
def randint_low_generator(low: int, high: int, size: Any, generator: Any, *options: Any) -> Tensor:
    return _new_integers(low, high, size, options, generator)


@explicit("randint.out")
def randint_out(high: int, size: Any, out: Tensor) -> Tensor:
    return into(_integers(0, high), size, out, None)


@explicit("randint.generator_out")
def randint_generator_out(high: int, size: Any, generator: Any, out: Tensor) -> Tensor:
    return into(_integers(0, high), size, out, generator)


@explicit("randint.low_out")
def randint_low_out(low: int, high: int, size: Any, out: Tensor) -> Tensor:
    return into(_integers(low, high), size, out, None)


@explicit("randint.low_generator_out")
def randint_low_generator_out(
    low: int, high: int, size: Any, generator: Any, out: Tensor
) -> Tensor:
    return into(_integers(low, high), size, out, generator)


def _like(self: Tensor, low: int, high: int, options: Any, generator: Any) -> Tensor:
    return calls.random__from(creation.empty_like(self, *options), low, high, generator)


@explicit("randint_like")
def randint_like(self: Tensor, high: int, *options: Any) -> Tensor:
    return _like(self, 0, high, options, None)


@explicit("randint_like.generator")
def randint_like_generator(self: Tensor, high: int, generator: Any, *options: Any) -> Tensor:
    return _like(self, 0, high, options, generator)


@explicit("randint_like.low_dtype")
def randint_like_low(self: Tensor, low: int, high: int, *options: Any) -> Tensor:
    return _like(self, low, high, options, None)


@explicit("randint_like.low_generator_dtype")
def randint_like_low_generator(
    self: Tensor, low: int, high: int, generator: Any, *options: Any
) -> Tensor:
    return _like(self, low, high, options, generator)


def _bound(high: Tensor) -> int:
    if high._numel_ != 1 or high._size_:
        raise RuntimeError(
            f"high must be a scalar tensor and on CPU. Got {len(high._size_)}-D tensor"
        )
    return 1 if has_no_elements(high) else int(high.item())


@explicit("randint_like.Tensor")
def randint_like_tensor(self: Tensor, high: Tensor, *options: Any) -> Tensor:
    return _like(self, 0, _bound(high), options, None)


@explicit("randint_like.Tensor_generator")
def randint_like_tensor_generator(
    self: Tensor, high: Tensor, generator: Any, *options: Any
) -> Tensor:
    return _like(self, 0, _bound(high), options, generator)


# -- permutations --


def _randperm(n: int, generator: Any, dtype: Any, *options: Any) -> Tensor:
    fresh = creation.empty_memory_format((n,), dtype or dtypes.int64, *options)
    check_permutation(n, fresh._dtype_)
    return permutation(fresh, n, generator)


@explicit("randperm")
def randperm(n: int, *options: Any) -> Tensor:
    return _randperm(n, None, *options)


@explicit("randperm.generator")
def randperm_generator(n: int, generator: Any, *options: Any) -> Tensor:
    return _randperm(n, generator, *options)


@explicit("randperm.out")
def randperm_out(n: int, out: Tensor) -> Tensor:
    return randperm_generator_out(n, None, out)


@explicit("randperm.generator_out")
def randperm_generator_out(n: int, generator: Any, out: Tensor) -> Tensor:
    check_permutation(n, out._dtype_)
    return permutation(out, n, generator)


# -- normal numbers of given means and deviations --


@explicit("normal.float_float")
def normal(mean: float, std: float, size: Any, generator: Any, *options: Any) -> Tensor:
    check_deviation(std)
    return made(lambda t, g: calls.normal_(t, mean, std, g), size, options, generator)


@explicit("normal.float_float_out")
def normal_out(mean: float, std: float, size: Any, generator: Any, out: Tensor) -> Tensor:
    check_deviation(std)
    return into(lambda t, g: calls.normal_(t, mean, std, g), size, out, generator)
