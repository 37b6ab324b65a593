"""Dispatch keys: the features that change what an operator means, one bit each.

A tensor carries the set of keys that apply to it as an integer. A higher bit is handled first.
"""

from __future__ import annotations

# Backends: where the data is. Lowest priority.
CPU = 1 << 0
META = 1 << 1
CUDA = 1 << 2
XLA = 1 << 3
LAZY = 1 << 4
PRIVATE_USE_1 = 1 << 5
BACKENDS = (1 << 6) - 1

# Elements that are numbers of another type, and layouts: what has kernels of its own.
QUANTIZED = 1 << 6
SPARSE = 1 << 7
SPARSE_CSR = 1 << 8
SPARSE_LAYOUTS = SPARSE | SPARSE_CSR
# How elements are kept, if not as numbers at places that strides tell.
STORES = QUANTIZED | SPARSE_LAYOUTS

# Functionality, from the one nearest to the kernel upwards. Python's own keys come right above the
# backends, so that a wrapper subclass is one more kind of data to everything else, and modes see the
# calls that autograd makes.
PYTHON = 1 << 10
PYTHON_MODE = 1 << 11
FUNCTIONALIZE = 1 << 12
NEGATIVE = 1 << 13
CONJUGATE = 1 << 14
INFERENCE = 1 << 15
# What a differentiation does below autograd: to the latter, wrappers are data of one more kind.
LOWERED = 1 << 16
AUTOGRAD = 1 << 17
COPY_ON_WRITE = 1 << 18
AUTOCAST = 1 << 19
# A tensor that stands for another one within a transformation.
WRAPPED = 1 << 20
BATCHED = 1 << 21
FAKE = 1 << 22
TRACER = 1 << 23
# A batch of tensors of different sizes: a call becomes calls on its elements, or on all at once, above
# everything that these calls ask for.
NESTED = 1 << 24
# What a thread does to every call.
TRANSFORMS = 1 << 26
TORCH_FUNCTION = 1 << 28

NAMES: dict[str, int] = {
    "CPU": CPU, "Meta": META, "CUDA": CUDA, "XLA": XLA, "Lazy": LAZY, "PrivateUse1": PRIVATE_USE_1,
    "Quantized": QUANTIZED, "Sparse": SPARSE, "SparseCsr": SPARSE_CSR, "NestedTensor": NESTED,
    "Functionalize": FUNCTIONALIZE, "Negative": NEGATIVE, "Conjugate": CONJUGATE,
    "Inference": INFERENCE, "Lowered": LOWERED, "Wrapped": WRAPPED, "Autograd": AUTOGRAD, "CopyOnWrite": COPY_ON_WRITE,
    "Autocast": AUTOCAST, "Batched": BATCHED, "Fake": FAKE, "Tracer": TRACER, "Python": PYTHON, "PythonMode": PYTHON_MODE,
    "Transforms": TRANSFORMS, "TorchFunction": TORCH_FUNCTION,
}  # fmt: skip


def names(keys: int) -> list[str]:
    """The names of the keys in a set, highest priority first."""
    present = [(bit, name) for name, bit in NAMES.items() if keys & bit]
    return [name for _, name in sorted(present, reverse=True)]


def highest(keys: int) -> int:
    """The key that is handled first; 0 for an empty set."""
    return 1 << keys.bit_length() - 1 if keys else 0
