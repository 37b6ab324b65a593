"""PyTorch's dispatch keys: their names, their order, which of them an alias stands for.

PyTorch has a key for each functionality of each backend (``AutogradCPU``); here a functionality is
one key (`core.keys`). What programs name and what they are shown are PyTorch's keys; a set of these is an
integer too: a bit for each backend, and one for each functionality above them.
"""

from __future__ import annotations

import functools

from rushlight.engine.core import keys as key_bits

BACKENDS = (
    "CPU", "CUDA", "HIP", "XLA", "MPS", "IPU", "XPU", "HPU", "VE", "Lazy", "MTIA", "MAIA",
    "PrivateUse1", "PrivateUse2", "PrivateUse3", "Meta",
)  # fmt: skip
# From the lowest to the highest. Those of `PREFIXES` have a key for each backend.
FUNCTIONALITIES = (
    "Dense", "FPGA", "Vulkan", "Metal", "Quantized", "CustomRNGKeyId", "MkldnnCPU", "Sparse",
    "SparseCsr", "NestedTensor", "BackendSelect", "Fake", "Python", "FuncTorchDynamicLayerBackMode",
    "Functionalize", "Conjugate", "Negative", "ZeroTensor", "ADInplaceOrView", "AutogradOther",
    "AutogradFunctionality", "AutogradNestedTensor", "Tracer", "AutocastCPU", "AutocastMTIA",
    "AutocastMAIA", "AutocastXPU", "AutocastIPU", "AutocastHPU", "AutocastXLA", "AutocastMPS",
    "AutocastCUDA", "AutocastPrivateUse1", "FuncTorchBatched", "BatchedNestedTensor",
    "FuncTorchVmapMode", "Batched", "VmapMode", "FuncTorchGradWrapper", "DeferredInit",
    "PythonTLSSnapshot", "FuncTorchDynamicLayerFrontMode", "TESTING_ONLY_GenericWrapper",
    "TESTING_ONLY_GenericMode", "PreDispatch", "PythonDispatcher",
)  # fmt: skip
PREFIXES = {
    "Dense": "",
    "Quantized": "Quantized",
    "Sparse": "Sparse",
    "SparseCsr": "SparseCsr",
    "NestedTensor": "NestedTensor",
    "AutogradFunctionality": "Autograd",
}
# Where data are: a set of keys names a backend only through one of these, or through its Autograd.
STORES = ("Dense", "Quantized", "Sparse", "SparseCsr", "NestedTensor")
UNDEFINED = "Undefined"
AUTOGRAD = "Autograd"
IMPLICIT = "CompositeImplicitAutograd"
IMPLICIT_NESTED = "CompositeImplicitAutogradNestedTensor"
EXPLICIT = "CompositeExplicitAutograd"
EXPLICIT_NON_FUNCTIONAL = "CompositeExplicitAutogradNonFunctional"
BATCHED_DECOMPOSITION = "FuncTorchBatchedDecomposition"
ALIASES = (
    AUTOGRAD, IMPLICIT, BATCHED_DECOMPOSITION, IMPLICIT_NESTED, EXPLICIT, EXPLICIT_NON_FUNCTIONAL,
)  # fmt: skip

BACKEND_MASK = (1 << len(BACKENDS)) - 1


def functionality_bit(name: str) -> int:
    return 1 << len(BACKENDS) + FUNCTIONALITIES.index(name)


def per_backend(functionality: str) -> list[str]:
    """The keys of a functionality, one for each backend."""
    return [PREFIXES[functionality] + backend for backend in BACKENDS]


@functools.cache
def raw_sets() -> dict[str, int]:
    """Each key that a kernel may be registered for as a set, in the order in which they are asked."""
    found = {UNDEFINED: 0}
    for functionality in FUNCTIONALITIES:
        bit = functionality_bit(functionality)
        if functionality in PREFIXES:
            found |= {key: bit | 1 << k for k, key in enumerate(per_backend(functionality))}
        else:
            found[functionality] = bit
    return found


@functools.cache
def numbers() -> dict[str, int]:
    """The number of each key in PyTorch's enumeration, with the marks around blocks of backends."""
    found = {name: k for k, name in enumerate((UNDEFINED, *FUNCTIONALITIES))}
    # The end of the functionalities has a number too.
    following = len(found) + 1
    for functionality in PREFIXES:
        label = "Dense" if functionality == "Dense" else functionality
        found[f"StartOf{label}Backends"] = following
        for key in per_backend(functionality):
            following += 1
            found[key] = following
        found[f"EndOf{label}Backends"] = following
        following += 1
    for alias in ALIASES:
        found[alias] = following
        following += 1
    return found


@functools.cache
def in_alias(alias: str) -> frozenset[str]:
    """The keys that an alias stands for."""
    backends = frozenset(per_backend("Dense"))
    nested = frozenset(per_backend("NestedTensor"))
    autograd = frozenset(per_backend("AutogradFunctionality")) | {"AutogradOther"}
    others = frozenset(autogradother_backends())
    if alias == AUTOGRAD:
        return autograd | {"AutogradNestedTensor"}
    if alias == EXPLICIT:
        return backends | others
    if alias == EXPLICIT_NON_FUNCTIONAL:
        lazy = {"XLA", "Lazy", *per_backend("Sparse")}
        return (backends | others) - lazy
    if alias == IMPLICIT:
        return backends | others | autograd | nested | {"AutogradNestedTensor"}
    if alias == IMPLICIT_NESTED:
        return nested | {"AutogradNestedTensor"}
    if alias == BATCHED_DECOMPOSITION:
        return frozenset({"FuncTorchBatched"})
    return frozenset({alias})


@functools.cache
def autogradother_backends() -> tuple[str, ...]:
    """Where data may be whose gradients are the business of ``AutogradOther``."""
    kinds = ("Quantized", "Sparse", "SparseCsr")
    found = ["FPGA", "Vulkan", "Metal", "CustomRNGKeyId", "MkldnnCPU"]
    return tuple(found + [key for kind in kinds for key in per_backend(kind)])


def backends_under(key: str) -> tuple[str, ...]:
    """The keys of the data whose gradients are the business of an Autograd key."""
    if key == "AutogradOther":
        return autogradother_backends()
    if key == "AutogradNestedTensor":
        return tuple(per_backend("NestedTensor"))
    backend = key.removeprefix("Autograd")
    return (backend,) if key != backend and backend in BACKENDS else ()


def is_key(name: str) -> bool:
    """Whether a kernel can be registered for what is named so."""
    return name in raw_sets() or name in ALIASES


def names_of(raw: int) -> list[str]:
    """The keys of a set, the lowest first. A backend without a functionality is none."""
    found = []
    backends = [name for k, name in enumerate(BACKENDS) if raw >> k & 1]
    for functionality in FUNCTIONALITIES:
        if not raw & functionality_bit(functionality):
            continue
        if functionality in PREFIXES:
            found += [PREFIXES[functionality] + backend for backend in backends]
        else:
            found.append(functionality)
    return found


# What PyTorch calls our keys that have no backends of their own.
_SAME = {
    "Quantized": key_bits.QUANTIZED,
    "Sparse": key_bits.SPARSE,
    "SparseCsr": key_bits.SPARSE_CSR,
    "NestedTensor": key_bits.NESTED,
    "Fake": key_bits.FAKE,
    "Python": key_bits.PYTHON | key_bits.PYTHON_MODE,
    "PythonTLSSnapshot": key_bits.PYTHON_MODE,
    "Functionalize": key_bits.FUNCTIONALIZE,
    "Conjugate": key_bits.CONJUGATE,
    "Negative": key_bits.NEGATIVE,
    "AutogradOther": key_bits.AUTOGRAD,
    "AutogradFunctionality": key_bits.AUTOGRAD,
    "AutogradNestedTensor": key_bits.AUTOGRAD,
    "Tracer": key_bits.TRACER,
    "FuncTorchBatched": key_bits.BATCHED,
    "Batched": key_bits.BATCHED,
}


def to_bits(raw: int) -> int:
    """The keys of `core.keys` for a set of PyTorch's."""
    bits = 0
    for functionality in FUNCTIONALITIES:
        if raw & functionality_bit(functionality):
            is_autocast = functionality.startswith("Autocast")
            bits |= key_bits.AUTOCAST if is_autocast else _SAME.get(functionality, 0)
    if any(raw & functionality_bit(store) for store in STORES):
        for k, name in enumerate(BACKENDS):
            bits |= key_bits.NAMES.get(name, 0) if raw >> k & 1 else 0
    return bits


def from_bits(bits: int) -> int:
    """The set of PyTorch's keys for those of `core.keys`."""
    raw = 0
    for k, name in enumerate(BACKENDS):
        raw |= 1 << k if bits & key_bits.NAMES.get(name, 0) else 0
    shown = dict(_SAME)
    for several in ("AutogradOther", "AutogradNestedTensor", "Batched", "PythonTLSSnapshot"):
        del shown[several]
    shown["Python"] = key_bits.PYTHON
    for functionality, bit in shown.items():
        raw |= functionality_bit(functionality) if bits & bit else 0
    if bits & key_bits.PYTHON_MODE:
        raw |= functionality_bit("Python") | functionality_bit("PythonTLSSnapshot")
    if bits & key_bits.BACKENDS and not bits & (key_bits.STORES | key_bits.NESTED):
        raw |= functionality_bit("Dense")
    if bits & key_bits.AUTOCAST:
        for name in BACKENDS:
            if bits & key_bits.NAMES.get(name, 0) and f"Autocast{name}" in FUNCTIONALITIES:
                raw |= functionality_bit(f"Autocast{name}")
    return raw


def of_tensor(bits: int) -> int:
    """The set that PyTorch would show for a tensor: gradients and autocast are every tensor's there."""
    if not bits & key_bits.INFERENCE:
        bits |= key_bits.AUTOGRAD
    raw = from_bits(bits | key_bits.AUTOCAST)
    return raw if bits & key_bits.INFERENCE else raw | functionality_bit("ADInplaceOrView")
