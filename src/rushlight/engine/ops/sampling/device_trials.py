"""Distributions that are sampled by trial, on a GPU: the host's functions, each element with a stream of its own."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.cuda import context, streams
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.device_loop import over
from rushlight.engine.loops.identity import Written
from rushlight.engine.loops.ptx_kernels import described_kernel
from rushlight.engine.loops.ptx_trials import Trials
from rushlight.engine.native import rejection
from rushlight.engine.native.lowlevel import Function, Part
from rushlight.engine.ops.kinds.views import cuda
from rushlight.engine.ops.sampling import given_tensors
from rushlight.engine.ops.sampling.device_draws import generator_of
from rushlight.engine.ops.sampling.given_tensors import (
    FLOATS,
    contiguous_like,
    has_kernel,
    result_of,
)
from rushlight.engine.ops.sampling.parameters import in_double

# So many words of its stream an element may take before it meets those of the next call.
_MOST_WORDS = 1024
_kernels: Written[Any] = Written()


def _kernel(function: Function, inner: int, given: int, flags: int, held: bool) -> Any:
    """The kernel of a function with so many parameters and flags."""

    def write() -> Any:
        memories = ["f64"] * (1 + given) + ["i64"] * (1 + flags)
        numbers = range(2 + given, 2 + given + flags)
        walk = Trials(function, memories, inner, 1 + given, numbers, held)
        identity = Part(rejection.module, [function]).identity()
        return described_kernel(
            function.name, f"trials|{inner}{given}{flags}{held}|{identity}", walk.text
        )

    return _kernels.get((function.name, inner, held), (given, flags), write)


def drawn(
    kernel: Function, generator: Any, like: Tensor, *parameters: Tensor, flags: tuple[int, ...] = (),
    rows: bool = False,
) -> Tensor:  # fmt: skip
    """What a kernel gives for the parameters, in doubles; see `given_tensors`."""
    given = [in_double(p) for p in parameters]
    target = contiguous_like(like, dtypes.float64)
    if not target._numel_:
        return target
    # Where it begins is the kernel's own number: a call that is repeated would draw the same again.
    steps.Unrepeatable.note()
    index = target._storage_.device.index or 0
    source = generator_of(generator, index)
    taken = source.taken(_MOST_WORDS, streams.current(index).is_capturing())
    length = (target._size_[-1] if target._size_ else 1) if rows else 1
    count = target._numel_ // length
    sizes = [length, count] if rows else [count]
    operands = [target, *given]
    strides = [8] * len(operands)
    if rows:
        strides += [8 * length] * len(operands)
    words = [tensors.place_of(x) for x in operands]
    words += [*sizes, *strides, taken.seed, taken.place if taken.held else taken.place // 4, *flags]
    found = _kernel(kernel, len(sizes) - 1, len(given), len(flags), taken.held)
    grid = over(count, context.properties(index)["multi_processor_count"])
    found.launch(index, grid.blocks, grid.width, words)
    tensors.bump_version(target)
    return target


@cuda("poisson")
def poisson(self: Tensor, generator: Any) -> Tensor:
    has_kernel(self._dtype_ in FLOATS, "poisson_cuda", self._dtype_)
    # Nobody can ask for elements while a graph is recorded.
    if not streams.current(self._storage_.device.index or 0).is_capturing():
        given_tensors.check_rates(self)
    return result_of(drawn(rejection.poissons, generator, self, self), self)


@cuda("binomial")
def binomial(count: Tensor, prob: Tensor, generator: Any) -> Tensor:
    return given_tensors.binomial(count, prob, generator, drawn)


@cuda("_standard_gamma")
def standard_gamma(self: Tensor, generator: Any) -> Tensor:
    return given_tensors.standard_gamma(self, generator, drawn)


@cuda("_sample_dirichlet")
def sample_dirichlet(self: Tensor, generator: Any) -> Tensor:
    return given_tensors.sample_dirichlet(self, generator, drawn)
