"""Assembling the namespaces: generated bindings become public functions and tensor methods."""

from __future__ import annotations

from functools import partial
from types import ModuleType
from typing import Any

from rushlight._state import devices
from rushlight.engine.bindings import public, signs
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import generator, state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import call_cache, schema_types
from rushlight.engine.dispatch.call_cache import TAKES_ARRAYS, TAKES_LISTS, Numbers
from rushlight.engine.generated import functions, methods
from rushlight.engine.native.garbage import import_module


def fill_namespace(target: dict[str, Any], module: ModuleType, prefix: str = "") -> None:
    """Add the public functions of a generated module to a namespace, without a prefix of their names."""
    members = vars(module)
    target.update({name.removeprefix(prefix): members[name] for name in members["FUNCTIONS"]})


def fill_constructors(target: dict[str, Any]) -> None:
    """Add constructors whose calls with plain numbers are worth remembering."""
    from rushlight._tensor_members import construction

    made = call_cache.public_function(
        "tensor",
        construction.tensor,
        lambda: Numbers.at([0], checked=True),
        TAKES_LISTS | TAKES_ARRAYS,
    )
    target["tensor"] = call_cache.let_overrides_answer(made)
    target["from_numpy"] = call_cache.public_function(
        "from_numpy", construction.from_numpy, habits=TAKES_ARRAYS
    )
    for name in ("as_tensor", "asarray"):
        function = getattr(construction, name)
        found = call_cache.public_function(name, function, habits=TAKES_LISTS | TAKES_ARRAYS)
        target[name] = call_cache.let_overrides_answer(found)


def fill_methods() -> None:
    """Attach generated methods, and those behind operator signs, to the tensor class."""
    for name, resolver in methods.RESOLVERS.items():
        setattr(Tensor, name, public.public_method(resolver))
    ways = {name: resolver.function for name, resolver in methods.RESOLVERS.items()}
    for name, function in signs.signs(ways, vars(functions)).items():
        second = partial(Numbers.at, [1])
        setattr(Tensor, name, call_cache.public_method(name, function, second))


_LATER_MODULES = (
    "__config__", "__future__", "_C", "_VF", "_decomp", "_dispatch", "_dynamo", "_export", "_functorch", "_guards", "_higher_order_ops", "_inductor", "_prims", "_subclasses", "_refs", "_utils", "_vmap_internals", "ao", "accelerator", "amp", "backends", "compiler", "cpu", "cuda",
    "distributed", "distributions", "export", "func", "futures", "fx", "hub", "jit", "masked", "mps", "mtia", "multiprocessing", "nested", "onnx",
    "optim", "overrides", "profiler", "quantization", "quasirandom", "return_types", "serialization", "sparse", "storage", "testing", "torch_version", "types",
    "utils", "version", "xpu",
)  # fmt: skip
_ELSEWHERE = {
    "DisableTorchFunction": ("rushlight.overrides", "DisableTorchFunction"),
    "DisableTorchFunctionSubclass": ("rushlight.overrides", "DisableTorchFunctionSubclass"),
    "_amp_foreach_non_finite_check_and_unscale_": (
        "rushlight.amp.scaled_gradients",
        "_amp_foreach_non_finite_check_and_unscale_",
    ),
    "_amp_update_scale_": ("rushlight.amp.scaled_gradients", "_amp_update_scale_"),
    "Future": ("rushlight.jit", "Future"),
    "_disable_dynamo": ("rushlight._compile", "_disable_dynamo"),
    "PyTorchFileReader": ("rushlight._files.reader", "PyTorchFileReader"),
    "GradScaler": ("rushlight.amp", "GradScaler"),
    "ScriptFunction": ("rushlight.jit", "ScriptFunction"),
    "ScriptModule": ("rushlight.jit", "ScriptModule"),
    "ScriptObject": ("rushlight.jit", "ScriptObject"),
    "autocast": ("rushlight.amp", "autocast"),
    "compile": ("rushlight.compiler", "compile"),
    "cond": ("rushlight._higher_order_ops", "cond"),
    "while_loop": ("rushlight._higher_order_ops", "while_loop"),
    "install_as_torch": ("rushlight.alias", "install"),
    "load": ("rushlight.serialization", "load"),
    "save": ("rushlight.serialization", "save"),
    "vmap": ("rushlight._functorch.apis", "vmap"),
    "dsmm": ("rushlight", "mm"),
    "hsmm": ("rushlight", "hspmm"),
    "saddmm": ("rushlight", "sspaddmm"),
    "spmm": ("rushlight", "mm"),
    "sparse_coo_tensor": ("rushlight.sparse.construct", "sparse_coo_tensor"),
    **{
        name: ("rushlight.sparse.construct_compressed", name)
        for name in (
            "sparse_bsc_tensor",
            "sparse_bsr_tensor",
            "sparse_compressed_tensor",
            "sparse_csc_tensor",
            "sparse_csr_tensor",
        )
    },
    "to_dlpack": ("rushlight.utils.dlpack", "to_dlpack"),
    "Tag": ("rushlight.engine.dispatch.tags", "Tag"),
    "DispatchKey": ("rushlight.engine.dispatch.key_sets", "DispatchKey"),
    "DispatchKeySet": ("rushlight.engine.dispatch.key_sets", "DispatchKeySet"),
    "FunctionSchema": ("rushlight.engine.dispatch.function_schema", "FunctionSchema"),
    "Argument": ("rushlight.engine.dispatch.function_schema", "SchemaArgument"),
    **{name: ("rushlight.engine.dispatch.schema_types", name) for name in schema_types.NAMES},
    "parse_schema": ("rushlight.engine.dispatch.function_schema", "parse_schema"),
    "explain": ("rushlight._command.explain", "explain"),
    **{
        name: ("rushlight.nn._functional.recurrent", name)
        for kind in ("gru", "lstm", "rnn_relu", "rnn_tanh")
        for name in (kind, f"{kind}_cell")
    },
}
_IN_STORAGE = ("TypedStorage", "UntypedStorage")


def names_found_later() -> list[str]:
    """The names that `found_later` finds, but for classes of tensors and storages."""
    return [*_LATER_MODULES, *_IN_STORAGE, *_ELSEWHERE, *_over_lists(), "default_generator"]


def _over_lists() -> dict[str, Any]:
    """The operators over lists of tensors."""
    functions: dict[str, Any] = import_module("rushlight._functions.foreach").functions
    return functions


def stays(name: str) -> bool:
    """Whether a name that was found later is always the same object."""
    return name in _ELSEWHERE or name in _IN_STORAGE or name.endswith("Tensor")


def found_later(name: str) -> Any:
    """A name of the namespace whose module is not imported with the package."""
    if name in _LATER_MODULES:
        return import_module(f"rushlight.{name}")
    if name.startswith("_foreach_") and name in _over_lists():
        return _over_lists()[name]
    if name == "torch":
        return import_module("rushlight")
    if name in devices.modules:
        return devices.modules[name]
    if name == "default_generator":
        return generator.default_generator()
    if name in _IN_STORAGE or name.endswith(("Storage", "Tensor")):
        storage = import_module("rushlight.storage")
        if name == "Storage":
            return storage.legacy_class(state.default_dtype())
        classes = {**storage.TENSOR_CLASSES, **storage.STORAGE_CLASSES}
        found = getattr(storage, name, None) if name in _IN_STORAGE else classes.get(name)
        if found is not None:
            return found
    if name in dtypes.BY_NAME:
        return dtypes.named(name)
    if name in _ELSEWHERE:
        module = import_module(_ELSEWHERE[name][0])
        return getattr(module, _ELSEWHERE[name][1])
    raise AttributeError(f"module 'rushlight' has no attribute '{name}'")
