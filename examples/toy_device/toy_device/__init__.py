"""A device of its own: an arena for memory, ten operators, and the CPU for all others.

    import rushlight as torch
    import toy_device                     # or: pip install ., which makes this import unnecessary

    x = torch.randn(3, device="toy")
    print((x * x).sum())

The "device" is a run of the host's memory that only this file looks into. A real one would replace `Arena`
by its driver, and the kernels by its own.
"""

from __future__ import annotations

import ctypes
import sys

import numpy as np

import rushlight as torch
from rushlight.library import Library
from rushlight.utils import backend_registration

NAME = "toy"
ALIGNMENT = 64


class Arena:
    """Memory of a fixed size, given out from the front, with a list of what came back."""

    def __init__(self, nbytes: int) -> None:
        self.bytes = (ctypes.c_ubyte * nbytes)()
        self.end = ALIGNMENT
        self.free_runs: dict[int, list[int]] = {}
        self.sizes: dict[int, int] = {}

    def allocate(self, nbytes: int) -> int:
        """The address of a run; addresses are counted from the arena's start, and never 0."""
        length = max(-(-nbytes // ALIGNMENT) * ALIGNMENT, ALIGNMENT)
        runs = self.free_runs.get(length)
        if runs:
            address = runs.pop()
        else:
            address, self.end = self.end, self.end + length
            if self.end > len(self.bytes):
                raise torch.OutOfMemoryError(f"toy: no {nbytes} bytes are left")
        self.sizes[address] = length
        return address

    def free(self, address: int) -> None:
        self.free_runs.setdefault(self.sizes.pop(address), []).append(address)

    def read(self, host: int, address: int, nbytes: int) -> None:
        ctypes.memmove(host, ctypes.addressof(self.bytes) + address, nbytes)

    def write(self, address: int, host: int, nbytes: int) -> None:
        ctypes.memmove(ctypes.addressof(self.bytes) + address, host, nbytes)

    @property
    def used(self) -> int:
        return sum(self.sizes.values())


arena = Arena(1 << 26)


# -- kernels --


def elements(tensor: torch.Tensor) -> np.ndarray:
    """The elements of a tensor on the device, where they are."""
    start = tensor.untyped_storage().data_ptr() + tensor.storage_offset() * tensor.itemsize
    kind = np.dtype(str(tensor.dtype).removeprefix("torch."))
    strides = [step * tensor.itemsize for step in tensor.stride()]
    return np.ndarray(tuple(tensor.shape), kind, arena.bytes, start, strides)


def made(values: np.ndarray) -> torch.Tensor:
    """A tensor on the device with these elements."""
    kind = getattr(torch, str(values.dtype))
    result = torch.empty(values.shape, dtype=kind, device=NAME)
    elements(result)[...] = values
    return result


def fits(*tensors: torch.Tensor) -> bool:
    """Whether the kernels here take the operands: on the device, of one type that numpy has."""
    first = tensors[0]
    plain = (torch.float32, torch.float64)
    return all(
        t.device.type == NAME and t.dtype is first.dtype and t.dtype in plain for t in tensors
    )


CALLS: dict[str, int] = {}


def kernel(name: str):
    """Register a kernel; operands that it does not take go the way of all other operators."""

    def register(function):
        op = getattr(
            getattr(torch.ops.aten, name.partition(".")[0]), name.partition(".")[2] or "default"
        )

        def run(*args, **kwargs):
            tensors = [a for a in args if isinstance(a, torch.Tensor)]
            if kwargs or not fits(*tensors):
                return backend_registration.run_on_cpu(op, *args, **kwargs)
            CALLS[name] = CALLS.get(name, 0) + 1
            return function(*args)

        library.impl(name, run)
        return function

    return register


backend_registration.rename_privateuse1_backend(NAME)
backend_registration.register_memory(arena.allocate, arena.free, arena.read, arena.write)
backend_registration.generate_methods_for_privateuse1_backend()
library = Library("aten", "IMPL", "PrivateUse1")
everything_else = Library("_", "IMPL", "PrivateUse1")
everything_else.fallback(backend_registration.run_on_cpu)


@kernel("add.Tensor")
def add(x, y):
    return made(elements(x) + elements(y))


@kernel("sub.Tensor")
def sub(x, y):
    return made(elements(x) - elements(y))


@kernel("mul.Tensor")
def mul(x, y):
    return made(elements(x) * elements(y))


@kernel("mm")
def mm(x, y):
    return made(elements(x) @ elements(y))


@kernel("relu")
def relu(x):
    return made(np.maximum(elements(x), 0))


@kernel("exp")
def exp(x):
    return made(np.exp(elements(x)))


@kernel("neg")
def neg(x):
    return made(-elements(x))


@kernel("sum")
def total(x):
    return made(elements(x).sum(keepdims=False, dtype=elements(x).dtype)[()][None].reshape(()))


@kernel("fill_.Scalar")
def fill(x, value):
    elements(x)[...] = value
    return x


@kernel("zero_")
def zero(x):
    elements(x)[...] = 0
    return x


# -- the module torch.toy --


def is_available() -> bool:
    return True


def device_count() -> int:
    return 1


def current_device() -> int:
    return 0


torch._register_device_module(NAME, sys.modules[__name__])


def load() -> None:
    """What the entry point calls; importing the package has done all of it."""
